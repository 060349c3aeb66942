//! JSON-RPC messages. Parameters, results and ids stay the JSON text that they came as.

use std::collections::HashMap;
use std::fmt;

use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::code;
use crate::members::Members;
use crate::object::JsonObject;
use crate::text::{quoted, string};
use crate::walk::count;

/// The only revision of MCP with batches: <https://modelcontextprotocol.io/specification/2025-03-26/basic>.
pub const BATCH_REVISION: &str = "2025-03-26";

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
        params: Option<Params>,
    },
    /// It wants none.
    Notification {
        /// What is told.
        method: String,
        /// The details.
        params: Option<Params>,
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

/// The parameters of a request or notification, read once: each value as it came.
#[derive(Debug, Clone, Default)]
pub struct Params {
    /// In their order, each name once; none: they are no object.
    members: Option<Vec<(String, Box<RawValue>)>>,
}

impl Params {
    /// Those of a message that has none.
    pub fn empty() -> Self {
        Self { members: Some(Vec::new()) }
    }

    /// A value; of two with one name the last.
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// The text that a value is, if it is one.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(|value| string(value.get()))
    }

    /// Takes a value out.
    pub fn take(&mut self, name: &str) -> Option<Box<RawValue>> {
        let members = self.members.as_mut()?;
        let at = members.iter().position(|(own, _)| own == name)?;
        Some(members.remove(at).1)
    }

    /// The names and values, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.members.iter().flatten().map(|(name, value)| (name.as_str(), &**value))
    }

    /// They are an object, which is what every method of the protocol has.
    pub fn is_object(&self) -> bool {
        self.members.is_some()
    }

    /// As JSON text, each name once.
    pub fn to_json(&self) -> String {
        self.iter().fold(JsonObject::new(), |object, (name, value)| object.raw(name, value.get())).whole()
    }

    /// Reads them as a type. Only for those that are small: what is read is passed over once more.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        if !self.is_object() {
            return Err(serde_json::Error::custom("not an object"));
        }
        T::deserialize(MapDeserializer::new(self.iter().inspect(|(_, value)| count(value.get().len()))))
    }
}

impl<'de> Deserialize<'de> for Params {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ParamsVisitor;
        impl<'de> Visitor<'de> for ParamsVisitor {
            type Value = Params;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("parameters")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Params, A::Error> {
                let mut members: Vec<(String, Box<RawValue>)> = Vec::new();
                let mut places: HashMap<String, usize> = HashMap::new();
                while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    if let Some((_, first)) = places.get(&name).and_then(|at| members.get_mut(*at)) {
                        *first = value;
                    } else {
                        places.insert(name.clone(), members.len());
                        members.push((name, value));
                    }
                }
                Ok(Params { members: Some(members) })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Params, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Params::default())
            }

            fn visit_bool<E>(self, _: bool) -> Result<Params, E> {
                Ok(Params::default())
            }

            fn visit_i64<E>(self, _: i64) -> Result<Params, E> {
                Ok(Params::default())
            }

            fn visit_u64<E>(self, _: u64) -> Result<Params, E> {
                Ok(Params::default())
            }

            fn visit_f64<E>(self, _: f64) -> Result<Params, E> {
                Ok(Params::default())
            }

            fn visit_str<E>(self, _: &str) -> Result<Params, E> {
                Ok(Params::default())
            }
        }
        deserializer.deserialize_any(ParamsVisitor)
    }
}

/// A member that is there, also where it is null.
fn even_null<'de, D: Deserializer<'de>>(member: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Deserialize::deserialize(member).map(Some)
}

/// Reads one message, an object, in one pass. Of a member of its own that is in it twice the sender is told: what answers
/// it would otherwise depend on who reads it. An id that is null is none: what it belongs to would have no answer that can
/// be told from others (`basic`, Requests).
pub fn parse(text: &str) -> Result<Message, Unreadable> {
    /// The members of a message (JSON-RPC 2.0, sections 4 and 5). One that is there twice is an error.
    #[derive(Deserialize)]
    struct Envelope {
        jsonrpc: String,
        #[serde(default, deserialize_with = "even_null")]
        id: Option<Box<RawValue>>,
        method: Option<String>,
        params: Option<Params>,
        result: Option<Box<RawValue>>,
        error: Option<Box<RawValue>>,
    }
    count(text.len());
    let invalid =
        |what: &str| Unreadable { code: code::INVALID_REQUEST, message: format!("Invalid Request: {what}") };
    let envelope: Envelope = serde_json::from_str(text).map_err(|error| {
        // What is wrong with a member is of interest only in JSON.
        match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => invalid(&error.to_string()),
            Err(error) => Unreadable { code: code::PARSE_ERROR, message: format!("Parse error: {error}") },
        }
    })?;
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
    let members = Members::read(text)?;
    if members.has("method") {
        return None;
    }
    let id: &RawValue = serde_json::from_str(members.get("id")?).ok()?;
    RequestId::new(id)
}

/// Which request `notifications/cancelled` is about.
pub fn cancelled(params: Option<&Params>) -> Option<RequestId> {
    RequestId::new(params?.get("requestId")?)
}

fn message() -> JsonObject {
    JsonObject::new().text("jsonrpc", "2.0")
}

/// A successful response; `result` is JSON. On a line of its own: line ends between a result's values become spaces.
pub fn response(id: &RequestId, result: &str) -> String {
    message().raw("id", id.get()).json("result", result).whole()
}

/// An error response; `data` is JSON.
pub fn error_response(id: Option<&RequestId>, code: i64, text: &str, data: Option<&str>) -> String {
    let error = JsonObject::new().number("code", code).text("message", text);
    let error = data.iter().fold(error, |error, data| error.json("data", data));
    message().raw("id", id.map_or("null", RequestId::get)).object("error", &error).whole()
}

/// A request; `params` is JSON.
pub fn request(id: &RequestId, method: &str, params: &str) -> String {
    message().raw("id", id.get()).text("method", method).json("params", params).whole()
}

/// A notification; `params` is JSON.
pub fn notification(method: &str, params: Option<&str>) -> String {
    let message = message().text("method", method);
    params.iter().fold(message, |message, params| message.json("params", params)).whole()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart_and_ids_stay_as_they_came() {
        let request = parse(r#"{"jsonrpc":"2.0","id":1.50,"method":"a","params":{"b":1e2}}"#).unwrap();
        let Message::Request { id, method, params } = request else { panic!("{request:?}") };
        assert_eq!((id.get(), method.as_str(), &*params.unwrap().to_json()), ("1.50", "a", r#"{"b":1e2}"#));
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
