//! What a server listed last. Apps are shown that, whether the server is there or away: the same bytes in the same order,
//! so that what a model's provider has cached of a conversation stays good.

use std::collections::BTreeMap;
use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_policy::{PinKind, items_by_name};
use mooring_revisions::OfferKind;
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
        let hashes: BTreeMap<String, String> = items.into_iter().map(|item| (item.name, item.hash)).collect();
        let hash_of = |name: &str| hashes.get(name).cloned().unwrap_or_default();
        named.into_iter().map(|(name, raw)| Self { hash: hash_of(&name), name, raw }).collect()
    }
}

/// The lists of one server; of a kind that is not there nothing was ever read.
pub type RememberedItems = BTreeMap<OfferKind, Vec<ListedItem>>;

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
    pub async fn remembered(&self, server: ServerId) -> Result<Arc<RememberedItems>, TrustError> {
        // Another process that keeps the server running writes what it reads.
        let is_ours = !(self.is_supervised_elsewhere)();
        if let Some(known) = self.remembered_here().get(&server).filter(|_| is_ours) {
            return Ok(Arc::clone(known));
        }
        let saved = self.remembered_table.get(server.0).await?;
        let worked = tokio::task::spawn_blocking(move || {
            let of_kind = |(kind, list): &(String, String)| {
                let kind = OfferKind::ALL.into_iter().find(|known| known.member() == kind)?;
                // What cannot be read is read from the server again.
                let named = serde_json::from_str(list).ok()?;
                Some((kind, ListedItem::list(named)))
            };
            saved.iter().filter_map(of_kind).collect::<RememberedItems>()
        });
        let read = worked
            .await
            .map_err(|error| TrustError::Internal(mooring_words::Sentence::quoted(error.to_string())))?;
        let read = Arc::new(read);
        Ok(if is_ours { Arc::clone(self.remembered_here().entry(server).or_insert(read)) } else { read })
    }

    /// Remembers lists that were read. One that has only another order, or is written in another way, stays as it was.
    pub async fn remember_lists(&self, server: ServerId, lists: RememberedItems) {
        if let Err(error) = self.try_remember(server, lists).await {
            tracing::warn!(%error, "what a server listed could not be remembered");
        }
    }

    async fn try_remember(&self, server: ServerId, lists: RememberedItems) -> Result<(), TrustError> {
        let _turn = self.change_lock.lock().await;
        if !self.is_recorder(server).await? {
            return Ok(());
        }
        let before = self.remembered(server).await?;
        for (kind, list) in lists {
            if before.get(&kind).is_some_and(|known| is_same(known, &list)) {
                continue;
            }
            let named: Vec<_> = list.iter().map(|item| (&item.name, &item.raw)).collect();
            let text = serde_json::to_string(&named)
                .map_err(|error| TrustError::Internal(mooring_words::Sentence::quoted(error.to_string())))?;
            // In memory it counts also where the disk is full.
            if let Some(known) = self.remembered_here().get_mut(&server) {
                Arc::make_mut(known).insert(kind, list);
            }
            self.remembered_table.set(server.0, kind.member(), &text).await?;
        }
        Ok(())
    }
}
