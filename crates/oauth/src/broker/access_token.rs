//! An access token in use.

use super::{LoginId, StoredLogin};
use crate::clock::Clock;
use crate::dpop::DpopKey;
use crate::error::Error;
use crate::token::{TokenType, authorization_headers};
use http::{HeaderMap, Method};
use mooring_words::say;
use secrecy::SecretString;
use std::time::SystemTime;
use url::Url;

/// An access token for one server.
#[derive(Debug, Clone)]
pub struct AccessToken {
    /// The token.
    pub token: SecretString,
    /// The scheme with which the token is sent.
    pub token_type: TokenType,
    /// The token's scopes. `None` if the server did not say.
    pub scopes: Option<Vec<String>>,
    /// When the token expires. `None` if the server did not say.
    pub expires_at: Option<SystemTime>,
    /// The version of the token's login ([`StoredLogin::version`]).
    pub version: u64,
    pub(super) received_at: SystemTime,
    dpop: Option<DpopKey>,
    resource: String,
    clock: Clock,
}

impl AccessToken {
    pub(super) fn new(login: &LoginId, stored: StoredLogin, clock: Clock) -> Self {
        Self {
            token: stored.tokens.access,
            token_type: stored.tokens.token_type,
            scopes: stored.tokens.scopes,
            expires_at: stored.tokens.expires_at,
            version: stored.version,
            received_at: stored.tokens.received_at,
            dpop: stored.dpop,
            resource: login.resource.clone(),
            clock,
        }
    }

    /// The headers that authorize one request: `Authorization`, and `DPoP` if the token is used as bound to
    /// its key. Fails for a URL of another origin than the server's.
    pub fn headers(&self, method: &Method, url: &Url, shown_as: TokenType) -> Result<HeaderMap, Error> {
        let ours = Url::parse(&self.resource).is_ok_and(|resource| resource.origin() == url.origin());
        if !ours {
            return Err(Error::Refused(say!(
                "the token is for {resource} and isn’t sent to any other server",
                resource = &self.resource
            )));
        }
        authorization_headers(&self.token, shown_as, self.dpop.as_ref(), method, url, &self.clock)
    }

    /// Whether the server wants the same request again with new headers (RFC 9449 §9). Call this for every
    /// response, because each may have the next nonce, but retry a request at most once.
    pub fn needs_retry_with_nonce(&self, url: &Url, status: u16, headers: &HeaderMap) -> bool {
        self.dpop.as_ref().is_some_and(|dpop| dpop.needs_retry_with_nonce(url, status, headers))
    }
}
