//! Types that several crates share: server ids, names of apps' calls, resource URIs, the clock, hashes,
//! excerpts, rate limits, the detection of credentials, and the integrity documents.

pub mod app_call;
pub mod auth_challenge;
pub mod clock;
mod codes;
pub mod command_line;
pub mod credentials;
pub mod digest;
pub mod excerpt;
pub mod integrity;
pub mod rate;
pub mod resource_address;
pub mod server_id;
pub mod uri_template;
pub mod url_error;
pub mod view_serde;
