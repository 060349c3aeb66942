//! The vault: where its key is stored, and the person's actions on it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use mooring_accounts::{AccountServer, SecretVariables, SecretView, SignInService};
use mooring_approvals::{AppStore, NetworkStore, RuleStore, Trust};
use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_server_state::{HostEvent, ServerView, send_event};
use mooring_store::{Secrets, Store};
use mooring_vault::{KeyPlacement, Vault, VaultError, VaultMode, VaultState};
use mooring_words::Sentence;
use secrecy::SecretString;
use tokio::sync::broadcast;

use super::{Host, backup};

/// How old an unreferenced encrypted row must be before it is deleted. The rows of a running sign-in have no
/// references yet.
const ORPHANED_FOR: Duration = Duration::from_hours(1);

/// How long to wait for a keychain that asks the person.
const KEYCHAIN_ANSWER_TIMEOUT: Duration = Duration::from_mins(2);

/// The state of the vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultView {
    /// Its current state.
    pub state: VaultState,
    /// Where its key is stored, or `None` if there is no key yet.
    pub mode: Option<VaultMode>,
    /// How many secrets are encrypted.
    pub secret_count: u64,
}

impl VaultView {
    /// Why it is locked or unavailable, as a stable identifier.
    pub fn reason(&self) -> Option<&'static str> {
        match &self.state {
            VaultState::Locked { why } => Some(why.as_str()),
            VaultState::Unavailable { why } => Some(why.as_str()),
            _ => None,
        }
    }

    /// Why it is waiting, locked or unavailable, as a sentence for the person.
    pub fn message(&self) -> Option<Sentence> {
        match &self.state {
            VaultState::Waiting => Some(VaultError::Waiting.sentence()),
            VaultState::Locked { why } => Some(why.sentence()),
            VaultState::Unavailable { why } => Some(why.sentence()),
            _ => None,
        }
    }

    /// What the person can do.
    pub fn next_step(&self) -> Option<Sentence> {
        match &self.state {
            VaultState::Waiting => VaultError::Waiting.next_step(),
            VaultState::Locked { why } => Some(why.next_step()),
            VaultState::Unavailable { why } => Some(why.next_step()),
            _ => None,
        }
    }
}

impl Host {
    /// The vault that encrypts all secrets.
    pub fn vault(&self) -> &Vault {
        self.inner.sign_ins.vault()
    }

    /// The state of the vault. Never prompts the person.
    pub async fn vault_view(&self) -> Result<VaultView, HostError> {
        let found = self.vault().contents().await?;
        let state = self.vault().state().borrow().clone();
        let mode = match &state {
            VaultState::Open { mode } => Some(*mode),
            _ => found.header.key.map(|key| key.custody.mode()),
        };
        Ok(VaultView { state, mode, secret_count: found.encrypted_rows })
    }

    /// The servers that can't start before the passphrase is entered: those with secrets or an account, while
    /// the vault is locked. Never prompts the person.
    pub async fn servers_waiting_for_passphrase(&self) -> Result<BTreeSet<ServerId>, HostError> {
        let view = self.vault_view().await?;
        if view.mode != Some(VaultMode::Passphrase) || matches!(view.state, VaultState::Open { .. }) {
            return Ok(BTreeSet::new());
        }
        let mut waiting: BTreeSet<ServerId> =
            self.servers_with_login().await?.into_iter().map(|server| server.id).collect();
        let has_secrets = |server: &ServerView| server.config.secrets.iter().any(|secret| secret.entered);
        waiting.extend(self.servers().into_iter().filter(has_secrets).map(|server| server.id));
        Ok(waiting)
    }

    /// The servers that use an account.
    async fn servers_with_login(&self) -> Result<Vec<AccountServer>, HostError> {
        let accounts = self.accounts().await?;
        Ok(accounts.into_iter().flat_map(|account| account.servers).filter(|server| server.chosen).collect())
    }

    /// Opens the vault, or retries after a failure. The result is in the view: a locked keychain is not an
    /// error.
    pub async fn open_vault(&self) -> Result<VaultView, HostError> {
        let state = self.vault().state().borrow().clone();
        let opened = match state {
            VaultState::Locked { .. } | VaultState::Unavailable { .. } | VaultState::Waiting => {
                self.vault().retry().await
            }
            _ => self.vault().open().await,
        };
        if let Err(error) = opened {
            tracing::info!(%error, "the vault was not opened");
        }
        self.vault_view().await
    }

    /// Opens a vault that has a key, so that the key can sign a decision. A short-lived process can't sign
    /// later, so it gets an error if the vault stays closed.
    pub async fn open_vault_to_decide(&self) -> Result<(), HostError> {
        if !self.inner.options.supervise && self.vault_view().await?.mode.is_some() {
            let mut opened = self.vault().open().await;
            if matches!(opened, Err(VaultError::Waiting)) {
                let mut state = self.vault().state();
                let answered = async { state.wait_for(|state| *state != VaultState::Waiting).await.is_ok() };
                let _late = tokio::time::timeout(KEYCHAIN_ANSWER_TIMEOUT, answered).await;
                opened = self.vault().open().await;
            }
            opened?;
        }
        self.inner.sign_ins.open_existing_vault().await;
        Ok(())
    }

    /// Opens the vault with the person's passphrase.
    pub async fn unlock_vault(&self, passphrase: SecretString) -> Result<VaultView, HostError> {
        self.vault().unlock(passphrase).await?;
        self.vault_view().await
    }

    /// Creates the vault's first key, stored where the person chose.
    pub async fn create_vault(&self, choice: KeyPlacement) -> Result<VaultView, HostError> {
        self.vault().create(choice).await?;
        self.vault_view().await
    }

    /// Creates a new key, stored where the person chose, and encrypts everything with it.
    pub async fn rekey_vault(&self, choice: KeyPlacement) -> Result<VaultView, HostError> {
        let _mode = self.vault().open().await?;
        self.vault().rekey(choice).await?;
        sweep(self.vault(), &self.inner.store.secrets()).await;
        backup::replace_backups(&self.inner.store).await;
        self.vault_view().await
    }

    /// Discards the key and everything encrypted, at the person's request: accounts are signed out, and
    /// secret values of servers have to be entered again.
    pub async fn start_over_vault(&self) -> Result<VaultView, HostError> {
        let servers = self.servers_with_login().await?;
        self.vault().start_over().await?;
        backup::replace_backups(&self.inner.store).await;
        self.inner.registry.reconcile().await?;
        if self.inner.options.supervise {
            for server in servers {
                self.inner.registry.restart_if_enabled(server.id);
            }
        }
        send_event(&self.inner.events, HostEvent::AccountsChanged);
        self.vault_view().await
    }

    /// The secrets that the person's own calls may include.
    pub fn secret_variables(&self) -> SecretVariables<'_> {
        SecretVariables::new(&self.inner.store, self.vault(), &self.inner.journal)
    }

    /// The encrypted values of all servers, without their contents.
    pub async fn secrets(&self) -> Result<Vec<SecretView>, HostError> {
        let named = self.servers().into_iter().map(|server| (server.id, server.config.name));
        Ok(self.inner.secrets.list(named.collect()).await?)
    }
}

/// Registers a hook that runs whenever the vault is opened: it writes the pending integrity records of what this
/// process changed, then reads rules and approvals again, before anyone learns that the vault is open.
pub(super) fn register_opened_hook(
    store: &Store,
    sign_ins: &SignInService,
    rules: &Arc<RuleStore>,
    apps: &Arc<AppStore>,
    trust: &Arc<Trust>,
    network: &Arc<NetworkStore>,
) {
    // Weak references, because these stores own the vault that owns this hook.
    let (store, rules) = (store.clone(), Arc::downgrade(rules));
    let (apps, trust, network) = (Arc::downgrade(apps), Arc::downgrade(trust), Arc::downgrade(network));
    sign_ins.on_vault_opened(move || {
        let known = rules.upgrade().zip(apps.upgrade()).zip(trust.upgrade()).zip(network.upgrade());
        let store = store.clone();
        Box::pin(async move {
            let Some((((rules, apps), trust), network)) = known else { return Ok(()) };
            let done = async {
                store.write_pending_integrity().await?;
                // The network settings must be in force before anything is decrypted.
                network.reload().await?;
                backup::replace_earlier_backups(&store).await;
                rules.reload().await?;
                apps.reload().await?;
                Ok(trust.reload().await?)
            };
            done.await.map_err(|error: HostError| error.sentence())
        })
    });
}

/// Sends the vault's state to front ends, and cleans up once after the vault first opens. By then, the
/// keychain has already granted access, so the cleanup does not prompt the person.
pub(super) async fn watch(
    vault: Vault,
    secrets: Secrets,
    events: broadcast::Sender<HostEvent>,
    sweeps: bool,
) {
    let mut state = vault.state();
    let mut to_do = sweeps;
    while state.changed().await.is_ok() {
        let now = state.borrow_and_update().clone();
        send_event(&events, HostEvent::VaultChanged);
        if to_do && matches!(now, VaultState::Open { .. }) {
            to_do = false;
            sweep(&vault, &secrets).await;
        }
    }
}

/// Deletes former keys and unreferenced rows.
async fn sweep(vault: &Vault, secrets: &Secrets) {
    let keychain = matches!(*vault.state().borrow(), VaultState::Open { mode: VaultMode::Keychain });
    if keychain && let Err(error) = vault.remove_old_entries().await {
        tracing::debug!(%error, "entries stay in the keychain until the next sweep");
    }
    if let Err(error) = secrets.remove_orphans(ORPHANED_FOR).await {
        tracing::debug!(%error, "rows that nothing refers to stay until the next sweep");
    }
}
