//! Signing in against real HTTP on loopback: discovery and identity against a site of documents, grants against a
//! scripted authorization server.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a helper that fails fails the test that calls it"
)]

mod authorization;
mod broker;
mod discovery;
mod dpop;
mod grants;
mod hostile;
mod http;
mod identity;
mod listener;
mod matrix;
mod processes;
mod reach;
mod site;
mod support;
mod token_stores;
mod tokens;
mod whole;
