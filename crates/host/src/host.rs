//! The [`Host`]: its state and its methods.

mod accounts;
mod app_keys;
mod apps;
#[cfg(debug_assertions)]
mod audit;
mod backup;
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
mod pause;
mod policy;
mod roots;
mod servers;
mod vault;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mooring_accounts::{ServerSecretValues, SignInAttempts, SignInService};
use mooring_answers::PresetAnswers;
use mooring_app_access::{AppActivity, AppAdmission, TerminalAdmission, default_level};
use mooring_approvals::{AppStore, NetworkStore, OnNetworkChange, RuleStore, Trust};
use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_definitions::import::command_name;
use mooring_icons::IconCache;
use mooring_inbox::{AppResponders, Interactions};
use mooring_mcp::{ClientOptions, EraChoice, Extension, http_client};
use mooring_network::Network;
use mooring_process::{
    FolderLock, LoginShell, MemoryTrimmer, PathSource, ShutdownGrace, StartQueue, claim_home,
    raise_file_limit, reveal_folder,
};
use mooring_recorder::{Journal, KnownSecrets};
use mooring_sampling::SamplingService;
use mooring_settings::Settings;
use mooring_store::{Store, StoreError, Transport, WriterHealth, WriterOptions};
use mooring_words::Sentence;
use tokio::sync::{Mutex, broadcast, watch};
use tokio::task::JoinSet;
use url::Url;

use crate::connection::state::RestartPolicy;
use crate::connection::{Connection, ConnectionFactory, ConnectionSpec, Dialer, Handle, Target};
use crate::era_cache::{self, EraCache};
use crate::error::HostError;
use crate::event::{HostEvent, event_callback, send_event, server_event_callback};
use crate::launch::LaunchContext;
use crate::options::{ConnectOptions, HostInfo, HostOptions, LoginPathView, limits_in_force};
use crate::registry::Registry;
use crate::responder::ResponderFactory;
use crate::roots::RootGrants;

pub use apps::AppImport;
pub use decisions::DecisionEvents;
pub use install::{InstallOutcome, InstallStatus};
pub use instances::InstanceLease;
pub use network::CertificateView;
pub use vault::VaultView;

/// How many events a receiver may fall behind before it has to read all views again.
const EVENT_CAPACITY: usize = 256;
/// How long a server may take to exit after a command. It is short because a person waits for the next
/// prompt.
const COMMANDS_GRACE: ShutdownGrace =
    ShutdownGrace { stdin: Duration::from_secs(1), term: Duration::from_secs(1) };
/// How long a removed server stays in the database if no window starts.
const REMOVED_SERVER_GRACE: Duration = Duration::from_hours(1);
/// The database key for settings that could not be read.
const REJECTED_SETTINGS_KEY: &str = "settings-set-aside";
/// The database key of the settings.
const SETTINGS: &str = "settings";

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
    registry: Arc<Registry>,
    attempts: SignInAttempts,
    icons: IconCache,
    /// Locked during an installation.
    installing: Mutex<()>,
    settings: watch::Sender<Settings>,
    network: Network,
    network_settings: Arc<NetworkStore>,
    /// Locked while this host keeps the saved servers running.
    lock: FolderLock,
    /// Owns the host's background tasks.
    _tasks: JoinSet<()>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("options", &self.inner.options).finish_non_exhaustive()
    }
}

impl Host {
    /// Opens the data folder. When supervising, it starts every enabled server in parallel without waiting
    /// for any.
    pub async fn open(options: HostOptions) -> Result<Self, HostError> {
        Self::open_deferred(options, std::future::ready(())).await
    }

    /// Like [`Self::open`], but starts no program before `quiet` completes, neither a saved server nor the
    /// login shell. This leaves the machine to the window while it draws.
    pub async fn open_deferred(
        options: HostOptions,
        quiet: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Self, HostError> {
        let home = options.home.clone();
        Self::open_folder(options, quiet).await.map_err(|error| error.with_data_folder(&home))
    }

    async fn open_folder(
        options: HostOptions,
        quiet: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Self, HostError> {
        raise_file_limit();
        let store = Store::open(&options.home).await?;
        claim_home(&options.home);
        for path in store.restricted_paths() {
            tracing::warn!(path = %path.display(), "others could write to this, and no longer can");
        }
        let lock = if options.supervise { lock_folder(&options.home).await? } else { FolderLock::unlocked() };
        let settings = watch::Sender::new(load_settings(&store).await?);
        let (keep_bytes, keep_for) = (settings.borrow().max_log_bytes(), settings.borrow().log_age());
        let bounds = WriterOptions { keep_bytes, keep_for, ..WriterOptions::default() };
        let writer = options.journal.then(|| store.start_writer_at(bounds, options.clock.clone()));
        let internal = |error: &dyn fmt::Display| HostError::Internal(Sentence::quoted(error.to_string()));
        let network = Network::default();
        let http = http_client(&format!("{}/{}", options.client_name, options.client_version), &network);
        let mut client = ClientOptions::new(options.client_name, options.client_version, http);
        client.extensions = vec![Extension::tasks(), Extension::pages()];
        if !options.supervise {
            client.grace = COMMANDS_GRACE;
        }
        let events = broadcast::Sender::new(EVENT_CAPACITY);
        let (shown, changed) = (settings.clone(), event_callback(&events, HostEvent::SettingsChanged));
        let follow: OnNetworkChange = Arc::new(move |network| {
            shown.send_modify(|settings| settings.follow(network));
            changed();
        });
        let network_settings = Arc::new(NetworkStore::open(store.settings(), network.clone(), follow).await?);
        let journal = Arc::new(Journal::new(writer).map_err(|error| internal(&error))?);
        let logins = Arc::new(journal.recorder(None, "logins".into(), KnownSecrets::default()));
        let sign_ins =
            SignInService::open_with(&store, &options.home, (options.vault)(), &network, Some(logins))?;
        let sealed = ServerSecretValues::new(&store, sign_ins.vault().clone());
        let (may_start, ready) = watch::channel(false);
        let models = SamplingService::new(
            &store,
            sign_ins.vault().clone(),
            Arc::clone(&journal),
            event_callback(&events, HostEvent::ModelsChanged),
            &network,
            &format!("{}/{}", options.client_name, options.client_version),
        );
        models.load().await?;
        let responders = Arc::new(ResponderFactory {
            answers: OnceLock::new(),
            interactions: Arc::new(Interactions::new(
                &store,
                inbox_event_callback(events.clone()),
                options.browser,
                options.clock.clone(),
            )),
            models: Arc::new(models),
            folders: Arc::new(RootGrants::new(store.roots())),
            servers: store.servers(),
            events: events.clone(),
            apps: AppResponders::default(),
            supervise: options.supervise,
            has_person: options.has_person,
            declares_as_gateway: AtomicBool::default(),
        });
        if !options.has_person {
            responders.interactions.set_nobody();
        }
        let rules = RuleStore::open(
            store.rules(),
            event_callback(&events, HostEvent::RulesChanged),
            options.supervise,
        );
        let rules = Arc::new(rules.await?);
        let apps_changed = event_callback(&events, HostEvent::AppsChanged);
        let apps =
            Arc::new(AppStore::open((store.apps(), store.app_keys()), default_level, apps_changed).await?);
        let (home, supervise) = (options.home.clone(), options.supervise);
        let supervised_elsewhere = Arc::new(move || !supervise && FolderLock::is_held(&home));
        let trust_changed = server_event_callback(&events, |id| HostEvent::TrustChanged { id });
        let trust = Arc::new(Trust::new(&store, trust_changed, supervised_elsewhere));
        let login = LoginShell::new(ready);
        let dialer = Arc::new(Dialer {
            client,
            settings: settings.subscribe(),
            login: login.clone(),
            eras: EraCache(store.known_eras()),
            sign_ins: sign_ins.clone(),
            secrets: sealed.clone(),
            trust: Arc::clone(&trust),
            network: Arc::clone(&network_settings),
            journal: Arc::clone(&journal),
            log: store.log(),
            starts: StartQueue::default(),
        });
        let for_connections = Arc::clone(&responders);
        let connections = Arc::new(ConnectionFactory::new(
            Arc::clone(&dialer),
            Arc::clone(&rules),
            Arc::clone(&apps),
            Box::new(move |spec| for_connections.make(spec)),
            events.clone(),
        ));
        let folder = options.home.join("servers");
        let registry = Registry::new(
            store.servers(),
            Arc::clone(&connections),
            &dialer,
            events.clone(),
            folder,
            options.supervise,
        );
        let registry = Arc::new(registry);
        vault::register_opened_hook(&store, &sign_ins, &rules, &apps, &trust, &network_settings);
        // Every open window can restore a removed server, even for a while after this process starts.
        let restorable = if options.supervise { Duration::ZERO } else { REMOVED_SERVER_GRACE };
        store.servers().purge_removed(restorable).await?;
        if options.has_person {
            responders.interactions.begin_run().await?;
        }
        let listed = events.subscribe();
        registry.reconcile().await?;
        let mut tasks = JoinSet::new();
        let (changes, watching) = store.watch();
        tasks.spawn(watching);
        tasks.spawn(trim_memory());
        let counted = Arc::clone(&rules);
        tasks.spawn(async move { counted.flush_periodically().await });
        tasks.spawn(async move {
            quiet.await;
            may_start.send_replace(true);
        });
        if let Some(writer) = journal.writer() {
            tasks.spawn(announce_health(writer.health(), events.clone()));
        }
        let vault = sign_ins.vault().clone();
        tasks.spawn(vault::watch(vault, store.secrets(), events.clone(), options.supervise));
        if options.supervise {
            tasks.spawn(remove_directories(registry.orphaned_directories().await));
            let (looked_for, found) = (login.clone(), event_callback(&events, HostEvent::AppChanged));
            tasks.spawn(async move {
                looked_for.path().await;
                found();
            });
            let backed_up = event_callback(&events, HostEvent::AppChanged);
            tasks.spawn(backup::back_up_daily(store.clone(), options.home.clone(), backed_up));
            tasks.spawn(servers::purge_removed(store.servers()));
            tasks.spawn(log::announce_size(store.clone(), events.clone()));
            tasks.spawn(Arc::clone(&registry).watch_changes(changes.clone()));
            tasks.spawn(Arc::clone(&registry).end_unheld_instances());
            tasks.spawn(Arc::clone(&registry).retry_on_new_network());
            tasks.spawn(Arc::clone(&registry).try_sessions(listed));
            let (store, events) = (store.clone(), events.clone());
            tasks.spawn(accounts::watch(store, Arc::clone(&registry), events, changes.clone()));
            let (known, of_network) = (Arc::clone(&network_settings), changes.clone());
            let opened = sign_ins.clone();
            tasks.spawn(async move {
                if known.is_waiting() {
                    opened.open_existing_vault().await;
                }
                known.watch(of_network).await;
            });
            let (known, of_apps) = (Arc::clone(&apps), changes.clone());
            tasks.spawn(async move { known.watch(of_apps).await });
            let (known, servers, of_pins) = (Arc::clone(&trust), Arc::clone(&registry), changes.clone());
            tasks.spawn(async move { known.watch(of_pins, |id| servers.restart_if_changed(id)).await });
            tasks.spawn(models::watch(Arc::clone(&responders), Arc::clone(&registry), changes.clone()));
            tasks.spawn(roots::watch(Arc::clone(&responders), Arc::clone(&registry), changes));
        }
        let attempts =
            SignInAttempts::new(server_event_callback(&events, |id| HostEvent::SignInChanged { id }));
        let inner = HostState {
            options,
            store,
            journal,
            connections,
            login,
            sign_ins,
            secrets: sealed,
            rules,
            apps,
            app_admission: AppAdmission::default(),
            terminals: TerminalAdmission::default(),
            app_activity: AppActivity::new(event_callback(&events, HostEvent::AppActivityChanged)),
            trust,
            events,
            responders,
            registry,
            attempts,
            icons: IconCache::default(),
            installing: Mutex::default(),
            settings,
            network,
            network_settings,
            lock,
            _tasks: tasks,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

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

/// Opens a connection that the caller owns.
async fn connect(
    connections: &ConnectionFactory,
    registry: &Registry,
    target: Target,
    options: ConnectOptions,
) -> Result<Connection, HostError> {
    let (server, mut config, place) = resolve_target(registry, target)?;
    config.timeout = options.request_idle.or(config.timeout);
    let era = if options.era == EraChoice::Auto { era_cache::choice(config.era) } else { options.era };
    let role = registry.own_role(server, era, options.tool.as_deref()).await?;
    let spec = ConnectionSpec {
        server,
        secrets_of: server,
        config,
        launch_context: place,
        restart_policy: RestartPolicy::Never,
        start_timeout: options.start_timeout,
        max_message: options.max_message,
        era: role.era(era),
        redetect_era: options.redetect_era,
        account: options.account,
        role,
        roots: None,
    };
    let connection = connections.make(spec, None);
    connection.handle().start();
    connection.handle().wait_until_settled().await?;
    Ok(connection)
}

/// Resolves a target to its saved server, its settings, and where it runs.
fn resolve_target(
    registry: &Registry,
    target: Target,
) -> Result<(Option<ServerId>, NewServer, LaunchContext), HostError> {
    let adhoc = |name: &str, transport| NewServer::new(&short_name(name), transport);
    match target {
        Target::Saved { name } => {
            let row = registry.by_name(&name)?;
            let place = registry.launch_context(row.id);
            Ok((Some(ServerId(row.id)), NewServer::from(&row), place))
        }
        Target::Command { program, args, env, cwd } => {
            let name = command_name(&program, &args);
            let server = NewServer { command: Some(program), args, env, ..adhoc(&name, Transport::Stdio) }
                .validated()?;
            Ok((None, server, LaunchContext::Caller { cwd }))
        }
        Target::Url { url, headers } => {
            let parsed = Url::parse(&url).ok();
            let host = parsed.as_ref().and_then(Url::host_str).unwrap_or_default();
            let port = parsed.as_ref().and_then(Url::port).map(|port| format!(":{port}"));
            let name = format!("{host}{}", port.unwrap_or_default());
            let server =
                NewServer { url: Some(url), headers, ..adhoc(&name, Transport::Http) }.validated()?;
            // A URL has no working directory. This one is never used.
            Ok((None, server, LaunchContext::Caller { cwd: PathBuf::new() }))
        }
    }
}

/// A short display name made from a command or URL.
fn short_name(name: &str) -> String {
    let name: String = name.chars().filter(|character| !character.is_control()).take(64).collect();
    if name.trim().is_empty() { "server".to_owned() } else { name }
}

/// Loads the saved settings. If they are unusable, the defaults apply, and the saved ones move to another key
/// so that the next save does not overwrite them.
async fn load_settings(store: &Store) -> Result<Settings, StoreError> {
    let Some(text) = store.settings().get(SETTINGS).await? else { return Ok(Settings::default()) };
    let settings = Settings::from_stored(&text);
    match settings.map(|settings| settings.check().map(|()| settings)) {
        Ok(Ok(settings)) => return Ok(settings),
        Ok(Err(error)) => tracing::warn!(%error, "the settings are out of bounds: the defaults apply"),
        Err(error) => tracing::warn!(%error, "the settings can’t be read: the defaults apply"),
    }
    store.settings().set(REJECTED_SETTINGS_KEY, &text).await?;
    Ok(Settings::default())
}

/// Returns memory to the system soon after a burst of messages.
async fn trim_memory() {
    const EVERY: Duration = Duration::from_secs(10);
    let mut memory = MemoryTrimmer::default();
    loop {
        memory.trim();
        tokio::time::sleep(EVERY).await;
    }
}

/// Locks a data folder, whose servers this process runs from now on.
async fn lock_folder(home: &Path) -> Result<FolderLock, HostError> {
    let locked = FolderLock::acquire(home).await;
    let locked = locked.map_err(|source| StoreError::Io { path: home.to_owned(), source })?;
    locked.ok_or_else(|| HostError::AlreadyOpen(home.display().to_string()))
}

/// Forwards the writer's health as events. Ends with the writer.
async fn announce_health(mut health: watch::Receiver<WriterHealth>, events: broadcast::Sender<HostEvent>) {
    while health.changed().await.is_ok() {
        let event = match &*health.borrow_and_update() {
            WriterHealth::Ok => HostEvent::JournalHealth { failing: false, message: None },
            WriterHealth::Failing { message, .. } => {
                HostEvent::JournalHealth { failing: true, message: Some(message.clone()) }
            }
        };
        send_event(&events, event);
    }
}

/// Removes the directories of servers that were deleted permanently.
async fn remove_directories(directories: Vec<PathBuf>) {
    for directory in directories {
        if let Err(error) = tokio::fs::remove_dir_all(&directory).await {
            tracing::warn!(%error, "could not remove a directory of a removed server: {}", directory.display());
        }
    }
}

/// A callback that sends changes of the Inbox to front ends.
fn inbox_event_callback(events: broadcast::Sender<HostEvent>) -> mooring_inbox::OnInboxChange {
    Arc::new(move |changed| {
        let event = match changed {
            mooring_inbox::InboxChange::Inbox => HostEvent::InboxChanged,
            mooring_inbox::InboxChange::Server(id) => HostEvent::ServerChanged { id },
        };
        send_event(&events, event);
    })
}
