//! Signing in to servers: discovery → client identity → browser → exchange → refresh → revocation.
//!
//! Knows neither a database nor a keychain nor the engine of the protocol: what is kept is handed out and taken in, and
//! a challenge comes as what it said. Every request goes through [`Http`], and every step is told to a [`Trail`].

mod client;
mod error;
mod http;
mod reach;
mod server;
mod trail;

pub use client::{Client, ClientAuthentication};
pub use error::Error;
pub use http::{Http, Purpose, Request, Response};
pub use reach::Reach;
pub use server::AuthorizationServer;
pub use trail::{Asked, Step, Trail};
