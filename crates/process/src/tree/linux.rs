//! The tree on Linux, according to `/proc`: the process group, its descendants, and the processes with the
//! tree's marker.
//!
//! To signal a process, its descriptor is opened first. Then the process is identified again, so that a
//! signal never reaches another process with a reused number.

use super::GUARDIAN_NAME;
use super::{MARKER, ProcessIdentity, StopSignal};
use rustix::process::{Pid, PidfdFlags, kill_process_group, pidfd_open, pidfd_send_signal};
use std::collections::{HashMap, HashSet};
use std::fs;

/// The program and everything it has started.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The oldest process of the tree.
    leader: ProcessIdentity,
    /// `MARKER=value`, as in a process's environment.
    marker: Vec<u8>,
    leader_ended: bool,
    /// Processes that were seen in the tree. They stay part of it, even if they change their group or
    /// session.
    known: HashSet<ProcessIdentity>,
}

impl Tree {
    pub(crate) fn new(leader: ProcessIdentity, marker: &str) -> Self {
        let marker = format!("{MARKER}={marker}").into_bytes();
        Self { leader, marker, leader_ended: false, known: HashSet::new() }
    }

    pub(crate) fn leader(&self) -> u32 {
        self.leader.pid
    }

    /// Notes that the leader was reaped. From now on, another process may get its number.
    pub(crate) fn note_leader_ended(&mut self) {
        self.leader_ended = true;
    }

    /// Finds the processes of the tree. Returns whether any is left.
    pub(crate) fn refresh_members(&mut self) -> bool {
        let members = self.find_members();
        self.known.clone_from(&members);
        !members.is_empty()
    }

    /// Signals everything that belongs to the tree. A kill is repeated until nothing is left, because a
    /// process may start another one during the search.
    pub(crate) fn signal_tree(&mut self, stop: StopSignal) {
        const ROUNDS: usize = 10;
        for _ in 0..ROUNDS {
            // Search before the parents die. After that, a process that has left the group and cleared its
            // environment can't be found.
            if !self.refresh_members() {
                return;
            }
            let as_group = !self.leader_ended && self.leader.is_alive();
            if as_group {
                // This also reaches processes that are being started. An error means that the group is empty,
                // which is fine.
                let _ended = Pid::from_raw(self.leader.pid.cast_signed())
                    .map(|group| kill_process_group(group, stop.into()));
            }
            for identity in &self.known {
                // Signal each process only once, because many programs exit without cleaning up at a second
                // signal.
                if stop == StopSignal::Kill || !as_group || !self.is_in_group(*identity) {
                    identity.signal(stop);
                }
            }
            if stop != StopSignal::Kill {
                return;
            }
        }
    }

    /// Signals the program alone.
    pub(crate) fn signal_leader(&self, stop: StopSignal) {
        if !self.leader_ended {
            self.leader.signal(stop);
        }
    }

    fn is_in_group(&self, identity: ProcessIdentity) -> bool {
        read_stat(identity.pid).is_some_and(|stat| stat.identity == identity && stat.group == self.leader.pid)
    }

    /// Everything alive that belongs to the tree.
    fn find_members(&self) -> HashSet<ProcessIdentity> {
        let leader = self.leader;
        let alive: Vec<ProcStat> = list_processes()
            .filter_map(read_stat)
            .filter(|stat| stat.alive && stat.identity.started_at >= leader.started_at)
            .collect();
        // Another process may have the leader's number, and may lead a group with that number.
        let reused = alive
            .iter()
            .any(|stat| stat.identity.pid == leader.pid && (self.leader_ended || stat.identity != leader));
        let roots = alive.iter().filter(|stat| {
            self.known.contains(&stat.identity)
                || (!reused && (stat.identity.pid == leader.pid || stat.group == leader.pid))
                || has_environment_variable(stat.identity.pid, &self.marker)
        });
        with_descendants(roots.map(|stat| stat.identity).collect(), &alive)
    }
}

impl ProcessIdentity {
    /// The process that has this pid now, alive or a zombie.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        Some(read_stat(pid)?.identity)
    }

    /// Whether the process still runs, and no other process has its number.
    pub(crate) fn is_alive(&self) -> bool {
        read_stat(self.pid).is_some_and(|stat| stat.alive && stat.identity == *self)
    }

    /// Everything alive that descends from a process, without that process.
    pub(crate) fn descendants(pid: u32) -> Vec<Self> {
        let alive: Vec<ProcStat> = list_processes().filter_map(read_stat).collect();
        let children = alive.iter().filter(|stat| stat.parent == pid).map(|stat| stat.identity).collect();
        let below = with_descendants(children, &alive);
        // An ended process may still be the parent of a living one.
        alive
            .iter()
            .filter(|stat| stat.alive && below.contains(&stat.identity))
            .map(|stat| stat.identity)
            .collect()
    }

    /// Signals exactly this process. Does nothing if it has ended.
    pub(crate) fn signal(&self, stop: StopSignal) {
        let Some(pid) = Pid::from_raw(self.pid.cast_signed()) else {
            return;
        };
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
            return;
        };
        if read_stat(self.pid).is_some_and(|stat| stat.identity == *self) {
            let _ended = pidfd_send_signal(handle, stop.into());
        }
    }
}

/// The given processes and all of their descendants.
pub(crate) fn with_descendants(
    mut members: HashSet<ProcessIdentity>,
    all: &[ProcStat],
) -> HashSet<ProcessIdentity> {
    let mut children: HashMap<u32, Vec<ProcessIdentity>> = HashMap::new();
    for stat in all {
        children.entry(stat.parent).or_default().push(stat.identity);
    }
    let mut open: Vec<u32> = members.iter().map(|identity| identity.pid).collect();
    while let Some(parent) = open.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            if members.insert(*child) {
                open.push(child.pid);
            }
        }
    }
    members
}

/// The numbers of all processes.
pub(crate) fn list_processes() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Whether the process inherited the variable. Processes of other users can't be read, and can't be part of
/// the tree.
fn has_environment_variable(pid: u32, variable: &[u8]) -> bool {
    fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|entry| entry == variable))
}

/// The relevant fields of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcStat {
    /// The start time is in clock ticks since the system started.
    pub(crate) identity: ProcessIdentity,
    pub(crate) parent: u32,
    group: u32,
    /// The process that began this process's session.
    pub(crate) session: u32,
    pub(crate) alive: bool,
    /// Whether the process has a guardian's name.
    pub(crate) is_guardian: bool,
}

pub(crate) fn read_stat(pid: u32) -> Option<ProcStat> {
    // The program chooses its name in this file, which may not be UTF-8.
    parse_stat(pid, &String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/stat")).ok()?))
}

/// Field 3 (state), 4 (parent), 5 (group), 6 (session) and 22 (start) of proc(5). The second field is the
/// program's name in parentheses. The name may contain spaces and parentheses.
fn parse_stat(pid: u32, line: &str) -> Option<ProcStat> {
    let (name, fields) = line.rsplit_once(") ")?;
    let (_, name) = name.split_once('(')?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    let since = fields.nth(15)?.parse().ok()?;
    let identity = ProcessIdentity { pid, started_at: since };
    let is_guardian = name.as_bytes() == GUARDIAN_NAME.to_bytes();
    Some(ProcStat { identity, parent, group, session, alive: !matches!(state, "Z" | "X"), is_guardian })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stat_line_is_read_in_spite_of_the_name_in_it() {
        let line = "42 (a) S (b) c) R 7 41 40 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 1 1";
        let identity = ProcessIdentity { pid: 42, started_at: 9876 };
        let expect =
            ProcStat { identity, parent: 7, group: 41, session: 40, alive: true, is_guardian: false };
        assert_eq!(parse_stat(42, line), Some(expect));
        assert!(!parse_stat(42, &line.replace(") R ", ") Z ")).unwrap().alive);
        assert!(parse_stat(42, &line.replace("a) S (b) c", "mooring-guard")).unwrap().is_guardian);
        assert_eq!(parse_stat(42, "42 (x"), None);
        assert_eq!(parse_stat(42, ""), None);
    }

    #[test]
    fn this_process_is_seen() {
        let own = read_stat(std::process::id()).unwrap();
        assert!(own.alive && own.identity.started_at > 0);
        assert!(list_processes().any(|pid| pid == own.identity.pid));
    }
}
