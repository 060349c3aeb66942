//! The vault's methods, and what servers do when it is opened, locked and discarded.

use std::path::Path;

use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_errors::FailureCode;
use mooring_host::{Host, HostOptions};
use mooring_server_state::{HostEvent, StateName};
use mooring_store::{SecretPlace, Store};
use mooring_testkit::oauth::{OAuthScript, serve};
use mooring_vault::{
    FakeKeychain, KdfParams, KeyPlacement as VaultChoice, VaultMode, VaultOptions, VaultState,
};
use secrecy::SecretString;

use crate::people::KEYCHAIN;
use crate::secrets::secret;
use crate::sign_in::sign_in;
use crate::support::{http, options, scripted, until_state};

/// Parameters that take no time.
const QUICK: KdfParams = KdfParams { memory_kib: 32, passes: 1, lanes: 1 };
const WORDS: &str = "correct horse battery";

fn quick() -> VaultOptions {
    VaultOptions { keychain: KEYCHAIN.connect(), kdf: QUICK, ..VaultOptions::default() }
}

fn elsewhere() -> VaultOptions {
    VaultOptions { keychain: FakeKeychain::default().connect(), kdf: QUICK, ..VaultOptions::default() }
}

async fn open(home: &Path, vault: fn() -> VaultOptions) -> Host {
    Host::open(HostOptions { vault, ..options(home, true) }).await.unwrap()
}

fn words(text: &str) -> SecretString {
    text.into()
}

async fn with_variable(host: &Host) -> ServerId {
    let secrets = vec![secret(SecretPlace::Env, "A", Some("first-value"))];
    host.add_server(NewServer { secrets, ..scripted("s", &["ok"]) }).await.unwrap().id
}

// Requirements: AUTH-42.
#[tokio::test]
async fn server_waits_for_the_passphrase_and_then_starts() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), quick).await;
    let view = host.vault_view().await.unwrap();
    assert_eq!((&view.state, view.mode, view.secret_count), (&VaultState::Closed, None, 0));
    let unfit = host.create_vault(VaultChoice::Passphrase(words("short"))).await.unwrap_err();
    assert_eq!(unfit.code().as_str(), "unfit_passphrase");
    let view = host.create_vault(VaultChoice::Passphrase(words(WORDS))).await.unwrap();
    assert_eq!(view.state, VaultState::Open { mode: VaultMode::Passphrase });
    let again = host.create_vault(VaultChoice::Memory).await.unwrap_err();
    assert_eq!(again.code().as_str(), "not_empty");
    let local = with_variable(&host).await;
    let server = serve(OAuthScript::default()).await;
    let remote = host.add_server(http("berth", &server.resource())).await.unwrap().id;
    until_state(&host, remote, StateName::SignInNeeded).await;
    sign_in(&host, "berth").await.unwrap();
    for id in [local, remote] {
        until_state(&host, id, StateName::Ready).await;
    }
    host.shutdown().await;

    let host = open(home.path(), quick).await;
    for id in [local, remote] {
        let view = until_state(&host, id, StateName::Locked).await;
        let failure = view.connection.failure.unwrap();
        assert_eq!(failure.code, FailureCode::VaultLocked);
        assert_eq!(failure.message.to_string(), "your secrets are locked until you enter the passphrase");
        assert!(failure.next.unwrap().contains("automatically"));
    }
    let view = host.vault_view().await.unwrap();
    assert_eq!(
        (view.reason(), view.mode, view.secret_count),
        (Some("passphrase"), Some(VaultMode::Passphrase), 2)
    );
    assert!(view.message().is_some() && view.next_step().is_some());
    let mut events = host.events();
    let wrong = host.unlock_vault(words("correct horse batter")).await.unwrap_err();
    assert_eq!(wrong.code().as_str(), "wrong_passphrase");
    assert_eq!(host.vault_view().await.unwrap().reason(), Some("passphrase"));
    host.unlock_vault(words(WORDS)).await.unwrap();
    for id in [local, remote] {
        until_state(&host, id, StateName::Ready).await;
    }
    let mut told = Vec::new();
    while let Ok(event) = events.try_recv() {
        told.push(event);
    }
    assert!(told.contains(&HostEvent::VaultChanged), "{told:?}");
    host.shutdown().await;
}

#[tokio::test]
async fn key_moves_to_a_passphrase_unnoticed_by_running_servers() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), quick).await;
    let id = with_variable(&host).await;
    let before = until_state(&host, id, StateName::Ready).await;
    let view = host.rekey_vault(VaultChoice::Passphrase(words(WORDS))).await.unwrap();
    assert_eq!((view.mode, view.secret_count), (Some(VaultMode::Passphrase), 1));
    let after = host.server(id).unwrap();
    assert_eq!(after.connection.pid, before.connection.pid);
    assert_eq!(after.connection.since_ms, before.connection.since_ms);
    host.restart(id).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    host.shutdown().await;
}

#[tokio::test]
async fn starting_over_ends_logins_and_has_values_entered_again() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), quick).await;
    let local = with_variable(&host).await;
    let server = serve(OAuthScript::default()).await;
    let remote = host.add_server(http("berth", &server.resource())).await.unwrap().id;
    until_state(&host, remote, StateName::SignInNeeded).await;
    sign_in(&host, "berth").await.unwrap();
    for id in [local, remote] {
        until_state(&host, id, StateName::Ready).await;
    }
    host.shutdown().await;

    // The key is lost. Nothing changes until the person discards it.
    let host = open(home.path(), elsewhere).await;
    for id in [local, remote] {
        let view = until_state(&host, id, StateName::Locked).await;
        assert_eq!(view.connection.failure.unwrap().code, FailureCode::VaultLocked);
    }
    let view = host.open_vault().await.unwrap();
    assert_eq!((view.reason(), view.secret_count), (Some("key_missing"), 2));
    let view = host.start_over_vault().await.unwrap();
    assert_eq!((view.mode, view.secret_count), (None, 0));
    let view = until_state(&host, local, StateName::Failed).await;
    assert_eq!(view.connection.failure.unwrap().code, FailureCode::SecretMissing);
    assert!(!view.config.secrets[0].entered);
    until_state(&host, remote, StateName::SignInNeeded).await;
    let accounts = host.accounts().await.unwrap();
    assert!(accounts.iter().all(|account| account.ended.is_some()), "{accounts:?}");
    let secrets = vec![secret(SecretPlace::Env, "A", Some("entered again"))];
    host.update_server(local, NewServer { secrets, ..scripted("s", &["ok"]) }).await.unwrap();
    until_state(&host, local, StateName::Ready).await;
    assert_eq!(host.vault_view().await.unwrap().secret_count, 1);
    host.shutdown().await;
}

#[tokio::test]
async fn rows_of_former_keys_are_deleted_only_when_the_vault_is_open() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), quick).await;
    let id = with_variable(&host).await;
    until_state(&host, id, StateName::Ready).await;
    host.stop(id).await.unwrap();
    host.shutdown().await;
    let store = Store::open(home.path()).await.unwrap();
    let profile = store.vault().get([0; 16]).await.unwrap().profile;
    store.close().await;
    let profile: String = profile
        .iter()
        .map(|byte| [byte >> 4, byte & 15])
        .fold(String::new(), |all, digits| digits.iter().fold(all, |all, digit| format!("{all}{digit:x}")));
    let mut keychain = KEYCHAIN.connect()().unwrap();
    let ours = |accounts: Vec<String>| accounts.iter().filter(|name| name.starts_with(&profile)).count();
    keychain.write(&format!("{profile}-{}", "ab".repeat(16)), &words("left behind")).unwrap();
    assert_eq!(ours(keychain.accounts().unwrap()), 2);

    // Nothing needs the vault, so the keychain is not used.
    let host = open(home.path(), quick).await;
    host.servers();
    assert_eq!(host.vault_view().await.unwrap().state, VaultState::Closed);
    assert_eq!(ours(keychain.accounts().unwrap()), 2);
    host.start(id).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    let swept = || ours(keychain.accounts().unwrap()) == 1;
    mooring_testkit::eventually("swept", crate::support::LIMIT, swept).await;
    host.shutdown().await;
}
