//! Headers, `_meta` and URLs: names in any case, exact values, and secrets nowhere else.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_mcp::{
    CallOptions, Client, ClientOptions, ConnectError, Era, EraChoice, Extension, RequestError, ServerTarget,
};
use mooring_testkit::http::{HttpReply, HttpScript, RecordedRequest, serve};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::era::choosing;
use crate::support::{
    TestHost, call, connect_with, discovered, endpoint, opening, raw, requests, result, rpc_error,
};

/// An HTTP server with unusual headers, which records the headers of requests.
struct OddHeaderServer {
    url: String,
    heads: Arc<Mutex<Vec<String>>>,
    _tasks: JoinSet<()>,
}

/// `headers` returns the headers of the response to a method, each line with its end, and the status.
async fn odd(headers: fn(&str) -> (&'static str, &'static str)) -> OddHeaderServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let heads: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&heads);
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut exchanges = JoinSet::new();
        while let Ok((socket, _)) = listener.accept().await {
            exchanges.spawn(exchange(socket, Arc::clone(&seen), headers));
        }
    });
    OddHeaderServer { url, heads, _tasks: tasks }
}

async fn exchange(
    socket: TcpStream,
    heads: Arc<Mutex<Vec<String>>>,
    headers: fn(&str) -> (&'static str, &'static str),
) {
    let mut socket = BufReader::new(socket);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if socket.read_line(&mut head).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let length = head.to_ascii_lowercase();
    let length = length
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    socket.read_exact(&mut body).await.unwrap();
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    heads.lock().unwrap().push(head);
    let method = message["method"].as_str().unwrap_or_default();
    let result = match method {
        "initialize" => {
            json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "odd", "version": "1"}})
        }
        _ => json!({"content": [{"type": "text", "text": "ok"}]}),
    };
    let (status, headers) = headers(method);
    let body = if status.starts_with("200") {
        json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string()
    } else {
        String::new()
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\n{headers}CoNtEnT-lEnGtH: {}\r\ncOnNeCtIoN: ClOsE\r\n\r\n{body}",
        body.len()
    );
    let mut socket = socket.into_inner();
    socket.write_all(answer.as_bytes()).await.unwrap();
    let _closed = socket.shutdown().await;
}

// Requirements: SHL-07, SHS-15.
#[tokio::test]
async fn header_names_match_in_any_case_and_values_stay_exact() {
    let server = odd(|method| match method {
        "server/discover" => ("404 Not Found", ""),
        "initialize" => {
            ("200 OK", "CONTENT-type: Application/JSON; Charset=UTF-8\r\nmCP-sESSION-iD: Aa-bB\r\n")
        }
        "tools/call" => ("200 OK", "content-TYPE: APPLICATION/json\r\n"),
        "" => ("405 Method Not Allowed", ""),
        _ => ("202 Accepted", ""),
    })
    .await;
    let (client, memory) = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await;
    let client = client.unwrap();
    for name in ["Echo", "echo"] {
        assert_eq!(call(&client, name, "{}").await, "ok");
    }
    assert!(memory.diagnostics().is_empty(), "{:?}", memory.diagnostics());
    let heads = server.heads.lock().unwrap().clone();
    let calls: Vec<&String> = heads.iter().filter(|head| head.contains(": tools/call\r\n")).collect();
    assert!(calls[0].contains(": Echo\r\n") && calls[1].contains(": echo\r\n"), "{calls:?}");
    assert!(calls.iter().all(|head| head.contains(": Aa-bB\r\n")), "{calls:?}");

    let server = odd(|_| ("401 Unauthorized", "wWw-aUTHENTICATE: Bearer realm=\"TiDe\"\r\n")).await;
    let (outcome, _) = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await;
    let asked = outcome.err();
    assert!(
        matches!(&asked, Some(ConnectError::SignIn { status: 401, challenge: Some(words) }) if words == "Bearer realm=\"TiDe\""),
        "{asked:?}"
    );
}

/// The keys of every `_meta` that was sent.
fn meta_keys(requests: &[RecordedRequest]) -> BTreeSet<String> {
    let metas = requests.iter().map(|request| request.json()["params"]["_meta"].clone());
    metas.filter_map(|meta| Some(meta.as_object()?.keys().cloned().collect::<Vec<_>>())).flatten().collect()
}

/// Uses every method that sends something.
async fn do_everything(client: &Client) {
    let options = || CallOptions { on_progress: Some(Arc::new(|_| {})), ..CallOptions::default() };
    client.set_log_level("info").await.unwrap();
    client.list_tools().await.unwrap();
    client.call_tool("x", None, options()).await.unwrap();
    client.read_resource("a:1", options()).await.unwrap();
    client.get_prompt("p", None, options()).await.unwrap();
    client.ping().await.unwrap();
    client.roots_changed();
    let given_up = client.call_tool("never", None, options());
    assert!(tokio::time::timeout(Duration::from_millis(100), given_up).await.is_err());
    client.shutdown().await;
}

// Requirements: BASE-19, BASE-21, PROG-01.
#[tokio::test]
async fn what_is_sent_in_meta_is_what_the_protocol_names_and_no_trace() {
    let offers = json!({"tools": {}, "resources": {}, "prompts": {}, "logging": {}});
    let scripted = |script: HttpScript| {
        let fine = |mut members: Value| {
            members["resultType"] = json!("complete");
            result(&members)
        };
        script
            .without_session()
            .on("tools/list", fine(json!({"tools": []})))
            .once("tools/call", fine(json!({"content": []})))
            .on("tools/call", HttpReply::Hang)
            .on("resources/read", fine(json!({"contents": []})))
            .on("prompts/get", fine(json!({"messages": []})))
    };
    let modern = scripted(HttpScript::json()).on("server/discover", discovered(&offers));
    let session = scripted(HttpScript::json()).on("initialize", opening("2025-11-25", &offers));
    let ours = |name: &str| format!("io.modelcontextprotocol/{name}");
    let told = ["clientCapabilities", "clientInfo", "logLevel", "protocolVersion"].map(ours);
    let all: BTreeSet<String> = told.into_iter().chain(["progressToken".to_owned()]).collect();
    for (script, era, expected) in [
        (modern, EraChoice::Auto, all),
        (session, EraChoice::Only(Era::Session), BTreeSet::from(["progressToken".to_owned()])),
    ] {
        let server = serve(script).await;
        let host = TestHost::new(|_| Ok(raw("{}")));
        let options = ClientOptions { extensions: vec![Extension::tasks()], ..choosing(era) };
        let client = host.connect(endpoint(&server.url), options).await;
        do_everything(&client).await;
        let requests = server.requests();
        assert_eq!(meta_keys(&requests), expected);
        let traces = ["traceparent", "tracestate", "baggage"];
        assert!(requests.iter().all(|request| traces.iter().all(|trace| request.header(trace).is_none())));
    }
}

/// The error of a server that requires a visit to `url` first.
fn wants(url: &str) -> HttpReply {
    let elicitation = json!({"mode": "url", "elicitationId": "e", "url": url, "message": "?"});
    rpc_error(200, -32042, &json!({"elicitations": [elicitation]}))
}

// Requirements: ELIC-21, ELIC-33.
#[tokio::test]
async fn required_url_is_not_fetched_and_changes_no_credential() {
    let canary = serve(HttpScript::json()).await;
    let script = HttpScript::json().without_session().once("tools/call", wants(&canary.url));
    let server = serve(script).await;
    let host = TestHost::new(|_| Ok(raw(r#"{"action":"accept"}"#)));
    let headers = vec![("Authorization".to_owned(), "Bearer ours".to_owned())];
    let target = ServerTarget::Http { url: server.url.parse().unwrap(), headers };
    let client = host.connect(target, crate::support::options()).await;
    assert_eq!(call(&client, "echo", r#"{"text":"x"}"#).await, "x");
    assert_eq!(host.asked.lock().unwrap().len(), 1);
    assert!(canary.requests().is_empty(), "{:?}", canary.methods());
    let calls = requests(&server, "tools/call");
    assert_eq!(calls.len(), 2);
    assert!(server.requests().iter().all(|request| request.header("authorization") == Some("Bearer ours")));
    // The same URL in an elicitation, and a sign-in that the server requires after it.
    let asks = json!({"mode": "url", "elicitationId": "f", "url": canary.url, "message": "?"});
    let asks = json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": asks});
    let stream =
        format!("data: {asks}\n\ndata: {{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{{\"content\":[]}}}}\n\n");
    let script = HttpScript::json()
        .without_session()
        .once("tools/call", HttpReply::stream_text(&stream))
        .on("tools/call", HttpReply::unauthorized("Bearer"));
    let server = serve(script).await;
    let client = host.connect(endpoint(&server.url), crate::support::options()).await;
    client.call_tool("x", None, CallOptions::default()).await.unwrap();
    let answer = server.wait_for_message("response").await.json();
    assert_eq!(answer["result"], json!({"action": "accept"}));
    assert!(canary.requests().is_empty(), "{:?}", canary.methods());
    let refused = client.call_tool("x", None, CallOptions::default()).await;
    assert!(matches!(refused, Err(RequestError::SignIn { status: 401, .. })), "{refused:?}");
    client.shutdown().await;
}
