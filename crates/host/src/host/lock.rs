//! One window for each data folder: a file that stays locked for as long as a host keeps the saved servers running.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mooring_store::StoreError;
use tokio::time::{Instant, sleep};

use crate::error::HostError;

/// A host that closes gives its servers time to end; the next one waits this long for it, at most.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(15);
/// How often it looks meanwhile.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The lock, until it is given back or dropped. The file's length says whether the one who holds it is closing: that is
/// seen while the file is locked on every system, and lengthening it needs no room on the disk.
pub(super) struct WindowLock(Mutex<Option<File>>);

impl WindowLock {
    /// For a host that keeps no servers running.
    pub(super) fn unlocked() -> Self {
        Self(Mutex::new(None))
    }

    /// Takes the lock of a data folder. One that is closing is waited for, any other refused.
    pub(super) async fn acquire(home: &Path) -> Result<Self, HostError> {
        let path = home.join("window.lock");
        let fault = |source| HostError::from(StoreError::Io { path: path.clone(), source });
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(fault)?;
        let deadline = Instant::now() + CLOSE_TIMEOUT;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if is_closing(&path) && Instant::now() < deadline => {
                    sleep(POLL_INTERVAL).await;
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(HostError::AlreadyOpen(home.display().to_string()));
                }
                Err(TryLockError::Error(source)) => return Err(fault(source)),
            }
        }
        file.set_len(0).map_err(fault)?;
        Ok(Self(Mutex::new(Some(file))))
    }

    /// Says that it is about to be given back.
    pub(super) fn announce_release(&self) {
        if let Some(file) = &*self.held()
            && let Err(error) = file.set_len(1)
        {
            tracing::warn!(%error, "a window that is opened now does not wait for this one to close");
        }
    }

    /// Gives it back.
    pub(super) fn release(&self) {
        drop(self.held().take());
    }

    fn held(&self) -> MutexGuard<'_, Option<File>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_closing(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.len() > 0)
}
