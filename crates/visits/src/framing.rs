//! Messages on the socket: a length of four bytes, and that many bytes of JSON. Servers' results are passed
//! on unchanged, including line breaks.

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio_util::codec::{FramedRead, FramedWrite, LengthDelimitedCodec};

/// The longest message, in bytes: more than the largest answer that a server may be allowed.
const MAX_MESSAGE: usize = 3 << 29;

/// The end that is read.
pub(crate) struct Incoming(FramedRead<OwnedReadHalf, LengthDelimitedCodec>);

/// The end that is written to.
pub(crate) struct Outgoing(FramedWrite<OwnedWriteHalf, LengthDelimitedCodec>);

fn codec() -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder().max_frame_length(MAX_MESSAGE).new_codec()
}

pub(crate) fn framed(from: OwnedReadHalf, to: OwnedWriteHalf) -> (Incoming, Outgoing) {
    (Incoming(FramedRead::new(from, codec())), Outgoing(FramedWrite::new(to, codec())))
}

impl Incoming {
    /// The next message. `None` if the other end has gone, or sends something that can't be parsed.
    pub(crate) async fn next<M: DeserializeOwned>(&mut self) -> Option<M> {
        let frame = self.0.next().await?.ok()?;
        match serde_json::from_slice(&frame) {
            Ok(message) => Some(message),
            Err(error) => {
                tracing::warn!(%error, "a message of a command was not understood");
                None
            }
        }
    }
}

impl Outgoing {
    /// False: the other end has gone.
    pub(crate) async fn send(&mut self, message: &impl Serialize) -> bool {
        match serde_json::to_vec(message) {
            Ok(bytes) => self.0.send(Bytes::from(bytes)).await.is_ok(),
            Err(error) => {
                tracing::warn!(%error, "a message of a command could not be written");
                false
            }
        }
    }
}
