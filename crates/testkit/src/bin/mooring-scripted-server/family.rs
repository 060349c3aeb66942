//! A small family of processes, and a process that ignores requests to end.

use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};

static CHILD: AtomicU32 = AtomicU32::new(0);

/// Starts a child that starts a grandchild; both sleep.
pub(crate) fn start_child() {
    CHILD.store(start("child"), Ordering::Relaxed);
}

/// Starts the grandchild, from the child.
pub(crate) fn start_grandchild() {
    start("grandchild");
}

/// Makes this process the leader of a new session, so that signals to our process group don't reach it.
pub(crate) fn leave_the_session() {
    #[cfg(unix)]
    if let Err(error) = rustix::process::setsid() {
        eprintln!("no session of its own: {error}");
    }
}

/// The ids of this process, its child and its grandchild, as far as they exist.
///
/// The grandchild is searched among the children of the child, so it may be missing for a moment after the
/// start; this waits for it for at most five seconds.
pub(crate) fn pids() -> Vec<u32> {
    let child = CHILD.load(Ordering::Relaxed);
    let mut pids = vec![std::process::id()];
    if child == 0 {
        return pids;
    }
    pids.push(child);
    for _ in 0..500 {
        let list = format!("/proc/{child}/task/{child}/children");
        let children = std::fs::read_to_string(list).unwrap_or_default();
        if let Some(grandchild) = children.split_whitespace().next() {
            pids.extend(grandchild.parse::<u32>());
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    pids
}

#[expect(
    clippy::disallowed_methods,
    reason = "a server that leaves children behind is what this mode is for"
)]
fn start(mode: &str) -> u32 {
    let program = std::env::current_exe().expect("the path of this program is known");
    std::process::Command::new(program)
        .arg(mode)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("this program can be started again")
        .id()
}

/// Lets SIGTERM pass without effect for the rest of the process's life.
pub(crate) fn ignore_sigterm() {
    #[cfg(unix)]
    {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be built");
        let _inside = runtime.enter();
        // Once somebody listens, the default action is gone for good.
        let listener = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
        drop(listener.expect("SIGTERM can be listened to"));
    }
}
