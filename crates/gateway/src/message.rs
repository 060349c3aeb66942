//! JSON-RPC messages of an app, and those to it. Parameters, results and ids stay the JSON text that they came as.

use std::fmt::Write as _;

use mooring_host::LogStatus;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::recorded::{Note, Outgoing};

/// JSON-RPC's codes (section 5.1), and the protocol's own for a resource that is not there (`server/resources`).
pub(crate) mod code {
    pub(crate) const PARSE_ERROR: i64 = -32700;
    pub(crate) const INVALID_REQUEST: i64 = -32600;
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    pub(crate) const INVALID_PARAMS: i64 = -32602;
    pub(crate) const INTERNAL_ERROR: i64 = -32603;
    pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;
    /// The session has ended, or never was. What the official servers say.
    pub(crate) const NO_SESSION: i64 = -32001;
    /// More requests than may run at once.
    pub(crate) const TOO_MANY: i64 = -32000;
    /// Something has to be done at a URL first (2025-11-25).
    pub(crate) const URL_REQUIRED: i64 = -32042;
    /// The headers do not say what the body says (2026-07-28, as the next two).
    pub(crate) const HEADER_MISMATCH: i64 = -32020;
    /// A capability is needed that was not declared.
    pub(crate) const MISSING_CAPABILITY: i64 = -32021;
    /// Requests of that revision are not answered.
    pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;
}

/// The id of a request: a text or a number, as JSON text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RequestId(Box<str>);

impl RequestId {
    /// The id that this JSON value is; none where it may be no id.
    pub(crate) fn new(value: &RawValue) -> Option<Self> {
        let text = value.get();
        let is_id = text.starts_with(['"', '-']) || text.starts_with(|first: char| first.is_ascii_digit());
        is_id.then(|| Self(text.into()))
    }

    /// The id that is this text.
    pub(crate) fn from_text(text: &str) -> Self {
        Self(quoted(text).into())
    }

    pub(crate) fn get(&self) -> &str {
        &self.0
    }
}

/// One message from an app.
#[derive(Debug)]
pub(crate) enum Message {
    Request {
        id: RequestId,
        method: String,
        params: Option<Box<RawValue>>,
    },
    Notification {
        method: String,
        params: Option<Box<RawValue>>,
    },
    /// The answer to a request of ours: its result, or its error.
    Response {
        id: RequestId,
        answer: Result<Box<RawValue>, Box<RawValue>>,
    },
}

impl Message {
    /// What the log has of it.
    pub(crate) fn note(&self) -> Note {
        let note = Note::default();
        match self {
            Self::Request { id, method, .. } => {
                Note { method: Some(method.as_str().into()), id: Some(id.get().into()), ..note }
            }
            Self::Notification { method, .. } => Note { method: Some(method.as_str().into()), ..note },
            Self::Response { id, answer } => Note {
                id: Some(id.get().into()),
                status: if answer.is_ok() { LogStatus::Ok } else { LogStatus::Error },
                ..note
            },
        }
    }
}

/// Why something is no message, as the error that answers it.
#[derive(Debug)]
pub(crate) struct Unreadable {
    pub(crate) code: i64,
    pub(crate) message: String,
}

/// Reads one message: an object. Of a member that stands in it twice it cannot be told which one is meant.
pub(crate) fn parse(text: &str) -> Result<Message, Unreadable> {
    #[derive(Deserialize)]
    struct Envelope {
        jsonrpc: String,
        #[serde(default)]
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

/// The id of the request that this message answers; none where it is no answer.
pub(crate) fn response_id(text: &str) -> Option<RequestId> {
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
pub(crate) fn cancelled(params: Option<&RawValue>) -> Option<RequestId> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct CancelledParams {
        request_id: Box<RawValue>,
    }
    let params: CancelledParams = serde_json::from_str(params?.get()).ok()?;
    RequestId::new(&params.request_id)
}

/// The token under which an app wants to hear how far a request is.
pub(crate) fn progress_token(params: Option<&RawValue>) -> Option<Box<RawValue>> {
    #[derive(Deserialize)]
    struct MetaParams {
        #[serde(rename = "_meta")]
        meta: ProgressMeta,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct ProgressMeta {
        progress_token: Option<Box<RawValue>>,
    }
    serde_json::from_str::<MetaParams>(params?.get()).ok()?.meta.progress_token
}

/// The code of an error response; none where the message is none.
pub(crate) fn error_code(text: &str) -> Option<i64> {
    #[derive(Deserialize)]
    struct ErrorEnvelope {
        error: ErrorParts,
    }
    #[derive(Deserialize)]
    struct ErrorParts {
        code: i64,
    }
    serde_json::from_str::<ErrorEnvelope>(text).ok().map(|envelope| envelope.error.code)
}

/// The elements of a batch; none where the text is no array.
pub(crate) fn batch(text: &str) -> Option<Vec<Box<RawValue>>> {
    if !text.trim_start().starts_with('[') {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// The members of an object, in their order, each with its value as JSON text; none where it is no object.
pub(crate) fn members(object: &str) -> Option<Vec<(String, &RawValue)>> {
    struct Pairs<'a>(Vec<(String, &'a RawValue)>);
    impl<'de> Deserialize<'de> for Pairs<'de> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Read;
            impl<'de> Visitor<'de> for Read {
                type Value = Pairs<'de>;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an object")
                }
                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                    let mut pairs = Vec::new();
                    while let Some(pair) = map.next_entry::<String, &'de RawValue>()? {
                        pairs.push(pair);
                    }
                    Ok(Pairs(pairs))
                }
            }
            deserializer.deserialize_map(Read)
        }
    }
    serde_json::from_str::<Pairs<'_>>(object).ok().map(|pairs| pairs.0)
}

/// An object with these members instead of its own of the same names, everything else as it is. A value that is null
/// takes the member away.
pub(crate) fn with_members(object: &str, changed: &[(&str, &str)]) -> String {
    let mut written = String::with_capacity(object.len() + 64);
    written.push('{');
    let mut push = |name: &str, value: &str| {
        if written.len() > 1 {
            written.push(',');
        }
        // A text can always be written.
        let _ok = write!(written, "{}:{value}", quoted(name));
    };
    let kept = members(object).unwrap_or_default();
    for (name, value) in &kept {
        match changed.iter().find(|(changed, _)| changed == name) {
            Some((_, "null")) => {}
            Some((name, value)) => push(name, value),
            None => push(name, value.get()),
        }
    }
    for (name, value) in changed {
        if *value != "null" && !kept.iter().any(|(kept, _)| kept == name) {
            push(name, value);
        }
    }
    written.push('}');
    written
}

/// An object without these members, everything else as it is.
pub(crate) fn without_members(object: String, names: &[&str]) -> String {
    // Most have none of them, which is seen without reading all.
    if !names.iter().any(|name| object.contains(&format!("\"{name}\""))) {
        return object;
    }
    let is_there =
        |name: &str| members(&object).is_some_and(|members| members.iter().any(|(own, _)| own == name));
    let removed: Vec<_> = names.iter().filter(|name| is_there(name)).map(|name| (*name, "null")).collect();
    if removed.is_empty() { object } else { with_members(&object, &removed) }
}

/// An object's member as JSON; none where it is not there.
pub(crate) fn member(object: &str, name: &str) -> Option<Box<RawValue>> {
    members(object)?.into_iter().find(|(own, _)| own == name).map(|(_, value)| value.to_owned())
}

/// The text of an object's member; none where it is another, or not there.
pub(crate) fn text_member(object: &str, name: &str) -> Option<String> {
    serde_json::from_str(member(object, name)?.get()).ok()
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A successful response. On a line of its own: what stands between a result's values may be line ends.
pub(crate) fn response(id: &RequestId, result: &str) -> Outgoing {
    let line = on_a_line(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, id.get()));
    Outgoing { line, note: Note { id: Some(id.get().into()), status: LogStatus::Ok, ..Note::default() } }
}

/// An error response; `data` is JSON.
pub(crate) fn error_response(
    id: Option<&RequestId>,
    code: i64,
    message: &str,
    data: Option<&str>,
) -> Outgoing {
    let data = data.map(|data| format!(r#","data":{data}"#)).unwrap_or_default();
    let note = Note { id: id.map(|id| id.get().into()), status: LogStatus::Error, ..Note::default() };
    let id = id.map_or("null", RequestId::get);
    let message = quoted(message);
    let line =
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}{data}}}}}"#);
    Outgoing { line: on_a_line(line), note }
}

/// A request; `params` is JSON.
pub(crate) fn request(id: &RequestId, method: &str, params: &str) -> Outgoing {
    let id = id.get();
    let note = Note { method: Some(method.into()), id: Some(id.into()), ..Note::default() };
    let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{params}}}"#, quoted(method));
    Outgoing { line: on_a_line(line), note }
}

/// A notification; `params` is JSON.
pub(crate) fn notification(method: &str, params: Option<&str>) -> Outgoing {
    let params = params.map(|params| format!(r#","params":{params}"#)).unwrap_or_default();
    let line = on_a_line(format!(r#"{{"jsonrpc":"2.0","method":{}{params}}}"#, quoted(method)));
    Outgoing { line, note: Note { method: Some(method.into()), ..Note::default() } }
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
        for notification in
            [r#"{"jsonrpc":"2.0","method":"a"}"#, r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#]
        {
            assert!(matches!(parse(notification), Ok(Message::Notification { .. })), "{notification}");
        }
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
            (r#"{"jsonrpc":"2.0","id":1}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, code::INVALID_REQUEST),
        ] {
            assert_eq!(parse(text).unwrap_err().code, code, "{text}");
        }
    }

    #[test]
    fn members_change_and_the_rest_stays_to_the_byte() {
        let object = r#"{"name":"a","x":1.0e1,"n\u0061me2":[1, 2],"z":null}"#;
        let changed = with_members(object, &[("name", r#""b""#), ("new", "7")]);
        assert_eq!(changed, r#"{"name":"b","x":1.0e1,"name2":[1, 2],"z":null,"new":7}"#);
        assert_eq!(with_members(r#"{"a":1,"b":2}"#, &[("a", "null")]), r#"{"b":2}"#);
        assert!(members("7").is_none());
    }

    #[test]
    fn a_message_is_one_line() {
        let id = RequestId::new(serde_json::from_str("\"a\"").unwrap()).unwrap();
        let written = response(&id, "{\r\n  \"a\": \"b\\nc\"\n}").line;
        assert_eq!(written, r#"{"jsonrpc":"2.0","id":"a","result":{    "a": "b\nc" }}"#);
        let error = error_response(None, -32700, "no \"JSON\"", Some("[\n]")).line;
        assert_eq!(
            error,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no \"JSON\"","data":[ ]}}"#
        );
        assert_eq!(notification("a/b", None).line, r#"{"jsonrpc":"2.0","method":"a/b"}"#);
    }
}
