//! The work on the key. The order of the steps ensures that no data is lost if the process ends at any point.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mooring_base::clock::now_us;
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::keyring::{Keyring, LoadedKey};
use super::{KeyPlacement, PassphrasePrompt};
use crate::encryption::{self, EncryptedBlob};
use crate::error::{KeychainError, LockReason, VaultError};
use crate::header::{KdfParams, KeyHeader, KeyLocation, WrappedVaultKey};
use crate::key::{Fingerprint, Key, KeyVersion, ProfileId};
use crate::keychain::Keychain;
use crate::keychain::thread::KeychainThread;
use crate::passphrase::{self, UnwrappedKey};
use crate::state::{VaultMode, VaultState};
use crate::storage::{EncryptedRow, ProcessLock, PurposeUpgrade, RekeyResult, VaultContents, VaultStorage};

/// How often the person is asked for the passphrase before the vault stays locked.
const MAX_PASSPHRASE_TRIES: usize = 3;
/// How often the header is read again, if another process keeps changing the key.
const MAX_ROUNDS: usize = 4;

/// Everything in the vault but the task that opens it.
pub(crate) struct VaultCore {
    pub(crate) records: Arc<dyn VaultStorage>,
    pub(crate) keychain: KeychainThread,
    pub(crate) keyring: Mutex<Keyring>,
    pub(crate) state: watch::Sender<VaultState>,
    /// Serializes work on the key.
    pub(crate) work_lock: tokio::sync::Mutex<()>,
    pub(crate) notice: Duration,
    pub(crate) patience: Duration,
    pub(crate) kdf: KdfParams,
    pub(crate) passphrase: Option<PassphrasePrompt>,
}

impl VaultCore {
    pub(crate) fn with_keyring<T>(&self, act: impl FnOnce(&mut Keyring) -> T) -> T {
        act(&mut self.keyring.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The key with this fingerprint. An error if it is not in memory.
    pub(crate) fn loaded_key(&self, fingerprint: Fingerprint) -> Result<LoadedKey, VaultError> {
        self.with_keyring(|ring| match ring.get(fingerprint) {
            Some(loaded) => Ok(loaded),
            None if ring.current().is_some() => Err(VaultError::OtherKey),
            None => Err(VaultError::Closed),
        })
    }

    /// Loads the key. Returns the new state of the vault.
    pub(crate) async fn open(&self) -> VaultState {
        for _ in 0..MAX_ROUNDS {
            match self.try_open().await {
                Ok(Some(mode)) => return VaultState::Open { mode },
                Ok(None) => {}
                Err(error) => return state_after_error(error),
            }
        }
        state_after_error(VaultError::Busy)
    }

    /// Tries once to load the key. `None` if the header has changed in the meantime.
    async fn try_open(&self) -> Result<Option<VaultMode>, VaultError> {
        let found = self.read_contents().await?;
        let profile = found.header.profile;
        let Some(key) = found.header.key else {
            return self.create_first_key(KeyPlacement::Keychain, KeychainWait::Unlimited).await;
        };
        if let Some(mode) = self.with_keyring(|ring| ring.promote(key.fingerprint)) {
            self.records.on_opened().await.map_err(VaultError::Records)?;
            return Ok(Some(mode));
        }
        match key.custody {
            KeyLocation::Keychain => match self.fetch_key(profile, key.fingerprint).await {
                Ok((held, age)) => self.install_key(profile, held, age, None).await,
                Err(VaultError::Locked(LockReason::KeyMissing | LockReason::OtherKey))
                    if self.read_contents().await?.header.key.map(|now| now.fingerprint)
                        != Some(key.fingerprint) =>
                {
                    Ok(None)
                }
                Err(error) => Err(error),
            },
            KeyLocation::Passphrase(wrapped) => {
                self.unlock_by_prompt(wrapped, profile, key.fingerprint).await
            }
            KeyLocation::Memory => Err(VaultError::Locked(LockReason::Memory)),
        }
    }

    /// Unwraps the key in the header. Asks the person for the passphrase.
    async fn unlock_by_prompt(
        &self,
        wrapped: WrappedVaultKey,
        profile: ProfileId,
        fingerprint: Fingerprint,
    ) -> Result<Option<VaultMode>, VaultError> {
        let Some(ask) = &self.passphrase else { return Err(VaultError::Locked(LockReason::Passphrase)) };
        for attempt in 0..MAX_PASSPHRASE_TRIES {
            let (ask, wrapped) = (Arc::clone(ask), wrapped.clone());
            let key = run_blocking(move || {
                let words = ask(attempt > 0);
                let words = words.ok_or(VaultError::Locked(match attempt {
                    0 => LockReason::Passphrase,
                    _ => LockReason::WrongPassphrase,
                }))?;
                passphrase::unwrap_key(&wrapped, &words, profile, fingerprint)
            });
            match key.await {
                Ok(unwrapped) => return self.install_unwrapped_key(profile, unwrapped).await,
                Err(VaultError::WrongPassphrase) => {}
                Err(error) => return Err(error),
            }
        }
        Err(VaultError::Locked(LockReason::WrongPassphrase))
    }

    pub(crate) async fn read_contents(&self) -> Result<VaultContents, VaultError> {
        self.records.read_or_create(ProfileId::random()?).await.map_err(VaultError::Records)
    }

    pub(crate) async fn lock_storage(&self) -> Result<ProcessLock, VaultError> {
        self.records.lock().await.map_err(VaultError::Records)?.ok_or(VaultError::Busy)
    }

    /// Puts a key into memory. Data of an earlier version is upgraded first. `None` if another key is active
    /// by now.
    async fn install_key(
        &self,
        profile: ProfileId,
        loaded: LoadedKey,
        age: KeyVersion,
        wrapped: Option<WrappedVaultKey>,
    ) -> Result<Option<VaultMode>, VaultError> {
        if age != KeyVersion::Current && !self.upgrade_data(profile, &loaded, age, wrapped.as_ref()).await? {
            return Ok(None);
        }
        let fingerprint = loaded.fingerprint;
        let mode = self.with_keyring(|ring| {
            ring.set_next(loaded);
            ring.promote(fingerprint)
        });
        self.records.on_opened().await.map_err(VaultError::Records)?;
        Ok(mode)
    }

    async fn install_unwrapped_key(
        &self,
        profile: ProfileId,
        UnwrappedKey { key, version, again }: UnwrappedKey,
    ) -> Result<Option<VaultMode>, VaultError> {
        let loaded =
            LoadedKey { fingerprint: key.fingerprint(), mode: VaultMode::Passphrase, key: Arc::new(key) };
        self.install_key(profile, loaded, version, again).await
    }

    /// Upgrades the data of an earlier version, in one transaction. Afterwards the keychain's entry gets the
    /// new version. If the process ends before that, the next upgrade finds nothing to do.
    async fn upgrade_data(
        &self,
        profile: ProfileId,
        loaded: &LoadedKey,
        age: KeyVersion,
        wrapped: Option<&WrappedVaultKey>,
    ) -> Result<bool, VaultError> {
        let (key, fingerprint) = (&loaded.key, loaded.fingerprint);
        let bind = |id: &str, kind: &str, purpose: &str, sealed: &EncryptedBlob| {
            encryption::bind_to_purpose(key, fingerprint, id, (kind, purpose), sealed)
        };
        let document = |scope: &str, text: &[u8]| encryption::encrypt_document(key, fingerprint, scope, text);
        let open = |scope: &str, sealed: &EncryptedBlob| encryption::decrypt_document(key, scope, sealed);
        let is_bound = age != KeyVersion::Unbound;
        let upgrade = PurposeUpgrade {
            key: fingerprint,
            is_bound,
            wrapped,
            bind: &bind,
            document: &document,
            open: &open,
        };
        if !self.records.upgrade(&upgrade).await.map_err(VaultError::Records)? {
            return Ok(false);
        }
        if loaded.mode == VaultMode::Keychain {
            let (account, text) = (profile.account_name(fingerprint), key.to_text());
            let written = self.keychain.submit(move |keychain| keychain.write(&account, &text));
            if let Err(error) = self.wait_for_keychain(written, KeychainWait::Limited).await {
                tracing::debug!(%error, "that the key is up to date is written the next time");
            }
        }
        Ok(true)
    }

    /// Reads the key from the keychain, and which version wrote it.
    async fn fetch_key(
        &self,
        profile: ProfileId,
        fingerprint: Fingerprint,
    ) -> Result<(LoadedKey, KeyVersion), VaultError> {
        let account = profile.account_name(fingerprint);
        let probe = (profile.probe_name(random_fingerprint()?), SecretString::from(encryption::random_id()?));
        let key = self.keychain.submit(move |keychain| match keychain.read(&account) {
            Ok(texts) => Ok(find_key(&texts, fingerprint)),
            Err(KeychainError::NotFound) => {
                check_keychain_stores(keychain, &probe.0, &probe.1)?;
                Err(KeychainError::NotFound)
            }
            Err(error) => Err(error),
        });
        let key = self.wait_for_keychain(key, KeychainWait::Unlimited).await?;
        let (key, age) = key.ok_or(VaultError::Locked(LockReason::OtherKey))?;
        Ok((LoadedKey { fingerprint, mode: VaultMode::Keychain, key: Arc::new(key) }, age))
    }

    /// Waits for the keychain's reply. If it takes longer than `notice`, the state becomes
    /// [`VaultState::Waiting`].
    async fn wait_for_keychain<T>(
        &self,
        mut answer: oneshot::Receiver<Result<T, KeychainError>>,
        patience: KeychainWait,
    ) -> Result<T, VaultError> {
        if let Ok(answer) = timeout(self.notice, &mut answer).await {
            return keychain_answer(answer);
        }
        self.state.send_if_modified(|state| {
            let opening = *state == VaultState::Opening;
            if opening {
                *state = VaultState::Waiting;
            }
            opening
        });
        match patience {
            KeychainWait::Unlimited => keychain_answer(answer.await),
            KeychainWait::Limited => {
                keychain_answer(timeout(self.patience, answer).await.map_err(|_| VaultError::Waiting)?)
            }
        }
    }

    /// Creates the first key. `None` if another process has created one.
    pub(crate) async fn create_first_key(
        &self,
        choice: KeyPlacement,
        patience: KeychainWait,
    ) -> Result<Option<VaultMode>, VaultError> {
        let _guard = self.lock_storage().await?;
        let found = self.read_contents().await?;
        if found.header.key.is_some() {
            return Ok(None);
        }
        if found.encrypted_rows > 0 {
            return Err(VaultError::Locked(LockReason::Unknown));
        }
        let profile = found.header.profile;
        let (header, loaded) = self.create_key(profile, choice, patience).await?;
        let fingerprint = loaded.fingerprint;
        let key = Arc::clone(&loaded.key);
        let document =
            |scope: &str, text: &[u8]| encryption::encrypt_document(&key, fingerprint, scope, text);
        self.with_keyring(|ring| ring.set_next(loaded));
        let adopted = match self.records.set_first_key(&header, &document).await {
            Ok(adopted) => adopted,
            // The key may have been saved in spite of the error.
            Err(why) => match self.current_fingerprint().await {
                Ok(Some(now)) if now == fingerprint => true,
                Ok(_) => {
                    self.discard_new_key(profile, &header).await;
                    return Err(VaultError::Records(why));
                }
                Err(_) => return Err(VaultError::Records(why)),
            },
        };
        if !adopted {
            self.discard_new_key(profile, &header).await;
            return Ok(None);
        }
        let mode = self.with_keyring(|ring| ring.promote(fingerprint));
        self.records.on_opened().await.map_err(VaultError::Records)?;
        Ok(mode)
    }

    async fn current_fingerprint(&self) -> Result<Option<Fingerprint>, VaultError> {
        Ok(self.read_contents().await?.header.key.map(|key| key.fingerprint))
    }

    /// Creates a key in the place that the person chose.
    async fn create_key(
        &self,
        profile: ProfileId,
        choice: KeyPlacement,
        patience: KeychainWait,
    ) -> Result<(KeyHeader, LoadedKey), VaultError> {
        let key = Arc::new(Key::random()?);
        let fingerprint = key.fingerprint();
        let custody = match choice {
            KeyPlacement::Keychain => {
                let (account, text) = (profile.account_name(fingerprint), key.to_text());
                let written = self.keychain.submit(move |keychain| {
                    keychain.write(&account, &text)?;
                    // Some keychains accept texts without storing them.
                    Ok(find_key(&keychain.read(&account)?, fingerprint).is_some())
                });
                match self.wait_for_keychain(written, patience).await {
                    Ok(true) => KeyLocation::Keychain,
                    Ok(false) | Err(VaultError::Locked(LockReason::KeyMissing)) => {
                        return Err(VaultError::Unavailable(KeychainError::NoCollection));
                    }
                    Err(error) => return Err(error),
                }
            }
            KeyPlacement::Passphrase(words) => {
                let (key, kdf) = (Arc::clone(&key), self.kdf);
                KeyLocation::Passphrase(
                    run_blocking(move || passphrase::wrap_key(&key, &words, profile, kdf)).await?,
                )
            }
            KeyPlacement::Memory => KeyLocation::Memory,
        };
        let mode = custody.mode();
        Ok((
            KeyHeader { fingerprint, custody, created_at_us: now_us() },
            LoadedKey { fingerprint, mode, key },
        ))
    }

    /// Undoes [`create_key`](Self::create_key) for a key that was not activated. An entry that can't be
    /// removed now is removed later.
    async fn discard_new_key(&self, profile: ProfileId, header: &KeyHeader) {
        self.with_keyring(|ring| ring.drop_next(header.fingerprint));
        if header.custody == KeyLocation::Keychain {
            self.remove_entry(profile.account_name(header.fingerprint)).await;
        }
    }

    /// Removes an entry, if the keychain responds soon.
    async fn remove_entry(&self, account: String) {
        let removed = self.keychain.submit(move |keychain| keychain.remove(&account));
        if let Err(error) = timeout(self.notice, removed).await.map_err(|_| VaultError::Waiting) {
            tracing::debug!(%error, "an entry stays in the keychain until the next sweep");
        }
    }

    /// Unwraps the key in the header with the person's passphrase.
    pub(crate) async fn unlock(&self, words: SecretString) -> Result<VaultMode, VaultError> {
        let found = self.read_contents().await?;
        let profile = found.header.profile;
        let Some(KeyHeader { fingerprint, custody: KeyLocation::Passphrase(wrapped), .. }) = found.header.key
        else {
            return Err(VaultError::Closed);
        };
        let unwrapped =
            run_blocking(move || passphrase::unwrap_key(&wrapped, &words, profile, fingerprint)).await?;
        self.install_unwrapped_key(profile, unwrapped).await?.ok_or(VaultError::Closed)
    }

    /// Encrypts everything with a new key. The new key is in the keychain before the first row is encrypted
    /// with it, and the old key is removed after the last row. The active key changes together with the rows,
    /// in one transaction.
    pub(crate) async fn rekey(&self, choice: KeyPlacement) -> Result<(VaultMode, u64), VaultError> {
        let _guard = self.lock_storage().await?;
        let found = self.read_contents().await?;
        let profile = found.header.profile;
        let old = found.header.key.ok_or(VaultError::Closed)?;
        let before = self.loaded_key(old.fingerprint)?;
        let (header, loaded) = self.create_key(profile, choice, KeychainWait::Limited).await?;
        let after = loaded.clone();
        self.with_keyring(|ring| ring.set_next(loaded));
        let reseal = |row: EncryptedRow<'_>, sealed: &EncryptedBlob| match row {
            EncryptedRow::Secret { id, purpose } => {
                let opened = encryption::decrypt_secret(&before.key, id, purpose, sealed)?;
                encryption::encrypt_secret(&after.key, after.fingerprint, id, purpose, opened.expose_secret())
            }
            EncryptedRow::Document(scope) => {
                let opened = encryption::decrypt_document(&before.key, scope, sealed)?;
                encryption::encrypt_document(&after.key, after.fingerprint, scope, opened.expose_secret())
            }
        };
        let outcome = match self.records.rekey(old.fingerprint, &header, &reseal).await {
            Ok(outcome) => outcome,
            // The change may have been committed in spite of the error. If that is unknown, both keys are
            // kept.
            Err(why) => match self.read_contents().await {
                Ok(found) if found.header.key.as_ref() == Some(&header) => {
                    RekeyResult::Done(found.encrypted_rows)
                }
                Ok(_) => {
                    self.discard_new_key(profile, &header).await;
                    return Err(VaultError::Records(why));
                }
                Err(_) => return Err(VaultError::Records(why)),
            },
        };
        match outcome {
            RekeyResult::Done(rows) => {
                let mode = after.mode;
                self.with_keyring(|ring| ring.promote(after.fingerprint));
                self.state.send_replace(VaultState::Open { mode });
                if old.custody == KeyLocation::Keychain {
                    self.remove_entry(profile.account_name(old.fingerprint)).await;
                }
                Ok((mode, rows))
            }
            RekeyResult::OtherKey => {
                self.discard_new_key(profile, &header).await;
                Err(VaultError::OtherKey)
            }
            RekeyResult::Refused { id } => {
                self.discard_new_key(profile, &header).await;
                Err(VaultError::CannotReencrypt { id })
            }
        }
    }

    /// Removes this profile's keychain entries but that of the current key, which must be in memory. Returns
    /// their number.
    pub(crate) async fn remove_old_entries(&self) -> Result<u64, VaultError> {
        let _guard = self.lock_storage().await?;
        let found = self.read_contents().await?;
        let key = found.header.key.ok_or(VaultError::Closed)?;
        self.loaded_key(key.fingerprint)?;
        let keep = (key.custody == KeyLocation::Keychain)
            .then(|| found.header.profile.account_name(key.fingerprint));
        self.remove_entries(found.header.profile, keep, KeychainWait::Limited).await
    }

    /// Removes this profile's keychain entries but `keep`. Returns their number.
    async fn remove_entries(
        &self,
        profile: ProfileId,
        keep: Option<String>,
        patience: KeychainWait,
    ) -> Result<u64, VaultError> {
        let cleared = self.keychain.submit(move |keychain| {
            let mut count = 0;
            for account in keychain.accounts()? {
                if profile.owns_account(&account) && keep.as_ref() != Some(&account) {
                    keychain.remove(&account)?;
                    count += 1;
                }
            }
            Ok(count)
        });
        self.wait_for_keychain(cleared, patience).await
    }

    /// Discards the key and all encrypted data. Also removes the keychain's entries, if it responds.
    pub(crate) async fn start_over(&self) -> Result<(), VaultError> {
        let _guard = self.lock_storage().await?;
        let profile = self.read_contents().await?.header.profile;
        self.records.delete_all().await.map_err(VaultError::Records)?;
        self.with_keyring(|ring| *ring = Keyring::default());
        self.state.send_replace(VaultState::Closed);
        if let Err(error) = self.remove_entries(profile, None, KeychainWait::Limited).await {
            tracing::debug!(%error, "entries stay in the keychain until the next sweep");
        }
        Ok(())
    }
}

/// How long to wait for the keychain's reply.
#[derive(Clone, Copy)]
pub(crate) enum KeychainWait {
    /// Until it replies, or the person tries again.
    Unlimited,
    /// As long as the options say.
    Limited,
}

/// The vault's state after an error.
pub(crate) fn state_after_error(error: VaultError) -> VaultState {
    match error {
        VaultError::Locked(why) => VaultState::Locked { why },
        VaultError::Unavailable(why) => VaultState::Unavailable { why },
        VaultError::InvalidHeader => VaultState::Locked { why: LockReason::InvalidHeader },
        other => VaultState::Locked { why: LockReason::Records(other.sentence()) },
    }
}

/// The reply of the keychain's thread. An error if the thread has ended or its queue was full.
fn keychain_answer<T>(
    answer: Result<Result<T, KeychainError>, oneshot::error::RecvError>,
) -> Result<T, VaultError> {
    Ok(answer.map_err(|_| KeychainError::Unanswered).flatten()?)
}

/// Finds the key with this fingerprint among the texts in the keychain.
fn find_key(texts: &[SecretString], fingerprint: Fingerprint) -> Option<(Key, KeyVersion)> {
    texts.iter().filter_map(Key::from_text).find(|(key, _)| key.fingerprint() == fingerprint)
}

/// Checks that the keychain stores entries. A keychain without a default collection reports every entry as
/// missing.
fn check_keychain_stores(
    keychain: &mut dyn Keychain,
    account: &str,
    text: &SecretString,
) -> Result<(), KeychainError> {
    keychain.write(account, text)?;
    let read = keychain.read(account);
    keychain.remove(account)?;
    match read {
        Ok(texts) if texts.iter().any(|read| read.expose_secret() == text.expose_secret()) => Ok(()),
        Ok(_) | Err(KeychainError::NotFound) => Err(KeychainError::NoCollection),
        Err(error) => Err(error),
    }
}

fn random_fingerprint() -> Result<Fingerprint, VaultError> {
    ProfileId::random().map(|id| Fingerprint(id.0))
}

/// Runs slow work on a thread of its own.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, VaultError> + Send + 'static,
) -> Result<T, VaultError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| VaultError::InvalidHeader)?
}
