//! Proofs of apps' identities: keys, tokens and allowed names. Only proofs that Mooring itself wrote are
//! trusted.

use mooring_base::clock::now_us;
use mooring_disk::StoreError;
use mooring_store::{AppKeyKind, AppKeyRow};
use std::sync::PoisonError;

use super::{AppStore, USE_INTERVAL_US};

impl AppStore {
    /// The proofs of all apps.
    pub fn keys(&self) -> Vec<AppKeyRow> {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        rows.keys.iter().filter(|row| row.kind != AppKeyKind::Terminal).cloned().collect()
    }

    /// The programs of terminals that the person allowed, by their paths.
    pub fn terminals(&self) -> Vec<String> {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        let allowed = rows.keys.iter().filter(|row| row.kind == AppKeyKind::Terminal && row.is_vouched);
        allowed.map(|row| row.app.clone()).collect()
    }

    /// An app's proof of this kind.
    pub fn key(&self, app: &str, kind: AppKeyKind) -> Option<AppKeyRow> {
        self.find_preferred_key(|row| row.app == app && row.kind == kind)
    }

    /// The row with this proof. `proof` is the hash of a key or token.
    pub fn app_with_proof(&self, kind: AppKeyKind, proof: &str) -> Option<AppKeyRow> {
        self.find_preferred_key(|row| row.kind == kind && row.proof == proof)
    }

    /// The matching row. If there are several, one that Mooring wrote is preferred.
    fn find_preferred_key(&self, is_meant: impl Fn(&AppKeyRow) -> bool) -> Option<AppKeyRow> {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        rows.keys.iter().filter(|row| is_meant(row)).max_by_key(|row| row.is_vouched).cloned()
    }

    /// Whether rows can be verified only once the vault is open.
    pub fn is_sealed(&self) -> bool {
        self.rows.read().unwrap_or_else(PoisonError::into_inner).is_sealed
    }

    /// Saves a proof of an app, and replaces the one of the same kind. The change is on the disk when this
    /// returns.
    pub async fn set_key(&self, app: &str, kind: AppKeyKind, proof: &str) -> Result<(), StoreError> {
        let _turn = self.change_lock.lock().await;
        self.keys.set(app, kind, proof).await?;
        self.read_rows().await
    }

    /// Removes an app's proof of this kind. False if there is none.
    pub async fn remove_key(&self, app: &str, kind: AppKeyKind) -> Result<bool, StoreError> {
        let _turn = self.change_lock.lock().await;
        let removed = self.keys.remove(app, kind).await?;
        self.read_rows().await?;
        Ok(removed)
    }

    /// Records that a key was used. The time is saved at most once a minute.
    pub async fn record_key_use(&self, key: &AppKeyRow) {
        let now = now_us();
        if key.used_at_us.is_some_and(|at| (0..USE_INTERVAL_US).contains(&(now - at))) {
            return;
        }
        let _turn = self.change_lock.lock().await;
        let saved = async {
            self.keys.set_used(&key.app, key.kind, now).await?;
            self.read_rows().await
        };
        if let Err(error) = saved.await {
            tracing::warn!(%error, "when an app last used its key could not be saved");
        }
    }
}
