//! The demo server as a client sees it: a child process that speaks MCP over its pipes.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    reason = "the helpers of tests are tests too, and these start the server by themselves"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

#[test]
fn the_version_is_printed_where_programs_look_for_it() {
    for option in ["--version", "-V"] {
        let output = Command::new(env!("CARGO_BIN_EXE_mooring-demo-server")).arg(option).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let expected = format!("mooring-demo-server {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!((text(&output.stdout), text(&output.stderr)), (expected, String::new()));
        assert!(output.status.success());
    }
}

/// A hand-written client, so that every byte on standard output is checked.
struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    next_id: u64,
    /// Notifications since the last answer.
    heard: Vec<Value>,
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Client {
    /// A server that has received nothing yet.
    fn uninitialized() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mooring-demo-server"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout, next_id: 1, heard: Vec::new() }
    }

    fn start() -> Self {
        Self::with_capabilities(json!({}))
    }

    /// One that can do this.
    fn with_capabilities(capabilities: Value) -> Self {
        let mut client = Self::uninitialized();
        let info = json!({"name": "test", "version": "0"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info});
        let result = client.ask("initialize", params);
        assert_eq!(result["result"]["serverInfo"]["title"], "Demo harbour");
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// The next message; anything that is none fails the test.
    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let message = serde_json::from_str::<Value>(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.heard.clear();
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
            self.heard.push(message);
        }
    }

    fn call(&mut self, name: &str, arguments: Value) -> Value {
        let meta = json!({"progressToken": "token"});
        self.ask("tools/call", json!({"name": name, "arguments": arguments, "_meta": meta}))
    }

    fn content(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.call(name, arguments);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answer["result"]["content"][0].clone()
    }
}

#[test]
fn every_tool_has_title_description_and_documented_arguments() {
    let mut client = Client::start();
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    let mut names = Vec::new();
    for tool in tools.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        names.push(name.to_owned());
        assert!(tool["title"].is_string() && tool["description"].is_string(), "{tool}");
        let properties = tool["inputSchema"]["properties"].as_object();
        for (argument, schema) in properties.into_iter().flatten() {
            assert!(schema["description"].is_string(), "{name}.{argument}: {schema}");
        }
    }
    let expected = "add audio book_berth echo fail image link log long_text look_at_buoy progress repaint_buoy structured";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn the_simple_tools_answer() {
    let mut client = Client::start();
    assert_eq!(client.content("echo", json!({"text": "青岛 \u{1f6a2}"}))["text"], "青岛 \u{1f6a2}");
    assert_eq!(client.content("add", json!({"a": 2, "b": 40}))["text"], "42");
    assert_eq!(client.content("add", json!({"a": 0.5, "b": 1}))["text"], "1.5");
    let text = client.content("long_text", json!({"lines": 3}))["text"].as_str().unwrap().to_owned();
    assert_eq!(text.lines().count(), 3);
}

#[test]
fn the_kinds_of_content_are_what_they_say() {
    let mut client = Client::start();
    let image = client.content("image", json!({"hour": "night", "width": 64}));
    assert_eq!((image["type"].as_str(), image["mimeType"].as_str()), (Some("image"), Some("image/png")));
    assert!(image["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));
    let audio = client.content("audio", json!({"seconds": 0.2}));
    assert_eq!((audio["type"].as_str(), audio["mimeType"].as_str()), (Some("audio"), Some("audio/wav")));
    assert!(audio["data"].as_str().unwrap().starts_with("UklGR"));
    let link = client.call("link", json!({}))["result"]["content"].clone();
    assert_eq!(link[1]["type"], "resource_link");
    assert_eq!(link[2]["resource"]["mimeType"], "text/markdown");
    let berths = client.call("structured", json!({"city": "青岛"}))["result"]["structuredContent"].clone();
    assert_eq!(
        (berths["harbours"][0]["slug"].as_str(), berths["totalFree"].as_u64()),
        (Some("qingdao"), Some(11))
    );
}

#[test]
fn failures_come_in_both_kinds() {
    let mut client = Client::start();
    let tool = client.call("fail", json!({"message": "aground"}));
    assert_eq!(
        (&tool["result"]["isError"], &tool["result"]["content"][0]["text"]),
        (&json!(true), &json!("aground"))
    );
    let protocol = client.call("fail", json!({"kind": "protocol_error", "message": "adrift"}));
    assert_eq!(
        (&protocol["error"]["code"], &protocol["error"]["message"]),
        (&json!(-32603), &json!("adrift"))
    );
}

#[test]
fn progress_rises_to_its_total() {
    let mut client = Client::start();
    assert!(client.content("progress", json!({"seconds": 0.5}))["text"].is_string());
    let reports = client
        .heard
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .map(|message| &message["params"])
        .collect::<Vec<_>>();
    let values = reports.iter().map(|report| report["progress"].as_f64().unwrap()).collect::<Vec<_>>();
    assert_eq!(values, [0.0, 1.0, 2.0]);
    assert!(reports.iter().all(|report| report["progressToken"] == "token" && report["total"] == 2.0));
}

#[test]
fn a_cancelled_call_stops_at_once_and_says_so_in_the_log() {
    let mut client = Client::start();
    client.send(json!({"jsonrpc": "2.0", "id": "long", "method": "tools/call",
        "params": {"name": "progress", "arguments": {"seconds": 300}}}));
    assert_eq!(client.next()["params"]["data"]["event"], "progress started");
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": "long", "reason": "test"}}));
    assert_eq!(client.next()["params"]["data"]["event"], "progress cancelled");
}

#[test]
fn log_messages_follow_the_level() {
    let mut client = Client::start();
    client.ask("logging/setLevel", json!({"level": "error"}));
    let text = client.content("log", json!({"message": "fog"}))["text"].clone();
    assert_eq!(text, "Sent 4 messages; held back: debug, info, notice, warning.");
    let levels = client.heard.iter().map(|message| message["params"]["level"].as_str().unwrap());
    assert_eq!(levels.collect::<Vec<_>>(), ["error", "critical", "alert", "emergency"]);
}

// Requirements: LOG-03.
#[test]
fn stateless_request_gets_only_the_log_messages_it_asked_for() {
    let mut client = Client::uninitialized();
    let mut heard = |level: Option<&str>, sent: &str| {
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {}
        });
        if let Some(level) = level {
            meta["io.modelcontextprotocol/logLevel"] = level.into();
        }
        let answer = client.ask("tools/call", json!({"name": "log", "arguments": {}, "_meta": meta}));
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(text.starts_with(sent), "{text}");
        client.heard.iter().map(|message| message["params"]["level"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(heard(None, "Sent 0 messages"), [""; 0]);
    assert_eq!(heard(Some("alert"), "Sent 2 messages"), ["alert", "emergency"]);
    assert_eq!(heard(Some("debug"), "Sent 8 messages").len(), 8);
    // What one request asked for does not stay.
    assert_eq!(heard(None, "Sent 0 messages"), [""; 0]);
}

// Requirements: SUB-01.
#[test]
fn stateless_listener_is_notified_when_the_buoy_is_painted() {
    let mut client = Client::uninitialized();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    let wanted = json!({"toolsListChanged": true});
    let params = json!({"_meta": meta, "notifications": wanted});
    client.send(json!({"jsonrpc": "2.0", "id": "ear", "method": "subscriptions/listen", "params": params}));
    assert_eq!(client.next()["method"], "notifications/subscriptions/acknowledged");
    let params = json!({"name": "repaint_buoy", "arguments": {}, "_meta": meta});
    client.send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}));
    // The word and the answer may come in either order.
    let both = [client.next(), client.next()];
    let told = both.iter().find(|message| message["method"] == "notifications/tools/list_changed").unwrap();
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "ear");
    assert!(both.iter().any(|message| message["id"] == 2));
}

#[test]
fn a_berth_can_be_booked_with_every_kind_of_argument() {
    let mut client = Client::start();
    let answer = client.call(
        "book_berth",
        json!({"ship": "Fair Wind", "city": "Tromsø", "kind": "cargo", "arrival": "2026-05-17", "nights": 3,
            "length_metres": 88.5, "shore_power": true, "services": ["pilot", "fuel"], "crew": ["Ada"],
            "contact": {"name": "Ada", "email": "ada@example.com", "vhf_channel": 16}, "remarks": "shy"}),
    );
    let booking = &answer["result"]["structuredContent"];
    assert_eq!((&booking["price"], &booking["services"]), (&json!(2403), &json!(["pilot", "fuel"])));
    assert_eq!(booking["notes"].as_array().unwrap().len(), 4);
    let refused = client.call(
        "book_berth",
        json!({"ship": "X", "arrival": "2026-05-17", "city": "Mombasa",
        "contact": {"name": "A"}}),
    );
    assert_eq!(refused["result"]["content"][0]["text"], "no berth is free in Mombasa");
}

#[test]
fn resources_and_prompts_are_there() {
    let mut client = Client::start();
    let picture = client.ask("resources/read", json!({"uri": "harbour://lighthouse.png"}));
    assert!(picture["result"]["contents"][0]["blob"].as_str().unwrap().starts_with("iVBORw0KGgo"));
    let unknown = client.ask("resources/read", json!({"uri": "harbour://atlantis"}));
    assert_eq!(unknown["error"]["code"], -32002);
    let plan = client.ask(
        "prompts/get",
        json!({"name": "passage_plan", "arguments": {"from": "Rotterdam", "to": "青岛"}}),
    );
    assert!(plan["result"]["messages"][0]["content"]["text"].as_str().unwrap().contains("青岛"));
}

#[test]
fn the_server_ends_with_its_input() {
    let mut client = Client::start();
    client.stdin = None;
    assert!(client.child.wait().unwrap().success());
}

#[test]
fn gate_opens_after_its_page_was_named_and_may_notify() {
    let mut client = Client::with_capabilities(json!({"elicitation": {"url": {}}}));
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    assert!(tools.as_array().unwrap().iter().any(|tool| tool["name"] == "open_gate"));
    for by_itself in [false, true] {
        let refused = client.call("open_gate", json!({"by_itself": by_itself}));
        assert_eq!(refused["error"]["code"], -32042, "{refused}");
        let page = &refused["error"]["data"]["elicitations"][0];
        assert_eq!((&page["mode"], &page["elicitationId"]), (&json!("url"), &json!("gate")));
        if by_itself {
            let told = client.next();
            assert_eq!(told["method"], "notifications/elicitation/complete", "{told}");
            assert_eq!(told["params"]["elicitationId"], "gate", "{told}");
        }
        let opened = client.content("open_gate", json!({"by_itself": by_itself}));
        assert_eq!(opened["text"], "The gate is open.");
    }
}

/// Calls `reserve_berth` and gives this answer to its form; what the tool says then.
fn reserve(client: &mut Client, answer: Value) -> Value {
    let params = json!({"name": "reserve_berth", "arguments": {}});
    client.send(json!({"jsonrpc": "2.0", "id": "berth", "method": "tools/call", "params": params}));
    let form = client.next();
    assert_eq!(form["method"], "elicitation/create", "{form}");
    let fields = form["params"]["requestedSchema"]["properties"].as_object().unwrap();
    assert!(fields.len() == 2 && fields.contains_key("ship") && fields.contains_key("day"), "{form}");
    client.send(json!({"jsonrpc": "2.0", "id": form["id"], "result": answer}));
    let said = client.next();
    assert_eq!((&said["id"], &said["result"]["isError"]), (&json!("berth"), &json!(false)), "{said}");
    said["result"]["content"][0]["text"].clone()
}

#[test]
fn berth_is_kept_for_the_ship_of_a_short_form() {
    let mut client = Client::with_capabilities(json!({"elicitation": {}}));
    let content = json!({"ship": "Fair Wind", "day": "tomorrow"});
    let said = reserve(&mut client, json!({"action": "accept", "content": content}));
    let said = said.as_str().unwrap();
    assert!(said.starts_with("Berth ") && said.ends_with(" is kept for Fair Wind tomorrow."), "{said}");
    assert_eq!(reserve(&mut client, json!({"action": "decline"})), "No berth is kept.");
}
