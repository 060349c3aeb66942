//! Event streams that respond to a request. Broken streams are resumed (SHS-10 to SHS-13).

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mooring_words::say;
use reqwest::header::{ACCEPT, HeaderValue};
use reqwest::{Method, Response, StatusCode};

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::error::{RequestError, RpcError};
use crate::text::cut_text;
use crate::transport::backoff::Backoff;
use crate::transport::event_stream::{EventStreamParser, Oversize, ServerSentEvent};
use crate::transport::http::body::{BodyKind, read_media_type, read_next_chunk};
use crate::transport::http::{HttpTransport, LAST_EVENT_ID};
use crate::transport::sink::{FrameSink, FrameSource};

/// How long a stream is read after the response, so that its connection can be reused.
const TAIL_TIMEOUT: Duration = Duration::from_secs(1);

/// The deadline for the start of a response to GET. POST requests have their own deadlines.
const RESPONSE_START_TIMEOUT: Duration = Duration::from_secs(30);

/// How a stream ended.
enum StreamEnd {
    /// The response arrived.
    Answered,
    /// The stream ended before the response. `brought` is whether a message arrived.
    Over { brought: bool },
}

impl HttpTransport {
    /// Reads the stream for the response to request `id`, and its continuations if it is `resumable`.
    pub(crate) async fn read_events(
        &self,
        sink: &Arc<impl FrameSink>,
        mut response: Response,
        first: &Bytes,
        id: u64,
        resumable: bool,
    ) -> Result<(), RequestError> {
        let mut stream = EventStreamParser::new(sink.limits().message_bytes);
        let mut backoff = Backoff::default();
        let mut first = first.clone();
        loop {
            match read_until(sink, &mut response, &mut stream, std::mem::take(&mut first), id).await? {
                StreamEnd::Answered => {
                    self.read_rest(sink, response, stream, id);
                    return Ok(());
                }
                StreamEnd::Over { brought } => {
                    if brought {
                        backoff.reset();
                    }
                }
            }
            // Resuming requires an event id, and the stateless era has no resumption (SHL-09).
            let Some(last_id) = stream.last_id().filter(|_| resumable).cloned() else {
                return Err(RequestError::StreamEnded);
            };
            response = self.resume_stream(&mut backoff, stream.retry(), &last_id).await?;
            stream.restart();
        }
    }

    /// Requests the rest of a stream, as often as the backoff allows.
    async fn resume_stream(
        &self,
        backoff: &mut Backoff,
        retry: Option<Duration>,
        last_id: &Bytes,
    ) -> Result<Response, RequestError> {
        while let Some(wait) = backoff.next_delay(retry) {
            tokio::time::sleep(wait).await;
            match self.open_get_stream_in_time(Some(last_id)).await {
                Ok(response)
                    if BodyKind::from_media_type(read_media_type(response.headers()).as_deref())
                        == BodyKind::Events =>
                {
                    return Ok(response);
                }
                // A retry may succeed: the server may still count the broken stream.
                Ok(response) if !is_final(response.status()) => {}
                // A server without this stream won't have it later.
                Ok(_) => return Err(RequestError::StreamEnded),
                Err(_) => {}
            }
        }
        Err(RequestError::StreamEnded)
    }

    /// Opens a stream with GET, after `last_id` if there is one.
    pub(crate) async fn open_get_stream(&self, last_id: Option<&Bytes>) -> Result<Response, RequestError> {
        let mut request = self.build_request(Method::GET)?.header(ACCEPT, "text/event-stream");
        if let Some(last_id) = last_id.and_then(|id| HeaderValue::from_maybe_shared(id.clone()).ok()) {
            request = request.header(LAST_EVENT_ID, last_id);
        }
        self.send(request, true).await
    }

    /// Like [`Self::open_get_stream`], with a deadline for the start of the response. Anything before the
    /// response's headers, such as early hints (RFC 8297), has no other limit.
    pub(crate) async fn open_get_stream_in_time(
        &self,
        last_id: Option<&Bytes>,
    ) -> Result<Response, RequestError> {
        start_within(RESPONSE_START_TIMEOUT, self.open_get_stream(last_id)).await
    }

    /// Briefly reads what follows the response, so that nothing is lost and the connection can be reused.
    fn read_rest(
        &self,
        sink: &Arc<impl FrameSink>,
        mut response: Response,
        mut stream: EventStreamParser,
        id: u64,
    ) {
        let sink = Arc::clone(sink);
        let mut rests = self.stream_tails();
        while rests.try_join_next().is_some() {}
        rests.spawn(async move {
            let rest = async {
                let mut events = Vec::new();
                while let Ok(Some(piece)) = response.chunk().await {
                    stream.feed(&piece, &mut events);
                    for event in events.drain(..) {
                        if let Some(Oversize { size, id }) = event.oversize {
                            sink.oversize(event.data, size, false, id).await;
                        } else if !event.data.is_empty() {
                            sink.receive_on(FrameSource::Exchange(id), event.data).await;
                        }
                    }
                    sink.charge(stream.take_overhead()).await;
                }
            };
            drop(tokio::time::timeout(TAIL_TIMEOUT, rest).await);
        });
    }
}

/// Awaits a response that must start in time.
async fn start_within(
    longest: Duration,
    answer: impl Future<Output = Result<Response, RequestError>>,
) -> Result<Response, RequestError> {
    tokio::time::timeout(longest, answer).await.unwrap_or_else(|_| {
        let reason = say!("the answer didn’t begin within {seconds} s", seconds = longest.as_secs());
        Err(RequestError::Unreachable { reason })
    })
}

/// Whether a status means that the stream won't exist later either.
fn is_final(status: StatusCode) -> bool {
    status.is_success()
        || status.is_redirection()
        || matches!(status.as_u16(), 400 | 401 | 403..=406 | 410 | 501)
}

async fn read_until(
    sink: &Arc<impl FrameSink>,
    response: &mut Response,
    stream: &mut EventStreamParser,
    first: Bytes,
    id: u64,
) -> Result<StreamEnd, RequestError> {
    let mut events = Vec::new();
    let mut piece = first;
    let (mut answered, mut brought) = (false, false);
    loop {
        stream.feed(&piece, &mut events);
        for event in events.drain(..) {
            let (answers, is_message) = handle_event(sink, event, id).await?;
            answered |= answers;
            brought |= is_message;
        }
        if stream.is_over() {
            // The stream belongs to this request, and so does the oversized event.
            let (head, size) = stream.oversize_head();
            return Err(RequestError::too_large(sink.limits().message_bytes, size, false, head));
        }
        if answered {
            return Ok(StreamEnd::Answered);
        }
        sink.charge(stream.take_overhead()).await;
        sink.note_stream(id, !brought);
        match read_next_chunk(response).await {
            Ok(Some(next)) => piece = next,
            Ok(None) => return Ok(StreamEnd::Over { brought }),
            Err(error) if stream.last_id().is_none() => return Err(error),
            Err(_) => return Ok(StreamEnd::Over { brought }),
        }
    }
}

/// Whether an event is the first one of an HTTP+SSE stream (SSE-01).
pub(super) fn is_endpoint(event: &ServerSentEvent) -> bool {
    event.name == "endpoint" && event.oversize.is_none() && !event.data.trim_ascii_start().starts_with(b"{")
}

/// Handles one event. Returns whether it responded to request `id`, and whether it was a message at all.
async fn handle_event(
    sink: &Arc<impl FrameSink>,
    event: ServerSentEvent,
    id: u64,
) -> Result<(bool, bool), RequestError> {
    if let Some(Oversize { size, .. }) = event.oversize {
        return Err(RequestError::too_large(sink.limits().message_bytes, size, false, &event.data));
    }
    if event.data.is_empty() {
        return Ok((false, false));
    }
    if is_endpoint(&event) {
        return Err(RequestError::OldTransport);
    }
    if !matches!(event.name.as_str(), "" | "message") {
        let message = say!("an event named {name}", name = format!("{:?}", cut_text(&event.name, 80)));
        sink.diagnose(Diagnostic::new(DiagnosticCode::Http, "event", message));
    }
    let received = sink.receive_on(FrameSource::Exchange(id), event.data).await;
    match received.orphan {
        Some(error) => Err(RequestError::Rpc(RpcError::read(&String::from_utf8_lossy(&error)))),
        None => Ok((received.answered == Some(id), received.is_message)),
    }
}

#[cfg(test)]
mod tests {
    use mooring_network::Network;
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpListener;

    use super::*;
    use crate::transport::http::http_client;

    #[tokio::test]
    async fn early_hints_without_end_are_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap()).parse().unwrap();
        let flood = async {
            let (mut socket, _) = listener.accept().await.unwrap();
            let hints = b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100);
            // Until the peer closes the connection.
            while socket.write_all(&hints).await.is_ok() {}
        };
        let http =
            HttpTransport::new(http_client("mooring-tests/0", &Network::direct()), url, &[], None).unwrap();
        let (answer, ()) =
            tokio::join!(start_within(Duration::from_millis(200), http.open_get_stream(None)), flood);
        assert!(matches!(answer, Err(RequestError::Unreachable { .. })), "{answer:?}");
    }
}
