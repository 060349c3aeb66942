//! Serializes this client's JSON-RPC messages.

use bytes::Bytes;
use mooring_jsonrpc::JsonObject;

/// Serializes a request. `meta` is the content of `_meta`, and `token` requests progress.
pub(crate) fn write_request(
    id: u64,
    method: &'static str,
    params: Option<&JsonObject>,
    meta: Option<&JsonObject>,
    token: Option<u64>,
) -> Bytes {
    let members = params.map_or("", JsonObject::members);
    let meta = meta.map_or("", JsonObject::members);
    let mut text = String::with_capacity(members.len() + meta.len() + method.len() + 96);
    let number = id.to_string();
    text.extend([r#"{"jsonrpc":"2.0","id":"#, &number, r#","method":""#, method, "\""]);
    let has_meta = !meta.is_empty() || token.is_some();
    if has_meta || !members.is_empty() {
        text.extend([r#","params":{"#, members]);
        if has_meta {
            text.push_str(if members.is_empty() { r#""_meta":{"# } else { r#","_meta":{"# });
            text.push_str(meta);
            if token.is_some() {
                let comma = if meta.is_empty() { "" } else { "," };
                text.extend([comma, r#""progressToken":"#, &number]);
            }
            text.push('}');
        }
        text.push('}');
    }
    text.push('}');
    text.into()
}

pub(crate) fn write_notification(method: &'static str, params: Option<&JsonObject>) -> Bytes {
    let message = JsonObject::new().text("jsonrpc", "2.0").text("method", method);
    match params {
        Some(params) => message.object("params", params),
        None => message,
    }
    .whole()
    .into()
}

/// Serializes a response. `id` is JSON text, `outcome` a result as JSON text, or an error's code and message.
pub(crate) fn write_answer(id: &str, outcome: Result<&str, (i64, &str)>) -> Bytes {
    let answer = JsonObject::new().text("jsonrpc", "2.0").raw("id", id);
    match outcome {
        Ok(result) => answer.json("result", result),
        Err((code, message)) => {
            answer.object("error", &JsonObject::new().number("code", code).text("message", message))
        }
    }
    .whole()
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_carries_params_and_progress_token_only_if_present() {
        let check = |members: Option<JsonObject>, meta: Option<JsonObject>, token, expected: &str| {
            assert_eq!(write_request(7, "m", members.as_ref(), meta.as_ref(), token), expected);
        };
        check(None, None, None, r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#);
        check(
            Some(JsonObject::new().number("a", 1)),
            None,
            None,
            r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1}}"#,
        );
        check(
            None,
            None,
            Some(7),
            r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"_meta":{"progressToken":7}}}"#,
        );
        check(
            Some(JsonObject::new().number("a", 1)),
            Some(JsonObject::new().number("v", 2)),
            Some(7),
            r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1,"_meta":{"v":2,"progressToken":7}}}"#,
        );
    }
}
