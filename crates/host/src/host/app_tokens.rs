//! Tokens of apps that connect over HTTP.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mooring_base::digest::sha256;
use mooring_store::AppTokenRow;
use mooring_vault::random_id;

use super::Host;
use super::apps::check_name;
use crate::error::HostError;

/// How long a token counts that was found, before it is looked for again: another process may have taken it away.
const KNOWN_FOR: Duration = Duration::from_secs(1);

/// The tokens that were found lately. Apps send theirs with every request.
#[derive(Debug, Default)]
pub(super) struct KnownTokens(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Counts the changes that were made here: what was read before one is not remembered after it.
    changes: u64,
    by_hash: HashMap<String, (Instant, AppTokenRow)>,
}

impl KnownTokens {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, hash: &str) -> Option<AppTokenRow> {
        let known = self.known();
        let (since, row) = known.by_hash.get(hash)?;
        (since.elapsed() < KNOWN_FOR).then(|| row.clone())
    }

    /// A token was made or taken away.
    fn forget(&self) {
        let mut known = self.known();
        known.changes += 1;
        known.by_hash.clear();
    }
}

impl Host {
    /// Makes a token by which an app is known, in the place of the one that it had. It is not kept and can't be shown
    /// again: only its hash is.
    pub async fn create_app_token(&self, app: &str) -> Result<String, HostError> {
        check_name(app)?;
        let token = format!("mooring_{}", random_id()?);
        let set = self.inner.store.app_tokens().set(app, &sha256(&token)).await;
        self.inner.known_tokens.forget();
        set?;
        Ok(token)
    }

    /// Takes an app's token away; false where it has none. Its sessions end within a second or two.
    pub async fn revoke_app_token(&self, app: &str) -> Result<bool, HostError> {
        let removed = self.inner.store.app_tokens().remove(app).await;
        self.inner.known_tokens.forget();
        Ok(removed?)
    }

    /// The app that is known by a token. One that another process takes away counts for a second longer.
    pub async fn app_of_token(&self, token: &str) -> Result<Option<AppTokenRow>, HostError> {
        let (hash, known) = (sha256(token), &self.inner.known_tokens);
        if let Some(row) = known.find(&hash) {
            return Ok(Some(row));
        }
        let changes = known.known().changes;
        let Some(row) = self.inner.store.app_tokens().find(&hash).await? else { return Ok(None) };
        let mut known = known.known();
        if known.changes == changes {
            // There are as many as there are apps; those of earlier tokens go with the change.
            known.by_hash.insert(hash, (Instant::now(), row.clone()));
        }
        Ok(Some(row))
    }

    /// The apps with a token.
    pub async fn app_tokens(&self) -> Result<Vec<AppTokenRow>, HostError> {
        Ok(self.inner.store.app_tokens().list().await?)
    }
}
