//! Loops in which a model uses tools of the asking server. The server must not control how long they run.

use mooring_base::server_id::ServerId;
use mooring_host::{Host, HostOptions};
use mooring_inbox::Remember;
use mooring_models::Budget;
use mooring_server_state::StateName;
use mooring_testkit::models::{EVENTS, FakeProvider, ProviderReply};
use serde_json::{Value, json};

use crate::asker::tool;
use crate::people::with_keychain;
use crate::sampling::fixture;
use crate::sampling_gates::{SamplingWindow, paris, priced};
use crate::support::{options, stdio, until, until_state};

/// Its tool `loop` sends this many sampling requests with tools in turn, without the earlier rounds. With
/// `between`, every other request has no tools. It returns the stop reasons and the refusals.
const PROGRAM: &str = r#"
import json, sys
def say(message): sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n"); sys.stdout.flush()
TOOL = {"name": "echo", "inputSchema": {"type": "object"}}
kept = {}
def ask():
    kept["left"] -= 1
    params = {"messages": [{"role": "user", "content": {"type": "text", "text": "go on"}}], "maxTokens": 100}
    if not (kept["between"] and kept["left"] % 2): params["tools"] = [TOOL]
    say({"id": "q%d" % kept["left"], "method": "sampling/createMessage", "params": params})
for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params", {})
    if method == "initialize": say({"id": id, "result": {"protocolVersion": "2025-11-25", "serverInfo": {"name": "loop", "version": "1"}, "capabilities": {"tools": {}}}})
    elif method == "tools/list": say({"id": id, "result": {"tools": [{"name": "loop", "inputSchema": {"type": "object"}}]}})
    elif method == "tools/call":
        kept.update(call=id, left=params["arguments"]["times"], between=params["arguments"].get("between", False), said=[])
        ask()
    elif method is None and isinstance(id, str):
        kept["said"].append(message["result"]["stopReason"] if "result" in message else message["error"]["message"])
        if kept["left"]: ask()
        else: say({"id": kept["call"], "result": {"content": [{"type": "text", "text": json.dumps(kept["said"])}]}})
    elif id is not None: say({"id": id, "result": {}})
"#;

async fn looping(home: &std::path::Path) -> SamplingWindow {
    let host = Host::open(HostOptions { vault: with_keychain, ..options(home, true) }).await.unwrap();
    let server: ServerId =
        host.add_server(stdio("loop", "python3", &["-u", "-c", PROGRAM])).await.unwrap().id;
    until_state(&host, server, StateName::Ready).await;
    let window = SamplingWindow { host, server };
    let before = window.host.server(server).unwrap().connection.pid;
    window.allow(Budget::default()).await;
    // The server restarts to learn of the new capability.
    until(&window.host, server, "started anew", |view| {
        let pid = view.connection.pid;
        view.connection.state == StateName::Ready && pid.is_some() && pid != before
    })
    .await;
    window
}

fn of<'a>(said: &'a Value, what: &str) -> Vec<&'a Value> {
    said.as_array().unwrap().iter().filter(|one| *one == what).collect()
}

// Requirements: SAMP-14.
#[tokio::test]
async fn omitting_earlier_rounds_gains_a_server_no_more_rounds() {
    let home = tempfile::tempdir().unwrap();
    let fake = FakeProvider::new(&[ProviderReply::Stream(EVENTS, fixture("openai/tools.sse"))]).await;
    let window = looping(home.path()).await;
    window.host.save_provider(None, priced(&fake.url)).await.unwrap();
    // The person does not want to be asked again, so only the cap remains.
    let deciding = async {
        let (id, review) = window.review().await;
        assert_eq!(review.round, 1);
        window.accept(id, None, Remember::Always).await;
        let (id, _) = window.spoken().await;
        window.accept(id, None, Remember::Always).await;
    };
    let asks = async |arguments: Value| tool(&window.host, window.server, "loop", &arguments).await;
    let (said, ()) = tokio::join!(asks(json!({ "times": 14 })), deciding);
    assert_eq!(of(&said, "toolUse").len(), 10, "{said}");
    assert_eq!(of(&said, "too many rounds of tools").len(), 4, "{said}");
    assert_eq!(fake.requests().len(), 10);
    // The next call that the person starts has its own cap.
    assert_eq!(of(&asks(json!({ "times": 11 })).await, "toolUse").len(), 10);
    // A request without tools in between does not reset the count.
    let both = || [paris(), ProviderReply::Stream(EVENTS, fixture("openai/tools.sse"))];
    let says: Vec<ProviderReply> = (0..10).flat_map(|_| both()).chain([paris()]).collect();
    fake.set_replies(&says);
    let said = asks(json!({ "times": 26, "between": true })).await;
    let counts = ["endTurn", "toolUse", "too many rounds of tools"].map(|what| of(&said, what).len());
    assert_eq!(counts, [13, 10, 3], "{said}");
    window.host.shutdown().await;
}
