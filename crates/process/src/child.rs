//! A program that was started, whoever is its parent.

use crate::exit::Exit;
#[cfg(target_os = "linux")]
use crate::guardian::Ward;
use tokio::process::Child as Own;

/// The program itself, without what it has started.
#[derive(Debug)]
pub(crate) enum Child {
    /// A child of ours.
    Own(Own),
    /// A child of the guardian's, which tells us how it ends.
    #[cfg(target_os = "linux")]
    Ward(Ward),
}

impl Child {
    /// Waits until the program ends. May be called again until it has given an answer; dropping the future loses
    /// nothing.
    pub(crate) async fn wait(&mut self) -> Exit {
        match self {
            // When somebody else has reaped the child, it is gone and its status is lost.
            Self::Own(child) => child.wait().await.map_or(Exit::UNKNOWN, Exit::from),
            #[cfg(target_os = "linux")]
            Self::Ward(ward) => ward.wait().await,
        }
    }

    /// Kills the program, where its tree could not be reached. That it has ended is what is wanted.
    pub(crate) fn start_kill(&mut self) {
        match self {
            Self::Own(child) => {
                let _ended = child.start_kill();
            }
            #[cfg(target_os = "linux")]
            Self::Ward(ward) => ward.kill(),
        }
    }
}
