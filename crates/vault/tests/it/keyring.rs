//! What a real keyring daemon does, and what the vault makes of it.

use std::time::Instant;

use mooring_store::Store;
use mooring_vault::{
    Choice, KeychainError, LockReason, Mode, ProfileId, Vault, VaultError, VaultState, system_keychain,
};
use secrecy::{ExposeSecret, SecretString};

use crate::host::{AMPLE, keep, opens_everything};
use crate::session::{Session, Start, in_session, silent_prompter};

const RIGHT: Start = Start::Unlock("right");
const WRONG: Start = Start::Unlock("wrong");

fn vault(store: &Store) -> Vault {
    crate::host::vault(store, system_keychain())
}

/// A profile with a key in the keyring and two secrets under it.
async fn used(session: &Session) -> Store {
    let store = session.profile("profile").await;
    let vault = vault(&store);
    assert_eq!(vault.open().await, Ok(Mode::Keychain));
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
        assert_eq!(running.open().await, Ok(Mode::Keychain));
        drop(daemon);
        assert_eq!(opens_everything(&running, &store).await, 2, "an open vault needs no keyring");
        let _daemon = session.daemon(RIGHT);
        let next = vault(&store);
        assert_eq!(next.open().await, Ok(Mode::Keychain));
        assert_eq!(opens_everything(&next, &store).await, 2);
        // And it can be worked with, although its daemon is another than at the start.
        assert_eq!(running.rekey(Choice::Keychain).await, Ok(2));
        assert_eq!(accounts().await, [account(&store).await]);
    });
}

#[test]
fn a_locked_keyring_locks_the_vault_until_it_is_unlocked() {
    in_session(async |session| {
        let _bus = session.bus();
        let mut daemon = session.daemon(RIGHT);
        let store = used(&session).await;
        for start in [Start::Locked, WRONG] {
            drop(daemon);
            daemon = session.daemon(start);
            let vault = vault(&store);
            let asked = Instant::now();
            assert_eq!(vault.open().await, Err(VaultError::Locked(LockReason::Keychain)));
            assert!(asked.elapsed() < AMPLE / 4, "{:?}", asked.elapsed());
            assert_eq!(vault.create(Choice::Keychain).await, Err(VaultError::NotEmpty));
            drop(daemon);
            daemon = session.daemon(RIGHT);
            assert_eq!(vault.retry().await, Ok(Mode::Keychain), "without a restart of ours");
            assert_eq!(opens_everything(&vault, &store).await, 2);
        }
        drop(daemon);
    });
}

#[test]
fn a_question_that_nobody_answers_is_waited_for_without_holding_anything_up() {
    in_session(async |session| {
        let _bus = session.bus();
        let daemon = session.daemon(RIGHT);
        let store = used(&session).await;
        drop(daemon);
        let daemon = session.daemon(Start::Locked);
        let _prompter = silent_prompter();
        let vault = vault(&store);
        let asked = Instant::now();
        assert_eq!(vault.open().await, Err(VaultError::Waiting));
        assert!(asked.elapsed() < AMPLE / 4, "{:?}", asked.elapsed());
        assert_eq!(*vault.state().borrow(), VaultState::Waiting);
        assert_eq!(store.secrets().count().await.unwrap(), 2);
        drop(daemon);
        // The request before waits on for an answer that nobody is left to give; the next has a thread of its own.
        let _daemon = session.daemon(RIGHT);
        assert_eq!(vault.retry().await, Ok(Mode::Keychain));
        assert_eq!(opens_everything(&vault, &store).await, 2);
    });
}

#[test]
fn a_session_without_a_bus_a_provider_or_a_collection_is_told_apart_and_tried_again() {
    in_session(async |session| {
        let store = session.profile("profile").await;
        let vault = vault(&store);
        let no_bus = |result| matches!(result, Err(VaultError::Unavailable(KeychainError::NoBus { .. })));
        assert!(no_bus(vault.open().await), "{:?}", vault.state().borrow());
        assert!(no_bus(vault.retry().await));
        let bus = session.bus();
        assert_eq!(vault.retry().await, Err(VaultError::Unavailable(KeychainError::NoProvider)));
        // Nothing was ever unlocked here, so there is nowhere to put a password.
        let daemon = session.daemon(Start::Locked);
        assert_eq!(vault.retry().await, Err(VaultError::Unavailable(KeychainError::NoCollection)));
        drop(daemon);
        assert!(store.vault().get([0; 16]).await.unwrap().key.is_none(), "no key was made meanwhile");
        let daemon = session.daemon(RIGHT);
        assert_eq!(vault.retry().await, Ok(Mode::Keychain));
        keep(&vault, &store, "a").await;
        drop((daemon, bus));
        // The same with something sealed.
        let vault = self::vault(&store);
        assert!(no_bus(vault.open().await));
        let _bus = session.bus();
        assert_eq!(vault.retry().await, Err(VaultError::Unavailable(KeychainError::NoProvider)));
        let keyrings = session.home().join("data/keyrings");
        std::fs::rename(&keyrings, session.home().join("aside")).unwrap();
        let daemon = session.daemon(Start::Locked);
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
        assert_eq!(vault.retry().await, Ok(Mode::Keychain));
        assert_eq!(opens_everything(&vault, &store).await, 1);
    });
}

#[test]
fn another_key_in_the_keyring_locks_the_vault_and_nothing_changes() {
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
        let other = format!("mooring-key-1:{}", "A".repeat(43));
        let right = swap(SecretString::from(other.clone())).await.unwrap();
        let vault = vault(&store);
        assert_eq!(vault.open().await, Err(VaultError::Locked(LockReason::OtherKey)));
        assert_eq!(vault.retry().await, Err(VaultError::Locked(LockReason::OtherKey)));
        assert!(vault.seal("c", "token", &SecretString::from("x")).is_err());
        let after = (store.vault().get([0; 16]).await.unwrap(), store.secrets().get("a").await.unwrap());
        assert_eq!(before, after);
        let still = swap(right).await.unwrap();
        assert_eq!(still.expose_secret(), other, "the keyring is left as it is, too");
        assert_eq!(vault.retry().await, Ok(Mode::Keychain));
        assert_eq!(opens_everything(&vault, &store).await, 2);
    });
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
        first.rekey(Choice::Keychain).await.unwrap();
        assert_eq!(first.sweep().await, Ok(0));
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
fn a_passphrase_takes_the_place_of_the_keyring_and_gives_it_back() {
    in_session(async |session| {
        // Without a bus to begin with.
        let store = session.profile("profile").await;
        let first = vault(&store);
        first.open().await.unwrap_err();
        let words = || SecretString::from("correct horse battery");
        assert_eq!(first.create(Choice::Passphrase(words())).await, Ok(Mode::Passphrase));
        keep(&first, &store, "a").await;
        let next = vault(&store);
        assert_eq!(next.open().await, Err(VaultError::Locked(LockReason::Passphrase)));
        assert_eq!(next.unlock(words()).await, Ok(Mode::Passphrase));
        let _bus = session.bus();
        let _daemon = session.daemon(RIGHT);
        assert_eq!(next.rekey(Choice::Keychain).await, Ok(1));
        let last = vault(&store);
        assert_eq!(last.open().await, Ok(Mode::Keychain));
        assert_eq!(opens_everything(&last, &store).await, 1);
    });
}
