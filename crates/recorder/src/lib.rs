//! The log of everything between the host and its servers: every frame, line and verdict, without secrets.
//!
//! A [`Journal`] belongs to one run of a host and creates a [`Recorder`] for each connection. Records go to
//! the single writer of the log, which redacts secrets (`redact`) before anything is written or shown. No
//! caller waits for that. [`KnownSecrets`] are the secrets that a server was given. `live` has every secret
//! in use. `short_secrets` has values entered into forms that are too short to be distinguished from other
//! text. `call_end` reads from a response whether its call is over. `history` reads recorded calls. An
//! [`AppRecorder`] writes the messages between an app and the gateway.

mod app_recorder;
mod call_end;
mod download;
mod history;
mod journal;
mod live;
mod redact;
mod scan;
mod short_secrets;
mod sign_in;

pub use app_recorder::{AppMessage, AppMessageKind, AppRecorder, RedactedMessage};
pub use history::{
    CallArguments, LoggedCall, LoggedCallContent, LoggedCallPage, LoggedCallStatus, LoggedError, logged_call,
    logged_calls,
};
pub use journal::{EndedRequest, FailureRecord, Journal, Recorder, StateRecord, VerdictRecord};
pub use live::{Mask, SecretLease};
pub use redact::{KnownSecrets, RedactError};
