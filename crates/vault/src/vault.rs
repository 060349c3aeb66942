//! The vault of a host.

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

/// Where to put a new key.
pub enum KeyPlacement {
    /// In the system's keychain.
    Keychain,
    /// In the header, wrapped by this passphrase.
    Passphrase(SecretString),
    /// Only in memory, for this run. Encrypted data is lost with it.
    Memory,
}

/// Asks for the passphrase. The argument is true if the previous one was wrong. Returns `None` if the person
/// enters none. Called on a separate thread, and may take as long as the person does.
pub type PassphrasePrompt = Arc<dyn Fn(bool) -> Option<SecretString> + Send + Sync>;

/// Options of a vault.
pub struct VaultOptions {
    /// The keychain.
    pub keychain: ConnectKeychain,
    /// How long the keychain may take before the state becomes waiting.
    pub notice: Duration,
    /// How much longer it may take if a caller waits for the result.
    pub patience: Duration,
    /// How a passphrase is turned into a key.
    pub kdf: KdfParams,
    /// Asks for the passphrase when the vault is opened. If it is `None`, the vault stays locked until it is
    /// unlocked explicitly.
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

/// Encrypts and decrypts with a key that it manages. Cheap to clone; the last clone removes the key from memory.
#[derive(Clone)]
pub struct Vault {
    core: Arc<VaultCore>,
    /// The task that opens the vault, at most one. It ends with the last clone.
    opening_task: Arc<Mutex<JoinSet<()>>>,
}

impl Vault {
    /// A vault that is closed. Nothing is asked of the keychain before [`open`](Self::open).
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

    /// The state of the vault, and its changes.
    pub fn state(&self) -> watch::Receiver<VaultState> {
        self.core.state.subscribe()
    }

    /// Loads the key. For a profile without one, creates it in the system's keychain.
    ///
    /// Returns within a few seconds: if the keychain takes longer, with [`VaultError::Waiting`], while the
    /// request continues. A vault that is locked or has no keychain fails immediately and does not ask the
    /// person again (an unreadable profile is read again) until [`retry`](Self::retry),
    /// [`unlock`](Self::unlock) or [`create`](Self::create) is called.
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

    /// Tries again because the person requested it, with a new connection to the keychain, whatever happened
    /// to the old one.
    pub async fn retry(&self) -> Result<VaultMode, VaultError> {
        {
            let mut opening = self.lock_opening_task();
            *opening = JoinSet::new();
            self.core.keychain.replace();
            self.start_opening(&mut opening);
        }
        self.wait_until_opened().await
    }

    /// Looks again which key is in force, after [`VaultError::OtherKey`] or its like from the host's table: another
    /// process may have changed it.
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

    /// Has a task open the vault, unless one does.
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

    /// Waits for the task that opens the vault; if that was stopped, the vault is closed.
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

    /// Creates the first key in the place that the person chose. Fails if there is a key, or anything
    /// encrypted.
    pub async fn create(&self, choice: KeyPlacement) -> Result<VaultMode, VaultError> {
        if let KeyPlacement::Passphrase(words) = &choice {
            passphrase::check(words)?;
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

    /// Ends a running attempt to open the vault, whose callers then see its state; returns that state.
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

    /// Makes a new key where the person chose it to be and seals everything under it; how many rows. Whatever
    /// happens on the way, the key that the header names opens everything.
    pub async fn rekey(&self, choice: KeyPlacement) -> Result<u64, VaultError> {
        if let KeyPlacement::Passphrase(words) = &choice {
            passphrase::check(words)?;
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

    /// Takes the key out of memory.
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

    /// Seals a secret for the row of this id and for this purpose alone.
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

    /// Encrypts a secret like the previous version, for tests of the upgrade.
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

    /// Opens what is in the row of this id. The purpose is what the caller is about to do with the secret, never what
    /// the row says of itself.
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

    /// Seals a document of the host's about something.
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

    /// Why there is no key.
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
