//! What one connection of an app sees: all servers, or only one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mooring_addresses::{AppLinks, Holder, with_addresses};
use mooring_approvals::{AppIdentity, ListedIn};
use mooring_base::app_call::AppCall;
use mooring_base::resource_address::{looks_prefixed, normalize, with_prefix, without_prefix};
use mooring_base::server_id::ServerId;
use mooring_catalogue::Catalogue;
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_inbox::AppResponder;
use mooring_instances::InstanceId;
use mooring_policy::Caller;
use mooring_shares::{Owner, Share};
use tokio::sync::Notify;

use crate::catalogues::Catalogues;
use crate::instances::AppInstances;
use crate::locked::locked;
use crate::profile::{Profile, WorkPlace};
use crate::recorded::AppLog;

/// The next number of a connection, over all apps.
static CONNECTIONS: AtomicU64 = AtomicU64::new(1);

/// An app on a connection, and what it sees.
pub(crate) struct AppView {
    pub(crate) host: Host,
    pub(crate) catalogues: Arc<Catalogues>,
    /// The app's name.
    pub(crate) app: Arc<str>,
    /// What the app is known by.
    identity: AppIdentity,
    /// The only server that the app sees. `None` if it sees all.
    only: Option<Arc<str>>,
    /// The era of the app's requests.
    era: ListedIn,
    /// The unique number of the connection.
    pub(crate) number: u64,
    pub(crate) log: Arc<AppLog>,
    /// The URIs in the results that the app received.
    pub(crate) links: Arc<AppLinks>,
    /// The limits that all connections of the app share.
    pub(crate) share: Arc<Share>,
    /// The catalogue that the app saw last. It is held here to be shared with other apps.
    seen: Mutex<Option<Arc<Catalogue>>>,
    pub(crate) instances: AppInstances,
    pub(crate) place: WorkPlace,
    /// Notified when the app may work somewhere else, so that it has to be asked again.
    pub(crate) may_have_moved: Notify,
}

impl AppView {
    /// A view of all servers, or of the server `only`.
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
            place: WorkPlace::default(),
            may_have_moved: Notify::new(),
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

    /// A view of the same app and connection for its stateless requests.
    pub(crate) fn for_stateless_requests(&self) -> Arc<Self> {
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
            place: WorkPlace::default(),
            may_have_moved: Notify::new(),
        })
    }

    /// Whether this view is for stateless requests.
    pub(crate) fn is_stateless(&self) -> bool {
        self.era == ListedIn::SharedEra
    }

    /// The profile for the folders that the app last named.
    pub(crate) fn profile(&self) -> Profile {
        self.place.profile(&self.host)
    }

    /// The profile that decides about a request. `responder` asks the app where it works, if that matters.
    pub(crate) async fn settle_profile(&self, responder: Option<&dyn AppResponder>) -> Profile {
        self.place.settle(&self.host, &self.instances, responder).await
    }

    /// What the app sees now under a profile.
    pub(crate) async fn catalogue(&self, profile: &Profile) -> Result<Arc<Catalogue>, HostError> {
        let (only, profile) = (self.only.as_ref(), profile.as_deref());
        let catalogue = self.catalogues.catalogue_of(&self.app, only, self.era, profile).await?;
        *locked(&self.seen) = Some(Arc::clone(&catalogue));
        Ok(catalogue)
    }

    /// The server, if the app sees only one. `None` also if its resources are off for the app.
    pub(crate) fn only_server(&self, profile: &Profile) -> Option<ServerId> {
        let only = self.only.as_deref()?;
        let server = self.host.servers().into_iter().find(|server| server.config.name == only)?;
        self.sees_resources(server.id, profile).then_some(server.id)
    }

    /// The server of a resource, and the server's own URI for it. `None` if the app didn't receive the URI
    /// from that server.
    pub(crate) async fn find_resource(
        &self,
        uri: &str,
        profile: &Profile,
    ) -> Result<Option<(ServerId, String)>, HostError> {
        if let Some(only) = self.only_server(profile) {
            return Ok(Some((only, uri.to_owned())));
        }
        let catalogue = self.catalogue(profile).await?;
        let has = |server: ServerId, own: &str| {
            let is_known = catalogue.has_address(server, own) || self.links.has(server, own);
            is_known && self.sees_resources(server, profile)
        };
        if let Some((server, own)) = without_prefix(uri) {
            return Ok(has(server, &own).then_some((server, own)));
        }
        let owner = self.links.holder(uri).or_else(|| self.catalogues.addresses.owner(uri));
        if let Some(owner) = owner {
            return Ok(has(owner, uri).then(|| (owner, uri.to_owned())));
        }
        // Some apps write a URI differently than they received it.
        let Some(written) = normalize(uri) else { return Ok(None) };
        let is_same = |own: &str| normalize(own).as_ref() == Some(&written);
        let owner = catalogue.find_address(is_same).or_else(|| self.links.find(is_same));
        Ok(owner.filter(|owner| self.sees_resources(*owner, profile)).map(|owner| (owner, uri.to_owned())))
    }

    /// The URI that the app gets for a server's own URI. The app may read the resource from now on.
    pub(crate) fn expose_uri(&self, server: ServerId, own: &str) -> String {
        let addresses = &self.catalogues.addresses;
        addresses.settle();
        let may_be_bare = !looks_prefixed(own) && addresses.owner(own).is_none_or(|owner| owner == server);
        if self.links.add(server, own, may_be_bare) { own.to_owned() } else { with_prefix(server, own) }
    }

    /// Replaces the URIs in a server's result with those that the app gets.
    pub(crate) async fn expose_uris(&self, server: ServerId, text: String, holder: Holder) -> String {
        if self.only.is_some() {
            return text;
        }
        let text = with_addresses(text, holder, |own| Some(self.expose_uri(server, own)));
        self.catalogues.addresses.save(&self.host).await;
        text
    }

    /// Whether the app sees only one server. It then sees the server's own names and URIs.
    pub(crate) fn is_of_one(&self) -> bool {
        self.only.is_some()
    }

    /// Whether the app sees the resources of a server under a profile.
    pub(crate) fn sees_resources(&self, server: ServerId, profile: &Profile) -> bool {
        let access = self.host.app_access_in(&self.app, profile.as_deref());
        access.sees_server(server) && !access.resources_off
    }

    /// Waits until the app may call the server, and returns the caller. The user is asked about an app
    /// without a key before its first call.
    pub(crate) async fn admit(
        &self,
        server: ServerId,
        method: &'static str,
        call: &AppCall,
    ) -> Result<Caller, HostError> {
        self.host.admit_app(&self.identity, server, method, call).await
    }

    pub(crate) async fn choose_instance(
        &self,
        server: ServerId,
        caller: &Caller,
        responder: Option<&dyn AppResponder>,
    ) -> Result<InstanceId, HostError> {
        // Any program can use any name. Without a key, an app neither uses another app's instance nor starts
        // its own.
        let app = Some(&self.app).filter(|_| !caller.is_keyless());
        self.instances.choose_instance((&self.host, app), server, self.era, responder).await
    }

    /// Names a call, so that its questions and its rows in the log can be found.
    pub(crate) fn name_call(&self) -> AppCall {
        self.host.name_app_call(&self.app)
    }
}

/// The owner of an app's connection.
pub(crate) fn owner_of(host: &Host, app: &AppIdentity) -> Owner {
    Owner { app: Arc::clone(&app.name), is_proven: !host.app_caller(app).is_keyless() }
}
