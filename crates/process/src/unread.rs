//! Detects whether a server has read its input. A server that is still starting reads nothing.

#[cfg(target_os = "linux")]
use std::os::fd::{AsFd as _, OwnedFd};
#[cfg(target_os = "linux")]
use std::sync::{Mutex, PoisonError};

use tokio::process::ChildStdin;

/// Whether unread bytes are in the pipe of a server's stdin. This keeps the pipe open, so the owner of stdin
/// closes both.
#[derive(Debug, Default)]
pub struct UnreadInput {
    #[cfg(target_os = "linux")]
    pipe: Mutex<Option<OwnedFd>>,
}

impl UnreadInput {
    /// Watches the pipe of this stdin.
    #[cfg(target_os = "linux")]
    pub fn watch(stdin: &ChildStdin) -> Self {
        Self { pipe: Mutex::new(stdin.as_fd().try_clone_to_owned().ok()) }
    }

    /// Watches nothing, because other systems don't report unread bytes.
    #[cfg(not(target_os = "linux"))]
    pub fn watch(_: &ChildStdin) -> Self {
        Self::default()
    }

    /// Whether unread bytes are waiting. False if this is unknown.
    pub fn has_unread(&self) -> bool {
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

    /// Stops watching, so that the server sees the end of its input.
    pub fn close(&self) {
        #[cfg(target_os = "linux")]
        drop(self.pipe.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
