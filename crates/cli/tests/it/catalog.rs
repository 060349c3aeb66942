//! `mooring catalog`: a registry on loopback is fetched, searched, shown, and servers are saved and updated from it.

use mooring_testkit::registry::{RegistryFault, RegistryServer, registry_entry, serve_registry};
use serde_json::json;

use crate::json::check;
use crate::support::{CommandOutput, TestHome};

const NAME: &str = "io.github.publisher0/weather-0";

/// A home whose catalog is a registry on loopback, with a passphrase for the vault.
async fn place() -> (TestHome, RegistryServer) {
    let (place, server) = (TestHome::new(), serve_registry(120, 20).await);
    std::fs::write(place.folder().join("key"), "CANARY-KEY").unwrap();
    std::fs::write(place.folder().join("passphrase"), "correct horse battery").unwrap();
    run(&place, &["vault", "rekey", "--to", "passphrase", "--passphrase-file", "passphrase"]).ok();
    let host = place.host().await;
    let mut settings = host.settings();
    settings.catalog_url.clone_from(&server.url);
    host.set_settings(settings).await.unwrap();
    host.shutdown().await;
    (place, server)
}

/// Runs a command with the passphrase of the vault.
fn run(place: &TestHome, words: &[&str]) -> CommandOutput {
    let mut command = place.command(words);
    command.env("MOORING_PASSPHRASE_FILE", place.folder().join("passphrase"));
    command.output().unwrap().into()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_registry_is_asked_only_by_refresh() {
    let (place, server) = place().await;
    let empty = run(&place, &["catalog", "search", "weather"]);
    assert_eq!(empty.exit, 2);
    assert!(empty.err.contains("mooring catalog refresh"), "{empty:?}");
    assert_eq!(server.requests(), [""; 0]);
    let fetched = run(&place, &["catalog", "refresh", "--json"]).ok();
    check("catalog_state", &fetched).await;
    assert_eq!(fetched.json()["result"]["entries"], 129);
    assert_eq!(fetched.json()["result"]["left_out"], 11);
    let asked = server.requests().len();
    let found = run(&place, &["catalog", "search", "weather", "simple", "--json"]).ok();
    check("catalog_found", &found).await;
    let found = found.json();
    assert_eq!(found["result"]["entries"][0]["name"], "io.github.publisher20/weather-20");
    let text = run(&place, &["catalog", "search"]).ok();
    assert!(text.out.lines().count() == 20 && text.err.contains("109 more match"), "{text:?}");
    assert_eq!(server.requests().len(), asked);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_texts_are_escaped() {
    let (place, _server) = place().await;
    run(&place, &["catalog", "refresh"]).ok();
    let shown = run(&place, &["catalog", "show", "odd.example/entry-13"]).ok();
    for letter in ['\u{200b}', '\u{202e}', '\u{7}', '\u{e0041}'] {
        assert!(!shown.out.contains(letter) && !shown.err.contains(letter), "{letter:?}: {shown:?}");
    }
    let shown = run(&place, &["catalog", "show", "odd.example/entry-14"]).ok();
    assert!(shown.out.contains("Repository: not given") && !shown.out.contains("javascript"), "{shown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_is_shown_saved_and_updated() {
    let (place, server) = place().await;
    run(&place, &["catalog", "refresh"]).ok();
    let shown = run(&place, &["catalog", "show", NAME, "--versions", "--json"]).ok();
    check("catalog_shown", &shown).await;
    let text = run(&place, &["catalog", "show", NAME]).ok();
    for part in [
        "Published under: io.github.publisher0",
        "runs: npx -y @publisher/weather-0@1.0.0",
        "Asks for API_KEY: The key",
    ] {
        assert!(text.out.contains(part), "{part}: {text:?}");
    }
    let key = ["--secret-value", "API_KEY=@key"];
    let saved = run(&place, &[&["catalog", "add", NAME, "--as", "w", "--json"], &key[..]].concat()).ok();
    check("saved_server", &saved).await;
    assert!(!saved.out.contains("CANARY") && !saved.err.contains("CANARY"), "{saved:?}");
    let none = run(&place, &["catalog", "servers", "--json"]).ok();
    check("catalog_servers", &none).await;

    let mut entry = registry_entry(0);
    entry["server"]["version"] = json!("9.0.0");
    entry["server"]["packages"][0]["version"] = json!("9.0.0");
    server.publish(entry);
    run(&place, &["catalog", "refresh"]).ok();
    let servers = run(&place, &["catalog", "servers"]).ok();
    assert!(servers.out.contains("9.0.0 is newer"), "{servers:?}");
    let asked = run(&place, &["catalog", "update", "w"]);
    assert_eq!(asked.exit, 2, "{asked:?}");
    assert!(asked.out.contains("- npx -y @publisher/weather-0@1.0.0"), "{asked:?}");
    assert!(asked.out.contains("+ npx -y @publisher/weather-0@9.0.0"), "{asked:?}");
    let updated = run(&place, &["catalog", "update", "w", "--yes"]).ok();
    assert!(updated.out.contains("w is now at version 9.0.0"), "{updated:?}");
    let listed = run(&place, &["ls", "--json"]).ok().json();
    assert_eq!(listed["result"][0]["args"][1], "@publisher/weather-0@9.0.0");
    // An older version is a change like any other.
    run(&place, &["catalog", "update", "w", "--version", "1.0.0", "--yes"]).ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_that_is_away_leaves_the_copy() {
    let (place, server) = place().await;
    run(&place, &["catalog", "refresh"]).ok();
    server.set_fault(RegistryFault::WebPage);
    let failed = run(&place, &["catalog", "refresh", "--json"]);
    check("catalog_state", &failed).await;
    assert!(failed.out.contains("it is a web page, not JSON"), "{failed:?}");
    assert_eq!(run(&place, &["catalog", "search", "weather", "--json"]).ok().json()["result"]["total"], 6);
}
