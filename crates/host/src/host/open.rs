//! Opens a data folder: one constructor for each part of the host, and the tasks that run beside them.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mooring_accounts::{ServerSecretValues, SignInAttempts, SignInService};
use mooring_app_access::{AppActivity, AppAdmission, TerminalAdmission, default_level};
use mooring_approvals::{AppStore, NetworkStore, OnNetworkChange, RuleStore, Trust};
use mooring_connections::{ConnectionFactory, Dialer, EraCache, Registry};
use mooring_disk::StoreError;
use mooring_errors::HostError;
use mooring_folders::{Folders, FoldersChange, OnFoldersChange, RootGrants};
use mooring_icons::IconCache;
use mooring_inbox::{AppResponders, InboxChange, Interactions, OnInboxChange};
use mooring_mcp::{ClientOptions, Extension, http_client};
use mooring_network::Network;
use mooring_process::{
    FolderLock, LoginShell, MemoryTrimmer, ShutdownGrace, StartQueue, claim_home, raise_file_limit,
};
use mooring_profiles::{OnProfilesChange, Profiles, ProfilesChange};
use mooring_recorder::{Journal, KnownSecrets};
use mooring_registry::{FetchLimits, RegistryCopy};
use mooring_sampling::SamplingService;
use mooring_server_state::{HostEvent, event_callback, send_event, server_event_callback};
use mooring_settings::Settings;
use mooring_store::{Store, TableChanges, WriterHealth, WriterOptions};
use mooring_words::Sentence;
use tokio::sync::{Mutex, broadcast, watch};
use tokio::task::JoinSet;

use super::{
    Host, HostState, REMOVED_SERVER_GRACE, accounts, backup, bundles, lock_folder, log, models, servers,
    vault,
};
use crate::options::HostOptions;
use crate::responder::ResponderFactory;

/// How many events a receiver may fall behind before it has to read all views again.
const EVENT_CAPACITY: usize = 256;
/// How long a server may take to exit after a command. It is short because a person waits for the next
/// prompt.
const COMMANDS_GRACE: ShutdownGrace =
    ShutdownGrace { stdin: Duration::from_secs(1), term: Duration::from_secs(1) };
/// The database key for settings that could not be read.
const REJECTED_SETTINGS_KEY: &str = "settings-set-aside";
/// The database key of the settings.
const SETTINGS: &str = "settings";

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
        let (may_start, ready) = watch::channel(false);
        let base = Base::open(options).await?;
        let network_settings = base.network_settings().await?;
        let sign_ins = base.sign_ins()?;
        let grants = Arc::new(RootGrants::new(base.store.roots()));
        let responders = base.responders(base.models(&sign_ins).await?, Arc::clone(&grants));
        let (rules, apps, trust) = (base.rules().await?, base.apps().await?, base.trust());
        let dialer = Arc::new(Dialer {
            client: base.client(),
            settings: base.settings.subscribe(),
            login: LoginShell::new(ready),
            eras: EraCache(base.store.known_eras()),
            secrets: ServerSecretValues::new(&base.store, sign_ins.vault().clone()),
            sign_ins,
            trust,
            network: network_settings,
            journal: Arc::clone(&base.journal),
            log: base.store.log(),
            starts: StartQueue::default(),
        });
        let connections = base.connections(&dialer, &rules, &apps, &responders);
        let registry = base.registry(&dialer, &connections);
        let folders = base.folders(grants, &registry);
        let catalog =
            RegistryCopy::new(&base.user_agent(), &base.store, &base.network, FetchLimits::default());
        let profiles = base.profiles(&folders, &registry).await?;
        let Base { options, store, lock, settings, network, journal, events } = base;
        let mut state = HostState {
            login: dialer.login.clone(),
            sign_ins: dialer.sign_ins.clone(),
            secrets: dialer.secrets.clone(),
            trust: Arc::clone(&dialer.trust),
            network_settings: Arc::clone(&dialer.network),
            app_admission: AppAdmission::default(),
            terminals: TerminalAdmission::default(),
            app_activity: AppActivity::new(event_callback(&events, HostEvent::AppActivityChanged)),
            attempts: SignInAttempts::new(server_event_callback(&events, |id| HostEvent::SignInChanged {
                id,
            })),
            icons: IconCache::default(),
            catalog,
            loads: Arc::default(),
            installing: Mutex::default(),
            adding_bundle: Mutex::default(),
            unpacking: Arc::default(),
            options,
            store,
            journal,
            connections,
            rules,
            apps,
            events,
            responders,
            folders,
            profiles,
            registry,
            settings,
            network,
            lock,
            tasks: JoinSet::new(),
        };
        state.tasks.spawn(async move {
            quiet.await;
            may_start.send_replace(true);
        });
        state.start().await?;
        Ok(Self { inner: Arc::new(state) })
    }
}

/// What every part of the host is built on.
struct Base {
    options: HostOptions,
    store: Store,
    lock: FolderLock,
    settings: watch::Sender<Settings>,
    network: Network,
    journal: Arc<Journal>,
    events: broadcast::Sender<HostEvent>,
}

impl Base {
    async fn open(options: HostOptions) -> Result<Self, HostError> {
        raise_file_limit();
        let store = Store::open(&options.home).await?;
        claim_home(&options.home);
        for path in store.restricted_paths() {
            tracing::warn!(path = %path.display(), "others could write to this, and no longer can");
        }
        let lock = if options.supervise { lock_folder(&options.home).await? } else { FolderLock::unlocked() };
        let settings = load_settings(&store).await?;
        let bounds = WriterOptions {
            keep_bytes: settings.max_log_bytes(),
            keep_for: settings.log_age(),
            ..WriterOptions::default()
        };
        let writer = options.journal.then(|| store.start_writer_at(bounds, options.clock.clone()));
        let journal =
            Journal::new(writer).map_err(|error| HostError::Internal(Sentence::quoted(error.to_string())))?;
        Ok(Self {
            options,
            store,
            lock,
            settings: watch::Sender::new(settings),
            network: Network::default(),
            journal: Arc::new(journal),
            events: broadcast::Sender::new(EVENT_CAPACITY),
        })
    }

    /// How Mooring names itself in HTTP requests.
    fn user_agent(&self) -> String {
        format!("{}/{}", self.options.client_name, self.options.client_version)
    }

    fn client(&self) -> ClientOptions {
        let HostOptions { client_name, client_version, supervise, .. } = self.options;
        let http = http_client(&self.user_agent(), &self.network);
        let mut client = ClientOptions::new(client_name, client_version, http);
        client.extensions = vec![Extension::tasks(), Extension::pages()];
        if !supervise {
            client.grace = COMMANDS_GRACE;
        }
        client
    }

    async fn network_settings(&self) -> Result<Arc<NetworkStore>, HostError> {
        let (shown, changed) =
            (self.settings.clone(), event_callback(&self.events, HostEvent::SettingsChanged));
        let follow: OnNetworkChange = Arc::new(move |network| {
            shown.send_modify(|settings| settings.follow(network));
            changed();
        });
        Ok(Arc::new(NetworkStore::open(self.store.settings(), self.network.clone(), follow).await?))
    }

    fn sign_ins(&self) -> Result<SignInService, HostError> {
        let Self { options, store, network, .. } = self;
        let logins = Arc::new(self.journal.recorder(None, "logins".into(), KnownSecrets::default()));
        Ok(SignInService::open_with(store, &options.home, (options.vault)(), network, Some(logins))?)
    }

    async fn models(&self, sign_ins: &SignInService) -> Result<Arc<SamplingService>, HostError> {
        let models = SamplingService::new(
            &self.store,
            sign_ins.vault().clone(),
            Arc::clone(&self.journal),
            event_callback(&self.events, HostEvent::ModelsChanged),
            &self.network,
            &self.user_agent(),
        );
        models.load().await?;
        Ok(Arc::new(models))
    }

    fn responders(&self, models: Arc<SamplingService>, folders: Arc<RootGrants>) -> Arc<ResponderFactory> {
        let Self { options, store, events, .. } = self;
        let on_change = inbox_event_callback(events.clone());
        let interactions = Interactions::new(store, on_change, options.browser, options.clock.clone());
        if !options.has_person {
            interactions.set_nobody();
        }
        Arc::new(ResponderFactory {
            answers: OnceLock::new(),
            interactions: Arc::new(interactions),
            models,
            folders,
            servers: store.servers(),
            events: events.clone(),
            apps: AppResponders::default(),
            supervise: options.supervise,
            has_person: options.has_person,
            declares_as_gateway: AtomicBool::default(),
        })
    }

    async fn rules(&self) -> Result<Arc<RuleStore>, HostError> {
        let changed = event_callback(&self.events, HostEvent::RulesChanged);
        Ok(Arc::new(RuleStore::open(self.store.rules(), changed, self.options.supervise).await?))
    }

    async fn apps(&self) -> Result<Arc<AppStore>, HostError> {
        let (tables, changed) = (
            (self.store.apps(), self.store.app_keys()),
            event_callback(&self.events, HostEvent::AppsChanged),
        );
        Ok(Arc::new(AppStore::open(tables, default_level, changed).await?))
    }

    fn trust(&self) -> Arc<Trust> {
        let (home, supervise) = (self.options.home.clone(), self.options.supervise);
        let supervised_elsewhere = Arc::new(move || !supervise && FolderLock::is_held(&home));
        let changed = server_event_callback(&self.events, |id| HostEvent::TrustChanged { id });
        Arc::new(Trust::new(&self.store, changed, supervised_elsewhere))
    }

    fn connections(
        &self,
        dialer: &Arc<Dialer>,
        rules: &Arc<RuleStore>,
        apps: &Arc<AppStore>,
        responders: &Arc<ResponderFactory>,
    ) -> Arc<ConnectionFactory> {
        let responders = Arc::clone(responders);
        Arc::new(ConnectionFactory::new(
            Arc::clone(dialer),
            Arc::clone(rules),
            Arc::clone(apps),
            Box::new(move |spec| responders.make(spec)),
            self.events.clone(),
        ))
    }

    fn registry(&self, dialer: &Dialer, connections: &Arc<ConnectionFactory>) -> Arc<Registry> {
        Arc::new(Registry::new(
            self.store.servers(),
            Arc::clone(connections),
            dialer,
            self.events.clone(),
            self.options.home.join("servers"),
            self.options.supervise,
        ))
    }

    fn folders(&self, grants: Arc<RootGrants>, registry: &Arc<Registry>) -> Folders {
        let (registry, events) = (Arc::clone(registry), self.events.clone());
        let announce: OnFoldersChange = Arc::new(move |change| {
            match change {
                FoldersChange::AllServers => registry.notify_roots_changed(None),
                FoldersChange::Servers(servers) => {
                    for server in servers {
                        registry.notify_roots_changed(Some(server));
                    }
                }
            }
            send_event(&events, HostEvent::RootsChanged);
        });
        Folders::new(grants, self.store.servers(), announce)
    }

    /// The profiles. Their changes start and stop servers, and change the folders that servers see.
    async fn profiles(&self, folders: &Folders, registry: &Arc<Registry>) -> Result<Profiles, HostError> {
        let (folders, registry, events) = (folders.clone(), Arc::clone(registry), self.events.clone());
        let changed: OnProfilesChange = Arc::new(move |change| match change {
            ProfilesChange::Profiles(visible) => {
                folders.set_visible(visible);
                send_event(&events, HostEvent::ProfilesChanged);
            }
            ProfilesChange::Needed(needed) => registry.set_needed_servers(needed),
        });
        Ok(Profiles::open(self.store.settings(), changed).await?)
    }
}

impl HostState {
    /// Starts the servers, and the tasks that run beside them.
    async fn start(&mut self) -> Result<(), HostError> {
        let Self { store, sign_ins, rules, apps, trust, network_settings, options, .. } = &*self;
        vault::register_opened_hook(store, sign_ins, rules, apps, trust, network_settings);
        // Every open window can restore a removed server, even for a while after this process starts.
        let restorable = if options.supervise { Duration::ZERO } else { REMOVED_SERVER_GRACE };
        let purged = store.servers().purge_removed(restorable).await?;
        if options.has_person {
            self.responders.interactions.begin_run().await?;
        }
        let listed = self.events.subscribe();
        self.registry.reconcile().await?;
        let (changes, watching) = self.store.watch();
        self.tasks.spawn(watching);
        self.tasks.spawn(trim_memory());
        if purged > 0 && !self.options.supervise {
            let bundles = bundles::bundles_folder(&self.options.home);
            self.tasks.spawn(bundles::clean_in_background(self.store.clone(), bundles));
        }
        let rules = Arc::clone(&self.rules);
        self.tasks.spawn(async move { rules.flush_periodically().await });
        if let Some(writer) = self.journal.writer() {
            self.tasks.spawn(announce_health(writer.health(), self.events.clone()));
        }
        let (vault, secrets) = (self.sign_ins.vault().clone(), self.store.secrets());
        self.tasks.spawn(vault::watch(vault, secrets, self.events.clone(), self.options.supervise));
        if self.options.supervise {
            self.spawn_supervision(listed, &changes).await;
        }
        Ok(())
    }

    /// Starts what only the process does that keeps the saved servers running.
    async fn spawn_supervision(&mut self, listed: broadcast::Receiver<HostEvent>, changes: &TableChanges) {
        let Self { store, registry, events, responders, tasks, .. } = self;
        tasks.spawn(remove_directories(registry.orphaned_directories().await));
        let (login, found) = (self.login.clone(), event_callback(events, HostEvent::AppChanged));
        tasks.spawn(async move {
            login.path().await;
            found();
        });
        let backed_up = event_callback(events, HostEvent::AppChanged);
        tasks.spawn(backup::back_up_daily(store.clone(), self.options.home.clone(), backed_up));
        let bundles = bundles::bundles_folder(&self.options.home);
        tasks.spawn(servers::purge_removed(store.clone(), bundles));
        tasks.spawn(log::announce_size(store.clone(), events.clone()));
        tasks.spawn(Arc::clone(registry).watch_changes(changes.clone()));
        tasks.spawn(Arc::clone(registry).end_unheld_instances());
        tasks.spawn(Arc::clone(registry).retry_on_new_network());
        tasks.spawn(Arc::clone(registry).try_sessions(listed));
        tasks.spawn(accounts::watch(store.clone(), Arc::clone(registry), events.clone(), changes.clone()));
        let (network, sign_ins) = (Arc::clone(&self.network_settings), self.sign_ins.clone());
        let of_network = changes.clone();
        tasks.spawn(async move {
            if network.is_waiting() {
                sign_ins.open_existing_vault().await;
            }
            network.watch(of_network).await;
        });
        let (apps, of_apps) = (Arc::clone(&self.apps), changes.clone());
        tasks.spawn(async move { apps.watch(of_apps).await });
        let (trust, servers, of_pins) = (Arc::clone(&self.trust), Arc::clone(registry), changes.clone());
        tasks.spawn(async move { trust.watch(of_pins, |id| servers.restart_if_changed(id)).await });
        tasks.spawn(models::watch(Arc::clone(responders), Arc::clone(registry), changes.clone()));
        tasks.spawn(self.folders.clone().watch(changes.clone()));
        tasks.spawn(self.profiles.clone().watch(changes.clone()));
        let measured = Arc::clone(registry);
        tasks.spawn(Arc::clone(&self.loads).measure(move || servers::running_programs(&measured)));
    }
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
fn inbox_event_callback(events: broadcast::Sender<HostEvent>) -> OnInboxChange {
    Arc::new(move |changed| {
        let event = match changed {
            InboxChange::Inbox => HostEvent::InboxChanged,
            InboxChange::Server(id) => HostEvent::ServerChanged { id },
        };
        send_event(&events, event);
    })
}
