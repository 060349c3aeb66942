//! Refuses connections of programs that Mooring itself started. Otherwise a server could call the tools of
//! all others, under the name of any app.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use mooring_host::Host;
use mooring_process::{PeerOrigin, origin_at_port};
use tokio::sync::{OnceCell, Semaphore};

/// The error for a server, and for processes that it started.
const OWN_SERVER: &str = "Mooring’s own servers can’t use Mooring";
/// The error for a connection whose program can't be found.
const UNKNOWN: &str = "Mooring can’t tell which program this is: the one that connected has ended";
/// How many searches for the other end of a connection run at once.
static LOOKUPS: Semaphore = Semaphore::const_new(2);
/// The servers that were warned about, at most `MAX_WARNED`.
static WARNED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
const MAX_WARNED: usize = 256;

/// The other end of a connection over HTTP. Its program is looked up once.
#[derive(Debug, Clone, Default)]
pub(crate) struct HttpPeer {
    /// The addresses of the other end and of this one.
    ends: Option<(SocketAddr, SocketAddr)>,
    refusal: Arc<OnceCell<Option<&'static str>>>,
}

impl HttpPeer {
    pub(crate) fn new(peer: SocketAddr, own: io::Result<SocketAddr>) -> Self {
        Self { ends: own.ok().map(|own| (peer, own)), refusal: Arc::default() }
    }

    /// Why the process at the other end is refused. `None` if it isn't.
    pub(crate) async fn find_refusal(&self, host: &Host) -> Option<&'static str> {
        let look = async {
            let Some((peer, own)) = self.ends else { return Some(UNKNOWN) };
            // The semaphore is never closed.
            let _turn = LOOKUPS.acquire().await.ok();
            let looked = tokio::task::spawn_blocking(move || origin_at_port(peer, own)).await;
            refusal_for(host, &looked.unwrap_or(PeerOrigin::Unknown))
        };
        *self.refusal.get_or_init(|| look).await
    }
}

/// Why a process of this origin is refused. `None` if it isn't.
pub(crate) fn refusal_for(host: &Host, origin: &PeerOrigin) -> Option<&'static str> {
    match origin {
        PeerOrigin::Elsewhere => None,
        PeerOrigin::Unknown => {
            tracing::info!("a program connected that can’t be told any more, and was refused");
            Some(UNKNOWN)
        }
        PeerOrigin::Server { processes } => {
            warn_once(host, processes);
            Some(OWN_SERVER)
        }
    }
}

/// Logs a refusal, once for each server.
fn warn_once(host: &Host, processes: &[u32]) {
    let is_its = |pid: Option<u32>| pid.is_some_and(|pid| processes.contains(&pid));
    let server = host.servers().into_iter().find(|server| is_its(server.connection.pid));
    // The process may be left over from a server that has ended, or another Mooring may run it.
    let name = server.map_or_else(|| "unknown".to_owned(), |server| server.config.name);
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    if warned.len() < MAX_WARNED && warned.insert(name.clone()) {
        tracing::warn!(server = %name, "a server that Mooring runs wanted to use Mooring as an app, and was refused");
    }
}
