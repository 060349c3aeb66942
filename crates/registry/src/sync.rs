//! Fetches a registry's entries into the copy, page by page.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, Utc};
use mooring_store::{CatalogCopyRow, CatalogPage, CatalogRows};
use mooring_words::say;
use serde::Serialize;
use ts_rs::TS;

use crate::base::RegistryBase;
use crate::body::deflate;
use crate::client::RegistryClient;
use crate::entry::FetchedEntry;
use crate::error::RegistryError;
use crate::limits::FetchLimits;

/// How long the copy is taken as it is when the catalog is opened.
const FRESH: Duration = Duration::from_hours(1);
/// How old the fetch of all entries may be before all are fetched again: a registry may forget what it deleted.
const COMPLETE: Duration = Duration::from_hours(24 * 7);
/// How much earlier changes are asked for than the last fetch: clocks differ.
const OVERLAP: Duration = Duration::from_mins(10);
/// Maximum number of pages in a row that have nothing new.
const MAX_IDLE_PAGES: usize = 3;

/// Why the copy is brought up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshReason {
    /// The person asked for it.
    Asked,
    /// The person opened the catalog: only a copy that is old is refreshed, and nothing is fetched for the first time.
    Opened,
}

/// How far a fetch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "CatalogProgress")]
pub struct SyncProgress {
    /// How many pages were fetched.
    #[ts(as = "u32")]
    pub pages: usize,
    /// How many entries were read.
    #[ts(as = "u32")]
    pub entries: usize,
    /// How many entries could not be understood.
    #[ts(as = "u32")]
    pub left_out: usize,
}

/// What is fetched.
pub(crate) struct Fetch {
    generation: i64,
    /// When it began.
    at_us: i64,
    cursor: Option<String>,
    /// Only entries that changed since then.
    since: Option<String>,
}

/// Whether the copy needs no refresh.
pub(crate) fn is_fresh(copy: Option<&CatalogCopyRow>, reason: RefreshReason, now_us: i64) -> bool {
    match (reason, copy.and_then(|copy| copy.synced_at_us)) {
        (RefreshReason::Asked, _) => false,
        (RefreshReason::Opened, None) => true,
        (RefreshReason::Opened, Some(at)) => is_within(at, FRESH, now_us),
    }
}

/// Whether a time is at most this long ago. One in the future isn't: the clock was changed.
fn is_within(at_us: i64, span: Duration, now_us: i64) -> bool {
    let age = u64::try_from(now_us - at_us).map(Duration::from_micros);
    age.is_ok_and(|age| age < span)
}

/// Decides what is fetched.
pub(crate) async fn plan_fetch(
    store: &CatalogRows,
    base: &RegistryBase,
    copy: Option<CatalogCopyRow>,
    now_us: i64,
) -> Result<Fetch, RegistryError> {
    let own = copy.filter(|copy| copy.base == base.as_str());
    let own = own.filter(|copy| is_within(copy.started_at_us, COMPLETE, now_us));
    if let Some(copy) = own {
        let (generation, started) = (copy.generation, copy.started_at_us);
        if copy.cursor.is_some() {
            return Ok(Fetch { generation, at_us: started, cursor: copy.cursor, since: None });
        }
        if let Some(synced) = copy.synced_at_us {
            let overlap = i64::try_from(OVERLAP.as_micros()).unwrap_or(i64::MAX);
            let since = DateTime::<Utc>::from_timestamp_micros(synced - overlap);
            let since = since.map(|since| since.to_rfc3339_opts(SecondsFormat::Secs, true));
            return Ok(Fetch { generation, at_us: now_us, cursor: None, since });
        }
    }
    let generation = store.begin_fetch(base.as_str(), now_us).await?;
    Ok(Fetch { generation, at_us: now_us, cursor: None, since: None })
}

/// Fetches pages until there are no more.
pub(crate) async fn run_fetch(
    (client, store): (&RegistryClient, &CatalogRows),
    base: &RegistryBase,
    mut fetch: Fetch,
    on_progress: &(dyn Fn(SyncProgress) + Send + Sync),
) -> Result<SyncProgress, RegistryError> {
    let begun = Instant::now();
    let limits = client.limits;
    let mut watch = FetchWatch::default();
    let mut progress = SyncProgress::default();
    loop {
        watch.check(&progress, begun, &limits)?;
        let fetched = client.page(base, fetch.cursor.as_deref(), fetch.since.as_deref()).await?;
        let page = fetched.page;
        watch.add_page(fetched.bytes, page.entries.iter().map(|(entry, _)| entry), page.cursor.as_deref())?;
        progress.pages += 1;
        progress.entries += page.entries.len();
        progress.left_out += page.left_out;
        let entries = page.entries.iter().filter(|(entry, _)| entry.is_latest != Some(false));
        let entries = entries
            .map(|(entry, body)| Ok(entry.to_new(deflate(body)?)))
            .collect::<Result<Vec<_>, RegistryError>>()?;
        let saved = CatalogPage {
            generation: fetch.generation,
            entries: &entries,
            cursor: page.cursor.as_deref().filter(|_| fetch.since.is_none()),
            // Those that changed were counted before.
            left_out: match fetch.since {
                None => i64::try_from(page.left_out).unwrap_or(i64::MAX),
                Some(_) => 0,
            },
        };
        if !store.save_page(saved).await? {
            // Another process fetches the same, or the registry was changed.
            return Err(RegistryError::cancelled());
        }
        on_progress(progress);
        fetch.cursor = page.cursor;
        if fetch.cursor.is_none() {
            break;
        }
    }
    store.finish_fetch(fetch.generation, fetch.at_us).await?;
    Ok(progress)
}

/// Sees when a registry doesn't come to an end.
#[derive(Default)]
struct FetchWatch {
    hasher: RandomState,
    /// Hashes of cursors.
    cursors: HashSet<u64>,
    /// Hashes of names and versions.
    names: HashSet<u64>,
    bytes: usize,
    idle_pages: usize,
}

impl FetchWatch {
    fn check(
        &self,
        progress: &SyncProgress,
        begun: Instant,
        limits: &FetchLimits,
    ) -> Result<(), RegistryError> {
        if progress.pages >= limits.pages {
            let sentence = say!("the registry has more than {limit} pages", limit = limits.pages);
            return Err(RegistryError::too_large(sentence));
        }
        if progress.entries + progress.left_out > limits.entries {
            let sentence = say!("the registry has more than {limit} entries", limit = limits.entries);
            return Err(RegistryError::too_large(sentence));
        }
        if self.bytes > limits.total_bytes {
            let limit = limits.total_bytes >> 20;
            return Err(RegistryError::too_large(say!("the registry has more than {limit} MiB", limit)));
        }
        if begun.elapsed() > limits.total_time {
            let minutes = limits.total_time.as_secs() / 60;
            let sentence = say!("the registry took longer than {minutes} minutes", minutes = minutes);
            return Err(RegistryError::too_large(sentence));
        }
        Ok(())
    }

    fn add_page<'a>(
        &mut self,
        bytes: usize,
        entries: impl Iterator<Item = &'a FetchedEntry>,
        cursor: Option<&str>,
    ) -> Result<(), RegistryError> {
        let known = self.names.len();
        self.bytes += bytes;
        let hashes = entries.map(|entry| self.hasher.hash_one((&entry.row.name, &entry.row.version)));
        self.names.extend(hashes);
        self.idle_pages = if self.names.len() > known { 0 } else { self.idle_pages + 1 };
        let is_repeated = cursor.is_some_and(|cursor| !self.cursors.insert(self.hasher.hash_one(cursor)));
        if is_repeated || (cursor.is_some() && self.idle_pages >= MAX_IDLE_PAGES) {
            return Err(RegistryError::not_a_registry(say!("its list has no end")));
        }
        Ok(())
    }
}
