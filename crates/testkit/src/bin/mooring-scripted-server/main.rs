//! `mooring-scripted-server`: an MCP server over stdio that behaves exactly as a test asks.
//!
//! The mode (first argument) decides how the process and its framing behave; the tool that is
//! called decides what happens during a call (see `calls.rs`). Threads and blocking reads on
//! purpose: nothing here may depend on the code under test.
#![expect(
    clippy::expect_used,
    clippy::print_stderr,
    reason = "test support: a failure here is a failure of the test that started the server"
)]

mod calls;
mod family;
mod listing;
mod modes;
mod wire;

use std::io::BufRead as _;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser as _;
use mooring_testkit::answers;
use serde_json::{Value, json};

use modes::{Arguments, Mode};
use wire::ScriptedServer;

fn main() {
    let mode = Arguments::parse().mode.unwrap_or(Mode::Ok);
    modes::start_up(&mode);
    let server = Arc::new(ScriptedServer::new(mode));
    for line in std::io::stdin().lock().split(b'\n') {
        let Ok(line) = line else { break };
        let Ok(message) = serde_json::from_slice::<Value>(&line) else {
            eprintln!("not JSON: {}", String::from_utf8_lossy(&line));
            continue;
        };
        handle(&server, message);
    }
    if matches!(server.mode, Mode::IgnoreSigterm) {
        // Input has ended and SIGTERM is ignored, so only SIGKILL ends this process, or five minutes, so that
        // a failing test leaves nothing behind.
        std::thread::sleep(Duration::from_mins(5));
    }
}

fn handle(server: &Arc<ScriptedServer>, message: Value) {
    let method = message["method"].as_str().map(str::to_owned);
    server.record_method(method.as_deref().unwrap_or("response"));
    match (method, message.get("id").cloned()) {
        (Some(method), Some(id)) => request(server, &method, id, message["params"].clone()),
        (Some(method), None) if method == "notifications/cancelled" => {
            server.cancel(&message["params"]["requestId"]);
        }
        (Some(_), None) => {}
        (None, Some(id)) => server.handle_response(&id, message),
        (None, None) => eprintln!("neither a method nor an id: {message}"),
    }
}

fn request(server: &Arc<ScriptedServer>, method: &str, id: Value, params: Value) {
    if let Mode::Script { .. } = server.mode
        && server.answer_from_script(method, &params, &id)
    {
        return;
    }
    match (&server.mode, method) {
        (Mode::ExitOnInitialize { code }, "initialize") => {
            eprintln!("fatal: cannot start");
            std::process::exit(*code);
        }
        (Mode::RefuseInitialize, "initialize") => {
            server.respond(&id, Err((-32603, "not today".to_owned())));
        }
        (Mode::SilentInitialize, "initialize") => {}
        (Mode::Revision { revision }, "initialize") => {
            let mut result = answers::initialize(None);
            result["protocolVersion"] = json!(revision);
            server.respond(&id, Ok(result));
        }
        (Mode::SparseHandshake, "initialize") => {
            server.respond(&id, Ok(json!({"protocolVersion": answers::REVISION})));
        }
        (Mode::NoTools, "initialize") => {
            let mut result = answers::initialize(params["protocolVersion"].as_str());
            result["capabilities"] = json!({});
            server.respond(&id, Ok(result));
        }
        (Mode::NoTools, "tools/list") => {
            server.respond(&id, Err((-32601, "method not found: tools/list".to_owned())));
        }
        (_, "tools/list") => server.respond(&id, listing::page(&server.mode, &params)),
        (_, "tools/call") => calls::start(server, id, params),
        _ => server.respond(&id, answers::answer(method, &params)),
    }
}
