//! The host's side: starts the guardian, asks it to start servers, and replaces it if it died.

use super::guarded_child::GuardedChild;
use super::request::{MAX_REQUEST, OrphanedTree, Report, Request};
use super::{VARIABLE, VERSION};
use crate::plan::LaunchPlan;
use crate::tree::ProcessIdentity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    recv, sendmsg, socketpair,
};
use std::fs::File;
use std::io::{self, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::net::unix::pipe;

/// How long the guardian may take to respond. The guardian has little to do, but the system may be slow to
/// start a program.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// The most file descriptors that are sent with a request.
pub(super) const MOST_FILES: usize = 5;

/// The guardian belongs to the process, like child processes, and not to one host in the process.
static CURRENT: Mutex<Option<Arc<Guardian>>> = Mutex::new(None);
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Makes `program` the guardian instead of this process's own program, if `program` links this crate too. A
/// smaller program helps if this process's own takes long to load. Only the first call has an effect, and
/// only before the first server starts.
pub fn use_program(program: PathBuf) {
    let _first = PROGRAM.set(program);
}

/// A guardian process, which may have died meanwhile.
#[derive(Debug)]
pub(super) struct Guardian {
    socket: OwnedFd,
    process: Mutex<Child>,
}

impl Drop for Guardian {
    fn drop(&mut self) {
        // The guardian ends when its socket closes. If it has ended already, this reaps it.
        let _running = self.process.get_mut().unwrap_or_else(PoisonError::into_inner).try_wait();
    }
}

/// The server's ends of its pipes.
pub(crate) struct ServerPipes {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// Why the guardian didn't start a program.
pub(crate) enum StartError {
    /// The system couldn't start the program.
    Program(io::Error),
    /// No guardian could be started.
    Guardian(io::Error),
}

/// Starts a program through the guardian. Starts a guardian first if there is none, or if the last one died.
pub(crate) fn start_program(
    plan: &LaunchPlan,
    marker: &str,
    ends: &ServerPipes,
) -> Result<GuardedChild, StartError> {
    let request = Request::Start(plan.clone());
    let mut tried = None;
    loop {
        let guardian = current_guardian(tried.as_ref()).map_err(StartError::Guardian)?;
        match request_start(&guardian, &request, marker, ends) {
            Ok(StartOutcome::Started(ward)) => return Ok(ward),
            Ok(StartOutcome::Failed(error)) => return Err(StartError::Program(error)),
            // Don't ask again, because the program may still start. It then ends with this guardian.
            Ok(StartOutcome::TimedOut) => {
                retire_guardian(&guardian);
                return Err(StartError::Program(io::ErrorKind::TimedOut.into()));
            }
            // A guardian that died between two requests is replaced, once.
            Err(_) if tried.is_none() => tried = Some(guardian),
            Err(error) => return Err(StartError::Guardian(error)),
        }
    }
}

/// Makes another guardian adopt a tree whose guardian is `dead`. The pipe ends when that guardian dies too.
pub(super) fn hand_over_tree(
    orphans: OrphanedTree,
    dead: &Arc<Guardian>,
) -> io::Result<(Arc<Guardian>, pipe::Receiver)> {
    let guardian = current_guardian(Some(dead))?;
    let (reports, reporting) = io::pipe()?;
    send_request(&guardian, &Request::Adopt(orphans), &[reporting.as_fd()])?;
    Ok((guardian, pipe::Receiver::from_owned_fd(reports.into())?))
}

/// The guardian of this process. A new one is started if there is none or if it is `dead`.
fn current_guardian(dead: Option<&Arc<Guardian>>) -> io::Result<Arc<Guardian>> {
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(guardian) = &*current
        && dead.is_none_or(|dead| !Arc::ptr_eq(dead, guardian))
    {
        return Ok(Arc::clone(guardian));
    }
    let guardian = Arc::new(launch_guardian()?);
    *current = Some(Arc::clone(&guardian));
    Ok(guardian)
}

/// Makes the next server use another guardian. This guardian lives as long as it has servers.
fn retire_guardian(guardian: &Arc<Guardian>) {
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, guardian)) {
        *current = None;
    }
}

enum StartOutcome {
    Started(GuardedChild),
    Failed(io::Error),
    /// There was no response in time.
    TimedOut,
}

/// Asks the guardian to start a program. Fails if the guardian is gone.
fn request_start(
    guardian: &Arc<Guardian>,
    request: &Request,
    marker: &str,
    ends: &ServerPipes,
) -> io::Result<StartOutcome> {
    let (mut reports, reporting) = io::pipe()?;
    send_request(
        guardian,
        request,
        &[ends.stdin.as_fd(), ends.stdout.as_fd(), ends.stderr.as_fd(), reporting.as_fd()],
    )?;
    drop(reporting);
    if !wait_until_readable(reports.as_fd(), ANSWER_TIMEOUT)? {
        return Ok(StartOutcome::TimedOut);
    }
    let mut report = [0; Report::SIZE];
    reports.read_exact(&mut report)?;
    match Report::decode(report) {
        Some(Report::Started { pid, since }) => {
            let identity = ProcessIdentity { pid, started_at: since };
            let reports = pipe::Receiver::from_owned_fd(reports.into())?;
            Ok(StartOutcome::Started(GuardedChild::new(identity, marker, reports, Arc::clone(guardian))))
        }
        Some(Report::Failed(error)) => Ok(StartOutcome::Failed(io::Error::from_raw_os_error(error))),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn send_request(guardian: &Guardian, request: &Request, files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let text = request.encode();
    if text.len() > MAX_REQUEST {
        return Err(io::ErrorKind::ArgumentListTooLong.into());
    }
    let mut memory = File::from(memfd_create("mooring-request", MemfdFlags::CLOEXEC)?);
    memory.write_all(&text)?;
    let files: Vec<BorrowedFd<'_>> = files.iter().copied().chain([memory.as_fd()]).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    if !beside.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    sendmsg(&guardian.socket, &[IoSlice::new(b"?")], &mut beside, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Waits until there is something to read, or until the end. Returns false if the time is over.
fn wait_until_readable(file: BorrowedFd<'_>, within: Duration) -> io::Result<bool> {
    let limit = Timespec::try_from(within).map_err(|_| io::ErrorKind::InvalidInput)?;
    loop {
        match poll(&mut [PollFd::from_borrowed_fd(file, PollFlags::IN)], Some(&limit)) {
            Err(rustix::io::Errno::INTR) => {}
            ready => return Ok(ready? > 0),
        }
    }
}

/// Starts a guardian. This is the configured program, or this process's own program, which always exists.
fn launch_guardian() -> io::Result<Guardian> {
    if let Some(program) = PROGRAM.get()
        && let Ok(guardian) = launch_guardian_from(program)
    {
        return Ok(guardian);
    }
    launch_guardian_from(Path::new("/proc/self/exe"))
}

fn launch_guardian_from(program: &Path) -> io::Result<Guardian> {
    let flags = SocketFlags::CLOEXEC;
    let (socket, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
    let mut command = crate::command::new_std_command(program);
    command
        .arg0("mooring-guardian")
        .env(VARIABLE, VERSION)
        .current_dir("/")
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // Signals from this process's terminal must not reach the guardian.
    crate::sys::start_new_session(&mut command);
    crate::sys::close_inherited_files_on_exec();
    let mut process = command.spawn()?;
    // This also closes this process's copy of the guardian's end of the socket.
    drop(command);
    for timeout in [Timeout::Recv, Timeout::Send] {
        set_socket_timeout(&socket, timeout, Some(ANSWER_TIMEOUT))?;
    }
    let mut hello = [0; 8];
    let (length, _) = recv(&socket, &mut hello, RecvFlags::empty())?;
    if hello.get(..length) != Some(VERSION.as_bytes()) {
        process.kill()?;
        process.wait()?;
        return Err(io::Error::other("the guardian did not begin"));
    }
    Ok(Guardian { socket, process: Mutex::new(process) })
}
