//! The copy of a registry's entries.

use std::sync::Arc;

use mooring_disk::StoreError;
use sqlx::sqlite::{Sqlite, SqliteConnection};
use sqlx::{FromRow, QueryBuilder};

use crate::database::Database;
use crate::table::secret::begin;

/// The copy's state.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct CatalogCopyRow {
    /// The registry's URL.
    pub base: String,
    /// Grows with each fetch of all entries.
    pub generation: i64,
    /// Where an unfinished fetch of all entries goes on.
    pub cursor: Option<String>,
    /// When the fetch of all entries began, in microseconds since the Unix epoch.
    pub started_at_us: i64,
    /// When the newest finished fetch began. `None` before the first.
    pub synced_at_us: Option<i64>,
    /// How many entries could not be understood.
    pub left_out: i64,
}

/// An entry as lists show it. Times are microseconds since the Unix epoch.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct CatalogEntryRow {
    /// The full name, unique in the registry.
    pub name: String,
    /// The title. Empty without one.
    pub title: String,
    /// The description.
    pub description: String,
    /// The newest version.
    pub version: String,
    /// The kinds of its packages and remotes, with spaces between them.
    pub kinds: String,
    /// `active`, `deprecated` or `deleted`.
    pub status: String,
    /// When the newest version was published.
    pub published_at_us: Option<i64>,
    /// When the registry changed the entry last.
    pub updated_at_us: Option<i64>,
}

/// An entry to be saved.
#[derive(Clone, Debug)]
pub struct NewCatalogEntry {
    /// The entry.
    pub row: CatalogEntryRow,
    /// What the registry sent, deflated.
    pub body: Vec<u8>,
    /// Whether the registry says that this version is the newest. Otherwise a later one that is saved stays.
    pub is_latest: bool,
}

/// What is saved with a page.
#[derive(Clone, Copy, Debug)]
pub struct CatalogPage<'a> {
    /// The generation of the fetch.
    pub generation: i64,
    /// The page's entries.
    pub entries: &'a [NewCatalogEntry],
    /// Where a fetch of all entries goes on. `None` leaves it as it is.
    pub cursor: Option<&'a str>,
    /// How many more entries could not be understood.
    pub left_out: i64,
}

/// Part of the entries that match some words.
#[derive(Clone, Debug, Default)]
pub struct CatalogSearch {
    /// How many entries match.
    pub total: i64,
    /// Those of the requested part, best matches first.
    pub rows: Vec<CatalogEntryRow>,
}

/// The tables of the copy.
#[derive(Clone, Debug)]
pub struct CatalogRows(pub(crate) Arc<Database>);

/// The columns of [`CatalogEntryRow`].
const COLUMNS: &str =
    "name, title, description, version, kinds, status, published_at_us, updated_at_us FROM catalog_entry";

impl CatalogRows {
    /// The copy's state. `None` if nothing was ever fetched.
    pub async fn copy(&self) -> Result<Option<CatalogCopyRow>, StoreError> {
        const COPY: &str = "SELECT base, generation, cursor, started_at_us, synced_at_us, left_out
            FROM catalog_copy";
        let row = sqlx::query_as(COPY).fetch_optional(&self.0.lookups).await;
        row.map_err(|error| self.0.store_error(error))
    }

    /// Begins a fetch of all entries. A copy of another registry is removed first. Returns the generation.
    pub async fn begin_fetch(&self, base: &str, at_us: i64) -> Result<i64, StoreError> {
        const BEGIN: &str = "INSERT INTO catalog_copy (one, base, generation, started_at_us, left_out)
            VALUES (1, ?, 1, ?, 0)
            ON CONFLICT (one) DO UPDATE SET generation = generation + 1, cursor = NULL, left_out = 0,
            started_at_us = excluded.started_at_us RETURNING generation";
        const OTHER: &str = "DELETE FROM catalog_copy WHERE base <> ?";
        const REST: &str = "DELETE FROM catalog_entry WHERE NOT EXISTS (SELECT 1 FROM catalog_copy)";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        sqlx::query(OTHER).bind(base).execute(&mut *tx).await.map_err(fault)?;
        sqlx::query(REST).execute(&mut *tx).await.map_err(fault)?;
        let begun = sqlx::query_scalar(BEGIN).bind(base).bind(at_us).fetch_one(&mut *tx).await;
        let generation = begun.map_err(fault)?;
        tx.commit().await.map_err(fault)?;
        Ok(generation)
    }

    /// Saves a page. False if another fetch has begun meanwhile, or the copy was removed: nothing is saved then.
    pub async fn save_page(&self, page: CatalogPage<'_>) -> Result<bool, StoreError> {
        const COUNT: &str = "UPDATE catalog_copy SET cursor = coalesce(?, cursor), left_out = left_out + ?
            WHERE generation = ?";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        let counted = sqlx::query(COUNT).bind(page.cursor).bind(page.left_out).bind(page.generation);
        if counted.execute(&mut *tx).await.map_err(fault)?.rows_affected() == 0 {
            return Ok(false);
        }
        for entry in page.entries {
            save_entry(&mut tx, entry, page.generation).await.map_err(fault)?;
        }
        tx.commit().await.map_err(fault)?;
        Ok(true)
    }

    /// Marks a fetch as finished that began at this time. After one of all entries, those that it didn't find are
    /// removed.
    pub async fn finish_fetch(&self, generation: i64, at_us: i64) -> Result<(), StoreError> {
        const GONE: &str = "DELETE FROM catalog_entry WHERE generation < ?";
        const DONE: &str = "UPDATE catalog_copy SET cursor = NULL, synced_at_us = ? WHERE generation = ?";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        sqlx::query(GONE).bind(generation).execute(&mut *tx).await.map_err(fault)?;
        let done = sqlx::query(DONE).bind(at_us).bind(generation);
        done.execute(&mut *tx).await.map_err(fault)?;
        tx.commit().await.map_err(fault)
    }

    /// Removes the copy, unless it is of the registry with this URL.
    pub async fn clear_unless(&self, base: &str) -> Result<(), StoreError> {
        const COPY: &str = "DELETE FROM catalog_copy WHERE base <> ?";
        const ENTRIES: &str = "DELETE FROM catalog_entry WHERE NOT EXISTS (SELECT 1 FROM catalog_copy)";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        sqlx::query(COPY).bind(base).execute(&mut *tx).await.map_err(fault)?;
        sqlx::query(ENTRIES).execute(&mut *tx).await.map_err(fault)?;
        tx.commit().await.map_err(fault)
    }

    /// Searches the entries that aren't deleted for those with all of these words, which are in lower case. The best
    /// matches come first: those whose name begins with the first word, then those whose name has it. The total is 0 where
    /// the part is empty.
    pub async fn search(
        &self,
        words: &[String],
        offset: i64,
        limit: i64,
    ) -> Result<CatalogSearch, StoreError> {
        #[derive(FromRow)]
        struct Found {
            total: i64,
            #[sqlx(flatten)]
            row: CatalogEntryRow,
        }
        if words.is_empty() {
            let query = QueryBuilder::new(format!(
                "SELECT {COLUMNS} WHERE status <> 'deleted' ORDER BY coalesce(published_at_us, 0) DESC, name"
            ));
            return Ok(CatalogSearch {
                total: self.count().await?,
                rows: self.read_part(query, offset, limit).await?,
            });
        }
        // One pass over the rows, in the order of the table, which is faster than in that of the index.
        let mut query = QueryBuilder::new("WITH found AS MATERIALIZED (SELECT id, ");
        push_place(&mut query, words);
        query.push(", coalesce(published_at_us, 0) AS at FROM catalog_entry WHERE +status <> 'deleted'");
        for word in words {
            query.push(" AND instr(words, ").push_bind(word.as_bytes()).push(")");
        }
        query.push("), part AS MATERIALIZED (SELECT * FROM found ORDER BY place, at DESC, id LIMIT ");
        query.push_bind(limit).push(" OFFSET ").push_bind(offset).push(") ");
        query.push("SELECT (SELECT count(*) FROM found) AS total, catalog_entry.* ");
        query.push("FROM part JOIN catalog_entry USING (id) ORDER BY place, at DESC, id");
        let found: Result<Vec<Found>, _> = query.build_query_as().fetch_all(&self.0.readers).await;
        let found = found.map_err(|error| self.0.store_error(error))?;
        let total = found.first().map_or(0, |found| found.total);
        Ok(CatalogSearch { total, rows: found.into_iter().map(|found| found.row).collect() })
    }

    async fn read_part(
        &self,
        mut query: QueryBuilder<Sqlite>,
        offset: i64,
        limit: i64,
    ) -> Result<Vec<CatalogEntryRow>, StoreError> {
        query.push(" LIMIT ").push_bind(limit).push(" OFFSET ").push_bind(offset);
        let rows = query.build_query_as().fetch_all(&self.0.readers).await;
        rows.map_err(|error| self.0.store_error(error))
    }

    /// The entry with this name, and what the registry sent, deflated.
    pub async fn entry(&self, name: &str) -> Result<Option<(CatalogEntryRow, Vec<u8>)>, StoreError> {
        #[derive(FromRow)]
        struct WithBody {
            #[sqlx(flatten)]
            row: CatalogEntryRow,
            body: Vec<u8>,
        }
        const ENTRY: &str = "SELECT name, title, description, version, kinds, status, published_at_us,
            updated_at_us, body
            FROM catalog_entry JOIN catalog_body ON catalog_body.entry_id = catalog_entry.id WHERE name = ?";
        let row: Result<Option<WithBody>, _> =
            sqlx::query_as(ENTRY).bind(name).fetch_optional(&self.0.lookups).await;
        let row = row.map_err(|error| self.0.store_error(error))?;
        Ok(row.map(|WithBody { row, body }| (row, body)))
    }

    /// The entries with these names, without an order.
    pub async fn entries(&self, names: &[&str]) -> Result<Vec<CatalogEntryRow>, StoreError> {
        let mut query = QueryBuilder::new(format!("SELECT {COLUMNS} WHERE name IN ("));
        let mut list = query.separated(", ");
        for name in names {
            list.push_bind(*name);
        }
        query.push(")");
        let rows = query.build_query_as().fetch_all(&self.0.lookups).await;
        rows.map_err(|error| self.0.store_error(error))
    }

    /// How many entries aren't deleted.
    pub async fn count(&self) -> Result<i64, StoreError> {
        const COUNT: &str = "SELECT count(*) FROM catalog_entry WHERE status <> 'deleted'";
        let count = sqlx::query_scalar(COUNT).fetch_one(&self.0.lookups).await;
        count.map_err(|error| self.0.store_error(error))
    }
}

/// Adds the column `place`, by which the best matches come first.
fn push_place(query: &mut QueryBuilder<Sqlite>, words: &[String]) {
    let Some(first) = words.first() else { return };
    query.push("CASE WHEN slug = ").push_bind(first.clone()).push(" OR name = ").push_bind(first.clone());
    query.push(" THEN 0 WHEN instr(slug, ").push_bind(first.clone()).push(") = 1 THEN 1 WHEN instr(slug, ");
    query.push_bind(first.clone()).push(") THEN 2 ELSE 3 END AS place");
}

async fn save_entry(
    db: &mut SqliteConnection,
    entry: &NewCatalogEntry,
    generation: i64,
) -> Result<(), sqlx::Error> {
    const ENTRY: &str = "INSERT INTO catalog_entry (name, slug, words, title, description, version, kinds,
        status, published_at_us, updated_at_us, generation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET slug = excluded.slug, words = excluded.words, title = excluded.title,
        description = excluded.description, version = excluded.version, kinds = excluded.kinds,
        status = excluded.status, published_at_us = excluded.published_at_us,
        updated_at_us = excluded.updated_at_us, generation = excluded.generation
        WHERE ? OR generation < excluded.generation
        OR coalesce(excluded.published_at_us, 0) >= coalesce(catalog_entry.published_at_us, 0) RETURNING id";
    const BODY: &str = "INSERT INTO catalog_body (entry_id, body) VALUES (?, ?)
        ON CONFLICT (entry_id) DO UPDATE SET body = excluded.body";
    let CatalogEntryRow { name, title, description, version, kinds, status, .. } = &entry.row;
    let slug = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let words = format!("{name}\n{title}\n{description}").to_lowercase().into_bytes();
    let saved = sqlx::query_scalar::<_, i64>(ENTRY).bind(name).bind(slug).bind(words);
    let saved = saved.bind(title).bind(description).bind(version).bind(kinds).bind(status);
    let saved = saved.bind(entry.row.published_at_us).bind(entry.row.updated_at_us).bind(generation);
    let Some(id) = saved.bind(entry.is_latest).fetch_optional(&mut *db).await? else { return Ok(()) };
    sqlx::query(BODY).bind(id).bind(&entry.body).execute(db).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[tokio::test]
    async fn a_full_disk_leaves_the_copy_as_it_was() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path()).await.unwrap();
        let catalog = store.catalog();
        let generation = catalog.begin_fetch("https://registry.example.com", 1).await.unwrap();
        let entry = |name: &str, bytes| {
            let row = CatalogEntryRow {
                name: name.to_owned(),
                title: String::new(),
                description: String::new(),
                version: "1.0.0".to_owned(),
                kinds: "npm".to_owned(),
                status: "active".to_owned(),
                published_at_us: None,
                updated_at_us: None,
            };
            NewCatalogEntry { row, body: vec![1; bytes], is_latest: true }
        };
        let small = [entry("a.b/c", 10)];
        let page = CatalogPage { generation, entries: &small, cursor: Some("2"), left_out: 1 };
        assert!(catalog.save_page(page).await.unwrap());
        // The file can't grow from here on.
        let limit = sqlx::query("PRAGMA max_page_count = 1").execute(&catalog.0.durable_writer).await;
        limit.unwrap();
        let large = [entry("a.b/d", 10), entry("a.b/e", 1 << 20)];
        let page = CatalogPage { generation, entries: &large, cursor: Some("3"), left_out: 1 };
        let error = catalog.save_page(page).await.unwrap_err();
        assert!(matches!(error, StoreError::DiskFull), "{error}");
        assert_eq!(catalog.count().await.unwrap(), 1);
        let copy = catalog.copy().await.unwrap().unwrap();
        assert_eq!((copy.cursor.as_deref(), copy.left_out), (Some("2"), 1));
    }
}
