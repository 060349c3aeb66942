//! An MCP registry (API v0.1) on loopback with as many generated entries as a test wants, good and odd ones, which can
//! be slow, cut its answers, lie, or never come to an end.

mod entries;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub use entries::{ODD_KINDS, ODD_KINDS_LEFT_OUT, odd_entry, registry_entry};

/// What a registry does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegistryFault {
    /// Nothing.
    None,
    /// It waits this long before each answer.
    Slow(Duration),
    /// Each answer ends before its announced length.
    Cut,
    /// From the second page on, the same page comes again.
    SamePage,
    /// Pages without entries lead to other pages without entries.
    EmptyPages,
    /// Every page has entries, and there is always another.
    Endless,
    /// A version is answered with another one.
    OtherVersion,
    /// A web page is the answer.
    WebPage,
    /// An answer never ends.
    EndlessBody,
    /// Every answer has this status.
    Status(u16),
    /// Only the first answer has this status.
    StatusOnce(u16),
}

/// A registry that runs until this is dropped.
pub struct RegistryServer {
    /// Its URL, to which clients add `/v0.1/servers`.
    pub url: String,
    shared: Arc<Shared>,
    _tasks: JoinSet<()>,
}

struct Shared {
    count: usize,
    odd: usize,
    state: Mutex<RegistryState>,
}

struct RegistryState {
    fault: RegistryFault,
    requests: Vec<String>,
    /// Entries that were published or changed later, by name.
    changed: BTreeMap<String, Vec<Value>>,
}

/// Starts a registry with this many generated entries and odd ones behind them.
///
/// # Panics
///
/// When no port can be had.
pub async fn serve_registry(count: usize, odd: usize) -> RegistryServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of loopback is free");
    let address = listener.local_addr().expect("a bound socket has an address");
    let state = RegistryState { fault: RegistryFault::None, requests: Vec::new(), changed: BTreeMap::new() };
    let shared = Arc::new(Shared { count, odd, state: Mutex::new(state) });
    let app = Router::new().fallback(answer).with_state(Arc::clone(&shared));
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        // Serving ends with this task; an error while accepting would end the test by its timeout.
        let _ = axum::serve(listener, app).await;
    });
    RegistryServer { url: format!("http://{address}/reg"), shared, _tasks: tasks }
}

impl RegistryServer {
    /// Sets what it does wrong from now on.
    pub fn set_fault(&self, fault: RegistryFault) {
        self.shared.state().fault = fault;
    }

    /// The paths with queries of all requests so far.
    pub fn requests(&self) -> Vec<String> {
        self.shared.state().requests.clone()
    }

    /// Publishes an entry, as the API lists it, as the newest version of its name.
    ///
    /// # Panics
    ///
    /// When the entry has no name.
    pub fn publish(&self, entry: Value) {
        let name = entry["server"]["name"].as_str().expect("an entry has a name").to_owned();
        let mut state = self.shared.state();
        let versions = state.changed.entry(name).or_default();
        for earlier in versions.iter_mut() {
            earlier["_meta"]["io.modelcontextprotocol.registry/official"]["isLatest"] = json!(false);
        }
        versions.push(entry);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, RegistryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest version of the entry with this number.
    fn entry(&self, number: usize) -> Value {
        if number >= self.count {
            return odd_entry(number - self.count).0;
        }
        let entry = registry_entry(number);
        let changed = entry["server"]["name"].as_str().and_then(|name| {
            let state = self.state();
            state.changed.get(name).and_then(|versions| versions.last().cloned())
        });
        changed.unwrap_or(entry)
    }

    fn list(&self, query: &BTreeMap<String, String>) -> Value {
        let number = |name: &str| query.get(name).and_then(|text| text.parse::<usize>().ok());
        let (start, limit) = (number("cursor").unwrap_or(0), number("limit").unwrap_or(30).min(100));
        let fault = self.state().fault;
        if query.contains_key("updated_since") {
            let newest: Vec<Value> =
                self.state().changed.values().filter_map(|versions| versions.last().cloned()).collect();
            return json!({ "metadata": { "count": newest.len() }, "servers": newest });
        }
        let all = self.count + self.odd;
        let (from, all) = match fault {
            RegistryFault::SamePage if start > 0 => (limit, usize::MAX),
            RegistryFault::EmptyPages if start > 0 => {
                let next = (start + 1).to_string();
                return json!({ "servers": null, "metadata": { "count": 0, "nextCursor": next } });
            }
            RegistryFault::Endless => (start, usize::MAX),
            _ => (start, all),
        };
        let endless = fault == RegistryFault::Endless;
        let numbers = from..all.min(from + limit);
        let servers: Vec<Value> = numbers
            .clone()
            .map(|number| if endless { registry_entry(number) } else { self.entry(number) })
            .collect();
        let mut metadata = json!({ "count": servers.len() });
        if numbers.end < all {
            metadata["nextCursor"] = json!(numbers.end.to_string());
        }
        json!({ "servers": servers, "metadata": metadata })
    }

    /// All versions of an entry, newest first.
    fn versions(&self, name: &str) -> Vec<Value> {
        let number = name.rsplit('-').next().and_then(|number| number.parse().ok());
        let first = number.filter(|number| *number < self.count).map(registry_entry);
        let first = first.filter(|entry| entry["server"]["name"] == name);
        let later = self.state().changed.get(name).cloned().unwrap_or_default();
        let mut all: Vec<Value> = first.into_iter().chain(later).collect();
        all.reverse();
        all
    }

    fn one(&self, name: &str, version: &str) -> Option<Value> {
        let wanted = |entry: &Value| version == "latest" || entry["server"]["version"] == version;
        let found = self.versions(name).into_iter().find(wanted);
        if self.state().fault == RegistryFault::OtherVersion {
            return found.map(|mut entry| {
                entry["server"]["version"] = json!("66.6.6");
                entry
            });
        }
        found
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let uri = request.uri().clone();
    let fault = {
        let mut state = shared.state();
        state.requests.push(uri.to_string());
        let fault = state.fault;
        if let RegistryFault::StatusOnce(_) = fault {
            state.fault = RegistryFault::None;
        }
        fault
    };
    match fault {
        RegistryFault::Slow(span) => tokio::time::sleep(span).await,
        RegistryFault::WebPage => return respond(200, "text/html", Body::from("<html>Sign in</html>")),
        RegistryFault::Status(status) | RegistryFault::StatusOnce(status) => {
            return respond(status, "text/plain", Body::from("no"));
        }
        RegistryFault::EndlessBody => {
            let spaces = futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(" ".repeat(64 << 10)));
            return respond(200, "application/json", Body::from_stream(spaces));
        }
        _ => {}
    }
    let url = url::Url::parse("http://localhost").and_then(|base| base.join(&uri.to_string()));
    let query: BTreeMap<String, String> =
        url.map(|url| url.query_pairs().into_owned().collect()).unwrap_or_default();
    let path: Vec<String> = uri.path().split('/').skip(1).map(decode).collect();
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let found = match path.as_slice() {
        ["reg", "v0.1", "servers"] => Some(shared.list(&query)),
        ["reg", "v0.1", "servers", name, "versions"] => Some(shared.versions(name))
            .filter(|all| !all.is_empty())
            .map(|all| json!({ "metadata": { "count": all.len() }, "servers": all })),
        ["reg", "v0.1", "servers", name, "versions", version] => shared.one(name, version),
        _ => None,
    };
    let Some(found) = found else { return respond(404, "application/json", Body::from("{}")) };
    let text = found.to_string();
    if fault == RegistryFault::Cut {
        let half = text.len() / 2;
        let cut = futures_util::stream::iter([
            Ok(text[..text.floor_char_boundary(half)].to_owned()),
            Err(std::io::Error::other("cut")),
        ]);
        return respond(200, "application/json", Body::from_stream(cut));
    }
    respond(200, "application/json", Body::from(text))
}

fn decode(part: &str) -> String {
    // The only letter of names that a path can't have.
    part.replace("%2F", "/")
}

fn respond(status: u16, kind: &str, body: Body) -> Response {
    Response::builder()
        .status(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
        .header(header::CONTENT_TYPE, kind)
        .body(body)
        .expect("the response is well-formed")
}
