//! The data folder: only its owner has access. It is refused if another user could put something into it.

use crate::error::StoreError;
#[cfg(unix)]
use std::fs::{self, Metadata, Permissions};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The permissions of the group and of everyone else to write.
#[cfg(unix)]
const OTHERS_WRITE: u32 = 0o022;
/// The sticky bit: everyone may write to the directory, but only remove their own files, as in `/tmp`.
#[cfg(unix)]
const STICKY: u32 = 0o1000;

/// Creates the directory, for its owner only.
pub fn create_private_dir(path: &Path) -> Result<(), StoreError> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| StoreError::from_io(path, error))
}

/// Refuses a data folder that belongs to another user, or that directly contains something of another user,
/// who could make us start their programs. Removes others' permission to write to our own files, and returns
/// the paths of these files.
#[cfg(unix)]
pub fn restrict_access(home: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let us = rustix::process::geteuid().as_raw();
    let fault = |path: &Path, error| StoreError::from_io(path, error);
    let mut closed = Vec::new();
    let folder = fs::metadata(home).map_err(|error| fault(home, error))?;
    check_access(home, &folder, us, 0o700, &mut closed)?;
    let entries = fs::read_dir(home).map_err(|error| fault(home, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| fault(home, error))?;
        let path = entry.path();
        // Another process may have removed it meanwhile.
        let Ok(found) = entry.metadata() else { continue };
        if found.is_symlink() {
            check_link(&path, &found, us)?;
        } else {
            check_access(&path, &found, us, if found.is_dir() { 0o700 } else { 0o600 }, &mut closed)?;
        }
    }
    Ok(closed)
}

/// Refuses a link that another user created, or whose target is writable by others. The target is outside of
/// the data folder, so its permissions are not changed.
#[cfg(unix)]
fn check_link(path: &Path, link: &Metadata, us: u32) -> Result<(), StoreError> {
    let is_ours = |found: &Metadata| found.uid() == us || found.uid() == 0;
    let target = fs::metadata(path).ok();
    // The target of a broken link doesn't exist yet, and could be created by anyone who can write there.
    if is_ours(link) && target.is_none_or(|found| is_ours(&found) && found.mode() & OTHERS_WRITE == 0) {
        return Ok(());
    }
    Err(StoreError::WritableByOthers { path: path.to_owned() })
}

#[cfg(unix)]
fn check_access(
    path: &Path,
    found: &Metadata,
    us: u32,
    mode: u32,
    closed: &mut Vec<PathBuf>,
) -> Result<(), StoreError> {
    let (owner, is_open) = (found.uid(), found.mode() & OTHERS_WRITE != 0);
    // Files of root are fine, because root can do anything anyway.
    if owner != us && (owner != 0 || is_open) {
        return Err(StoreError::WritableByOthers { path: path.to_owned() });
    }
    if !is_open {
        return Ok(());
    }
    if found.mode() & STICKY != 0 {
        return Err(StoreError::WritableByOthers { path: path.to_owned() });
    }
    fs::set_permissions(path, Permissions::from_mode(mode))
        .map_err(|error| StoreError::from_io(path, error))?;
    closed.push(path.to_owned());
    Ok(())
}

/// On other systems the folder inherits the access rights of the user's folder.
#[cfg(not(unix))]
pub fn restrict_access(_home: &Path) -> Result<Vec<PathBuf>, StoreError> {
    Ok(Vec::new())
}

/// Opens a file to read and write. Creates it with mode 0600 if it is missing.
pub fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_is_ours_and_open_to_others_is_closed_to_them() {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().join("home");
        create_private_dir(&home).unwrap();
        assert_eq!(mode(&home), 0o700);
        let (file, folder) = (home.join("mooring.db"), home.join("servers"));
        fs::write(&file, "").unwrap();
        fs::create_dir(&folder).unwrap();
        set(&file, 0o644);
        set(&folder, 0o755);
        assert_eq!(restrict_access(&home).unwrap(), Vec::<PathBuf>::new(), "others may read");
        for (path, open, closed) in
            [(&home, 0o777, 0o700), (&home, 0o770, 0o700), (&file, 0o666, 0o600), (&folder, 0o775, 0o700)]
        {
            set(path, open);
            assert_eq!(restrict_access(&home).unwrap(), std::slice::from_ref(path));
            assert_eq!(mode(path), closed);
        }
        // The mode of a shared directory such as /tmp is not changed.
        set(&home, 0o1777);
        let refused = restrict_access(&home).unwrap_err();
        assert!(matches!(refused, StoreError::WritableByOthers { .. }), "{refused}");
        assert_eq!(mode(&home), 0o1777);
    }

    #[test]
    fn a_link_is_followed_to_what_is_ours_alone() {
        let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (link, target) = (place.path().join("mooring.db"), elsewhere.path().join("other.db"));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        restrict_access(place.path()).unwrap();
        fs::write(&target, "").unwrap();
        set(&target, 0o600);
        restrict_access(place.path()).unwrap();
        set(&target, 0o666);
        let refused = restrict_access(place.path()).unwrap_err();
        assert!(matches!(&refused, StoreError::WritableByOthers { path } if *path == link), "{refused}");
        assert_eq!(mode(&target), 0o666);
        set(&target, 0o600);
        let us = rustix::process::geteuid().as_raw();
        let theirs = check_link(&link, &fs::symlink_metadata(&link).unwrap(), us + 1);
        assert_eq!(theirs.is_err(), us != 0);
    }

    #[test]
    fn what_belongs_to_somebody_else_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let (home, file) = (place.path().to_owned(), place.path().join("mooring.db"));
        fs::write(&file, "").unwrap();
        let somebody = Some(rustix::process::geteuid().as_raw() + 1);
        // Only root can give a file to another user. Other users test the rest.
        if std::os::unix::fs::chown(&file, somebody, None).is_err() {
            assert!(check_access(&home, &fs::metadata("/").unwrap(), 1, 0o700, &mut Vec::new()).is_ok());
            return;
        }
        let refused = restrict_access(&home).unwrap_err();
        assert!(matches!(&refused, StoreError::WritableByOthers { path } if *path == file), "{refused}");
        std::os::unix::fs::chown(&file, Some(0), None).unwrap();
        std::os::unix::fs::chown(&home, somebody, None).unwrap();
        assert!(restrict_access(&home).is_err());
    }
}
