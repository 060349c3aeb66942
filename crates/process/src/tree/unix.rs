//! The parts that Linux and macOS share: groups, permissions and signals. macOS has no `/proc`, so there the
//! tree is the process group.

#[cfg(not(target_os = "linux"))]
use super::ProcessIdentity;
use super::StopSignal;
use crate::plan::LaunchPlan;
use rustix::process::Signal;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tokio::process::Command;

impl From<StopSignal> for Signal {
    fn from(stop: StopSignal) -> Self {
        match stop {
            StopSignal::Terminate => Self::TERM,
            StopSignal::HangUp => Self::HUP,
            StopSignal::Kill => Self::KILL,
        }
    }
}

/// Ensures that started processes get no open files except their pipes.
pub(crate) fn close_files_on_exec() {
    crate::sys::close_inherited_files_on_exec();
}

/// Puts the process into a new group with the process's id.
pub(crate) fn set_own_group(command: &mut Command) {
    command.process_group(0);
}

/// Puts the process into a new session.
pub(crate) fn set_own_session(command: &mut Command) {
    crate::sys::start_new_session(command.as_std_mut());
}

/// The files that a path may mean. On Unix, this is only the path itself.
pub(crate) fn candidate_files(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::iter::once(path.to_owned())
}

/// Does nothing, because the system runs scripts directly, with unchanged arguments.
#[expect(clippy::unnecessary_wraps, reason = "on Windows an argument may be refused")]
pub(crate) fn replace_batch_file(_plan: &mut LaunchPlan) -> Result<(), char> {
    Ok(())
}

/// Whether this user may run the file.
pub(crate) fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Whether every user may put programs into the directory.
pub(crate) fn is_world_writable(directory: &Path) -> bool {
    directory.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o002 != 0)
}

/// Whether the error says that the file is not a program.
pub(crate) fn is_format_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error())
}

/// The tree, which is the process group.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(crate) struct Tree {
    leader: u32,
}

#[cfg(not(target_os = "linux"))]
impl Tree {
    pub(crate) fn new(leader: ProcessIdentity, _marker: &str) -> Self {
        Self { leader: leader.pid }
    }

    pub(crate) fn leader(&self) -> u32 {
        self.leader
    }

    /// Whether any process of the group is left.
    pub(crate) fn refresh_members(&mut self) -> bool {
        self.group().is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
    }

    /// Does nothing, because the group survives its leader and keeps its id.
    pub(crate) fn note_leader_ended(&mut self) {}

    /// Signals the group. An error means that it has ended, which is fine.
    pub(crate) fn signal_tree(&mut self, stop: StopSignal) {
        if let Some(group) = self.group() {
            let _ended = rustix::process::kill_process_group(group, stop.into());
        }
    }

    /// Signals the program alone.
    pub(crate) fn signal_leader(&self, stop: StopSignal) {
        if let Some(leader) = self.group() {
            let _ended = rustix::process::kill_process(leader, stop.into());
        }
    }

    fn group(&self) -> Option<rustix::process::Pid> {
        i32::try_from(self.leader).ok().and_then(rustix::process::Pid::from_raw)
    }
}
