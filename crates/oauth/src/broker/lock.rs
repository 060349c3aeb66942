//! Allows only one process at a time to renew a login, with an exclusive file lock that ends with its
//! process.

use super::LoginId;
use crate::error::Error;
use mooring_words::say;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often to try to get a lock that another process holds.
const RETRY_INTERVAL: Duration = Duration::from_millis(15);

/// The lock files. They are empty and are never deleted. If one were deleted, two processes could hold locks
/// on different files for the same login.
#[derive(Debug)]
pub(super) struct LoginLocks {
    folder: PathBuf,
}

/// A login's lock. Dropping it releases the lock.
#[derive(Debug)]
pub(super) struct LoginLockGuard {
    _file: File,
}

impl LoginLocks {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Waits for a login's lock. Dropping the future gives up.
    pub(super) async fn acquire(&self, login: &LoginId, within: Duration) -> Result<LoginLockGuard, Error> {
        let path = self.lock_path(login);
        let gone = Arc::new(AtomicBool::new(false));
        let _leaving = CancelOnDrop(Arc::clone(&gone));
        let waiting = tokio::task::spawn_blocking(move || lock_file(&path, within, &gone));
        let failed = |reason: String| {
            Error::Unreachable(say!("the login can’t be locked for its renewal: {reason}", reason))
        };
        match waiting.await {
            Ok(Ok(Some(file))) => Ok(LoginLockGuard { _file: file }),
            Ok(Ok(None)) => {
                Err(Error::Unreachable(say!("another process is taking too long to renew the login")))
            }
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(error) => Err(failed(error.to_string())),
        }
    }

    fn lock_path(&self, login: &LoginId) -> PathBuf {
        let mut hash = Sha256::new();
        for part in [&login.issuer, &login.resource, &login.account] {
            hash.update(part.len().to_le_bytes());
            hash.update(part.as_bytes());
        }
        let mut name = String::new();
        for byte in &hash.finalize()[..16] {
            // Writing to a String cannot fail.
            let _ = write!(name, "{byte:02x}");
        }
        self.folder.join(format!("{name}.lock"))
    }
}

/// Makes the waiting thread stop when its caller is gone.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Locks the file. `None` if that takes longer than `within`, or if `gone` says that the caller was dropped.
fn lock_file(path: &Path, within: Duration, gone: &AtomicBool) -> io::Result<Option<File>> {
    let file = open_file(path)?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if began.elapsed() < within && !gone.load(Ordering::SeqCst) => {
                std::thread::sleep(RETRY_INTERVAL);
            }
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

fn open_file(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).read(true).write(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
