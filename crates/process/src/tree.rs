//! The processes that grow from one program, and ending them.
//!
//! The platform's part is in one module each; `platform` is the one that is compiled.

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

/// A guardian's name for the system. It sets the name itself, and no other process can change it.
#[cfg(target_os = "linux")]
pub(crate) const GUARDIAN_NAME: &std::ffi::CStr = c"mooring-guard";
/// A variable that every process of a tree inherits. It tells a grandchild that has left the
/// group, and whose parents have ended, from a stranger.
pub(crate) const MARKER: &str = "MOORING_PROCESS_TREE";

/// How processes are ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopSignal {
    /// Asked to: SIGTERM.
    Terminate,
    /// Asked to, because its terminal is gone, which interactive shells heed: SIGHUP.
    HangUp,
    /// Forced: SIGKILL.
    Kill,
}

/// A process. The time at which it started distinguishes it from a later one with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProcessIdentity {
    pub(crate) pid: u32,
    /// In ticks of the system's clock. 0 on systems where it is not read.
    pub(crate) started_at: u64,
}

impl ProcessIdentity {
    /// The identity of a child that was not reaped yet, so that its number is still its own.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_child(pid: u32) -> Self {
        Self::of(pid).unwrap_or(Self { pid, started_at: 0 })
    }

    /// The identity of a child that was not reaped yet, so that its number is still its own.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of_child(pid: u32) -> Self {
        Self { pid, started_at: 0 }
    }
}
