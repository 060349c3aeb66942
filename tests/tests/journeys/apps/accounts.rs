//! Two accounts of a server in one entry, used by third-party apps: every URI from one account leads back to
//! it.

use std::fs;

use mooring_testkit::addresses;
use serde_json::{Value, json};

use super::Served;
use super::driven::{AppStart, DrivenApp, SESSION, STATELESS, Sdk};
use crate::command_line::script;
use crate::window::stdio;

const ACCOUNTS: [&str; 2] = ["work", "another"];
/// The resources of each account.
const LISTED: &str = "acct://me ui://acct/page";

/// Checks that a URI and its parts read from this account.
async fn leads_to(app: &mut DrivenApp, uri: &str, name: &str) {
    let read = app.run("read", json!({"uri": uri})).await;
    assert_eq!((&read["contents"][0]["text"], &read["contents"][0]["uri"]), (&json!(name), &json!(uri)));
    let part = read["contents"][1]["uri"].as_str().unwrap();
    let part = app.run("read", json!({"uri": part})).await;
    assert_eq!(part["contents"][0]["text"], name, "{uri}: {part}");
}

/// Whether a URI belongs to this account. The first account keeps the server's own URIs.
fn is_of(name: &str, uri: &str) -> bool {
    uri.contains("mooring+") == (name == "another")
}

async fn check(app: &mut DrivenApp) {
    let listed = addresses(&app.run("resources", json!({})).await);
    assert_eq!(listed.len(), 4, "{listed:?}");
    let templates = app.run("templates", json!({})).await;
    let tools = app.run("tools", json!({})).await;
    for name in ACCOUNTS {
        let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == format!("{name}__show"));
        let called = app.call(&format!("{name}__show"), json!({})).await;
        let prompt = app.run("prompt", json!({"name": format!("{name}__p")})).await;
        let handed_out = [tool.unwrap().clone(), called, prompt];
        let handed_out: Vec<String> = handed_out.iter().flat_map(addresses).collect();
        // The tool's page under both names; of the call and of the prompt, a link and an embedded resource
        // each.
        assert_eq!(handed_out.len(), 2 + 6 + 4, "{name}: {handed_out:?}");
        for uri in handed_out.iter().chain(listed.iter().filter(|uri| is_of(name, uri))) {
            assert!(is_of(name, uri), "{name}: {uri}");
            leads_to(app, uri, name).await;
        }
        let of_template = |template: &Value| template["uriTemplate"].as_str().unwrap().to_owned();
        let mut templates = templates.as_array().unwrap().iter().map(of_template);
        let template = templates.find(|template| is_of(name, template)).unwrap();
        leads_to(app, &template.replace("{id}", "7"), name).await;

        let me = listed.iter().find(|uri| uri.ends_with("acct://me") && is_of(name, uri)).unwrap();
        app.run("follow", json!({"uri": me})).await;
        app.call(&format!("{name}__say"), json!({"updated": ["acct://me"]})).await;
        let updated = app.message(|message| message["told"] == "updated").await;
        assert_eq!(updated["uri"], json!(me), "{name}");
        // A model passes the URIs that it got on to the same server.
        let said = app.call(&format!("{name}__say"), json!({"deep": [me]})).await;
        let said = said["content"][0]["text"].as_str().unwrap();
        assert!(said.starts_with(r#"[{"deep": ["acct://me"]}"#), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_accounts_in_one_entry_are_as_in_two() {
    let served = Served::empty().await;
    for name in ACCOUNTS {
        let file = served.home.path().join(format!("{name}.txt"));
        fs::write(&file, LISTED).unwrap();
        served
            .add(stdio(name, "python3", &["-u", &script("account.py"), name, file.to_str().unwrap()]))
            .await;
    }
    for (sdk, revision) in [
        (Sdk::TypeScript, SESSION),
        (Sdk::TypeScript, STATELESS),
        (Sdk::Python, SESSION),
        (Sdk::Python, STATELESS),
        (Sdk::Python2025, SESSION),
        (Sdk::FastMcp, SESSION),
    ] {
        println!("{sdk:?} {revision}");
        let start = AppStart { home: served.home.path(), name: "App", server: None, revision, sdk };
        let mut app = start.open(&served.key).await;
        check(&mut app).await;
        app.close().await;
    }
    served.close().await;
}
