//! Attribution of a server's question to a call and its caller, for every way of asking.

use mooring_base::server_id::ServerId;
use mooring_calls::{ResourceRead, ToolCall};
use mooring_host::Host;
use mooring_inbox::InteractionOccasion;
use mooring_server_state::StateName;
use mooring_testkit::http::{BodyPiece, Gate, HttpReply, HttpScript, RawReply, serve};
use serde_json::{Value, json};

use crate::asker::{answer_first, asks, attended, first, no, tool, until_inbox};
use crate::support::{call, http, ignore_events, until_state};

fn parts(occasion: &InteractionOccasion) -> [Option<&str>; 3] {
    [&occasion.method, &occasion.subject, &occasion.caller].map(Option::as_deref)
}

/// A call of `ask` with a request name from its front end.
fn named(name: &str, arguments: &Value) -> ToolCall {
    ToolCall { request: Some(name.into()), ..call("ask", arguments) }
}

const ASK: [Option<&str>; 3] = [Some("tools/call"), Some("ask"), Some("workbench")];

/// Declines the first question, and returns how its origin is shown.
async fn declined(host: &Host) -> InteractionOccasion {
    let waiting = first(host).await;
    answer_first(host, no()).await;
    waiting.occasion
}

// Requirements: ELIC-07, ELIC-30.
#[tokio::test]
async fn over_stdio_it_is_only_known_which_calls_run_meanwhile() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let form = json!({ "method": "elicitation/create" });
    let one = json!({ "count": 1, "held": 0 });
    let (_, alone) = tokio::join!(tool(&host, id, "ask", &form), declined(&host));
    assert_eq!(parts(&alone), ASK);
    assert_eq!(alone.said.to_string(), "Sent while its tool ask was running; no reason given.");
    assert!(alone.is_guess);
    // An error that requires a URL to be opened first.
    let required =
        json!({ "mode": "url", "url": "https://example.com/", "elicitationId": "e", "message": "" });
    let (_, required) =
        tokio::join!(host.call_tool(id, call("required", &required), ignore_events()), declined(&host),);
    assert_eq!(parts(&required), [Some("tools/call"), Some("required"), Some("workbench")]);
    let said = "You run its tool required in the Workbench, and the call waits for the answer.";
    assert_eq!((required.said.to_string().as_str(), required.is_guess), (said, false));
    // With another call of the same tool, it belongs to the tool. With a call of another tool, it only
    // belongs to one of them.
    let count = async |count: usize| {
        let inbox = until_inbox(&host, "asked", |inbox| inbox.waiting.len() == count).await;
        inbox.waiting.last().unwrap().occasion.clone()
    };
    let seen = async {
        assert_eq!(parts(&count(1).await), ASK);
        let another = async {
            let second = count(2).await;
            assert_eq!(parts(&second), ASK);
            assert_eq!(second.said.to_string(), "Sent during 2 calls of its tool ask; no reason given.");
            let third = async {
                let third = count(3).await;
                assert_eq!(parts(&third), [Some("tools/call"), None, Some("workbench")]);
                let said = third.said.to_string();
                assert!(said.ends_with("without saying for which: ask, flood"), "{said}");
                for _ in 0..3 {
                    answer_first(&host, no()).await;
                }
            };
            tokio::join!(tool(&host, id, "flood", &one), third);
        };
        tokio::join!(tool(&host, id, "ask", &form), another);
    };
    tokio::join!(tool(&host, id, "ask", &form), seen);
    host.shutdown().await;
}

// Requirements: ELIC-07, ELIC-30.
#[tokio::test]
async fn of_many_calls_that_run_none_is_left_out_of_account() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    // They run until the question is answered.
    let (held, asks) = (json!({}), json!({ "asks": true }));
    let many = futures_util::future::join_all((0..20).map(|_| tool(&host, id, "hold", &held)));
    let seen = async {
        // The last call asks.
        let asking = async {
            loop {
                let count = tool(&host, id, "held", &json!({})).await;
                if count == json!(20) {
                    break;
                }
            }
            tool(&host, id, "ask", &json!({ "method": "elicitation/create" })).await
        };
        let (_, occasion) = tokio::join!(asking, declined(&host));
        assert_eq!(parts(&occasion), [Some("tools/call"), None, Some("workbench")]);
        let said = "Sent while these were running, without saying for which: hold, ask";
        assert_eq!((occasion.said.to_string().as_str(), occasion.is_guess), (said, true));
        let (_, same) = tokio::join!(tool(&host, id, "hold", &asks), declined(&host));
        let said = "Sent during 21 calls of its tool hold; no reason given.";
        assert_eq!(same.said.to_string(), said);
        tool(&host, id, "release", &json!({})).await;
    };
    tokio::join!(many, seen);
    host.shutdown().await;
}

fn result(result: &Value) -> HttpReply {
    HttpReply::json_text(&format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#))
}

fn form() -> Value {
    json!({ "message": "?", "requestedSchema": { "type": "object", "properties": {} } })
}

async fn served(
    host: &Host,
    name: &str,
    script: HttpScript,
) -> (ServerId, mooring_testkit::http::HttpServer) {
    let server = serve(script).await;
    let id = host.add_server(http(name, &server.url)).await.unwrap().id;
    until_state(host, id, StateName::Ready).await;
    (id, server)
}

#[tokio::test]
async fn a_question_names_every_request_that_it_may_belong_to() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let form = json!({ "method": "elicitation/create" });
    let seen = async {
        let one = until_inbox(&host, "asked", |inbox| inbox.waiting.len() == 1).await;
        assert_eq!(one.waiting[0].occasion.requests, ["first"]);
        let second = async {
            let two = until_inbox(&host, "asked twice", |inbox| inbox.waiting.len() == 2).await;
            let mut names = two.waiting[1].occasion.requests.clone();
            names.sort_unstable();
            assert_eq!(names, ["first", "second"]);
            answer_first(&host, no()).await;
            answer_first(&host, no()).await;
        };
        let (second, ()) = tokio::join!(host.call_tool(id, named("second", &form), ignore_events()), second);
        second.unwrap();
    };
    let (first, ()) = tokio::join!(host.call_tool(id, named("first", &form), ignore_events()), seen);
    first.unwrap();
    host.shutdown().await;
}

// Requirements: ELIC-07, MRTR-11.
#[tokio::test]
async fn http_question_belongs_to_the_call_of_its_stream_or_result() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let answered = Gate::new();
    let asks = json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": form() });
    let stream = RawReply::stream()
        .text(&format!("data: {asks}\n\n"))
        .piece(BodyPiece::Wait(answered.clone()))
        .text("data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[]}}\n\n");
    // Another call runs in parallel, and the question is not attributed to it.
    let beside = HttpReply::After(answered.clone(), Box::new(result(&json!({ "contents": [] }))));
    let script = HttpScript::json().on("tools/call", stream.into()).on("resources/read", beside);
    let (session, _session) = served(&host, "session", script).await;
    let read = ResourceRead {
        request: None,
        uri: "harbour://log".to_owned(),
        template: None,
        caller: mooring_policy::Caller::Workbench,
        idle: None,
        total: None,
    };
    let seen = async {
        let occasion = declined(&host).await;
        answered.open();
        occasion
    };
    let (_, _, occasion) = tokio::join!(
        host.read_resource(session, read.clone(), ignore_events()),
        host.call_tool(session, named("run", &json!({})), ignore_events()),
        seen
    );
    assert_eq!(parts(&occasion), ASK);
    assert_eq!(occasion.requests, ["run"]);

    let wants = json!({
        "resultType": "input_required",
        "inputRequests": { "name": { "method": "elicitation/create", "params": form() } },
    });
    let offers = json!({ "tools": {}, "resources": {} });
    let discovered = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": offers,
        "ttlMs": 0, "cacheScope": "private",
    });
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", result(&discovered))
        .once("tools/call", result(&wants))
        .on("tools/call", result(&json!({ "resultType": "complete", "content": [] })))
        .once("resources/read", result(&wants))
        .on("resources/read", result(&json!({ "resultType": "complete", "contents": [] })));
    let (modern, _modern) = served(&host, "modern", script).await;
    let (_, occasion) =
        tokio::join!(host.call_tool(modern, call("ask", &json!({})), ignore_events()), declined(&host));
    assert_eq!(parts(&occasion), ASK);
    let (_, occasion) = tokio::join!(host.read_resource(modern, read, ignore_events()), declined(&host));
    assert_eq!(parts(&occasion), [Some("resources/read"), Some("harbour://log"), Some("workbench")]);
    let said = "You opened its resource harbour://log, which waits for the answer.";
    assert_eq!(occasion.said.to_string(), said);
    host.shutdown().await;
}
