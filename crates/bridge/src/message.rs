//! JSON-RPC messages. Parameters, results and ids stay the JSON text that they came as.

use mooring_base::json_members::quoted;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::value::RawValue;

/// JSON-RPC's codes (section 5.1), and the protocol's own.
pub mod code {
    /// Not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// JSON, but no message.
    pub const INVALID_REQUEST: i64 = -32600;
    /// There is no such method.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters are not those of the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// What was asked could not be done.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// There is no such resource (`server/resources`).
    pub const RESOURCE_NOT_FOUND: i64 = -32002;
    /// The session has ended, or never was. What the official servers say.
    pub const NO_SESSION: i64 = -32001;
    /// More requests than may run at once.
    pub const TOO_MANY: i64 = -32000;
    /// Something has to be done at a URL first (2025-11-25).
    pub const URL_REQUIRED: i64 = -32042;
    /// The headers do not say what the body says (2026-07-28, as the next two).
    pub const HEADER_MISMATCH: i64 = -32020;
    /// A capability is needed that was not declared.
    pub const MISSING_CAPABILITY: i64 = -32021;
    /// Requests of that revision are not answered.
    pub const UNSUPPORTED_VERSION: i64 = -32022;
}

/// The id of a request: a text or a number, as JSON text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(Box<str>);

impl RequestId {
    /// The id that this JSON value is; none where it may be no id.
    pub fn new(value: &RawValue) -> Option<Self> {
        let text = value.get();
        let is_id = text.starts_with(['"', '-']) || text.starts_with(|first: char| first.is_ascii_digit());
        is_id.then(|| Self(text.into()))
    }

    /// The id that is this text.
    pub fn from_text(text: &str) -> Self {
        Self(quoted(text).into())
    }

    /// The JSON text.
    pub fn get(&self) -> &str {
        &self.0
    }
}

/// One message.
#[derive(Debug)]
pub enum Message {
    /// It wants an answer.
    Request {
        /// By which its answer is known.
        id: RequestId,
        /// What is asked for.
        method: String,
        /// With what.
        params: Option<Box<RawValue>>,
    },
    /// It wants none.
    Notification {
        /// What is told.
        method: String,
        /// The details.
        params: Option<Box<RawValue>>,
    },
    /// The answer to a request: its result, or its error.
    Response {
        /// The request's.
        id: RequestId,
        /// Either, as it came.
        answer: Result<Box<RawValue>, Box<RawValue>>,
    },
}

/// Why something is no message, as the error that answers it.
#[derive(Debug)]
pub struct Unreadable {
    /// Of [`code`].
    pub code: i64,
    /// For whoever sent it.
    pub message: String,
}

/// A member that is there, also where it is null.
fn even_null<'de, D: Deserializer<'de>>(member: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Deserialize::deserialize(member).map(Some)
}

/// Reads one message: an object. Of a member that stands in it twice it cannot be told which one is meant. An id that is
/// null is none: what it belongs to would have no answer that can be told from others (`basic`, Requests).
pub fn parse(text: &str) -> Result<Message, Unreadable> {
    #[derive(Deserialize)]
    struct Envelope {
        jsonrpc: String,
        #[serde(default, deserialize_with = "even_null")]
        id: Option<Box<RawValue>>,
        method: Option<String>,
        params: Option<Box<RawValue>>,
        #[serde(default)]
        result: Option<Box<RawValue>>,
        #[serde(default)]
        error: Option<Box<RawValue>>,
    }
    let raw: &RawValue = serde_json::from_str(text)
        .map_err(|error| Unreadable { code: code::PARSE_ERROR, message: format!("Parse error: {error}") })?;
    let invalid =
        |what: &str| Unreadable { code: code::INVALID_REQUEST, message: format!("Invalid Request: {what}") };
    let envelope: Envelope = serde_json::from_str(raw.get()).map_err(|error| invalid(&error.to_string()))?;
    if envelope.jsonrpc != "2.0" {
        return Err(invalid("jsonrpc has to be \"2.0\""));
    }
    let id = match &envelope.id {
        Some(id) => Some(RequestId::new(id).ok_or_else(|| invalid("an id has to be a text or a number"))?),
        None => None,
    };
    let answer = envelope.result.map(Ok).or(envelope.error.map(Err));
    match (envelope.method, id) {
        (Some(method), Some(id)) => Ok(Message::Request { id, method, params: envelope.params }),
        (Some(method), None) => Ok(Message::Notification { method, params: envelope.params }),
        (None, Some(id)) => match answer {
            Some(answer) => Ok(Message::Response { id, answer }),
            None => Err(invalid("there is neither a method nor a result")),
        },
        (None, None) => Err(invalid("there is no method")),
    }
}

/// The id of a request that is too long, of which only the beginning and the end are there: what of its own members is
/// whole in them.
pub fn id_of_parts(beginning: &[u8], end: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct AnyObject {}
    let is_object = |text: &str| serde_json::from_str::<AnyObject>(text).is_ok();
    let (beginning, end) = (String::from_utf8_lossy(beginning), String::from_utf8_lossy(end));
    // Within a member that is cut off there is no comma at which it would be whole.
    let mut first = beginning.match_indices(',').rev().filter_map(|(at, _)| beginning.get(..at));
    let mut last = end.match_indices(',').filter_map(|(at, _)| end.get(at + 1..));
    let first = first.find(|part| is_object(&format!("{part}}}")));
    let last = last.find(|part| is_object(&format!("{{{part}")));
    let text = match (first, last) {
        (Some(first), Some(last)) => format!("{first},{last}"),
        (Some(first), None) => format!("{first}}}"),
        (None, Some(last)) => format!("{{{last}"),
        (None, None) => return None,
    };
    match parse(&text) {
        Ok(Message::Request { id, .. }) => Some(id),
        Ok(Message::Notification { .. } | Message::Response { .. }) | Err(_) => None,
    }
}

/// The id of the request that this message answers; none where it is no answer.
pub fn response_id(text: &str) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct AnswerEnvelope<'a> {
        #[serde(borrow)]
        id: Option<&'a RawValue>,
        method: Option<IgnoredAny>,
    }
    let envelope: AnswerEnvelope<'_> = serde_json::from_str(text).ok()?;
    envelope.id.filter(|_| envelope.method.is_none()).and_then(RequestId::new)
}

/// Which request `notifications/cancelled` is about.
pub fn cancelled(params: Option<&RawValue>) -> Option<RequestId> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct CancelledParams {
        request_id: Box<RawValue>,
    }
    let params: CancelledParams = serde_json::from_str(params?.get()).ok()?;
    RequestId::new(&params.request_id)
}

/// A successful response; `result` is JSON. On a line of its own: what stands between a result's values may be line ends.
pub fn response(id: &RequestId, result: &str) -> String {
    on_a_line(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, id.get()))
}

/// An error response; `data` is JSON.
pub fn error_response(id: Option<&RequestId>, code: i64, message: &str, data: Option<&str>) -> String {
    let data = data.map(|data| format!(r#","data":{data}"#)).unwrap_or_default();
    let id = id.map_or("null", RequestId::get);
    let message = quoted(message);
    on_a_line(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}{data}}}}}"#))
}

/// A request; `params` is JSON.
pub fn request(id: &RequestId, method: &str, params: &str) -> String {
    let (id, method) = (id.get(), quoted(method));
    on_a_line(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#))
}

/// A notification; `params` is JSON.
pub fn notification(method: &str, params: Option<&str>) -> String {
    let params = params.map(|params| format!(r#","params":{params}"#)).unwrap_or_default();
    on_a_line(format!(r#"{{"jsonrpc":"2.0","method":{}{params}}}"#, quoted(method)))
}

/// Within its texts JSON has no line ends, so each is space between values.
fn on_a_line(json: String) -> String {
    if json.contains(['\n', '\r']) { json.replace(['\n', '\r'], " ") } else { json }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart_and_ids_stay_as_they_came() {
        let request = parse(r#"{"jsonrpc":"2.0","id":1.50,"method":"a","params":{"b":1e2}}"#).unwrap();
        let Message::Request { id, method, params } = request else { panic!("{request:?}") };
        assert_eq!((id.get(), method.as_str(), params.unwrap().get()), ("1.50", "a", r#"{"b":1e2}"#));
        for id in [r#""x""#, "0", "-1"] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a"}}"#);
            assert!(matches!(parse(&text), Ok(Message::Request { .. })), "{text}");
        }
        let notification = r#"{"jsonrpc":"2.0","method":"a"}"#;
        assert!(matches!(parse(notification), Ok(Message::Notification { .. })));
        for answer in [r#"{"jsonrpc":"2.0","id":1,"error":{}}"#, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#] {
            assert!(matches!(parse(answer), Ok(Message::Response { .. })), "{answer}");
            assert_eq!(response_id(answer).unwrap().get(), "1");
        }
    }

    #[test]
    fn what_is_no_message_is_answered_with_its_error() {
        for (text, code) in [
            ("{", code::PARSE_ERROR),
            ("", code::PARSE_ERROR),
            ("7", code::INVALID_REQUEST),
            ("{}", code::INVALID_REQUEST),
            (r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":{},"method":"a"}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":true,"method":"a"}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, code::INVALID_REQUEST),
        ] {
            assert_eq!(parse(text).unwrap_err().code, code, "{text}");
        }
    }

    #[test]
    fn id_of_a_long_request_is_found_at_either_end() {
        // What is between the parts is missing.
        for (beginning, end, id) in [
            (r#"{"method":"a","params":{"id":1,"b":"x"#, r#"x,"},"jsonrpc":"2.0","id":7}"#, Some("7")),
            (
                r#"{"jsonrpc":"2.0","id":"q","method":"a","params":{"id":1,"b":"x"#,
                r#"x","c":{"d":1,"id":2}}}"#,
                Some(r#""q""#),
            ),
            (r#"{"id":1,"method":"a","jsonrpc":"2.0","params":["x"#, r#"x",{"a":1,"id":2}]}"#, Some("1")),
            (r#"{"params":{"id":1,"b":"x"#, r#"x"},"method":"a","jsonrpc":"2.0","id":7}"#, Some("7")),
            (r#"{"jsonrpc":"2.0","method":"a","params":{"b":"x"#, r#"\",\"id\":7}"}}"#, None),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":"x"#, r#""},"id":7}"#, None),
            (r#"{"result":{"b":"x"#, r#"x"},"jsonrpc":"2.0","id":7}"#, None),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"a","params":"x"#, r#"x","b":1}]"#, None),
            ("x", "x", None),
        ] {
            let found = id_of_parts(beginning.as_bytes(), end.as_bytes());
            assert_eq!(found.as_ref().map(RequestId::get), id, "{beginning}…{end}");
        }
    }

    #[test]
    fn a_message_is_one_line() {
        let id = RequestId::new(serde_json::from_str("\"a\"").unwrap()).unwrap();
        let written = response(&id, "{\r\n  \"a\": \"b\\nc\"\n}");
        assert_eq!(written, r#"{"jsonrpc":"2.0","id":"a","result":{    "a": "b\nc" }}"#);
        let error = error_response(None, -32700, "no \"JSON\"", Some("[\n]"));
        assert_eq!(
            error,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no \"JSON\"","data":[ ]}}"#
        );
        assert_eq!(notification("a/b", None), r#"{"jsonrpc":"2.0","method":"a/b"}"#);
    }
}
