//! Reading the log by page, with every filter, while it is written.

use crate::profile::{Profile, bodies, everything, migrate_to, numbers, record};
use bytes::Bytes;
use mooring_log::{Direction, LogKind, LogQuery, LogRecord, LogStatus};

fn page(limit: u32) -> LogQuery {
    LogQuery { limit, ..LogQuery::default() }
}

#[tokio::test]
async fn a_restart_finds_every_record_as_it_was() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    let long = "日本😀".repeat(1_000);
    let records = [
        LogRecord { body: Bytes::from(long.clone()), ..record(0) },
        LogRecord { body: Bytes::from_static(b"\xff\x00raw\xfe"), ..record(1) },
        LogRecord {
            server_id: None,
            kind: LogKind::Verdict,
            direction: Direction::None,
            method: None,
            rpc_id: None,
            subject: Some("echo".into()),
            status: LogStatus::TimedOut,
            duration_us: None,
            body: Bytes::new(),
            ..record(2)
        },
    ];
    for record in &records {
        writer.append(record.clone()).await.unwrap();
    }
    writer.close().await;
    store.close().await;

    let store = profile.open().await;
    let rows = everything(&store.log()).await;
    assert_eq!(rows.len(), 3);
    for (row, record) in rows.iter().zip(&records) {
        let entry = store.log().entry(row.id).await.unwrap().unwrap();
        assert_eq!(entry.row, *row);
        assert_eq!(entry.body, record.body);
        assert_eq!(
            (row.at_us, row.server_id, &row.source, row.connection, row.kind, row.direction),
            (
                record.at_us,
                record.server_id,
                &record.source,
                record.connection,
                record.kind,
                record.direction
            )
        );
        assert_eq!(
            (&row.method, row.rpc_id.as_deref(), row.subject.as_deref()),
            (&record.method, record.rpc_id.as_deref(), record.subject.as_deref())
        );
        assert_eq!((row.status, row.duration_us, row.size), (record.status, record.duration_us, record.size));
    }
    assert_eq!(rows[0].preview, long.chars().take(240).collect::<String>());
    assert_eq!(rows[1].preview, "\u{fffd}\0raw\u{fffd}");
    assert_eq!(store.log().entry(99).await.unwrap(), None);
    assert_eq!(store.log().count().await.unwrap(), 3);
}

#[tokio::test]
async fn pages_join_seamlessly_both_ways_while_rows_are_added() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(512);
    for number in 0..500 {
        writer.append(record(number)).await.unwrap();
    }
    writer.flush().await;
    let start = store.log().page(&page(1)).await.unwrap()[0].id;

    let writing = async {
        for number in 500..3_000 {
            writer.append(record(number)).await.unwrap();
            tokio::task::yield_now().await;
        }
        writer.flush().await;
    };
    let backward = async {
        let mut seen = Vec::new();
        let mut before = start + 1;
        loop {
            let query = LogQuery { before: Some(before), ..page(7) };
            let rows = store.log().page(&query).await.unwrap();
            let Some(oldest) = rows.last() else {
                return seen;
            };
            before = oldest.id;
            seen.extend(bodies(&rows));
        }
    };
    let forward = async {
        let mut seen = Vec::new();
        let mut after = start;
        while seen.len() < 2_500 {
            let query = LogQuery { after: Some(after), ..page(61) };
            let rows = store.log().page(&query).await.unwrap();
            after = rows.first().map_or(after, |newest| newest.id);
            seen.extend(bodies(&rows).into_iter().rev());
            tokio::task::yield_now().await;
        }
        seen
    };
    let ((), backward, forward) = tokio::join!(writing, backward, forward);
    assert_eq!(backward, (0..500).rev().collect::<Vec<_>>());
    assert_eq!(forward, (500..3_000).collect::<Vec<_>>());
}

#[tokio::test]
async fn rows_of_an_app_and_of_one_call_are_found() {
    let profile = Profile::new();
    let mut db = profile.bare().await;
    // A log of the version before apps were recorded.
    migrate_to(&mut db, 19).await;
    let row = "INSERT INTO log (at_us, kind, direction, status, connection, size, source, head, tail)
        VALUES (1, 0, 1, 0, 1, 2, 'everything', x'39', zeroblob(9000)); UPDATE log_total SET rows = 1;
        INSERT INTO log_facet VALUES (0, 'everything', 1)";
    sqlx::raw_sql(row).execute(&mut db).await.unwrap();
    sqlx::Connection::close(db).await.unwrap();

    let store = profile.open().await;
    let writer = store.start_writer(64);
    let app = |number, app: &str, call, direction| LogRecord {
        app: Some(app.into()),
        call,
        direction,
        source: if direction == Direction::Out { "everything".into() } else { format!("app:{app}").into() },
        ..record(number)
    };
    for record in [
        app(1, "cursor", None, Direction::FromApp),
        app(2, "cursor", Some(7), Direction::FromApp),
        LogRecord { source: "app:not one".into(), ..record(3) },
        app(4, "cursor", Some(7), Direction::Out),
        app(5, "claude", Some(8), Direction::FromApp),
        app(6, "cursor", Some(7), Direction::ToApp),
    ] {
        writer.append(record).await.unwrap();
    }
    writer.flush().await;
    let log = store.log();
    let of_app = LogQuery { app: Some("cursor".to_owned()), ..page(10) };
    assert_eq!(numbers(&log, of_app.clone()).await, [6, 4, 2, 1]);
    assert_eq!(numbers(&log, LogQuery { call: Some(7), ..page(10) }).await, [6, 4, 2]);
    assert_eq!(numbers(&log, LogQuery { app: Some("zed".to_owned()), ..page(10) }).await, [0; 0]);
    let both = LogQuery { direction: Some(Direction::Out), source: Some("everything".to_owned()), ..of_app };
    assert_eq!(numbers(&log, both).await, [4]);
    assert_eq!(log.count_matching(&LogQuery { call: Some(8), ..page(1) }).await.unwrap(), 1);
    assert_eq!(log.apps().await.unwrap(), ["claude", "cursor"]);
    assert_eq!(log.sources().await.unwrap(), ["app:not one", "everything"]);
    let entry = log.entry(1).await.unwrap().unwrap();
    assert_eq!((entry.body.len(), entry.row.app, entry.row.call), (9_001, None, None));
    writer.close().await;
}

#[tokio::test]
async fn every_filter_narrows_and_all_of_them_combine() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    let kinds = [LogKind::Frame, LogKind::Stderr, LogKind::Verdict];
    let statuses = [LogStatus::Ok, LogStatus::Error, LogStatus::Cancelled, LogStatus::TimedOut];
    for number in 0..24 {
        let kind = kinds[number % 3];
        writer
            .append(LogRecord {
                source: if number < 12 { "a" } else { "b" }.into(),
                server_id: Some(if number < 12 { 1 } else { 2 }),
                kind,
                method: (kind == LogKind::Frame)
                    .then(|| if number % 2 == 0 { "ping" } else { "tools/call" }.into()),
                status: statuses[number % 4],
                duration_us: (number % 2 == 0).then(|| i64::try_from(number).unwrap() * 1_000),
                ..record(number)
            })
            .await
            .unwrap();
    }
    writer.flush().await;
    let log = store.log();
    let check = async |query: LogQuery, expect: fn(&usize) -> bool| {
        let all: Vec<usize> = (0..24).rev().filter(expect).collect();
        let count = log.count_matching(&LogQuery { limit: 2, ..query.clone() }).await.unwrap();
        assert_eq!(count, i64::try_from(all.len()).unwrap(), "{query:?}");
        assert_eq!(numbers(&log, LogQuery { limit: 100, ..query.clone() }).await, all, "{query:?}");
        // The same by small pages, in both directions.
        let mut backward = Vec::new();
        let mut before = None;
        loop {
            let rows = log.page(&LogQuery { limit: 2, before, ..query.clone() }).await.unwrap();
            let Some(oldest) = rows.last() else { break };
            before = Some(oldest.id);
            backward.extend(bodies(&rows));
        }
        assert_eq!(backward, all, "{query:?}");
        let mut forward = Vec::new();
        let mut after = Some(0);
        loop {
            let rows = log.page(&LogQuery { limit: 2, after, ..query.clone() }).await.unwrap();
            let Some(newest) = rows.first() else { break };
            after = Some(newest.id);
            forward.extend(bodies(&rows).into_iter().rev());
        }
        forward.reverse();
        assert_eq!(forward, all, "{query:?}");
    };
    let any = LogQuery::default();
    let a = Some("a".to_owned());
    let ping = Some("ping".to_owned());
    check(any.clone(), |_| true).await;
    check(LogQuery { source: a.clone(), ..any.clone() }, |n| *n < 12).await;
    check(LogQuery { server_id: Some(2), ..any.clone() }, |n| *n >= 12).await;
    check(LogQuery { direction: Some(Direction::In), ..any.clone() }, |n| n % 2 == 1).await;
    check(LogQuery { kinds: vec![LogKind::Verdict], ..any.clone() }, |n| n % 3 == 2).await;
    check(LogQuery { kinds: kinds[1..].to_vec(), ..any.clone() }, |n| n % 3 != 0).await;
    check(LogQuery { kinds: kinds[..2].to_vec(), ..any.clone() }, |n| n % 3 != 2).await;
    check(LogQuery { method: ping.clone(), ..any.clone() }, |n| n % 6 == 0).await;
    check(LogQuery { text: Some("1".into()), ..any.clone() }, |n| n.to_string().contains('1')).await;
    check(LogQuery { statuses: vec![LogStatus::Error], ..any.clone() }, |n| n % 4 == 1).await;
    check(LogQuery { statuses: statuses[2..].to_vec(), ..any.clone() }, |n| n % 4 >= 2).await;
    // What took no time at all is no row of any duration.
    check(LogQuery { min_duration_us: Some(0), ..any.clone() }, |n| n % 2 == 0).await;
    check(LogQuery { min_duration_us: Some(10_000), ..any.clone() }, |n| n % 2 == 0 && *n >= 10).await;
    check(LogQuery { source: a.clone(), method: ping, ..any.clone() }, |n| *n < 12 && n % 6 == 0).await;
    check(LogQuery { source: a.clone(), kinds: kinds[1..].to_vec(), ..any.clone() }, |n| {
        *n < 12 && n % 3 != 0
    })
    .await;
    let everything_at_once = LogQuery {
        source: a,
        server_id: Some(1),
        kinds: vec![LogKind::Frame],
        direction: Some(Direction::In),
        method: Some("tools/call".into()),
        text: Some("9".into()),
        ..any
    };
    check(everything_at_once, |n| *n == 9).await;
    assert_eq!(log.sources().await.unwrap(), ["a", "b"]);
    assert_eq!(log.methods().await.unwrap(), ["ping", "tools/call"]);
    assert_eq!(log.count().await.unwrap(), 24);
}

#[tokio::test]
async fn text_is_found_as_it_is_written_wherever_it_stands() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    let seam = format!("{}needle{}", "x".repeat(237), "y".repeat(100));
    let far = format!("{}日本{}", "x".repeat(5_000), "y".repeat(100));
    for body in ["100%", "100 %", "a_b", "axb", r"back\slash", "Hello", seam.as_str(), far.as_str()] {
        writer.append(LogRecord { body: Bytes::from(body.to_owned()), ..record(0) }).await.unwrap();
    }
    writer.flush().await;
    let log = store.log();
    let check = async |text: &str, expect: &[&str]| {
        let query = LogQuery { text: Some(text.into()), ..page(100) };
        let found: Vec<String> = log
            .page(&query)
            .await
            .unwrap()
            .into_iter()
            .map(|row| row.preview.chars().take(12).collect())
            .collect();
        assert_eq!(found, expect, "{text}");
    };
    check("0%", &["100%"]).await;
    check("_", &["a_b"]).await;
    check(r"\", &[r"back\slash"]).await;
    check("hELLO", &["Hello"]).await;
    check("needle", &["xxxxxxxxxxxx"]).await;
    check("日本", &["xxxxxxxxxxxx"]).await;
    check("absent", &[]).await;
}

#[tokio::test]
async fn a_page_has_a_sensible_length_whatever_is_asked_for() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(4_096);
    for number in 0..1_500 {
        writer.append(record(number)).await.unwrap();
    }
    writer.flush().await;
    assert_eq!(store.log().page(&page(0)).await.unwrap().len(), 1);
    assert_eq!(store.log().page(&page(u32::MAX)).await.unwrap().len(), 1_000);
}
