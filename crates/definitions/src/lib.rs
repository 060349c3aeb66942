//! Definitions of servers: what the person enters, validated, and what configuration files of other
//! applications contain.

mod export;
pub mod import;
mod server;

pub use export::{ConfigFormat, WrittenConfig, write_config};
pub use server::{
    EraOverride, InvalidServer, NewServer, SavedServer, ServerSecret, StartRule, Transport,
    check_header_origins, check_url,
};
