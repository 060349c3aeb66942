//! Messages to apps with what the log has of them, and the members of JSON objects that stay the text that they came as.

use std::fmt::Write as _;

use mooring_bridge::message;
use mooring_host::LogStatus;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::recorded::{Note, Outgoing};

pub(crate) use mooring_bridge::message::{
    Message, RequestId, Unreadable, batch, cancelled, code, id_of_parts, parse, quoted, response_id,
};

/// What the log has of a message.
pub(crate) fn note(message: &Message) -> Note {
    let note = Note::default();
    match message {
        Message::Request { id, method, .. } => {
            Note { method: Some(method.as_str().into()), id: Some(id.get().into()), ..note }
        }
        Message::Notification { method, .. } => Note { method: Some(method.as_str().into()), ..note },
        Message::Response { id, answer } => Note {
            id: Some(id.get().into()),
            status: if answer.is_ok() { LogStatus::Ok } else { LogStatus::Error },
            ..note
        },
    }
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

/// A successful response; `result` is JSON.
pub(crate) fn response(id: &RequestId, result: &str) -> Outgoing {
    let note = Note { id: Some(id.get().into()), status: LogStatus::Ok, ..Note::default() };
    Outgoing { line: message::response(id, result), note }
}

/// An error response; `data` is JSON.
pub(crate) fn error_response(
    id: Option<&RequestId>,
    code: i64,
    message: &str,
    data: Option<&str>,
) -> Outgoing {
    let note = Note { id: id.map(|id| id.get().into()), status: LogStatus::Error, ..Note::default() };
    Outgoing { line: message::error_response(id, code, message, data), note }
}

/// A request; `params` is JSON.
pub(crate) fn request(id: &RequestId, method: &str, params: &str) -> Outgoing {
    let note = Note { method: Some(method.into()), id: Some(id.get().into()), ..Note::default() };
    Outgoing { line: message::request(id, method, params), note }
}

/// A notification; `params` is JSON.
pub(crate) fn notification(method: &str, params: Option<&str>) -> Outgoing {
    let note = Note { method: Some(method.into()), ..Note::default() };
    Outgoing { line: message::notification(method, params), note }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_change_and_the_rest_stays_to_the_byte() {
        let object = r#"{"name":"a","x":1.0e1,"n\u0061me2":[1, 2],"z":null}"#;
        let changed = with_members(object, &[("name", r#""b""#), ("new", "7")]);
        assert_eq!(changed, r#"{"name":"b","x":1.0e1,"name2":[1, 2],"z":null,"new":7}"#);
        assert_eq!(with_members(r#"{"a":1,"b":2}"#, &[("a", "null")]), r#"{"b":2}"#);
        assert!(members("7").is_none());
    }
}
