//! What an update of a bundle keeps of a server, and what a roll-back brings back.

use std::fs;
use std::time::Duration;

use mooring_bundle_setup::{BundleChoice, BundleOutcome};
use mooring_definitions::NewServer;
use mooring_definitions::import::ImportValue;
use mooring_errors::ErrorCode;
use mooring_store::Store;
use serde_json::{Value, json};

use crate::bundles::{Place, add, add_with, added, roll_back, sealing, tide, update};
use crate::support::window;

/// A bundle whose variables are these. It asks for a name and a password.
fn signing_in(version: &str, env: &Value) -> Value {
    let mut manifest = tide(version);
    manifest["user_config"] = json!({
        "user": { "type": "string", "title": "User", "default": "guest" },
        "password": { "type": "string", "title": "Password", "sensitive": true, "required": true },
    });
    manifest["server"]["mcp_config"]["env"] = env.clone();
    manifest
}

const LOGIN: &str = "${user_config.user}:${user_config.password}";

#[tokio::test]
async fn a_secret_stays_only_in_an_unchanged_variable() {
    let place = Place::new();
    let host = sealing(&place.home()).await;
    let one = place.write(&signing_in("1.0.0", &json!({ "LOGIN": LOGIN })));
    let values = [("user", "ana"), ("password", "CANARY-1")];
    let view = added(add_with(&host, &one, BundleChoice::default(), &values).await.unwrap());
    let two = place.write(&signing_in("2.0.0", &json!({ "LOGIN": LOGIN })));
    let review = host.read_bundle(&two, &BundleChoice::default(), &[]).await.unwrap();
    // Another name beside the old password would be lost, or the password would.
    let error = add_with(&host, &two, update(&review), &[("user", "bob")]).await.unwrap_err();
    assert_eq!(error.to_string(), "“Password” is required");
    let updated = add(&host, &two, update(&review)).await.unwrap();
    assert!(updated.server().config.secrets[0].entered);
    for (version, text) in [
        ("3.0.0", "https://other.example/${user_config.user}?${user_config.password}"),
        ("3.1.0", "${__dirname}${user_config.password}"),
    ] {
        let next = place.write(&signing_in(version, &json!({ "LOGIN": text })));
        let review = host.read_bundle(&next, &BundleChoice::default(), &[]).await.unwrap();
        assert!(review.update.as_ref().unwrap().kept.is_empty());
        let error = add(&host, &next, update(&review)).await.unwrap_err();
        assert_eq!(error.to_string(), "“Password” is required", "{version}");
    }
    let two = place.write(&signing_in("2.0.0", &json!({ "LOGIN": LOGIN })));
    let values = [("user", "bob"), ("password", "CANARY-2")];
    let choice = BundleChoice { update: Some(view.id), ..BundleChoice::default() };
    add_with(&host, &two, choice, &values).await.unwrap();
    host.shutdown().await;
}

#[tokio::test]
async fn an_unsigned_update_gets_secrets_by_consent_only() {
    let place = Place::new();
    let host = sealing(&place.home()).await;
    let env = json!({ "PASSWORD": "${user_config.password}" });
    let one = place.write(&signing_in("1.0.0", &env));
    let password = [("password", "CANARY-1")];
    added(add_with(&host, &one, BundleChoice::default(), &password).await.unwrap());
    // The very file that it came from needs no consent.
    let same = host.read_bundle(&one, &BundleChoice::default(), &[]).await.unwrap();
    assert!(same.update.unwrap().consent.is_none() && !same.inputs[1].required);
    let two = place.write(&signing_in("2.0.0", &env));
    let review = host.read_bundle(&two, &BundleChoice::default(), &[]).await.unwrap();
    let asked = review.update.as_ref().unwrap();
    assert!(asked.consent.is_some() && review.inputs[1].required);
    let agreed = update(&review);
    let refused = BundleChoice { gives_secrets: false, ..agreed.clone() };
    let error = add(&host, &two, refused.clone()).await.unwrap_err();
    assert_eq!(error.to_string(), "“Password” is required");
    let shown = host.read_bundle(&two, &agreed, &[]).await.unwrap();
    assert!(!shown.inputs[1].required && shown.update.unwrap().consent.is_some());
    add_with(&host, &two, refused, &password).await.unwrap();
    let three = place.write(&signing_in("3.0.0", &env));
    assert!(add(&host, &three, agreed).await.unwrap().server().config.secrets[0].entered);
    host.shutdown().await;
}

#[tokio::test]
async fn what_a_roll_back_loses_is_said_before() {
    let place = Place::new();
    let host = sealing(&place.home()).await;
    let password = [("password", "CANARY-1")];
    let one = place.write(&signing_in("1.0.0", &json!({ "OLD": "${user_config.password}", "LOGIN": LOGIN })));
    let view = added(add_with(&host, &one, BundleChoice::default(), &password).await.unwrap());
    let two = place.write(&signing_in(
        "2.0.0",
        &json!({ "NEW": "${user_config.password}", "LOGIN": "Basic ${user_config.password}" }),
    ));
    let review = host.read_bundle(&two, &BundleChoice::default(), &[]).await.unwrap();
    assert_eq!(review.update.as_ref().unwrap().removed, ["OLD"]);
    add_with(&host, &two, update(&review), &password).await.unwrap();
    // Neither the name nor the time limit comes from the bundle.
    let mut now = host.server(view.id).unwrap().config;
    (now.name, now.timeout) = ("ebb".to_owned(), Some(Duration::from_secs(7)));
    host.update_server(view.id, now).await.unwrap();
    let earlier = host.server_bundle(view.id).await.unwrap().unwrap().previous.unwrap();
    assert_eq!((earlier.missing, earlier.removed), (vec!["LOGIN".into(), "OLD".into()], vec!["NEW".into()]));
    let pointers: Vec<&str> = earlier.changes.iter().map(|change| change.pointer.as_str()).collect();
    assert_eq!(pointers, ["/env/NEW", "/env/OLD"]);
    let back = roll_back(&host, view.id).await.unwrap().config;
    assert_eq!((back.name.as_str(), back.timeout), ("ebb", Some(Duration::from_secs(7))));
    let secrets: Vec<_> = back.secrets.iter().map(|it| (it.name.as_str(), it.entered)).collect();
    assert_eq!(secrets, [("LOGIN", false), ("OLD", false)], "another text was in LOGIN");
    host.shutdown().await;
}

#[tokio::test]
async fn secrets_in_arguments_are_never_shown() {
    let place = Place::new();
    let host = sealing(&place.home()).await;
    let exposed = |version: &str| {
        let mut manifest = signing_in(version, &json!({}));
        manifest["server"]["mcp_config"]["args"] = json!(["ok", "--pass=${user_config.password}"]);
        manifest
    };
    let one = place.write(&exposed("1.0.0"));
    let view =
        added(add_with(&host, &one, BundleChoice::default(), &[("password", "CANARY-1")]).await.unwrap());
    let two = place.write(&exposed("2.0.0"));
    let value =
        ImportValue { entry: String::new(), key: "password".to_owned(), value: Some("CANARY-3".into()) };
    let review = host.read_bundle(&two, &BundleChoice::default(), &[value]).await.unwrap();
    assert!(!format!("{:?}", review.update).contains("CANARY"));
    assert_eq!(review.server.as_ref().unwrap().args, ["ok", "--pass=${user_config.password}"]);
    add_with(&host, &two, update(&review), &[("password", "CANARY-2")]).await.unwrap();
    let earlier = host.server_bundle(view.id).await.unwrap().unwrap().previous.unwrap();
    assert_eq!(earlier.server.args, ["ok", "…"]);
    let shown = serde_json::to_string(&earlier).unwrap();
    assert!(!shown.contains("CANARY"), "{shown}");
    assert_eq!(roll_back(&host, view.id).await.unwrap().config.args, ["ok", "--pass=CANARY-1"]);
    host.shutdown().await;
}

#[tokio::test]
async fn a_removed_copy_of_a_server_finds_its_folder() {
    let place = Place::new();
    let host = window(&place.home()).await;
    let path = place.write(&tide("1.0.0"));
    let one = added(add(&host, &path, BundleChoice::default()).await.unwrap());
    let copy = NewServer { name: "copy".to_owned(), ..one.config };
    let copy = host.add_server(copy).await.unwrap();
    host.remove_server(one.id).await.unwrap();
    let store = Store::open(&place.home()).await.unwrap();
    store.servers().purge_removed(Duration::ZERO).await.unwrap();
    host.remove_server(copy.id).await.unwrap();
    // After an error, what nothing uses is removed.
    let error = add_with(&host, &path, BundleChoice::default(), &[("x", "y")]).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidServer);
    assert_eq!(place.unpacked(), ["tide/1.0.0"], "the copy can be restored");
    host.restore_server(copy.id).await.unwrap();
    assert!(fs::exists(host.server(copy.id).unwrap().config.command.unwrap()).unwrap());
    host.shutdown().await;
}

#[tokio::test]
async fn a_bundle_that_is_opened_twice_at_once_is_saved_once() {
    let place = Place::new();
    let host = window(&place.home()).await;
    let path = place.write(&tide("1.0.0"));
    let (one, two) =
        tokio::join!(add(&host, &path, BundleChoice::default()), add(&host, &path, BundleChoice::default()));
    // Either may be first.
    let outcomes = [one.unwrap(), two.unwrap()];
    let count = |is: fn(&BundleOutcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
    assert_eq!(count(|outcome| matches!(outcome, BundleOutcome::Added(_))), 1);
    assert_eq!(count(|outcome| matches!(outcome, BundleOutcome::AlreadyInstalled(_))), 1);
    assert_eq!(host.servers().len(), 1);
    host.shutdown().await;
}
