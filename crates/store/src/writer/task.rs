//! The task behind the log's writer.

mod connection;
mod staged;

use self::connection::WriterConnection;
use self::staged::{FOLLOWED_DELAY, Staging};
use super::bodies::{BodyFiles, take_external_part};
use super::checkpoint::Checkpointer;
use super::finish::{PreparedBatch, QueueItem};
use super::{WriterHealth, WriterOptions};
use crate::database::{BUSY_TIMEOUT, Database, PAGE_SIZE, writer_options};
use crate::insert::{InsertStatements, STATEMENT_ROWS, gap_body};
use crate::staging::{self, MovedRows};
use crate::table::log_body;
use crate::table::log_facet::Facets;
use crate::table::log_share::{DeletedRows, SourceShares};
use mooring_base::app_call::APP_PREFIX;
use mooring_base::clock::{Clock, now_us};
use mooring_disk::StoreError;
use mooring_log::{
    AgeCheck, BatchLimits, Direction, LogKind, LogRecord, LogStatus, Queue, Retention, WaitOutcome,
};
use mooring_words::Sentence;
use serde_json::json;
use sqlx::sqlite::SqliteSynchronous;
use sqlx::{ConnectOptions, Connection};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// Limits of one transaction.
pub(super) const BATCH: BatchLimits = BatchLimits { records: 1_000, bytes: 8 << 20 };
/// How long the first record of a batch waits for others.
const BATCH_DELAY: Duration = Duration::from_millis(50);
/// How long one attempt waits for another process's transaction.
const BUSY_TRY: Duration = Duration::from_millis(200);
/// Interval between attempts while there is work besides records, for example while writing fails.
pub(super) const TICK: Duration = Duration::from_millis(500);
/// Interval between checks for old rows while nothing else is due.
const QUIET_INTERVAL: Duration = Duration::from_mins(1);
/// Ticks without a record after which SQLite's page cache is freed.
const IDLE_TICKS: u32 = 10;
/// Batches between two checks of the database's size.
const SIZE_CHECK_BATCHES: u32 = 16;
/// Limits of one deletion. It deletes more than a batch adds.
const TRIM: BatchLimits = BatchLimits { records: 2_000, bytes: 16 << 20 };
/// How often deletions are reported while they continue.
const DELETION_REPORT_INTERVAL: Duration = Duration::from_secs(10);
/// The source of gap rows: the application itself.
const GAP_SOURCE: &str = "Mooring";

/// The writer's state.
pub(super) struct WriterTask {
    database: Arc<Database>,
    max_bytes: u64,
    pub(super) retention: Arc<Retention>,
    age_check: AgeCheck,
    queue: Arc<Queue<QueueItem>>,
    health: watch::Sender<WriterHealth>,
    inserts: InsertStatements,
    open_connection: Option<WriterConnection>,
    checkpoints: Checkpointer,
    staging: Staging,
    failing: Option<WriteFailure>,
    unchecked_batches: u32,
    /// Whether the database exceeds its limit.
    is_over_limit: bool,
    /// Rows from before this time (microseconds since the Unix epoch) are too old, and some may remain.
    too_old_before: Option<i64>,
    /// The limit that the size was last compared with.
    checked_limit: u64,
    /// When rows were first deleted that no gap row reports yet.
    unreported_since: Option<Instant>,
    /// Whether cleared rows may still be in the files, because other connections prevented a vacuum.
    needs_vacuum: bool,
}

/// What was lost since writing began to fail.
struct WriteFailure {
    since_us: i64,
    dropped: u64,
    reason: Sentence,
    next_try: Instant,
}

impl WriterTask {
    pub(super) fn new(
        database: Arc<Database>,
        options: WriterOptions,
        queue: Arc<Queue<QueueItem>>,
        health: watch::Sender<WriterHealth>,
        clock: Clock,
    ) -> Self {
        let checkpoints = Checkpointer::start(Arc::clone(&database));
        Self {
            database,
            max_bytes: options.max_bytes,
            retention: Arc::new(Retention::new(options.keep_bytes, options.keep_for)),
            age_check: AgeCheck::new(clock),
            queue,
            health,
            inserts: InsertStatements::new(),
            open_connection: None,
            checkpoints,
            staging: Staging::default(),
            failing: None,
            unchecked_batches: 0,
            is_over_limit: false,
            too_old_before: None,
            checked_limit: options.keep_bytes,
            unreported_since: None,
            needs_vacuum: false,
        }
    }

    pub(super) async fn run(mut self) {
        let mut next = None;
        while let Some(ready) = match next.take() {
            Some(ready) => Some(ready),
            None => self.wait_for_next_batch().await,
        } {
            next = self.write_and_prepare_next(ready).await;
            self.move_staged_if_due().await;
            if self.needs_trim() {
                self.trim_log().await;
            }
        }
        // Tries a last time to report lost records.
        self.run_idle_work().await;
        self.end_staging().await;
        self.checkpoints.stop().await;
        if let Some(open) = self.open_connection.take() {
            // Everything is committed, so an error of closing does not matter.
            let _closed = open.db.close().await;
        }
    }

    /// Waits for the next batch. `None` when the queue is closed and empty.
    async fn wait_for_next_batch(&mut self) -> Option<PreparedBatch> {
        loop {
            let waited = tokio::select! {
                biased;
                outcome = self.queue.wait_for_item() => Some(outcome),
                () = self.retention.changed() => None,
                () = sleep(self.pause()) => None,
            };
            match waited {
                Some(WaitOutcome::Item) => {
                    self.queue.wait_for_batch_until(Instant::now() + BATCH_DELAY).await;
                    return Some(PreparedBatch::from_items(self.queue.take_batch()).await);
                }
                Some(WaitOutcome::Closed) => return None,
                None => self.run_idle_work().await,
            }
            self.move_staged_if_due().await;
            if self.needs_trim() {
                self.trim_log().await;
            }
        }
    }

    /// How long to wait for a record before doing other work.
    pub(super) fn pause(&self) -> Duration {
        if self.staging.has_rows() && self.database.is_followed() {
            return FOLLOWED_DELAY;
        }
        let needs_connection =
            |open: &WriterConnection| self.needs_size_check() || open.idle_ticks < IDLE_TICKS;
        let is_due = self.failing.is_some()
            || self.unreported_since.is_some()
            || self.needs_vacuum
            || self.is_over_limit
            || self.too_old_before.is_some()
            || !self.age_check.has_checked()
            || self.open_connection.as_ref().is_some_and(needs_connection);
        if is_due { TICK } else { QUIET_INTERVAL }
    }

    fn needs_size_check(&self) -> bool {
        self.unchecked_batches > 0 || self.checked_limit != self.keep_bytes()
    }

    /// Whether there are rows to delete.
    fn needs_trim(&mut self) -> bool {
        self.age_check.look(&self.retention, &mut self.too_old_before);
        self.is_over_limit || self.too_old_before.is_some()
    }

    /// Writes the batch. If another one is in the queue, prepares it at the same time, so that neither the
    /// processor nor the disk waits for the other.
    async fn write_and_prepare_next(&mut self, ready: PreparedBatch) -> Option<PreparedBatch> {
        let queue = Arc::clone(&self.queue);
        let mut writing = pin!(self.write_batch(ready));
        tokio::select! {
            biased;
            () = &mut writing => return None,
            () = queue.wait_for_batch() => {}
        }
        let ((), next) = tokio::join!(writing, PreparedBatch::from_items(queue.take_batch()));
        Some(next)
    }

    async fn write_batch(&mut self, ready: PreparedBatch) {
        let PreparedBatch { records, count, flushes, persists, clears } = ready;
        if let Ok(records) = records {
            let (is_empty, is_staged) = (records.is_empty(), self.staging.has_rows());
            // While rows are staged, later records are staged too, until a reader needs them in the table.
            let may_wait = flushes.is_empty() && (is_staged || !persists.is_empty());
            let is_done =
                if is_empty { may_wait || !is_staged } else { may_wait && self.stage_batch(&records).await };
            if !is_done {
                self.write_records(records).await;
            }
        } else {
            let source = io::Error::other("they could not be made ready");
            let path = self.database.path.clone();
            self.record_failure(&StoreError::Io { path, source }, count);
        }
        for answer in flushes.into_iter().chain(persists) {
            // The receiver may be gone.
            let _gone = answer.send(());
        }
        for answer in clears {
            let _gone = answer.send(self.clear_log().await);
        }
    }

    pub(super) async fn write_records(&mut self, mut records: Vec<LogRecord>) {
        let count = records.len();
        if let Some(failing) = &mut self.failing {
            if Instant::now() < failing.next_try {
                failing.dropped += as_u64(count);
                self.publish_failure();
                return;
            }
            records.insert(0, failing.to_gap_record());
        }
        match self.write_with_retries(&records).await {
            Ok(first) => {
                self.clear_failure();
                self.notify_followers(first, records.len());
                self.unchecked_batches += 1;
                if self.unchecked_batches >= SIZE_CHECK_BATCHES || self.is_over_limit {
                    self.check_database_size().await;
                }
            }
            Err(error) => self.record_failure(&error, count),
        }
    }

    /// Runs when no record has arrived for a while.
    async fn run_idle_work(&mut self) {
        if let Some(failing) = &self.failing {
            let gap = [failing.to_gap_record()];
            match self.write_with_retries(&gap).await {
                Ok(first) => {
                    self.clear_failure();
                    self.notify_followers(first, gap.len());
                }
                Err(error) => self.record_failure(&error, 0),
            }
        }
        if self.unreported_since.is_some() {
            self.log_deletions().await;
        }
        if self.needs_size_check() {
            self.check_database_size().await;
        }
        if self.needs_vacuum {
            self.vacuum_database().await;
        }
        if let Some(open) = &mut self.open_connection {
            open.idle_ticks = open.idle_ticks.saturating_add(1);
            if open.idle_ticks == IDLE_TICKS {
                // The page cache of a burst isn't needed any more. If it can't be freed, it stays.
                let _stays = sqlx::query("PRAGMA shrink_memory").execute(&mut open.db).await;
            }
        }
    }

    /// Writes the records in one transaction, and retries while another process writes. Returns the id of the
    /// first.
    async fn write_with_retries(&mut self, records: &[LogRecord]) -> Result<i64, StoreError> {
        self.checkpoints.wait_for_room().await;
        let patience = if self.failing.is_some() { Duration::ZERO } else { BUSY_TIMEOUT };
        // Begins when another process prevented the first attempt. Waiting for other tasks of this process
        // doesn't count.
        let mut deadline = None;
        loop {
            match self.try_write_records(records).await {
                Err(StoreError::Locked)
                    if Instant::now() < *deadline.get_or_insert_with(|| Instant::now() + patience) => {}
                result => return result,
            }
        }
    }

    async fn try_write_records(&mut self, records: &[LogRecord]) -> Result<i64, StoreError> {
        let database = Arc::clone(&self.database);
        let _turn = database.lock_writes().await?;
        // The connection is only put back after a success: after an error, a new connection is the simplest
        // way to a known state.
        let mut open = self.take_connection().await?;
        let written = self.write_transaction(&mut open, records).await;
        let (first, moved) = written.map_err(|error| database.store_error(error))?;
        open.idle_ticks = 0;
        self.open_connection = Some(open);
        self.checkpoints.count_written(&moved.records);
        self.checkpoints.count_written(records);
        self.finish_moved_files(moved).await;
        Ok(first)
    }

    async fn write_transaction(
        &self,
        open: &mut WriterConnection,
        records: &[LogRecord],
    ) -> Result<(i64, MovedRows), sqlx::Error> {
        let mut tx = open.db.begin_with("BEGIN IMMEDIATE").await?;
        let folder = log_body::folder(&self.database.path);
        let counts = (&mut open.facets, &open.shares);
        let moved =
            staging::move_rows(&mut tx, &folder, &self.inserts, counts, self.staging.retired()).await?;
        let first = self.inserts.insert_records(&mut tx, records).await?;
        let long =
            (first..).zip(records).filter_map(|(row, record)| Some((row, take_external_part(record)?)));
        let places = open.bodies.append_bodies(&mut tx, long.collect()).await?;
        log_body::insert_locations(&mut tx, &places).await?;
        open.facets.add_records(&mut tx, records).await?;
        open.shares.add_records(&mut tx, records).await?;
        tx.commit().await?;
        Ok((first, moved))
    }

    /// Takes the connection, or opens a new one. The caller puts it back.
    async fn take_connection(&mut self) -> Result<WriterConnection, StoreError> {
        match self.open_connection.take() {
            Some(open) => Ok(open),
            None => self.connect_to_database().await,
        }
    }

    async fn connect_to_database(&self) -> Result<WriterConnection, StoreError> {
        let max_pages = self.max_bytes / u64::from(PAGE_SIZE);
        let options = writer_options(&self.database.path)
            .busy_timeout(BUSY_TRY)
            .synchronous(SqliteSynchronous::Normal)
            .statement_cache_capacity(STATEMENT_ROWS.len() + 32)
            .pragma("max_page_count", max_pages.to_string());
        let connect = async {
            let mut db = options.connect().await?;
            let facets = Facets::load(&mut db).await?;
            let bodies = BodyFiles::new(log_body::folder(&self.database.path));
            Ok(WriterConnection { db, facets, shares: SourceShares::default(), bodies, idle_ticks: 0 })
        };
        connect.await.map_err(|error| self.database.store_error(error))
    }

    fn clear_failure(&mut self) {
        if self.failing.take().is_some() {
            self.health.send_replace(WriterHealth::Ok);
        }
    }

    /// Records that writing failed and `count` records are lost.
    fn record_failure(&mut self, error: &StoreError, count: usize) {
        let failing = self.failing.get_or_insert_with(|| WriteFailure {
            since_us: now_us(),
            dropped: 0,
            reason: error.sentence(),
            next_try: Instant::now(),
        });
        failing.dropped += as_u64(count);
        failing.reason = error.sentence();
        failing.next_try = Instant::now() + TICK;
        self.publish_failure();
    }

    fn publish_failure(&self) {
        if let Some(WriteFailure { reason, dropped, .. }) = &self.failing {
            self.health.send_replace(WriterHealth::Failing { message: reason.clone(), dropped: *dropped });
        }
    }

    /// Notifies followers of the log that `records` rows from `first` on were committed.
    fn notify_followers(&self, first: i64, records: usize) {
        self.database.set_newest(first + as_i64(records) - 1);
    }

    fn keep_bytes(&self) -> u64 {
        self.retention.bytes()
    }

    async fn check_database_size(&mut self) {
        const USED: &str = "SELECT (page_count - freelist_count) * page_size
            + (SELECT coalesce(sum(bytes), 0) FROM log_file)
            FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
        let limit = self.keep_bytes();
        let Some(open) = &mut self.open_connection else {
            return;
        };
        match sqlx::query_scalar::<_, i64>(USED).fetch_one(&mut open.db).await {
            Ok(used) => {
                self.is_over_limit = u64::try_from(used).unwrap_or_default() > limit;
                self.checked_limit = limit;
                self.unchecked_batches = 0;
            }
            Err(error) => match self.database.store_error(error) {
                // A later batch checks the size again.
                StoreError::Locked => {}
                error => self.record_failure(&error, 0),
            },
        }
    }

    /// Deletes some of the oldest rows, and reports deletions from time to time.
    pub(super) async fn trim_log(&mut self) {
        let database = Arc::clone(&self.database);
        let Ok(turn) = database.lock_writes().await else {
            // Writing the next record fails too, and reports the problem.
            self.give_up_trim();
            return;
        };
        match self.delete_oldest_rows().await {
            Ok((0, files)) => self.remove_body_files(files).await,
            Ok((_, files)) => {
                self.unreported_since.get_or_insert_with(Instant::now);
                self.remove_body_files(files).await;
            }
            // Another process is writing, which is no failure. The oldest rows are deleted after the next
            // records.
            Err(StoreError::Locked) => return,
            Err(error) => {
                self.give_up_trim();
                self.record_failure(&error, 0);
            }
        }
        drop(turn);
        self.check_database_size().await;
        if self.unreported_since.is_some_and(|since| since.elapsed() >= DELETION_REPORT_INTERVAL) {
            self.log_deletions().await;
        }
    }

    /// Deletes every row because the person requested it, and logs that. Returns the number of rows.
    async fn clear_log(&mut self) -> Result<u64, StoreError> {
        let database = Arc::clone(&self.database);
        let deadline = Instant::now() + BUSY_TIMEOUT;
        let (rows, files, gap) = loop {
            let _turn = database.lock_writes().await?;
            let mut open = self.take_connection().await?;
            let retired = self.staging.number();
            match open.clear_log(&self.inserts, &database.path, retired).await {
                Ok((rows, files, gap, moved)) => {
                    self.open_connection = Some(open);
                    self.erase_moved_rows(&moved).await;
                    self.finish_moved_files(moved).await;
                    break (rows, files, gap);
                }
                Err(error) => match database.store_error(error) {
                    StoreError::Locked if Instant::now() < deadline => {}
                    error => return Err(error),
                },
            }
        };
        self.remove_body_files(files).await;
        self.unreported_since = None;
        self.vacuum_database().await;
        self.notify_followers(gap, 1);
        Ok(rows)
    }

    /// Vacuums the database after a clear. If another connection prevents that, a later tick tries again.
    async fn vacuum_database(&mut self) {
        let database = Arc::clone(&self.database);
        self.needs_vacuum = true;
        let Ok(_turn) = database.lock_writes().await else { return };
        let Ok(mut open) = self.take_connection().await else { return };
        if let Ok(made) = open.vacuum_database().await {
            self.needs_vacuum = !made;
            self.open_connection = Some(open);
        }
    }

    /// Deletes some rows that are too old. If no limit of age applies, deletes some because the log is too
    /// large. Returns the number of rows, and the files that are now empty.
    async fn delete_oldest_rows(&mut self) -> Result<(usize, Vec<i64>), StoreError> {
        let mut open = self.take_connection().await?;
        let deleted = match self.too_old_before {
            Some(before) => open.trim_old_rows(before).await,
            None => open.trim_largest_source(self.keep_bytes()).await.map(|files| (1, files)),
        };
        let deleted = deleted.map_err(|error| self.database.store_error(error))?;
        self.open_connection = Some(open);
        if deleted.0 == 0 {
            self.too_old_before = None;
        }
        Ok(deleted)
    }

    /// Leaves rows that should be deleted until the next check.
    fn give_up_trim(&mut self) {
        self.is_over_limit = false;
        self.too_old_before = None;
    }

    /// Writes a gap row for each source whose rows were deleted since the last report.
    async fn log_deletions(&mut self) {
        self.unreported_since = None;
        let database = Arc::clone(&self.database);
        let Ok(turn) = database.lock_writes().await else { return };
        let notice = async {
            let mut open = self.take_connection().await?;
            let notice =
                open.log_deletions(&self.inserts).await.map_err(|error| self.database.store_error(error))?;
            self.open_connection = Some(open);
            Ok::<_, StoreError>(notice)
        };
        let notice = notice.await;
        drop(turn);
        match notice {
            Ok((first, gaps)) => self.notify_followers(first, gaps),
            // The counts stay in the table and are reported the next time.
            Err(StoreError::Locked) => self.unreported_since = Some(Instant::now()),
            Err(error) => self.record_failure(&error, 0),
        }
    }
}

impl WriterTask {
    /// Removes body files that no row refers to.
    async fn remove_body_files(&self, files: Vec<i64>) {
        let folder = log_body::folder(&self.database.path);
        for id in files {
            // A file that can't be removed now is removed when the next one is created.
            let _stays = tokio::fs::remove_file(log_body::file_path(&folder, id)).await;
        }
    }
}

impl Drop for WriterTask {
    /// Closes and empties the queue whenever the task ends, so that no caller waits for an answer forever.
    fn drop(&mut self) {
        self.queue.close_and_clear();
    }
}

impl WriteFailure {
    /// The row that reports the lost records.
    fn to_gap_record(&self) -> LogRecord {
        let now = now_us();
        let body = gap_body(self.dropped, &self.reason);
        LogRecord { duration_us: Some(now - self.since_us), ..gap_record(GAP_SOURCE.into(), None, body) }
    }
}

/// The row that reports the deleted rows of a source: how many, and when the newest of them happened.
fn deletion_gap_record(deleted: DeletedRows) -> LogRecord {
    let DeletedRows { source, server_id, rows, to_us } = deleted;
    let body = json!({ "deleted": rows, "upTo": to_us }).to_string();
    let app = source.strip_prefix(APP_PREFIX).filter(|_| server_id.is_none()).map(Arc::from);
    LogRecord { status: LogStatus::None, app, ..gap_record(source.into(), server_id, body) }
}

fn gap_record(source: Arc<str>, server_id: Option<i64>, body: String) -> LogRecord {
    LogRecord {
        at_us: now_us(),
        server_id,
        source,
        connection: 0,
        kind: LogKind::Gap,
        direction: Direction::None,
        method: None,
        rpc_id: None,
        subject: None,
        status: LogStatus::Error,
        duration_us: None,
        size: as_i64(body.len()),
        app: None,
        call: None,
        body: body.into(),
    }
}

fn as_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
