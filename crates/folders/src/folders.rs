//! What front ends do with the granted folders. Each change is announced to the servers that it affects.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_roots::{Root, RootBreadth};
use mooring_store::{Servers, TableChanges};

use crate::grants::{RootGrants, RootView, RootsChange, ServerRoots, expand_home};

/// The servers whose folders changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoldersChange {
    /// All servers.
    AllServers,
    /// These servers, at least one.
    Servers(Vec<ServerId>),
}

/// Called with each change.
pub type OnFoldersChange = Arc<dyn Fn(FoldersChange) + Send + Sync>;

/// The granted folders of all servers. Clones share everything.
#[derive(Clone)]
pub struct Folders {
    grants: Arc<RootGrants>,
    servers: Servers,
    on_change: OnFoldersChange,
}

impl fmt::Debug for Folders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Folders").field("grants", &self.grants).finish_non_exhaustive()
    }
}

impl Folders {
    /// The folders of these servers.
    pub fn new(grants: Arc<RootGrants>, servers: Servers, on_change: OnFoldersChange) -> Self {
        Self { grants, servers, on_change }
    }

    /// All granted folders.
    pub async fn list(&self) -> Result<Vec<RootView>, HostError> {
        self.grants.list().await
    }

    /// The folders of one server.
    pub async fn of_server(&self, server: ServerId) -> Result<ServerRoots, HostError> {
        self.require(server).await?;
        self.grants.of_server(server).await
    }

    /// Grants a folder to one server, or to every server that may see shared folders. `~` is the person's
    /// home.
    pub async fn grant(
        &self,
        server: Option<ServerId>,
        path: &str,
        name: Option<String>,
        breadth: RootBreadth,
    ) -> Result<RootView, HostError> {
        if let Some(server) = server {
            self.require(server).await?;
        }
        let root = self.grants.grant(server, expand_home(path), name, breadth).await?;
        self.announce(server, false).await;
        Ok(root)
    }

    /// Changes a folder's display name. `None` restores the folder's own name.
    pub async fn rename(&self, id: i64, name: Option<String>) -> Result<RootView, HostError> {
        let root = self.grants.rename(id, name).await?;
        self.announce(root.server, false).await;
        Ok(root)
    }

    /// Revokes a folder. [`Self::restore`] undoes it.
    pub async fn remove(&self, id: i64) -> Result<(), HostError> {
        let server = self.grants.remove(id).await?;
        self.announce(server, false).await;
        Ok(())
    }

    /// Grants a revoked folder again.
    pub async fn restore(&self, id: i64) -> Result<RootView, HostError> {
        let root = self.grants.restore(id).await?;
        self.announce(root.server, false).await;
        Ok(root)
    }

    /// Sets whether a server may see the shared folders.
    pub async fn share(&self, server: ServerId, shared: bool) -> Result<(), HostError> {
        let was_temporary = self.grants.share(server, shared).await?;
        self.announce(Some(server), was_temporary).await;
        Ok(())
    }

    /// Forgets the person's answer with this number, so that the server's next request is asked about again.
    pub async fn forget_answer(&self, server: ServerId, answer: i64) -> Result<(), HostError> {
        let was_temporary = self.grants.forget(server, answer).await?;
        self.announce(Some(server), was_temporary).await;
        Ok(())
    }

    /// The folders that a saved server may see without asking the person.
    pub async fn granted(&self, server: ServerId) -> Result<Vec<Root>, HostError> {
        self.grants.shared_roots(server).await
    }

    /// Whether the person's answer with this number is still in force.
    pub async fn remembers(&self, server: ServerId, answer: i64) -> Result<bool, HostError> {
        self.grants.remembers(server, answer).await
    }

    /// Sets the folders that the profile in use leaves to servers, of those that were granted. `None` for all.
    pub fn set_visible(&self, visible: Option<BTreeSet<PathBuf>>) {
        if self.grants.set_visible(visible) {
            (self.on_change)(FoldersChange::AllServers);
        }
    }

    /// Announces the changes that other processes make. Never returns.
    pub async fn watch(self, mut changes: TableChanges) {
        loop {
            let compared = self.grants.take_changes().await.map(|change| self.send(change));
            changes.changed_after(compared, "the granted folders could not be read").await;
        }
    }

    async fn require(&self, server: ServerId) -> Result<(), HostError> {
        let found = self.servers.get(server.0).await?;
        found.map(drop).ok_or(HostError::ServerNotFound(server))
    }

    /// Announces a change of this process. `server` is the one that it affects, or `None` for all. Temporary
    /// decisions are not saved, so a comparison can't find the server whose decision ended.
    async fn announce(&self, server: Option<ServerId>, was_temporary: bool) {
        let affected = || match server {
            Some(server) => FoldersChange::Servers(vec![server]),
            None => FoldersChange::AllServers,
        };
        match self.grants.take_changes().await {
            Ok(RootsChange::Unknown) => (self.on_change)(affected()),
            Ok(RootsChange::Servers(mut servers)) => {
                servers.extend(server.filter(|server| was_temporary && !servers.contains(server)));
                self.send(RootsChange::Servers(servers));
            }
            Ok(change @ RootsChange::AllServers) => self.send(change),
            Err(error) => {
                tracing::warn!(%error, "the granted folders could not be read");
                (self.on_change)(affected());
            }
        }
    }

    fn send(&self, change: RootsChange) {
        match change {
            // There was no earlier check to compare with.
            RootsChange::Unknown => {}
            RootsChange::AllServers => (self.on_change)(FoldersChange::AllServers),
            RootsChange::Servers(servers) if servers.is_empty() => {}
            RootsChange::Servers(servers) => (self.on_change)(FoldersChange::Servers(servers)),
        }
    }
}
