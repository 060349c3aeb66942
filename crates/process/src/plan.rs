//! What is started.

use std::ffi::OsString;
use std::path::PathBuf;

/// A program to be started, with all that it gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LaunchPlan {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    /// Its whole environment, the tree's marker included.
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) cwd: PathBuf,
    /// How many files it may open, when that is not what we may.
    pub(crate) files: Option<u64>,
}
