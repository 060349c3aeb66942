//! Changing the key, removing old entries, and starting over.

use super::*;

#[tokio::test]
async fn a_new_key_takes_over_and_the_old_one_leaves_the_keychain() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let vault = vault(&records, &keychain);
    vault.open().await.unwrap();
    for id in ["a", "b", "c"] {
        keep(&vault, &records, id);
    }
    let (before, rows) = (records.account(), records.rows().rows.clone());
    keychain.calls();
    assert_eq!(vault.rekey(KeyPlacement::Keychain).await, Ok(3));
    let after = records.account();
    let calls = ["connect".to_owned(), format!("write {after}"), format!("read {after}")];
    let calls: Vec<_> = calls.into_iter().chain(["connect".to_owned(), format!("remove {before}")]).collect();
    assert_eq!(keychain.calls(), calls);
    assert_eq!(keychain.accounts(), [after]);
    opens_everything(&vault, &records);
    assert_eq!(vault.decrypt("a", "token", &rows[0].2).err(), Some(VaultError::OtherKey));
}

#[tokio::test]
async fn a_row_that_does_not_open_keeps_the_key_as_it_is() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let vault = vault(&records, &keychain);
    vault.open().await.unwrap();
    keep(&vault, &records, "a");
    keep(&vault, &records, "b");
    let (header, whole) = (records.key(), records.rows().rows.clone());
    records.rows().rows[1].2.ciphertext[0] ^= 1;
    let error = vault.rekey(KeyPlacement::Keychain).await.unwrap_err();
    assert_eq!(error, VaultError::CannotReencrypt { id: "b".to_owned() });
    assert_eq!(records.key(), header);
    assert_eq!(keychain.accounts(), [records.account()], "the new key is taken back");
    records.rows().rows = whole;
    opens_everything(&vault, &records);
}

#[tokio::test]
async fn failure_during_a_key_change_leaves_everything_readable() {
    let fault = KeychainError::Failed { detail: "x".to_owned() };
    let mut outcomes = Vec::new();
    for (call, commit) in [
        (Some("connect"), None),
        (Some("write"), None),
        (Some("read"), None),
        (Some("remove"), None),
        (None, Some(Fault::BeforeTheCommit)),
        (None, Some(Fault::AfterTheCommit)),
        (None, Some(Fault::AndCannotBeReadThen)),
    ] {
        let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
        let vault = vault(&records, &keychain);
        vault.open().await.unwrap();
        keep(&vault, &records, "a");
        if let Some(call) = call {
            keychain.fail_next(call, fault.clone());
        }
        records.rows().fault = commit;
        let changed = vault.rekey(KeyPlacement::Keychain).await;
        outcomes.push(changed.is_ok());
        records.rows().unreadable = false;
        opens_everything(&vault, &records);
        vault.refresh().await.unwrap();
        keep(&vault, &records, "b");
        let next = self::vault(&records, &keychain);
        assert_eq!(next.open().await, Ok(VaultMode::Keychain), "{call:?} {commit:?}");
        opens_everything(&next, &records);
        next.remove_old_entries().await.unwrap();
        assert_eq!(keychain.accounts(), [records.account()], "{call:?} {commit:?}");
        next.retry().await.unwrap();
        opens_everything(&next, &records);
    }
    assert_eq!(outcomes, [false, false, false, true, false, true, false]);
}

#[tokio::test]
async fn failure_during_first_key_creation_is_recovered_by_a_retry() {
    let fault = KeychainError::Failed { detail: "x".to_owned() };
    for (call, commit) in [
        (Some("connect"), None),
        (Some("write"), None),
        (Some("read"), None),
        (None, Some(Fault::BeforeTheCommit)),
        (None, Some(Fault::AfterTheCommit)),
        (None, Some(Fault::AndCannotBeReadThen)),
    ] {
        let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
        let first = vault(&records, &keychain);
        if let Some(call) = call {
            keychain.fail_next(call, fault.clone());
        }
        records.rows().fault = commit;
        assert_eq!(first.open().await.is_ok(), commit == Some(Fault::AfterTheCommit), "{call:?} {commit:?}");
        records.rows().unreadable = false;
        assert_eq!(first.retry().await, Ok(VaultMode::Keychain), "{call:?} {commit:?}");
        keep(&first, &records, "a");
        first.remove_old_entries().await.unwrap();
        assert_eq!(keychain.accounts(), [records.account()]);
        let next = vault(&records, &keychain);
        next.open().await.unwrap();
        opens_everything(&next, &records);
    }
}

#[tokio::test]
async fn a_process_that_still_has_the_old_key_is_told_and_catches_up() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let (one, other) = (vault(&records, &keychain), vault(&records, &keychain));
    one.open().await.unwrap();
    keep(&one, &records, "a");
    other.open().await.unwrap();
    one.rekey(KeyPlacement::Keychain).await.unwrap();
    let row = records.rows().rows[0].2.clone();
    assert_eq!(other.decrypt("a", "token", &row).err(), Some(VaultError::OtherKey));
    assert_eq!(other.rekey(KeyPlacement::Keychain).await, Err(VaultError::OtherKey));
    assert_eq!(other.refresh().await, Ok(VaultMode::Keychain));
    opens_everything(&other, &records);
}

#[tokio::test]
async fn one_process_at_a_time_works_on_the_key() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let vault = vault(&records, &keychain);
    vault.open().await.unwrap();
    let elsewhere = records.lock().await.unwrap().unwrap();
    assert_eq!(vault.rekey(KeyPlacement::Keychain).await, Err(VaultError::Busy));
    assert_eq!(vault.remove_old_entries().await, Err(VaultError::Busy));
    assert_eq!(vault.start_over().await, Err(VaultError::Busy));
    drop(elsewhere);
    assert_eq!(vault.rekey(KeyPlacement::Keychain).await, Ok(0));
}

#[tokio::test]
async fn key_change_delayed_by_the_keychain_changes_nothing() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    let vault = vault(&records, &keychain);
    vault.open().await.unwrap();
    keep(&vault, &records, "a");
    let header = records.key();
    keychain.stall(true);
    assert_eq!(vault.rekey(KeyPlacement::Keychain).await, Err(VaultError::Waiting));
    assert_eq!(*vault.state().borrow(), OPEN, "what is open stays so");
    assert_eq!(records.key(), header);
    opens_everything(&vault, &records);
    keychain.stall(false);
    until(&vault, |state| !is_waiting(state)).await;
    let mut swept = vault.remove_old_entries().await;
    while keychain.accounts().len() > 1 {
        swept = vault.remove_old_entries().await;
    }
    swept.unwrap();
    opens_everything(&vault, &records);
}

#[tokio::test]
async fn starting_over_clears_the_profile_and_leaves_others_alone() {
    let (records, keychain) = (MemoryStorage::default(), FakeKeychain::default());
    keychain.set_entry("somebody-else", Some("theirs"));
    let vault = vault(&records, &keychain);
    vault.open().await.unwrap();
    keep(&vault, &records, "a");
    let row = records.rows().rows[0].2.clone();
    vault.start_over().await.unwrap();
    assert_eq!((records.key(), records.rows().rows.len()), (None, 0));
    assert_eq!(*vault.state().borrow(), VaultState::Closed);
    assert_eq!(vault.decrypt("a", "token", &row).err(), Some(VaultError::Closed));
    assert_eq!(keychain.accounts(), ["somebody-else"]);
}
