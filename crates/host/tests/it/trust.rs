//! Approvals of servers: later changes are blocked until the person has reviewed them.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use mooring_base::server_id::ServerId;
use mooring_calls::{CallStatus, ToolCall};
use mooring_connections::{ConnectOptions, Target};
use mooring_definitions::{NewServer, SavedServer};
use mooring_host::Host;
use mooring_policy::{Caller, DiffOp, PinApproval, PinKind, PinState, PinView, TrustView};
use mooring_server_state::{HostEvent, StateName};
use mooring_store::Store;
use mooring_testkit::answers;
use mooring_testkit::http::{HttpReply, HttpScript, HttpServer, serve};
use serde_json::{Map, Value, json};

use crate::support::{call, http, ignore_events, open, stdio, until, until_state, window};

pub(crate) fn approval(pin: &PinView) -> PinApproval {
    PinApproval { kind: pin.kind, name: pin.name.clone(), hash: pin.hash.clone() }
}

/// Adds the server at a URL, and approves what it lists.
pub(crate) async fn approved(host: &Host, url: &str) -> ServerId {
    let id = host.add_server(http("s", url)).await.unwrap().id;
    until(host, id, "listed", |view| view.connection.tool_count.is_some()).await;
    approve_all(host, id).await;
    id
}

pub(crate) async fn approve_all(host: &Host, id: ServerId) -> TrustView {
    let trust = host.trust(id).await.unwrap();
    let all: Vec<PinApproval> = trust
        .items
        .iter()
        .chain([&trust.definition])
        .filter(|pin| pin.state != PinState::Gone)
        .map(approval)
        .collect();
    host.approve_trust(id, &all).await.unwrap()
}

pub(crate) fn pin<'a>(trust: &'a TrustView, kind: PinKind, name: &str) -> &'a PinView {
    let found = trust.items.iter().find(|pin| pin.kind == kind && pin.name == name);
    found.unwrap_or_else(|| panic!("{name}: {trust:?}"))
}

/// A tool that uses every member of a definition.
fn full_tool() -> Value {
    json!({
        "name": "echo",
        "title": "Echo",
        "description": "Says what it was told. Nothing else.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "What to say", "maxLength": 100},
                "times": {"type": "integer", "minimum": 1, "default": 1},
                "tone": {"enum": ["calm", "loud"]},
            },
            "required": ["text"],
        },
        "outputSchema": {"type": "object", "properties": {"said": {"type": "string"}}},
        "annotations": {"title": "Echo", "readOnlyHint": true, "destructiveHint": false, "openWorldHint": false},
        "icons": [{"src": "https://example.com/icon.png", "mimeType": "image/png", "sizes": ["48x48"]}],
        "_meta": {"example.com/version": "1.2.3", "example.com/weight": 0.5},
    })
}

/// A deterministic pseudorandom number generator.
struct Random(u64);

impl Random {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// Every place in a value, as JSON pointers.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let place = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                found.push(place.clone());
                places(member, &place, found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                found.push(format!("{at}/{index}"));
                places(item, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// Makes one change in one place, but keeps the tool's name.
fn mutate(tool: &mut Value, dice: &mut Random) -> String {
    let mut all = Vec::new();
    places(tool, "", &mut all);
    all.retain(|place| place != "/name");
    let place = all[dice.roll(all.len())].clone();
    let extra = dice.roll(usize::MAX >> 40).to_string();
    let target = tool.pointer_mut(&place).unwrap();
    match target {
        Value::String(text) => match dice.roll(5) {
            0 => text.push(' '),
            1 => text.push('\u{200b}'),
            2 => text.insert(0, '\u{e0041}'),
            3 => *text = format!("{text}{extra}"),
            _ => drop(text.remove(0)),
        },
        Value::Number(number) => *target = json!(number.as_f64().unwrap() + 1.0),
        Value::Bool(flag) => *flag = !*flag,
        Value::Array(items) => {
            if dice.roll(2) == 0 || items.is_empty() {
                items.push(json!(extra));
            } else {
                items.remove(0);
            }
        }
        Value::Object(members) => drop(members.insert(format!("x{extra}"), json!(extra))),
        Value::Null => *target = json!(extra),
    }
    place
}

/// Reverses the member order of every object.
fn reordered(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let turned: Map<String, Value> =
                members.iter().rev().map(|(key, member)| (key.clone(), reordered(member))).collect();
            Value::Object(turned)
        }
        Value::Array(items) => Value::Array(items.iter().map(reordered).collect()),
        other => other.clone(),
    }
}

// Requirements: SEC-03, SEC-22, TOOL-24.
#[tokio::test]
async fn none_of_500_changes_of_an_approved_definition_can_be_called() {
    const CHANGES: usize = 500;
    let mut dice = Random(3);
    let tool = full_tool();
    let list = |tool: &Value| HttpReply::Result(json!({"tools": [tool]}));
    let mut script = HttpScript::json().once("tools/list", list(&tool));
    let mut changed = Vec::new();
    let mut seen = HashSet::from([tool.to_string()]);
    while changed.len() < CHANGES {
        let mut other = tool.clone();
        let place = mutate(&mut other, &mut dice);
        assert_ne!(other, tool, "{place}");
        if !seen.insert(other.to_string()) {
            continue;
        }
        script = script.once("tools/list", list(&other));
        changed.push(place);
    }
    script = script.once("tools/list", list(&reordered(&tool))).once("tools/list", list(&tool));
    let server = serve(script).await;
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = approved(&host, &server.url).await;
    let echo = || call("echo", &json!({"text": "x"}));
    let mut blocked = 0;
    for place in &changed {
        host.tools(id, true).await.unwrap();
        for caller in [Caller::Workbench, Caller::CommandLine, Caller::Sampling] {
            let refused = host.call_tool(id, ToolCall { caller, ..echo() }, ignore_events()).await;
            assert_eq!(refused.unwrap_err().code().as_str(), "definition_changed", "{place}");
        }
        blocked += 1;
    }
    assert!(!server.methods().iter().any(|method| method == "tools/call"));
    println!("{blocked} of {CHANGES} changes blocked");
    // The order does not matter, and reverting a change restores the approval.
    for _ in 0..2 {
        host.tools(id, true).await.unwrap();
        assert_eq!(pin(&host.trust(id).await.unwrap(), PinKind::Tool, "echo").state, PinState::Approved);
        host.call_tool(id, echo(), ignore_events()).await.unwrap();
    }
    host.shutdown().await;
}

/// A server that offers one item of each kind. It answers these methods with the given results in turn.
pub(crate) async fn offering(lists: Vec<(&str, Value)>) -> HttpServer {
    let mut opening = answers::initialize(None);
    opening["capabilities"] = json!({"tools": {}, "resources": {}, "prompts": {}});
    let templates = json!({"resourceTemplates": [{"uriTemplate": "harbour://{city}", "name": "berths"}]});
    let mut script = HttpScript::json()
        .on("initialize", HttpReply::Result(opening))
        .on("tools/list", HttpReply::Result(json!({"tools": [answers::tool("echo")]})))
        .on("resources/list", HttpReply::Result(json!({"resources": []})))
        .on("resources/templates/list", HttpReply::Result(templates))
        .on("prompts/list", HttpReply::Result(json!({"prompts": [{"name": "plan"}]})))
        .on("prompts/get", HttpReply::Result(json!({"messages": []})));
    for (method, list) in lists {
        script = script.once(method, HttpReply::Result(list));
    }
    serve(script).await
}

/// A list with a tool of this description.
pub(crate) fn echo_list(description: &str) -> (&'static str, Value) {
    let mut echo = answers::tool("echo");
    echo["description"] = json!(description);
    ("tools/list", json!({"tools": [echo]}))
}

async fn saved(host: &Host, server: &HttpServer) -> ServerId {
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    listed(host, id).await;
    id
}

pub(crate) async fn listed(host: &Host, id: ServerId) {
    until(host, id, "listed", |view| {
        let connection = &view.connection;
        connection.tool_count.is_some()
            && connection.resource_count.is_some()
            && connection.prompt_count.is_some()
    })
    .await;
}

// Requirements: SEC-22, TOOL-24.
#[tokio::test]
async fn offer_is_new_then_approved_then_changed_with_a_word_diff() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let lists = vec![echo_list("Says what it is told."), echo_list("Says what it is secretly told.\u{200b}")];
    let server = offering(lists).await;
    let id = saved(&host, &server).await;
    let trust = host.trust(id).await.unwrap();
    assert!(trust.items.iter().all(|pin| pin.state == PinState::New && pin.changes.is_empty()), "{trust:?}");
    let kinds: Vec<PinKind> = trust.items.iter().map(|pin| pin.kind).collect();
    assert!([PinKind::Tool, PinKind::Prompt, PinKind::Template].iter().all(|kind| kinds.contains(kind)));
    // The person added it through the form, so it is approved.
    assert_eq!(trust.definition.state, PinState::Approved, "{:?}", trust.definition);
    // A new tool runs after the person's click.
    let echo = || call("echo", &json!({"text": "x"}));
    host.call_tool(id, echo(), ignore_events()).await.unwrap();
    let mut events = host.events();
    let approved = approve_all(&host, id).await;
    assert!(approved.items.iter().all(|pin| pin.state == PinState::Approved && pin.approved_ms.is_some()));
    assert!(
        std::iter::from_fn(|| events.try_recv().ok()).any(|event| event == HostEvent::TrustChanged { id })
    );
    let seen = pin(&approved, PinKind::Tool, "echo").clone();
    host.tools(id, true).await.unwrap();
    let trust = host.trust(id).await.unwrap();
    assert_eq!(trust.items[0].name, "echo", "what changed comes first");
    let changed = pin(&trust, PinKind::Tool, "echo");
    assert_eq!((changed.state, changed.changes.len()), (PinState::Changed, 1), "{changed:?}");
    assert_eq!(changed.changes[0].pointer, "/description");
    let pieces = &changed.changes[0].pieces;
    assert!(
        pieces.iter().any(|piece| piece.op == DiffOp::Added && piece.text.contains("secretly")),
        "{pieces:?}"
    );
    assert!(pieces.iter().any(|piece| piece.op == DiffOp::Same && piece.text.contains("Says what it is")));
    assert_eq!(changed.hidden[0].code_point, "U+200B");
    assert_eq!(
        host.call_tool(id, echo(), ignore_events()).await.unwrap_err().code().as_str(),
        "definition_changed"
    );
    // Only what was on the screen is approved.
    let stale = host.approve_trust(id, &[approval(&seen)]).await.unwrap_err();
    assert_eq!(stale.code().as_str(), "definition_changed");
    // Undoing an approval restores the previous one, and it can be approved again.
    let counts = || host.server(id).unwrap().review;
    let before = counts();
    host.approve_trust(id, &[approval(changed)]).await.unwrap();
    assert_eq!((counts().changed, counts().approved), (before.changed - 1, before.approved + 1));
    // Also after other approvals.
    let others = host.trust(id).await.unwrap();
    let others: Vec<_> = others.items.iter().filter(|pin| pin.name != "echo").map(approval).collect();
    host.approve_trust(id, &others).await.unwrap();
    let undone = host.withdraw_trust(id, &[approval(changed)]).await.unwrap();
    assert_eq!((pin(&undone, PinKind::Tool, "echo"), counts().changed), (changed, before.changed));
    assert_eq!(
        host.call_tool(id, echo(), ignore_events()).await.unwrap_err().code().as_str(),
        "definition_changed"
    );
    let again = host.withdraw_trust(id, &[approval(changed)]).await.unwrap_err();
    assert_eq!(again.code().as_str(), "definition_changed", "there is nothing to undo any more");
    host.approve_trust(id, &[approval(changed)]).await.unwrap();
    host.call_tool(id, echo(), ignore_events()).await.unwrap();
    // It is remembered after a restart, even if the first list differs again.
    host.shutdown().await;
    let host = window(home.path()).await;
    listed(&host, id).await;
    assert_eq!(
        host.call_tool(id, echo(), ignore_events()).await.unwrap_err().code().as_str(),
        "definition_changed"
    );
    host.shutdown().await;
    // On the command line too.
    let host = open(home.path(), false).await;
    let target = Target::Saved { name: "s".to_owned() };
    let connection = host.connect(target, ConnectOptions::default()).await.unwrap();
    let typed = ToolCall { caller: Caller::CommandLine, ..echo() };
    assert_eq!(
        connection.call_tool(typed, ignore_events()).await.unwrap_err().code().as_str(),
        "definition_changed"
    );
    connection.close().await;
    host.shutdown().await;
}

/// Changes a saved server behind the application's back.
async fn tamper(home: &Path, id: ServerId, change: impl FnOnce(&mut NewServer)) {
    let store = Store::open(home).await.unwrap();
    let row = store.servers().list().await.unwrap().into_iter().find(|row| row.id == id.0).unwrap();
    let mut server = SavedServer::from(row).config;
    change(&mut server);
    let document = server.to_document().unwrap();
    store.servers().update(id.0, &server.name, &document, &|_| Ok(Vec::new()), None).await.unwrap();
    store.close().await;
}

/// A program that records that it was started, and then acts as the scripted server.
#[cfg(unix)]
pub(crate) fn noting(path: &Path, noted: &Path, more: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let server = mooring_testkit::scripted_server_path();
    let script =
        format!("#!/bin/sh\necho started >> '{}'\n{more}\nexec '{}' ok\n", noted.display(), server.display());
    std::fs::write(path, script).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

// Requirements: SEC-05, SEC-06, SEC-07, SEC-10.
#[cfg(unix)]
#[tokio::test]
async fn none_of_12_foreign_changes_of_a_server_is_started() {
    let home = tempfile::tempdir().unwrap();
    let (program, noted) = (home.path().join("program"), home.path().join("noted"));
    let (other, folder) = (home.path().join("other"), home.path().join("folder"));
    noting(&program, &noted, "");
    noting(&other, &noted, "# other");
    std::fs::create_dir(&folder).unwrap();
    let saved = NewServer {
        env: BTreeMap::from([("TONE".to_owned(), "calm".to_owned())]),
        ..stdio("s", program.to_str().unwrap(), &["--quiet", "x"])
    };
    let host = window(home.path()).await;
    let id = host.add_server(saved.clone()).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    host.shutdown().await;
    let starts = || std::fs::read_to_string(&noted).unwrap().lines().count();
    assert_eq!(starts(), 1);

    type Change<'a> = Box<dyn Fn(&mut NewServer) + 'a>;
    let stay: fn(&mut NewServer) = |_| {};
    let changes: Vec<(&str, Change<'_>)> = vec![
        ("another program", Box::new(|server| server.command = Some(other.display().to_string()))),
        ("an argument more", Box::new(|server| server.args.push("--evil".to_owned()))),
        ("an argument less", Box::new(|server| drop(server.args.pop()))),
        ("another argument", Box::new(|server| server.args[1] = "y".to_owned())),
        ("arguments turned round", Box::new(|server| server.args.reverse())),
        ("another value", Box::new(|server| drop(server.env.insert("TONE".to_owned(), "loud".to_owned())))),
        (
            "a variable more",
            Box::new(|server| drop(server.env.insert("LD_PRELOAD".to_owned(), "x".to_owned()))),
        ),
        ("a variable less", Box::new(|server| server.env.clear())),
        (
            "another variable",
            Box::new(|server| {
                server.env = BTreeMap::from([("TUNE".to_owned(), "calm".to_owned())]);
            }),
        ),
        ("another folder", Box::new(|server| server.cwd = Some(folder.display().to_string()))),
        ("another file in its place", Box::new(stay)),
        ("a link in its place", Box::new(stay)),
    ];
    assert_eq!(changes.len(), 12);
    let mut blocked = 0;
    for (what, change) in &changes {
        tamper(home.path(), id, change).await;
        match *what {
            "another file in its place" => noting(&program, &noted, "# evil"),
            "a link in its place" => {
                std::fs::remove_file(&program).unwrap();
                std::os::unix::fs::symlink(&other, &program).unwrap();
            }
            _ => {}
        }
        let host = window(home.path()).await;
        let view = until_state(&host, id, StateName::Changed).await;
        assert_eq!(view.connection.failure.unwrap().code.as_str(), "definition_changed", "{what}");
        let definition = host.trust(id).await.unwrap().definition;
        assert_eq!(definition.state, PinState::Changed, "{what}");
        assert!(!definition.changes.is_empty(), "{what}");
        // The person can't start it manually either.
        host.start(id).await.unwrap();
        until_state(&host, id, StateName::Changed).await;
        host.shutdown().await;
        assert_eq!(starts(), 1, "{what}");
        blocked += 1;
        tamper(home.path(), id, |server| {
            server.command.clone_from(&saved.command);
            server.args.clone_from(&saved.args);
            server.env.clone_from(&saved.env);
            server.cwd = None;
        })
        .await;
        let _link = std::fs::remove_file(&program);
        noting(&program, &noted, "");
    }
    println!("{blocked} of {} changes of a server blocked", changes.len());
    // Unchanged, it starts. The person may change it in the form.
    let host = window(home.path()).await;
    until_state(&host, id, StateName::Ready).await;
    let edited = NewServer { args: vec!["--loud".to_owned()], ..saved };
    host.update_server(id, edited).await.unwrap();
    until(&host, id, "started anew", |view| view.connection.state == StateName::Ready && starts() == 3).await;
    assert_eq!(host.trust(id).await.unwrap().definition.state, PinState::Approved);
    host.shutdown().await;
    // A change that the person approves starts.
    noting(&program, &noted, "# a newer version");
    let host = window(home.path()).await;
    until_state(&host, id, StateName::Changed).await;
    let definition = host.trust(id).await.unwrap().definition;
    host.approve_trust(id, &[approval(&definition)]).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(starts(), 4);
    host.shutdown().await;
}

// Requirements: SEC-07, SEC-22, TOOL-24.
#[tokio::test]
async fn tool_changed_together_with_its_server_stays_blocked() {
    let mut echo = answers::tool("echo");
    let before =
        serve(HttpScript::json().on("tools/list", HttpReply::Result(json!({"tools": [echo]})))).await;
    echo["description"] = json!("Says what it is secretly told.");
    let same = answers::tool("same");
    let lists = json!({"tools": [echo, same]});
    let after = serve(HttpScript::json().on("tools/list", HttpReply::Result(lists))).await;
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(http("s", &before.url)).await.unwrap().id;
    until(&host, id, "listed", |view| view.connection.tool_count.is_some()).await;
    approve_all(&host, id).await;
    host.shutdown().await;
    // Before the first read, neither the refused start nor the person's edit may count as complete knowledge
    // of the server.
    for edits in [false, true] {
        tamper(home.path(), id, |server| server.url = Some(after.url.clone())).await;
        let host = window(home.path()).await;
        until_state(&host, id, StateName::Changed).await;
        if edits {
            let headers = BTreeMap::from([("X-Tone".to_owned(), "calm".to_owned())]);
            host.update_server(id, NewServer { headers, ..http("s", &after.url) }).await.unwrap();
        } else {
            let definition = host.trust(id).await.unwrap().definition;
            host.approve_trust(id, &[approval(&definition)]).await.unwrap();
        }
        let view = until(&host, id, "listed", |view| view.connection.tool_count == Some(2)).await;
        assert!(view.changed, "{edits}");
        assert_eq!(pin(&host.trust(id).await.unwrap(), PinKind::Tool, "echo").state, PinState::Changed);
        for caller in [Caller::Workbench, Caller::CommandLine, Caller::Sampling] {
            let echo = ToolCall { caller, ..call("echo", &json!({"text": "x"})) };
            let refused = host.call_tool(id, echo, ignore_events()).await;
            assert_eq!(refused.unwrap_err().code().as_str(), "definition_changed", "{edits}");
        }
        host.shutdown().await;
        tamper(home.path(), id, |server| server.url = Some(before.url.clone())).await;
        let host = window(home.path()).await;
        until_state(&host, id, StateName::Changed).await;
        let definition = host.trust(id).await.unwrap().definition;
        host.approve_trust(id, &[approval(&definition)]).await.unwrap();
        until_state(&host, id, StateName::Ready).await;
        host.shutdown().await;
    }
    assert!(!after.methods().iter().any(|method| method == "tools/call"));
}

// Requirements: SEC-07.
#[tokio::test]
async fn url_or_header_changed_by_someone_else_is_not_contacted() {
    let (right, wrong) = (serve(HttpScript::json()).await, serve(HttpScript::json()).await);
    let home = tempfile::tempdir().unwrap();
    let headers = BTreeMap::from([("X-Tone".to_owned(), "calm".to_owned())]);
    let host = window(home.path()).await;
    let id = host.add_server(NewServer { headers, ..http("s", &right.url) }).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    // The running window also notices a change of the definition.
    tamper(home.path(), id, |server| server.url = Some(wrong.url.clone())).await;
    until_state(&host, id, StateName::Changed).await;
    assert!(wrong.requests().is_empty());
    let definition = host.trust(id).await.unwrap().definition;
    assert_eq!(definition.changes[0].pointer, "/url");
    assert!(!definition.now.contains("calm"), "a header's value: {}", definition.now);
    tamper(home.path(), id, |server| {
        server.url = Some(right.url.clone());
        server.headers.insert("X-Tone".to_owned(), "loud".to_owned());
    })
    .await;
    until(&host, id, "not started", |view| view.config.headers["X-Tone"] == "loud").await;
    until_state(&host, id, StateName::Changed).await;
    tamper(home.path(), id, |server| drop(server.headers.insert("X-Tone".to_owned(), "calm".to_owned())))
        .await;
    until_state(&host, id, StateName::Ready).await;
    assert!(wrong.requests().is_empty());
    host.shutdown().await;
}

// Requirements: SEC-22.
#[tokio::test]
async fn changed_prompt_is_blocked_and_a_removed_one_is_remembered() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let list = |prompts: Value| ("prompts/list", json!({ "prompts": prompts }));
    let lists = vec![
        list(json!([{"name": "plan", "description": "a"}, {"name": "bare"}])),
        list(json!([{"name": "bare"}])),
        list(json!([{"name": "plan", "description": "b"}, {"name": "bare"}])),
    ];
    let server = offering(lists).await;
    let id = saved(&host, &server).await;
    let get = |prompt: &str| mooring_calls::PromptCall {
        request: None,
        prompt: prompt.to_owned(),
        arguments: None,
        caller: Caller::Workbench,
        idle: None,
        total: None,
    };
    host.prompts(id, true).await.unwrap();
    assert_eq!(pin(&host.trust(id).await.unwrap(), PinKind::Prompt, "plan").state, PinState::Gone);
    // Removing an item does not make it new when it returns.
    host.prompts(id, true).await.unwrap();
    assert_eq!(pin(&host.trust(id).await.unwrap(), PinKind::Prompt, "plan").state, PinState::Changed);
    let refused = host.get_prompt(id, get("plan"), ignore_events()).await.unwrap_err();
    assert_eq!(refused.code().as_str(), "definition_changed");
    assert_eq!(host.get_prompt(id, get("bare"), ignore_events()).await.unwrap().status, CallStatus::Ok);
    host.shutdown().await;
}

// Requirements: SEC-22, TOOL-24.
#[tokio::test]
async fn a_tool_that_is_only_called_is_known_from_its_first_call() {
    let home = tempfile::tempdir().unwrap();
    let mut other = answers::tool("echo");
    other["description"] = json!("Echoes, and more.");
    let server = offering(vec![
        ("tools/list", json!({"tools": [answers::tool("echo")]})),
        ("tools/list", json!({"tools": [other]})),
    ])
    .await;
    let host = open(home.path(), false).await;
    host.add_server(http("s", &server.url)).await.unwrap();
    let command = async || {
        let target = Target::Saved { name: "s".to_owned() };
        let connection = host.connect(target, ConnectOptions::default()).await.unwrap();
        let call = ToolCall { caller: Caller::CommandLine, ..call("echo", &json!({"text": "x"})) };
        let called = connection.call_tool(call, ignore_events()).await;
        connection.close().await;
        called
    };
    command().await.unwrap();
    assert_eq!(command().await.unwrap_err().code().as_str(), "definition_changed");
    assert_eq!(server.methods().iter().filter(|method| *method == "tools/call").count(), 1);
    host.shutdown().await;
}
