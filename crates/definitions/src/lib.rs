//! Saved servers as they are described: what the person enters, checked, and what other applications' configuration files
//! contain.

pub mod import;
mod server;

pub use server::{
    EraOverride, InvalidServer, NewServer, SecretPlace, ServerSecret, Transport, check_url,
    stay_with_their_origin,
};
