//! A server built with the official Rust SDK. It offers the same as the peers in `tests/servers/peers`.
//! Usage: `mooring-rmcp-peer stdio|http`.

mod offer;
mod questions;

use std::io::Write as _;
use std::sync::Arc;

use anyhow::bail;
use axum::Router;
use rmcp::ServiceExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::offer::PeerServer;

/// Serves one client over stdio, or any number of clients on a free loopback port.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("stdio") => {
            PeerServer::new().serve(rmcp::transport::stdio()).await?.waiting().await?;
        }
        Some("http") => listen().await?,
        _ => bail!("usage: mooring-rmcp-peer stdio|http"),
    }
    Ok(())
}

async fn listen() -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(std::io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
    let sessions = Arc::new(LocalSessionManager::default());
    let service =
        StreamableHttpService::new(|| Ok(PeerServer::new()), sessions, StreamableHttpServerConfig::default());
    axum::serve(listener, Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
