//! The metadata of an authorization server.

use crate::error::Error;
use mooring_words::say;
use serde::{Deserialize, Serialize};
use url::Url;

/// The parts of an authorization server's metadata (RFC 8414 §2, OpenID Connect Discovery 1.0 §3) that are
/// used. Endpoints are validated: they are https, or http to a loopback address, and have no user information
/// and no fragment.
///
/// The serde form is only for Mooring's own storage. Foreign documents go through discovery, which validates
/// them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuthorizationServer {
    /// The issuer. It is compared byte by byte and never normalized (RFC 8414 §3.3, RFC 9207 §2.4).
    pub issuer: String,
    /// The URL of the sign-in page.
    pub authorization_endpoint: Option<Url>,
    /// The endpoint for pushed authorization requests (RFC 9126 §5).
    pub pushed_authorization_request_endpoint: Option<Url>,
    /// Whether the server accepts only pushed authorization requests (RFC 9126 §5).
    pub require_pushed_authorization_requests: bool,
    /// The endpoint for exchanging codes and refresh tokens.
    pub token_endpoint: Option<Url>,
    /// The endpoint for dynamic client registration (RFC 7591).
    pub registration_endpoint: Option<Url>,
    /// The endpoint for revoking tokens (RFC 7009).
    pub revocation_endpoint: Option<Url>,
    /// The endpoint for information about the user (OpenID Connect Core §5.3).
    pub userinfo_endpoint: Option<Url>,
    /// `None` if the server does not say.
    pub scopes_supported: Option<Vec<String>>,
    /// `None` if the server does not say. The default is then `authorization_code`.
    pub grant_types_supported: Option<Vec<String>>,
    /// `None` if the server does not say. The default is then `client_secret_basic`.
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// The algorithms of assertions for `private_key_jwt`. `None` if the server does not say.
    pub token_endpoint_auth_signing_alg_values_supported: Option<Vec<String>>,
    /// `None` if the server does not say, which means no PKCE.
    pub code_challenge_methods_supported: Option<Vec<String>>,
    /// The supported values of `prompt` (OpenID Connect Prompt Create §4.1). `None` if the server does not
    /// say.
    pub prompt_values_supported: Option<Vec<String>>,
    /// Whether authorization responses have `iss` (RFC 9207 §3).
    pub authorization_response_iss_parameter_supported: bool,
    /// Whether a URL may be a client's id (OAuth Client ID Metadata Document).
    pub client_id_metadata_document_supported: bool,
    /// The algorithms of DPoP proofs (RFC 9449 §5.1).
    pub dpop_signing_alg_values_supported: Option<Vec<String>>,
    /// Whether the endpoints are the defaults of revision 2025-03-26. The server then has no metadata, so it
    /// can't announce PKCE.
    pub assumed: bool,
}

impl AuthorizationServer {
    /// Checks that an authorization code can be requested from this server. This requires PKCE with S256,
    /// which the metadata must announce. A server without metadata can't announce it, and S256 is used
    /// anyway.
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

    /// Like [`Self::check_pkce`]. If the person has `allowed` it, also accepts metadata that does not mention
    /// PKCE. PKCE is used in any case.
    pub fn check_pkce_or(&self, allowed: bool) -> Result<(), Error> {
        if allowed && self.code_challenge_methods_supported.is_none() { Ok(()) } else { self.check_pkce() }
    }
}
