//! Long bodies are in files beside the database, and readers of the log see no difference.

use crate::profile::{Profile, everything, record, written};
use bytes::Bytes;
use mooring_log::{LogQuery, LogRecord};
use mooring_store::{LogReader, WriterOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::timeout;

const MIB: usize = 1 << 20;

/// A record with a body of this size, all of one letter but for the words in it.
fn long(letter: u8, size: usize, word: &str, at: usize) -> LogRecord {
    let mut body = vec![letter; size];
    body[at..at + word.len()].copy_from_slice(word.as_bytes());
    LogRecord { body: Bytes::from(body), size: i64::try_from(size).unwrap(), ..record(0) }
}

/// The files of long bodies, in the order in which they were begun.
fn files(home: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.join("log")).into_iter().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

async fn found(log: &LogReader, text: &str, query: LogQuery) -> Vec<i64> {
    let query = LogQuery { text: Some(text.into()), ..query };
    log.page(&query).await.unwrap().iter().map(|row| row.id).collect()
}

#[tokio::test]
async fn a_body_is_read_back_to_the_byte_whatever_its_size() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    let sizes = [0, 240, 241, 65_535, 65_536, 65_537, MIB, 16 * MIB];
    for (letter, size) in (b'a'..).zip(sizes) {
        writer.append(long(letter, size, "", 0)).await.unwrap();
    }
    writer.close().await;
    let rows = everything(&store.log()).await;
    for ((letter, size), row) in (b'a'..).zip(sizes).zip(rows) {
        let entry = store.log().entry(row.id).await.unwrap().unwrap();
        assert!(entry.body == long(letter, size, "", 0).body && entry.lost == 0, "{size}");
        assert_eq!(row.preview.len(), size.min(240));
    }
    let files = files(profile.home());
    assert_eq!(files.len(), 1);
    assert_eq!(
        files[0].metadata().unwrap().len(),
        (65_536 + 65_537 + MIB as u64 + 16 * MIB as u64) - 4 * 240
    );
    assert!(store.bytes() > 17 * MIB as u64);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(files[0].metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(profile.home().join("log").metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
}

#[tokio::test]
async fn text_is_found_anywhere_in_a_long_body_and_nowhere_else() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    // In the preview, across its end, behind it, at the end; between rows without it.
    let mut expected = Vec::new();
    let mut id = 0;
    for at in [0, 235, 240, 70_000, 100_000 - 6] {
        for (word, hit) in [("NeeDle", true), ("noodle", false)] {
            id += 1;
            writer.append(long(b'.', 100_000, word, at)).await.unwrap();
            if hit {
                expected.push(id);
            }
        }
    }
    writer.append(LogRecord { body: "a short needle".into(), ..record(0) }).await.unwrap();
    writer.append(LogRecord { body: "a short noodle".into(), ..record(0) }).await.unwrap();
    expected.push(id + 1);
    writer.flush().await;
    let log = store.log();
    let newest_first: Vec<_> = expected.iter().rev().copied().collect();
    let all = |limit| LogQuery { limit, ..LogQuery::default() };
    assert_eq!(found(&log, "needle", all(100)).await, newest_first);
    // Page by page in both directions, though most rows of a page may be none.
    let mut paged = Vec::new();
    let mut before = None;
    loop {
        let page = found(&log, "needle", LogQuery { before, ..all(1) }).await;
        let Some(last) = page.last() else { break };
        before = Some(*last);
        paged.extend(page);
    }
    assert_eq!(paged, newest_first);
    assert_eq!(found(&log, "NEEDLE", LogQuery { after: Some(2), ..all(2) }).await, [5, 3]);
    assert_eq!(found(&log, "nEEdle", LogQuery { after: Some(2), before: Some(6), ..all(9) }).await, [5, 3]);
    assert_eq!(found(&log, "nowhere", all(100)).await, Vec::<i64>::new());
    assert_eq!(found(&log, "", all(100)).await.len(), 12);
    // Counting reads them as well.
    for (text, before, expect) in
        [("needle", None, 6), ("Needle", Some(6), 3), ("nowhere", None, 0), ("", None, 12)]
    {
        let query = LogQuery { text: Some(text.into()), before, ..all(1) };
        assert_eq!(log.count_matching(&query).await.unwrap(), expect, "{text}");
    }
}

#[tokio::test]
async fn missing_body_file_costs_only_its_own_bodies() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    let log = store.log();
    let first = written(&writer, &log, long(b'x', MIB, "needle", 500_000)).await;
    let second = written(&writer, &log, LogRecord { body: "short".into(), ..record(0) }).await;
    fs::remove_file(&files(profile.home())[0]).unwrap();
    let entry = log.entry(first).await.unwrap().unwrap();
    assert_eq!((entry.body.len(), entry.lost), (240, MIB as u64 - 240));
    assert_eq!(log.entry(second).await.unwrap().unwrap().body, "short");
    assert_eq!(found(&log, "needle", LogQuery { limit: 9, ..LogQuery::default() }).await, Vec::<i64>::new());
    // Bytes that changed are as good as gone.
    let other = profile.open().await;
    let again = other.start_writer(64);
    let third = written(&again, &log, long(b'y', MIB, "", 0)).await;
    let path = files(profile.home()).pop().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[MIB / 2] = b'z';
    fs::write(&path, bytes).unwrap();
    assert_eq!(log.entry(third).await.unwrap().unwrap().lost, MIB as u64 - 240);
}

#[tokio::test]
async fn bodies_of_many_rows_are_read_at_once_oldest_first() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    let log = store.log();
    let sizes = [MIB, 10, 100_000, 1_000, MIB];
    for (letter, size) in (b'a'..).zip(sizes) {
        writer.append(long(letter, size, "", 0)).await.unwrap();
    }
    writer.flush().await;
    let entries = log.entries(&[5, 99, 1, 2, 4]).await.unwrap();
    let found: Vec<_> = entries.iter().map(|entry| (entry.row.id, entry.body.clone(), entry.lost)).collect();
    let wanted = |id: i64, letter, size| (id, long(letter, size, "", 0).body, 0);
    assert!(
        found == [wanted(1, b'a', MIB), wanted(2, b'b', 10), wanted(4, b'd', 1_000), wanted(5, b'e', MIB)]
    );
    // Those whose file is gone say so in their place.
    fs::remove_file(&files(profile.home())[0]).unwrap();
    let lost = MIB as u64 - 240;
    let entries = log.entries(&[1, 2, 5]).await.unwrap();
    let left: Vec<_> = entries.iter().map(|entry| (entry.row.id, entry.body.len(), entry.lost)).collect();
    assert_eq!(left, [(1, 240, lost), (2, 10, 0), (5, 240, lost)]);
    assert_eq!(log.entries(&[]).await.unwrap(), []);
}

#[tokio::test]
async fn two_writers_keep_their_bodies_apart() {
    let profile = Profile::new();
    let (one, two) = (profile.open().await, profile.open().await);
    let writers = [one.start_writer(64), two.start_writer(64)];
    let mut ids = Vec::new();
    for round in 0..10_u8 {
        for (number, writer) in writers.iter().enumerate() {
            let letter = b'a' + 2 * round + u8::try_from(number).unwrap();
            ids.push((written(writer, &one.log(), long(letter, 100_000, "", 0)).await, letter));
        }
    }
    for (id, letter) in ids {
        let entry = one.log().entry(id).await.unwrap().unwrap();
        assert!(entry.body == long(letter, 100_000, "", 0).body, "{id}");
    }
    assert_eq!(files(profile.home()).len(), 2);
}

#[tokio::test]
async fn oldest_bodies_are_deleted_with_their_rows_as_needed() {
    let profile = Profile::new();
    let store = profile.open().await;
    let idle = profile.open().await;
    let idle_writer = idle.start_writer(64);
    written(&idle_writer, &idle.log(), long(b'i', MIB, "", 0)).await;
    let keep = 100 * MIB as u64;
    let writer = store.start_writer(WriterOptions { keep_bytes: keep, ..WriterOptions::default() });
    for _ in 0..300 {
        writer.append(long(b'x', MIB, "", 0)).await.unwrap();
    }
    // The other process's file was deleted meanwhile: it begins another.
    idle_writer.append(long(b'j', MIB, "", 0)).await.unwrap();
    idle_writer.flush().await;
    writer.flush().await;
    let log = store.log();
    // A file goes when nothing is left in it, and a step deletes 16 MiB.
    let enough = async {
        while log.count().await.unwrap() > 120 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_mins(1), enough).await.unwrap();
    writer.close().await;
    let rows = everything(&log).await;
    let late = rows.iter().find(|row| row.preview.starts_with('j')).unwrap().id;
    assert!(rows.first().unwrap().id > 1 && rows.last().unwrap().id >= late);
    for row in &rows {
        assert_eq!(log.entry(row.id).await.unwrap().unwrap().lost, 0, "{}", row.id);
    }
    assert_eq!(log.entry(late).await.unwrap().unwrap().body[0], b'j');
    assert!((30..=120).contains(&rows.len()), "{}", rows.len());
    assert!(store.bytes() < keep + 100 * MIB as u64, "{}", store.bytes());
}

#[tokio::test]
async fn a_long_body_survives_the_flood_of_another_source() {
    let profile = Profile::new();
    let store = profile.open().await;
    let keep = 100 * MIB as u64;
    let writer = store.start_writer(WriterOptions { keep_bytes: keep, ..WriterOptions::default() });
    writer.append(long(b'x', MIB, "", 0)).await.unwrap();
    let quiet = LogRecord { source: "quiet".into(), ..long(b'q', 3 * MIB, "", 0) };
    let id = written(&writer, &store.log(), quiet).await;
    for _ in 0..300 {
        writer.append(long(b'x', MIB, "", 0)).await.unwrap();
    }
    writer.close().await;
    let entry = store.log().entry(id).await.unwrap().unwrap();
    assert_eq!((entry.lost, entry.body.len()), (0, long(b'q', 3 * MIB, "", 0).body.len()));
    assert!(store.bytes() < keep + 100 * MIB as u64, "{}", store.bytes());
}

#[tokio::test]
async fn files_that_no_transaction_knows_are_swept_away() {
    let profile = Profile::new();
    let store = profile.open().await;
    let folder = profile.home().join("log");
    fs::create_dir(&folder).unwrap();
    for name in ["00000001.bodies", "00000077.bodies", "notes.txt"] {
        fs::write(folder.join(name), "left over").unwrap();
    }
    let writer = store.start_writer(64);
    let id = written(&writer, &store.log(), long(b'x', MIB, "", 0)).await;
    assert_eq!(store.log().entry(id).await.unwrap().unwrap().lost, 0);
    let names: Vec<_> =
        files(profile.home()).iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["00000001.bodies", "notes.txt"]);
}

#[cfg(unix)]
#[tokio::test]
async fn uncreatable_folder_is_reported_and_writing_resumes_later() {
    let profile = Profile::new();
    let store = profile.open().await;
    let folder = profile.home().join("log");
    // No user, not even root, can make a directory in the place of a file.
    fs::write(&folder, "in the way").unwrap();
    let writer = store.start_writer(64);
    let mut health = writer.health();
    writer.append(long(b'x', MIB, "", 0)).await.unwrap();
    let (message, lost) = crate::profile::until_failing(&mut health).await;
    assert!(!message.is_empty() && lost == 1, "{message} {lost}");
    fs::remove_file(&folder).unwrap();
    crate::profile::until_ok(&mut health).await;
    let id = written(&writer, &store.log(), long(b'x', MIB, "", 0)).await;
    assert_eq!(store.log().entry(id).await.unwrap().unwrap().lost, 0);
    assert!(id > 1, "a gap row says what was lost");
}
