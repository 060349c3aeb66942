//! Messages and next steps for each failure.

use std::path::PathBuf;

use super::*;

fn check(failure: &Failure, code: &str, message: &str, next: &str, evidence: Option<&str>) {
    assert_eq!(
        (failure.code.as_str(), &*failure.message, failure.next.as_deref(), failure.evidence.as_deref()),
        (code, message, Some(next), evidence)
    );
}

#[test]
fn missing_command_names_searched_folders_and_what_to_install() {
    let not_found = |name: &str| ResolveError::NotFound {
        name: name.to_owned(),
        searched: vec![PathBuf::from("/a"), PathBuf::from("/b")],
    };
    check(
        &from_resolve(not_found("npx"), &say!("your login shell’s PATH")),
        "command_not_found",
        "npx wasn’t found in the 2 folders of your login shell’s PATH",
        "Install Node.js, or give the full path.",
        Some("/a\n/b"),
    );
    check(
        &from_resolve(not_found("npx -y x"), &say!("your PATH")),
        "command_not_found",
        "npx -y x wasn’t found in the 2 folders of your PATH",
        "Enter only the program as the command, and the rest as arguments.",
        Some("/a\n/b"),
    );
    check(
        &from_resolve(not_found("./x"), &say!("your PATH")),
        "command_not_found",
        "./x doesn’t exist",
        "Check the path.",
        None,
    );
}

#[test]
fn a_server_that_ends_at_once_shows_what_it_printed() {
    let error = ConnectError::Exited {
        exit: say!("exit code {code}", code = 1),
        stderr: vec!["Missing".to_owned(), "API key".to_owned()],
    };
    check(
        &from_connect(error, &NewServer::new("s", Transport::Stdio), &["usage: x".to_owned()]),
        "exited",
        "the server ended before it answered (exit code 1)",
        "Its output usually says what is missing.",
        Some("usage: x\nMissing\nAPI key"),
    );
}

#[test]
fn silence_and_garbage_are_told_apart() {
    let timeout = || ConnectError::Timeout {
        after: Duration::from_millis(1500),
        is_stream_silent: false,
        stderr: Vec::new(),
    };
    assert_eq!(
        &*from_connect(timeout(), &NewServer::new("s", Transport::Stdio), &[]).message,
        "the server gave no answer within 1.5 s"
    );
    let garbage = from_connect(timeout(), &NewServer::new("s", Transport::Stdio), &["hello".to_owned()]);
    assert_eq!((garbage.code, garbage.evidence.as_deref()), (FailureCode::NotMcp, Some("hello")));
}

#[test]
fn a_status_of_a_call_is_told_with_its_words_and_what_to_do() {
    let error = |status, excerpt: &str, hints| {
        call_error(RequestError::Status { status, excerpt: excerpt.to_owned(), hints: Box::new(hints) })
    };
    let page = "<!DOCTYPE html><html><head><style>p {}</style><title>504 Gateway Time-out</title>";
    let gateway = error(504, page, StatusHints::default());
    assert_eq!(gateway.message, "HTTP status 504: the gateway timed out waiting for the server");
    assert_eq!(gateway.evidence.as_deref(), Some("504 Gateway Time-out"));
    assert!(gateway.next.unwrap().contains("may still be running"));
    let words = error(400, "month must be 1 to 12", StatusHints::default());
    assert_eq!((words.evidence.as_deref(), words.status), (Some("month must be 1 to 12"), Some(400)));
    let busy = StatusHints { retry_after: Some(Duration::from_secs(2)), ..StatusHints::default() };
    let busy = error(429, "", busy);
    assert_eq!(busy.next.as_deref(), Some("Wait 2 s, then try again."));
    assert_eq!((busy.evidence, busy.retry_after), (None, Some(Duration::from_secs(2))));
}

#[test]
fn a_certificate_that_is_not_trusted_has_a_way_out() {
    let error = || ConnectError::Certificate { reason: say!("it has expired") };
    let failure = from_connect(error(), &NewServer::new("s", Transport::Http), &[]);
    assert_eq!(&*failure.message, "the server’s certificate isn’t trusted: it has expired");
    assert!(failure.next.unwrap().contains("SSL_CERT_FILE"));
}

#[test]
fn a_tool_that_cannot_ask_back_names_the_era() {
    let error = |message: &str| {
        call_error(RequestError::Rpc(mooring_mcp::RpcError {
            code: -32600,
            message: message.to_owned(),
            data: None,
            status: None,
        }))
    };
    for message in [
        "no back-channel for server-initiated requests",
        "ctx.elicit is unavailable on 2026-07-28 connections",
    ] {
        assert!(error(message).next.unwrap().contains("--era session"), "{message}");
    }
    assert_eq!(error("no such berth").next, None);
}

#[test]
fn the_servers_words_are_evidence_and_not_part_of_our_sentence() {
    let error =
        mooring_mcp::RpcError { code: -32602, message: "click here".to_owned(), data: None, status: None };
    let failure = from_connect(ConnectError::Rejected(error), &NewServer::new("s", Transport::Http), &[]);
    assert!(!failure.message.contains("click"), "{}", failure.message);
    assert_eq!(failure.evidence.as_deref(), Some("click here"));
}

#[test]
fn a_url_that_ends_as_it_should_gets_no_hint_at_its_end() {
    let hint = |url: &str| {
        let server = NewServer { url: Some(url.to_owned()), ..NewServer::new("s", Transport::Http) };
        let error = ConnectError::Status { status: 404, excerpt: String::new(), hints: Box::default() };
        from_connect(error, &server, &[]).next.unwrap().contains("/mcp")
    };
    for (url, ends) in [
        ("https://example.org/api", true),
        ("https://example.org/mcp", false),
        ("https://example.org/mcp/?team=/api", false),
        ("https://example.org/?of=/mcp", true),
    ] {
        assert_eq!(hint(url), ends, "{url}");
    }
}
