//! The [`Host`]: its state and its methods.

mod accounts;
mod app_keys;
mod apps;
#[cfg(debug_assertions)]
mod audit;
mod backup;
mod bundles;
mod catalog;
mod checks;
mod decisions;
mod icons;
mod import;
mod inbox;
mod install;
mod instances;
mod log;
mod models;
mod network;
mod offers;
mod open;
mod pause;
mod policy;
mod profile_files;
mod profiles;
mod servers;
mod vault;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mooring_accounts::{ServerSecretValues, SignInAttempts, SignInService};
use mooring_answers::PresetAnswers;
use mooring_app_access::{AppActivity, AppAdmission, TerminalAdmission};
use mooring_approvals::{AppStore, NetworkStore, RuleStore, Trust};
use mooring_base::server_id::ServerId;
use mooring_connections::{ConnectOptions, Connection, ConnectionFactory, Handle, Registry, Target, connect};
use mooring_disk::StoreError;
use mooring_errors::HostError;
use mooring_folders::Folders;
use mooring_icons::IconCache;
use mooring_load::Loads;
use mooring_network::Network;
use mooring_process::{FolderLock, LoginShell, PathSource, reveal_folder};
use mooring_profiles::Profiles;
use mooring_recorder::Journal;
use mooring_registry::RegistryCopy;
use mooring_server_state::{HostEvent, send_event};
use mooring_settings::Settings;
use mooring_store::Store;
use mooring_words::Sentence;
use tokio::sync::{Mutex, RwLock, broadcast, watch};
use tokio::task::JoinSet;

use crate::options::{HostInfo, HostOptions, LoginPathView, limits_in_force};
use crate::responder::ResponderFactory;

pub use apps::AppImport;
pub use catalog::{
    CatalogEntryView, CatalogFoundView, CatalogInstalled, CatalogRowView, CatalogServerView, CatalogSource,
    CatalogUpdateReview,
};
pub use decisions::DecisionEvents;
pub use import::ImportChoice;
pub use install::{InstallOutcome, InstallStatus};
pub use instances::InstanceLease;
pub use network::CertificateView;
pub use profile_files::{ProfileImportChoice, ProfileReview, ReviewedFolder, ReviewedServer};
pub use profiles::{ProfileView, RemovedProfile};
pub use vault::VaultView;

/// How long a removed server stays in the database if no window starts.
const REMOVED_SERVER_GRACE: Duration = Duration::from_hours(1);

/// The headless engine. Clones share all state. Dropping the last clone ends every connection abruptly, so
/// call [`Host::shutdown`] first.
#[derive(Clone)]
pub struct Host {
    inner: Arc<HostState>,
}

struct HostState {
    options: HostOptions,
    store: Store,
    journal: Arc<Journal>,
    connections: Arc<ConnectionFactory>,
    login: LoginShell,
    sign_ins: SignInService,
    secrets: ServerSecretValues,
    rules: Arc<RuleStore>,
    apps: Arc<AppStore>,
    app_admission: AppAdmission,
    terminals: TerminalAdmission,
    app_activity: Arc<AppActivity>,
    trust: Arc<Trust>,
    events: broadcast::Sender<HostEvent>,
    responders: Arc<ResponderFactory>,
    folders: Folders,
    profiles: Profiles,
    registry: Arc<Registry>,
    attempts: SignInAttempts,
    icons: IconCache,
    catalog: RegistryCopy,
    loads: Arc<Loads>,
    /// Locked during an installation.
    installing: Mutex<()>,
    /// Locked while a bundle is added.
    adding_bundle: Mutex<()>,
    /// Read while a bundle is unpacked.
    unpacking: Arc<RwLock<()>>,
    settings: watch::Sender<Settings>,
    network: Network,
    network_settings: Arc<NetworkStore>,
    /// Locked while this host keeps the saved servers running.
    lock: FolderLock,
    /// The host's background tasks.
    tasks: JoinSet<()>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("options", &self.inner.options).finish_non_exhaustive()
    }
}

impl Host {
    /// Sets the answers that servers receive to their questions on every later connection, without asking the
    /// person. Only the first call has an effect.
    pub fn set_preset_answers(&self, answers: PresetAnswers) {
        let _earlier = self.inner.responders.answers.set(Arc::new(answers));
    }

    /// Declares the same capabilities to servers, on every later connection, as a gateway does, because what
    /// they offer may depend on them. Requests from the servers are refused.
    pub fn declare_as_gateway(&self) {
        self.inner.responders.declares_as_gateway.store(true, Ordering::Relaxed);
    }

    /// Announces that [`Self::shutdown`] follows. Another process that wants to run the servers of this data
    /// folder then waits for it.
    pub fn announce_shutdown(&self) {
        self.inner.lock.announce_release();
    }

    /// Stops every connection in parallel and writes the rest of the log.
    pub async fn shutdown(&self) {
        self.announce_shutdown();
        self.inner.attempts.close().await;
        if self.inner.options.supervise {
            self.inner.responders.interactions.close().await;
        }
        self.inner.registry.shutdown().await;
        self.inner.rules.flush().await;
        self.inner.sign_ins.close().await;
        // What was cancelled removes what it had begun.
        drop(self.inner.unpacking.write().await);
        if let Some(writer) = self.inner.journal.writer() {
            writer.close().await;
            #[cfg(debug_assertions)]
            audit::assert_verdicts(&self.inner.store.log(), self.inner.journal.connection_numbers()).await;
        }
        if self.inner.options.supervise {
            backup::back_up(&self.inner.store).await;
        } else {
            backup::back_up_if_due(&self.inner.store, self.home()).await;
        }
        self.inner.store.close().await;
        self.inner.lock.release();
    }

    /// Changes from now on. A receiver that lags has to read the views again.
    pub fn events(&self) -> broadcast::Receiver<HostEvent> {
        self.inner.events.subscribe()
    }

    /// The paths in the data folder that others could write to until it was opened. Opening it restricted
    /// them.
    pub fn closed_to_others(&self) -> &[PathBuf] {
        self.inner.store.restricted_paths()
    }

    /// The data folder.
    pub fn home(&self) -> &Path {
        &self.inner.options.home
    }

    /// Facts about this installation.
    pub async fn info(&self) -> Result<HostInfo, HostError> {
        Ok(HostInfo {
            home: self.inner.options.home.clone(),
            database_bytes: self.inner.store.bytes(),
            log_rows: self.log_rows().await?,
            backed_up_ms: Self::backups(self.home()).first().map(|backup| backup.at_us / 1_000),
            demo_server: self.demo_server().is_ok(),
            login_path: self.login_path(),
            limits: limits_in_force(&self.settings()),
        })
    }

    /// The login shell's search path as far as it is known. It does not wait for a slow shell.
    fn login_path(&self) -> LoginPathView {
        let Some(login) = self.inner.login.cached_path() else {
            return LoginPathView { directories: Vec::new(), source: "asking".to_owned(), note: None };
        };
        let (source, note) = match &login.source {
            PathSource::Shell { shell } => (shell.display().to_string(), None),
            PathSource::Environment { reason } => ("environment".to_owned(), Some(reason.clone())),
        };
        LoginPathView { directories: login.path.directories().to_vec(), source, note }
    }

    /// Shows the data folder in the system's file manager.
    pub fn reveal_home(&self) -> Result<(), HostError> {
        Ok(reveal_folder(self.home())?)
    }

    /// The connection of a saved server.
    fn handle(&self, id: ServerId) -> Result<Handle, HostError> {
        self.inner.registry.handle(id)
    }

    /// Opens a connection that the caller owns. It ends when the caller drops it.
    pub async fn connect(&self, target: Target, options: ConnectOptions) -> Result<Connection, HostError> {
        Box::pin(connect(&self.inner.connections, &self.inner.registry, target, options)).await
    }

    /// The folders that servers may see.
    pub fn folders(&self) -> &Folders {
        &self.inner.folders
    }

    /// The settings.
    pub fn settings(&self) -> Settings {
        self.inner.settings.borrow().clone()
    }

    /// Saves new settings. Later connections use them.
    pub async fn set_settings(&self, settings: Settings) -> Result<Settings, HostError> {
        settings.check()?;
        let members = serde_json::from_value(serde_json::json!(settings))
            .map_err(|error| HostError::Internal(Sentence::quoted(error.to_string())))?;
        let before = self.settings();
        if settings.apps_port != before.apps_port {
            settings.check_apps_address()?;
        }
        if settings.proxy != before.proxy || settings.client_document != before.client_document {
            self.open_vault_to_decide().await?;
        }
        self.inner.network_settings.save(members).await?;
        if let Some(writer) = self.inner.journal.writer() {
            writer.set_keep_bytes(settings.max_log_bytes());
            writer.set_keep_for(settings.log_age());
        }
        self.inner.settings.send_replace(settings);
        let counts = self.inner.network_settings.in_force();
        self.inner.settings.send_modify(|settings| settings.follow(&counts));
        send_event(&self.inner.events, HostEvent::SettingsChanged);
        Ok(self.settings())
    }
}

/// Locks a data folder, whose servers this process runs from now on.
async fn lock_folder(home: &Path) -> Result<FolderLock, HostError> {
    let locked = FolderLock::acquire(home).await;
    let locked = locked.map_err(|source| StoreError::Io { path: home.to_owned(), source })?;
    locked.ok_or_else(|| HostError::AlreadyOpen(home.display().to_string()))
}
