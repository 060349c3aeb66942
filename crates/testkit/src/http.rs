//! A scripted Streamable HTTP server of revision 2025-11-25, on loopback.
//!
//! ```no_run
//! # async fn example() {
//! use mooring_testkit::http::{HttpReply, HttpScript, serve};
//!
//! let server = serve(HttpScript::sse().once("tools/call", HttpReply::status(500, "boom"))).await;
//! // … connect to server.url …
//! assert_eq!(server.methods(), ["initialize", "notifications/initialized", "tools/call"]);
//! # }
//! ```
//!
//! Left to itself a script is a good server: it issues a session and insists on it, takes
//! notifications with 202, ends a session on DELETE, refuses GET with 405 and answers everything in
//! [`crate::answers`], plus the tool `progress`, which reports three steps and a log message before
//! its answer when the script answers with event streams. Every path is the endpoint.

mod body;
mod exchange;
mod raw;
mod script;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub use body::{BodyPiece, Gate};
pub use exchange::RecordedRequest;
pub use raw::{RoundRobin, refused_url, round_robin, serve_bytes};
pub use script::{HttpReply, HttpScript, RawReply};

use exchange::HttpServerState;

/// A server that runs until this is dropped.
pub struct HttpServer {
    /// Address of the endpoint, such as `http://127.0.0.1:40123/mcp`.
    pub url: String,
    shared: Arc<HttpServerState>,
    tasks: JoinSet<()>,
}

impl HttpServer {
    /// Every HTTP request received so far, in order.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.requests()
    }

    /// The JSON-RPC methods received so far, in order; a request without a body counts by its HTTP
    /// method (`GET`, `DELETE`), an answer of the client as `response`.
    pub fn methods(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.rpc_method).collect()
    }

    /// Waits until a message of this method has arrived, and returns its first occurrence.
    ///
    /// # Panics
    ///
    /// When none arrives within ten seconds.
    pub async fn wait_for_message(&self, method: &str) -> RecordedRequest {
        let mut changed = self.shared.changed.subscribe();
        let wait = async {
            loop {
                let found = self.requests().into_iter().find(|request| request.rpc_method == method);
                if let Some(found) = found {
                    return found;
                }
                if changed.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        let Ok(request) = tokio::time::timeout(Duration::from_secs(10), wait).await else {
            panic!("no {method} arrived, only {:?}", self.methods())
        };
        request
    }

    /// Forgets every session, as a restarted server does: the next request gets 404.
    pub fn forget_sessions(&self) {
        self.shared.forget_sessions();
    }

    /// Stops listening and breaks every exchange that hangs.
    pub async fn stop(&mut self) {
        self.shared.close();
        self.tasks.shutdown().await;
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.shared.close();
    }
}

/// Starts a server for the script on a free port of 127.0.0.1.
///
/// # Panics
///
/// When no port can be had.
pub async fn serve(script: HttpScript) -> HttpServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of loopback is free");
    let address = listener.local_addr().expect("a bound socket has an address");
    let shared = Arc::new(HttpServerState::new(script));
    let app = Router::new().fallback(endpoint).with_state(Arc::clone(&shared));
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        // Serving ends with this task; an error while accepting would end the test by its timeout.
        let _ = axum::serve(listener, app).await;
    });
    HttpServer { url: format!("http://{address}/mcp"), shared, tasks }
}

async fn endpoint(State(shared): State<Arc<HttpServerState>>, request: Request) -> axum::response::Response {
    exchange::handle(&shared, request).await
}
