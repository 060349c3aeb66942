//! Parses the errors of providers, which have various formats.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::RETRY_AFTER;
use mooring_models::{ModelError, error_from_status, error_message};
use serde_json::Value;

/// Longest `Retry-After` that is shown. A longer one is shortened to this.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(24 * 7);

pub(crate) fn connection_error(error: reqwest::Error) -> ModelError {
    if error.is_timeout() {
        return ModelError::TimedOut;
    }
    // The innermost cause says what happened. The URL is left out, because the person knows it.
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    ModelError::Unreachable(cause.to_string())
}

/// Parses the error in a response with a status other than 2xx.
pub(crate) fn error_from_response(status: u16, headers: &HeaderMap, body: &[u8]) -> ModelError {
    let after =
        headers.get(RETRY_AFTER).and_then(|after| parse_retry_after(after.to_str().ok()?, SystemTime::now()));
    let text = String::from_utf8_lossy(body).into_owned();
    let Ok(value) = serde_json::from_str::<Value>(&text) else {
        return error_from_status(status, after, text);
    };
    // Google wraps errors in a list if the request was for events.
    let value = value.get(0).cloned().unwrap_or(value);
    let error = value.get("error").unwrap_or(&value);
    let message = error_message(&value).unwrap_or(text);
    let code = error.get("code").and_then(Value::as_str);
    // The provider refuses the content. The key and the request's format are valid.
    if matches!(code, Some("content_filter" | "content_policy_violation" | "ResponsibleAIPolicyViolation")) {
        return ModelError::Blocked(message);
    }
    let details = error.get("details").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let detail = |name: &str| details.iter().find_map(|detail| detail.get(name)?.as_str());
    if detail("reason") == Some("API_KEY_INVALID") {
        return ModelError::Unauthorized(message);
    }
    let after = after.or_else(|| parse_seconds(detail("retryDelay")?.strip_suffix('s')?));
    error_from_status(status, after, message)
}

/// Parses `Retry-After`, which is a number of seconds or a date.
fn parse_retry_after(text: &str, now: SystemTime) -> Option<Duration> {
    let text = text.trim();
    let until = || Some(httpdate::parse_http_date(text).ok()?.duration_since(now).unwrap_or_default());
    parse_seconds(text).or_else(until).map(|rest| rest.min(MAX_RETRY_AFTER))
}

/// Parses seconds, with or without a fraction. Rounds up.
fn parse_seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)?;
    Duration::try_from_secs_f64(seconds.ceil().min(MAX_RETRY_AFTER.as_secs_f64())).ok()
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
            // The date is in the past.
            ("Wed, 21 Oct 2026 07:27:30 GMT", Some(0)),
            ("Wednesday, 21-Oct-26 07:29:00 GMT", Some(60)),
            ("99999999999999999999", Some(MAX_RETRY_AFTER.as_secs())),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(MAX_RETRY_AFTER.as_secs())),
            ("-5", None),
            ("NaN", None),
            ("inf", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(parse_retry_after(text, now), expected.map(Duration::from_secs), "{text}");
        }
    }
}
