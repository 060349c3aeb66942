//! Changes that coincide with something else: an edit of the person, a change notification, a refusal that
//! requires a resend, or definitions that are too long to be saved.

use std::time::Duration;

use mooring_calls::{CallStatus, PromptCall, ResourceRead, ToolCall};
use mooring_connections::{ConnectOptions, Target};
use mooring_policy::{Caller, Decision, NewRule, PinKind, PinState};
use mooring_server_state::{HostEvent, StateName};
use mooring_testkit::answers;
use mooring_testkit::http::{HttpReply, HttpScript, RawReply, serve};
use serde_json::{Value, json};

use crate::support::{call, http, ignore_events, open, until, until_state, window};
use crate::trust::{approval, approve_all, approved, echo_list, listed, offering, pin};
#[cfg(unix)]
use crate::{support::stdio, trust::noting};

// Requirements: SEC-05, SEC-07.
#[cfg(unix)]
#[tokio::test]
async fn program_swapped_between_save_and_first_start_is_not_started() {
    let home = tempfile::tempdir().unwrap();
    let (program, noted) = (home.path().join("program"), home.path().join("noted"));
    let edited = home.path().join("edited");
    for program in [&program, &edited] {
        noting(program, &noted, "");
    }
    let saved = stdio("s", program.to_str().unwrap(), &[]);
    let absent = stdio("absent", home.path().join("absent").to_str().unwrap(), &[]);
    // This host does not start the server, like the command line.
    let host = open(home.path(), false).await;
    let id = host.add_server(saved.clone()).await.unwrap().id;
    let absent = host.add_server(absent).await.unwrap().id;
    assert_eq!(host.trust(id).await.unwrap().definition.state, PinState::Approved);
    host.shutdown().await;
    noting(&program, &noted, "# evil");
    noting(&home.path().join("absent"), &home.path().join("other"), "");
    let host = window(home.path()).await;
    until_state(&host, id, StateName::Changed).await;
    // A program that was missing is recorded when it first appears.
    until_state(&host, absent, StateName::Ready).await;
    host.shutdown().await;
    let host = open(home.path(), false).await;
    let named = mooring_definitions::NewServer { command: Some(edited.display().to_string()), ..saved };
    host.update_server(id, named).await.unwrap();
    host.shutdown().await;
    noting(&edited, &noted, "# evil");
    let host = window(home.path()).await;
    until_state(&host, id, StateName::Changed).await;
    let changes = host.trust(id).await.unwrap().definition.changes;
    assert_eq!(changes.iter().map(|change| &*change.pointer).collect::<Vec<_>>(), ["/programSha256"]);
    host.shutdown().await;
    assert!(!noted.exists(), "neither was started");
}

// Requirements: SEC-05, SEC-07.
#[cfg(unix)]
#[tokio::test]
async fn edit_approves_what_was_saved_but_no_swapped_program() {
    use mooring_definitions::NewServer;

    let home = tempfile::tempdir().unwrap();
    let (program, noted) = (home.path().join("program"), home.path().join("noted"));
    let other = home.path().join("other");
    noting(&program, &noted, "");
    noting(&other, &noted, "# other");
    let starts = || std::fs::read_to_string(&noted).unwrap().lines().count();
    let host = window(home.path()).await;
    let saved = stdio("s", program.to_str().unwrap(), &[]);
    let id = host.add_server(saved.clone()).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    // Once with a refused start in between, once without.
    for (round, is_refused_before) in [(1, true), (2, false)] {
        noting(&program, &noted, &format!("# evil {round}"));
        if is_refused_before {
            host.restart(id).await.unwrap();
            until_state(&host, id, StateName::Changed).await;
        }
        let args = vec![format!("--round={round}")];
        host.update_server(id, NewServer { args: args.clone(), ..saved.clone() }).await.unwrap();
        until(&host, id, "refused", |view| {
            view.config.args == args && view.connection.state == StateName::Changed
        })
        .await;
        assert_eq!(starts(), round, "{round}");
        let definition = host.trust(id).await.unwrap().definition;
        assert_eq!(definition.state, PinState::Changed, "{round}");
        let pointers: Vec<&str> = definition.changes.iter().map(|change| &*change.pointer).collect();
        assert_eq!(pointers, ["/programSha256"], "{round}");
        host.approve_trust(id, &[approval(&definition)]).await.unwrap();
        until(&host, id, "started", |view| {
            view.connection.state == StateName::Ready && starts() == round + 1
        })
        .await;
    }
    // The person may choose another program.
    let named = NewServer { command: Some(other.display().to_string()), ..saved };
    host.update_server(id, named).await.unwrap();
    until(&host, id, "started", |view| view.connection.state == StateName::Ready && starts() == 4).await;
    assert_eq!(host.trust(id).await.unwrap().definition.state, PinState::Approved);
    host.shutdown().await;
}

fn echo(description: &str) -> Value {
    let mut echo = answers::tool("echo");
    echo["description"] = json!(description);
    echo
}

fn listing(tool: &Value) -> HttpReply {
    HttpReply::Result(json!({ "tools": [tool] }))
}

#[cfg(unix)]
#[tokio::test]
async fn an_edit_that_was_refused_is_not_the_persons_word() {
    use mooring_definitions::NewServer;

    let home = tempfile::tempdir().unwrap();
    let (program, noted) = (home.path().join("program"), home.path().join("noted"));
    let host = window(home.path()).await;
    let taken = stdio("taken", home.path().join("absent").to_str().unwrap(), &[]);
    host.add_server(taken).await.unwrap();
    let saved = stdio("s", program.to_str().unwrap(), &["--quiet"]);
    let id = host.add_server(saved.clone()).await.unwrap().id;
    until_state(&host, id, StateName::Failed).await;
    let refused = NewServer { name: "taken".to_owned(), args: vec!["--loud".to_owned()], ..saved };
    assert_eq!(host.update_server(id, refused).await.unwrap_err().code().as_str(), "name_taken");
    // The program is installed, and it is the one that the person saved.
    noting(&program, &noted, "");
    host.start(id).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(host.trust(id).await.unwrap().definition.state, PinState::Approved);
    host.shutdown().await;
}

// Requirements: SEC-22.
#[tokio::test]
async fn overlong_definition_is_shown_with_its_text_and_hidden_parts() {
    let padded = |description: &str| {
        let mut echo = echo(description);
        echo["_meta"] = json!({"example.com/padding": "x".repeat(100_000)});
        echo
    };
    let script = HttpScript::json()
        .once("tools/list", listing(&padded("Says it.\u{e0041}")))
        .on("tools/list", listing(&padded("Says it secretly.")));
    let server = serve(script).await;
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    until(&host, id, "listed", |view| view.connection.tool_count.is_some()).await;
    let trust = host.trust(id).await.unwrap();
    let seen = pin(&trust, PinKind::Tool, "echo");
    assert!(seen.whole.is_some_and(|bytes| bytes > 100_000) && seen.now.contains("Says it."), "{seen:?}");
    assert_eq!((&*seen.hidden[0].pointer, &*seen.hidden[0].code_point), ("/description", "U+E0041"));
    approve_all(&host, id).await;
    host.tools(id, true).await.unwrap();
    let trust = host.trust(id).await.unwrap();
    let changed = pin(&trust, PinKind::Tool, "echo");
    assert_eq!(changed.state, PinState::Changed);
    let pointers: Vec<&str> = changed.changes.iter().map(|change| &*change.pointer).collect();
    assert_eq!((pointers, changed.unshown), (vec!["/description"], 0));
    assert_eq!(changed.hidden, []);
    host.shutdown().await;
}

/// A reply to a call that is preceded by a tools changed notification.
fn announcing() -> HttpReply {
    let word = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let answer = r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}"#;
    HttpReply::stream_text(&format!("data: {word}\n\ndata: {answer}\n\n"))
}

// Requirements: SEC-22, TOOL-24.
#[tokio::test]
async fn old_approval_is_void_between_list_changed_and_the_new_list() {
    for (then, by_gesture, by_others) in [
        // The tool has changed in the meantime.
        (listing(&echo("Says it secretly.")), "definition_changed", "definition_changed"),
        // The list can't be read, so it is unknown whether the tool changed.
        (HttpReply::Error { code: -32603, message: "no".to_owned() }, "ok", "denied"),
    ] {
        let script = HttpScript::json()
            .once("tools/list", listing(&echo("Says it.")))
            .on("tools/list", then)
            .once("tools/call", announcing());
        let server = serve(script).await;
        let home = tempfile::tempdir().unwrap();
        let host = window(home.path()).await;
        let id = approved(&host, &server.url).await;
        let rule = NewRule {
            effect: Decision::Allow,
            server: Some(id),
            tool: Some("echo".to_owned()),
            caller: None,
            destructive_only: false,
            arguments: Vec::new(),
            expires_ms: None,
        };
        host.save_rule(None, rule).await.unwrap();
        let made = async |caller| {
            let call = ToolCall { caller, ..call("echo", &json!({"text": "x"})) };
            match host.call_tool(id, call, ignore_events()).await {
                Ok(outcome) => outcome.status.as_str(),
                Err(error) => error.code().as_str(),
            }
        };
        assert_eq!(made(Caller::Sampling).await, "ok");
        // Called immediately, before the list arrives.
        assert_eq!(made(Caller::Sampling).await, by_others);
        assert_eq!(made(Caller::Workbench).await, by_gesture);
        let calls = server.methods().iter().filter(|method| *method == "tools/call").count();
        assert_eq!(calls, if by_gesture == "ok" { 2 } else { 1 });
        host.shutdown().await;
    }
}

// Requirements: PROM-05, SEC-22.
#[tokio::test]
async fn changed_prompt_is_not_filled_in_by_the_command_line() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let list = |description: &str| {
        ("prompts/list", json!({"prompts": [{"name": "plan", "description": description}]}))
    };
    let server = offering(vec![list("a"), list("b")]).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    listed(&host, id).await;
    approve_all(&host, id).await;
    host.shutdown().await;
    let host = open(home.path(), false).await;
    let target = Target::Saved { name: "s".to_owned() };
    let connection = host.connect(target, ConnectOptions::default()).await.unwrap();
    let get = PromptCall {
        request: None,
        prompt: "plan".to_owned(),
        arguments: None,
        caller: Caller::CommandLine,
        idle: None,
        total: None,
    };
    let refused = connection.get_prompt(get, ignore_events()).await.unwrap_err();
    assert_eq!(refused.code().as_str(), "definition_changed");
    assert!(!server.methods().iter().any(|method| method == "prompts/get"));
    connection.close().await;
    host.shutdown().await;
}

// Requirements: SEC-22.
#[tokio::test]
async fn changed_template_is_not_read_until_approved() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let list = |description: &str| {
        let template =
            json!({"uriTemplate": "harbour://{city}", "name": "berths", "description": description});
        ("resources/templates/list", json!({"resourceTemplates": [template]}))
    };
    let server = offering(vec![list("a"), list("b"), list("b")]).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    listed(&host, id).await;
    host.resources(id, true).await.unwrap();
    let read = |template: Option<&str>| ResourceRead {
        request: None,
        uri: "harbour://x".to_owned(),
        template: template.map(str::to_owned),
        caller: Caller::Workbench,
        idle: None,
        total: None,
    };
    let template = "harbour://{city}";
    let refused = host.read_resource(id, read(Some(template)), ignore_events()).await.unwrap_err();
    assert_eq!(refused.code().as_str(), "definition_changed");
    let readings = || server.methods().iter().filter(|method| *method == "resources/read").count();
    assert_eq!(readings(), 0);
    // The person may choose any URI.
    host.read_resource(id, read(None), ignore_events()).await.unwrap();
    let trust = host.trust(id).await.unwrap();
    host.approve_trust(id, &[approval(pin(&trust, PinKind::Template, template))]).await.unwrap();
    host.read_resource(id, read(Some(template)), ignore_events()).await.unwrap();
    assert_eq!(readings(), 2);
    host.shutdown().await;
}

// Requirements: SEC-22, TOOL-24, XMH-14.
#[tokio::test]
async fn header_mismatch_is_not_retried_on_a_changed_tool() {
    let annotated = |header: &str, description: &str| {
        HttpReply::Result(json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": [{
            "name": "x",
            "description": description,
            "inputSchema": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": header}}},
        }]}))
    };
    let discovered = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
        "ttlMs": 0, "cacheScope": "private",
    });
    let mismatch = RawReply::new(400)
        .header("content-type", "application/json")
        .text(r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32020,"message":"no"}}"#);
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", HttpReply::Result(discovered))
        .once("tools/list", annotated("Old", "Says it."))
        .on("tools/list", annotated("New", "Says it secretly."))
        .once("tools/call", mismatch.into())
        .on("tools/call", HttpReply::Result(json!({"resultType": "complete", "content": []})));
    let server = serve(script).await;
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = approved(&host, &server.url).await;
    let x = || call("x", &json!({"region": "eu"}));
    let outcome = host.call_tool(id, x(), ignore_events()).await.unwrap();
    let error = outcome.error.unwrap();
    assert_eq!((outcome.status, error.code.as_str()), (CallStatus::Failed, "not_resent"), "{error:?}");
    assert!(error.message.contains("the definition has changed: x"), "{error:?}");
    let calls = || server.requests().into_iter().filter(|request| request.rpc_method == "tools/call");
    assert_eq!(calls().count(), 1);
    // The host has received the new list.
    let trust = host.trust(id).await.unwrap();
    let changed = pin(&trust, PinKind::Tool, "x");
    assert_eq!(changed.state, PinState::Changed);
    host.approve_trust(id, &[approval(changed)]).await.unwrap();
    assert_eq!(host.call_tool(id, x(), ignore_events()).await.unwrap().status, CallStatus::Ok);
    assert_eq!(calls().next_back().unwrap().header("mcp-param-new"), Some("eu"));
    host.shutdown().await;
}

// Requirements: XMH-01, XMH-06, XMH-14.
#[tokio::test]
async fn an_unsaved_server_gets_the_headers_that_its_tools_want() {
    let tool = |name: &str, header: &str| {
        json!({"name": name, "inputSchema":
            {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": header}}}})
    };
    let tools = |header: &str| {
        let tools = [tool("x", header), tool("y", "no name")];
        HttpReply::Result(
            json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": tools}),
        )
    };
    let discovered = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
        "ttlMs": 0, "cacheScope": "private",
    });
    // Some SDKs check the headers first and respond without the id.
    let mismatch = RawReply::new(400)
        .header("content-type", "application/json")
        .text(r#"{"jsonrpc":"2.0","error":{"code":-32020,"message":"no"}}"#);
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", HttpReply::Result(discovered))
        .once("tools/list", tools("Old"))
        .on("tools/list", tools("New"))
        .once("tools/call", mismatch.into())
        .on("tools/call", HttpReply::Result(json!({"resultType": "complete", "content": []})));
    let server = serve(script).await;
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let target = Target::Url { url: server.url.clone(), headers: [].into() };
    let connection = host.connect(target, ConnectOptions::default()).await.unwrap();
    let made = async |tool: &str| {
        connection.call_tool(call(tool, &json!({"region": "eu"})), ignore_events()).await.unwrap()
    };
    let refused = made("y").await;
    assert!(refused.error.unwrap().message.contains("the tool isn’t offered"));
    assert_eq!(made("x").await.status, CallStatus::Ok);
    let calls = server.requests().into_iter().filter(|request| request.rpc_method == "tools/call");
    let [first, second] = &calls.collect::<Vec<_>>()[..] else { panic!("not two calls") };
    assert_eq!(first.header("mcp-param-old"), Some("eu"));
    assert_eq!(second.header("mcp-param-new"), Some("eu"));
    connection.close().await;
    host.shutdown().await;
}

// Requirements: SEC-22.
#[tokio::test]
async fn what_another_process_is_given_does_not_count_here() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let (good, bad) = ("Says what it is told.", "Says what it is secretly told.");
    let server = offering([good, bad, good, bad].map(echo_list).into()).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    listed(&host, id).await;
    let approved = approve_all(&host, id).await;
    let good = pin(&approved, PinKind::Tool, "echo").clone();
    host.tools(id, true).await.unwrap();
    let changed = pin(&host.trust(id).await.unwrap(), PinKind::Tool, "echo").clone();
    assert_eq!(changed.state, PinState::Changed);

    // The command line sees the server as it was approved.
    let other = open(home.path(), false).await;
    let target = Target::Saved { name: "s".to_owned() };
    let connection = other.connect(target, ConnectOptions::default()).await.unwrap();
    connection.tools(true).await.unwrap();
    for of in [&host, &other] {
        let now = of.trust(id).await.unwrap();
        assert_eq!(pin(&now, PinKind::Tool, "echo"), &changed);
        let refused = of.approve_trust(id, &[approval(&good)]).await.unwrap_err();
        assert_eq!(refused.code().as_str(), "definition_changed");
    }
    host.tools(id, true).await.unwrap();
    let refused = host.call_tool(id, call("echo", &json!({"text": "x"})), ignore_events()).await;
    assert_eq!(refused.unwrap_err().code().as_str(), "definition_changed");
    connection.close().await;
    other.shutdown().await;
    host.shutdown().await;
}

// Requirements: SEC-22.
#[tokio::test]
async fn a_stopped_server_is_approved_as_another_process_saw_it() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let tool = |name: &str, description: &str| {
        let mut tool = answers::tool(name);
        tool["description"] = json!(description);
        tool
    };
    let (before, after) = (tool("echo", "Says it."), tool("echo", "Says it secretly."));
    let seen = json!({"tools": [&after, tool("gone", "Is there once.")]});
    let last = ("tools/list", json!({"tools": [after]}));
    let lists = vec![("tools/list", json!({"tools": [before]})), ("tools/list", seen), last];
    let server = offering(lists).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    listed(&host, id).await;
    approve_all(&host, id).await;
    host.stop(id).await.unwrap();
    until_state(&host, id, StateName::Stopped).await;

    let other = open(home.path(), false).await;
    let target = Target::Saved { name: "s".to_owned() };
    let connection = other.connect(target, ConnectOptions::default()).await.unwrap();
    connection.tools(true).await.unwrap();
    connection.close().await;
    other.shutdown().await;
    let changed = pin(&host.trust(id).await.unwrap(), PinKind::Tool, "echo").clone();
    assert_eq!((changed.state, changed.changes.len()), (PinState::Changed, 1));
    let now = host.approve_trust(id, &[approval(&changed)]).await.unwrap();
    assert_eq!(pin(&now, PinKind::Tool, "echo").state, PinState::Approved);
    assert_eq!(pin(&now, PinKind::Tool, "gone").state, PinState::New);

    host.start(id).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    host.call_tool(id, call("echo", &json!({"text": "x"})), ignore_events()).await.unwrap();
    assert_eq!(pin(&host.trust(id).await.unwrap(), PinKind::Tool, "gone").state, PinState::Gone);
    host.shutdown().await;
}

// Requirements: SEC-07, SEC-22.
#[cfg(unix)]
#[tokio::test]
async fn what_another_process_approves_counts_here_too() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let server =
        offering(["Says what it is told.", "Says what it is secretly told."].map(echo_list).into()).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    listed(&host, id).await;
    approve_all(&host, id).await;
    host.tools(id, true).await.unwrap();
    let echo = async || host.call_tool(id, call("echo", &json!({"text": "x"})), ignore_events()).await;
    assert_eq!(echo().await.unwrap_err().code().as_str(), "definition_changed");
    let mut events = host.events();
    let other = open(home.path(), false).await;
    let trust = other.trust(id).await.unwrap();
    other.approve_trust(id, &[approval(pin(&trust, PinKind::Tool, "echo"))]).await.unwrap();
    let is_told = async { while events.recv().await.unwrap() != (HostEvent::TrustChanged { id }) {} };
    tokio::time::timeout(Duration::from_secs(30), is_told).await.unwrap();
    echo().await.unwrap();

    // A server that waits for approval of its own definition starts.
    let (place, noted) = (home.path().join("program"), home.path().join("noted"));
    noting(&place, &noted, "");
    let local = stdio("local", place.to_str().unwrap(), &[]);
    let local = host.add_server(local).await.unwrap().id;
    until_state(&host, local, StateName::Ready).await;
    noting(&place, &noted, "# a newer version");
    host.restart(local).await.unwrap();
    until_state(&host, local, StateName::Changed).await;
    other.shutdown().await;
    let other = open(home.path(), false).await;
    let definition = other.trust(local).await.unwrap().definition;
    other.approve_trust(local, &[approval(&definition)]).await.unwrap();
    until_state(&host, local, StateName::Ready).await;
    other.shutdown().await;
    host.shutdown().await;
}
