//! How the views write what JSON has no type for.

use std::path::{Path, PathBuf};

use serde::Serializer;

/// A path as text; what is not Unicode in it shows as U+FFFD.
pub(crate) fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// Paths as texts.
pub(crate) fn paths<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}

/// Whether there is a value, and nothing of it.
#[expect(clippy::ref_option, reason = "serde hands a field over as it is")]
pub(crate) fn is_some<T, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(value.is_some())
}
