//! The gateway: other apps (MCP clients) use the servers that are connected here.
//!
//! An app finds one MCP server that offers what all servers offer, and passes each request to the right
//! server. Calls of apps are decided, logged and reviewed like all other calls. Their caller is the app.
//!
//! An app can connect in two ways. On Unix, it starts a bridge (`mooring-bridge`), which connects to the
//! local socket of the data folder: `Gateway`. Over HTTP, it connects to a port: [`serve_over_http`], which
//! builds on every system and has not been tried on Windows yet.

#![cfg_attr(not(unix), expect(dead_code, reason = "only the local socket uses it, which is on Unix"))]

mod answer;
mod asked;
mod catalogues;
mod changes;
mod dispatch;
mod exchange;
mod followed;
mod head;
mod http;
mod instances;
mod left_resources;
mod locked;
mod message;
mod outbox;
mod peer;
mod pending_questions;
mod profile;
mod recorded;
mod requests;
mod running;
mod search_tools;
mod session;
#[cfg(unix)]
mod socket;
mod stateless;
mod view;

use std::sync::Arc;

use mooring_host::Host;
use mooring_server_state::HostEvent;
use tokio::sync::broadcast;

use crate::catalogues::Catalogues;
use crate::http::HttpUse;
#[cfg(unix)]
pub use socket::{Gateway, ServiceEnd, SocketError, take_over};

/// The largest message from an app, in bytes. It equals the default limit for results of servers.
const MAX_MESSAGE: usize = 16 << 20;
#[cfg(unix)]
const _: () =
    assert!(MAX_MESSAGE == mooring_bridge::MAX_MESSAGE, "a bridge passes on what the gateway takes");

/// Serves apps over HTTP with the servers of a host. Returns when the host ends. `Gateway` does this too.
pub async fn serve_over_http(host: Host) {
    let catalogues = Arc::new(Catalogues::new(host.clone()));
    serve_http_with(host.events(), host, catalogues, Arc::default()).await;
}

/// Serves apps over HTTP, and updates the catalogues after each change that `events` reports. Returns when
/// the host ends.
async fn serve_http_with(
    events: broadcast::Receiver<HostEvent>,
    host: Host,
    catalogues: Arc<Catalogues>,
    used: Arc<HttpUse>,
) {
    tokio::select! {
        () = catalogues.follow_events(events) => {}
        () = catalogues.left_resources.unsubscribe_all(&host) => {}
        () = http::serve_apps(host.clone(), Arc::clone(&catalogues), used) => {}
    }
}
