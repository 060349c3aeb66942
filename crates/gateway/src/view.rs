//! What one connection of an app sees: the servers, or one of them, and who it is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mooring_addresses::{AppLinks, Holder, with_addresses};
use mooring_approvals::{AppIdentity, ListedIn};
use mooring_base::app_call::AppCall;
use mooring_base::resource_address::{looks_prefixed, normalize, with_prefix, without_prefix};
use mooring_base::server_id::ServerId;
use mooring_catalogue::Catalogue;
use mooring_host::{Host, HostError};
use mooring_inbox::AppResponder;
use mooring_instances::InstanceId;
use mooring_policy::Caller;
use mooring_shares::Share;

use crate::catalogues::Catalogues;
use crate::instances::AppInstances;
use crate::locked::locked;
use crate::owner_of;
use crate::recorded::AppLog;

/// Numbers of connections, of all apps.
static CONNECTIONS: AtomicU64 = AtomicU64::new(1);

/// An app on a connection.
pub(crate) struct AppView {
    pub(crate) host: Host,
    pub(crate) catalogues: Arc<Catalogues>,
    /// The app's name.
    pub(crate) app: Arc<str>,
    /// By what it is known.
    identity: AppIdentity,
    /// The server that the app sees, where it sees one alone.
    only: Option<Arc<str>>,
    /// The era of its requests.
    era: ListedIn,
    /// No other connection has it.
    pub(crate) number: u64,
    pub(crate) log: Arc<AppLog>,
    /// What results of servers carried to the app.
    pub(crate) links: Arc<AppLinks>,
    /// What all connections of the app may use together.
    pub(crate) share: Arc<Share>,
    /// What the app saw last. Others that see the same have it from here, and it goes with the last of them.
    seen: Mutex<Option<Arc<Catalogue>>>,
    pub(crate) instances: AppInstances,
}

impl AppView {
    /// One that sees a server alone, where there is one.
    pub(crate) fn new(
        host: &Host,
        catalogues: &Arc<Catalogues>,
        identity: AppIdentity,
        only: Option<String>,
    ) -> Arc<Self> {
        let share = catalogues.shares.of(&owner_of(host, &identity));
        Arc::new(Self {
            log: AppLog::new(host, &identity.name, &share),
            share,
            seen: Mutex::default(),
            instances: AppInstances::default(),
            host: host.clone(),
            links: catalogues.links_of(&identity.name),
            catalogues: Arc::clone(catalogues),
            app: Arc::clone(&identity.name),
            identity,
            only: only.map(Arc::from),
            era: ListedIn::Session,
            number: CONNECTIONS.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// The same app on the same connection, as its requests see it that stand alone.
    pub(crate) fn alone(&self) -> Arc<Self> {
        Arc::new(Self {
            host: self.host.clone(),
            catalogues: Arc::clone(&self.catalogues),
            app: Arc::clone(&self.app),
            identity: self.identity.clone(),
            only: self.only.clone(),
            era: ListedIn::SharedEra,
            number: self.number,
            log: Arc::clone(&self.log),
            links: Arc::clone(&self.links),
            share: Arc::clone(&self.share),
            seen: Mutex::default(),
            instances: AppInstances::default(),
        })
    }

    /// Whether its requests stand alone.
    pub(crate) fn is_alone(&self) -> bool {
        self.era == ListedIn::SharedEra
    }

    /// What the app sees now.
    pub(crate) async fn catalogue(&self) -> Result<Arc<Catalogue>, HostError> {
        let catalogue = self.catalogues.of(&self.app, self.only.as_ref(), self.era).await?;
        *locked(&self.seen) = Some(Arc::clone(&catalogue));
        Ok(catalogue)
    }

    /// The server whose resources the app sees, where it sees one server alone; none where they are off for it.
    pub(crate) fn only_server(&self) -> Option<ServerId> {
        let only = self.only.as_deref()?;
        let server = self.host.servers().into_iter().find(|server| server.config.name == only)?;
        self.sees_resources(server.id).then_some(server.id)
    }

    /// Whose resource is at this address, and what its server calls it, as far as the app has it of that server.
    pub(crate) async fn find_resource(&self, uri: &str) -> Result<Option<(ServerId, String)>, HostError> {
        if let Some(only) = self.only_server() {
            return Ok(Some((only, uri.to_owned())));
        }
        let catalogue = self.catalogue().await?;
        let has = |server: ServerId, own: &str| {
            let is_known = catalogue.has_address(server, own) || self.links.has(server, own);
            is_known && self.sees_resources(server)
        };
        if let Some((server, own)) = without_prefix(uri) {
            return Ok(has(server, &own).then_some((server, own)));
        }
        let owner = self.links.holder(uri).or_else(|| self.catalogues.addresses.owner(uri));
        if let Some(owner) = owner {
            return Ok(has(owner, uri).then(|| (owner, uri.to_owned())));
        }
        // Some apps write it otherwise than they got it.
        let Some(written) = normalize(uri) else { return Ok(None) };
        let is_same = |own: &str| normalize(own).as_ref() == Some(&written);
        let owner = catalogue.find_address(is_same).or_else(|| self.links.find(is_same));
        Ok(owner.filter(|owner| self.sees_resources(*owner)).map(|owner| (owner, uri.to_owned())))
    }

    /// What the app gets a server's address as. It may read it from now on.
    pub(crate) fn carry(&self, server: ServerId, own: &str) -> String {
        let addresses = &self.catalogues.addresses;
        addresses.settle();
        let may_be_bare = !looks_prefixed(own) && addresses.owner(own).is_none_or(|owner| owner == server);
        if self.links.add(server, own, may_be_bare) { own.to_owned() } else { with_prefix(server, own) }
    }

    /// What a server hands out, as the app gets it.
    pub(crate) async fn handed_out(&self, server: ServerId, text: String, holder: Holder) -> String {
        if self.only.is_some() {
            return text;
        }
        let text = with_addresses(text, holder, |own| Some(self.carry(server, own)));
        self.catalogues.addresses.save(&self.host).await;
        text
    }

    /// The app sees one server alone, as it is.
    pub(crate) fn is_of_one(&self) -> bool {
        self.only.is_some()
    }

    /// Whether the app sees the resources of a server.
    pub(crate) fn sees_resources(&self, server: ServerId) -> bool {
        let access = self.host.app_access(&self.app);
        access.sees_server(server) && !access.resources_off
    }

    /// Who calls, once the app may use the servers: one without a key is asked about before its first call.
    pub(crate) async fn admit(
        &self,
        server: ServerId,
        method: &'static str,
        call: &AppCall,
    ) -> Result<Caller, HostError> {
        self.host.admit_app(&self.identity, server, method, call).await
    }

    /// The instance of a server for the next request; see [`AppInstances::of`].
    pub(crate) async fn instance(
        &self,
        server: ServerId,
        caller: &Caller,
        responder: Option<&dyn AppResponder>,
    ) -> Result<InstanceId, HostError> {
        // Any program can use a name: without a key it finds nobody's instance, and starts none of its own.
        let app = Some(&self.app).filter(|_| !caller.is_keyless());
        self.instances.of((&self.host, app), server, self.era, responder).await
    }

    /// A name for a call, by which what it leads to is found: questions, and rows of the log.
    pub(crate) fn name_call(&self) -> AppCall {
        self.host.name_app_call(&self.app)
    }
}
