//! The lock of a data folder. Only one process at a time keeps servers running for a data folder, and holds
//! this lock meanwhile.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How long the next process waits for one that is closing. A process that is closing gives its servers time
/// to end.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(15);
/// The lock file in the data folder.
const FILE: &str = "window.lock";
/// How often to try to take the lock.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The lock, until it is released or dropped. The file's length says whether the holder is closing. Every
/// system allows reading the length while the file is locked, and changing it needs no space on the disk.
#[derive(Debug)]
pub struct FolderLock(Mutex<Option<File>>);

impl FolderLock {
    /// No lock, for a process that keeps no servers running.
    pub fn unlocked() -> Self {
        Self(Mutex::new(None))
    }

    /// Acquires the lock of a data folder, and waits if its holder is closing. `None` if another process
    /// holds it.
    pub async fn acquire(home: &Path) -> io::Result<Option<Self>> {
        let path = home.join(FILE);
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        let deadline = Instant::now() + CLOSE_TIMEOUT;
        let mut looked = false;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                // [`Self::is_held`] in another process takes the lock for a moment, so the first failure is
                // retried.
                Err(TryLockError::WouldBlock)
                    if !looked || is_closing(&path) && Instant::now() < deadline =>
                {
                    looked = true;
                    sleep(POLL_INTERVAL).await;
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(source)) => return Err(source),
            }
        }
        file.set_len(0)?;
        Ok(Some(Self(Mutex::new(Some(file)))))
    }

    /// Whether a process holds the lock of a data folder.
    pub fn is_held(home: &Path) -> bool {
        let file = File::options().read(true).write(true).open(home.join(FILE));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Announces that the lock is about to be released.
    pub fn announce_release(&self) {
        if let Some(file) = &*self.lock_file()
            && let Err(error) = file.set_len(1)
        {
            tracing::warn!(%error, "a window that is opened now does not wait for this one to close");
        }
    }

    /// Releases the lock.
    pub fn release(&self) {
        drop(self.lock_file().take());
    }

    fn lock_file(&self) -> MutexGuard<'_, Option<File>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_closing(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.len() > 0)
}
