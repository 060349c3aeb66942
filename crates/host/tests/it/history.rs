//! Past calls from the log, and saved calls.

use std::time::Duration;

use mooring_calls::ToolCall;
use mooring_host::Host;
use mooring_log::{Item, ItemKind};
use mooring_recorder::{LoggedCallPage, LoggedCallStatus, logged_call, logged_calls};
use mooring_server_state::StateName;
use mooring_store::NewSavedCall;
use mooring_testkit::http::{HttpReply, HttpScript, serve};
use serde_json::json;

use crate::asker::{answer_first, attended, first, yes};
use crate::support::{call, http, ignore_events, scripted, until_state, window};

async fn page(host: &Host, server_id: i64, tool: &str, before: Option<i64>, limit: u32) -> LoggedCallPage {
    host.flush_log().await;
    let item = Item { server_id, kind: ItemKind::Tool, name: tool.to_owned() };
    logged_calls(&host.log_reader(), &item, before, limit).await.unwrap()
}

#[tokio::test]
async fn calls_are_found_again_after_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("s", &["ok"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    for arguments in [json!({"text": "one"}), json!({"text": "two", "token": "canary-b8f1d5c2e6"})] {
        host.call_tool(id, call("echo", &arguments), ignore_events()).await.unwrap();
    }
    for tool in ["tool_error", "error"] {
        host.call_tool(id, call(tool, &json!({})), ignore_events()).await.unwrap();
    }
    let never = ToolCall { idle: Some(Duration::from_millis(50)), ..call("never", &json!({})) };
    host.call_tool(id, never, ignore_events()).await.unwrap();
    host.shutdown().await;

    let host = window(home.path()).await;
    let log = host.log_reader();
    let found = page(&host, id.0, "echo", None, 10).await;
    assert_eq!((found.calls.len(), found.next), (2, None));
    let [second, first] = &found.calls[..] else { panic!("{found:?}") };
    for call in [first, second] {
        assert_eq!((call.status, call.caller.as_deref()), (LoggedCallStatus::Ok, Some("workbench")));
        assert!(call.duration_us.is_some() && call.size > 0 && call.at_us > 0, "{call:?}");
    }
    assert_eq!(first.excerpt, r#"{"text":"one"}"#);
    let content = logged_call(&log, first.id, first.answer).await.unwrap().unwrap();
    assert_eq!(content.arguments.text, r#"{"text":"one"}"#);
    assert!(content.result.unwrap().contains(r#""text":"one""#));
    let content = logged_call(&log, second.id, second.answer).await.unwrap().unwrap();
    assert_eq!(
        (content.arguments.text.as_str(), &content.arguments.withheld[..]),
        (r#"{"text":"two"}"#, &["token".to_owned()][..])
    );
    // Each page begins where the last one ended.
    let newest = page(&host, id.0, "echo", None, 1).await;
    assert_eq!((&newest.calls[..], newest.next), (&found.calls[..1], Some(second.id)));
    assert_eq!(page(&host, id.0, "echo", newest.next, 1).await.calls, found.calls[1..]);

    for (tool, status) in [
        ("tool_error", LoggedCallStatus::ToolError),
        ("error", LoggedCallStatus::RpcError),
        ("never", LoggedCallStatus::TimedOut),
    ] {
        let page = page(&host, id.0, tool, None, 10).await;
        assert_eq!(page.calls.iter().map(|call| call.status).collect::<Vec<_>>(), [status], "{tool}");
        let content = logged_call(&log, page.calls[0].id, page.calls[0].answer).await.unwrap().unwrap();
        assert_eq!(content.error.is_some(), status == LoggedCallStatus::RpcError);
        assert_eq!(content.said.is_some(), status == LoggedCallStatus::TimedOut);
    }
    host.shutdown().await;
}

#[tokio::test]
async fn rounds_of_a_logged_call_are_one_call() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let result = |result: &serde_json::Value| {
        HttpReply::json_text(&format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#))
    };
    let params = json!({ "message": "Name?", "requestedSchema": { "type": "object", "properties": {} } });
    let requests = json!({ "name": { "method": "elicitation/create", "params": params } });
    let discovered = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
        "ttlMs": 0, "cacheScope": "private",
    });
    let asks = json!({ "resultType": "input_required", "inputRequests": requests, "requestState": "s" });
    let done = json!({ "resultType": "complete", "content": [{ "type": "text", "text": "done" }] });
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", result(&discovered))
        .once("tools/call", result(&asks))
        .on("tools/call", result(&done));
    let server = serve(script).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    // Longer than a call takes without a person on a busy machine.
    let thought = Duration::from_secs(2);
    let person = async {
        first(&host).await;
        tokio::time::sleep(thought).await;
        answer_first(&host, yes(None)).await
    };
    let (outcome, _) = tokio::join!(host.call_tool(id, call("x", &json!({"a": 1})), ignore_events()), person);
    let elapsed = i64::try_from(outcome.unwrap().elapsed.as_micros()).unwrap();
    for limit in [1, 10] {
        let page = page(&host, id.0, "x", None, limit).await;
        let [call] = &page.calls[..] else { panic!("{page:?}") };
        assert_eq!((call.excerpt.as_str(), call.status), (r#"{"a":1}"#, LoggedCallStatus::Ok));
        // The duration of all rounds, without the person's time.
        assert_eq!(call.duration_us, Some(elapsed));
        let content = logged_call(&host.log_reader(), call.id, call.answer).await.unwrap().unwrap();
        assert!(content.result.unwrap().contains("done"));
    }
    assert!(elapsed < i64::try_from(thought.as_micros()).unwrap(), "{elapsed}");
    let durations = host.log_reader().call_durations(id.0, 10).await.unwrap();
    assert_eq!(durations, [("x".to_owned(), elapsed)], "two rounds are one call");
    host.shutdown().await;
}

#[tokio::test]
async fn secrets_in_the_arguments_of_a_call_are_not_saved() {
    const CANARY: &str = "canary-b8f1d5c2e6";
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let server_id = host.add_server(scripted("s", &["ok"])).await.unwrap().id.0;
    let new = |arguments: String| NewSavedCall {
        server_id,
        kind: ItemKind::Tool,
        item: "echo".to_owned(),
        name: Some("Greeting".to_owned()),
        arguments,
    };
    let arguments =
        format!(r#"{{"text":"hi","api_key":"{CANARY}","nested":{{"password":"{CANARY}","n":1}}}}"#);
    let saved = host.save_call(new(arguments)).await.unwrap();
    assert_eq!(saved.arguments, r#"{"text":"hi","nested":{"n":1}}"#);
    assert_eq!(saved.withheld, ["api_key", "nested.password"]);
    host.shutdown().await;
    for entry in std::fs::read_dir(home.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(CANARY), "{}", path.display());
    }
}
