//! JSON-RPC messages. Parameters, results and ids keep their original JSON text.

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

/// The id of a request: a string or a number, as JSON text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(Box<str>);

impl RequestId {
    /// The id in this JSON value. `None` if it is neither a string nor a number.
    pub fn new(value: &RawValue) -> Option<Self> {
        let text = value.get();
        let is_id = text.starts_with(['"', '-']) || text.starts_with(|first: char| first.is_ascii_digit());
        is_id.then(|| Self(text.into()))
    }

    /// The id that is this string.
    pub fn from_text(text: &str) -> Self {
        Self(quoted(text).into())
    }

    /// The JSON text.
    pub fn get(&self) -> &str {
        &self.0
    }
}

/// A JSON-RPC message.
#[derive(Debug)]
pub enum Message {
    /// A message that needs a response.
    Request {
        /// The id, which the response repeats.
        id: RequestId,
        /// The method's name.
        method: String,
        /// The parameters.
        params: Option<Params>,
    },
    /// A message without a response.
    Notification {
        /// The method's name.
        method: String,
        /// The parameters.
        params: Option<Params>,
    },
    /// The response to a request: its result or its error.
    Response {
        /// The request's id.
        id: RequestId,
        /// The result or the error, as JSON text.
        answer: Result<Box<RawValue>, Box<RawValue>>,
    },
}

/// Why a text is not a message, as the error to respond with.
#[derive(Debug)]
pub struct Unreadable {
    /// The error code, one of [`code`].
    pub code: i64,
    /// The message for the sender.
    pub message: String,
}

/// The parameters of a request or notification, parsed once. Each value keeps its original text.
#[derive(Debug, Clone, Default)]
pub struct Params {
    /// Names and values in order, each name once. `None` if the parameters are not an object.
    members: Option<Vec<(String, Box<RawValue>)>>,
}

impl Params {
    /// Parameters of a message that has none.
    pub fn empty() -> Self {
        Self { members: Some(Vec::new()) }
    }

    /// A parameter. The last of two with the same name counts.
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// A parameter that is a string.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(|value| string(value.get()))
    }

    /// Removes a parameter and returns it.
    pub fn take(&mut self, name: &str) -> Option<Box<RawValue>> {
        let members = self.members.as_mut()?;
        let at = members.iter().position(|(own, _)| own == name)?;
        Some(members.remove(at).1)
    }

    /// The names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.members.iter().flatten().map(|(name, value)| (name.as_str(), &**value))
    }

    /// Whether the parameters are an object, as every method of the protocol requires.
    pub fn is_object(&self) -> bool {
        self.members.is_some()
    }

    /// The parameters as JSON text, each name once.
    pub fn to_json(&self) -> String {
        self.iter().fold(JsonObject::new(), |object, (name, value)| object.raw(name, value.get())).whole()
    }

    /// Deserializes the parameters. Only for small ones: their text is parsed a second time.
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

/// Deserializes a member that exists, even if it is null.
fn even_null<'de, D: Deserializer<'de>>(member: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Deserialize::deserialize(member).map(Some)
}

/// Parses one message in one pass. A duplicate member of the message itself is an error: otherwise different
/// parsers would answer differently. A null id is an error too, because the response could not be matched to
/// its request (`basic`, Requests).
pub fn parse(text: &str) -> Result<Message, Unreadable> {
    /// The members of a message (JSON-RPC 2.0, sections 4 and 5). A duplicate is an error.
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
        // If the text is not even JSON, that is the error to report.
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

/// The id of an oversized request of which only the start and the end are known. It is found if the id's
/// member is complete in one of them.
pub fn id_of_parts(beginning: &[u8], end: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct AnyObject {}
    let is_object = |text: &str| serde_json::from_str::<AnyObject>(text).is_ok();
    let (beginning, end) = (String::from_utf8_lossy(beginning), String::from_utf8_lossy(end));
    // A member that is cut off contains no comma at which it would be complete.
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

/// The id of the request that this message responds to. `None` if it is not a response.
pub fn response_id(text: &str) -> Option<RequestId> {
    let members = Members::read(text)?;
    if members.has("method") {
        return None;
    }
    let id: &RawValue = serde_json::from_str(members.get("id")?).ok()?;
    RequestId::new(id)
}

/// The request that `notifications/cancelled` cancels.
pub fn cancelled(params: Option<&Params>) -> Option<RequestId> {
    RequestId::new(params?.get("requestId")?)
}

fn message() -> JsonObject {
    JsonObject::new().text("jsonrpc", "2.0")
}

/// Writes a successful response; `result` is JSON. The message is one line: line breaks between values become
/// spaces.
pub fn response(id: &RequestId, result: &str) -> String {
    message().raw("id", id.get()).json("result", result).whole()
}

/// Writes an error response; `data` is JSON.
pub fn error_response(id: Option<&RequestId>, code: i64, text: &str, data: Option<&str>) -> String {
    let error = JsonObject::new().number("code", code).text("message", text);
    let error = data.iter().fold(error, |error, data| error.json("data", data));
    message().raw("id", id.map_or("null", RequestId::get)).object("error", &error).whole()
}

/// Writes a request; `params` is JSON.
pub fn request(id: &RequestId, method: &str, params: &str) -> String {
    message().raw("id", id.get()).text("method", method).json("params", params).whole()
}

/// Writes a notification; `params` is JSON.
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
        // The part between start and end is missing.
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
