//! Asking models for servers (`sampling/createMessage`).
//!
//! `desk` is the path of one request with the person's two looks at it, [`Models`] the providers with their keys, the routing
//! table and the policies of servers as they are kept, `exchange` the one HTTP client of all providers. What is asked and
//! answered is kept in the log, as all that a server says and is told, and nowhere else. What is decided without effects is
//! in `mooring-models`.

pub mod desk;
mod entry;
mod error;
mod exchange;
mod fault;
mod models;
mod pieces;

pub use error::ModelsError;
pub use models::{HowLong, Models, OnModelsChange};
