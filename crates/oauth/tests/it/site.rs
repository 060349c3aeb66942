//! A scripted web server on loopback that remembers what it was asked, and what a test needs beside it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, Uri};
use mooring_network::Network;
use mooring_oauth::{Challenge, Discovery, Error, Http, NetworkReach, Step, StepObserver, discover};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use url::Url;

/// What a server answers with.
#[derive(Debug, Clone)]
pub(crate) struct ScriptedResponse {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl ScriptedResponse {
    pub(crate) fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn json(body: impl Into<String>) -> Self {
        Self::status(200).with("content-type", "application/json").saying(body.into())
    }

    pub(crate) fn to(status: u16, location: impl Into<String>) -> Self {
        Self::status(status).with("location", location)
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn saying(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn answering(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Replaces `{o}` and `{x}`.
    fn filled(&self, own: &str, other: &str) -> Self {
        let fill = |text: &str| text.replace("{o}", own).replace("{x}", other);
        let body = match std::str::from_utf8(&self.body) {
            Ok(text) => fill(text).into_bytes(),
            Err(_) => self.body.clone(),
        };
        let headers = self.headers.iter().map(|(name, value)| (*name, fill(value))).collect();
        Self { status: self.status, headers, body }
    }
}

/// What a server was asked.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    pub(crate) method: Method,
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl ReceivedRequest {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

#[derive(Default)]
struct SiteState {
    pages: BTreeMap<String, ScriptedResponse>,
    heard: Vec<ReceivedRequest>,
}

/// The server. It ends when it is dropped.
pub(crate) struct MockServer {
    origin: String,
    script: Arc<Mutex<SiteState>>,
    _serving: JoinSet<()>,
}

impl MockServer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let script = Arc::new(Mutex::new(SiteState::default()));
        let app = Router::new().fallback(answer).with_state(Arc::clone(&script));
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { origin, script, _serving: serving }
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    pub(crate) fn port(&self) -> u16 {
        Url::parse(&self.origin).unwrap().port().unwrap()
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("{}{path}", self.origin)).unwrap()
    }

    /// Sets the answer for a path. `{o}` is replaced by this server's origin, `{x}` by another's.
    pub(crate) fn put(&self, path: &str, page: &ScriptedResponse, other: &str) {
        self.script.lock().unwrap().pages.insert(path.to_owned(), page.filled(&self.origin, other));
    }

    /// A server that says of itself what it should, and is its own authorization server.
    pub(crate) async fn good() -> Self {
        let site = Self::start().await;
        site.put(PRM, &ScriptedResponse::json(GOOD_PRM), "");
        site.put(AS, &ScriptedResponse::json(GOOD_AS), "");
        site
    }

    pub(crate) fn heard(&self) -> Vec<ReceivedRequest> {
        self.script.lock().unwrap().heard.clone()
    }

    /// The requests so far, each as its method and target.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.heard().iter().map(|heard| format!("{} {}", heard.method, heard.target)).collect()
    }
}

/// Where the metadata of the resource at `/mcp` is.
pub(crate) const PRM: &str = "/.well-known/oauth-protected-resource/mcp";
/// Where that of the origin is.
pub(crate) const ROOT_PRM: &str = "/.well-known/oauth-protected-resource";
/// Where the metadata of the authorization server at the origin is.
pub(crate) const AS: &str = "/.well-known/oauth-authorization-server";
/// Where OpenID Connect has it.
pub(crate) const OIDC: &str = "/.well-known/openid-configuration";

pub(crate) const GOOD_PRM: &str = r#"{"resource":"{o}/mcp","authorization_servers":["{o}"]}"#;
pub(crate) const GOOD_AS: &str = r#"{"issuer":"{o}","authorization_endpoint":"{o}/auth/authorize","token_endpoint":"{o}/auth/token",
    "registration_endpoint":"{o}/auth/register","revocation_endpoint":"{o}/auth/revoke",
    "userinfo_endpoint":"{o}/auth/userinfo","code_challenge_methods_supported":["S256"]}"#;

async fn answer(
    State(script): State<Arc<Mutex<SiteState>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let mut script = script.lock().unwrap();
    let page = script.pages.get(uri.path()).cloned().unwrap_or_else(|| ScriptedResponse::status(404));
    script.heard.push(ReceivedRequest { method, target: uri.to_string(), headers, body });
    let mut response = Response::builder().status(page.status);
    for (name, value) in page.headers {
        response = response.header(name, value);
    }
    response.body(Body::from(page.body)).unwrap()
}

/// An observer, and the steps that it received.
pub(crate) fn trail() -> (StepObserver, Arc<Mutex<Vec<Step>>>) {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&steps);
    (StepObserver::new(move |step| told.lock().unwrap().push(step)), steps)
}

/// An observer whose steps are discarded.
pub(crate) fn untold() -> StepObserver {
    trail().0
}

pub(crate) fn here() -> Http {
    Http::new(&Network::direct(), NetworkReach::Loopback)
}

/// Discovers how to sign in to the server at `/mcp` of a site.
pub(crate) async fn discovered(site: &MockServer, challenge: &Challenge) -> Result<Discovery, Error> {
    discover(&here(), &site.url("/mcp"), challenge, None, &untold()).await
}

pub(crate) fn naming(metadata: impl Into<String>) -> Challenge {
    Challenge { resource_metadata: vec![metadata.into()], ..Challenge::default() }
}
