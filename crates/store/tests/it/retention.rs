//! Rows go when they become too old, whatever room there is.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use mooring_base::clock::{Clock, Moment};
use mooring_log::{LogKind, LogRecord, LogRow};
use mooring_store::{LogReader, LogWriter, Store, WriterOptions};

use crate::profile::{AMPLE, Profile, everything, record};

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;
const DAY: Duration = Duration::from_hours(24);
/// When the tests begin, in microseconds since the Unix epoch.
const START_US: i64 = 1_700_000_000_000_000;

/// The time, which only the test moves.
#[derive(Clone)]
struct TestTime(Arc<AtomicI64>);

impl TestTime {
    fn new() -> Self {
        Self(Arc::new(AtomicI64::new(START_US)))
    }

    fn clock(&self) -> Clock {
        let (now, instant) = (Arc::clone(&self.0), Instant::now());
        Clock::new(move || Moment { instant, wall_ms: now.load(Ordering::Relaxed) / 1_000 })
    }

    fn set(&self, at_us: i64) {
        self.0.store(at_us, Ordering::Relaxed);
    }
}

fn start(store: &Store, time: &TestTime, keep_for: Option<Duration>) -> LogWriter {
    store.start_writer_at(WriterOptions { keep_for, ..WriterOptions::default() }, time.clock())
}

fn at(at_us: i64, source: &str, kind: LogKind) -> LogRecord {
    LogRecord { at_us, source: source.into(), kind, ..record(0) }
}

/// When the rows happened that tell no deletion, oldest first.
async fn times(log: &LogReader) -> Vec<i64> {
    let rows = everything(log).await;
    rows.iter().filter(|row| row.kind != LogKind::Gap).map(|row| row.at_us).collect()
}

async fn until_times(log: &LogReader, expected: &[i64]) {
    let wait = async {
        while times(log).await != expected {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    if tokio::time::timeout(AMPLE, wait).await.is_err() {
        assert_eq!(times(log).await, expected, "after {AMPLE:?}");
    }
}

fn gaps(rows: &[LogRow]) -> Vec<(String, serde_json::Value)> {
    let gaps = rows.iter().filter(|row| row.kind == LogKind::Gap);
    gaps.map(|row| (row.source.to_string(), serde_json::from_str(&row.preview).unwrap())).collect()
}

#[tokio::test]
async fn rows_go_when_they_are_older_than_they_may_be() {
    let profile = Profile::new();
    let store = profile.open().await;
    let (time, log) = (TestTime::new(), store.log());
    let writer = start(&store, &time, Some(DAY));
    let [first, second, third] = [START_US, START_US + 1_000, START_US + DAY_US / 2];
    writer.append(at(first, "a", LogKind::Frame)).await.unwrap();
    // Evidence is as old as everything else.
    writer.append(at(second, "b", LogKind::Verdict)).await.unwrap();
    writer.append(at(third, "a", LogKind::Stderr)).await.unwrap();
    writer.flush().await;
    // Exactly a day old is not older than a day; a millisecond more is.
    time.set(first + DAY_US);
    assert_eq!(log.count_before(first + DAY_US - DAY_US).await.unwrap(), 0);
    writer.append(at(third, "a", LogKind::Frame)).await.unwrap();
    writer.flush().await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(times(&log).await, [first, second, third, third]);
    // The next check is an hour later: by then two of them are older than a day.
    time.set(first + DAY_US + 60 * 60 * 1_000_000);
    // Wakes the writer, which otherwise looks at the time once a minute.
    writer.set_keep_for(Some(DAY));
    until_times(&log, &[third, third]).await;
    writer.close().await;
    let rows = everything(&log).await;
    let told = |rows: i64, to: i64| serde_json::json!({ "deleted": rows, "upTo": to });
    assert_eq!(gaps(&rows), [("a".to_owned(), told(1, first)), ("b".to_owned(), told(1, second))]);
    // What is counted is what is there.
    assert_eq!(log.count().await.unwrap(), i64::try_from(rows.len()).unwrap());
    assert_eq!(log.sources().await.unwrap(), ["a", "b"]);
    let mut bare = profile.bare().await;
    let held: Vec<(String, i64, i64)> =
        sqlx::query_as("SELECT source, bytes, evidence FROM log_share ORDER BY source")
            .fetch_all(&mut bare)
            .await
            .unwrap();
    let of = |source: &str| held.iter().find(|(name, ..)| name == source).cloned().unwrap();
    assert!(of("a").1 > 0 && of("a").2 > 0, "{held:?}");
    assert!(of("b").1 == 0 && of("b").2 > 0, "{held:?}");
}

#[tokio::test]
async fn rows_that_became_too_old_meanwhile_go_at_the_next_start() {
    let profile = Profile::new();
    let store = profile.open().await;
    let (time, log) = (TestTime::new(), store.log());
    let writer = start(&store, &time, Some(7 * DAY));
    let late = START_US + 5 * DAY_US;
    writer.append(at(START_US, "a", LogKind::Frame)).await.unwrap();
    writer.append(at(late, "a", LogKind::Frame)).await.unwrap();
    writer.close().await;
    time.set(START_US + 8 * DAY_US);
    // Nothing needs to be written for it.
    let writer = start(&store, &time, Some(7 * DAY));
    until_times(&log, &[late]).await;
    writer.close().await;
}

#[tokio::test]
async fn shorter_age_is_in_force_at_once_and_none_stops_it() {
    let profile = Profile::new();
    let store = profile.open().await;
    let (time, log) = (TestTime::new(), store.log());
    let writer = start(&store, &time, None);
    let ages = [40, 20, 3, 0].map(|days| START_US - days * DAY_US);
    // More than one step deletes.
    for _ in 0..2_500 {
        writer.append(at(ages[0], "a", LogKind::Stderr)).await.unwrap();
    }
    for age in &ages[1..] {
        writer.append(at(*age, "a", LogKind::Frame)).await.unwrap();
    }
    writer.flush().await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(log.count().await.unwrap(), 2_503, "however old, all of them stay");
    assert_eq!(log.count_before(START_US - 7 * DAY_US).await.unwrap(), 2_501);
    writer.set_keep_for(Some(30 * DAY));
    until_times(&log, &ages[1..]).await;
    writer.set_keep_for(Some(7 * DAY));
    until_times(&log, &ages[2..]).await;
    writer.set_keep_for(None);
    time.set(START_US + 400 * DAY_US);
    writer.append(at(START_US, "a", LogKind::Frame)).await.unwrap();
    writer.flush().await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(times(&log).await.len(), 3);
    writer.close().await;
}
