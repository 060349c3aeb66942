//! A server that sleeps, starts or is slow is never started a second time by the checks.

use std::path::Path;

use mooring_base::server_id::ServerId;
use mooring_definitions::{NewServer, StartRule};
use mooring_doctor::{Check, CheckCode, CheckOutcome, DoctorReport};
use mooring_host::Host;
use mooring_server_state::StateName;
use mooring_settings::Settings;

use crate::support::{check, open, python, until};

/// A server that notes each start, and starts as slowly as the file `delay` says.
const SERVER: &str = r#"
import json, os, sys, time
folder = sys.argv[1]
with open(os.path.join(folder, "starts"), "a") as file:
    file.write(f"{os.getpid()}\n")
try:
    with open(os.path.join(folder, "delay")) as file:
        time.sleep(float(file.read()))
except FileNotFoundError:
    pass
for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get("method"), message.get("id")
    if number is None:
        continue
    answer = {"error": {"code": -32601, "message": "Method not found"}}
    if method == "initialize":
        info = {"name": "s", "version": "1"}
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
        answer = {"result": result}
    elif method == "tools/list":
        answer = {"result": {"tools": [{"name": "x", "inputSchema": {"type": "object"}}]}}
    print(json.dumps({"jsonrpc": "2.0", "id": number, **answer}), flush=True)
"#;

fn server(folder: &Path, start: StartRule) -> NewServer {
    NewServer { start, ..python(folder, "s", SERVER, &[]) }
}

fn starts(folder: &Path) -> usize {
    std::fs::read_to_string(folder.join("starts")).unwrap_or_default().lines().count()
}

async fn set(host: &Host, sleep_after_seconds: u32, start_timeout_seconds: u32) {
    let settings = Settings { sleep_after_seconds, start_timeout_seconds, ..host.settings() };
    host.set_settings(settings).await.unwrap();
}

fn found(report: &DoctorReport, code: CheckCode) -> &Check {
    report.checks.iter().find(|check| check.code == code).unwrap()
}

/// A window in which a server sleeps, after it was started once.
async fn sleeping(home: &Path) -> (Host, ServerId) {
    let host = open(home, true).await;
    set(&host, 1, 120).await;
    let id = host.add_server(server(home, StartRule::OnUse)).await.unwrap().id;
    until(&host, "it sleeps", |server| server.connection.state == StateName::Asleep).await;
    assert_eq!(starts(home), 1);
    (host, id)
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_sleeps_is_woken_and_not_started_beside() {
    let home = tempfile::tempdir().unwrap();
    let (host, id) = sleeping(home.path()).await;
    // Another use wakes it at the same time.
    std::fs::write(home.path().join("delay"), "0.5").unwrap();
    let (report, other, ()) =
        tokio::join!(check(&host, "s"), check(&host, "s"), async { host.wait_for_attempt(id).await });
    assert_eq!(starts(home.path()), 2);
    for report in [report, other] {
        assert_eq!(report.failed_count(), 0, "{}", report.to_text());
        let evidence = &found(&report, CheckCode::Start).evidence;
        assert!(evidence[0].contains("slept") || evidence[0].contains("running"), "{evidence:?}");
    }
    until(&host, "it sleeps again", |server| server.connection.state == StateName::Asleep).await;
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sleeping_server_that_does_not_wake_is_tried_once() {
    let home = tempfile::tempdir().unwrap();
    let (host, _) = sleeping(home.path()).await;
    set(&host, 1, 1).await;
    std::fs::write(home.path().join("delay"), "20").unwrap();
    let report = check(&host, "s").await;
    let start = found(&report, CheckCode::Start);
    assert_eq!((start.outcome, start.error.as_deref()), (CheckOutcome::Failed, Some("timeout")));
    assert_eq!(starts(home.path()), 2, "{}", report.to_text());
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_start_is_blamed_and_not_the_protocol() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("delay"), "20").unwrap();
    for supervise in [false, true] {
        let home = home.path().join(supervise.to_string());
        std::fs::create_dir(&home).unwrap();
        std::fs::write(home.join("delay"), "20").unwrap();
        let host = open(&home, supervise).await;
        set(&host, 60, 2).await;
        host.add_server(server(&home, StartRule::default())).await.unwrap();
        let report = check(&host, "s").await;
        let start = found(&report, CheckCode::Start);
        assert_eq!((start.outcome, start.error.as_deref()), (CheckOutcome::Failed, Some("timeout")));
        let text = report.to_text();
        assert!(text.contains("it is too slow to start; the limit is 2 s"), "{text}");
        assert_eq!(found(&report, CheckCode::Protocol).outcome, CheckOutcome::Skipped, "{text}");
        assert_eq!(starts(&home), 1, "{text}");
        host.shutdown().await;
    }
}
