//! A profile in a directory of its own, and records to put into it.

use bytes::Bytes;
use mooring_log::{Direction, LogKind, LogQuery, LogRecord, LogRow, LogStatus};
use mooring_store::{LogReader, LogWriter, Store, WriterHealth};
use sqlx::sqlite::SqliteConnection;
use sqlx::{ConnectOptions, sqlite::SqliteConnectOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::time::timeout;

/// Longer than anything here takes on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_mins(1);

pub(crate) struct Profile(TempDir);

impl Profile {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn home(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.home().join("mooring.db")
    }

    pub(crate) async fn open(&self) -> Store {
        Store::open(self.home()).await.unwrap()
    }

    /// A connection past the store.
    pub(crate) async fn bare(&self) -> SqliteConnection {
        SqliteConnectOptions::new().filename(self.file()).create_if_missing(true).connect().await.unwrap()
    }
}

/// Gives an empty database the format of an earlier version, by that version's migrations.
pub(crate) async fn migrate_to(db: &mut SqliteConnection, format: i64) {
    let mut old = sqlx::migrate!("../../migrations");
    old.migrations.to_mut().retain(|migration| migration.version <= format);
    old.run_direct(None, db, false).await.unwrap();
}

/// A message with this number as its body.
pub(crate) fn record(number: usize) -> LogRecord {
    LogRecord {
        at_us: 1_700_000_000_000_000 + i64::try_from(number).unwrap(),
        server_id: Some(1),
        source: "everything".into(),
        connection: 7,
        kind: LogKind::Frame,
        direction: if number.is_multiple_of(2) { Direction::Out } else { Direction::In },
        method: Some("tools/call".into()),
        rpc_id: Some(number.to_string().into()),
        subject: None,
        status: LogStatus::Ok,
        duration_us: Some(12),
        size: 100,
        app: None,
        call: None,
        body: Bytes::from(number.to_string()),
    }
}

/// Writes a record, and returns the newest id: the record's, if there is no other writer.
pub(crate) async fn written(writer: &LogWriter, log: &LogReader, record: LogRecord) -> i64 {
    writer.append(record).await.unwrap();
    writer.flush().await;
    let query = LogQuery { limit: 1, ..LogQuery::default() };
    log.page(&query).await.unwrap().first().unwrap().id
}

/// The page, as the numbers of its records.
pub(crate) async fn numbers(log: &LogReader, query: LogQuery) -> Vec<usize> {
    bodies(&log.page(&query).await.unwrap())
}

pub(crate) fn bodies(rows: &[LogRow]) -> Vec<usize> {
    rows.iter().map(|row| row.preview.parse().unwrap()).collect()
}

/// Everything there is, oldest first.
pub(crate) async fn everything(log: &LogReader) -> Vec<LogRow> {
    let mut all = Vec::new();
    let mut after = 0;
    loop {
        let query = LogQuery { after: Some(after), limit: 1_000, ..LogQuery::default() };
        let page = log.page(&query).await.unwrap();
        let Some(newest) = page.first() else {
            return all;
        };
        after = newest.id;
        all.extend(page.into_iter().rev());
    }
}

pub(crate) async fn until_failing(health: &mut watch::Receiver<WriterHealth>) -> (String, u64) {
    let failing = |health: &WriterHealth| *health != WriterHealth::Ok;
    let health = timeout(AMPLE, health.wait_for(failing)).await.unwrap().unwrap().clone();
    match health {
        WriterHealth::Failing { message, dropped } => (message.into(), dropped),
        WriterHealth::Ok => unreachable!(),
    }
}

pub(crate) async fn until_ok(health: &mut watch::Receiver<WriterHealth>) {
    timeout(AMPLE, health.wait_for(|health| *health == WriterHealth::Ok)).await.unwrap().unwrap();
}
