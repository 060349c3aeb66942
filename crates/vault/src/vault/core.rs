//! The work on the key, in the order that survives an end at any point.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mooring_base::clock::now_us;
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::ring::{Held, Ring};
use super::{Choice, Passphrase};
use crate::error::{KeychainError, LockReason, VaultError};
use crate::header::{Custody, Kdf, KeyHeader, Wrapped};
use crate::key::{Age, Fingerprint, Key, ProfileId};
use crate::keychain::Keychain;
use crate::keychain::thread::KeychainThread;
use crate::passphrase;
use crate::records::{Found, Guard, Records, Rekey, Row, Upgrade};
use crate::seal::{self, Sealed};
use crate::state::{Mode, VaultState};

/// How often somebody may get the passphrase wrong before the vault stays locked.
const ATTEMPTS: usize = 3;
/// How often the header is read again because another process changed the key meanwhile.
const ROUNDS: usize = 4;

/// What the vault consists of, apart from the task that opens it.
pub(crate) struct Core {
    pub(crate) records: Arc<dyn Records>,
    pub(crate) keychain: KeychainThread,
    pub(crate) ring: Mutex<Ring>,
    pub(crate) state: watch::Sender<VaultState>,
    /// One at a time works on the key.
    pub(crate) turn: tokio::sync::Mutex<()>,
    pub(crate) notice: Duration,
    pub(crate) patience: Duration,
    pub(crate) kdf: Kdf,
    pub(crate) passphrase: Option<Passphrase>,
}

impl Core {
    pub(crate) fn with_ring<T>(&self, act: impl FnOnce(&mut Ring) -> T) -> T {
        act(&mut self.ring.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The key of this fingerprint, where it is in memory.
    pub(crate) fn held(&self, fingerprint: Fingerprint) -> Result<Held, VaultError> {
        self.with_ring(|ring| match ring.get(fingerprint) {
            Some(held) => Ok(held),
            None if ring.current().is_some() => Err(VaultError::OtherKey),
            None => Err(VaultError::Closed),
        })
    }

    /// Brings the key into memory; what the vault is then.
    pub(crate) async fn open(&self) -> VaultState {
        for _ in 0..ROUNDS {
            match self.try_open().await {
                Ok(Some(mode)) => return VaultState::Open { mode },
                Ok(None) => {}
                Err(error) => return settled(error),
            }
        }
        settled(VaultError::Busy)
    }

    /// None: the header has changed meanwhile.
    async fn try_open(&self) -> Result<Option<Mode>, VaultError> {
        let found = self.find().await?;
        let profile = found.header.profile;
        let Some(key) = found.header.key else {
            return self.make(Choice::Keychain, Patience::Endless).await;
        };
        if let Some(mode) = self.with_ring(|ring| ring.promote(key.fingerprint)) {
            self.records.opened().await.map_err(VaultError::Records)?;
            return Ok(Some(mode));
        }
        match key.custody {
            Custody::Keychain => match self.fetch(profile, key.fingerprint).await {
                Ok((held, age)) => self.take_in(profile, held, age, None).await,
                Err(VaultError::Locked(LockReason::KeyMissing | LockReason::OtherKey))
                    if self.find().await?.header.key.map(|now| now.fingerprint) != Some(key.fingerprint) =>
                {
                    Ok(None)
                }
                Err(error) => Err(error),
            },
            Custody::Passphrase(wrapped) => self.ask_passphrase(wrapped, profile, key.fingerprint).await,
            Custody::Memory => Err(VaultError::Locked(LockReason::Memory)),
        }
    }

    /// The key out of the header, with a passphrase that somebody is asked for.
    async fn ask_passphrase(
        &self,
        wrapped: Wrapped,
        profile: ProfileId,
        fingerprint: Fingerprint,
    ) -> Result<Option<Mode>, VaultError> {
        let Some(ask) = &self.passphrase else { return Err(VaultError::Locked(LockReason::Passphrase)) };
        for attempt in 0..ATTEMPTS {
            let (ask, wrapped) = (Arc::clone(ask), wrapped.clone());
            let key = aside(move || {
                let words = ask(attempt > 0);
                let words = words.ok_or(VaultError::Locked(match attempt {
                    0 => LockReason::Passphrase,
                    _ => LockReason::WrongPassphrase,
                }))?;
                passphrase::unwrap(&wrapped, &words, profile, fingerprint)
            });
            match key.await {
                Ok((key, again)) => return self.take_in_wrapped(profile, key, again).await,
                Err(VaultError::WrongPassphrase) => {}
                Err(error) => return Err(error),
            }
        }
        Err(VaultError::Locked(LockReason::WrongPassphrase))
    }

    pub(crate) async fn find(&self) -> Result<Found, VaultError> {
        self.records.find(ProfileId::random()?).await.map_err(VaultError::Records)
    }

    pub(crate) async fn exclusive(&self) -> Result<Guard, VaultError> {
        self.records.exclusive().await.map_err(VaultError::Records)?.ok_or(VaultError::Busy)
    }

    /// Holds a key that was found: what an earlier version sealed under it is bound to its purpose first. None: another key
    /// is in force meanwhile.
    async fn take_in(
        &self,
        profile: ProfileId,
        held: Held,
        age: Age,
        wrapped: Option<Wrapped>,
    ) -> Result<Option<Mode>, VaultError> {
        if age == Age::Earlier && !self.upgrade(profile, &held, wrapped.as_ref()).await? {
            return Ok(None);
        }
        let fingerprint = held.fingerprint;
        let mode = self.with_ring(|ring| {
            ring.prepare(held);
            ring.promote(fingerprint)
        });
        self.records.opened().await.map_err(VaultError::Records)?;
        Ok(mode)
    }

    async fn take_in_wrapped(
        &self,
        profile: ProfileId,
        key: Key,
        again: Option<Wrapped>,
    ) -> Result<Option<Mode>, VaultError> {
        let age = if again.is_some() { Age::Earlier } else { Age::Current };
        let held = Held { fingerprint: key.fingerprint(), mode: Mode::Passphrase, key: Arc::new(key) };
        self.take_in(profile, held, age, again).await
    }

    /// Binds what an earlier version sealed, in one transaction. That it was done stands beside the key afterwards; should
    /// this end before that, there is nothing left to bind the next time.
    async fn upgrade(
        &self,
        profile: ProfileId,
        held: &Held,
        wrapped: Option<&Wrapped>,
    ) -> Result<bool, VaultError> {
        let (key, fingerprint) = (&held.key, held.fingerprint);
        let bind = |id: &str, kind: &str, purpose: &str, sealed: &Sealed| {
            seal::bind(key, fingerprint, id, (kind, purpose), sealed)
        };
        let document = |scope: &str, text: &[u8]| seal::seal_document(key, fingerprint, scope, text);
        let upgrade = Upgrade { key: fingerprint, wrapped, bind: &bind, document: &document };
        if !self.records.upgrade(&upgrade).await.map_err(VaultError::Records)? {
            return Ok(false);
        }
        if held.mode == Mode::Keychain {
            let (account, text) = (profile.account(fingerprint), key.to_text());
            let written = self.keychain.submit(move |keychain| keychain.write(&account, &text));
            if let Err(error) = self.ask(written, Patience::Limited).await {
                tracing::debug!(%error, "that the key is up to date is written the next time");
            }
        }
        Ok(true)
    }

    /// The key out of the keychain, with its age.
    async fn fetch(&self, profile: ProfileId, fingerprint: Fingerprint) -> Result<(Held, Age), VaultError> {
        let account = profile.account(fingerprint);
        let probe = (profile.probe(random()?), SecretString::from(seal::random_id()?));
        let key = self.keychain.submit(move |keychain| match keychain.read(&account) {
            Ok(texts) => Ok(pick(&texts, fingerprint)),
            Err(KeychainError::NotFound) => {
                keeps(keychain, &probe.0, &probe.1)?;
                Err(KeychainError::NotFound)
            }
            Err(error) => Err(error),
        });
        let key = self.ask(key, Patience::Endless).await?;
        let (key, age) = key.ok_or(VaultError::Locked(LockReason::OtherKey))?;
        Ok((Held { fingerprint, mode: Mode::Keychain, key: Arc::new(key) }, age))
    }

    /// Waits for the keychain: at first without a word, then saying so.
    async fn ask<T>(
        &self,
        mut answer: oneshot::Receiver<Result<T, KeychainError>>,
        patience: Patience,
    ) -> Result<T, VaultError> {
        if let Ok(answer) = timeout(self.notice, &mut answer).await {
            return told(answer);
        }
        self.state.send_if_modified(|state| {
            let opening = *state == VaultState::Opening;
            if opening {
                *state = VaultState::Waiting;
            }
            opening
        });
        match patience {
            Patience::Endless => told(answer.await),
            Patience::Limited => told(timeout(self.patience, answer).await.map_err(|_| VaultError::Waiting)?),
        }
    }

    /// Makes the first key; none: another process has made one.
    pub(crate) async fn make(&self, choice: Choice, patience: Patience) -> Result<Option<Mode>, VaultError> {
        let _guard = self.exclusive().await?;
        let found = self.find().await?;
        if found.header.key.is_some() {
            return Ok(None);
        }
        if found.sealed > 0 {
            return Err(VaultError::Locked(LockReason::Unknown));
        }
        let profile = found.header.profile;
        let (header, held) = self.lay_down(profile, choice, patience).await?;
        let fingerprint = held.fingerprint;
        let key = Arc::clone(&held.key);
        let document = |scope: &str, text: &[u8]| seal::seal_document(&key, fingerprint, scope, text);
        self.with_ring(|ring| ring.prepare(held));
        let adopted = match self.records.adopt(&header, &document).await {
            Ok(adopted) => adopted,
            // It may have been written all the same.
            Err(why) => match self.in_force().await {
                Ok(Some(now)) if now == fingerprint => true,
                Ok(_) => {
                    self.take_back(profile, &header).await;
                    return Err(VaultError::Records(why));
                }
                Err(_) => return Err(VaultError::Records(why)),
            },
        };
        if !adopted {
            self.take_back(profile, &header).await;
            return Ok(None);
        }
        let mode = self.with_ring(|ring| ring.promote(fingerprint));
        self.records.opened().await.map_err(VaultError::Records)?;
        Ok(mode)
    }

    async fn in_force(&self) -> Result<Option<Fingerprint>, VaultError> {
        Ok(self.find().await?.header.key.map(|key| key.fingerprint))
    }

    /// A new key, where the person chose it to be.
    async fn lay_down(
        &self,
        profile: ProfileId,
        choice: Choice,
        patience: Patience,
    ) -> Result<(KeyHeader, Held), VaultError> {
        let key = Arc::new(Key::random()?);
        let fingerprint = key.fingerprint();
        let custody = match choice {
            Choice::Keychain => {
                let (account, text) = (profile.account(fingerprint), key.to_text());
                let written = self.keychain.submit(move |keychain| {
                    keychain.write(&account, &text)?;
                    // Some keychains take what they do not keep.
                    Ok(pick(&keychain.read(&account)?, fingerprint).is_some())
                });
                match self.ask(written, patience).await {
                    Ok(true) => Custody::Keychain,
                    Ok(false) | Err(VaultError::Locked(LockReason::KeyMissing)) => {
                        return Err(VaultError::Unavailable(KeychainError::NoCollection));
                    }
                    Err(error) => return Err(error),
                }
            }
            Choice::Passphrase(words) => {
                let (key, kdf) = (Arc::clone(&key), self.kdf);
                Custody::Passphrase(aside(move || passphrase::wrap(&key, &words, profile, kdf)).await?)
            }
            Choice::Memory => Custody::Memory,
        };
        let mode = custody.mode();
        Ok((KeyHeader { fingerprint, custody, created_at_us: now_us() }, Held { fingerprint, mode, key }))
    }

    /// Undoes [`lay_down`](Self::lay_down) for a key that did not come into force. What stays is swept one day.
    async fn take_back(&self, profile: ProfileId, header: &KeyHeader) {
        self.with_ring(|ring| ring.abandon(header.fingerprint));
        if header.custody == Custody::Keychain {
            self.forget(profile.account(header.fingerprint)).await;
        }
    }

    /// Removes an entry, if the keychain does it soon.
    async fn forget(&self, account: String) {
        let removed = self.keychain.submit(move |keychain| keychain.remove(&account));
        if let Err(error) = timeout(self.notice, removed).await.map_err(|_| VaultError::Waiting) {
            tracing::debug!(%error, "an entry stays in the keychain until the next sweep");
        }
    }

    /// The key out of the header, with the person's passphrase.
    pub(crate) async fn unlock(&self, words: SecretString) -> Result<Mode, VaultError> {
        let found = self.find().await?;
        let profile = found.header.profile;
        let Some(KeyHeader { fingerprint, custody: Custody::Passphrase(wrapped), .. }) = found.header.key
        else {
            return Err(VaultError::Closed);
        };
        let (key, again) = aside(move || passphrase::unwrap(&wrapped, &words, profile, fingerprint)).await?;
        self.take_in_wrapped(profile, key, again).await?.ok_or(VaultError::Closed)
    }

    /// Seals everything under a new key. The new one is in the keychain before the first row is sealed under it, and
    /// the old one leaves it after the last; which is in force changes with the rows, in one transaction.
    pub(crate) async fn rekey(&self, choice: Choice) -> Result<(Mode, u64), VaultError> {
        let _guard = self.exclusive().await?;
        let found = self.find().await?;
        let profile = found.header.profile;
        let old = found.header.key.ok_or(VaultError::Closed)?;
        let before = self.held(old.fingerprint)?;
        let (header, held) = self.lay_down(profile, choice, Patience::Limited).await?;
        let after = held.clone();
        self.with_ring(|ring| ring.prepare(held));
        let reseal = |row: Row<'_>, sealed: &Sealed| match row {
            Row::Secret { id, purpose } => {
                let opened = seal::open(&before.key, id, purpose, sealed)?;
                seal::seal(&after.key, after.fingerprint, id, purpose, opened.expose_secret())
            }
            Row::Document(scope) => {
                let opened = seal::open_document(&before.key, scope, sealed)?;
                seal::seal_document(&after.key, after.fingerprint, scope, opened.expose_secret())
            }
        };
        let outcome = match self.records.rekey(old.fingerprint, &header, &reseal).await {
            Ok(outcome) => outcome,
            // It may have been committed all the same. Where that cannot be found out, both keys stay.
            Err(why) => match self.find().await {
                Ok(found) if found.header.key.as_ref() == Some(&header) => Rekey::Done(found.sealed),
                Ok(_) => {
                    self.take_back(profile, &header).await;
                    return Err(VaultError::Records(why));
                }
                Err(_) => return Err(VaultError::Records(why)),
            },
        };
        match outcome {
            Rekey::Done(rows) => {
                let mode = after.mode;
                self.with_ring(|ring| ring.promote(after.fingerprint));
                self.state.send_replace(VaultState::Open { mode });
                if old.custody == Custody::Keychain {
                    self.forget(profile.account(old.fingerprint)).await;
                }
                Ok((mode, rows))
            }
            Rekey::OtherKey => {
                self.take_back(profile, &header).await;
                Err(VaultError::OtherKey)
            }
            Rekey::Refused { id } => {
                self.take_back(profile, &header).await;
                Err(VaultError::CannotReseal { id })
            }
        }
    }

    /// Removes this profile's entries in the keychain but the one of the key in force, which must be here; how many.
    pub(crate) async fn sweep(&self) -> Result<u64, VaultError> {
        let _guard = self.exclusive().await?;
        let found = self.find().await?;
        let key = found.header.key.ok_or(VaultError::Closed)?;
        self.held(key.fingerprint)?;
        let keep = (key.custody == Custody::Keychain).then(|| found.header.profile.account(key.fingerprint));
        self.clear(found.header.profile, keep, Patience::Limited).await
    }

    /// Removes this profile's entries but `keep`.
    async fn clear(
        &self,
        profile: ProfileId,
        keep: Option<String>,
        patience: Patience,
    ) -> Result<u64, VaultError> {
        let cleared = self.keychain.submit(move |keychain| {
            let mut count = 0;
            for account in keychain.accounts()? {
                if profile.owns(&account) && keep.as_ref() != Some(&account) {
                    keychain.remove(&account)?;
                    count += 1;
                }
            }
            Ok(count)
        });
        self.ask(cleared, patience).await
    }

    /// Gives up the key and everything sealed; what the keychain still has of it goes where it answers.
    pub(crate) async fn start_over(&self) -> Result<(), VaultError> {
        let _guard = self.exclusive().await?;
        let profile = self.find().await?.header.profile;
        self.records.discard().await.map_err(VaultError::Records)?;
        self.with_ring(|ring| *ring = Ring::default());
        self.state.send_replace(VaultState::Closed);
        if let Err(error) = self.clear(profile, None, Patience::Limited).await {
            tracing::debug!(%error, "entries stay in the keychain until the next sweep");
        }
        Ok(())
    }
}

/// How long the keychain is waited for.
#[derive(Clone, Copy)]
pub(crate) enum Patience {
    /// Until it answers or somebody tries again.
    Endless,
    /// As long as the options say.
    Limited,
}

/// What the vault is after an error.
pub(crate) fn settled(error: VaultError) -> VaultState {
    match error {
        VaultError::Locked(why) => VaultState::Locked { why },
        VaultError::Unavailable(why) => VaultState::Unavailable { why },
        VaultError::UnfitHeader => VaultState::Locked { why: LockReason::UnfitHeader },
        other => VaultState::Locked { why: LockReason::Records(other.sentence()) },
    }
}

/// What the keychain's thread answered. One that is gone, or has more to do than it will, answers nothing.
fn told<T>(answer: Result<Result<T, KeychainError>, oneshot::error::RecvError>) -> Result<T, VaultError> {
    Ok(answer.map_err(|_| KeychainError::Unanswered).flatten()?)
}

/// The key among what stands under its name.
fn pick(texts: &[SecretString], fingerprint: Fingerprint) -> Option<(Key, Age)> {
    texts.iter().filter_map(Key::from_text).find(|(key, _)| key.fingerprint() == fingerprint)
}

/// Whether the keychain keeps what it is given. One without a default collection says that there is no such entry,
/// whatever is asked for.
fn keeps(keychain: &mut dyn Keychain, account: &str, text: &SecretString) -> Result<(), KeychainError> {
    keychain.write(account, text)?;
    let read = keychain.read(account);
    keychain.remove(account)?;
    match read {
        Ok(texts) if texts.iter().any(|read| read.expose_secret() == text.expose_secret()) => Ok(()),
        Ok(_) | Err(KeychainError::NotFound) => Err(KeychainError::NoCollection),
        Err(error) => Err(error),
    }
}

fn random() -> Result<Fingerprint, VaultError> {
    ProfileId::random().map(|id| Fingerprint(id.0))
}

/// Does what takes its time on a thread that has nothing else to do.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, VaultError> + Send + 'static,
) -> Result<T, VaultError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| VaultError::UnfitHeader)?
}
