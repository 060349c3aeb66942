//! The network settings for requests: the proxy, and certificates that are trusted in addition to the
//! system's.
//!
//! [`Network`] has the user's settings and is shared by everything that sends requests. A [`NetworkClient`]
//! is one kind of HTTP client. It is rebuilt when the settings change, so that the next request uses them.
//! Requests to this machine never use a proxy.

mod certificate;
mod changes;
mod client;
mod proxy;

pub use certificate::{Certificate, certificate_problem, issuer_name, read_certificates};
pub use changes::watch_network;
pub use client::{Network, NetworkClient};
pub use proxy::{Proxy, ProxyChoice};
