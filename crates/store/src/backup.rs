//! Backups: copies of everything but the log, in a folder next to the database. They are small, and other
//! processes can write meanwhile. The newest three are kept, one per day.

use mooring_base::clock::now_us;

use mooring_disk::{StoreError, create_private_dir, open_private};
use sqlx::AssertSqlSafe;
use sqlx::sqlite::SqliteConnection;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

pub(crate) const BACKUP_FOLDER: &str = "backups";
const MAX_BACKUPS: usize = 3;
const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;
/// An unfinished copy that is older was abandoned.
const ABANDONED_AFTER: Duration = Duration::from_hours(1);

/// A copy of everything but the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The file.
    pub path: PathBuf,
    /// When the backup was made, in microseconds since the Unix epoch.
    pub at_us: i64,
    /// The database's format: the number of its newest migration.
    pub format: i64,
}

impl Backup {
    fn new(home: &Path, at_us: i64, format: i64) -> Self {
        let name = format!("mooring-{at_us:020}-format-{format}.db");
        Self { path: home.join(BACKUP_FOLDER).join(name), at_us, format }
    }

    /// Parses the path of a backup. `None` if the file's name is not that of a backup.
    fn from_path(path: PathBuf) -> Option<Self> {
        let (at_us, format) = path
            .file_name()?
            .to_str()?
            .strip_prefix("mooring-")?
            .strip_suffix(".db")?
            .split_once("-format-")?;
        Some(Self { at_us: at_us.parse().ok()?, format: format.parse().ok()?, path })
    }

    /// Time since the database was last found to hold the same data as this backup. `None` if the file is
    /// gone or its time is in the future.
    pub fn age(&self) -> Option<Duration> {
        self.path.metadata().ok()?.modified().ok()?.elapsed().ok()
    }

    fn is_same_day(&self, other: &Self) -> bool {
        self.format == other.format && self.at_us / DAY_US == other.at_us / DAY_US
    }
}

/// The backups, oldest first.
pub(crate) fn list_backups(home: &Path) -> Vec<Backup> {
    let entries = fs::read_dir(home.join(BACKUP_FOLDER)).into_iter().flatten();
    let mut all: Vec<_> = entries.filter_map(|entry| Backup::from_path(entry.ok()?.path())).collect();
    all.sort_by_key(|backup| (backup.at_us, backup.format));
    all
}

pub(crate) fn newest_backup(home: &Path) -> Option<Backup> {
    list_backups(home).into_iter().next_back()
}

/// Copies the connection's database, unless the newest backup has the same content. Removes an earlier backup
/// of the same day, and all but the newest three. Don't use the connection again if this fails or its future
/// is dropped.
pub(crate) async fn write_backup(
    home: &Path,
    db: &mut SqliteConnection,
) -> Result<Option<Backup>, StoreError> {
    let directory = home.join(BACKUP_FOLDER);
    create_private_dir(&directory)?;
    remove_abandoned_copies(&directory);
    // A backup's name has its time. The new backup sorts last even if the clock was set back.
    let now = newest_backup(home).map_or(0, |newest| newest.at_us + 1).max(now_us());
    let part = directory.join(format!("{now:020}-{}.part", std::process::id()));
    let made = copy_if_changed(home, db, now, &part).await;
    if !matches!(made, Ok(Some(_))) {
        // The caller gets the error of the copy. The next backup removes the unfinished file, if it remains.
        let _left_over = fs::remove_file(&part);
    }
    let Some(new) = made? else { return Ok(None) };
    let mut backups = list_backups(home);
    backups.retain(|earlier| {
        *earlier == new || !earlier.is_same_day(&new) || remove_if_exists(&earlier.path).is_err()
    });
    for oldest in backups.iter().rev().skip(MAX_BACKUPS) {
        remove_if_exists(&oldest.path)?;
    }
    Ok(Some(new))
}

async fn copy_if_changed(
    home: &Path,
    db: &mut SqliteConnection,
    now: i64,
    part: &Path,
) -> Result<Option<Backup>, StoreError> {
    let fault = |error| StoreError::from_io(part, error);
    open_private(part).map_err(fault)?;
    let format = copy_tables(db, part).await.map_err(|error| StoreError::from_sql(part, error))?;
    // Equal rows in equal order make equal files.
    if let Some(newest) = newest_backup(home).filter(|newest| has_same_bytes(&newest.path, part)) {
        // The new time of the file counts as a new backup: see `Backup::age`.
        let touched = File::options().write(true).open(&newest.path);
        touched.and_then(|file| file.set_modified(SystemTime::now())).map_err(fault)?;
        return Ok(None);
    }
    let backup = Backup::new(home, now, format);
    fs::rename(part, &backup.path).map_err(fault)?;
    #[cfg(unix)]
    File::open(home.join(BACKUP_FOLDER)).and_then(|folder| folder.sync_all()).map_err(fault)?;
    Ok(Some(backup))
}

/// Copies every table but the log's into an empty file. Returns the database's format.
async fn copy_tables(db: &mut SqliteConnection, part: &Path) -> Result<i64, sqlx::Error> {
    // Tables are created and filled before triggers and indexes: the triggers must not run, and rows are
    // inserted faster without indexes.
    const SCHEMA: &str = "SELECT type, name, sql FROM main.sqlite_schema \
        WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' ORDER BY type <> 'table', name";
    sqlx::query("PRAGMA foreign_keys = OFF").execute(&mut *db).await?;
    sqlx::query("ATTACH ? AS backup").bind(part.to_string_lossy()).execute(&mut *db).await?;
    sqlx::raw_sql("PRAGMA backup.synchronous = FULL; BEGIN").execute(&mut *db).await?;
    let schema: Vec<(String, String, String)> = sqlx::query_as(SCHEMA).fetch_all(&mut *db).await?;
    for (kind, name, sql) in schema {
        // SQLite stores the statement as `CREATE`, the kind and the name. It drops everything that was
        // written between them.
        let Some(at) =
            sql.find(&name).map(|at| if sql[..at].ends_with(['"', '`', '[']) { at - 1 } else { at })
        else {
            return Err(sqlx::Error::Protocol(format!("the schema of {name} does not name it")));
        };
        let (create, rest) = sql.split_at(at);
        execute_statement(db, format!("{create}backup.{rest}")).await?;
        if kind == "table" && !is_left_out(&name) {
            execute_statement(db, format!("INSERT INTO backup.\"{name}\" SELECT * FROM main.\"{name}\""))
                .await?;
        }
    }
    // Copies the counters of ids, so that no id is used twice. `log_total` always has one row; the copy has
    // no rows of the log to count.
    const REST: &str = "DELETE FROM backup.sqlite_sequence; \
        INSERT INTO backup.sqlite_sequence SELECT * FROM main.sqlite_sequence; \
        INSERT INTO backup.log_total (one, rows) VALUES (1, 0)";
    sqlx::raw_sql(REST).execute(&mut *db).await?;
    let application: i64 = sqlx::query_scalar("PRAGMA main.application_id").fetch_one(&mut *db).await?;
    execute_statement(db, format!("PRAGMA backup.application_id = {application}")).await?;
    sqlx::raw_sql("COMMIT; DETACH backup").execute(&mut *db).await?;
    sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations").fetch_one(db).await
}

async fn execute_statement(db: &mut SqliteConnection, statement: String) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(db).await.map(drop)
}

/// Whether a table is one of the log or of the copy of a registry, which can be fetched again.
fn is_left_out(table: &str) -> bool {
    table == "log" || table.starts_with("log_") || table.starts_with("catalog_")
}

fn has_same_bytes(one: &Path, other: &Path) -> bool {
    let read = |path: &Path| fs::read(path).ok();
    read(one).is_some_and(|bytes| read(other) == Some(bytes))
}

/// Removes a file. Succeeds if another process has removed it already.
pub(crate) fn remove_if_exists(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::from_io(path, error)),
        _ => Ok(()),
    }
}

/// Removes the unfinished copies of processes that ended while they copied.
fn remove_abandoned_copies(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_part =
            path.extension().is_some_and(|extension| extension.to_string_lossy().starts_with("part"));
        let age =
            entry.metadata().and_then(|found| found.modified()).map(|at| at.elapsed().unwrap_or_default());
        if is_part && age.is_ok_and(|age| age > ABANDONED_AFTER) {
            // An unfinished copy does no harm, and the next backup tries to remove it again.
            let _stays = fs::remove_file(&path);
        }
    }
}

pub(crate) fn remove_older_backups(home: &Path) -> Result<(), StoreError> {
    list_backups(home).iter().rev().skip(1).try_for_each(|backup| remove_if_exists(&backup.path))
}
