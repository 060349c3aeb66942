//! A process that is killed while it changes the key, at each step on the way.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use mooring_store::Store;
use mooring_vault::{
    ConnectKeychain, DocumentEncryptor, EncryptedBlob, EncryptedRow, Fingerprint, KeyHeader, KeyPlacement,
    Keychain, KeychainError, ProcessLock, ProfileId, RekeyResult, RowReencryptor, StorageFuture, Vault,
    VaultContents, VaultMode, VaultOptions, VaultStorage, system_keychain,
};
use secrecy::SecretString;

use crate::host::{StoreStorage, keep, opens_everything};
use crate::session::{KeyringStart, Session, in_session, this_test, wait_for};

const STEP: &str = "MOORING_TEST_STEP";
const ROWS: usize = 5;
/// Where the process is killed, in the order in which it gets there.
const STEPS: [&str; 9] = [
    "before the new key is written",
    "after the new key is written",
    "after the new key is read back",
    "before the first row",
    "in the midst of the rows",
    "after the last row",
    "after the commit",
    "before the old key is removed",
    "after the old key is removed",
];

/// Where the victim is to stay, and how it says that it is there.
#[derive(Clone)]
struct StopPoint {
    step: String,
    sign: PathBuf,
}

impl StopPoint {
    /// Stays here for ever, if this is the step.
    fn at(&self, step: &str) {
        if self.step == step {
            std::fs::write(&self.sign, step).unwrap();
            loop {
                thread::park();
            }
        }
    }
}

struct StoppingKeychain(Box<dyn Keychain>, StopPoint);

impl Keychain for StoppingKeychain {
    fn read(&mut self, account: &str) -> Result<Vec<SecretString>, KeychainError> {
        let read = self.0.read(account);
        self.1.at("after the new key is read back");
        read
    }

    fn write(&mut self, account: &str, text: &SecretString) -> Result<(), KeychainError> {
        self.1.at("before the new key is written");
        let written = self.0.write(account, text);
        self.1.at("after the new key is written");
        written
    }

    fn remove(&mut self, account: &str) -> Result<(), KeychainError> {
        self.1.at("before the old key is removed");
        let removed = self.0.remove(account);
        self.1.at("after the old key is removed");
        removed
    }

    fn accounts(&mut self) -> Result<Vec<String>, KeychainError> {
        self.0.accounts()
    }
}

struct StoppingStorage(StoreStorage, StopPoint);

impl VaultStorage for StoppingStorage {
    fn read_or_create(&self, profile: ProfileId) -> StorageFuture<'_, VaultContents> {
        self.0.read_or_create(profile)
    }

    fn lock(&self) -> StorageFuture<'_, Option<ProcessLock>> {
        self.0.lock()
    }

    fn set_first_key<'a>(
        &'a self,
        key: &'a KeyHeader,
        document: &'a DocumentEncryptor<'a>,
    ) -> StorageFuture<'a, bool> {
        self.0.set_first_key(key, document)
    }

    fn rekey<'a>(
        &'a self,
        from: Fingerprint,
        to: &'a KeyHeader,
        reseal: &'a RowReencryptor<'a>,
    ) -> StorageFuture<'a, RekeyResult> {
        Box::pin(async move {
            let count = AtomicUsize::new(0);
            let stopping = |row: EncryptedRow<'_>, sealed: &EncryptedBlob| {
                match count.fetch_add(1, Ordering::SeqCst) {
                    0 => self.1.at("before the first row"),
                    row if row == ROWS / 2 => self.1.at("in the midst of the rows"),
                    _ => {}
                }
                let anew = reseal(row, sealed);
                if count.load(Ordering::SeqCst) == ROWS {
                    self.1.at("after the last row");
                }
                anew
            };
            let done = self.0.rekey(from, to, &stopping).await;
            self.1.at("after the commit");
            done
        })
    }

    fn delete_all(&self) -> StorageFuture<'_, ()> {
        self.0.delete_all()
    }
}

/// Changes the key and stays at its step.
async fn victim(session: &Session, step: String) {
    let stop = StopPoint { step, sign: session.home().join("sign") };
    let store = session.profile("profile").await;
    // Opened as always; what stops is the keychain of the change.
    let armed = Arc::new(std::sync::OnceLock::new());
    let keychain: ConnectKeychain = {
        let (armed, stop) = (Arc::clone(&armed), stop.clone());
        Arc::new(move || {
            let keychain = system_keychain()()?;
            match armed.get() {
                Some(()) => Ok(Box::new(StoppingKeychain(keychain, stop.clone())) as Box<dyn Keychain>),
                None => Ok(keychain),
            }
        })
    };
    let records = StoppingStorage(StoreStorage(store.clone()), stop);
    let vault = Vault::new(Arc::new(records), VaultOptions { keychain, ..VaultOptions::default() });
    vault.open().await.unwrap();
    armed.set(()).unwrap();
    vault.rekey(KeyPlacement::Keychain).await.unwrap();
    unreachable!("the step was not on the way");
}

/// The profile's entries in the keyring.
async fn entries() -> usize {
    let listed =
        tokio::task::spawn_blocking(|| system_keychain()().and_then(|mut keychain| keychain.accounts()));
    listed.await.unwrap().unwrap().len()
}

async fn key(store: &Store) -> [u8; 16] {
    store.vault().get([0; 16]).await.unwrap().key.unwrap().fingerprint
}

#[test]
fn kill_during_a_key_change_leaves_everything_readable() {
    in_session(async |session| {
        if let Ok(step) = env::var(STEP) {
            return victim(&session, step).await;
        }
        let _bus = session.bus();
        let _daemon = session.daemon(KeyringStart::Unlock("right"));
        let store = session.profile("profile").await;
        let first = crate::host::vault(&store, system_keychain());
        first.open().await.unwrap();
        for row in 0..ROWS {
            keep(&first, &store, &row.to_string()).await;
        }
        drop(first);
        let sign = session.home().join("sign");
        for (number, step) in STEPS.into_iter().enumerate() {
            let before = key(&store).await;
            let mut victim = this_test().env(STEP, step).spawn().unwrap();
            wait_for(|| std::fs::read_to_string(&sign).is_ok_and(|at| at == step));
            victim.kill().unwrap();
            victim.wait().unwrap();
            std::fs::remove_file(&sign).unwrap();
            let committed = key(&store).await != before;
            assert_eq!(committed, number >= 6, "{step}");
            let expected = [1, 2, 2, 2, 2, 2, 2, 2, 1];
            assert_eq!(entries().await, expected[number], "{step}");

            let next = crate::host::vault(&store, system_keychain());
            assert_eq!(next.open().await, Ok(VaultMode::Keychain), "{step}");
            assert_eq!(opens_everything(&next, &store).await, ROWS, "{step}");
            assert_eq!(next.remove_old_entries().await, Ok(expected[number] as u64 - 1), "{step}");
            let swept = crate::host::vault(&store, system_keychain());
            assert_eq!(swept.open().await, Ok(VaultMode::Keychain), "{step}");
            assert_eq!(opens_everything(&swept, &store).await, ROWS, "{step}");
        }
    });
}
