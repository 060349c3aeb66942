//! The headless engine behind every front end.
//!
//! [`Host`] is the whole public API: saved servers and their connections, tools and calls, the log, the
//! settings. It is cheap to clone. What it shows are plain views; what changes is told by [`HostEvent`].

mod answers;
mod call;
mod connection;
mod eras;
mod error;
mod event;
mod failure;
mod folder;
mod host;
mod launch;
mod options;
mod prompts;
mod resources;
mod responder;
mod roots;
mod server;
mod servers;
mod settings;
mod tasks;
mod tools;
mod trace;

pub use answers::{Answered, Answers, FormAnswers, GivenAnswers, OnUrl, SamplingAnswers, UrlQuestion};
pub use call::Permit;
pub use connection::{Connection, Target};
pub use error::{ErrorCode, HostError};
pub use event::HostEvent;
pub use failure::{Failure, FailureCode};
pub use folder::{Breadth, Root, RootError};
pub use host::{Host, VaultView};
pub use options::{
    CommandCheck, ConnectOptions, HostInfo, HostOptions, LimitView, LogFacets, LoginPathView,
    home_from_environment,
};
pub use prompts::{Completion, CompletionReference, PromptCall, PromptList};
pub use resources::{ResourceList, ResourceRead, SubscriptionView, expand_template};
pub use roots::{RootView, ServerRoots};
pub use server::{ConnectionView, LimitReached, NegotiationStep, Peer, ServerView, StateName};
pub use settings::{Language, Settings, Theme};
pub use tasks::TaskView;
pub use tools::{
    CallError, CallErrorCode, CallEvent, CallOutcome, CallStatus, OnCallEvent, ToolCall, ToolList,
};
pub use trace::may_be_traced;

pub use mooring_accounts::{
    Account, AccountClient, AccountServer, AttemptStep, Enterprise, InvalidClient, SecretView, SignIn,
    SignInAttempt, SignInProblem, SignInProblemCode, SignInStatus, SignInWay, SignIns, SignedOut,
    SystemBrowser, Tie, system_browser,
};
pub use mooring_approvals::{RuleView, SimulatedCall, Simulation};
pub use mooring_base::codes;
pub use mooring_base::command_line::{CommandText, leads_elsewhere};
pub use mooring_base::credentials::looks_secret;
pub use mooring_base::server_id::ServerId;
pub use mooring_definitions::import::{ImportEntry, ImportReport, Problem};
pub use mooring_definitions::{EraOverride, NewServer, SecretPlace, ServerSecret, Transport};
pub use mooring_forms::{
    Choice, Content, Field, FieldKind, Form, FormRequest, Format, Mistake, Oddity, Pattern, asks_for_secret,
};
pub use mooring_inbox::{
    AddressView, AnswerError, BudgetLeft, DecisionView, InboxView, InteractionAnswer, InteractionFolder,
    InteractionOccasion, InteractionOpening, InteractionQuestion, InteractionView, Remember, RememberedBy,
    SamplingAnswer, SamplingMessage, SamplingReview, SamplingRoute, SamplingUsage, SilencedServer,
};
pub use mooring_mcp::{
    Diagnostic, DiagnosticCode, Era, EraChoice, Prompt, PromptArgument, RawJson, Resource, ResourceTemplate,
    Skill, SkillFiles, Tool, read_value,
};
pub use mooring_models::{
    Budget, Dollars, Model, ModelsView, NewProvider, Provider, ProviderCheck, ProviderKind, RouteRule,
    SamplingLook, SamplingPolicy, SamplingPolicyView, StandingAnswer,
};
pub use mooring_oauth::{
    AuthorizationUrl, Browser, BrowserFuture, Client, ClientAuthentication, Error as SignInError,
    Language as PageLanguage, Purpose as SignInPurpose, Step as SignInStep, Trail, split_scopes,
};
pub use mooring_policy::{
    ArgumentCondition, ArgumentTest, Caller, Decision, DiffOp, DiffPiece, HiddenCharacter, NewRule,
    PinApproval, PinChange, PinKind, PinState, PinView, Rule, ToolClaims, TrustView, Verdict, deceptive,
    review_command,
};
pub use mooring_process::{keep_memory_private, use_guardian};
pub use mooring_store::{
    Backup, Direction, InteractionKind, InteractionOutcome, LogEntry, LogKind, LogQuery, LogRow, LogStatus,
    LoginRow, LoginState, RegistrationOrigin, StoreError, WriterHealth,
};
pub use mooring_vault::{
    Choice as VaultChoice, Mode as VaultMode, Options as VaultOptions, VaultError, VaultState,
};
pub use mooring_words::{KeptParam, KeptSentence, Param, Sentence, say};
