//! One process at a time for each login: an exclusive lock on a file, which ends with the process that holds it.

use super::Login;
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

/// How often a lock that another holds is tried.
const EVERY: Duration = Duration::from_millis(15);

/// The files of the locks. They hold nothing and stay, because deleting one could part two who wait for it.
#[derive(Debug)]
pub(super) struct Locks {
    folder: PathBuf,
}

/// A lock that is held. It ends when it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    _file: File,
}

impl Locks {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Waits for a login's lock. Who stops waiting gets none.
    pub(super) async fn turn(&self, login: &Login, within: Duration) -> Result<Turn, Error> {
        let path = self.path(login);
        let gone = Arc::new(AtomicBool::new(false));
        let _leaving = Leaving(Arc::clone(&gone));
        let waiting = tokio::task::spawn_blocking(move || wait(&path, within, &gone));
        let failed = |reason: String| {
            Error::Unreachable(say!("the login cannot be locked for its renewal: {reason}", reason))
        };
        match waiting.await {
            Ok(Ok(Some(file))) => Ok(Turn { _file: file }),
            Ok(Ok(None)) => {
                Err(Error::Unreachable(say!("another process has been renewing the login for too long")))
            }
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(error) => Err(failed(error.to_string())),
        }
    }

    fn path(&self, login: &Login) -> PathBuf {
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

/// Tells the thread that nobody waits any more.
struct Leaving(Arc<AtomicBool>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Nothing when the time is over, or nobody waits.
fn wait(path: &Path, within: Duration, gone: &AtomicBool) -> io::Result<Option<File>> {
    let file = open(path)?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if began.elapsed() < within && !gone.load(Ordering::SeqCst) => {
                std::thread::sleep(EVERY);
            }
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).read(true).write(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
