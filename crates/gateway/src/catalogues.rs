//! The catalogues of all apps. Apps that see the same servers and offers share one catalogue. A catalogue is
//! read once after a change, and dropped when the last of its apps disconnects.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, Weak};

use mooring_addresses::AppLinks;
use mooring_approvals::{AppAccess, AppOff, AppToolList, ListedIn, PinnedTool};
use mooring_base::server_id::ServerId;
use mooring_catalogue::{Addresses, Catalogue, RunPlace};
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_mcp::{Diagnostic, DiagnosticCode};
use mooring_profiles::Narrowing;
use mooring_server_state::{HostEvent, StateName};
use mooring_shares::Shares;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

use crate::left_resources::LeftResources;
use crate::locked::locked;

/// Everything that decides what an app sees. Apps with equal values share a catalogue.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    /// The only server that the app sees. `None` if it sees all.
    only: Option<Arc<str>>,
    /// The era of the app's requests.
    era: ListedIn,
    off: BTreeSet<AppOff>,
    /// The servers of the profile that decides.
    only_servers: Option<Arc<BTreeSet<ServerId>>>,
    prompts_off: bool,
    resources_off: bool,
    pinned: BTreeSet<PinnedTool>,
    /// Whether the app gets a search instead of the tools: always (`true`), if there are many (`false`), or
    /// never (`None`).
    searches: Option<bool>,
    /// The longest name of a tool. `None` keeps the names of a single server as they are.
    longest_name: Option<u8>,
}

impl Seen {
    fn new(host: &Host, app: &str, (only, era): (Option<&Arc<str>>, ListedIn), access: &AppAccess) -> Self {
        let searches = match access.tool_list {
            AppToolList::Search => Some(true),
            AppToolList::Auto if !host.app_searches_tools(app) => Some(false),
            AppToolList::Auto | AppToolList::Whole => None,
        };
        Self {
            only: only.map(Arc::clone),
            era,
            off: access.off.clone(),
            only_servers: access.only_servers.clone(),
            prompts_off: access.prompts_off,
            resources_off: access.resources_off,
            pinned: access.pinned.clone(),
            searches,
            longest_name: only.is_none().then(|| host.app_longest_name(app, access)),
        }
    }
}

pub(crate) struct Catalogues {
    host: Host,
    /// The number of changes to what apps may see.
    changes: watch::Sender<u64>,
    /// The catalogues in use, each with the number of changes before it was read.
    held: Mutex<BTreeMap<Seen, (u64, Weak<Catalogue>)>>,
    /// Held while a catalogue is read, so that none is read twice.
    turn: tokio::sync::Mutex<()>,
    /// The odd tools that were reported, by server and name, with the hash of the definition.
    reported: Mutex<HashMap<ServerId, HashMap<String, String>>>,
    pub(crate) left_resources: Arc<LeftResources>,
    pub(crate) addresses: Addresses,
    /// The URIs in results, for each connected app.
    links: Mutex<HashMap<Arc<str>, Weak<AppLinks>>>,
    /// The limits of each app.
    pub(crate) shares: Shares,
}

impl Catalogues {
    pub(crate) fn new(host: Host) -> Self {
        Self {
            host,
            changes: watch::Sender::new(0),
            held: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            reported: Mutex::default(),
            left_resources: Arc::default(),
            addresses: Addresses::default(),
            links: Mutex::default(),
            shares: Shares::default(),
        }
    }

    /// Follows the events of the host until it ends, and counts changes to what apps see.
    pub(crate) async fn follow_events(&self, mut events: broadcast::Receiver<HostEvent>) {
        // A server also changes when a call ends, because of its statistics. Only name and state matter here.
        let mut states: HashMap<ServerId, (String, StateName)> = HashMap::new();
        loop {
            match events.recv().await {
                Ok(HostEvent::ServerChanged { id }) => {
                    let now = self.host.server_name_and_state(id);
                    if states.get(&id) != now.as_ref() || now.is_none() {
                        // The odd tools of the server's next connection are reported again.
                        locked(&self.reported).remove(&id);
                        now.map(|now| states.insert(id, now));
                        self.changes.send_modify(|count| *count += 1);
                    }
                }
                Ok(event) if !can_change_lists(&event) => {}
                Ok(_) | Err(RecvError::Lagged(_)) => self.changes.send_modify(|count| *count += 1),
                Err(RecvError::Closed) => return,
            }
        }
    }

    pub(crate) fn watch_changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The URIs in the results of an app, shared by all its connections.
    pub(crate) fn links_of(&self, app: &Arc<str>) -> Arc<AppLinks> {
        let mut links = locked(&self.links);
        if let Some(known) = links.get(app).and_then(Weak::upgrade) {
            return known;
        }
        links.retain(|_, links| links.strong_count() > 0);
        let new = Arc::default();
        links.insert(Arc::clone(app), Arc::downgrade(&new));
        new
    }

    /// The catalogue that an app sees now under a profile. It is shared for as long as someone holds it.
    pub(crate) async fn catalogue_of(
        &self,
        app: &str,
        only: Option<&Arc<str>>,
        era: ListedIn,
        profile: Option<&Narrowing>,
    ) -> Result<Arc<Catalogue>, HostError> {
        let access = self.host.app_access_in(app, profile);
        let seen = Seen::new(&self.host, app, (only, era), &access);
        if let Some(catalogue) = self.find_shared(&seen) {
            return Ok(catalogue);
        }
        let _turn = self.turn.lock().await;
        // Another task may have read the catalogue meanwhile.
        if let Some(catalogue) = self.find_shared(&seen) {
            return Ok(catalogue);
        }
        // Take the number first: a change during the read makes the catalogue outdated.
        let now = *self.changes.borrow();
        let only = only.map(|only| &**only);
        let addresses = only.is_none().then_some(&self.addresses);
        let read = Catalogue::read_with(&self.host, app, &access, (only, era), RunPlace::Here, addresses);
        let catalogue = Arc::new(read.await?);
        self.report_odd_tools(&catalogue);
        let mut held = locked(&self.held);
        held.retain(|_, (_, catalogue)| catalogue.strong_count() > 0);
        if !catalogue.is_of_era {
            held.insert(Seen { era: era.other(), ..seen.clone() }, (now, Arc::downgrade(&catalogue)));
        }
        held.insert(seen, (now, Arc::downgrade(&catalogue)));
        Ok(catalogue)
    }

    /// Reports tools that apps don't get the way their server defines them, to the user and the log. Each is
    /// reported once per connection of its server.
    fn report_odd_tools(&self, catalogue: &Catalogue) {
        let mut reported = locked(&self.reported);
        for odd in &catalogue.odd_tools {
            let of_server = reported.entry(odd.server).or_default();
            if of_server.get(&odd.own) == Some(&odd.hash) {
                continue;
            }
            let path = format!("tools.{}", odd.own);
            let diagnostic = Diagnostic::new(DiagnosticCode::WrongType, path, odd.why.clone());
            // If the server isn't connected now, its tools are reported later.
            if self.host.show_diagnostic(odd.server, diagnostic).is_ok() {
                of_server.insert(odd.own.clone(), odd.hash.clone());
            }
        }
    }

    /// The shared catalogue, unless something has changed since it was read.
    fn find_shared(&self, seen: &Seen) -> Option<Arc<Catalogue>> {
        let now = *self.changes.borrow();
        locked(&self.held).get(seen).filter(|(read_at, _)| *read_at == now)?.1.upgrade()
    }
}

/// Whether an event may change what apps see.
fn can_change_lists(event: &HostEvent) -> bool {
    matches!(
        event,
        HostEvent::ServersChanged
            | HostEvent::ServerAddedElsewhere { .. }
            | HostEvent::ToolsChanged { .. }
            | HostEvent::ResourcesChanged { .. }
            | HostEvent::PromptsChanged { .. }
            | HostEvent::TrustChanged { .. }
            | HostEvent::AppsChanged
            | HostEvent::ProfilesChanged
    )
}

#[cfg(test)]
mod tests {
    use mooring_base::clock::Clock;
    use mooring_host::HostOptions;

    use super::*;

    #[tokio::test]
    async fn apps_that_see_the_same_share_it_while_one_is_there() {
        let home = tempfile::tempdir().unwrap();
        let options = HostOptions {
            home: home.path().to_owned(),
            supervise: false,
            has_person: false,
            journal: false,
            demo_server: None,
            client_name: "mooring-test",
            client_version: "0",
            vault: mooring_vault::VaultOptions::default,
            browser: mooring_accounts::system_browser,
            clock: Clock::system(),
        };
        let host = Host::open(options).await.unwrap();
        let catalogues = Catalogues::new(host.clone());
        let of = async |app: &str| catalogues.catalogue_of(app, None, ListedIn::Session, None).await.unwrap();
        let (one, alone) = (
            of("one").await,
            catalogues.catalogue_of("one", Some(&"s".into()), ListedIn::Session, None).await.unwrap(),
        );
        for number in 0..200 {
            assert!(Arc::ptr_eq(&one, &of(&format!("n{number}")).await));
        }
        assert!(!Arc::ptr_eq(&one, &alone));
        // An app that sees less has its own catalogue.
        host.set_app_offers("two", false, true).await.unwrap();
        let two = of("two").await;
        assert!(!Arc::ptr_eq(&one, &two) && Arc::ptr_eq(&one, &of("three").await));
        // Each catalogue is held for both eras, because no server speaks both.
        assert_eq!(locked(&catalogues.held).len(), 2 * 3);
        let gone = [one, alone, two].map(|catalogue| Arc::downgrade(&catalogue));
        assert!(gone.iter().all(|catalogue| catalogue.upgrade().is_none()), "nobody uses them");
        of("one").await;
        assert_eq!(locked(&catalogues.held).len(), 2);
        // After a change, the catalogue is read again.
        let before = of("one").await;
        catalogues.changes.send_modify(|count| *count += 1);
        assert!(!Arc::ptr_eq(&before, &of("one").await));
        host.shutdown().await;
    }
}
