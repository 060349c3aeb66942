//! Decides whether a response means that the session is gone, and whether the request may have run anyway.
//!
//! Servers report a lost session with any status and in many words, which databases, browsers and calendars
//! also use. A call that has run must not be repeated because of its tool's words. A call is only repeated if
//! servers give the response before they process a request. Any other mistake only costs a new session.

use crate::error::{RequestError, RpcError};
use crate::text::cut_text;
use crate::transport::http::refusal::SessionUse;

/// The longest text searched for words about a session, in bytes. Pages that only mention one are longer.
const SHORT: usize = 4 * 1024;
/// The code that SDKs use for an unknown session.
const NO_SESSION: i64 = -32001;

/// What a response means for its request's session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SessionLoss {
    /// Whether the session is certainly gone. If not, a ping decides.
    pub(crate) is_certain: bool,
    /// Whether the request may have run.
    pub(crate) may_have_run: bool,
}

impl SessionLoss {
    /// Wraps the server's response into the error for a lost session.
    pub(crate) fn error(self, answer: RequestError) -> RequestError {
        let Self { is_certain, may_have_run } = self;
        RequestError::SessionLost { answer: Box::new(answer), is_certain, may_have_run }
    }
}

/// The parts of a response outside 2xx that may be about the session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ErrorResponse<'a> {
    pub(crate) status: u16,
    pub(crate) used: SessionUse,
    /// Whether the response is an error that names the request. Its text may then come from a tool.
    pub(crate) names_request: bool,
    /// The JSON-RPC error, if the body is one.
    pub(crate) error: Option<&'a RpcError>,
    /// The whole body.
    pub(crate) text: &'a str,
    /// Whether the body is a web page.
    pub(crate) is_page: bool,
}

impl ErrorResponse<'_> {
    /// Finds what the response means for the session. `None` if the response doesn't concern the session.
    pub(crate) fn find_loss(&self) -> Option<SessionLoss> {
        let Self { status, used, names_request, .. } = *self;
        let text = cut_text(self.text, SHORT);
        let message = self.error.map(|error| cut_text(&error.message, SHORT));
        let says = |is: fn(&str) -> bool| is(text) || message.is_some_and(is);
        let is_plain =
            (used.names_session && says(is_about_session)) || (used.in_session && says(is_uninitialized));
        match status {
            // Timeouts and overload don't concern the session, and the call may be running.
            408 | 429 | 504 => return None,
            // The specified status. If the error names the request, a tool may map its own errors to it.
            404 if used.names_session => {
                return Some(SessionLoss {
                    is_certain: true,
                    may_have_run: names_request && !self.error.is_some_and(is_given_first),
                });
            }
            _ => {}
        }
        let is_refusal = (400..500).contains(&status);
        let is_proven = if names_request {
            is_refusal && used.in_session && self.error.is_some_and(is_given_first)
        } else {
            (is_refusal && is_plain) || (used.names_session && is_wrapped_refusal(text))
        };
        if is_plain || is_proven {
            return Some(SessionLoss { is_certain: true, may_have_run: !is_proven });
        }
        let may_mean = status == 400 && !names_request && !self.is_page && mentions_session(text);
        let is_hint = (used.names_session && (hints_at_session(text) || may_mean))
            || (used.in_session && hints_at_beginning(text));
        is_hint.then_some(SessionLoss { is_certain: !used.acts, may_have_run: names_request || !is_refusal })
    }
}

/// Returns what an error in a successful response means for its request's session. With `names_request`, the
/// error names the request, so its text may come from a tool. With `acts`, the request may act.
pub(crate) fn loss_by_error(error: &RpcError, names_request: bool, acts: bool) -> Option<SessionLoss> {
    let message = cut_text(&error.message, SHORT);
    if error.status.is_some() || (names_request && error.code != NO_SESSION) {
        return None;
    }
    let is_plain = is_about_session(message) || is_uninitialized(message);
    if is_plain {
        return Some(SessionLoss { is_certain: true, may_have_run: names_request && !is_given_first(error) });
    }
    let is_hint = hints_at_session(message) || hints_at_beginning(message);
    is_hint.then_some(SessionLoss { is_certain: !acts, may_have_run: true })
}

/// Whether an error is so unspecific that a lost session may be the reason.
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

/// Normalizes to lower case words with single spaces: `No-Session_found` equals `NO SESSION FOUND`.
fn normalize(text: &str) -> String {
    let lower: String = text
        .chars()
        .map(|letter| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' })
        .collect();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a whole message is one that SDKs send before they process a request (TypeScript, Python, C#, Go,
/// Java, Rust). Some servers add the request's id to the message. No known tool uses exactly these words in a
/// JSON-RPC error with the matching code, because SDKs turn tools' exceptions into results or prefix them.
fn is_known(message: &str) -> bool {
    const KNOWN: [&str; 13] = [
        "session not found",
        "session terminated",
        "session has been terminated",
        "invalid session",
        "invalid session id",
        "invalid or expired session id",
        "invalid or missing session id",
        "missing session id",
        "session id is required",
        "session id missing",
        "no valid session id provided",
        "mcp session id header is required",
        "server not initialized",
    ];
    let message = normalize(message);
    let prefixes = ["bad request ", "not found ", "unauthorized "]
        .iter()
        .find_map(|status| message.strip_prefix(status));
    KNOWN.contains(&prefixes.unwrap_or(&message))
}

/// Whether an error that names a request was nevertheless sent before the request was processed. This is so
/// if the message is known and the code is not that of invalid parameters or of an internal error.
fn is_given_first(error: &RpcError) -> bool {
    matches!(error.code, NO_SESSION | -32000 | -32600) && is_known(&error.message)
}

/// Whether a text says, in the TypeScript SDK's words, that a forwarding gateway's own session was refused.
fn is_wrapped_refusal(text: &str) -> bool {
    const SAID: [&str; 3] = ["no valid session id provided", "server not initialized", "session not found"];
    normalize(text)
        .split_once("error posting to endpoint http 4")
        .is_some_and(|(_, refusal)| SAID.iter().any(|phrase| refusal.contains(phrase)))
}

/// Words that may precede a term of the protocol. Others change its meaning, such as `database session`.
const BEFORE: [&str; 38] = [
    "a",
    "an",
    "the",
    "this",
    "that",
    "your",
    "mcp",
    "http",
    "streamable",
    "transport",
    "current",
    "requested",
    "given",
    "client",
    "or",
    "because",
    "error",
    "message",
    "detail",
    "details",
    "title",
    "reason",
    "text",
    "body",
    "msg",
    "description",
    "data",
    "code",
    "request",
    "unauthorized",
    "found",
    "gone",
    "p",
    "h1",
    "h2",
    "pre",
    "div",
    "strong",
];

/// Words that may follow a statement about a session. Other words can change the meaning, such as in `no such
/// session in the calendar`.
const AFTER: [&str; 24] = [
    "or",
    "please",
    "id",
    "code",
    "data",
    "error",
    "message",
    "detail",
    "status",
    "jsonrpc",
    "type",
    "title",
    "body",
    "p",
    "h1",
    "h2",
    "pre",
    "div",
    "strong",
    "provided",
    "given",
    "reinitialize",
    "initialize",
    "found",
];

/// Statements about a lost session, after the term.
const SAID_BEHIND: [&str; 27] = [
    "not found",
    "notfound",
    "was not found",
    "could not be found",
    "expired",
    "has expired",
    "is expired",
    "terminated",
    "was terminated",
    "is terminated",
    "has been terminated",
    "does not exist",
    "doesn t exist",
    "no longer exists",
    "is no longer valid",
    "not valid",
    "is not valid",
    "invalid",
    "is invalid",
    "unknown",
    "is unknown",
    "missing",
    "is missing",
    "required",
    "is required",
    "not active",
    "is not active",
];

/// Statements about a lost session, before the term.
const SAID_BEFORE: [&str; 13] = [
    "invalid",
    "unknown",
    "no such",
    "no valid",
    "no active",
    "no",
    "missing",
    "expired",
    "find",
    "find the",
    "stale",
    "unrecognized",
    "terminated",
];

/// Statements about a session id, anywhere next to it.
const SAID_OF_ID: [&str; 16] = [
    "missing",
    "invalid",
    "unknown",
    "not found",
    "expired",
    "no valid",
    "not valid",
    "required",
    "requires",
    "must",
    "not exist",
    "no such",
    "unrecognized",
    "not recognized",
    "terminated",
    "no",
];

fn is_number_or_hash(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
        || (word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn can_precede(word: Option<&&str>) -> bool {
    word.is_none_or(|word| BEFORE.contains(word) || is_number_or_hash(word))
}

fn can_follow(word: Option<&&str>) -> bool {
    word.is_none_or(|word| AFTER.contains(word) || is_number_or_hash(word))
}

/// Returns the rest of `words` after a phrase at their start. `None` if they don't begin with it.
fn words_behind<'a, 'b>(words: &'a [&'b str], phrase: &str) -> Option<&'a [&'b str]> {
    phrase.split(' ').try_fold(words, |rest, word| match rest.split_first() {
        Some((first, rest)) if *first == word => Some(rest),
        _ => None,
    })
}

/// Whether a text clearly says that a session of the protocol is gone or missing.
fn is_about_session(text: &str) -> bool {
    let text = normalize(text);
    let all: Vec<&str> = text.split(' ').collect();
    (0..all.len()).any(|at| {
        let (before, from) = all.split_at(at);
        let (last, rest) = (before.last(), from.get(1..).unwrap_or_default());
        match from.first() {
            Some(&"session") => {
                if rest.first() == Some(&"id") {
                    return is_about_id(&text, last);
                }
                let behind_id = rest.iter().position(|word| !is_number_or_hash(word)).unwrap_or(rest.len());
                let tail = rest.get(behind_id..).unwrap_or_default();
                let is_behind = can_precede(last)
                    && SAID_BEHIND.iter().any(|phrase| {
                        words_behind(tail, phrase).is_some_and(|rest| can_follow(rest.first()))
                    });
                let is_before =
                    can_follow(rest.first()) && SAID_BEFORE.iter().any(|phrase| ends_with(before, phrase));
                is_behind || is_before || (last == Some(&"mcp") && is_about_id(&text, None))
            }
            Some(&"sessionid") => is_about_id(&text, last),
            _ => false,
        }
    })
}

fn ends_with(words: &[&str], phrase: &str) -> bool {
    let count = phrase.split(' ').count();
    words
        .len()
        .checked_sub(count)
        .and_then(|from| words.get(from..))
        .is_some_and(|end| end.iter().copied().eq(phrase.split(' ')))
}

/// Whether a text that names a session id after the word `before` says that the id is missing or invalid.
fn is_about_id(text: &str, before: Option<&&str>) -> bool {
    let text = format!(" {text} ");
    let is_said = SAID_OF_ID.iter().any(|phrase| text.contains(&format!(" {phrase} ")));
    let is_ours = can_precede(before)
        || before.is_some_and(|before| {
            let more = [
                "valid", "no", "of", "for", "with", "without", "supplied", "provided", "required", "needs",
                "and",
            ];
            SAID_OF_ID.contains(before) || more.contains(before)
        });
    is_said && is_ours
}

/// Whether a text clearly says that the server or the session is not initialized.
fn is_uninitialized(text: &str) -> bool {
    const SAID: [&str; 8] = [
        "not initialized",
        "not initialised",
        "is not initialized",
        "has not been initialized",
        "has not been initialised",
        "not yet initialized",
        "is not yet initialized",
        "must be initialized",
    ];
    const ANYWHERE: [&str; 5] = [
        "initialize first",
        "expect initialize request",
        "expected initialize request",
        "before initialization was complete",
        "initialization was not complete",
    ];
    let text = normalize(text);
    if ANYWHERE.iter().any(|phrase| text.contains(phrase)) {
        return true;
    }
    let all: Vec<&str> = text.split(' ').collect();
    (0..all.len()).any(|at| {
        let (before, from) = all.split_at(at);
        let subject = matches!(from.first(), Some(&("server" | "session" | "client" | "connection")));
        let predicate = if subject { from.get(1..).unwrap_or_default() } else { from };
        can_precede(before.last())
            && SAID
                .iter()
                .any(|phrase| words_behind(predicate, phrase).is_some_and(|rest| can_follow(rest.first())))
    })
}

fn mentions_session(text: &str) -> bool {
    text.to_ascii_lowercase().contains("session")
}

/// Whether a text may mean that the session does not exist.
fn hints_at_session(text: &str) -> bool {
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
    let text = normalize(text);
    // Sessions of people and browsers are not sessions of the protocol.
    let others = ["browser session", "login session", "user session", "session name", "session variable"];
    text.contains("session")
        && GONE.iter().any(|gone| text.contains(gone))
        && !others.iter().any(|other| text.contains(other))
}

/// Whether a text may mean that the server is not initialized.
fn hints_at_beginning(text: &str) -> bool {
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
    let text = normalize(text);
    SAID.iter().any(|phrase| text.contains(phrase)) && !text.contains("variable")
}

#[cfg(test)]
mod tests;
