//! The application itself: its settings, its surroundings and what it announces.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Sentence;

/// The appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// As the desktop has it.
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// The language of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub enum Language {
    /// As the desktop has it.
    #[serde(rename = "system")]
    System,
    /// English.
    #[serde(rename = "en")]
    English,
    /// Chinese in simplified characters.
    #[serde(rename = "zh-CN")]
    SimplifiedChinese,
}

/// What a person may set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// The appearance.
    pub theme: Theme,
    /// The language.
    pub language: Language,
    /// The largest message that is accepted, in MiB: 4 to 16.
    #[serde(rename = "maxMessageMiB")]
    pub max_message_mib: u32,
    /// How long a request may be silent, in seconds.
    pub request_idle_seconds: u32,
    /// How long a request may take in all, in seconds.
    pub request_total_seconds: u32,
    /// How long a server may take to give its first answer, in seconds.
    pub start_timeout_seconds: u32,
    /// Where the metadata document of our client is published; empty: nowhere.
    pub client_document: String,
}

/// The application and where it keeps its data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppInfo {
    /// Its version.
    pub version: String,
    /// The operating system and processor.
    pub platform: String,
    /// The data directory.
    pub home: String,
    /// The database's size.
    pub database_bytes: i64,
    /// How many rows the journal has.
    pub log_rows: i64,
    /// When the newest backup was made.
    pub backed_up_ms: Option<i64>,
    /// The demo server is installed beside the application.
    pub demo_server: bool,
    /// Where programs are looked for.
    pub login_path: LoginPath,
    /// The bounds that protect against servers.
    pub limits: Vec<Limit>,
}

/// The search path programs are looked up on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LoginPath {
    /// Its directories, in order.
    pub path: Vec<String>,
    /// Where it was read from.
    pub source: String,
    /// Why it was not the login shell, if so.
    pub note: Option<Sentence>,
}

/// One bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Limit {
    /// What it bounds.
    pub name: String,
    /// The bound.
    pub value: i64,
    /// Its unit.
    pub unit: String,
}

/// Something changed that a view may show. It says what to read again, not what it became.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum HostEvent {
    /// Servers came or went.
    Servers,
    /// Another process added a server, which starts here like any other.
    ServerAddedElsewhere {
        /// Which.
        id: i64,
        /// Its name.
        name: String,
    },
    /// One server changed.
    Server {
        /// Which.
        id: i64,
    },
    /// One server's tools changed.
    Tools {
        /// Whose.
        id: i64,
    },
    /// One server's resources or templates changed.
    Resources {
        /// Whose.
        id: i64,
    },
    /// One server's prompts changed.
    Prompts {
        /// Whose.
        id: i64,
    },
    /// A resource that is watched changed, or may have.
    ResourceUpdated {
        /// Whose.
        id: i64,
        /// Where it is.
        uri: String,
    },
    /// One server's tasks changed.
    Tasks {
        /// Whose.
        id: i64,
    },
    /// Logins or sealed values changed.
    Accounts,
    /// A sign-in to a server went on or ended.
    SignIn {
        /// Which server.
        id: i64,
    },
    /// The vault changed.
    Vault,
    /// What waits for the person changed, or what was decided.
    Inbox,
    /// The rules of consent changed.
    Rules,
    /// What is approved of a server changed.
    Trust {
        /// Which server.
        id: i64,
    },
    /// Folders changed.
    Roots,
    /// Providers, routes or budgets changed.
    Models,
    /// The settings changed.
    Settings,
    /// The journal cannot be written, or can again.
    Journal {
        /// It cannot.
        failing: bool,
        /// Why.
        message: Option<Sentence>,
    },
}

/// What the window reports about its own start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PaintPhase {
    /// The first frame is on the screen.
    Paint,
    /// The first screen answers.
    Interactive,
}
