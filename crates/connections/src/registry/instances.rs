//! Instances of saved servers in addition to the one that all apps share.

use std::sync::Arc;
use std::time::Duration;

use mooring_approvals::ListedIn;
use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_instances::{
    Held, InstanceId, InstanceKey, InstanceRule, InstanceUse, Lease, PoolFull, Separation,
};
use mooring_mcp::{Era, EraChoice};
use mooring_revisions::OfferKind;
use mooring_server_state::{HostEvent, InstanceView, send_event};
use mooring_store::ServerRow;
use mooring_words::{Sentence, say};
use tokio::task::JoinSet;

use super::{Registry, ServerEntry, lock};
use crate::connection::{Connection, ConnectionRole, Handle};

/// How often to check for unused instances.
const LOOK_FOR_UNHELD: Duration = Duration::from_secs(30);

impl Registry {
    /// The connection of an instance, with a lease that prevents its eviction during use.
    pub fn instance(&self, id: InstanceId) -> Result<(Handle, Option<InstanceUse<Connection>>), HostError> {
        if id.number == 0 {
            return Ok((self.handle(id.server)?, None));
        }
        let found = self.instances.begin_use(id.number, |connection| connection.handle().clone());
        let (handle, using) =
            found.ok_or_else(|| self.no_instance(id.server, say!("its instance has ended")))?;
        Ok((handle, Some(using)))
    }

    fn no_instance(&self, server: ServerId, why: Sentence) -> HostError {
        let name = self.name_and_state(server.into()).map(|(name, _)| name);
        name.map_or(HostError::ServerNotFound(server), |name| HostError::NotConnected {
            name,
            why: Some(why),
        })
    }

    /// How to separate the calls of apps of this era at a server. `app` is named as the one that wakes it, if
    /// that has to be found out first.
    pub async fn separation(
        &self,
        server: ServerId,
        era: ListedIn,
        app: Option<&str>,
    ) -> Result<Separation, HostError> {
        let in_session = era == ListedIn::Session && self.trust.remembered(server).await?.speaks_session();
        if !in_session {
            self.wake_to_learn_era(server, app).await;
        }
        let entries = lock(&self.entries);
        let of = |entry: &ServerEntry| {
            let era = entry.connection.as_ref()?.handle().shared.last_era();
            // In the stateless era, each request carries its caller's capabilities, so apps need no
            // separation.
            let is_told = !in_session && era == Some(Era::Modern);
            let ServerRow { asks_for_roots, asks_apps, .. } = entry.server.row;
            let rule = instance_rule_of(&entry.server.row)
                .separation(asks_for_roots && !is_told, asks_apps && !is_told);
            Some(Separation { by_roots: rule.by_roots && !is_told, in_session, ..rule })
        };
        Ok(entries.get(&server).and_then(of).unwrap_or(InstanceRule::Shared.separation(false, false)))
    }

    /// Lets a server sleep now, with all its instances. Returns false if one of them is used, or if the server
    /// does not start on first use.
    pub fn let_sleep(&self, server: ServerId) -> Result<bool, HostError> {
        let shared = self.handle(server)?.let_sleep();
        let others = self.instances.map(Some(server), |_, _, connection, _| connection.handle().let_sleep());
        Ok(shared && others.into_iter().all(|sleeps| sleeps))
    }

    /// Starts a server that sleeps, if only its era says whether apps have to be separated there.
    async fn wake_to_learn_era(&self, server: ServerId, app: Option<&str>) {
        let handle = lock(&self.entries).get(&server).and_then(|entry| {
            let ServerRow { asks_for_roots, asks_apps, .. } = entry.server.row;
            let handle = entry.connection.as_ref()?.handle();
            let is_needed = (asks_for_roots || asks_apps) && handle.shared.last_era().is_none();
            (is_needed && handle.is_asleep()).then(|| handle.clone())
        });
        if let Some(handle) = handle {
            if let Some(app) = app {
                handle.note_waking_app(app);
            }
            handle.wait_for_attempt().await;
        }
    }

    /// The role of a caller-owned connection to a saved server. `tool` is the tool to call, if known.
    pub(crate) async fn find_own_role(
        &self,
        server: Option<ServerId>,
        era: EraChoice,
        tool: Option<&str>,
    ) -> Result<ConnectionRole, HostError> {
        let Some(server) = server else { return Ok(ConnectionRole::SHARED) };
        let is_session = match era {
            EraChoice::Only(Era::Session) => self.trust.remembered(server).await?.speaks_session(),
            EraChoice::Auto => self.has_in_session(server, tool).await?,
            _ => false,
        };
        Ok(if is_session { ConnectionRole::SHARED_SESSION } else { ConnectionRole::SHARED })
    }

    /// Whether a server that supports both eras lists a tool in a session.
    async fn has_in_session(&self, server: ServerId, tool: Option<&str>) -> Result<bool, HostError> {
        let remembered = self.trust.remembered(server).await?;
        let tools = remembered.of(ListedIn::Session).of_kind(OfferKind::Tools);
        Ok(remembered.speaks_session() && tools.iter().any(|listed| Some(listed.name.as_str()) == tool))
    }

    /// Leases an instance, and starts it if necessary. An instance that has given up is replaced.
    pub fn hold_instance(&self, key: &InstanceKey) -> Result<Lease<Connection>, HostError> {
        // Locked until the end: a concurrent change or removal of the server then also ends this instance.
        let entries = lock(&self.entries);
        let server = &entries.get(&key.server).ok_or(HostError::ServerNotFound(key.server))?.server;
        let refused = |why| HostError::NotConnected { name: server.row.name.clone(), why: Some(why) };
        if !server.row.enabled {
            return Err(refused(say!("you stopped it")));
        }
        let given_up = self.instances.map(Some(key.server), |number, known, connection, _| {
            let id = InstanceId { server: key.server, number };
            (known == key && connection.handle().has_given_up()).then_some(id)
        });
        let removed = given_up.into_iter().flatten().filter_map(|id| self.instances.remove(id));
        self.close_instances(removed.map(|connection| (key.server, connection)));
        let make = |number| {
            let role = ConnectionRole::of_instance(number, key);
            let connection = self.make_connection(server, None, role, key.roots.clone());
            connection.handle().start();
            connection
        };
        let Held { lease, replaced } = self.instances.hold(key, make).map_err(|PoolFull(count)| {
            refused(say!("{count} instances are in use, as many as there may be: end one of them", count))
        })?;
        self.close_instances(replaced);
        Ok(lease)
    }

    /// Sets how a server is split into instances.
    pub async fn set_instance_rule(&self, id: ServerId, rule: InstanceRule) -> Result<(), HostError> {
        self.table.set_instances(id.0, rule.as_str()).await?;
        self.reconcile().await
    }

    /// Ends an instance and its calls. Returns `false` if it does not exist.
    pub fn end_instance(&self, id: InstanceId) -> bool {
        let ended = self.instances.remove(id).map(|connection| (id.server, connection));
        let was_there = ended.is_some();
        self.close_instances(ended);
        was_there
    }

    /// Ends all instances of one server or of all servers, except the shared ones. Does not wait.
    pub(super) fn end_instances(&self, server: Option<ServerId>) {
        self.close_instances(self.instances.remove_all(server));
    }

    /// Ends the sessions of a server whose shared connection uses the stateless era.
    pub(super) fn end_sessions(&self, server: ServerId) {
        self.close_instances(self.instances.remove_sessions(server));
    }

    /// Ends all instances of a server, except the shared one, and waits until they are gone.
    pub(super) async fn stop_instances(&self, server: ServerId) {
        let ended = self.instances.remove_all(Some(server)).into_iter();
        let closing: JoinSet<()> = ended.map(|(_, connection)| connection.close()).collect();
        closing.join_all().await;
    }

    /// Ends instances that have been unused for a while. Never returns.
    pub async fn end_unheld_instances(self: Arc<Self>) {
        loop {
            tokio::time::sleep(LOOK_FOR_UNHELD).await;
            self.close_instances(self.instances.remove_unheld());
        }
    }

    fn close_instances(&self, ended: impl IntoIterator<Item = (ServerId, Connection)>) {
        let mut leaving = lock(&self.closing);
        while leaving.tasks.try_join_next().is_some() {}
        for (server, connection) in ended {
            leaving.tasks.spawn(connection.close());
            send_event(&self.events, HostEvent::ServerChanged { id: server });
        }
    }

    pub(super) fn instance_views(&self, server: ServerId) -> Vec<InstanceView> {
        self.instances.map(Some(server), |number, key, connection, usage| {
            let view = connection.view();
            InstanceView {
                number,
                app: key.app.as_deref().map(str::to_owned),
                roots: key.roots.as_ref().map(|roots| roots.uris().map(str::to_owned).collect()),
                in_session: key.in_session,
                state: view.state,
                failure: view.failure,
                since_ms: view.since_ms,
                used_ms: usage.used_ms,
                is_held: usage.is_held,
                calls: view.calls,
                pid: view.pid,
            }
        })
    }
}

/// Which clients of a server get their own instance. An unknown value of a later version means the default.
pub(super) fn instance_rule_of(row: &ServerRow) -> InstanceRule {
    InstanceRule::from_name(&row.instances).unwrap_or(InstanceRule::Automatic)
}
