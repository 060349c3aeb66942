//! How apps are identified: by the key in their entry, by the token of an app that connects over HTTP, or by
//! the person's permission.

use std::time::Duration;

use mooring_app_access::FirstCall;
use mooring_app_key::{AppKey, proof_of};
use mooring_approvals::{AppIdentity, AppStanding};
use mooring_base::app_call::AppCall;
use mooring_base::digest::sha256;
use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_policy::Caller;
use mooring_process::PeerSession;
use mooring_store::{AppKeyKind, AppKeyRow};
use mooring_vault::{VaultError, random_id};
use mooring_words::Sentence;

use super::Host;
use super::apps::check_name;

/// How long an app's call waits for the vault, which is needed to verify the app.
const VAULT_TIMEOUT: Duration = Duration::from_secs(5);
impl Host {
    /// The identity of an app at the local socket, from its name and the public key that it claims. The app
    /// still has to prove that it has the key. The error is for the app.
    pub async fn identify_app(
        &self,
        name: &str,
        public_key: Option<&str>,
        program: Option<String>,
    ) -> Result<AppIdentity, Sentence> {
        let apps = &self.inner.apps;
        let identity = apps.identify(name, public_key.map(proof_of), program).await?;
        if public_key.is_none() && !apps.has_app(name) {
            mooring_apps::check_new_name(name)?;
        }
        Ok(identity)
    }

    /// The app that a token belongs to, if any.
    pub async fn identify_app_token(&self, token: &str) -> Option<AppIdentity> {
        self.inner.apps.identify_token(token).await
    }

    /// Admits an app's call to `server` and returns its caller. An unverified app needs the person's
    /// permission before its first call.
    pub async fn admit_app(
        &self,
        app: &AppIdentity,
        server: ServerId,
        method: &str,
        call: &AppCall,
    ) -> Result<Caller, HostError> {
        let apps = &self.inner.apps;
        if apps.standing(app) == AppStanding::Sealed {
            // The person may need longer to unlock the keychain or enter a passphrase.
            let _late = tokio::time::timeout(VAULT_TIMEOUT, self.inner.sign_ins.open_existing_vault()).await;
        }
        let handle = self.handle(server)?;
        let prompter = handle.prompter();
        let first = FirstCall { method, request: &call.name(), prompter: prompter.as_ref() };
        Ok(self.inner.app_admission.admit(apps, app, first).await?)
    }

    /// Whether the command line in a terminal may use the servers. Asks the person unless that was decided.
    /// Returns `false` if there is no person to ask. `request` names the server and the command that waits.
    pub async fn admit_terminal(
        &self,
        session: &PeerSession,
        server: ServerId,
        request: &str,
    ) -> Result<bool, HostError> {
        let handle = self.handle(server)?;
        let prompter = handle.prompter();
        Ok(self.inner.terminals.admit(&self.inner.apps, session, prompter.as_ref(), request).await?)
    }

    /// Allows the command line in a terminal to use the servers until the terminal closes.
    pub fn allow_terminal(&self, session: &PeerSession) {
        self.inner.terminals.decide(session, true);
    }

    /// The paths of the terminal programs that are always allowed to use the servers.
    pub fn allowed_terminals(&self) -> Vec<String> {
        self.inner.apps.terminals()
    }

    /// Revokes the permission of a terminal program. Returns `false` if it had none.
    pub async fn forget_terminal(&self, program: &str) -> Result<bool, HostError> {
        self.open_vault_to_forget().await?;
        self.inner.terminals.forget();
        Ok(self.inner.apps.remove_key(program, AppKeyKind::Terminal).await?)
    }

    /// Creates a key for an app that is set up manually, and replaces its earlier key. Only a hash is saved,
    /// so the key can't be shown again.
    pub async fn create_app_key(&self, app: &str) -> Result<AppKey, HostError> {
        check_name(app)?;
        if mooring_apps::app(app).is_none() && !self.inner.apps.has_app(app) {
            mooring_apps::check_new_name(app)
                .map_err(|message| HostError::InvalidSetting { field: "app", message })?;
        }
        let key = new_app_key()?;
        self.keep_app_key(app, &key).await?;
        self.inner.app_admission.forget(app);
        Ok(key)
    }

    /// Removes the identification of an app at the local socket. Returns `false` if it had none.
    pub async fn remove_app_key(&self, app: &str) -> Result<bool, HostError> {
        let apps = &self.inner.apps;
        self.open_vault_to_forget().await?;
        let had_key = apps.remove_key(app, AppKeyKind::Entry).await?;
        let was_allowed = apps.remove_key(app, AppKeyKind::Allowed).await?;
        self.inner.app_admission.forget(app);
        Ok(had_key || was_allowed)
    }

    /// Creates a token for an app that connects over HTTP, and replaces its earlier one. Only a hash is
    /// saved, so the token can't be shown again.
    pub async fn create_app_token(&self, app: &str) -> Result<String, HostError> {
        check_name(app)?;
        let token = format!("mooring_{}", random_id()?);
        self.keep_proof(app, AppKeyKind::Token, &sha256(&token)).await?;
        Ok(token)
    }

    /// Revokes an app's token and ends its sessions immediately. Returns `false` if it has none.
    pub async fn revoke_app_token(&self, app: &str) -> Result<bool, HostError> {
        self.open_vault_to_forget().await?;
        Ok(self.inner.apps.remove_key(app, AppKeyKind::Token).await?)
    }

    /// Opens the vault before a key or token is removed. Otherwise the signed record in the vault would
    /// restore it at the next start.
    pub(super) async fn open_vault_to_forget(&self) -> Result<(), HostError> {
        self.open_vault_to_decide().await?;
        if self.inner.apps.is_sealed() {
            self.vault().open().await?;
        }
        Ok(())
    }

    pub(super) async fn keep_app_key(&self, app: &str, key: &AppKey) -> Result<(), HostError> {
        self.keep_proof(app, AppKeyKind::Entry, &proof_of(&key.public())).await
    }

    async fn keep_proof(&self, app: &str, kind: AppKeyKind, proof: &str) -> Result<(), HostError> {
        // The vault's key signs it. If there is none yet, it is created if possible.
        if let Err(error) = self.vault().open().await {
            tracing::info!(%error, "the vault was not opened for the key of an app");
        }
        self.open_vault_to_decide().await?;
        Ok(self.inner.apps.set_key(app, kind, proof).await?)
    }

    /// The caller for an app. Whether it is verified may change while it is connected.
    pub fn app_caller(&self, app: &AppIdentity) -> Caller {
        self.inner.apps.caller(app)
    }

    /// Whether an app's key or token was revoked after it connected.
    pub fn is_app_revoked(&self, app: &AppIdentity) -> bool {
        self.inner.apps.standing(app) == AppStanding::Revoked
    }

    /// The tokens of all apps.
    pub fn app_tokens(&self) -> Vec<AppKeyRow> {
        let keys = self.inner.apps.keys().into_iter();
        keys.filter(|key| key.kind == AppKeyKind::Token).collect()
    }
}

/// Generates a key for an app.
pub(super) fn new_app_key() -> Result<AppKey, HostError> {
    AppKey::random().ok_or(HostError::Vault(VaultError::NoRandomness))
}
