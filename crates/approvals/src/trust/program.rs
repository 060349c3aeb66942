//! The hash of a program's file. A file with unchanged metadata (length, times, inode number) is only read
//! once.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use mooring_base::digest::hex;
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;

/// A longer program is only hashed up to this size.
const LONGEST: u64 = 1 << 30;
/// How many programs are remembered.
const REMEMBERED: usize = 256;

/// Metadata that changes whenever the file does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct FileStamp {
    path: PathBuf,
    bytes: u64,
    modified: Option<SystemTime>,
    /// The time of the file's last change of any kind (ctime), which programs can't set, and its inode
    /// number.
    changed: (i64, i64, u64),
}

impl FileStamp {
    fn of(path: &Path, metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt as _;
            (metadata.ctime(), metadata.ctime_nsec(), metadata.ino())
        };
        #[cfg(not(unix))]
        let changed = (0, 0, 0);
        Self { path: path.to_owned(), bytes: metadata.len(), modified: metadata.modified().ok(), changed }
    }
}

/// Program hashes computed since the application started.
#[derive(Debug, Default)]
pub(super) struct ProgramHashes {
    known: Mutex<HashMap<FileStamp, Arc<OnceCell<Option<String>>>>>,
}

impl ProgramHashes {
    /// The SHA-256 of a program's file. `None` if the file can't be read. For a script, this is the
    /// interpreter's hash, which does not cover what the interpreter reads.
    pub(super) async fn hash_file(&self, path: &Path) -> Option<String> {
        let metadata = tokio::fs::metadata(path).await.ok()?;
        let stamp = FileStamp::of(path, &metadata);
        let cell = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= REMEMBERED && !known.contains_key(&stamp) {
                known.clear();
            }
            Arc::clone(known.entry(stamp).or_default())
        };
        let read = async || {
            let path = path.to_owned();
            tokio::task::spawn_blocking(move || hash_contents(&path)).await.ok().flatten()
        };
        cell.get_or_init(read).await.clone()
    }
}

fn hash_contents(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?.take(LONGEST);
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 17];
    loop {
        match file.read(&mut buffer).ok()? {
            0 => break,
            read => hash.update(buffer.get(..read)?),
        }
    }
    Some(hex(&hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_program_is_read_again_once_it_changed() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("program");
        std::fs::write(&path, "one").unwrap();
        let programs = ProgramHashes::default();
        let one = programs.hash_file(&path).await;
        assert_eq!(one.as_deref().map(str::len), Some(64));
        assert_eq!(programs.hash_file(&path).await, one);
        assert_eq!(programs.known.lock().unwrap().len(), 1);
        let other = home.path().join("other");
        std::fs::write(&other, "two").unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_ne!(programs.hash_file(&path).await, one);
        assert_eq!(programs.hash_file(&home.path().join("none")).await, None);
    }
}
