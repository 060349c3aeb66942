//! An access token in use.

use super::{Kept, Login};
use crate::clock::Clock;
use crate::dpop::Dpop;
use crate::error::Error;
use crate::token::{TokenType, authorization};
use http::{HeaderMap, Method};
use mooring_words::say;
use secrecy::SecretString;
use std::time::SystemTime;
use url::Url;

/// An access token for one server.
#[derive(Debug, Clone)]
pub struct Access {
    /// The token.
    pub token: SecretString,
    /// How it is shown.
    pub token_type: TokenType,
    /// What it allows; nothing when the server did not say.
    pub scopes: Option<Vec<String>>,
    /// When it ends; nothing when the server did not say.
    pub expires_at: Option<SystemTime>,
    /// The version of the login that it is of ([`Kept::version`]).
    pub version: u64,
    pub(super) received_at: SystemTime,
    dpop: Option<Dpop>,
    resource: String,
    clock: Clock,
}

impl Access {
    pub(super) fn new(login: &Login, kept: Kept, clock: Clock) -> Self {
        Self {
            token: kept.tokens.access,
            token_type: kept.tokens.token_type,
            scopes: kept.tokens.scopes,
            expires_at: kept.tokens.expires_at,
            version: kept.version,
            received_at: kept.tokens.received_at,
            dpop: kept.dpop,
            resource: login.resource.clone(),
            clock,
        }
    }

    /// The headers that show it to its server with one request: `Authorization`, and `DPoP` where it is bound to a key.
    /// An address of another origin than the server's gets none.
    pub fn headers(&self, method: &Method, url: &Url) -> Result<HeaderMap, Error> {
        let ours = Url::parse(&self.resource).is_ok_and(|resource| resource.origin() == url.origin());
        if !ours {
            return Err(Error::Refused(say!(
                "the token is for {resource}, and no other server gets it",
                resource = &self.resource
            )));
        }
        authorization(&self.token, self.token_type, self.dpop.as_ref(), method, url, &self.clock)
    }

    /// Whether the server wants the same request once more, with new headers (RFC 9449 §9). To be shown every answer,
    /// because each may bring the next nonce, and heeded at most once for each request.
    pub fn asks_again(&self, url: &Url, status: u16, headers: &HeaderMap) -> bool {
        self.dpop.as_ref().is_some_and(|dpop| dpop.asks_again(url, status, headers))
    }
}
