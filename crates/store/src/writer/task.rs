//! The task behind the log's writer.

mod open;

use self::open::Open;
use super::bodies::{Bodies, apart};
use super::checkpoint::Checkpoints;
use super::finish::{Panicked, Ready};
use super::insert::{Inserts, ROWS, gap_body, row};
use super::queue::{Batch, First, Queue};
use super::{WriterHealth, WriterOptions};
use crate::database::{BUSY, Database, PAGE_SIZE, writing};
use crate::error::StoreError;
use crate::table::log::{Direction, LogKind, LogQuery, LogRecord, LogRow, LogStatus, newest_id, page};
use crate::table::log_body;
use crate::table::log_facet::Facets;
use crate::table::log_share::{Deleted, Shares};
use mooring_base::clock::now_us;
use mooring_words::Sentence;
use serde_json::json;
use sqlx::sqlite::SqliteSynchronous;
use sqlx::{ConnectOptions, Connection};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, timeout};

/// One transaction at most.
pub(super) const BATCH: Batch = Batch { records: 1_000, bytes: 8 << 20 };
/// How long the first record of a batch waits for others.
const GATHER: Duration = Duration::from_millis(50);
/// How long one try waits for another process's transaction.
const TRY: Duration = Duration::from_millis(200);
/// How often writing is tried while it fails, and other processes' rows are looked for.
const TICK: Duration = Duration::from_millis(500);
/// After how many of them without a record the cache of pages is given back.
const QUIET: u32 = 10;
/// Batches between two looks at the size of the database.
const LOOK_EVERY: u32 = 16;
/// What is deleted at a time: more than a batch brings.
const TRIM: Batch = Batch { records: 2_000, bytes: 16 << 20 };
/// How often a flood is told what was deleted for it.
const TELL_EVERY: Duration = Duration::from_secs(10);
/// Rows of other processes that are passed on at a time.
const FOREIGN_ROWS: u32 = 500;
/// The source of a gap: the application itself.
const GAP_SOURCE: &str = "Mooring";

/// The writer's state.
pub(super) struct Task {
    database: Arc<Database>,
    options: WriterOptions,
    queue: Arc<Queue>,
    rows: broadcast::Sender<Arc<[LogRow]>>,
    health: watch::Sender<WriterHealth>,
    inserts: Inserts,
    open: Option<Open>,
    checkpoints: Checkpoints,
    failing: Option<Failing>,
    /// The newest row that subscribers have, or could have had.
    last_id: Option<i64>,
    batches: u32,
    /// The database holds more than it should.
    over: bool,
    /// Since when deleted rows have not been told.
    deleted: Option<Instant>,
    /// What was cleared may still be found in the files, since others were reading or writing.
    cleared_is_left: bool,
}

/// What was lost since writing began to fail.
struct Failing {
    since_us: i64,
    dropped: u64,
    reason: Sentence,
    next_try: Instant,
}

impl Task {
    pub(super) fn new(
        database: Arc<Database>,
        options: WriterOptions,
        queue: Arc<Queue>,
        rows: broadcast::Sender<Arc<[LogRow]>>,
        health: watch::Sender<WriterHealth>,
    ) -> Self {
        let checkpoints = Checkpoints::start(Arc::clone(&database));
        Self {
            database,
            options,
            queue,
            rows,
            health,
            inserts: Inserts::new(),
            open: None,
            checkpoints,
            failing: None,
            last_id: None,
            batches: 0,
            over: false,
            deleted: None,
            cleared_is_left: false,
        }
    }

    pub(super) async fn run(mut self) {
        self.last_id = self.newest_id().await.ok();
        let mut next = None;
        while let Some(ready) = match next.take() {
            Some(ready) => Some(ready),
            None => self.gathered().await,
        } {
            next = self.write_ready(ready).await;
            if self.over {
                self.trim().await;
            }
        }
        // The last chance to say what was lost.
        self.tick().await;
        self.checkpoints.end().await;
        if let Some(open) = self.open.take() {
            // Everything is committed; what closing reports changes nothing about it.
            let _closed = open.db.close().await;
        }
    }

    /// The next batch, once there is one; nothing when the queue is closed and empty.
    async fn gathered(&mut self) -> Option<Ready> {
        loop {
            match timeout(TICK, self.queue.first()).await {
                Ok(First::Item) => {
                    self.queue.gather(Instant::now() + GATHER).await;
                    return Some(Ready::of(self.queue.take()).await);
                }
                Ok(First::Closed) => return None,
                Err(_) => self.tick().await,
            }
            if self.over {
                self.trim().await;
            }
        }
    }

    /// Writes the batch. When the queue holds another one meanwhile, that is made ready at the same time: a processor
    /// and the disk need not wait for each other.
    async fn write_ready(&mut self, ready: Ready) -> Option<Ready> {
        let queue = Arc::clone(&self.queue);
        let mut writing = pin!(self.write_batch(ready));
        tokio::select! {
            biased;
            () = &mut writing => return None,
            () = queue.batch() => {}
        }
        let ((), next) = tokio::join!(writing, Ready::of(queue.take()));
        Some(next)
    }

    async fn write_batch(&mut self, ready: Ready) {
        let Ready { records, count, flushes, clears } = ready;
        match records {
            Ok(records) if records.is_empty() => {}
            Ok(records) => self.write_records(records).await,
            Err(Panicked) => {
                let source = io::Error::other("they could not be made ready");
                let path = self.database.path.clone();
                self.failed(&StoreError::Io { path, source }, count);
            }
        }
        for answer in flushes {
            // Whoever asked may have gone.
            let _gone = answer.send(());
        }
        for answer in clears {
            let _gone = answer.send(self.clear().await);
        }
    }

    pub(super) async fn write_records(&mut self, mut records: Vec<LogRecord>) {
        let count = records.len();
        if let Some(failing) = &mut self.failing {
            if Instant::now() < failing.next_try {
                failing.dropped += as_u64(count);
                self.report();
                return;
            }
            records.insert(0, failing.gap());
        }
        match self.write(&records).await {
            Ok(first) => {
                self.recovered();
                self.publish(first, &records).await;
                self.look_at_size().await;
            }
            Err(error) => self.failed(&error, count),
        }
    }

    /// Nothing came in for a while.
    async fn tick(&mut self) {
        if let Some(failing) = &self.failing {
            let gap = [failing.gap()];
            match self.write(&gap).await {
                Ok(first) => {
                    self.recovered();
                    self.publish(first, &gap).await;
                }
                Err(error) => self.failed(&error, 0),
            }
        }
        if self.deleted.is_some() {
            self.tell_deleted().await;
        }
        if self.cleared_is_left {
            self.make_anew().await;
        }
        if self.rows.receiver_count() > 0 {
            self.publish_foreign(None).await;
        }
        if let Some(open) = &mut self.open {
            open.quiet = open.quiet.saturating_add(1);
            if open.quiet == QUIET {
                // The pages of a burst are not needed after it. Where they cannot be freed, they stay.
                let _stays = sqlx::query("PRAGMA shrink_memory").execute(&mut open.db).await;
            }
        }
    }

    /// Writes the records in one transaction; the id of the first.
    async fn write(&mut self, records: &[LogRecord]) -> Result<i64, StoreError> {
        self.checkpoints.room().await;
        let patience = if self.failing.is_some() { Duration::ZERO } else { BUSY };
        // From the first try on that another process forbade: waiting for our own turn is none of it.
        let mut deadline = None;
        loop {
            match self.try_write(records).await {
                Err(StoreError::Locked)
                    if Instant::now() < *deadline.get_or_insert_with(|| Instant::now() + patience) => {}
                result => return result,
            }
        }
    }

    async fn try_write(&mut self, records: &[LogRecord]) -> Result<i64, StoreError> {
        let database = Arc::clone(&self.database);
        let _turn = database.turn().await?;
        // Put back only when all went well: after an error a new connection is the simplest way
        // to a known state.
        let mut open = self.opened().await?;
        let first = self.transact(&mut open, records).await.map_err(|error| database.fault(error))?;
        open.quiet = 0;
        self.open = Some(open);
        self.checkpoints.wrote(records);
        Ok(first)
    }

    async fn transact(&self, open: &mut Open, records: &[LogRecord]) -> Result<i64, sqlx::Error> {
        let mut tx = open.db.begin_with("BEGIN IMMEDIATE").await?;
        let first = self.inserts.write(&mut tx, records).await?;
        let long = (first..).zip(records).filter_map(|(row, record)| Some((row, apart(record)?)));
        let places = open.bodies.append(&mut tx, long.collect()).await?;
        log_body::insert(&mut tx, &places).await?;
        open.facets.add(&mut tx, records).await?;
        open.shares.add(&mut tx, records).await?;
        tx.commit().await?;
        Ok(first)
    }

    /// The connection, for whoever puts it back.
    async fn opened(&mut self) -> Result<Open, StoreError> {
        match self.open.take() {
            Some(open) => Ok(open),
            None => self.connect().await,
        }
    }

    async fn connect(&self) -> Result<Open, StoreError> {
        let max_pages = self.options.max_bytes / u64::from(PAGE_SIZE);
        let options = writing(&self.database.path)
            .busy_timeout(TRY)
            .synchronous(SqliteSynchronous::Normal)
            .statement_cache_capacity(ROWS.len() + 28)
            .pragma("max_page_count", max_pages.to_string());
        let connect = async {
            let mut db = options.connect().await?;
            let facets = Facets::load(&mut db).await?;
            let bodies = Bodies::new(log_body::folder(&self.database.path));
            Ok(Open { db, facets, shares: Shares::default(), bodies, quiet: 0 })
        };
        connect.await.map_err(|error| self.database.fault(error))
    }

    /// Writing works, again or still.
    fn recovered(&mut self) {
        if self.failing.take().is_some() {
            self.health.send_replace(WriterHealth::Ok);
        }
    }

    /// Writing failed, and `count` records are lost.
    fn failed(&mut self, error: &StoreError, count: usize) {
        let failing = self.failing.get_or_insert_with(|| Failing {
            since_us: now_us(),
            dropped: 0,
            reason: error.sentence(),
            next_try: Instant::now(),
        });
        failing.dropped += as_u64(count);
        failing.reason = error.sentence();
        failing.next_try = Instant::now() + TICK;
        self.report();
    }

    fn report(&self) {
        if let Some(Failing { reason, dropped, .. }) = &self.failing {
            self.health.send_replace(WriterHealth::Failing { message: reason.clone(), dropped: *dropped });
        }
    }

    /// Passes the committed records on, after those that other processes wrote before them.
    async fn publish(&mut self, first: i64, records: &[LogRecord]) {
        if self.rows.receiver_count() > 0 {
            if self.last_id.is_some_and(|last_id| last_id + 1 < first) {
                self.publish_foreign(Some(first)).await;
            }
            let rows = (first..).zip(records).map(|(id, record)| row(id, record)).collect();
            // The last subscriber may have gone meanwhile.
            let _gone = self.rows.send(rows);
        }
        self.last_id = Some(first + as_i64(records.len()) - 1);
    }

    /// Passes on what other processes have written since the last look, before the row `before`.
    /// Of a flood only the first rows: like everything missed, the rest is read by page.
    async fn publish_foreign(&mut self, before: Option<i64>) {
        let Ok(newest) = self.newest_id().await else {
            // The next look finds them.
            return;
        };
        let Some(last_id) = self.last_id.replace(newest) else {
            return;
        };
        let query = LogQuery { after: Some(last_id), limit: FOREIGN_ROWS, ..LogQuery::default() };
        if last_id < newest
            && let Ok(mut rows) = self.page(&query).await
        {
            rows.retain(|row| before.is_none_or(|before| row.id < before));
            rows.reverse();
            let _gone = self.rows.send(rows.into());
        }
    }

    /// The newest row's id. Like everything the writer reads, by its own connection: all of the readers
    /// may be busy for a long time.
    async fn newest_id(&mut self) -> Result<i64, StoreError> {
        let mut open = self.opened().await?;
        let newest = newest_id(&mut open.db).await.map_err(|error| self.database.fault(error))?;
        self.open = Some(open);
        Ok(newest)
    }

    async fn page(&mut self, query: &LogQuery) -> Result<Vec<LogRow>, StoreError> {
        let mut open = self.opened().await?;
        let rows = page(&mut open.db, query).await.map_err(|error| self.database.fault(error))?;
        self.open = Some(open);
        Ok(rows)
    }

    /// From time to time, whether the database holds more than it should.
    async fn look_at_size(&mut self) {
        const USED: &str = "SELECT (page_count - freelist_count) * page_size
            + (SELECT coalesce(sum(bytes), 0) FROM log_file)
            FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
        self.batches = self.batches.wrapping_add(1);
        if !self.batches.is_multiple_of(LOOK_EVERY) && !self.over {
            return;
        }
        let Some(open) = &mut self.open else {
            return;
        };
        match sqlx::query_scalar::<_, i64>(USED).fetch_one(&mut open.db).await {
            Ok(used) => self.over = u64::try_from(used).unwrap_or_default() > self.options.keep_bytes,
            Err(error) => match self.database.fault(error) {
                // It is looked at again with a later batch.
                StoreError::Locked => {}
                error => self.failed(&error, 0),
            },
        }
    }

    /// Makes room by a step, and tells from time to time what went.
    pub(super) async fn trim(&mut self) {
        let database = Arc::clone(&self.database);
        let Ok(turn) = database.turn().await else {
            // The next record says so.
            self.over = false;
            return;
        };
        match self.delete_oldest().await {
            Ok(files) => {
                self.deleted.get_or_insert_with(Instant::now);
                self.remove(files).await;
            }
            // Somebody else is writing, which is no failure: the oldest rows go with the next records.
            Err(StoreError::Locked) => return,
            Err(error) => {
                self.over = false;
                self.failed(&error, 0);
            }
        }
        drop(turn);
        self.look_at_size().await;
        if self.deleted.is_some_and(|since| since.elapsed() >= TELL_EVERY) {
            self.tell_deleted().await;
        }
    }

    /// Deletes everything, because the person wants it, and writes down that it was; how many rows.
    async fn clear(&mut self) -> Result<u64, StoreError> {
        let database = Arc::clone(&self.database);
        let deadline = Instant::now() + BUSY;
        let (rows, files, first, gap) = loop {
            let _turn = database.turn().await?;
            let mut open = self.opened().await?;
            match open.clear(&self.inserts).await.map_err(|error| database.fault(error)) {
                Ok(cleared) => {
                    self.open = Some(open);
                    break cleared;
                }
                Err(StoreError::Locked) if Instant::now() < deadline => {}
                Err(error) => return Err(error),
            }
        };
        self.remove(files).await;
        self.deleted = None;
        self.make_anew().await;
        self.publish(first, &[gap]).await;
        Ok(rows)
    }

    /// Has nothing left in the files of what was cleared; as long as others stand in the way, that is tried again.
    async fn make_anew(&mut self) {
        let database = Arc::clone(&self.database);
        self.cleared_is_left = true;
        let Ok(_turn) = database.turn().await else { return };
        let Ok(mut open) = self.opened().await else { return };
        if let Ok(made) = open.make_anew().await {
            self.cleared_is_left = !made;
            self.open = Some(open);
        }
    }

    async fn delete_oldest(&mut self) -> Result<Vec<i64>, StoreError> {
        let mut open = self.opened().await?;
        let files = open.trim(self.options.keep_bytes).await.map_err(|error| self.database.fault(error))?;
        self.open = Some(open);
        Ok(files)
    }

    /// Writes down what was deleted since the last time, one gap row for each source.
    async fn tell_deleted(&mut self) {
        self.deleted = None;
        let database = Arc::clone(&self.database);
        let Ok(turn) = database.turn().await else { return };
        let told = async {
            let mut open = self.opened().await?;
            let told = open.tell_deleted(&self.inserts).await.map_err(|error| self.database.fault(error))?;
            self.open = Some(open);
            Ok::<_, StoreError>(told)
        };
        let told = told.await;
        drop(turn);
        match told {
            Ok((_, gaps)) if gaps.is_empty() => {}
            Ok((first, gaps)) => self.publish(first, &gaps).await,
            // The counts stay, and are told the next time.
            Err(StoreError::Locked) => self.deleted = Some(Instant::now()),
            Err(error) => self.failed(&error, 0),
        }
    }
}

impl Task {
    /// Removes files that no row knows any more.
    async fn remove(&self, files: Vec<i64>) {
        let folder = log_body::folder(&self.database.path);
        for id in files {
            // One that stays is removed when the next one is begun.
            let _stays = tokio::fs::remove_file(log_body::file(&folder, id)).await;
        }
    }
}

impl Drop for Task {
    /// However the task ends, nobody waits for it in vain.
    fn drop(&mut self) {
        self.queue.abandon();
    }
}

impl Failing {
    /// The row that says what was lost.
    fn gap(&self) -> LogRecord {
        let now = now_us();
        let body = gap_body(self.dropped, &self.reason);
        LogRecord { duration_us: Some(now - self.since_us), ..gap(GAP_SOURCE.into(), None, body) }
    }
}

/// The row that says which rows of a source were deleted: how many, and when the newest of them happened.
fn deleted_gap(deleted: Deleted) -> LogRecord {
    let Deleted { source, server_id, rows, to_us } = deleted;
    let body = json!({ "deleted": rows, "upTo": to_us }).to_string();
    LogRecord { status: LogStatus::None, ..gap(source.into(), server_id, body) }
}

fn gap(source: Arc<str>, server_id: Option<i64>, body: String) -> LogRecord {
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
        body: body.into(),
    }
}

fn as_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
