//! The vault, as the host uses it.

mod core;
mod keyring;
mod proof;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use secrecy::{ExposeSecret, SecretBox, SecretString};
use tokio::sync::watch;
use tokio::task::JoinSet;

use self::core::{KeychainWait, VaultCore};
use self::keyring::{Keyring, LoadedKey};
use crate::encryption::{self, EncryptedBlob};
use crate::error::{LockReason, VaultError};
use crate::header::KdfParams;
use crate::key::Fingerprint;
use crate::keychain::thread::KeychainThread;
use crate::keychain::{ConnectKeychain, system::system_keychain};
use crate::passphrase;
use crate::state::{VaultMode, VaultState};
use crate::storage::{VaultContents, VaultStorage};

/// Where a new key is stored.
pub enum KeyPlacement {
    /// In the system's keychain.
    Keychain,
    /// In the header, wrapped with this passphrase.
    Passphrase(SecretString),
    /// Only in memory, until the process ends. Encrypted data is lost then.
    Memory,
}

/// Asks the person for the passphrase. The argument is true if the previous one was wrong. Returns `None` if
/// the person cancels. Called on a separate thread, so it may take as long as the person needs.
pub type PassphrasePrompt = Arc<dyn Fn(bool) -> Option<SecretString> + Send + Sync>;

/// Options of a vault.
pub struct VaultOptions {
    /// The keychain.
    pub keychain: ConnectKeychain,
    /// How long the keychain may take before the state becomes [`VaultState::Waiting`].
    pub notice: Duration,
    /// How much longer the keychain may take if a caller waits for the result.
    pub patience: Duration,
    /// The parameters that derive a key from a passphrase.
    pub kdf: KdfParams,
    /// Asks for the passphrase when the vault is opened. If it is `None`, the vault is locked until
    /// [`unlock`](Vault::unlock).
    pub passphrase: Option<PassphrasePrompt>,
}

impl Default for VaultOptions {
    fn default() -> Self {
        Self {
            keychain: system_keychain(),
            notice: Duration::from_secs(3),
            patience: Duration::from_mins(2),
            kdf: KdfParams::RECOMMENDED,
            passphrase: None,
        }
    }
}

/// A weak reference to a vault.
#[derive(Clone, Debug)]
pub struct WeakVault {
    core: Weak<VaultCore>,
    opening: Weak<Mutex<JoinSet<()>>>,
}

impl WeakVault {
    /// The vault, if it still exists.
    pub fn upgrade(&self) -> Option<Vault> {
        Some(Vault { core: self.core.upgrade()?, opening_task: self.opening.upgrade()? })
    }
}

/// Encrypts and decrypts with its key. Cheap to clone. Dropping the last clone removes the key from memory.
#[derive(Clone)]
pub struct Vault {
    core: Arc<VaultCore>,
    /// The task that opens the vault, if one is running. It ends when the last clone is dropped.
    opening_task: Arc<Mutex<JoinSet<()>>>,
}

impl Vault {
    /// Creates a closed vault. It does not use the keychain before [`open`](Self::open).
    pub fn new(records: Arc<dyn VaultStorage>, options: VaultOptions) -> Self {
        let core = VaultCore {
            records,
            keychain: KeychainThread::new(options.keychain),
            keyring: Mutex::new(Keyring::default()),
            state: watch::Sender::new(VaultState::Closed),
            work_lock: tokio::sync::Mutex::default(),
            notice: options.notice,
            patience: options.patience,
            kdf: options.kdf,
            passphrase: options.passphrase,
        };
        Self { core: Arc::new(core), opening_task: Arc::default() }
    }

    /// A reference that does not keep the vault alive.
    pub fn downgrade(&self) -> WeakVault {
        WeakVault { core: Arc::downgrade(&self.core), opening: Arc::downgrade(&self.opening_task) }
    }

    /// A receiver of the vault's state.
    pub fn state(&self) -> watch::Receiver<VaultState> {
        self.core.state.subscribe()
    }

    /// Loads the key. If the profile has no key, creates one in the system's keychain.
    ///
    /// Returns within a few seconds. If the keychain takes longer, the error is [`VaultError::Waiting`], and
    /// the request to it continues. If the vault is locked or has no keychain, fails immediately and does not
    /// ask the person again until [`retry`](Self::retry), [`unlock`](Self::unlock) or
    /// [`create`](Self::create) is called. If the profile could not be read, it is read again.
    pub async fn open(&self) -> Result<VaultMode, VaultError> {
        let asks_nobody = matches!(
            *self.core.state.borrow(),
            VaultState::Closed | VaultState::Locked { why: LockReason::Records(_) }
        );
        if asks_nobody {
            self.start_opening(&mut self.lock_opening_task());
        }
        self.wait_until_opened().await
    }

    /// Opens the vault again because the person requested it. Uses a new connection to the keychain, whatever
    /// the state of the old one.
    pub async fn retry(&self) -> Result<VaultMode, VaultError> {
        {
            let mut opening = self.lock_opening_task();
            *opening = JoinSet::new();
            self.core.keychain.replace();
            self.start_opening(&mut opening);
        }
        self.wait_until_opened().await
    }

    /// Loads the current key again after [`VaultError::OtherKey`] or a similar error of the host's database,
    /// because another process may have changed it.
    pub async fn refresh(&self) -> Result<VaultMode, VaultError> {
        let open = matches!(*self.core.state.borrow(), VaultState::Open { .. });
        if open {
            self.start_opening(&mut self.lock_opening_task());
        }
        self.wait_until_opened().await
    }

    fn lock_opening_task(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.opening_task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a task that opens the vault, unless one is running.
    fn start_opening(&self, opening: &mut JoinSet<()>) {
        while opening.try_join_next().is_some() {}
        if !opening.is_empty() {
            return;
        }
        self.core.state.send_replace(VaultState::Opening);
        let core = Arc::clone(&self.core);
        opening.spawn(async move {
            let _turn = core.work_lock.lock().await;
            let state = core.open().await;
            core.state.send_replace(state);
        });
    }

    /// Waits for the task that opens the vault. If the task was stopped, the error is [`VaultError::Closed`].
    async fn wait_until_opened(&self) -> Result<VaultMode, VaultError> {
        let mut state = self.state();
        let settled = state.wait_for(|state| *state != VaultState::Opening).await;
        match settled.map_err(|_| VaultError::Closed)?.clone() {
            VaultState::Open { mode } => Ok(mode),
            VaultState::Waiting => Err(VaultError::Waiting),
            VaultState::Locked { why } => Err(VaultError::Locked(why)),
            VaultState::Unavailable { why } => Err(VaultError::Unavailable(why)),
            VaultState::Closed | VaultState::Opening => Err(VaultError::Closed),
        }
    }

    /// Creates the first key in the place that the person chose. Fails if there is a key or anything
    /// encrypted.
    pub async fn create(&self, choice: KeyPlacement) -> Result<VaultMode, VaultError> {
        if let KeyPlacement::Passphrase(words) = &choice {
            passphrase::check_length(words)?;
        }
        let before = self.stop_opening();
        let _turn = self.core.work_lock.lock().await;
        let made = self.core.create_first_key(choice, KeychainWait::Limited).await;
        self.publish_result(made.and_then(|mode| mode.ok_or(VaultError::NotEmpty)), before)
    }

    /// Unwraps the key with the person's passphrase.
    pub async fn unlock(&self, passphrase: SecretString) -> Result<VaultMode, VaultError> {
        let before = self.stop_opening();
        let _turn = self.core.work_lock.lock().await;
        let unlocked = self.core.unlock(passphrase).await;
        self.publish_result(unlocked, before)
    }

    /// Ends a running attempt to open the vault. Callers that wait for it get the error
    /// [`VaultError::Closed`]. Returns the state.
    fn stop_opening(&self) -> VaultState {
        let mut opening = self.lock_opening_task();
        *opening = JoinSet::new();
        self.core.keychain.replace();
        self.core.state.send_if_modified(|state| {
            let opens = matches!(state, VaultState::Opening | VaultState::Waiting);
            if opens {
                *state = VaultState::Closed;
            }
            opens
        });
        self.core.state.borrow().clone()
    }

    fn publish_result(
        &self,
        result: Result<VaultMode, VaultError>,
        before: VaultState,
    ) -> Result<VaultMode, VaultError> {
        self.core.state.send_replace(match &result {
            Ok(mode) => VaultState::Open { mode: *mode },
            Err(_) => before,
        });
        result
    }

    /// Creates a new key in the place that the person chose, and encrypts everything with it. Returns the
    /// number of rows. Even after a failure at any point, the key that the header names decrypts everything.
    pub async fn rekey(&self, choice: KeyPlacement) -> Result<u64, VaultError> {
        if let KeyPlacement::Passphrase(words) = &choice {
            passphrase::check_length(words)?;
        }
        let _turn = self.core.work_lock.lock().await;
        self.core.rekey(choice).await.map(|(_, rows)| rows)
    }

    /// Removes this profile's old keys from the keychain. Returns the number of entries.
    pub async fn remove_old_entries(&self) -> Result<u64, VaultError> {
        let _turn = self.core.work_lock.lock().await;
        self.core.remove_old_entries().await
    }

    /// Discards the key and all encrypted data, because the person requested it.
    pub async fn start_over(&self) -> Result<(), VaultError> {
        self.stop_opening();
        let _turn = self.core.work_lock.lock().await;
        self.core.start_over().await
    }

    /// Removes the key from memory.
    pub async fn close(&self) {
        self.stop_opening();
        let _turn = self.core.work_lock.lock().await;
        self.core.with_keyring(|ring| *ring = Keyring::default());
        self.core.state.send_replace(VaultState::Closed);
    }

    /// The header, and the number of encrypted rows. Never asks the person.
    pub async fn contents(&self) -> Result<VaultContents, VaultError> {
        self.core.read_contents().await
    }

    /// Encrypts a secret for the row with this id, and only for this purpose.
    pub fn encrypt(
        &self,
        id: &str,
        purpose: &str,
        secret: &SecretString,
    ) -> Result<EncryptedBlob, VaultError> {
        let key_in_use = self.current_key()?;
        encryption::encrypt_secret(
            &key_in_use.key,
            key_in_use.fingerprint,
            id,
            purpose,
            secret.expose_secret().as_bytes(),
        )
    }

    /// Encrypts a secret as the previous version did, for tests of the upgrade.
    #[cfg(debug_assertions)]
    #[doc(hidden)]
    pub fn encrypt_unbound(
        &self,
        id: &str,
        kind: &str,
        secret: &SecretString,
    ) -> Result<EncryptedBlob, VaultError> {
        let key_in_use = self.current_key()?;
        encryption::encrypt_unbound(
            &key_in_use.key,
            key_in_use.fingerprint,
            id,
            kind,
            secret.expose_secret().as_bytes(),
        )
    }

    /// Decrypts the secret in the row with this id. The purpose is what the caller is about to use the secret
    /// for. It must never come from the row itself.
    pub fn decrypt(
        &self,
        id: &str,
        purpose: &str,
        sealed: &EncryptedBlob,
    ) -> Result<SecretString, VaultError> {
        let key_in_use = self.key_for(sealed.key)?;
        let opened: SecretBox<Vec<u8>> = encryption::decrypt_secret(&key_in_use.key, id, purpose, sealed)?;
        encryption::into_text(opened.expose_secret())
    }

    /// Encrypts a document of the host for this scope.
    pub fn encrypt_document(&self, scope: &str, text: &[u8]) -> Result<EncryptedBlob, VaultError> {
        let key_in_use = self.current_key()?;
        encryption::encrypt_document(&key_in_use.key, key_in_use.fingerprint, scope, text)
    }

    /// Decrypts a document of the host.
    pub fn decrypt_document(
        &self,
        scope: &str,
        sealed: &EncryptedBlob,
    ) -> Result<SecretBox<Vec<u8>>, VaultError> {
        encryption::decrypt_document(&self.key_for(sealed.key)?.key, scope, sealed)
    }

    /// The fingerprint of the key in memory.
    pub fn key_fingerprint(&self) -> Option<Fingerprint> {
        self.core.with_keyring(|ring| ring.current()).map(|key_in_use| key_in_use.fingerprint)
    }

    fn current_key(&self) -> Result<LoadedKey, VaultError> {
        self.core.with_keyring(|ring| ring.current()).ok_or_else(|| self.unavailable_error())
    }

    fn key_for(&self, key: Fingerprint) -> Result<LoadedKey, VaultError> {
        let key_in_use = self.core.loaded_key(key);
        key_in_use.map_err(|error| if error == VaultError::Closed { self.unavailable_error() } else { error })
    }

    /// The error that says why there is no key.
    fn unavailable_error(&self) -> VaultError {
        match self.core.state.borrow().clone() {
            VaultState::Locked { why } => VaultError::Locked(why),
            VaultState::Unavailable { why } => VaultError::Unavailable(why),
            VaultState::Waiting => VaultError::Waiting,
            _ => VaultError::Closed,
        }
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault").field("state", &*self.core.state.borrow()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
