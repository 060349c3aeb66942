//! The data that Rust and the window exchange: the host's views, which serialise themselves, and types that
//! only the window uses. `ts-rs` generates `ui/src/ipc/bindings` from them.

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
    /// The reasons why a command fails that only the window has.
    pub enum WindowCode {
        /// A call with this name is already running.
        CallRunning = "call_running",
        /// No sign-in is waiting for the browser.
        NotAwaited = "not_awaited",
        /// A call, its name or a file could not be saved.
        NotSaved = "not_saved",
        /// The data could not be opened, for a reason that the window has no text for.
        OpenFailed = "open_failed",
    }
}

/// Why a command failed, as a code that the window can match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(untagged)]
pub enum IpcCode {
    /// A code of the host.
    Host(ErrorCode),
    /// A code of the window.
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
    /// The reason as a code.
    pub code: IpcCode,
    /// The reason as a text for the person.
    pub message: Sentence,
    /// Additional data, depending on the code.
    #[ts(type = "unknown")]
    pub details: Option<serde_json::Value>,
}

impl IpcError {
    /// Creates an error with one of the window's codes.
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
