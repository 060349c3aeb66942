//! A scripted authorization server on loopback, with a protected server behind it.
//!
//! ```no_run
//! # async fn example() {
//! use mooring_testkit::oauth::{OAuthScript, serve};
//!
//! let server = serve(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
//! // … sign in with server.issuer() for server.resource() …
//! assert_eq!(server.requests_to("/token").len(), 1);
//! # }
//! ```
//!
//! By default it is a good server: PKCE with S256, `iss` in answers, codes that work once, refresh tokens,
//! revocation, `userinfo`. Every request to `/authorize` signs in at once. The script can make it misbehave.
//! It checks what clients send: the verifier, the redirect address, the client's authentication, proofs of
//! keys.

mod authorize;
mod browser;
mod client_auth;
mod script;
mod state;
mod token;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

pub use browser::{Page, follow_redirects, redirected};
pub use script::{ClientAuthMethod, IssParameter, OAuthReply, OAuthScript};

use state::IssuedTokens;

/// A received request.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// `GET`, `POST`.
    pub method: String,
    /// Without the query.
    pub path: String,
    /// The parameters of the query and of the form, in order.
    pub parameters: Vec<(String, String)>,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The JSON body.
    pub json: Value,
}

impl ReceivedRequest {
    /// The first parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A server that runs until this is dropped.
pub struct OAuthServer {
    origin: String,
    shared: Arc<OAuthServerState>,
    _tasks: JoinSet<()>,
}

struct OAuthServerState {
    origin: String,
    script: OAuthScript,
    received: Mutex<Vec<ReceivedRequest>>,
    grants: Mutex<IssuedTokens>,
    replies: Mutex<HashMap<String, Vec<OAuthReply>>>,
    put: Mutex<Vec<(String, OAuthReply)>>,
    changed: watch::Sender<usize>,
}

impl OAuthServerState {
    fn grants(&self) -> MutexGuard<'_, IssuedTokens> {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn issuer(&self) -> String {
        format!("{}{}", self.origin, self.script.path)
    }

    fn resource(&self) -> String {
        format!("{}/mcp", self.origin)
    }
}

impl OAuthServer {
    /// `issuer` of its metadata.
    pub fn issuer(&self) -> String {
        self.shared.issuer()
    }

    /// The protected server.
    pub fn resource(&self) -> String {
        self.shared.resource()
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The server's metadata document.
    pub fn metadata(&self) -> Value {
        metadata(&self.shared)
    }

    /// The requests to a path, in order.
    pub fn requests_to(&self, path: &str) -> Vec<ReceivedRequest> {
        let received = self.shared.received.lock().unwrap_or_else(PoisonError::into_inner);
        received.iter().filter(|request| request.path == path).cloned().collect()
    }

    /// Waits until `count` requests have come to a path.
    pub async fn wait_for(&self, path: &str, count: usize) {
        let mut changed = self.shared.changed.subscribe();
        while self.requests_to(path).len() < count {
            changed.changed().await.expect("the sender lives as long as this");
        }
    }

    /// Replies this way to the next request to a path; several are used up in order.
    pub fn reply_once(&self, path: &str, reply: OAuthReply) {
        let mut replies = self.shared.replies.lock().unwrap_or_else(PoisonError::into_inner);
        replies.entry(path.to_owned()).or_default().push(reply);
    }

    /// Replies so to every path with this prefix, until it is set again.
    pub fn reply_always(&self, prefix: &str, status: u16, headers: &[(&str, &str)], body: &str) {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut put = self.shared.put.lock().unwrap_or_else(PoisonError::into_inner);
        put.retain(|(known, _)| known != prefix);
        put.push((prefix.to_owned(), OAuthReply::Raw { status, headers, body: body.to_owned() }));
    }

    /// All requests, in order.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.shared.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Every secret that was issued or received here: codes, tokens, verifiers, client secrets. None of them
    /// may reach any other server.
    pub fn secrets(&self) -> Vec<String> {
        let mut secrets = self.shared.grants().issued.clone();
        for request in self.requests() {
            let shown = ["code_verifier", "client_secret", "client_assertion"];
            secrets.extend(shown.iter().filter_map(|name| request.parameter(name).map(str::to_owned)));
        }
        secrets
    }

    /// Issues tokens as if somebody had signed in: access token and refresh token.
    pub fn issue_tokens(&self, scope: &str) -> (String, String) {
        self.shared.grants().issue(None, scope, None)
    }

    /// Expires every access token issued so far.
    pub fn expire_access_tokens(&self) {
        self.shared.grants().expire();
    }

    /// How often a used refresh token was sent again.
    pub fn reused_count(&self) -> usize {
        self.shared.grants().reused
    }

    /// How often a refresh token was exchanged.
    pub fn refresh_count(&self) -> usize {
        self.shared.grants().refreshed
    }

    /// The revoked tokens, in order.
    pub fn revoked_tokens(&self) -> Vec<String> {
        self.shared.grants().revoked.clone()
    }

    /// Whether an access token would be accepted now.
    pub fn accepts_token(&self, token: &str) -> bool {
        self.shared.grants().access.get(token).is_some_and(|access| !access.expired)
    }
}

/// Starts a server on a free port of 127.0.0.1.
///
/// # Panics
///
/// When no port can be had.
pub async fn serve(script: OAuthScript) -> OAuthServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of loopback is free");
    let address = listener.local_addr().expect("a bound socket has an address");
    let origin = format!("http://{address}");
    let grants = IssuedTokens::new(address.port(), script.prefixes.clone());
    let shared = Arc::new(OAuthServerState {
        origin: origin.clone(),
        received: Mutex::default(),
        grants: Mutex::new(grants),
        script,
        replies: Mutex::default(),
        put: Mutex::default(),
        changed: watch::Sender::new(0),
    });
    let app = Router::new().fallback(endpoint).with_state(Arc::clone(&shared));
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        // Serving ends with this task; an error while accepting would end the test by its timeout.
        let _ = axum::serve(listener, app).await;
    });
    OAuthServer { origin, shared, _tasks: tasks }
}

async fn endpoint(State(shared): State<Arc<OAuthServerState>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1024 * 1024).await.unwrap_or_default();
    let query = parts.uri.query().unwrap_or_default().as_bytes();
    let pairs = url::form_urlencoded::parse(query).chain(url::form_urlencoded::parse(&body));
    let header = |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let received = ReceivedRequest {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        parameters: pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect(),
        json: serde_json::from_slice(&body).unwrap_or_default(),
        headers: parts.headers.iter().map(|(name, value)| (name.to_string(), header(value))).collect(),
    };
    shared.received.lock().unwrap_or_else(PoisonError::into_inner).push(received.clone());
    shared.changed.send_modify(|count| *count += 1);
    let next = {
        let mut replies = shared.replies.lock().unwrap_or_else(PoisonError::into_inner);
        replies.get_mut(&received.path).filter(|replies| !replies.is_empty()).map(|replies| replies.remove(0))
    };
    let next = match next {
        Some(OAuthReply::Delayed(gate, reply)) => {
            gate.wait_until_open().await;
            Some(*reply)
        }
        next => next,
    };
    match next {
        Some(OAuthReply::Raw { status, headers, body }) => return raw(status, &headers, body),
        Some(OAuthReply::After(gate)) => gate.wait_until_open().await,
        Some(OAuthReply::AfterDoing(gate)) => {
            let response = default_response(&shared, &received);
            gate.wait_until_open().await;
            return response;
        }
        Some(OAuthReply::Delayed(..)) | None => {}
    }
    default_response(&shared, &received)
}

/// The response of a well-behaved server.
fn default_response(shared: &OAuthServerState, received: &ReceivedRequest) -> Response {
    let put = shared.put.lock().unwrap_or_else(PoisonError::into_inner);
    let put = put.iter().find_map(|(prefix, reply)| match reply {
        OAuthReply::Raw { status, headers, body } if received.path.starts_with(prefix.as_str()) => {
            Some(raw(*status, headers, body.clone()))
        }
        _ => None,
    });
    if let Some(put) = put {
        return put;
    }
    let own = received.path.strip_prefix(shared.script.path.as_str()).unwrap_or(&received.path);
    match own {
        "/authorize" => authorize::authorize(shared, received),
        "/token" => token::token(shared, received),
        "/register" => authorize::register(shared, received),
        "/revoke" => token::revoke(shared, received),
        "/userinfo" => token::userinfo(shared, received),
        "/mcp" => token::resource(shared, received),
        path if path.starts_with("/.well-known/oauth-authorization-server") => answer(200, &metadata(shared)),
        path if path.starts_with("/.well-known/oauth-protected-resource") => {
            let resource = shared.resource();
            let mut document = json!({ "resource": resource, "authorization_servers": [shared.issuer()] });
            if shared.script.dpop {
                document["dpop_signing_alg_values_supported"] = json!(["ES256"]);
            }
            answer(200, &document)
        }
        _ => answer(404, &json!({})),
    }
}

fn metadata(shared: &OAuthServerState) -> Value {
    let script = &shared.script;
    let issuer = shared.issuer();
    let mut document = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "registration_endpoint": format!("{issuer}/register"),
        "revocation_endpoint": format!("{issuer}/revoke"),
        "userinfo_endpoint": format!("{issuer}/userinfo"),
        "code_challenge_methods_supported": ["S256"],
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
        "token_endpoint_auth_methods_supported": [script.method.name()],
        "authorization_response_iss_parameter_supported": script.announces_iss,
    });
    if script.dpop {
        document["dpop_signing_alg_values_supported"] = json!(["ES256"]);
    }
    document
}

fn answer(status: u16, body: &Value) -> Response {
    raw(status, &[("content-type".to_owned(), "application/json".to_owned())], body.to_string())
}

fn raw(status: u16, headers: &[(String, String)], body: String) -> Response {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    response.body(Body::from(body)).expect("the script's headers are valid")
}
