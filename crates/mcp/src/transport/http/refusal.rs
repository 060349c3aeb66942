//! Interprets responses outside 2xx: a server's error, a lost session, a delay, or another URL.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::Response;
use reqwest::header::{HeaderMap, LOCATION, RETRY_AFTER};
use url::Url;

use crate::error::{RequestError, RpcError, StatusHints};
use crate::message::{self, Message, ResponseBody, ResponseId};
use crate::tap::{Direction, TapEvent, TapKind};
use crate::transport::http::HttpTransport;
use crate::transport::http::access::sign_in_error;
use crate::transport::http::body::{body_excerpt, read_media_type, read_start};
use crate::transport::http::session_loss::{ErrorResponse, SessionLoss, is_unclear};
use crate::transport::sink::FrameSink;

/// The most bytes of an error's body that are read.
const ERROR_BODY: usize = 64 * 1024;

/// What a refused request has to do with the session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionUse {
    /// Whether the request named a session.
    pub(crate) names_session: bool,
    /// Whether the request belongs to an open session, named or not.
    pub(crate) in_session: bool,
    /// Whether the request may act. Repeating such a request is unsafe.
    pub(crate) acts: bool,
    /// The request's number. `None` for other messages.
    pub(crate) id: Option<u64>,
}

impl HttpTransport {
    /// Reads a response outside 2xx and returns its error. `id` is the number of the request, if any.
    pub(super) async fn to_refusal_error(
        &self,
        sink: &Arc<impl FrameSink>,
        response: Response,
        id: Option<u64>,
        used: SessionUse,
    ) -> RequestError {
        let status = response.status().as_u16();
        let login = sign_in_error(&response);
        if let Some(error @ RequestError::SignIn { challenge: Some(_), .. }) = login {
            return error;
        }
        let hints = self.read_hints(response.headers());
        let is_page = read_media_type(response.headers()).as_deref() == Some("text/html");
        let body = match read_start(response, ERROR_BODY).await {
            Ok(body) => body,
            Err(error) => return login.unwrap_or(error),
        };
        let read = read_rpc_error(&body, status, sink.as_ref(), used.id);
        let kind = if read.is_some() { TapKind::Frame } else { TapKind::Noise };
        let (text, quoted) = (String::from_utf8_lossy(&body).into_owned(), body_excerpt(&body));
        let mut event = TapEvent::new(Direction::In, kind, body);
        if read.is_some()
            && let Some(id) = id
        {
            sink.describe_error(&mut event, id);
        }
        sink.record(event).await;
        let names_request = read.as_ref().is_some_and(|(_, names_request)| *names_request);
        let error = read.as_ref().map(|(error, _)| error);
        let mut loss = ErrorResponse { status, used, names_request, error, text: &text, is_page }.find_loss();
        let error = match (login, read) {
            (Some(login), _) => login,
            // Only the delay matters. The server's message is kept as the excerpt.
            (None, Some((error, _))) if status == 429 => {
                RequestError::Status { status, excerpt: error.message, hints }
            }
            (None, Some((error, _))) => RequestError::Rpc(error),
            (None, None) => RequestError::Status { status, excerpt: quoted, hints },
        };
        if loss.is_none() && used.acts && used.names_session && is_unclear(&error) {
            let may_have_run = names_request || status >= 500;
            loss = Some(SessionLoss { is_certain: false, may_have_run });
        }
        match loss {
            Some(loss) => loss.error(error),
            None => error,
        }
    }

    /// Reads the relevant headers of an error response.
    #[expect(clippy::unnecessary_box_returns, reason = "every error that takes them keeps them in a box")]
    pub(crate) fn read_hints(&self, headers: &HeaderMap) -> Box<StatusHints> {
        let location = headers.get(LOCATION).and_then(|to| to.to_str().ok());
        Box::new(StatusHints {
            retry_after: headers.get(RETRY_AFTER).and_then(|wait| parse_retry_after(wait.to_str().ok()?)),
            location: location.and_then(|to| self.url.join(to).ok()).map(redact_url),
            proxy: self.client.proxy_url(&self.url),
        })
    }
}

/// Parses a delay in seconds or until a date (RFC 9110 §10.2.3).
fn parse_retry_after(text: &str) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    Some(until.duration_since(SystemTime::now()).unwrap_or_default())
}

/// A URL without the parts that may be secret.
pub(crate) fn redact_url(mut url: Url) -> String {
    url.set_query(None);
    url.set_fragment(None);
    let _always = (url.set_username(""), url.set_password(None));
    url.into()
}

/// Reads the JSON-RPC error in a body. The error belongs to the exchange, whatever its id (BASE-07). Also
/// returns whether the error names the request `ours`, because some SDKs invent an id if they have not parsed
/// the request. JSON without an error code is not a JSON-RPC error.
fn read_rpc_error(
    body: &Bytes,
    status: u16,
    sink: &impl FrameSink,
    ours: Option<u64>,
) -> Option<(RpcError, bool)> {
    let mut parsed = message::parse_frame(body, sink.limits()).ok()?;
    match parsed.messages.pop()?.message {
        Message::Response { id, body: ResponseBody::Error(error) } => {
            let read = RpcError::read(&String::from_utf8_lossy(&error));
            let is_rpc = read.code != 0 || id.is_some();
            let names_request = match id {
                Some(ResponseId::Ours { number, .. }) => ours.is_none_or(|ours| ours == number),
                Some(ResponseId::Foreign(_)) | None => false,
            };
            is_rpc.then_some((RpcError { status: Some(status), ..read }, names_request))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_read_in_seconds_or_from_a_date() {
        assert_eq!(parse_retry_after(" 7 "), Some(Duration::from_secs(7)));
        let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(90));
        let wait = parse_retry_after(&date).unwrap();
        assert!(wait > Duration::from_secs(80) && wait <= Duration::from_secs(90), "{wait:?}");
        assert_eq!(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        assert_eq!(parse_retry_after("soon"), None);
    }
}
