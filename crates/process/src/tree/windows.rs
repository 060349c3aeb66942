//! The tree on Windows: a job object, which ends as a whole and with us.

use super::{MARKER, ProcessIdentity, StopSignal};
use crate::batch;
use crate::plan::LaunchPlan;
use process_wrap::tokio::{ChildWrapper, CommandWrap, CreationFlags, JobObject, KillOnDrop};
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tokio::process::Command;
use windows::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW};

const ERROR_BAD_EXE_FORMAT: i32 = 193;

/// The standard library only passes on the pipes.
pub(crate) fn share_no_files() {}

/// Gives the process a new group and no console window.
pub(crate) fn own_group(command: &mut Command) {
    command.creation_flags((CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW).0);
}

/// Starts a server in a new job. It is suspended until it is in the job, so that no child escapes. The system
/// ends everything in the job when the last handle to it is closed, however we end.
pub(crate) fn start_in_job(mut command: Command, marker: &str) -> io::Result<(Box<dyn ChildWrapper>, Tree)> {
    command.env(MARKER, marker);
    let job = CommandWrap::from(command)
        .wrap(CreationFlags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW))
        .wrap(KillOnDrop)
        .wrap(JobObject)
        .spawn()?;
    let leader = job.id().ok_or_else(|| io::Error::other("the process has no id"))?;
    Ok((job, Tree::new(ProcessIdentity::of_child(leader), marker)))
}

/// Windows has no sessions in this sense.
pub(crate) fn own_session(command: &mut Command) {
    own_group(command);
}

/// The name itself when it has an extension that is run, or the name with each of them.
pub(crate) fn spellings(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    batch::candidate_paths(path, env::var("PATHEXT").ok().as_deref()).into_iter()
}

/// Whether the extension is one that is run.
pub(crate) fn is_executable(path: &Path) -> bool {
    batch::is_program(path, env::var("PATHEXT").ok().as_deref())
}

/// Replaces one of npm's batch files by what it does, and refuses unsafe arguments for other ones.
pub(crate) fn without_batch(plan: &mut LaunchPlan) -> Result<(), char> {
    if !batch::is_batch(&plan.program) {
        return Ok(());
    }
    // One that cannot be read as text is none of npm's.
    if let Ok(text) = fs::read_to_string(&plan.program)
        && let Some(directory) = plan.program.parent()
        && let Some(script) = batch::script_of_npm(&text).map(|script| directory.join(script))
        && let Some(node) = node_beside(directory, plan)
        && let Some(script) = script.to_str()
    {
        plan.args.insert(0, script.to_owned());
        plan.program = node;
        return Ok(());
    }
    plan.args.iter().find_map(|argument| batch::unsafe_character(argument)).map_or(Ok(()), Err)
}

/// The `node` that npm's batch files take: the one beside them, or the first on the server's path.
fn node_beside(directory: &Path, plan: &LaunchPlan) -> Option<PathBuf> {
    let path = plan.env.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
    let path = path.map(|(_, value)| value.as_os_str());
    std::iter::once(directory.to_owned())
        .chain(path.into_iter().flat_map(env::split_paths).filter(|directory| directory.is_absolute()))
        .map(|directory| directory.join("node.exe"))
        .find(|node| node.is_file())
}

/// Permissions on Windows are lists that say nothing in one bit.
pub(crate) fn is_world_writable(_directory: &Path) -> bool {
    false
}

/// Whether the system took the file for no program at all.
pub(crate) fn is_format_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ERROR_BAD_EXE_FORMAT)
}

/// The program of a job.
#[derive(Debug)]
pub(crate) struct Tree {
    leader: u32,
    ended: bool,
}

impl Tree {
    pub(crate) fn new(leader: ProcessIdentity, _marker: &str) -> Self {
        Self { leader: leader.pid, ended: false }
    }

    pub(crate) fn leader(&self) -> u32 {
        self.leader
    }

    /// Whether the program still runs.
    pub(crate) fn observe(&mut self) -> bool {
        !self.ended
    }

    /// The program ended: its number may be given to a stranger from now on.
    pub(crate) fn leader_ended(&mut self) {
        self.ended = true;
    }

    /// Programs without a window can't be asked to end. Closing the job kills them.
    pub(crate) fn signal(&mut self, _stop: StopSignal) {}

    /// Like `signal`, only for the program.
    pub(crate) fn signal_leader(&self, _stop: StopSignal) {}
}
