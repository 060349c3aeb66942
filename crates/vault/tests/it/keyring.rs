//! What a real keyring daemon does, and what the vault makes of it.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use mooring_store::Store;
use mooring_vault::{
    KeyPlacement, KeychainError, LockReason, ProfileId, Vault, VaultError, VaultMode, VaultState,
    system_keychain,
};
use secrecy::{ExposeSecret, SecretString};
use secret_service::EncryptionType;
use secret_service::blocking::SecretService;
use tracing_subscriber::fmt::MakeWriter;

use crate::host::{AMPLE, keep, opens_everything};
use crate::session::{KeyringStart, Session, in_session, silent_prompter};

const RIGHT: KeyringStart = KeyringStart::Unlock("right");
const WRONG: KeyringStart = KeyringStart::Unlock("wrong");

fn vault(store: &Store) -> Vault {
    crate::host::vault(store, system_keychain())
}

/// A profile with a key in the keyring and two secrets under it.
async fn used(session: &Session) -> Store {
    let store = session.profile("profile").await;
    let vault = vault(&store);
    assert_eq!(vault.open().await, Ok(VaultMode::Keychain));
    keep(&vault, &store, "a").await;
    keep(&vault, &store, "b").await;
    store
}

/// The names of our entries.
async fn accounts() -> Vec<String> {
    let listed =
        tokio::task::spawn_blocking(|| system_keychain()().and_then(|mut keychain| keychain.accounts()));
    let mut listed = listed.await.unwrap().unwrap();
    listed.sort();
    listed
}

async fn account(store: &Store) -> String {
    let row = store.vault().get([0; 16]).await.unwrap();
    let fingerprint = mooring_vault::Fingerprint(row.key.unwrap().fingerprint);
    format!("{}-{fingerprint}", ProfileId(row.profile))
}

// Requirements: AUTH-42
#[test]
fn an_unlocked_keyring_keeps_the_key_over_restarts_of_both() {
    in_session(async |session| {
        let _bus = session.bus();
        let daemon = session.daemon(RIGHT);
        let store = used(&session).await;
        let running = vault(&store);
        assert_eq!(running.open().await, Ok(VaultMode::Keychain));
        drop(daemon);
        assert_eq!(opens_everything(&running, &store).await, 2, "an open vault needs no keyring");
        let _daemon = session.daemon(RIGHT);
        let next = vault(&store);
        assert_eq!(next.open().await, Ok(VaultMode::Keychain));
        assert_eq!(opens_everything(&next, &store).await, 2);
        // And it can be worked with, although its daemon is another than at the start.
        assert_eq!(running.rekey(KeyPlacement::Keychain).await, Ok(2));
        assert_eq!(accounts().await, [account(&store).await]);
    });
}

#[test]
fn a_locked_keyring_locks_the_vault_until_it_is_unlocked() {
    in_session(async |session| {
        let _bus = session.bus();
        let mut daemon = session.daemon(RIGHT);
        let store = used(&session).await;
        for start in [KeyringStart::Locked, WRONG] {
            drop(daemon);
            daemon = session.daemon(start);
            let vault = vault(&store);
            let asked = Instant::now();
            assert_eq!(vault.open().await, Err(VaultError::Locked(LockReason::Keychain)));
            assert!(asked.elapsed() < AMPLE / 4, "{:?}", asked.elapsed());
            assert_eq!(vault.create(KeyPlacement::Keychain).await, Err(VaultError::NotEmpty));
            drop(daemon);
            daemon = session.daemon(RIGHT);
            assert_eq!(vault.retry().await, Ok(VaultMode::Keychain), "without a restart of ours");
            assert_eq!(opens_everything(&vault, &store).await, 2);
        }
        drop(daemon);
    });
}

#[test]
fn unanswered_keyring_prompt_blocks_nothing_else() {
    in_session(async |session| {
        let _bus = session.bus();
        let daemon = session.daemon(RIGHT);
        let store = used(&session).await;
        drop(daemon);
        let daemon = session.daemon(KeyringStart::Locked);
        let _prompter = silent_prompter();
        let vault = vault(&store);
        let asked = Instant::now();
        assert_eq!(vault.open().await, Err(VaultError::Waiting));
        assert!(asked.elapsed() < AMPLE / 4, "{:?}", asked.elapsed());
        assert_eq!(*vault.state().borrow(), VaultState::Waiting);
        assert_eq!(store.secrets().count().await.unwrap(), 2);
        drop(daemon);
        // The earlier request still waits for an answer that will never come; the next has a thread of its
        // own.
        let _daemon = session.daemon(RIGHT);
        assert_eq!(vault.retry().await, Ok(VaultMode::Keychain));
        assert_eq!(opens_everything(&vault, &store).await, 2);
    });
}

#[test]
fn missing_bus_provider_or_collection_is_reported_and_retried() {
    in_session(async |session| {
        let store = session.profile("profile").await;
        let vault = vault(&store);
        let no_bus = |result| matches!(result, Err(VaultError::Unavailable(KeychainError::NoBus { .. })));
        assert!(no_bus(vault.open().await), "{:?}", vault.state().borrow());
        assert!(no_bus(vault.retry().await));
        let bus = session.bus();
        assert_eq!(vault.retry().await, Err(VaultError::Unavailable(KeychainError::NoProvider)));
        // Nothing was ever unlocked here, so there is nowhere to put a password.
        let daemon = session.daemon(KeyringStart::Locked);
        assert_eq!(vault.retry().await, Err(VaultError::Unavailable(KeychainError::NoCollection)));
        drop(daemon);
        assert!(store.vault().get([0; 16]).await.unwrap().key.is_none(), "no key was made meanwhile");
        let daemon = session.daemon(RIGHT);
        assert_eq!(vault.retry().await, Ok(VaultMode::Keychain));
        keep(&vault, &store, "a").await;
        drop((daemon, bus));
        // The same with something sealed.
        let vault = self::vault(&store);
        assert!(no_bus(vault.open().await));
        let _bus = session.bus();
        assert_eq!(vault.retry().await, Err(VaultError::Unavailable(KeychainError::NoProvider)));
        let keyrings = session.home().join("data/keyrings");
        std::fs::rename(&keyrings, session.home().join("aside")).unwrap();
        let daemon = session.daemon(KeyringStart::Locked);
        assert_eq!(vault.retry().await, Err(VaultError::Unavailable(KeychainError::NoCollection)));
        drop(daemon);
        // Another keyring altogether: it works, and does not have the key.
        let daemon = session.daemon(RIGHT);
        assert_eq!(vault.retry().await, Err(VaultError::Locked(LockReason::KeyMissing)));
        assert_eq!(accounts().await, [""; 0], "neither a new key nor the trial is left there");
        drop(daemon);
        std::fs::remove_dir_all(&keyrings).unwrap();
        std::fs::rename(session.home().join("aside"), &keyrings).unwrap();
        let _daemon = session.daemon(RIGHT);
        assert_eq!(vault.retry().await, Ok(VaultMode::Keychain));
        assert_eq!(opens_everything(&vault, &store).await, 1);
    });
}

#[test]
fn foreign_key_in_the_keyring_locks_the_vault() {
    in_session(async |session| {
        let _bus = session.bus();
        let _daemon = session.daemon(RIGHT);
        let store = used(&session).await;
        let name = account(&store).await;
        let before = (store.vault().get([0; 16]).await.unwrap(), store.secrets().get("a").await.unwrap());
        let swap = |text: SecretString| {
            let name = name.clone();
            tokio::task::spawn_blocking(move || {
                let mut keychain = system_keychain()().unwrap();
                let was = keychain.read(&name).unwrap().pop().unwrap();
                keychain.write(&name, &text).unwrap();
                was
            })
        };
        let other = format!("mooring-key-3:{}", "A".repeat(43));
        let right = swap(SecretString::from(other.clone())).await.unwrap();
        let vault = vault(&store);
        assert_eq!(vault.open().await, Err(VaultError::Locked(LockReason::OtherKey)));
        assert_eq!(vault.retry().await, Err(VaultError::Locked(LockReason::OtherKey)));
        assert!(vault.encrypt("c", "token", &SecretString::from("x")).is_err());
        let after = (store.vault().get([0; 16]).await.unwrap(), store.secrets().get("a").await.unwrap());
        assert_eq!(before, after);
        let still = swap(right).await.unwrap();
        assert_eq!(still.expose_secret(), other, "the keyring is left as it is, too");
        assert_eq!(vault.retry().await, Ok(VaultMode::Keychain));
        assert_eq!(opens_everything(&vault, &store).await, 2);
    });
}

/// Puts a text under a name a second time, as a restored backup of a keyring may.
fn add(name: String, text: String) {
    let add = move || {
        let service = SecretService::connect(EncryptionType::Dh).unwrap();
        let collection = service.get_default_collection().unwrap();
        let attributes = HashMap::from([("service", "Mooring"), ("username", &name)]);
        collection.create_item("second", attributes, text.as_bytes(), false, "text/plain").unwrap();
    };
    thread::spawn(add).join().unwrap();
}

#[test]
fn of_two_entries_of_one_name_the_right_one_is_found() {
    in_session(async |session| {
        let _bus = session.bus();
        let _daemon = session.daemon(RIGHT);
        let store = used(&session).await;
        let name = account(&store).await;
        for text in [format!("mooring-key-3:{}", "A".repeat(43)), "\u{0}".to_owned()] {
            add(name.clone(), text);
            let vault = vault(&store);
            assert_eq!(vault.open().await, Ok(VaultMode::Keychain));
            assert_eq!(opens_everything(&vault, &store).await, 2);
        }
        assert_eq!(accounts().await.len(), 3);
        let vault = vault(&store);
        vault.open().await.unwrap();
        assert_eq!(vault.rekey(KeyPlacement::Keychain).await, Ok(2));
        assert_eq!(accounts().await, [account(&store).await], "all of that name are gone");
    });
}

// What the libraries say of their work at the finest level holds no key.
#[test]
fn no_log_of_the_way_to_the_keyring_holds_the_key() {
    in_session(async |session| {
        let said = LogBuffer::default();
        let subscriber =
            tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(said.clone());
        subscriber.with_ansi(false).init();
        let _bus = session.bus();
        let _daemon = session.daemon(RIGHT);
        let store = used(&session).await;
        let vault = vault(&store);
        vault.open().await.unwrap();
        vault.rekey(KeyPlacement::Keychain).await.unwrap();
        let name = account(&store).await;
        let read = tokio::task::spawn_blocking({
            let name = name.clone();
            move || system_keychain()().unwrap().read(&name).unwrap().pop().unwrap()
        });
        let text = read.await.unwrap();
        let key = text.expose_secret().strip_prefix("mooring-key-3:").unwrap();
        let bytes = STANDARD_NO_PAD.decode(key).unwrap();
        let hex: String = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect();
        let list = format!("{:?}", &bytes[..8]);
        let said = said.0.lock().unwrap();
        let said = String::from_utf8_lossy(&said);
        assert!(said.contains(&name) && said.contains("zbus"), "the libraries are heard");
        let encoded = format!("{:?}", text.expose_secret().as_bytes());
        for hidden in
            [key, &hex, list.trim_matches(['[', ']']), encoded.trim_matches(['[', ']']), "secret of a"]
        {
            assert!(!said.contains(hidden), "{hidden}");
        }
    });
}

fn digit(value: u8) -> char {
    char::from_digit(u32::from(value), 16).unwrap()
}

/// Everything that was logged.
#[derive(Clone, Default)]
struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl io::Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for LogBuffer {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

#[test]
fn two_profiles_share_a_keyring_and_no_entry() {
    in_session(async |session| {
        let _bus = session.bus();
        let _daemon = session.daemon(RIGHT);
        let (one, other) = (session.profile("one").await, session.profile("other").await);
        let (first, second) = (vault(&one), vault(&other));
        for (vault, store) in [(&first, &one), (&second, &other)] {
            vault.open().await.unwrap();
            keep(vault, store, "a").await;
        }
        first.rekey(KeyPlacement::Keychain).await.unwrap();
        assert_eq!(first.remove_old_entries().await, Ok(0));
        let mut expected = [account(&one).await, account(&other).await];
        expected.sort();
        assert_eq!(accounts().await, expected);
        for (vault, store) in [(&first, &one), (&second, &other)] {
            assert_eq!(opens_everything(vault, store).await, 1);
        }
        first.start_over().await.unwrap();
        assert_eq!(accounts().await, [account(&other).await]);
    });
}

#[test]
fn passphrase_replaces_the_keyring_and_back() {
    in_session(async |session| {
        // Without a bus to begin with.
        let store = session.profile("profile").await;
        let first = vault(&store);
        first.open().await.unwrap_err();
        let words = || SecretString::from("correct horse battery");
        assert_eq!(first.create(KeyPlacement::Passphrase(words())).await, Ok(VaultMode::Passphrase));
        keep(&first, &store, "a").await;
        let next = vault(&store);
        assert_eq!(next.open().await, Err(VaultError::Locked(LockReason::Passphrase)));
        assert_eq!(next.unlock(words()).await, Ok(VaultMode::Passphrase));
        let _bus = session.bus();
        let _daemon = session.daemon(RIGHT);
        assert_eq!(next.rekey(KeyPlacement::Keychain).await, Ok(1));
        let last = vault(&store);
        assert_eq!(last.open().await, Ok(VaultMode::Keychain));
        assert_eq!(opens_everything(&last, &store).await, 1);
    });
}
