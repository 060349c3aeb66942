//! The tree on Windows is a job object. It ends as a whole, and when this process ends.

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

/// Does nothing, because the standard library only passes on the pipes.
pub(crate) fn close_files_on_exec() {}

/// Gives the process a new group and no console window.
pub(crate) fn set_own_group(command: &mut Command) {
    command.creation_flags((CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW).0);
}

/// Starts a server in a new job. It is suspended until it is in the job, so that no child escapes. When this
/// process ends in any way, its last handle to the job is closed, and the system ends everything in the job.
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
pub(crate) fn set_own_session(command: &mut Command) {
    set_own_group(command);
}

/// The files that a path may mean: the path itself if it has the extension of a program, and the path with
/// each of these extensions.
pub(crate) fn candidate_files(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    batch::candidate_paths(path, env::var("PATHEXT").ok().as_deref()).into_iter()
}

/// Whether a file with this extension can be run.
pub(crate) fn is_executable(path: &Path) -> bool {
    batch::is_program(path, env::var("PATHEXT").ok().as_deref())
}

/// Replaces a batch file of npm by the command that it runs. Refuses unsafe arguments for other batch files.
pub(crate) fn replace_batch_file(plan: &mut LaunchPlan) -> Result<(), char> {
    if !batch::is_batch_file(&plan.program) {
        return Ok(());
    }
    // A batch file that can't be read as text isn't from npm.
    if let Ok(text) = fs::read_to_string(&plan.program)
        && let Some(directory) = plan.program.parent()
        && let Some(script) = batch::find_npm_script(&text).map(|script| directory.join(script))
        && let Some(node) = find_node(directory, plan)
        && let Some(script) = script.to_str()
    {
        plan.args.insert(0, script.to_owned());
        plan.program = node;
        return Ok(());
    }
    plan.args.iter().find_map(|argument| batch::find_unsafe_character(argument)).map_or(Ok(()), Err)
}

/// The `node` that npm's batch files use: the one in their folder, or the first on the server's path.
fn find_node(directory: &Path, plan: &LaunchPlan) -> Option<PathBuf> {
    let path = plan.env.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
    let path = path.map(|(_, value)| value.as_os_str());
    std::iter::once(directory.to_owned())
        .chain(path.into_iter().flat_map(env::split_paths).filter(|directory| directory.is_absolute()))
        .map(|directory| directory.join("node.exe"))
        .find(|node| node.is_file())
}

/// Always false, because Windows has access control lists and no single bit that answers this.
pub(crate) fn is_world_writable(_directory: &Path) -> bool {
    false
}

/// Whether the error says that the file is not a program.
pub(crate) fn is_format_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ERROR_BAD_EXE_FORMAT)
}

/// The first program of a job.
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
    pub(crate) fn refresh_members(&mut self) -> bool {
        !self.ended
    }

    /// Notes that the program ended. From now on, another process may get its number.
    pub(crate) fn note_leader_ended(&mut self) {
        self.ended = true;
    }

    /// Does nothing, because programs without a window can't be asked to end. Closing the job kills them.
    pub(crate) fn signal_tree(&mut self, _stop: StopSignal) {}

    /// Does nothing, for the same reason.
    pub(crate) fn signal_leader(&self, _stop: StopSignal) {}
}
