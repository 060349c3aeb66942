//! The processes that grow from one program, and ending them.
//!
//! The platform's part is in one module each; `platform` is the one that is compiled.
// The guardian helper, which survives us and takes the tree down when we die, will stand
// between `command::start` and the program; `Tree` then asks it instead of looking around.

#[cfg(target_os = "linux")]
mod linux;
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

/// A variable that every process of a tree inherits. It tells a grandchild that has left the
/// group, and whose parents have ended, from a stranger.
pub(crate) const MARKER: &str = "MOORING_PROCESS_TREE";

/// How processes are ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Asked to: SIGTERM.
    Terminate,
    /// Made to: SIGKILL.
    Kill,
}
