//! Negotiation: which era a server's responses suggest. The letters name kinds of broken servers that exist.

use std::time::Duration;

use mooring_mcp::{Client, ClientCapabilities, ClientOptions, ConnectError, Era, EraChoice, ServerTarget};
use mooring_process::{SearchPath, SpawnOptions};
use mooring_testkit::http::{HttpReply, HttpScript, HttpServer, RawReply, serve};

use crate::support::{TestHost, call, connect_with, endpoint, options, raw, scripted};

/// A discovery result of the stateless era.
pub(crate) const DISCOVERED: &str = r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"lamp","version":"2"}}}}"#;

pub(crate) fn choosing(era: EraChoice) -> ClientOptions {
    ClientOptions { era, ..options() }
}

async fn outcome(target: ServerTarget, era: EraChoice) -> Result<Client, ConnectError> {
    connect_with(target, choosing(era)).await.0
}

async fn auto(target: ServerTarget) -> Client {
    outcome(target, EraChoice::Auto).await.unwrap_or_else(|error| panic!("{error}"))
}

fn json(status: u16, text: &str) -> HttpReply {
    RawReply::new(status).header("content-type", "application/json").text(text).into()
}

fn error(id: &str, code: i64, data: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"no","data":{data}}}}}"#)
}

/// A server with this response to the probe, and a working session.
async fn probed(reply: HttpReply) -> HttpServer {
    serve(HttpScript::json().on("server/discover", reply)).await
}

/// Each of these responses to the probe leads to a working session.
async fn lead_to_a_session(replies: Vec<HttpReply>) {
    for (index, reply) in replies.into_iter().enumerate() {
        let server = probed(reply).await;
        let client = auto(endpoint(&server.url)).await;
        let handshake = client.handshake();
        assert_eq!(
            (handshake.era, handshake.revision.as_str()),
            (Era::Session, "2025-11-25"),
            "case {index}"
        );
        assert!(handshake.reason.contains("server/discover"), "case {index}: {}", handshake.reason);
        let asked: Vec<_> = handshake.negotiation.iter().map(|step| step.request).collect();
        assert_eq!(asked, ["server/discover", "initialize"], "case {index}");
        assert!(handshake.negotiation.iter().all(|step| step.elapsed.is_some() && !step.outcome.is_empty()));
        assert_eq!(
            server.methods()[..3],
            ["server/discover", "initialize", "notifications/initialized"],
            "case {index}"
        );
        assert_eq!(call(&client, "echo", r#"{"text":"x"}"#).await, "x", "case {index}");
    }
}

// Requirements: ERA-04, ERA-07, ERA-09, ERA-21, BASE-07.
#[tokio::test]
async fn a_400_whose_error_has_an_id_of_its_own_is_of_a_session_a() {
    lead_to_a_session(vec![json(400, &error("\"server-error\"", -32600, "null"))]).await;
}

// Requirements: ERA-04, ERA-11.
#[tokio::test]
async fn a_stream_that_is_closed_at_once_is_of_a_session_b() {
    lead_to_a_session(vec![HttpReply::stream_text("")]).await;
}

// Requirements: ERA-09, ERA-10.
#[tokio::test]
async fn bodies_that_are_no_json_rpc_are_of_a_session_d() {
    lead_to_a_session(vec![
        HttpReply::status(400, ""),
        HttpReply::status(404, ""),
        HttpReply::status(405, "Method Not Allowed"),
        HttpReply::status(406, "Not Acceptable"),
        HttpReply::status(415, "Unsupported Media Type"),
        HttpReply::status(422, "{\"detail\":\"x\"}"),
        HttpReply::html(),
        HttpReply::accepted(),
    ])
    .await;
}

// Requirements: ERA-04, ERA-09, ERA-11, ERA-12, ERA-13, ERA-26, BASE-25.
#[tokio::test]
async fn old_errors_and_results_that_say_nothing_are_of_a_session_e() {
    lead_to_a_session(vec![
        json(400, &error("null", -32700, "null")),
        json(400, &error("$ID", -32603, "\"400 Bad Request\"")),
        json(200, &error("$ID", -32601, "null")),
        json(200, &error("$ID", -32602, "null")),
        json(400, &error("null", -32000, "\"Mcp-Session-Id required\"")),
        json(200, r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#),
        // Codes that look like the stateless era's, but aren't.
        json(404, &error("$ID", -32601, "null")),
        json(404, &error("null", -32001, "null")),
        json(400, &error("null", -32003, "null")),
        json(400, &error("null", -32004, "null")),
    ])
    .await;
}

// Requirements: ERA-02, ERA-19.
#[tokio::test]
async fn server_naming_only_a_session_version_gets_initialize() {
    let answers = [
        json(200, &DISCOVERED.replace("2026-07-28", "2025-06-18")),
        json(
            400,
            &error("$ID", -32022, r#"{"supported":["2025-06-18","2024-11-05"],"requested":"2026-07-28"}"#),
        ),
    ];
    for reply in answers {
        let server = probed(reply).await;
        let client = auto(endpoint(&server.url)).await;
        assert_eq!(client.handshake().era, Era::Session);
        let opening = server.wait_for_message("initialize").await.json();
        assert_eq!(opening["params"]["protocolVersion"], "2025-06-18");
    }
}

// Requirements: ERA-03, ERA-08, ERA-18.
#[tokio::test]
async fn unsupported_version_error_for_our_version_is_retried_once() {
    let refusal = json(400, &error("$ID", -32022, r#"{"supported":["2026-07-28"]}"#));
    let script = HttpScript::json()
        .once("server/discover", refusal)
        .on("server/discover", HttpReply::json_text(DISCOVERED));
    let server = serve(script).await;
    let client = auto(endpoint(&server.url)).await;
    assert_eq!(
        (client.handshake().era, client.handshake().server_name.as_deref()),
        (Era::Modern, Some("lamp"))
    );
    assert_eq!(server.methods(), ["server/discover", "server/discover"]);
}

// Requirements: ERA-18, LIFE-16.
#[tokio::test]
async fn no_mutual_revision_is_said_with_the_names() {
    let server = probed(json(400, &error("$ID", -32022, r#"{"supported":["2099-01-01"]}"#))).await;
    let refused = outcome(endpoint(&server.url), EraChoice::Auto).await.err();
    assert!(
        matches!(&refused, Some(ConnectError::Revision { offered }) if offered == "2099-01-01"),
        "{refused:?}"
    );
    assert_eq!(server.methods(), ["server/discover"]);
}

// Requirements: ERA-03, ERA-08.
#[tokio::test]
async fn stateless_only_errors_never_lead_to_initialize() {
    for code in [-32020, -32021] {
        let server = probed(json(400, &error("$ID", code, "{}"))).await;
        let client = auto(endpoint(&server.url)).await;
        assert_eq!(client.handshake().era, Era::Modern, "{code}");
        assert!(server.methods().iter().all(|method| method == "server/discover"), "{:?}", server.methods());
    }
}

// Requirements: ERA-14, ERA-15.
#[tokio::test]
async fn a_login_or_a_failure_says_nothing_of_the_era_k() {
    let server = probed(HttpReply::unauthorized("Bearer")).await;
    assert!(matches!(
        outcome(endpoint(&server.url), EraChoice::Auto).await,
        Err(ConnectError::SignIn { status: 401, .. })
    ));
    assert_eq!(server.methods(), ["server/discover"]);
    for status in [403, 408, 429, 502, 503, 504] {
        let server = probed(HttpReply::status(status, "no")).await;
        let refused = outcome(endpoint(&server.url), EraChoice::Auto).await;
        assert!(matches!(refused, Err(ConnectError::Status { status: found, .. }) if found == status));
        assert_eq!(server.methods(), ["server/discover"]);
    }
}

// Requirements: ERA-04, ERA-15.
#[tokio::test]
async fn a_server_that_fails_at_the_probe_is_asked_to_initialize() {
    let page = RawReply::new(500).header("content-type", "text/html").text("<h1>Fault</h1>");
    let own = RawReply::new(500).header("content-type", "application/json").text(r#"{"message":"no"}"#);
    for failing in [
        HttpReply::status(500, "boom"),
        HttpReply::status(501, ""),
        page.into(),
        own.into(),
        HttpReply::html(),
    ] {
        let server = probed(failing).await;
        let client = auto(endpoint(&server.url)).await;
        assert_eq!(client.handshake().era, Era::Session);
        assert_eq!(server.methods()[..2], ["server/discover", "initialize"]);
    }
    // A silent server is waited for, but less than it may need to start.
    let server = probed(HttpReply::Hang).await;
    let mut options = choosing(EraChoice::Auto);
    options.deadlines.connect = std::time::Duration::from_secs(4);
    let client = connect_with(endpoint(&server.url), options).await.0.unwrap();
    assert!(
        client.handshake().reason.contains("Didn’t answer server/discover"),
        "{}",
        client.handshake().reason
    );
}

// Requirements: ERA-23, ERA-25.
#[tokio::test]
async fn cached_era_is_detected_again_when_initialize_is_rejected() {
    let refusal = json(400, &error("$ID", -32022, r#"{"supported":["2026-07-28"]}"#));
    let script = || {
        HttpScript::json()
            .on("server/discover", HttpReply::json_text(DISCOVERED))
            .on("initialize", refusal.clone())
    };
    let server = serve(script()).await;
    let only = outcome(endpoint(&server.url), EraChoice::Only(Era::Session)).await.err();
    assert!(
        matches!(&only, Some(ConnectError::Rejected(error)) if error.data.as_ref().unwrap().get().contains("2026-07-28"))
    );
    let server = serve(script()).await;
    let client = outcome(endpoint(&server.url), EraChoice::Remembered(Era::Session)).await.unwrap();
    assert_eq!(client.handshake().era, Era::Modern);
    assert_eq!(server.methods(), ["initialize", "server/discover"]);
    assert!(client.handshake().steps[0].starts_with("The remembered protocol version no longer works"));
}

// Requirements: ERA-24.
#[tokio::test]
async fn a_choice_for_the_stateless_era_never_falls_back() {
    let server = serve(HttpScript::json()).await;
    let refused = outcome(endpoint(&server.url), EraChoice::Only(Era::Modern)).await.err();
    assert!(
        matches!(&refused, Some(ConnectError::Handshake { reason }) if reason.contains("2026-07-28")),
        "{refused:?}"
    );
    assert_eq!(server.methods(), ["server/discover"]);
}

// Requirements: ERA-02, ERA-29, INFO-11.
#[tokio::test]
async fn facts_missing_from_a_modern_server_are_a_diagnostic() {
    let bare = r#"{"jsonrpc":"2.0","id":$ID,"result":{"supportedVersions":["2026-07-28"],"capabilities":{},"serverInfo":{"name":"rc","version":"0"}}}"#;
    let server = probed(HttpReply::json_text(bare)).await;
    let client = auto(endpoint(&server.url)).await;
    let handshake = client.handshake();
    assert_eq!((handshake.era, handshake.server_name.as_deref()), (Era::Modern, Some("rc")));
    let odd: Vec<_> = handshake.diagnostics.iter().map(|odd| odd.path.as_str()).collect();
    assert_eq!(odd, ["server/discover.resultType", "server/discover.ttlMs", "server/discover.cacheScope"]);
}

// Requirements: ERA-20, LIFE-16.
#[tokio::test]
async fn initialize_answered_with_the_stateless_version_is_rejected() {
    let answer = r#"{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2026-07-28","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}"#;
    let server = serve(HttpScript::json().on("initialize", HttpReply::json_text(answer))).await;
    let refused = outcome(endpoint(&server.url), EraChoice::Only(Era::Session)).await;
    assert!(matches!(refused, Err(ConnectError::Revision { .. })));
}

// Requirements: LIFE-11.
#[tokio::test]
async fn error_that_names_revisions_is_followed() {
    let refusal =
        json(200, &error("$ID", -32602, r#"{"supported":["2024-11-05"],"requested":"2025-11-25"}"#));
    let server = serve(HttpScript::json().once("initialize", refusal)).await;
    auto(endpoint(&server.url)).await;
    let second = server.requests().into_iter().rfind(|request| request.rpc_method == "initialize").unwrap();
    assert_eq!(second.json()["params"]["protocolVersion"], "2024-11-05");
}

/// A Python program as a server.
fn python(program: &str) -> ServerTarget {
    let search = SearchPath::from_environment();
    let cwd = std::env::temp_dir();
    ServerTarget::Stdio(SpawnOptions {
        program: mooring_process::resolve("python3", &search, &cwd).unwrap(),
        args: vec!["-u".to_owned(), "-c".to_owned(), program.to_owned()],
        env: std::collections::BTreeMap::new(),
        cwd,
        search,
    })
}

/// A session that responds to each method; `before` runs first for each `message`.
fn session_in_python(before: &str) -> String {
    format!(
        r#"
import json, sys, time, os
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
{before}
    if "id" not in message: continue
    result = {{}}
    if method == "initialize":
        result = {{"protocolVersion": "2025-06-18", "capabilities": {{"tools": {{}}}}, "serverInfo": {{"name": "py", "version": "1"}}}}
    if method == "tools/call":
        result = {{"content": [{{"type": "text", "text": str(os.getpid())}}]}}
    print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": result}}))
"#
    )
}

// Requirements: ERA-01, ERA-04, ERA-21.
#[tokio::test]
async fn stdio_server_rejecting_the_probe_gets_initialize() {
    let client = auto(scripted(&["ok"])).await;
    assert_eq!(client.handshake().era, Era::Session);
    assert!(
        client.handshake().reason.starts_with("Answered server/discover with error"),
        "{}",
        client.handshake().reason
    );
    assert_eq!(call(&client, "echo", r#"{"text":"x"}"#).await, "x");
}

// Requirements: ERA-06.
#[tokio::test]
async fn server_dying_from_the_probe_is_restarted_with_initialize() {
    let program = session_in_python(
        "    if method not in (\"initialize\", \"notifications/initialized\", \"tools/call\"): sys.exit(7)",
    );
    let client = auto(python(&program)).await;
    assert!(
        client.handshake().reason.starts_with("Exited after server/discover"),
        "{}",
        client.handshake().reason
    );
    assert!(call(&client, "x", "{}").await.parse::<u32>().is_ok());
    // A server that exits on any request is not started a third time.
    let died = outcome(python("import sys; sys.stdin.readline(); sys.exit(7)"), EraChoice::Auto).await.err();
    assert!(matches!(&died, Some(ConnectError::Exited { exit, .. }) if exit == "exit code 7"), "{died:?}");
}

// Requirements: ERA-05.
#[tokio::test]
async fn slow_server_gets_initialize_and_its_late_answer_is_ignored() {
    let quick = ClientOptions { probe: Duration::from_millis(300), ..choosing(EraChoice::Auto) };
    let silent = session_in_python("    if method == \"server/discover\": continue");
    let slow = session_in_python("    if method == \"server/discover\": time.sleep(1)");
    // A late response to the probe says what kind of server it is, too.
    let late = "Answered server/discover with something else";
    for (program, why) in [(silent, "Didn’t answer server/discover"), (slow, late)] {
        let (client, memory) = connect_with(python(&program), quick.clone()).await;
        let client = client.unwrap();
        assert_eq!(client.handshake().revision.as_str(), "2025-06-18");
        let reason = client.handshake().reason.to_string();
        assert!(reason.starts_with(why), "{reason}");
        assert!(call(&client, "x", "{}").await.parse::<u32>().is_ok());
        assert!(memory.diagnostics().is_empty(), "{:?}", memory.diagnostics());
    }
}

/// A server of the stateless era that takes a second to start or to respond to `server/discover`, and
/// responds to `initialize` with `refusal`.
fn slow_and_modern(refusal: &str, starts: bool) -> String {
    let (starting, answering) = if starts { (1, 0) } else { (0, 1) };
    format!(
        r#"
import json, sys, time, os
time.sleep({starting})
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if "id" not in message: continue
    if method == "server/discover": time.sleep({answering})
    answer = {{"result": {{"resultType": "complete", "content": [{{"type": "text", "text": str(os.getpid())}}]}}}}
    if method == "initialize":
        answer = {{"error": {refusal}}}
    if method == "server/discover":
        answer = {{"result": {{"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {{"tools": {{}}}}, "ttlMs": 0, "cacheScope": "private", "_meta": {{"io.modelcontextprotocol/serverInfo": {{"name": "slow", "version": "1"}}}}}}}}
    print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], **answer}}))
"#
    )
}

// Requirements: ERA-03, ERA-05, ERA-13.
#[tokio::test]
async fn a_modern_server_that_starts_or_answers_slowly_is_modern() {
    let quick = |era| ClientOptions { probe: Duration::from_millis(300), ..choosing(era) };
    for refusal in [
        r#"{"code": -32022, "message": "no", "data": {"supported": ["2026-07-28"]}}"#,
        r#"{"code": -32601, "message": "no"}"#,
    ] {
        // A busy server gets both requests, and its first response counts.
        let busy = slow_and_modern(refusal, false);
        let (client, memory) = connect_with(python(&busy), quick(EraChoice::Auto)).await;
        let client = client.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(client.handshake().era, Era::Modern);
        let asked: Vec<_> = client.handshake().negotiation.iter().map(|step| step.request).collect();
        assert_eq!(asked, ["server/discover", "initialize", "server/discover"]);
        assert!(call(&client, "x", "{}").await.parse::<u32>().is_ok());
        assert!(memory.diagnostics().is_empty(), "{:?}", memory.diagnostics());
        client.shutdown().await;
        let program = slow_and_modern(refusal, true);
        for era in [EraChoice::Auto, EraChoice::Remembered(Era::Modern), EraChoice::Remembered(Era::Session)]
        {
            let (client, memory) = connect_with(python(&program), quick(era)).await;
            let client = client.unwrap_or_else(|error| panic!("{era:?}: {error}"));
            let handshake = client.handshake();
            assert_eq!((handshake.era, handshake.server_name.as_deref()), (Era::Modern, Some("slow")));
            let asked: Vec<_> = handshake.negotiation.iter().map(|step| step.request).collect();
            // A server that has not read the probe yet is not silent.
            let first = if era == EraChoice::Remembered(Era::Session) { &["initialize"][..] } else { &[] };
            assert_eq!(asked, [first, &["server/discover"]].concat(), "{era:?}");
            assert!(call(&client, "x", "{}").await.parse::<u32>().is_ok());
            assert!(memory.diagnostics().is_empty(), "{:?}", memory.diagnostics());
            client.shutdown().await;
        }
        // If no other era is allowed, there is time to start.
        let chosen = connect_with(python(&program), quick(EraChoice::Only(Era::Modern))).await.0;
        let chosen = chosen.unwrap_or_else(|error| panic!("{error}"));
        let asked: Vec<_> = chosen.handshake().negotiation.iter().map(|step| step.request).collect();
        assert_eq!(asked, ["server/discover"]);
    }
    // If a server refuses both, the error is that of `initialize`.
    let neither = session_in_python(
        "    if \"id\" in message:\n        print(json.dumps({\"jsonrpc\": \"2.0\", \"id\": message[\"id\"], \"error\": {\"code\": -32601, \"message\": \"no\"}}), flush=True) if method == \"initialize\" else None\n        continue",
    );
    let refused = connect_with(python(&neither), quick(EraChoice::Auto)).await.0.err();
    assert!(matches!(&refused, Some(ConnectError::Rejected(error)) if error.code == -32601), "{refused:?}");
}

// Requirements: ERA-05, ERA-06, STD-01.
#[tokio::test]
async fn slow_or_single_process_server_never_runs_twice_at_once() {
    let quick = ClientOptions { probe: Duration::from_millis(300), ..choosing(EraChoice::Auto) };
    let home = tempfile::tempdir().unwrap();
    let lock = |name: &str| {
        let path = home.path().join(name);
        // The lock is held as long as the process lives. A second process exits at once.
        format!(
            "import fcntl, sys, time\nlock = open({path:?}, \"w\")\ntry: fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)\nexcept OSError: sys.exit(9)\n"
        )
    };
    let slow = format!("{}time.sleep(2)\n{}", lock("slow"), session_in_python("    pass"));
    let dies =
        format!("{}{}", lock("dies"), session_in_python("    if method == \"server/discover\": sys.exit(7)"));
    for program in [slow, dies] {
        let (client, _) = connect_with(python(&program), quick.clone()).await;
        let client = client.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(client.handshake().era, Era::Session);
        assert!(call(&client, "x", "{}").await.parse::<u32>().is_ok());
        client.shutdown().await;
    }
}

// Requirements: ERA-23.
#[tokio::test]
async fn what_was_remembered_is_used_without_asking_again() {
    let server = serve(HttpScript::json()).await;
    let client = outcome(endpoint(&server.url), EraChoice::Remembered(Era::Session)).await.unwrap();
    assert_eq!(server.methods()[0], "initialize");
    assert!(client.handshake().reason.starts_with("Remembered from last time"));
}

// Requirements: ERA-27.
#[tokio::test]
async fn server_between_the_eras_gets_message_headers() {
    let server = serve(HttpScript::json().with_draft_headers()).await;
    let client = auto(endpoint(&server.url)).await;
    assert_eq!(client.handshake().era, Era::Session);
    assert_eq!(call(&client, "echo", r#"{"text":"x"}"#).await, "x");
    client.shutdown().await;
    let told = |method: &str| {
        let request = server.requests().into_iter().find(|request| request.rpc_method == method).unwrap();
        ["mcp-method", "mcp-name", "mcp-session-id"].map(|name| request.header(name).is_some())
    };
    assert_eq!(told("initialize"), [true, false, false]);
    assert_eq!(told("notifications/initialized"), [true, false, true]);
    assert_eq!(told("tools/call"), [true, true, true]);
    assert_eq!(told("DELETE"), [false, false, true]);
}

// Requirements: ERA-28.
#[tokio::test]
async fn one_discover_request_suffices_and_a_chosen_era_needs_none() {
    let told = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":false},"logging":{}},"instructions":"Mind the tide.","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"lamp","title":"The Lamp","version":"2"}}}"#;
    let told = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{told}}}"#);
    let answer = r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":[{"type":"text","text":"ok"}]}}"#;
    let script = || HttpScript::json().without_session().on("tools/call", HttpReply::json_text(answer));
    for era in [EraChoice::Auto, EraChoice::Only(Era::Modern), EraChoice::Remembered(Era::Modern)] {
        let server = serve(script().on("server/discover", HttpReply::json_text(&told))).await;
        let client = outcome(endpoint(&server.url), era).await.unwrap();
        let handshake = client.handshake();
        assert_eq!(handshake.server_name.as_deref(), Some("lamp"));
        assert_eq!(handshake.server_title.as_deref(), Some("The Lamp"));
        assert_eq!(handshake.server_version.as_deref(), Some("2"));
        assert_eq!(handshake.instructions.as_deref(), Some("Mind the tide."));
        assert!(handshake.offers("logging") && !handshake.offers("prompts"));
        assert_eq!(server.methods(), ["server/discover"], "{era:?}");
    }
    let silent = json(404, &error("$ID", -32601, "null"));
    let server = serve(script().on("server/discover", silent)).await;
    let client = outcome(endpoint(&server.url), EraChoice::Only(Era::Modern)).await.unwrap();
    assert_eq!((client.handshake().era, client.handshake().server_name.as_deref()), (Era::Modern, None));
    assert_eq!(call(&client, "x", "{}").await, "ok");
    assert_eq!(server.methods(), ["server/discover", "tools/call"]);
}

// Requirements: LOG-07.
#[tokio::test]
async fn what_is_used_although_it_is_deprecated_is_said_once() {
    let logs =
        DISCOVERED.replace(r#""capabilities":{"tools":{}}"#, r#""capabilities":{"tools":{},"logging":{}}"#);
    let plain = ClientCapabilities { forms: true, ..ClientCapabilities::default() };
    let folders = ClientCapabilities { roots: true, sampling: true, ..plain };
    for (told, abilities, era, expected) in [
        (logs.as_str(), folders, EraChoice::Auto, &["logging", "roots", "sampling"][..]),
        (DISCOVERED, plain, EraChoice::Auto, &[]),
        // In older revisions these features are not deprecated.
        (logs.as_str(), folders, EraChoice::Only(Era::Session), &[]),
    ] {
        let server = serve(HttpScript::json().on("server/discover", HttpReply::json_text(told))).await;
        let mut host = std::sync::Arc::into_inner(TestHost::new(|_| Ok(raw("{}")))).unwrap();
        host.abilities = abilities;
        let client = std::sync::Arc::new(host).connect(endpoint(&server.url), choosing(era)).await;
        let steps = client.handshake().steps.iter().map(ToString::to_string);
        let said: Vec<_> = steps.filter(|step| step.contains("deprecated")).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|what| format!("{what} is used, which is deprecated in 2026-07-28"))
            .collect();
        assert_eq!(said, expected);
    }
}
