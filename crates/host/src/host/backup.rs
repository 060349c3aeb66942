//! Backups of what the person entered, and putting one back.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mooring_store::{Backup, Store, StoreError};
use tokio::time::sleep;

use super::Host;
use super::lock_folder;
use crate::error::HostError;

/// The database's format from which on each secret is bound to what it is for, and the settings are vouched for that say
/// where secrets go.
const FIRST_FORMAT_WITH_VOUCHED_SETTINGS: i64 = 24;
/// How old the newest backup may be while there is something to back up.
const DAY: Duration = Duration::from_hours(24);
/// How often it is looked at, and how long after the start for the first time: until then there are other things to do.
const CHECK_INTERVAL: Duration = Duration::from_mins(10);

impl Host {
    /// The backups in a data folder, newest first.
    pub fn backups(home: &Path) -> Vec<Backup> {
        let mut backups = Store::backups(home);
        backups.reverse();
        backups
    }

    /// Makes the data of a folder what one of its backups holds, which is named by when it was made; empty data where
    /// none is named. What is there goes into a folder of its own, whose path is the answer. Refused while a window
    /// has the folder open or a command works in it.
    pub async fn restore(home: &Path, at_us: Option<i64>) -> Result<Option<PathBuf>, HostError> {
        let backup = match at_us {
            None => None,
            Some(at_us) => {
                let found = Store::backups(home).into_iter().find(|backup| backup.at_us == at_us);
                Some(found.ok_or(HostError::NoSuchBackup)?)
            }
        };
        // Nobody else may start servers from it meanwhile.
        let lock = lock_folder(home).await?;
        let put = Store::replace(home, backup.as_ref()).await;
        lock.release();
        put.map_err(|error| HostError::from(error).with_data_folder(home))
    }
}

/// Makes a backup when the newest is a day old, as long as the host runs, and tells that it did.
pub(super) async fn back_up_daily(store: Store, home: PathBuf, done: Arc<dyn Fn() + Send + Sync>) {
    loop {
        sleep(CHECK_INTERVAL).await;
        if back_up_if_due(&store, &home).await {
            done();
        }
    }
}

/// Makes a backup when the newest is a day old. Whether it was.
pub(super) async fn back_up_if_due(store: &Store, home: &Path) -> bool {
    let age = Store::backups(home).last().and_then(Backup::age);
    let is_due = age.is_none_or(|age| age > DAY);
    if is_due {
        back_up(store).await;
    }
    is_due
}

/// Makes a backup. Where that fails the last one stays, and what the person does goes on.
pub(super) async fn back_up(store: &Store) {
    report(store.back_up().await.map(drop));
}

/// Renews the backups where one is of a time in which the key vouched for less: what it holds of the key, put back, would
/// have things taken over again.
pub(super) async fn replace_earlier_backups(store: &Store) {
    let home = store.path().parent().unwrap_or(Path::new("."));
    if Store::backups(home).iter().any(|backup| backup.format < FIRST_FORMAT_WITH_VOUCHED_SETTINGS) {
        replace_backups(store).await;
    }
}

/// Makes a backup and removes the others: they hold what is sealed under a key that is given up.
pub(super) async fn replace_backups(store: &Store) {
    report(store.renew_backups().await);
}

fn report(made: Result<(), StoreError>) {
    if let Err(error) = made {
        tracing::warn!(%error, "no backup was made of the servers, rules and settings");
    }
}
