//! The data that Rust and the window exchange: the host's views, which serialise themselves, and types that
//! only the window uses. `ts-rs` generates `ui/src/ipc/bindings` from them.

mod account;
mod app;
mod apps;
mod bundle;
mod log;
mod model;
mod server;
mod vault;

use std::fmt;

use mooring_errors::{ErrorCode, HostError};
use mooring_words::Sentence;
use serde::Serialize;
use ts_rs::TS;

pub use crate::closing::{BackgroundView, CloseAnswer};
pub use crate::opened::Opened;
pub use account::{SignInInput, SignInWay};
pub use app::{AppInfo, PaintPhase};
pub use apps::{AppCost, AppTokenView, ServerCost, ToolCost};
pub use bundle::{BundleAdded, BundleProgress};
pub use log::{LogBatch, LogPage};
pub use model::{
    ModelInput, ModelsView, ProviderCheck, ProviderInput, ProviderView, SamplingPolicy, SamplingPolicyView,
};
pub use mooring_accounts::{Account, SealedPlace, SecretView, SignInAttempt, SignOutResult};
pub use mooring_app_access::{AppActivityView, AppView};
pub use mooring_approvals::{AppOff, AppToolList, NetworkProblem, PinnedTool, RuleView, Simulation};
pub use mooring_apps::{App, AppPlan, AppSnippetFormat, AppUndo, AppUndone};
pub use mooring_bundle_setup::{BundleChoice, BundleReview, ServerBundleView};
pub use mooring_calls::{
    CallEvent, CallOutcome, Completion, CompletionReference, PromptList, ResourceList, SubscriptionView,
    TaskView, ToolAccess, ToolList,
};
pub use mooring_definitions::import::ImportValue;
pub use mooring_definitions::{NewServer, StartRule};
pub use mooring_doctor::Check;
pub use mooring_folders::{RootView, ServerRoots};
pub use mooring_forms::{Mistake, SchemaCheck};
pub use mooring_host::{
    CatalogEntryView, CatalogFoundView, CatalogServerView, CatalogSource, CatalogUpdateReview,
    CertificateView, CommandCheck, DecisionEvents, InstallOutcome, LogFacets, ProfileImportChoice,
    ProfileReview, ProfileView, RemovedProfile,
};
pub use mooring_inbox::{AddressView, DecisionView, InboxView, InteractionAnswer, InteractionOpening};
pub use mooring_instances::InstanceRule;
pub use mooring_load::{LoadPoint, ServerLoad};
pub use mooring_log::{Item, LogEntry, LogQuery};
pub use mooring_models::RouteRule;
pub use mooring_policy::{AppLevel, CommandNote, NewRule, PinApproval, TrustView};
pub use mooring_process::InstallOffer;
pub use mooring_profiles::NewProfile;
pub use mooring_recorder::{LoggedCallContent, LoggedCallPage};
pub use mooring_registry::{CatalogState, CatalogVersion, SyncProgress};
pub use mooring_server_state::HostEvent;
pub use mooring_settings::Settings;
pub use mooring_store::{DecisionQuery, NewSavedCall, SavedCall, SavedCalls};
pub use server::{
    AppImportPreview, ImportEntry, ImportPlace, ImportPreview, PeerView, ServerTrial, ServerView,
};
pub use vault::{VaultChoice, VaultMode, VaultState, VaultView};

mooring_base::codes! {
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
