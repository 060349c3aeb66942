//! Tokens from a token endpoint (RFC 6749 §5).

mod endpoint;
mod response;

use crate::clock::Clock;
use crate::dpop::DpopKey;
use crate::error::Error;
use http::Method;
use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use mooring_words::say;
use secrecy::{ExposeSecret, SecretString};
use std::time::{Duration, SystemTime};
use url::Url;

pub(crate) use endpoint::Form;
pub use endpoint::TokenEndpoint;
pub(crate) use response::read_error;

/// The scheme with which an access token is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenType {
    /// A bearer token, which works for anyone who has it (RFC 6750).
    Bearer,
    /// A token that only works together with a proof of its key (RFC 9449).
    Dpop,
}

impl TokenType {
    /// The scheme of the `Authorization` header.
    pub fn scheme(self) -> &'static str {
        match self {
            Self::Bearer => "Bearer",
            Self::Dpop => "DPoP",
        }
    }
}

/// The tokens of a token response.
#[derive(Debug, Clone)]
pub struct TokenSet {
    /// The access token. It has only characters that are valid in a header, and at most 16 KiB.
    pub access: SecretString,
    /// The scheme with which the access token is sent.
    pub token_type: TokenType,
    /// The refresh token. `None` if the server issued none.
    pub refresh: Option<SecretString>,
    /// The ID token. Its signature has not been verified, so it may only be used to display who signed in.
    pub id_token: Option<SecretString>,
    /// `None` if the server does not say, which means the requested or the previous scopes (RFC 6749 §5.1,
    /// §6).
    pub scopes: Option<Vec<String>>,
    /// `None` if the server does not say.
    pub expires_at: Option<SystemTime>,
    /// When the response was received.
    pub received_at: SystemTime,
}

impl TokenSet {
    /// Whether the access token is valid for `time` from `now`, according to its server.
    pub fn is_valid_for(&self, time: Duration, now: SystemTime) -> bool {
        let Some(expires_at) = self.expires_at else { return true };
        now.checked_add(time).is_some_and(|until| until < expires_at)
    }

    /// Completes this set with the previous one. The response to a refresh omits a refresh token, an ID token
    /// and scopes that have not changed (RFC 6749 §6).
    #[must_use]
    pub fn inheriting_from(mut self, before: &Self) -> Self {
        self.refresh = self.refresh.or_else(|| before.refresh.clone());
        self.id_token = self.id_token.or_else(|| before.id_token.clone());
        self.scopes = self.scopes.or_else(|| before.scopes.clone());
        self
    }
}

/// The headers that send an access token with one request.
pub(crate) fn authorization_headers(
    token: &SecretString,
    token_type: TokenType,
    dpop: Option<&DpopKey>,
    method: &Method,
    url: &Url,
    clock: &Clock,
) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    let value = HeaderValue::try_from(format!("{} {}", token_type.scheme(), token.expose_secret()));
    let mut value = value.map_err(|_| Error::Refused(say!("the access token can’t be sent in a header")))?;
    value.set_sensitive(true);
    headers.insert(AUTHORIZATION, value);
    match (token_type, dpop) {
        (TokenType::Bearer, _) => {}
        (TokenType::Dpop, Some(dpop)) => {
            headers.insert(HeaderName::from_static("dpop"), dpop.proof(method, url, Some(token), clock)?);
        }
        (TokenType::Dpop, None) => {
            return Err(Error::Refused(say!("the key that the login is bound to is missing")));
        }
    }
    Ok(headers)
}

/// The code of an OAuth error, or `invalid_answer` if the text can't be a code (RFC 6749 §5.2).
pub(crate) fn error_code(text: &str) -> String {
    let fits = !text.is_empty() && text.len() <= 64;
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':' | b'/');
    if fits && text.bytes().all(plain) { text.to_owned() } else { "invalid_answer".to_owned() }
}
