//! What an authorization server says of itself.

use crate::error::Error;
use mooring_words::say;
use serde::{Deserialize, Serialize};
use url::Url;

/// Metadata of an authorization server (RFC 8414 §2, OpenID Connect Discovery 1.0 §3), as far as it is used. Endpoints
/// have been checked: https, or http to a loopback address, no user information and no fragment.
///
/// Its serde form is for what we keep ourselves; a document of another's comes through discovery, which checks it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuthorizationServer {
    /// Compared byte for byte, never normalised (RFC 8414 §3.3, RFC 9207 §2.4).
    pub issuer: String,
    /// Where the person signs in.
    pub authorization_endpoint: Option<Url>,
    /// Where a request for a code is left before the browser opens (RFC 9126 §5).
    pub pushed_authorization_request_endpoint: Option<Url>,
    /// Whether it takes no request for a code in another way (RFC 9126 §5).
    pub require_pushed_authorization_requests: bool,
    /// Where codes and refresh tokens are exchanged.
    pub token_endpoint: Option<Url>,
    /// Where clients register by themselves (RFC 7591).
    pub registration_endpoint: Option<Url>,
    /// Where tokens are given back (RFC 7009).
    pub revocation_endpoint: Option<Url>,
    /// Who has signed in (OpenID Connect Core §5.3).
    pub userinfo_endpoint: Option<Url>,
    /// Nothing when it does not say.
    pub scopes_supported: Option<Vec<String>>,
    /// Nothing when it does not say; the default is then `authorization_code`.
    pub grant_types_supported: Option<Vec<String>>,
    /// Nothing when it does not say; the default is then `client_secret_basic`.
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// Algorithms of assertions for `private_key_jwt`. Nothing when it does not say.
    pub token_endpoint_auth_signing_alg_values_supported: Option<Vec<String>>,
    /// Nothing when it does not say, which means: no PKCE.
    pub code_challenge_methods_supported: Option<Vec<String>>,
    /// What may be asked of the sign-in page with `prompt` (OpenID Connect Prompt Create §4.1). Nothing when it does
    /// not say.
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
    /// Whether an authorization code can be asked for here: only with PKCE by S256, which the metadata must announce.
    /// Where there is no metadata at all it cannot, and S256 is sent on trust.
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
