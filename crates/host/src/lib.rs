//! The headless engine behind every front end.
//!
//! [`Host`] is the whole public API: saved servers and their connections, tools and calls, the log, and the
//! settings. It is cheap to clone. It returns plain views and reports changes as [`HostEvent`]s.

mod call;
mod connection;
mod era_cache;
mod error;
mod event;
mod failure;
mod host;
mod launch;
mod options;
mod registry;
mod resources;
mod responder;
mod roots;
mod server;
mod trace;

pub use call::Permit;
pub use connection::{Connection, Target};
pub use error::{ErrorCode, HostError};
pub use event::HostEvent;
pub use failure::{Failure, FailureCode};
pub use host::{
    AppImport, CertificateView, DecisionEvents, Host, InstallOutcome, InstallStatus, InstanceLease, VaultView,
};
pub use options::{
    CommandCheck, ConnectOptions, HostInfo, HostOptions, LimitView, LogFacets, LoginPathView, chosen_home,
    home_from_environment, named_home,
};
pub use resources::expand_template;
pub use roots::{RootView, ServerRoots};
pub use server::{
    ConnectionView, InstanceView, LimitReached, NegotiationStep, Peer, ServerView, StartStep, StateName,
};
pub use trace::is_trace_allowed;

pub use mooring_accounts::{
    Account, AccountClient, AccountServer, AttemptStep, EnterpriseProvider, InvalidClient, SealedPlace,
    SecretView, SignInAttempt, SignInGrant, SignInOptions, SignInProblem, SignInProblemCode, SignInService,
    SignInStatus, SignOutResult, SystemBrowser, TokenBinding, system_browser,
};
pub use mooring_answers::{
    AnsweredQuestion, FormAnswers, OnUrl, PresetAnswers, SamplingAnswers, ScriptedAnswers, UrlElicitation,
};
pub use mooring_app_access::{
    AppActivityView, AppConnection, AppKeyState, AppPresence, AppServer, AppView, RunningAppCall,
    RunningCallView,
};
pub use mooring_approvals::{
    AppAccess, AppIdentity, AppOff, AppToolList, ListedIn, ListedItem, ListedOffers, NetworkDoubt,
    NetworkProblem, PinnedTool, RememberedServer, ReviewCounts, RuleView, ServerReview, SimulatedCall,
    Simulation,
};
pub use mooring_apps::{
    App, AppEnvironment, AppPlan, AppSnippetFormat, AppUndo, AppUndone, apps, display_name,
};
pub use mooring_base::app_call::AppCall;
pub use mooring_base::clock::{Clock, Moment, now_ms};
pub use mooring_base::codes;
pub use mooring_base::command_line::{ParsedCommand, relative_path_warnings};
pub use mooring_base::credentials::looks_secret;
pub use mooring_base::server_id::ServerId;
pub use mooring_calls::{
    CallError, CallErrorCode, CallEvent, CallOutcome, CallStatus, Completion, CompletionReference,
    CompletionRequest, Follower, OnCallEvent, PromptCall, PromptList, ResourceChanges, ResourceList,
    ResourceRead, SubscriptionView, TaskView, ToolAccess, ToolCall, ToolList, check_value,
};
pub use mooring_definitions::import::{ImportEntry, ImportReport, MAX_IMPORT_BYTES, Problem};
pub use mooring_definitions::{EraOverride, NewServer, SecretPlace, ServerSecret, Transport, write_config};
pub use mooring_forms::{
    Choice, Content, Field, FieldKind, Form, FormRequest, Mistake, Oddity, SchemaCheck, SchemaProblem,
    SchemaProblemCode, UncheckedReason, UncheckedRule, asks_for_secret,
};
pub use mooring_inbox::elicit::keep_out_secrets;
pub use mooring_inbox::{
    AddressView, AnswerError, AppRegistration, AppResponder, BudgetLeft, DecisionView, InboxView,
    InteractionAnswer, InteractionFolder, InteractionOccasion, InteractionOpening, InteractionQuestion,
    InteractionView, PutOff, Remember, RememberedBy, ResponseToServer, SamplingAnswer, SamplingMessage,
    SamplingReview, SamplingRoute, SamplingUsage, SilencedServer, inspect_url,
};
pub use mooring_instances::{InstanceId, InstanceKey, InstanceRule, Separation, SingleUserKind};
pub use mooring_log::CallTimes;
pub use mooring_mcp::{
    CallerAdditions, ClientCapabilities, Diagnostic, DiagnosticCode, Era, EraChoice, Prompt, PromptArgument,
    QuestionKind, RawJson, Refusal, Resource, ResourceTemplate, Skill, SkillFiles, Tool, UriTemplate,
    decode_header, is_resource_within, param_headers, parse_lenient, read_value,
};
pub use mooring_models::{
    ApprovalView, Budget, Dollars, Model, ModelsView, NewProvider, Provider, ProviderCheck, ProviderKind,
    ReviewStep, RouteRule, SamplingPolicy, SamplingPolicyView,
};
pub use mooring_network::ProxyChoice;
pub use mooring_oauth::{
    AuthorizationUrl, Browser, BrowserFuture, Client, ClientAuthentication, Error as SignInError,
    Language as PageLanguage, Purpose as SignInPurpose, Step as SignInStep, StepObserver, split_scopes,
};
pub use mooring_policy::{
    AppCaller, AppLevel, ArgumentCondition, ArgumentTest, Caller, CommandNote, CommandNoteCode, Decision,
    DiffOp, DiffPiece, HiddenCharacter, NewRule, PinApproval, PinChange, PinKind, PinState, PinView, Rule,
    ToolClaims, ToolRules, ToolScope, ToolScopes, TrustView, Verdict, deceptive_characters, review_command,
};
#[cfg(unix)]
pub use mooring_process::origin_at_socket;
pub use mooring_process::{
    InstallOffer, PeerOrigin, PeerProgram, PeerSession, keep_memory_private, origin_at_port, peer_program,
    peer_session, prepare_home, start_in_background, use_guardian,
};
pub use mooring_recorder::{
    AppMessage, AppMessageKind, AppRecorder, LoggedCallContent, LoggedCallPage, LoggedCallStatus,
    logged_call, logged_calls,
};
pub use mooring_revisions::OfferKind;
pub use mooring_roots::{AppRoots, Root, RootBreadth, RootError};
pub use mooring_settings::{Density, DoNotDisturb, InvalidSetting, Language, Settings, Theme, WhenClosed};
pub use mooring_store::{
    Backup, DecisionQuery, Direction, InteractionKind, InteractionOutcome, Item, ItemKind, LogEntry, LogKind,
    LogQuery, LogRow, LogStatus, LoginRow, LoginState, NewSavedCall, RegistrationOrigin, SavedCall,
    SavedCalls, StoreError, WriterHealth,
};
pub use mooring_vault::{
    KeyPlacement as VaultChoice, VaultError, VaultMode, VaultOptions, VaultState, random_id,
};
pub use mooring_words::{Param, Sentence, StoredParam, StoredSentence, say};
