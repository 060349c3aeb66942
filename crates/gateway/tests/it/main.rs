//! Apps at the gateway of a host with real servers.

mod bridges;
mod calls;
mod exact;
mod http;
mod questions;
mod support;
