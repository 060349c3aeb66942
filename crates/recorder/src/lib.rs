//! The log of what passes between the host and its servers: every frame, line and verdict, without the secrets.
//!
//! A [`Journal`] belongs to one run of a host and makes a [`Recorder`] for each connection. What that is given goes to
//! the log's one writer, which has the secrets taken out (`redact`) before anything is written or shown, so that no
//! caller waits for it. [`KnownSecrets`] are what a server was given in confidence, `live` every value that is in use,
//! `short_secrets` what was entered into a form and is too short to be told from other text.

mod journal;
mod live;
mod redact;
mod scan;
mod short_secrets;

pub use journal::{FailureRecord, Journal, Recorder, StateRecord, VerdictRecord};
pub use live::{Mask, SecretLease};
pub use redact::{KnownSecrets, RedactError};
