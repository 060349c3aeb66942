//! Whether a server has read what it was sent: one that is still starting reads nothing.

#[cfg(target_os = "linux")]
use std::os::fd::{AsFd as _, OwnedFd};
#[cfg(target_os = "linux")]
use std::sync::{Mutex, PoisonError};

use tokio::process::ChildStdin;

/// What waits in the pipe of a server's input. It keeps the pipe open: the owner of the input closes both.
#[derive(Debug, Default)]
pub struct Unread {
    #[cfg(target_os = "linux")]
    pipe: Mutex<Option<OwnedFd>>,
}

impl Unread {
    /// Looks into the pipe of this input.
    #[cfg(target_os = "linux")]
    pub fn of(stdin: &ChildStdin) -> Self {
        Self { pipe: Mutex::new(stdin.as_fd().try_clone_to_owned().ok()) }
    }

    /// Systems that do not tell.
    #[cfg(not(target_os = "linux"))]
    pub fn of(_: &ChildStdin) -> Self {
        Self::default()
    }

    /// Whether anything waits; false also where that cannot be told.
    pub fn any(&self) -> bool {
        #[cfg(target_os = "linux")]
        {
            let pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
            pipe.as_ref()
                .and_then(|pipe| rustix::io::ioctl_fionread(pipe).ok())
                .is_some_and(|bytes| bytes > 0)
        }
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// Looks no longer, so that the server learns of the end of its input.
    pub fn close(&self) {
        #[cfg(target_os = "linux")]
        drop(self.pipe.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
