//! The log's writer: nothing is lost that can be kept, and what is lost is counted.

use crate::profile::{AMPLE, Profile, bodies, everything, numbers, record, until_failing, until_ok, written};
use bytes::Bytes;
use mooring_log::{LogKind, LogQuery, LogRecord, LogRow};
use mooring_store::{LogReader, LogWriter, RecordFinisher, WriterHealth, WriterOptions};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// A follower of the log, which reads by page up to the newest row.
struct Follower {
    log: LogReader,
    newest: watch::Receiver<i64>,
    last: i64,
}

impl Follower {
    async fn new(log: LogReader) -> Self {
        let newest = log.follow().await.unwrap();
        let last = *newest.borrow();
        Self { log, newest, last }
    }

    /// Waits for news, and reads what is new up to there.
    async fn read(&mut self) -> Vec<LogRow> {
        let last = self.last;
        let newest = timeout(AMPLE, self.newest.wait_for(|newest| *newest > last)).await.unwrap();
        let newest = *newest.unwrap();
        let mut rows = Vec::new();
        while self.last < newest {
            let query = LogQuery {
                after: Some(self.last),
                before: (newest - self.last < 100).then_some(newest + 1),
                limit: 100,
                ..LogQuery::default()
            };
            let page = self.log.page(&query).await.unwrap();
            self.last = page[0].id;
            rows.extend(page.into_iter().rev());
        }
        rows
    }
}

#[tokio::test]
async fn a_full_queue_gives_the_record_back_and_loses_nothing() {
    let profile = Profile::new();
    let store = profile.open().await;
    // No other connection can write while this one does.
    let mut other = profile.bare().await;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let writer = store.start_writer(4);
    let mut number = 0;
    let refused = loop {
        match writer.try_append(record(number)) {
            Ok(()) => number += 1,
            Err(refused) => break refused,
        }
    };
    assert_eq!(refused, record(number));
    assert!(number >= 4);
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    while number < 100 {
        match writer.try_append(record(number)) {
            Ok(()) => number += 1,
            Err(_) => writer.wait_for_room().await,
        }
    }
    writer.flush().await;
    assert_eq!(bodies(&everything(&store.log()).await), (0..100).collect::<Vec<_>>());
}

#[tokio::test]
async fn queue_is_bounded_by_bytes_but_takes_one_record_of_any_size() {
    let profile = Profile::new();
    let store = profile.open().await;
    let mut other = profile.bare().await;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let writer = store.start_writer(WriterOptions { queue_bytes: 1_000, ..WriterOptions::default() });
    let huge = LogRecord { body: Bytes::from(vec![b'x'; 3 << 20]), ..record(0) };
    // While the writer waits with one record and has prepared the next, the queue holds one more.
    let mut accepted = 0;
    while writer.try_append(huge.clone()).is_ok() {
        accepted += 1;
        assert!(accepted <= 3);
        tokio::task::yield_now().await;
    }
    assert!(accepted >= 1);
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    writer.flush().await;
    let rows = everything(&store.log()).await;
    assert_eq!(rows.len(), accepted);
    assert_eq!(store.log().entry(rows[0].id).await.unwrap().unwrap().body, huge.body);
}

#[tokio::test]
async fn many_writers_at_once_lose_nothing_and_each_keeps_its_order() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(16);
    let mut tasks = JoinSet::new();
    for task in 0..8 {
        let writer = writer.clone();
        tasks.spawn(async move {
            for number in 0..500 {
                writer.append(record(task * 1_000 + number)).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    writer.close().await;
    let found = bodies(&everything(&store.log()).await);
    for task in 0..8 {
        let own: Vec<usize> = found.iter().copied().filter(|number| number / 1_000 == task).collect();
        assert_eq!(own, (task * 1_000..task * 1_000 + 500).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn what_is_made_ready_while_a_batch_is_written_keeps_its_place() {
    let profile = Profile::new();
    let store = profile.open().await;
    // Batches of four, so that there is always another one.
    let writer = store.start_writer(4);
    let mut waiting = JoinSet::new();
    for number in (0..2_000).step_by(2) {
        writer.append(record(number)).await.unwrap();
        if number % 100 == 0 {
            // A caller that waits ends a batch early, and finds written what was taken before.
            let (writer, log) = (writer.clone(), store.log());
            waiting.spawn(async move {
                writer.flush().await;
                assert!(log.count().await.unwrap() > i64::try_from(number).unwrap());
            });
            tokio::task::yield_now().await;
        }
        let mut unfinished = record(number);
        while let Err(refused) =
            writer.try_append_unfinished(unfinished, Arc::new(AddOne { panics_at: 4_000 }))
        {
            writer.wait_for_room().await;
            unfinished = refused;
        }
    }
    writer.flush().await;
    waiting.join_all().await;
    assert_eq!(bodies(&everything(&store.log()).await), (0..2_000).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_flood_is_copied_into_the_database_while_it_goes_on() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(WriterOptions::default());
    let bytes = |name: &str| std::fs::metadata(profile.home().join(name)).unwrap().len();
    // Less than what the writer would copy itself.
    flood(&writer, 700).await;
    timeout(AMPLE, async {
        while bytes("mooring.db") < 16 * MIB {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
    flood(&writer, 3_000).await;
    assert!(bytes("mooring.db-wal") < 80 * MIB, "{}", bytes("mooring.db-wal"));
    assert_eq!(everything(&store.log()).await.len(), 3_700);
}

/// Many of what a body in the database may hold.
async fn flood(writer: &LogWriter, records: usize) {
    let long = Bytes::from(vec![b'a'; 60_000]);
    for number in 0..records {
        writer.append(LogRecord { body: long.clone(), ..record(number) }).await.unwrap();
    }
    writer.flush().await;
}

const MIB: u64 = 1 << 20;

#[tokio::test]
async fn write_ahead_log_shrinks_after_a_long_read() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(WriterOptions::default());
    flood(&writer, 1).await;
    // What it sees has to stay, so nothing that comes later is copied over it.
    let mut reader = profile.bare().await;
    sqlx::query("BEGIN").execute(&mut reader).await.unwrap();
    sqlx::query("SELECT count(*) FROM log").execute(&mut reader).await.unwrap();
    flood(&writer, 2_000).await;
    let length = || std::fs::metadata(profile.home().join("mooring.db-wal")).unwrap().len();
    assert!(length() > 100 * MIB, "{}", length());
    sqlx::query("COMMIT").execute(&mut reader).await.unwrap();
    timeout(AMPLE, async {
        while length() > 80 * MIB {
            flood(&writer, 50).await;
        }
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn records_behind_a_lost_batch_are_counted_or_saved_never_both() {
    let profile = Profile::new();
    let store = profile.open().await;
    // Batches of four.
    let writer = store.start_writer(4);
    let mut health = writer.health();
    let mut other = profile.bare().await;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let queued = async {
        for number in 0..12 {
            writer.append(record(number)).await.unwrap();
        }
    };
    // Held for longer than the writer is patient. The next batch has long been made ready.
    tokio::join!(queued, until_failing(&mut health));
    sqlx::query("COMMIT").execute(&mut other).await.unwrap();
    until_ok(&mut health).await;
    writer.append(record(12)).await.unwrap();
    writer.flush().await;
    let rows = everything(&store.log()).await;
    assert_eq!(rows[0].kind, LogKind::Gap);
    let gap: serde_json::Value = serde_json::from_str(&rows[0].preview).unwrap();
    let lost = usize::try_from(gap["count"].as_u64().unwrap()).unwrap();
    assert!(lost >= 4, "{gap}");
    assert_eq!(bodies(&rows[1..]), (lost..13).collect::<Vec<_>>(), "{gap}");
}

#[tokio::test]
async fn followers_get_every_row_once_however_slow_they_are() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(4_096);
    written(&writer, &store.log(), record(0)).await;
    let [mut quick, mut slow] = [Follower::new(store.log()).await, Follower::new(store.log()).await];
    let write = async {
        for number in 1..=2_500 {
            writer.append(record(number)).await.unwrap();
        }
        writer.flush().await;
    };
    let follow = async {
        let mut rows = Vec::new();
        while rows.len() < 2_500 {
            rows.extend(quick.read().await);
        }
        rows
    };
    let ((), rows) = tokio::join!(write, follow);
    assert_eq!(rows, everything(&store.log()).await[1..]);
    // A late follower is notified once, and finds everything.
    assert_eq!(slow.read().await, rows);
    assert!(!slow.newest.has_changed().unwrap());
}

#[tokio::test]
async fn followers_get_what_another_process_writes() {
    let profile = Profile::new();
    let (window, command) = (profile.open().await, profile.open().await);
    let (window_writer, command_writer) = (window.start_writer(64), command.start_writer(64));
    let mut tasks = JoinSet::new();
    tasks.spawn(window.watch().1);
    let log = window.log();
    // Rows from before are not new, whichever process wrote them.
    written(&command_writer, &log, record(0)).await;
    let mut follower = Follower::new(log.clone()).await;
    written(&command_writer, &log, record(1)).await;
    assert_eq!(bodies(&follower.read().await), [1]);
    written(&command_writer, &log, record(2)).await;
    written(&window_writer, &log, record(3)).await;
    assert_eq!(bodies(&follower.read().await), [2, 3]);
}

#[tokio::test]
async fn followers_miss_nothing_while_two_processes_write() {
    let profile = Profile::new();
    let (window, command) = (profile.open().await, profile.open().await);
    let writers = [window.start_writer(64), command.start_writer(64)];
    let mut tasks = JoinSet::new();
    tasks.spawn(window.watch().1);
    let mut follower = Follower::new(window.log()).await;
    let fill = async |writer: usize| {
        for number in 0..1_000 {
            writers[writer].append(record(writer * 10_000 + number)).await.unwrap();
        }
        writers[writer].flush().await;
    };
    let follow = async {
        let mut rows = Vec::new();
        while rows.len() < 2_000 {
            rows.extend(follower.read().await);
        }
        rows
    };
    let ((), (), rows) = tokio::join!(fill(0), fill(1), follow);
    assert_eq!(rows, everything(&window.log()).await);
}

#[tokio::test]
async fn two_processes_write_at_once_without_loss() {
    let profile = Profile::new();
    let (window, command) = (profile.open().await, profile.open().await);
    let writers = [window.start_writer(64), command.start_writer(64)];
    let fill = async |writer: usize| {
        for number in 0..2_000 {
            writers[writer].append(record(writer * 10_000 + number)).await.unwrap();
        }
        writers[writer].close().await;
    };
    tokio::join!(fill(0), fill(1));
    let found = bodies(&everything(&window.log()).await);
    for writer in 0..2 {
        let own: Vec<usize> = found.iter().copied().filter(|number| number / 10_000 == writer).collect();
        assert_eq!(own, (writer * 10_000..writer * 10_000 + 2_000).collect::<Vec<_>>());
    }
    assert_eq!(window.log().count().await.unwrap(), 4_000);
}

#[tokio::test]
async fn a_full_disk_is_reported_and_one_gap_row_counts_what_was_lost() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(WriterOptions { max_bytes: 100 << 10, ..WriterOptions::default() });
    let mut health = writer.health();
    // Smaller than a gap row and otherwise like it, so that the one has no room where the other
    // has none.
    let small = |number| LogRecord {
        source: "Mooring".into(),
        kind: LogKind::Diagnostic,
        method: None,
        rpc_id: None,
        ..record(number)
    };
    let mut kept = 0;
    loop {
        writer.append(small(kept)).await.unwrap();
        writer.flush().await;
        if *health.borrow() != WriterHealth::Ok {
            break;
        }
        kept += 1;
    }
    assert_eq!(until_failing(&mut health).await, ("the disk is full".to_owned(), 1));

    // The application goes on, and so does what needs no room.
    for number in 0..20 {
        writer.append(small(number)).await.unwrap();
    }
    writer.flush().await;
    assert_eq!(until_failing(&mut health).await, ("the disk is full".to_owned(), 21));
    assert_eq!(bodies(&everything(&store.log()).await), (0..kept).collect::<Vec<_>>());

    // Room again: it recovers without being asked.
    let mut other = profile.bare().await;
    sqlx::query("DELETE FROM log").execute(&mut other).await.unwrap();
    until_ok(&mut health).await;
    writer.append(small(0)).await.unwrap();
    writer.flush().await;
    let rows = everything(&store.log()).await;
    assert_eq!(rows.iter().map(|row| row.kind).collect::<Vec<_>>(), [LogKind::Gap, LogKind::Diagnostic]);
    let gap = r#"{"count":21,"reason":"the disk is full","said":{"code":"the disk is full","params":{}}}"#;
    assert_eq!(rows[0].preview, gap);
    assert!(rows[0].duration_us.unwrap() > 0);
}

#[tokio::test]
async fn locked_database_delays_but_loses_nothing() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    let mut other = profile.bare().await;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let writing = async {
        writer.append(record(0)).await.unwrap();
        writer.flush().await;
    };
    let holding = async {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        sqlx::query("COMMIT").execute(&mut other).await.unwrap();
    };
    tokio::join!(writing, holding);
    assert_eq!(bodies(&everything(&store.log()).await), [0]);
    assert_eq!(*writer.health().borrow(), WriterHealth::Ok);
}

#[tokio::test]
async fn a_flood_pushes_out_its_own_rows_and_no_evidence() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(WriterOptions { keep_bytes: 2 << 20, ..WriterOptions::default() });
    let verdict = LogRecord { kind: LogKind::Verdict, ..record(0) };
    let quiet = LogRecord { source: "quiet".into(), method: Some("quiet/method".into()), ..record(0) };
    for _ in 0..100 {
        writer.append(quiet.clone()).await.unwrap();
        writer.append(verdict.clone()).await.unwrap();
    }
    for number in 0..40_000 {
        let body = Bytes::from(format!("{number:300}"));
        writer.append(LogRecord { body, kind: LogKind::Stderr, ..record(number) }).await.unwrap();
    }
    writer.close().await;
    let log = store.log();
    let rows = everything(&log).await;
    let count = |of: &dyn Fn(&LogRow) -> bool| rows.iter().filter(|row| of(row)).count();
    assert_eq!(count(&|row| &*row.source == "quiet"), 100);
    assert_eq!(count(&|row| row.kind == LogKind::Verdict), 100);
    let left = count(&|row| row.kind == LogKind::Stderr);
    assert!(rows.iter().any(|row| row.id == 40_200) && left < 20_000, "the newest {left} are there");
    // What was deleted is reported, with the number of rows and their latest time.
    let mut deleted = 0;
    let mut up_to = 0;
    for row in rows.iter().filter(|row| row.kind == LogKind::Gap) {
        assert_eq!((&*row.source, row.server_id), ("everything", Some(1)));
        let body: serde_json::Value = serde_json::from_str(&row.preview).unwrap();
        deleted += body["deleted"].as_u64().unwrap();
        up_to = up_to.max(body["upTo"].as_i64().unwrap());
    }
    assert_eq!(deleted, 40_000 - left as u64);
    let oldest = rows.iter().filter(|row| row.kind == LogKind::Stderr).map(|row| row.at_us).min().unwrap();
    assert_eq!(up_to, oldest - 1);
    assert_eq!(log.count().await.unwrap(), i64::try_from(rows.len()).unwrap());
    assert_eq!(log.sources().await.unwrap(), ["everything", "quiet"]);
    assert_eq!(log.methods().await.unwrap(), ["quiet/method", "tools/call"]);
    assert!(store.bytes() < 80 << 20);
}

#[tokio::test]
async fn smaller_limit_is_in_force_while_the_writer_runs() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(WriterOptions::default());
    for number in 0..20_000 {
        let body = Bytes::from(format!("{number:300}"));
        writer.append(LogRecord { body, kind: LogKind::Stderr, ..record(number) }).await.unwrap();
    }
    writer.flush().await;
    assert_eq!(store.log().count().await.unwrap(), 20_000);
    // Nothing more needs to be written for it.
    writer.set_keep_bytes(2 << 20);
    let enough = async {
        while store.log().count().await.unwrap() >= 10_000 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), enough).await.unwrap();
    writer.close().await;
}

#[tokio::test]
async fn evidence_without_end_has_a_bound_of_its_own() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(WriterOptions { keep_bytes: 2 << 20, ..WriterOptions::default() });
    writer.append(LogRecord { source: "quiet".into(), kind: LogKind::Verdict, ..record(0) }).await.unwrap();
    for number in 0..20_000 {
        let body = Bytes::from(format!("{number:300}"));
        writer.append(LogRecord { body, kind: LogKind::State, ..record(number) }).await.unwrap();
    }
    writer.close().await;
    let rows = everything(&store.log()).await;
    assert!(rows.len() < 10_000, "{}", rows.len());
    assert_eq!(rows.iter().filter(|row| &*row.source == "quiet").count(), 1);
}

#[tokio::test]
async fn endless_names_are_saved_with_rows_but_offered_up_to_a_limit() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(4_096);
    for number in 0..1_200 {
        let method = format!("made/up/{number}").into();
        writer.append(LogRecord { method: Some(method), ..record(number) }).await.unwrap();
    }
    let long = LogRecord { method: Some("日".repeat(300).into()), ..record(1_200) };
    let log = store.log();
    let id = written(&writer, &log, long).await;
    assert_eq!(log.methods().await.unwrap().len(), 1_000);
    let query = LogQuery { method: Some("made/up/1199".into()), limit: 10, ..LogQuery::default() };
    assert_eq!(numbers(&log, query).await, [1_199]);
    let method = log.entry(id).await.unwrap().unwrap().row.method.unwrap();
    assert_eq!(method.chars().count(), 257);
}

#[tokio::test]
async fn a_closed_writer_has_written_everything_and_takes_no_more() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(4_096);
    for number in 0..1_234 {
        writer.append(record(number)).await.unwrap();
    }
    let clone = writer.clone();
    writer.close().await;
    assert_eq!(store.log().count().await.unwrap(), 1_234);
    assert!(clone.append(record(0)).await.is_err());
    clone.flush().await;
    clone.wait_for_room().await;
    assert_eq!(clone.try_append(record(0)), Ok(()));
    clone.close().await;
}

/// Gives records the number behind theirs, but for one that it cannot finish.
#[derive(Debug)]
struct AddOne {
    panics_at: usize,
}

impl RecordFinisher for AddOne {
    fn finish(&self, record: &mut LogRecord) {
        let number: usize = std::str::from_utf8(&record.body).unwrap().parse().unwrap();
        assert!(number != self.panics_at, "cannot finish {number}");
        record.body = Bytes::from((number + 1).to_string());
    }
}

#[tokio::test]
async fn a_record_is_finished_before_it_is_written_and_shown() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    let mut follower = Follower::new(store.log()).await;
    writer.append(record(1)).await.unwrap();
    writer.try_append_unfinished(record(1), Arc::new(AddOne { panics_at: 0 })).unwrap();
    writer.append(record(3)).await.unwrap();
    writer.flush().await;
    let mut shown = Vec::new();
    while shown.len() < 3 {
        shown.extend(bodies(&follower.read().await));
    }
    assert_eq!(shown, [1, 2, 3]);
    assert_eq!(bodies(&everything(&store.log()).await), [1, 2, 3]);
}

#[tokio::test]
async fn what_cannot_be_finished_is_never_written_and_is_counted() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    let mut health = writer.health();
    // A short one, and one that is finished elsewhere because it is long.
    for body in ["7".to_owned(), format!("{}7", "0".repeat(100_000))] {
        let record = LogRecord { body: body.into(), ..record(7) };
        writer.try_append_unfinished(record, Arc::new(AddOne { panics_at: 7 })).unwrap();
        until_failing(&mut health).await;
        until_ok(&mut health).await;
    }
    let rows = everything(&store.log()).await;
    assert_eq!(rows.len(), 2);
    for gap in rows {
        assert!(gap.kind == LogKind::Gap && gap.preview.contains("\"count\":1"), "{gap:?}");
    }
}
