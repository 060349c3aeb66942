//! Kills the supervisor while apps make calls: no call runs twice, no lost call lacks an error, and each has
//! its verdict.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use mooring_log::{LogKind, LogQuery};
use mooring_server_state::StateName;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::let_apps_call;
use crate::command_line::{binary, scripted};
use crate::window::{open, stdio, until_state};

/// The variable with the number of calls of each app. Set by `cargo xtask kills --gateway`.
const CALLS: &str = "MOORING_KILLS";
const APPS: usize = 10;
/// How long a supervisor runs after its first call.
const PAUSE: Duration = Duration::from_secs(1);

/// All processes that serve this data folder.
fn supervisors(home: &Path) -> Vec<Pid> {
    let mut found = Vec::new();
    for process in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = process.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let read = |name: &str| fs::read(process.path().join(name)).unwrap_or_default();
        let serves = read("cmdline").split(|byte| *byte == 0).nth(1) == Some(b"serve");
        let variable = [b"MOORING_HOME=", home.as_os_str().as_bytes()].concat();
        if serves && read("environ").split(|byte| *byte == 0).any(|entry| entry == variable) {
            found.extend(Pid::from_raw(pid));
        }
    }
    found
}

/// Runs an app, which makes its calls one after the other. Returns the answers by the text that each call
/// writes.
fn run_app(home: &Path, (app, key): (usize, &str), calls: u32, file: &Path) -> BTreeMap<String, Value> {
    let mut bridge = Command::new(binary("mooring-cli", "mooring"))
        .args(["bridge", "--app", &format!("App {app}"), "--server", "s"])
        .env("MOORING_HOME", home)
        .env("MOORING_APP_KEY", key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = bridge.stdin.take().unwrap();
    let mut from = BufReader::new(bridge.stdout.take().unwrap()).lines();
    let mut request = |id: u32, method: &str, params: Value| -> Value {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(to, "{message}").unwrap();
        loop {
            let line = from.next().unwrap().unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    };
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}});
    let begun = request(0, "initialize", params);
    assert_eq!(begun["result"]["protocolVersion"], "2025-11-25", "{begun}");
    let mut answers = BTreeMap::new();
    for call in 1..=calls {
        let text = format!("{app}-{call}");
        let arguments = json!({"file": file, "text": text});
        let answer = request(call, "tools/call", json!({"name": "append", "arguments": arguments}));
        answers.insert(text, answer);
    }
    drop(to);
    assert!(bridge.wait().unwrap().success());
    answers
}

#[tokio::test(flavor = "multi_thread")]
async fn no_call_runs_twice_when_the_supervisor_is_killed() {
    let calls: u32 = std::env::var(CALLS).map_or(20, |calls| calls.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let (home, file) = (folder.path().join("home"), folder.path().join("ran"));
    let host = open(&home).await;
    let id = host.add_server(stdio("s", &scripted(), &["ok"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let_apps_call(&host, id).await;
    let mut keys = Vec::new();
    for app in 0..APPS {
        keys.push(host.create_app_key(&format!("App {app}")).await.unwrap().to_text());
    }
    host.shutdown().await;

    let (finished, kills) = (AtomicBool::new(false), AtomicU32::new(0));
    let answers: BTreeMap<String, Value> = thread::scope(|scope| {
        scope.spawn(|| {
            let written = || file.metadata().map_or(0, |file| file.len());
            let mut before = 0;
            while !finished.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(10));
                // Wait until the new supervisor has run a call. Its start may take a while.
                if written() <= before {
                    continue;
                }
                thread::sleep(PAUSE);
                before = written();
                for pid in supervisors(&home) {
                    // The process may have just ended.
                    if kill_process(pid, Signal::KILL).is_ok() {
                        kills.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        });
        let apps: Vec<_> = keys
            .iter()
            .enumerate()
            .map(|(app, key)| {
                scope.spawn({
                    let (home, file) = (&home, &file);
                    move || run_app(home, (app, key), calls, file)
                })
            })
            .collect();
        let answers = apps.into_iter().flat_map(|app| app.join().unwrap()).collect();
        finished.store(true, Ordering::Relaxed);
        answers
    });

    let mut ran: BTreeMap<String, u32> = BTreeMap::new();
    for line in fs::read_to_string(&file).unwrap().lines() {
        *ran.entry(line.to_owned()).or_default() += 1;
    }
    let mut errors = 0;
    for (text, answer) in &answers {
        let times = ran.get(text).copied().unwrap_or(0);
        assert!(times <= 1, "{text} ran {times} times");
        if answer["result"]["isError"] == Value::Null && answer["result"].is_object() {
            assert_eq!(times, 1, "{text} was answered and did not run: {answer}");
        } else {
            errors += 1;
            let message = answer.to_string();
            assert!(message.contains("\"message\"") || message.contains("isError"), "{message}");
        }
    }
    assert_eq!(answers.len(), APPS * usize::try_from(calls).unwrap());
    let host = open(&home).await;
    let query = LogQuery { limit: 1, kinds: vec![LogKind::Verdict], ..LogQuery::default() };
    let verdicts = host.log_count(&query).await.unwrap();
    host.shutdown().await;
    let (ran, kills) = (ran.len(), kills.into_inner());
    println!("{} calls, {kills} kills: {ran} ran, {errors} errors, {verdicts} verdicts", answers.len());
    assert!(verdicts >= i64::try_from(ran).unwrap(), "{verdicts} verdicts of {ran} calls");
    assert!(kills > 0, "nothing was killed");
}
