//! The [`Host`]'s methods for folders that servers may see.

use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_roots::{Root, RootBreadth};
use mooring_store::TableChanges;
use tokio::sync::broadcast;

use super::Host;
use crate::error::HostError;
use crate::event::{self, HostEvent};
use crate::registry::Registry;
use crate::responder::ResponderFactory;
use crate::roots::{RootView, RootsChange, ServerRoots, expand_home};

impl Host {
    /// All granted folders.
    pub async fn roots(&self) -> Result<Vec<RootView>, HostError> {
        self.inner.responders.folders.list().await
    }

    /// The folders of one server, and whether it may see the shared ones.
    pub async fn server_roots(&self, server: ServerId) -> Result<ServerRoots, HostError> {
        self.server(server)?;
        self.inner.responders.folders.of_server(server).await
    }

    /// Grants a folder to one server, or to every server that may see shared folders. `~` is the person's
    /// home.
    pub async fn grant_root(
        &self,
        server: Option<ServerId>,
        path: &str,
        name: Option<String>,
        breadth: RootBreadth,
    ) -> Result<RootView, HostError> {
        if let Some(server) = server {
            self.server(server)?;
        }
        let root = self.inner.responders.folders.grant(server, expand_home(path), name, breadth).await?;
        self.roots_changed(server, false).await;
        Ok(root)
    }

    /// Changes the display name of a granted folder. `None` restores the folder's own name.
    pub async fn rename_root(&self, id: i64, name: Option<String>) -> Result<RootView, HostError> {
        let root = self.inner.responders.folders.rename(id, name).await?;
        self.roots_changed(root.server, false).await;
        Ok(root)
    }

    /// Revokes a folder. [`Self::restore_root`] undoes it.
    pub async fn remove_root(&self, id: i64) -> Result<(), HostError> {
        let server = self.inner.responders.folders.remove(id).await?;
        self.roots_changed(server, false).await;
        Ok(())
    }

    /// Grants a revoked folder again.
    pub async fn restore_root(&self, id: i64) -> Result<RootView, HostError> {
        let root = self.inner.responders.folders.restore(id).await?;
        self.roots_changed(root.server, false).await;
        Ok(root)
    }

    /// Sets whether a server may see the shared folders.
    pub async fn share_roots(&self, server: ServerId, shared: bool) -> Result<(), HostError> {
        let for_a_while = self.inner.responders.folders.share(server, shared).await?;
        self.roots_changed(Some(server), for_a_while).await;
        Ok(())
    }

    /// Forgets the person's answer to a server's request, by its number. The next request asks again.
    pub async fn forget_roots_answer(&self, server: ServerId, answer: i64) -> Result<(), HostError> {
        let for_a_while = self.inner.responders.folders.forget(server, answer).await?;
        self.roots_changed(Some(server), for_a_while).await;
        Ok(())
    }

    /// The folders that a saved server may see without a question to the person.
    pub async fn granted_roots(&self, server: ServerId) -> Result<Vec<Root>, HostError> {
        self.inner.responders.folders.shared_roots(server).await
    }

    /// Notifies the affected servers and front ends. Includes the server whose temporary answer ended
    /// (`for_a_while`), because saved data does not show that.
    async fn roots_changed(&self, server: Option<ServerId>, for_a_while: bool) {
        let ResponderFactory { folders, events, .. } = &*self.inner.responders;
        match folders.take_changes().await {
            Ok(RootsChange::Unknown) => {
                notify_servers(&self.inner.registry, events, server.as_slice(), server.is_none());
            }
            Ok(RootsChange::Servers(mut servers)) => {
                servers.extend(server.filter(|server| for_a_while && !servers.contains(server)));
                notify_servers(&self.inner.registry, events, &servers, false);
            }
            Ok(RootsChange::AllServers) => notify_servers(&self.inner.registry, events, &[], true),
            Err(error) => {
                tracing::warn!(%error, "the granted folders could not be read");
                notify_servers(&self.inner.registry, events, server.as_slice(), server.is_none());
            }
        }
    }
}

/// Notifies servers of folders that another process grants, revokes or shares. Never returns.
pub(super) async fn watch(
    responders: Arc<ResponderFactory>,
    registry: Arc<Registry>,
    mut changes: TableChanges,
) {
    loop {
        let looked_at = responders.folders.take_changes().await.map(|change| match change {
            // There is no earlier state to compare with, and running servers already have the current
            // folders.
            RootsChange::Unknown => {}
            changed => notify_change(&registry, &responders.events, changed),
        });
        changes.changed_after(looked_at, "the granted folders could not be read").await;
    }
}

fn notify_change(registry: &Registry, events: &broadcast::Sender<HostEvent>, changed: RootsChange) {
    match changed {
        RootsChange::Unknown => {}
        RootsChange::AllServers => notify_servers(registry, events, &[], true),
        RootsChange::Servers(servers) => notify_servers(registry, events, &servers, false),
    }
}

fn notify_servers(
    registry: &Registry,
    events: &broadcast::Sender<HostEvent>,
    servers: &[ServerId],
    every: bool,
) {
    if every {
        registry.notify_roots_changed(None);
    }
    for server in servers {
        registry.notify_roots_changed(Some(*server));
    }
    if every || !servers.is_empty() {
        event::send_event(events, HostEvent::RootsChanged);
    }
}
