//! The revisions of the protocol that apps may speak, and how the gateway names itself in each.

use crate::message::quoted;

/// The revisions with a session, oldest first.
pub(crate) const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The only one with batches.
pub(crate) const BATCH_REVISION: &str = "2025-03-26";
/// The largest message of an app, in bytes.
pub(crate) const MAX_MESSAGE: usize = 4 << 20;

/// Who this server is, as JSON.
pub(crate) fn server_info() -> String {
    let version = quoted(env!("CARGO_PKG_VERSION"));
    format!(r#"{{"name":"mooring","title":"Mooring","version":{version}}}"#)
}
