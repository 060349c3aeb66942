//! How many rows per second the log can write while a reader pages through it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context as _;
use bytes::Bytes;
use mooring_log::{Direction, LogKind, LogQuery, LogRecord, LogStatus};
use mooring_store::{LogReader, Store, WriterOptions};
use serde::{Deserialize, Serialize};

/// The measurements of one run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct JournalRow {
    /// How many rows were written.
    pub(crate) rows: u64,
    /// Rows per second, up to the last commit.
    pub(crate) rows_per_second: f64,
    /// How many pages were read meanwhile.
    pub(crate) pages: u64,
    /// The slowest page, in milliseconds.
    pub(crate) slowest_page_ms: f64,
}

/// Writes `count` rows into the log of `home`.
pub(crate) fn measure(count: u64, home: Option<PathBuf>) -> anyhow::Result<JournalRow> {
    let scratch = tempfile::tempdir()?;
    let home = home.unwrap_or_else(|| scratch.path().to_owned());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = Store::open(&home).await?;
        let writer = store.start_writer(WriterOptions::default());
        let stop = Arc::new(AtomicBool::new(false));
        let mut reader = tokio::task::JoinSet::new();
        reader.spawn(page(store.log(), Arc::clone(&stop)));
        let start = Instant::now();
        for number in 0..count {
            writer.append(record(number)).await?;
        }
        writer.flush().await;
        let elapsed = start.elapsed();
        stop.store(true, Ordering::Relaxed);
        let (pages, slowest) = reader.join_next().await.context("the reader is there")???;
        writer.close().await;
        store.close().await;
        Ok(JournalRow {
            rows: count,
            rows_per_second: per_second(count, elapsed),
            pages,
            slowest_page_ms: slowest.as_secs_f64() * 1e3,
        })
    })
}

/// Writes `rate` rows per second to the log of `home` for `seconds`, like another process would.
pub(crate) fn feed(home: &Path, rate: u64, seconds: u64) -> anyhow::Result<JournalRow> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = Store::open(home).await?;
        let writer = store.start_writer(WriterOptions::default());
        let (start, mut written) = (Instant::now(), 0);
        let mut tick = tokio::time::interval(Duration::from_millis(10));
        while written < rate * seconds {
            tick.tick().await;
            let due = u64::try_from(start.elapsed().as_millis())? * rate / 1_000;
            while written < due.min(rate * seconds) {
                writer.append(record(written)).await?;
                written += 1;
            }
        }
        writer.flush().await;
        let elapsed = start.elapsed();
        writer.close().await;
        store.close().await;
        let rows_per_second = per_second(written, elapsed);
        Ok(JournalRow { rows: written, rows_per_second, pages: 0, slowest_page_ms: 0.0 })
    })
}

/// Reads the newest three pages repeatedly. Returns how many pages were read, and the slowest time.
async fn page(log: LogReader, stop: Arc<AtomicBool>) -> anyhow::Result<(u64, Duration)> {
    let (mut pages, mut slowest, mut before) = (0, Duration::ZERO, None);
    while !stop.load(Ordering::Relaxed) {
        let query = LogQuery { before, limit: 200, ..LogQuery::default() };
        let start = Instant::now();
        let rows = log.page(&query).await?;
        slowest = slowest.max(start.elapsed());
        pages += 1;
        before = rows.last().map(|row| row.id).filter(|_| pages % 3 != 0);
        // A person pages at most once per frame.
        tokio::time::sleep(Duration::from_millis(16)).await;
    }
    Ok((pages, slowest))
}

/// A row of typical size: a message of about 300 bytes.
fn record(number: u64) -> LogRecord {
    let body = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{number},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{:230}\"}}]}}}}",
        "ship's log"
    );
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    LogRecord {
        at_us: i64::try_from(now.as_micros()).unwrap_or(i64::MAX),
        server_id: None,
        source: Arc::from("bench"),
        connection: 1,
        kind: LogKind::Frame,
        direction: Direction::In,
        method: Some(Arc::from("tools/call")),
        rpc_id: Some(number.to_string().into()),
        subject: Some("echo".into()),
        status: LogStatus::Ok,
        duration_us: Some(120),
        size: i64::try_from(body.len()).unwrap_or(i64::MAX),
        app: None,
        call: None,
        body: Bytes::from(body),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn per_second(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(f64::MIN_POSITIVE)
}
