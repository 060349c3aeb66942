//! The tools of the scripted server. Every tool exists in every mode.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use mooring_testkit::answers;
use serde_json::{Value, json};

use crate::family;
use crate::modes::{Mode, flood_stderr};
use crate::wire::ScriptedServer;

/// The tools beside `echo` and `add`.
pub(crate) const TOOL_NAMES: [&str; 20] = [
    // `milliseconds`: answers after that time, unless the call is cancelled first.
    "sleep",
    // Never answers.
    "never",
    // `steps`, `milliseconds` between them: progress notifications, then the answer.
    "progress",
    // `level`, `count`, `message`: log notifications, then the answer.
    "log",
    // `count`, `bytes`: that many log notifications as fast as they can be written.
    "flood",
    // `bytes`: a text of that length.
    "huge",
    // `code`: exits in the middle of the call.
    "crash",
    // Exits after half a message.
    "crash_half",
    // `code`, `message`, `data`: a JSON-RPC error.
    "error",
    // A result with `isError`.
    "tool_error",
    // `bytes`: floods standard error, then answers.
    "stderr",
    // `method`, `params`: asks the client, and returns its answer.
    "ask",
    // The environment, arguments and working directory of this process, as JSON text.
    "surroundings",
    // The ids of this process, its child and its grandchild, as a JSON list.
    "pids",
    // `lines`: writes only these lines, unchanged except that `$ID` becomes the request's id.
    "raw",
    // Announces a changed tool list, then answers.
    "list_changed",
    // The ids of the requests cancelled so far, as a JSON list.
    "cancelled",
    // The methods of all messages received so far, in order, as a JSON list.
    "seen",
    // `method`, `params`: sends any notification, then answers.
    "notify",
    // `file`, `text`: appends that line to the file, so that it can be seen how often it ran.
    "append",
];

/// Runs the call, in a separate thread if it takes time.
pub(crate) fn start(server: &Arc<ScriptedServer>, id: Value, params: Value) {
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let slow = ["sleep", "progress", "ask", "flood", "huge", "stderr", "pids"];
    let server = Arc::clone(server);
    if slow.contains(&name.as_str()) {
        std::thread::spawn(move || call(&server, &name, &id, &params));
    } else {
        call(&server, &name, &id, &params);
    }
}

fn call(server: &ScriptedServer, name: &str, id: &Value, params: &Value) {
    let arguments = &params["arguments"];
    let number = |key: &str, usual: u64| arguments[key].as_u64().unwrap_or(usual);
    let size = |key: &str, usual: usize| {
        arguments[key].as_u64().map_or(usual, |value| usize::try_from(value).unwrap_or(usual))
    };
    let text = |key: &str, usual: &str| arguments[key].as_str().unwrap_or(usual).to_owned();
    let outcome = match name {
        "sleep" => {
            if server.cancelled_within(id, Duration::from_millis(number("milliseconds", 100))) {
                return;
            }
            Ok(answers::text("slept"))
        }
        "never" => return,
        "progress" => {
            let (steps, pause) = (number("steps", 5), number("milliseconds", 10));
            for step in 1..=steps {
                if server.cancelled_within(id, Duration::from_millis(pause)) {
                    return;
                }
                let token = &params["_meta"]["progressToken"];
                if !token.is_null() {
                    server.notify(
                        "notifications/progress",
                        &json!({"progressToken": token, "progress": step, "total": steps,
                            "message": format!("step {step} of {steps}")}),
                    );
                }
            }
            Ok(answers::text("done"))
        }
        "log" | "flood" => {
            let data = match name {
                "log" => json!(text("message", "fog")),
                _ => json!("x".repeat(size("bytes", 200))),
            };
            let level = text("level", "info");
            for index in 0..number("count", 1) {
                let data = json!({"number": index, "data": data});
                server.notify(
                    "notifications/message",
                    &json!({"level": level, "logger": "scripted", "data": data}),
                );
            }
            Ok(answers::text("logged"))
        }
        "huge" => {
            // Written as text: a debug build would serialize it for seconds.
            let text = "h".repeat(size("bytes", 1 << 20));
            let result = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
            server.write_raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n").as_bytes());
            return;
        }
        "crash" => {
            eprintln!("scripted: crash on request");
            std::process::exit(i32::try_from(number("code", 9)).unwrap_or(9));
        }
        "crash_half" => {
            server.write_raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"ty");
            std::process::exit(9);
        }
        "error" => {
            let code = arguments["code"].as_i64().unwrap_or(-32000);
            let error =
                json!({"code": code, "message": text("message", "refused"), "data": arguments["data"]});
            server.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
            return;
        }
        "tool_error" => Ok(answers::tool_error("the tool failed")),
        "stderr" => {
            flood_stderr(size("bytes", 1 << 20));
            Ok(answers::text("flooded"))
        }
        "ask" => {
            let answer = server.ask(&text("method", "ping"), &arguments["params"]);
            // A quiet server reports only that an answer came, and its length.
            let told = answer.map_or("no answer".to_owned(), |answer| match &arguments["quiet"] {
                Value::Bool(true) => {
                    let bytes = answer["result"]["content"].to_string().len();
                    json!({ "action": answer["result"]["action"], "bytes": bytes }).to_string()
                }
                _ => answer.to_string(),
            });
            Ok(answers::text(&told))
        }
        "surroundings" => Ok(answers::text(&surroundings().to_string())),
        "pids" => Ok(answers::text(&json!(family::pids()).to_string())),
        "raw" => {
            for line in arguments["lines"].as_array().into_iter().flatten() {
                let line = line.as_str().unwrap_or_default().replace("$ID", &id.to_string());
                server.write_raw(format!("{line}\n").as_bytes());
            }
            return;
        }
        "list_changed" => {
            server.notify("notifications/tools/list_changed", &json!({}));
            Ok(answers::text("announced"))
        }
        "cancelled" => Ok(answers::text(&server.cancelled().to_string())),
        "seen" => Ok(answers::text(&server.received_methods().to_string())),
        "append" => {
            let line = text("text", "") + "\n";
            let file = std::fs::File::options().append(true).create(true).open(text("file", ""));
            match file.and_then(|mut file| file.write_all(line.as_bytes())) {
                Ok(()) => Ok(answers::text("appended")),
                Err(error) => Ok(answers::tool_error(&error.to_string())),
            }
        }
        "notify" => {
            server.notify(&text("method", "notifications/unknown"), &arguments["params"]);
            Ok(answers::text("notified"))
        }
        _ => answers::answer("tools/call", params),
    };
    match server.mode {
        Mode::OutOfOrder { count } => server.delay(count, answers::response(id, outcome)),
        _ => server.respond(id, outcome),
    }
}

fn surroundings() -> Value {
    let environment = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), Value::from(value.to_string_lossy())))
        .collect::<serde_json::Map<_, _>>();
    let descriptors = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    json!({
        "environment": environment,
        "arguments": std::env::args().skip(1).collect::<Vec<_>>(),
        "directory": std::env::current_dir().unwrap_or_default(),
        // One of them is the listing itself.
        "descriptors": descriptors.saturating_sub(1),
        "pid": std::process::id(),
    })
}
