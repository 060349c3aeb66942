//! An app at the local socket, through its bridge. Its session lasts as long as the connection.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mooring_bridge::{Line, Lines, Part};
use mooring_jsonrpc::{code, id_of_parts};
use mooring_shares::{LONG_MESSAGE, MESSAGE_TIMEOUT, Place, SMALL_MESSAGE, Share};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::message::error_response;
use crate::outbox::{Keep, Outbox};
use crate::session::Session;
use crate::view::AppView;
use crate::{MAX_MESSAGE, dispatch};

/// How long an app may take to read the queued messages after it has disconnected.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Cancels an app's requests when its connection is dropped.
struct CancelOnDrop(Arc<Session>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.running.cancel_all();
    }
}

/// Reads the next line from an app, and charges the app's share for it. A line that takes too long is an
/// error.
async fn read_next_line(
    lines: &mut Lines<impl AsyncRead + Unpin>,
    share: &Share,
) -> io::Result<Option<Line>> {
    let (mut room, mut longer) = (None, None);
    let mut ends_at = None;
    loop {
        share.until_paid().await;
        let part = lines.next_part();
        let part = match ends_at {
            Some(at) => timeout_at(at, part).await.map_err(|_| io::ErrorKind::TimedOut)??,
            None => part.await?,
        };
        let Some(Part { bytes, line }) = part else { return Ok(None) };
        share.charge(usize::from(line.is_some()), bytes);
        if line.is_some() {
            return Ok(line);
        }
        if room.is_none() && lines.begun() > SMALL_MESSAGE {
            let at = Instant::now() + MESSAGE_TIMEOUT;
            ends_at = Some(at);
            room = timeout_at(at, share.room_for(LONG_MESSAGE)).await.map_err(|_| io::ErrorKind::TimedOut)?;
        }
        if let Some(at) = ends_at
            && longer.is_none()
            && lines.begun() > LONG_MESSAGE
        {
            longer = timeout_at(at, share.room_for_longer()).await.map_err(|_| io::ErrorKind::TimedOut)?;
        }
    }
}

/// Serves one app until it disconnects. Requests without an answer are cancelled then.
pub(crate) async fn serve_app(
    view: Arc<AppView>,
    place: &Arc<Place>,
    mut lines: Lines<impl AsyncRead + Unpin>,
    to: impl AsyncWrite + Send + Unpin + 'static,
) {
    let (out, stream) = Outbox::new_recorded(Keep::Unread, &view.log);
    let mut writing = JoinSet::new();
    writing.spawn(stream.replace_reader(None).write_to(to));
    let _connected = view.host.app_connected(&view.app);
    let session = Session::new(view, out.clone());
    session.running.use_place(place);
    let cancel = CancelOnDrop(Arc::clone(&session));
    {
        let following = session.notify_app();
        let unread = out.wait_until_full();
        tokio::pin!(following, unread);
        loop {
            // If an app doesn't read its messages, only this app has to wait.
            let next = async {
                out.wait_until_read().await;
                read_next_line(&mut lines, &session.view.share).await
            };
            tokio::select! {
                line = next => match line {
                    Ok(Some(Line::Text(line))) => {
                        let _using = place.begin_use();
                        dispatch::receive_line(&session, line.into(), &out).await;
                    }
                    Ok(Some(Line::TooLong { beginning, end, size })) => {
                        let id = id_of_parts(&beginning, &end);
                        session.view.log.record_too_long(beginning.into(), size).await;
                        let refused = format!("Invalid Request: longer than {MAX_MESSAGE} bytes");
                        out.send(error_response(id.as_ref(), code::INVALID_REQUEST, &refused, None));
                    }
                    Ok(Some(Line::NoText(bytes))) => {
                        session.view.log.record_unreadable(bytes.into(), true).await;
                        out.send(error_response(None, code::PARSE_ERROR, "Parse error: not UTF-8", None));
                    }
                    Err(late) if late.kind() == io::ErrorKind::TimedOut => {
                        let seconds = MESSAGE_TIMEOUT.as_secs();
                        let refused = format!("Invalid Request: a message took longer than {seconds} s to arrive");
                        out.send(error_response(None, code::INVALID_REQUEST, &refused, None));
                        break;
                    }
                    Ok(None) | Err(_) => break,
                },
                () = &mut following => break,
                () = &mut unread => {
                    tracing::warn!(app = %session.view.app, "an app does not read what it is sent, and is disconnected");
                    writing.abort_all();
                    break;
                }
                _ = writing.join_next() => break,
            }
        }
    }
    session.running.end_all().await;
    // This drops the last senders. Queued messages are still written, as long as the app reads.
    drop((cancel, session, out));
    let _written = tokio::time::timeout(CLOSE_TIMEOUT, writing.join_next()).await;
}
