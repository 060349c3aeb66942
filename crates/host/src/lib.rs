//! The headless engine behind every front end.
//!
//! [`Host`] opens a data folder and puts the engine's parts together: the registry of servers, the questions to the
//! person, the models, the folders, the apps, the vault and the log. It is cheap to clone. What it shows are plain
//! views; what changes is sent as a [`HostEvent`](mooring_server_state::HostEvent).

mod host;
mod options;
mod responder;
mod trace;

pub use host::{
    AppImport, CatalogEntryView, CatalogFoundView, CatalogInstalled, CatalogRowView, CatalogServerView,
    CatalogSource, CatalogUpdateReview, CertificateView, DecisionEvents, Host, ImportChoice, InstallOutcome,
    InstallStatus, InstanceLease, ProfileImportChoice, ProfileReview, ProfileView, RemovedProfile,
    ReviewedFolder, ReviewedServer, VaultView,
};
pub use options::{
    CommandCheck, HostInfo, HostOptions, LimitView, LogFacets, LoginPathView, chosen_home,
    home_from_environment, named_home,
};
pub use trace::is_trace_allowed;
