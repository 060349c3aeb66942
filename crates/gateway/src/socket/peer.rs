//! The process at the other end of the local socket.

use std::os::fd::AsFd as _;
use std::time::Duration;

use mooring_bridge::{Welcome, line};
use mooring_host::Host;
use mooring_process::{PeerOrigin, origin_at_socket, peer_program};
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;

use crate::peer::refusal_for;

/// How long to wait until a refused program has sent something. It might miss an answer that comes before
/// that.
const LAST_WORD_TIMEOUT: Duration = Duration::from_secs(1);

/// Why the process at the other end of the local socket is refused. `None` if it isn't.
pub(crate) fn refusal_at_socket(host: &Host, stream: &UnixStream) -> Option<&'static str> {
    let pid = stream.peer_cred().ok().and_then(|peer| u32::try_from(peer.pid()?).ok());
    // Where a process comes from is known only on Linux. Other systems may not even report the process.
    let origin = match pid {
        Some(pid) => origin_at_socket(pid, stream.as_fd()),
        None if cfg!(target_os = "linux") => PeerOrigin::Unknown,
        None => PeerOrigin::Elsewhere,
    };
    refusal_for(host, &origin)
}

/// The program at the other end of the local socket: its path, or its name if the system hides the path.
pub(crate) fn program_at_socket(stream: &UnixStream) -> Option<String> {
    let pid = stream.peer_cred().ok().and_then(|peer| u32::try_from(peer.pid()?).ok())?;
    let program = peer_program(pid)?;
    let (name, path) = program.app();
    Some(path.map_or_else(|| name.to_owned(), |path| path.display().to_string()))
}

/// Refuses a connection with a reason, once the program has sent something.
pub(crate) async fn refuse_connection(mut stream: UnixStream, reason: &str) {
    let _silent = tokio::time::timeout(LAST_WORD_TIMEOUT, stream.readable()).await;
    if let Ok(answer) = line(Welcome::refused(reason.to_owned())) {
        // The other end may be gone.
        let _gone = stream.write_all(answer.as_bytes()).await;
    }
}
