//! Opening the database of a profile: checks, backup, migrations.

use crate::backup::{self, Backup};
use crate::database::{BUSY_TIMEOUT, DATABASE_FILE, Database, PAGE_SIZE, connection_options};
use crate::restore;
use crate::table::app::Apps;
use crate::table::app_key::AppKeys;
use crate::table::catalog::CatalogRows;
use crate::table::interaction::Interactions;
use crate::table::known_era::KnownEras;
use crate::table::log::LogReader;
use crate::table::log_body;
use crate::table::login::Logins;
use crate::table::pin::Pins;
use crate::table::provider::Providers;
use crate::table::registration::Registrations;
use crate::table::remembered_list::RememberedLists;
use crate::table::root::Roots;
use crate::table::rule::Rules;
use crate::table::sampling::Sampling;
use crate::table::saved_call::SavedCalls;
use crate::table::secret::Secrets;
use crate::table::server::Servers;
use crate::table::server_bundle::ServerBundles;
use crate::table::server_catalog::ServerCatalog;
use crate::table::server_login::ServerLogins;
use crate::table::server_secret::ServerSecrets;
use crate::table::setting::Settings;
use crate::table::vault::Vaults;
use crate::watcher::{self, TableChanges};
use crate::writer::{LogWriter, WriterOptions};
use mooring_base::clock::Clock;
use mooring_base::integrity::DocumentKey;
use mooring_disk::{StoreError, create_private_dir, open_private, restrict_access};
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::time::sleep;

static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations");

/// Locked while a process opens the database or replaces it.
const LOCK: &str = "mooring.lock";
/// Locked, shared, by every process that has the database open.
const IN_USE_LOCK: &str = "in-use.lock";
/// "MOOR": the first migration writes it into the file's header.
const APPLICATION_ID: i64 = 0x4d4f_4f52;
/// A database up to this size is checked completely when it is opened. The check of a larger database leaves
/// out the rows of the log, because reading all of them would delay the window.
const FULL_CHECK_BYTES: u64 = 64 << 20;

/// The open database of a profile. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) database: Arc<Database>,
    restricted_paths: Arc<[PathBuf]>,
}

impl Store {
    /// Opens the database in the directory `home`, which is created if it is missing. Several processes may
    /// have the database open at once.
    pub async fn open(home: &Path) -> Result<Self, StoreError> {
        Self::open_with_migrations(home, &MIGRATIONS).await
    }

    async fn open_with_migrations(home: &Path, migrations: &Migrator) -> Result<Self, StoreError> {
        create_private_dir(home)?;
        let closed = restrict_access(home)?;
        // Locked until the database is ready, so that two processes do not migrate at the same time.
        let _lock = lock_file(&home.join(LOCK), File::try_lock).await?;
        let in_use = lock_file(&home.join(IN_USE_LOCK), File::try_lock_shared).await?;
        let path = home.join(DATABASE_FILE);
        if is_missing_or_empty(&path) && restore::is_profile_used(home) {
            return Err(StoreError::Missing { path, backup_us: newest_backup_time(home) });
        }
        let opened = match create_or_check_file(&path) {
            Ok(existed) => check_and_migrate(Some(home), &path, existed, migrations).await,
            Err(error) => Err(error),
        };
        opened.map_err(|error| error.with_backup(&path, || newest_backup_time(home)))?;
        Ok(Self { database: Arc::new(Database::new(path, in_use)), restricted_paths: closed.into() })
    }

    /// The backups in the data folder `home`, oldest first.
    pub fn backups(home: &Path) -> Vec<Backup> {
        backup::list_backups(home)
    }

    /// Replaces the database of the data folder `home` by the backup, or by an empty database if `backup` is
    /// `None`. Moves the old database and its log to a new folder, and returns the path of that. Fails while
    /// any process has the database open.
    pub async fn replace(home: &Path, backup: Option<&Backup>) -> Result<Option<PathBuf>, StoreError> {
        create_private_dir(home)?;
        restrict_access(home)?;
        let _lock = lock_file(&home.join(LOCK), File::try_lock).await?;
        let _alone = lock_file(&home.join(IN_USE_LOCK), File::try_lock).await?;
        let new = home.join(DATABASE_FILE).with_extension("part");
        // Removes an unfinished file of a process that ended while it created it.
        restore::remove_database(&new)?;
        open_private(&new).map_err(|error| StoreError::from_io(&new, error))?;
        if let Some(backup) = backup {
            fs::copy(&backup.path, &new).map_err(|error| StoreError::from_io(&backup.path, error))?;
        }
        let made = check_and_migrate_unshared(&new, backup.is_some()).await;
        if made.is_err() {
            restore::remove_database(&new)?;
        }
        made.map_err(|error| {
            let of = backup.map_or(&new, |backup| &backup.path);
            let others = backup::list_backups(home).into_iter().rev().filter(|other| Some(other) != backup);
            error.with_backup(of, || others.map(|other| other.at_us).next())
        })?;
        restore::replace_database(home, &new)
    }

    /// Copies everything but the log into the folder of backups. `None` if the newest backup has the same
    /// content. Also works if the database's file was deleted, but this process still has it open.
    pub async fn back_up(&self) -> Result<Option<Backup>, StoreError> {
        let home = self.database.path.parent().unwrap_or(Path::new("."));
        let _turn = self.database.lock_writes_unchecked().await;
        if !self.database.is_in_place() && self.database.durable_writer.num_idle() == 0 {
            return Err(StoreError::Replaced { path: self.database.path.clone() });
        }
        // The connection is closed rather than returned to the pool, which also closes its attached database.
        let connection = self.database.durable_writer.acquire().await;
        let mut db = connection.map_err(|error| self.database.store_error(error))?.detach();
        let made = backup::write_backup(home, &mut db).await;
        // Opens another connection, which keeps the file accessible if it is deleted.
        drop(self.database.durable_writer.acquire().await);
        // Waits for the connection to close, because a process that ends earlier leaves the write-ahead log
        // behind.
        let closed = db.close().await.map_err(|error| self.database.store_error(error));
        made.and_then(|made| closed.map(|()| made))
    }

    /// Makes a backup and removes all older ones, so that their content can't be recovered.
    pub async fn renew_backups(&self) -> Result<(), StoreError> {
        self.back_up().await?;
        backup::remove_older_backups(self.database.path.parent().unwrap_or(Path::new(".")))
    }

    /// Paths in the data folder that other users could write to, until this process tightened their
    /// permissions.
    pub fn restricted_paths(&self) -> &[PathBuf] {
        &self.restricted_paths
    }

    /// The database's file.
    pub fn path(&self) -> &Path {
        &self.database.path
    }

    /// Bytes of the database on the disk, with its write-ahead log and the files of long bodies.
    pub fn bytes(&self) -> u64 {
        let mut write_ahead_log = self.database.path.clone().into_os_string();
        write_ahead_log.push("-wal");
        let size = |path: &Path| path.metadata().map_or(0, |metadata| metadata.len());
        let bodies = fs::read_dir(log_body::folder(&self.database.path)).into_iter().flatten();
        size(&self.database.path)
            + size(Path::new(&write_ahead_log))
            + bodies.filter_map(|entry| Some(size(&entry.ok()?.path()))).sum::<u64>()
    }

    /// Sets the key that encrypts the integrity documents (`mooring_base::integrity`). Later calls have no
    /// effect.
    pub fn set_integrity_key(&self, key: Arc<dyn DocumentKey>) {
        let _an_earlier_one_counts = self.database.integrity.key.set(key);
    }

    /// Writes the changes that this process made while the key was not in memory into the integrity
    /// documents.
    pub async fn write_pending_integrity(&self) -> Result<(), StoreError> {
        crate::table::integrity::write_pending_changes(&self.database).await
    }

    /// Executes statements as another program could, for tests of such changes.
    #[cfg(debug_assertions)]
    #[doc(hidden)]
    pub async fn tamper(&self, statements: String) -> Result<(), StoreError> {
        let _turn = self.database.lock_writes().await?;
        let done =
            sqlx::raw_sql(sqlx::AssertSqlSafe(statements)).execute(&self.database.durable_writer).await;
        done.map(|_| ()).map_err(|error| self.database.store_error(error))
    }

    /// The saved servers.
    pub fn servers(&self) -> Servers {
        Servers(Arc::clone(&self.database))
    }

    /// The copy of a registry's entries.
    pub fn catalog(&self) -> CatalogRows {
        CatalogRows(Arc::clone(&self.database))
    }

    /// The registry's entries that servers came from.
    pub fn server_catalog(&self) -> ServerCatalog {
        ServerCatalog(Arc::clone(&self.database))
    }

    /// The bundles that servers came from.
    pub fn server_bundles(&self) -> ServerBundles {
        ServerBundles(Arc::clone(&self.database))
    }

    /// Apps that use the servers.
    pub fn apps(&self) -> Apps {
        Apps(Arc::clone(&self.database))
    }

    /// Questions to the person, and their answers.
    pub fn interactions(&self) -> Interactions {
        Interactions(Arc::clone(&self.database))
    }

    /// Protocol eras that were detected by asking servers.
    pub fn known_eras(&self) -> KnownEras {
        KnownEras(Arc::clone(&self.database))
    }

    /// The last lists of each server.
    pub fn remembered_lists(&self) -> RememberedLists {
        RememberedLists(Arc::clone(&self.database))
    }

    /// The settings.
    pub fn settings(&self) -> Settings {
        Settings(Arc::clone(&self.database))
    }

    /// The vault's row: which key encrypts the secrets.
    pub fn vault(&self) -> Vaults {
        Vaults(Arc::clone(&self.database))
    }

    /// The encrypted secrets.
    pub fn secrets(&self) -> Secrets {
        Secrets(Arc::clone(&self.database))
    }

    /// The logins.
    pub fn logins(&self) -> Logins {
        Logins(Arc::clone(&self.database))
    }

    /// The logins of servers.
    pub fn server_logins(&self) -> ServerLogins {
        ServerLogins(Arc::clone(&self.database))
    }

    /// The keys of apps.
    pub fn app_keys(&self) -> AppKeys {
        AppKeys(Arc::clone(&self.database))
    }

    /// Folders (roots) that are shared with servers.
    pub fn roots(&self) -> Roots {
        Roots(Arc::clone(&self.database))
    }

    /// Saved calls and favourites.
    pub fn saved_calls(&self) -> SavedCalls {
        SavedCalls(Arc::clone(&self.database))
    }

    /// Variables and headers of servers with encrypted values.
    pub fn server_secrets(&self) -> ServerSecrets {
        ServerSecrets(Arc::clone(&self.database))
    }

    /// OAuth client registrations at authorization servers.
    pub fn registrations(&self) -> Registrations {
        Registrations(Arc::clone(&self.database))
    }

    /// The rules of consent.
    pub fn rules(&self) -> Rules {
        Rules(Arc::clone(&self.database))
    }

    /// Pins: hashes of what servers offered and of what was approved.
    pub fn pins(&self) -> Pins {
        Pins(Arc::clone(&self.database))
    }

    /// Providers of models.
    pub fn providers(&self) -> Providers {
        Providers(Arc::clone(&self.database))
    }

    /// Which servers may use models, and how much they used them.
    pub fn sampling(&self) -> Sampling {
        Sampling(Arc::clone(&self.database))
    }

    /// Reads the log.
    pub fn log(&self) -> LogReader {
        LogReader(Arc::clone(&self.database))
    }

    /// Starts the log's writer, once per process. Needs a running tokio runtime.
    pub fn start_writer(&self, options: impl Into<WriterOptions>) -> LogWriter {
        self.start_writer_at(options, Clock::system())
    }

    /// As [`start_writer`](Self::start_writer), with a clock that decides how old rows are.
    pub fn start_writer_at(&self, options: impl Into<WriterOptions>, clock: Clock) -> LogWriter {
        LogWriter::start(Arc::clone(&self.database), options.into(), clock)
    }

    /// Watches for commits of other processes. Run the future once per process. The first value notifies
    /// readers of tables about such commits. While the future runs, followers of the log are notified of rows
    /// that others write.
    pub fn watch(&self) -> (TableChanges, impl Future<Output = ()> + Send + use<>) {
        let (changed, changes) = watch::channel(());
        let database = Arc::clone(&self.database);
        (TableChanges(changes), async move { watcher::watch_commits(&database, changed).await })
    }

    /// Closes the database after its running statements. Close the log's writer first.
    pub async fn close(&self) {
        self.database.close().await;
    }
}

/// Whether a file is missing or empty, which can result from a power failure or a full disk.
fn is_missing_or_empty(path: &Path) -> bool {
    path.metadata().map_or_else(|error| error.kind() == io::ErrorKind::NotFound, |found| found.len() == 0)
}

/// Creates the file for its owner only if it is missing, and checks that it is empty or a database of SQLite.
/// Returns whether it has content.
fn create_or_check_file(path: &Path) -> Result<bool, StoreError> {
    const SIGNATURE: &[u8; 16] = b"SQLite format 3\0";
    let mut file = open_private(path).map_err(|error| StoreError::from_io(path, error))?;
    let mut signature = Vec::new();
    file.by_ref()
        .take(SIGNATURE.len() as u64)
        .read_to_end(&mut signature)
        .map_err(|error| StoreError::from_io(path, error))?;
    match signature.as_slice() {
        [] => Ok(false),
        found if found == SIGNATURE => Ok(true),
        _ => Err(StoreError::NotADatabase { path: path.to_owned(), backup_us: None }),
    }
}

/// Locks a file until the returned file is dropped. Waits for other processes up to [`BUSY_TIMEOUT`].
async fn lock_file(
    path: &Path,
    try_lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<File, StoreError> {
    const RETRY_INTERVAL: Duration = Duration::from_millis(20);
    let file = open_private(path).map_err(|error| StoreError::from_io(path, error))?;
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        match try_lock(&file) {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => sleep(RETRY_INTERVAL).await,
            Err(TryLockError::WouldBlock) => return Err(StoreError::Locked),
            Err(TryLockError::Error(error)) => return Err(StoreError::from_io(path, error)),
        }
    }
}

/// Checks and migrates a file that no other process uses yet, and leaves no write-ahead log behind.
async fn check_and_migrate_unshared(path: &Path, exists: bool) -> Result<(), StoreError> {
    create_or_check_file(path)?;
    check_and_migrate(None, path, exists, &MIGRATIONS).await?;
    let fault = |error| StoreError::from_sql(path, error);
    let db =
        connection_options(path).journal_mode(SqliteJournalMode::Delete).connect().await.map_err(fault)?;
    db.close().await.map_err(fault)
}

/// Checks and migrates the database with a separate connection. Makes a backup first if `home` is given.
async fn check_and_migrate(
    home: Option<&Path>,
    path: &Path,
    existed: bool,
    migrations: &Migrator,
) -> Result<(), StoreError> {
    let fault = |error| StoreError::from_sql(path, error);
    let options = connection_options(path).page_size(PAGE_SIZE).synchronous(SqliteSynchronous::Full);
    let mut db = options.connect().await.map_err(fault)?;
    if existed {
        let found = check_database(path, &mut db).await?;
        let supported = newest_format(migrations);
        if found > supported {
            return Err(StoreError::NewerDatabase { found, supported });
        }
        if 0 < found
            && found < supported
            && let Some(home) = home
        {
            backup::write_backup(home, &mut db).await?;
        }
    }
    // WAL mode is stored in the file. It is set here, because no other process can be using the database now.
    db.close().await.map_err(fault)?;
    let mut db = options.journal_mode(SqliteJournalMode::Wal).connect().await.map_err(fault)?;
    // The future of `run` is not `Send`.
    migrations
        .run_direct(None, &mut db, false)
        .await
        .map_err(|error| StoreError::from_migration(path, error))?;
    db.close().await.map_err(fault)
}

fn newest_backup_time(home: &Path) -> Option<i64> {
    backup::newest_backup(home).map(|backup| backup.at_us)
}

fn newest_format(migrations: &Migrator) -> i64 {
    migrations.iter().map(|migration| migration.version).max().unwrap_or_default()
}

/// Checks that the database is ours and not damaged. Returns its format, 0 if the database is empty.
async fn check_database(path: &Path, db: &mut SqliteConnection) -> Result<i64, StoreError> {
    // SQLx creates its table of migrations before the first migration, which may have failed on a full disk.
    const TABLES: &str = "SELECT count(*) FROM sqlite_schema WHERE tbl_name <> '_sqlx_migrations'";
    const FORMAT: &str = "SELECT coalesce(max(version), 0) FROM _sqlx_migrations";
    const SOUND: &str = "SELECT quick_check FROM pragma_quick_check WHERE quick_check <> 'ok'";
    // The check of a large database leaves out the tables of the log.
    const SOUND_BUT_LOG: &str =
        "SELECT quick_check FROM sqlite_schema AS part JOIN pragma_quick_check(part.name)
        WHERE part.type = 'table' AND quick_check <> 'ok'
        AND (part.name = 'log_facet' OR (part.name <> 'log' AND part.name NOT GLOB 'log_*'))";
    let fault = |error| StoreError::from_sql(path, error);
    let application: i64 =
        sqlx::query_scalar("PRAGMA application_id").fetch_one(&mut *db).await.map_err(fault)?;
    let tables: i64 = sqlx::query_scalar(TABLES).fetch_one(&mut *db).await.map_err(fault)?;
    match (application, tables) {
        (_, 0) => return Ok(0),
        (APPLICATION_ID, _) => {}
        _ => return Err(StoreError::NotADatabase { path: path.to_owned(), backup_us: None }),
    }
    let found: i64 = sqlx::query_scalar(FORMAT).fetch_one(&mut *db).await.map_err(fault)?;
    let size = path.metadata().map_or(0, |metadata| metadata.len());
    let check = if size > FULL_CHECK_BYTES { SOUND_BUT_LOG } else { SOUND };
    match sqlx::query_scalar::<_, String>(check).fetch_optional(&mut *db).await.map_err(fault) {
        Ok(None) => Ok(found),
        Ok(Some(detail)) => Err(StoreError::Damaged { path: path.to_owned(), detail, backup_us: None }),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::SqlSafeStr;
    use sqlx::migrate::{Migration, MigrationType};

    /// The real migrations and `more` after them, numbered from 1 on.
    fn migrator(more: &[(i64, &'static str)]) -> Migrator {
        let mut all: Vec<Migration> = MIGRATIONS.iter().cloned().collect();
        let real = newest_format(&MIGRATIONS);
        all.extend(more.iter().map(|(number, sql)| {
            Migration::new(real + number, "test".into(), MigrationType::Simple, sql.into_sql_str(), false)
        }));
        Migrator::with_migrations(all)
    }

    #[tokio::test]
    async fn a_migration_is_preceded_by_a_backup_and_three_are_kept() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path()).await.unwrap();
        store.settings().set("kept", "1").await.unwrap();
        store.close().await;
        assert_eq!(backup::list_backups(home.path()), []);
        let steps = [
            (1, "CREATE TABLE one (x)"),
            (2, "CREATE TABLE two (x)"),
            (3, "CREATE TABLE three (x)"),
            (4, "CREATE TABLE four (x)"),
        ];
        for count in 1..=steps.len() {
            let migrations = migrator(&steps[..count]);
            for _ in 0..2 {
                let store = Store::open_with_migrations(home.path(), &migrations).await.unwrap();
                assert_eq!(store.settings().get("kept").await.unwrap().as_deref(), Some("1"));
                store.close().await;
            }
            assert_eq!(backup::list_backups(home.path()).len(), count.min(3));
        }
        let backup = backup::list_backups(home.path()).pop().unwrap().path;
        let format = format!("-format-{}.db", newest_format(&MIGRATIONS) + 3);
        assert!(backup.to_str().unwrap().ends_with(&format), "{}", backup.display());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(backup.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        // A backup can become the database of a whole profile.
        let other = tempfile::tempdir().unwrap();
        fs::copy(backup, other.path().join(DATABASE_FILE)).unwrap();
        let store = Store::open_with_migrations(other.path(), &migrator(&steps[..3])).await.unwrap();
        assert_eq!(store.settings().get("kept").await.unwrap().as_deref(), Some("1"));
    }

    #[tokio::test]
    async fn a_migration_that_fails_leaves_the_database_as_it_was() {
        let home = tempfile::tempdir().unwrap();
        Store::open(home.path()).await.unwrap().close().await;
        let broken = migrator(&[(1, "CREATE TABLE one (x); CREATE TABLE server (x)")]);
        let error = Store::open_with_migrations(home.path(), &broken).await.unwrap_err();
        assert!(error.to_string().contains("server"), "{error}");
        let store = Store::open(home.path()).await.unwrap();
        assert!(store.servers().list().await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_profile_whose_first_start_failed_is_made_by_the_next() {
        let home = tempfile::tempdir().unwrap();
        let steps = Migration::new(
            1,
            "test".into(),
            MigrationType::Simple,
            "CREATE TABLE server (x); CREATE TABLE server (x)".into_sql_str(),
            false,
        );
        Store::open_with_migrations(home.path(), &Migrator::with_migrations(vec![steps])).await.unwrap_err();
        let store = Store::open(home.path()).await.unwrap();
        assert!(store.servers().list().await.unwrap().is_empty());
        assert_eq!(backup::list_backups(home.path()), []);
    }

    #[tokio::test]
    async fn ten_processes_open_a_new_profile_at_once() {
        let home = tempfile::tempdir().unwrap();
        let mut opening = tokio::task::JoinSet::new();
        for _ in 0..10 {
            let home = home.path().to_owned();
            opening.spawn(async move { Store::open(&home).await.map(|_| ()) });
        }
        for opened in opening.join_all().await {
            opened.unwrap();
        }
    }
}
