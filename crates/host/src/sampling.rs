//! What servers want a model to say (`sampling/createMessage`), and the model that is none.

pub(crate) mod desk;

use mooring_mcp::Refusal;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::excerpt;

/// How the practice model is called in its answers.
const PRACTICE: &str = "mooring-practice";
/// Bytes of a message that are repeated.
const LONGEST: usize = 1 << 10;

/// What a server asks a model.
#[derive(Debug, Deserialize)]
pub(crate) struct SamplingRequest {
    #[serde(default)]
    messages: Vec<Value>,
    /// How long the answer may be.
    #[serde(default, rename = "maxTokens")]
    max_tokens: Option<f64>,
}

impl SamplingRequest {
    pub(crate) fn read(params: &RawValue) -> Result<Self, Refusal> {
        let refused = || Refusal { code: -32602, message: "Invalid params".to_owned() };
        // Parameters may be an array in JSON-RPC; here they are never one.
        if !params.get().starts_with('{') {
            return Err(refused());
        }
        serde_json::from_str(params.get()).map_err(|_| refused())
    }

    /// The texts of the last message.
    pub(crate) fn last(&self) -> String {
        let content = self.messages.last().and_then(|message| message.get("content"));
        let blocks = match content {
            Some(Value::Array(blocks)) => blocks.as_slice(),
            Some(block) => std::slice::from_ref(block),
            None => &[],
        };
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
        excerpt::start(texts.join(" "), LONGEST)
    }

    /// The answer of the practice model: what was asked, and that no model has read it. It works without any network and
    /// takes a word for a token.
    pub(crate) fn practise(&self) -> Box<RawValue> {
        let words = format!(
            "This is Mooring's practice model: no model has read this. Messages: {}. The last one says: {}",
            self.messages.len(),
            self.last()
        );
        let most = self.max_tokens.filter(|most| most.is_finite()).unwrap_or(f64::MAX);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        let most = most.max(0.0) as usize;
        let all: Vec<&str> = words.split(' ').collect();
        let (text, reason) = match all.get(..most) {
            Some(some) if some.len() < all.len() => (some.join(" "), "maxTokens"),
            _ => (words, "endTurn"),
        };
        let result = json!({
            "role": "assistant",
            "content": { "type": "text", "text": text },
            "model": PRACTICE,
            "stopReason": reason,
        });
        // A JSON value can always be written.
        to_raw_value(&result).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn practised(params: &Value) -> Value {
        let params = RawValue::from_string(params.to_string()).unwrap();
        serde_json::from_str(SamplingRequest::read(&params).unwrap().practise().get()).unwrap()
    }

    // Requirements: SAMP-05, SAMP-09.
    #[test]
    fn the_practice_model_says_what_it_is_and_no_more_than_it_may() {
        let text = |text: &str| json!({ "type": "text", "text": text });
        let messages = json!([
            { "role": "user", "content": text("one") },
            { "role": "user", "content": [text("two"), { "type": "image", "data": "" }, text("three")] },
        ]);
        let result = practised(&json!({ "messages": messages, "maxTokens": 100 }));
        let words = result["content"]["text"].as_str().unwrap();
        assert!(words.ends_with("Messages: 2. The last one says: two three"), "{words}");
        assert_eq!(result["stopReason"], "endTurn");
        for most in [0, 1, 5] {
            let result = practised(&json!({ "messages": messages, "maxTokens": most }));
            let words = result["content"]["text"].as_str().unwrap();
            assert_eq!(words.split_whitespace().count(), most, "{words}");
            assert_eq!(result["stopReason"], "maxTokens");
        }
        let result = practised(&json!({}));
        assert!(result["content"]["text"].as_str().unwrap().contains("Messages: 0."));
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for params in ["[]", r#"{"messages":{}}"#, r#"{"messages":[],"maxTokens":"1"}"#] {
            let params = RawValue::from_string(params.to_owned()).unwrap();
            assert_eq!(SamplingRequest::read(&params).unwrap_err().code, -32602);
        }
    }
}
