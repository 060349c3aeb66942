//! Saved servers as they are described: what the person enters, checked, and what other applications' configuration
//! files contain.

pub mod import;
mod server;

pub use server::{
    EraOverride, InvalidServer, NewServer, SecretPlace, ServerSecret, Transport, check_header_origins,
    check_url,
};
