//! The guardian's side: starts servers, reports how they end, and ends all of them when the host is gone.

use super::client::MOST_FILES;
use super::request::{MAX_REQUEST, Report, Request};
use super::{LAST_GRACE, VARIABLE, VERSION};
use crate::plan::LaunchPlan;
use crate::tree::{GUARDIAN_NAME, ProcessIdentity, StopSignal, Tree};
use rustix::net::sockopt::socket_type;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, SocketType, recvmsg, send,
};
use rustix::process::{Resource, Rlimit, WaitOptions, getrlimit, set_child_subreaper, setrlimit, wait};
use std::collections::HashMap;
use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IoSliceMut, Read, Seek, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::unix::AsyncFd;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, sleep};

/// Signals that would end the guardian, or end it at the wrong moment. They get handlers instead of being
/// ignored. Servers would inherit an ignored signal, but `exec` removes handlers.
const HANDLED_SIGNALS: [SignalKind; 8] = [
    SignalKind::terminate(),
    SignalKind::interrupt(),
    SignalKind::hangup(),
    SignalKind::quit(),
    SignalKind::pipe(),
    SignalKind::alarm(),
    SignalKind::user_defined1(),
    SignalKind::user_defined2(),
];

/// How long killed processes may take to disappear.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// Runs as a guardian and doesn't return, if this process was started as one.
pub(super) fn run_if_guardian() {
    if env::var_os(VARIABLE).as_deref() != Some(OsStr::new(VERSION)) {
        return;
    }
    let stdin = io::stdin();
    if !socket_type(&stdin).is_ok_and(|kind| kind == SocketType::SEQPACKET) {
        return;
    }
    let ended = stdin.as_fd().try_clone_to_owned().and_then(run_guardian);
    std::process::exit(i32::from(ended.is_err()));
}

fn run_guardian(socket: OwnedFd) -> io::Result<()> {
    // By this name, other hosts also recognize the servers of a guardian.
    rustix::thread::set_name(GUARDIAN_NAME)?;
    // The secrets of servers pass through this process.
    crate::keep_memory_private()?;
    set_child_subreaper(rustix::process::Pid::from_raw(1))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let _held = HANDLED_SIGNALS.into_iter().map(signal).collect::<io::Result<Vec<Signal>>>()?;
        let mut ended = signal(SignalKind::child())?;
        send(&socket, VERSION.as_bytes(), SendFlags::NOSIGNAL)?;
        rustix::io::ioctl_fionbio(&socket, true)?;
        let socket = crate::sys::watch_readable(socket)?;
        let mut guarded = GuardedServers::default();
        loop {
            tokio::select! {
                message = receive_message(&socket) => match message {
                    Ok(Some(files)) => guarded.handle_request(files),
                    Ok(None) | Err(_) => break,
                },
                _ = ended.recv() => guarded.reap_children(),
            }
        }
        guarded.end_all(&mut ended).await;
        Ok(())
    })
}

/// The file descriptors of the next message. `None` when the host is gone.
async fn receive_message(socket: &AsyncFd<OwnedFd>) -> io::Result<Option<Vec<OwnedFd>>> {
    loop {
        let mut ready = socket.readable().await?;
        let received = ready.try_io(|socket| {
            let mut byte = [0; 1];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
            let mut beside = RecvAncillaryBuffer::new(&mut space);
            let mut slices = [IoSliceMut::new(&mut byte)];
            let message = recvmsg(socket.get_ref(), &mut slices, &mut beside, RecvFlags::CMSG_CLOEXEC)?;
            let mut files = Vec::new();
            for part in beside.drain() {
                if let RecvAncillaryMessage::ScmRights(rights) = part {
                    files.extend(rights);
                }
            }
            Ok((message.bytes > 0).then_some(files))
        });
        match received {
            Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(outcome) => return outcome,
            Err(_would_block) => {}
        }
    }
}

/// The servers that live under this guardian.
#[derive(Default)]
struct GuardedServers {
    /// The pipe for reporting the end of each program, by process id.
    reports: HashMap<u32, File>,
    /// Trees whose own guardian died. They are not below this process. The descriptors of each tree stay open
    /// as long as this guardian lives, which the host notices.
    adopted: Vec<(Tree, Vec<OwnedFd>)>,
}

impl GuardedServers {
    fn handle_request(&mut self, mut files: Vec<OwnedFd>) {
        // An invalid request closes its descriptors, which notifies the host.
        let Some(Ok(request)) = files.pop().map(|memory| read_request(memory.into())) else {
            return;
        };
        match request {
            Request::Start(plan) => {
                let Ok([stdin, stdout, stderr, report]) = <[OwnedFd; 4]>::try_from(files) else {
                    return;
                };
                let mut report = File::from(report);
                let stdio = [stdin, stdout, stderr].map(Stdio::from);
                let outcome = launch_program(&plan, stdio).unwrap_or_else(|error| {
                    Report::Failed(error.raw_os_error().unwrap_or(rustix::io::Errno::INVAL.raw_os_error()))
                });
                // If the host doesn't listen, it is about to end.
                let _gone = report.write_all(&outcome.encode());
                if let Report::Started { pid, .. } = outcome {
                    self.reports.insert(pid, report);
                }
            }
            Request::Adopt(orphans) => {
                self.adopted.retain_mut(|(tree, _)| tree.refresh_members());
                let identity = ProcessIdentity { pid: orphans.leader, started_at: orphans.since };
                self.adopted.push((Tree::new(identity, &orphans.marker), files));
            }
        }
    }

    /// Reaps every child that has ended, and reports the children that the host knows.
    fn reap_children(&mut self) {
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            let Some(mut report) = self.reports.remove(&pid.as_raw_nonzero().get().cast_unsigned()) else {
                continue;
            };
            let status = ExitStatus::from_raw(status.as_raw());
            let outcome = match (status.code(), status.signal()) {
                (Some(code), _) => Report::Exited(code),
                (None, signal) => Report::Signalled(signal.unwrap_or_default()),
            };
            let _gone = report.write_all(&outcome.encode());
        }
    }

    /// Ends everything below this process, and the adopted trees.
    async fn end_all(&mut self, ended: &mut Signal) {
        let begun = Instant::now();
        let mut stop = StopSignal::Terminate;
        let mut signalled = Vec::new();
        loop {
            self.reap_children();
            let below = ProcessIdentity::descendants(std::process::id());
            for identity in &below {
                // Processes that appear later are also asked to end, each of them once.
                if stop == StopSignal::Kill || !signalled.contains(identity) {
                    identity.signal(stop);
                }
            }
            let mut others = false;
            for (tree, _) in &mut self.adopted {
                if stop == StopSignal::Kill || signalled.is_empty() {
                    tree.signal_tree(stop);
                }
                others |= tree.refresh_members();
            }
            if (below.is_empty() && !others) || begun.elapsed() > LAST_GRACE + AFTER_KILL {
                return;
            }
            signalled = below;
            if begun.elapsed() >= LAST_GRACE {
                stop = StopSignal::Kill;
            }
            tokio::select! {
                _ = ended.recv() => {}
                () = sleep(Duration::from_millis(20)) => {}
            }
        }
    }
}

fn read_request(mut memory: File) -> io::Result<Request> {
    let mut text = Vec::new();
    memory.rewind()?;
    memory.take(MAX_REQUEST as u64).read_to_end(&mut text)?;
    Request::decode(&text).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn launch_program(plan: &LaunchPlan, [stdin, stdout, stderr]: [Stdio; 3]) -> io::Result<Report> {
    let mut command = crate::command::new_std_command(&plan.program);
    command
        .args(&plan.args)
        .env_clear()
        .envs(plan.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&plan.cwd)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .process_group(0);
    let child = with_file_limit(plan.files, || command.spawn())?;
    // The program's process still exists in the system's list, because only this process can reap it.
    let identity = ProcessIdentity::of(child.id()).ok_or(io::ErrorKind::NotFound)?;
    Ok(Report::Started { pid: identity.pid, since: identity.started_at })
}

/// Calls `act` under a lower limit on open files, which started programs inherit. Files that are open beyond
/// the limit stay open.
fn with_file_limit<T>(limit: Option<u64>, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let Some(limit) = limit else {
        return act();
    };
    let usual = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(limit), ..usual })?;
    let outcome = act();
    setrlimit(Resource::Nofile, usual)?;
    outcome
}
