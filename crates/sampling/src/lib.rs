//! Asking models for servers (`sampling/createMessage`).
//!
//! `create_message` is the path of one request with the person's two looks at it, [`SamplingService`] the providers
//! with their keys, the routing table and the policies of servers as they are kept, `provider_http` the one HTTP
//! client of all providers. What is asked and answered is kept in the log, as all that a server says and is told, and
//! nowhere else. What is decided without effects is in `mooring-models`.

pub mod create_message;
mod error;
mod provider_error;
mod provider_form;
mod provider_http;
mod reply_stream;
mod service;

pub use error::SamplingError;
pub use service::{ApprovalTerm, OnModelsChange, SamplingService};
