//! Why a provider gives no answer: what it says of it, in any of the forms that providers have.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::RETRY_AFTER;
use mooring_words::{Sentence, say};
use serde_json::Value;

use super::reply::MOST_ANSWER;

/// Longest time that a provider may name until which it takes no requests: what is longer is shown as this.
const LONGEST_REST: Duration = Duration::from_hours(24 * 7);

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ModelError {
    /// The key is missing or wrong.
    Unauthorized(String),
    /// The key is good, and does not allow this.
    Forbidden(String),
    /// There is no such model, or nothing at this address.
    NotFound(String),
    /// Too many requests.
    Limited { after: Option<Duration>, said: String },
    /// It has too much to do.
    Overloaded(String),
    /// It does not take this request.
    Rejected(String),
    /// Another status.
    Status { status: u16, said: String },
    /// The model, or what watches it, does not want to answer.
    Blocked(String),
    /// The answer is not in the provider's format.
    Malformed(String),
    /// The answer ended before its end.
    Cut,
    /// The answer is too long.
    TooLong,
    /// It has more tokens than were allowed (SAMP-05).
    OverLimit { most: u32, written: u64 },
    /// Nothing came for too long.
    Late,
    /// It was not reached.
    Unreachable(String),
    /// It has no way to be asked this.
    CannotCarry(Sentence),
}

impl ModelError {
    /// In words of ours, with the provider's as a value.
    pub(crate) fn sentence(&self) -> Sentence {
        match self {
            Self::Unauthorized(said) => say!("the provider did not accept the key: {said}", said),
            Self::Forbidden(said) => say!("the provider does not allow this: {said}", said),
            Self::NotFound(said) => say!("the provider has no such model or address: {said}", said),
            Self::Limited { after: Some(after), said } => say!(
                "the provider takes no more requests for {seconds} s: {said}",
                seconds = after.as_secs(),
                said
            ),
            Self::Limited { after: None, said } => {
                say!("the provider takes no more requests for now: {said}", said)
            }
            Self::Overloaded(said) => say!("the provider has too much to do: {said}", said),
            Self::Rejected(said) => say!("the provider does not take this request: {said}", said),
            Self::Status { status, said } => {
                say!("the provider answered with HTTP status {status}: {said}", status = *status, said)
            }
            Self::Blocked(said) => say!("the model declined to answer: {said}", said),
            Self::Malformed(said) => say!("the provider's answer cannot be read: {said}", said),
            Self::Cut => say!("the answer ended before its end"),
            Self::TooLong => {
                say!("the model's answer is longer than {limit} MiB", limit = MOST_ANSWER >> 20)
            }
            Self::OverLimit { most, written } => say!(
                "the model wrote {written} tokens, and the server allowed {most}",
                written = *written,
                most = *most
            ),
            Self::Late => say!("the provider did not answer in time"),
            Self::Unreachable(why) => say!("the provider was not reached: {why}", why),
            Self::CannotCarry(what) => what.clone(),
        }
    }
}

pub(super) fn unreachable(error: reqwest::Error) -> ModelError {
    if error.is_timeout() {
        return ModelError::Late;
    }
    // The innermost cause says what happened; the address is the person's own and known.
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    ModelError::Unreachable(cause.to_string())
}

pub(super) fn by_status(status: u16, after: Option<Duration>, said: String) -> ModelError {
    match status {
        401 => ModelError::Unauthorized(said),
        403 => ModelError::Forbidden(said),
        404 => ModelError::NotFound(said),
        429 => ModelError::Limited { after, said },
        503 | 529 => ModelError::Overloaded(said),
        400 | 413 | 422 => ModelError::Rejected(said),
        status => ModelError::Status { status, said },
    }
}

/// What a response says that is no answer.
pub(super) fn by_response(status: u16, headers: &HeaderMap, body: &[u8]) -> ModelError {
    let after = headers.get(RETRY_AFTER).and_then(|after| rest(after.to_str().ok()?, SystemTime::now()));
    let text = String::from_utf8_lossy(body).into_owned();
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return by_status(status, after, text) };
    // Google's errors come in a list where events were asked for.
    let value = value.get(0).cloned().unwrap_or(value);
    let error = value.get("error").unwrap_or(&value);
    let said = error_words(&value).unwrap_or(text);
    let code = error.get("code").and_then(Value::as_str);
    // What was asked is what is not wanted; the key and the form are good.
    if matches!(code, Some("content_filter" | "content_policy_violation" | "ResponsibleAIPolicyViolation")) {
        return ModelError::Blocked(said);
    }
    let details = error.get("details").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let detail = |name: &str| details.iter().find_map(|detail| detail.get(name)?.as_str());
    if detail("reason") == Some("API_KEY_INVALID") {
        return ModelError::Unauthorized(said);
    }
    let after = after.or_else(|| seconds(detail("retryDelay")?.strip_suffix('s')?));
    by_status(status, after, said)
}

/// How long `Retry-After` says: seconds, or a date.
fn rest(text: &str, now: SystemTime) -> Option<Duration> {
    let text = text.trim();
    let until = || Some(httpdate::parse_http_date(text).ok()?.duration_since(now).unwrap_or_default());
    seconds(text).or_else(until).map(|rest| rest.min(LONGEST_REST))
}

/// Seconds, with or without a fraction; what is begun counts as whole.
fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)?;
    Duration::try_from_secs_f64(seconds.ceil().min(LONGEST_REST.as_secs_f64())).ok()
}

/// The words of an error that came as JSON.
pub(super) fn error_words(value: &Value) -> Option<String> {
    let error = value.get("error").unwrap_or(value);
    let said = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let words = error.as_str().map(str::to_owned);
    let words = words.or_else(|| said(error, "message")).or_else(|| said(value, "message"));
    // As frameworks of web servers say what they do not let in.
    let words = words.or_else(|| said(value, "detail"))?;
    // OpenRouter says only that somebody else failed; what that one said of it is beside it, in a form of its own.
    let raw = error.get("metadata").and_then(|metadata| said(metadata, "raw"));
    let raw = raw.map(|raw| {
        let read = serde_json::from_str(&raw).ok().and_then(|raw: Value| plain_words(&raw));
        read.unwrap_or(raw)
    });
    Some(raw.map_or_else(|| words.clone(), |raw| format!("{words}: {raw}")))
}

fn plain_words(value: &Value) -> Option<String> {
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
            // What somebody behind it said, in words or in a form of its own.
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
            assert_eq!(error_words(&error).as_deref(), words, "{error}");
        }
    }

    #[test]
    fn the_time_until_the_next_request_is_read_as_seconds_or_as_a_date_and_is_bounded() {
        let now = httpdate::parse_http_date("Wed, 21 Oct 2026 07:28:00 GMT").unwrap();
        for (text, expected) in [
            ("20", Some(20)),
            (" 7 ", Some(7)),
            ("0", Some(0)),
            ("1.2", Some(2)),
            ("Wed, 21 Oct 2026 07:28:30 GMT", Some(30)),
            // It is over.
            ("Wed, 21 Oct 2026 07:27:30 GMT", Some(0)),
            ("Wednesday, 21-Oct-26 07:29:00 GMT", Some(60)),
            ("99999999999999999999", Some(LONGEST_REST.as_secs())),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(LONGEST_REST.as_secs())),
            ("-5", None),
            ("NaN", None),
            ("inf", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(rest(text, now), expected.map(Duration::from_secs), "{text}");
        }
    }
}
