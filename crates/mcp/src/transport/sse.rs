//! The deprecated HTTP+SSE transport of 2024-11-05. One GET stream carries all messages of the server, and
//! its first event names the URL for the client's POSTs.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use mooring_words::{Sentence, say};
use reqwest::Response;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use url::Url;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::error::{CloseReason, RequestError};
use crate::limits::Deadlines;
use crate::outgoing::OutgoingMessage;
use crate::transport::event_stream::{EventStreamParser, Oversize, ServerSentEvent};
use crate::transport::http::HttpTransport;
use crate::transport::http::access::sign_in_error;
use crate::transport::http::body::{BodyKind, body_excerpt, read_media_type, read_next_chunk, read_start};
use crate::transport::http::refusal::{SessionUse, redact_url};
use crate::transport::http::session_loss::ErrorResponse;
use crate::transport::sink::FrameSink;
use crate::transport::{Stop, UNAWAITED, wait_for_stop};

/// The most bytes of the response to a refused POST that are read.
const REFUSAL: usize = 4096;

/// The message that must precede all others of a session (LIFE-05).
const INITIALIZED: &str = "notifications/initialized";
/// How long other messages wait for the acknowledgement of [`INITIALIZED`], which may come late or never.
const INITIALIZED_WAIT: Duration = Duration::from_secs(5);

/// Runs one connection until it stops or its stream ends, which ends the session (SSE-05). The server has to
/// send its endpoint within the connect deadline, and accept a message within the idle deadline.
pub(crate) async fn run_connection(
    server: Arc<HttpTransport>,
    sink: Arc<impl FrameSink>,
    outbox: mpsc::Receiver<Box<OutgoingMessage>>,
    mut stop: watch::Receiver<Stop>,
    deadlines: Deadlines,
) {
    server.report_overridden_headers(&*sink);
    let reason = tokio::select! {
        biased;
        _ = wait_for_stop(&mut stop) => CloseReason::Stopped,
        reason = run_stream(&server, &sink, outbox, deadlines) => CloseReason::StreamLost { reason },
    };
    sink.close(&reason);
}

/// Runs until the stream ends. Returns why the stream ended.
async fn run_stream(
    server: &HttpTransport,
    sink: &Arc<impl FrameSink>,
    mut outbox: mpsc::Receiver<Box<OutgoingMessage>>,
    deadlines: Deadlines,
) -> Sentence {
    let mut stream = EventStreamParser::new(sink.limits().message_bytes);
    let mut events = Vec::new();
    let opened =
        tokio::time::timeout(deadlines.connect, open_stream(server, sink.as_ref(), &mut stream, &mut events))
            .await;
    let (mut response, endpoint) = match opened {
        Ok(Ok(opened)) => opened,
        Ok(Err(error)) => {
            let reason = error.sentence();
            // The first request gets the error. The error may be that a sign-in is required.
            if let Some(id) = outbox.recv().await.and_then(|first| request_number(&first)) {
                sink.fail(id, error);
            }
            return reason;
        }
        Err(_) => return say!("it named no endpoint in time"),
    };
    let mut posts = FuturesUnordered::new();
    let (mut unawaited, mut line) = (0, VecDeque::new());
    let mut held_until = None;
    loop {
        for event in events.drain(..) {
            if let Some(Oversize { size, id }) = event.oversize {
                sink.oversize(event.data, size, false, id).await;
            } else if !event.data.is_empty() && matches!(event.name.as_str(), "" | "message") {
                sink.receive(event.data).await;
            }
        }
        sink.charge(stream.take_overhead()).await;
        let next = tokio::select! {
            piece = read_next_chunk(&mut response) => match piece {
                Ok(Some(piece)) => {
                    stream.feed(&piece, &mut events);
                    None
                }
                Ok(None) => return say!("the server ended it"),
                Err(error) => return error.sentence(),
            },
            outgoing = outbox.recv(), if held_until.is_none() => match outgoing {
                Some(outgoing) if unawaited < UNAWAITED || is_urgent(&outgoing) => Some(outgoing),
                // Unaccepted messages must not use more sockets than this, and must not block requests.
                Some(outgoing) if line.len() < UNAWAITED => {
                    line.push_back(outgoing);
                    None
                }
                Some(outgoing) => {
                    tracing::debug!(method = ?outgoing.method, "left out, because the server takes no more");
                    None
                }
                None => return say!("it is no longer needed"),
            },
            Some(posted) = posts.next() => match posted {
                PostOutcome::Request => None,
                PostOutcome::Lost { answer } => {
                    return say!("the server no longer knows the session: {answer}", answer);
                }
                PostOutcome::Unawaited { method } => {
                    held_until = held_until.filter(|_| method.as_deref() != Some(INITIALIZED));
                    unawaited -= 1;
                    line.pop_front()
                }
            },
            () = tokio::time::sleep_until(held_until.unwrap_or_else(Instant::now)), if held_until.is_some() => {
                held_until = None;
                None
            }
        };
        if let Some(outgoing) = next {
            sink.record(outgoing.to_event()).await;
            if outgoing.method.as_deref() == Some(INITIALIZED) {
                held_until = Some(Instant::now() + INITIALIZED_WAIT);
            }
            unawaited += usize::from(request_number(&outgoing).is_none());
            posts.push(post_message(server, sink.as_ref(), &endpoint, *outgoing, deadlines.idle));
        }
    }
}

/// Opens the stream and waits for the endpoint (SSE-01). Events that came with it remain in `events`.
async fn open_stream(
    server: &HttpTransport,
    sink: &impl FrameSink,
    stream: &mut EventStreamParser,
    events: &mut Vec<ServerSentEvent>,
) -> Result<(Response, Url), RequestError> {
    let unusable = |reason| RequestError::Unreachable { reason };
    let mut response = server.open_get_stream(None).await?;
    if let Some(error) = sign_in_error(&response) {
        return Err(error);
    }
    let is_stream =
        BodyKind::from_media_type(read_media_type(response.headers()).as_deref()) == BodyKind::Events;
    if !response.status().is_success() {
        let (status, hints) = (response.status().as_u16(), server.read_hints(response.headers()));
        return Err(RequestError::Status { status, excerpt: String::new(), hints });
    }
    if !is_stream {
        return Err(unusable(say!("GET returned no event stream")));
    }
    loop {
        let piece = read_next_chunk(&mut response).await?;
        let Some(piece) = piece else {
            return Err(unusable(say!("it ended before it named an endpoint")));
        };
        stream.feed(&piece, events);
        sink.charge(stream.take_overhead()).await;
        if let Some(at) = events.iter().position(|event| event.name == "endpoint") {
            let named = String::from_utf8_lossy(&events.swap_remove(at).data).trim().to_owned();
            return Ok((response, resolve_endpoint(server.url(), &named).map_err(unusable)?));
        }
    }
}

/// Resolves an `endpoint` event's URL relative to the stream (SSE-02). Refuses another origin (SSE-03).
fn resolve_endpoint(stream: &Url, named: &str) -> Result<Url, Sentence> {
    let endpoint = stream
        .join(named)
        .map_err(|error| say!("its endpoint isn’t a URL: {reason}", reason = error.to_string()))?;
    if endpoint.origin() != stream.origin() {
        // Credentials would be sent to a place that the person did not choose.
        return Err(say!(
            "its endpoint is on another origin: {endpoint}, while its stream is at {stream}; a server behind a proxy has to know the base URL that its clients use",
            endpoint = redact_url(endpoint),
            stream = redact_url(stream.clone())
        ));
    }
    Ok(endpoint)
}

/// The number of a request. `None` for other messages.
fn request_number(outgoing: &OutgoingMessage) -> Option<u64> {
    outgoing.id.as_ref().filter(|_| outgoing.outcome.is_none()).and_then(|id| id.parse().ok())
}

/// Whether a message is sent immediately, even if many other messages are not yet accepted.
fn is_urgent(outgoing: &OutgoingMessage) -> bool {
    request_number(outgoing).is_some() || outgoing.method.as_deref() == Some(INITIALIZED)
}

/// The outcome of a POST.
enum PostOutcome {
    /// A request.
    Request,
    /// A request in a session that is gone.
    Lost { answer: Sentence },
    /// A message without a response.
    Unawaited { method: Option<Cow<'static, str>> },
}

/// Posts one message and ensures that the server accepts it. Gives up after `patience`, but on a request only
/// once it isn't pending, because servers may acknowledge it together with its response.
async fn post_message(
    server: &HttpTransport,
    sink: &impl FrameSink,
    endpoint: &Url,
    outgoing: OutgoingMessage,
    patience: Duration,
) -> PostOutcome {
    let (request, may_repeat) = (request_number(&outgoing), outgoing.can_repeat());
    let method = outgoing.method;
    let mut taken = std::pin::pin!(post_until_acknowledged(server, endpoint, outgoing.bytes, may_repeat));
    let outcome = loop {
        match tokio::time::timeout(patience, &mut taken).await {
            Err(_) if request.is_some_and(|id| sink.is_awaited(id)) => {}
            outcome => break outcome,
        }
    };
    let problem = match (outcome, request) {
        (Ok(Ok(())), _) | (Err(_), Some(_)) => None,
        (Ok(Err(error)), Some(id)) => {
            let lost = is_lost(&error).then(|| error.sentence());
            sink.fail(id, error);
            if let Some(answer) = lost {
                return PostOutcome::Lost { answer };
            }
            None
        }
        (Ok(Err(error)), None) => Some(error.sentence()),
        (Err(_), None) => Some(say!("wasn’t taken in time")),
    };
    if let Some(problem) = problem {
        sink.diagnose(Diagnostic::new(DiagnosticCode::Http, method.clone().unwrap_or_default(), problem));
    }
    if request.is_some() { PostOutcome::Request } else { PostOutcome::Unawaited { method } }
}

async fn post_until_acknowledged(
    server: &HttpTransport,
    endpoint: &Url,
    message: Bytes,
    may_repeat: bool,
) -> Result<(), RequestError> {
    let response = server.post_to(endpoint, message, may_repeat).await?;
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    if let Some(error) = sign_in_error(&response) {
        return Err(error);
    }
    let hints = server.read_hints(response.headers());
    let body = read_start(response, REFUSAL).await?;
    Err(RequestError::Status { status: status.as_u16(), excerpt: body_excerpt(&body), hints })
}

/// Whether a response means that the session in the POST's URL is gone.
fn is_lost(error: &RequestError) -> bool {
    let RequestError::Status { status, excerpt, .. } = error else { return false };
    let used = SessionUse { names_session: true, in_session: true, acts: true, id: None };
    let refused = ErrorResponse {
        status: *status,
        used,
        names_request: false,
        error: None,
        text: excerpt,
        is_page: false,
    };
    refused.find_loss().is_some_and(|loss| loss.is_certain && !loss.may_have_run)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SSE-02, SSE-03.
    #[test]
    fn endpoint_is_resolved_against_the_stream_and_its_origin() {
        let stream = Url::parse("http://localhost:8080/mcp/sse?key=1").unwrap();
        let named = |named| resolve_endpoint(&stream, named).map(|url| url.to_string());
        assert_eq!(named("/messages?sid=1").unwrap(), "http://localhost:8080/messages?sid=1");
        assert_eq!(named("messages").unwrap(), "http://localhost:8080/mcp/messages");
        assert_eq!(named("http://localhost:8080/m").unwrap(), "http://localhost:8080/m");
        for bad in
            ["http://169.254.169.254/", "https://localhost:8080/m", "//elsewhere/m", "http://localhost:81/m"]
        {
            assert!(named(bad).is_err(), "{bad}");
        }
    }
}
