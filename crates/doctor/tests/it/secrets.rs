//! A server that repeats its encrypted value. No report and no view has it.

use mooring_definitions::{NewServer, ServerSecret};
use mooring_doctor::{CheckOutcome, DoctorReport};
use mooring_store::SecretPlace;
use mooring_testkit::canary::Scanner;

use crate::support::{check, open, python, until};

const SECRET: &str = "canary-71d0/5e+a9\"c2";
const SERVER: &str = include_str!("echoing_server.py");

fn echoing(folder: &std::path::Path, mode: &str) -> NewServer {
    let value = Some(SECRET.into());
    let secret =
        ServerSecret { place: SecretPlace::Env, name: "SERVICE_KEY".to_owned(), value, entered: false };
    NewServer { secrets: vec![secret], ..python(folder, "echo", SERVER, &[mode]) }
}

fn assert_no_secret(place: &str, text: &str) {
    let hits = Scanner::new([("secret", SECRET)]).scan(place, text.as_bytes());
    assert!(hits.is_empty(), "{hits:?} {text}");
}

fn assert_report(mode: &str, report: &DoctorReport, wanted: &str) {
    assert_no_secret(mode, &report.to_text());
    assert_no_secret(mode, &format!("{report:?}"));
    assert!(report.to_text().contains(wanted), "{mode}: {}", report.to_text());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_report_has_a_value_that_the_server_repeats() {
    for (mode, quoted, is_failed) in [
        ("work", "no access with [redacted]", false),
        ("garbage", "no message but [redacted]", true),
        ("unlisted", "no access with [redacted]", true),
        ("refuse", "no access with [redacted]", true),
        ("revision", "[redacted]", true),
        ("exit", "ended with [redacted]", true),
    ] {
        let home = tempfile::tempdir().unwrap();
        let host = open(home.path(), false).await;
        host.add_server(echoing(home.path(), mode)).await.unwrap();
        let report = check(&host, "echo").await;
        assert_report(mode, &report, quoted);
        let failed = report.checks.iter().any(|check| check.outcome == CheckOutcome::Failed);
        assert_eq!(failed, is_failed, "{mode}: {}", report.to_text());
        host.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_view_has_a_value_that_the_server_repeats() {
    for (mode, quoted) in [
        ("work", "no access with [redacted]"),
        ("unlisted", "[redacted]"),
        ("refuse", "no access with [redacted]"),
        ("exit", "ended with [redacted]"),
    ] {
        let home = tempfile::tempdir().unwrap();
        let host = open(home.path(), true).await;
        let id = host.add_server(echoing(home.path(), mode)).await.unwrap().id;
        let settled = |connection: &mooring_server_state::ConnectionView| {
            connection.failure.is_some() || connection.tool_count.is_some()
        };
        until(&host, "it works or has failed", |server| settled(&server.connection)).await;
        let mut view = host.server(id).unwrap();
        if let Some(peer) = &mut view.connection.peer {
            // What apps get is as sent.
            peer.capabilities = Box::default();
        }
        assert_no_secret(mode, &format!("{view:?}"));
        let listed = host.tools(id, true).await;
        assert_no_secret(mode, &format!("{listed:?}"));
        assert_report(mode, &check(&host, "echo").await, quoted);
        // The whole of Mooring is checked from the same views.
        let whole = mooring_doctor::check_mooring(&host, None, &|_| {}).await;
        assert_no_secret(mode, &whole.to_text());
        host.shutdown().await;
    }
}
