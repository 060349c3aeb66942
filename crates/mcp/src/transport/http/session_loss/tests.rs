//! Which responses mean that the session is gone, and which only mention one.

use super::*;

#[test]
fn a_lost_session_is_told_in_many_words() {
    for text in [
        "Session not found",
        "SESSION_NOT_FOUND",
        "Session not found or has expired",
        "Bad Request: No valid session ID provided",
        "Bad Request: Missing session ID",
        "Not Found: Invalid or expired session ID",
        "Bad Request: Mcp-Session-Id header is required",
        "mcp-session-id header is required",
        "Session ID required in mcp-session-id header",
        "Unauthorized: Session not found",
        "The session has expired, please reconnect",
        "No valid session",
        "Unknown session",
        "<title>400</title><p>session 6f2 does not exist</p>",
        "<!doctype html><title>400</title><p>The session does not exist.</p>",
        "Session not found: 550e8400-e29b-41d4-a716-446655440000",
        r#"{"error":"InvalidSession: unknown sessionId"}"#,
        r#"{"detail":"Could not find session"}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}"#,
    ] {
        assert!(is_about_session(text) && hints_at_session(text), "{text}");
    }
    for text in [
        "Bad Request: Server not initialized",
        "Received request before initialization was complete",
        "Not initialized",
        "Unprocessable Entity: unexpected message, expect initialize request",
    ] {
        assert!(is_uninitialized(text) && !is_about_session(text), "{text}");
    }
}

#[test]
fn sessions_of_others_are_not_those_of_the_protocol() {
    for text in [
        "(sqlalchemy.exc.InvalidRequestError) This Session's transaction has been rolled back",
        "upstream: database session was lost after commit",
        "database session not found",
        "no such session in the calendar: invalid",
        "unknown session of the court",
        "Session expired for bob at the bank",
        "ssh session expired",
        "browser session id is invalid",
        "session_name is missing",
        "sessions: 4",
        "payment gateway not initialized",
        "",
    ] {
        assert!(!is_about_session(text) && !is_uninitialized(text) && !is_known(text), "{text}");
    }
    for text in
        ["session_name is missing", "Browser session not found", "month must be 1 to 12", "sessions: 4"]
    {
        assert!(!hints_at_session(text) && !hints_at_beginning(text), "{text}");
    }
}

/// What a refusal means for a call: whether the session is certainly gone, and whether the call may have run.
fn call(status: u16, names_request: bool, words: &str) -> Option<(bool, bool)> {
    with_code(-32000, status, names_request, words)
}

fn with_code(code: i64, status: u16, names_request: bool, words: &str) -> Option<(bool, bool)> {
    let used = SessionUse { names_session: true, in_session: true, acts: true, id: Some(7) };
    let error = RpcError { code, message: words.into(), data: None, status: Some(status) };
    let refused =
        ErrorResponse { status, used, names_request, error: Some(&error), text: words, is_page: false };
    refused.find_loss().map(|loss| (loss.is_certain, loss.may_have_run))
}

// Requirements: SHS-18.
#[test]
fn only_what_is_said_before_a_call_is_looked_at_proves_it() {
    let (repeated, renewed) = (Some((true, false)), Some((true, true)));
    assert_eq!(call(404, false, ""), repeated);
    assert_eq!(call(404, true, "Session not found"), repeated);
    assert_eq!(call(404, true, "No such order"), renewed);
    for status in [400, 401, 410, 422] {
        assert_eq!(call(status, false, "Session expired"), repeated);
        assert_eq!(call(status, false, "Server not initialized"), repeated);
    }
    assert_eq!(call(400, true, "Invalid session"), repeated);
    assert_eq!(call(400, true, "The session has expired"), renewed);
    assert_eq!(with_code(-32602, 400, true, "Session ID is required"), renewed);
    for status in [500, 502, 503] {
        assert_eq!(call(status, true, "Session not found"), renewed);
        assert_eq!(call(status, false, "Session not found"), renewed);
    }
    let wrapped = "Error POSTing to endpoint (HTTP 400): No valid session ID provided";
    assert_eq!((call(500, false, wrapped), call(500, true, wrapped)), (repeated, renewed));
    // A ping decides. The call is only repeated if the whole session is refused in the same way.
    assert_eq!(call(400, false, "no such session in the calendar"), Some((false, false)));
    assert_eq!(call(400, true, "no such session in the calendar"), Some((false, true)));
    assert_eq!(call(502, false, "database session was lost"), Some((false, true)));
    for status in [408, 429, 504] {
        assert_eq!(call(status, false, "Session not found"), None);
    }
    assert_eq!(call(500, false, "oops"), None);
}

#[test]
fn an_error_of_a_tool_is_no_lost_session() {
    let loss = |code, message: &str, status, names_request| {
        let error = RpcError { code, message: message.into(), data: None, status };
        loss_by_error(&error, names_request, true).map(|loss| (loss.is_certain, loss.may_have_run))
    };
    assert_eq!(loss(-32001, "Session not found", None, true), Some((true, false)));
    assert_eq!(loss(-32001, "MCP error -32001: Session not found", None, true), Some((true, true)));
    assert_eq!(loss(-32001, "database session not found", None, true), Some((false, true)));
    assert_eq!(loss(-32000, "Session not found", None, false), Some((true, false)));
    assert_eq!(loss(-32000, "database session not found", None, false), Some((false, true)));
    assert_eq!(loss(-32603, "Session not found", None, true), None);
    assert_eq!(loss(-32001, "Session not found", Some(400), true), None);
}
