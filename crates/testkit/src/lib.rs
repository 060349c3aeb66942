//! Scripted MCP servers for tests: real child processes and real HTTP on loopback, doing exactly what a test
//! tells them to, well or badly.
//!
//! - [`scripted_server_path`] is the stdio server `mooring-scripted-server`. Its first argument is a mode
//!   (`mooring-scripted-server --help` lists them); what a single call does is chosen by the tool that is
//!   called.
//! - [`http::serve`] starts a Streamable HTTP server of revision 2025-11-25 from a [`http::HttpScript`].
//! - [`corpus`] makes thousands of servers that are not quite right.
//! - [`answers`] holds what both say when nothing is wrong.
//! - [`addresses`] are those in what a server hands out.
//! - [`bundles`] writes bundles of servers.
//! - [`canary`] searches for secrets where they must not be.
//! - [`models::FakeProvider`] is a provider of models.
//! - [`oauth::serve`] starts an authorization server with a server behind it, from an [`oauth::OAuthScript`].
//! - [`offers`] is the script of a server with resources, prompts and completion, for the mode `script`.
//! - [`registry::serve_registry`] starts an MCP registry with thousands of generated entries.
//! - [`without_dac_override`] drops root's right to bypass file permissions, where tests run as root;
//!   [`as_another_user`] runs something as another user there.
//! - [`is_alive`] and [`eventually`] watch processes and conditions without guessing at a delay.
//!
//! This crate is test support: it may panic, start processes and print, which no other crate may.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "test support: a failure here is a failure of the test that uses it"
)]

mod addresses;
pub mod answers;
mod binary;
pub mod bundles;
pub mod canary;
pub mod corpus;
pub mod http;
pub mod models;
pub mod oauth;
pub mod offers;
#[cfg(target_os = "linux")]
mod privileges;
pub mod registry;
mod watch;

pub use addresses::addresses;
pub use binary::{binary_path, scripted_server_path};
#[cfg(target_os = "linux")]
pub use privileges::{as_another_user, without_dac_override};
pub use watch::{eventually, is_alive};
