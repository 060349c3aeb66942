//! The GET stream, on which a server of the session era says things of its own accord (SHS-07).

use std::sync::Arc;
use std::time::Duration;

use mooring_words::say;
use reqwest::Response;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use crate::link::{Link, On};
use crate::model::diagnostic::{Code, Diagnostic};
use crate::transport::backoff::Backoff;
use crate::transport::event_stream::{EventStream, Oversize};
use crate::transport::http::Http;
use crate::transport::http::body::{Kind, may_pass, media_type, next_chunk};
use crate::transport::{Stop, stopped};

/// A stream that lived this long counts as a success: the waits before reconnecting start anew.
const GOOD_LIFE: Duration = Duration::from_mins(1);

impl Http {
    /// Keeps the GET stream open until the connection stops. A server need not offer one. Says on `asked` when the
    /// first answer has begun.
    pub(crate) async fn listen(
        self: Arc<Self>,
        link: Arc<Link>,
        mut stop: watch::Receiver<Stop>,
        asked: oneshot::Sender<()>,
    ) {
        let mut closed = link.closed();
        tokio::select! {
            biased;
            _ = stopped(&mut stop) => {}
            _ = closed.wait_for(Option::is_some) => {}
            () = self.keep_listening(&link, asked) => {}
        }
    }

    async fn keep_listening(&self, link: &Arc<Link>, asked: oneshot::Sender<()>) {
        let mut backoff = Backoff::default();
        let mut asked = Some(asked);
        let mut worked = false;
        let mut stream = EventStream::new(link.limits.message_bytes);
        let mut known = self.generation();
        loop {
            let generation = self.generation();
            if generation != known {
                // The events of one session are unknown in the next.
                known = generation;
                stream = EventStream::new(link.limits.message_bytes);
            }
            let opened = Instant::now();
            let answer = self.get(stream.last_id()).await;
            if let Some(asked) = asked.take() {
                // Nobody may be waiting any more.
                let _late = asked.send(());
            }
            match answer {
                // Where there are sessions, this one is lost, or was when the request left: another request may have
                // found that out meanwhile. Some servers say 400 where the specification wants 404.
                Ok(response) if matches!(response.status().as_u16(), 400 | 404) && self.generation() > 0 => {
                    // The next request finds out as well and opens a new session.
                    self.sessions.renewed(generation).await;
                    backoff.reset();
                    continue;
                }
                Ok(response) if is_stream(&response) => {
                    worked = true;
                    if read(link, response, &mut stream).await {
                        backoff.reset();
                    }
                }
                // A gateway may say so while its server starts anew.
                Ok(response) if worked && may_pass(response.status()) => {}
                // 405 is the normal way to say that there is none; whatever else comes, it is not offered.
                Ok(response) => {
                    if worked {
                        let status = response.status().as_u16();
                        let message = say!(
                            "the stream of unasked messages is no longer offered (HTTP status {status}); it stays closed",
                            status
                        );
                        link.diagnose(Diagnostic::new(Code::Http, "GET", message));
                    }
                    return;
                }
                Err(_) => {}
            }
            if opened.elapsed() >= GOOD_LIFE {
                backoff.reset();
            }
            stream.restart();
            let Some(wait) = backoff.next(stream.retry()) else {
                let message = say!("the stream of unasked messages broke too often; it stays closed");
                link.diagnose(Diagnostic::new(Code::Http, "GET", message));
                return;
            };
            tokio::time::sleep(wait).await;
        }
    }
}

fn is_stream(response: &Response) -> bool {
    response.status().is_success()
        && Kind::declared(media_type(response.headers()).as_deref()) == Kind::Events
}

/// Reads a stream to its end; whether anything came on it.
async fn read(link: &Arc<Link>, mut response: Response, stream: &mut EventStream) -> bool {
    let mut events = Vec::new();
    let mut brought = false;
    // However it ends, it is opened again.
    while let Ok(Some(piece)) = next_chunk(&mut response).await {
        stream.feed(&piece, &mut events);
        for event in events.drain(..) {
            brought = true;
            if let Some(Oversize { size, id }) = event.oversize {
                link.oversize(event.data, size, id).await;
            } else if !event.data.is_empty() {
                link.receive_on(On::Unasked, event.data).await;
            }
        }
    }
    brought
}
