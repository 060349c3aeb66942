//! Bodies of HTTP responses: the kind of a body, how much of a body is read, and errors while reading.

use bytes::{Bytes, BytesMut};
use mooring_network::certificate_problem;
use mooring_words::{Sentence, io_error_sentence, say};
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Response, StatusCode};

use crate::error::RequestError;
use crate::text::cut_text;
use crate::transport::OVERSIZE_HEAD;

/// The most bytes of a body that an error quotes.
const EXCERPT: usize = 400;

/// The kind of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyKind {
    Json,
    Events,
    Unknown,
}

impl BodyKind {
    /// The kind according to the content type.
    pub(crate) fn from_media_type(media_type: Option<&str>) -> Self {
        match media_type {
            Some("application/json") => Self::Json,
            Some("text/event-stream") => Self::Events,
            _ => Self::Unknown,
        }
    }

    /// The kind according to the body's start.
    pub(crate) fn from_content(body: &[u8]) -> Self {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
        let fields = [&b"data:"[..], b"event:", b"id:", b"retry:", b":"];
        match body.first() {
            Some(b'{' | b'[') => Self::Json,
            _ if fields.iter().any(|field| body.starts_with(field)) => Self::Events,
            _ => Self::Unknown,
        }
    }
}

/// Whether a status is a temporary failure of a gateway or because of overload.
pub(crate) fn is_transient(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS
        || (status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED)
}

/// Reads the content type without its parameters, in lower case.
pub(crate) fn read_media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// The error for a request that did not reach its server, through `proxy` if any, with the innermost cause.
pub(crate) fn unreachable_error(error: &reqwest::Error, proxy: Option<String>) -> RequestError {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string();
    if let Some(reason) = certificate_problem(&text) {
        return RequestError::Certificate { reason };
    }
    let reason = if error.is_timeout() && error.is_connect() {
        say!("no connection within {seconds} s", seconds = 10_u32)
    } else {
        cause.downcast_ref().map_or_else(|| Sentence::quoted(text), io_error_sentence)
    };
    let reason = match proxy {
        Some(proxy) => say!("through the proxy {proxy}: {reason}", proxy, reason),
        None => reason,
    };
    RequestError::Unreachable { reason }
}

pub(crate) async fn read_next_chunk(response: &mut Response) -> Result<Option<Bytes>, RequestError> {
    // Chunks that are available immediately, including empty ones, must not block other tasks.
    tokio::task::consume_budget().await;
    response.chunk().await.map_err(|error| unreachable_error(&error, None))
}

/// Reads a whole body that begins with `first`. Fails if it is over `limit`.
pub(crate) async fn read_body(
    mut response: Response,
    first: Bytes,
    limit: usize,
) -> Result<Bytes, RequestError> {
    let expected = response.content_length().and_then(|length| usize::try_from(length).ok());
    if let Some(size) = expected.filter(|length| *length > limit) {
        let head = match read_start(response, OVERSIZE_HEAD.saturating_sub(first.len())).await {
            Ok(rest) => [first, rest].concat(),
            Err(_) => first.to_vec(),
        };
        return Err(RequestError::too_large(limit, size, true, &head));
    }
    let mut only = first;
    // Most bodies are one chunk. Others are joined as they arrive, so that each chunk's memory is reused.
    let mut joined = BytesMut::new();
    while let Some(piece) = read_next_chunk(&mut response).await? {
        let size = only.len() + joined.len() + piece.len();
        if size > limit {
            let buffered = if joined.is_empty() { only.as_ref() } else { joined.as_ref() };
            let head =
                buffered.get(..OVERSIZE_HEAD).unwrap_or(if buffered.is_empty() { &piece } else { buffered });
            return Err(RequestError::too_large(limit, size, false, head));
        }
        if only.is_empty() && joined.is_empty() {
            only = piece;
            continue;
        }
        if joined.is_empty() {
            joined.reserve(expected.unwrap_or_default().max(size));
            joined.extend_from_slice(&std::mem::take(&mut only));
        }
        joined.extend_from_slice(&piece);
    }
    Ok(if joined.is_empty() { only } else { joined.freeze() })
}

/// Reads the first `limit` bytes of a body.
pub(crate) async fn read_start(mut response: Response, limit: usize) -> Result<Bytes, RequestError> {
    let mut body = BytesMut::new();
    while body.len() < limit
        && let Some(chunk) = read_next_chunk(&mut response).await?
    {
        body.extend_from_slice(&chunk);
    }
    body.truncate(limit);
    Ok(body.freeze())
}

/// The start of a body, for an error message.
pub(crate) fn body_excerpt(body: &[u8]) -> String {
    cut_text(&String::from_utf8_lossy(body.get(..EXCERPT.min(body.len())).unwrap_or_default()), EXCERPT)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SHS-07.
    #[test]
    fn a_fault_of_the_moment_is_told_from_a_refusal() {
        let passes = |status: &u16| is_transient(StatusCode::from_u16(*status).unwrap());
        assert!([429, 500, 502, 503, 504].iter().all(passes));
        assert!(![200, 307, 401, 404, 405, 501].iter().any(passes));
    }

    #[test]
    fn a_body_without_a_useful_type_is_told_by_its_beginning() {
        assert_eq!(BodyKind::from_content(b" \n{\"a\":1}"), BodyKind::Json);
        assert_eq!(BodyKind::from_content(b"event: message\n"), BodyKind::Events);
        assert_eq!(BodyKind::from_content(b": ping\n"), BodyKind::Events);
        assert_eq!(BodyKind::from_content(b"<!doctype html>"), BodyKind::Unknown);
        assert_eq!(BodyKind::from_content(b""), BodyKind::Unknown);
    }
}
