//! Finds out which program is at the other end of a connection to this process. This is only implemented on
//! Linux. On other systems nothing is known, and no peer counts as a server.

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
    /// The process is in the tree of a server that Mooring runs.
    Server {
        /// The running processes from this process up to the server's first process.
        processes: Vec<u32>,
    },
    /// Unknown, because the process that opened the connection has ended or is hidden.
    Unknown,
}

/// The program at the other end. A program can choose its name and path itself, so they prove nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerProgram {
    /// The name of the program's file, or the name that it gives itself if the file is hidden. Without
    /// control characters.
    pub name: String,
    /// The program's file, if the system knows it.
    pub path: Option<PathBuf>,
    /// The program that started this one, if that program still runs.
    pub parent: Option<ParentProgram>,
}

/// The program that started another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentProgram {
    /// As in [`PeerProgram`].
    pub name: String,
    /// As in [`PeerProgram`].
    pub path: Option<PathBuf>,
}

impl PeerProgram {
    /// The app's name and file. A bridge is started by an app, so for a bridge these are the name and file of
    /// the program that started it.
    pub fn app(&self) -> (&str, Option<&Path>) {
        match &self.parent {
            Some(parent) if ["mooring-bridge", "mooring"].contains(&self.name.as_str()) => {
                (&parent.name, parent.path.as_deref())
            }
            _ => (&self.name, self.path.as_deref()),
        }
    }
}

/// The session of a process. A terminal or another program opened it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerSession {
    /// The process that began the session, such as a shell.
    leader: ProcessIdentity,
    /// The program that opened the session, such as a terminal.
    pub opener: ParentProgram,
}

impl PeerSession {
    /// Whether the process that began the session still runs.
    pub fn is_open(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.leader.is_alive();
        // On other systems, `peer_session` finds no session.
        #[cfg(not(target_os = "linux"))]
        return false;
    }

    /// Whether both are the same session, and not a later one with the same number.
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

/// The program of a process. Unknown on this system.
#[cfg(not(target_os = "linux"))]
pub fn peer_program(_pid: u32) -> Option<PeerProgram> {
    None
}

/// The session of a process. Unknown on this system.
#[cfg(not(target_os = "linux"))]
pub fn peer_session(_pid: u32) -> Option<PeerSession> {
    None
}
