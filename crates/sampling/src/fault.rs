//! Why a provider gives no answer: what it says of it, in any of the forms that providers have.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::RETRY_AFTER;
use mooring_models::{ModelError, by_status, error_words};
use serde_json::Value;

/// Longest time that a provider may name until which it takes no requests: what is longer is shown as this.
const LONGEST_REST: Duration = Duration::from_hours(24 * 7);

pub(crate) fn unreachable(error: reqwest::Error) -> ModelError {
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

/// What a response says that is no answer.
pub(crate) fn by_response(status: u16, headers: &HeaderMap, body: &[u8]) -> ModelError {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_as_seconds_or_date_and_bounded() {
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
