//! Saved servers: started, stopped, changed, removed, and restored.

use std::time::{Duration, Instant};

use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_definitions::import::ImportValue;
use mooring_errors::{FailureCode, HostError};
use mooring_host::{Host, HostOptions};
use mooring_server_state::{HostEvent, StateName};
use mooring_testkit::{eventually, is_alive};
use serde_json::json;

use crate::people::with_keychain;
use crate::support::{
    LIMIT, call, ignore_events, open, options, scripted, stdio, until, until_state, window,
};

#[tokio::test]
async fn saved_server_connects_and_lists_tools_and_facts() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("one", &["ok"])).await.unwrap().id;
    let view = until(&host, id, "listed", |view| view.connection.tool_count.is_some()).await;
    assert_eq!(view.connection.state, StateName::Ready);
    let peer = view.connection.peer.unwrap();
    assert_eq!((peer.name.as_deref(), peer.version.as_deref()), (Some("scripted"), Some("1.2.3")));
    assert_eq!((peer.revision.as_str(), peer.era.as_str()), ("2025-11-25", "session"));
    assert!(!peer.reason.is_empty());
    assert!(is_alive(view.connection.pid.unwrap()));
    assert!(view.connection.program.unwrap().is_absolute());
    let tools = host.tools(id, false).await.unwrap();
    assert!(tools.tools.iter().any(|tool| tool.name == "echo"));
    assert_eq!(view.connection.tool_count, Some(tools.tools.len()));
    host.shutdown().await;
}

#[tokio::test]
async fn ten_servers_start_in_parallel_and_a_hanging_one_delays_none() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    for number in 0..9 {
        host.add_server(scripted(&format!("slow {number}"), &["slow-start", "1000"])).await.unwrap();
    }
    host.add_server(scripted("hangs", &["hang"])).await.unwrap();
    host.shutdown().await;

    let host = window(home.path()).await;
    let started = Instant::now();
    let servers = host.servers();
    assert_eq!(servers.len(), 10);
    for server in servers.iter().filter(|server| server.config.name != "hangs") {
        until_state(&host, server.id, StateName::Ready).await;
    }
    // One after another, they would take nine seconds.
    assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
    let hangs = servers.iter().find(|server| server.config.name == "hangs").unwrap();
    assert_eq!(host.server(hangs.id).unwrap().connection.state, StateName::Starting);
    host.shutdown().await;
}

#[tokio::test]
async fn a_saved_server_starts_only_when_the_window_has_been_drawn() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("one", &["ok"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    host.shutdown().await;

    let (drawn, waiting) = tokio::sync::oneshot::channel::<()>();
    let quiet = async move { waiting.await.unwrap() };
    let host = Host::open_deferred(options(home.path(), true), quiet).await.unwrap();
    let view = until_state(&host, id, StateName::Starting).await;
    assert_eq!((view.connection.pid, view.connection.program), (None, None));
    assert_eq!(host.info().await.unwrap().login_path.source, "asking");
    drawn.send(()).unwrap();
    until_state(&host, id, StateName::Ready).await;
    assert_ne!(host.info().await.unwrap().login_path.source, "asking");
    host.shutdown().await;
}

#[tokio::test]
async fn stopped_server_stays_stopped_after_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let runs = host.add_server(scripted("runs", &["ok"])).await.unwrap().id;
    let stopped = host.add_server(scripted("stopped", &["ok"])).await.unwrap().id;
    let pid = until_state(&host, stopped, StateName::Ready).await.connection.pid.unwrap();
    host.stop(stopped).await.unwrap();
    assert_eq!(host.server(stopped).unwrap().connection.state, StateName::Stopped);
    assert!(!is_alive(pid));
    host.shutdown().await;

    let host = window(home.path()).await;
    until_state(&host, runs, StateName::Ready).await;
    let view = host.server(stopped).unwrap();
    assert_eq!((view.connection.state, view.enabled), (StateName::Stopped, false));
    host.start(stopped).await.unwrap();
    until_state(&host, stopped, StateName::Ready).await;
    host.shutdown().await;
}

// Requirements: STD-11.
#[tokio::test]
async fn a_server_that_dies_comes_back_by_itself() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("dies", &["ok"])).await.unwrap().id;
    let first = until_state(&host, id, StateName::Ready).await.connection.pid;
    let outcome = host.call_tool(id, call("crash", &json!({"code": 7})), ignore_events()).await.unwrap();
    assert_eq!(outcome.error.unwrap().code.as_str(), "closed");
    let lost = until_state(&host, id, StateName::Reconnecting).await.connection;
    assert_eq!(lost.attempt, 1);
    let failure = lost.failure.unwrap();
    assert_eq!(failure.code, FailureCode::Exited);
    assert!(failure.message.contains("exit code 7"), "{failure:?}");
    assert_eq!(failure.evidence.as_deref(), Some("scripted: crash on request"));
    assert_eq!(lost.stderr_tail, ["scripted: crash on request"]);
    let again = until_state(&host, id, StateName::Ready).await.connection;
    assert_ne!(again.pid, first);
    assert_eq!(again.failure, None);
    host.shutdown().await;
}

#[tokio::test]
async fn stopping_while_it_reconnects_ends_the_attempts() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("dies", &["ok"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    host.call_tool(id, call("crash", &json!({})), ignore_events()).await.unwrap();
    until_state(&host, id, StateName::Reconnecting).await;
    host.stop(id).await.unwrap();
    assert_eq!(host.server(id).unwrap().connection.state, StateName::Stopped);
    let tools = host.tools(id, false).await.unwrap_err();
    assert!(matches!(tools, HostError::NotConnected { .. }), "{tools}");
    host.shutdown().await;
}

#[tokio::test]
async fn a_stop_does_not_wait_for_a_server_that_never_starts() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("hangs", &["deaf"])).await.unwrap().id;
    until_state(&host, id, StateName::Starting).await;
    let started = Instant::now();
    host.stop(id).await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    host.shutdown().await;
}

#[tokio::test]
async fn server_slow_to_stop_delays_no_change_of_others() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("slow to go", &["ignore-sigterm"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let mut toggling = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (starts, stops) = (host.clone(), host.clone());
        toggling.spawn(async move { stops.stop(id).await.unwrap() });
        toggling.spawn(async move { starts.start(id).await.unwrap() });
    }
    // A start is requested when its method returns, even if the server's connection is busy.
    let toggled = async {
        for _ in 0..20 {
            toggling.join_next().await.unwrap().unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(5), toggled).await.unwrap();
    let other = tokio::time::timeout(Duration::from_secs(5), host.add_server(scripted("other", &["ok"])));
    other.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_rename_keeps_the_process_and_another_command_replaces_it() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let server = scripted("before", &["ok"]);
    let id = host.add_server(server.clone()).await.unwrap().id;
    let pid = until_state(&host, id, StateName::Ready).await.connection.pid;

    let renamed = NewServer { name: "after".to_owned(), ..server };
    let view = host.update_server(id, renamed.clone()).await.unwrap();
    assert_eq!((view.config.name.as_str(), view.connection.pid), ("after", pid));

    let changed = NewServer { args: vec!["crlf".to_owned()], ..renamed };
    host.update_server(id, changed).await.unwrap();
    let view = until(&host, id, "replaced", |view| {
        view.connection.state == StateName::Ready && view.connection.pid != pid
    })
    .await;
    assert!(!is_alive(pid.unwrap()));
    assert_eq!(view.config.args, ["crlf"]);
    host.shutdown().await;
}

#[tokio::test]
async fn a_removal_can_be_undone() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("gone", &["ok"])).await.unwrap().id;
    let pid = until_state(&host, id, StateName::Ready).await.connection.pid.unwrap();
    host.remove_server(id).await.unwrap();
    assert!(matches!(host.server(id), Err(HostError::ServerNotFound(_))));
    eventually("the process ends", LIMIT, || !is_alive(pid)).await;
    host.restore_server(id).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    host.shutdown().await;
}

#[tokio::test]
async fn removal_undone_at_once_never_runs_two_processes() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("slow to go", &["ignore-sigterm"])).await.unwrap().id;
    let pid = until_state(&host, id, StateName::Ready).await.connection.pid.unwrap();
    host.remove_server(id).await.unwrap();
    host.restore_server(id).await.unwrap();
    assert!(is_alive(pid));
    // Removed and restored again before it could even start.
    host.remove_server(id).await.unwrap();
    host.restore_server(id).await.unwrap();
    let next = until_state(&host, id, StateName::Ready).await.connection.pid.unwrap();
    assert!(!is_alive(pid) && is_alive(next));
    host.shutdown().await;
    assert!(!is_alive(next));
}

#[tokio::test]
async fn names_are_unique_and_mistakes_name_their_field() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    host.add_server(stdio("a", "x", &[])).await.unwrap();
    let error = host.add_server(stdio(" a ", "y", &[])).await.unwrap_err();
    assert_eq!(
        (error.code().as_str(), error.to_string().as_str()),
        ("name_taken", "another server is already called: a")
    );
    let error = host.add_server(stdio("b", " ", &[])).await.unwrap_err();
    assert_eq!(
        (error.code().as_str(), error.details()),
        ("invalid_server", Some(json!({"field": "command"})))
    );
    host.shutdown().await;
}

#[tokio::test]
async fn only_one_window_keeps_the_servers_of_a_data_folder() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let second = HostOptions {
        home: home.path().to_owned(),
        supervise: true,
        has_person: true,
        journal: true,
        demo_server: None,
        client_name: "t",
        client_version: "0",
        vault: mooring_vault::VaultOptions::default,
        browser: mooring_accounts::system_browser,
        clock: crate::clock::test_clock(),
    };
    let error = Host::open(second.clone()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "already_open");
    open(home.path(), false).await.shutdown().await;
    host.shutdown().await;
    Host::open(second).await.unwrap().shutdown().await;
}

#[tokio::test]
async fn new_window_waits_for_the_servers_of_the_closing_one() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("slow to go", &["ignore-sigterm"])).await.unwrap().id;
    let pid = until_state(&host, id, StateName::Ready).await.connection.pid.unwrap();
    host.announce_shutdown();
    let next = async {
        let next = window(home.path()).await;
        assert!(!is_alive(pid));
        next
    };
    let ((), next) = tokio::join!(host.shutdown(), next);
    let anew = until_state(&next, id, StateName::Ready).await.connection.pid;
    assert_ne!(anew, Some(pid));
    // The open host does not close for another one.
    let error = Host::open(options(home.path(), true)).await.unwrap_err();
    assert_eq!(error.code().as_str(), "already_open");
    next.shutdown().await;
}

#[tokio::test]
async fn what_another_process_changes_is_noticed() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let mut events = host.events();
    let other = open(home.path(), false).await;
    let id = other.add_server(scripted("from outside", &["ok"])).await.unwrap().id;
    // It starts as expected, and the person at the window is informed.
    let told = HostEvent::ServerAddedElsewhere { id, name: "from outside".into() };
    let noticed = async { while events.recv().await.unwrap() != told {} };
    tokio::time::timeout(LIMIT, noticed).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    other.remove_server(id).await.unwrap();
    other.shutdown().await;
    let gone = async { while events.recv().await.unwrap() != HostEvent::ServersChanged {} };
    tokio::time::timeout(LIMIT, gone).await.unwrap();
    assert!(host.servers().is_empty());
    let own = host.add_server(scripted("from here", &["ok"])).await.unwrap().id;
    until_state(&host, own, StateName::Ready).await;
    while let Ok(event) = events.try_recv() {
        assert!(!matches!(event, HostEvent::ServerAddedElsewhere { .. }), "{event:?}");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn import_saves_valid_entries_and_rejects_others_by_location() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let text = "{\"mcpServers\": {\n\"good\": {\"command\": \"x\", \"env\": {\"A\": \"1\"}},\n\"bad\": {\"args\": []}}}";
    let report = host.check_import(text).await;
    assert!(report.error.is_none());
    assert_eq!(report.entries.len(), 2);
    let views = host.import(text, &["good".to_owned()], &[]).await.unwrap();
    assert_eq!(views[0].config.env["A"], "1");
    assert!(host.check_import(text).await.entries[0].exists);
    let error = host.import(text, &["bad".to_owned()], &[]).await.unwrap_err();
    assert_eq!(error.details(), Some(json!({"line": 3, "column": 8})));
    assert_eq!(host.servers().len(), 1);
    host.shutdown().await;
}

#[tokio::test]
async fn duplicate_name_in_an_import_rejects_no_other_entry() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let text = r#"{"mcpServers": {"twice": {"command": "first"}, "one": {"command": "x"}, "twice": {"command": "second"}}}"#;
    let names = ["twice".to_owned(), "one".to_owned()];
    let views = host.import(text, &names, &[]).await.unwrap();
    let commands: Vec<_> = views.iter().map(|view| view.config.command.as_deref()).collect();
    assert_eq!(commands, [Some("first"), Some("x")]);
    host.shutdown().await;
}

#[tokio::test]
async fn import_of_unencryptable_secrets_is_rejected_before_saving() {
    let home = tempfile::tempdir().unwrap();
    let host = Host::open(HostOptions { vault: with_keychain, ..options(home.path(), false) }).await.unwrap();
    let text = json!({ "mcpServers": {
        "good": { "command": "x", "env": { "API_KEY": "7c1f" } },
        "odd": { "url": "http://127.0.0.1:1/mcp", "headers": { "X-Api-Key": "1", "x-api-key": "2" } },
    } });
    let text = text.to_string();
    let report = host.check_import(&text).await;
    assert!(report.entries[0].server.is_ok() && report.stays_plain.is_none());
    let problem = report.entries[1].server.as_ref().unwrap_err();
    assert_eq!(problem.message.to_string(), "x-api-key appears twice");
    let error = host.import(&text, &["good".to_owned(), "odd".to_owned()], &[]).await.unwrap_err();
    assert_eq!(error.code().as_str(), "import_syntax");
    assert!(host.servers().is_empty());
    host.shutdown().await;
}

#[tokio::test]
async fn values_of_an_import_reach_variables_arguments_and_url() {
    let home = tempfile::tempdir().unwrap();
    let host = Host::open(HostOptions { vault: with_keychain, ..options(home.path(), false) }).await.unwrap();
    let text = json!({
        "inputs": [
            { "type": "promptString", "id": "key", "password": true },
            { "type": "pickString", "id": "unit", "options": ["m", "ft"], "default": "m" },
        ],
        "servers": {
            "local": { "command": "x", "args": ["--unit=${input:unit}", "${workspaceFolder}/a"], "env": { "API_KEY": "${input:key}", "UNIT": "${input:unit}" } },
            "far": { "url": "https://${input:tenant}.example/mcp", "headers": { "Authorization": "Bearer ${input:key}" } },
        },
    })
    .to_string();
    let names = ["local".to_owned(), "far".to_owned()];
    let value = |entry: &str, key: &str, value: &str| ImportValue {
        entry: entry.to_owned(),
        key: key.to_owned(),
        value: Some(value.into()),
    };
    let root = home.path().display().to_string();
    let mut values = vec![value("local", "workspaceFolder", &root), value("local", "key", "canary-1")];
    let error = host.import(&text, &names, &values).await.unwrap_err();
    assert_eq!(error.code().as_str(), "invalid_server");
    assert_eq!(error.sentence().to_string(), "far: enter a value for tenant");
    assert!(host.servers().is_empty());
    values.extend([value("far", "tenant", "acme"), value("far", "key", "canary-2")]);
    values.push(value("local", "unit", "ft"));
    let views = host.import(&text, &names, &values).await.unwrap();
    let (local, far) = (&views[0].config, &views[1].config);
    assert_eq!(local.args, ["--unit=ft".to_owned(), format!("{root}/a")]);
    assert_eq!((local.env["UNIT"].as_str(), local.env.len()), ("ft", 1));
    assert_eq!(far.url.as_deref(), Some("https://acme.example/mcp"));
    for (config, name) in [(local, "API_KEY"), (far, "Authorization")] {
        let [secret] = &config.secrets[..] else { panic!("{config:?}") };
        assert!(secret.entered && secret.value.is_none() && secret.name == name);
    }
    assert_eq!(host.vault_view().await.unwrap().secret_count, 2);
    host.shutdown().await;
}

#[tokio::test]
async fn server_waits_for_a_value_that_its_import_only_names() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let program = scripted("one", &["ok"]).command.unwrap();
    let text = json!({ "servers": { "one": { "command": program, "args": ["ok"], "env": { "API_KEY": "${input:key}" } } } });
    let view = host.import(&text.to_string(), &["one".to_owned()], &[]).await.unwrap().remove(0);
    assert!(view.config.env.is_empty() && !view.config.secrets[0].entered, "{:?}", view.config);
    let failure = until_state(&host, view.id, StateName::Failed).await.connection.failure.unwrap();
    assert_eq!(
        (failure.code, &*failure.message),
        (FailureCode::SecretMissing, "the value of API_KEY is missing")
    );
    host.shutdown().await;
}

#[tokio::test]
async fn saved_server_gets_private_directory_and_login_shell_path() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let mut server = scripted("private", &["ok"]);
    server.env.insert("DECLARED".to_owned(), "yes".to_owned());
    let id = host.add_server(server).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let outcome = host.call_tool(id, call("surroundings", &json!({})), ignore_events()).await.unwrap();
    let result: serde_json::Value = serde_json::from_str(outcome.result.unwrap().get()).unwrap();
    let text = result["content"][0]["text"].as_str().unwrap();
    let surroundings: serde_json::Value = serde_json::from_str(text).unwrap();
    let directory = home.path().join("servers").join(id.0.to_string()).canonicalize().unwrap();
    assert_eq!(surroundings["directory"], json!(directory));
    assert_eq!(surroundings["environment"]["DECLARED"], "yes");
    let info = host.info().await.unwrap();
    let path = std::env::join_paths(&info.login_path.directories).unwrap();
    assert_eq!(surroundings["environment"]["PATH"], json!(path.to_str().unwrap()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(directory.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
    host.shutdown().await;
}

#[tokio::test]
async fn private_directory_is_deleted_when_removal_cannot_be_undone() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let kept = host.add_server(scripted("kept", &["ok"])).await.unwrap().id;
    let gone = host.add_server(scripted("gone", &["ok"])).await.unwrap().id;
    let private = |id: ServerId| home.path().join("servers").join(id.0.to_string());
    for id in [kept, gone] {
        until(&host, id, "ready", |view| view.connection.state == StateName::Ready).await;
        std::fs::write(private(id).join("note"), "mine").unwrap();
    }
    // Other files remain.
    std::fs::create_dir(home.path().join("servers").join("theirs")).unwrap();
    host.remove_server(gone).await.unwrap();
    assert!(private(gone).join("note").exists());
    host.shutdown().await;

    let host = window(home.path()).await;
    eventually("the directory of the removed server to go", LIMIT, || !private(gone).exists()).await;
    assert!(private(kept).join("note").exists() && home.path().join("servers/theirs").exists());
    host.shutdown().await;
}

#[tokio::test]
async fn server_is_tried_without_being_saved() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let view = host.try_server(None, scripted("draft", &["ok"])).await.unwrap();
    let peer = view.peer.unwrap();
    assert_eq!((peer.name.as_deref(), view.failure), (Some("scripted"), None));
    assert!(view.tool_count.unwrap() > 0);
    let pid = view.pid.unwrap();
    eventually("the process ends", LIMIT, || !is_alive(pid)).await;

    let missing = host.try_server(None, stdio("draft", "no-such-program", &[])).await.unwrap();
    assert_eq!(missing.failure.unwrap().code, FailureCode::CommandNotFound);
    assert!(missing.peer.is_none());
    let invalid = host.try_server(None, stdio("draft", "", &[])).await.unwrap_err();
    assert_eq!(invalid.code().as_str(), "invalid_server");
    assert!(host.servers().is_empty());
    host.shutdown().await;
}

#[tokio::test]
async fn running_server_is_untouched_while_a_change_is_tried() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("one", &["ok"])).await.unwrap().id;
    let before = until(&host, id, "listed", |view| view.connection.tool_count.is_some()).await;
    let tried = host.try_server(Some(id), scripted("one", &["slow-start", "10"])).await.unwrap();
    assert!(tried.pid != before.connection.pid);
    let after = host.server(id).unwrap();
    assert_eq!(after.connection.pid, before.connection.pid);
    assert!(!after.changed);
    assert_eq!(after.config, before.config);
    host.shutdown().await;
}

#[tokio::test]
async fn paused_servers_stop_and_run_again_after_a_later_start() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let mut ids = Vec::new();
    for name in ["one", "two", "by hand", "stopped"] {
        ids.push(host.add_server(scripted(name, &["ok"])).await.unwrap().id);
    }
    let [one, two, by_hand, stopped] = ids[..] else { unreachable!() };
    host.stop(stopped).await.unwrap();
    for id in [one, two, by_hand] {
        until_state(&host, id, StateName::Ready).await;
    }
    assert_eq!(host.paused_servers().await.unwrap(), []);
    host.pause_servers().await.unwrap();
    for server in host.servers() {
        assert_eq!(server.connection.state, StateName::Stopped);
        assert_eq!(server.connection.pid, None);
    }
    // Pausing again keeps the earlier list, and a server that the person starts is no longer paused.
    host.pause_servers().await.unwrap();
    host.start(by_hand).await.unwrap();
    host.remove_server(two).await.unwrap();
    assert_eq!(host.paused_servers().await.unwrap(), [one]);
    host.shutdown().await;

    let host = window(home.path()).await;
    assert_eq!(host.paused_servers().await.unwrap(), [one]);
    assert_eq!(host.server(one).unwrap().connection.state, StateName::Stopped);
    host.resume_servers().await.unwrap();
    until_state(&host, one, StateName::Ready).await;
    assert_eq!(host.server(stopped).unwrap().connection.state, StateName::Stopped);
    assert_eq!(host.paused_servers().await.unwrap(), []);
    host.shutdown().await;
}
