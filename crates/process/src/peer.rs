//! Which program is at the other end of a connection to this process, as far as the system says. Only Linux
//! does so far: elsewhere nothing is known, and no peer counts as a server.

#[cfg(target_os = "linux")]
mod connection;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub(crate) use linux::note_started;
#[cfg(target_os = "linux")]
pub use linux::{origin_at_port, origin_at_socket, peer_program, peer_session};

use std::path::{Path, PathBuf};

use crate::tree::ProcessIdentity;

/// The origin of a process at the other end of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PeerOrigin {
    /// Mooring did not start it.
    Elsewhere,
    /// It is in the tree of a server that Mooring runs.
    Server {
        /// The processes from it to its server's first one, as far as they still run.
        processes: Vec<u32>,
    },
    /// Not known: the process that opened the connection has ended, or is hidden.
    Unknown,
}

/// A program at the other end. Its name and place are its own choice: they say what it is, and prove nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerProgram {
    /// The name of its file, or what it calls itself where the file is hidden. No control characters.
    pub name: String,
    /// The program's file, if the system knows it.
    pub path: Option<PathBuf>,
    /// The program that started it, if that still runs.
    pub parent: Option<ParentProgram>,
}

/// The program that started another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentProgram {
    /// Like in [`PeerProgram`].
    pub name: String,
    /// Like in [`PeerProgram`].
    pub path: Option<PathBuf>,
}

impl PeerProgram {
    /// The app's name and file: of a bridge, which an app starts, they are those of the program that started it.
    pub fn app(&self) -> (&str, Option<&Path>) {
        match &self.parent {
            Some(parent) if ["mooring-bridge", "mooring"].contains(&self.name.as_str()) => {
                (&parent.name, parent.path.as_deref())
            }
            _ => (&self.name, self.path.as_deref()),
        }
    }
}

/// The session of a process: that of a terminal, or of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerSession {
    /// The process that began it, such as a shell.
    leader: ProcessIdentity,
    /// The program that opened it, such as a terminal. As of [`PeerProgram`].
    pub opener: ParentProgram,
}

impl PeerSession {
    /// Whether the process that began it still runs.
    pub fn is_open(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.leader.is_alive();
        // `peer_session` finds none there.
        #[cfg(not(target_os = "linux"))]
        return false;
    }

    /// Whether it is the same one, and not a later one with its number.
    pub fn is(&self, other: &Self) -> bool {
        self.leader == other.leader
    }
}

/// The origin of the process at the other end of a local socket. Unknown on this system.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn origin_at_socket(_pid: u32, _socket: std::os::fd::BorrowedFd<'_>) -> PeerOrigin {
    PeerOrigin::Elsewhere
}

/// The origin of the process at the other end of a TCP connection. Unknown on this system.
#[cfg(not(target_os = "linux"))]
pub fn origin_at_port(_peer: std::net::SocketAddr, _own: std::net::SocketAddr) -> PeerOrigin {
    PeerOrigin::Elsewhere
}

/// The program of a process. Here nothing is known.
#[cfg(not(target_os = "linux"))]
pub fn peer_program(_pid: u32) -> Option<PeerProgram> {
    None
}

/// The session of a process. Here nothing is known.
#[cfg(not(target_os = "linux"))]
pub fn peer_session(_pid: u32) -> Option<PeerSession> {
    None
}
