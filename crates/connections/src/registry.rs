//! The saved servers and their connections. The database has the desired state. [`Registry::reconcile`]
//! starts and stops connections to match it, also after changes of other processes.

mod declared;
mod instances;
mod left_out;
mod retry;
mod session_trial;
mod views;

use std::collections::btree_map::Entry as MapEntry;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use mooring_accounts::{LocalSignIns, ServerSecretValues, SignInService};
use mooring_approvals::{Trust, settings_hash};
use mooring_base::server_id::ServerId;
use mooring_definitions::{NewServer, SavedServer, Transport, check_header_origins};
use mooring_disk::StoreError;
use mooring_errors::{HostError, failure};
use mooring_instances::{InstancePool, SharedClaims};
use mooring_process::LoginShell;
use mooring_roots::AppRoots;
use mooring_server_state::{HostEvent, RestartPolicy, send_event};
use mooring_store::{Servers, TableChanges};
use mooring_vault::VaultState;
use mooring_words::{Sentence, say};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinSet;

pub use self::session_trial::read_all_lists;
use crate::connection::shared::Restart;
use crate::connection::{
    Connection, ConnectionFactory, ConnectionRole, ConnectionSpec, Dialer, Handle, Predecessor,
};
use crate::era_cache;
use crate::launch::{self, LaunchContext};

/// The saved servers and their connections.
pub struct Registry {
    table: Servers,
    connections: Arc<ConnectionFactory>,
    login: LoginShell,
    sign_ins: SignInService,
    secrets: ServerSecretValues,
    trust: Arc<Trust>,
    events: broadcast::Sender<HostEvent>,
    /// When the person last viewed disconnected servers.
    last_look: Mutex<Option<Instant>>,
    /// The parent of the servers' private directories.
    folder: PathBuf,
    /// Whether this process keeps servers running.
    supervise: bool,
    entries: Mutex<BTreeMap<ServerId, ServerEntry>>,
    /// Instances for apps, in addition to the connection of each entry.
    instances: Arc<InstancePool<Connection>>,
    /// Which app uses each shared connection of a server that needs a separate connection per app.
    pub claims: SharedClaims,
    /// The servers that the profiles in use need. `None` means all.
    needed: Mutex<Option<BTreeSet<ServerId>>>,
    /// Connections that are closing.
    closing: Mutex<ClosingConnections>,
    /// Every server seen since the first reconciliation. A server that is missing here was added by another
    /// process, unless `adding` has its name.
    known: Mutex<Option<HashSet<ServerId>>>,
    /// The names of servers that this process is adding.
    adding: Mutex<HashSet<String>>,
    /// The sign-ins of this process, running or finished.
    pub signing_in: LocalSignIns,
    /// Serializes changes. The value is whether the host is shut down. Only the shutdown waits for servers
    /// while it holds this lock.
    change_lock: tokio::sync::Mutex<bool>,
}

#[derive(Default)]
struct ClosingConnections {
    tasks: JoinSet<()>,
    /// No values are sent. A server's channel closes when the last of its connections has closed.
    ends: BTreeMap<ServerId, watch::Receiver<()>>,
}

/// What a connection has to do after a change of its server.
#[derive(Debug, Clone, Copy)]
enum Change {
    Start,
    /// Wait for a use.
    Sleep,
    Stop,
}

struct ServerEntry {
    server: SavedServer,
    connection: Option<Connection>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    /// Creates a registry for the servers of `table`, connected through `connections`.
    pub fn new(
        table: Servers,
        connections: Arc<ConnectionFactory>,
        dialer: &Dialer,
        events: broadcast::Sender<HostEvent>,
        folder: PathBuf,
        supervise: bool,
    ) -> Self {
        Self {
            table,
            login: dialer.login.clone(),
            sign_ins: dialer.sign_ins.clone(),
            secrets: dialer.secrets.clone(),
            trust: Arc::clone(&dialer.trust),
            connections,
            events,
            folder,
            last_look: Mutex::default(),
            supervise,
            entries: Mutex::default(),
            instances: Arc::default(),
            claims: SharedClaims::default(),
            needed: Mutex::default(),
            closing: Mutex::default(),
            known: Mutex::default(),
            adding: Mutex::default(),
            signing_in: LocalSignIns::default(),
            change_lock: tokio::sync::Mutex::default(),
        }
    }

    /// The private directories of servers that were deleted permanently. Only valid at startup, when no
    /// removed server can be restored any more.
    pub async fn orphaned_directories(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        // Without this folder, no server has a private directory yet.
        let Ok(mut directories) = tokio::fs::read_dir(&self.folder).await else { return found };
        while let Ok(Some(directory)) = directories.next_entry().await {
            let id = directory.file_name().to_str().and_then(|name| name.parse().ok()).map(ServerId);
            if id.is_some_and(|id| !lock(&self.entries).contains_key(&id)) {
                found.push(directory.path());
            }
        }
        found
    }

    /// Starts and stops servers to match the saved ones, without waiting for them.
    pub async fn reconcile(&self) -> Result<(), HostError> {
        let is_shut = self.change_lock.lock().await;
        if *is_shut {
            return Ok(());
        }
        let servers = self.list_servers().await?;
        for SavedServer { row, .. } in &servers {
            if let Err(error) = self.trust.load(ServerId(row.id)).await {
                tracing::warn!(server = row.id, %error, "what was approved of a server could not be read");
            }
        }
        let sleepers = self.find_sleepers(&servers).await?;
        let mut changes: Vec<(Handle, Change)> = Vec::new();
        let mut changed = Vec::new();
        let added = self.find_added_elsewhere(&servers);
        let (mut is_other_list, mut are_other_secrets) = (false, false);
        {
            let mut entries = lock(&self.entries);
            let gone: Vec<ServerId> = entries
                .keys()
                .filter(|id| servers.iter().all(|saved| saved.row.id != id.0))
                .copied()
                .collect();
            for id in gone {
                is_other_list = true;
                let Some(entry) = entries.remove(&id) else { continue };
                self.end_instances(Some(id));
                are_other_secrets |= !entry.server.row.secrets.is_empty();
                if let Some(connection) = entry.connection {
                    self.close_in_background(id, connection);
                }
            }
            for server in servers {
                let id = ServerId(server.row.id);
                match entries.entry(id) {
                    MapEntry::Vacant(vacant) => {
                        is_other_list = true;
                        are_other_secrets |= !server.row.secrets.is_empty();
                        // If a removal was undone, the new connection starts after the previous one has ended.
                        let connection = self.supervise.then(|| {
                            self.make_connection(&server, self.predecessor(id), ConnectionRole::SHARED, None)
                        });
                        if let Some(connection) = &connection
                            && server.row.enabled
                        {
                            let change = self.run_change(id, sleepers.contains(&id));
                            if matches!(change, Change::Sleep) {
                                connection
                                    .handle()
                                    .shared
                                    .roots_habit
                                    .note_earlier(server.row.asks_for_roots);
                            }
                            changes.push((connection.handle().clone(), change));
                        }
                        vacant.insert(ServerEntry { server, connection });
                    }
                    MapEntry::Occupied(mut occupied) => {
                        let entry = occupied.get_mut();
                        if entry.server == server {
                            continue;
                        }
                        is_other_list |= entry.server.row.name != server.row.name;
                        are_other_secrets |= entry.server.row.secrets != server.row.secrets;
                        changed.push(id);
                        if let Some(change) = self.update_entry(entry, server, sleepers.contains(&id)) {
                            changes.push(change);
                        }
                    }
                }
            }
        }
        for (handle, change) in changes {
            match change {
                Change::Start => handle.start_in_turn(),
                Change::Sleep => handle.sleep_when_unused(),
                Change::Stop => handle.request_stop(),
            }
        }
        let list = is_other_list.then_some(HostEvent::ServersChanged);
        let secrets = are_other_secrets.then_some(HostEvent::AccountsChanged);
        let changed = changed.into_iter().map(|id| HostEvent::ServerChanged { id });
        for event in list.into_iter().chain(secrets).chain(changed).chain(added) {
            send_event(&self.events, event);
        }
        Ok(())
    }

    /// The saved servers, with their definitions.
    async fn list_servers(&self) -> Result<Vec<SavedServer>, HostError> {
        Ok(self.table.list().await?.into_iter().map(SavedServer::from).collect())
    }

    /// Events for the servers that another process added since the last reconciliation.
    fn find_added_elsewhere(&self, servers: &[SavedServer]) -> Vec<HostEvent> {
        let mut known = lock(&self.known);
        let is_first = known.is_none();
        let known = known.get_or_insert_default();
        let adding = lock(&self.adding);
        let rows = servers.iter().map(|server| &server.row);
        let new = rows.filter(|row| known.insert(ServerId(row.id)) && !adding.contains(&row.name));
        let events = new.map(|row| HostEvent::ServerAddedElsewhere {
            id: ServerId(row.id),
            name: row.name.as_str().into(),
        });
        let events: Vec<HostEvent> = events.collect();
        if is_first || !self.supervise { Vec::new() } else { events }
    }

    /// The servers that start on first use and whose offers are known, so that they can wait for it.
    async fn find_sleepers(&self, servers: &[SavedServer]) -> Result<HashSet<ServerId>, HostError> {
        let mut sleepers = HashSet::new();
        for SavedServer { row, config } in servers {
            let id = ServerId(row.id);
            if config.starts_on_use() && self.trust.remembered(id).await?.is_listed() {
                sleepers.insert(id);
            }
        }
        Ok(sleepers)
    }

    /// Updates an entry with a changed row. Returns what its connection has to do, if anything. With
    /// `may_sleep`, a server that is enabled waits for its first use.
    fn update_entry(
        &self,
        entry: &mut ServerEntry,
        server: SavedServer,
        may_sleep: bool,
    ) -> Option<(Handle, Change)> {
        let before = std::mem::replace(&mut entry.server, server);
        let SavedServer { row, config } = &entry.server;
        let toggled = before.row.enabled != row.enabled;
        let new_start = before.config.needs_restart(config) || before.row.secrets != row.secrets;
        let id = ServerId(row.id);
        if new_start || toggled {
            self.end_instances(Some(id));
        }
        let connection = entry.connection.take()?;
        let connection = if new_start {
            let next = Some(Box::pin(connection.close()) as Predecessor);
            let next = self.make_connection(&entry.server, next, ConnectionRole::SHARED, None);
            next.handle().shared.set_restarting(row.enabled && !toggled);
            next
        } else {
            let defaults = self.call_defaults(id, config);
            self.instances.map(Some(id), |_, _, own, _| {
                own.handle().shared.set_call_defaults(defaults.clone());
                own.handle().sleep_when_unused();
            });
            connection.handle().shared.set_call_defaults(defaults);
            connection
        };
        let handle = connection.handle().clone();
        entry.connection = Some(connection);
        if toggled || (new_start && row.enabled) {
            let change = self.run_change(id, may_sleep && !new_start);
            return Some((handle, if row.enabled { change } else { Change::Stop }));
        }
        let is_other_rule = row.enabled && before.config.start != config.start;
        let change = self.run_change(id, config.starts_on_use());
        is_other_rule.then_some((handle, change))
    }

    fn make_connection(
        &self,
        server: &SavedServer,
        predecessor: Option<Predecessor>,
        role: ConnectionRole,
        roots: Option<AppRoots>,
    ) -> Connection {
        let SavedServer { row, config } = server;
        let spec = ConnectionSpec {
            server: Some(ServerId(row.id)),
            secrets_of: Some(ServerId(row.id)),
            config: config.clone(),
            launch_context: self.launch_context(row.id),
            restart_policy: if role.is_trial() { RestartPolicy::Never } else { RestartPolicy::Reconnect },
            start_timeout: None,
            max_message: None,
            era: role.era_to_try(era_cache::era_choice(config.era)),
            redetect_era: false,
            account: None,
            role,
            roots,
        };
        let connection = self.connections.make(spec, predecessor);
        connection.handle().shared.set_call_defaults(self.call_defaults(ServerId(row.id), config));
        connection
    }

    /// The launch context of the saved server `id`.
    pub fn launch_context(&self, id: i64) -> LaunchContext {
        LaunchContext::Saved { private: self.folder.join(id.to_string()) }
    }

    fn close_in_background(&self, id: ServerId, connection: Connection) {
        let mut leaving = lock(&self.closing);
        while leaving.tasks.try_join_next().is_some() {}
        leaving.ends.retain(|_, end| end.has_changed().is_ok());
        let (going, end) = watch::channel(());
        leaving.ends.insert(id, end);
        leaving.tasks.spawn(async move {
            connection.close().await;
            drop(going);
        });
    }

    /// Completes when the previous connections of a server have closed.
    fn predecessor(&self, id: ServerId) -> Option<Predecessor> {
        let mut end = lock(&self.closing).ends.get(&id).cloned()?;
        Some(Box::pin(async move { while end.changed().await.is_ok() {} }))
    }

    /// Reconciles whenever another process may have changed the saved servers. Never returns.
    pub async fn watch_changes(self: Arc<Self>, mut changes: TableChanges) {
        let mut vault = self.sign_ins.vault().state();
        loop {
            let reconciled = self.reconcile().await;
            if matches!(*vault.borrow_and_update(), VaultState::Open { .. }) {
                self.start_vault_waiters();
            }
            tokio::select! {
                () = changes.changed_after(reconciled, "the saved servers could not be read") => {}
                // The vault outlives this task.
                _changed = vault.changed() => {}
            }
        }
    }

    fn start_vault_waiters(&self) {
        for entry in lock(&self.entries).values().filter(|entry| entry.server.row.enabled) {
            if let Some(connection) = &entry.connection
                && connection.handle().is_waiting_for_vault()
            {
                connection.handle().start_in_turn();
            }
        }
    }

    /// Forgets the durations of calls, because the log was deleted.
    pub fn forget_call_times(&self) {
        for connection in lock(&self.entries).values().filter_map(|entry| entry.connection.as_ref()) {
            let shared = &connection.handle().shared;
            shared.calls().clear();
            shared.announce_change();
        }
    }

    /// Stops all servers in parallel.
    pub async fn shutdown(&self) {
        let mut is_shut = self.change_lock.lock().await;
        *is_shut = true;
        for (id, entry) in std::mem::take(&mut *lock(&self.entries)) {
            if let Some(connection) = entry.connection {
                self.close_in_background(id, connection);
            }
        }
        self.end_instances(None);
        let mut leaving = std::mem::take(&mut lock(&self.closing).tasks);
        while leaving.join_next().await.is_some() {}
    }

    /// Saves a server and, when servers are kept running, starts it.
    pub async fn add(&self, server: NewServer) -> Result<ServerId, HostError> {
        let name = server.name.trim().to_owned();
        lock(&self.adding).insert(name.clone());
        let added = async {
            let saved = self.save(None, server).await?;
            self.record_saved_definition(&saved).await;
            self.reconcile().await?;
            Ok(ServerId(saved.row.id))
        };
        let added = added.await;
        lock(&self.adding).remove(&name);
        added
    }

    /// Encrypts the secrets and saves the server, together with the hash of the definition that the person
    /// saved, in one transaction.
    async fn save(&self, id: Option<ServerId>, server: NewServer) -> Result<SavedServer, HostError> {
        let server = server.validated()?;
        let sealed = &self.secrets;
        let internal = |error: serde_json::Error| HostError::Internal(Sentence::quoted(error.to_string()));
        let edit = settings_hash(&server).map_err(internal)?;
        let document = server.to_document().map_err(internal)?;
        // A secret is encrypted for the id of its server, which the store assigns.
        let secrets = |id: i64| {
            let url = server.url.as_deref().filter(|_| server.transport == Transport::Http);
            sealed.encrypt(id, url, &server.secrets).map_err(|_| StoreError::WrongKey)
        };
        let write = async || match id {
            None => self.table.insert(&server.name, &document, &secrets, Some(&edit)).await,
            Some(id) => self.table.update(id.0, &server.name, &document, &secrets, Some(&edit)).await,
        };
        sealed.open_vault_if_needed(&server.secrets).await?;
        self.sign_ins.open_existing_vault().await;
        let row = match write().await {
            Err(StoreError::WrongKey) => {
                // Another process has changed the key in the meantime.
                sealed.refresh().await?;
                write().await?
            }
            written => written?,
        };
        let saved = SavedServer::from(row);
        self.trust.approve_edit(ServerId(saved.row.id), &saved.config).await?;
        Ok(saved)
    }

    /// Validates and saves new settings of a server. [`Self::reconcile`] applies them.
    pub async fn save_changed(&self, id: ServerId, server: NewServer) -> Result<(), HostError> {
        let before = lock(&self.entries).get(&id).map(|entry| entry.server.config.clone());
        if let Some(before) = before {
            check_header_origins(&before, &server)?;
        }
        let saved = self.save(Some(id), server).await?;
        self.record_saved_definition(&saved).await;
        Ok(())
    }

    /// When a server is saved, finds its program and records its definition, with which its first start is
    /// compared. The first start records the definition instead if the program is not installed yet, or if
    /// this process could find another program than the window because its PATH may differ.
    async fn record_saved_definition(&self, server: &SavedServer) {
        let SavedServer { row, config } = server;
        let Some(command) = &config.command else { return };
        if !self.supervise && !command.contains(std::path::is_separator) {
            return;
        }
        let id = ServerId(row.id);
        let found = match launch::prepare(config, &self.launch_context(row.id), &self.login, Vec::new()).await
        {
            Ok(found) => {
                failure::require_approved(self.trust.admit(id, config, found.program.as_deref()).await)
            }
            Err(failure) => Err(failure),
        };
        if let Err(failure) = found {
            tracing::debug!(reason = %failure.message, "the program is found out when it is started");
        }
    }

    /// Removes a server. [`Self::restore`] undoes that.
    pub async fn remove(&self, id: ServerId) -> Result<(), HostError> {
        self.table.remove(id.0).await?;
        self.reconcile().await
    }

    /// Restores a removed server.
    pub async fn restore(&self, id: ServerId) -> Result<(), HostError> {
        self.table.restore(id.0).await?;
        self.reconcile().await
    }

    /// Enables and starts a server.
    pub async fn start(&self, id: ServerId) -> Result<(), HostError> {
        self.set_enabled(id, true).await?;
        if let Some(handle) = self.find_handle(id) {
            handle.start();
        }
        Ok(())
    }

    /// Stops a server with all its instances, and disables it.
    pub async fn stop(&self, id: ServerId) -> Result<(), HostError> {
        self.stop_instances(id).await;
        self.set_enabled(id, false).await?;
        if let Some(handle) = self.find_handle(id) {
            handle.shared.set_restarting(false);
            handle.stop().await;
        }
        Ok(())
    }

    /// Restarts a server with all its instances, and enables it.
    pub async fn restart(&self, id: ServerId) -> Result<(), HostError> {
        let handle = self.find_handle(id);
        let restart = handle.as_ref().map(|handle| Restart::of(&handle.shared));
        self.stop_instances(id).await;
        if let Some(handle) = &handle {
            handle.stop().await;
        }
        self.start(id).await?;
        restart.into_iter().for_each(Restart::mark_started);
        Ok(())
    }

    /// Restarts a server if it is enabled, without waiting for it.
    pub fn restart_if_enabled(&self, id: ServerId) {
        if let Some(handle) = self.find_handle(id).filter(|_| self.is_enabled(id)) {
            self.end_instances(Some(id));
            handle.restart_in_turn();
        }
    }

    /// Enables a server. It starts when it is its turn, or with its first use.
    pub async fn enable(&self, id: ServerId) -> Result<(), HostError> {
        self.set_enabled(id, true).await
    }

    async fn set_enabled(&self, id: ServerId, enabled: bool) -> Result<(), HostError> {
        self.table.set_enabled(id.0, enabled).await?;
        self.reconcile().await
    }

    /// Sets whether icons may be loaded from the URLs that a server names.
    pub async fn set_loads_icons(&self, id: ServerId, loads: bool) -> Result<(), HostError> {
        self.table.set_loads_icons(id.0, loads).await?;
        self.reconcile().await
    }

    /// Whether a saved server should run.
    pub fn is_enabled(&self, id: ServerId) -> bool {
        lock(&self.entries).get(&id).is_some_and(|entry| entry.server.row.enabled)
    }

    /// The connection of a saved server, if it has one.
    pub fn find_handle(&self, id: ServerId) -> Option<Handle> {
        lock(&self.entries).get(&id)?.connection.as_ref().map(|connection| connection.handle().clone())
    }

    /// The connection of a saved server.
    pub fn handle(&self, id: ServerId) -> Result<Handle, HostError> {
        let entries = lock(&self.entries);
        let entry = entries.get(&id).ok_or(HostError::ServerNotFound(id))?;
        match &entry.connection {
            Some(connection) => Ok(connection.handle().clone()),
            None => Err(HostError::NotConnected {
                name: entry.server.row.name.clone(),
                why: Some(say!("only the window keeps saved servers running")),
            }),
        }
    }

    /// The server with this name.
    pub fn by_name(&self, name: &str) -> Result<SavedServer, HostError> {
        let entries = lock(&self.entries);
        let found = entries.values().find(|entry| entry.server.row.name == name);
        found.map(|entry| entry.server.clone()).ok_or_else(|| HostError::NameNotFound {
            name: name.to_owned(),
            known: entries.values().map(|entry| entry.server.row.name.clone()).collect(),
        })
    }

    /// Whether a saved server has this name.
    pub fn has_name(&self, name: &str) -> bool {
        lock(&self.entries).values().any(|entry| entry.server.row.name == name)
    }
}
