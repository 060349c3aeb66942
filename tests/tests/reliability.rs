//! The short forms of `cargo xtask bench reliability`, as far as the figures don't depend on the machine's
//! load.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

use std::process::Command;

use serde_json::Value;

/// The figures of a row by name.
fn measured(row: &str) -> Vec<(String, f64)> {
    #[expect(clippy::disallowed_methods, reason = "a test starts what it tests")]
    let output = Command::new(env!("CARGO_BIN_EXE_mooring-bench"))
        .args(["reliability", "--short", "--json", row])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let figures: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!figures.is_empty(), "{row}: {}", String::from_utf8_lossy(&output.stderr));
    figures
        .iter()
        .map(|figure| (figure["what"].as_str().unwrap().to_owned(), figure["value"].as_f64().unwrap()))
        .collect()
}

fn figure(figures: &[(String, f64)], what: &str) -> f64 {
    let (_, value) = figures.iter().find(|(known, _)| known == what).unwrap();
    *value
}

fn at_most(figures: &[(String, f64)], what: &str, limit: f64) {
    let value = figure(figures, what);
    assert!(value <= limit, "{what}: {value}, and not at most {limit}");
}

fn at_least(figures: &[(String, f64)], what: &str, limit: f64) {
    let value = figure(figures, what);
    assert!(value >= limit, "{what}: {value}, and not at least {limit}");
}

// Requirements: STD-05, STD-07.
#[test]
fn flooding_server_costs_little_memory_and_no_other_call() {
    // `flood-notifications` takes longer than all of these together, so it is only measured by the benchmark.
    for (row, taken) in [
        ("flood-line", 100.0),
        ("flood-nodes", 32.0),
        ("flood-depth", 32.0),
        ("flood-stream", 100.0),
        ("flood-schemas", 0.1),
        ("flood-stderr", 8.0),
    ] {
        let figures = measured(row);
        at_least(&figures, "taken of what it sent, MiB", taken);
        at_most(&figures, "more memory at the peak, MiB", 64.0);
        at_most(&figures, "neighbours that lost a call", 0.0);
    }
}

// Requirements: STD-09.
#[test]
fn repeatedly_started_and_stopped_servers_leave_nothing() {
    // The last servers may still be ending. A leak would leave 52.
    let figures = measured("cycles");
    for what in ["zombies", "processes left", "more open files", "more threads"] {
        at_most(&figures, what, 20.0);
    }
}

#[test]
fn eighty_servers_start_at_once_under_a_limit_of_256_open_files() {
    let figures = measured("scale-256");
    at_least(&figures, "open files meanwhile", 256.0);
    at_most(&figures, "more memory, MiB", 64.0);
}
