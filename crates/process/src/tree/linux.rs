//! The tree on Linux: the group, its descendants, and what carries the tree's marker, as seen
//! in `/proc`.
//!
//! A process is signalled through a descriptor of it that was opened before it was recognised a
//! second time, so that a reused number never hits a stranger.

use super::{MARKER, Stop};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};
use std::collections::{HashMap, HashSet};
use std::fs;

/// A process, told apart from a later one with the same number by when it started.
type Identity = (u32, u64);

/// The program and everything it has started.
#[derive(Debug)]
pub(crate) struct Tree {
    leader: u32,
    /// `MARKER=value` as it stands in a process's environment.
    marker: Vec<u8>,
    /// When the leader started; nothing that belongs to it is older.
    since: u64,
    leader_ended: bool,
    /// Seen as part of the tree; they stay part of it wherever they move.
    known: HashSet<Identity>,
}

impl Tree {
    pub(crate) fn new(leader: u32, marker: &str) -> Self {
        let since = stat(leader).map_or(0, |stat| stat.started);
        let marker = format!("{MARKER}={marker}").into_bytes();
        Self { leader, marker, since, leader_ended: false, known: HashSet::new() }
    }

    pub(crate) fn leader(&self) -> u32 {
        self.leader
    }

    /// The leader was reaped: its number may be given to a stranger from now on.
    pub(crate) fn leader_ended(&mut self) {
        self.leader_ended = true;
    }

    /// Looks for what belongs to the tree; whether anything of it is left.
    pub(crate) fn observe(&mut self) -> bool {
        let members = self.members();
        self.known.clone_from(&members);
        !members.is_empty()
    }

    /// Signals everything that belongs to the tree. A kill goes on until nothing is left,
    /// because a process may start another one while it is being looked for.
    pub(crate) fn signal(&mut self, stop: Stop) {
        const ROUNDS: usize = 10;
        for _ in 0..ROUNDS {
            // Looked for while the parents live: once they are gone, nothing leads any more to
            // one that has left the group and cleared its environment.
            if !self.observe() {
                return;
            }
            if !self.leader_ended {
                // Reaches those that are being started at this moment, too. It fails when the
                // group is empty, which is what is wanted.
                let _ended = Pid::from_raw(self.leader.cast_signed())
                    .map(|group| kill_process_group(group, stop.into()));
            }
            for identity in &self.known {
                send(*identity, stop.into());
            }
            if stop == Stop::Terminate {
                return;
            }
        }
    }

    /// Everything alive that belongs to the tree.
    fn members(&self) -> HashSet<Identity> {
        let alive: Vec<Stat> =
            processes().filter_map(stat).filter(|stat| stat.alive && stat.started >= self.since).collect();
        let reused = self.leader_ended && alive.iter().any(|stat| stat.pid == self.leader);
        let mut members: HashSet<u32> = alive
            .iter()
            .filter(|stat| {
                self.known.contains(&(stat.pid, stat.started))
                    || (!reused && (stat.pid == self.leader || stat.group == self.leader))
                    || carries(stat.pid, &self.marker)
            })
            .map(|stat| stat.pid)
            .collect();
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for stat in &alive {
            children.entry(stat.parent).or_default().push(stat.pid);
        }
        let mut open: Vec<u32> = members.iter().copied().collect();
        while let Some(parent) = open.pop() {
            for child in children.get(&parent).into_iter().flatten() {
                if members.insert(*child) {
                    open.push(*child);
                }
            }
        }
        alive.iter().filter(|stat| members.contains(&stat.pid)).map(|stat| (stat.pid, stat.started)).collect()
    }
}

/// Signals exactly this process. One that has ended meanwhile needs nothing.
fn send((number, started): Identity, signal: Signal) {
    let Some(pid) = Pid::from_raw(number.cast_signed()) else {
        return;
    };
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
        return;
    };
    if stat(number).is_some_and(|stat| stat.started == started) {
        let _ended = pidfd_send_signal(handle, signal);
    }
}

/// The numbers of all processes.
fn processes() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Whether the process inherited the variable. Other users' processes cannot be read, and
/// cannot be ours.
fn carries(pid: u32, variable: &[u8]) -> bool {
    fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|entry| entry == variable))
}

/// What `/proc/PID/stat` says of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    pid: u32,
    parent: u32,
    group: u32,
    /// Clock ticks from the start of the system.
    started: u64,
    alive: bool,
}

fn stat(pid: u32) -> Option<Stat> {
    parse_stat(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Field 3 (state), 4 (parent), 5 (group) and 22 (start) of proc(5). The second field is the
/// program's name in parentheses and may itself hold spaces and parentheses.
fn parse_stat(pid: u32, line: &str) -> Option<Stat> {
    let (_, fields) = line.rsplit_once(") ")?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let started = fields.nth(16)?.parse().ok()?;
    Some(Stat { pid, parent, group, started, alive: !matches!(state, "Z" | "X") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stat_line_is_read_in_spite_of_the_name_in_it() {
        let line = "42 (a) S (b) c) R 7 41 40 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 1 1";
        let expect = Stat { pid: 42, parent: 7, group: 41, started: 9876, alive: true };
        assert_eq!(parse_stat(42, line), Some(expect));
        assert!(!parse_stat(42, &line.replace(") R ", ") Z ")).unwrap().alive);
        assert_eq!(parse_stat(42, "42 (x"), None);
        assert_eq!(parse_stat(42, ""), None);
    }

    #[test]
    fn this_process_is_seen() {
        let own = stat(std::process::id()).unwrap();
        assert!(own.alive && own.started > 0);
        assert!(processes().any(|pid| pid == own.pid));
    }
}
