//! Change events. They only contain what a front end needs to decide which views to read again.

use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_words::Sentence;
use serde::Serialize;
use tokio::sync::broadcast;
use ts_rs::TS;

/// A change that front ends show. Everything in an event is also in a view, so a receiver that lags misses
/// nothing if it reads the views again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum HostEvent {
    /// A server was added, removed, restored or renamed.
    #[serde(rename = "servers")]
    ServersChanged,
    /// Another process, such as the command line, added a server while this host keeps servers running. The
    /// server starts like any other, and the person is informed.
    ServerAddedElsewhere {
        /// The server.
        id: ServerId,
        /// The server's name.
        name: Arc<str>,
    },
    /// One server's connection or settings changed.
    #[serde(rename = "server")]
    ServerChanged {
        /// The server.
        id: ServerId,
    },
    /// One server's tools changed.
    #[serde(rename = "tools")]
    ToolsChanged {
        /// The server.
        id: ServerId,
    },
    /// One server's resources or resource templates changed.
    #[serde(rename = "resources")]
    ResourcesChanged {
        /// The server.
        id: ServerId,
    },
    /// One server's prompts changed.
    #[serde(rename = "prompts")]
    PromptsChanged {
        /// The server.
        id: ServerId,
    },
    /// A subscribed resource, or one below it, changed or may have changed.
    ResourceUpdated {
        /// The server.
        id: ServerId,
        /// The instance that reported it, or 0 for the shared one.
        #[serde(skip)]
        instance: u64,
        /// The resource's URI.
        uri: Arc<str>,
    },
    /// One server's tasks changed.
    #[serde(rename = "tasks")]
    TasksChanged {
        /// The server.
        id: ServerId,
    },
    /// Accounts or encrypted values changed.
    #[serde(rename = "accounts")]
    AccountsChanged,
    /// A sign-in to a server progressed or ended.
    #[serde(rename = "sign_in")]
    SignInChanged {
        /// The server.
        id: ServerId,
    },
    /// The vault changed.
    #[serde(rename = "vault")]
    VaultChanged,
    /// The questions that wait for the person, or the decisions, changed.
    #[serde(rename = "inbox")]
    InboxChanged,
    /// The rules of consent changed.
    #[serde(rename = "rules")]
    RulesChanged,
    /// The apps' permissions or other data about apps changed.
    #[serde(rename = "apps")]
    AppsChanged,
    /// The apps' connections or running calls changed.
    #[serde(rename = "app_activity")]
    AppActivityChanged,
    /// The approvals of a server changed.
    #[serde(rename = "trust")]
    TrustChanged {
        /// The server.
        id: ServerId,
    },
    /// The granted folders changed.
    #[serde(rename = "roots")]
    RootsChanged,
    /// The profiles, or which one is in use, changed.
    #[serde(rename = "profiles")]
    ProfilesChanged,
    /// Providers, routes or budgets changed.
    #[serde(rename = "models")]
    ModelsChanged,
    /// The settings changed.
    #[serde(rename = "settings")]
    SettingsChanged,
    /// Facts about this installation changed: the login shell's search path became known, or a backup was
    /// made.
    #[serde(rename = "app")]
    AppChanged,
    /// The log grew or was deleted.
    #[serde(rename = "log")]
    LogChanged {
        /// How many rows it has.
        rows: u64,
        /// The size of the database with its journal, in bytes.
        bytes: u64,
    },
    /// The log became writable, or can no longer be written.
    #[serde(rename = "journal")]
    JournalHealth {
        /// Whether rows are being lost right now.
        failing: bool,
        /// Why, in plain words.
        message: Option<Sentence>,
    },
}

/// Sends a change to front ends.
pub fn send_event(events: &broadcast::Sender<HostEvent>, event: HostEvent) {
    // An error only means that there is no receiver.
    let _nobody_looks = events.send(event);
}

/// A callback that sends this change to front ends.
pub fn event_callback(
    events: &broadcast::Sender<HostEvent>,
    event: HostEvent,
) -> Arc<dyn Fn() + Send + Sync> {
    let events = events.clone();
    Arc::new(move || send_event(&events, event.clone()))
}

/// A callback that sends a change of the given server to front ends.
pub fn server_event_callback(
    events: &broadcast::Sender<HostEvent>,
    event: impl Fn(ServerId) -> HostEvent + Send + Sync + 'static,
) -> Arc<dyn Fn(ServerId) + Send + Sync> {
    let events = events.clone();
    Arc::new(move |server| send_event(&events, event(server)))
}
