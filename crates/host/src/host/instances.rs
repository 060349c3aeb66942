//! Instances of servers for an app, or for a set of folders.

use std::sync::Arc;

use mooring_approvals::ListedIn;
use mooring_base::server_id::ServerId;
use mooring_instances::{InstanceId, InstanceKey, InstanceRule, InstanceUse, Lease, Separation};

use super::Host;
use crate::connection::{Connection, Handle};
use crate::error::HostError;
use crate::registry::list_all;

/// An app's connection holds an instance until this is dropped.
#[derive(Debug)]
pub struct InstanceLease(Lease<Connection>);

impl InstanceLease {
    /// The instance.
    pub fn id(&self) -> InstanceId {
        self.0.id
    }

    /// Whether the instance is still there and has not given up.
    pub fn is_valid(&self) -> bool {
        self.0.is_valid(|connection| !connection.handle().has_given_up())
    }
}

impl Host {
    /// The connection of an instance, and what keeps it from making room for another while it is used.
    pub(super) fn instance(
        &self,
        id: impl Into<InstanceId>,
    ) -> Result<(Handle, Option<InstanceUse<Connection>>), HostError> {
        self.inner.registry.instance(id.into())
    }

    /// What keeps the calls of apps of an era apart at a server.
    pub async fn separation(&self, server: ServerId, era: ListedIn) -> Result<Separation, HostError> {
        self.inner.registry.separation(server, era).await
    }

    /// Has all that a server lists recorded, also what it lists in a session where it speaks both eras.
    pub async fn record_offers(&self, server: ServerId, shared: &Connection) -> Result<(), HostError> {
        list_all(shared.handle()).await?;
        self.inner.registry.try_session(server, shared.handle()).await
    }

    /// Gives an app the connection that all could share, or their session; none: another app has it.
    pub fn claim_shared(&self, server: ServerId, in_session: bool, app: &Arc<str>) -> Option<Arc<()>> {
        self.inner.registry.claims.claim((server, in_session), app, tokio::time::Instant::now())
    }

    /// Holds the instance for an app or a set of folders, which is started unless it runs.
    pub fn hold_instance(&self, key: &InstanceKey) -> Result<InstanceLease, HostError> {
        self.inner.registry.hold_instance(key).map(InstanceLease)
    }

    /// Waits until a server, or an instance of it, is connected or not about to be: where it is waited for between two
    /// attempts, the next is made at once.
    pub async fn wait_for_attempt(&self, id: impl Into<InstanceId>) {
        let id = id.into();
        if self.inner.registry.is_enabled(id.server)
            && let Ok((handle, _using)) = self.instance(id)
        {
            handle.wait_for_attempt().await;
        }
    }

    /// Saves for whom a server gets an instance. Those that are no longer needed end once nobody holds them.
    pub async fn set_instance_rule(&self, server: ServerId, rule: InstanceRule) -> Result<(), HostError> {
        self.inner.registry.set_instance_rule(server, rule).await
    }

    /// Ends an instance, and the calls that run there; false: there is none. The next call of its app starts another.
    pub fn end_instance(&self, id: InstanceId) -> bool {
        self.inner.registry.end_instance(id)
    }
}
