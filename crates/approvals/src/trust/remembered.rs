//! What a server listed last. Apps are shown that, whether the server is there or away: the same bytes in the same order,
//! so that what a model's provider has cached of a conversation stays good.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_policy::{PinItem, PinKind, items_by_name};
use mooring_revisions::OfferKind;
use mooring_store::RememberedRow;
use serde_json::value::RawValue;

use super::Trust;
use crate::error::TrustError;

/// One thing that a server listed.
#[derive(Debug, Clone)]
pub struct ListedItem {
    /// Its name, URI or URI template.
    pub name: String,
    /// Its definition, as the server wrote it.
    pub raw: Box<RawValue>,
    /// The hash that is approved of a tool, prompt or template: of all of this name.
    pub hash: String,
}

impl ListedItem {
    /// The items of a list, from their names and definitions.
    pub fn list(named: Vec<(String, Box<RawValue>)>) -> Vec<Self> {
        // The kind is no part of a hash.
        let items = items_by_name(PinKind::Tool, named.iter().map(|(name, raw)| (name.as_str(), raw.get())));
        Self::list_of(named, &items)
    }

    /// The same of what was hashed already, as what can be approved.
    pub fn list_of(named: Vec<(String, Box<RawValue>)>, items: &[PinItem]) -> Vec<Self> {
        let hashes: HashMap<&str, &str> = items.iter().map(|item| (&*item.name, &*item.hash)).collect();
        let listed = |(name, raw): (String, Box<RawValue>)| {
            let hash = hashes.get(name.as_str()).map(|hash| (*hash).to_owned())?;
            Some(Self { name, raw, hash })
        };
        named.into_iter().filter_map(listed).collect()
    }
}

/// What one server said last.
#[derive(Debug, Clone, Default)]
pub struct RememberedServer {
    /// Its lists; of a kind that is not there nothing was ever read.
    pub lists: BTreeMap<OfferKind, Vec<ListedItem>>,
    /// Its capabilities; none: it was never connected.
    pub capabilities: Option<Box<RawValue>>,
    /// The lists that are not as the server writes them, or not on the disk: what it lists next replaces them.
    provisional: BTreeSet<OfferKind>,
}

impl RememberedServer {
    /// What was read of a server.
    pub fn new(lists: BTreeMap<OfferKind, Vec<ListedItem>>, capabilities: Option<Box<RawValue>>) -> Self {
        Self { lists, capabilities, provisional: BTreeSet::new() }
    }
}

/// The kind of the row that has a server's capabilities.
const CAPABILITIES: &str = "capabilities";

/// Whether two lists have the same things, in whichever order and however written.
fn is_same(one: &[ListedItem], other: &[ListedItem]) -> bool {
    let sorted = |list: &[ListedItem]| {
        let mut sorted: Vec<_> = list.iter().map(|item| (item.name.clone(), item.hash.clone())).collect();
        sorted.sort_unstable();
        sorted
    };
    one.len() == other.len() && sorted(one) == sorted(other)
}

impl Trust {
    /// What a server listed last: as this process read it, or else as it is saved.
    pub async fn remembered(&self, server: ServerId) -> Result<Arc<RememberedServer>, TrustError> {
        // Another process that keeps the server running writes what it reads.
        let is_ours = !(self.is_supervised_elsewhere)();
        if let Some(known) = self.remembered_here().get(&server).filter(|_| is_ours) {
            return Ok(Arc::clone(known));
        }
        let saved = self.remembered_table.get(server.0).await?;
        let worked = tokio::task::spawn_blocking(move || {
            let mut read = RememberedServer::default();
            // What cannot be read is read from the server again.
            for RememberedRow { kind, value, is_from_approvals } in saved {
                if kind == CAPABILITIES {
                    read.capabilities = serde_json::from_str(&value).ok();
                } else if let Some(kind) = OfferKind::ALL.into_iter().find(|known| known.member() == kind)
                    && let Ok(named) = serde_json::from_str(&value)
                {
                    read.lists.insert(kind, ListedItem::list(named));
                    read.provisional.extend(is_from_approvals.then_some(kind));
                }
            }
            read
        });
        let read = Arc::new(worked.await.map_err(TrustError::internal)?);
        Ok(if is_ours { Arc::clone(self.remembered_here().entry(server).or_insert(read)) } else { read })
    }

    /// Remembers what was read. A list that has only another order, or is written in another way, stays as it was.
    pub async fn remember_offers(&self, server: ServerId, read: RememberedServer) {
        if let Err(error) = self.try_remember(server, read).await {
            tracing::warn!(%error, "what a server offers could not be remembered");
        }
    }

    async fn try_remember(&self, server: ServerId, read: RememberedServer) -> Result<(), TrustError> {
        let _turn = self.change_lock.lock().await;
        if !self.is_recorder(server).await? {
            return Ok(());
        }
        let before = self.remembered(server).await?;
        let mut now = RememberedServer::clone(&before);
        let mut rows = Vec::new();
        for (kind, list) in read.lists {
            let is_known = before.lists.get(&kind).is_some_and(|known| is_same(known, &list));
            if is_known && !before.provisional.contains(&kind) {
                continue;
            }
            let named: Vec<_> = list.iter().map(|item| (&item.name, &item.raw)).collect();
            let text = serde_json::to_string(&named).map_err(TrustError::internal)?;
            rows.push((kind.member(), text));
            now.lists.insert(kind, list);
            now.provisional.insert(kind);
        }
        if let Some(capabilities) = read.capabilities
            && before.capabilities.as_ref().is_none_or(|known| known.get() != capabilities.get())
        {
            rows.push((CAPABILITIES, capabilities.get().to_owned()));
            now.capabilities = Some(capabilities);
        }
        // In memory it counts also where the disk is full.
        self.remembered_here().insert(server, Arc::new(now.clone()));
        for (kind, text) in rows {
            self.remembered_table.set(server.0, kind, &text).await?;
        }
        now.provisional.clear();
        self.remembered_here().insert(server, Arc::new(now));
        Ok(())
    }
}
