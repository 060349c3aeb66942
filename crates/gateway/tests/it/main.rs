//! Apps at the gateway of a host with real servers.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failure here is a failure of the test"
)]

mod additions;
mod addresses;
mod asleep;
mod bad_input;
mod bad_servers;
mod both_eras;
mod bridges;
mod calls;
mod cold_starts;
mod cost;
mod doubled;
mod exact;
mod fair;
mod first_calls;
mod http;
mod http_app;
mod instances;
mod keys;
mod levels;
mod own_servers;
mod profiles;
mod questions;
mod recorded;
mod search;
mod stateless;
mod stateless_http;
mod support;
