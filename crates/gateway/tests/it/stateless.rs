//! Stateless requests (protocol version 2026-07-28), at the bridge.

use std::time::Duration;

use mooring_inbox::{InteractionAnswer, Remember};
use mooring_log::LogQuery;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{App, LIMIT, Scene, answer, initialize, standing_alone};

fn form() -> Value {
    json!({
        "message": "Who are you?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}, "password": {"type": "string"}}},
    })
}

fn ask(method: &str, params: &Value) -> Value {
    json!({"name": "ask", "arguments": {"method": method, "params": params}})
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

/// The parameters of the next round, with these answers.
fn next_round(params: &Value, asked: &Value, responses: Value) -> Value {
    let mut params = params.clone();
    params["requestState"] = asked["result"]["requestState"].clone();
    params["inputResponses"] = responses;
    params
}

/// The only question of a round, with its key.
fn question(asked: &Value) -> (String, Value) {
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let requests = asked["result"]["inputRequests"].as_object().unwrap();
    assert_eq!(requests.len(), 1, "{asked}");
    let (key, request) = requests.iter().next().unwrap();
    (key.clone(), request.clone())
}

#[tokio::test]
async fn a_request_that_stands_alone_needs_no_handshake() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.connect("Editor", Some("s"));
    let mut all = scene.connect("All", None);
    let nothing = json!({});
    let found = app.alone(1, "server/discover", json!({}), &nothing).await;
    let result = &found["result"];
    assert_eq!(result["supportedVersions"][0], "2026-07-28", "{found}");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mooring");
    for (method, member) in [
        ("server/discover", "capabilities"),
        ("tools/list", "tools"),
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        let listed = all.alone(2, method, json!({}), &nothing).await["result"].clone();
        assert!(!listed[member].is_null(), "{listed}");
        let hints = (&listed["resultType"], &listed["ttlMs"], &listed["cacheScope"]);
        assert_eq!(hints, (&json!("complete"), &json!(0), &json!("private")), "{method}");
    }
    let called =
        app.alone(3, "tools/call", json!({"name": "echo", "arguments": {"text": "x"}}), &nothing).await;
    assert_eq!((text(&called), &called["result"]["resultType"]), ("x", &json!("complete")));
    let removed = ["initialize", "ping", "logging/setLevel", "resources/subscribe", "unknown/method"];
    for method in removed {
        let refused = app.alone(4, method, json!({}), &nothing).await;
        assert_eq!(refused["error"]["code"], -32601, "{method}: {refused}");
    }
    let missing = all.alone(5, "resources/read", json!({"uri": "file:///none"}), &nothing).await;
    assert_eq!(missing["error"]["code"], -32602, "{missing}");

    // This connection can also have a session.
    let opened = app.request(6, "initialize", initialize("2025-06-18")).await;
    assert_eq!(opened["result"]["protocolVersion"], "2025-06-18");
    let listed = app.request(7, "tools/list", json!({})).await;
    assert_eq!(listed["result"]["resultType"], Value::Null, "{listed}");
    scene.close().await;
}

#[tokio::test]
async fn what_a_request_does_not_say_of_itself_is_refused() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.connect("Editor", Some("s"));
    let version = "io.modelcontextprotocol/protocolVersion";
    let able = "io.modelcontextprotocol/clientCapabilities";
    let level = "io.modelcontextprotocol/logLevel";
    for (meta, code) in [
        (json!({version: "2026-07-28"}), -32602),
        (json!({version: "2026-07-28", able: 7}), -32602),
        (json!({version: "2026-07-28", able: {}, level: "loud"}), -32602),
        (json!({version: 7, able: {}}), -32022),
        (json!({version: "1900-01-01", able: {}}), -32022),
        (json!({version: "2025-11-25", able: {}}), -32022),
    ] {
        let refused = app.request(1, "tools/list", json!({"_meta": meta})).await;
        assert_eq!(refused["error"]["code"], code, "{meta}: {refused}");
    }
    let refused = app.request(2, "tools/list", json!({"_meta": {version: "v9", able: {}}})).await;
    assert_eq!(refused["error"]["data"]["requested"], "v9");
    assert_eq!(refused["error"]["data"]["supported"].as_array().unwrap().len(), 5);
    scene.close().await;
}

#[tokio::test]
async fn a_call_that_its_app_forgets_hinders_no_later_one() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.connect("Editor", Some("s"));
    let able = json!({"elicitation": {}});
    let call = ask("elicitation/create", &form());
    // More questions than a server may have open.
    let mut forgotten = Vec::new();
    for id in 1..=12 {
        let asked = app.alone(id, "tools/call", call.clone(), &able).await;
        question(&asked);
        forgotten.push(asked);
    }
    let (oldest, newest) = (&forgotten[0], &forgotten[11]);
    let decline = |asked: &Value| next_round(&call, asked, json!({question(asked).0: {"action": "decline"}}));
    let late = app.alone(20, "tools/call", decline(oldest), &able).await;
    assert_eq!(late["error"]["code"], -32602, "{late}");
    let declined = app.alone(21, "tools/call", decline(newest), &able).await;
    assert!(text(&declined).contains("decline"), "{declined}");
    scene.close().await;
}

#[tokio::test]
async fn what_a_server_with_a_session_asks_becomes_a_round() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.connect("Editor", Some("s"));
    let able = json!({"elicitation": {}});
    let call = ask("elicitation/create", &form());
    let asked = app.alone(1, "tools/call", call.clone(), &able).await;
    let (key, request) = question(&asked);
    assert_eq!((&request["method"], &request["params"]), (&json!("elicitation/create"), &form()));

    // An unanswered question is asked again with another state. An answer to an unknown question is ignored.
    let nothing = next_round(&call, &asked, json!({"other": {"action": "accept"}}));
    let again = app.alone(2, "tools/call", nothing.clone(), &able).await;
    assert_eq!(question(&again), (key.clone(), request));
    let entered =
        json!({"action": "accept", "content": {"name": "Ada", "password": "correct horse battery"}});
    let good = next_round(&call, &again, json!({key: entered}));

    // A state is refused if it was used, was changed, or belongs to another request.
    let mut changed = good.clone();
    changed["requestState"] = json!(format!("{}x", good["requestState"].as_str().unwrap()));
    let mut other = good.clone();
    other["arguments"] = json!({"method": "ping"});
    let mut odd = good.clone();
    odd["inputResponses"] = json!([]);
    for refused in [nothing, changed, other, odd] {
        let refused = app.alone(3, "tools/call", refused, &able).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let mut thief = scene.connect("Other", Some("s"));
    let refused = thief.alone(4, "tools/call", good.clone(), &able).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");

    let called = app.alone(5, "tools/call", good, &able).await;
    let heard: Value = serde_json::from_str(text(&called)).unwrap();
    assert_eq!((&heard["result"], &called["result"]["resultType"]), (&entered, &json!("complete")));
    // Both rounds are one call with one verdict, and secrets that were entered aren't in the log.
    assert_eq!(scene.verdicts("caller").await, ["app:Editor"]);
    let bodies = scene.log_bodies(&LogQuery { limit: 1_000, ..LogQuery::default() }).await.join("\n");
    assert!(bodies.contains("Ada") && !bodies.contains("battery"), "{bodies}");
    scene.close().await;
}

#[tokio::test]
async fn a_round_asks_only_what_the_app_can_answer() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.connect("Editor", Some("s"));
    let call = standing_alone(ask("elicitation/create", &form()), &json!({"sampling": {}}));
    app.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})).await;
    answer(&scene.host, InteractionAnswer::Decline { remember: Remember::Once }).await;
    let called = app.answer(1).await;
    assert!(text(&called).contains("decline"), "{called}");
    // All apps share a server with a session, so the user grants its roots.
    let roots = ask("roots/list", &json!({}));
    let called = app.alone(2, "tools/call", roots, &json!({"roots": {}})).await;
    assert!(text(&called).contains(r#""roots":[]"#), "{called}");
    scene.close().await;
}

#[tokio::test]
async fn a_server_of_the_same_era_asks_the_app_too() {
    let mut scene = Scene::open().await;
    scene.add_demo("demo").await;
    scene.allow_all().await;
    let mut app = scene.connect("Editor", Some("demo"));
    // The host has no models, but the app has one, so the server may ask for sampling during the app's calls.
    let able = json!({"roots": {}, "sampling": {}, "elicitation": {"form": {}}});
    let folders = json!({"name": "list_folders", "arguments": {}});
    let asked = app.alone(1, "tools/call", folders.clone(), &able).await;
    let (key, request) = question(&asked);
    assert_eq!(request["method"], "roots/list");
    let roots = json!({"roots": [{"uri": "file:///of-the-app"}]});
    let called = app.alone(2, "tools/call", next_round(&folders, &asked, json!({key: roots})), &able).await;
    assert!(text(&called).contains("of-the-app"), "{called}");

    // Several questions at once are one round.
    let several = json!({"name": "ask_at_once", "arguments": {"forms": 3}});
    let asked = app.alone(3, "tools/call", several.clone(), &able).await;
    let keys: Vec<String> = asked["result"]["inputRequests"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys.len(), 3, "{asked}");
    let responses: Value = keys.iter().map(|key| (key.clone(), json!({"action": "decline"}))).collect();
    let called = app.alone(4, "tools/call", next_round(&several, &asked, responses), &able).await;
    assert_eq!(called["result"]["resultType"], "complete", "{called}");

    // An app with a session is asked in the same way as by any server.
    let mut session = scene.initialized_with("Other", Some("demo"), json!({"roots": {}})).await;
    session.call(1, "list_folders", json!({})).await;
    let request = session.notification("roots/list").await;
    session.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": roots})).await;
    let called = session.answer(1).await;
    assert!(text(&called).contains("of-the-app"), "{called}");
    assert_eq!(called["result"]["resultType"], Value::Null, "{called}");
    scene.close().await;
}

/// Opens a subscription, and returns the filter that was accepted.
async fn listen(app: &mut App, id: u32, filter: Value) -> Value {
    let params = standing_alone(json!({"notifications": filter}), &json!({}));
    app.send(&json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params})).await;
    let first = app.receive().await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    assert_eq!(first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    first["params"]["notifications"].clone()
}

#[tokio::test]
async fn changes_are_told_as_far_as_they_are_wanted() {
    let (mut scene, id) = Scene::with_open_server("s").await;
    let mut tools = scene.connect("Tools", Some("s"));
    let mut prompts = scene.connect("Prompts", Some("s"));
    assert_eq!(
        listen(&mut tools, 1, json!({"toolsListChanged": true, "resourceSubscriptions": ["none:/"]})).await,
        json!({"toolsListChanged": true})
    );
    assert_eq!(listen(&mut prompts, 2, json!({})).await, json!({}));
    scene.host.stop(id).await.unwrap();
    let told = tools.receive().await;
    assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1);
    // A cancelled subscription gets no more notifications and no answer. The other one asked for none.
    tools
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    assert_eq!(tools.alone(3, "tools/list", json!({}), &json!({})).await["result"]["tools"], json!([]));
    scene.host.start(id).await.unwrap();
    for app in [&mut tools, &mut prompts] {
        let listed = app.alone(4, "tools/list", json!({}), &json!({})).await;
        assert!(listed["result"]["tools"].is_array(), "{listed}");
    }
    scene.close().await;
}

#[tokio::test]
async fn a_followed_resource_is_told_of_until_all_have_left_it() {
    let mut scene = Scene::open().await;
    let id = scene.add_harbour("harbour").await;
    scene.allow_all().await;
    let berths = "harbour://berths";
    let mut one = scene.connect("One", Some("harbour"));
    let agreed = listen(&mut one, 1, json!({"resourceSubscriptions": [berths]})).await;
    assert_eq!(agreed, json!({"resourceSubscriptions": [berths]}));
    let mut other = scene.initialized("Other", Some("harbour")).await;
    assert_eq!(other.request(1, "resources/subscribe", json!({"uri": berths})).await["result"], json!({}));
    // A subscription includes the resources inside.
    let updated = |uri: &str| json!({"method": "notifications/resources/updated", "params": {"uri": uri}});
    for (id, uri) in [(2, berths), (3, "harbour://berths/7")] {
        other.call(id, "notify", updated(uri)).await;
        for app in [&mut one, &mut other] {
            let told = app.notification("notifications/resources/updated").await;
            assert_eq!(told["params"]["uri"], uri, "{told}");
        }
    }
    let ends = LogQuery {
        method: Some("resources/unsubscribe".to_owned()),
        server_id: Some(id.0),
        limit: 10,
        ..LogQuery::default()
    };
    one.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    assert!(one.alone(2, "tools/list", json!({}), &json!({})).await["result"]["tools"].is_array());
    // The other app still gets updates.
    other.call(4, "notify", updated(berths)).await;
    assert_eq!(other.notification("notifications/resources/updated").await["params"]["uri"], berths);
    assert_eq!(scene.log_bodies(&ends).await, [] as [String; 0]);
    drop(other);
    let left = async {
        while scene.log_bodies(&ends).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LIMIT, left).await.expect("it is still followed");
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_app_that_leaves_takes_no_resource_from_one_that_comes() {
    let mut scene = Scene::open().await;
    let id = scene.add_harbour("harbour").await;
    scene.allow_all().await;
    let uri = "harbour://berths";
    let updated = json!({"method": "notifications/resources/updated", "params": {"uri": uri}});
    let (host, server_id) = (scene.host.clone(), Some(id.0));
    // The last request to the server shows whether it has a subscription.
    let newest = async |method: &str| {
        host.flush_log().await;
        let asked = LogQuery { method: Some(method.to_owned()), server_id, limit: 1, ..LogQuery::default() };
        host.log_page(&asked).await.unwrap().first().map(|row| row.id)
    };
    let is_followed = async || newest("resources/subscribe").await > newest("resources/unsubscribe").await;
    let mut one = scene.initialized("One", Some("harbour")).await;
    let mut two = scene.initialized("Two", Some("harbour")).await;
    let mut third = scene.initialized("Third", Some("harbour")).await;
    one.request(1, "resources/subscribe", json!({"uri": uri})).await;
    for round in 0..20 {
        let (leaves, comes) = if round % 2 == 0 { (&mut one, &mut two) } else { (&mut two, &mut one) };
        // Send both at the same time.
        for (app, method) in [(&mut *leaves, "resources/unsubscribe"), (&mut *comes, "resources/subscribe")] {
            app.send(&json!({"jsonrpc": "2.0", "id": 2, "method": method, "params": {"uri": uri}})).await;
        }
        for app in [&mut *leaves, &mut *comes] {
            assert_eq!(app.answer(2).await["result"], json!({}), "{round}");
        }
        third.call(3, "notify", updated.clone()).await;
        comes.notification("notifications/resources/updated").await;
        third.answer(3).await;
    }
    one.request(4, "resources/unsubscribe", json!({"uri": uri})).await;
    assert!(!is_followed().await);
    // Both at once: when both have unsubscribed, no subscription is left.
    for round in 0..20 {
        let mut both = [&mut one, &mut two];
        for method in ["resources/subscribe", "resources/unsubscribe"] {
            for app in &mut both {
                app.send(&json!({"jsonrpc": "2.0", "id": 5, "method": method, "params": {"uri": uri}})).await;
            }
            for app in &mut both {
                assert_eq!(app.answer(5).await["result"], json!({}), "{round}");
            }
        }
        assert!(!is_followed().await, "{round}");
    }
    scene.close().await;
}

#[tokio::test]
async fn log_messages_come_only_with_a_level() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.connect("Editor", Some("s"));
    let level = "io.modelcontextprotocol/logLevel";
    for (wanted, level_of_message, comes) in
        [(None, "emergency", false), (Some("error"), "info", false), (Some("error"), "alert", true)]
    {
        let mut call = json!({"name": "log", "arguments": {"level": level_of_message}, "_meta": {}});
        if let Some(wanted) = wanted {
            call["_meta"][level] = json!(wanted);
        }
        let params = standing_alone(call, &json!({}));
        app.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).await;
        let first = app.receive().await;
        assert_eq!(first["method"] == "notifications/message", comes, "{wanted:?}: {first}");
        if comes {
            assert_eq!(first["params"]["level"], level_of_message);
            app.answer(1).await;
        }
    }
    let call = json!({"name": "progress", "arguments": {"steps": 2}, "_meta": {"progressToken": "p"}});
    let params = standing_alone(call, &json!({}));
    app.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})).await;
    for step in 1..=2 {
        let told = app.receive().await;
        let parts = (&told["params"]["progressToken"], &told["params"]["progress"]);
        assert_eq!(parts, (&json!("p"), &json!(step)), "{told}");
    }
    assert_eq!(app.receive().await["result"]["resultType"], "complete");
    scene.close().await;
}
