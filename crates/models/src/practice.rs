//! The practice model works offline, echoes the request, and counts a word as a token. It involves no AI.

use crate::error::ModelError;
use crate::reply::{Reply, Usage};
use crate::request::SamplingRequest;

/// The model's name in its answers.
pub const PRACTICE_MODEL: &str = "mooring-practice";

impl SamplingRequest {
    /// The answer of the practice model.
    pub fn practice_reply(&self) -> Result<Reply, ModelError> {
        let words = format!(
            "This is Mooring's practice model: no model has read this. Messages: {}. The last one says: {}",
            self.messages.len(),
            self.last_text()
        );
        let most = usize::try_from(self.max_tokens).unwrap_or(usize::MAX);
        let all: Vec<&str> = words.split(' ').collect();
        let (text, reason) = match all.get(..most) {
            Some(some) if some.len() < all.len() => (some.join(" "), "maxTokens"),
            _ => (words.clone(), "endTurn"),
        };
        let written = text.split_whitespace().count();
        let mut reply = Reply::for_model(PRACTICE_MODEL);
        reply.push_text(&text)?;
        reply.stop_reason = Some(reason.to_owned());
        reply.usage = Some(Usage {
            input: u64::from(self.estimated_tokens()),
            output: u64::try_from(written).unwrap_or(u64::MAX),
        });
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;
    use serde_json::{Value, json};

    fn practised(params: &Value) -> Value {
        let params = RawValue::from_string(params.to_string()).unwrap();
        let reply = SamplingRequest::read(&params).unwrap().practice_reply().unwrap();
        serde_json::from_str(crate::result::sampling_result(&reply, &reply.content(), false).get()).unwrap()
    }

    // Requirements: SAMP-05, SAMP-09.
    #[test]
    fn the_practice_model_says_what_it_is_and_no_more_than_it_may() {
        let text = |text: &str| json!({ "type": "text", "text": text });
        let messages = json!([
            { "role": "user", "content": text("one") },
            { "role": "user", "content": [text("two"), { "type": "image", "data": "", "mimeType": "image/png" }, text("three")] },
        ]);
        let result = practised(&json!({ "messages": messages, "maxTokens": 100 }));
        let words = result["content"]["text"].as_str().unwrap();
        assert!(words.ends_with("Messages: 2. The last one says: two three"), "{words}");
        assert_eq!((&result["stopReason"], &result["model"]), (&json!("endTurn"), &json!(PRACTICE_MODEL)));
        for most in [0, 1, 5] {
            let result = practised(&json!({ "messages": messages, "maxTokens": most }));
            let words = result["content"]["text"].as_str().unwrap();
            assert_eq!(words.split_whitespace().count(), most, "{words}");
            assert_eq!(result["stopReason"], "maxTokens");
        }
        let result = practised(&json!({}));
        assert!(result["content"]["text"].as_str().unwrap().contains("Messages: 0."));
    }
}
