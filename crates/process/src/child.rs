//! A program that this process or a guardian has started.

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
    /// A child of this process.
    #[cfg(not(windows))]
    Direct(Own),
    /// A child of this process in a job object. The job ends as a whole, at the latest when this process
    /// closes the last handle to it.
    #[cfg(windows)]
    Job(Box<dyn ChildWrapper>),
    /// A child of the guardian, which reports how the child ends.
    #[cfg(target_os = "linux")]
    Guarded(GuardedChild),
}

impl Child {
    /// Waits until the program ends. Can be called again until it has returned. Dropping the future loses
    /// nothing.
    pub(crate) async fn wait(&mut self) -> ProcessExit {
        match self {
            // If other code has reaped the child, its exit status is lost.
            #[cfg(not(windows))]
            Self::Direct(child) => child.wait().await.map_or(ProcessExit::UNKNOWN, ProcessExit::from),
            // Wait for the program alone, because the job would wait for everything in it.
            #[cfg(windows)]
            Self::Job(job) => job.inner_mut().wait().await.map_or(ProcessExit::UNKNOWN, ProcessExit::from),
            #[cfg(target_os = "linux")]
            Self::Guarded(ward) => ward.wait().await,
        }
    }

    /// Takes this process's ends of the pipes. `None` if there are none, or if they were taken already.
    #[cfg(not(windows))]
    pub(crate) fn take_pipes(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        match self {
            Self::Direct(child) => Some((child.stdin.take()?, child.stdout.take()?, child.stderr.take()?)),
            #[cfg(target_os = "linux")]
            Self::Guarded(_) => None,
        }
    }

    /// Takes this process's ends of the pipes. `None` if there are none, or if they were taken already.
    #[cfg(windows)]
    pub(crate) fn take_pipes(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        let Self::Job(job) = self;
        Some((job.stdin().take()?, job.stdout().take()?, job.stderr().take()?))
    }

    /// Kills the program in case its tree could not be reached. Does nothing if the program has `ended`. A
    /// job is the whole tree, and ends as a whole. An error means that the program has ended already.
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
