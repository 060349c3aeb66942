//! Decides which server owns a URI that several servers have. The owner is the server that had the URI first,
//! according to the saved order. Apps get the URIs of the others with a prefix ([ADR
//! 0013](../../../docs/adr/0013-whose-resource-an-address-is.md)).

use std::sync::{Mutex, MutexGuard, PoisonError};

use mooring_addresses::{Claims, Clash, ServerAddresses, ServerTemplate};
use mooring_base::resource_address::{looks_prefixed, template_with_prefix, with_prefix};
use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_mcp::{Diagnostic, DiagnosticCode};
use mooring_words::say;

/// Which server owns which URI, for all apps.
#[derive(Debug, Default)]
pub struct Addresses(Mutex<Claims>);

impl Addresses {
    fn lock_claims(&self) -> MutexGuard<'_, Claims> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the servers' current URIs. `is_settled` is whether no other server is being connected.
    pub async fn update(
        &self,
        host: &Host,
        servers: Vec<(ServerId, ServerAddresses)>,
        is_settled: bool,
    ) -> Result<(), HostError> {
        let mut saved = Vec::new();
        for (server, _) in &servers {
            let is_loaded = self.lock_claims().is_loaded(*server);
            if !is_loaded {
                saved.push((*server, host.address_claims(*server).await?));
            }
        }
        let clashes = self.lock_claims().take(saved, servers, is_settled);
        for Clash { server, count, uri, of } in clashes {
            let name = host.server_name_and_state(of).map(|(name, _)| name).unwrap_or_default();
            let message = say!(
                "resource URIs that another server had first: {count}, such as {uri} of “{name}”; apps get this server’s own as {prefixed}",
                count = count,
                uri = &uri,
                name = name,
                prefixed = with_prefix(server, &uri)
            );
            let shown =
                host.show_diagnostic(server, Diagnostic::new(DiagnosticCode::Address, "resources", message));
            // This fails if the server is not connected any more. The clash is then not shown.
            if let Err(error) = shown {
                tracing::debug!(%error, "a clash of addresses could not be shown");
            }
        }
        self.save(host).await;
        Ok(())
    }

    /// Makes the order final, because an app has seen it. From now on, the first server of a URI doesn't
    /// change.
    pub fn settle(&self) {
        self.lock_claims().settle();
    }

    /// Saves the claims that are not saved yet.
    pub async fn save(&self, host: &Host) {
        let unsaved = self.lock_claims().take_unsaved();
        for (server, text) in unsaved {
            if let Err(error) = host.save_address_claims(server, &text).await {
                tracing::warn!(%error, "whose addresses are whose could not be saved");
            }
        }
    }

    /// The server that had a URI first, according to the servers' lists.
    pub fn owner(&self, uri: &str) -> Option<ServerId> {
        self.lock_claims().first(uri)
    }

    /// The URI by which apps know a server's listed resource.
    pub fn exposed(&self, server: ServerId, own: &str) -> String {
        let is_bare = !looks_prefixed(own) && self.owner(own) == Some(server);
        if is_bare { own.to_owned() } else { with_prefix(server, own) }
    }

    /// The template by which apps know a server's template.
    pub fn exposed_template(&self, server: ServerId, own: &ServerTemplate) -> String {
        let is_bare = !looks_prefixed(&own.text) && self.lock_claims().has_first(server, own);
        if is_bare { own.text.clone() } else { template_with_prefix(server, &own.text) }
    }
}
