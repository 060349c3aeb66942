//! Starts processes. No other code does.

use crate::tree::{MARKER, ProcessIdentity, Tree, platform};
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::process::{Child, Command};

/// A command without arguments that inherits this process's environment. Its output is discarded.
#[expect(clippy::disallowed_methods, reason = "this is the crate and the place that may start processes")]
pub(crate) fn new_command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    command
}

/// Creates a command for synchronous callers.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "this is the crate and the place that may start processes")]
pub(crate) fn new_std_command(program: &Path) -> std::process::Command {
    std::process::Command::new(program)
}

/// Starts `command` as the root of a new tree, whose processes carry the marker.
pub(crate) fn start_tree(
    mut command: Command,
    marker: &str,
    separation: Separation,
) -> io::Result<(Child, Tree)> {
    command.env(MARKER, marker);
    match separation {
        #[cfg(not(windows))]
        Separation::Group => platform::set_own_group(&mut command),
        Separation::Session => platform::set_own_session(&mut command),
    }
    platform::close_files_on_exec();
    let child = command.spawn()?;
    let leader = child.id().ok_or_else(|| io::Error::other("the process has no id"))?;
    Ok((child, Tree::new(ProcessIdentity::of_child(leader), marker)))
}

/// How a process is separated from the terminal and process group of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separation {
    /// In a new process group, for a server. On Windows, a server gets a job instead.
    #[cfg(not(windows))]
    Group,
    /// In a new session without a terminal. An interactive shell needs this. Otherwise, it would wait for a
    /// terminal that it may not use.
    Session,
}

/// A text that is unique for each tree on this computer.
pub(crate) fn unique_marker() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{}", std::process::id(), since_epoch.as_nanos(), COUNTER.fetch_add(1, Ordering::Relaxed))
}

/// Whether `path` can be a working directory.
pub(crate) fn is_usable_directory(path: &Path) -> bool {
    path.is_absolute() && path.is_dir()
}
