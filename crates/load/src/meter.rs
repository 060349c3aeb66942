//! From lists of processes to what each server costs.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use mooring_base::server_id::ServerId;

use crate::processes::{Process, ProcessId};
use crate::{Load, LoadPoint, ServerLoad};

/// The length of a part of the last hour, in milliseconds.
const PART_MS: i64 = 30_000;
/// How long parts are kept, in milliseconds.
const KEEP_MS: i64 = 3_600_000;

/// The measurements of all servers.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    servers: BTreeMap<ServerId, Measured>,
    last: Option<Instant>,
}

/// The measurements of one server.
#[derive(Debug, Default)]
struct Measured {
    is_running: bool,
    now: Load,
    parts: VecDeque<Part>,
    /// The processes that were seen, with the processor time that each had used. They stay the server's when
    /// their parents end.
    members: HashMap<ProcessId, Duration>,
}

#[derive(Debug)]
struct Part {
    at: i64,
    /// The sum of the means, to be divided by `count`.
    cpu_percent: f64,
    count: u32,
    memory: u64,
    processes: usize,
}

impl Meter {
    /// Measures the servers of `programs`. A server may have several programs.
    pub(crate) fn take(
        &mut self,
        at: Instant,
        at_ms: i64,
        programs: &[(ServerId, u32)],
        processes: &[Process],
    ) {
        let elapsed = self.last.replace(at).map(|last| at.saturating_duration_since(last));
        let mut roots: BTreeMap<ServerId, HashSet<u32>> = BTreeMap::new();
        for (server, pid) in programs {
            roots.entry(*server).or_default().insert(*pid);
        }
        for (server, measured) in &mut self.servers {
            if !roots.contains_key(server) {
                *measured = Measured { parts: std::mem::take(&mut measured.parts), ..Measured::default() };
            }
            measured.drop_parts_before(at_ms - KEEP_MS);
        }
        self.servers.retain(|server, measured| roots.contains_key(server) || !measured.parts.is_empty());
        for (server, pids) in roots {
            let measured = self.servers.entry(server).or_default();
            let members = members_of(&pids, &measured.members, processes);
            measured.note(at_ms, elapsed, &members);
        }
    }

    /// The loads of the servers that run.
    pub(crate) fn loads(&self) -> Vec<ServerLoad> {
        let running = self.servers.iter().filter(|(_, measured)| measured.is_running);
        running.map(|(id, measured)| ServerLoad { id: *id, load: measured.now }).collect()
    }

    /// The parts of the last hour in which a server ran, oldest first.
    pub(crate) fn hour(&self, server: ServerId) -> Vec<LoadPoint> {
        self.servers.get(&server).into_iter().flat_map(|measured| &measured.parts).map(Part::point).collect()
    }
}

impl Measured {
    fn note(&mut self, at_ms: i64, elapsed: Option<Duration>, members: &[Process]) {
        self.is_running = !members.is_empty();
        let was_measured = !self.members.is_empty();
        // What a process used before it was first seen counts only if it is younger than the last measurement.
        let used = |process: &Process| match self.members.get(&process.id) {
            Some(before) => process.cpu.saturating_sub(*before),
            None if was_measured => process.cpu,
            None => Duration::ZERO,
        };
        let used: Duration = members.iter().map(used).sum();
        let cpu_percent = match elapsed {
            Some(elapsed) if !elapsed.is_zero() => used.div_duration_f64(elapsed) * 100.0,
            _ => 0.0,
        };
        let memory_bytes = members.iter().map(|process| process.memory).sum();
        self.now = Load { cpu_percent, memory_bytes, processes: members.len() };
        self.members = members.iter().map(|process| (process.id, process.cpu)).collect();
        if self.is_running {
            self.add_to_parts(at_ms);
        }
    }

    fn add_to_parts(&mut self, at_ms: i64) {
        let at = at_ms - at_ms.rem_euclid(PART_MS);
        let Load { cpu_percent, memory_bytes, processes } = self.now;
        match self.parts.back_mut().filter(|part| part.at >= at) {
            Some(part) => {
                part.cpu_percent += cpu_percent;
                part.count += 1;
                part.memory = part.memory.max(memory_bytes);
                part.processes = part.processes.max(processes);
            }
            None => {
                self.parts.push_back(Part { at, cpu_percent, count: 1, memory: memory_bytes, processes });
            }
        }
    }

    fn drop_parts_before(&mut self, at_ms: i64) {
        while self.parts.front().is_some_and(|part| part.at < at_ms) {
            self.parts.pop_front();
        }
    }
}

impl Part {
    fn point(&self) -> LoadPoint {
        let cpu_percent = self.cpu_percent / f64::from(self.count);
        let load = Load { cpu_percent, memory_bytes: self.memory, processes: self.processes };
        LoadPoint { at: self.at, load }
    }
}

/// The programs, the known processes that still run, and all descendants of both.
fn members_of(
    pids: &HashSet<u32>,
    known: &HashMap<ProcessId, Duration>,
    processes: &[Process],
) -> Vec<Process> {
    let mut children: HashMap<u32, Vec<&Process>> = HashMap::new();
    for process in processes {
        if let Some(parent) = process.parent {
            children.entry(parent).or_default().push(process);
        }
    }
    let is_root = |process: &&Process| pids.contains(&process.id.pid) || known.contains_key(&process.id);
    let mut members: Vec<Process> = Vec::new();
    let mut seen = HashSet::new();
    let mut open: Vec<&Process> = processes.iter().filter(is_root).collect();
    while let Some(process) = open.pop() {
        if seen.insert(process.id) {
            members.push(*process);
            open.extend(children.get(&process.id.pid).into_iter().flatten().copied());
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: ServerId = ServerId(7);

    fn process(pid: u32, parent: u32, cpu_ms: u64, memory: u64) -> Process {
        Process {
            id: ProcessId { pid, started: 1 },
            parent: Some(parent),
            cpu: Duration::from_millis(cpu_ms),
            memory,
        }
    }

    fn load(meter: &Meter) -> Load {
        meter.loads()[0].load
    }

    #[test]
    fn a_server_is_its_program_and_all_that_it_started() {
        let (mut meter, start) = (Meter::default(), Instant::now());
        let before = [process(10, 1, 500, 100), process(11, 10, 0, 50), process(99, 1, 0, 7)];
        meter.take(start, 0, &[(SERVER, 10)], &before);
        assert_eq!(load(&meter), Load { cpu_percent: 0.0, memory_bytes: 150, processes: 2 });

        // The child used a second of two, a new grandchild half a second; the program ended.
        let after = [process(11, 1, 1000, 60), process(12, 11, 500, 40), process(99, 1, 9000, 7)];
        meter.take(start + Duration::from_secs(2), 2000, &[(SERVER, 10)], &after);
        assert_eq!(load(&meter), Load { cpu_percent: 75.0, memory_bytes: 100, processes: 2 });
    }

    #[test]
    fn a_later_process_with_the_same_number_is_not_the_child() {
        let (mut meter, start) = (Meter::default(), Instant::now());
        meter.take(start, 0, &[(SERVER, 10)], &[process(10, 1, 0, 1), process(11, 10, 0, 1)]);
        let mut other = process(11, 1, 0, 1);
        other.id.started = 2;
        meter.take(start + Duration::from_secs(1), 1000, &[(SERVER, 10)], &[process(10, 1, 0, 1), other]);
        assert_eq!(load(&meter).processes, 1);
    }

    #[test]
    fn the_last_hour_is_kept_in_parts() {
        let (mut meter, start) = (Meter::default(), Instant::now());
        for second in 0..4000_u32 {
            let at = start + Duration::from_secs(second.into());
            let used = u64::from(second.saturating_sub(3990)) * 1000;
            let now = i64::from(second) * 1000;
            meter.take(at, now, &[(SERVER, 10)], &[process(10, 1, used, second.into())]);
        }
        let hour = meter.hour(SERVER);
        assert_eq!(hour.len(), 120);
        let part = hour.last().unwrap();
        assert_eq!((part.at, part.load.memory_bytes), (3_990_000, 3999));
        assert!((part.load.cpu_percent - 90.0).abs() < 0.01, "{part:?}");
    }

    #[test]
    fn a_stopped_server_has_no_load_and_its_hour_ends() {
        let (mut meter, start) = (Meter::default(), Instant::now());
        meter.take(start, 0, &[(SERVER, 10)], &[process(10, 1, 0, 1)]);
        meter.take(start, 1000, &[], &[]);
        assert_eq!(meter.loads(), []);
        assert_eq!(meter.hour(SERVER).len(), 1);
        meter.take(start, KEEP_MS + PART_MS, &[], &[]);
        assert!(meter.servers.is_empty());
    }

    #[test]
    fn processes_that_name_each_other_as_parents_are_counted_once() {
        let mut meter = Meter::default();
        let both = [process(10, 11, 0, 1), process(11, 10, 0, 1)];
        meter.take(Instant::now(), 0, &[(SERVER, 10), (SERVER, 11)], &both);
        assert_eq!(load(&meter), Load { cpu_percent: 0.0, memory_bytes: 2, processes: 2 });
    }
}
