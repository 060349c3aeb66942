//! Servers from bundles: read, added, updated, brought back, and removed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_bundle_setup::{BundleChoice, BundleOutcome, BundleProgram, BundleReview, SignatureState};
use mooring_definitions::NewServer;
use mooring_definitions::import::{ImportInputKind, ImportValue};
use mooring_errors::{ErrorCode, HostError};
use mooring_host::{Host, HostOptions};
use mooring_server_state::{ServerView, StateName};
use mooring_testkit::bundles::{binary_manifest, write_bundle};
use mooring_testkit::{eventually, scripted_server_path};
use serde_json::{Value, json};

use crate::people::{with_keychain, without_keychain};
use crate::support::{open, options, until_state, window};

/// A folder for bundles' files, and a data folder.
pub(crate) struct Place {
    root: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("home")).unwrap();
        Self { root }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// Writes a bundle of the scripted server.
    pub(crate) fn write(&self, manifest: &Value) -> PathBuf {
        let version = manifest["version"].as_str().unwrap();
        let path = self.root.path().join(format!("{version}.mcpb"));
        write_bundle(&path, manifest, &[("server/run", &fs::read(scripted_server_path()).unwrap())]);
        path
    }

    /// The folders of bundles, as `NAME/VERSION`.
    pub(crate) fn unpacked(&self) -> Vec<String> {
        let list = |folder: &Path| -> Vec<PathBuf> {
            let entries = fs::read_dir(folder).into_iter().flatten();
            entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
        };
        let bundles = self.home().join("bundles");
        let versions = list(&bundles).into_iter().flat_map(|bundle| list(&bundle));
        let shown = |path: PathBuf| {
            let path = path.strip_prefix(&bundles).unwrap().to_str().unwrap().to_owned();
            path.rsplit_once('-').map_or(path.clone(), |(version, _)| version.to_owned())
        };
        let mut found: Vec<String> = versions.map(shown).collect();
        found.sort();
        found
    }
}

/// A host that can encrypt.
pub(crate) async fn sealing(home: &Path) -> Host {
    Host::open(HostOptions { vault: with_keychain, ..options(home, true) }).await.unwrap()
}

/// A bundle that asks for nothing.
pub(crate) fn tide(version: &str) -> Value {
    binary_manifest("tide", version, &["ok"])
}

/// A bundle with all kinds of values.
fn asking(version: &str) -> Value {
    let mut manifest = tide(version);
    manifest["user_config"] = json!({
        "token": { "type": "string", "title": "API token", "description": "From the site.", "sensitive": true,
            "required": true },
        "folders": { "type": "directory", "title": "Folders", "multiple": true, "default": ["${HOME}/tide"] },
        "count": { "type": "number", "title": "Count", "min": 1, "max": 9, "default": 3 },
        "loud": { "type": "boolean", "title": "Loud" },
    });
    manifest["server"]["mcp_config"]["args"] =
        json!(["ok", "${user_config.folders}", "${user_config.count}"]);
    manifest["server"]["mcp_config"]["env"] =
        json!({ "TOKEN": "Bearer ${user_config.token}", "LOUD": "${user_config.loud}" });
    manifest
}

pub(crate) async fn add(host: &Host, path: &Path, choice: BundleChoice) -> Result<BundleOutcome, HostError> {
    add_with(host, path, choice, &[]).await
}

pub(crate) async fn add_with(
    host: &Host,
    path: &Path,
    choice: BundleChoice,
    values: &[(&str, &str)],
) -> Result<BundleOutcome, HostError> {
    let review = host.read_bundle(path, &choice, &[]).await?;
    let value = |(key, text): &(&str, &str)| ImportValue {
        entry: String::new(),
        key: (*key).to_owned(),
        value: Some((*text).into()),
    };
    let values: Vec<ImportValue> = values.iter().map(value).collect();
    host.add_bundle(path, &review.sha256, choice, &values, |_| {}).await
}

pub(crate) fn added(outcome: BundleOutcome) -> ServerView {
    let BundleOutcome::Added(view) = outcome else { panic!("not added: {outcome:?}") };
    *view
}

/// Rolls a server back as it was shown.
pub(crate) async fn roll_back(host: &Host, id: ServerId) -> Result<ServerView, HostError> {
    let earlier = host.server_bundle(id).await?.and_then(|bundle| bundle.previous);
    host.roll_back_bundle(id, &earlier.map(|it| it.hash).unwrap_or_default()).await
}

pub(crate) fn update(review: &BundleReview) -> BundleChoice {
    BundleChoice { update: Some(review.installed.first().unwrap().id), name: None, gives_secrets: true }
}

#[tokio::test]
async fn a_bundle_is_reviewed_added_once_and_runs() {
    let place = Place::new();
    let host = window(&place.home()).await;
    let path = place.write(&tide("1.0.0"));
    let review = host.read_bundle(&path, &BundleChoice::default(), &[]).await.unwrap();
    assert_eq!(
        (review.title.as_str(), review.version.as_str(), review.author.as_str()),
        ("tide", "1.0.0", "Harbour Works")
    );
    assert_eq!((review.program, review.signature), (BundleProgram::Binary, SignatureState::Unsigned));
    assert_eq!(review.file_bytes, fs::metadata(&path).unwrap().len());
    assert!(review.problem.is_none() && review.installed.is_empty() && review.inputs.is_empty());
    assert!(place.unpacked().is_empty(), "nothing is unpacked for a review");
    let view = added(add(&host, &path, BundleChoice::default()).await.unwrap());
    let shown = review.server.unwrap();
    assert_eq!((&shown.command, &shown.args), (&view.config.command, &view.config.args));
    assert_eq!(until_state(&host, view.id, StateName::Ready).await.config.name, "tide");
    assert_eq!(place.unpacked(), ["tide/1.0.0"]);
    let again = host.read_bundle(&path, &BundleChoice::default(), &[]).await.unwrap();
    assert_eq!(again.installed.iter().map(|it| (it.id, it.same)).collect::<Vec<_>>(), [(view.id, true)]);
    let outcome = add(&host, &path, BundleChoice::default()).await.unwrap();
    assert!(matches!(outcome, BundleOutcome::AlreadyInstalled(same) if same.id == view.id));
    assert_eq!(host.servers().len(), 1);
    host.shutdown().await;
}

#[tokio::test]
async fn values_are_asked_for_checked_and_sealed() {
    let place = Place::new();
    let host = sealing(&place.home()).await;
    let path = place.write(&asking("1.0.0"));
    let review = host.read_bundle(&path, &BundleChoice::default(), &[]).await.unwrap();
    let kinds: Vec<_> =
        review.inputs.iter().map(|it| (it.key.as_str(), it.kind, it.required, it.secret)).collect();
    assert_eq!(
        kinds,
        [
            ("token", ImportInputKind::Text, true, true),
            ("folders", ImportInputKind::Folder, false, false),
            ("count", ImportInputKind::Number, false, false),
            ("loud", ImportInputKind::Boolean, false, false),
        ]
    );
    assert_eq!(review.inputs[0].title.as_deref(), Some("API token"));
    let home = std::env::home_dir().unwrap();
    assert_eq!(review.inputs[1].default, Some(home.join("tide").display().to_string()));
    for (values, problem) in [
        (&[][..], "“API token” is required"),
        (&[("token", "t"), ("count", "12")], "“Count” can be at most 9"),
        (&[("token", "t"), ("count", "few")], "the value of Count must be a number"),
        (&[("token", "t"), ("folders", "here")], "the value of Folders must be a full path"),
        (&[("token", "t"), ("other", "x")], "this server doesn’t ask for other"),
    ] {
        let error = add_with(&host, &path, BundleChoice::default(), values).await.unwrap_err();
        assert_eq!(error.to_string(), problem);
    }
    assert!(place.unpacked().is_empty() && host.servers().is_empty());
    let values = [("token", "CANARY-7"), ("folders", "/a b\n~/c"), ("count", "4"), ("loud", "true")];
    let view = added(add_with(&host, &path, BundleChoice::default(), &values).await.unwrap());
    let inside = home.join("c").display().to_string();
    assert_eq!(view.config.args, ["ok", "/a b", &inside, "4"]);
    assert_eq!(view.config.env, [("LOUD".to_owned(), "true".to_owned())].into());
    assert_eq!(
        view.config.secrets.iter().map(|it| (it.name.as_str(), it.entered)).collect::<Vec<_>>(),
        [("TOKEN", true)]
    );
    host.shutdown().await;
    let database = fs::read(place.home().join("mooring.db")).unwrap();
    assert!(!String::from_utf8_lossy(&database).contains("CANARY-7"));
}

#[tokio::test]
async fn an_update_keeps_values_and_can_be_taken_back() {
    let place = Place::new();
    let host = sealing(&place.home()).await;
    let values = [("token", "first"), ("folders", "/data")];
    let one = place.write(&asking("1.0.0"));
    let view = added(add_with(&host, &one, BundleChoice::default(), &values).await.unwrap());
    assert!(host.server_bundle(view.id).await.unwrap().unwrap().previous.is_none());
    let error = roll_back(&host, view.id).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NoEarlierBundle);
    let two = place.write(&asking("2.0.0"));
    let review = host.read_bundle(&two, &BundleChoice::default(), &[]).await.unwrap();
    assert!(!review.installed[0].same);
    let changes = review.update.as_ref().unwrap();
    assert_eq!(changes.kept, ["token"]);
    assert!(changes.consent.as_ref().unwrap().starts_with("No signature shows"));
    assert!(changes.changes.is_empty(), "only the folder is another one: {:?}", changes.changes);
    assert!(review.inputs[0].required, "without the person's consent");
    assert_eq!(review.inputs[1].default.as_deref(), Some("/data"), "what was entered for the first version");
    let outcome = add(&host, &two, update(&review)).await.unwrap();
    assert!(matches!(outcome, BundleOutcome::Updated(_)));
    let config = &outcome.server().config;
    assert_eq!(config.args, ["ok", "/data", "3"]);
    assert!(config.command.as_ref().unwrap().contains("2.0.0"));
    assert!(config.secrets[0].entered, "the token stays");
    assert_eq!(place.unpacked(), ["tide/1.0.0", "tide/2.0.0"]);
    let bundle = host.server_bundle(view.id).await.unwrap().unwrap();
    let earlier = bundle.previous.unwrap();
    assert_eq!((bundle.version.as_str(), earlier.version.as_str()), ("2.0.0", "1.0.0"));
    assert!(earlier.missing.is_empty() && earlier.removed.is_empty());
    let error = host.roll_back_bundle(view.id, "").await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::DefinitionChanged, "what was shown");
    let back = roll_back(&host, view.id).await.unwrap();
    assert_eq!(back.config.command, view.config.command);
    assert!(back.config.secrets[0].entered);
    let forward = roll_back(&host, view.id).await.unwrap();
    assert!(forward.config.command.unwrap().contains("2.0.0"));
    // A third version is the last but one's end.
    let three = place.write(&asking("3.0.0"));
    let review = host.read_bundle(&three, &BundleChoice::default(), &[]).await.unwrap();
    add(&host, &three, update(&review)).await.unwrap();
    host.shutdown().await;
    let host = sealing(&place.home()).await;
    eventually("the first version is removed", Duration::from_secs(20), || {
        place.unpacked() == ["tide/2.0.0", "tide/3.0.0"]
    })
    .await;
    host.shutdown().await;
}

#[tokio::test]
async fn a_bundle_by_another_author_replaces_none() {
    let place = Place::new();
    let host = open(&place.home(), false).await;
    let view = added(add(&host, &place.write(&tide("1.0.0")), BundleChoice::default()).await.unwrap());
    let mut other = tide("2.0.0");
    other["author"]["name"] = json!("Someone else");
    let other = place.write(&other);
    let review = host.read_bundle(&other, &BundleChoice::default(), &[]).await.unwrap();
    assert!(review.installed.is_empty());
    assert!(review.notes[0].contains("came from a bundle of the same name by another author"));
    let choice = BundleChoice { update: Some(view.id), ..BundleChoice::default() };
    add(&host, &other, choice).await.unwrap_err();
    let error = add(&host, &other, BundleChoice::default()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NameTaken);
    let named = BundleChoice { name: Some("tide 2".to_owned()), ..BundleChoice::default() };
    added(add(&host, &other, named).await.unwrap());
    assert_eq!(host.servers().len(), 2);
    host.shutdown().await;
}

#[tokio::test]
async fn folders_go_with_the_last_server_that_can_not_return() {
    let place = Place::new();
    let host = open(&place.home(), false).await;
    let path = place.write(&tide("1.0.0"));
    let one = added(add(&host, &path, BundleChoice::default()).await.unwrap());
    let named = BundleChoice { name: Some("second".to_owned()), ..BundleChoice::default() };
    let two = added(add(&host, &path, named).await.unwrap());
    host.remove_server(one.id).await.unwrap();
    host.restore_server(one.id).await.unwrap();
    assert_eq!(place.unpacked(), ["tide/1.0.0"]);
    host.remove_server(one.id).await.unwrap();
    host.shutdown().await;
    // Left by a process that was ended.
    fs::create_dir_all(place.home().join("bundles/tide/.unfinished-x/server")).unwrap();
    let host = window(&place.home()).await;
    eventually("what is left over is removed", Duration::from_secs(20), || {
        !place.home().join("bundles/tide/.unfinished-x").exists()
    })
    .await;
    assert_eq!(place.unpacked(), ["tide/1.0.0"], "the other server uses it");
    host.remove_server(two.id).await.unwrap();
    host.shutdown().await;
    let host = window(&place.home()).await;
    eventually("the folder is removed", Duration::from_secs(20), || {
        !place.home().join("bundles/tide").exists()
    })
    .await;
    host.shutdown().await;
}

#[tokio::test]
async fn a_copy_of_the_server_keeps_the_folder() {
    let place = Place::new();
    let host = open(&place.home(), false).await;
    let path = place.write(&tide("1.0.0"));
    let one = added(add(&host, &path, BundleChoice::default()).await.unwrap());
    host.add_server(NewServer { name: "copy".to_owned(), ..one.config }).await.unwrap();
    host.remove_server(one.id).await.unwrap();
    host.shutdown().await;
    let host = window(&place.home()).await;
    let error = add_with(&host, &path, BundleChoice::default(), &[("x", "y")]).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidServer);
    assert_eq!(place.unpacked(), ["tide/1.0.0"]);
    host.shutdown().await;
}

#[tokio::test]
async fn what_can_not_be_used_is_said_and_leaves_nothing() {
    let place = Place::new();
    let host = open(&place.home(), false).await;
    let mut manifest = tide("1.0.0");
    manifest["compatibility"] = json!({ "platforms": ["win32"] });
    let path = place.write(&manifest);
    let problem = host.read_bundle(&path, &BundleChoice::default(), &[]).await.unwrap().problem;
    let error = add(&host, &path, BundleChoice::default()).await.unwrap_err();
    if cfg!(windows) {
        assert_eq!(problem, None);
    } else {
        assert!(problem.unwrap().ends_with("only for Windows"));
        assert_eq!(error.code(), ErrorCode::Bundle);
    }
    let path = place.write(&tide("2.0.0"));
    let error =
        host.add_bundle(&path, &"0".repeat(64), BundleChoice::default(), &[], |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("has changed since it was opened"), "{error}");
    fs::write(&path, "no bundle").unwrap();
    assert_eq!(
        host.read_bundle(&path, &BundleChoice::default(), &[]).await.unwrap_err().code(),
        ErrorCode::Bundle
    );
    assert!(place.unpacked().is_empty() && host.servers().is_empty());
    host.shutdown().await;
}

#[tokio::test]
async fn no_value_becomes_a_part_of_a_script() {
    let place = Place::new();
    let host = open(&place.home(), false).await;
    for (version, command, args) in [
        ("1.0.0", "sh", json!(["-c", "run ${user_config.count}"])),
        ("2.0.0", "/bin/bash", json!(["-c", "run $1", "_", "${user_config.count}"])),
        ("3.0.0", "cmd.exe", json!(["/c", "run", "${user_config.count}"])),
    ] {
        let mut manifest = asking(version);
        manifest["server"]["mcp_config"] = json!({ "command": command, "args": args });
        let path = place.write(&manifest);
        let review = host.read_bundle(&path, &BundleChoice::default(), &[]).await.unwrap();
        assert!(review.problem.unwrap().contains("the script of a shell"), "{command}");
        let error = add(&host, &path, BundleChoice::default()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::Bundle);
    }
    let mut manifest = asking("4.0.0");
    manifest["server"]["mcp_config"] = json!({ "command": "sh", "args": ["-c", "run"] });
    let review = host.read_bundle(&place.write(&manifest), &BundleChoice::default(), &[]).await.unwrap();
    assert!(review.problem.is_none(), "a script without values");
    host.shutdown().await;
}

#[tokio::test]
async fn a_cancelled_unpacking_leaves_nothing() {
    let place = Place::new();
    let host = open(&place.home(), false).await;
    let path = place.root.path().join("many.mcpb");
    let names: Vec<String> = (0..5_000).map(|number| format!("data/{number}")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"content"[..])).collect();
    write_bundle(&path, &tide("1.0.0"), &files);
    let sha256 = host.read_bundle(&path, &BundleChoice::default(), &[]).await.unwrap().sha256;
    let done = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&done);
    let (first, begun) = tokio::sync::watch::channel(false);
    let adding = host.add_bundle(&path, &sha256, BundleChoice::default(), &[], move |progress| {
        seen.store(progress.done, Ordering::Relaxed);
        first.send_replace(true);
    });
    let mut begun = begun;
    tokio::select! {
        added = adding => panic!("it was too fast: {added:?}"),
        changed = begun.changed() => changed.unwrap(),
    }
    host.shutdown().await;
    assert!(done.load(Ordering::Relaxed) < 5_000);
    assert!(place.unpacked().is_empty());
    assert!(!place.home().join("bundles/tide").exists());
}

#[tokio::test]
async fn a_preview_has_places_for_what_is_missing() {
    let place = Place::new();
    let host = open(&place.home(), false).await;
    let review =
        host.read_bundle(&place.write(&asking("1.0.0")), &BundleChoice::default(), &[]).await.unwrap();
    let preview = review.server.unwrap();
    assert_eq!(preview.env.get("TOKEN").map(String::as_str), Some("Bearer ${user_config.token}"));
    assert!(
        host.read_bundle(&place.write(&tide("1.0.0")), &BundleChoice::default(), &[])
            .await
            .unwrap()
            .no_vault
            .is_none()
    );
    host.shutdown().await;
}

#[tokio::test]
async fn a_secret_is_never_saved_unencrypted() {
    let place = Place::new();
    let without = HostOptions { vault: without_keychain, ..options(&place.home(), false) };
    let host = Host::open(without).await.unwrap();
    let path = place.write(&asking("1.0.0"));
    assert!(host.read_bundle(&path, &BundleChoice::default(), &[]).await.unwrap().no_vault.is_some());
    let values = [("token", "CANARY-8")];
    let error = add_with(&host, &path, BundleChoice::default(), &values).await.unwrap_err();
    assert!(error.to_string().contains("keychain"), "{error}");
    assert!(place.unpacked().is_empty() && host.servers().is_empty());
    host.shutdown().await;
}
