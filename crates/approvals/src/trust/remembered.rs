//! The last lists of a server. Apps see them whether the server is connected or not, with the same bytes in
//! the same order, so that a model provider's prompt cache stays valid.
//!
//! A server that supports both eras may list different definitions in stateless requests and in a session.
//! Both are remembered, and an approval of a name covers all definitions with that name.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use mooring_base::clock::now_us;
use mooring_base::digest::sha256;
use mooring_base::server_id::ServerId;
use mooring_policy::{PinItem, PinKind, items_by_name};
use mooring_revisions::OfferKind;
use mooring_store::{RememberedRow, SessionTrialRow};
use serde_json::value::RawValue;

use super::Trust;
use crate::error::TrustError;

/// Age at which a trial of a session with a server is repeated, in microseconds: seven days.
const TRIAL_AGE_US: i64 = 7 * 24 * 60 * 60 * 1_000_000;

/// The era in which a server lists its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListedIn {
    /// The era of the connection that all apps share.
    SharedEra,
    /// A session, if the shared connection uses the stateless era and the server supports both.
    Session,
}

impl ListedIn {
    /// The other era.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::SharedEra => Self::Session,
            Self::Session => Self::SharedEra,
        }
    }
}

/// One item that a server listed.
#[derive(Debug, Clone)]
pub struct ListedItem {
    /// The item's name, URI or URI template.
    pub name: String,
    /// The item's definition as the server wrote it.
    pub raw: Box<RawValue>,
    /// The hash of all definitions with this name in the item's own list.
    pub own_hash: String,
    /// The hash that is approved for a tool, prompt or template. It covers all definitions with this name,
    /// including different ones of the other era.
    pub hash: String,
}

impl ListedItem {
    /// The items of a list, from their names and definitions.
    pub fn list(named: Vec<(String, Box<RawValue>)>) -> Vec<Self> {
        // The kind is not part of the hash.
        let items = items_by_name(PinKind::Tool, named.iter().map(|(name, raw)| (name.as_str(), raw.get())));
        Self::list_of(named, &items)
    }

    /// The items of a list whose hashes are already known from `items`. Items without a hash are left out.
    pub fn list_of(named: Vec<(String, Box<RawValue>)>, items: &[PinItem]) -> Vec<Self> {
        let hashes: HashMap<&str, &str> = items.iter().map(|item| (&*item.name, &*item.hash)).collect();
        let listed = |(name, raw): (String, Box<RawValue>)| {
            let hash = (*hashes.get(name.as_str())?).to_owned();
            Some(Self { name, raw, own_hash: hash.clone(), hash })
        };
        named.into_iter().filter_map(listed).collect()
    }
}

/// What a server offers in one era.
#[derive(Debug, Clone, Default)]
pub struct ListedOffers {
    /// The lists by kind. A kind is missing if its list was never read.
    pub lists: BTreeMap<OfferKind, Vec<ListedItem>>,
    /// The server's capabilities. `None` if the server was never connected.
    pub capabilities: Option<Box<RawValue>>,
}

impl ListedOffers {
    /// The items of a kind.
    pub fn of_kind(&self, kind: OfferKind) -> &[ListedItem] {
        self.lists.get(&kind).map_or(&[], Vec::as_slice)
    }
}

/// The last known offers of one server.
#[derive(Debug, Clone, Default)]
pub struct RememberedServer {
    shared: ListedOffers,
    session: ListedOffers,
    /// The result of the last trial of a session.
    trial: Option<SessionTrialRow>,
    /// Lists that were built from approvals or are not on the disk. The next list of the server replaces
    /// them.
    provisional: BTreeSet<(ListedIn, OfferKind)>,
}

/// The `kind` of the row that has a server's capabilities.
const CAPABILITIES: &str = "capabilities";

/// The kind under which items of a list are approved. `None` if they are not approved.
fn pin_kind_of(kind: OfferKind) -> Option<PinKind> {
    match kind {
        OfferKind::Tools => Some(PinKind::Tool),
        OfferKind::Prompts => Some(PinKind::Prompt),
        OfferKind::Templates => Some(PinKind::Template),
        OfferKind::Resources => None,
    }
}

/// Whether two lists have the same items, in any order and formatting.
fn has_same_items(one: &[ListedItem], other: &[ListedItem]) -> bool {
    fn sorted(list: &[ListedItem]) -> Vec<(&str, &str)> {
        let mut sorted: Vec<_> = list.iter().map(|item| (&*item.name, &*item.own_hash)).collect();
        sorted.sort_unstable();
        sorted
    }
    one.len() == other.len() && sorted(one) == sorted(other)
}

/// The own hashes in a list, by name.
fn own_hashes(list: &[ListedItem]) -> HashMap<&str, &str> {
    list.iter().map(|item| (&*item.name, &*item.own_hash)).collect()
}

impl RememberedServer {
    fn offers(&self, era: ListedIn) -> &ListedOffers {
        match era {
            ListedIn::SharedEra => &self.shared,
            ListedIn::Session => &self.session,
        }
    }

    fn offers_mut(&mut self, era: ListedIn) -> &mut ListedOffers {
        match era {
            ListedIn::SharedEra => &mut self.shared,
            ListedIn::Session => &mut self.session,
        }
    }

    /// The offers for requests of an era. They only differ between the eras if the server supports both.
    pub fn of(&self, era: ListedIn) -> &ListedOffers {
        self.offers(if self.speaks_session() { era } else { ListedIn::SharedEra })
    }

    /// All items of a kind, of both eras. An item that is listed in both may come twice.
    pub fn listed(&self, kind: OfferKind) -> impl Iterator<Item = &ListedItem> {
        let in_session = self.speaks_session().then(|| self.session.of_kind(kind));
        self.shared.of_kind(kind).iter().chain(in_session.into_iter().flatten())
    }

    /// Whether a list of the server was ever read.
    pub fn is_listed(&self) -> bool {
        !self.shared.lists.is_empty()
    }

    /// Whether the server supports sessions in addition to the stateless era.
    pub fn speaks_session(&self) -> bool {
        self.trial.as_ref().is_some_and(|trial| trial.speaks)
    }

    /// Whether to try a session with a stateless server, because that was never tried, its lists have
    /// changed, or the last trial was long ago.
    pub fn needs_session_trial(&self) -> bool {
        self.trial.as_ref().is_none_or(|trial| {
            now_us() - trial.tried_at_us > TRIAL_AGE_US || trial.beside != self.hash_shared_lists()
        })
    }

    /// A hash of the approvable items that the shared connection lists.
    fn hash_shared_lists(&self) -> String {
        let kinds = self.shared.lists.iter().filter(|(kind, _)| pin_kind_of(**kind).is_some());
        let sorted = kinds.map(|(kind, list)| {
            let mut items: Vec<_> = list.iter().map(|item| (&item.name, &item.own_hash)).collect();
            items.sort_unstable();
            (kind.member(), items)
        });
        let all: Vec<_> = sorted.collect();
        sha256(&serde_json::json!(all).to_string())
    }

    /// The hash of one era's definition of an item. `None` if the hash of all its definitions is not `whole`.
    pub fn part_of(&self, era: ListedIn, kind: PinKind, name: &str, whole: &str) -> Option<&str> {
        let kind = OfferKind::ALL.into_iter().find(|offered| pin_kind_of(*offered) == Some(kind))?;
        let item = self.of(era).of_kind(kind).iter().find(|item| item.name == name)?;
        (item.hash == whole).then_some(&*item.own_hash)
    }

    /// The pin item of a name whose definition differs between the eras. It covers both definitions.
    fn joined_item(&self, kind: OfferKind, name: &str) -> PinItem {
        let both = [ListedIn::SharedEra, ListedIn::Session].into_iter();
        let of_name = both.flat_map(|era| self.offers(era).of_kind(kind)).filter(|item| item.name == name);
        let texts: Vec<&str> = of_name.map(|item| item.raw.get()).collect();
        PinItem::new(pin_kind_of(kind).unwrap_or(PinKind::Tool), name, &texts)
    }

    /// Sets the hashes of the items of a kind, so that an approval covers the definitions of both eras.
    /// Returns the pin items of those names whose definitions differ between the eras.
    fn join_definitions(&mut self, kind: OfferKind) -> Vec<PinItem> {
        if pin_kind_of(kind).is_none() {
            return Vec::new();
        }
        let own = own_hashes(self.session.of_kind(kind));
        let differs = |item: &&ListedItem| own.get(&*item.name).is_some_and(|hash| *hash != item.own_hash);
        let names = self.shared.of_kind(kind).iter().filter(differs).map(|item| item.name.clone());
        let names: BTreeSet<String> = names.collect();
        let wholes: Vec<PinItem> = names.iter().map(|name| self.joined_item(kind, name)).collect();
        let hashes: HashMap<&str, &str> = wholes.iter().map(|item| (&*item.name, &*item.hash)).collect();
        for offers in [&mut self.shared, &mut self.session] {
            for item in offers.lists.get_mut(&kind).into_iter().flatten() {
                let hash = hashes.get(&*item.name).map_or(&*item.own_hash, |hash| *hash);
                if item.hash != hash {
                    item.hash = hash.to_owned();
                }
            }
        }
        wholes
    }

    /// Adopts the lists of one era. Returns the rows to write.
    fn adopt_lists(
        &mut self,
        era: ListedIn,
        read: ListedOffers,
    ) -> Result<Vec<(&'static str, String)>, serde_json::Error> {
        let mut rows = Vec::new();
        for (kind, list) in read.lists {
            let is_known =
                self.offers(era).lists.get(&kind).is_some_and(|known| has_same_items(known, &list));
            if is_known && !self.provisional.contains(&(era, kind)) {
                continue;
            }
            let named: Vec<_> = list.iter().map(|item| (&item.name, &item.raw)).collect();
            rows.push((kind.member(), serde_json::to_string(&named)?));
            self.offers_mut(era).lists.insert(kind, list);
            self.provisional.insert((era, kind));
        }
        let known = &mut self.offers_mut(era).capabilities;
        if let Some(capabilities) = read.capabilities
            && known.as_ref().is_none_or(|known| known.get() != capabilities.get())
        {
            rows.push((CAPABILITIES, capabilities.get().to_owned()));
            *known = Some(capabilities);
        }
        Ok(rows)
    }

    /// The pin items of these kinds to record, after one era has listed `items`.
    fn merge_eras(&mut self, era: ListedIn, kinds: &[PinKind], mut items: Vec<PinItem>) -> Vec<PinItem> {
        for kind in OfferKind::ALL {
            let Some(pinned) = pin_kind_of(kind).filter(|pinned| kinds.contains(pinned)) else { continue };
            let wholes = self.join_definitions(kind);
            let listed: BTreeSet<String> = items.iter().map(|item| item.name.clone()).collect();
            let others = self.offers(era.other()).of_kind(kind).iter();
            let others = others.filter(|item| !listed.contains(&item.name));
            let others = others.map(|item| (item.name.as_str(), item.raw.get()));
            let others = items_by_name(pinned, others);
            let replaced: BTreeSet<&str> = wholes.iter().map(|item| &*item.name).collect();
            items.retain(|item| !replaced.contains(&*item.name));
            items.extend(others);
            items.extend(wholes);
        }
        items
    }
}

impl Trust {
    /// The last lists of a server, if they are in memory.
    pub fn last_lists(&self, server: ServerId) -> Option<Arc<RememberedServer>> {
        self.lock_remembered().get(&server).cloned()
    }

    /// The last lists of a server, from memory or from the table.
    pub async fn remembered(&self, server: ServerId) -> Result<Arc<RememberedServer>, TrustError> {
        // Another process that keeps the servers running saves newer lists than those in memory here.
        let is_ours = !(self.is_supervised_elsewhere)();
        if let Some(known) = self.lock_remembered().get(&server).filter(|_| is_ours) {
            return Ok(Arc::clone(known));
        }
        let saved = self.remembered_table.get(server.0).await?;
        let trial = self.remembered_table.session_trial(server.0).await?;
        let worked = tokio::task::spawn_blocking(move || {
            let mut read = RememberedServer { trial, ..RememberedServer::default() };
            // Rows that can't be parsed are ignored. Their lists are read from the server again.
            for RememberedRow { in_session, kind, value, is_from_approvals } in saved {
                let era = if in_session { ListedIn::Session } else { ListedIn::SharedEra };
                if kind == CAPABILITIES {
                    read.offers_mut(era).capabilities = serde_json::from_str(&value).ok();
                } else if let Some(kind) = OfferKind::ALL.into_iter().find(|known| known.member() == kind)
                    && let Ok(named) = serde_json::from_str(&value)
                {
                    read.offers_mut(era).lists.insert(kind, ListedItem::list(named));
                    read.provisional.extend(is_from_approvals.then_some((era, kind)));
                }
            }
            for kind in OfferKind::ALL {
                read.join_definitions(kind);
            }
            read
        });
        let read = Arc::new(worked.await.map_err(TrustError::internal)?);
        Ok(if is_ours { Arc::clone(self.lock_remembered().entry(server).or_insert(read)) } else { read })
    }

    /// Saves the lists of an era. A list that only differs in order or formatting is not saved.
    pub async fn remember_offers(&self, server: ServerId, era: ListedIn, read: ListedOffers) {
        let _turn = self.change_lock.lock().await;
        if let Err(error) = self.record_offers(server, era, &[], Vec::new(), read).await {
            tracing::warn!(%error, "what a server offers could not be remembered");
        }
    }

    /// Records a list that was read: its items for approval, before anyone can use them, and the list that
    /// apps see. If the database can't be written, the change is only in memory.
    pub async fn record_list(
        &self,
        server: ServerId,
        era: ListedIn,
        (kinds, items): (Vec<PinKind>, Vec<PinItem>),
        read: ListedOffers,
    ) {
        let _turn = self.change_lock.lock().await;
        if let Err(error) = self.record_offers(server, era, &kinds, items, read).await {
            tracing::warn!(%error, "what a server offers could not be recorded");
        }
    }

    async fn record_offers(
        &self,
        server: ServerId,
        era: ListedIn,
        kinds: &[PinKind],
        items: Vec<PinItem>,
        read: ListedOffers,
    ) -> Result<(), TrustError> {
        let mut now = RememberedServer::clone(&*self.remembered(server).await?);
        let of = kinds.to_vec();
        let worked = tokio::task::spawn_blocking(move || {
            let rows = now.adopt_lists(era, read)?;
            let items = now.merge_eras(era, &of, items);
            Ok::<_, serde_json::Error>((now, rows, items))
        });
        let worked = worked.await.map_err(TrustError::internal)?;
        let (mut now, rows, items) = worked.map_err(TrustError::internal)?;
        if !kinds.is_empty() {
            let is_first_look = era == ListedIn::Session && !now.speaks_session();
            self.record_items(server, kinds, items, is_first_look).await?;
        }
        if !self.is_recorder(server).await? {
            return Ok(());
        }
        // The memory is updated even if the disk is full.
        self.lock_remembered().insert(server, Arc::new(now.clone()));
        for (kind, text) in rows {
            self.remembered_table.set(server.0, era == ListedIn::Session, kind, &text).await?;
        }
        now.provisional.clear();
        self.lock_remembered().insert(server, Arc::new(now));
        Ok(())
    }

    /// Saves whether a server of the stateless era also supports sessions. If it doesn't, the lists of its
    /// sessions are forgotten.
    pub async fn remember_session_trial(&self, server: ServerId, speaks: bool) -> Result<(), TrustError> {
        let _turn = self.change_lock.lock().await;
        if !self.is_recorder(server).await? {
            return Ok(());
        }
        let mut now = RememberedServer::clone(&*self.remembered(server).await?);
        let trial = SessionTrialRow { speaks, beside: now.hash_shared_lists(), tried_at_us: now_us() };
        now.trial = Some(trial.clone());
        if !speaks {
            now.session = ListedOffers::default();
            for kind in OfferKind::ALL {
                now.join_definitions(kind);
            }
        }
        self.lock_remembered().insert(server, Arc::new(now));
        self.remembered_table.set_session_trial(server.0, &trial).await?;
        self.notify_change(server);
        Ok(())
    }
}
