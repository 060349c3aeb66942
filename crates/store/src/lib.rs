//! Mooring's data on disk: one SQLite database per profile.
//!
//! This is the only crate that uses `sqlx`. It has the saved servers, the settings, logins with encrypted
//! secrets, and the log, each table in one file under `table`, and the log's single writer. It is independent
//! of MCP, connections, keys and the window. Times are microseconds since the Unix epoch, UTC.

mod backup;
mod database;
mod insert;
mod open;
mod restore;
mod staging;
mod table;
mod watcher;
mod writer;

pub use backup::Backup;
pub use open::Store;
pub use table::app::{AppRow, AppRows, Apps, StoredAppSettings};
pub use table::app_key::{AppKeyKind, AppKeyRow, AppKeys};
pub use table::catalog::{
    CatalogCopyRow, CatalogEntryRow, CatalogPage, CatalogRows, CatalogSearch, NewCatalogEntry,
};
pub use table::interaction::{
    DecisionQuery, InteractionOutcome, InteractionRow, Interactions, NewInteraction, SilenceRow,
};
pub use table::known_era::KnownEras;
pub use table::log::LogReader;
pub use table::log_audit::VerdictAudit;
pub use table::log_calls::CallRows;
pub use table::login::{LoginRow, LoginState, LoginUpdate, Logins, NewLogin, TokenFacts};
pub use table::pin::{PinRow, PinSummary, Pins};
pub use table::provider::{NewProvider, ProviderKeyChange, ProviderRow, Providers};
pub use table::registration::{NewRegistration, RegistrationOrigin, RegistrationRow, Registrations};
pub use table::remembered_list::{RememberedLists, RememberedRow, SessionTrialRow};
pub use table::root::{RootRow, Roots};
pub use table::rule::{NewRule, RuleRow, Rules, UNVERIFIED_RULES};
pub use table::sampling::{
    Sampling, SamplingApprovalRow, SamplingPolicyRow, SamplingRouteRow, SamplingUsageRow,
};
pub use table::saved_call::{NewSavedCall, SavedCall, SavedCalls};
pub use table::secret::{SecretRow, SecretSummary, Secrets};
pub use table::server::{SecretEncryptor, ServerRow, Servers};
pub use table::server_bundle::{ServerBundleRow, ServerBundles};
pub use table::server_catalog::{ServerCatalog, ServerCatalogRow};
pub use table::server_login::ServerLogins;
pub use table::server_secret::{NewServerSecret, SecretPlace, ServerSecretRow, ServerSecrets};
pub use table::setting::{Settings, VouchedSettings};
pub use table::vault::{
    KeyCustody, RekeyOutcome, SecretOwner, VaultGuard, VaultKeyRow, VaultRow, VaultUpgrade, Vaults,
    WrappedKey,
};
pub use watcher::TableChanges;
pub use writer::{LogWriter, RecordFinisher, WriterClosed, WriterHealth, WriterOptions};
