//! Messages of apps in the log.

use std::time::Duration;

use mooring_log::{Direction, LogEntry, LogKind, LogQuery, LogStatus};
use mooring_settings::Settings;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

use crate::http_app::json_of;
use crate::support::{LIMIT, Scene, standing_alone};

const SECRET: &str = "canary-b8f1d5c2e6";

impl Scene {
    /// Rows of the log with their bodies, oldest first.
    async fn rows(&self, query: LogQuery) -> Vec<LogEntry> {
        self.host.flush_log().await;
        let page = self.host.log_page(&LogQuery { limit: 1_000, ..query }).await.unwrap();
        let ids: Vec<i64> = page.iter().map(|row| row.id).collect();
        self.host.log_entries(&ids).await.unwrap()
    }

    /// All rows of an app, and of what it caused.
    async fn rows_of(&self, app: &str) -> Vec<LogEntry> {
        self.rows(LogQuery { app: Some(app.to_owned()), ..LogQuery::default() }).await
    }

    /// All rows of an app's only call of a tool. `tool` is the name that the app uses.
    async fn call_of(&self, app: &str, tool: &str) -> Vec<LogEntry> {
        let rows = self.rows_of(app).await;
        let is_call = |entry: &&LogEntry| {
            entry.row.direction == Direction::FromApp && entry.row.subject.as_deref() == Some(tool)
        };
        let call = rows.iter().find(is_call).unwrap_or_else(|| panic!("{rows:?}")).row.call;
        assert!(call.is_some(), "{rows:?}");
        self.rows(LogQuery { call, ..LogQuery::default() }).await
    }
}

/// The rows in short: direction, method, subject and status.
fn said(rows: &[LogEntry]) -> Vec<String> {
    let say = |entry: &LogEntry| {
        let row = &entry.row;
        let way = match (row.kind, row.direction) {
            (LogKind::Verdict, _) => "verdict",
            (_, Direction::FromApp) => "app→",
            (_, Direction::ToApp) => "→app",
            (_, Direction::Out) => "→server",
            (_, Direction::In) => "server→",
            (_, Direction::None) => "other",
        };
        let status = match row.status {
            LogStatus::None => "",
            LogStatus::Ok => " ok",
            LogStatus::Error => " error",
            LogStatus::Cancelled => " cancelled",
            LogStatus::TimedOut => " timed out",
        };
        let (method, subject) = (row.method.as_deref().unwrap_or("-"), row.subject.as_deref());
        format!("{way} {method} {}{status}", subject.unwrap_or("-"))
    };
    rows.iter().map(say).collect()
}

fn body(entry: &LogEntry) -> Value {
    serde_json::from_str(&entry.text()).unwrap_or_else(|error| panic!("{error}: {}", entry.text()))
}

#[tokio::test]
async fn a_call_is_found_at_the_app_and_at_the_server() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized("Editor", None).await;
    let mut other = scene.initialized("Other", None).await;
    let call =
        json!({"name": "s__progress", "arguments": {"steps": 1}, "_meta": {"progressToken": "my token"}});
    let params = format!(r#"{{"jsonrpc":"2.0", "id":"seven","method":"tools/call","params":{call}}}"#);
    app.send_text(&params).await;
    app.notification("notifications/progress").await;
    while app.receive().await["id"] != "seven" {}
    other.request(7, "tools/call", json!({"name": "s__echo", "arguments": {"text": "x"}})).await;

    let rows = scene.call_of("Editor", "s__progress").await;
    assert!(rows.iter().all(|entry| entry.row.app.as_deref() == Some("Editor")));
    // The rows of each side are in order. Between the sides, only cause and effect are.
    let is_front = |entry: &LogEntry| matches!(entry.row.direction, Direction::FromApp | Direction::ToApp);
    let (front, back): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_front);
    assert_eq!(
        said(&front),
        ["app→ tools/call s__progress", "→app notifications/progress -", "→app tools/call s__progress ok"]
    );
    assert_eq!(
        said(&back),
        [
            "verdict tools/call progress ok",
            "→server tools/call progress",
            "server→ notifications/progress -",
            "server→ tools/call progress ok",
        ]
    );
    // The log has the exact bytes from the app, and also what the server received.
    assert_eq!(front[0].text(), params);
    let (sent, got) = (body(&front[0]), body(&back[1]));
    assert_eq!(got["params"]["name"], "progress");
    assert_eq!(got["params"]["arguments"], sent["params"]["arguments"]);
    assert_ne!(got["params"]["_meta"]["progressToken"], "my token");
    let (answer, result) = (&front[2], &back[3]);
    assert_eq!((&body(answer)["id"], answer.row.rpc_id.as_deref()), (&json!("seven"), Some("\"seven\"")));
    assert_eq!(body(answer)["result"], body(result)["result"]);
    assert!(answer.row.duration_us.is_some() && answer.row.duration_us >= result.row.duration_us);

    // Rows of other apps are separate, and messages that aren't calls are recorded too.
    let all = scene.rows_of("Editor").await;
    assert!(!all.iter().any(|entry| entry.row.subject.as_deref() == Some("s__echo")), "{:?}", said(&all));
    let beginning = &said(&all)[..3];
    assert_eq!(
        beginning,
        ["app→ initialize -", "→app initialize - ok", "app→ notifications/initialized -"],
        "{all:?}"
    );
    let facets = scene.host.log_facets().await.unwrap();
    assert_eq!(
        (facets.apps, facets.sources),
        (vec!["Editor".to_owned(), "Other".to_owned()], vec!["s".to_owned()])
    );
    scene.close().await;
}

#[tokio::test]
async fn lines_that_are_no_messages_are_there_as_what_they_are() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized("Editor", None).await;
    for line in ["no JSON", r#"{"jsonrpc":"2.0","id":{},"method":"a"}"#, "[]"] {
        app.send_text(line).await;
        assert!(app.receive().await["error"].is_object());
    }
    app.to.write_all(b"\n").await.unwrap();
    let rows = scene.rows_of("Editor").await;
    let rows = &rows[3..];
    assert_eq!(
        said(rows),
        [
            "app→ - - error",
            "→app - - error",
            "app→ - - error",
            "→app - - error",
            "app→ - -",
            "→app - - error"
        ]
    );
    assert_eq!((rows[0].row.kind, rows[0].text()), (LogKind::Diagnostic, "no JSON".into()));
    assert_eq!((rows[2].row.kind, rows[4].text()), (LogKind::Frame, "[]".into()));
    scene.close().await;
}

#[tokio::test]
async fn all_rounds_of_a_call_are_one_call() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.connect("Editor", Some("s"));
    let fields = json!({"name": {"type": "string"}, "pin": {"type": "string", "format": "password"}, "password": {"type": "string"}});
    let form = json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": fields}});
    let call = json!({"name": "ask", "arguments": {"method": "elicitation/create", "params": form}});
    let able = json!({"elicitation": {}});
    let asked = app.alone(1, "tools/call", call.clone(), &able).await;
    let (key, _) = asked["result"]["inputRequests"].as_object().unwrap().iter().next().unwrap();
    let mut again = call.clone();
    again["requestState"] = asked["result"]["requestState"].clone();
    let entered = json!({"action": "accept", "content": {"name": "Ada", "password": SECRET}});
    again["inputResponses"] = json!({key: entered});
    app.alone(2, "tools/call", again, &able).await;
    let rows = scene.call_of("Editor", "ask").await;
    let said = said(&rows);
    let from: Vec<_> = rows.iter().filter(|entry| entry.row.direction == Direction::FromApp).collect();
    assert_eq!(from.len(), 2, "{said:?}");
    let answers = ["→app tools/call ask ok", "→server tools/call ask", "server→ tools/call ask ok"];
    for (answer, count) in answers.into_iter().zip([2, 1, 1]) {
        assert_eq!(said.iter().filter(|row| *row == answer).count(), count, "{answer}: {said:?}");
    }
    assert!(rows.iter().all(|entry| !entry.text().contains(SECRET)), "{rows:?}");
    // The call doesn't end with its first round.
    let ends = rows.iter().filter(|entry| entry.row.direction == Direction::ToApp);
    assert_eq!(ends.filter(|entry| entry.row.duration_us.is_some()).count(), 1, "{rows:?}");
    scene.close().await;
}

#[tokio::test]
async fn apps_over_http_are_recorded_without_their_tokens() {
    let (scene, _) = Scene::with_open_server("s").await;
    let url = scene.open_http().await;
    let mut app = scene.http_app(&format!("{url}/s"), "Editor").await;
    app.begin(json!({})).await;
    let token = app.token.clone();
    let called: Value = json_of(app.call(2, "echo", json!({"text": token})).await).await;
    assert!(called["result"].is_object(), "{called}");
    let rows = scene.call_of("Editor", "echo").await;
    assert_eq!(
        said(&rows),
        [
            "app→ tools/call echo",
            "verdict tools/call echo ok",
            "→server tools/call echo",
            "server→ tools/call echo ok",
            "→app tools/call echo ok",
        ]
    );
    // A stateless request, a request without a session, and bytes that aren't JSON.
    let params = standing_alone(json!({"name": "echo", "arguments": {"text": "x"}}), &json!({}));
    let mut alone = scene.http_app(&format!("{url}/s"), "Alone").await;
    let post =
        alone.post(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string());
    let post = post.header("mcp-protocol-version", "2026-07-28").header("mcp-method", "tools/call");
    assert_eq!(post.header("mcp-name", "echo").send().await.unwrap().status(), 200);
    alone.session = Some("none".to_owned());
    assert_eq!(alone.request(3, "tools/list", json!({})).await.status(), 404);
    assert_eq!(alone.post("no JSON").send().await.unwrap().status(), 400);
    assert_eq!(
        said(&scene.rows_of("Alone").await),
        [
            "app→ tools/call echo",
            "verdict tools/call echo ok",
            "→server tools/call echo",
            "server→ tools/call echo ok",
            "→app tools/call echo ok",
            "app→ tools/list -",
            "→app - - error",
            "app→ - - error",
            "→app - - error",
        ]
    );
    let bodies = scene.log_bodies(&LogQuery { limit: 1_000, ..LogQuery::default() }).await.join("\n");
    assert!(!bodies.contains(&token) && !bodies.contains(&alone.token), "{bodies}");
    scene.close().await;
}

#[tokio::test]
async fn secrets_of_a_call_are_redacted_at_the_app_as_well() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized_with("Editor", None, json!({"elicitation": {}})).await;
    app.call(1, "s__echo", json!({"text": "x", "api_key": SECRET})).await;
    app.answer(1).await;
    // A short text isn't a secret by itself. Only the form marks it as one.
    let fields = json!({"pin": {"type": "string", "format": "password"}});
    let form = json!({"message": "PIN?", "requestedSchema": {"type": "object", "properties": fields}});
    app.call(2, "s__ask", json!({"method": "elicitation/create", "params": form})).await;
    let asked = app.notification("elicitation/create").await;
    let entered = json!({"action": "accept", "content": {"pin": "73519x"}});
    app.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": entered})).await;
    app.answer(2).await;
    let rows = scene.rows_of("Editor").await;
    let text: String = rows.iter().map(|entry| entry.text().into_owned()).collect();
    assert!(!text.contains(SECRET) && !text.contains("73519x"), "{text}");
    assert!(text.matches("[redacted]").count() >= 4, "{text}");
    let asking = said(&scene.call_of("Editor", "s__ask").await);
    for row in ["→app elicitation/create -", "app→ elicitation/create - ok"] {
        assert!(asking.iter().any(|known| known == row), "{row}: {asking:?}");
    }
    scene.close().await;
}

#[tokio::test]
async fn secrets_of_a_server_are_redacted_at_the_app_as_well() {
    let (mut scene, id) = Scene::with_open_server("s").await;
    // The configuration has this value in plain text, outside of the vault.
    let mut config = scene.host.server(id).unwrap().config;
    config.env.insert("API_KEY".to_owned(), SECRET.to_owned());
    scene.host.update_server(id, config).await.unwrap();
    let mut app = scene.initialized("Editor", None).await;
    while !app.tools().await.contains(&"s__echo".to_owned()) {
        app.notification("notifications/tools/list_changed").await;
    }
    let called =
        app.request(1, "tools/call", json!({"name": "s__echo", "arguments": {"text": SECRET}})).await;
    assert_eq!(called["result"]["content"][0]["text"], SECRET, "{called}");
    let rows = scene.rows_of("Editor").await;
    let text: String = rows.iter().map(|entry| entry.text().into_owned()).collect();
    assert!(!text.contains(SECRET) && text.contains("[redacted]"), "{text}");
    scene.close().await;
}

#[tokio::test]
async fn a_flood_fills_the_log_and_ends_no_call() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    scene.host.set_settings(Settings { max_log_mib: 64, ..scene.host.settings() }).await.unwrap();
    let mut quiet = scene.initialized("Quiet", None).await;
    let mut app = scene.initialized("Flood", None).await;
    let note =
        json!({"jsonrpc": "2.0", "method": "notifications/x", "params": "x".repeat(1 << 20)}).to_string();
    for number in 0..90 {
        app.send_text(&note).await;
        if number % 30 == 0 {
            let called = app
                .request(number, "tools/call", json!({"name": "s__echo", "arguments": {"text": "x"}}))
                .await;
            assert_eq!(called["result"]["content"][0]["text"], "x", "{called}");
        }
    }
    app.request(1_000, "ping", json!({})).await;
    // The flood has pushed out its own rows and no one else's.
    let called = quiet.request(1, "tools/call", json!({"name": "s__echo", "arguments": {"text": "y"}})).await;
    assert_eq!(called["result"]["content"][0]["text"], "y", "{called}");
    let flood = LogQuery { app: Some("Flood".to_owned()), ..LogQuery::default() };
    let trimmed = async {
        while scene.host.log_count(&flood).await.unwrap() > 80 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(LIMIT, trimmed).await.expect("nothing was deleted");
    assert_eq!(said(&scene.rows_of("Quiet").await).len(), 8);
    scene.close().await;
}

#[tokio::test]
async fn a_running_call_is_shown_and_can_be_cancelled() {
    let (mut scene, id) = Scene::with_open_server("s").await;
    let mut app = scene.initialized("Editor", None).await;
    let mut events = scene.host.events();
    let since_start = || scene.host.app_activity()[0].clone();
    assert_eq!((since_start().listed_ms, since_start().called_ms), (None, None));
    app.request(0, "tools/list", json!({})).await;
    assert!(since_start().listed_ms.is_some() && since_start().called_ms.is_none());
    app.call(1, "s__never", json!({})).await;
    let call = loop {
        let activity = scene.host.app_activity();
        if let Some(call) = activity.first().and_then(|activity| activity.calls.first().cloned()) {
            assert_eq!((&*activity[0].app, activity[0].connections), ("Editor", 1));
            break call;
        }
        let _lagged = events.recv().await;
    };
    assert_eq!((call.server_id, call.method, &*call.subject), (id, "tools/call", "never"));
    let query = || LogQuery { call: Some(call.call), ..LogQuery::default() };
    let until = async |expected: &str| {
        let seen = async {
            while !said(&scene.rows(query()).await).iter().any(|row| row == expected) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(LIMIT, seen).await.unwrap_or_else(|_| panic!("there is no {expected}"));
    };
    assert!(since_start().called_ms.is_some());
    until("→server tools/call never").await;
    assert!(scene.host.cancel_app_call(call.call));
    let answer = app.answer(1).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    until("→server notifications/cancelled -").await;
    until("other tools/call never cancelled").await;
    drop(app);
    while since_start().connections > 0 || !since_start().calls.is_empty() {
        let _lagged = events.recv().await;
    }
    scene.close().await;
}
