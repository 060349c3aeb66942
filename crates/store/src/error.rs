//! Everything that can go wrong with the store.

use sqlx::migrate::MigrateError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why the store could not do what it was asked.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The database was written by a newer version of Mooring. It was not touched.
    #[error(
        "the database is from a newer version of Mooring: it has format {found}, this version knows up to {supported}"
    )]
    NewerDatabase {
        /// The database's format: the number of its newest migration.
        found: i64,
        /// The newest format that this version knows.
        supported: i64,
    },
    /// The directory or the file cannot be written.
    #[error("not writable: {}", path.display())]
    ReadOnly {
        /// What cannot be written.
        path: PathBuf,
    },
    /// There is no room left on the disk, or the database has reached its greatest size.
    #[error("the disk is full")]
    DiskFull,
    /// The file is something else than a database of Mooring. It was not touched.
    #[error("this file is not a database of Mooring: {}", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The database is damaged.
    #[error("the database is damaged: {}: {detail}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the check found.
        detail: String,
        /// The newest backup, when there is one.
        backup: Option<PathBuf>,
    },
    /// Another program has held the database for longer than the five seconds that we wait.
    #[error("another program is using the database")]
    Locked,
    /// A migration in this database is not the one that this version has under its number.
    #[error("the database was made by a different build of Mooring: migration {version} differs")]
    ForeignMigration {
        /// The migration's number.
        version: i64,
    },
    /// Another saved server has this name.
    #[error("another server has this name: {name}")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// There is no such server.
    #[error("there is no server with this id: {id}")]
    NoSuchServer {
        /// The id that was asked for.
        id: i64,
    },
    /// The log's writer has been closed.
    #[error("the log is closed")]
    Closed,
    /// The file system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// What was being read or written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Anything else that the database said.
    #[error("the database reported: {0}")]
    Sql(#[source] sqlx::Error),
}

impl StoreError {
    /// The same error for one more who waits for it.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::ReadOnly { path } => Self::ReadOnly { path: path.clone() },
            Self::DiskFull => Self::DiskFull,
            Self::Locked => Self::Locked,
            other => Self::Sql(sqlx::Error::Protocol(other.to_string())),
        }
    }

    /// Sorts a file system's error.
    pub(crate) fn from_io(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { path: path.to_owned() }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Io { path: path.to_owned(), source },
        }
    }

    /// Sorts an error of the database in the file `path` by SQLite's primary result code.
    pub(crate) fn from_sql(path: &Path, error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::PoolTimedOut => Self::Locked,
            error => match primary_code(&error) {
                Some(5 | 6) => Self::Locked,
                Some(8) => Self::ReadOnly { path: path.to_owned() },
                Some(11) => Self::Damaged { path: path.to_owned(), detail: error.to_string(), backup: None },
                Some(13) => Self::DiskFull,
                Some(26) => Self::NotADatabase { path: path.to_owned() },
                _ => Self::Sql(error),
            },
        }
    }

    pub(crate) fn from_migration(path: &Path, error: MigrateError) -> Self {
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

/// The low byte of SQLite's extended result code (<https://www.sqlite.org/rescode.html>).
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}
