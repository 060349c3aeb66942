//! Folders that servers may be told of.

use super::Host;
use crate::error::HostError;
use crate::event::HostEvent;
use crate::roots::{Breadth, Root, RootView, ServerRoots, typed};
use crate::server::ServerId;

impl Host {
    /// Every folder that is granted.
    pub async fn roots(&self) -> Result<Vec<RootView>, HostError> {
        self.inner.context.folders.list().await
    }

    /// The folders of one server.
    pub async fn server_roots(&self, server: ServerId) -> Result<ServerRoots, HostError> {
        self.server(server)?;
        self.inner.context.folders.of_server(server).await
    }

    /// Grants a folder to one server, or to every server that the person lets know. `~` is the person's home.
    pub async fn grant_root(
        &self,
        server: Option<ServerId>,
        path: &str,
        name: Option<String>,
        breadth: Breadth,
    ) -> Result<RootView, HostError> {
        if let Some(server) = server {
            self.server(server)?;
        }
        let root = self.inner.context.folders.grant(server, typed(path), name, breadth).await?;
        self.roots_changed(server);
        Ok(root)
    }

    /// Gives a granted folder another name; none: its own.
    pub async fn rename_root(&self, id: i64, name: Option<String>) -> Result<RootView, HostError> {
        let root = self.inner.context.folders.rename(id, name).await?;
        self.roots_changed(root.server);
        Ok(root)
    }

    /// Takes a folder back. [`Self::restore_root`] undoes it.
    pub async fn remove_root(&self, id: i64) -> Result<(), HostError> {
        let server = self.inner.context.folders.remove(id).await?;
        self.roots_changed(server);
        Ok(())
    }

    /// Grants a folder again that was taken back.
    pub async fn restore_root(&self, id: i64) -> Result<RootView, HostError> {
        let root = self.inner.context.folders.restore(id).await?;
        self.roots_changed(root.server);
        Ok(root)
    }

    /// Decides whether a server is told of the folders that are for every server.
    pub async fn share_roots(&self, server: ServerId, shared: bool) -> Result<(), HostError> {
        self.inner.context.folders.share(server, shared).await?;
        self.roots_changed(Some(server));
        Ok(())
    }

    /// What a saved server may be told of without asking anybody.
    pub async fn granted_roots(&self, server: ServerId) -> Result<Vec<Root>, HostError> {
        self.inner.context.folders.granted(server).await
    }

    /// Tells the servers that it is about, and the front ends.
    fn roots_changed(&self, server: Option<ServerId>) {
        self.inner.registry.roots_changed(server);
        // Without a receiver nobody looks.
        let _nobody_looks = self.inner.context.events.send(HostEvent::RootsChanged);
    }
}
