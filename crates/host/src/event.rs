//! What changed, in as few words as a front end needs to ask again.

use std::sync::Arc;

use mooring_words::Sentence;

use crate::server::ServerId;

/// Something a front end shows has changed. Events carry no state: a receiver that lags reads the
/// views again and has missed nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostEvent {
    /// A server was added, removed, restored or renamed.
    ServersChanged,
    /// Another process added a server, such as the command line, while servers are kept running here: it starts like any
    /// other, and the person hears of it.
    ServerAddedElsewhere {
        /// Which.
        server: ServerId,
        /// Its name.
        name: Arc<str>,
    },
    /// One server's connection or settings changed.
    ServerChanged(ServerId),
    /// One server's tools changed.
    ToolsChanged(ServerId),
    /// One server's resources or resource templates changed.
    ResourcesChanged(ServerId),
    /// One server's prompts changed.
    PromptsChanged(ServerId),
    /// A resource that is watched, or one below it, changed or may have.
    ResourceUpdated {
        /// Whose.
        server: ServerId,
        /// Where it is.
        uri: Arc<str>,
    },
    /// One server's tasks changed.
    TasksChanged(ServerId),
    /// Logins or sealed values changed.
    AccountsChanged,
    /// A sign-in to a server went on or ended.
    SignInChanged(ServerId),
    /// The vault changed.
    VaultChanged,
    /// What waits for the person changed, or what was decided.
    InboxChanged,
    /// The rules of consent changed.
    RulesChanged,
    /// What is approved of a server changed.
    TrustChanged(ServerId),
    /// Folders changed.
    RootsChanged,
    /// Providers, routes or budgets changed.
    ModelsChanged,
    /// The settings changed.
    SettingsChanged,
    /// The log can, or can no longer, be written.
    JournalHealth {
        /// Whether rows are being lost right now.
        failing: bool,
        /// Why, in plain words.
        message: Option<Sentence>,
    },
}
