//! Replaces a database that is damaged, missing or no longer wanted. The old database is kept.

use crate::backup;
use crate::database::DATABASE_FILE;
use crate::table::log_body;
use mooring_base::clock::now_us;
use mooring_disk::{StoreError, create_private_dir};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder that replaced databases are moved to.
const REPLACED_FOLDER: &str = "set-aside";
/// The folder with the working folders of the servers' processes.
const SERVERS: &str = "servers";
/// Suffixes of SQLite's files next to a database.
const SIDECAR_SUFFIXES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Whether the folder has been in use. If so, a missing database is not a first start.
pub(crate) fn is_profile_used(home: &Path) -> bool {
    let has_entries =
        |folder: PathBuf| fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    has_entries(home.join(SERVERS))
        || has_entries(log_body::folder(&home.join(DATABASE_FILE)))
        || backup::newest_backup(home).is_some()
}

/// Moves the new database into place. Returns the folder with the old files, if there were any.
pub(crate) fn replace_database(home: &Path, new: &Path) -> Result<Option<PathBuf>, StoreError> {
    let path = home.join(DATABASE_FILE);
    let aside = home.join(REPLACED_FOLDER).join(now_us().to_string());
    // The database is moved first: if this process ends half way, the next start finds no database, rather
    // than one without its log.
    let mut going = vec![path.clone(), log_body::folder(&path)];
    going.extend(SIDECAR_SUFFIXES.map(|suffix| sidecar_path(&path, suffix)));
    going.retain(|old| old.symlink_metadata().is_ok());
    let backups = backup::list_backups(home);
    if going.is_empty() && backups.is_empty() {
        fs::rename(new, &path).map_err(|error| StoreError::from_io(&path, error))?;
        return Ok(None);
    }
    // The replacement may be the wrong backup, and later backups would displace the existing ones.
    let copies = aside.join(backup::BACKUP_FOLDER);
    create_private_dir(&copies)?;
    for backup in backups {
        let copy = copies.join(backup.path.file_name().unwrap_or_default());
        fs::copy(&backup.path, &copy).map_err(|error| StoreError::from_io(&copy, error))?;
    }
    let mut moved = Vec::new();
    for old in going {
        let moved_to = aside.join(old.file_name().unwrap_or_default());
        if let Err(error) = fs::rename(&old, &moved_to) {
            move_files_back(moved);
            return Err(StoreError::from_io(&old, error));
        }
        moved.push((moved_to, old));
    }
    if let Err(error) = fs::rename(new, &path) {
        move_files_back(moved);
        return Err(StoreError::from_io(&path, error));
    }
    Ok(Some(aside))
}

/// Moves the files back, the database last.
fn move_files_back(moved: Vec<(PathBuf, PathBuf)>) {
    for (moved_to, old) in moved.into_iter().rev() {
        // The caller gets the earlier error. Files that can't be moved back remain in the folder.
        let _stays = fs::rename(moved_to, old);
    }
}

/// Removes a database with its write-ahead log and the other files beside it.
pub(crate) fn remove_database(path: &Path) -> Result<(), StoreError> {
    let mut all = SIDECAR_SUFFIXES.map(|suffix| sidecar_path(path, suffix)).to_vec();
    all.push(path.to_owned());
    all.iter().try_for_each(|file| backup::remove_if_exists(file))
}

fn sidecar_path(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(suffix);
    name.into()
}
