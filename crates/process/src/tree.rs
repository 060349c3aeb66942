//! Finds and ends all processes that descend from one program.
//!
//! Each system has its own module. `platform` is the one that is compiled.

#[cfg(target_os = "linux")]
pub(crate) mod linux;
#[cfg(unix)]
pub(crate) mod unix;
#[cfg(windows)]
pub(crate) mod windows;

#[cfg(unix)]
pub(crate) use unix as platform;
#[cfg(windows)]
pub(crate) use windows as platform;

#[cfg(target_os = "linux")]
pub(crate) use linux::Tree;
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) use unix::Tree;
#[cfg(windows)]
pub(crate) use windows::Tree;

/// A guardian's process name. The guardian sets the name itself, and no other process can change it.
#[cfg(target_os = "linux")]
pub(crate) const GUARDIAN_NAME: &std::ffi::CStr = c"mooring-guard";
/// A variable that every process of a tree inherits. It identifies a process of the tree that has left the
/// group and whose parents have ended.
pub(crate) const MARKER: &str = "MOORING_PROCESS_TREE";

/// How processes are ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopSignal {
    /// Asks the processes to end (SIGTERM).
    Terminate,
    /// Says that the terminal is gone (SIGHUP). Interactive shells react only to this.
    HangUp,
    /// Ends the processes by force (SIGKILL).
    Kill,
}

/// A process. The time at which it started distinguishes it from a later process with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProcessIdentity {
    pub(crate) pid: u32,
    /// When the process started, in ticks of the system's clock. 0 on systems where it is not read.
    pub(crate) started_at: u64,
}

impl ProcessIdentity {
    /// The identity of a child that was not reaped yet, and therefore still has its number.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_child(pid: u32) -> Self {
        Self::of(pid).unwrap_or(Self { pid, started_at: 0 })
    }

    /// The identity of a child that was not reaped yet, and therefore still has its number.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of_child(pid: u32) -> Self {
        Self { pid, started_at: 0 }
    }
}
