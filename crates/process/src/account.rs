//! A user of this system.

use std::ffi::OsString;
use std::path::PathBuf;

/// A user, as in the system's list of accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) name: OsString,
    pub(crate) home: PathBuf,
    pub(crate) shell: PathBuf,
}
