//! A server that asks twenty thousand questions at once. Runs in its own process, so that the memory of other
//! tests is not counted.

use std::process::{Command, Stdio};

use mooring_store::InteractionOutcome;
use serde_json::json;

use crate::asker::{answer_first, asks, attended, form, no, tool, until_inbox};

const ALONE: &str = "MOORING_TEST_FLOOD_ALONE";
const COUNT: usize = 20_000;

/// The resident memory of this process, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() << 10
}

// Requirements: ELIC-19, ELIC-05.
#[test]
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "it is this program once more")]
fn of_20000_forms_four_are_held_and_the_rest_cancelled() {
    let name = "interactions_flood::flooded_window";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(ALONE, "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("resident memory grew by"), "the flood did not run");
}

/// The flood, which runs when this process was started for it.
#[tokio::test]
async fn flooded_window() {
    if std::env::var_os(ALONE).is_none() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let other = asks(&host, "other").await;
    // Trigger the one-time allocations of the log and the allocator first.
    let warm = asks(&host, "warm").await;
    let flood = json!({ "count": COUNT, "held": 4 });
    tool(&host, warm, "flood", &json!({ "count": 2_000, "held": 4 })).await;
    host.flush_log().await;
    let id = asks(&host, "flood").await;
    let before = resident();
    let answers = tool(&host, id, "flood", &flood).await;
    let grown = resident().saturating_sub(before);
    println!(
        "{COUNT} forms at once: 4 held, {answers} answered, resident memory grew by {} KiB",
        grown >> 10
    );
    assert_eq!(answers, json!({ r#"{"action": "cancel"}"#: COUNT - 4 }));
    assert!(grown < 8 << 20, "{grown} bytes");
    let silenced = host.inbox().silenced;
    assert!(silenced.iter().any(|silenced| silenced.server == id), "{silenced:?}");
    // The call has ended, and so have its questions. Rows record which were shown and which were not.
    until_inbox(&host, "empty", |inbox| inbox.waiting.is_empty()).await;
    let rows = host.decisions(500).await.unwrap();
    assert!(rows.len() <= 12, "{}", rows.len());
    assert!(rows.iter().any(|row| row.outcome == InteractionOutcome::PutAside && row.reason.is_some()));
    // Another server is unaffected.
    let nothing = json!({});
    let (answer, _) = tokio::join!(form(&host, other, &nothing), answer_first(&host, no()));
    assert_eq!(answer, json!({ "action": "decline" }));
    host.shutdown().await;
}
