//! A client at an authorization server.

use crate::server::AuthorizationServer;
use secrecy::SecretString;

/// How a client authenticates at the token endpoint (`token_endpoint_auth_method`, RFC 7591 §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientAuthentication {
    /// `none`: a public client, which relies on PKCE.
    None,
    /// `client_secret_basic` (RFC 6749 §2.3.1).
    Basic,
    /// `client_secret_post` (RFC 6749 §2.3.1).
    Post,
    /// `private_key_jwt` (RFC 7523 §2.2).
    PrivateKeyJwt,
}

/// A client that one issuer knows. It is never used with another issuer.
#[derive(Debug, Clone)]
pub struct Client {
    /// `client_id`.
    pub id: String,
    /// `client_secret`, or for `private_key_jwt` the private key as PEM.
    pub secret: Option<SecretString>,
    /// How the client authenticates.
    pub authentication: ClientAuthentication,
}

/// How a client authenticates at the token endpoint, depending on what the server supports. The default is
/// `client_secret_basic` (RFC 8414 §2).
pub fn authentication_for(server: &AuthorizationServer, has_secret: bool) -> ClientAuthentication {
    if !has_secret {
        return ClientAuthentication::None;
    }
    let supports =
        |method| server.token_endpoint_auth_methods_supported.iter().flatten().any(|known| known == method);
    if server.token_endpoint_auth_methods_supported.is_none() || supports("client_secret_basic") {
        ClientAuthentication::Basic
    } else if supports("client_secret_post") {
        ClientAuthentication::Post
    } else if supports("none") {
        ClientAuthentication::None
    } else {
        ClientAuthentication::Basic
    }
}
