//! Starts a planned server through the guardian if there is one, otherwise as a child of this process.

use crate::command::new_command;
use crate::control::{ProcessControl, ServerProcess};
use crate::plan::LaunchPlan;
use std::io;
use std::process::Stdio;

/// Starts the program with its pipes, in a new group.
pub(crate) fn launch_server(plan: &LaunchPlan, marker: &str) -> io::Result<ServerProcess> {
    let server = start_server(plan, marker)?;
    #[cfg(target_os = "linux")]
    crate::peer::note_started(server.control.pid());
    Ok(server)
}

fn start_server(plan: &LaunchPlan, marker: &str) -> io::Result<ServerProcess> {
    #[cfg(target_os = "linux")]
    if is_bridge(plan) {
        return start_unguarded(plan, marker);
    }
    #[cfg(target_os = "linux")]
    match guarded::start_guarded(plan, marker) {
        Err(crate::guardian::StartError::Guardian(error)) => {
            tracing::warn!(%error, "there is no guardian: a server would outlive a crash of ours");
        }
        Err(crate::guardian::StartError::Program(error)) => return Err(error),
        Ok(server) => return Ok(enlarge_stdout_pipe(server)),
    }
    let server = start_unguarded(plan, marker)?;
    #[cfg(target_os = "linux")]
    let server = enlarge_stdout_pipe(server);
    Ok(server)
}

/// Whether a program is Mooring's own bridge. With the bridge, the servers of a data folder can be tried from
/// a terminal. It needs no guardian, because it ends with its input. Below a guardian, it would be mistaken
/// for a server of Mooring and refused.
#[cfg(target_os = "linux")]
fn is_bridge(plan: &LaunchPlan) -> bool {
    let is_beside = |name: &str| {
        let own = std::env::current_exe().ok()?.with_file_name(name);
        Some(own.canonicalize().ok()? == plan.program.canonicalize().ok()?)
    };
    is_beside("mooring-bridge") == Some(true)
        || plan.args.first().is_some_and(|word| word == "bridge") && is_beside("mooring") == Some(true)
}

/// Enlarges the pipe of the server's output beyond the usual 64 KiB, so that neither side sleeps for each
/// piece of a long message. 200 servers are below the system's default limit for each user
/// (`pipe-user-pages-soft`, 64 MiB). If the system refuses, the pipe is not changed.
#[cfg(target_os = "linux")]
fn enlarge_stdout_pipe(server: ServerProcess) -> ServerProcess {
    const ROOM: usize = 256 * 1024;
    if let Err(error) = rustix::pipe::fcntl_setpipe_size(&server.stdout, ROOM) {
        tracing::debug!(%error, "the pipe of a server's output stays narrow");
    }
    server
}

fn start_unguarded(plan: &LaunchPlan, marker: &str) -> io::Result<ServerProcess> {
    let mut command = new_command(&plan.program);
    command
        .args(&plan.args)
        .current_dir(&plan.cwd)
        .env_clear()
        .envs(plan.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    if let Some(limit) = plan.files {
        crate::sys::limit_files(command.as_std_mut(), limit);
    }
    #[cfg(not(windows))]
    let (mut child, tree) = {
        let (child, tree) = crate::command::start_tree(command, marker, crate::command::Separation::Group)?;
        (crate::child::Child::Direct(child), tree)
    };
    #[cfg(windows)]
    let (mut child, tree) = {
        let (job, tree) = crate::tree::windows::start_in_job(command, marker)?;
        (crate::child::Child::Job(job), tree)
    };
    let pipes = child.take_pipes();
    // From here on, dropping the control ends the tree.
    let control = ProcessControl::new(child, tree);
    let (stdin, stdout, stderr) = pipes.ok_or_else(|| io::Error::other("a pipe is missing"))?;
    Ok(ServerProcess { stdin, stdout, stderr, control })
}

#[cfg(target_os = "linux")]
mod guarded {
    use crate::child::Child;
    use crate::control::{ProcessControl, ServerProcess};
    use crate::guardian::{ServerPipes, StartError, start_program};
    use crate::plan::LaunchPlan;
    use crate::tree::Tree;
    use std::io::{self, PipeReader, PipeWriter, pipe};
    use std::os::fd::OwnedFd;
    use std::process;
    use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

    pub(super) fn start_guarded(plan: &LaunchPlan, marker: &str) -> Result<ServerProcess, StartError> {
        let ((stdin, stdout, stderr), ends) = open_pipes().map_err(StartError::Program)?;
        let ward = start_program(plan, marker, &ends)?;
        let tree = Tree::new(ward.identity(), marker);
        // From here on, dropping the control ends the tree.
        let control = ProcessControl::new(Child::Guarded(ward), tree);
        let wrap = || -> io::Result<_> {
            let stdin = ChildStdin::from_std(process::ChildStdin::from(OwnedFd::from(stdin)))?;
            let stdout = ChildStdout::from_std(process::ChildStdout::from(OwnedFd::from(stdout)))?;
            let stderr = ChildStderr::from_std(process::ChildStderr::from(OwnedFd::from(stderr)))?;
            Ok((stdin, stdout, stderr))
        };
        let (stdin, stdout, stderr) = wrap().map_err(StartError::Program)?;
        Ok(ServerProcess { stdin, stdout, stderr, control })
    }

    /// Opens the three pipes. Returns this process's ends, and the server's ends.
    fn open_pipes() -> io::Result<((PipeWriter, PipeReader, PipeReader), ServerPipes)> {
        let (its_stdin, stdin) = pipe()?;
        let (stdout, its_stdout) = pipe()?;
        let (stderr, its_stderr) = pipe()?;
        let ends =
            ServerPipes { stdin: its_stdin.into(), stdout: its_stdout.into(), stderr: its_stderr.into() };
        Ok(((stdin, stdout, stderr), ends))
    }
}
