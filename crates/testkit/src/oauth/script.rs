//! The behaviour of a scripted authorization server.

use crate::http::Gate;

/// How the server behaves. `OAuthScript::default()` behaves well.
pub struct OAuthScript {
    /// Path of the issuer, empty or such as `/tenant`.
    pub path: String,
    /// `iss` in the answers of the authorization endpoint.
    pub iss: IssParameter,
    /// Whether the metadata says that answers carry `iss`.
    pub announces_iss: bool,
    /// Parameters that every answer of the authorization endpoint has, instead of a code where `error` is among them.
    pub answers: Vec<(String, String)>,
    /// `state` that the answers have instead of the one that came.
    pub state: Option<String>,
    /// Whether a refresh token can only be used once. A second use ends the whole login.
    pub rotates: bool,
    /// `expires_in`.
    pub expires_in: Option<u64>,
    /// `scope` of tokens, instead of what was asked for.
    pub scope: Option<String>,
    /// `id_token`.
    pub id_token: Option<String>,
    /// Members that its answers with tokens have beside the usual.
    pub vendor: Vec<(String, String)>,
    /// Prefixes of codes and tokens, by the names `code`, `access` and `refresh`. The default is the name itself.
    pub prefixes: Vec<(String, String)>,
    /// How clients authenticate.
    pub method: ClientAuthMethod,
    /// Whether tokens are bound to keys.
    pub dpop: bool,
    /// Whether proofs need a nonce of the server's.
    pub nonce: bool,
}

impl Default for OAuthScript {
    fn default() -> Self {
        Self {
            path: String::new(),
            iss: IssParameter::Right,
            announces_iss: true,
            answers: Vec::new(),
            state: None,
            rotates: false,
            expires_in: Some(3600),
            scope: None,
            id_token: None,
            vendor: Vec::new(),
            prefixes: Vec::new(),
            method: ClientAuthMethod::None,
            dpop: false,
            nonce: false,
        }
    }
}

/// `iss` in answers.
pub enum IssParameter {
    /// The issuer.
    Right,
    /// There is none.
    Absent,
    /// This one.
    Other(String),
    /// The issuer with this behind it.
    WithSuffix(String),
}

/// How clients authenticate, with their credentials.
pub enum ClientAuthMethod {
    /// Not at all.
    None,
    /// With `client_secret_basic`, this id and this secret.
    Basic(String, String),
    /// With `client_secret_post`, this id and this secret.
    Post(String, String),
    /// With `private_key_jwt`, this id and this public key (PEM), which is elliptic if the flag is set,
    /// otherwise RSA.
    PrivateKeyJwt(String, String, bool),
}

impl ClientAuthMethod {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Basic(..) => "client_secret_basic",
            Self::Post(..) => "client_secret_post",
            Self::PrivateKeyJwt(..) => "private_key_jwt",
        }
    }
}

/// The reply to one request in place of the normal one.
pub enum OAuthReply {
    /// Exactly this.
    Raw {
        /// The status.
        status: u16,
        /// The headers.
        headers: Vec<(String, String)>,
        /// The body.
        body: String,
    },
    /// The usual, once the gate is open: nothing has happened before.
    After(Gate),
    /// The usual response. It takes effect at once and is sent when the gate is open.
    AfterDoing(Gate),
    /// This, once the gate is open.
    Delayed(Gate, Box<Self>),
}

impl OAuthReply {
    /// A status with a body of `application/json`.
    pub fn json(status: u16, body: &str) -> Self {
        Self::with_content_type(status, "application/json", body)
    }

    /// A status with a body of some type.
    pub fn with_content_type(status: u16, kind: &str, body: &str) -> Self {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Self::Raw { status, headers, body: body.to_owned() }
    }
}
