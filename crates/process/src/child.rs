//! A program that was started, by this process or by a guardian.

use crate::exit::ProcessExit;
#[cfg(target_os = "linux")]
use crate::guardian::GuardedChild;
#[cfg(windows)]
use process_wrap::tokio::ChildWrapper;
#[cfg(not(windows))]
use tokio::process::Child as Own;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// The program itself, without its descendants.
#[derive(Debug)]
pub(crate) enum Child {
    /// A child of ours.
    #[cfg(not(windows))]
    Direct(Own),
    /// A child of ours in a job object, which ends as a whole, at the latest when its last handle is closed: ours.
    #[cfg(windows)]
    Job(Box<dyn ChildWrapper>),
    /// A child of the guardian's, which tells us how it ends.
    #[cfg(target_os = "linux")]
    Guarded(GuardedChild),
}

impl Child {
    /// Waits until the program ends. May be called again until it has given an answer; dropping the future loses
    /// nothing.
    pub(crate) async fn wait(&mut self) -> ProcessExit {
        match self {
            // If other code has reaped the child, its exit status is lost.
            #[cfg(not(windows))]
            Self::Direct(child) => child.wait().await.map_or(ProcessExit::UNKNOWN, ProcessExit::from),
            // The program alone: the job itself would wait for everything in it.
            #[cfg(windows)]
            Self::Job(job) => job.inner_mut().wait().await.map_or(ProcessExit::UNKNOWN, ProcessExit::from),
            #[cfg(target_os = "linux")]
            Self::Guarded(ward) => ward.wait().await,
        }
    }

    /// Our ends of its pipes, once.
    #[cfg(not(windows))]
    pub(crate) fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        match self {
            Self::Direct(child) => Some((child.stdin.take()?, child.stdout.take()?, child.stderr.take()?)),
            #[cfg(target_os = "linux")]
            Self::Guarded(_) => None,
        }
    }

    /// Our ends of its pipes, once.
    #[cfg(windows)]
    pub(crate) fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        let Self::Job(job) = self;
        Some((job.stdin().take()?, job.stdout().take()?, job.stderr().take()?))
    }

    /// Kills the program if its tree could not be reached, unless it has `ended`. A job is the tree, and ends
    /// as a whole. An error means that it has ended already.
    pub(crate) fn start_kill(&mut self, ended: bool) {
        match self {
            #[cfg(not(windows))]
            Self::Direct(child) if !ended => {
                let _ended = child.start_kill();
            }
            #[cfg(target_os = "linux")]
            Self::Guarded(ward) if !ended => ward.kill(),
            #[cfg(not(windows))]
            _ => {}
            #[cfg(windows)]
            Self::Job(job) => {
                let _ = ended;
                let _ended = job.start_kill();
            }
        }
    }
}
