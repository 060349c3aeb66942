//! What several crates share: server ids, names of apps' calls, the clock, hashes, excerpts, and what looks like a credential.

pub mod app_call;
pub mod clock;
mod codes;
pub mod command_line;
pub mod credentials;
pub mod digest;
pub mod excerpt;
pub mod json;
pub mod server_id;
pub mod uri_template;
pub mod url_error;
pub mod value;
pub mod view_serde;
