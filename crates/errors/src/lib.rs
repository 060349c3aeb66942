//! What can go wrong in the engine: [`HostError`] is why something that a person or a program asked for failed, and
//! [`Failure`] why a connection did. Each has a stable code, a sentence and, where there is one, a next step.

pub mod failure;
mod host;

pub use failure::{Failure, FailureCode};
pub use host::{ErrorCode, HostError};
