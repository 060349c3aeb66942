//! The GET stream, on which a server of the session era sends unprompted messages (SHS-07).

use std::sync::Arc;
use std::time::Duration;

use mooring_words::say;
use reqwest::{Response, StatusCode};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::transport::backoff::Backoff;
use crate::transport::event_stream::{EventStreamParser, Oversize};
use crate::transport::http::HttpTransport;
use crate::transport::http::body::{BodyKind, is_transient, read_media_type, read_next_chunk};
use crate::transport::http::stream::is_endpoint;
use crate::transport::sink::{FrameSink, FrameSource};
use crate::transport::{Stop, wait_for_stop};

/// A stream that lived this long counts as a success and resets the delays before reconnecting.
const STABLE_AFTER: Duration = Duration::from_mins(1);

impl HttpTransport {
    /// Keeps the optional GET stream open until the connection stops. Notifies `asked` of the first response.
    pub(crate) async fn listen(
        self: Arc<Self>,
        sink: Arc<impl FrameSink>,
        mut stop: watch::Receiver<Stop>,
        asked: oneshot::Sender<()>,
    ) {
        let mut closed = sink.closed();
        tokio::select! {
            biased;
            _ = wait_for_stop(&mut stop) => {}
            _ = closed.wait_for(Option::is_some) => {}
            () = self.keep_listening(&sink, asked) => {}
        }
    }

    async fn keep_listening(&self, sink: &Arc<impl FrameSink>, asked: oneshot::Sender<()>) {
        let mut backoff = Backoff::slow();
        let mut asked = Some(asked);
        let mut worked = false;
        let mut stream = EventStreamParser::new(sink.limits().message_bytes);
        let mut known = self.generation();
        loop {
            let generation = self.generation();
            if generation != known {
                // Event ids of one session are unknown in the next.
                known = generation;
                stream = EventStreamParser::new(sink.limits().message_bytes);
            }
            let (opened, mut flooded) = (Instant::now(), false);
            let answer = self.open_get_stream_in_time(stream.last_id()).await;
            if let Some(asked) = asked.take() {
                // The receiver may be gone.
                let _late = asked.send(());
            }
            match answer {
                // If there is a session, it is lost. Another request may already have noticed the loss. Some
                // servers respond with 400 where the specification requires 404.
                Ok(response)
                    if matches!(response.status().as_u16(), 400 | 404 | 410) && self.generation() > 0 =>
                {
                    // The next request also notices the loss, and opens a new session.
                    self.sessions.wait_until_renewed(generation).await;
                    backoff.reset();
                    continue;
                }
                Ok(response) if is_stream(&response) => {
                    worked = true;
                    match read_stream(sink, response, &mut stream).await {
                        GetStreamOutcome::Message => backoff.reset(),
                        GetStreamOutcome::Nothing => {}
                        GetStreamOutcome::Flood => {
                            let message =
                                say!("the notification stream sent too much invalid data; it was closed");
                            sink.diagnose(Diagnostic::new(DiagnosticCode::Http, "GET", message));
                            flooded = true;
                        }
                    }
                }
                // A gateway may respond like this while its server restarts. So may a server that still
                // counts the previous stream.
                Ok(response)
                    if worked
                        && (is_transient(response.status()) || response.status() == StatusCode::CONFLICT) => {
                }
                // 405 means that there is no such stream. Other statuses are treated the same.
                Ok(response) => {
                    if worked {
                        let status = response.status().as_u16();
                        let message = say!(
                            "the notification stream is no longer offered (HTTP status {status}); it stays closed",
                            status
                        );
                        sink.diagnose(Diagnostic::new(DiagnosticCode::Http, "GET", message));
                    }
                    return;
                }
                Err(_) => {}
            }
            if opened.elapsed() >= STABLE_AFTER && !flooded {
                backoff.reset();
            }
            stream.restart();
            let Some(wait) = backoff.next_delay(stream.retry()) else {
                let message = say!("the notification stream broke too often; it stays closed");
                sink.diagnose(Diagnostic::new(DiagnosticCode::Http, "GET", message));
                return;
            };
            tokio::time::sleep(wait).await;
        }
    }
}

fn is_stream(response: &Response) -> bool {
    response.status().is_success()
        && BodyKind::from_media_type(read_media_type(response.headers()).as_deref()) == BodyKind::Events
}

/// What arrived on a stream until it ended.
enum GetStreamOutcome {
    /// At least one message.
    Message,
    /// No message.
    Nothing,
    /// No event with data for a long time, and more overhead than the limit for unsolicited messages allows.
    Flood,
}

/// How long a stream over the limit may be without data.
const FLOOD: Duration = Duration::from_mins(1);

/// Reads a stream to its end.
async fn read_stream(
    sink: &Arc<impl FrameSink>,
    mut response: Response,
    stream: &mut EventStreamParser,
) -> GetStreamOutcome {
    let mut events = Vec::new();
    let mut brought = GetStreamOutcome::Nothing;
    // The time since which there was only overhead over the limit.
    let mut flood: Option<Instant> = None;
    // The stream is reopened after any end.
    while let Ok(Some(piece)) = read_next_chunk(&mut response).await {
        stream.feed(&piece, &mut events);
        for event in events.drain(..) {
            if is_endpoint(&event) {
                let message = say!(
                    "the stream at this URL is HTTP+SSE, the older transport; if requests fail, choose HTTP+SSE for this server (--era sse)"
                );
                sink.diagnose(Diagnostic::new(DiagnosticCode::Http, "GET", message));
            } else if let Some(Oversize { size, id }) = event.oversize {
                flood = None;
                sink.oversize(event.data, size, false, id).await;
            } else if !event.data.is_empty() {
                flood = None;
                // Only messages count as a success. Otherwise, the client would endlessly reconnect to a
                // server that closes the stream immediately.
                if sink.receive_on(FrameSource::ServerStream, event.data).await.is_message {
                    brought = GetStreamOutcome::Message;
                }
            }
        }
        if sink.charge(stream.take_overhead()).await {
            let since = *flood.get_or_insert_with(Instant::now);
            if since.elapsed() >= FLOOD {
                return GetStreamOutcome::Flood;
            }
        }
    }
    brought
}
