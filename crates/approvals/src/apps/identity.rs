//! The identity of an app. Any program can use a name. Only the key or token that Mooring made for the name
//! proves it.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use mooring_base::digest::sha256;
use mooring_policy::Caller;
use mooring_store::AppKeyKind;
use mooring_words::{Sentence, say};
use tokio::time::{Instant, sleep};

use super::AppStore;

/// The least time between two reads of the database for unknown keys.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// An app that is connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppIdentity {
    /// The name that the app gives.
    pub name: Arc<str>,
    /// The path of its program, or its name if the system hides the path. `None` if neither is known.
    pub program: Option<Arc<str>>,
    /// The kind and the hash of the app's key or token.
    proof: Option<(AppKeyKind, String)>,
}

/// How far the identity of an app is proven now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppStanding {
    /// Its key or token is valid.
    Proven,
    /// The app has no key, or a key that can't be verified. The person is asked about each call. True if the
    /// person allowed the name.
    Keyless(bool),
    /// Its key can only be verified once the vault is open.
    Sealed,
    /// Its key was revoked or replaced.
    Revoked,
}

impl AppIdentity {
    /// An app that only gives its name.
    pub fn keyless(name: &str, program: Option<String>) -> Self {
        Self { name: name.into(), program: program.map(Arc::from), proof: None }
    }

    /// An app with a key or token.
    fn with_proof(name: &str, program: Option<String>, kind: AppKeyKind, proof: String) -> Self {
        Self { proof: Some((kind, proof)), ..Self::keyless(name, program) }
    }
}

impl AppStore {
    /// Identifies an app at the local socket, by its name and the hash of the public key in its entry, if it
    /// has one. The app still has to prove that it has the private key. The error is for the app.
    pub async fn identify(
        &self,
        name: &str,
        proof: Option<String>,
        program: Option<String>,
    ) -> Result<AppIdentity, Sentence> {
        let Some(proof) = proof else {
            let own = self.key(name, AppKeyKind::Entry);
            return match own.filter(|row| row.is_vouched || self.is_sealed()) {
                Some(_) => Err(say!(
                    "this entry has no key, but {app} has one: renew the entry in Mooring under Apps, or with `mooring connect {app}` or `mooring apps add {app}`",
                    app = name
                )),
                None => Ok(AppIdentity::keyless(name, program)),
            };
        };
        match self.find_app_with_proof(AppKeyKind::Entry, &proof).await {
            Some(owner) if &*owner == name => {
                Ok(AppIdentity::with_proof(name, program, AppKeyKind::Entry, proof))
            }
            Some(owner) => Err(say!(
                "this entry has {owner}’s key: connect {app} in Mooring",
                owner = &*owner,
                app = name
            )),
            None => Err(revoked(name)),
        }
    }

    /// Identifies the app that a token belongs to. `None` if the token is unknown.
    pub async fn identify_token(&self, token: &str) -> Option<AppIdentity> {
        let proof = sha256(token);
        let owner = self.find_app_with_proof(AppKeyKind::Token, &proof).await?;
        Some(AppIdentity::with_proof(&owner, None, AppKeyKind::Token, proof))
    }

    /// The app with this proof. If it is unknown, another process may just have created the proof, so the
    /// table is read again.
    async fn find_app_with_proof(&self, kind: AppKeyKind, proof: &str) -> Option<Arc<str>> {
        let find = || self.app_with_proof(kind, proof).map(|row| Arc::from(row.app));
        if let Some(known) = find() {
            return Some(known);
        }
        let arrived = Instant::now();
        let mut looked = self.looked_at.lock().await;
        // If the table was read after this call began, that is recent enough. Therefore it is rarely read,
        // however many apps connect.
        if looked.is_none_or(|at| at < arrived) {
            if let Some(at) = *looked {
                sleep(LOOK_AGAIN.saturating_sub(at.elapsed())).await;
            }
            *looked = Some(Instant::now());
            if let Err(error) = self.reload().await {
                tracing::warn!(%error, "the keys of apps could not be read again");
            }
        }
        drop(looked);
        find()
    }

    /// How far the identity of an app is proven now. After the app connected, its key may have been revoked,
    /// or the vault opened.
    pub fn standing(&self, app: &AppIdentity) -> AppStanding {
        let is_allowed = || self.key(&app.name, AppKeyKind::Allowed).is_some_and(|row| row.is_vouched);
        let Some((kind, proof)) = &app.proof else { return AppStanding::Keyless(is_allowed()) };
        match self.app_with_proof(*kind, proof).filter(|row| row.app == *app.name) {
            Some(row) if row.is_vouched => AppStanding::Proven,
            Some(_) if self.is_sealed() => AppStanding::Sealed,
            Some(_) => AppStanding::Keyless(is_allowed()),
            None => AppStanding::Revoked,
        }
    }

    /// The app as the caller in a request.
    pub fn caller(&self, app: &AppIdentity) -> Caller {
        match self.standing(app) {
            AppStanding::Proven => Caller::app(&app.name),
            AppStanding::Sealed => Caller::app_with_sealed_key(&app.name),
            _ => Caller::app_without_key(&app.name),
        }
    }

    /// Whether an app was connected or used before apps had keys. Such an app may continue without a key.
    pub fn predates_keys(&self, name: &str) -> bool {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        rows.rows.iter().any(|row| row.name == name && row.predates_keys)
    }

    /// Whether an app of this name was connected, set up or used before.
    pub fn has_app(&self, name: &str) -> bool {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        rows.rows.iter().any(|row| row.name == name) || rows.keys.iter().any(|key| key.app == name)
    }
}

/// The error for an app whose key was revoked or replaced.
pub fn revoked(name: &str) -> Sentence {
    say!(
        "the key of this entry is no longer valid: renew the entry in Mooring under Apps, or with `mooring connect {app}` or `mooring apps add {app}`, and restart the app",
        app = name
    )
}
