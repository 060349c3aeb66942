//! The vault: what the host holds.

mod core;
mod ring;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use secrecy::{ExposeSecret, SecretBox, SecretString};
use tokio::sync::watch;
use tokio::task::JoinSet;

use self::core::{Core, Patience};
use self::ring::{Held, Ring};
use crate::error::{LockReason, VaultError};
use crate::header::Kdf;
use crate::key::Fingerprint;
use crate::keychain::thread::KeychainThread;
use crate::keychain::{Connect, system::system_keychain};
use crate::passphrase;
use crate::records::{Found, Records};
use crate::seal::{self, Sealed};
use crate::state::{Mode, VaultState};

/// Where a new key is to be.
pub enum Choice {
    /// In the system's keychain.
    Keychain,
    /// In the header, wrapped by this passphrase.
    Passphrase(SecretString),
    /// In the memory of this run: what is sealed is lost with it.
    Memory,
}

/// Asks for the passphrase where one is needed; `again` says that the one before was wrong. None: nobody gives one. Called
/// on a thread of its own, and may take as long as a person takes.
pub type Passphrase = Arc<dyn Fn(bool) -> Option<SecretString> + Send + Sync>;

/// What a vault is made with.
pub struct Options {
    /// The keychain.
    pub keychain: Connect,
    /// How long the keychain may take before it is said that it is waited for.
    pub notice: Duration,
    /// How much longer it may take where somebody waits for the result.
    pub patience: Duration,
    /// How a passphrase becomes a key.
    pub kdf: Kdf,
    /// Who is asked for the passphrase when the vault is opened; none: it stays locked until somebody unlocks it.
    pub passphrase: Option<Passphrase>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            keychain: system_keychain(),
            notice: Duration::from_secs(3),
            patience: Duration::from_mins(2),
            kdf: Kdf::RECOMMENDED,
            passphrase: None,
        }
    }
}

/// A vault that somebody else holds.
#[derive(Clone, Debug)]
pub struct WeakVault {
    core: Weak<Core>,
    opening: Weak<Mutex<JoinSet<()>>>,
}

impl WeakVault {
    /// The vault, while somebody holds it.
    pub fn upgrade(&self) -> Option<Vault> {
        Some(Vault { core: self.core.upgrade()?, opening: self.opening.upgrade()? })
    }
}

/// Seals and opens under a key that it looks after. Cheap to clone; the last clone takes the key out of memory.
#[derive(Clone)]
pub struct Vault {
    core: Arc<Core>,
    /// The task that opens the vault, at most one. It ends with the last clone.
    opening: Arc<Mutex<JoinSet<()>>>,
}

impl Vault {
    /// A vault that is closed. Nothing is asked of the keychain before [`open`](Self::open).
    pub fn new(records: Arc<dyn Records>, options: Options) -> Self {
        let core = Core {
            records,
            keychain: KeychainThread::new(options.keychain),
            ring: Mutex::new(Ring::default()),
            state: watch::Sender::new(VaultState::Closed),
            turn: tokio::sync::Mutex::default(),
            notice: options.notice,
            patience: options.patience,
            kdf: options.kdf,
            passphrase: options.passphrase,
        };
        Self { core: Arc::new(core), opening: Arc::default() }
    }

    /// The same, without holding it.
    pub fn downgrade(&self) -> WeakVault {
        WeakVault { core: Arc::downgrade(&self.core), opening: Arc::downgrade(&self.opening) }
    }

    /// What the vault is doing, now and from now on.
    pub fn state(&self) -> watch::Receiver<VaultState> {
        self.core.state.subscribe()
    }

    /// Sees to it that the key is there; a profile without one gets it in the system's keychain.
    ///
    /// Answers within a few seconds: where the keychain takes longer, with [`VaultError::Waiting`], and the request
    /// goes on. A vault that is locked or without its keychain says so at once and asks the person nothing again
    /// (a profile that could not be read is read again) until somebody calls [`retry`](Self::retry), [`unlock`](Self::unlock) or [`create`](Self::create).
    pub async fn open(&self) -> Result<Mode, VaultError> {
        let asks_nobody = matches!(
            *self.core.state.borrow(),
            VaultState::Closed | VaultState::Locked { why: LockReason::Records(_) }
        );
        if asks_nobody {
            self.start(&mut self.opening());
        }
        self.opened().await
    }

    /// Tries once more, because the person wants it: with another connection to the keychain, whatever became of the
    /// one before.
    pub async fn retry(&self) -> Result<Mode, VaultError> {
        {
            let mut opening = self.opening();
            *opening = JoinSet::new();
            self.core.keychain.replace();
            self.start(&mut opening);
        }
        self.opened().await
    }

    /// Looks again which key is in force, after [`VaultError::OtherKey`] or its like from the host's table: another
    /// process may have changed it.
    pub async fn refresh(&self) -> Result<Mode, VaultError> {
        let open = matches!(*self.core.state.borrow(), VaultState::Open { .. });
        if open {
            self.start(&mut self.opening());
        }
        self.opened().await
    }

    fn opening(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.opening.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a task open the vault, unless one does.
    fn start(&self, opening: &mut JoinSet<()>) {
        while opening.try_join_next().is_some() {}
        if !opening.is_empty() {
            return;
        }
        self.core.state.send_replace(VaultState::Opening);
        let core = Arc::clone(&self.core);
        opening.spawn(async move {
            let _turn = core.turn.lock().await;
            let state = core.open().await;
            core.state.send_replace(state);
        });
    }

    /// Waits for whoever opens the vault; where that was stopped, it is closed.
    async fn opened(&self) -> Result<Mode, VaultError> {
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

    /// Makes the first key where the person chose it to be. Refused where there is a key, or anything is sealed.
    pub async fn create(&self, choice: Choice) -> Result<Mode, VaultError> {
        if let Choice::Passphrase(words) = &choice {
            passphrase::check(words)?;
        }
        let before = self.stop();
        let _turn = self.core.turn.lock().await;
        let made = self.core.make(choice, Patience::Limited).await;
        self.publish(made.and_then(|mode| mode.ok_or(VaultError::NotEmpty)), before)
    }

    /// Unwraps the key with the person's passphrase.
    pub async fn unlock(&self, passphrase: SecretString) -> Result<Mode, VaultError> {
        let before = self.stop();
        let _turn = self.core.turn.lock().await;
        let unlocked = self.core.unlock(passphrase).await;
        self.publish(unlocked, before)
    }

    /// Ends a task that opens, and tells whoever waits for it; what the vault is then.
    fn stop(&self) -> VaultState {
        let mut opening = self.opening();
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

    fn publish(&self, result: Result<Mode, VaultError>, before: VaultState) -> Result<Mode, VaultError> {
        self.core.state.send_replace(match &result {
            Ok(mode) => VaultState::Open { mode: *mode },
            Err(_) => before,
        });
        result
    }

    /// Makes a new key where the person chose it to be and seals everything under it; how many rows. Whatever
    /// happens on the way, the key that the header names opens everything.
    pub async fn rekey(&self, choice: Choice) -> Result<u64, VaultError> {
        if let Choice::Passphrase(words) = &choice {
            passphrase::check(words)?;
        }
        let _turn = self.core.turn.lock().await;
        self.core.rekey(choice).await.map(|(_, rows)| rows)
    }

    /// Removes what is left in the keychain of keys of this profile that are no longer in force; how many entries.
    pub async fn sweep(&self) -> Result<u64, VaultError> {
        let _turn = self.core.turn.lock().await;
        self.core.sweep().await
    }

    /// Gives up the key and everything that is sealed, because the person wants it.
    pub async fn start_over(&self) -> Result<(), VaultError> {
        self.stop();
        let _turn = self.core.turn.lock().await;
        self.core.start_over().await
    }

    /// Takes the key out of memory.
    pub async fn close(&self) {
        self.stop();
        let _turn = self.core.turn.lock().await;
        self.core.with_ring(|ring| *ring = Ring::default());
        self.core.state.send_replace(VaultState::Closed);
    }

    /// What is written about the key, and how many rows are sealed. Asks nobody for anything.
    pub async fn found(&self) -> Result<Found, VaultError> {
        self.core.find().await
    }

    /// Seals a secret for the row of this id and for this purpose alone.
    pub fn seal(&self, id: &str, purpose: &str, secret: &SecretString) -> Result<Sealed, VaultError> {
        let held = self.current()?;
        seal::seal(&held.key, held.fingerprint, id, purpose, secret.expose_secret().as_bytes())
    }

    /// Seals a secret as the version before did, for tests of what becomes of that.
    #[cfg(debug_assertions)]
    #[doc(hidden)]
    pub fn seal_unbound(&self, id: &str, kind: &str, secret: &SecretString) -> Result<Sealed, VaultError> {
        let held = self.current()?;
        seal::seal_unbound(&held.key, held.fingerprint, id, kind, secret.expose_secret().as_bytes())
    }

    /// Opens what is in the row of this id. The purpose is what the caller is about to do with the secret, never what the
    /// row says of itself.
    pub fn unseal(&self, id: &str, purpose: &str, sealed: &Sealed) -> Result<SecretString, VaultError> {
        let held = self.held(sealed.key)?;
        let opened: SecretBox<Vec<u8>> = seal::open(&held.key, id, purpose, sealed)?;
        seal::text(opened.expose_secret())
    }

    /// Seals a document of the host's about something.
    pub fn seal_document(&self, scope: &str, text: &[u8]) -> Result<Sealed, VaultError> {
        let held = self.current()?;
        seal::seal_document(&held.key, held.fingerprint, scope, text)
    }

    /// Opens it.
    pub fn open_document(&self, scope: &str, sealed: &Sealed) -> Result<SecretBox<Vec<u8>>, VaultError> {
        seal::open_document(&self.held(sealed.key)?.key, scope, sealed)
    }

    /// The key that this process has in memory, by what it is known by.
    pub fn key(&self) -> Option<Fingerprint> {
        self.core.with_ring(|ring| ring.current()).map(|held| held.fingerprint)
    }

    fn current(&self) -> Result<Held, VaultError> {
        self.core.with_ring(|ring| ring.current()).ok_or_else(|| self.shut())
    }

    fn held(&self, key: Fingerprint) -> Result<Held, VaultError> {
        let held = self.core.held(key);
        held.map_err(|error| if error == VaultError::Closed { self.shut() } else { error })
    }

    /// Why there is no key.
    fn shut(&self) -> VaultError {
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
