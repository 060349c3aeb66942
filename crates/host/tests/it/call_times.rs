//! Call times: they exclude the time that a person takes, and survive a restart.

use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_calls::{CallStatus, ToolAccess};
use mooring_host::Host;
use mooring_log::{Item, ItemKind, LogQuery};
use mooring_recorder::{LoggedCallStatus, logged_calls};
use mooring_server_state::StateName;
use serde_json::json;

use crate::asker::{armed, asks, attended, first, tool, until_inbox, yes};
use crate::support::{call, ignore_events, until, until_state};

/// Longer than a call takes without a person on a busy machine.
const THOUGHT: Duration = Duration::from_secs(3);

fn question() -> mooring_calls::ToolCall {
    call("ask", &json!({ "method": "elicitation/create" }))
}

/// Waits for the question, and then as long as a person might.
async fn think(host: &Host) -> i64 {
    let asked = first(host).await.id;
    tokio::time::sleep(THOUGHT).await;
    asked
}

async fn access(host: &Host, id: ServerId, name: &str) -> ToolAccess {
    let access = host.tool_access(id).await.unwrap();
    access.into_iter().find(|access| access.tool == name).unwrap()
}

#[tokio::test]
async fn percentiles_leave_out_waiting_and_survive_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    assert_eq!(host.server(id).unwrap().connection.call_times, None);
    for _ in 0..5 {
        tool(&host, id, "held", &json!({})).await;
    }
    // One question is answered late.
    let person = async {
        let asked = think(&host).await;
        let nonce = armed(&host, asked);
        host.answer_interaction(asked, &nonce, yes(None)).await.unwrap();
    };
    let (answered, ()) = tokio::join!(host.call_tool(id, question(), ignore_events()), person);
    let answered = answered.unwrap();
    assert_eq!(answered.status, CallStatus::Ok);
    assert!(answered.elapsed < THOUGHT, "{answered:?}");
    // One call is cancelled while its question waits.
    tokio::select! {
        ended = host.call_tool(id, question(), ignore_events()) => panic!("{ended:?}"),
        _ = think(&host) => {}
    }
    until_inbox(&host, "empty", |inbox| inbox.waiting.is_empty()).await;
    // One server exits while its question waits.
    let leave = async {
        think(&host).await;
        host.call_tool(id, call("leave", &json!({})), ignore_events()).await.unwrap()
    };
    let (failed, left) = tokio::join!(host.call_tool(id, question(), ignore_events()), leave);
    let failed = failed.unwrap();
    assert_eq!((failed.status, left.status), (CallStatus::Failed, CallStatus::Failed));
    assert!(failed.elapsed < THOUGHT, "{failed:?}");

    let view = until(&host, id, "counted", |view| view.connection.calls == 9).await.connection;
    let times = view.call_times.unwrap();
    assert_eq!(times.count, 9);
    // With so few calls, p95 is the longest call.
    assert!(times.p50 <= times.p95 && times.p95 < THOUGHT, "{times:?}");
    // The outcome of each call is still found, although its duration is not the time from request to end.
    let item = Item { server_id: id.0, kind: ItemKind::Tool, name: "ask".to_owned() };
    host.flush_log().await;
    let page = logged_calls(&host.log_reader(), &item, None, 10).await.unwrap();
    let statuses: Vec<_> = page.calls.iter().map(|call| call.status).collect();
    assert_eq!(statuses, [LoggedCallStatus::Failed, LoggedCallStatus::Cancelled, LoggedCallStatus::Ok]);
    let longest = i64::try_from(THOUGHT.as_micros()).unwrap();
    assert!(page.calls.iter().all(|call| call.duration_us.is_some_and(|took| took < longest)), "{page:?}");
    host.shutdown().await;

    let host = attended(home.path()).await;
    let view = until(&host, id, "known again", |view| view.connection.call_times.is_some()).await.connection;
    let again = view.call_times.unwrap();
    assert_eq!((again.count, view.calls), (9, 0));
    assert!(again.p95 < THOUGHT, "{again:?}");
    until_state(&host, id, StateName::Ready).await;
    let held = access(&host, id, "held").await.times.unwrap();
    assert_eq!(held.count, 5);
    assert!(held.p95 <= again.p95, "{held:?} {again:?}");
    assert_eq!(access(&host, id, "ask").await.times, None, "three are too few");
    // Call times are forgotten together with the log.
    assert!(host.log_count(&LogQuery::default()).await.unwrap() > 0);
    host.clear_log().await.unwrap();
    assert_eq!(host.server(id).unwrap().connection.call_times, None);
    assert_eq!(access(&host, id, "held").await.times, None);
    host.shutdown().await;
}
