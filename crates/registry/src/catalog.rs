//! The copy of a registry: searched, shown and brought up to date.

use std::sync::Arc;

use mooring_network::Network;
use mooring_store::{CatalogRows, Store};
use mooring_words::say;
use serde::Serialize;
use tokio::sync::Mutex;
use ts_rs::TS;

use crate::base::RegistryBase;
use crate::body::inflate;
use crate::client::RegistryClient;
use crate::entry::{CatalogEntry, EntryStatus, FetchedEntry, read_entry};
use crate::error::{RegistryError, RegistryErrorCode};
use crate::limits::FetchLimits;
use crate::sync::{RefreshReason, SyncProgress, is_fresh, plan_fetch, run_fetch};

/// Maximum number of words of a search.
const MAX_WORDS: usize = 8;
/// Maximum number of bytes of the text of a search.
const MAX_SEARCH: usize = 500;
/// Maximum number of entries that a search returns at once.
const MAX_FOUND: u32 = 500;

/// The copy of a registry. Clones share it.
#[derive(Debug, Clone)]
pub struct RegistryCopy {
    store: CatalogRows,
    client: RegistryClient,
    /// Locked during a fetch.
    fetching: Arc<Mutex<()>>,
}

/// The state of the copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CatalogState {
    /// The registry's URL.
    pub base: String,
    /// The host that is contacted.
    pub host: String,
    /// How many entries the copy has.
    #[ts(as = "u32")]
    pub entries: i64,
    /// How many entries of the registry could not be understood.
    #[ts(as = "u32")]
    pub left_out: i64,
    /// When the copy was last up to date, in milliseconds since the Unix epoch. `None` before the first fetch ended.
    pub synced_ms: Option<i64>,
    /// Whether a fetch of all entries was not finished.
    pub unfinished: bool,
}

/// A part of the entries that match a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundEntries {
    /// How many entries match.
    pub total: i64,
    /// The requested part.
    pub entries: Vec<CatalogEntry>,
}

/// One version of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CatalogVersion {
    /// The version.
    pub version: String,
    /// What the registry says of it.
    pub status: EntryStatus,
    /// When it was published, in milliseconds since the Unix epoch.
    pub published_ms: Option<i64>,
}

/// An entry with everything that is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogDetail {
    /// The entry.
    pub entry: CatalogEntry,
    /// Why it was deprecated or deleted, in the publisher's words.
    pub status_message: Option<String>,
    /// The URL of the source code.
    pub repository: Option<String>,
    /// The URL of the website.
    pub website: Option<String>,
    /// Its `server.json`, as a text to import.
    pub server_json: String,
}

impl RegistryCopy {
    /// The copy in this store. `name` is sent to the registry as the user agent.
    pub fn new(name: &str, store: &Store, network: &Network, limits: FetchLimits) -> Self {
        let client = RegistryClient::new(name, network, limits);
        Self { store: store.catalog(), client, fetching: Arc::default() }
    }

    /// The state of the copy of this registry. A copy of another one is removed.
    pub async fn state(&self, base: &RegistryBase) -> Result<CatalogState, RegistryError> {
        let mut copy = self.store.copy().await?;
        if copy.as_ref().is_some_and(|copy| copy.base != base.as_str()) {
            self.store.clear_unless(base.as_str()).await?;
            copy = None;
        }
        let entries = if copy.is_some() { self.store.count().await? } else { 0 };
        Ok(CatalogState {
            base: base.as_str().to_owned(),
            host: base.host().to_owned(),
            entries,
            left_out: copy.as_ref().map_or(0, |copy| copy.left_out),
            synced_ms: copy.as_ref().and_then(|copy| copy.synced_at_us).map(|at| at / 1_000),
            unfinished: copy.is_some_and(|copy| copy.cursor.is_some() || copy.synced_at_us.is_none()),
        })
    }

    /// Brings the copy up to date. `None` if it is fresh enough for this reason. Dropping the future ends the fetch:
    /// the next one of all entries goes on where this one ended.
    pub async fn refresh(
        &self,
        base: &RegistryBase,
        reason: RefreshReason,
        now_us: i64,
        on_progress: &(dyn Fn(SyncProgress) + Send + Sync),
    ) -> Result<Option<SyncProgress>, RegistryError> {
        let _turn = self.fetching.lock().await;
        let copy = self.store.copy().await?;
        let own = copy.as_ref().filter(|copy| copy.base == base.as_str());
        if is_fresh(own, reason, now_us) {
            return Ok(None);
        }
        let goes_on = own.is_some_and(|copy| copy.cursor.is_some());
        let fetch = plan_fetch(&self.store, base, copy, now_us).await?;
        match run_fetch((&self.client, &self.store), base, fetch, on_progress).await {
            // The registry doesn't know the old place any more.
            Err(error) if goes_on && is_refusal(&error) => {
                let fetch = plan_fetch(&self.store, base, None, now_us).await?;
                run_fetch((&self.client, &self.store), base, fetch, on_progress).await.map(Some)
            }
            done => done.map(Some),
        }
    }

    /// Searches the copy for entries with all words of a text. Without words, all entries match, newest first.
    pub async fn search(&self, text: &str, offset: u32, limit: u32) -> Result<FoundEntries, RegistryError> {
        let text = text.get(..text.floor_char_boundary(MAX_SEARCH)).unwrap_or_default();
        let words: Vec<String> = text.split_whitespace().take(MAX_WORDS).map(str::to_lowercase).collect();
        let limit = limit.clamp(1, MAX_FOUND);
        let found = self.store.search(&words, offset.into(), limit.into()).await?;
        Ok(FoundEntries {
            total: found.total,
            entries: found.rows.into_iter().map(CatalogEntry::from).collect(),
        })
    }

    /// The entries of the copy with these names, without an order. Unknown names are left out.
    pub async fn entries(&self, names: &[&str]) -> Result<Vec<CatalogEntry>, RegistryError> {
        let mut entries = Vec::new();
        for names in names.chunks(500) {
            entries.extend(self.store.entries(names).await?.into_iter().map(CatalogEntry::from));
        }
        Ok(entries)
    }

    /// The newest version of an entry in the copy.
    pub async fn detail(&self, name: &str) -> Result<CatalogDetail, RegistryError> {
        let Some((row, body)) = self.store.entry(name).await? else {
            return Err(RegistryError::new(
                RegistryErrorCode::NotFound,
                say!("the catalog has no such entry: {name}", name),
            ));
        };
        let text = inflate(&body, self.client.limits.entry_bytes)?;
        let entry = read_entry(&text).ok_or_else(|| RegistryError::not_found(name))?;
        Ok(to_detail(CatalogEntry::from(row), entry))
    }

    /// Asks the registry for one version of an entry.
    pub async fn version(
        &self,
        base: &RegistryBase,
        name: &str,
        version: &str,
    ) -> Result<CatalogDetail, RegistryError> {
        let entry = self.client.version(base, name, version).await?;
        Ok(to_detail(CatalogEntry::from(entry.row.clone()), entry))
    }

    /// Asks the registry for all versions of an entry, newest first.
    pub async fn versions(
        &self,
        base: &RegistryBase,
        name: &str,
    ) -> Result<Vec<CatalogVersion>, RegistryError> {
        let versions = self.client.versions(base, name).await?.into_iter().map(|entry| {
            let entry = CatalogEntry::from(entry.row);
            CatalogVersion { version: entry.version, status: entry.status, published_ms: entry.published_ms }
        });
        Ok(versions.collect())
    }
}

/// Whether the registry answered, but refused.
fn is_refusal(error: &RegistryError) -> bool {
    matches!(error.code(), Some(RegistryErrorCode::Refused | RegistryErrorCode::NotFound))
}

fn to_detail(row: CatalogEntry, entry: FetchedEntry) -> CatalogDetail {
    CatalogDetail {
        entry: row,
        status_message: entry.status_message,
        repository: entry.repository,
        website: entry.website,
        server_json: entry.server.to_string(),
    }
}
