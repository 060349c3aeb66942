//! The HTTP+SSE transport of 2024-11-05, which is deprecated: one GET stream brings everything, and its first event
//! names the address that takes our POSTs.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use mooring_words::{Sentence, say};
use reqwest::Response;
use tokio::sync::{mpsc, watch};
use url::Url;

use crate::error::{CloseReason, RequestError};
use crate::link::Link;
use crate::transport::event_stream::{Event, EventStream};
use crate::transport::http::Http;
use crate::transport::http::body::{Kind, excerpt, media_type, next_chunk, read_start};
use crate::transport::{Outgoing, Stop, stopped};

/// How much of the answer to a refused POST is read, in bytes.
const REFUSAL: usize = 4096;

/// Carries one connection until it stops or its stream ends, which ends the session (SSE-05). `wait` is how long the
/// server may take to name its address.
pub(crate) async fn run(
    server: Arc<Http>,
    link: Arc<Link>,
    outbox: mpsc::Receiver<Box<Outgoing>>,
    mut stop: watch::Receiver<Stop>,
    wait: Duration,
) {
    let reason = tokio::select! {
        biased;
        _ = stopped(&mut stop) => CloseReason::Stopped,
        reason = live(&server, &link, outbox, wait) => CloseReason::StreamLost { reason },
    };
    link.close(&reason);
}

/// Lives until the stream ends; returns why it did.
async fn live(
    server: &Http,
    link: &Arc<Link>,
    mut outbox: mpsc::Receiver<Box<Outgoing>>,
    wait: Duration,
) -> Sentence {
    let mut stream = EventStream::new(link.limits.message_bytes);
    let mut events = Vec::new();
    let opened = tokio::time::timeout(wait, open(server, &mut stream, &mut events)).await;
    let (mut response, endpoint) = match opened {
        Ok(Ok(opened)) => opened,
        Ok(Err(reason)) => return reason,
        Err(_) => return say!("it named no endpoint in time"),
    };
    let mut posts = FuturesUnordered::new();
    loop {
        for event in events.drain(..) {
            if !event.data.is_empty() && matches!(event.name.as_str(), "" | "message") {
                link.receive(event.data).await;
            }
        }
        tokio::select! {
            piece = next_chunk(&mut response) => match piece {
                Ok(Some(piece)) => if stream.feed(&piece, &mut events).is_err() {
                    return say!("an event is larger than the limit of {limit} bytes", limit = link.limits.message_bytes);
                },
                Ok(None) => return say!("the server ended it"),
                Err(error) => return error.sentence(),
            },
            outgoing = outbox.recv() => match outgoing {
                Some(outgoing) => {
                    link.record(outgoing.event()).await;
                    posts.push(post(server, &endpoint, *outgoing));
                }
                None => return say!("nobody needs it any more"),
            },
            Some((request, outcome)) = posts.next() => if let (Some(id), Err(error)) = (request, outcome) {
                link.table.fail(id, error);
            },
        }
    }
}

/// Opens the stream and waits for the address (SSE-01). Events that came with it stay in `events`.
async fn open(
    server: &Http,
    stream: &mut EventStream,
    events: &mut Vec<Event>,
) -> Result<(Response, Url), Sentence> {
    let mut response = server.get(None).await.map_err(|error| error.sentence())?;
    let is_stream = Kind::declared(media_type(response.headers()).as_deref()) == Kind::Events;
    if !response.status().is_success() || !is_stream {
        return Err(say!(
            "GET brought HTTP status {status} and no event stream",
            status = response.status().as_u16()
        ));
    }
    loop {
        let piece = next_chunk(&mut response).await.map_err(|error| error.sentence())?;
        let Some(piece) = piece else { return Err(say!("it ended before it named an endpoint")) };
        stream.feed(&piece, events).map_err(|_| say!("an event is over the limit"))?;
        if let Some(at) = events.iter().position(|event| event.name == "endpoint") {
            let named = String::from_utf8_lossy(&events.swap_remove(at).data).trim().to_owned();
            return Ok((response, endpoint(server.url(), &named)?));
        }
    }
}

/// The address that an `endpoint` event names, relative to the stream's (SSE-02). Another origin is refused (SSE-03).
fn endpoint(stream: &Url, named: &str) -> Result<Url, Sentence> {
    let endpoint = stream
        .join(named)
        .map_err(|error| say!("its endpoint is not a URL: {reason}", reason = error.to_string()))?;
    if endpoint.origin() != stream.origin() {
        return Err(say!(
            "its endpoint is on another origin: {origin}",
            origin = endpoint.origin().ascii_serialization()
        ));
    }
    Ok(endpoint)
}

/// Posts one message; the number of the request that it is, where it is one.
async fn post(server: &Http, endpoint: &Url, outgoing: Outgoing) -> (Option<u64>, Result<(), RequestError>) {
    let request = outgoing.outcome.is_none().then_some(outgoing.id).flatten().and_then(|id| id.parse().ok());
    let outcome = async {
        let response = server.post_to(endpoint, outgoing.bytes).await?;
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let body = read_start(response, REFUSAL).await?;
        Err(RequestError::Status { status: status.as_u16(), excerpt: excerpt(&body) })
    };
    (request, outcome.await)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SSE-02, SSE-03.
    #[test]
    fn an_endpoint_is_relative_to_the_stream_and_stays_on_its_origin_sse_02_sse_03() {
        let stream = Url::parse("http://localhost:8080/mcp/sse?key=1").unwrap();
        let named = |named| endpoint(&stream, named).map(|url| url.to_string());
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
