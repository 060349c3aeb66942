//! Names that occur twice in an object, however they are written. A part that a protocol version doesn't have
//! must not reach an app through the second one.

use mooring_jsonrpc::{member, pairs, take_scanned};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::http_app::HttpApp;
use crate::support::{Scene, initialize, standing_alone};

const PLAIN: &str = "structuredContent";
const ESCAPED: &str = r"structured\u0043ontent";
const STATELESS: &str = "2026-07-28";
const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", STATELESS];

/// How long a long call is, in bytes.
const PADDING: u64 = 48 << 10;

/// Results that have the name twice, with the value that counts.
fn results() -> Vec<(String, &'static str)> {
    let mut all = Vec::new();
    for (first, last) in [(r#"{"a":1}"#, "[1,2]"), ("[1,2]", r#"{"a":1}"#)] {
        for (one, other) in [(PLAIN, PLAIN), (ESCAPED, PLAIN), (PLAIN, ESCAPED), (ESCAPED, ESCAPED)] {
            // Without and with a member of the stateless era.
            for more in ["", r#","resultType":"complete""#] {
                all.push((format!(r#"{{"content":[],"{one}":{first},"{other}":{last}{more}}}"#), last));
            }
        }
    }
    all
}

/// The call whose answer has this result.
fn call(result: &str) -> Value {
    let line = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#);
    json!({"name": "raw", "arguments": {"lines": [line]}})
}

/// Checks that an app receives the part at most once, and only if its protocol version has it.
fn check(revision: &str, last: &str, line: &str, of: &str) {
    let result = member(line.trim(), "result").unwrap_or_else(|| panic!("{revision}: {line}"));
    let parts: Vec<&str> = pairs(result).filter(|(name, _)| name == PLAIN).map(|(_, value)| value).collect();
    let is_there = revision == STATELESS || revision >= "2025-06-18" && last.starts_with('{');
    let expected: &[&str] = if is_there { &[last] } else { &[] };
    assert_eq!(parts, expected, "{revision}: {of}");
}

#[tokio::test]
async fn at_the_bridge_no_second_of_two_passes() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    for revision in REVISIONS {
        let mut app = scene.connect("Editor", Some("s"));
        if revision != STATELESS {
            app.request(0, "initialize", initialize(revision)).await;
        }
        for (result, last) in results() {
            let call = call(&result);
            let params = if revision == STATELESS { standing_alone(call, &json!({})) } else { call };
            app.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})).await;
            let line = loop {
                let line = app.line().await;
                if line.contains(r#""id":7"#) {
                    break line;
                }
            };
            check(revision, last, &line, &result);
        }
    }
    scene.close().await;
}

#[tokio::test]
async fn over_http_no_second_of_two_passes() {
    let (scene, _) = Scene::with_open_server("s").await;
    let url = scene.open_http().await;
    for revision in REVISIONS {
        let mut app = scene.http_app(&format!("{url}/s"), "Editor").await;
        if revision != STATELESS {
            let begun = app.request(0, "initialize", initialize(revision)).await;
            assert_eq!(begun.status(), StatusCode::OK);
            app.session = Some(begun.headers()["mcp-session-id"].to_str().unwrap().to_owned());
        }
        for (result, last) in results() {
            let line = answer(&app, revision, call(&result)).await;
            check(revision, last, &line, &result);
        }
    }
    scene.close().await;
}

/// Tests both eras, at the bridge and over HTTP.
#[tokio::test]
async fn a_call_is_passed_over_at_most_twice() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let url = scene.open_http().await;
    let mut call = call(r#"{"content":[]}"#);
    call["arguments"]["padding"] = json!("x".repeat(usize::try_from(PADDING).unwrap()));
    for revision in ["2025-11-25", STATELESS] {
        let mut app = scene.initialized("Editor", Some("s")).await;
        let mut over_http = scene.http_app(&format!("{url}/s"), "Other").await;
        if revision != STATELESS {
            over_http.begin(json!({})).await;
        }
        let params =
            if revision == STATELESS { standing_alone(call.clone(), &json!({})) } else { call.clone() };
        // The first request of each also reads the lists.
        app.request(6, "tools/call", params.clone()).await;
        answer(&over_http, revision, call.clone()).await;
        take_scanned();
        app.request(7, "tools/call", params).await;
        let at_the_bridge = take_scanned();
        answer(&over_http, revision, call.clone()).await;
        // The definition of the tool and the result cost the same for a call of any length.
        for scanned in [at_the_bridge, take_scanned()] {
            assert!((PADDING..2 * PADDING + 10_000).contains(&scanned), "{revision}: {scanned}");
        }
    }
    scene.close().await;
}

/// The message that answers a call over HTTP.
async fn answer(app: &HttpApp, revision: &str, call: Value) -> String {
    let params = if revision == STATELESS { standing_alone(call, &json!({})) } else { call };
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).to_string();
    let request = app.post(body).header("mcp-protocol-version", revision);
    let request = request.header("mcp-method", "tools/call").header("mcp-name", "raw");
    let text = request.send().await.unwrap().text().await.unwrap();
    let mut lines = text.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim().to_owned());
    lines.find(|line| line.contains(r#""id":7"#)).unwrap_or_else(|| panic!("{revision}: {text}"))
}
