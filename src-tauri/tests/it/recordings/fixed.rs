//! Replaces values that differ between runs or computers with fixed ones.

use std::path::Path;

use mooring_testkit::scripted_server_path;
use serde_json::{Value, json};

/// The time of every event, in milliseconds since the Unix epoch.
const TIME_MS: i64 = 1_780_000_000_000;
/// The duration of everything, in milliseconds.
const TOOK_MS: i64 = 12;

/// Replaces times, durations, process ids, ports and paths. `home` is the data folder.
pub(super) fn with_fixed_values(value: Value, home: &Path) -> Value {
    let programs = scripted_server_path().parent().unwrap().to_string_lossy().into_owned();
    let home = home.to_string_lossy().into_owned();
    fix("", value, &[(&programs, "/usr/lib/mooring"), (&home, "/home/ana/.local/share/mooring")])
}

fn fix(key: &str, value: Value, paths: &[(&str, &str)]) -> Value {
    match value {
        Value::Object(members) => {
            let is_sentence = members.contains_key("code") && members.contains_key("params");
            let fixed = members.into_iter().map(|(key, value)| {
                let value = match value {
                    Value::String(text) if is_sentence && key == "text" => with_fixed_duration(&text).into(),
                    value => value,
                };
                let value = fix(&key, value, paths);
                (key, value)
            });
            Value::Object(fixed.collect())
        }
        Value::Array(elements) => elements.into_iter().map(|element| fix(key, element, paths)).collect(),
        Value::Number(_) => fixed_number(key).unwrap_or(value),
        Value::String(_) if key == "took" => json!(TOOK_MS.to_string()),
        Value::String(_) if key == "nonce" => json!("0".repeat(32)),
        Value::String(text) => {
            let replaced = paths.iter().fold(text, |text, (from, to)| text.replace(from, to));
            with_fixed_hash(&with_fixed_port(&replaced)).into()
        }
        value => value,
    }
}

fn fixed_number(key: &str) -> Option<Value> {
    match key {
        "since" | "lastAt" | "askedAt" | "decidedAt" | "approvedAt" | "createdAt" | "updatedAt" | "until" => {
            Some(TIME_MS.into())
        }
        "at" => Some((TIME_MS * 1_000).into()),
        "elapsedMs" | "connectMs" | "p50Ms" | "p95Ms" => Some(TOOK_MS.into()),
        "durationUs" => Some((TOOK_MS * 1_000).into()),
        "pid" => Some(40_170.into()),
        _ => None,
    }
}

/// Replaces the number before every ` ms`.
fn with_fixed_duration(text: &str) -> String {
    let mut parts = text.split(" ms").peekable();
    let mut fixed = String::new();
    while let Some(part) = parts.next() {
        let kept = part.trim_end_matches(|digit: char| digit.is_ascii_digit());
        let is_last = parts.peek().is_none();
        if is_last || kept.len() == part.len() {
            fixed.push_str(part);
        } else {
            fixed.push_str(kept);
            fixed.push_str(&TOOK_MS.to_string());
        }
        if !is_last {
            fixed.push_str(" ms");
        }
    }
    fixed
}

/// Replaces ports of the local host.
fn with_fixed_port(text: &str) -> String {
    let mut parts = text.split("127.0.0.1:");
    let mut fixed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|digit: char| digit.is_ascii_digit());
        fixed.push_str("127.0.0.1:3845");
        fixed.push_str(rest);
    }
    fixed
}

/// Replaces the SHA-256 of a program with zeros.
fn with_fixed_hash(text: &str) -> String {
    const MARK: &str = r#"Sha256":""#;
    let mut parts = text.split(MARK);
    let mut fixed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit());
        fixed.push_str(MARK);
        fixed.push_str(&"0".repeat(64));
        fixed.push_str(rest);
    }
    fixed
}
