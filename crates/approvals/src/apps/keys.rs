//! Proofs of an app's identity: keys, tokens and permissions. Only what Mooring itself has written counts.

use mooring_base::clock::now_us;
use mooring_store::{AppKeyKind, AppKeyRow, StoreError};
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

    /// The proof of this kind that an app has.
    pub fn key(&self, app: &str, kind: AppKeyKind) -> Option<AppKeyRow> {
        self.find_key(|row| row.app == app && row.kind == kind)
    }

    /// The app with this proof of a kind: a hash of its key or token.
    pub fn app_with_proof(&self, kind: AppKeyKind, proof: &str) -> Option<AppKeyRow> {
        self.find_key(|row| row.kind == kind && row.proof == proof)
    }

    /// A row that Mooring wrote is preferred to any other.
    fn find_key(&self, is_meant: impl Fn(&AppKeyRow) -> bool) -> Option<AppKeyRow> {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        rows.keys.iter().filter(|row| is_meant(row)).max_by_key(|row| row.is_vouched).cloned()
    }

    /// Whether rows can be verified only once the vault is open.
    pub fn is_sealed(&self) -> bool {
        self.rows.read().unwrap_or_else(PoisonError::into_inner).is_sealed
    }

    /// Saves the proof of an app, in the place of the one of this kind. It is on the disk when this returns.
    pub async fn set_key(&self, app: &str, kind: AppKeyKind, proof: &str) -> Result<(), StoreError> {
        let _turn = self.change_lock.lock().await;
        self.keys.set(app, kind, proof).await?;
        self.read().await
    }

    /// Removes the proof of this kind that an app had; false: it had none.
    pub async fn remove_key(&self, app: &str, kind: AppKeyKind) -> Result<bool, StoreError> {
        let _turn = self.change_lock.lock().await;
        let removed = self.keys.remove(app, kind).await?;
        self.read().await?;
        Ok(removed)
    }

    /// Records that a key was used, at most once a minute.
    pub async fn record_key_use(&self, key: &AppKeyRow) {
        let now = now_us();
        if key.used_at_us.is_some_and(|at| (0..USE_INTERVAL_US).contains(&(now - at))) {
            return;
        }
        let _turn = self.change_lock.lock().await;
        let saved = async {
            self.keys.set_used(&key.app, key.kind, now).await?;
            self.read().await
        };
        if let Err(error) = saved.await {
            tracing::warn!(%error, "when an app last used its key could not be saved");
        }
    }
}
