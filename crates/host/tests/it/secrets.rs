//! Encrypted values of servers only reach their own server.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_definitions::import::ImportValue;
use mooring_definitions::{NewServer, ServerSecret};
use mooring_errors::{FailureCode, HostError};
use mooring_host::{Host, HostOptions};
use mooring_log::LogQuery;
use mooring_server_state::{ConnectionView, StateName};
use mooring_store::{SecretPlace, SecretRow, Store};
use mooring_testkit::canary::Scanner;
use mooring_testkit::http::{HttpScript, serve};
use mooring_testkit::{oauth, scripted_server_path};
use mooring_vault::{EncryptedBlob, Fingerprint, KeyPlacement as VaultChoice, VaultOptions};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use crate::people::with_keychain;
use crate::sign_in::sign_in;
use crate::support::{call, http, ignore_events, options, scripted, stdio, until, until_state};

pub(crate) const CANARY: &str = "canary-5e0d71/9b+a\"4";

pub(crate) fn secret(place: SecretPlace, name: &str, value: Option<&str>) -> ServerSecret {
    ServerSecret { place, name: name.to_owned(), value: value.map(Into::into), entered: false }
}

async fn window(home: &Path) -> Host {
    Host::open(HostOptions { vault: with_keychain, ..options(home, true) }).await.unwrap()
}

async fn surroundings(host: &Host, id: ServerId) -> Value {
    let outcome = host.call_tool(id, call("surroundings", &json!({})), ignore_events()).await.unwrap();
    let result: Value = serde_json::from_str(outcome.result.unwrap().get()).unwrap();
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

async fn logged(host: &Host) -> String {
    host.flush_log().await;
    let mut all = String::new();
    for row in host.log_page(&LogQuery { limit: 1_000, ..LogQuery::default() }).await.unwrap() {
        let body = host.log_entry(row.id).await.unwrap().unwrap().body;
        writeln!(all, "{row:?}\n{}", String::from_utf8_lossy(&body)).unwrap();
    }
    all
}

/// A server that prints its secret to standard error before it starts.
fn talkative(name: &str, variable: &str) -> NewServer {
    let script = format!("echo \"starting with ${variable}\" >&2; exec \"$0\" ok");
    let server = scripted_server_path().display().to_string();
    NewServer {
        secrets: vec![secret(SecretPlace::Env, variable, Some(CANARY))],
        ..stdio(name, "sh", &["-c", &script, &server])
    }
}

// Requirements: STD-16, STD-18, SEC-04, AUTH-42.
#[tokio::test]
async fn a_sealed_variable_reaches_its_own_server_and_nothing_else() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let own = host.add_server(talkative("own", "API_KEY")).await.unwrap();
    assert_eq!(own.config.secrets.len(), 1);
    assert!(own.config.secrets[0].entered && own.config.secrets[0].value.is_none());
    let other = host.add_server(scripted("other", &["ok"])).await.unwrap().id;
    until(&host, own.id, "listed", |view| view.connection.tool_count.is_some()).await;
    until(&host, other, "listed", |view| view.connection.tool_count.is_some()).await;

    let told = surroundings(&host, own.id).await;
    assert_eq!(told["environment"]["API_KEY"], CANARY);
    assert!(!told["arguments"].to_string().contains("canary"), "{told}");
    let told = surroundings(&host, other).await;
    assert!(!told.to_string().contains("canary"), "{told}");
    // Even if the person sends one server's secret to another server, the log does not show it.
    host.call_tool(other, call("echo", &json!({ "text": CANARY })), ignore_events()).await.unwrap();

    let view = host.server(own.id).unwrap();
    assert!(view.connection.stderr_tail.iter().any(|line| line == "starting with [redacted]"), "{view:?}");
    let log = logged(&host).await;
    assert!(log.contains("starting with [redacted]") && log.contains("surroundings"), "{log}");
    assert!(!log.contains("canary"), "{log}");
    assert!(!format!("{view:?}").contains("canary"));
    host.shutdown().await;
}

// Requirements: SEC-19, AUTH-42.
#[tokio::test]
async fn a_sealed_header_goes_to_its_own_server_with_every_request() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let (own, other) = (serve(HttpScript::json()).await, serve(HttpScript::json()).await);
    let value = "canary-7d1f-header";
    let server = NewServer {
        headers: BTreeMap::from([("X-Plain".to_owned(), "seen".to_owned())]),
        secrets: vec![secret(SecretPlace::Header, "Authorization", Some(&format!("Bearer {value}")))],
        ..http("own", &own.url)
    };
    let id = host.add_server(server).await.unwrap().id;
    let second = host.add_server(http("other", &other.url)).await.unwrap().id;
    for id in [id, second] {
        until(&host, id, "listed", |view| view.connection.tool_count.is_some()).await;
    }
    host.call_tool(id, call("echo", &json!({ "text": value })), ignore_events()).await.unwrap();
    let requests = own.requests();
    assert!(requests.len() >= 4, "{}", requests.len());
    for request in requests {
        assert_eq!(request.header("authorization"), Some(format!("Bearer {value}").as_str()));
        assert_eq!(request.header("x-plain"), Some("seen"));
    }
    assert!(!format!("{:?}", other.requests()).contains("canary"));
    let log = logged(&host).await;
    assert!(!log.contains("canary") && log.contains("[redacted]"), "{log}");
    host.shutdown().await;
}

// Requirements: AUTH-41.
#[tokio::test]
async fn encrypted_header_is_not_sent_to_another_origin_after_an_edit() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let (own, other) = (serve(HttpScript::json()).await, serve(HttpScript::json()).await);
    let with = |url: &str, value| NewServer {
        secrets: vec![secret(SecretPlace::Header, "X-Key", value)],
        ..http("own", url)
    };
    let id = host.add_server(with(&own.url, Some("canary-0b5e-header"))).await.unwrap().id;
    until(&host, id, "listed", |view| view.connection.tool_count.is_some()).await;
    let refused = host.update_server(id, with(&other.url, None)).await.unwrap_err();
    assert!(matches!(&refused, HostError::InvalidServer { field: "secrets", .. }), "{refused:?}");
    assert_eq!(host.server(id).unwrap().config.url.as_deref(), Some(own.url.as_str()));
    assert_eq!(other.requests().len(), 0);
    // Another URL of the same origin belongs to the same server.
    host.update_server(id, with(&format!("{}?x=1", own.url), None)).await.unwrap();
    host.update_server(id, with(&other.url, Some("canary-77aa-header"))).await.unwrap();
    until(&host, id, "listed", |_| !other.requests().is_empty()).await;
    assert_eq!(other.requests()[0].header("x-key"), Some("canary-77aa-header"));
    host.shutdown().await;
}

#[tokio::test]
async fn secret_is_saved_changed_and_removed_and_restarts_the_server() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let env = |name: &str, value| secret(SecretPlace::Env, name, value);
    let with = |secrets: Vec<ServerSecret>| NewServer { secrets, ..scripted("s", &["ok"]) };
    let id = host.add_server(with(vec![env("A", Some("first-value"))])).await.unwrap().id;
    let variable = async |name: &str, expected: Option<&str>| {
        let started = async {
            loop {
                until_state(&host, id, StateName::Ready).await;
                let told = surroundings(&host, id).await;
                if told["environment"].get(name).and_then(Value::as_str) == expected {
                    return;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(30), started).await.unwrap();
    };
    variable("A", Some("first-value")).await;

    host.update_server(id, with(vec![env("A", None), env("B", Some("second-value"))])).await.unwrap();
    variable("B", Some("second-value")).await;
    variable("A", Some("first-value")).await;
    let listed = host.secrets().await.unwrap();
    assert_eq!(listed.iter().map(|view| view.name.as_str()).collect::<Vec<_>>(), ["A", "B"]);
    assert!(listed.iter().all(|view| view.sealed_ms.is_some() && view.server_name == "s"), "{listed:?}");
    assert_eq!(host.vault_view().await.unwrap().secret_count, 2);

    host.update_server(id, with(vec![env("B", Some("third-value"))])).await.unwrap();
    variable("B", Some("third-value")).await;
    variable("A", None).await;
    assert_eq!(host.vault_view().await.unwrap().secret_count, 1);

    host.remove_server(id).await.unwrap();
    assert_eq!(host.vault_view().await.unwrap().secret_count, 1, "it can still be brought back");
    host.restore_server(id).await.unwrap();
    variable("B", Some("third-value")).await;
    host.remove_server(id).await.unwrap();
    host.shutdown().await;
    let host = window(home.path()).await;
    assert_eq!(host.vault_view().await.unwrap().secret_count, 0, "gone for good, and its value with it");
    host.shutdown().await;
}

#[tokio::test]
async fn duplicate_or_invalid_name_is_rejected_and_nothing_is_saved() {
    use SecretPlace::{Env, Header};
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let plain = BTreeMap::from([("API_KEY".to_owned(), "x".to_owned())]);
    let local = |secrets| NewServer { env: plain.clone(), secrets, ..scripted("s", &["ok"]) };
    let plain_header = BTreeMap::from([("X-Key".to_owned(), "x".to_owned())]);
    let remote =
        |secrets| NewServer { headers: plain_header.clone(), secrets, ..http("s", "http://127.0.0.1:1/mcp") };
    let long = "x".repeat(64 * 1024 + 1);
    for (server, what) in [
        (local(vec![secret(Env, "API_KEY", Some("y"))]), "unencrypted value"),
        (remote(vec![secret(Header, "x-key", Some("y"))]), "unencrypted value"),
        (local(vec![secret(Env, "B", Some("y")), secret(Env, "B", None)]), "twice"),
        (remote(vec![secret(Header, "B", Some("y")), secret(Header, "b", Some("y"))]), "twice"),
        (local(vec![secret(Env, "A=B", Some("y"))]), "variable name"),
        (remote(vec![secret(Header, "A B", Some("y"))]), "header name"),
        (local(vec![secret(Env, "B", Some("y\0"))]), "NUL"),
        (remote(vec![secret(Header, "B", Some("y\ny"))]), "can’t be sent"),
        (local(vec![secret(Env, "B", Some(""))]), "required"),
        (local(vec![secret(Env, "B", Some(&long))]), "longer"),
        (
            local((0..65).map(|number| secret(Env, &format!("B{number}"), Some("y"))).collect()),
            "no more than",
        ),
    ] {
        let error = host.add_server(server).await.unwrap_err();
        assert!(matches!(&error, HostError::InvalidServer { field: "secrets", .. }), "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
    assert!(host.servers().is_empty() && host.vault_view().await.unwrap().secret_count == 0);
    // Values for the other transport are omitted, as with plain values.
    let server = host.add_server(NewServer {
        secrets: vec![secret(Header, "X", Some("y")), secret(Env, "B", Some(&"x".repeat(64 * 1024)))],
        ..scripted("s", &["ok"])
    });
    assert_eq!(server.await.unwrap().config.secrets.len(), 1);
    host.shutdown().await;
}

fn without_keychain() -> VaultOptions {
    let keychain = || Err(mooring_vault::KeychainError::NoProvider);
    VaultOptions { keychain: std::sync::Arc::new(keychain), ..VaultOptions::default() }
}

#[tokio::test]
async fn without_a_vault_nothing_is_saved_and_the_error_says_why() {
    let home = tempfile::tempdir().unwrap();
    let host =
        Host::open(HostOptions { vault: without_keychain, ..options(home.path(), true) }).await.unwrap();
    let server = NewServer {
        secrets: vec![secret(SecretPlace::Env, "A", Some("first-value"))],
        ..scripted("s", &["ok"])
    };
    let error = host.add_server(server.clone()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "vault_unavailable", "{error}");
    assert!(error.next_step().is_some());
    assert!(host.servers().is_empty());
    // A name without a value needs no vault, because the value is entered later.
    let secrets = vec![secret(SecretPlace::Env, "A", None)];
    let id = host.add_server(NewServer { secrets, ..server.clone() }).await.unwrap().id;
    let view = until_state(&host, id, StateName::Failed).await;
    let failure = view.connection.failure.unwrap();
    assert_eq!(failure.code, FailureCode::SecretMissing);
    assert!(failure.message.contains('A') && failure.next.unwrap().contains("settings"));
    host.create_vault(VaultChoice::Memory).await.unwrap();
    host.update_server(id, server).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    host.shutdown().await;
}

// Requirements: AUTH-42.
#[tokio::test]
async fn import_encrypts_likely_secrets_unless_there_is_no_vault() {
    let text = json!({ "mcpServers": {
        "local": { "command": "true", "env": { "GITHUB_TOKEN": CANARY, "MODE": "fast", "EMPTY_KEY": "" } },
        "remote": { "url": "http://127.0.0.1:1/mcp", "headers": { "Authorization": "Bearer canary-imported", "X-A": "b" } },
    }})
    .to_string();
    let names = ["local".to_owned(), "remote".to_owned()];
    let home = tempfile::tempdir().unwrap();
    let host = Host::open(HostOptions { vault: with_keychain, ..options(home.path(), false) }).await.unwrap();
    let report = host.check_import(&text).await;
    assert_eq!(report.stays_plain, None);
    assert_eq!(report.entries[0].secrets, ["GITHUB_TOKEN"]);
    assert_eq!(report.entries[1].secrets, ["Authorization"]);
    let servers = host.import(&text, &names, &[]).await.unwrap();
    for (server, name, plain) in [(&servers[0], "GITHUB_TOKEN", 2), (&servers[1], "Authorization", 1)] {
        let config = &server.config;
        assert_eq!(config.secrets.len(), 1);
        assert!(config.secrets[0].entered && config.secrets[0].name == name);
        assert_eq!(config.env.len() + config.headers.len(), plain);
    }
    assert_eq!(host.vault_view().await.unwrap().secret_count, 2);
    host.shutdown().await;

    let home = tempfile::tempdir().unwrap();
    let host =
        Host::open(HostOptions { vault: without_keychain, ..options(home.path(), false) }).await.unwrap();
    let report = host.check_import(&text).await;
    assert!(report.stays_plain.unwrap().contains("keychain"));
    let servers = host.import(&text, &names, &[]).await.unwrap();
    assert_eq!(servers[0].config.env["GITHUB_TOKEN"], CANARY);
    assert!(servers.iter().all(|server| server.config.secrets.is_empty()));
    // A secret that the person enters is not saved at all then.
    let asking = json!({ "servers": {
        "plain": { "command": "x" },
        "asks": { "command": "x", "env": { "API_KEY": "${input:key}" } },
    } });
    let value = ImportValue { entry: "asks".to_owned(), key: "key".to_owned(), value: Some(CANARY.into()) };
    let both = ["plain".to_owned(), "asks".to_owned()];
    let refused = host.import(&asking.to_string(), &both, &[value]).await.unwrap_err();
    assert!(refused.sentence().to_string().contains("keychain"), "{refused}");
    assert_eq!(host.servers().len(), 2);
    host.shutdown().await;
}

// Requirements: AUTH-42.
#[tokio::test]
async fn the_private_key_of_proofs_is_nowhere_but_under_seal() {
    let home = tempfile::tempdir().unwrap();
    let script = oauth::OAuthScript { dpop: true, rotates: true, ..oauth::OAuthScript::default() };
    let server = oauth::serve(script).await;
    let host = window(home.path()).await;
    let id = host.add_server(http("berth", &server.resource())).await.unwrap().id;
    until_state(&host, id, StateName::SignInNeeded).await;
    sign_in(&host, "berth").await.unwrap();
    until(&host, id, "listed", |view| view.connection.tool_count.is_some()).await;
    server.expire_access_tokens();
    host.call_tool(id, call("echo", &json!({ "text": "x" })), ignore_events()).await.unwrap();

    // Information that only the vault has.
    let store = Store::open(home.path()).await.unwrap();
    let mut secrets = Vec::new();
    for known in store.secrets().list().await.unwrap() {
        let row = store.secrets().get(&known.id).await.unwrap().unwrap();
        let text = host.sign_ins().vault().decrypt(&row.id, &row.purpose, &sealed(&row)).unwrap();
        let login: Value = serde_json::from_str(text.expose_secret()).unwrap();
        let pem = login["dpop_key"].as_str().unwrap().to_owned();
        secrets.extend(
            pem.lines()
                .filter(|line| line.len() > 30 && !line.contains("-----"))
                .map(|line| ("private key".to_owned(), line.to_owned())),
        );
        secrets.push(("access token".to_owned(), login["access"].as_str().unwrap().to_owned()));
        secrets.push(("refresh token".to_owned(), login["refresh"].as_str().unwrap().to_owned()));
    }
    store.close().await;
    assert!(secrets.len() >= 4, "{}", secrets.len());
    let scanner = Scanner::new(secrets);
    let log = logged(&host).await;
    let mut hits = scanner.scan("log", log.as_bytes());
    hits.extend(
        scanner.scan("views", format!("{:?} {:?}", host.servers(), host.accounts().await).as_bytes()),
    );
    let (found, files) = scanner.scan_folder("profile", home.path());
    hits.extend(found);
    let (planted, missed) = scanner.self_test();
    assert!(hits.is_empty() && files >= 3 && planted > 0 && missed.is_empty(), "{hits:?} {missed:?}");
    host.shutdown().await;
}

/// The encrypted blob in a row of the database.
pub(crate) fn sealed(row: &SecretRow) -> EncryptedBlob {
    EncryptedBlob {
        version: u8::try_from(row.version).unwrap(),
        key: Fingerprint(row.key),
        nonce: row.nonce,
        ciphertext: row.ciphertext.clone(),
    }
}

#[tokio::test]
async fn server_that_is_tried_gets_entered_and_saved_secrets() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let said = |view: ConnectionView| view.stderr_tail.join("\n");
    let entered = host.try_server(None, talkative("draft", "API_KEY")).await.unwrap();
    assert_eq!((entered.failure.clone(), said(entered)), (None, "starting with [redacted]".to_owned()));

    let saved = host.add_server(talkative("own", "API_KEY")).await.unwrap();
    let changed = NewServer { timeout: Some(Duration::from_secs(9)), ..saved.config.clone() };
    let with_saved = host.try_server(Some(saved.id), changed.clone()).await.unwrap();
    assert_eq!((with_saved.failure.clone(), said(with_saved)), (None, "starting with [redacted]".to_owned()));
    // Without the saved server, there is no value.
    let without = host.try_server(None, changed).await.unwrap();
    assert_eq!(without.failure.unwrap().code, FailureCode::SecretMissing);
    assert!(!logged(&host).await.contains("canary"));
    host.shutdown().await;
}
