//! Models, and which servers may use them.

use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_connections::Registry;
use mooring_errors::HostError;
use mooring_models::{ModelsView, NewProvider, Provider, ProviderCheck, RouteRule, SamplingPolicy};
use mooring_sampling::create_message::find_model;
use mooring_store::TableChanges;

use super::Host;
use crate::responder::ResponderFactory;

impl Host {
    /// The models view: providers, routes, and the budget and usage of each saved server.
    pub async fn models(&self) -> Result<ModelsView, HostError> {
        let models = &self.inner.responders.models;
        let providers = models.providers().await?;
        let servers = self.servers().into_iter().map(|view| (view.id, view.config.name)).collect();
        let servers = models.policy_views(servers, &providers).await?;
        Ok(ModelsView { routes: models.routes().await?, servers, providers })
    }

    /// Adds a provider, or changes the one with this id. If its origin changes, its key is deleted unless it
    /// is entered again.
    pub async fn save_provider(&self, id: Option<i64>, provider: NewProvider) -> Result<Provider, HostError> {
        Ok(self.inner.responders.models.save_provider(id, provider).await?)
    }

    /// Removes a provider with its key and its routes.
    pub async fn remove_provider(&self, id: i64) -> Result<(), HostError> {
        Ok(self.inner.responders.models.remove_provider(id).await?)
    }

    /// Requests the models of a provider with the entered settings, at the person's request.
    pub async fn check_provider(
        &self,
        id: Option<i64>,
        provider: NewProvider,
    ) -> Result<ProviderCheck, HostError> {
        Ok(self.inner.responders.models.check_provider(id, provider).await?)
    }

    /// Saves the routing table.
    pub async fn set_routes(&self, routes: Vec<RouteRule>) -> Result<(), HostError> {
        for server in routes.iter().filter_map(|route| route.server) {
            self.server(server)?;
        }
        Ok(self.inner.responders.models.set_routes(routes).await?)
    }

    /// Sets whether a server may use models, and its budget. If its declared capabilities change, the server
    /// is updated: in the session era, it restarts.
    pub async fn set_sampling(&self, server: ServerId, policy: SamplingPolicy) -> Result<(), HostError> {
        self.server(server)?;
        let changed = self.inner.responders.models.set_policy(server, policy).await?;
        // In both eras, a server's offers may depend on the capabilities, so everything is listed again.
        if changed {
            self.inner.registry.redeclare_capabilities(server);
        }
        Ok(())
    }

    /// Forgets a permanent approval, so that the person is asked again.
    pub async fn forget_sampling(&self, id: i64) -> Result<(), HostError> {
        Ok(self.inner.responders.models.remove_approval(id).await?)
    }

    /// Checks that `PROVIDER` or `PROVIDER/MODEL` names a configured model.
    pub async fn check_model(&self, name: &str) -> Result<(), HostError> {
        let providers = self.inner.responders.models.providers().await?;
        match find_model(&providers, name) {
            Ok(_) => Ok(()),
            Err(message) => Err(HostError::InvalidSetting { field: "sample", message }),
        }
    }
}

/// Updates the capabilities of servers when another process changes whether they may use models.
pub(super) async fn watch(responders: Arc<ResponderFactory>, registry: Arc<Registry>, changes: TableChanges) {
    responders.models.watch(changes, |id| registry.redeclare_capabilities(id)).await;
}
