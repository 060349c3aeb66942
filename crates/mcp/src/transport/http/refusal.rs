//! What an answer outside 2xx means: an error of the server's, a session that is gone, a wait, another address.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::Response;
use reqwest::header::{HeaderMap, LOCATION, RETRY_AFTER};
use url::Url;

use crate::error::{RequestError, RpcError, StatusHints};
use crate::link::Link;
use crate::message::{self, Body, Message};
use crate::transport::http::Http;
use crate::transport::http::access::sign_in;
use crate::transport::http::body::{excerpt, media_type, read_start};
use crate::transport::tap::{Direction, TapEvent, TapKind};

/// How much of the body of an error status is read, in bytes.
const ERROR_BODY: usize = 64 * 1024;
/// Longest text in which words about a session are looked for, in bytes: a page that merely mentions one is longer.
const SHORT: usize = 4 * 1024;
/// The code with which SDKs say that a session is not found.
const NO_SESSION: i64 = -32001;

/// What is known of the request that was refused.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionUse {
    /// It named a session.
    pub(crate) names_session: bool,
    /// It belongs to a session, named or not, that was opened before.
    pub(crate) in_session: bool,
}

impl Http {
    /// What an answer outside 2xx means, to request `id` if it is to one.
    pub(super) async fn refusal(
        &self,
        link: &Arc<Link>,
        response: Response,
        id: Option<u64>,
        used: SessionUse,
    ) -> RequestError {
        let status = response.status().as_u16();
        let login = sign_in(&response);
        if let Some(error @ RequestError::SignIn { challenge: Some(_), .. }) = login {
            return error;
        }
        let hints = self.hints(response.headers());
        let is_page = media_type(response.headers()).as_deref() == Some("text/html");
        let body = match read_start(response, ERROR_BODY).await {
            Ok(body) => body,
            Err(error) => return login.unwrap_or(error),
        };
        let read = rpc_error(&body, status, link);
        let kind = if read.is_some() { TapKind::Frame } else { TapKind::Noise };
        let (text, quoted) = (String::from_utf8_lossy(&body).into_owned(), excerpt(&body));
        let mut event = TapEvent::new(Direction::In, kind, body);
        if read.is_some()
            && let Some(id) = id
        {
            link.describe_error(&mut event, id);
        }
        link.record(event).await;
        let names_request = read.as_ref().is_some_and(|(_, names_request)| *names_request);
        let is_gone = match status {
            // What is said of time or load says nothing of a session, and the call may be running.
            408 | 429 | 504 => false,
            404 if used.names_session => true,
            _ => {
                let text = text.get(..SHORT).unwrap_or(&text);
                let plain = status == 400 && used.names_session && !names_request && !is_page;
                (used.names_session && (says_session_is_gone(text) || (plain && mentions_session(text))))
                    || (used.in_session && says_uninitialized(text))
            }
        };
        let error = match (login, read) {
            (Some(login), _) => login,
            // Its words are the server's, and the wait is what counts.
            (None, Some((error, _))) if status == 429 => {
                RequestError::Status { status, excerpt: error.message, hints }
            }
            (None, Some((error, _))) => RequestError::Rpc(error),
            (None, None) => RequestError::Status { status, excerpt: quoted, hints },
        };
        if is_gone { RequestError::SessionLost { answer: Box::new(error) } } else { error }
    }

    /// What the headers of an answer outside 2xx tell.
    #[expect(clippy::unnecessary_box_returns, reason = "every error that takes them keeps them in a box")]
    pub(crate) fn hints(&self, headers: &HeaderMap) -> Box<StatusHints> {
        let location = headers.get(LOCATION).and_then(|to| to.to_str().ok());
        Box::new(StatusHints {
            retry_after: headers.get(RETRY_AFTER).and_then(|wait| retry_after(wait.to_str().ok()?)),
            location: location.and_then(|to| self.url.join(to).ok()).map(shown),
            proxy: self.client.proxy(&self.url),
        })
    }
}

/// A wait in seconds or until a date (RFC 9110 §10.2.3).
fn retry_after(text: &str) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    Some(until.duration_since(SystemTime::now()).unwrap_or_default())
}

/// An address without what may be secret in it.
pub(crate) fn shown(mut url: Url) -> String {
    url.set_query(None);
    url.set_fragment(None);
    let _always = (url.set_username(""), url.set_password(None));
    url.into()
}

/// The JSON-RPC error that a body is, whatever its id: it belongs to the exchange it came on (BASE-07). Also whether it
/// names a request. What has no code is a server's own JSON.
fn rpc_error(body: &Bytes, status: u16, link: &Link) -> Option<(RpcError, bool)> {
    let mut parsed = message::parse(body, &link.limits).ok()?;
    match parsed.messages.pop()?.message {
        Message::Answer { id, body: Body::Error(error) } => {
            let read = RpcError::read(&String::from_utf8_lossy(&error));
            let is_rpc = read.code != 0 || id.is_some();
            is_rpc.then(|| (RpcError { status: Some(status), ..read }, id.is_some()))
        }
        _ => None,
    }
}

/// Whether an error that came with a success says that the session which its request named is gone. `is_answer`: it
/// names the request, and so may be what the tool itself says.
pub(crate) fn is_of_lost_session(error: &RpcError, is_answer: bool) -> bool {
    if error.status.is_some() || (is_answer && error.code != NO_SESSION) {
        return false;
    }
    says_session_is_gone(&error.message) || says_uninitialized(&error.message)
}

/// A text in lower case, in which words are parted by single spaces only: `No-Session_found` and `NO SESSION FOUND` say
/// the same.
fn words(text: &str) -> String {
    let lower: String = text
        .chars()
        .map(|letter| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' })
        .collect();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn mentions_session(text: &str) -> bool {
    text.to_ascii_lowercase().contains("session")
}

/// Whether a text says that there is no such session, in any of the usual ways.
fn says_session_is_gone(text: &str) -> bool {
    const GONE: [&str; 30] = [
        "not found",
        "notfound",
        "no valid",
        "not valid",
        "invalid",
        "unknown",
        "expired",
        "terminated",
        "missing",
        "exist",
        "no such",
        "no active",
        "not active",
        "inactive",
        "closed",
        "no longer",
        "required",
        "gone",
        "lost",
        "recogni",
        "no session",
        "timed out",
        "ended",
        "mismatch",
        "stale",
        "find",
        "found",
        "without",
        "deleted",
        "destroyed",
    ];
    let text = words(text);
    // Those of people and of browsers are not those of the protocol.
    let others = ["browser session", "login session", "user session", "session name", "session variable"];
    text.contains("session")
        && GONE.iter().any(|gone| text.contains(gone))
        && !others.iter().any(|other| text.contains(other))
}

/// Whether a text says that nobody has initialized the server yet.
fn says_uninitialized(text: &str) -> bool {
    const SAID: [&str; 9] = [
        "not initialized",
        "not initialised",
        "not been initialized",
        "not been initialised",
        "uninitialized",
        "uninitialised",
        "before initialization",
        "initialize first",
        "initialization was not",
    ];
    let text = words(text);
    SAID.iter().any(|said| text.contains(said)) && !text.contains("variable")
}

/// Whether an error says nothing that explains it, so that a session which is gone may be behind it.
pub(crate) fn is_unclear(error: &RequestError) -> bool {
    match error {
        RequestError::Status { status, .. } => is_unclear_status(*status),
        RequestError::Rpc(error) => {
            error.status.is_some_and(is_unclear_status)
                && matches!(error.code, -32000 | -32001 | -32600 | -32603)
        }
        _ => false,
    }
}

fn is_unclear_status(status: u16) -> bool {
    let is_clear =
        matches!(status, 401 | 402 | 407 | 408 | 411 | 413..=417 | 429 | 431 | 451 | 502..=504 | 520..=530);
    (400..600).contains(&status) && !is_clear
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_session_is_told_in_many_words() {
        for text in [
            "Session not found",
            "SESSION_NOT_FOUND",
            r#"{"error":"InvalidSession: unknown sessionId"}"#,
            "Bad Request: No valid session ID provided",
            "mcp-session-id header is required",
            "The session has expired, please reconnect",
            "<title>400</title><p>session 6f2 does not exist</p>",
            r#"{"detail":"Could not find session"}"#,
        ] {
            assert!(says_session_is_gone(text), "{text}");
        }
        for text in
            ["Bad Request: Server not initialized", "Received request before initialization was complete"]
        {
            assert!(says_uninitialized(text) && !says_session_is_gone(text), "{text}");
        }
        for text in [
            "session_name is missing",
            "Browser session not found",
            "month must be 1 to 12",
            "sessions: 4",
            "",
        ] {
            assert!(!says_session_is_gone(text) && !says_uninitialized(text), "{text}");
        }
    }

    #[test]
    fn an_error_of_a_tool_is_no_lost_session() {
        let error = |code, status| RpcError { code, message: "Session not found".into(), data: None, status };
        assert!(is_of_lost_session(&error(-32001, None), true));
        assert!(is_of_lost_session(&error(-32000, None), false));
        assert!(!is_of_lost_session(&error(-32603, None), true));
    }

    #[test]
    fn a_wait_is_read_in_seconds_or_from_a_date() {
        assert_eq!(retry_after(" 7 "), Some(Duration::from_secs(7)));
        let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(90));
        let wait = retry_after(&date).unwrap();
        assert!(wait > Duration::from_secs(80) && wait <= Duration::from_secs(90), "{wait:?}");
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        assert_eq!(retry_after("soon"), None);
    }
}
