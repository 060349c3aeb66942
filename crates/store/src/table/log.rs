//! Reads the log's rows by page.

use crate::database::Database;
use crate::table::log_body::{self, BodyLocation};
use crate::table::log_facet::{self, Field};
use crate::table::log_search;
use mooring_base::app_call::APP_PREFIX;
use mooring_disk::StoreError;
use mooring_log::{Direction, LogEntry, LogKind, LogQuery, LogRow, LogStatus};
use sqlx::sqlite::{Sqlite, SqliteExecutor, SqliteRow};
use sqlx::{QueryBuilder, Row};
use std::io;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

/// Rows in one page at most.
pub(crate) const MAX_PAGE: u32 = 1_000;

/// Reads the log, and never waits long for a writer. Staged rows are moved into the table first.
#[derive(Clone, Debug)]
pub struct LogReader(pub(crate) Arc<Database>);

impl LogReader {
    /// One page, newest row first.
    pub async fn page(&self, query: &LogQuery) -> Result<Vec<LogRow>, StoreError> {
        self.0.move_staged_rows().await;
        log_search::read_page(&self.0, query).await.map_err(|error| self.0.store_error(error))
    }

    /// The number of rows that match a query, without its limit.
    pub async fn count_matching(&self, query: &LogQuery) -> Result<i64, StoreError> {
        self.0.move_staged_rows().await;
        log_search::count_rows(&self.0, query).await.map_err(|error| self.0.store_error(error))
    }

    /// The row `id` with its body. `None` if it was deleted.
    pub async fn entry(&self, id: i64) -> Result<Option<LogEntry>, StoreError> {
        Ok(self.entries(&[id]).await?.pop())
    }

    /// The rows with these ids and their bodies, oldest first. Deleted rows are missing. All bodies are in
    /// memory at once, so check their sizes first if there are many.
    pub async fn entries(&self, ids: &[i64]) -> Result<Vec<LogEntry>, StoreError> {
        let mut entries = self.read_complete_entries(ids.to_vec()).await?;
        let lost: Vec<i64> =
            entries.iter().filter(|entry| entry.lost > 0).map(|entry| entry.row.id).collect();
        if !lost.is_empty() {
            // A body may have moved to another file between the two reads.
            entries.retain(|entry| entry.lost == 0);
            entries.extend(self.read_complete_entries(lost).await?);
            entries.sort_unstable_by_key(|entry| entry.row.id);
        }
        Ok(entries)
    }

    /// The rows with their whole bodies: the parts in the database and the parts in files.
    async fn read_complete_entries(&self, ids: Vec<i64>) -> Result<Vec<LogEntry>, StoreError> {
        let mut statement = QueryBuilder::<Sqlite>::new(SELECT);
        statement.push(
            ", tail, file, at, bytes, crc32 FROM log LEFT JOIN log_body ON log_body.row = log.id \
             WHERE id IN (SELECT value FROM json_each(",
        );
        statement.push_bind(serde_json::json!(ids).to_string()).push(")) ORDER BY id");
        let failed = |error| self.0.store_error(error);
        let rows = statement.build().fetch_all(&self.0.readers).await.map_err(failed)?;
        let found: Result<Vec<_>, _> = rows.iter().map(entry_from_row).collect();
        let mut found = found.map_err(failed)?;
        if found.iter().any(|(_, place)| place.is_some()) {
            let folder = log_body::folder(&self.0.path);
            let read = spawn_blocking(move || {
                for (entry, place) in &mut found {
                    if let Some(place) = place {
                        append_external_part(&folder, entry, *place);
                    }
                }
                found
            });
            found = read.await.map_err(|error| failed(io::Error::other(error).into()))?;
        }
        Ok(found.into_iter().map(|(entry, _)| entry).collect())
    }

    /// Follows the id of the newest committed row of all processes, 0 if there is none. Read the rows by
    /// page, from the end of the last page up to this id. Then no row is missed or repeated, however late it
    /// is read.
    pub async fn follow(&self) -> Result<watch::Receiver<i64>, StoreError> {
        // From now on, the watcher moves staged rows soon.
        let _followed = self.0.subscribe_to_newest();
        self.0.move_staged_rows().await;
        let newest = read_newest_id(&self.0.lookups).await.map_err(|error| self.0.store_error(error))?;
        self.0.set_newest(newest);
        Ok(self.0.subscribe_to_newest())
    }

    /// Changes when rows are committed. In contrast to [`follow`](Self::follow), a receiver does not make
    /// staged rows move sooner.
    pub fn growth(&self) -> watch::Receiver<i64> {
        self.0.growth.subscribe()
    }

    /// The methods in the log, in alphabetical order; 1,000 at most.
    pub async fn methods(&self) -> Result<Vec<String>, StoreError> {
        self.0.move_staged_rows().await;
        log_facet::list_names(&self.0.readers, Field::Method).await.map_err(|error| self.0.store_error(error))
    }

    /// The names of servers in the log, as they were when the rows were written, in alphabetical order; 1,000
    /// at most.
    pub async fn sources(&self) -> Result<Vec<String>, StoreError> {
        let apps = self.apps().await?;
        let is_app = |name: &str| {
            let app = name.strip_prefix(APP_PREFIX);
            app.is_some_and(|app| apps.iter().any(|known| known == app))
        };
        let mut sources = log_facet::list_names(&self.0.readers, Field::Source)
            .await
            .map_err(|error| self.0.store_error(error))?;
        sources.retain(|name| !is_app(name));
        Ok(sources)
    }

    /// The apps in the log, in alphabetical order; 1,000 at most.
    pub async fn apps(&self) -> Result<Vec<String>, StoreError> {
        self.0.move_staged_rows().await;
        log_facet::list_names(&self.0.readers, Field::App).await.map_err(|error| self.0.store_error(error))
    }

    /// The number of rows.
    pub async fn count(&self) -> Result<i64, StoreError> {
        self.0.move_staged_rows().await;
        self.committed_count().await
    }

    /// The number of rows in the table, without those that are staged.
    pub async fn committed_count(&self) -> Result<i64, StoreError> {
        log_facet::count_rows(&self.0.readers).await.map_err(|error| self.0.store_error(error))
    }
}

/// The columns of a [`LogRow`], in the order in which [`from_row`] reads them.
const SELECT: &str = "SELECT id, at_us, server_id, source, connection, kind, direction, method, rpc_id, \
     subject, status, duration_us, size, app, call, head";

/// One page, newest row first. The search text is only applied to bodies that are in the database. Rows whose
/// body is partly in a file are all included, and `log_search` filters them.
pub(crate) async fn read_page<'c>(
    db: impl SqliteExecutor<'c>,
    query: &LogQuery,
) -> Result<Vec<LogRow>, sqlx::Error> {
    let forward = query.is_forward();
    let rows = build_page_statement(query, forward).build().fetch_all(db).await?;
    if forward { rows.iter().rev().map(from_row).collect() } else { rows.iter().map(from_row).collect() }
}

/// The number of rows that match a query, without its limit. Rows whose body is partly in a file are all
/// counted, and `log_search` subtracts those that do not match.
pub(crate) async fn count_rows<'c>(
    db: impl SqliteExecutor<'c>,
    query: &LogQuery,
) -> Result<i64, sqlx::Error> {
    let mut statement = QueryBuilder::new("SELECT count(*)");
    push_conditions(&mut statement, query);
    statement.build_query_scalar().fetch_one(db).await
}

/// One page of the rows with a long body, newest row first, without applying the search text.
pub(crate) async fn read_long_page<'c>(
    db: impl SqliteExecutor<'c>,
    query: &LogQuery,
) -> Result<Vec<LogRow>, sqlx::Error> {
    let mut statement = QueryBuilder::new(SELECT);
    push_conditions(&mut statement, &LogQuery { text: None, ..query.clone() });
    statement.push(" AND id IN (SELECT row FROM log_body) ORDER BY id DESC LIMIT ");
    statement.push_bind(i64::from(MAX_PAGE));
    statement.build().fetch_all(db).await?.iter().map(from_row).collect()
}

/// The newest row's id, or 0 if there is none.
pub(crate) async fn read_newest_id<'c>(db: impl SqliteExecutor<'c>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT coalesce(max(id), 0) FROM log").fetch_one(db).await
}

fn build_page_statement(query: &LogQuery, forward: bool) -> QueryBuilder<Sqlite> {
    let mut statement = QueryBuilder::new(SELECT);
    push_conditions(&mut statement, query);
    statement.push(if forward { " ORDER BY id ASC LIMIT " } else { " ORDER BY id DESC LIMIT " });
    statement.push_bind(i64::from(query.limit.clamp(1, MAX_PAGE)));
    statement
}

/// Adds the table and the conditions of a query to the statement.
fn push_conditions(statement: &mut QueryBuilder<Sqlite>, query: &LogQuery) {
    statement.push(" FROM log");
    let notable = !query.kinds.is_empty() && !query.kinds.contains(&LogKind::Frame);
    let by_name = query.source.is_some() || query.method.is_some() || query.app.is_some();
    if notable && !by_name && query.call.is_none() {
        // Without statistics SQLite would scan all the frames.
        statement.push(" INDEXED BY log_notable");
    }
    statement.push(" WHERE true");
    if let Some(before) = query.before {
        statement.push(" AND id < ").push_bind(before);
    }
    if let Some(after) = query.after {
        statement.push(" AND id > ").push_bind(after);
    }
    if let Some(source) = &query.source {
        statement.push(" AND source = ").push_bind(source.clone());
    }
    if let Some(server_id) = query.server_id {
        statement.push(" AND server_id = ").push_bind(server_id);
    }
    if let Some(app) = &query.app {
        statement.push(" AND app = ").push_bind(app.clone());
    }
    if let Some(call) = query.call {
        statement.push(" AND call = ").push_bind(call);
    }
    if notable {
        // The condition of the partial index must be repeated for SQLite to use it.
        statement.push(" AND kind <> 0");
    }
    if !query.kinds.is_empty() {
        statement.push(" AND kind IN (");
        let mut kinds = statement.separated(", ");
        for kind in &query.kinds {
            kinds.push_bind(*kind as i64);
        }
        statement.push(")");
    }
    if let Some(direction) = query.direction {
        statement.push(" AND direction = ").push_bind(direction as i64);
    }
    if let Some(method) = &query.method {
        statement.push(" AND method = ").push_bind(method.clone());
    }
    if !query.statuses.is_empty() {
        statement.push(" AND status IN (");
        let mut statuses = statement.separated(", ");
        for status in &query.statuses {
            statuses.push_bind(*status as i64);
        }
        statement.push(")");
    }
    if let Some(duration_us) = query.min_duration_us {
        statement.push(" AND duration_us >= ").push_bind(duration_us);
    }
    if let Some(text) = query.text.as_deref().filter(|text| !text.is_empty()) {
        statement
            .push(" AND (CAST(CASE WHEN tail IS NULL THEN head ELSE head || tail END AS TEXT) LIKE ")
            .push_bind(build_like_pattern(text))
            .push(r" ESCAPE '\' OR id IN (SELECT row FROM log_body))");
    }
}

/// A LIKE pattern for "contains `text`". Escapes the wildcards of LIKE in the text.
fn build_like_pattern(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for char in text.chars() {
        if matches!(char, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern.push('%');
    pattern
}

pub(crate) fn from_row(row: &SqliteRow) -> Result<LogRow, sqlx::Error> {
    let head: &[u8] = row.try_get(15)?;
    Ok(LogRow {
        id: row.try_get(0)?,
        at_us: row.try_get(1)?,
        server_id: row.try_get(2)?,
        source: Arc::from(row.try_get::<&str, _>(3)?),
        connection: row.try_get(4)?,
        kind: read_code(row, 5, LogKind::from_code)?,
        direction: read_code(row, 6, Direction::from_code)?,
        method: row.try_get::<Option<&str>, _>(7)?.map(Arc::from),
        rpc_id: row.try_get(8)?,
        subject: row.try_get(9)?,
        status: read_code(row, 10, LogStatus::from_code)?,
        duration_us: row.try_get(11)?,
        size: row.try_get(12)?,
        app: row.try_get::<Option<&str>, _>(13)?.map(Arc::from),
        call: row.try_get(14)?,
        preview: String::from_utf8_lossy(head).into_owned(),
    })
}

/// A row with the part of its body that is in the database, and the location of the rest if that is in a
/// file.
fn entry_from_row(row: &SqliteRow) -> Result<(LogEntry, Option<BodyLocation>), sqlx::Error> {
    let mut body: Vec<u8> = row.try_get(15)?;
    if let Some(tail) = row.try_get::<Option<&[u8]>, _>(16)? {
        body.extend_from_slice(tail);
    }
    let entry = LogEntry { row: from_row(row)?, body: body.into(), lost: 0 };
    let Some(file) = row.try_get(17)? else { return Ok((entry, None)) };
    let (at, bytes, crc32) = (row.try_get(18)?, row.try_get(19)?, row.try_get(20)?);
    let place = BodyLocation { row: entry.row.id, file, at, bytes, crc32 };
    Ok((entry, Some(place)))
}

/// Appends the part of a body that is in a file. If it can't be read, sets `lost` to its size in bytes.
/// Blocks.
fn append_external_part(folder: &Path, entry: &mut LogEntry, place: BodyLocation) {
    let mut body = entry.body.to_vec();
    match place.append_to(folder, &mut body) {
        Ok(()) => entry.body = body.into(),
        Err(_) => entry.lost = u64::try_from(place.bytes).unwrap_or_default(),
    }
}

fn read_code<T>(row: &SqliteRow, column: usize, from_code: fn(i64) -> Option<T>) -> Result<T, sqlx::Error> {
    let code: i64 = row.try_get(column)?;
    from_code(code).ok_or_else(|| sqlx::Error::ColumnDecode {
        index: column.to_string(),
        source: format!("unknown code: {code}").into(),
    })
}

#[cfg(test)]
mod tests;
