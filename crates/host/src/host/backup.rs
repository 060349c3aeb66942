//! Backups of what the person entered, and restoring them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mooring_disk::StoreError;
use mooring_errors::HostError;
use mooring_store::{Backup, Store};
use tokio::time::sleep;

use super::{Host, lock_folder};

/// The first database format that binds each secret to its purpose, and signs the settings that determine
/// where secrets are sent.
const FIRST_FORMAT_WITH_VOUCHED_SETTINGS: i64 = 24;
/// How old the newest backup may get.
const DAY: Duration = Duration::from_hours(24);
/// How often to check for a due backup. The first check also waits this long, to keep startup fast.
const CHECK_INTERVAL: Duration = Duration::from_mins(10);

impl Host {
    /// The backups of a data folder, newest first.
    pub fn backups(home: &Path) -> Vec<Backup> {
        let mut backups = Store::backups(home);
        backups.reverse();
        backups
    }

    /// Replaces the data of a folder with the backup made at `at_us` (µs since the Unix epoch), or with empty
    /// data. Moves the current data to a new folder and returns its path. Refused while a window or a command
    /// uses the data folder.
    pub async fn restore(home: &Path, at_us: Option<i64>) -> Result<Option<PathBuf>, HostError> {
        let backup = match at_us {
            None => None,
            Some(at_us) => {
                let found = Store::backups(home).into_iter().find(|backup| backup.at_us == at_us);
                Some(found.ok_or(HostError::NoSuchBackup)?)
            }
        };
        // Prevents other processes from starting servers of this folder in the meantime.
        let lock = lock_folder(home).await?;
        let put = Store::replace(home, backup.as_ref()).await;
        lock.release();
        put.map_err(|error| HostError::from(error).with_data_folder(home))
    }
}

/// Makes a backup whenever the newest one is a day old, and calls `done` after each. Never returns.
pub(super) async fn back_up_daily(store: Store, home: PathBuf, done: Arc<dyn Fn() + Send + Sync>) {
    loop {
        sleep(CHECK_INTERVAL).await;
        if back_up_if_due(&store, &home).await {
            done();
        }
    }
}

/// Makes a backup if the newest one is a day old. Returns whether it did.
pub(super) async fn back_up_if_due(store: &Store, home: &Path) -> bool {
    let age = Store::backups(home).last().and_then(Backup::age);
    let is_due = age.is_none_or(|age| age > DAY);
    if is_due {
        back_up(store).await;
    }
    is_due
}

/// Makes a backup. If that fails, the last backup remains, and the person's action continues.
pub(super) async fn back_up(store: &Store) {
    report(store.back_up().await.map(drop));
}

/// Replaces all backups if one of them has a format in which less was signed. Restoring its key records would
/// make Mooring trust unsigned data again.
pub(super) async fn replace_earlier_backups(store: &Store) {
    let home = store.path().parent().unwrap_or(Path::new("."));
    if Store::backups(home).iter().any(|backup| backup.format < FIRST_FORMAT_WITH_VOUCHED_SETTINGS) {
        replace_backups(store).await;
    }
}

/// Makes a backup and removes the others, because they contain data that a discarded key encrypts.
pub(super) async fn replace_backups(store: &Store) {
    report(store.renew_backups().await);
}

fn report(made: Result<(), StoreError>) {
    if let Err(error) = made {
        tracing::warn!(%error, "no backup was made of the servers, rules and settings");
    }
}
