//! The tables: row, reader and writer of each in one file.

pub(crate) mod app;
pub(crate) mod app_key;
pub(crate) mod integrity;
pub(crate) mod interaction;
pub(crate) mod known_era;
pub(crate) mod log;
pub(crate) mod log_audit;
pub(crate) mod log_body;
pub(crate) mod log_calls;
pub(crate) mod log_facet;
pub(crate) mod log_search;
pub(crate) mod log_share;
pub(crate) mod login;
pub(crate) mod pin;
pub(crate) mod provider;
pub(crate) mod registration;
pub(crate) mod root;
pub(crate) mod rule;
pub(crate) mod sampling;
pub(crate) mod saved_call;
pub(crate) mod secret;
pub(crate) mod server;
pub(crate) mod server_login;
pub(crate) mod server_secret;
pub(crate) mod setting;
pub(crate) mod vault;
