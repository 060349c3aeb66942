//! Owns a server's process tree until nothing of the tree is left.

use crate::child::Child;
use crate::exit::ProcessExit;
use crate::tree::{StopSignal, Tree};
use std::time::Duration;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

/// How long each step of a server's shutdown may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShutdownGrace {
    /// Time to end after the server's stdin was closed.
    pub stdin: Duration,
    /// Time to end after the request to terminate.
    pub term: Duration,
}

impl Default for ShutdownGrace {
    /// Five seconds after stdin closes, two after SIGTERM.
    fn default() -> Self {
        Self { stdin: Duration::from_secs(5), term: Duration::from_secs(2) }
    }
}

/// The least time that killed processes get to disappear.
const AFTER_KILL: Duration = Duration::from_secs(1);

/// The process and everything it has started. Dropping this kills the whole tree at once.
#[derive(Debug)]
pub struct ProcessControl {
    pid: u32,
    child: Child,
    tree: Tree,
    exit: Option<ProcessExit>,
}

impl ProcessControl {
    pub(crate) fn new(child: Child, tree: Tree) -> Self {
        Self { pid: tree.leader(), child, tree, exit: None }
    }

    /// The process id of the program that was started.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits until the program ends. Its descendants may live on until [`shutdown`](Self::shutdown) is called
    /// or this is dropped. Can be called again with the same result. Dropping the future loses nothing.
    pub async fn wait(&mut self) -> ProcessExit {
        if let Some(exit) = self.exit {
            return exit;
        }
        let exit = self.child.wait().await;
        self.tree.note_leader_ended();
        self.exit = Some(exit);
        exit
    }

    /// Ends the whole tree. The caller drops the server's stdin before or meanwhile.
    ///
    /// Waits `grace.stdin` for the program to end. Then asks the remaining processes to terminate, and kills
    /// them after `grace.term`. Returns how the program ended, once nothing of the tree is left.
    pub async fn shutdown(&mut self, grace: ShutdownGrace) -> ProcessExit {
        // Processes of the tree are easiest to find while all of their parents live.
        self.tree.refresh_members();
        let ended = timeout(grace.stdin, self.wait()).await.is_ok();
        if !ended || self.tree.refresh_members() {
            let deadline = Instant::now() + grace.term;
            self.tree.signal_tree(StopSignal::Terminate);
            if timeout_at(deadline, self.wait()).await.is_ok() {
                self.wait_for_descendants(deadline).await;
            }
        }
        self.tree.signal_tree(StopSignal::Kill);
        self.child.start_kill(self.exit.is_some());
        let exit = self.wait().await;
        // The system takes a moment to end what was killed.
        self.wait_for_descendants(Instant::now() + grace.term.max(AFTER_KILL)).await;
        exit
    }

    /// Waits until only the program itself is left, or until the deadline. This polls, because the system
    /// reports only the end of children, not of other descendants.
    async fn wait_for_descendants(&mut self, deadline: Instant) {
        const LOOK_AGAIN: Duration = Duration::from_millis(10);
        while self.tree.refresh_members() {
            let next = Instant::now() + LOOK_AGAIN;
            if next >= deadline {
                return;
            }
            sleep_until(next).await;
        }
    }
}

impl Drop for ProcessControl {
    fn drop(&mut self) {
        self.tree.signal_tree(StopSignal::Kill);
    }
}

/// A running server: its pipes, and the control over its process tree.
///
/// The owner of `stdin` closes it by dropping it. This is the first step of a shutdown.
#[derive(Debug)]
pub struct ServerProcess {
    /// The server's stdin.
    pub stdin: ChildStdin,
    /// The server's stdout.
    pub stdout: ChildStdout,
    /// The server's stderr.
    pub stderr: ChildStderr,
    /// The process and everything it has started.
    pub control: ProcessControl,
}
