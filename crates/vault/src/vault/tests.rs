//! The vault with a keychain and a storage in memory, whose failures, delays and results the tests control.

mod changing;

use std::sync::atomic::{AtomicBool, Ordering};

use mooring_words::say;
use tokio::time::timeout;

use super::*;
use crate::error::KeychainError;
use crate::header::{KeyHeader, KeyLocation, VaultHeader};
use crate::key::{Fingerprint, Key, ProfileId};
use crate::keychain::fake::FakeKeychain;
use crate::storage::{
    DocumentEncryptor, EncryptedRow, ProcessLock, RekeyResult, RowReencryptor, StorageFuture, VaultContents,
};

const QUICK: KdfParams = KdfParams { memory_kib: 64, passes: 1, lanes: 1 };
const AMPLE: Duration = Duration::from_mins(1);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    BeforeTheCommit,
    AfterTheCommit,
    AndCannotBeReadThen,
}

#[derive(Default)]
struct MemoryRows {
    header: Option<VaultHeader>,
    rows: Vec<(String, String, EncryptedBlob)>,
    fault: Option<Fault>,
    unreadable: bool,
}

/// A storage in memory. Clones share the rows, as two processes do.
#[derive(Clone, Default)]
struct MemoryStorage(Arc<(Mutex<MemoryRows>, AtomicBool)>);

struct MemoryLock(MemoryStorage);

impl Drop for MemoryLock {
    fn drop(&mut self) {
        self.0.0.1.store(false, Ordering::SeqCst);
    }
}

impl MemoryStorage {
    fn rows(&self) -> MutexGuard<'_, MemoryRows> {
        self.0.0.lock().unwrap()
    }

    fn key(&self) -> Option<KeyHeader> {
        self.rows().header.as_ref().and_then(|header| header.key.clone())
    }

    fn account(&self) -> String {
        let kept = self.rows();
        let header = kept.header.as_ref().unwrap();
        header.profile.account_name(header.key.as_ref().unwrap().fingerprint)
    }

    /// Commits, or fails as the fault says.
    fn commit<T>(&self, commit: impl FnOnce(&mut MemoryRows) -> T) -> Result<T, mooring_words::Sentence> {
        let mut kept = self.rows();
        let fault = kept.fault.take();
        if fault == Some(Fault::BeforeTheCommit) {
            return Err(say!("the disk is full"));
        }
        let done = commit(&mut kept);
        kept.unreadable = fault == Some(Fault::AndCannotBeReadThen);
        if fault.is_some() { Err(say!("the disk is full")) } else { Ok(done) }
    }
}

impl VaultStorage for MemoryStorage {
    fn read_or_create(&self, profile: ProfileId) -> StorageFuture<'_, VaultContents> {
        Box::pin(async move {
            let mut kept = self.rows();
            if kept.unreadable {
                return Err(say!("the disk is full"));
            }
            let header = kept.header.get_or_insert(VaultHeader { profile, key: None }).clone();
            Ok(VaultContents { header, encrypted_rows: kept.rows.len() as u64 })
        })
    }

    fn lock(&self) -> StorageFuture<'_, Option<ProcessLock>> {
        let taken = self.0.1.swap(true, Ordering::SeqCst);
        Box::pin(async move { Ok((!taken).then(|| Box::new(MemoryLock(self.clone())) as ProcessLock)) })
    }

    fn set_first_key<'a>(
        &'a self,
        key: &'a KeyHeader,
        _document: &'a DocumentEncryptor<'a>,
    ) -> StorageFuture<'a, bool> {
        Box::pin(async move {
            self.commit(|kept| {
                let header = kept.header.as_mut().unwrap();
                let free = header.key.is_none() && kept.rows.is_empty();
                if free {
                    header.key = Some(key.clone());
                }
                free
            })
        })
    }

    fn rekey<'a>(
        &'a self,
        from: Fingerprint,
        to: &'a KeyHeader,
        reseal: &'a RowReencryptor<'a>,
    ) -> StorageFuture<'a, RekeyResult> {
        Box::pin(async move {
            self.commit(|kept| {
                let header = kept.header.as_mut().unwrap();
                if header.key.as_ref().map(|key| key.fingerprint) != Some(from) {
                    return RekeyResult::OtherKey;
                }
                let mut rows = kept.rows.clone();
                for (id, kind, sealed) in &mut rows {
                    match reseal(EncryptedRow::Secret { id, purpose: kind }, sealed) {
                        Ok(anew) => *sealed = anew,
                        Err(_) => return RekeyResult::Refused { id: id.clone() },
                    }
                }
                kept.rows = rows;
                header.key = Some(to.clone());
                RekeyResult::Done(kept.rows.len() as u64)
            })
        })
    }

    fn delete_all(&self) -> StorageFuture<'_, ()> {
        Box::pin(async move {
            self.commit(|kept| {
                kept.rows.clear();
                kept.header.as_mut().unwrap().key = None;
            })
        })
    }
}

fn vault(records: &MemoryStorage, keychain: &FakeKeychain) -> Vault {
    let options = VaultOptions {
        keychain: keychain.connect(),
        notice: Duration::from_millis(100),
        patience: Duration::from_millis(100),
        kdf: QUICK,
        passphrase: None,
    };
    Vault::new(Arc::new(records.clone()), options)
}

fn secret(text: &str) -> SecretString {
    SecretString::from(text)
}

/// Encrypts a secret into a row of the storage, as the host does.
fn keep(vault: &Vault, records: &MemoryStorage, id: &str) {
    let sealed = vault.encrypt(id, "token", &secret(&format!("secret of {id}"))).unwrap();
    records.rows().rows.push((id.to_owned(), "token".to_owned(), sealed));
}

fn opens_everything(vault: &Vault, records: &MemoryStorage) {
    let rows = records.rows().rows.clone();
    assert!(!rows.is_empty());
    for (id, kind, sealed) in rows {
        let opened = vault.decrypt(&id, &kind, &sealed).unwrap();
        assert_eq!(opened.expose_secret(), format!("secret of {id}"));
    }
}

async fn until(vault: &Vault, wanted: impl Fn(&VaultState) -> bool) {
    let mut state = vault.state();
    timeout(AMPLE, state.wait_for(|state| wanted(state))).await.unwrap().unwrap();
}

fn is_waiting(state: &VaultState) -> bool {
    *state == VaultState::Waiting
}

const OPEN: VaultState = VaultState::Open { mode: VaultMode::Keychain };

#[tokio::test]
async fn new_profile_stores_its_key_in_the_keychain_for_the_next_run() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let first = vault(&records, &keychain);
    assert_eq!(*first.state().borrow(), VaultState::Closed);
    assert_eq!(keychain.calls(), [""; 0], "nothing is asked before it is needed");
    assert_eq!(first.open().await, Ok(VaultMode::Keychain));
    keep(&first, &records, "a");
    assert_eq!(keychain.accounts(), [records.account()]);
    drop(first);
    let next = vault(&records, &keychain);
    keychain.calls();
    assert_eq!(next.open().await, Ok(VaultMode::Keychain));
    assert_eq!(keychain.calls(), ["connect".to_owned(), format!("read {}", records.account())]);
    opens_everything(&next, &records);
    assert_eq!(next.open().await, Ok(VaultMode::Keychain));
    assert_eq!(keychain.calls(), [""; 0], "an open vault needs no keychain");
}

#[tokio::test]
async fn two_profiles_have_entries_of_their_own() {
    let keychain = FakeKeychain::default();
    let (one, other) = (MemoryStorage::default(), MemoryStorage::default());
    let (first, second) = (vault(&one, &keychain), vault(&other, &keychain));
    first.open().await.unwrap();
    second.open().await.unwrap();
    keep(&first, &one, "a");
    let moved = one.rows().rows[0].2.clone();
    assert_eq!(second.decrypt("a", "token", &moved).err(), Some(VaultError::OtherKey));
    first.rekey(KeyPlacement::Keychain).await.unwrap();
    assert_eq!(first.remove_old_entries().await, Ok(0));
    let mut accounts = [one.account(), other.account()];
    accounts.sort();
    assert_eq!(keychain.accounts(), accounts, "neither touches the other's");
}

#[tokio::test]
async fn ten_processes_that_open_a_new_profile_agree_on_one_key() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let vaults: Vec<Vault> = (0..10).map(|_| vault(&records, &keychain)).collect();
    for vault in &vaults {
        // Another process may be working on the key. The person would try again.
        let mut opened = vault.open().await;
        while opened.is_err() {
            opened = vault.retry().await;
        }
    }
    keep(&vaults[0], &records, "a");
    for vault in &vaults {
        opens_everything(vault, &records);
    }
    assert_eq!(keychain.accounts().len(), 1);
}

#[tokio::test]
async fn a_slow_keychain_is_waited_for_and_nobody_is_held_up() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    keychain.stall(true);
    let vault = vault(&records, &keychain);
    let asked = std::time::Instant::now();
    assert_eq!(vault.open().await, Err(VaultError::Waiting));
    assert!(asked.elapsed() < AMPLE / 4, "{:?}", asked.elapsed());
    assert_eq!(*vault.state().borrow(), VaultState::Waiting);
    assert_eq!(vault.open().await, Err(VaultError::Waiting), "at once, and with no second request");
    assert_eq!(keychain.calls(), ["connect"]);
    let early = vault.encrypt("a", "token", &secret("x")).unwrap_err();
    assert_eq!(early, VaultError::Waiting);
    keychain.stall(false);
    until(&vault, |state| *state == OPEN).await;
    keep(&vault, &records, "a");
}

#[tokio::test]
async fn trying_again_does_not_wait_for_the_request_before() {
    let (records, stuck) = (MemoryStorage::default(), FakeKeychain::default());
    vault(&records, &stuck).open().await.unwrap();
    let vault = vault(&records, &stuck);
    stuck.calls();
    stuck.stall(true);
    assert_eq!(vault.open().await, Err(VaultError::Waiting));
    assert_eq!(vault.retry().await, Err(VaultError::Waiting));
    stuck.until_waiting(2);
    // However often it is retried, there are only few threads that wait forever.
    for _ in 0..20 {
        assert!(vault.retry().await.is_err());
    }
    let asked = stuck.calls().len();
    assert!(asked <= 4, "{asked} requests at once");
    stuck.stall(false);
    let mut opened = vault.retry().await;
    while opened.is_err() {
        opened = vault.retry().await;
    }
    assert_eq!(opened, Ok(VaultMode::Keychain));
}

#[tokio::test]
async fn keychain_failures_are_distinguished_and_not_retried() {
    let detail = String::from("x");
    for (fault, expected) in [
        (KeychainError::Locked, VaultState::Locked { why: crate::LockReason::Keychain }),
        (KeychainError::NoProvider, VaultState::Unavailable { why: KeychainError::NoProvider }),
        (KeychainError::NoCollection, VaultState::Unavailable { why: KeychainError::NoCollection }),
        (
            KeychainError::NoBus { detail: detail.clone() },
            VaultState::Unavailable { why: KeychainError::NoBus { detail: detail.clone() } },
        ),
        (
            KeychainError::Failed { detail: detail.clone() },
            VaultState::Unavailable { why: KeychainError::Failed { detail } },
        ),
    ] {
        for with_key in [false, true] {
            let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
            if with_key {
                vault(&records, &keychain).open().await.unwrap();
            }
            let vault = vault(&records, &keychain);
            keychain.fail(Some(fault.clone()));
            keychain.calls();
            let error = vault.open().await.unwrap_err();
            assert_eq!(*vault.state().borrow(), expected);
            assert!(error.next_step().is_some_and(|next| !next.is_empty()), "{error}");
            let asked = keychain.calls().len();
            assert_eq!(vault.open().await.unwrap_err(), error);
            assert_eq!((asked, keychain.calls().len()), (1, 0), "the person is not asked twice");
            keychain.fail(None);
            assert_eq!(vault.retry().await, Ok(VaultMode::Keychain), "{fault:?}");
            assert_eq!(keychain.accounts(), [records.account()]);
        }
    }
}

#[tokio::test]
async fn unreadable_profile_is_read_again_when_needed() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let vault = vault(&records, &keychain);
    records.rows().unreadable = true;
    for _ in 0..2 {
        let error = vault.open().await.unwrap_err();
        assert_eq!(error, VaultError::Locked(crate::LockReason::Records(say!("the disk is full"))));
    }
    assert_eq!(keychain.calls(), [""; 0]);
    records.rows().unreadable = false;
    assert_eq!(vault.open().await, Ok(VaultMode::Keychain));
}

#[tokio::test]
async fn keychain_that_saves_nothing_is_not_one_that_lost_the_key() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let first = vault(&records, &keychain);
    first.open().await.unwrap();
    keep(&first, &records, "a");
    let account = records.account();
    let text = keychain.text(&account).unwrap();
    keychain.set_entry(&account, None);
    // Like a keychain without a collection, it reports that there is no entry, and can't store one.
    let vault = vault(&records, &keychain);
    keychain.fail_next("write", KeychainError::NoCollection);
    assert_eq!(vault.open().await, Err(VaultError::Unavailable(KeychainError::NoCollection)));
    // Now it can store entries, so the entry is really gone.
    assert_eq!(vault.retry().await, Err(VaultError::Locked(crate::LockReason::KeyMissing)));
    assert_eq!(keychain.accounts(), [""; 0], "no new key, and the trial is cleared away");
    keychain.set_entry(&account, Some(&text));
    assert_eq!(vault.retry().await, Ok(VaultMode::Keychain));
    opens_everything(&vault, &records);
}

#[tokio::test]
async fn another_key_locks_the_vault_and_changes_nothing() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let first = vault(&records, &keychain);
    first.open().await.unwrap();
    keep(&first, &records, "a");
    let (account, header, rows) = (records.account(), records.key(), records.rows().rows.clone());
    let right = keychain.text(&account).unwrap();
    let other = Key::random().unwrap().to_text();
    for wrong in [other.expose_secret(), "", "mooring-key-3:", "x"] {
        keychain.set_entry(&account, Some(wrong));
        let vault = vault(&records, &keychain);
        assert_eq!(vault.open().await, Err(VaultError::Locked(crate::LockReason::OtherKey)));
        let refusals =
            [vault.encrypt("b", "token", &secret("x")).err(), vault.decrypt("a", "token", &rows[0].2).err()];
        assert_eq!(refusals, [(); 2].map(|()| Some(VaultError::Locked(crate::LockReason::OtherKey))));
        assert_eq!(vault.create(KeyPlacement::Keychain).await, Err(VaultError::NotEmpty));
        assert_eq!(vault.create(KeyPlacement::Memory).await, Err(VaultError::NotEmpty));
        assert_eq!(vault.rekey(KeyPlacement::Memory).await, Err(VaultError::Closed));
        assert_eq!(vault.remove_old_entries().await, Err(VaultError::Closed));
        assert_eq!((records.key(), &records.rows().rows), (header.clone(), &rows));
        assert_eq!(keychain.text(&account).as_deref(), Some(wrong));
        assert_eq!(*vault.state().borrow(), VaultState::Locked { why: crate::LockReason::OtherKey });
        keychain.set_entry(&account, Some(&right));
        assert_eq!(vault.retry().await, Ok(VaultMode::Keychain));
        opens_everything(&vault, &records);
    }
}

#[tokio::test]
async fn no_key_is_created_over_rows_of_unknown_origin() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let first = vault(&records, &keychain);
    first.open().await.unwrap();
    keep(&first, &records, "a");
    records.rows().header.as_mut().unwrap().key = None;
    let vault = vault(&records, &keychain);
    let locked = VaultError::Locked(crate::LockReason::Unknown);
    assert_eq!(vault.open().await, Err(locked.clone()));
    for choice in
        [KeyPlacement::Keychain, KeyPlacement::Memory, KeyPlacement::Passphrase(secret("correct horse"))]
    {
        assert_eq!(vault.create(choice).await, Err(locked.clone()));
    }
    assert_eq!((records.key(), records.rows().rows.len()), (None, 1));
    vault.start_over().await.unwrap();
    assert_eq!(vault.open().await, Ok(VaultMode::Keychain), "because the person wants it");
}

#[tokio::test]
async fn without_a_keychain_the_person_chooses_a_passphrase() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    keychain.fail(Some(KeychainError::NoProvider));
    let first = vault(&records, &keychain);
    first.open().await.unwrap_err();
    assert_eq!(records.key(), None, "nothing is chosen for them");
    assert_eq!(
        first.create(KeyPlacement::Passphrase(secret("short"))).await,
        Err(VaultError::InvalidPassphrase)
    );
    assert_eq!(
        first.create(KeyPlacement::Passphrase(secret("correct horse"))).await,
        Ok(VaultMode::Passphrase)
    );
    keep(&first, &records, "a");
    let vault = vault(&records, &keychain);
    keychain.calls();
    let locked = VaultState::Locked { why: crate::LockReason::Passphrase };
    assert_eq!(vault.open().await, Err(VaultError::Locked(crate::LockReason::Passphrase)));
    assert_eq!(vault.unlock(secret("correct horsf")).await, Err(VaultError::WrongPassphrase));
    assert_eq!(*vault.state().borrow(), locked);
    assert_eq!(vault.unlock(secret("correct horse")).await, Ok(VaultMode::Passphrase));
    assert_eq!(*vault.state().borrow(), VaultState::Open { mode: VaultMode::Passphrase });
    opens_everything(&vault, &records);
    assert_eq!(keychain.calls(), [""; 0], "the keychain has no part in it");
    // Another passphrase means another key. Later the keychain can be used instead.
    assert_eq!(vault.rekey(KeyPlacement::Passphrase(secret("battery staple"))).await, Ok(1));
    assert_eq!(vault.unlock(secret("correct horse")).await, Err(VaultError::WrongPassphrase));
    assert_eq!(vault.unlock(secret("battery staple")).await, Ok(VaultMode::Passphrase));
    keychain.fail(None);
    assert_eq!(vault.rekey(KeyPlacement::Keychain).await, Ok(1));
    assert_eq!(*vault.state().borrow(), OPEN);
    opens_everything(&vault, &records);
}

#[tokio::test]
async fn in_memory_key_is_gone_with_its_run() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let first = vault(&records, &keychain);
    assert_eq!(first.create(KeyPlacement::Memory).await, Ok(VaultMode::Memory));
    keep(&first, &records, "a");
    assert_eq!(keychain.calls(), [""; 0]);
    let second = vault(&records, &keychain);
    assert_eq!(second.open().await, Err(VaultError::Locked(crate::LockReason::Memory)));
    opens_everything(&first, &records);
    assert_eq!(second.create(KeyPlacement::Memory).await, Err(VaultError::NotEmpty));
    second.start_over().await.unwrap();
    assert_eq!(second.create(KeyPlacement::Memory).await, Ok(VaultMode::Memory));
    assert_eq!(first.refresh().await, Err(VaultError::Locked(crate::LockReason::Memory)));
}

#[tokio::test]
async fn choosing_does_not_wait_for_a_keychain_that_is_waited_for() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    keychain.stall(true);
    let vault = vault(&records, &keychain);
    assert_eq!(vault.open().await, Err(VaultError::Waiting));
    assert_eq!(timeout(AMPLE, vault.create(KeyPlacement::Memory)).await.unwrap(), Ok(VaultMode::Memory));
    keychain.stall(false);
    keep(&vault, &records, "a");
    assert_eq!(records.key().unwrap().custody, KeyLocation::Memory, "the late answer changes nothing");
    vault.rekey(KeyPlacement::Keychain).await.unwrap();
    vault.remove_old_entries().await.unwrap();
    assert_eq!(keychain.accounts(), [records.account()], "what came too late is swept away");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_the_vault_is_told_when_the_person_starts_over() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let options = VaultOptions {
        keychain: keychain.connect(),
        notice: AMPLE,
        patience: AMPLE,
        kdf: QUICK,
        passphrase: None,
    };
    let vault = Vault::new(Arc::new(records.clone()), options);
    for fails in [true, false] {
        keychain.stall(true);
        let mut waiting = tokio::task::JoinSet::new();
        let first = vault.clone();
        waiting.spawn(async move { first.open().await });
        until(&vault, |state| *state == VaultState::Opening).await;
        records.rows().fault = fails.then_some(Fault::BeforeTheCommit);
        let told = async {
            assert_eq!(waiting.join_next().await.unwrap().unwrap(), Err(VaultError::Closed));
            keychain.stall(false);
        };
        // The second call waits before it is stopped.
        let all = async { tokio::join!(vault.open(), vault.start_over(), told) };
        let (second, started, ()) = timeout(AMPLE, all).await.unwrap();
        assert_eq!(second, Err(VaultError::Closed));
        assert_eq!(started.is_err(), fails);
        assert_eq!(*vault.state().borrow(), VaultState::Closed);
    }
    assert_eq!(vault.open().await, Ok(VaultMode::Keychain));
}

// Requirements: AUTH-42
#[tokio::test]
async fn nothing_that_is_shown_shows_a_key_or_a_secret() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let vault = vault(&records, &keychain);
    vault.create(KeyPlacement::Passphrase(secret("correct horse"))).await.unwrap();
    vault.rekey(KeyPlacement::Keychain).await.unwrap();
    keep(&vault, &records, "canary");
    let text = keychain.text(&records.account()).unwrap();
    let (key, _) = Key::from_text(&secret(&text)).unwrap();
    let sealed = records.rows().rows[0].2.clone();
    let opened = vault.decrypt("canary", "token", &sealed).unwrap();
    let wrong = vault.decrypt("other", "token", &sealed).unwrap_err();
    let wrapped =
        passphrase::wrap_key(&key, &secret("correct horse"), ProfileId::random().unwrap(), QUICK).unwrap();
    let shown = format!(
        "{vault:?} {:?} {:?} {sealed:?} {opened:?} {wrong:?} {wrong} {wrapped:?}",
        vault.state().borrow(),
        records.key(),
    );
    let hex = |bytes: &[u8]| crate::key::Hex(bytes).to_string();
    let list = |bytes: &[u8]| format!("{bytes:?}").trim_matches(['[', ']']).to_owned();
    for (what, hidden) in [
        ("key", text["mooring-key-3:".len()..].to_owned()),
        ("key", hex(key.expose())),
        ("key", list(&key.expose()[..4])),
        ("secret", "secret of canary".to_owned()),
        ("wrapped key", list(&wrapped.ciphertext[..4])),
        ("wrapped key", hex(&wrapped.ciphertext)),
        ("passphrase", "correct horse".to_owned()),
    ] {
        assert!(!shown.contains(&hidden), "{what} in {shown}");
    }
    assert!(shown.contains("Keychain") && shown.contains("REDACTED"), "{shown}");
}

#[test]
fn a_key_overwrites_its_memory_when_it_goes() {
    fn overwrites<T: zeroize::ZeroizeOnDrop>() {}
    overwrites::<SecretBox<[u8; 32]>>();
    overwrites::<SecretString>();
    overwrites::<chacha20poly1305::XChaCha20Poly1305>();
}
