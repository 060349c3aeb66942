//! Starts processes, and reads `/proc`.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::process::Command;
use std::time::Duration;

/// A command for a process of a measurement.
#[expect(
    clippy::disallowed_methods,
    reason = "what is measured are processes, some of them not by our own hand"
)]
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// A value in `/proc/PID/status` in KiB, such as `VmRSS` or `VmHWM`.
fn kibibytes(pid: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// The anonymous resident memory of this process, in KiB.
pub(crate) fn anonymous_memory() -> u64 {
    kibibytes(std::process::id(), "RssAnon")
}

/// The resident memory of a process, in MiB. 0 if it has ended.
pub(crate) fn process_memory(pid: u32) -> f64 {
    mebibytes(kibibytes(pid, "VmRSS"))
}

/// The current resident memory of this process, in MiB.
pub(crate) fn resident_memory() -> f64 {
    process_memory(std::process::id())
}

/// The peak resident memory of this process, in MiB.
pub(crate) fn peak_memory() -> f64 {
    mebibytes(kibibytes(std::process::id(), "VmHWM"))
}

#[expect(clippy::cast_precision_loss, reason = "an amount of memory for people to read")]
fn mebibytes(kibibytes: u64) -> f64 {
    kibibytes as f64 / 1024.0
}

/// How much a process has written, in MiB.
#[expect(clippy::cast_precision_loss, reason = "an amount for people to read")]
pub(crate) fn written_mebibytes(pid: u32) -> f64 {
    let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
    let bytes: u64 =
        io.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse().ok()).unwrap_or_default();
    bytes as f64 / f64::from(1 << 20)
}

/// The processor time of this process so far.
pub(crate) fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

/// The number of open files and threads of this process.
pub(crate) fn open_files_and_threads() -> (usize, usize) {
    let count = |folder: &str| fs::read_dir(folder).map_or(0, Iterator::count);
    (count("/proc/self/fd"), count("/proc/self/task"))
}

/// All descendants of a process, and whether each is still running.
pub(crate) fn descendants(root: u32) -> Vec<(u32, bool)> {
    let mut children: HashMap<u32, Vec<(u32, bool)>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        if let Some((parent, runs)) = state(pid) {
            children.entry(parent).or_default().push((pid, runs));
        }
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            found.push(*child);
            open.push(child.0);
        }
    }
    found
}

/// Whether a process is running and not a zombie.
pub(crate) fn is_running(pid: u32) -> bool {
    state(pid).is_some_and(|(_, runs)| runs)
}

fn state(pid: u32) -> Option<(u32, bool)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split_ascii_whitespace();
    let runs = !matches!(fields.next()?, "Z" | "X");
    Some((fields.next()?.parse().ok()?, runs))
}
