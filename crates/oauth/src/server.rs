//! Metadata of an authorization server.

use crate::error::Error;
use mooring_words::say;
use serde::{Deserialize, Serialize};
use url::Url;

/// The parts of an authorization server's metadata (RFC 8414 §2, OpenID Connect Discovery 1.0 §3) that are
/// used. Endpoints are validated: https, or http to a loopback address, no user information and no fragment.
///
/// Its serde form is only for our own storage. Foreign documents go through discovery, which validates them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuthorizationServer {
    /// Compared byte for byte, never normalised (RFC 8414 §3.3, RFC 9207 §2.4).
    pub issuer: String,
    /// URL of the sign-in page.
    pub authorization_endpoint: Option<Url>,
    /// Endpoint for pushed authorization requests (RFC 9126 §5).
    pub pushed_authorization_request_endpoint: Option<Url>,
    /// Whether it takes no request for a code in another way (RFC 9126 §5).
    pub require_pushed_authorization_requests: bool,
    /// Endpoint for exchanging codes and refresh tokens.
    pub token_endpoint: Option<Url>,
    /// Endpoint for dynamic client registration (RFC 7591).
    pub registration_endpoint: Option<Url>,
    /// Endpoint for revoking tokens (RFC 7009).
    pub revocation_endpoint: Option<Url>,
    /// Who has signed in (OpenID Connect Core §5.3).
    pub userinfo_endpoint: Option<Url>,
    /// `None` if the server does not say.
    pub scopes_supported: Option<Vec<String>>,
    /// `None` if the server does not say. The default is then `authorization_code`.
    pub grant_types_supported: Option<Vec<String>>,
    /// `None` if the server does not say. The default is then `client_secret_basic`.
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// Algorithms of assertions for `private_key_jwt`. Nothing when it does not say.
    pub token_endpoint_auth_signing_alg_values_supported: Option<Vec<String>>,
    /// `None` if the server does not say, which means no PKCE.
    pub code_challenge_methods_supported: Option<Vec<String>>,
    /// The supported values of `prompt` (OpenID Connect Prompt Create §4.1). `None` if the server does not
    /// say.
    pub prompt_values_supported: Option<Vec<String>>,
    /// Whether answers carry `iss` (RFC 9207 §3).
    pub authorization_response_iss_parameter_supported: bool,
    /// Whether a URL may be a client's id (OAuth Client ID Metadata Document).
    pub client_id_metadata_document_supported: bool,
    /// Algorithms of DPoP proofs (RFC 9449 §5.1).
    pub dpop_signing_alg_values_supported: Option<Vec<String>>,
    /// The endpoints are those that the revision of 2025-03-26 falls back to: there is no metadata at all, so that PKCE
    /// cannot be announced.
    pub assumed: bool,
}

impl AuthorizationServer {
    /// Checks that an authorization code can be requested here: only with PKCE by S256, which the metadata
    /// must announce. Without any metadata it can't be announced, and S256 is used anyway.
    pub fn check_pkce(&self) -> Result<(), Error> {
        if self.assumed {
            return Ok(());
        }
        match &self.code_challenge_methods_supported {
            Some(methods) if methods.iter().any(|method| method == "S256") => Ok(()),
            Some(_) => Err(Error::Refused(say!(
                "{issuer} doesn’t offer PKCE with S256",
                issuer = self.issuer.clone()
            ))),
            None => Err(Error::PkceUnannounced(say!(
                "{issuer} doesn’t say that it supports PKCE (code_challenge_methods_supported is missing)",
                issuer = self.issuer.clone()
            ))),
        }
    }

    /// Like [`Self::check_pkce`], but if the person has `allowed` it, metadata that does not mention PKCE
    /// passes too. PKCE is used in any case.
    pub fn check_pkce_or(&self, allowed: bool) -> Result<(), Error> {
        if allowed && self.code_challenge_methods_supported.is_none() { Ok(()) } else { self.check_pkce() }
    }
}
