//! An app as front ends show it.

use std::path::PathBuf;

use mooring_approvals::{AppAccess, AppOff, AppToolList, PinnedTool};
use mooring_apps::{FoundApp, State};
use mooring_base::{codes, view_serde};
use mooring_policy::AppLevel;
use mooring_words::{Sentence, say};
use serde::Serialize;
use ts_rs::TS;

codes! {
    /// Whether an app is installed and connected.
    pub enum AppPresence {
        /// It does not seem to be installed.
        Absent = "absent",
        /// It is there, and does not use Mooring.
        Found = "found",
        /// Its file has an entry that starts Mooring.
        Connected = "connected",
        /// It has such an entry, of a program that is not there.
        Broken = "broken",
        /// Its file cannot be read.
        Unreadable = "unreadable",
        /// It has called, and Mooring does not know where its file is.
        Unlisted = "unlisted",
    }
}

codes! {
    /// Whether an app can prove that it is the one.
    pub enum AppKeyState {
        /// There is no key for it.
        None = "none",
        /// It has the key that counts.
        Current = "current",
        /// Its entry has none, and none is known: each of its calls asks.
        Renew = "renew",
        /// Its entry has none or another than the one that counts: it can't connect.
        Refused = "refused",
        /// Which key counts is known once the vault is open.
        Sealed = "sealed",
    }
}

/// The level of an app while nothing is chosen.
pub fn default_level(name: &str) -> AppLevel {
    let asks_person = mooring_apps::app(name).is_some_and(|app| app.asks_person);
    if asks_person { AppLevel::AppAsks } else { AppLevel::AskHere }
}

/// A server in an app's own file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct AppServer {
    /// Its name there.
    pub name: String,
    /// It starts Mooring.
    pub ours: bool,
    /// A server of this name is saved here.
    pub here: bool,
}

/// An app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppView {
    /// Its name for the bridge.
    pub id: String,
    /// What people call it.
    pub title: String,
    /// Whether it is installed and connected.
    pub state: AppPresence,
    /// Its file. `None` if it is not known.
    #[serde(serialize_with = "view_serde::some_path")]
    pub file: Option<PathBuf>,
    /// The Git repository that its file is in: no key belongs into its entry.
    #[serde(serialize_with = "view_serde::some_path")]
    pub repository: Option<PathBuf>,
    /// Why its file cannot be read, or its entry cannot start.
    pub problem: Option<Sentence>,
    /// The servers in its file.
    pub servers: Vec<AppServer>,
    /// How its calls are allowed.
    pub level: AppLevel,
    /// The level that the person chose. `None` if the default applies.
    pub chosen_level: Option<AppLevel>,
    /// The level that applies while none is chosen.
    pub default_level: AppLevel,
    /// It asks its own person before a tool runs.
    pub asks_person: bool,
    /// How it gets the tools.
    pub tool_list: AppToolList,
    /// How long the name of a tool may be, in characters, where the person chose it.
    pub longest_name: Option<u8>,
    /// How long it may be while nothing is chosen.
    pub default_longest_name: u8,
    /// It has a search for tools of its own.
    pub searches_tools: bool,
    /// What it does not see.
    pub off: Vec<AppOff>,
    /// It sees prompts.
    pub sees_prompts: bool,
    /// It sees resources.
    pub sees_resources: bool,
    /// The tools that it gets beside a search.
    pub pinned: Vec<PinnedTool>,
    /// Another program changed its settings here.
    pub changed: bool,
    /// There is a record of its connection, by which it can be disconnected.
    pub recorded: bool,
    /// Whether it can prove that it is the one.
    pub key: AppKeyState,
    /// It has no key, and the person allowed its name.
    pub allowed: bool,
    /// When it was connected, in milliseconds since the Unix epoch.
    #[serde(rename = "connectedAt")]
    pub connected_ms: Option<i64>,
    /// When it last called a tool, within a minute.
    #[serde(rename = "usedAt")]
    pub used_ms: Option<i64>,
}

impl AppView {
    /// One of which no more is known than what Mooring keeps: no file, no key.
    pub fn new(id: String, access: AppAccess, default_longest_name: u8) -> Self {
        Self {
            title: access.title.unwrap_or_else(|| id.clone()),
            id,
            state: AppPresence::Unlisted,
            file: None,
            repository: None,
            problem: None,
            servers: Vec::new(),
            level: access.level,
            chosen_level: access.chosen,
            default_level: access.default,
            asks_person: false,
            tool_list: access.tool_list,
            longest_name: access.longest_name,
            default_longest_name,
            searches_tools: false,
            off: access.off.into_iter().collect(),
            sees_prompts: !access.prompts_off,
            sees_resources: !access.resources_off,
            pinned: access.pinned.into_iter().collect(),
            changed: access.changed,
            recorded: access.connection.is_some(),
            key: AppKeyState::None,
            allowed: false,
            connected_ms: access.connected_at_us.map(|at| at / 1_000),
            used_ms: access.used_at_us.map(|at| at / 1_000),
        }
    }

    /// One whose file can be found. `is_here`: whether a server of this name is saved. `key`: what is known of its key
    /// without its entry; `key_of_entry`: with it, by its public key.
    pub fn of_found(
        found: FoundApp,
        access: AppAccess,
        is_here: impl Fn(&str) -> bool,
        key: AppKeyState,
        key_of_entry: impl Fn(Option<&str>) -> AppKeyState,
    ) -> Self {
        let FoundApp { app, file, is_present, repository, state } = found;
        let mut view = Self {
            title: app.name.to_owned(),
            asks_person: app.asks_person,
            searches_tools: app.searches_tools,
            file: Some(file),
            state: if is_present { AppPresence::Found } else { AppPresence::Absent },
            key,
            ..Self::new(app.id.to_owned(), access, mooring_apps::longest_name(app.id))
        };
        match state {
            State::NoFile => {}
            State::Problem(problem) => {
                view.state = AppPresence::Unreadable;
                view.problem = Some(problem);
            }
            State::Readable { servers, ours, public_key, missing } => {
                if !ours.is_empty() {
                    view.state = AppPresence::Connected;
                    view.key = match key_of_entry(public_key.as_deref()) {
                        AppKeyState::Renew if repository.is_some() => AppKeyState::None,
                        state => state,
                    };
                }
                if let Some(program) = missing {
                    view.state = AppPresence::Broken;
                    view.problem = Some(say!(
                        "its entry starts {program}, which is gone",
                        program = program.display().to_string()
                    ));
                }
                let of = |name: String| AppServer { ours: ours.contains(&name), here: is_here(&name), name };
                view.servers = servers.into_iter().map(of).collect();
            }
        }
        Self { repository, ..view }
    }
}
