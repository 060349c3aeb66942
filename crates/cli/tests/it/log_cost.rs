//! What a call costs the log: all that the service writes while an app calls a tool again and again, and that nothing of
//! it is lost when the service is killed then.

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
/// A page in the write-ahead log, with the header before it: written one after the other.
const FRAME: u64 = 4096 + 24;

/// What the service has written so far.
#[derive(Debug, Clone, Copy)]
struct Written {
    /// To files, servers and apps.
    bytes: u64,
    /// To the files of the log.
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

/// The batches in all staging files, each of which was one write.
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
    // Once it listens, the app starts no other.
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
    // Asked for now and then: a thousand refusals would decide when rows are moved, and so in which of the two below.
    while !call(&mut app) {
        assert!(Instant::now() < until, "it is not allowed");
        std::thread::sleep(Duration::from_millis(50));
    }

    // One after the other, and as somebody calls who thinks in between: longer than a record waits for others.
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
