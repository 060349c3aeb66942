//! An attacker who can write the database but lacks the vault's key gets no encrypted value and no
//! permission.

use std::fmt::Write as _;
use std::path::Path;

use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_errors::FailureCode;
use mooring_host::{Host, HostOptions};
use mooring_network::ProxyChoice;
use mooring_policy::{Decision, NewRule};
use mooring_server_state::StateName;
use mooring_store::{SecretPlace, Store};
use mooring_testkit::http::{HttpScript, serve};
use mooring_testkit::models::FakeProvider;
use mooring_testkit::oauth;
use mooring_vault::{ConnectKeychain, KeyPlacement as VaultChoice, Keychain as _, VaultOptions};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use crate::consent::rule;
use crate::people::{KEYCHAIN, with_keychain};
use crate::sampling_gates::{paris, priced};
use crate::secrets::{CANARY, sealed, secret};
use crate::sign_in::sign_in;
use crate::support::{call, http, ignore_events, options, scripted, until, until_state};
use crate::trust::approve_all;

async fn open(home: &Path) -> Host {
    Host::open(HostOptions { vault: with_keychain, ..options(home, true) }).await.unwrap()
}

/// What another program writes to the database.
pub(crate) async fn sql(home: &Path, statements: &str) {
    let store = Store::open(home).await.unwrap();
    store.tamper(statements.to_owned()).await.unwrap();
    store.close().await;
}

fn with_variable(name: &str, variable: &str, value: &str) -> NewServer {
    let secrets = vec![secret(SecretPlace::Env, variable, Some(value))];
    NewServer { secrets, ..scripted(name, &["ok"]) }
}

async fn variable(host: &Host, id: ServerId, name: &str) -> Value {
    until_state(host, id, StateName::Ready).await;
    let outcome = host.call_tool(id, call("surroundings", &json!({})), ignore_events()).await.unwrap();
    let result: Value = serde_json::from_str(outcome.result.unwrap().get()).unwrap();
    let told: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    told["environment"][name].clone()
}

/// Checks that a server was not started, and returns why.
async fn refused(host: &Host, id: ServerId) -> FailureCode {
    let view = until(host, id, "refused", |view| view.connection.failure.is_some()).await;
    assert_ne!(view.connection.state, StateName::Ready);
    view.connection.failure.unwrap().code
}

#[tokio::test]
async fn a_secret_of_one_server_opens_for_no_other() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let victim = host.add_server(with_variable("victim", "API_KEY", CANARY)).await.unwrap().id;
    let thief = host.add_server(with_variable("thief", "LOOT", "nothing")).await.unwrap().id;
    until_state(&host, thief, StateName::Ready).await;
    assert_eq!(variable(&host, victim, "API_KEY").await, CANARY);
    host.shutdown().await;
    let (victim, thief) = (victim.0, thief.0);
    let take = format!(
        "UPDATE server_secret SET secret_id = (SELECT secret_id FROM server_secret WHERE server_id = {victim})
         WHERE server_id = {thief}"
    );
    // With the name of the victim's variable, and with changed data in the row itself.
    let disguise = format!(
        "UPDATE server_secret SET name = 'API_KEY' WHERE server_id = {thief}; UPDATE secret
        SET purpose = '[\"server\",{thief},\"env\",\"API_KEY\"]'"
    );
    for statements in [take, disguise] {
        sql(home.path(), &statements).await;
        let host = open(home.path()).await;
        assert_eq!(refused(&host, ServerId(thief)).await, FailureCode::SecretMissing);
        assert_eq!(variable(&host, ServerId(victim), "API_KEY").await, CANARY, "its own still opens");
        host.shutdown().await;
    }
}

#[tokio::test]
async fn a_login_is_no_variable_and_goes_to_no_other_address() {
    let home = tempfile::tempdir().unwrap();
    let server = oauth::serve(oauth::OAuthScript::default()).await;
    let elsewhere = serve(HttpScript::json()).await;
    let host = open(home.path()).await;
    let id = host.add_server(http("berth", &server.resource())).await.unwrap().id;
    until_state(&host, id, StateName::SignInNeeded).await;
    sign_in(&host, "berth").await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    let thief = host.add_server(with_variable("thief", "LOOT", "nothing")).await.unwrap().id;
    let other = host.add_server(http("other", &elsewhere.url)).await.unwrap().id;
    until_state(&host, other, StateName::Ready).await;
    host.shutdown().await;
    let before = elsewhere.requests().len();
    sql(
        home.path(),
        &format!(
            "UPDATE server_secret SET secret_id = (SELECT secret_id FROM login) WHERE server_id = {};
             UPDATE login SET resource = '{}'; INSERT INTO server_login VALUES ({}, 1, 1)",
            thief.0, elsewhere.url, other.0
        ),
    )
    .await;
    let host = open(home.path()).await;
    assert_eq!(refused(&host, thief).await, FailureCode::SecretMissing);
    until(&host, other, "settled", |view| {
        view.connection.failure.is_some() || view.connection.state == StateName::Ready
    })
    .await;
    host.shutdown().await;
    for request in &elsewhere.requests()[before..] {
        assert!(request.header("authorization").is_none(), "{request:?}");
    }
}

#[tokio::test]
async fn a_providers_key_goes_to_no_other_address() {
    let home = tempfile::tempdir().unwrap();
    let (here, there) = (FakeProvider::new(&[paris()]).await, FakeProvider::new(&[paris()]).await);
    let host = open(home.path()).await;
    let provider = mooring_models::NewProvider { key: Some(CANARY.into()), ..priced(&here.url) };
    let id = host.save_provider(None, provider).await.unwrap().id;
    host.shutdown().await;
    sql(home.path(), &format!("UPDATE provider SET base_url = '{}'", there.url)).await;
    let host = open(home.path()).await;
    let without_key = mooring_models::NewProvider { key: None, ..priced(&there.url) };
    let error = host.check_provider(Some(id), without_key).await.unwrap_err();
    assert_eq!(error.code().as_str(), "vault", "{error}");
    assert!(there.requests().is_empty());
    host.shutdown().await;
}

#[tokio::test]
async fn a_definition_that_can_not_be_read_disturbs_no_other_server() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let broken = host.add_server(scripted("broken", &["ok"])).await.unwrap().id;
    let whole = host.add_server(scripted("whole", &["ok"])).await.unwrap().id;
    until_state(&host, broken, StateName::Ready).await;
    host.shutdown().await;
    for definition in ["[]", r#"{"transport":"pigeon"}"#, r#"{"transport":"stdio","args":"["}"#] {
        let write = format!("UPDATE server SET definition = '{definition}' WHERE id = {}", broken.0);
        sql(home.path(), &write).await;
        let host = open(home.path()).await;
        until_state(&host, whole, StateName::Ready).await;
        refused(&host, broken).await;
        host.shutdown().await;
    }
    // The person can enter it again.
    let host = open(home.path()).await;
    host.update_server(broken, scripted("broken", &["ok"])).await.unwrap();
    until_state(&host, broken, StateName::Ready).await;
    host.shutdown().await;
}

#[tokio::test]
async fn a_command_that_another_program_changed_does_not_start() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let id = host.add_server(with_variable("s", "API_KEY", CANARY)).await.unwrap().id;
    until(&host, id, "listed", |view| view.connection.tool_count.is_some()).await;
    approve_all(&host, id).await;
    host.shutdown().await;
    let evil = "UPDATE server SET definition = json_set(definition, '$.env', json_object('LD_PRELOAD', ''));";
    let forget = "DELETE FROM pin; DELETE FROM server_edit;";
    for statements in [
        format!("{evil} {forget}"),
        // With the signed records deleted as well, nothing is approved.
        format!("{evil} {forget} DELETE FROM integrity WHERE scope LIKE 'server/%';"),
        format!("{evil} {forget} DELETE FROM integrity;"),
    ] {
        sql(home.path(), &statements).await;
        let host = open(home.path()).await;
        assert_eq!(refused(&host, id).await, FailureCode::DefinitionChanged, "{statements}");
        host.shutdown().await;
    }
    // After the person reviewed and approved it, it is trusted.
    let host = open(home.path()).await;
    assert_eq!(refused(&host, id).await, FailureCode::DefinitionChanged);
    host.remove_rule(0).await.unwrap();
    approve_all(&host, id).await;
    assert_eq!(variable(&host, id, "API_KEY").await, CANARY);
    host.shutdown().await;
    let host = open(home.path()).await;
    assert_eq!(variable(&host, id, "API_KEY").await, CANARY);
    host.shutdown().await;
}

#[tokio::test]
async fn a_rule_that_another_program_deleted_still_refuses() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let id = host.add_server(with_variable("s", "API_KEY", CANARY)).await.unwrap().id;
    let deny = rule(Decision::Deny, "echo");
    let id_of_rule = host.save_rule(None, deny.clone()).await.unwrap().rule.id;
    host.shutdown().await;
    sql(home.path(), "DELETE FROM rule").await;
    let host = open(home.path()).await;
    until_state(&host, id, StateName::Ready).await;
    let error = host.call_tool(id, call("echo", &json!({"text": "x"})), ignore_events()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "denied", "{error}");
    let rules = host.rules();
    assert!(rules.len() == 1 && rules[0].changed && rules[0].rule.id == id_of_rule, "{rules:?}");
    // The person resolves it.
    assert!(!host.save_rule(Some(id_of_rule), deny).await.unwrap().changed);
    host.remove_rule(id_of_rule).await.unwrap();
    host.call_tool(id, call("echo", &json!({"text": "x"})), ignore_events()).await.unwrap();
    host.shutdown().await;
    let host = open(home.path()).await;
    until_state(&host, id, StateName::Ready).await;
    assert!(host.rules().is_empty());
    host.shutdown().await;
}

async fn outcome_of_echo(host: &Host, id: ServerId) -> &'static str {
    until_state(host, id, StateName::Ready).await;
    match host.call_tool(id, call("echo", &json!({"text": "x"})), ignore_events()).await {
        Ok(_) => "ran",
        Err(error) => error.code().as_str(),
    }
}

#[tokio::test]
async fn rules_whose_document_is_gone_refuse_until_looked_at() {
    for gone in [
        "DELETE FROM integrity WHERE scope = 'rules'",
        "UPDATE integrity SET ciphertext = zeroblob(32) WHERE scope = 'rules'",
    ] {
        let home = tempfile::tempdir().unwrap();
        let host = open(home.path()).await;
        let id = host.add_server(with_variable("s", "API_KEY", CANARY)).await.unwrap().id;
        host.save_rule(None, rule(Decision::Deny, "echo")).await.unwrap();
        host.shutdown().await;
        sql(home.path(), &format!("DELETE FROM rule; {gone}")).await;
        for _ in 0..2 {
            let host = open(home.path()).await;
            assert_eq!(outcome_of_echo(&host, id).await, "denied", "{gone}");
            // Saving another rule does not hide it.
            host.save_rule(None, rule(Decision::Allow, "echo")).await.unwrap();
            assert_eq!(outcome_of_echo(&host, id).await, "denied", "{gone}");
            host.shutdown().await;
        }
        let host = open(home.path()).await;
        until_state(&host, id, StateName::Ready).await;
        let told = host.rules().into_iter().find(|view| view.rule.id == 0).unwrap();
        assert!(told.changed && told.rule.rule.effect == Decision::Deny);
        host.remove_rule(0).await.unwrap();
        assert_eq!(outcome_of_echo(&host, id).await, "ran", "{gone}");
        host.shutdown().await;
        let host = open(home.path()).await;
        assert_eq!(outcome_of_echo(&host, id).await, "ran", "{gone}");
        host.shutdown().await;
    }
}

#[tokio::test]
async fn of_two_words_about_a_rule_the_stricter_counts() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let id = host.add_server(with_variable("s", "API_KEY", CANARY)).await.unwrap().id;
    host.save_rule(None, rule(Decision::Allow, "echo")).await.unwrap();
    host.shutdown().await;
    // The unsigned data of a process that ended before the key was available.
    sql(home.path(), "UPDATE rule SET effect = 'deny'").await;
    let host = open(home.path()).await;
    assert_eq!(outcome_of_echo(&host, id).await, "denied");
    assert!(host.rules()[0].changed);
    host.shutdown().await;
}

#[tokio::test]
async fn a_new_key_in_the_same_run_vouches_for_the_same_rules() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let id = host.add_server(scripted("plain", &["ok"])).await.unwrap().id;
    host.add_server(with_variable("s", "API_KEY", CANARY)).await.unwrap();
    host.save_rule(None, rule(Decision::Deny, "other")).await.unwrap();
    host.start_over_vault().await.unwrap();
    host.add_server(with_variable("t", "API_KEY", CANARY)).await.unwrap();
    host.save_rule(None, rule(Decision::Allow, "echo")).await.unwrap();
    assert_eq!(outcome_of_echo(&host, id).await, "ran");
    assert!(host.rules().iter().all(|view| !view.changed), "{:?}", host.rules());
    host.shutdown().await;
    let host = open(home.path()).await;
    assert_eq!(outcome_of_echo(&host, id).await, "ran");
    assert!(host.rules().iter().all(|view| !view.changed), "{:?}", host.rules());
    host.shutdown().await;
}

#[tokio::test]
async fn what_was_started_unchecked_is_nobodys_word_afterwards() {
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let words = || VaultChoice::Passphrase("a passphrase of some length".into());
    let host = open(home.path()).await;
    host.add_server(with_variable("sealed", "API_KEY", CANARY)).await.unwrap();
    let id = host.add_server(scripted("plain", &["ok"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    host.rekey_vault(words()).await.unwrap();
    host.shutdown().await;
    // The attacker takes the matching hash from a profile of their own.
    let theirs = open(other.path()).await;
    let env = [("LD_PRELOAD".to_owned(), String::new())].into();
    theirs.add_server(NewServer { env, ..scripted("plain", &["ok"]) }).await.unwrap();
    theirs.shutdown().await;
    let evil = format!(
        "ATTACH '{}' AS theirs; UPDATE server SET definition = (SELECT definition FROM theirs.server)
             WHERE id = {id};
         DELETE FROM pin; DELETE FROM server_edit;
         INSERT INTO server_edit SELECT {id}, hash FROM theirs.server_edit",
        other.path().join("mooring.db").display(),
        id = id.0,
    );
    sql(home.path(), &evil).await;
    let host = open(home.path()).await;
    until_state(&host, id, StateName::Ready).await;
    host.unlock_vault("a passphrase of some length".into()).await.unwrap();
    host.stop(id).await.unwrap();
    host.start(id).await.unwrap();
    assert_eq!(refused(&host, id).await, FailureCode::DefinitionChanged);
    host.shutdown().await;
}

#[tokio::test]
async fn edits_moves_of_the_key_and_two_processes_change_nothing() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(HttpScript::json()).await;
    let host = open(home.path()).await;
    let id = host.add_server(with_variable("s", "API_KEY", CANARY)).await.unwrap().id;
    let secrets = vec![secret(SecretPlace::Header, "X-Key", Some("header-value"))];
    let remote = NewServer { secrets, ..http("remote", &server.url) };
    let remote = host.add_server(remote).await.unwrap().id;
    until_state(&host, remote, StateName::Ready).await;
    // Renaming, or another spelling of the header, needs no new value.
    let config = host.server(id).unwrap().config;
    host.update_server(id, NewServer { name: "renamed".to_owned(), ..config }).await.unwrap();
    let config = host.server(remote).unwrap().config;
    let secrets = vec![secret(SecretPlace::Header, "x-key", None)];
    host.update_server(remote, NewServer { secrets, ..config }).await.unwrap();
    until_state(&host, remote, StateName::Ready).await;
    let words = VaultChoice::Passphrase("a passphrase of some length".into());
    host.rekey_vault(words).await.unwrap();
    host.rekey_vault(VaultChoice::Keychain).await.unwrap();
    // A command adds a server while the window runs.
    let command = HostOptions { vault: with_keychain, ..options(home.path(), false) };
    let command = Host::open(command).await.unwrap();
    let added = command.add_server(with_variable("added", "API_KEY", "another")).await.unwrap().id;
    command.shutdown().await;
    host.shutdown().await;
    let host = open(home.path()).await;
    assert_eq!(variable(&host, id, "API_KEY").await, CANARY);
    assert_eq!(variable(&host, added, "API_KEY").await, "another");
    until_state(&host, remote, StateName::Ready).await;
    assert!(host.servers().iter().all(|server| !server.changed));
    host.shutdown().await;
    assert_eq!(server.requests().last().unwrap().header("x-key"), Some("header-value"));
}

/// Converts the data to the previous version's format. Returns the SQL for the secrets.
async fn as_before(host: &Host, home: &Path) -> String {
    let store = Store::open(home).await.unwrap();
    let vault = host.sign_ins().vault();
    vault.open().await.unwrap();
    let mut statements = String::new();
    for known in store.secrets().list().await.unwrap() {
        let row = store.secrets().get(&known.id).await.unwrap().unwrap();
        let text = vault.decrypt(&row.id, &row.purpose, &sealed(&row)).unwrap();
        let old = vault.encrypt_unbound(&row.id, &row.kind, &text).unwrap();
        let hex = |bytes: &[u8]| {
            bytes.iter().fold(String::new(), |mut text, byte| {
                write!(text, "{byte:02x}").unwrap();
                text
            })
        };
        writeln!(
            statements,
            "UPDATE secret SET version = 1, purpose = NULL, nonce = x'{}', ciphertext = x'{}' WHERE id = '{}';",
            hex(&old.nonce),
            hex(&old.ciphertext),
            row.id
        )
        .unwrap();
    }
    store.tamper(format!("{statements} DELETE FROM integrity")).await.unwrap();
    let mut keychain = KEYCHAIN.clone();
    let profile = store.vault().get([0; 16]).await.unwrap().profile;
    let profile = profile.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    });
    for account in keychain.accounts().into_iter().filter(|name| name.starts_with(&profile)) {
        let text = keychain.read(&account).unwrap().remove(0);
        let text = text.expose_secret().replace("mooring-key-3:", "mooring-key-1:");
        keychain.write(&account, &text.into()).unwrap();
    }
    store.close().await;
    statements
}

#[tokio::test]
async fn what_an_earlier_version_sealed_is_bound_once_then_refused() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let id = host.add_server(with_variable("s", "API_KEY", CANARY)).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let direct = mooring_settings::Settings { proxy: ProxyChoice::Direct, ..host.settings() };
    host.set_settings(direct).await.unwrap();
    // Nothing else writes to the database after this, but the host's key stays in memory.
    host.shutdown().await;
    let old = as_before(&host, home.path()).await;
    drop(host);
    for _ in 0..2 {
        let host = open(home.path()).await;
        assert_eq!(variable(&host, id, "API_KEY").await, CANARY);
        assert!(!host.server(id).unwrap().changed);
        assert_eq!((host.settings().proxy, host.network_problem()), (ProxyChoice::Direct, None));
        host.shutdown().await;
    }
    // The old format is worthless, even with all signed records deleted.
    sql(home.path(), &format!("{old} DELETE FROM integrity")).await;
    let host = open(home.path()).await;
    assert_eq!(refused(&host, id).await, FailureCode::SecretMissing);
    assert_eq!(host.settings().proxy, ProxyChoice::System);
    host.shutdown().await;
}

#[tokio::test]
async fn without_a_key_or_while_locked_rules_and_servers_work_as_ever() {
    fn no_keychain() -> VaultOptions {
        let none: ConnectKeychain = std::sync::Arc::new(|| Err(mooring_vault::KeychainError::NoProvider));
        VaultOptions { keychain: none, ..VaultOptions::default() }
    }
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    host.add_server(with_variable("sealed", "API_KEY", CANARY)).await.unwrap();
    let id = host.add_server(scripted("plain", &["ok"])).await.unwrap().id;
    host.shutdown().await;
    let locked = HostOptions { vault: no_keychain, ..options(home.path(), true) };
    let host = Host::open(locked).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    let deny = NewRule {
        effect: Decision::Deny,
        server: Some(id),
        tool: None,
        caller: None,
        destructive_only: false,
        arguments: Vec::new(),
        expires_ms: None,
    };
    host.save_rule(None, deny).await.unwrap();
    let error = host.call_tool(id, call("echo", &json!({"text": "x"})), ignore_events()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "denied", "{error}");
    host.shutdown().await;
}
