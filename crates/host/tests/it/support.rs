//! A host with a temporary data folder, and helpers that wait for its events.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_calls::{OnCallEvent, ToolCall};
use mooring_connections::{ConnectOptions, Connection, Target};
use mooring_definitions::{NewServer, Transport};
use mooring_errors::HostError;
use mooring_host::{Host, HostOptions};
use mooring_inbox::DecisionView;
use mooring_policy::Caller;
use mooring_server_state::{ServerView, StateName};
use mooring_testkit::scripted_server_path;
use serde_json::Value;
use serde_json::value::RawValue;

/// Longer than any step takes on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

pub(crate) async fn open(home: &Path, supervise: bool) -> Host {
    Host::open(options(home, supervise)).await.unwrap()
}

pub(crate) fn options(home: &Path, supervise: bool) -> HostOptions {
    HostOptions {
        home: home.to_owned(),
        supervise,
        has_person: supervise,
        journal: true,
        demo_server: None,
        client_name: "mooring-test",
        client_version: "0",
        vault: mooring_vault::VaultOptions::default,
        browser: mooring_accounts::system_browser,
        clock: crate::clock::test_clock(),
    }
}

/// The host of a window.
pub(crate) async fn window(home: &Path) -> Host {
    open(home, true).await
}

pub(crate) fn stdio(name: &str, command: &str, args: &[&str]) -> NewServer {
    NewServer {
        command: Some(command.to_owned()),
        args: args.iter().map(ToString::to_string).collect(),
        ..NewServer::new(name, Transport::Stdio)
    }
}

/// The scripted server in a mode.
pub(crate) fn scripted(name: &str, mode: &[&str]) -> NewServer {
    stdio(name, &scripted_server_path().display().to_string(), mode)
}

pub(crate) fn http(name: &str, url: &str) -> NewServer {
    NewServer { transport: Transport::Http, command: None, url: Some(url.to_owned()), ..stdio(name, "", &[]) }
}

/// Waits until the server's view meets `condition`.
pub(crate) async fn until(
    host: &Host,
    id: ServerId,
    what: &str,
    condition: impl Fn(&ServerView) -> bool,
) -> ServerView {
    let mut events = host.events();
    let wait = async {
        loop {
            let view = host.server(id).unwrap();
            if condition(&view) {
                return view;
            }
            // Lagging only means that something happened.
            let _lagged = events.recv().await;
        }
    };
    match tokio::time::timeout(LIMIT, wait).await {
        Ok(view) => view,
        Err(elapsed) => panic!("not {what}, {elapsed}: {:?}", host.server(id)),
    }
}

pub(crate) async fn until_state(host: &Host, id: ServerId, state: StateName) -> ServerView {
    until(host, id, state.as_str(), |view| view.connection.state == state).await
}

pub(crate) fn call(tool: &str, arguments: &Value) -> ToolCall {
    ToolCall {
        request: None,
        tool: tool.to_owned(),
        arguments: Some(RawValue::from_string(arguments.to_string()).unwrap()),
        caller: Caller::Workbench,
        idle: None,
        total: None,
    }
}

pub(crate) fn ignore_events() -> OnCallEvent {
    Arc::new(|_| {})
}

/// A command's own connection to the scripted server in a mode.
pub(crate) async fn connect(host: &Host, mode: &[&str]) -> Result<Connection, HostError> {
    let target = Target::Command {
        program: scripted_server_path().display().to_string(),
        args: mode.iter().map(ToString::to_string).collect(),
        env: [].into(),
        cwd: std::env::temp_dir(),
    };
    host.connect(target, ConnectOptions::default()).await
}

/// Checks that the reply to an answer and the list of decisions agree on what remembers it.
pub(crate) async fn says_what_remembers(host: &Host, reply: &DecisionView) {
    let decisions = host.decisions(20).await.unwrap();
    let listed = decisions.iter().find(|decision| decision.id == reply.id).unwrap();
    assert_eq!(reply.remembered, listed.remembered);
}
