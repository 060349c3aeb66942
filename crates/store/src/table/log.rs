//! The log's rows, and reading them by page.

use crate::database::Database;
use crate::error::StoreError;
use crate::table::log_body::{self, BodyLocation};
use crate::table::log_facet::{self, Field};
use crate::table::log_search;
use bytes::Bytes;
use mooring_base::app_call::APP_PREFIX;
use serde::{Deserialize, Serialize, Serializer};
use sqlx::sqlite::{Sqlite, SqliteExecutor, SqliteRow};
use sqlx::{QueryBuilder, Row};
use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use ts_rs::TS;

/// Characters of the body that a row shows.
pub(crate) const PREVIEW_CHARS: usize = 240;
/// What is kept of a name.
const MAX_NAME_CHARS: usize = 256;
/// Rows in one page at most.
pub(crate) const MAX_PAGE: u32 = 1_000;

/// What a row of the log is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LogKind {
    /// A message of the protocol.
    Frame,
    /// A line that a server wrote to its stderr.
    Stderr,
    /// A decision about a call.
    Verdict,
    /// A connection's change of state.
    State,
    /// Rows that could not be written.
    Gap,
    /// An oddity of a server.
    Diagnostic,
    /// A step of a sign-in, a renewal of a login, or a sign-out.
    Auth,
}

impl LogKind {
    fn from_code(code: i64) -> Option<Self> {
        Some(match code {
            0 => Self::Frame,
            1 => Self::Stderr,
            2 => Self::Verdict,
            3 => Self::State,
            4 => Self::Gap,
            5 => Self::Diagnostic,
            6 => Self::Auth,
            _ => return None,
        })
    }
}

/// Where a row's message went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Nowhere: it is no message.
    None,
    /// To the server.
    Out,
    /// From the server.
    In,
    /// From an app (an MCP client that uses the gateway) to Mooring.
    FromApp,
    /// From Mooring to an app.
    ToApp,
}

impl Direction {
    fn from_code(code: i64) -> Option<Self> {
        Some(match code {
            0 => Self::None,
            1 => Self::Out,
            2 => Self::In,
            3 => Self::FromApp,
            4 => Self::ToApp,
            _ => return None,
        })
    }
}

/// How what a row is about ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LogStatus {
    /// It is nothing that ends.
    None,
    /// Well.
    Ok,
    /// With an error.
    Error,
    /// It was cancelled.
    Cancelled,
    /// It took too long.
    TimedOut,
}

impl LogStatus {
    fn from_code(code: i64) -> Option<Self> {
        Some(match code {
            0 => Self::None,
            1 => Self::Ok,
            2 => Self::Error,
            3 => Self::Cancelled,
            4 => Self::TimedOut,
            _ => return None,
        })
    }
}

/// Something to be logged. What is written has no secrets: they are taken out before it is handed over, or by who
/// [finishes](crate::RecordFinisher) it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// When it happened, in microseconds since the Unix epoch.
    pub at_us: i64,
    /// The saved server it belongs to.
    pub server_id: Option<i64>,
    /// The server's name as it is shown, or the word for the app: `app:` and its name.
    pub source: Arc<str>,
    /// Which connection of this run it belongs to.
    pub connection: i64,
    /// What it is about.
    pub kind: LogKind,
    /// Where the message went.
    pub direction: Direction,
    /// The message's method, or that of the request it answers. Names are kept up to 256
    /// characters, here and in the next two.
    pub method: Option<Arc<str>>,
    /// The message's id, as JSON text.
    pub rpc_id: Option<Arc<str>>,
    /// What the method is about: a tool's name, say.
    pub subject: Option<Arc<str>>,
    /// How it ended.
    pub status: LogStatus,
    /// How long it took, in microseconds.
    pub duration_us: Option<i64>,
    /// The message's bytes as they were on the wire.
    pub size: i64,
    /// The app whose message it is, or whose call it is part of.
    pub app: Option<Arc<str>>,
    /// The number of the app's call that it is part of.
    pub call: Option<i64>,
    /// The text: any bytes, normally UTF-8.
    pub body: Bytes,
}

#[cfg(test)]
impl LogRecord {
    /// A frame with this body, for tests.
    pub(crate) fn frame(body: impl Into<Bytes>) -> Self {
        Self {
            at_us: 1,
            server_id: None,
            source: "s".into(),
            connection: 1,
            kind: LogKind::Frame,
            direction: Direction::In,
            method: None,
            rpc_id: None,
            subject: None,
            status: LogStatus::None,
            duration_us: None,
            size: 1,
            app: None,
            call: None,
            body: body.into(),
        }
    }
}

/// A row of the log without its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LogRow {
    /// Greater than the id of every row before it.
    pub id: i64,
    /// When it happened, in microseconds since the Unix epoch.
    #[serde(rename = "at")]
    pub at_us: i64,
    /// The saved server it belongs to.
    pub server_id: Option<i64>,
    /// The server's name as it was shown, or the word for the app: `app:` and its name.
    pub source: Arc<str>,
    /// Which connection of its run it belongs to.
    pub connection: i64,
    /// What it is about.
    pub kind: LogKind,
    /// Where the message went.
    pub direction: Direction,
    /// The message's method, or that of the request it answers.
    pub method: Option<Arc<str>>,
    /// The message's id, as JSON text.
    pub rpc_id: Option<String>,
    /// What the method is about: a tool's name, say.
    pub subject: Option<String>,
    /// How it ended.
    pub status: LogStatus,
    /// How long it took, in microseconds.
    pub duration_us: Option<i64>,
    /// The message's bytes as they were on the wire.
    pub size: i64,
    /// The app whose message it is, or whose call it is part of.
    pub app: Option<Arc<str>>,
    /// The number of the app's call that it is part of: all rows of the call have it.
    pub call: Option<i64>,
    /// The body's first 240 characters.
    pub preview: String,
}

/// A row of the log with its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct LogEntry {
    /// The row.
    #[serde(flatten)]
    pub row: LogRow,
    /// The whole body as it was written, or its beginning when the rest is `lost`.
    #[serde(serialize_with = "serialize_text")]
    #[ts(type = "string")]
    pub body: Bytes,
    /// Bytes of the body that are no longer on the disk: 0, unless a file was taken away or damaged.
    #[serde(skip)]
    pub lost: u64,
}

/// A body as text; bytes that are no UTF-8 are replaced.
fn serialize_text<S: Serializer>(body: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&String::from_utf8_lossy(body))
}

impl LogEntry {
    /// The body as text; bytes that are no UTF-8 are replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}

/// Which rows, and which page of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "LogFilter")]
pub struct LogQuery {
    /// Rows before this id: the next page into the past starts at the last row of this one.
    #[serde(skip)]
    pub before: Option<i64>,
    /// Rows after this id. Without `before` the page is the one that follows it directly, so
    /// that reading goes forward without a seam.
    #[serde(skip)]
    pub after: Option<i64>,
    /// Rows in the page, 1 to 1,000.
    #[serde(skip)]
    pub limit: u32,
    /// Only this source.
    pub source: Option<String>,
    /// Only this saved server.
    pub server_id: Option<i64>,
    /// Only messages of this app, and what its calls caused at servers.
    pub app: Option<String>,
    /// Only rows of this call of an app.
    pub call: Option<i64>,
    /// Only these kinds; none: all.
    pub kinds: Vec<LogKind>,
    /// Only this direction.
    pub direction: Option<Direction>,
    /// Only this method.
    pub method: Option<String>,
    /// Only rows that ended in one of these ways; none: all.
    pub statuses: Vec<LogStatus>,
    /// Only what took at least this many microseconds.
    pub min_duration_us: Option<i64>,
    /// Only rows with this text in the body, whatever the case of its ASCII letters.
    pub text: Option<String>,
}

impl LogQuery {
    /// Whether the page is the one after a row, and not one before it.
    pub(crate) fn is_forward(&self) -> bool {
        self.after.is_some() && self.before.is_none()
    }
}

/// The name as it is kept; none: unchanged.
pub(crate) fn clip_name(name: &str) -> Option<String> {
    // No name has more characters than bytes.
    if name.len() <= MAX_NAME_CHARS {
        return None;
    }
    let (end, _) = name.char_indices().nth(MAX_NAME_CHARS)?;
    let mut clipped = name.get(..end)?.to_owned();
    clipped.push('…');
    Some(clipped)
}

/// Reads the log, without ever waiting for its writer.
#[derive(Clone, Debug)]
pub struct LogReader(pub(crate) Arc<Database>);

impl LogReader {
    /// One page, newest row first.
    pub async fn page(&self, query: &LogQuery) -> Result<Vec<LogRow>, StoreError> {
        log_search::page(&self.0, query).await.map_err(|error| self.0.store_error(error))
    }

    /// How many rows a query is about, whatever its limit.
    pub async fn count_matching(&self, query: &LogQuery) -> Result<i64, StoreError> {
        log_search::count(&self.0, query).await.map_err(|error| self.0.store_error(error))
    }

    /// The row `id` with its body, if it is still there.
    pub async fn entry(&self, id: i64) -> Result<Option<LogEntry>, StoreError> {
        Ok(self.entries(&[id]).await?.pop())
    }

    /// The rows with these ids and their bodies, oldest first, without those that were deleted. All bodies are in memory
    /// at once: whoever asks for many looks at their sizes before.
    pub async fn entries(&self, ids: &[i64]) -> Result<Vec<LogEntry>, StoreError> {
        let mut entries = self.read_complete(ids.to_vec()).await?;
        let lost: Vec<i64> =
            entries.iter().filter(|entry| entry.lost > 0).map(|entry| entry.row.id).collect();
        if !lost.is_empty() {
            // Where a body stands may have changed between the look and the reading of it.
            entries.retain(|entry| entry.lost == 0);
            entries.extend(self.read_complete(lost).await?);
            entries.sort_unstable_by_key(|entry| entry.row.id);
        }
        Ok(entries)
    }

    /// What the database holds of the rows, with what stands in files.
    async fn read_complete(&self, ids: Vec<i64>) -> Result<Vec<LogEntry>, StoreError> {
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
                        append_external(&folder, entry, *place);
                    }
                }
                found
            });
            found = read.await.map_err(|error| failed(io::Error::other(error).into()))?;
        }
        Ok(found.into_iter().map(|(entry, _)| entry).collect())
    }

    /// The newest row's id, 0 where there is none, and from then on that of every newer one that is committed by whatever
    /// process. Rows are read by page, up to this one from where the last page ended: nothing is missed and nothing is
    /// there twice, however late they are read.
    pub async fn follow(&self) -> Result<watch::Receiver<i64>, StoreError> {
        let newest = newest_id(&self.0.lookups).await.map_err(|error| self.0.store_error(error))?;
        self.0.set_newest(newest);
        Ok(self.0.newest())
    }

    /// The methods that occur, in alphabetical order; 1,000 at most.
    pub async fn methods(&self) -> Result<Vec<String>, StoreError> {
        log_facet::names(&self.0.readers, Field::Method).await.map_err(|error| self.0.store_error(error))
    }

    /// The servers that occur, by the names that rows were written under, in alphabetical order; 1,000 at most.
    pub async fn sources(&self) -> Result<Vec<String>, StoreError> {
        let apps = self.apps().await?;
        let is_app = |name: &str| {
            let app = name.strip_prefix(APP_PREFIX);
            app.is_some_and(|app| apps.iter().any(|known| known == app))
        };
        let mut sources = log_facet::names(&self.0.readers, Field::Source)
            .await
            .map_err(|error| self.0.store_error(error))?;
        sources.retain(|name| !is_app(name));
        Ok(sources)
    }

    /// The apps that occur, in alphabetical order; 1,000 at most.
    pub async fn apps(&self) -> Result<Vec<String>, StoreError> {
        log_facet::names(&self.0.readers, Field::App).await.map_err(|error| self.0.store_error(error))
    }

    /// The number of rows.
    pub async fn count(&self) -> Result<i64, StoreError> {
        log_facet::total(&self.0.readers).await.map_err(|error| self.0.store_error(error))
    }
}

/// The columns of a [`LogRow`], in the order in which [`from_row`] reads them.
const SELECT: &str = "SELECT id, at_us, server_id, source, connection, kind, direction, method, rpc_id, \
     subject, status, duration_us, size, app, call, head";

/// One page, newest row first. Of rows with a long body, which stands elsewhere, all are in it,
/// whatever the text that is looked for: `log_search` sees to them.
pub(crate) async fn page<'c>(
    db: impl SqliteExecutor<'c>,
    query: &LogQuery,
) -> Result<Vec<LogRow>, sqlx::Error> {
    let forward = query.is_forward();
    let rows = page_statement(query, forward).build().fetch_all(db).await?;
    if forward { rows.iter().rev().map(from_row).collect() } else { rows.iter().map(from_row).collect() }
}

/// How many rows a query is about, whatever its limit. Of rows with a long body all count, whatever the text that is
/// looked for: `log_search` sees to them.
pub(crate) async fn count<'c>(db: impl SqliteExecutor<'c>, query: &LogQuery) -> Result<i64, sqlx::Error> {
    let mut statement = QueryBuilder::new("SELECT count(*)");
    push_selection(&mut statement, query);
    statement.build_query_scalar().fetch_one(db).await
}

/// One page of the rows with a long body, newest row first, whatever the text that is looked for.
pub(crate) async fn long_page<'c>(
    db: impl SqliteExecutor<'c>,
    query: &LogQuery,
) -> Result<Vec<LogRow>, sqlx::Error> {
    let mut statement = QueryBuilder::new(SELECT);
    push_selection(&mut statement, &LogQuery { text: None, ..query.clone() });
    statement.push(" AND id IN (SELECT row FROM log_body) ORDER BY id DESC LIMIT ");
    statement.push_bind(i64::from(MAX_PAGE));
    statement.build().fetch_all(db).await?.iter().map(from_row).collect()
}

/// The newest row's id; 0 when there is none.
pub(crate) async fn newest_id<'c>(db: impl SqliteExecutor<'c>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT coalesce(max(id), 0) FROM log").fetch_one(db).await
}

fn page_statement(query: &LogQuery, forward: bool) -> QueryBuilder<Sqlite> {
    let mut statement = QueryBuilder::new(SELECT);
    push_selection(&mut statement, query);
    statement.push(if forward { " ORDER BY id ASC LIMIT " } else { " ORDER BY id DESC LIMIT " });
    statement.push_bind(i64::from(query.limit.clamp(1, MAX_PAGE)));
    statement
}

/// Which rows a query is about.
fn push_selection(statement: &mut QueryBuilder<Sqlite>, query: &LogQuery) {
    statement.push(" FROM log");
    let notable = !query.kinds.is_empty() && !query.kinds.contains(&LogKind::Frame);
    let by_name = query.source.is_some() || query.method.is_some() || query.app.is_some();
    if notable && !by_name && query.call.is_none() {
        // Without statistics SQLite would walk over all the frames.
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
        // What the index says of itself has to be said again for the index to be used.
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
            .push_bind(like_pattern(text))
            .push(r" ESCAPE '\' OR id IN (SELECT row FROM log_body))");
    }
}

/// The pattern for "contains `text`", which may itself hold LIKE's own signs.
fn like_pattern(text: &str) -> String {
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

/// A row with what the database holds of its body, and where the rest stands.
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

/// Appends what stands in a file. Blocks.
fn append_external(folder: &Path, entry: &mut LogEntry, place: BodyLocation) {
    let mut body = entry.body.to_vec();
    match place.read(folder, &mut body) {
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
