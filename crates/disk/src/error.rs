//! Errors of the store.

use mooring_words::{Sentence, io_error_sentence, say};
use sqlx::migrate::MigrateError;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error of the store.
#[derive(Debug)]
pub enum StoreError {
    /// The database was written by a newer version of Mooring. It was not touched.
    NewerDatabase {
        /// The database's format: the number of its newest migration.
        found: i64,
        /// The newest format that this version knows.
        supported: i64,
    },
    /// The directory or the file can't be written.
    ReadOnly {
        /// The path that can't be written.
        path: PathBuf,
    },
    /// The data folder, or something in it, belongs to another user or is writable by others.
    WritableByOthers {
        /// The path.
        path: PathBuf,
    },
    /// The disk is full, or the database has reached its maximum size.
    DiskFull,
    /// The file is not a database of Mooring. It was not changed.
    NotADatabase {
        /// The file.
        path: PathBuf,
        /// When the newest backup was made, in microseconds since the Unix epoch. `None` if there is no
        /// backup.
        backup_us: Option<i64>,
    },
    /// The database is damaged.
    Damaged {
        /// The file.
        path: PathBuf,
        /// Result of the check.
        detail: String,
        /// When the newest backup was made, in microseconds since the Unix epoch. `None` if there is no
        /// backup.
        backup_us: Option<i64>,
    },
    /// The database is empty or missing, but its folder has been in use.
    Missing {
        /// The file.
        path: PathBuf,
        /// When the newest backup was made, in microseconds since the Unix epoch. `None` if there is no
        /// backup.
        backup_us: Option<i64>,
    },
    /// The database's file was deleted or replaced while it was open. Everything written to it is lost.
    Replaced {
        /// The file.
        path: PathBuf,
    },
    /// Another program has locked the database for more than five seconds.
    Locked,
    /// A migration of this database differs from the one with the same number in this version.
    ForeignMigration {
        /// The migration's number.
        version: i64,
    },
    /// Another saved server has this name.
    NameTaken {
        /// The name.
        name: String,
    },
    /// The server does not exist.
    NoSuchServer {
        /// The requested id.
        id: i64,
    },
    /// The login does not exist.
    NoSuchLogin {
        /// The requested id.
        id: i64,
    },
    /// The secret does not exist.
    NoSuchSecret {
        /// The requested id.
        id: String,
    },
    /// Another secret has this name.
    LabelTaken {
        /// The name.
        label: String,
    },
    /// The account already has a login at this issuer for this resource.
    AccountTaken {
        /// The account.
        account: String,
    },
    /// The secret was encrypted with a key that is not the active one. It was not saved.
    WrongKey,
    /// The log's writer, or the store, has been closed.
    Closed,
    /// An error of the file system.
    Io {
        /// The file that was read or written.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Any other error of the database.
    Sql(sqlx::Error),
}

impl StoreError {
    /// The message that is shown.
    pub fn sentence(&self) -> Sentence {
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        match self {
            Self::NewerDatabase { found, supported } => say!(
                "the database is from a newer version of Mooring: it has format {found}, this version knows up to {supported}",
                found = *found,
                supported = *supported
            ),
            Self::ReadOnly { path } => say!("not writable: {path}", path = shown(path)),
            Self::WritableByOthers { path } => {
                say!(
                    "another user owns this or can write to it, so Mooring doesn’t use it: {path}",
                    path = shown(path)
                )
            }
            Self::DiskFull => say!("the disk is full"),
            Self::NotADatabase { path, .. } => {
                say!("this file isn’t a Mooring database: {path}", path = shown(path))
            }
            Self::Damaged { path, detail, .. } => {
                say!("the database is damaged: {path}: {detail}", path = shown(path), detail)
            }
            Self::Missing { path, .. } => {
                say!(
                    "the database is empty or missing, though this folder was in use: {path}",
                    path = shown(path)
                )
            }
            Self::Replaced { path } => say!(
                "the database was deleted or replaced while Mooring was running, so nothing more is saved: {path}",
                path = shown(path)
            ),
            Self::Locked => say!("another program is using the database"),
            Self::ForeignMigration { version } => say!(
                "the database was made by a different build of Mooring: migration {version} differs",
                version = *version
            ),
            Self::NameTaken { name } => say!("another server has this name: {name}", name),
            Self::NoSuchServer { id } => say!("there is no server with this id: {id}", id = *id),
            Self::NoSuchLogin { id } => say!("there is no login with this id: {id}", id = *id),
            Self::NoSuchSecret { id } => say!("there is no secret with this id: {id}", id),
            Self::LabelTaken { label } => say!("another secret has this name: {name}", name = label),
            Self::AccountTaken { account } => {
                say!("this account is signed in there already: {account}", account)
            }
            Self::WrongKey => say!("the secret was encrypted with a key that is no longer used"),
            Self::Closed => say!("the log is closed"),
            Self::Io { path, source } => {
                say!("{path}: {reason}", path = shown(path), reason = io_error_sentence(source))
            }
            Self::Sql(error) => say!("the database reported: {detail}", detail = error.to_string()),
        }
    }

    /// Converts a file system's error.
    pub fn from_io(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { path: path.to_owned() }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Io { path: path.to_owned(), source },
        }
    }

    /// Converts an error of the database in the file `path`, according to SQLite's result code.
    pub fn from_sql(path: &Path, error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::PoolTimedOut => Self::Locked,
            sqlx::Error::PoolClosed => Self::Closed,
            sqlx::Error::Io(error) => Self::from_io(path, error),
            error if result_code(&error).is_some_and(|code| means_disk_full(code, || is_disk_full(path))) => {
                Self::DiskFull
            }
            error => match result_code(&error).map(|code| code & 0xff) {
                Some(5 | 6) => Self::Locked,
                Some(8) => Self::ReadOnly { path: path.to_owned() },
                Some(11) => {
                    Self::Damaged { path: path.to_owned(), detail: error.to_string(), backup_us: None }
                }
                Some(26) => Self::NotADatabase { path: path.to_owned(), backup_us: None },
                _ => Self::Sql(error),
            },
        }
    }

    /// Adds the time of the backup that can replace the database at `path`, if the error is about a damaged
    /// or foreign file.
    #[must_use]
    pub fn with_backup(self, path: &Path, backup_us: impl FnOnce() -> Option<i64>) -> Self {
        let path = path.to_owned();
        match self {
            Self::Damaged { detail, .. } => Self::Damaged { path, detail, backup_us: backup_us() },
            Self::NotADatabase { .. } => Self::NotADatabase { path, backup_us: backup_us() },
            error => error,
        }
    }

    /// Converts an error of a migration of the database in the file `path`.
    pub fn from_migration(path: &Path, error: MigrateError) -> Self {
        match error {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
                Self::from_sql(path, error)
            }
            MigrateError::VersionMissing(version)
            | MigrateError::VersionMismatch(version)
            | MigrateError::Dirty(version) => Self::ForeignMigration { version },
            other => Self::Sql(sqlx::Error::Migrate(Box::new(other))),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Sql(error) => Some(error),
            _ => None,
        }
    }
}

/// SQLite's extended result code (<https://www.sqlite.org/rescode.html>). Its low byte is the primary code.
fn result_code(error: &sqlx::Error) -> Option<i32> {
    error.as_database_error()?.code()?.parse().ok()
}

/// Whether a result code means that the disk is full. SQLite has no code of its own for most such failures:
/// `is_disk_full` decides if a file could not be created, lengthened or written.
fn means_disk_full(code: i32, is_disk_full: impl FnOnce() -> bool) -> bool {
    const FULL: i32 = 13;
    const CANTOPEN: i32 = 14;
    const IOERR: i32 = 10;
    const IOERR_WRITE: i32 = IOERR | 3 << 8;
    const IOERR_FSYNC: i32 = IOERR | 4 << 8;
    const IOERR_DIR_FSYNC: i32 = IOERR | 5 << 8;
    const IOERR_TRUNCATE: i32 = IOERR | 6 << 8;
    const IOERR_SHMOPEN: i32 = IOERR | 18 << 8;
    const IOERR_SHMSIZE: i32 = IOERR | 19 << 8;
    const IOERR_SHMMAP: i32 = IOERR | 21 << 8;
    match code {
        // SQLite can only fail to lengthen the file of the shared memory because the disk is full.
        FULL | IOERR_SHMSIZE => true,
        IOERR | IOERR_WRITE | IOERR_FSYNC | IOERR_DIR_FSYNC | IOERR_TRUNCATE | IOERR_SHMOPEN
        | IOERR_SHMMAP => is_disk_full(),
        code => code & 0xff == CANTOPEN && is_disk_full(),
    }
}

/// Whether the file system of `path` has no room for the smallest of SQLite's files, or for another file.
#[cfg(unix)]
fn is_disk_full(path: &Path) -> bool {
    const LEAST_BYTES: u64 = 64 << 10;
    let Some(Ok(room)) = path.parent().map(rustix::fs::statvfs) else { return false };
    room.f_bavail.saturating_mul(room.f_frsize) < LEAST_BYTES || (room.f_files > 0 && room.f_favail == 0)
}

/// On other systems SQLite itself reports a full disk.
#[cfg(not(unix))]
fn is_disk_full(_path: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_other_failures_to_write() {
        for code in [13, 4874] {
            assert!(means_disk_full(code, || false), "{code}");
        }
        // Codes that can have other reasons: the file system decides.
        for code in [10, 14, 526, 778, 1034, 1290, 1546, 4618, 5386] {
            assert!(means_disk_full(code, || true) && !means_disk_full(code, || false), "{code}");
        }
        // Codes that don't depend on the room: busy, read-only, damaged, no database, and failed reads.
        for code in [1, 5, 6, 8, 11, 26, 261, 266, 522] {
            assert!(!means_disk_full(code, || true), "{code}");
        }
    }

    #[test]
    fn disk_with_space_and_unknown_path_are_not_full() {
        let home = tempfile::tempdir().unwrap();
        assert!(!is_disk_full(&home.path().join("mooring.db")));
        assert!(!is_disk_full(Path::new("/no/such/place/mooring.db")));
    }
}
