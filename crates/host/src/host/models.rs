//! Models, and who may ask them.

use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_models::{ModelsView, NewProvider, Provider, ProviderCheck, RouteRule, SamplingPolicy};
use mooring_sampling::create_message::find_model;
use mooring_store::TableChanges;

use super::Host;
use crate::error::HostError;
use crate::registry::Registry;
use crate::responder::ResponderFactory;

impl Host {
    /// Everything about models: providers, routes, and what each saved server may ask and has used.
    pub async fn models(&self) -> Result<ModelsView, HostError> {
        let models = &self.inner.responders.models;
        let providers = models.providers().await?;
        let servers = self.servers().into_iter().map(|view| (view.id, view.config.name)).collect();
        let servers = models.policy_views(servers, &providers).await?;
        Ok(ModelsView { routes: models.routes().await?, servers, providers })
    }

    /// Sets a provider up, or changes the one with this number. Of another origin than before, its key is forgotten
    /// unless it is entered again.
    pub async fn save_provider(&self, id: Option<i64>, provider: NewProvider) -> Result<Provider, HostError> {
        Ok(self.inner.responders.models.save_provider(id, provider).await?)
    }

    /// Removes a provider with its key and the routes to it.
    pub async fn remove_provider(&self, id: i64) -> Result<(), HostError> {
        Ok(self.inner.responders.models.remove_provider(id).await?)
    }

    /// Asks a provider, as it is entered, for its models: the person's click.
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

    /// Lets a server ask models within a budget, or not. Where that changes what is declared to it, it learns of
    /// that: one of the session era by being started anew.
    pub async fn set_sampling(&self, server: ServerId, policy: SamplingPolicy) -> Result<(), HostError> {
        self.server(server)?;
        let changed = self.inner.responders.models.set_policy(server, policy).await?;
        // What a server offers may depend on what it may ask, in either era: it is all read anew.
        if changed {
            self.inner.registry.redeclare_capabilities(server);
        }
        Ok(())
    }

    /// Has the person asked again what was said for good.
    pub async fn forget_sampling(&self, id: i64) -> Result<(), HostError> {
        Ok(self.inner.responders.models.remove_approval(id).await?)
    }

    /// Whether `PROVIDER` or `PROVIDER/MODEL` names a model that is set up.
    pub async fn check_model(&self, name: &str) -> Result<(), HostError> {
        let providers = self.inner.responders.models.providers().await?;
        match find_model(&providers, name) {
            Ok(_) => Ok(()),
            Err(message) => Err(HostError::InvalidSetting { field: "sample", message }),
        }
    }
}

/// Has servers hear of what another process lets them ask models, or no longer.
pub(super) async fn watch(responders: Arc<ResponderFactory>, registry: Arc<Registry>, changes: TableChanges) {
    responders.models.watch(changes, |id| registry.redeclare_capabilities(id)).await;
}
