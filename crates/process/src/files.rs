//! The limit on open files.
//!
//! Each server takes four, and programs of the desktop can often open only 256 (macOS) or 1,024.

/// The soft limit that is enough: 200 servers with their HTTP neighbours, many times over.
#[cfg(unix)]
const WANTED_LIMIT: u64 = 8_192;

/// The limit that we were started with, once it was raised. Servers get it back.
#[cfg(unix)]
static FORMER_LIMIT: std::sync::OnceLock<Option<u64>> = std::sync::OnceLock::new();

/// Raises our limit of open files towards what the system allows, up to 8,192. The first call does it; servers are
/// started with the limit that we had before.
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

/// Windows has no such limit.
#[cfg(not(unix))]
pub fn raise_file_limit() {}

/// The limit for servers, if it differs from ours.
#[cfg(unix)]
pub(crate) fn former_limit() -> Option<u64> {
    FORMER_LIMIT.get().copied().flatten()
}

/// The limit for servers, if it differs from ours.
#[cfg(not(unix))]
pub(crate) fn former_limit() -> Option<u64> {
    None
}
