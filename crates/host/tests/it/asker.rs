//! A server that asks what its tools are called with, and a person who answers.

use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

use mooring_base::clock::Clock;
use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_host::{Host, HostOptions};
use mooring_inbox::{InboxView, InteractionAnswer, InteractionView, Remember};
use mooring_oauth::{AuthorizationUrl, Browser, BrowserFuture, Error as SignInError};
use mooring_server_state::StateName;
use mooring_words::say;
use serde_json::{Value, json};
use url::Url;

use crate::clock::{advance, test_clock};
use crate::support::{LIMIT, call, ignore_events, options, stdio, until_state};

/// Asks over stdio in a session of 2025-11-25. The tool `ask` sends its arguments as a request and returns
/// the answer. `flood` sends many forms at once and returns when all but `held` are answered. `required`
/// reports that a URL must be opened first, and `complete` that it is done. `hold` returns when it is
/// `release`d, and `held` returns how many are waiting. `take_back` cancels the last request, and `leave`
/// ends the process.
const PROGRAM: &str = r#"
import json, sys, threading
def pour(count):
    for which in range(count): sys.stdout.write('{"jsonrpc":"2.0","id":"f%d","method":"elicitation/create","params":%s}\n' % (which, json.dumps(FORM)))
    sys.stdout.flush()
def say(message): sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n"); sys.stdout.flush()
def answer(id, result): say({"id": id, "result": result})
def text(words): return {"content": [{"type": "text", "text": words}]}
FORM = {"message": "?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
kept, calls, number = {"visited": False}, {}, 0
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ["ask", "flood", "required", "complete", "leave", "hold", "held", "release", "take_back"]]
for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params", {})
    if method == "initialize":
        kept["capabilities"] = params["capabilities"]
        answer(id, {"protocolVersion": "2025-11-25", "serverInfo": {"name": "asker", "version": "1"}, "capabilities": {"tools": {}}})
    elif method == "tools/list": answer(id, {"tools": TOOLS})
    elif method == "tools/call":
        name, arguments = params["name"], params.get("arguments", {})
        if name == "ask":
            number += 1
            calls[f"q{number}"] = id
            say({"id": f"q{number}", "method": arguments["method"], "params": arguments.get("params", FORM)})
        elif name == "flood":
            kept["flood"], kept["due"], kept["answers"] = id, arguments["count"] - arguments["held"], {}
            threading.Thread(target=pour, args=(arguments["count"],)).start()
        elif name == "required":
            if kept["visited"]: answer(id, text("visited"))
            else:
                kept["visited"] = True
                say({"id": id, "error": {"code": -32042, "message": "first", "data": {"elicitations": [arguments]}}})
        elif name == "complete":
            say({"method": "notifications/elicitation/complete", "params": arguments})
            answer(id, text("told"))
        elif name == "hold" and not arguments.get("asks"): kept.setdefault("held", []).append(id)
        elif name == "hold":
            number += 1
            calls[f"q{number}"] = id
            say({"id": f"q{number}", "method": "elicitation/create", "params": FORM})
        elif name == "held": answer(id, text(str(len(kept.get("held", [])))))
        elif name == "release":
            for held in kept.pop("held"): answer(held, text("released"))
            answer(id, text("all"))
        elif name == "take_back":
            say({"method": "notifications/cancelled", "params": {"requestId": f"q{number}", "reason": "no longer needed"}})
            answer(id, text("told"))
        elif name == "capabilities": answer(id, text(json.dumps(kept["capabilities"])))
        elif name == "leave": sys.exit(0)
    elif method is None and isinstance(id, str) and id in calls:
        answer(calls.pop(id), text(json.dumps(message.get("result", message.get("error")))))
    elif method is None and isinstance(id, str) and id.startswith("f"):
        said = json.dumps(message.get("result", message.get("error")))
        kept["answers"][said] = kept["answers"].get(said, 0) + 1
        if sum(kept["answers"].values()) == kept["due"]: answer(kept["flood"], text(json.dumps(kept["answers"])))
    elif id is not None: answer(id, {})
"#;

/// The URLs that every [`RecordingBrowser`] in this process was sent to.
static VISITED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Gates for browsers of URLs that contain `hangs`. A browser returns when its gate opens.
pub(crate) static HANGING: Mutex<Vec<mooring_testkit::http::Gate>> = Mutex::new(Vec::new());

/// Cloned by each browser of a URL that contains `for-ever`, to count the live ones.
pub(crate) static LIVING: LazyLock<Arc<()>> = LazyLock::new(Arc::default);

/// A browser that records its URLs. It fails the first time for URLs that contain `fails`, and for those with
/// `hangs` it does not return until its gate opens.
struct RecordingBrowser;

impl Browser for RecordingBrowser {
    fn open<'a>(&'a self, _: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn visit<'a>(&'a self, url: &'a Url) -> BrowserFuture<'a> {
        VISITED.lock().unwrap().push(url.to_string());
        if url.as_str().contains("fails") && visits(url.as_str()) == 1 {
            let said = say!("the browser couldn’t be started: {reason}", reason = "no display");
            return Box::pin(std::future::ready(Err(SignInError::Aborted(said))));
        }
        let living = url.as_str().contains("for-ever").then(|| Arc::clone(&LIVING));
        Box::pin(async move {
            let gates =
                if url.as_str().contains("hangs") { HANGING.lock().unwrap().clone() } else { Vec::new() };
            for gate in gates {
                gate.wait_until_open().await;
            }
            drop(living);
            Ok(())
        })
    }
}

fn visiting() -> Arc<dyn Browser> {
    Arc::new(RecordingBrowser)
}

/// How often a browser was sent to a URL.
pub(crate) fn visits(url: &str) -> usize {
    VISITED.lock().unwrap().iter().filter(|visited| *visited == url).count()
}

/// Waits until a browser was sent to a URL this often.
pub(crate) async fn until_visits(url: &str, count: usize) {
    mooring_testkit::eventually("the browser was sent there", LIMIT, || visits(url) >= count).await;
    assert_eq!(visits(url), count, "{url}");
}

/// The host of a window with a recording browser.
pub(crate) async fn attended(home: &Path) -> Host {
    attended_by(home, test_clock()).await
}

/// The host of a window with a recording browser and this clock.
pub(crate) async fn attended_by(home: &Path, clock: Clock) -> Host {
    Host::open(HostOptions { browser: visiting, clock, ..options(home, true) }).await.unwrap()
}

pub(crate) fn asker(name: &str) -> NewServer {
    stdio(name, "python3", &["-u", "-c", PROGRAM])
}

/// Saves a server that asks questions, and waits until it runs.
pub(crate) async fn asks(host: &Host, name: &str) -> ServerId {
    let id = host.add_server(asker(name)).await.unwrap().id;
    until_state(host, id, StateName::Ready).await;
    id
}

/// Calls a tool, and returns the text of its result as JSON.
pub(crate) async fn tool(host: &Host, id: ServerId, name: &str, arguments: &Value) -> Value {
    let outcome = host.call_tool(id, call(name, arguments), ignore_events()).await.unwrap();
    let result = outcome.result.unwrap_or_else(|| panic!("{:?}", outcome.error));
    let result: Value = serde_json::from_str(result.get()).unwrap();
    let text = result["content"][0]["text"].as_str().unwrap();
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

/// Makes a server ask for a form with these fields, and returns the answer that it received.
pub(crate) async fn form(host: &Host, id: ServerId, properties: &Value) -> Value {
    let schema = json!({ "type": "object", "properties": properties });
    let params = json!({ "message": "Who?", "requestedSchema": schema });
    tool(host, id, "ask", &json!({ "method": "elicitation/create", "params": params })).await
}

/// Waits until the Inbox meets `condition`.
pub(crate) async fn until_inbox(
    host: &Host,
    what: &str,
    condition: impl Fn(&InboxView) -> bool,
) -> InboxView {
    let mut events = host.events();
    let wait = async {
        loop {
            let inbox = host.inbox();
            if condition(&inbox) {
                return inbox;
            }
            // Lagging only means that something happened.
            let _lagged = events.recv().await;
        }
    };
    match tokio::time::timeout(LIMIT, wait).await {
        Ok(inbox) => inbox,
        Err(elapsed) => panic!("not {what}, {elapsed}: {:?}", host.inbox()),
    }
}

/// Waits for a question that can be answered.
pub(crate) async fn first(host: &Host) -> InteractionView {
    let inbox = until_inbox(host, "asked", |inbox| inbox.waiting.iter().any(|one| one.position == 0)).await;
    inbox.waiting.into_iter().find(|one| one.position == 0).unwrap()
}

/// Opens a question, advances the clock until a yes is accepted, and returns the nonce.
pub(crate) fn armed(host: &Host, id: i64) -> String {
    let opening = host.open_interaction(id).unwrap();
    advance(opening.armed_in);
    opening.nonce
}

pub(crate) fn yes(content: Option<&Value>) -> InteractionAnswer {
    InteractionAnswer::Accept { content: content.map(Value::to_string), remember: Remember::Once }
}

pub(crate) fn no() -> InteractionAnswer {
    InteractionAnswer::Decline { remember: Remember::Once }
}

/// Waits for a question, and answers it immediately.
pub(crate) async fn answer_first(host: &Host, answer: InteractionAnswer) -> i64 {
    let waiting = first(host).await;
    let nonce = match answer {
        InteractionAnswer::Accept { .. } => armed(host, waiting.id),
        _ => host.open_interaction(waiting.id).unwrap().nonce,
    };
    host.answer_interaction(waiting.id, &nonce, answer).await.unwrap();
    waiting.id
}
