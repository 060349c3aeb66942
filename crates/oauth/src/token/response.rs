//! Reads the response of a token endpoint, as leniently as is safe (RFC 6749 §5, OAuth 2.1 §3.2).

use super::{TokenSet, TokenType, error_code};
use crate::error::{Error, ServerMessage};
use crate::http::Response;
use crate::json_fields::read_error_description;
use crate::json_fields::sanitize;
use crate::scopes::split_scope_text;
use mooring_words::say;
use secrecy::SecretString;
use serde_json::{Map, Value};
use std::time::{Duration, SystemTime};

/// The longest access or refresh token, in bytes.
const LONGEST_TOKEN: usize = 16 * 1024;
/// The longest ID token, in bytes.
const LONGEST_ID_TOKEN: usize = 64 * 1024;
/// The most scopes of a response, and the longest scope.
const MOST_SCOPES: usize = 500;
const LONGEST_SCOPE: usize = 512;
/// The longest lifetime of a token. A longer lifetime is shortened.
const LONGEST_LIFE: Duration = Duration::from_hours(10 * 365 * 24);

/// The response of a token endpoint.
#[derive(Debug)]
pub(crate) struct TokenResponse {
    /// The tokens.
    pub(crate) tokens: TokenSet,
    /// `issued_token_type` (RFC 8693 §2.2.1).
    pub(crate) issued: Option<String>,
    /// The start of `token_type`, if it is neither `Bearer` nor `DPoP`.
    pub(crate) other_type: Option<String>,
}

/// Reads a response with any content type.
pub(crate) fn parse_response(host: &str, answer: &Response, now: SystemTime) -> Result<TokenResponse, Error> {
    let members = read_members(answer);
    let states_error = members.as_ref().is_some_and(|members| read_refusal(host, members).is_some());
    match members {
        Some(members) if (200..300).contains(&answer.status) && !states_error => {
            parse_tokens(host, &members, now)
        }
        _ => Err(read_error(host, answer)),
    }
}

/// The error in a response without a token.
pub(crate) fn read_error(host: &str, answer: &Response) -> Error {
    let status = answer.status;
    let with_status = || match answer.error_text() {
        Some(words) => {
            say!(
                "{host} answered with HTTP status {status}: “{words}”",
                host,
                status = status.to_string(),
                words
            )
        }
        None => say!("{host} answered with HTTP status {status}", host, status = status.to_string()),
    };
    if answer.is_temporary_failure() {
        return Error::Unreachable(with_status());
    }
    if (300..400).contains(&status) {
        return Error::Refused(say!(
            "{host} answered with a redirect, which isn’t followed with credentials",
            host
        ));
    }
    read_members(answer).and_then(|members| read_refusal(host, &members)).unwrap_or_else(|| {
        Error::Refused(match answer.error_text() {
            Some(_) => with_status(),
            None => say!(
                "{host} answered with HTTP status {status} and nothing that can be read",
                host,
                status = status.to_string()
            ),
        })
    })
}

/// Reads the members of the response, as JSON if it looks like JSON, or else as a form if the content type
/// says so.
fn read_members(answer: &Response) -> Option<Map<String, Value>> {
    let body = answer.body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&answer.body);
    if let Ok(Value::Object(members)) = serde_json::from_slice(body) {
        return Some(members);
    }
    let kind = answer
        .headers
        .get(http::header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let form = kind.trim_start().to_ascii_lowercase().starts_with("application/x-www-form-urlencoded");
    form.then(|| {
        let pairs = url::form_urlencoded::parse(body);
        pairs.map(|(name, value)| (name.into_owned(), Value::String(value.into_owned()))).collect()
    })
}

/// Reads the error in a response with any status.
fn read_refusal(host: &str, members: &Map<String, Value>) -> Option<Error> {
    let code = match members.get("error")? {
        Value::String(code) if code.is_empty() => return None,
        Value::String(code) => error_code(code),
        Value::Null => return None,
        _ => "invalid_answer".to_owned(),
    };
    let ours = say!("{host} answered with the error {code}", host, code = &code);
    let description =
        read_error_description(members).map(|text| sanitize(text, 300)).filter(|words| *words != code);
    let sentence = match &description {
        Some(description) => {
            say!("{host} answered with the error {code}: “{description}”", host, code = &code, description)
        }
        None => ours.clone(),
    };
    Some(match code.as_str() {
        // This is a temporary failure of the server, independent of its status, and not about the grant.
        "server_error" | "temporarily_unavailable" | "slow_down" => Error::Unreachable(sentence),
        _ => {
            let server_message = description.map(|theirs| ServerMessage { ours, theirs });
            Error::ErrorResponse { code, sentence, server_message }
        }
    })
}

fn parse_tokens(host: &str, members: &Map<String, Value>, now: SystemTime) -> Result<TokenResponse, Error> {
    let access = match members.get("access_token") {
        Some(Value::String(token)) if is_header_safe(token) => SecretString::from(token.as_str()),
        None | Some(Value::Null) => {
            return Err(Error::Refused(say!("the answer of {host} contains no access token", host)));
        }
        _ => return Err(Error::Refused(say!("the access token of {host} can’t be sent in a header", host))),
    };
    let (token_type, other_type) = match members.get("token_type") {
        None | Some(Value::Null) => (TokenType::Bearer, None),
        Some(Value::String(kind)) if kind.eq_ignore_ascii_case("bearer") => (TokenType::Bearer, None),
        Some(Value::String(kind)) if kind.eq_ignore_ascii_case("dpop") => (TokenType::Dpop, None),
        Some(Value::String(kind)) => (TokenType::Bearer, Some(sanitize(kind, 40))),
        Some(_) => (TokenType::Bearer, Some("?".to_owned())),
    };
    let tokens = TokenSet {
        access,
        token_type,
        refresh: read_text(members, "refresh_token", LONGEST_TOKEN).map(SecretString::from),
        id_token: read_text(members, "id_token", LONGEST_ID_TOKEN).map(SecretString::from),
        scopes: members.get("scope").and_then(read_scopes),
        expires_at: members.get("expires_in").and_then(read_lifetime).and_then(|life| now.checked_add(life)),
        received_at: now,
    };
    let issued = read_text(members, "issued_token_type", 256).map(str::to_owned);
    Ok(TokenResponse { tokens, issued, other_type })
}

/// Whether a token is visible ASCII, so that it can't break a header or a form.
fn is_header_safe(token: &str) -> bool {
    !token.is_empty() && token.len() <= LONGEST_TOKEN && token.bytes().all(|b| b.is_ascii_graphic())
}

/// Reads a member that is a text of `1*VSCHAR` (RFC 6749 appendix A).
fn read_text<'a>(members: &'a Map<String, Value>, name: &str, longest: usize) -> Option<&'a str> {
    let text = members.get(name)?.as_str()?;
    let fits = !text.is_empty() && text.len() <= longest && text.bytes().all(|b| matches!(b, 0x20..=0x7e));
    fits.then_some(text)
}

/// Reads `expires_in`, which is a number or a text with a number. A negative number counts as 0.
fn read_lifetime(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) if text.len() <= 32 => text.trim().parse::<f64>().ok()?,
        _ => return None,
    };
    if seconds.is_nan() {
        return None;
    }
    let life = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(LONGEST_LIFE);
    Some(life.min(LONGEST_LIFE))
}

/// Reads `scope`, which is a text with names separated by spaces, or a list of names. An empty value counts
/// as missing.
fn read_scopes(value: &Value) -> Option<Vec<String>> {
    let names: Vec<&str> = match value {
        Value::String(text) => split_scope_text(text).collect(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let mut scopes: Vec<String> = Vec::new();
    for name in names {
        let plain = |b: u8| matches!(b, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
        let fits = !name.is_empty() && name.len() <= LONGEST_SCOPE && name.bytes().all(plain);
        if fits && scopes.len() < MOST_SCOPES && !scopes.iter().any(|known| known == name) {
            scopes.push(name.to_owned());
        }
    }
    (!scopes.is_empty()).then_some(scopes)
}
