//! Putting another database in the place of one that is damaged, missing or not wanted any more. What was there is kept.

use crate::backup;
use crate::database::now_us;
use crate::error::StoreError;
use crate::folder;
use crate::open::DATABASE;
use crate::table::log_body;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where what was there is kept.
const SET_ASIDE: &str = "set-aside";
/// The folders of the servers' processes.
const SERVERS: &str = "servers";
/// What SQLite keeps beside a database.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Whether the folder has been in use: a missing database is then no first start.
pub(crate) fn was_used(home: &Path) -> bool {
    let has_entries =
        |folder: PathBuf| fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    has_entries(home.join(SERVERS))
        || has_entries(log_body::folder(&home.join(DATABASE)))
        || backup::newest(home).is_some()
}

/// Puts the new database in its place; the folder with what was there, if anything was.
pub(crate) fn put(home: &Path, new: &Path) -> Result<Option<PathBuf>, StoreError> {
    let path = home.join(DATABASE);
    let aside = home.join(SET_ASIDE).join(now_us().to_string());
    // The database itself last: as long as it stands where it did, nothing has happened.
    let mut going = vec![log_body::folder(&path)];
    going.extend(BESIDE.map(|suffix| beside(&path, suffix)));
    going.push(path.clone());
    going.retain(|old| old.symlink_metadata().is_ok());
    if !going.is_empty() {
        folder::make(&aside)?;
    }
    for old in &going {
        let name = old.file_name().unwrap_or_default();
        fs::rename(old, aside.join(name)).map_err(|error| StoreError::from_io(old, error))?;
    }
    fs::rename(new, &path).map_err(|error| StoreError::from_io(&path, error))?;
    Ok((!going.is_empty()).then_some(aside))
}

/// Removes a database with what stands beside it.
pub(crate) fn remove_database(path: &Path) -> Result<(), StoreError> {
    let mut all = BESIDE.map(|suffix| beside(path, suffix)).to_vec();
    all.push(path.to_owned());
    all.iter().try_for_each(|file| match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::from_io(file, error)),
        _ => Ok(()),
    })
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(suffix);
    name.into()
}
