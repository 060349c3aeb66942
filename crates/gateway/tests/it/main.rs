//! Apps at the gateway of a host with real servers.

mod bridges;
mod calls;
mod exact;
mod questions;
mod support;
