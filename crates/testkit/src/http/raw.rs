//! Listeners below HTTP: raw bytes for every connection, and an address without a listener.

use std::sync::Arc;

use futures_util::StreamExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::body::{BodyPiece, stream};
use super::exchange::HttpServerState;
use super::{HttpScript, HttpServer};

/// An address of loopback that refuses connections.
///
/// # Panics
///
/// When no port can be had.
pub async fn refused_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of loopback is free");
    let address = listener.local_addr().expect("a bound socket has an address");
    drop(listener);
    format!("http://{address}/mcp")
}

/// Writes these pieces to everybody who connects, whatever they say, and closes the connection.
///
/// # Panics
///
/// When no port can be had.
pub async fn serve_bytes(pieces: Vec<BodyPiece>) -> HttpServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of loopback is free");
    let address = listener.local_addr().expect("a bound socket has an address");
    let shared = Arc::new(HttpServerState::new(HttpScript::json()));
    let closing = shared.closing.clone();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((connection, _)) = listener.accept().await {
            let body = stream(pieces.clone(), "null".to_owned(), closing.clone());
            connections.spawn(write(connection, body.boxed()));
        }
    });
    HttpServer { url: format!("http://{address}/mcp"), shared, tasks }
}

/// One address for several servers.
pub struct RoundRobin {
    /// Address of the endpoint.
    pub url: String,
    _tasks: JoinSet<()>,
}

/// Carries each connection to the next of these servers in turn. With scripts that are
/// [`HttpScript::closing_connections`], each request reaches another one than the request before.
///
/// # Panics
///
/// When no port can be had.
pub async fn round_robin(servers: &[&HttpServer]) -> RoundRobin {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of loopback is free");
    let address = listener.local_addr().expect("a bound socket has an address");
    let place =
        |server: &&HttpServer| server.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    let places: Vec<String> = servers.iter().map(place).collect();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut connections = JoinSet::new();
        for place in places.iter().cycle() {
            let Ok((mut connection, _)) = listener.accept().await else { return };
            let place = place.clone();
            connections.spawn(async move {
                if let Ok(mut server) = TcpStream::connect(place).await {
                    // However it ends, the test sees it at the request.
                    let _ended = tokio::io::copy_bidirectional(&mut connection, &mut server).await;
                }
            });
        }
    });
    RoundRobin { url: format!("http://{address}/mcp"), _tasks: tasks }
}

async fn write(
    mut connection: TcpStream,
    mut body: futures_util::stream::BoxStream<'static, Result<bytes::Bytes, std::io::Error>>,
) {
    while let Some(Ok(bytes)) = body.next().await {
        if connection.write_all(&bytes).await.is_err() {
            return;
        }
    }
    let _ = connection.shutdown().await;
}
