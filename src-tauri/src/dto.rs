//! The shapes that cross between Rust and the window.
//!
//! They mirror the host's types without being them, so that neither side's change is forced on
//! the other. Rust is the source: `ts-rs` turns them into `ui/src/ipc/bindings`.

mod account;
mod app;
mod inbox;
mod log;
mod model;
mod offer;
mod policy;
mod root;
mod server;
mod tool;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use account::{
    AccountClient, AccountServer, AccountView, ClientOrigin, SecretPlace, SecretView, ServerSecret,
    SignInInput, SignInProblem, SignInPurpose, SignInStatus, SignInStepView, SignInView, SignInWay,
    SignOutView, VaultChoice, VaultMode, VaultState, VaultView,
};
pub use app::{AppInfo, HostEvent, Language, Limit, LoginPath, PaintPhase, Settings, Theme};
pub use inbox::{
    AddressView, BudgetLeft, DecisionKind, DecisionOutcome, DecisionView, FormChoice, FormField, FormInput,
    FormMistake, FormOddity, InboxView, InteractionAnswer, InteractionFolder, InteractionOccasion,
    InteractionOpening, InteractionQuestion, InteractionView, Remember, RememberedBy, SamplingAnswer,
    SamplingMessage, SamplingReview, SamplingRoute, SamplingUsage, SilencedServer, ToolHints,
};
pub use log::{Direction, LogBatch, LogEntry, LogFacets, LogFilter, LogKind, LogPage, LogRow, LogStatus};
pub use model::{
    ModelInput, ModelsView, ProviderCheck, ProviderInput, ProviderKind, ProviderView, RouteRule,
    SamplingLook, SamplingPolicy, SamplingPolicyView, StandingAnswer,
};
pub use offer::{
    Completion, CompletionReference, PromptArgument, PromptList, PromptView, ResourceList, ResourceView,
    SkillView, SubscriptionView, TaskView, TemplateView,
};
pub use policy::{
    ArgumentCondition, ArgumentTest, DiffOp, DiffPiece, HiddenCharacter, PinApproval, PinChange, PinKind,
    PinState, PinView, RuleEffect, RuleInput, RuleView, SimulatedCall, Simulation, TrustView,
};
pub use root::{RootView, ServerRoots};
pub use server::{
    CommandCheck, EraOverride, Failure, ImportEntry, ImportError, ImportPreview, LimitReached,
    NegotiationStep, ServerInput, ServerState, ServerView, Transport,
};
pub use tool::{CallError, CallEvent, CallOutcome, CallStatus, ToolList, ToolView};

/// Something Mooring says, to be worded in the window's language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Sentence {
    /// The English pattern with `{places}`, which every language knows the sentence by.
    pub code: String,
    /// What fills the places.
    pub params: BTreeMap<String, SentenceParam>,
    /// The English text.
    pub text: String,
}

/// What fills a place of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum SentenceParam {
    /// A name, a number, a quotation.
    Text(String),
    /// Another sentence.
    Sentence(Sentence),
}

/// Something odd in what a server sent, which was tolerated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Diagnostic {
    /// A stable word for the oddity.
    pub code: String,
    /// Where in the message, as a JSON pointer.
    pub path: String,
    /// What is odd.
    pub message: Sentence,
}

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct IpcError {
    /// A stable word that the window acts on.
    pub code: String,
    /// What happened, for a person.
    pub message: Sentence,
    /// More, by code.
    pub details: Option<serde_json::Value>,
}
