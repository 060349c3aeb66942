//! The shapes that cross between Rust and the window: the host's views, which serialise themselves, and what
//! only the window has. `ts-rs` turns them into `ui/src/ipc/bindings`.

mod account;
mod app;
mod log;
mod model;
mod server;

use serde::Serialize;
use ts_rs::TS;

pub use account::{
    AccountClient, AccountServer, AccountView, ClientOrigin, SecretView, SignInInput, SignInProblem,
    SignInPurpose, SignInStatus, SignInStepView, SignInView, SignInWay, SignOutView, VaultChoice, VaultMode,
    VaultState, VaultView,
};
pub use app::{AppInfo, PaintPhase};
pub use log::{LogBatch, LogPage};
pub use model::{
    ModelInput, ModelsView, ProviderCheck, ProviderInput, ProviderKind, ProviderView, RouteRule,
    SamplingLook, SamplingPolicy, SamplingPolicyView, StandingAnswer,
};
pub use mooring_host::*;
pub use server::{ImportEntry, ImportPreview, PeerView, ServerView};

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct IpcError {
    /// A stable word that the window acts on.
    pub code: String,
    /// What happened, for a person.
    pub message: Sentence,
    /// More, by code.
    #[ts(type = "unknown")]
    pub details: Option<serde_json::Value>,
}
