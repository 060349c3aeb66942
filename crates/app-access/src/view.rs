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
        /// Apparently not installed.
        Absent = "absent",
        /// Installed, but not using Mooring.
        Found = "found",
        /// Its configuration has an entry that starts Mooring.
        Connected = "connected",
        /// Its configuration has such an entry, but the entry's program does not exist.
        Broken = "broken",
        /// Its configuration can't be read.
        Unreadable = "unreadable",
        /// It has called, but Mooring doesn't know where its configuration is.
        Unlisted = "unlisted",
    }
}

codes! {
    /// Whether an app can prove that it is the one.
    pub enum AppKeyState {
        /// There is no key for it.
        None = "none",
        /// Its entry has the valid key.
        Current = "current",
        /// Neither its entry nor Mooring has a key, so the person is asked about each call.
        Renew = "renew",
        /// Its entry has no key or an invalid one, so it can't connect.
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
    /// The server's name in that file.
    pub name: String,
    /// Whether the entry starts Mooring.
    pub ours: bool,
    /// A server of this name is saved here.
    pub here: bool,
}

/// An app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppView {
    /// The app's name for the bridge.
    pub id: String,
    /// The app's name for people.
    pub title: String,
    /// Whether it is installed and connected.
    pub state: AppPresence,
    /// The app's configuration file. `None` if it is not known.
    #[serde(serialize_with = "view_serde::some_path")]
    pub file: Option<PathBuf>,
    /// The Git repository that its file is in: no key belongs into its entry.
    #[serde(serialize_with = "view_serde::some_path")]
    pub repository: Option<PathBuf>,
    /// Why its file cannot be read, or its entry cannot start.
    pub problem: Option<Sentence>,
    /// The servers in its file.
    pub servers: Vec<AppServer>,
    /// How the app's calls are allowed.
    pub level: AppLevel,
    /// The level that the person chose. `None` if the default applies.
    pub chosen_level: Option<AppLevel>,
    /// The level that applies while none is chosen.
    pub default_level: AppLevel,
    /// Whether the app asks its own person before a tool runs.
    pub asks_person: bool,
    /// How the app gets the tools.
    pub tool_list: AppToolList,
    /// The longest name of a tool in characters, if the person chose it.
    pub longest_name: Option<u8>,
    /// The default of that length.
    pub default_longest_name: u8,
    /// Whether the app can search tools itself.
    pub searches_tools: bool,
    /// What the app does not see.
    pub off: Vec<AppOff>,
    /// Whether the app sees prompts.
    pub sees_prompts: bool,
    /// Whether the app sees resources.
    pub sees_resources: bool,
    /// The tools that it gets beside a search.
    pub pinned: Vec<PinnedTool>,
    /// Another program changed its settings here.
    pub changed: bool,
    /// Whether there is a record of its connection, which is needed to disconnect it.
    pub recorded: bool,
    /// Whether it can prove that it is the one.
    pub key: AppKeyState,
    /// Whether it has no key, but the person allowed its name.
    pub allowed: bool,
    /// When it was connected, in milliseconds since the Unix epoch.
    #[serde(rename = "connectedAt")]
    pub connected_ms: Option<i64>,
    /// When it last called a tool, within a minute.
    #[serde(rename = "usedAt")]
    pub used_ms: Option<i64>,
}

impl AppView {
    /// A view of an app without a configuration file and a key: only Mooring's own settings are known.
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
