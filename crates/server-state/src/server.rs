//! Views of a server for front ends.

use std::path::PathBuf;
use std::time::Duration;

use mooring_approvals::ReviewCounts;
use mooring_base::server_id::ServerId;
use mooring_base::{codes, view_serde};
use mooring_definitions::NewServer;
use mooring_errors::Failure;
use mooring_instances::{InstanceRule, SingleUserKind};
use mooring_log::CallTimes;
use mooring_mcp::Diagnostic;
use mooring_words::Sentence;
use serde::Serialize;
use serde_json::value::RawValue;
use ts_rs::TS;

codes! {
    /// The states of a connection, with the words that front ends show.
    #[ts(rename = "ServerState")]
    pub enum StateName {
        /// The person stopped the server, and nothing restarts it.
        Stopped = "stopped",
        /// The process or the handshake is starting.
        Starting = "starting",
        /// Connected.
        Ready = "ready",
        /// Connected, but part of what the server offers could not be read.
        Degraded = "degraded",
        /// The server requires the person to sign in.
        SignInNeeded = "sign_in_needed",
        /// The server waits for the person's answer to a question.
        WaitingForYou = "waiting_for_you",
        /// Disconnected, and waiting for the next attempt.
        Reconnecting = "reconnecting",
        /// Not running until something is asked of it, because the person chose so.
        Asleep = "asleep",
        /// The definition changed since it was approved.
        Changed = "changed",
        /// Its secrets or its account need the vault, which is locked. The server starts automatically once
        /// the vault is open.
        Locked = "locked",
        /// No further attempts are made. The reason is in [`ConnectionView::failure`].
        Failed = "failed",
    }
}

codes! {
    /// What a server is doing while it starts, if that is known in detail.
    pub enum StartStep {
        /// It was stopped for a restart.
        Restarting = "restarting",
        /// The program that starts it downloads its package.
        Downloading = "downloading",
    }
}

/// What the server sent in the handshake.
#[derive(Debug, Clone)]
pub struct Peer {
    /// The server's name for itself.
    pub name: Option<String>,
    /// The title for display.
    pub title: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its instructions for a model.
    pub instructions: Option<String>,
    /// The negotiated protocol revision, such as `2025-11-25`.
    pub revision: String,
    /// The negotiated era, such as `session`.
    pub era: String,
    /// One sentence about why that revision and era were chosen.
    pub reason: Sentence,
    /// The steps of the negotiation.
    pub steps: Vec<NegotiationStep>,
    /// The server's capabilities, as sent.
    pub capabilities: Box<RawValue>,
    /// Problems found in the handshake.
    pub diagnostics: Vec<Diagnostic>,
}

/// One step of a negotiation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NegotiationStep {
    /// The request, such as `server/discover`.
    pub request: String,
    /// The result, in words.
    pub outcome: Sentence,
    /// How long the step took.
    #[serde(rename = "elapsedMs", serialize_with = "view_serde::some_millis")]
    #[ts(type = "number | null")]
    pub elapsed: Option<Duration>,
}

/// A limit that a connection has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LimitReached {
    /// A stable identifier of the limit.
    pub name: &'static str,
    /// Its value.
    pub limit: u64,
    /// The unit: `bytes`, `count` or `seconds`.
    pub unit: &'static str,
    /// How often the limit was reached.
    pub times: u64,
    /// When the limit was last reached, in milliseconds since the Unix epoch.
    #[serde(rename = "lastAt")]
    pub last_ms: i64,
}

/// A snapshot of a connection.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionView {
    /// The state.
    pub state: StateName,
    /// What the server is doing while it starts.
    pub start_step: Option<StartStep>,
    /// When the state was entered, in milliseconds since the Unix epoch.
    #[serde(rename = "since")]
    pub since_ms: i64,
    /// Why the connection failed, or why it is being retried.
    pub failure: Option<Failure>,
    /// The number of the running or scheduled reconnection attempt. 0 if there is none.
    pub attempt: u32,
    /// The server's handshake, while connected.
    #[serde(skip)]
    pub peer: Option<Peer>,
    /// A hash of the inline icons that the server sent on its last connection. Read them with `server_icons`.
    pub icons: Option<String>,
    /// How many tools the server offers, once listed.
    pub tool_count: Option<usize>,
    /// How many resources and resource templates the server offers, once listed.
    pub resource_count: Option<usize>,
    /// How many prompts the server offers, once listed.
    pub prompt_count: Option<usize>,
    /// The limits reached on this connection.
    pub limits: Vec<LimitReached>,
    /// The time from the start to the end of the handshake.
    #[serde(rename = "connectMs", serialize_with = "view_serde::some_millis")]
    #[ts(type = "number | null")]
    pub connect_time: Option<Duration>,
    /// How long recent calls took, including earlier runs. `None` if there were too few.
    pub call_times: Option<CallTimes>,
    /// How many calls have finished in this run.
    pub calls: u64,
    /// The process id, for a running stdio server.
    pub pid: Option<u32>,
    /// The absolute path of the program that was started.
    #[serde(rename = "programPath", serialize_with = "view_serde::some_path")]
    pub program: Option<PathBuf>,
    /// The last lines of standard error, oldest first.
    pub stderr_tail: Vec<String>,
}

/// A saved server and its connection.
#[derive(Debug, Clone, Serialize, TS)]
pub struct ServerView {
    /// Its id.
    pub id: ServerId,
    /// Its settings.
    #[serde(flatten)]
    pub config: NewServer,
    /// Whether the server starts with the window. `false` if the person stopped it.
    #[serde(skip)]
    pub enabled: bool,
    /// Its connection.
    #[serde(flatten)]
    pub connection: ConnectionView,
    /// Whether part of it differs from what was approved or first seen. That part is blocked until the person
    /// reviews it.
    pub changed: bool,
    /// How many of its items are approved.
    pub review: ReviewCounts,
    /// Whether the server has icon URLs at its own origin.
    #[serde(rename = "namesIcons")]
    pub names_icons: bool,
    /// Whether the person allows loading those icons.
    #[serde(rename = "loadsIcons")]
    pub loads_icons: bool,
    /// Which clients get their own instance.
    #[serde(rename = "instanceRule")]
    pub instance_rule: InstanceRule,
    /// Whether the server has ever asked for folders.
    #[serde(rename = "asksForRoots")]
    pub asks_for_roots: bool,
    /// Whether the server has ever asked a question during an app's call without saying which call it was
    /// for.
    #[serde(rename = "asksApps")]
    pub asks_apps: bool,
    /// Its instances, except the shared one.
    pub instances: Vec<InstanceView>,
    /// What the server stores for only one user. If it does, each app should have its own instance.
    #[serde(rename = "singleUser")]
    pub single_user: Option<SingleUserKind>,
}

/// An instance of a server that not all apps share.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InstanceView {
    /// Its number, unique within a run.
    pub number: u64,
    /// The app that uses the instance. `None` for any app with these folders.
    pub app: Option<String>,
    /// The URIs of the folders that it sees. `None` for the folders that the person granted.
    pub roots: Option<Vec<String>>,
    /// Whether it runs in a session for apps of the session era, while the shared instance uses 2026-07-28.
    pub in_session: bool,
    /// The state of its connection.
    pub state: StateName,
    /// Why the connection failed, or why it is being retried.
    pub failure: Option<Failure>,
    /// When the state was entered, in milliseconds since the Unix epoch.
    #[serde(rename = "since")]
    pub since_ms: i64,
    /// When it was last used, in milliseconds since the Unix epoch.
    #[serde(rename = "usedAt")]
    pub used_ms: i64,
    /// Whether an app's connection has reserved it, or a call is running.
    #[serde(rename = "inUse")]
    pub is_held: bool,
    /// How many calls have finished on it.
    pub calls: u64,
    /// The process id, for a running stdio server.
    pub pid: Option<u32>,
}

impl ConnectionView {
    /// The view of a server that was not started in this process.
    pub fn stopped_since(since_ms: i64) -> Self {
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
