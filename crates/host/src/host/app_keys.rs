//! By what apps are known: the key in the entry of each, the token of one that connects over HTTP, and which of the
//! others the person allowed.

use std::time::Duration;

use mooring_app_access::FirstCall;
use mooring_app_key::{AppKey, proof_of};
use mooring_approvals::{AppIdentity, AppStanding};
use mooring_base::app_call::AppCall;
use mooring_base::digest::sha256;
use mooring_base::server_id::ServerId;
use mooring_policy::Caller;
use mooring_process::PeerSession;
use mooring_store::{AppKeyKind, AppKeyRow};
use mooring_vault::{VaultError, random_id};
use mooring_words::Sentence;

use super::Host;
use super::apps::check_name;
use crate::error::HostError;

/// How long an app's call waits for the vault, by which it is known who the app is.
const VAULT_TIMEOUT: Duration = Duration::from_secs(5);
impl Host {
    /// Who an app at the local socket is, by its name and the public key of the key that it says to have. That it has it is
    /// to be proven. The error is for the app.
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

    /// The app that a token belongs to.
    pub async fn identify_app_token(&self, token: &str) -> Option<AppIdentity> {
        self.inner.apps.identify_token(token).await
    }

    /// The caller of an app's call, once the app may use the servers: one that is not proven is asked about before its
    /// first call. `server` works on the call.
    pub async fn admit_app(
        &self,
        app: &AppIdentity,
        server: ServerId,
        method: &str,
        call: &AppCall,
    ) -> Result<Caller, HostError> {
        let apps = &self.inner.apps;
        if apps.standing(app) == AppStanding::Sealed {
            // A keychain that has to be unlocked, or a passphrase, may take the person longer.
            let _late = tokio::time::timeout(VAULT_TIMEOUT, self.inner.sign_ins.open_existing_vault()).await;
        }
        let handle = self.handle(server)?;
        let prompter = handle.shared.responder.prompter(&handle.shared.call_defaults().name);
        let first = FirstCall { method, request: &call.name(), prompter: prompter.as_ref() };
        Ok(self.inner.app_admission.admit(apps, app, first).await?)
    }

    /// Whether the command line in a terminal may use the servers: the person is asked, unless it was decided. False:
    /// nobody can be asked. `request`: the command that waits for it at a server.
    pub async fn admit_terminal(
        &self,
        session: &PeerSession,
        server: ServerId,
        request: &str,
    ) -> Result<bool, HostError> {
        let handle = self.handle(server)?;
        let prompter = handle.shared.responder.prompter(&handle.shared.call_defaults().name);
        Ok(self.inner.terminals.admit(&self.inner.apps, session, prompter.as_ref(), request).await?)
    }

    /// Lets the command line in a terminal use the servers until it closes.
    pub fn allow_terminal(&self, session: &PeerSession) {
        self.inner.terminals.decide(session, true);
    }

    /// The programs of terminals whose command line may always use the servers, by their paths.
    pub fn allowed_terminals(&self) -> Vec<String> {
        self.inner.apps.terminals()
    }

    /// Asks again about terminals of this program; false: they weren't allowed.
    pub async fn forget_terminal(&self, program: &str) -> Result<bool, HostError> {
        self.open_vault_to_forget().await?;
        self.inner.terminals.forget();
        Ok(self.inner.apps.remove_key(program, AppKeyKind::Terminal).await?)
    }

    /// Makes the key of an app by hand, in the place of the one that it had. It is not kept and can't be shown again:
    /// only its hash is.
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

    /// Forgets by what an app was known at the local socket; false: it was not.
    pub async fn remove_app_key(&self, app: &str) -> Result<bool, HostError> {
        let apps = &self.inner.apps;
        self.open_vault_to_forget().await?;
        let had_key = apps.remove_key(app, AppKeyKind::Entry).await?;
        let was_allowed = apps.remove_key(app, AppKeyKind::Allowed).await?;
        self.inner.app_admission.forget(app);
        Ok(had_key || was_allowed)
    }

    /// Makes a token by which an app is known over HTTP, in the place of the one that it had. It is not kept and can't
    /// be shown again: only its hash is.
    pub async fn create_app_token(&self, app: &str) -> Result<String, HostError> {
        check_name(app)?;
        let token = format!("mooring_{}", random_id()?);
        self.keep_proof(app, AppKeyKind::Token, &sha256(&token)).await?;
        Ok(token)
    }

    /// Takes an app's token away; false where it has none. Its sessions end at once.
    pub async fn revoke_app_token(&self, app: &str) -> Result<bool, HostError> {
        self.open_vault_to_forget().await?;
        Ok(self.inner.apps.remove_key(app, AppKeyKind::Token).await?)
    }

    /// Opens the vault before a key or a token goes: one that its document vouches for would come back with the next
    /// start.
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
        // The vault's key vouches for it. Where there is none yet and can be one, it is made.
        if let Err(error) = self.vault().open().await {
            tracing::info!(%error, "the vault was not opened for the key of an app");
        }
        self.open_vault_to_decide().await?;
        Ok(self.inner.apps.set_key(app, kind, proof).await?)
    }

    /// An app as one that calls: what it has proven may change while it is connected.
    pub fn app_caller(&self, app: &AppIdentity) -> Caller {
        self.inner.apps.caller(app)
    }

    /// Whether the key or token of an app was taken away since it connected.
    pub fn is_app_revoked(&self, app: &AppIdentity) -> bool {
        self.inner.apps.standing(app) == AppStanding::Revoked
    }

    /// The tokens of apps.
    pub fn app_tokens(&self) -> Vec<AppKeyRow> {
        let keys = self.inner.apps.keys().into_iter();
        keys.filter(|key| key.kind == AppKeyKind::Token).collect()
    }
}

/// A new key of an app.
pub(super) fn new_app_key() -> Result<AppKey, HostError> {
    AppKey::random().ok_or(HostError::Vault(VaultError::NoRandomness))
}
