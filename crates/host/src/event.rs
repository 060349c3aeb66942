//! What changed, in as few words as a front end needs to ask again.

use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_words::Sentence;
use serde::Serialize;
use tokio::sync::broadcast;
use ts_rs::TS;

/// Something a front end shows has changed. What an event carries can be read as well: a receiver that lags reads the
/// views again and has missed nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum HostEvent {
    /// A server was added, removed, restored or renamed.
    #[serde(rename = "servers")]
    ServersChanged,
    /// Another process added a server, such as the command line, while servers are kept running here: it starts like
    /// any other, and the person hears of it.
    ServerAddedElsewhere {
        /// Which.
        id: ServerId,
        /// Its name.
        name: Arc<str>,
    },
    /// One server's connection or settings changed.
    #[serde(rename = "server")]
    ServerChanged {
        /// Which server.
        id: ServerId,
    },
    /// One server's tools changed.
    #[serde(rename = "tools")]
    ToolsChanged {
        /// Which server.
        id: ServerId,
    },
    /// One server's resources or resource templates changed.
    #[serde(rename = "resources")]
    ResourcesChanged {
        /// Which server.
        id: ServerId,
    },
    /// One server's prompts changed.
    #[serde(rename = "prompts")]
    PromptsChanged {
        /// Which server.
        id: ServerId,
    },
    /// A resource that is watched, or one below it, changed or may have.
    ResourceUpdated {
        /// Whose.
        id: ServerId,
        /// Which instance of the server says so; 0: the one that all share.
        #[serde(skip)]
        instance: u64,
        /// Where it is.
        uri: Arc<str>,
    },
    /// One server's tasks changed.
    #[serde(rename = "tasks")]
    TasksChanged {
        /// Which server.
        id: ServerId,
    },
    /// Logins or sealed values changed.
    #[serde(rename = "accounts")]
    AccountsChanged,
    /// A sign-in to a server went on or ended.
    #[serde(rename = "sign_in")]
    SignInChanged {
        /// Which server.
        id: ServerId,
    },
    /// The vault changed.
    #[serde(rename = "vault")]
    VaultChanged,
    /// What waits for the person changed, or what was decided.
    #[serde(rename = "inbox")]
    InboxChanged,
    /// The rules of consent changed.
    #[serde(rename = "rules")]
    RulesChanged,
    /// What apps may do or see changed, or what is known of them.
    #[serde(rename = "apps")]
    AppsChanged,
    /// The connections of apps changed, or their calls that run.
    #[serde(rename = "app_activity")]
    AppActivityChanged,
    /// What is approved of a server changed.
    #[serde(rename = "trust")]
    TrustChanged {
        /// Which server.
        id: ServerId,
    },
    /// Folders changed.
    #[serde(rename = "roots")]
    RootsChanged,
    /// Providers, routes or budgets changed.
    #[serde(rename = "models")]
    ModelsChanged,
    /// The settings changed.
    #[serde(rename = "settings")]
    SettingsChanged,
    /// Facts about this installation: the login shell's search path is known, or a backup was made.
    #[serde(rename = "app")]
    AppChanged,
    /// The log has grown, or was deleted.
    #[serde(rename = "log")]
    LogChanged {
        /// How many rows it has.
        rows: u64,
        /// The size of the database with its journal, in bytes.
        bytes: u64,
    },
    /// The log can, or can no longer, be written.
    #[serde(rename = "journal")]
    JournalHealth {
        /// Whether rows are being lost right now.
        failing: bool,
        /// Why, in plain words.
        message: Option<Sentence>,
    },
}

/// Tells the front ends of a change.
pub(crate) fn send_event(events: &broadcast::Sender<HostEvent>, event: HostEvent) {
    // Without a receiver nobody looks.
    let _nobody_looks = events.send(event);
}

/// Something that tells the front ends of this change whenever it is called.
pub(crate) fn event_callback(
    events: &broadcast::Sender<HostEvent>,
    event: HostEvent,
) -> Arc<dyn Fn() + Send + Sync> {
    let events = events.clone();
    Arc::new(move || send_event(&events, event.clone()))
}

/// Something that tells the front ends of a change at the server that it is called with.
pub(crate) fn server_event_callback(
    events: &broadcast::Sender<HostEvent>,
    event: impl Fn(ServerId) -> HostEvent + Send + Sync + 'static,
) -> Arc<dyn Fn(ServerId) + Send + Sync> {
    let events = events.clone();
    Arc::new(move |server| send_event(&events, event(server)))
}
