//! Instances of servers for one app, or for a set of folders.

use std::sync::Arc;

use mooring_approvals::ListedIn;
use mooring_base::server_id::ServerId;
use mooring_connections::{Connection, Handle, read_all_lists};
use mooring_errors::HostError;
use mooring_instances::{InstanceId, InstanceKey, InstanceRule, InstanceUse, Lease, Separation};

use super::Host;

/// A lease on an instance for an app's connection, which ends when this is dropped.
#[derive(Debug)]
pub struct InstanceLease(Lease<Connection>);

impl InstanceLease {
    /// The instance's id.
    pub fn id(&self) -> InstanceId {
        self.0.id
    }

    /// Whether the instance still exists and has not given up.
    pub fn is_valid(&self) -> bool {
        self.0.is_valid(|connection| !connection.handle().has_given_up())
    }
}

impl Host {
    /// The connection of an instance, with a lease that protects it from eviction during use.
    pub(super) fn instance(
        &self,
        id: impl Into<InstanceId>,
    ) -> Result<(Handle, Option<InstanceUse<Connection>>), HostError> {
        self.inner.registry.instance(id.into())
    }

    /// How to separate the calls of apps of an era at a server.
    pub async fn separation(
        &self,
        server: ServerId,
        era: ListedIn,
        app: Option<&str>,
    ) -> Result<Separation, HostError> {
        self.inner.registry.separation(server, era, app).await
    }

    /// Records everything that a server lists. For a server that speaks both eras, that includes its session.
    pub async fn record_offers(&self, server: ServerId, shared: &Connection) -> Result<(), HostError> {
        read_all_lists(shared.handle()).await?;
        self.inner.registry.try_session(server, shared.handle()).await
    }

    /// Claims the shared connection, or the shared session, for an app. `None` if another app has it.
    pub fn claim_shared(&self, server: ServerId, in_session: bool, app: &Arc<str>) -> Option<Arc<()>> {
        self.inner.registry.claims.claim((server, in_session), app, tokio::time::Instant::now())
    }

    /// Leases the instance for an app or a set of folders, and starts it if necessary.
    pub fn hold_instance(&self, key: &InstanceKey) -> Result<InstanceLease, HostError> {
        self.inner.registry.hold_instance(key).map(InstanceLease)
    }

    /// Notes which app's request is about to wake a server, or an instance of it, for the log.
    pub fn note_waking_app(&self, id: impl Into<InstanceId>, app: &str) {
        if let Ok((handle, _using)) = self.instance(id) {
            handle.note_waking_app(app);
        }
    }

    /// Waits until a server, or an instance of it, is connected or its next attempt has failed. An attempt is
    /// made immediately.
    pub async fn wait_for_attempt(&self, id: impl Into<InstanceId>) {
        let id = id.into();
        if self.inner.registry.is_enabled(id.server)
            && let Ok((handle, _using)) = self.instance(id)
        {
            handle.wait_for_attempt().await;
        }
    }

    /// Sets which clients of a server get an instance. Instances that are no longer needed end after their
    /// last lease.
    pub async fn set_instance_rule(&self, server: ServerId, rule: InstanceRule) -> Result<(), HostError> {
        self.inner.registry.set_instance_rule(server, rule).await
    }

    /// Ends an instance and its calls. Returns `false` if it does not exist. The app's next call starts
    /// another.
    pub fn end_instance(&self, id: InstanceId) -> bool {
        self.inner.registry.end_instance(id)
    }
}
