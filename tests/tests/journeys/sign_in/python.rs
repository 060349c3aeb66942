//! Signs in with an authorization server, a protected server or both built with the Python SDK.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::support::{KeyringSession, ProtectedServer, TIMEOUT};
use crate::command_line::{CommandLineUser, ListeningServer, names, python, python_of_2025, script};

/// The events at `python_sign_in.py` so far.
async fn events(server: &ListeningServer) -> Value {
    let url = server.url.replace("/mcp", "/seen");
    reqwest::get(url).await.unwrap().json().await.unwrap()
}

/// Waits until no token is valid. Later ones have a long lifetime.
async fn until_expired(server: &ListeningServer) {
    let client = reqwest::Client::new();
    let life = client.post(server.url.replace("/mcp", "/life/3600"));
    life.send().await.unwrap().error_for_status().unwrap();
    let deadline = Instant::now() + TIMEOUT;
    while events(server).await["alive"] != 0 {
        assert!(Instant::now() < deadline, "the token does not end");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Signs in, lets the token expire, uses the refreshed one, and signs out.
async fn whole_sign_in(python: &str, kind: &str) {
    let (desktop, person) = (KeyringSession::start(), CommandLineUser::new());
    // Tokens are refreshed after half of their lifetime, which must be over when the server calls them
    // expired.
    let server = ListeningServer::start(python, &[&script("python_sign_in.py"), kind, "4"]);
    let url = server.url.as_str();
    let call = ["call", "echo", r#"{"text":"moored"}"#, "--json", "--url", url];
    assert_eq!(desktop.run(&person, &call).0, 6);
    let (account, _) = desktop.login(&person, &["--url", url]);
    assert_eq!((&account["resource"], &account["refreshable"]), (&json!(url), &json!(true)), "{account}");
    assert_eq!(account["scopes_granted"], json!(["tools"]), "{account}");
    let told = events(&server).await;
    assert_eq!((&told["registered"], &told["codes"]), (&json!(1), &json!(1)), "{told}");
    // Every method that the server offers needs a secret, and this one comes first.
    assert_eq!(told["methods"], json!(["client_secret_post"]), "{told}");

    until_expired(&server).await;
    let listed = json!({"result": desktop.run_ok(&person, &["tools", "--json", "--url", url])});
    assert_eq!(names(&listed), ["echo"]);
    for _ in 0..2 {
        assert_eq!(desktop.run_ok(&person, &call)["content"][0]["text"], "moored");
    }
    let told = events(&server).await;
    assert_eq!((&told["refreshed"], &told["codes"], &told["registered"]), (&json!(1), &json!(1), &json!(1)));

    desktop.run_ok(&person, &["logout", &account["id"].to_string(), "--json"]);
    let told = events(&server).await;
    assert!(told["revoked"].as_u64() >= Some(1), "{told}");
    assert_eq!((&told["alive"], &told["refresh_tokens"]), (&json!(0), &json!(0)), "{told}");
    assert_eq!(desktop.run(&person, &call).0, 6);
}

// Requirements: AUTH-18, AUTH-38, AUTH-39, AUTH-43.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_in_of_the_python_sdk_is_used_to_its_end() {
    whole_sign_in(&python(), "sdk").await;
}

// Requirements: AUTH-18, AUTH-38, AUTH-39, AUTH-43.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_in_of_the_python_sdk_of_2025_is_used_to_its_end() {
    whole_sign_in(&python_of_2025(), "sdk").await;
}

// Requirements: AUTH-18, AUTH-38, AUTH-39, AUTH-43.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_in_of_fastmcp_is_used_to_its_end() {
    whole_sign_in(&python(), "fastmcp").await;
}

/// The SDK's authorization server needs the client id in the form, even if it is in the header too.
// Requirements: AUTH-38, AUTH-39.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_with_basic_signs_in_where_the_python_sdk_decides() {
    for python in [python(), python_of_2025()] {
        let (desktop, person) = (KeyringSession::start(), CommandLineUser::new());
        let server = ListeningServer::start(&python, &[&script("python_sign_in.py"), "sdk", "4"]);
        let url = server.url.as_str();
        // The SDK compares the port as well.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let redirect = format!("http://127.0.0.1:{port}/answer");
        let wanted = json!({
            "redirect_uris": [redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_method": "client_secret_basic",
            "scope": "tools",
        });
        let registered = reqwest::Client::new().post(server.url.replace("/mcp", "/register")).json(&wanted);
        let client: Value = registered.send().await.unwrap().json().await.unwrap();
        let id = client["client_id"].as_str().unwrap_or_else(|| panic!("{client}"));
        let secret = person.directory().join("secret");
        std::fs::write(&secret, client["client_secret"].as_str().unwrap()).unwrap();
        let secret = secret.to_str().unwrap();
        let client = ["--client-id", id, "--client-secret-file", secret, "--redirect", &redirect];
        desktop.login(&person, &[&["--url", url][..], &client].concat());
        until_expired(&server).await;
        let call = ["call", "echo", r#"{"text":"moored"}"#, "--json", "--url", url];
        assert_eq!(desktop.run_ok(&person, &call)["content"][0]["text"], "moored");
        let told = events(&server).await;
        let times = (&told["registered"], &told["codes"], &told["refreshed"]);
        assert_eq!(times, (&json!(1), &json!(1), &json!(1)), "{told}");
        assert_eq!(told["methods"], json!(["client_secret_basic"]), "{told}");
    }
}

/// The server's metadata has the issuer with a trailing slash, but the issuer itself has none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slash_that_a_server_writes_behind_the_issuer_is_no_other() {
    let (desktop, person) = (KeyringSession::start(), CommandLineUser::new());
    let protected = ProtectedServer::start(&json!({"jwt": true, "elsewhere": true}));
    let told = json!({"issuer": protected.issuer, "jwks": format!("{}/jwks", protected.issuer)}).to_string();
    let server = ListeningServer::start(&python_of_2025(), &[&script("python_resource.py"), "sdk", &told]);
    let url = server.url.as_str();
    let metadata = server.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp");
    let metadata: Value = reqwest::get(metadata).await.unwrap().json().await.unwrap();
    let written = format!("{}/", protected.issuer);
    assert_eq!(metadata["authorization_servers"], json!([written]), "the server is not what this is about");
    let (account, _) = desktop.login(&person, &["--url", url]);
    assert_eq!((&account["issuer"], &account["resource"]), (&json!(protected.issuer), &json!(url)));
    let called = desktop.run_ok(&person, &["call", "scopes", "--json", "--url", url]);
    assert_eq!(called["content"][0]["text"], "tools");
}
