//! How requests leave this machine: through which proxy, and which certificates are trusted besides the
//! system's.
//!
//! [`Network`] holds what the user set and is shared by everything that sends requests. A [`NetworkClient`]
//! is one kind of HTTP client, built again when the settings change, so that the next request follows them.
//! This machine is never asked through a proxy.

mod certificate;
mod changes;
mod client;
mod proxy;

pub use certificate::{Certificate, certificate_problem, issuer_name, read_certificates};
pub use changes::watch_network;
pub use client::{Network, NetworkClient};
pub use proxy::{Proxy, ProxyChoice};
