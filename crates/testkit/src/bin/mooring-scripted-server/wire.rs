//! The two ends of the pipe: writing messages as the mode wants them, and what was received.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mooring_testkit::answers;
use serde_json::{Map, Value, json};

use crate::modes::{GARBAGE, Mode};

/// One running server.
pub(crate) struct ScriptedServer {
    pub(crate) mode: Mode,
    script: Map<String, Value>,
    /// Taken while one message is written, so that messages never mix.
    out: Mutex<u64>,
    cancelled: Mutex<HashSet<String>>,
    cancel: Condvar,
    seen: Mutex<Vec<String>>,
    delayed: Mutex<Vec<Value>>,
    pending: Mutex<HashMap<String, SyncSender<Value>>>,
    next_id: AtomicU64,
}

impl ScriptedServer {
    pub(crate) fn new(mode: Mode) -> Self {
        let script = match &mode {
            Mode::Script { file } => {
                let text = std::fs::read(file).expect("the script can be read");
                serde_json::from_slice(&text).expect("the script is a JSON object")
            }
            _ => Map::new(),
        };
        Self {
            mode,
            script,
            out: Mutex::new(0),
            cancelled: Mutex::default(),
            cancel: Condvar::new(),
            seen: Mutex::default(),
            delayed: Mutex::default(),
            pending: Mutex::default(),
            next_id: AtomicU64::new(1),
        }
    }

    /// Writes one message the way the mode wants it.
    pub(crate) fn send(&self, message: &Value) {
        let mut message = message.clone();
        let is_answer = message.get("method").is_none();
        if matches!(self.mode, Mode::StringIds) && is_answer && message["id"].is_number() {
            message["id"] = json!(message["id"].to_string());
        }
        let end: &str = if matches!(self.mode, Mode::Crlf) { "\r\n" } else { "\n" };
        let text = format!("{message}{end}");
        let mut count = lock(&self.out);
        match self.mode {
            Mode::Garbage => {
                for noise in GARBAGE {
                    write(noise);
                    write(b"\n");
                }
                write(text.as_bytes());
            }
            Mode::Bom if *count == 0 => write(format!("\u{feff}{text}").as_bytes()),
            Mode::Split => text.as_bytes().iter().for_each(|byte| write(&[*byte])),
            Mode::DuplicateIds if is_answer => write(text.repeat(2).as_bytes()),
            _ => write(text.as_bytes()),
        }
        *count += 1;
    }

    /// Writes bytes as they are.
    pub(crate) fn write_raw(&self, bytes: &[u8]) {
        let _one_at_a_time = lock(&self.out);
        write(bytes);
    }

    pub(crate) fn respond(&self, id: &Value, outcome: Result<Value, (i64, String)>) {
        self.send(&answers::response(id, outcome));
    }

    pub(crate) fn notify(&self, method: &str, params: &Value) {
        self.send(&answers::notification(method, params));
    }

    /// Answers from the script, for what the request is about or else for its method; false when it has nothing.
    pub(crate) fn answer_from_script(&self, method: &str, params: &Value, id: &Value) -> bool {
        let subject = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default();
        let about = self.script.get(&format!("{method} {subject}"));
        let Some(lines) = about.or_else(|| self.script.get(method)).and_then(Value::as_array) else {
            return false;
        };
        for line in lines {
            if let Some(bytes) = line.as_array() {
                // Bytes as they are, without an end of their own.
                let bytes: Vec<u8> = bytes
                    .iter()
                    .filter_map(Value::as_u64)
                    .filter_map(|byte| u8::try_from(byte).ok())
                    .collect();
                self.write_raw(&replace_id(&bytes, &id.to_string()));
                continue;
            }
            let line = line.as_str().unwrap_or_default().replace("$ID", &id.to_string());
            self.write_raw(format!("{line}\n").as_bytes());
        }
        true
    }

    /// Keeps an answer back until `count` have gathered, then sends them last first.
    pub(crate) fn delay(&self, count: usize, answer: Value) {
        let mut held = lock(&self.delayed);
        held.push(answer);
        if held.len() >= count {
            for answer in held.drain(..).rev() {
                self.send(&answer);
            }
        }
    }

    /// Asks the client and waits for its answer for at most ten seconds.
    pub(crate) fn ask(&self, method: &str, params: &Value) -> Option<Value> {
        let id = format!("ask-{}", self.next_id.fetch_add(1, Ordering::Relaxed));
        let (answer, wait) = sync_channel(1);
        lock(&self.pending).insert(json!(id).to_string(), answer);
        let mut request = json!({"jsonrpc": "2.0", "id": id, "method": method});
        if !params.is_null() {
            request["params"] = params.clone();
        }
        self.send(&request);
        wait.recv_timeout(Duration::from_secs(10)).ok()
    }

    /// Takes the client's answer to a question of ours.
    pub(crate) fn handle_response(&self, id: &Value, message: Value) {
        match lock(&self.pending).remove(&id.to_string()) {
            Some(waiting) => {
                let _ = waiting.try_send(message);
            }
            None => eprintln!("an answer to nothing: {message}"),
        }
    }

    /// Remembers that the client cancelled this request.
    pub(crate) fn cancel(&self, id: &Value) {
        eprintln!("cancelled: {id}");
        lock(&self.cancelled).insert(id.to_string());
        self.cancel.notify_all();
    }

    /// Waits for `time`; true as soon as the request is cancelled within it.
    pub(crate) fn cancelled_within(&self, id: &Value, time: Duration) -> bool {
        let id = id.to_string();
        let (cancelled, _) = self
            .cancel
            .wait_timeout_while(lock(&self.cancelled), time, |ids| !ids.contains(&id))
            .unwrap_or_else(PoisonError::into_inner);
        cancelled.contains(&id)
    }

    /// The ids cancelled so far, as JSON.
    pub(crate) fn cancelled(&self) -> Value {
        let parsed = lock(&self.cancelled).iter().filter_map(|id| serde_json::from_str(id).ok()).collect();
        Value::Array(parsed)
    }

    /// Remembers the method of a message.
    pub(crate) fn record_method(&self, method: &str) {
        lock(&self.seen).push(method.to_owned());
    }

    /// The methods seen so far.
    pub(crate) fn received_methods(&self) -> Value {
        json!(*lock(&self.seen))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes and flushes; a client that has gone away is the end of this server.
fn write(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// `bytes` with every `$ID` replaced.
fn replace_id(bytes: &[u8], id: &str) -> Vec<u8> {
    let mut result = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(3).position(|window| window == b"$ID") {
        let (before, after) = rest.split_at(at);
        result.extend_from_slice(before);
        result.extend_from_slice(id.as_bytes());
        rest = after.split_at(3).1;
    }
    result.extend_from_slice(rest);
    result
}
