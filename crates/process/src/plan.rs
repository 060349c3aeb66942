//! The plan for starting a program.

use std::ffi::OsString;
use std::path::PathBuf;

/// A program to start, with everything that it gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LaunchPlan {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    /// The program's whole environment, including the tree's marker.
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) cwd: PathBuf,
    /// The program's limit on open files, if it differs from this process's limit.
    pub(crate) files: Option<u64>,
}
