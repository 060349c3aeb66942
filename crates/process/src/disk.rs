//! The space that is left on a disk.

use std::io;
use std::path::Path;

/// How many bytes this user can still write to the disk of a path. `None` on systems that can't be asked yet.
#[cfg(unix)]
pub fn free_space(path: &Path) -> io::Result<Option<u64>> {
    let disk = rustix::fs::statvfs(path)?;
    Ok(Some(disk.f_bavail.saturating_mul(disk.f_frsize)))
}

/// How many bytes this user can still write to the disk of a path. `None` on systems that can't be asked yet.
#[cfg(not(unix))]
pub fn free_space(_path: &Path) -> io::Result<Option<u64>> {
    Ok(None)
}
