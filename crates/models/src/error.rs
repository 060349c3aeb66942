//! The reasons why a model gives no answer.

use std::time::Duration;

use mooring_words::{Sentence, say};
use serde_json::Value;

/// The most bytes of an answer.
pub const MAX_ANSWER_BYTES: usize = 4 << 20;

/// Why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelError {
    /// The key is missing or wrong.
    Unauthorized(String),
    /// The key is valid, but does not allow the request.
    Forbidden(String),
    /// The model does not exist, or there is nothing at this URL.
    NotFound(String),
    /// Too many requests.
    RateLimited {
        /// The time until the provider accepts requests again (`Retry-After`).
        after: Option<Duration>,
        /// The provider's message.
        message: String,
    },
    /// The provider is overloaded.
    Overloaded(String),
    /// The provider rejected the request as invalid.
    Rejected(String),
    /// Another status.
    Status {
        /// The HTTP status.
        status: u16,
        /// The provider's message.
        message: String,
    },
    /// The model or its content filter refused to answer.
    Blocked(String),
    /// The answer is not in the provider's format.
    Malformed(String),
    /// The stream ended before the answer was complete.
    Truncated,
    /// The answer is too long.
    TooLong,
    /// The answer has more tokens than allowed (SAMP-05).
    OverLimit {
        /// The allowed number of tokens.
        most: u32,
        /// The number of tokens that the model wrote.
        written: u64,
    },
    /// Nothing was received for too long.
    TimedOut,
    /// The connection failed.
    Unreachable(String),
    /// The provider's API has no way to express the request.
    Unsupported(Sentence),
}

impl ModelError {
    /// The message that is shown.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Unauthorized(said) => say!("the provider didn’t accept the key: {said}", said),
            Self::Forbidden(said) => say!("the provider doesn’t allow this: {said}", said),
            Self::NotFound(said) => say!("the provider has no such model or URL: {said}", said),
            Self::RateLimited { after: Some(after), message: said } => say!(
                "the provider accepts no more requests for {seconds} s: {said}",
                seconds = after.as_secs(),
                said
            ),
            Self::RateLimited { after: None, message: said } => {
                say!("the provider accepts no more requests for now: {said}", said)
            }
            Self::Overloaded(said) => say!("the provider is overloaded: {said}", said),
            Self::Rejected(said) => say!("the provider doesn’t accept this request: {said}", said),
            Self::Status { status, message: said } => {
                say!("the provider answered with HTTP status {status}: {said}", status = *status, said)
            }
            Self::Blocked(said) => say!("the model declined to answer: {said}", said),
            Self::Malformed(said) => say!("the provider’s answer can’t be read: {said}", said),
            Self::Truncated => say!("the answer was cut off"),
            Self::TooLong => {
                say!("the model’s answer is longer than {limit} MiB", limit = MAX_ANSWER_BYTES >> 20)
            }
            Self::OverLimit { most, written } => say!(
                "the model wrote {written} tokens, but the server allowed {most}",
                written = *written,
                most = *most
            ),
            Self::TimedOut => say!("the provider didn’t answer in time"),
            Self::Unreachable(why) => say!("the provider couldn’t be reached: {why}", why),
            Self::Unsupported(what) => what.clone(),
        }
    }
}

/// Converts an HTTP status to an error. `said` is the provider's message.
pub fn error_from_status(status: u16, after: Option<Duration>, said: String) -> ModelError {
    match status {
        401 => ModelError::Unauthorized(said),
        403 => ModelError::Forbidden(said),
        404 => ModelError::NotFound(said),
        429 => ModelError::RateLimited { after, message: said },
        503 | 529 => ModelError::Overloaded(said),
        400 | 413 | 422 => ModelError::Rejected(said),
        status => ModelError::Status { status, message: said },
    }
}

/// The message of an error in JSON.
pub fn error_message(value: &Value) -> Option<String> {
    let error = value.get("error").unwrap_or(value);
    let field = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let words = error.as_str().map(str::to_owned);
    let words = words.or_else(|| field(error, "message")).or_else(|| field(value, "message"));
    // Web frameworks report errors in this form.
    let words = words.or_else(|| field(value, "detail"))?;
    // OpenRouter only says that another provider failed. The message of that provider is in `metadata.raw`,
    // in its own format.
    let raw = error.get("metadata").and_then(|metadata| field(metadata, "raw"));
    let raw = raw.map(|raw| {
        let read = serde_json::from_str(&raw).ok().and_then(|raw: Value| read_inner_message(&raw));
        read.unwrap_or(raw)
    });
    Some(raw.map_or_else(|| words.clone(), |raw| format!("{words}: {raw}")))
}

fn read_inner_message(value: &Value) -> Option<String> {
    let error = value.get("error").unwrap_or(value);
    error.get("message").unwrap_or(error).as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_words_of_an_error_are_found_in_whatever_form_it_has() {
        let other = r#"{"error":{"message":"Slow down","code":9}}"#;
        for (error, words) in [
            (json!({ "error": { "message": "No" } }), Some("No")),
            (json!({ "error": "No" }), Some("No")),
            (json!({ "object": "error", "message": "No" }), Some("No")),
            (json!({ "error": {}, "message": "No" }), Some("No")),
            (json!({ "detail": "No" }), Some("No")),
            // The message of the provider behind the API, as text or in its own format.
            (
                json!({ "error": { "message": "No", "metadata": { "raw": "Slow down" } } }),
                Some("No: Slow down"),
            ),
            (json!({ "error": { "message": "No", "metadata": { "raw": other } } }), Some("No: Slow down")),
            (json!({ "error": { "message": "No", "metadata": { "raw": "{}" } } }), Some("No: {}")),
            (json!({ "error": { "message": "No", "metadata": { "raw": null } } }), Some("No")),
            (json!({ "detail": [{ "msg": "No" }] }), None),
            (json!({}), None),
        ] {
            assert_eq!(error_message(&error).as_deref(), words, "{error}");
        }
    }
}
