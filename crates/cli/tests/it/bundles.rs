//! `mooring import FILE.mcpb` and `mooring rollback`: a bundle of the demo server is shown, saved, used, updated and
//! brought back.

use mooring_testkit::bundles::{binary_manifest, write_bundle};
use serde_json::{Value, json};

use crate::json::check;
use crate::support::{CommandOutput, TestHome};
use crate::typed::demo_server;

/// A bundle of the demo server that asks for a required secret and a number.
fn manifest(version: &str) -> Value {
    let mut manifest = binary_manifest("tide", version, &["${user_config.depth}"]);
    manifest["server"]["mcp_config"]["args"] = json!([]);
    manifest["server"]["mcp_config"]["env"] =
        json!({ "TIDE_TOKEN": "${user_config.token}", "TIDE_DEPTH": "${user_config.depth}" });
    manifest["user_config"] = json!({
        "token": { "type": "string", "title": "Token", "description": "From the harbour.", "sensitive": true,
            "required": true },
        "depth": { "type": "number", "title": "Depth", "min": 1, "max": 9, "default": 3 },
    });
    manifest
}

/// A home with the bundle `VERSION.mcpb` in its folder.
fn place_with(version: &str) -> TestHome {
    let place = TestHome::new();
    write(&place, version);
    std::fs::write(place.folder().join("token"), "CANARY-TIDE").unwrap();
    std::fs::write(place.folder().join("passphrase"), "correct horse battery").unwrap();
    run(&place, &["vault", "rekey", "--to", "passphrase", "--passphrase-file", "passphrase"]).ok();
    place
}

fn write(place: &TestHome, version: &str) {
    let program = std::fs::read(demo_server()).unwrap();
    let path = place.folder().join(format!("{version}.mcpb"));
    write_bundle(&path, &manifest(version), &[("server/run", &program)]);
}

/// Runs a command with the passphrase of the vault.
fn run(place: &TestHome, words: &[&str]) -> CommandOutput {
    let mut command = place.command(words);
    command.env("MOORING_PASSPHRASE_FILE", place.folder().join("passphrase"));
    command.output().unwrap().into()
}

#[tokio::test]
async fn a_bundle_is_shown_and_saved_and_its_server_runs() {
    let place = place_with("1.0.0");
    let shown = run(&place, &["import", "1.0.0.mcpb", "--json"]).ok();
    check("bundle", &shown).await;
    let bundle = &shown.json()["result"];
    assert_eq!((&bundle["program"], &bundle["signature"]), (&json!("binary"), &json!("unsigned")));
    assert_eq!(bundle["inputs"][0]["required"], true);
    let shown = run(&place, &["import", "1.0.0.mcpb"]).ok();
    for part in
        ["tide 1.0.0 by Harbour Works", "The bundle isn’t signed.", "It runs: ", "token (required): Token"]
    {
        assert!(shown.out.contains(part), "{part}: {shown:?}");
    }
    assert!(shown.err.contains("mooring import 1.0.0.mcpb tide --secret-value token=@FILE"), "{shown:?}");
    assert!(!place.home().join("bundles").exists());

    let lacking = run(&place, &["import", "1.0.0.mcpb", "tide", "--json"]);
    assert_eq!(lacking.error(), (2, "values_missing".to_owned()), "{lacking:?}");
    let words = ["import", "1.0.0.mcpb", "tide", "--secret-value", "token=@token"];
    let wrong = run(&place, &[&words[..], &["--value", "depth=12", "--json"]].concat());
    assert_eq!(wrong.error().0, 2, "{wrong:?}");
    let saved = run(&place, &[&words[..], &["--value", "depth=4", "--json"]].concat()).ok();
    check("saved_server", &saved).await;
    assert_eq!(
        saved.json()["result"]["secrets"][0],
        json!({ "place": "env", "name": "TIDE_TOKEN", "entered": true })
    );
    assert!(!saved.out.contains("CANARY"), "{saved:?}");
    let ran = run(&place, &["call", "tide", "echo", "text=high"]).ok();
    assert!(ran.out.contains("high"), "{ran:?}");
    let again = run(&place, &["import", "1.0.0.mcpb", "tide"]).ok();
    assert!(again.out.contains("tide already came from this file."), "{again:?}");
}

#[tokio::test]
async fn an_update_can_be_rolled_back() {
    let place = place_with("1.0.0");
    let none = run(&place, &["rollback", "tide", "--json"]);
    assert_eq!(none.error().1, "server_not_found");
    run(&place, &["import", "1.0.0.mcpb", "tide", "--secret-value", "token=@token"]).ok();
    let none = run(&place, &["rollback", "tide", "--yes", "--json"]);
    assert_eq!(none.error(), (2, "no_earlier_bundle".to_owned()));
    write(&place, "1.1.0");
    let shown = run(&place, &["import", "1.1.0.mcpb"]).ok();
    assert!(shown.out.contains("tide came from version 1.0.0."), "{shown:?}");
    assert!(shown.err.contains("Agree with --keep-secrets, or enter them again."), "{shown:?}");
    check("bundle", &run(&place, &["import", "1.1.0.mcpb", "--json"]).ok()).await;
    let refused = run(&place, &["import", "1.1.0.mcpb", "--all", "--json"]);
    assert_eq!(refused.error(), (2, "values_missing".to_owned()), "{refused:?}");
    let updated = run(&place, &["import", "1.1.0.mcpb", "--all", "--keep-secrets"]).ok();
    assert!(updated.out.contains("Updated tide"), "{updated:?}");
    let command = |place: &TestHome| run(place, &["export", "--json"]).ok().json().to_string();
    assert!(command(&place).contains("1.1.0-"));
    run(&place, &["call", "tide", "echo", "text=high"]).ok();
    let refused = run(&place, &["rollback", "tide"]);
    assert!(refused.exit == 2 && refused.out.contains("Version 1.0.0 runs: "), "{refused:?}");
    assert!(command(&place).contains("1.1.0-"));
    assert!(!refused.out.contains("changed:"), "{refused:?}");
    let back = run(&place, &["rollback", "tide", "--yes"]).ok();
    assert!(back.out.contains("tide is back at version 1.0.0"), "{back:?}");
    assert!(command(&place).contains("1.0.0-"));
    let forward = run(&place, &["rollback", "tide", "--yes", "--json"]).ok();
    check("saved_server", &forward).await;
    assert!(command(&place).contains("1.1.0-"));
    let beside =
        run(&place, &["import", "1.1.0.mcpb", "tide", "--as", "ebb", "--secret-value", "token=@token"]).ok();
    assert!(beside.out.contains("Saved ebb"), "{beside:?}");
}

#[test]
fn what_is_no_bundle_is_refused_with_a_reason() {
    let place = place_with("1.0.0");
    std::fs::write(place.folder().join("text.mcpb"), "{}").unwrap();
    let ran = run(&place, &["import", "text.mcpb", "--json"]);
    assert_eq!(ran.error(), (2, "bundle".to_owned()));
    assert!(ran.err.is_empty() && ran.out.contains("isn’t a complete zip file"), "{ran:?}");
    let ran = run(&place, &["import", "1.0.0.mcpb", "a", "b", "--json"]);
    assert_eq!(ran.error().0, 2);
}
