//! Places and files that cannot be used, each with its reason and left as they were.

use crate::profile::Profile;
use mooring_disk::StoreError;
use mooring_store::Store;
use std::fs;
use std::path::Path;

// Before 3.51.3, SQLite may damage a database when its write-ahead log is copied while another connection
// restarts it (https://www.sqlite.org/wal.html#walresetbug), which the log's writer does. `sqlx` also accepts
// older versions.
#[tokio::test]
async fn sqlite_is_one_that_may_be_copied_while_it_is_written() {
    let profile = Profile::new();
    profile.open().await.close().await;
    let mut db = profile.bare().await;
    let version: String = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut db).await.unwrap();
    let numbers: Vec<u32> = version.split('.').map(|number| number.parse().unwrap()).collect();
    assert!(numbers >= vec![3, 51, 3], "{version}");
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_and_left_alone() {
    let profile = Profile::new();
    profile.open().await.close().await;
    let mut db = profile.bare().await;
    let ours: i64 =
        sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations").fetch_one(&mut db).await.unwrap();
    sqlx::query("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (99, 'later', 1, x'00', 0)")
        .execute(&mut db)
        .await
        .unwrap();
    sqlx::Connection::close(db).await.unwrap();
    let before = fs::read(profile.file()).unwrap();
    let error = Store::open(profile.home()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "the database is from a newer version of Mooring: it has format 99, this version knows up to {ours}"
        )
    );
    assert!(matches!(error, StoreError::NewerDatabase { found: 99, .. }));
    assert_eq!(fs::read(profile.file()).unwrap(), before);
}

#[tokio::test]
async fn a_database_of_a_different_build_is_refused() {
    let profile = Profile::new();
    profile.open().await.close().await;
    let mut db = profile.bare().await;
    sqlx::query("UPDATE _sqlx_migrations SET checksum = x'00'").execute(&mut db).await.unwrap();
    let error = Store::open(profile.home()).await.unwrap_err();
    assert!(matches!(error, StoreError::ForeignMigration { version: 1 }), "{error}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let profile = Profile::new();
    for content in ["short", "this is a letter, not a database, and somebody wants to keep it"] {
        fs::write(profile.file(), content).unwrap();
        let error = Store::open(profile.home()).await.unwrap_err();
        assert!(
            matches!(&error, StoreError::NotADatabase { path, backup_us: None } if *path == profile.file()),
            "{error}"
        );
        assert_eq!(fs::read_to_string(profile.file()).unwrap(), content);
    }
}

#[tokio::test]
async fn a_database_of_another_program_is_refused_and_left_alone() {
    let profile = Profile::new();
    let mut db = profile.bare().await;
    sqlx::query("CREATE TABLE theirs (x)").execute(&mut db).await.unwrap();
    sqlx::Connection::close(db).await.unwrap();
    let before = fs::read(profile.file()).unwrap();
    let error = Store::open(profile.home()).await.unwrap_err();
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
    assert_eq!(fs::read(profile.file()).unwrap(), before);
}

#[tokio::test]
async fn a_damaged_database_is_said_to_be_damaged() {
    let profile = Profile::new();
    let store = profile.open().await;
    for number in 0..200 {
        let definition = format!(r#"{{"transport":"stdio","command":"{}"}}"#, "x".repeat(500));
        store.servers().insert(&number.to_string(), &definition, &|_| Ok(Vec::new()), None).await.unwrap();
    }
    store.close().await;
    let mut bytes = fs::read(profile.file()).unwrap();
    let end = bytes.len();
    bytes[end - 20 * 4096..].fill(0x55);
    fs::write(profile.file(), bytes).unwrap();
    let error = Store::open(profile.home()).await.unwrap_err();
    let StoreError::Damaged { path, detail, backup_us } = error else {
        panic!("{error}");
    };
    assert_eq!(path, profile.file());
    assert!(!detail.is_empty());
    assert_eq!(backup_us, None);
}

#[tokio::test]
async fn of_a_large_database_all_but_the_log_is_checked() {
    let profile = Profile::new();
    profile.open().await.close().await;
    let mut db = profile.bare().await;
    for statement in [
        "INSERT INTO log (at_us, kind, direction, status, connection, size, source, head, tail)
            VALUES (1, 0, 0, 0, 1, 0, 's', x'', zeroblob(70000000))",
        "INSERT INTO rule (effect, destructive_only, arguments, from_answer, created_at_us)
            SELECT 'deny', 0, json_quote(printf('%.500c', 'x')), 0, 1 FROM generate_series",
        "PRAGMA wal_checkpoint(TRUNCATE)",
    ] {
        let statement = statement.replace(
            "generate_series",
            "(WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT i FROM n)",
        );
        sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&mut db).await.unwrap();
    }
    sqlx::Connection::close(db).await.unwrap();
    profile.open().await.close().await;
    let mut bytes = fs::read(profile.file()).unwrap();
    let end = bytes.len();
    bytes[end - 20 * 4096..].fill(0x55);
    fs::write(profile.file(), bytes).unwrap();
    let error = Store::open(profile.home()).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn an_empty_file_and_a_missing_directory_are_filled() {
    let profile = Profile::new();
    fs::write(profile.file(), "").unwrap();
    assert_eq!(profile.open().await.servers().list().await.unwrap(), []);
    let deep = profile.home().join("a/b/c");
    assert_eq!(Store::open(&deep).await.unwrap().servers().list().await.unwrap(), []);
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_made_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let profile = Profile::new();
    let home = profile.home().join("home");
    let store = Store::open(&home).await.unwrap();
    store.settings().set("k", "1").await.unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home), 0o700);
    let files: Vec<_> = fs::read_dir(&home).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 3, "database, write-ahead log, lock: {files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

/// Permissions mean nothing to root, who has places of his own that cannot be written. A folder with data that becomes
/// read-only is tried with the command line, on a file system of its own.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_place_that_cannot_be_written_is_named() {
    let error = Store::open(Path::new("/sys/mooring")).await.unwrap_err();
    assert!(matches!(&error, StoreError::ReadOnly { path } if path == Path::new("/sys/mooring")), "{error}");
    assert_eq!(error.to_string(), "not writable: /sys/mooring");
}
