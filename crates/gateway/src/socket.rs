//! The local socket of a data folder, where bridges and commands connect.

mod app;
mod peer;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io, process};

use mooring_app_key::Challenge;
use mooring_bridge::{BridgeError, Hello, Line, Lines, Signed, Welcome, connect, is_own, line, socket_path};
use mooring_host::Host;
use mooring_process::peer_session;
use mooring_shares::{Place, PlaceLimits, Places};
use mooring_vault::random_id;
use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::catalogues::Catalogues;
use crate::http::HttpUse;
use crate::view::{AppView, owner_of};
use crate::{MAX_MESSAGE, serve_http_with};

/// The limits of connections at the socket. A bridge connects again at once when its connection is closed, so
/// an app at its limit gets no new connection.
const PLACES: PlaceLimits = PlaceLimits { unnamed: 64, of_app: 64, of_all: 256, replaces_own: false };
/// How long a connection may take to send its first line.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// The version of this Mooring.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The longest first line, in bytes.
const MAX_HELLO: usize = 16 << 10;

/// The socket for apps can't be used.
#[derive(Debug, thiserror::Error)]
#[error("apps can’t connect: {} can’t be used: {source}", path.display())]
pub struct SocketError {
    /// The path of the socket.
    path: PathBuf,
    /// The cause.
    source: io::Error,
}

/// The gateway of one data folder. Apps can connect until it is dropped.
#[derive(Debug)]
pub struct Gateway {
    path: PathBuf,
    listener: UnixListener,
}

impl Gateway {
    /// Listens on the socket of a data folder. The caller has to hold the lock of the folder.
    pub fn listen(home: &Path) -> Result<Self, SocketError> {
        let path = socket_path(home);
        match listen_at(&path) {
            Ok(listener) => Ok(Self { path, listener }),
            Err(source) => Err(SocketError { path, source }),
        }
    }

    /// Serves apps with the servers of a window's host. The host keeps them running. Dropping the future
    /// disconnects every app.
    pub async fn serve(self, host: Host) {
        let never = self.accept_connections(host, None);
        never.await;
    }

    /// Serves apps without a window, until no app has been connected for the time `idle`, or a window asks
    /// for the data folder. If `idle` is `None`, it waits only for a window. When this returns, the host has
    /// announced that it is about to shut down.
    pub async fn serve_until_idle(self, host: Host, idle: Option<Duration>) -> ServiceEnd {
        let (end, mut ended) = oneshot::channel();
        let service = Service { idle, end: Some(end) };
        tokio::select! {
            () = self.accept_connections(host, Some(service)) => ServiceEnd::Idle,
            Ok(()) = &mut ended => ServiceEnd::HandedOver,
        }
    }

    async fn accept_connections(&self, host: Host, mut service: Option<Service>) {
        let places = Places::new(PLACES);
        let mut apps: JoinSet<Option<UnixStream>> = JoinSet::new();
        let catalogues = Arc::new(Catalogues::new(host.clone()));
        let http_use = Arc::new(HttpUse::default());
        let over_http =
            serve_http_with(host.events(), host.clone(), Arc::clone(&catalogues), Arc::clone(&http_use));
        tokio::pin!(over_http);
        let idle = service.as_ref().and_then(|service| service.idle);
        let mut idle_since = Instant::now();
        loop {
            let end_at = idle.filter(|_| apps.is_empty()).map(|idle| idle_since + idle);
            let is_idle = async {
                match end_at {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) if is_own(&stream) => {
                        if let Some(reason) = peer::refusal_at_socket(&host, &stream) {
                            apps.spawn(async move {
                                peer::refuse_connection(stream, reason).await;
                                None
                            });
                            continue;
                        }
                        let (place, closed) = places.take(peer_pid(&stream));
                        let catalogues = Arc::clone(&catalogues);
                        let connected =
                            serve_connection(host.clone(), catalogues, stream, place, service.is_some());
                        apps.spawn(async move {
                            tokio::select! {
                                ended = connected => ended,
                                _dropped = closed => None,
                            }
                        });
                    }
                    Ok(_) => tracing::warn!("a process of another user connected to the gateway, and was refused"),
                    Err(error) => {
                        tracing::warn!(%error, "an app could not connect to the gateway");
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                },
                Some(ended) = apps.join_next(), if !apps.is_empty() => {
                    idle_since = Instant::now();
                    if let Ok(Some(window)) = ended
                        && let Some(end) = service.as_mut().and_then(|service| service.end.take())
                    {
                        host.announce_shutdown();
                        send_welcome(window, None).await;
                        // The receiver lives as long as this future.
                        let _held = end.send(());
                    }
                }
                () = &mut over_http => return,
                () = is_idle => {
                    if idle.is_some_and(|idle| http_use.was_used_within(idle)) {
                        idle_since = Instant::now();
                        continue;
                    }
                    host.announce_shutdown();
                    return;
                }
            }
        }
    }
}

/// A gateway without a window.
struct Service {
    /// How long it runs without apps. `None` is forever.
    idle: Option<Duration>,
    /// Notified when a window takes over.
    end: Option<oneshot::Sender<()>>,
}

/// Why a gateway without a window has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceEnd {
    /// No app was connected for long enough.
    Idle,
    /// A window takes over the data folder.
    HandedOver,
}

/// Asks a gateway without a window to release the data folder. Returns true if the gateway agrees. It doesn't
/// wait for the release, because [`Host::open`] does. Returns false if there is no such gateway, or if the
/// gateway refuses.
pub async fn take_over(home: &Path) -> bool {
    match connect(home, &Hello::HandOver, None).await {
        Ok(_) => true,
        Err(BridgeError::NotRunning) => false,
        // The window reports what is wrong with the data folder when it opens the folder.
        Err(error) => {
            tracing::info!(%error, "the data folder was not handed over");
            false
        }
    }
}

/// Listens on a socket that only programs of its owner can reach, because other users can't enter the data
/// folder. A socket that already exists is left over from an earlier gateway.
fn listen_at(path: &Path) -> io::Result<UnixListener> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // If this fails, the next gateway replaces the socket.
        let _left_over = fs::remove_file(&self.path);
    }
}

/// The id of the process at the other end.
fn peer_pid(stream: &UnixStream) -> Option<i32> {
    stream.peer_cred().ok().and_then(|peer| peer.pid())
}

/// Serves a connection from its first line to its end, or refuses it if its app has no place left. Returns
/// the connection of a window that asks for the data folder, if the window may have it.
async fn serve_connection(
    host: Host,
    catalogues: Arc<Catalogues>,
    stream: UnixStream,
    place: Arc<Place>,
    is_service: bool,
) -> Option<UnixStream> {
    let program = peer::program_at_socket(&stream);
    let session = peer_pid(&stream).and_then(|pid| peer_session(u32::try_from(pid).ok()?));
    let (from, to) = stream.into_split();
    let mut lines = Lines::new(from, MAX_HELLO);
    let Ok(Ok(Some(Line::Text(hello)))) = tokio::time::timeout(HELLO_TIMEOUT, lines.next()).await else {
        return None;
    };
    let is_known = |name: &String| host.servers().iter().any(|server| server.config.name == *name);
    let refused = match Hello::read(&hello) {
        Err(reason) => reason,
        Ok(Hello::HandOver) if is_service => return lines.into_inner().reunite(to).ok(),
        Ok(Hello::HandOver) => "a window has the data folder".to_owned(),
        Ok(Hello::Command(command)) if command.version != VERSION => format!(
            "it is version {VERSION}, and this command is version {theirs}: restart Mooring",
            theirs = command.version
        ),
        Ok(Hello::Command(_)) => match session {
            None => "it can’t tell which terminal this is".to_owned(),
            Some(session) => {
                let mut to = to;
                to.write_all(line(Welcome::default()).ok()?.as_bytes()).await.ok()?;
                mooring_visits::serve(host, session, !is_service, lines.into_inner(), to).await;
                return None;
            }
        },
        Ok(Hello::App(app)) => match &app.server {
            Some(name) if !is_known(name) => format!("there is no server named {name}"),
            _ => match host.identify_app(&app.app, app.key.as_deref(), program).await {
                Ok(identity) => {
                    let mut to = to;
                    if let Some(public) = &app.key
                        && !verify_key(public, &mut lines, &mut to).await?
                    {
                        return None;
                    }
                    let full = place.name(&owner_of(&host, &identity)).err();
                    let is_welcome = full.is_none();
                    let answer = full.map_or_else(Welcome::default, Welcome::refused);
                    to.write_all(line(answer).ok()?.as_bytes()).await.ok()?;
                    if is_welcome {
                        let view = AppView::new(&host, &catalogues, identity, app.server);
                        app::serve_app(view, &place, lines.with_max(MAX_MESSAGE), to).await;
                    }
                    return None;
                }
                Err(reason) => reason.to_string(),
            },
        },
    };
    send_welcome(lines.into_inner().reunite(to).ok()?, Some(refused)).await;
    None
}

/// Whether the other end has the private key for `public`. `None` if the other end is gone or takes too long.
/// The signature names the process that listens, so no other process can relay the challenge.
async fn verify_key(public: &str, lines: &mut Lines<OwnedReadHalf>, to: &mut OwnedWriteHalf) -> Option<bool> {
    let nonce = random_id().ok()?;
    let challenge = line(Welcome { challenge: Some(nonce.clone()), ..Welcome::default() }).ok()?;
    to.write_all(challenge.as_bytes()).await.ok()?;
    let Ok(Ok(Some(Line::Text(answer)))) = tokio::time::timeout(HELLO_TIMEOUT, lines.next()).await else {
        return None;
    };
    // A bridge in another process namespace can't see which process listens, and signs 0.
    let is_signed = Signed::read(&answer).is_some_and(|Signed { signed }| {
        [process::id(), 0].into_iter().any(|listener| {
            mooring_app_key::is_signed(public, Challenge { nonce: &nonce, listener }, &signed)
        })
    });
    if !is_signed {
        let refused = Welcome::refused("Mooring couldn’t verify the key of this entry".to_owned());
        to.write_all(line(refused).ok()?.as_bytes()).await.ok()?;
    }
    Some(is_signed)
}

/// Answers the first line of a connection that is refused or isn't from an app.
async fn send_welcome(mut stream: UnixStream, refused: Option<String>) {
    if let Ok(answer) = line(Welcome { refused, ..Welcome::default() }) {
        // The other end may be gone.
        let _gone = stream.write_all(answer.as_bytes()).await;
    }
}
