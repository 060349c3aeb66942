//! The gateway: other apps (MCP clients) use the servers that are connected here.
//!
//! An app starts a [`bridge`], which connects to the local socket of the data folder. There it finds an MCP server that
//! offers what all servers offer, and each of its requests goes to the server that it is for. Every call is decided on,
//! logged and asked about as any other; its caller is the app.

mod bridge;
mod catalogue;
mod followed;
mod hello;
mod message;
mod names;
mod outbox;
mod requests;
mod session;
mod socket;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use mooring_host::Host;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::codec::{FramedRead, LinesCodec};

use crate::hello::{Hello, Welcome};

pub use crate::bridge::bridge;

/// The most connections of apps at once.
const MAX_CONNECTIONS: usize = 64;
/// How long a bridge may take to say whose it is.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);

/// What went wrong with the gateway, in words for a person or an app.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// Nobody listens for this data folder.
    #[error("Mooring isn’t running. Open it, and try again.")]
    NotRunning,
    /// The gateway refused the app.
    #[error("Mooring refused the connection: {0}")]
    Refused(String),
    /// The gateway went away.
    #[error("Mooring was closed")]
    Ended,
    /// The socket belongs to another user.
    #[error("{} belongs to another user", .0.display())]
    OfAnotherUser(PathBuf),
    /// The socket could not be made.
    #[error("apps can’t connect: {} can’t be used: {source}", path.display())]
    Socket {
        /// Where.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The app could not be read or written.
    #[error("the app’s connection failed: {0}")]
    App(std::io::Error),
}

/// The gateway of one data folder. Apps can connect until it is dropped.
#[derive(Debug)]
pub struct Gateway {
    path: PathBuf,
    listener: UnixListener,
}

impl Gateway {
    /// Listens on the socket of a data folder. Only who holds the folder's lock may.
    pub fn listen(home: &Path) -> Result<Self, GatewayError> {
        let path = socket::path(home);
        match socket::listen(&path) {
            Ok(listener) => Ok(Self { path, listener }),
            Err(source) => Err(GatewayError::Socket { path, source }),
        }
    }

    /// Serves apps with the servers of the host, which keeps them running. Dropping the future disconnects every app.
    pub async fn serve(self, host: Host) {
        accept(host, &self.listener).await;
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // One that is left over is replaced by the next gateway.
        let _left_over = std::fs::remove_file(&self.path);
    }
}

async fn accept(host: Host, listener: &UnixListener) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut apps = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) if socket::is_own(&stream) => {
                    apps.spawn(connected(host.clone(), stream, Arc::clone(&places).try_acquire_owned().ok()));
                }
                Ok(_) => tracing::warn!("a process of another user connected to the gateway, and was refused"),
                Err(error) => {
                    tracing::warn!(%error, "an app could not connect to the gateway");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = apps.join_next(), if !apps.is_empty() => {}
        }
    }
}

/// One connection, from its first line to its end. Without a place it is refused.
async fn connected(host: Host, stream: UnixStream, place: Option<OwnedSemaphorePermit>) {
    let (from, mut to) = stream.into_split();
    let mut lines = FramedRead::new(from, LinesCodec::new_with_max_length(session::MAX_MESSAGE));
    let Ok(Some(Ok(line))) = tokio::time::timeout(HELLO_TIMEOUT, lines.next()).await else { return };
    let hello = Hello::read(&line).and_then(|hello| {
        let is_known = |name: &String| host.servers().iter().any(|server| server.config.name == *name);
        match &hello.server {
            _ if place.is_none() => Err(format!("{MAX_CONNECTIONS} apps are connected already")),
            Some(name) if !is_known(name) => Err(format!("there is no server named {name}")),
            _ => Ok(hello),
        }
    });
    let welcome = Welcome::new(hello.as_ref().err().cloned());
    let Ok(answer) = serde_json::to_string(&welcome) else { return };
    if to.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
        return;
    }
    if let Ok(hello) = hello {
        session::serve(host, hello, lines, to).await;
    }
}
