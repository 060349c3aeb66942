//! Saved servers as people describe them: what the person enters, validated, and what other applications'
//! configuration files contain.

mod export;
pub mod import;
mod server;

pub use export::{WrittenConfig, write_config};
pub use server::{InvalidServer, NewServer, ServerSecret, check_header_origins, check_url};
