//! The limit on open files.
//!
//! Each server needs four open files. Desktop programs can often open only 256 (macOS) or 1,024.

/// The soft limit to set. 200 local servers and as many HTTP servers need far less.
#[cfg(unix)]
const WANTED_LIMIT: u64 = 8_192;

/// The limit that this process was started with, once it was raised. Servers are started with this limit.
#[cfg(unix)]
static FORMER_LIMIT: std::sync::OnceLock<Option<u64>> = std::sync::OnceLock::new();

/// Raises this process's limit on open files to 8,192, or as far as the system allows. Only the first call
/// does so. Servers are started with the former limit.
#[cfg(unix)]
pub fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    FORMER_LIMIT.get_or_init(|| {
        let limit = getrlimit(Resource::Nofile);
        let former = limit.current?;
        let wanted = limit.maximum.map_or(WANTED_LIMIT, |hard| hard.min(WANTED_LIMIT));
        if wanted <= former {
            return None;
        }
        match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit }) {
            Ok(()) => Some(former),
            Err(error) => {
                tracing::warn!(%error, former, wanted, "the limit of open files stays as it is");
                None
            }
        }
    });
}

/// Does nothing, because Windows has no such limit.
#[cfg(not(unix))]
pub fn raise_file_limit() {}

/// The limit for servers, if it differs from the current one.
#[cfg(unix)]
pub(crate) fn former_limit() -> Option<u64> {
    FORMER_LIMIT.get().copied().flatten()
}

/// The limit for servers, if it differs from the current one.
#[cfg(not(unix))]
pub(crate) fn former_limit() -> Option<u64> {
    None
}
