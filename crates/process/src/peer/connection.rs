//! Finds the process at the other end of a TCP connection on this machine. The system lists the connection
//! with the number of its socket, and each process with the sockets that it has open.

use super::PeerOrigin;
use super::linux::origin_of;
use crate::tree::ProcessIdentity;
use crate::tree::linux::ProcStat;
use std::collections::HashSet;
use std::fs;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The processes at the other end of the last connections, because apps connect repeatedly.
static RECENT: Mutex<Vec<u32>> = Mutex::new(Vec::new());
const MAX_RECENT: usize = 16;

/// A socket in the system's list of connections.
#[derive(Debug, PartialEq, Eq)]
struct ListedSocket {
    uid: u32,
    inode: u64,
}

/// The origin of the process at the other end. `inside` are the processes of servers. A process that can't be
/// found is unknown. A connection that is being passed between two processes, or whose process has ended,
/// could be a server's.
pub(super) fn find_origin(
    peer: SocketAddr,
    own: SocketAddr,
    inside: &HashSet<ProcessIdentity>,
    all: &[ProcStat],
) -> PeerOrigin {
    let Some(socket) = find_listed_socket(peer, own) else { return PeerOrigin::Unknown };
    let wanted = PathBuf::from(format!("socket:[{}]", socket.inode));
    let mut is_one_hidden = false;
    for process in inside {
        match has_file_open(process.pid, &wanted) {
            Some(true) => return server_origin(process.pid),
            Some(false) => {}
            None => is_one_hidden |= process.is_alive(),
        }
    }
    if socket.uid != rustix::process::geteuid().as_raw() && !is_one_hidden {
        // The program belongs to another user, so its open files can't be read. Servers always belong to this
        // user.
        return PeerOrigin::Elsewhere;
    }
    match find_holder_elsewhere(&wanted, inside, all) {
        Some(pid) => {
            note_recent(pid);
            // A server that was started meanwhile is not in `inside`.
            origin_of(pid)
        }
        None => PeerOrigin::Unknown,
    }
}

fn server_origin(pid: u32) -> PeerOrigin {
    match origin_of(pid) {
        PeerOrigin::Elsewhere | PeerOrigin::Unknown => PeerOrigin::Server { processes: vec![pid] },
        server @ PeerOrigin::Server { .. } => server,
    }
}

/// Finds a process outside of all servers that has the socket. Tries this process, the processes of the last
/// connections, and then all others from the newest to the oldest.
fn find_holder_elsewhere(wanted: &Path, inside: &HashSet<ProcessIdentity>, all: &[ProcStat]) -> Option<u32> {
    let recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut others: Vec<&ProcStat> =
        all.iter().filter(|stat| stat.alive && !inside.contains(&stat.identity)).collect();
    others.sort_by_key(|stat| std::cmp::Reverse(stat.identity.started_at));
    let is_inside = |pid: u32| inside.iter().any(|process| process.pid == pid);
    let first = std::iter::once(std::process::id()).chain(recent.into_iter().filter(|pid| !is_inside(*pid)));
    let mut pids = first.chain(others.into_iter().map(|stat| stat.identity.pid));
    pids.find(|pid| has_file_open(*pid, wanted) == Some(true))
}

fn note_recent(pid: u32) {
    let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    recent.retain(|known| *known != pid);
    recent.insert(0, pid);
    recent.truncate(MAX_RECENT);
}

/// Whether a process has the socket open. `None` if its open files can't be read.
fn has_file_open(pid: u32, wanted: &Path) -> Option<bool> {
    let mut files = fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    Some(files.any(|file| file.is_ok_and(|file| fs::read_link(file.path()).is_ok_and(|to| to == wanted))))
}

/// Finds the socket of the other end. `None` if the socket was closed, or is not on this machine.
fn find_listed_socket(peer: SocketAddr, own: SocketAddr) -> Option<ListedSocket> {
    let of = |list: &str, address: fn(SocketAddr) -> String| {
        let text = fs::read_to_string(list).ok()?;
        find_in_list(&text, &address(peer), &address(own))
    };
    // A program may connect to an IPv4 address with an IPv6 socket.
    of("/proc/net/tcp", format_listed_address).or_else(|| of("/proc/net/tcp6", format_mapped_address))
}

fn find_in_list(list: &str, peer: &str, own: &str) -> Option<ListedSocket> {
    list.lines().find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let is_it = fields.next()? == peer && fields.next()? == own;
        let uid = fields.nth(4)?.parse().ok()?;
        let inode = fields.nth(1)?.parse().ok()?;
        // A socket that its process has closed has no number.
        (is_it && inode != 0).then_some(ListedSocket { uid, inode })
    })
}

/// Formats an address as in the system's list, in the byte order of this machine.
fn format_listed_address(address: SocketAddr) -> String {
    match address.ip() {
        IpAddr::V4(ip) => format!("{:08X}:{:04X}", u32::from_ne_bytes(ip.octets()), address.port()),
        IpAddr::V6(_) => format_mapped_address(address),
    }
}

fn format_mapped_address(address: SocketAddr) -> String {
    let ip: Ipv6Addr = match address.ip() {
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    };
    let octets = ip.octets();
    let (words, _) = octets.as_chunks::<4>();
    let ip: Vec<String> = words.iter().map(|word| format!("{:08X}", u32::from_ne_bytes(*word))).collect();
    format!("{}:{:04X}", ip.concat(), address.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn connection_is_found_in_the_list_with_its_process() {
        for at in ["127.0.0.1:0", "[::1]:0"] {
            // Not every machine has the IPv6 address.
            let Ok(listener) = TcpListener::bind(at) else { continue };
            let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (mut accepted, peer) = listener.accept().unwrap();
            let own = accepted.local_addr().unwrap();
            let socket = find_listed_socket(peer, own).unwrap();
            assert_eq!(socket.uid, rustix::process::geteuid().as_raw());
            let wanted = PathBuf::from(format!("socket:[{}]", socket.inode));
            assert_eq!(has_file_open(std::process::id(), &wanted), Some(true));
            assert_eq!(find_holder_elsewhere(&wanted, &HashSet::new(), &[]), Some(std::process::id()));
            drop(stream);
            accepted.read_to_end(&mut Vec::new()).unwrap();
            assert_eq!(find_listed_socket(peer, own), None);
        }
    }

    #[test]
    fn line_of_the_list_is_read_by_its_fields() {
        let list = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
            1: 0100007F:9E5E 0100007F:01BB 01 00000000:00000000 00:00000000 00000000  1000        0 8701 1 0 20 4 0 152 -1\n   \
            2: 0100007F:9E5F 0100007F:01BB 06 00000000:00000000 03:00000000 00000000     0        0 0 3 0\n";
        let found = find_in_list(list, "0100007F:9E5E", "0100007F:01BB");
        assert_eq!(found, Some(ListedSocket { uid: 1000, inode: 8701 }));
        assert_eq!(find_in_list(list, "0100007F:9E5F", "0100007F:01BB"), None);
        assert_eq!(find_in_list(list, "0100007F:01BB", "0100007F:9E5E"), None);
    }
}
