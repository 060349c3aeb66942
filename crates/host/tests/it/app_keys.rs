//! App keys: other programs can't forge them by writing to the database.

use std::path::Path;

use mooring_app_key::AppKey;
use mooring_approvals::AppIdentity;
use mooring_base::digest::sha256;
use mooring_errors::ErrorCode;
use mooring_host::{Host, HostOptions};
use mooring_vault::KeyPlacement as VaultChoice;

use crate::people::with_keychain;
use crate::support::options;
use crate::tampered::sql;

const WORDS: &str = "a passphrase of some length";
/// The attacker's own public key and token.
const FORGED: &str = "02forged";

async fn open(home: &Path) -> Host {
    Host::open(HostOptions { vault: with_keychain, ..options(home, true) }).await.unwrap()
}

/// Opens a host and unlocks its vault.
async fn open_unlocked(home: &Path) -> Host {
    let host = open(home).await;
    host.unlock_vault(WORDS.into()).await.unwrap();
    host
}

async fn identity(host: &Host, app: &str, key: &AppKey) -> AppIdentity {
    host.identify_app(app, Some(&key.public()), None).await.unwrap()
}

/// Whether an app with this key is verified.
async fn is_proven(host: &Host, app: &str, key: &AppKey) -> bool {
    !host.app_caller(&identity(host, app, key).await).is_keyless()
}

/// Inserts the attacker's key and token into the tables.
async fn forge(home: &Path) {
    let hash = sha256(FORGED);
    let row = |app: &str, kind: &str, proof: &str| {
        format!("INSERT OR REPLACE INTO app_key VALUES ('{app}', '{kind}', '{proof}', 1, NULL);")
    };
    let rows = [
        row("claude-code", "entry", &hash),
        row("cursor", "token", &hash),
        row("pier-bot", "allowed", "/bin/pier-bot"),
    ];
    sql(home, &rows.concat()).await;
}

#[tokio::test]
async fn forged_rows_prove_nothing_while_the_vault_is_open() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    host.create_vault(VaultChoice::Passphrase(WORDS.into())).await.unwrap();
    let key = host.create_app_key("claude-code").await.unwrap();
    assert!(is_proven(&host, "claude-code", &key).await);
    forge(home.path()).await;
    // Another host reads them immediately.
    host.shutdown().await;
    let host = open_unlocked(home.path()).await;
    assert!(is_proven(&host, "claude-code", &key).await, "the key of before counts");
    assert!(host.identify_app("claude-code", Some(FORGED), None).await.is_err());
    let token = host.identify_app_token(FORGED).await.unwrap();
    assert!(host.app_caller(&token).is_keyless() && &*token.name == "cursor");
    let refused = host.identify_app("claude-code", None, None).await.unwrap_err().to_string();
    assert!(refused.contains("has no key"), "{refused}");
    // Deleting the row does not remove the key.
    sql(home.path(), "DELETE FROM app_key").await;
    host.shutdown().await;
    let host = open_unlocked(home.path()).await;
    assert!(is_proven(&host, "claude-code", &key).await);
    host.shutdown().await;
}

#[tokio::test]
async fn nothing_is_proven_while_the_vault_is_sealed() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    host.create_vault(VaultChoice::Passphrase(WORDS.into())).await.unwrap();
    let key = host.create_app_key("claude-code").await.unwrap();
    let token = host.create_app_token("cursor").await.unwrap();
    host.shutdown().await;
    let host = open(home.path()).await;
    let app = identity(&host, "claude-code", &key).await;
    let over_http = host.identify_app_token(&token).await.unwrap();
    assert!(host.app_caller(&app).is_keyless() && host.app_caller(&over_http).is_keyless());
    // A process that can't open the vault can neither create nor remove a key.
    let command = HostOptions { vault: with_keychain, ..options(home.path(), false) };
    let command = Host::open(command).await.unwrap();
    assert!(command.create_app_key("claude-code").await.is_err());
    assert!(command.create_app_token("cursor").await.is_err());
    assert!(command.revoke_app_token("cursor").await.is_err());
    assert!(command.remove_app_key("claude-code").await.is_err());
    command.shutdown().await;
    // Connected apps are verified as soon as the vault is open.
    host.unlock_vault(WORDS.into()).await.unwrap();
    assert!(!host.app_caller(&app).is_keyless() && !host.app_caller(&over_http).is_keyless());
    host.shutdown().await;
}

#[tokio::test]
async fn a_key_made_without_a_vault_counts_until_there_is_one() {
    let home = tempfile::tempdir().unwrap();
    let host = Host::open(options(home.path(), true)).await.unwrap();
    let key = host.create_app_key("pier-bot").await.unwrap();
    assert!(is_proven(&host, "pier-bot", &key).await);
    forge(home.path()).await;
    // It is no longer known who wrote the rows.
    host.create_vault(VaultChoice::Memory).await.unwrap();
    assert!(!is_proven(&host, "pier-bot", &key).await);
    let renewed = host.create_app_key("pier-bot").await.unwrap();
    assert!(is_proven(&host, "pier-bot", &renewed).await);
    host.shutdown().await;
}

#[tokio::test]
async fn a_key_that_goes_does_not_come_back_with_the_next_start() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    host.create_vault(VaultChoice::Passphrase(WORDS.into())).await.unwrap();
    let key = host.create_app_key("claude-code").await.unwrap();
    let token = host.create_app_token("claude-code").await.unwrap();
    host.shutdown().await;
    // With the vault locked, the removal could only be recorded in memory, so it is refused.
    let host = open(home.path()).await;
    for refused in [host.remove_app_key("claude-code").await, host.revoke_app_token("claude-code").await] {
        assert_eq!(refused.unwrap_err().code(), ErrorCode::VaultLocked);
    }
    host.unlock_vault(WORDS.into()).await.unwrap();
    assert!(is_proven(&host, "claude-code", &key).await);
    assert!(host.remove_app_key("claude-code").await.unwrap());
    assert!(host.revoke_app_token("claude-code").await.unwrap());
    host.shutdown().await;
    let host = open_unlocked(home.path()).await;
    assert!(host.identify_app("claude-code", Some(&key.public()), None).await.is_err());
    assert!(host.identify_app_token(&token).await.is_none());
    host.shutdown().await;
}
