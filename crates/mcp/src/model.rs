//! Lenient typed views of raw JSON. Readable parts are read, and every problem becomes a diagnostic.

pub mod as_text;
pub(crate) mod call_result;
pub(crate) mod fields;
pub(crate) mod handshake;
pub(crate) mod listing;
pub(crate) mod notification;
pub(crate) mod prompt;
pub(crate) mod resource;
pub(crate) mod schema;
pub(crate) mod shape;
pub(crate) mod time;
pub(crate) mod tool;
