//! The local socket of a data folder, which only its owner's programs can reach: others cannot enter the folder.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;
use tokio::net::{UnixListener, UnixStream};

/// Where the gateway of a data folder listens.
pub(crate) fn path(home: &Path) -> PathBuf {
    home.join("gateway.sock")
}

/// Listens there. Only who holds the data folder's lock may: a socket that is there already is left over.
pub(crate) fn listen(path: &Path) -> io::Result<UnixListener> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Whether the process at the other end is one of the same user.
pub(crate) fn is_own(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == geteuid().as_raw())
}
