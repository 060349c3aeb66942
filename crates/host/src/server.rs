//! A server as the screens show it.

use std::path::PathBuf;
use std::time::Duration;

use mooring_approvals::ReviewCounts;
use mooring_base::server_id::ServerId;
use mooring_base::{codes, view_serde};
use mooring_definitions::NewServer;
use mooring_instances::{InstanceRule, SingleUserKind};
use mooring_log::CallTimes;
use mooring_mcp::Diagnostic;
use mooring_words::Sentence;
use serde::Serialize;
use serde_json::value::RawValue;
use ts_rs::TS;

use crate::failure::Failure;

codes! {
    /// The states of a connection, with the words shown everywhere.
    #[ts(rename = "ServerState")]
    pub enum StateName {
        /// Stopped by the person; nothing restarts it.
        Stopped = "stopped",
        /// The process or the handshake is under way.
        Starting = "starting",
        /// Connected.
        Ready = "ready",
        /// Connected, but something the server offers could not be read.
        Degraded = "degraded",
        /// The server wants a login.
        SignInNeeded = "sign_in_needed",
        /// A question to the person is open.
        WaitingForYou = "waiting_for_you",
        /// It is away, and about to be tried again.
        Reconnecting = "reconnecting",
        /// The definition changed since it was approved.
        Changed = "changed",
        /// Its secrets or its login need the vault, which isn't open. It starts by itself once the vault is.
        Locked = "locked",
        /// Given up; the reason is in [`ConnectionView::failure`].
        Failed = "failed",
    }
}

codes! {
    /// What a server does on its way to a connection, where that is more than starting.
    pub enum StartStep {
        /// It was stopped to be started again.
        Restarting = "restarting",
        /// The program that starts it fetches its package.
        Downloading = "downloading",
    }
}

/// What the handshake told about the other side.
#[derive(Debug, Clone)]
pub struct Peer {
    /// The name the server gives itself.
    pub name: Option<String>,
    /// The title it wants shown.
    pub title: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its instructions for a model.
    pub instructions: Option<String>,
    /// The negotiated protocol revision, such as `2025-11-25`.
    pub revision: String,
    /// The negotiated era, such as `session`.
    pub era: String,
    /// One sentence on why that revision and era were chosen.
    pub reason: Sentence,
    /// How that was found out, step by step.
    pub steps: Vec<NegotiationStep>,
    /// The server's capabilities, as sent.
    pub capabilities: Box<RawValue>,
    /// Oddities in the handshake.
    pub diagnostics: Vec<Diagnostic>,
}

/// One step of a negotiation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NegotiationStep {
    /// What was asked, such as `server/discover`.
    pub request: String,
    /// What came of it, in words.
    pub outcome: Sentence,
    /// How long that took.
    #[serde(rename = "elapsedMs", serialize_with = "view_serde::some_millis")]
    #[ts(type = "number | null")]
    pub elapsed: Option<Duration>,
}

/// A limit that a connection has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LimitReached {
    /// A stable word for the bound.
    pub name: &'static str,
    /// Its value.
    pub limit: u64,
    /// `bytes`, `count` or `seconds`.
    pub unit: &'static str,
    /// How often it was reached.
    pub times: u64,
    /// When it was reached last, in milliseconds since the Unix epoch.
    #[serde(rename = "lastAt")]
    pub last_ms: i64,
}

/// A connection at one moment.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionView {
    /// The state.
    pub state: StateName,
    /// What it does, while it starts.
    pub start_step: Option<StartStep>,
    /// When the state was entered, in milliseconds since the Unix epoch.
    #[serde(rename = "since")]
    pub since_ms: i64,
    /// Why it failed, or why it is being tried again.
    pub failure: Option<Failure>,
    /// Which repeated attempt to connect is under way or due; 0 when none is.
    pub attempt: u32,
    /// The other side, while connected.
    #[serde(skip)]
    pub peer: Option<Peer>,
    /// A hash of the icons that the server gave itself when it was connected last; `server_icons` has them.
    pub icons: Option<String>,
    /// How many tools it offers, once they were listed.
    pub tool_count: Option<usize>,
    /// How many resources and resource templates it offers, once they were listed.
    pub resource_count: Option<usize>,
    /// How many prompts it offers, once they were listed.
    pub prompt_count: Option<usize>,
    /// The limits that were reached since it was made.
    pub limits: Vec<LimitReached>,
    /// From the start to the end of the handshake.
    #[serde(rename = "connectMs", serialize_with = "view_serde::some_millis")]
    #[ts(type = "number | null")]
    pub connect_time: Option<Duration>,
    /// How long the newest calls took, also those of earlier runs; none: there were too few.
    pub call_times: Option<CallTimes>,
    /// How many calls have ended in this run.
    pub calls: u64,
    /// The process id, for a running stdio server.
    pub pid: Option<u32>,
    /// The absolute path of the program that was started.
    #[serde(rename = "programPath", serialize_with = "view_serde::some_path")]
    pub program: Option<PathBuf>,
    /// The last lines of standard error, oldest first.
    pub stderr_tail: Vec<String>,
}

/// A saved server with its connection.
#[derive(Debug, Clone, Serialize, TS)]
pub struct ServerView {
    /// Its number.
    pub id: ServerId,
    /// Its settings.
    #[serde(flatten)]
    pub config: NewServer,
    /// Whether it starts with the window; `false` when the person stopped it.
    #[serde(skip)]
    pub enabled: bool,
    /// Its connection.
    #[serde(flatten)]
    pub connection: ConnectionView,
    /// Something of it is not what was approved, or seen first: that is blocked until the person has looked at it.
    pub changed: bool,
    /// How much of what it offers is approved.
    pub review: ReviewCounts,
    /// The server names icons by URL that are at its own origin.
    #[serde(rename = "namesIcons")]
    pub names_icons: bool,
    /// The person allows them to be loaded.
    #[serde(rename = "loadsIcons")]
    pub loads_icons: bool,
    /// For whom it gets an instance.
    #[serde(rename = "instanceRule")]
    pub instance_rule: InstanceRule,
    /// It has asked for folders, now or earlier.
    #[serde(rename = "asksForRoots")]
    pub asks_for_roots: bool,
    /// It has ever asked something during a call of an app, without saying of which call.
    #[serde(rename = "asksApps")]
    pub asks_apps: bool,
    /// Its instances beside the one that all share.
    pub instances: Vec<InstanceView>,
    /// What it keeps for one user, so that each app better has an instance.
    #[serde(rename = "singleUser")]
    pub single_user: Option<SingleUserKind>,
}

/// An instance of a server beside the one that all share.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InstanceView {
    /// Its number, given once in a run.
    pub number: u64,
    /// The app that it is for; none: any with these folders.
    pub app: Option<String>,
    /// The URIs of the folders that it is told of; none: those that the person granted.
    pub roots: Option<Vec<String>>,
    /// It is spoken to in a session, for apps of the session era, beside a shared one of 2026-07-28.
    pub in_session: bool,
    /// How its connection stands.
    pub state: StateName,
    /// Why that failed, or why it is being tried again.
    pub failure: Option<Failure>,
    /// When the state was entered, in milliseconds since the Unix epoch.
    #[serde(rename = "since")]
    pub since_ms: i64,
    /// When it was used last, in milliseconds since the Unix epoch.
    #[serde(rename = "usedAt")]
    pub used_ms: i64,
    /// An app's connection holds it, or a call runs there.
    #[serde(rename = "inUse")]
    pub is_held: bool,
    /// How many calls have ended there.
    pub calls: u64,
    /// The process id, for a running stdio server.
    pub pid: Option<u32>,
}

impl ConnectionView {
    /// The view of a server that nobody has started here.
    pub(crate) fn stopped_since(since_ms: i64) -> Self {
        Self {
            state: StateName::Stopped,
            start_step: None,
            since_ms,
            failure: None,
            attempt: 0,
            peer: None,
            icons: None,
            tool_count: None,
            resource_count: None,
            prompt_count: None,
            limits: Vec::new(),
            connect_time: None,
            call_times: None,
            calls: 0,
            pid: None,
            program: None,
            stderr_tail: Vec::new(),
        }
    }
}
