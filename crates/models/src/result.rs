//! The result of `sampling/createMessage`.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::reply::Reply;

/// The result for a server. Up to 2025-06-18, its content is one block. `several` says that the server
/// accepts several blocks, as in revisions with tools or rounds (SAMP-09).
pub fn sampling_result(reply: &Reply, content: &[Value], several: bool) -> Box<RawValue> {
    let content = match content {
        [one] => one.clone(),
        all if several => Value::Array(all.to_vec()),
        all => join_content(all),
    };
    let mut result = json!({
        "role": "assistant",
        "content": content,
        "model": reply.model.as_deref().unwrap_or("unknown"),
    });
    if let Some(reason) = &reply.stop_reason {
        result["stopReason"] = reason.as_str().into();
    }
    // A JSON value can always be serialized.
    to_raw_value(&result).unwrap_or_default()
}

/// Joins all texts to one block. Returns the first block if there are no texts.
fn join_content(content: &[Value]) -> Value {
    let texts: Vec<&str> = content.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    match content.first() {
        Some(first) if texts.is_empty() => first.clone(),
        _ => json!({ "type": "text", "text": texts.join("\n") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SAMP-09.
    #[test]
    fn content_is_one_block_or_several_as_the_server_takes_it() {
        let reply = Reply::for_model("m");
        let read = |content: &[Value], several| {
            let result: Value =
                serde_json::from_str(sampling_result(&reply, content, several).get()).unwrap();
            result["content"].clone()
        };
        let text = |text: &str| json!({ "type": "text", "text": text });
        let image = json!({ "type": "image", "data": "", "mimeType": "image/png" });
        assert_eq!(read(&[text("a")], false), text("a"));
        assert_eq!(read(&[text("a")], true), text("a"));
        assert_eq!(read(&[text("a"), image.clone()], true), json!([text("a"), image]));
        assert_eq!(read(&[text("a"), image.clone(), text("b")], false), text("a\nb"));
        assert_eq!(read(&[image.clone(), image.clone()], false), image);
    }
}
