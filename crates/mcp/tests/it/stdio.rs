//! stdio: real child processes, good and bad.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use mooring_mcp::{
    CallOptions, ClientOptions, CloseReason, ConnectError, Deadline, Deadlines, Era, EraChoice, Limits,
    RequestError, TapKind,
};
use mooring_testkit::{eventually, is_alive};
use serde_json::{Value, json};

use crate::support::{call, connect, connect_with, options, python_server, raw, refused, scripted, text};

fn quick() -> ClientOptions {
    let second = Duration::from_secs(1);
    ClientOptions { deadlines: Deadlines { connect: second, idle: second, total: second }, ..options() }
}

// Requirements: LIFE-01, LIFE-03, LIFE-05, TOOL-01, STD-01, STD-08.
#[tokio::test]
async fn a_good_server_is_greeted_lists_its_tools_and_answers_calls() {
    let (client, memory) = connect(scripted(&["ok"])).await;
    let handshake = client.handshake();
    assert_eq!(handshake.revision.as_str(), "2025-11-25");
    assert!(handshake.reason.contains("initialize was answered with 2025-11-25"), "{}", handshake.reason);
    assert!(handshake.offers("tools"));
    let tools = client.list_tools().await.unwrap();
    assert!(tools.items.iter().any(|tool| tool.name == "echo"));
    assert_eq!(call(&client, "echo", r#"{"text":"ahoy 漢 🚢"}"#).await, "ahoy 漢 🚢");
    client.ping().await.unwrap();
    let start =
        ["→ initialize", "← initialize", "→ notifications/initialized", "→ tools/list", "← tools/list"];
    assert_eq!(memory.log()[..5], start);
    client.shutdown().await;
    assert_eq!(*client.closed().borrow(), Some(CloseReason::Stopped));
}

// Requirements: STD-02, STD-03.
#[tokio::test]
async fn the_tap_sees_the_exact_bytes_and_what_they_answer() {
    let (client, memory) = connect(scripted(&["ok"])).await;
    let arguments = "{ \"text\" : \"1.0\",\n \"n\": 1.00 }";
    client.call_tool("echo", Some(&raw(arguments)), CallOptions::default()).await.unwrap();
    let taped = memory.taped.lock().unwrap();
    let sent = taped.iter().find(|event| event.method.as_deref() == Some("tools/call")).unwrap();
    let expected = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{ "text" : "1.0",  "n": 1.00 }}}"#;
    assert_eq!(sent.bytes, expected);
    let answer = taped.last().unwrap();
    assert_eq!(answer.subject.as_deref(), Some("echo"));
    assert_eq!(answer.id.as_deref(), Some("2"));
    assert!(answer.elapsed.is_some());
}

#[tokio::test]
async fn the_tap_sees_what_the_server_sent_to_the_byte() {
    let (client, memory) = connect(scripted(&["ok"])).await;
    let odd = r#"{ "jsonrpc":"2.0",  "id":$ID ,"result":{"content":[],"n":1.00,"\u0061":"\/","x":{}} }"#;
    let lines = serde_json::json!({ "lines": [odd] }).to_string();
    client.call_tool("raw", Some(&raw(&lines)), CallOptions::default()).await.unwrap();
    let taped = memory.taped.lock().unwrap();
    assert_eq!(taped.last().unwrap().bytes, odd.replace("$ID", "2"));
}

// Requirements: PAGE-02, PAGE-06.
#[tokio::test]
async fn every_page_is_read_and_a_repeated_cursor_stops_listing() {
    let (client, _) = connect(scripted(&["pages", "4"])).await;
    let listing = client.list_tools().await.unwrap();
    assert!(listing.items.len() > 3 && listing.diagnostics.is_empty(), "{:?}", listing.diagnostics);
    let (client, _) = connect(scripted(&["repeated-cursor"])).await;
    let listing = client.list_tools().await.unwrap();
    assert!(
        listing.diagnostics.iter().any(|odd| odd.message.contains("repeats")),
        "{:?}",
        listing.diagnostics
    );
    let (client, _) = connect(scripted(&["endless-pages"])).await;
    let listing = client.list_tools().await.unwrap();
    assert!(
        listing.diagnostics.iter().any(|odd| odd.message.contains("page 50")),
        "{:?}",
        listing.diagnostics
    );
}

// Requirements: TOOL-19.
#[tokio::test]
async fn a_malformed_tool_does_not_hide_the_good_ones() {
    let (client, _) = connect(scripted(&["bad-tools"])).await;
    let listing = client.list_tools().await.unwrap();
    let names: Vec<_> = listing.items.iter().map(|tool| tool.name.as_str()).collect();
    assert!(names.contains(&"good_first") && names.contains(&"good_last"), "{names:?}");
    assert!(names.contains(&"no_schema") && names.contains(&"numeric_description"), "{names:?}");
    let odd: Vec<_> = listing.diagnostics.iter().map(ToString::to_string).collect();
    for expected in ["tools[12].name: is missing", "tools[14].name: is empty", "tools[16]: isn’t an object"]
    {
        assert!(odd.iter().any(|odd| odd == expected), "{odd:?}");
    }
    let second = listing.items.iter().rfind(|tool| tool.name == "good_first").unwrap();
    assert_eq!(
        second.diagnostics[0].message,
        "is also the name of an earlier tool; calls reach only one of them"
    );
    assert_eq!(call(&client, "echo", r#"{"text":"still here"}"#).await, "still here");
}

// Requirements: PROG-01, PROG-02.
#[tokio::test]
async fn progress_arrives_in_order_before_the_answer() {
    let (client, _) = connect(scripted(&["ok"])).await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&heard);
    let options = CallOptions {
        on_progress: Some(Arc::new(move |progress| {
            sink.lock().unwrap().push((progress.progress, progress.total));
        })),
        ..CallOptions::default()
    };
    client.call_tool("progress", Some(&raw(r#"{"steps":3,"milliseconds":1}"#)), options).await.unwrap();
    assert_eq!(*heard.lock().unwrap(), [(1.0, Some(3.0)), (2.0, Some(3.0)), (3.0, Some(3.0))]);
}

// Requirements: LOG-02.
#[tokio::test]
async fn log_messages_arrive_in_wire_order() {
    let (client, memory) = connect(scripted(&["ok"])).await;
    call(&client, "log", r#"{"count":100}"#).await;
    let notifications = memory.notifications.lock().unwrap();
    assert_eq!(notifications.len(), 100);
    for (index, notification) in notifications.iter().enumerate() {
        assert!(notification.contains(&format!("\"number\":{index}")), "{index}: {notification}");
    }
}

// Requirements: CANC-06, STD-14.
#[tokio::test]
async fn dropping_a_call_cancels_it_at_the_server() {
    let (client, _) = connect(scripted(&["ok"])).await;
    let arguments = raw(r#"{"milliseconds":60000}"#);
    let waiting = client.call_tool("sleep", Some(&arguments), CallOptions::default());
    let gave_up = tokio::time::timeout(Duration::from_millis(50), waiting).await;
    assert!(gave_up.is_err());
    assert_eq!(call(&client, "cancelled", "{}").await, "[2]");
}

// Requirements: CANC-01, CANC-06, STD-02.
#[tokio::test]
async fn request_cancelled_at_once_is_written_whole_and_in_order() {
    const CALLS: usize = 200;
    let (client, memory) = connect(scripted(&["ok"])).await;
    let client = &client;
    join_all((0..CALLS).map(async |number| {
        let given_up = client.call_tool("never", None, CallOptions::default()).now_or_never();
        assert!(given_up.is_none());
        // Together more than one write can contain.
        let words = format!("{number} {}", "x".repeat(1_000));
        assert_eq!(call(client, "echo", &json!({ "text": words }).to_string()).await, words);
    }))
    .await;
    let mut told: Vec<u64> = serde_json::from_str(&call(client, "cancelled", "{}").await).unwrap();
    let sent = memory.sent();
    let place = |wanted: &dyn Fn(&Value) -> bool| sent.iter().position(wanted);
    let asked: Vec<u64> = sent
        .iter()
        .filter(|message| message["params"]["name"] == "never")
        .map(|message| message["id"].as_u64().unwrap())
        .collect();
    // Calls that still waited for a slot or for room were never sent or cancelled.
    assert!((32..CALLS).contains(&asked.len()), "{}", asked.len());
    told.sort_unstable();
    assert_eq!(told, asked);
    for id in asked {
        let request = place(&|message| message["id"] == id);
        let cancel = place(&|message| message["params"]["requestId"] == id);
        assert!(request.is_some() && request < cancel, "{id}: {request:?} {cancel:?}");
    }
}

#[tokio::test]
async fn cancellation_right_before_closing_is_still_sent() {
    let (client, memory) = connect(scripted(&["ok"])).await;
    let waiting = client.call_tool("never", None, CallOptions::default());
    assert!(tokio::time::timeout(Duration::from_millis(50), waiting).await.is_err());
    client.shutdown().await;
    assert!(memory.log().contains(&"→ notifications/cancelled".to_owned()), "{:?}", memory.log());
}

// Requirements: BASE-31, CANC-07, BASE-26.
#[tokio::test]
async fn a_call_that_stays_silent_times_out_and_its_neighbours_do_not() {
    let (client, _) = connect(scripted(&["ok"])).await;
    let options = CallOptions { idle: Some(Duration::from_millis(100)), ..CallOptions::default() };
    let (never, echo) =
        tokio::join!(client.call_tool("never", None, options), call(&client, "echo", r#"{"text":"here"}"#));
    assert!(matches!(never, Err(RequestError::Timeout { deadline: Deadline::Idle, .. })), "{never:?}");
    assert_eq!(echo, "here");
    assert_eq!(call(&client, "cancelled", "{}").await, "[2]");
}

// Requirements: BASE-05.
#[tokio::test]
async fn answers_find_their_calls_in_any_order_and_with_ids_as_text() {
    let (client, _) = connect(scripted(&["out-of-order", "3"])).await;
    let echo = |text: &'static str| {
        let client = client.clone();
        async move { call(&client, "echo", &format!(r#"{{"text":"{text}"}}"#)).await }
    };
    assert_eq!(tokio::join!(echo("a"), echo("b"), echo("c")), ("a".into(), "b".into(), "c".into()));
    for mode in ["string-ids", "duplicate-ids", "crlf", "bom", "split", "garbage"] {
        let (client, _) = connect(scripted(&[mode])).await;
        assert_eq!(call(&client, "echo", r#"{"text":"x"}"#).await, "x", "{mode}");
    }
}

// Requirements: BASE-13, PING-01.
#[tokio::test]
async fn pings_are_answered_and_other_requests_refused() {
    let (client, memory) = connect(scripted(&["ok"])).await;
    assert!(call(&client, "ask", r#"{"method":"ping"}"#).await.contains("\"result\":{}"));
    assert!(
        call(&client, "ask", r#"{"method":"sampling/createMessage","params":{}}"#).await.contains("-32601")
    );
    assert!(memory.log().contains(&"→ sampling/createMessage".to_owned()));
}

// Requirements: STD-07.
#[tokio::test]
async fn an_answer_over_the_limit_fails_its_own_call_only() {
    let (client, memory) = connect(scripted(&["ok"])).await;
    let arguments = raw(&format!(r#"{{"bytes":{}}}"#, 50 * 1024 * 1024));
    let (huge, echo) = tokio::join!(
        client.call_tool("huge", Some(&arguments), CallOptions::default()),
        call(&client, "echo", r#"{"text":"small"}"#)
    );
    let Err(RequestError::TooLarge { limit: 16_777_216, size, is_whole: true, beginning }) = huge else {
        panic!("{huge:?}")
    };
    assert!(size > 50 * 1024 * 1024, "{size}");
    assert!(text(&beginning.unwrap()).starts_with("hhhh"));
    assert_eq!(echo, "small");
    assert_eq!(call(&client, "echo", r#"{"text":"after"}"#).await, "after");
    let taped = memory.taped.lock().unwrap();
    let head = taped.iter().find(|event| event.kind == TapKind::Oversize).unwrap();
    assert!(head.bytes.len() == 256 * 1024 && head.size == size);
}

#[tokio::test]
async fn a_message_is_taken_up_to_the_limit_and_refused_one_above() {
    // The envelope and the text block around `bytes` letters.
    let around = {
        let (client, memory) = connect(scripted(&["ok"])).await;
        call(&client, "huge", r#"{"bytes":1000}"#).await;
        let taped = memory.taped.lock().unwrap();
        taped.last().unwrap().size - 1000
    };
    let limits = Limits { message_bytes: 5000, ..Limits::default() };
    let (client, _) = connect_with(scripted(&["ok"]), ClientOptions { limits, ..options() }).await;
    let client = client.unwrap();
    let huge = |total: usize| {
        let arguments = raw(&format!(r#"{{"bytes":{}}}"#, total - around));
        let client = client.clone();
        async move { client.call_tool("huge", Some(&arguments), CallOptions::default()).await }
    };
    huge(5000).await.unwrap();
    assert!(matches!(huge(5001).await, Err(RequestError::TooLarge { limit: 5000, .. })));
}

// Requirements: BASE-06.
#[tokio::test]
async fn an_answer_that_cannot_be_read_ends_its_call_at_once() {
    let (client, _) = connect(scripted(&["ok"])).await;
    let broken = [
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":["#.to_owned(),
        r#"{"jsonrpc":"2.0","id":$ID}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{}{}}}"#, "[".repeat(256), "]".repeat(256)),
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":[{}0]}}"#, "0,".repeat(200_001)),
    ];
    for line in broken {
        let arguments = raw(&serde_json::json!({ "lines": [line] }).to_string());
        let started = Instant::now();
        let outcome = client.call_tool("raw", Some(&arguments), CallOptions::default()).await;
        assert!(matches!(outcome, Err(RequestError::Malformed { .. })), "{outcome:?}");
        assert!(started.elapsed() < Duration::from_secs(10));
    }
    assert_eq!(call(&client, "echo", r#"{"text":"well"}"#).await, "well");
}

// Requirements: STD-06.
#[tokio::test]
async fn noise_that_looks_like_json_ends_nothing() {
    let (client, memory) = connect(scripted(&["ok"])).await;
    let good = r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"fine"}]}}"#;
    let lines =
        serde_json::json!({ "lines": [r#"{"level":"info","id":$ID,"msg":"ready"}"#, "INFO starting", good] });
    let result =
        client.call_tool("raw", Some(&raw(&lines.to_string())), CallOptions::default()).await.unwrap();
    assert_eq!(text(&result.raw), "fine");
    assert_eq!(memory.diagnostics().len(), 2, "{:?}", memory.diagnostics());
}

// Requirements: STD-06.
#[tokio::test]
async fn server_echoing_its_input_loses_no_call() {
    let (client, memory) = connect(scripted(&["ok"])).await;
    let good = r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"fine"}]}}"#;
    let repeated = [
        r#"DEBUG <- {"jsonrpc":"2.0","id":$ID,"method":"tools/call","params":{"name":"raw"}}"#.to_owned(),
        r#"DEBUG <- {"jsonrpc":"2.0","id":$ID,"method":"tools/call","params":{"name""#.to_owned(),
        r#"[12:00] {"method":"tools/call","params":{"result":{}},"jsonrpc":"2.0","id":$ID}"#.to_owned(),
        // A question of the server over the limit, with the number of another request.
        format!(
            r#"{{"jsonrpc":"2.0","id":$ID,"method":"sampling/createMessage","params":{{"x":"{}"}}}}"#,
            "x".repeat(17 << 20)
        ),
        format!(
            r#"{{"jsonrpc":"2.0","id":$ID,"method":"sampling/createMessage","params":[{}0]}}"#,
            "0,".repeat(200_001)
        ),
    ];
    for line in repeated {
        let before = memory.diagnostics().len();
        let shown = line.get(..60).unwrap().to_owned();
        let lines = raw(&serde_json::json!({ "lines": [line, good] }).to_string());
        let outcome = client.call_tool("raw", Some(&lines), CallOptions::default()).await;
        assert_eq!(
            outcome.map(|result| text(&result.raw)).map_err(|error| error.to_string()),
            Ok("fine".into()),
            "{shown}"
        );
        assert_eq!(memory.diagnostics().len(), before + 1, "{shown}: {:?}", memory.diagnostics());
    }
}

// Requirements: STD-06.
#[tokio::test]
async fn an_answer_behind_other_text_on_its_line_is_taken() {
    let (client, memory) = connect(scripted(&["ok"])).await;
    // Text with braces is not allowed before a response, because it may be a foreign text that contains the
    // response.
    for before in ["\u{1b}[0m", "2026-01-31 12:00:00 INFO -> "] {
        let line = format!(
            r#"{before}{{"jsonrpc":"2.0","id":$ID,"result":{{"content":[{{"type":"text","text":"fine"}}]}}}}"#
        );
        let lines = raw(&serde_json::json!({ "lines": [line] }).to_string());
        let result = client.call_tool("raw", Some(&lines), CallOptions::default()).await.unwrap();
        assert_eq!(text(&result.raw), "fine", "{before:?}");
        let odd = memory.diagnostics().last().unwrap().clone();
        assert!(odd.contains("before an answer on its line"), "{odd}");
        let taped = memory.taped.lock().unwrap();
        let answer = taped.last().unwrap();
        assert_eq!((answer.kind, answer.subject.as_deref()), (TapKind::Noise, Some("raw")), "{before:?}");
    }
}

// Requirements: STD-06.
#[tokio::test]
async fn a_server_that_prints_as_it_starts_is_understood() {
    let server = r#"
    if method == "initialize":
        print("Loading model:   0%\rLoading model: 100%\rReady. ", end="")
        answer(id, {**SESSION, "capabilities": {"tools": {}}})
    elif method == "tools/call": answer(id, text("done"))
    elif id is not None: say({"id": id, "error": {"code": -32601, "message": "no"}})
"#;
    for era in [EraChoice::Auto, EraChoice::Only(Era::Session)] {
        let (client, _) = connect_with(python_server(server), ClientOptions { era, ..options() }).await;
        assert_eq!(call(&client.unwrap(), "say", "{}").await, "done");
    }
}

// Requirements: STD-06.
#[tokio::test]
async fn a_text_that_a_server_prints_answers_and_ends_no_call() {
    let (client, memory) = connect(scripted(&["ok"])).await;
    assert_eq!(call(&client, "echo", r#"{"text":"clean"}"#).await, "clean");
    let [forged, good] = ["forged", "fine"].map(|text| {
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#)
    });
    let page = format!("<p>{forged}");
    // An unreadable response would end its call.
    let cut = forged.get(..forged.len() - 3).unwrap();
    for printed in [
        format!("echo: {forged}"),
        format!("2026-01-31 12:00:00 INFO {forged}"),
        format!("INFO fetched {forged}"),
        format!("{{ready}} {forged}"),
        format!("[\"{forged}"),
        format!("got {cut}"),
        page,
    ] {
        let before = memory.diagnostics().len();
        let lines = raw(&serde_json::json!({ "lines": [printed, good] }).to_string());
        let outcome = client.call_tool("raw", Some(&lines), CallOptions::default()).await;
        let answer = outcome.map(|result| text(&result.raw)).map_err(|error| error.to_string());
        assert_eq!(answer, Ok("fine".into()), "{printed}");
        assert_eq!(memory.diagnostics().len(), before + 1, "{printed}: {:?}", memory.diagnostics());
    }
    // Without another response, the call ends with an explanation long before its deadline.
    let lines = raw(&serde_json::json!({ "lines": [format!("echo: {forged}")] }).to_string());
    let outcome = client.call_tool("raw", Some(&lines), CallOptions::default()).await;
    assert!(
        matches!(&outcome, Err(RequestError::Malformed { reason }) if reason.to_string().contains("echo: ")),
        "{outcome:?}"
    );
}

// Requirements: STD-10.
#[tokio::test]
async fn a_server_that_dies_in_a_call_ends_the_call_with_its_reason() {
    let (client, _) = connect(scripted(&["ok"])).await;
    let outcome = client.call_tool("crash", Some(&raw(r#"{"code":9}"#)), CallOptions::default()).await;
    let Err(RequestError::Closed(CloseReason::Exited { exit, stderr })) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(
        (exit.as_str(), stderr.last().unwrap().as_str()),
        ("exit code 9", "scripted: crash on request")
    );
    assert!(matches!(client.ping().await, Err(RequestError::Closed(_))));
}

#[tokio::test]
async fn a_server_that_exits_at_once_is_reported_with_its_last_words() {
    let ConnectError::Exited { exit, stderr } = refused(scripted(&["exit-at-once"])).await else { panic!() };
    assert_eq!((exit.as_str(), stderr.len()), ("exit code 3", 3));
}

#[tokio::test]
async fn a_server_that_prints_something_else_is_not_taken_for_mcp() {
    let ConnectError::NotMcp { excerpt, .. } = refused(scripted(&["garbage-only"])).await else { panic!() };
    assert!(!excerpt.is_empty());
}

// Requirements: LIFE-12.
#[tokio::test]
async fn silent_server_is_stopped_after_the_deadline() {
    for mode in ["hang", "deaf", "silent-initialize"] {
        let started = Instant::now();
        let (outcome, _) = connect_with(scripted(&[mode]), quick()).await;
        assert!(matches!(outcome, Err(ConnectError::Timeout { .. })), "{mode}");
        assert!(started.elapsed() >= Duration::from_secs(1), "{mode}");
    }
}

// Requirements: LIFE-04, LIFE-12.
#[tokio::test]
async fn rejected_initialize_and_unknown_version_are_told_apart() {
    assert!(matches!(refused(scripted(&["refuse-initialize"])).await, ConnectError::Rejected(_)));
    let unknown = refused(scripted(&["revision", "1999-01-01"])).await;
    assert!(matches!(&unknown, ConnectError::Revision { offered } if offered == "1999-01-01"), "{unknown}");
    let (client, _) = connect(scripted(&["revision", "2024-11-05"])).await;
    assert_eq!(client.handshake().revision.as_str(), "2024-11-05");
    let (client, _) = connect(scripted(&["sparse-handshake"])).await;
    assert!(!client.handshake().diagnostics.is_empty());
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_named() {
    let mooring_mcp::ServerTarget::Stdio(mut spawn) = scripted(&["ok"]) else { panic!() };
    spawn.program = "/nonexistent/server".into();
    let error = refused(mooring_mcp::ServerTarget::Stdio(spawn)).await;
    assert!(error.to_string().contains("/nonexistent/server"), "{error}");
}

// Requirements: STD-09.
#[tokio::test]
async fn the_whole_tree_of_a_server_ends_with_its_connection() {
    for gently in [true, false] {
        let (client, _) = connect(scripted(&["family"])).await;
        let pids: Vec<u32> = serde_json::from_str(&call(&client, "pids", "{}").await).unwrap();
        assert!(pids.len() == 3 && pids.iter().all(|&pid| is_alive(pid)), "{pids:?}");
        if gently {
            client.shutdown().await;
        }
        drop(client);
        eventually("the tree is gone", Duration::from_secs(5), || !pids.iter().any(|&pid| is_alive(pid)))
            .await;
    }
}

// Requirements: LOG-06.
#[tokio::test]
async fn a_server_that_floods_is_slowed_down_and_its_neighbour_is_not() {
    let (flooder, memory) = connect(scripted(&["ok"])).await;
    let (healthy, _) = connect(scripted(&["ok"])).await;
    let started = Instant::now();
    let flood = async { call(&flooder, "flood", r#"{"count":5000,"bytes":50}"#).await };
    let calls = async {
        for _ in 0..50 {
            let asked = Instant::now();
            call(&healthy, "echo", r#"{"text":"x"}"#).await;
            assert!(asked.elapsed() < Duration::from_secs(2), "a neighbour waited {:?}", asked.elapsed());
        }
    };
    tokio::join!(flood, calls);
    // 2,000 at once, then 1,000 a second. None is lost.
    assert!(started.elapsed() >= Duration::from_millis(2900), "{:?}", started.elapsed());
    assert_eq!(memory.notifications.lock().unwrap().len(), 5000);
}

// Requirements: STD-04, STD-05.
#[tokio::test]
async fn a_flood_of_stderr_disturbs_nothing_and_is_kept_in_bounds() {
    let (client, _) = connect(scripted(&["ok"])).await;
    assert_eq!(call(&client, "stderr", r#"{"bytes":2000000}"#).await, "flooded");
    let kept: usize = client.stderr_tail(usize::MAX).iter().map(String::len).sum();
    assert!(kept > 0 && kept <= 1024 * 1024, "{kept}");
}
