//! The shapes that cross between Rust and the window: the host's views, which serialise themselves, and what
//! only the window has. `ts-rs` turns them into `ui/src/ipc/bindings`.

mod account;
mod app;
mod apps;
mod log;
mod model;
mod server;
mod vault;

use std::fmt;

use serde::Serialize;
use ts_rs::TS;

pub use crate::closing::{BackgroundView, CloseAnswer};
pub use crate::opened::Opened;
pub use account::{SignInInput, SignInWay};
pub use app::{AppInfo, PaintPhase};
pub use apps::{AppCost, AppTokenView, ServerCost, ToolCost};
pub use log::{LogBatch, LogPage};
pub use model::{
    ModelInput, ModelsView, ProviderCheck, ProviderInput, ProviderView, SamplingPolicy, SamplingPolicyView,
};
pub use mooring_host::*;
pub use server::{AppImportPreview, ImportEntry, ImportPreview, PeerView, ServerTrial, ServerView};
pub use vault::{VaultChoice, VaultMode, VaultState, VaultView};

mooring_host::codes! {
    /// The kinds of reasons why a command failed that only the window has.
    pub enum WindowCode {
        /// A call of this name is running.
        CallRunning = "call_running",
        /// No sign-in waits for the browser.
        NotAwaited = "not_awaited",
        /// A call, its name or a file could not be saved.
        NotSaved = "not_saved",
        /// The data could not be opened, for a reason that has no words of its own in the window.
        OpenFailed = "open_failed",
    }
}

/// What the window tells apart of reasons why a command failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(untagged)]
pub enum IpcCode {
    /// A reason of the host's.
    Host(ErrorCode),
    /// One of the window's own.
    Window(WindowCode),
}

impl IpcCode {
    /// The stable name of the code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Host(code) => code.as_str(),
            Self::Window(code) => code.as_str(),
        }
    }
}

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct IpcError {
    /// What kind of reason it is.
    pub code: IpcCode,
    /// What happened, for a person.
    pub message: Sentence,
    /// More, by code.
    #[ts(type = "unknown")]
    pub details: Option<serde_json::Value>,
}

impl IpcError {
    /// An error of the window's own.
    pub(crate) fn new(code: WindowCode, message: Sentence) -> Self {
        Self { code: IpcCode::Window(code), message, details: None }
    }
}

impl From<HostError> for IpcError {
    fn from(error: HostError) -> Self {
        Self { code: IpcCode::Host(error.code()), message: error.sentence(), details: error.details() }
    }
}

/// Debug output that shows whether a value is set, but not the value.
struct RedactedDebug<'a>(&'a Option<String>);

impl fmt::Debug for RedactedDebug<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "[hidden]" } else { "None" })
    }
}
