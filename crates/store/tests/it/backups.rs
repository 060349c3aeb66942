//! Backups: what is in them, which are kept, and what they are good for when a database is damaged or gone.

use crate::profile::{Profile, everything, numbers, record, until_failing};
use mooring_disk::StoreError;
use mooring_log::{LogKind, LogQuery, LogRecord};
use mooring_store::{Store, WriterOptions};
use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

const DEFINITION: &str = r#"{"transport":"stdio","command":"server","env":{"KEY":"value"}}"#;

async fn add(store: &Store, name: &str) -> i64 {
    store.servers().insert(name, DEFINITION, &|_| Ok(Vec::new()), None).await.unwrap().id
}

async fn names(store: &Store) -> Vec<String> {
    store.servers().list().await.unwrap().into_iter().map(|server| server.name).collect()
}

/// A profile with a server, some rows of the log, a long body among them, and a backup.
async fn used() -> (Profile, Store) {
    let profile = Profile::new();
    let store = profile.open().await;
    add(&store, "one").await;
    let writer = store.start_writer(64);
    writer.append(record(1)).await.unwrap();
    let long = LogRecord { body: vec![b'x'; 100_000].into(), ..record(2) };
    writer.append(long).await.unwrap();
    writer.close().await;
    store.back_up().await.unwrap().unwrap();
    (profile, store)
}

fn files(profile: &Profile) -> Vec<PathBuf> {
    Store::backups(profile.home()).into_iter().map(|backup| backup.path).collect()
}

async fn schema(db: &mut SqliteConnection) -> Vec<(String, String)> {
    let schema = "SELECT name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' ORDER BY name";
    sqlx::query_as(schema).fetch_all(db).await.unwrap()
}

#[tokio::test]
async fn a_backup_is_a_database_with_everything_but_the_log() {
    let (profile, store) = used().await;
    let [backup] = &files(&profile)[..] else { panic!("not one backup") };
    let other = Profile::new();
    fs::copy(backup, other.file()).unwrap();
    assert_eq!(schema(&mut profile.bare().await).await, schema(&mut other.bare().await).await);

    let copy = other.open().await;
    assert_eq!(copy.servers().list().await.unwrap(), store.servers().list().await.unwrap());
    assert_eq!(copy.log().count().await.unwrap(), 0);
    let writer = copy.start_writer(64);
    writer.append(record(3)).await.unwrap();
    writer.flush().await;
    assert_eq!(numbers(&copy.log(), LogQuery { limit: 9, ..LogQuery::default() }).await, [3]);
    // Ids that were given once are not given again.
    assert_eq!(add(&copy, "two").await, add(&store, "two").await);
    assert!(everything(&copy.log()).await[0].id > 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(backup.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(backup.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
}

#[tokio::test]
async fn nothing_of_a_backup_is_under_way_once_the_database_is_closed() {
    let profile = Profile::new();
    let write_ahead_log = profile.file().with_extension("db-wal");
    for turn in 0..50 {
        let store = profile.open().await;
        add(&store, &format!("server {turn}")).await;
        store.back_up().await.unwrap().unwrap();
        store.close().await;
        // The connection that closes the file last removes this: a process that ends now leaves nothing to
        // tidy up.
        assert!(!write_ahead_log.exists(), "in turn {turn}");
    }
}

#[tokio::test]
async fn one_backup_a_day_is_kept_and_three_in_all() {
    let (profile, store) = used().await;
    assert_eq!(store.back_up().await.unwrap(), None, "nothing has changed");
    let [today] = &files(&profile)[..] else { panic!("not one backup") };
    // As if they were of the days before.
    for days in [4, 3, 2, 1] {
        let backup = &Store::backups(profile.home()).pop().unwrap();
        let earlier = backup.at_us - days * 24 * 60 * 60 * 1_000_000;
        let name = format!("mooring-{earlier:020}-format-{}.db", backup.format);
        fs::copy(today, today.with_file_name(name)).unwrap();
    }
    fs::write(today.with_file_name("of-somebody.txt"), "theirs").unwrap();
    add(&store, "two").await;
    let new = store.back_up().await.unwrap().unwrap();
    let kept = files(&profile);
    assert_eq!((kept.len(), kept.last()), (3, Some(&new.path)), "{kept:?}");
    assert!(!kept.contains(today) && today.with_file_name("of-somebody.txt").exists());

    store.renew_backups().await.unwrap();
    let [only] = &files(&profile)[..] else { panic!("not one backup") };
    assert!(fs::read(only).is_ok_and(|bytes| !bytes.is_empty()) && only.exists());
}

#[tokio::test]
async fn a_backup_takes_the_place_of_a_damaged_database() {
    let (profile, store) = used().await;
    store.close().await;
    let mut bytes = fs::read(profile.file()).unwrap();
    fs::write(profile.file(), "something else").unwrap();
    let error = Store::open(profile.home()).await.unwrap_err();
    assert!(matches!(&error, StoreError::NotADatabase { backup_us: Some(_), .. }), "{error}");
    bytes[4096..].fill(0x55);
    fs::write(profile.file(), &bytes).unwrap();
    let StoreError::Damaged { backup_us: Some(at_us), .. } = Store::open(profile.home()).await.unwrap_err()
    else {
        panic!("not damaged, or no backup");
    };
    let backup = Store::backups(profile.home()).pop().unwrap();
    assert_eq!(backup.at_us, at_us);
    let kept = Store::replace(profile.home(), Some(&backup)).await.unwrap().unwrap();
    let store = profile.open().await;
    assert_eq!((names(&store).await, store.log().count().await.unwrap()), (vec!["one".to_owned()], 0));
    // The replaced database can still be read.
    assert_eq!(fs::read(kept.join("mooring.db")).unwrap(), bytes);
    assert_eq!(fs::read_dir(kept.join("log")).unwrap().count(), 1);
    // So can the backups: those of what took the place may be none that the person wants.
    assert_eq!(
        fs::read(kept.join("backups").join(backup.path.file_name().unwrap())).unwrap(),
        fs::read(&backup.path).unwrap()
    );
    store.close().await;

    // A backup that is damaged itself takes no place.
    let broken = Store::backups(profile.home()).pop().unwrap();
    fs::write(&broken.path, "something else").unwrap();
    let refused = Store::replace(profile.home(), Some(&broken)).await.unwrap_err();
    assert!(
        matches!(&refused, StoreError::NotADatabase { path, backup_us: None } if *path == broken.path),
        "{refused}"
    );
    fs::write(&broken.path, &bytes).unwrap();
    let refused = Store::replace(profile.home(), Some(&broken)).await.unwrap_err();
    assert!(
        matches!(&refused, StoreError::Damaged { path, backup_us: None, .. } if *path == broken.path),
        "{refused}"
    );
    assert_eq!(names(&profile.open().await).await, ["one"]);
    let left: Vec<_> =
        fs::read_dir(profile.home()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("part")), "{left:?}");
}

#[tokio::test]
async fn a_missing_database_is_no_first_start_where_one_was() {
    let (profile, store) = used().await;
    store.close().await;
    for empty in [false, true] {
        if empty {
            fs::write(profile.file(), "").unwrap();
        } else {
            fs::remove_file(profile.file()).unwrap();
        }
        let error = Store::open(profile.home()).await.unwrap_err();
        assert!(matches!(&error, StoreError::Missing { backup_us: Some(_), .. }), "{error}");
        assert_eq!(profile.file().exists(), empty, "nothing is made in its place");
    }
    // One without backups: the log's files tell.
    fs::remove_dir_all(profile.home().join("backups")).unwrap();
    let error = Store::open(profile.home()).await.unwrap_err();
    assert!(matches!(&error, StoreError::Missing { backup_us: None, .. }), "{error}");

    assert!(Store::replace(profile.home(), None).await.unwrap().unwrap().join("log").exists());
    assert_eq!(names(&profile.open().await).await, Vec::<String>::new());
}

#[cfg(unix)]
#[tokio::test]
async fn a_database_deleted_while_it_is_open_takes_nothing_more() {
    for replaced in [false, true] {
        let (profile, store) = used().await;
        let writer = store.start_writer(WriterOptions::default());
        let mut health = writer.health();
        add(&store, "two").await;
        // Also when a backup was made since, and nothing was written after it.
        store.back_up().await.unwrap().unwrap();
        store.settings().set("key", "1").await.unwrap();
        fs::remove_file(profile.file()).unwrap();
        if replaced {
            fs::write(profile.file(), fs::read(&files(&profile)[0]).unwrap()).unwrap();
        }
        let error = store.servers().insert("three", DEFINITION, &|_| Ok(Vec::new()), None).await.unwrap_err();
        assert!(matches!(error, StoreError::Replaced { .. }), "{error}");
        writer.append(record(1)).await.unwrap();
        let (said, dropped) = until_failing(&mut health).await;
        assert!(said.contains("deleted or replaced") && dropped >= 1, "{said}");
        // What was in it is not lost.
        let backup = store.back_up().await.unwrap().unwrap();
        writer.close().await;
        store.close().await;
        Store::replace(profile.home(), Some(&backup)).await.unwrap();
        assert_eq!(names(&profile.open().await).await, ["one", "two"]);
    }
}

#[tokio::test]
async fn the_log_can_be_deleted_and_says_so() {
    let (profile, store) = used().await;
    let log = store.log();
    let writer = store.start_writer(64);
    let mut newest = log.follow().await.unwrap();
    writer.append(record(3)).await.unwrap();
    assert_eq!(writer.clear().await.unwrap(), 3);
    let left = everything(&log).await;
    let [row] = &left[..] else { panic!("{left:?}") };
    assert_eq!((row.kind, row.preview.as_str()), (LogKind::Gap, r#"{"deleted":3,"cleared":true}"#));
    assert_eq!((log.count().await.unwrap(), log.sources().await.unwrap()), (1, vec!["Mooring".to_owned()]));
    assert!(log.methods().await.unwrap().is_empty());
    assert_eq!(fs::read_dir(profile.home().join("log")).unwrap().count(), 0, "long bodies go, too");
    // What was deleted is in the file no more, and who follows the log hears of it.
    assert!(newest.has_changed().unwrap());
    assert_eq!(*newest.borrow_and_update(), row.id);
    writer.append(LogRecord { body: vec![b'y'; 100_000].into(), ..record(4) }).await.unwrap();
    writer.flush().await;
    assert_eq!(log.count().await.unwrap(), 2);
    let newest = everything(&log).await.pop().unwrap().id;
    assert_eq!(log.entry(newest).await.unwrap().unwrap().body.len(), 100_000);
    writer.close().await;
    store.close().await;
    let bytes = fs::read(profile.file()).unwrap();
    assert!(!bytes.windows(4).any(|window| window == b"xxxx"));
}

#[tokio::test]
async fn cleared_rows_leave_the_files_when_the_last_reader_ends() {
    let (profile, store) = used().await;
    let writer = store.start_writer(64);
    // Another process that reads what there was.
    let mut other = SqliteConnection::connect(profile.file().to_str().unwrap()).await.unwrap();
    sqlx::raw_sql("BEGIN; SELECT count(*) FROM log").execute(&mut other).await.unwrap();
    assert_eq!(writer.clear().await.unwrap(), 2);
    let is_left = || {
        let write_ahead_log = fs::read(profile.file().with_extension("db-wal")).unwrap();
        [fs::read(profile.file()).unwrap(), write_ahead_log]
            .iter()
            .any(|bytes| bytes.windows(4).any(|window| window == b"xxxx"))
    };
    assert!(is_left());
    sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), async {
        while is_left() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .unwrap();
    writer.close().await;
}

#[tokio::test]
async fn a_database_that_somebody_has_open_keeps_its_place() {
    let (profile, store) = used().await;
    let other = profile.open().await;
    let backup = Store::backups(profile.home()).pop().unwrap();
    let replace = || Store::replace(profile.home(), Some(&backup));
    assert!(matches!(replace().await, Err(StoreError::Locked)));
    store.close().await;
    assert!(matches!(replace().await, Err(StoreError::Locked)));
    // One that is about to end is waited for.
    let (put, ()) = tokio::join!(replace(), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        drop(other);
    });
    put.unwrap().unwrap();
    assert_eq!(names(&profile.open().await).await, ["one"]);
}

#[tokio::test]
async fn a_backup_that_is_found_to_hold_all_counts_as_new() {
    let (profile, store) = used().await;
    let age = || Store::backups(profile.home()).pop().unwrap().age().unwrap();
    let file = fs::File::options().write(true).open(&files(&profile)[0]).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_hours(30)).unwrap();
    assert!(age() > Duration::from_hours(29));
    assert_eq!(store.back_up().await.unwrap(), None);
    assert!(age() < Duration::from_hours(1));
}
