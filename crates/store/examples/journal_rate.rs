//! Measures how many log rows a second go into the database while a reader pages through it.
//!
//! `cargo run --release -p mooring-store --example journal_rate [ROWS]` prints one JSON object:
//! `{"rows","seconds","rows_per_s","reader_p50_us","reader_max_us","pages"}`.

use bytes::Bytes;
use mooring_log::{Direction, LogKind, LogQuery, LogRecord, LogStatus};
use mooring_store::{LogReader, LogWriter, Store, WriterOptions};
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

/// Rows of a page: a screen, and some more before and after it.
const PAGE: u32 = 100;
/// Interval of the reader's requests: a person who pages quickly.
const READ_EVERY: Duration = Duration::from_millis(5);

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let rows: usize = std::env::args().nth(1).map_or(Ok(500_000), |rows| rows.parse())?;
    let home = tempfile::tempdir()?;
    let store = Store::open(home.path()).await?;
    let writer = store.start_writer(WriterOptions::default());
    let done = Arc::new(AtomicBool::new(false));
    let mut reader = JoinSet::new();
    reader.spawn(read(store.log(), Arc::clone(&done)));

    let start = Instant::now();
    write(&writer, rows).await;
    let elapsed = start.elapsed();
    done.store(true, Ordering::Relaxed);
    let mut times = Vec::new();
    for result in reader.join_all().await {
        times.extend(result?);
    }
    writer.close().await;
    let written = store.log().count().await?;
    if written != i64::try_from(rows)? {
        return Err(format!("{written} of {rows} rows were written").into());
    }
    store.close().await;

    times.sort();
    let micros = |time: Option<&Duration>| time.map_or(0, Duration::as_micros);
    let report = serde_json::json!({
        "rows": rows,
        "seconds": elapsed.as_secs_f64(),
        "rows_per_s": f64::from(u32::try_from(rows)?) / elapsed.as_secs_f64(),
        "reader_p50_us": u64::try_from(micros(times.get(times.len() / 2)))?,
        "reader_max_us": u64::try_from(micros(times.last()))?,
        "pages": times.len(),
    });
    #[expect(clippy::print_stdout, reason = "the report is what this is run for")]
    {
        println!("{report}");
    }
    Ok(())
}

/// Offers records of about 300 bytes from three servers as quickly as they are accepted.
async fn write(writer: &LogWriter, rows: usize) {
    let sources: [Arc<str>; 3] = ["everything".into(), "filesystem".into(), "git".into()];
    let methods: [Arc<str>; 4] =
        ["tools/call".into(), "notifications/progress".into(), "tools/list".into(), "ping".into()];
    let filler = "Lorem ipsum dolor sit amet, consectetur adipiscing elit. ".repeat(4);
    for number in 0..rows {
        let call = number % 2 == 0;
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":{{"name":"echo","arguments":{{"message":"{filler}"}}}}}}"#
        );
        let mut record = LogRecord {
            at_us: 1_700_000_000_000_000 + i64::try_from(number).unwrap_or_default(),
            server_id: Some(1),
            source: Arc::clone(&sources[number % 3]),
            connection: 1,
            kind: LogKind::Frame,
            direction: if call { Direction::Out } else { Direction::In },
            method: Some(Arc::clone(&methods[number / 7 % 4])),
            rpc_id: Some(number.to_string().into()),
            subject: call.then(|| "echo".into()),
            status: if call { LogStatus::None } else { LogStatus::Ok },
            duration_us: (!call).then_some(150),
            size: i64::try_from(body.len()).unwrap_or_default(),
            app: None,
            call: None,
            body: Bytes::from(body),
        };
        while let Err(refused) = writer.try_append(record) {
            record = refused;
            writer.wait_for_room().await;
        }
    }
    writer.flush().await;
}

/// Pages like a person: the newest page, some older ones, with and without a filter.
async fn read(log: LogReader, done: Arc<AtomicBool>) -> Result<Vec<Duration>, mooring_disk::StoreError> {
    let mut times = Vec::new();
    let mut before = None;
    let mut ticks = interval(READ_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !done.load(Ordering::Relaxed) {
        ticks.tick().await;
        let filter = times.len() % 4 == 3;
        let query =
            LogQuery { before, limit: PAGE, source: filter.then(|| "git".to_owned()), ..LogQuery::default() };
        let start = Instant::now();
        let page = log.page(&query).await?;
        times.push(start.elapsed());
        before = if times.len() % 16 == 0 { None } else { page.last().map(|row| row.id) };
    }
    Ok(times)
}
