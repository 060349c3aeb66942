//! The cost of logging a call: everything that the service writes while an app calls a tool repeatedly, and a
//! check that no row is lost when the service is then killed.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use mooring_testkit::scripted_server_path;
use serde_json::json;

use crate::serve::{App, LIMIT, spawn};
use crate::support::TestHome;

const MOST_BYTES: u64 = 8 << 10;
const MOST_WRITES: u64 = 6;
/// Size of a page in the write-ahead log with its header, both written together.
const FRAME: u64 = 4096 + 24;

/// What the service has written so far.
#[derive(Debug, Clone, Copy)]
struct Written {
    /// Bytes written to files, servers and apps.
    bytes: u64,
    /// Writes to the files of the log.
    writes: u64,
}

impl Written {
    fn by(pid: u32, home: &Path) -> Self {
        let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap();
        let bytes = io.lines().find_map(|line| line.strip_prefix("wchar: ")).unwrap().parse().unwrap();
        let pages = fs::metadata(home.join("mooring.db-wal")).unwrap().len() / FRAME;
        Self { bytes, writes: 2 * pages + staged_batches(&home.join("log")) }
    }

    /// The average cost of each of `calls` calls since `before`.
    fn per_call(self, before: Self, calls: u64) -> Self {
        Self {
            bytes: (self.bytes - before.bytes) / calls,
            writes: (self.writes - before.writes).div_ceil(calls),
        }
    }
}

/// The number of batches in all staging files. Each batch was one write.
fn staged_batches(folder: &Path) -> u64 {
    let mut batches = 0;
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "staged") {
            let bytes = fs::read(path).unwrap();
            let mut rest = &bytes[..];
            while let Some((length, behind)) = rest.split_first_chunk() {
                rest = &behind[4 + usize::try_from(u32::from_le_bytes(*length)).unwrap()..];
                batches += 1;
            }
        }
    }
    batches
}

// Requirements: TOOL-10.
#[test]
fn a_call_costs_the_log_little_and_its_verdict_outlives_a_kill() {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    place.run(&["add", "mine", "--", &server, "ok"]).ok();
    place.run(&["trust", "mine", "--approve", "--yes"]).ok();
    let mut service = spawn(&place, &["serve"]);
    // Once the service listens, the app doesn't start another one.
    let mut said = BufReader::new(service.stderr.take().unwrap());
    said.read_line(&mut String::new()).unwrap();
    let key = ("MOORING_APP_KEY", place.app_key("test"));
    let (mut app, mut ids, mut allowed) = (App::start_with(&place, &[key]), 1.., 0);
    let opening = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    app.ask(ids.next().unwrap(), "initialize", &opening);
    app.until_seen(&mut ids, true, true);
    let mut call = |app: &mut App| {
        let params = json!({"name": "mine__echo", "arguments": {"text": "x".repeat(60)}});
        let answer = app.ask(ids.next().unwrap(), "tools/call", &params);
        let is_allowed = answer["content"][0]["text"] == params["arguments"]["text"];
        allowed += usize::from(is_allowed);
        is_allowed
    };
    // There is no terminal to ask on.
    assert!(!call(&mut app));
    place.run(&["apps", "set", "test", "--level", "app-asks"]).ok();
    let until = Instant::now() + LIMIT;
    // Retries are slow: a thousand refusals would affect when rows are moved, and so which of the two runs
    // below pays for it.
    while !call(&mut app) {
        assert!(Instant::now() < until, "it is not allowed");
        std::thread::sleep(Duration::from_millis(50));
    }

    // First without pauses, then with pauses as between the calls of a person, longer than a row waits for
    // others.
    for (count, pause) in [(200, Duration::ZERO), (60, Duration::from_millis(80))] {
        let before = Written::by(service.id(), &place.home());
        for _ in 0..count {
            assert!(call(&mut app));
            std::thread::sleep(pause);
        }
        let cost = Written::by(service.id(), &place.home()).per_call(before, count);
        assert!(cost.bytes <= MOST_BYTES && cost.writes <= MOST_WRITES, "{pause:?}: {cost:?}");
    }
    app.close();
    service.kill().unwrap();
    service.wait().unwrap();
    let kept = place.run(&["logs", "--app", "test", "--limit", "100000", "--json"]).ok().json();
    let kept = kept["result"].as_array().unwrap();
    let verdicts = kept.iter().filter(|row| row["kind"] == "verdict" && row["status"] == "ok");
    assert_eq!(verdicts.count(), allowed);
}
