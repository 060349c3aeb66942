//! The plan for starting a program.

use std::ffi::OsString;
use std::path::PathBuf;

/// A program to be started, with all that it gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LaunchPlan {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    /// Its whole environment, including the tree's marker.
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) cwd: PathBuf,
    /// Its limit on open files, if that differs from ours.
    pub(crate) files: Option<u64>,
}
