//! Bodies that come in pieces, wait, hang or break.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream;
use tokio::sync::watch;

/// Something that opens once, when the test says so.
#[derive(Clone, Debug)]
pub struct Gate(Arc<watch::Sender<bool>>);

impl Gate {
    /// A closed gate.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// Lets everybody through, now and later.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    /// Waits until it is open.
    pub async fn wait_until_open(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|open| *open).await;
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

/// A piece of a body.
#[derive(Clone)]
pub enum BodyPiece {
    /// These bytes.
    Bytes(Bytes),
    /// This text, with `$ID` replaced by the request's id.
    Text(String),
    /// This many bytes of `x`, in chunks of 64 KiB.
    Filler(u64),
    /// Nothing until the gate opens.
    Wait(Gate),
    /// Nothing. The connection stays open.
    Hang,
    /// The connection breaks.
    Abort,
}

impl BodyPiece {
    /// A piece of text, in which `$ID` is replaced by the request's id.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

const CHUNK: usize = 64 * 1024;

/// The body as a stream, in which `id` (JSON text) replaces `$ID`. `closing` breaks what hangs.
pub(super) fn stream(
    pieces: Vec<BodyPiece>,
    id: String,
    closing: Gate,
) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send + 'static {
    let pieces = pieces.into_iter().collect::<std::collections::VecDeque<_>>();
    stream::unfold((pieces, id, closing), |(mut pieces, id, closing)| async move {
        loop {
            let bytes = match pieces.pop_front()? {
                BodyPiece::Bytes(bytes) => bytes,
                BodyPiece::Text(text) => Bytes::from(text.replace("$ID", &id)),
                BodyPiece::Filler(left) => {
                    let size = usize::try_from(left).map_or(CHUNK, |left| left.min(CHUNK));
                    if left > size as u64 {
                        pieces.push_front(BodyPiece::Filler(left - size as u64));
                    }
                    Bytes::from(vec![b'x'; size])
                }
                BodyPiece::Wait(gate) => {
                    tokio::select! {
                        () = gate.wait_until_open() => continue,
                        () = closing.wait_until_open() => return Some((broken(), (pieces, id, closing))),
                    }
                }
                BodyPiece::Hang => {
                    closing.wait_until_open().await;
                    return Some((broken(), (pieces, id, closing)));
                }
                BodyPiece::Abort => return Some((broken(), (pieces, id, closing))),
            };
            return Some((Ok(bytes), (pieces, id, closing)));
        }
    })
}

fn broken() -> Result<Bytes, std::io::Error> {
    Err(std::io::Error::other("the script breaks the connection here"))
}
