//! Signing in and out through the page's commands, with a scripted authorization server and a browser that
//! follows redirects.

use std::path::Path;
use std::sync::Arc;

use mooring_oauth::{AuthorizationUrl, Browser, BrowserFuture, Error as SignInError};
use mooring_testkit::oauth::{OAuthScript, OAuthServer as Server, follow_redirects, serve};
use mooring_words::say;
use serde_json::{Value, json};

use crate::support::{TestApp, channel_argument};

const HOST: u32 = 1;

/// A browser whose person approves at once.
struct AgreeingBrowser;

impl Browser for AgreeingBrowser {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        Box::pin(async move {
            follow_redirects(url.as_url().as_str()).await.map(|_| ()).map_err(|error| {
                SignInError::Aborted(say!("the browser failed: {reason}", reason = error.to_string()))
            })
        })
    }
}

fn agreeing() -> Arc<dyn Browser> {
    Arc::new(AgreeingBrowser)
}

/// A browser that opens, and whose person does nothing.
struct IdleBrowser;

impl Browser for IdleBrowser {
    fn open<'a>(&'a self, _: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        Box::pin(std::future::ready(Ok(())))
    }
}

fn idle() -> Arc<dyn Browser> {
    Arc::new(IdleBrowser)
}

fn protected_server() -> Server {
    tauri::async_runtime::block_on(serve(OAuthScript { rotates: true, ..OAuthScript::default() }))
}

/// Starts an application with a vault in memory and a server that needs a sign-in. Returns the server's id.
fn app_needing_sign_in(home: &Path, server: &Server, browser: fn() -> Arc<dyn Browser>) -> (TestApp, i64) {
    let running = TestApp::with_browser(home, browser);
    running.invoke("watch_host", json!({ "channel": channel_argument(HOST) })).unwrap();
    running.invoke("create_vault", json!({ "choice": { "mode": "memory", "passphrase": null } })).unwrap();
    let input = json!({
        "name": "berth",
        "transport": "http",
        "command": null,
        "args": [],
        "env": {},
        "cwd": null,
        "url": server.resource(),
        "headers": {},
        "timeoutMs": null,
        "era": "auto",
        "secrets": [],
    });
    let id = running.invoke("add_server", json!({ "server": input })).unwrap()["id"].as_i64().unwrap();
    until_state(&running, id, "sign_in_needed");
    (running, id)
}

fn until_state(running: &TestApp, id: i64, state: &str) {
    loop {
        let servers = running.invoke("list_servers", json!({})).unwrap();
        if servers.as_array().unwrap().iter().any(|server| server["id"] == id && server["state"] == state) {
            return;
        }
        running.next(HOST);
    }
}

fn until_status(running: &TestApp, id: i64, status: &str) -> Value {
    loop {
        let attempt = running.invoke("get_sign_in", json!({ "id": id })).unwrap();
        if attempt["status"] == status {
            return attempt;
        }
        running.next(HOST);
    }
}

fn input(client_secret: Option<&str>) -> Value {
    json!({
        "way": "browser",
        "clientId": null,
        "clientSecret": client_secret,
        "redirect": null,
        "pkceUnannounced": false, "withoutResource": false,
        "another": false,
        "language": "en",
    })
}

// Requirements: AUTH-02, AUTH-43, AUTH-44.
#[test]
fn a_person_signs_in_renews_chooses_and_signs_out_in_the_window() {
    let home = tempfile::tempdir().unwrap();
    let server = protected_server();
    let (running, id) = app_needing_sign_in(home.path(), &server, agreeing);
    assert_eq!(running.invoke("get_sign_in", json!({ "id": id })).unwrap(), Value::Null);
    assert_eq!(running.invoke("list_accounts", json!({})).unwrap(), json!([]));
    let begun = running.invoke("begin_sign_in", json!({ "id": id, "input": input(None) })).unwrap();
    assert_eq!((&begun["server"], &begun["endedAt"]), (&json!(id), &Value::Null));
    let done = until_status(&running, id, "done");
    assert_eq!(done["browserHost"], "127.0.0.1");
    let steps = done["steps"].as_array().unwrap();
    assert!(
        steps.iter().any(|step| step["purpose"] == "client_identity" && step["found"]["code"].is_string())
    );
    until_state(&running, id, "ready");

    let accounts = running.invoke("list_accounts", json!({})).unwrap();
    let account = &accounts[0];
    assert_eq!((&account["id"], &account["ended"]), (&done["account"], &Value::Null));
    assert_eq!(
        (&account["issuer"], &account["client"]["origin"]),
        (&json!(server.issuer()), &json!("registered"))
    );
    assert_eq!(account["servers"], json!([{ "id": id, "name": "berth", "chosen": true }]));
    let login = account["id"].clone();
    let renewed = running.invoke("refresh_account", json!({ "id": login })).unwrap();
    assert!(renewed["renewedAt"].as_i64() >= account["renewedAt"].as_i64());
    assert_eq!(server.refresh_count(), 1);
    let error = running.invoke("forget_account", json!({ "id": login })).unwrap_err();
    assert_eq!(error["code"], "login_in_force");

    running.invoke("choose_account", json!({ "server": id, "account": null })).unwrap();
    until_state(&running, id, "sign_in_needed");
    running.invoke("choose_account", json!({ "server": id, "account": login })).unwrap();
    until_state(&running, id, "ready");
    let out = running.invoke("sign_out", json!({ "id": login })).unwrap();
    assert_eq!(out, json!({ "id": login, "revoked": true, "problem": null }));
    assert_eq!(running.invoke("sign_out_all", json!({})).unwrap(), json!([]));
    assert_eq!(running.invoke("list_accounts", json!({})).unwrap(), json!([]));
    for command in ["sign_out", "refresh_account", "forget_account"] {
        assert_eq!(running.invoke(command, json!({ "id": 99 })).unwrap_err()["code"], "no_such_login");
    }
    until_state(&running, id, "sign_in_needed");
    running.close();
}

// Requirements: AUTH-44.
#[test]
fn sign_in_waiting_for_the_browser_can_be_reopened_or_cancelled() {
    let home = tempfile::tempdir().unwrap();
    let server = protected_server();
    let (running, id) = app_needing_sign_in(home.path(), &server, idle);
    let error = running.invoke("reopen_browser", json!({ "id": id })).unwrap_err();
    assert_eq!(error["code"], "not_awaited");
    assert_eq!(running.invoke("cancel_sign_in", json!({ "id": id })).unwrap(), false);
    let error = running.invoke("begin_sign_in", json!({ "id": id, "input": input(Some("s")) })).unwrap_err();
    assert_eq!(error["code"], "invalid_arguments");
    running.invoke("begin_sign_in", json!({ "id": id, "input": input(None) })).unwrap();
    let waits = until_status(&running, id, "browser");
    assert!(waits["deadline"].as_i64() > waits["startedAt"].as_i64());
    running.invoke("reopen_browser", json!({ "id": id })).unwrap();
    assert_eq!(running.invoke("cancel_sign_in", json!({ "id": id })).unwrap(), true);
    assert_eq!(until_status(&running, id, "cancelled")["deadline"], Value::Null);
    assert_eq!(running.invoke("cancel_sign_in", json!({ "id": id })).unwrap(), false);
    running.close();
}
