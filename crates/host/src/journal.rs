//! The journal.
pub(crate) mod redact;
