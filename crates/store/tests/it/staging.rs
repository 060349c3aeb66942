//! Rows that are staged in a file: as safe as committed ones, and readers of the log see no difference.

use crate::profile::{AMPLE, Profile, bodies, everything, record, written};
use mooring_log::{LogKind, LogRecord};
use mooring_store::{LogWriter, Store};
use std::path::{Path, PathBuf};
use tokio::task::JoinSet;
use tokio::time::timeout;

async fn persist(writer: &LogWriter, record: LogRecord) {
    writer.append(record).await.unwrap();
    writer.persist().await;
}

/// Rows in the table, past the store.
async fn committed(profile: &Profile) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM log").fetch_one(&mut profile.bare().await).await.unwrap()
}

/// Files of this kind in the folder of the log.
fn files(home: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.join("log")).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

async fn numbers(store: &Store) -> Vec<usize> {
    bodies(&everything(&store.log()).await)
}

#[tokio::test]
async fn staged_rows_are_read_once_by_whatever_process() {
    let profile = Profile::new();
    let (serve, other) = (profile.open().await, profile.open().await);
    let writer = serve.start_writer(64);
    for number in 0..3 {
        persist(&writer, record(number)).await;
    }
    assert_eq!(committed(&profile).await, 0);
    assert_eq!(other.log().count().await.unwrap(), 3);
    assert_eq!(numbers(&other).await, [0, 1, 2]);
    // Its owner goes on, and does not know.
    persist(&writer, record(3)).await;
    assert_eq!(numbers(&serve).await, [0, 1, 2, 3]);
    writer.append(record(4)).await.unwrap();
    persist(&writer, record(5)).await;
    writer.flush().await;
    assert_eq!(committed(&profile).await, 6);
    persist(&writer, record(6)).await;
    writer.close().await;
    assert_eq!(committed(&profile).await, 7);
    assert_eq!(numbers(&other).await, [0, 1, 2, 3, 4, 5, 6]);
    let left = [files(profile.home(), "staged"), files(profile.home(), "owner")].concat();
    assert!(left.is_empty(), "{left:?}");
    let names = (other.log().methods().await.unwrap(), other.log().sources().await.unwrap());
    assert_eq!(names, (vec!["tools/call".to_owned()], vec!["everything".to_owned()]));
}

#[tokio::test]
async fn staged_rows_survive_their_owner_and_half_of_one_does_not() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    for number in 0..2 {
        persist(&writer, record(number)).await;
    }
    // As it is after a kill: nothing was closed, and the last batch is there in part.
    drop(writer);
    let [file] = files(profile.home(), "staged").try_into().unwrap();
    let staged = std::fs::read(&file).unwrap();
    std::fs::write(&file, [&staged[..], &staged[..staged.len() / 2 - 1]].concat()).unwrap();
    let next = profile.open().await;
    timeout(AMPLE, async {
        // The task that held the file ends soon after.
        while !files(profile.home(), "staged").is_empty() {
            assert_eq!(numbers(&next).await, [0, 1]);
        }
    })
    .await
    .unwrap();
    let writer = next.start_writer(64);
    persist(&writer, record(2)).await;
    assert_eq!(numbers(&store).await, [0, 1, 2]);
}

#[tokio::test]
async fn a_writer_that_starts_moves_what_another_left() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    persist(&writer, record(0)).await;
    drop(writer);
    let writer = store.start_writer(64);
    writer.append(record(1)).await.unwrap();
    writer.flush().await;
    assert_eq!(committed(&profile).await, 2);
    assert_eq!(numbers(&store).await, [0, 1]);
}

#[tokio::test]
async fn rows_of_several_processes_stand_in_the_order_of_time() {
    let profile = Profile::new();
    let (one, two) = (profile.open().await, profile.open().await);
    let writers = [one.start_writer(64), two.start_writer(64)];
    for number in 0..9 {
        persist(&writers[number % 2], record(number)).await;
    }
    // A row that is committed comes behind all that was staged before.
    writers[1].append(record(9)).await.unwrap();
    writers[1].flush().await;
    assert_eq!(numbers(&one).await, (0..10).collect::<Vec<_>>());
}

#[tokio::test]
async fn many_staged_rows_are_moved_though_nobody_reads_them() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    for number in 0..1_005 {
        persist(&writer, record(number)).await;
    }
    let moved = committed(&profile).await;
    assert!((1_000..1_005).contains(&moved), "{moved}");
    // Large ones are not worth staging: those before them are moved with them.
    let large = LogRecord { body: vec![b'1'; 100 << 10].into(), ..record(1_005) };
    persist(&writer, large).await;
    assert_eq!(committed(&profile).await, 1_006);
    assert_eq!(store.log().count().await.unwrap(), 1_006);
}

#[tokio::test]
async fn followers_soon_have_what_is_staged_by_whatever_process() {
    let profile = Profile::new();
    let (serve, window) = (profile.open().await, profile.open().await);
    let writer = serve.start_writer(64);
    let mut tasks = JoinSet::new();
    tasks.spawn(window.watch().1);
    persist(&writer, record(0)).await;
    for store in [&window, &serve] {
        let mut newest = store.log().follow().await.unwrap();
        let last = *newest.borrow();
        persist(&writer, record(1)).await;
        timeout(AMPLE, newest.wait_for(|newest| *newest == last + 1)).await.unwrap().unwrap();
    }
    assert_eq!(committed(&profile).await, 3);
}

#[tokio::test]
async fn what_is_cleared_is_in_no_file_of_any_process() {
    let profile = Profile::new();
    let (serve, window) = (profile.open().await, profile.open().await);
    let writers = [serve.start_writer(64), window.start_writer(64)];
    let needle = b"needle in the log";
    for writer in &writers {
        persist(writer, LogRecord { body: needle.to_vec().into(), ..record(0) }).await;
    }
    assert_eq!(writers[1].clear().await.unwrap(), 2);
    let all = everything(&serve.log()).await;
    assert_eq!(all.iter().map(|row| row.kind).collect::<Vec<_>>(), [LogKind::Gap]);
    for file in files(profile.home(), "staged") {
        let staged = std::fs::read(&file).unwrap();
        assert!(!staged.windows(needle.len()).any(|bytes| bytes == needle), "{}", file.display());
    }
    // Both go on.
    for writer in &writers {
        persist(writer, record(1)).await;
    }
    assert_eq!(window.log().count().await.unwrap(), 3);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_was_taken_away_gets_no_more_rows() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    persist(&writer, record(0)).await;
    written(&writer, &store.log(), record(1)).await;
    persist(&writer, record(2)).await;
    std::fs::remove_dir_all(profile.home().join("log")).unwrap();
    persist(&writer, record(3)).await;
    assert_eq!(numbers(&store).await, [0, 1, 3]);
}
