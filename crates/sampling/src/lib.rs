//! Answers servers' sampling requests (`sampling/createMessage`) with a model.
//!
//! `create_message` takes one request through both reviews by the person. [`SamplingService`] has the
//! providers with their keys, the routing table and the policies of servers. `provider_http` is the HTTP
//! client of all providers. Requests and replies are logged like all messages of a server, and saved nowhere
//! else. Decisions without I/O are in `mooring-models`.

pub mod create_message;
mod error;
mod provider_error;
mod provider_form;
mod provider_http;
mod reply_stream;
mod service;

pub use error::SamplingError;
pub use service::{ApprovalTerm, OnModelsChange, SamplingService};
