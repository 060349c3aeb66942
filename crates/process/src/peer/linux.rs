//! Identifies the process at the other end through `/proc`.
//!
//! Servers are below a guardian, and stay there because the guardian adopts orphans. A process therefore
//! belongs to a server if a guardian is among its ancestors. Guardians of all hosts count, because servers of
//! a host that has just ended may still be ending. Guardians that are ancestors of this process itself don't
//! count, because they started it.

use super::{ParentProgram, PeerOrigin, PeerProgram, PeerSession, connection};
use crate::tree::ProcessIdentity;
use crate::tree::linux::{ProcStat, list_processes, read_stat, with_descendants};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::HashSet;
use std::fs;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The most ancestors of a process. The origin of a process with more ancestors is unknown.
const MAX_ANCESTORS: usize = 256;
/// How often to try to read the ancestors, because they may end meanwhile.
const ATTEMPTS: usize = 5;

/// The first processes of servers that this process has started. They count even without a guardian, and
/// after the end of their guardian.
static STARTED: Mutex<Vec<ProcessIdentity>> = Mutex::new(Vec::new());

/// Notes that a server was started.
pub(crate) fn note_started(pid: u32) {
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    started.retain(ProcessIdentity::is_alive);
    started.extend(ProcessIdentity::of(pid));
}

fn started_servers() -> HashSet<ProcessIdentity> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
}

/// The origin of the process that opened a local socket. `pid` is the socket's credential.
pub fn origin_at_socket(pid: u32, socket: BorrowedFd<'_>) -> PeerOrigin {
    // Without this descriptor, a reused pid would be mistaken for the previous process.
    let opener = crate::sys::open_peer_process(socket);
    let origin = origin_of(pid);
    // The descriptor becomes readable when the process has ended. A process that passed its connection on and
    // ended can't be identified.
    let has_ended = opener.is_some_and(|opener| {
        let mut files = [PollFd::new(&opener, PollFlags::IN)];
        poll(&mut files, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    });
    match origin {
        PeerOrigin::Elsewhere if has_ended => PeerOrigin::Unknown,
        origin => origin,
    }
}

/// The origin of the process at the other end of a TCP connection on this machine. Reads the open files of
/// processes, which takes some milliseconds.
pub fn origin_at_port(peer: SocketAddr, own: SocketAddr) -> PeerOrigin {
    let all: Vec<ProcStat> = list_processes().filter_map(read_stat).collect();
    let inside = find_server_processes(&all);
    if inside.is_empty() {
        return PeerOrigin::Elsewhere;
    }
    connection::find_origin(peer, own, &inside, &all)
}

/// All processes of servers.
fn find_server_processes(all: &[ProcStat]) -> HashSet<ProcessIdentity> {
    let above = own_ancestors();
    let started = started_servers();
    let roots = all.iter().filter(|stat| stat.is_guardian || started.contains(&stat.identity));
    let roots = roots.map(|stat| stat.identity).filter(|identity| !above.contains(identity));
    let mut inside = with_descendants(roots.collect(), all);
    let pids: HashSet<u32> = inside.iter().map(|identity| identity.pid).collect();
    // Guardians open no connections, and their open files can't be read. A server that has taken a guardian's
    // name has a guardian as an ancestor and so stays in the set.
    for guardian in all.iter().filter(|stat| stat.is_guardian && !pids.contains(&stat.parent)) {
        inside.remove(&guardian.identity);
    }
    inside
}

fn own_ancestors() -> Vec<ProcessIdentity> {
    let own = read_ancestry(std::process::id()).unwrap_or_default();
    own.iter().map(|stat| stat.identity).collect()
}

/// The origin of a process.
pub(super) fn origin_of(pid: u32) -> PeerOrigin {
    if pid == std::process::id() {
        return PeerOrigin::Elsewhere;
    }
    // A process that has ended has passed its connection on to another one.
    let Some(chain) = read_ancestry(pid).filter(|chain| chain.first().is_some_and(|first| first.alive))
    else {
        return PeerOrigin::Unknown;
    };
    let (above, started) = (own_ancestors(), started_servers());
    let is_root = |stat: &ProcStat| {
        (stat.is_guardian || started.contains(&stat.identity)) && !above.contains(&stat.identity)
    };
    match chain.iter().rposition(is_root) {
        Some(root) => {
            let processes = chain.iter().take(root + 1).map(|stat| stat.identity.pid).collect();
            PeerOrigin::Server { processes }
        }
        None => PeerOrigin::Elsewhere,
    }
}

/// Reads a process and all of its ancestors, as one consistent snapshot.
fn read_ancestry(pid: u32) -> Option<Vec<ProcStat>> {
    (0..ATTEMPTS).find_map(|_| {
        let chain = walk_ancestors(pid)?;
        (walk_ancestors(pid).as_ref() == Some(&chain)).then_some(chain)
    })
}

fn walk_ancestors(pid: u32) -> Option<Vec<ProcStat>> {
    let mut chain: Vec<ProcStat> = Vec::new();
    let mut next = pid;
    while next != 0 {
        let stat = read_stat(next)?;
        // Parents are older than their children. If this process is younger, the parent has ended and another
        // process got its number.
        let is_another =
            chain.last().is_some_and(|child| stat.identity.started_at > child.identity.started_at);
        if is_another || chain.len() == MAX_ANCESTORS {
            return None;
        }
        next = stat.parent;
        chain.push(stat);
    }
    Some(chain)
}

/// The program of a process, and the program that started it.
pub fn peer_program(pid: u32) -> Option<PeerProgram> {
    let stat = read_stat(pid)?;
    let (name, path) = read_program(pid)?;
    let parent = read_program(stat.parent).map(|(name, path)| ParentProgram { name, path });
    Some(PeerProgram { name, path, parent })
}

/// The session of a process. `None` if the process has ended. A session whose first process has ended never
/// counts as open, so that nothing is remembered for it for long.
pub fn peer_session(pid: u32) -> Option<PeerSession> {
    let process = read_stat(pid)?;
    let leader = read_stat(process.session);
    let opener = leader.as_ref().map_or(process.parent, |leader| leader.parent);
    let opener = match read_program(opener) {
        Some((name, path)) => ParentProgram { name, path },
        // There is no parent, as in a container. The session leader itself says nothing about other sessions.
        None => ParentProgram { name: read_program(leader.as_ref()?.identity.pid)?.0, path: None },
    };
    let leader =
        leader.map_or(ProcessIdentity { pid: process.session, started_at: 0 }, |leader| leader.identity);
    Some(PeerSession { leader, opener })
}

fn read_program(pid: u32) -> Option<(String, Option<PathBuf>)> {
    // If a program protects its memory, as the bridge does, only its name is readable.
    let path = fs::read_link(format!("/proc/{pid}/exe")).ok();
    let name = match path.as_ref().and_then(|path| path.file_name()) {
        Some(name) => name.to_string_lossy().into_owned(),
        None => String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/comm")).ok()?).into_owned(),
    };
    // The system adds this text if the file was replaced while the program runs.
    let name = name.trim_end().trim_end_matches(" (deleted)");
    let name = name.chars().map(|character| if character.is_control() { '\u{fffd}' } else { character });
    Some((name.collect(), path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_and_parent_process_come_from_elsewhere() {
        let parent = read_stat(std::process::id()).unwrap().parent;
        for pid in [std::process::id(), parent] {
            assert_eq!(origin_of(pid), PeerOrigin::Elsewhere);
        }
        // No process has this number.
        assert_eq!(origin_of(u32::MAX), PeerOrigin::Unknown);
        assert_eq!(peer_program(u32::MAX), None);
    }

    #[test]
    fn session_is_that_of_its_first_process_and_ends_with_it() {
        let own = peer_session(std::process::id());
        #[expect(clippy::disallowed_methods, reason = "this is the crate that may start processes")]
        let mut child = std::process::Command::new("setsid").args(["sleep", "60"]).spawn().unwrap();
        let began =
            || peer_session(child.id()).filter(|session| own.as_ref().is_none_or(|own| !session.is(own)));
        let session = std::iter::repeat_with(began).find_map(std::convert::identity).unwrap();
        assert!(session.is_open() && session.is(&peer_session(child.id()).unwrap()));
        let name = read_program(std::process::id()).unwrap().0;
        assert_eq!(session.opener.name, name);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!session.is_open());
    }

    #[test]
    fn program_of_a_process_is_named_with_its_parents() {
        let own = peer_program(std::process::id()).unwrap();
        let path = std::env::current_exe().unwrap();
        assert_eq!(own.path.as_ref(), Some(&path));
        assert_eq!(own.name, path.file_name().unwrap().to_str().unwrap());
        assert_eq!(own.app(), (own.name.as_str(), Some(path.as_path())));
        let parent = ParentProgram { name: "pier-bot".into(), path: None };
        let bridge = PeerProgram { name: "mooring-bridge".into(), path: None, parent: Some(parent) };
        assert_eq!(bridge.app(), ("pier-bot", None));
    }
}
