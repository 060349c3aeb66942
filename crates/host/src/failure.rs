//! From what the engine and the process layer report to what a person can act on: what happened, the next
//! step, the evidence. Our words and the server's never share a sentence: the server's go into the evidence.

mod access;
mod code;

use std::time::Duration;

use mooring_mcp::{CloseReason, ConnectError, RequestError, StatusHints, telling_line};
use mooring_process::{ResolveError, SearchPath, install_offer, package_of};
use mooring_store::Transport;
use mooring_words::{Sentence, say};
use serde::Serialize;
use ts_rs::TS;

use self::access::{from_sign_in, insufficient_scope_sentence, requested_scopes};
use crate::tools::{CallError, CallErrorCode};

pub(crate) use self::access::{from_locked, from_secret, from_sign_in_required, require_approved};
pub use self::code::FailureCode;

/// Characters of a server's output in a sentence.
const SUMMARY_LINE: usize = 300;

/// Why a connection could not be made or was lost: what happened, the next step, and the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Failure {
    /// What kind of failure this is.
    pub code: FailureCode,
    /// What happened and why we think so, in plain words.
    pub message: Sentence,
    /// What the person can do.
    pub next: Option<Sentence>,
    /// What it is concluded from: standard error, the start of an answer, the folders searched.
    pub evidence: Option<String>,
    /// It may pass without anybody's doing, so that it is worth a try later.
    #[serde(skip)]
    #[ts(skip)]
    pub(crate) is_transient: bool,
}

impl Failure {
    pub(crate) fn new(code: FailureCode, message: Sentence) -> Self {
        let is_transient = matches!(code, FailureCode::Exited | FailureCode::Timeout | FailureCode::Refused);
        Self { code, message, next: None, evidence: None, is_transient }
    }

    pub(crate) fn next(mut self, next: Sentence) -> Self {
        self.next = Some(next);
        self
    }

    fn evidence(mut self, evidence: impl Into<String>) -> Self {
        let evidence = evidence.into();
        self.evidence = Some(evidence).filter(|evidence| !evidence.trim().is_empty());
        self
    }

    /// What happened in one sentence, for whoever gets no evidence: with the line of a server's output that says the
    /// most.
    pub(crate) fn summary(&self) -> Sentence {
        let printed = self.evidence.as_deref().filter(|_| self.code == FailureCode::Exited);
        match printed.and_then(|printed| telling_line(printed.lines())) {
            Some(line) => say!(
                "{message}; it printed “{line}”",
                message = self.message.clone(),
                line = line.chars().take(SUMMARY_LINE).collect::<String>()
            ),
            None => self.message.clone(),
        }
    }

    /// For a terminal: names the command that installs the program that is not there, if there is one.
    pub(crate) fn with_install_command(self, program: &str, search: &SearchPath) -> Self {
        let offer = install_offer(program, search).filter(|_| self.code == FailureCode::CommandNotFound);
        let Some(offer) = offer else { return self };
        match offer.command.map(|command| command.line.join(" ")).or(offer.terminal.map(str::to_owned)) {
            Some(command) => {
                self.next(say!("Install {package}: {command}", package = offer.package, command))
            }
            None => self,
        }
    }

    /// The working directory is not there.
    pub(crate) fn no_folder(path: &str) -> Self {
        Self::new(FailureCode::Internal, say!("the working directory doesn’t exist: {path}", path))
            .next(say!("Create the folder, or choose another one in the server’s settings."))
    }

    /// The private directory could not be made.
    pub(crate) fn private_folder(path: &str, error: &std::io::Error) -> Self {
        Self::new(
            FailureCode::Internal,
            say!("the server’s private folder couldn’t be created: {path}", path),
        )
        .next(say!(
            "Make Mooring’s data folder writable, or choose a working folder in the server’s settings."
        ))
        .evidence(error.to_string())
    }

    /// The task of the connection ended by a defect of ours.
    pub(crate) fn defect() -> Self {
        Self::new(FailureCode::Internal, say!("a bug in Mooring ended this connection"))
            .next(say!("Restart it. If it happens again, report it with this server’s Activity."))
    }
}

/// Why a command has no program. `whose` names the search path: `your PATH`.
pub(crate) fn from_resolve(error: ResolveError, whose: &Sentence) -> Failure {
    match error {
        ResolveError::Empty => Failure::new(FailureCode::CommandNotFound, say!("the command is empty"))
            .next(say!("Enter the program to start, such as npx or uvx.")),
        ResolveError::NotFound { name, searched } => {
            let is_path = name.contains(['/', '\\']);
            let message = match searched.len() {
                _ if is_path => say!("{name} doesn’t exist", name = &name),
                1 => say!("{name} wasn’t found in the only folder of {whose}", name = &name, whose),
                count => {
                    say!("{name} wasn’t found in the {count} folders of {whose}", name = &name, count, whose)
                }
            };
            let folders: Vec<_> = searched.iter().map(|folder| folder.display().to_string()).collect();
            let failure =
                Failure::new(FailureCode::CommandNotFound, message).next(install_hint(&name, is_path));
            if is_path { failure } else { failure.evidence(folders.join("\n")) }
        }
        ResolveError::NotExecutable { path } => {
            let path = path.to_string_lossy();
            Failure::new(FailureCode::NotExecutable, say!("{path} exists but can’t be run", path = &*path))
                .next(say!("Make it executable: chmod +x {path}", path = &*path))
        }
        ResolveError::IsDirectory { path } => {
            let message = say!("{path} is a folder, not a program", path = path.to_string_lossy());
            Failure::new(FailureCode::NotExecutable, message)
                .next(say!("Enter the path of the program inside it."))
        }
        ResolveError::WorldWritable { path } => {
            let message =
                say!("{path} wasn’t run because any user can replace it", path = path.to_string_lossy());
            Failure::new(FailureCode::NotExecutable, message).next(say!(
                "Move it to a folder that only you can write to, or remove other users’ write permission."
            ))
        }
    }
}

/// What to do about a command that is not there.
fn install_hint(name: &str, is_path: bool) -> Sentence {
    if name.trim().contains(char::is_whitespace) && !is_path {
        return say!("Enter only the program as the command, and the rest as arguments.");
    }
    match package_of(name) {
        Some(package) => say!("Install {package}, or give the full path.", package),
        None if is_path => say!("Check the path."),
        None => say!("Check the spelling, install the program, or give its full path."),
    }
}

fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds.fract() == 0.0 { format!("{seconds:.0}") } else { format!("{seconds:.1}") }
}

/// Why a connection could not be made. `noise` is what it printed that is not a message.
pub(crate) fn from_connect(error: ConnectError, transport: Transport, noise: &[String]) -> Failure {
    use FailureCode as Code;
    match error {
        ConnectError::Spawn { reason, .. } => Failure::new(Code::NotExecutable, reason).next(say!(
            "Check the command: it must be a program, or a script with a first line like #!/bin/sh."
        )),
        ConnectError::Exited { exit, stderr } => {
            let failure =
                Failure::new(Code::Exited, say!("the server ended before it answered ({exit})", exit));
            let output = [noise, &stderr[..]].concat().join("\n");
            if output.trim().is_empty() {
                failure.next(say!("It printed nothing. Run the command in a terminal to see what it needs."))
            } else {
                failure.next(say!("Its output usually says what is missing.")).evidence(output)
            }
        }
        ConnectError::Timeout { after, stderr } if noise.is_empty() => Failure::new(
            Code::Timeout,
            say!("the server gave no answer within {seconds} s", seconds = seconds(after)),
        )
        .next(say!(
            "Check that it is an MCP server; for one that starts slowly, allow more time in the settings."
        ))
        .evidence(stderr.join("\n")),
        ConnectError::Timeout { after, .. } => {
            let message = say!(
                "the server printed text that isn’t MCP, and no answer within {seconds} s",
                seconds = seconds(after)
            );
            Failure::new(Code::NotMcp, message).next(not_mcp_hint(transport)).evidence(noise.join("\n"))
        }
        ConnectError::NotMcp { what, excerpt } => {
            Failure::new(Code::NotMcp, say!("something answered, but not an MCP server: {what}", what))
                .next(not_mcp_hint(transport))
                .evidence(excerpt)
        }
        ConnectError::Unreachable { reason } => {
            Failure::new(Code::Refused, say!("the server couldn’t be reached: {reason}", reason))
                .next(say!("Check that the server is running and that its URL and port are right."))
        }
        ConnectError::Renewal { .. } => Failure::new(Code::Refused, error.sentence())
            .next(say!("Mooring tries again by itself. If it stays like this, sign in again.")),
        ConnectError::Certificate { .. } => {
            Failure::new(Code::Certificate, error.sentence()).next(certificate_hint())
        }
        ConnectError::Status { status, ref excerpt, ref hints } => {
            let failure = Failure::new(Code::HttpStatus, error.sentence())
                .next(status_hint(status, hints))
                .evidence(page_text(excerpt));
            Failure { is_transient: is_transient_status(status), ..failure }
        }
        ConnectError::AlsoOverSse { error, sse } => {
            let failure = from_connect(*error, transport, noise);
            let message = say!("{error}; HTTP+SSE was tried after that: {sse}", error = failure.message, sse);
            Failure { message, ..failure }
        }
        ConnectError::OldTransport => Failure::new(Code::NotMcp, error.sentence())
            .next(say!("Choose HTTP+SSE for this server (--era sse).")),
        ConnectError::SignIn { status, challenge } => from_sign_in(status, challenge),
        ConnectError::Rejected(error) => {
            let message = match error.code {
                0 => say!("the server rejected initialize"),
                code => say!("the server rejected initialize (error {code})", code),
            };
            let failure = Failure::new(Code::Handshake, message)
                .next(say!("The server’s message is below. Its documentation may help."))
                .evidence(error.message);
            // An error inside of it, and those that servers define themselves (JSON-RPC 2.0 §5.1): what it needs may
            // not be there yet.
            Failure { is_transient: matches!(error.code, -32603 | -32099..=-32000), ..failure }
        }
        error @ ConnectError::Revision { .. } => Failure::new(Code::Handshake, error.sentence())
            .next(say!("Find a version of the server that supports protocol version 2026-07-28 or earlier.")),
        error @ ConnectError::Handshake { .. } => Failure::new(Code::Handshake, error.sentence())
            .next(say!("The exact messages are in this server’s Activity.")),
    }
}

fn not_mcp_hint(transport: Transport) -> Sentence {
    match transport {
        Transport::Stdio => {
            say!("Check that the command starts an MCP server on its standard input and output.")
        }
        Transport::Http => say!("Check the URL. MCP servers’ URLs often end in /mcp."),
    }
}

/// Whether a server, or what stands before it, says that it cannot answer now, and not that it never will.
fn is_transient_status(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502..=504 | 507 | 520..=530)
}

/// What to do about an HTTP status.
fn status_hint(status: u16, hints: &StatusHints) -> Sentence {
    if hints.location.is_some() {
        return say!("Use the new URL if you trust it.");
    }
    if let Some(wait) = hints.retry_after {
        return say!("Wait {seconds} s, then try again.", seconds = wait.as_secs());
    }
    match status {
        404 | 405 => say!("Check the path of the URL. MCP servers’ URLs often end in /mcp."),
        407 => {
            say!(
                "Set HTTPS_PROXY to the proxy’s URL with its user name and password and choose System settings as the proxy, or exclude this server."
            )
        }
        408 | 429 | 502..=504 | 520..=530 => say!("Try again later."),
        413 | 414 | 431 => say!("Send less data."),
        500..=599 => say!("The server failed. Try again later, or check the server’s own log."),
        _ => say!("Check the URL and the headers."),
    }
}

/// What to do about a status that a call came to.
fn call_hint(status: u16, hints: &StatusHints) -> Sentence {
    match status {
        // Whoever gave up waiting, the tool did not.
        408 | 502..=504 | 520..=530 => say!(
            "The tool may have run or may still be running. Check what it did before you call it again later."
        ),
        500..=599 if hints.retry_after.is_none() => say!(
            "The server failed, perhaps after the tool had started. Check what it did before you call it again."
        ),
        400 | 422 if hints.location.is_none() => {
            say!("The server’s message usually says what it doesn’t accept.")
        }
        _ => status_hint(status, hints),
    }
}

fn certificate_hint() -> Sentence {
    say!(
        "If the certificate is yours or your company’s, add its authority under Settings, Network, or set SSL_CERT_FILE to a file that contains it. Otherwise someone may be intercepting the connection."
    )
}

/// What to do about a tool that asks back over a connection on which it cannot.
fn ask_back_hint(message: &str) -> Option<Sentence> {
    let words = message.to_ascii_lowercase();
    let phrases =
        ["back-channel", "backchannel", "back channel", "server-initiated", "2026-07-28 connection"];
    phrases.iter().any(|phrase| words.contains(phrase)).then(|| {
        say!(
            "The tool asks a question in a way that this server supports only in a session. Choose the session protocol in its settings (--era session)."
        )
    })
}

/// Why a connection ended by itself.
pub(crate) fn from_close(reason: &CloseReason) -> Failure {
    match reason {
        CloseReason::Exited { stderr, .. } => {
            Failure::new(FailureCode::Exited, reason.sentence()).evidence(stderr.join("\n"))
        }
        CloseReason::OutputClosed | CloseReason::InputClosed { .. } => {
            Failure::new(FailureCode::Exited, reason.sentence())
        }
        CloseReason::StreamLost { .. } => Failure::new(FailureCode::Refused, reason.sentence()),
        CloseReason::SessionLost => Failure::new(FailureCode::HttpStatus, reason.sentence()),
        CloseReason::Unresponsive { .. } => Failure::new(FailureCode::Timeout, reason.sentence()),
        CloseReason::Stopped => Failure::new(FailureCode::Internal, reason.sentence()),
    }
}

/// Why the tools of a connection could not be listed.
pub(crate) fn from_list(what: &Sentence, error: &CallError) -> Failure {
    let code = match error.code {
        CallErrorCode::Timeout => FailureCode::Timeout,
        CallErrorCode::TooLarge => FailureCode::TooLarge,
        CallErrorCode::HttpStatus => FailureCode::HttpStatus,
        CallErrorCode::SignIn => FailureCode::SignIn,
        CallErrorCode::Unreachable => FailureCode::Refused,
        CallErrorCode::Rpc
        | CallErrorCode::Closed
        | CallErrorCode::Malformed
        | CallErrorCode::Refused
        | CallErrorCode::Rounds
        | CallErrorCode::Unsendable
        | CallErrorCode::NotResent
        | CallErrorCode::Cancelled
        | CallErrorCode::NotMcp => FailureCode::Handshake,
    };
    let failure = match error.rpc_code {
        Some(0) => Failure::new(code, say!("the server didn’t list its {what} and sent an error", what))
            .evidence(error.message.clone()),
        Some(rpc_code) => Failure::new(
            code,
            say!("the server didn’t list its {what} (error {code})", what, code = rpc_code),
        )
        .evidence(error.message.clone()),
        None => Failure::new(
            code,
            say!("the {what} couldn’t be listed: {reason}", what, reason = error.sentence()),
        ),
    };
    failure.next(say!("The server is connected. Refresh its {what} to try again.", what))
}

impl From<RequestError> for CallError {
    fn from(error: RequestError) -> Self {
        let message = error.sentence();
        let (mut next, mut evidence, mut status, mut retry_after) = (None, None, None, None);
        let mut scopes = Vec::new();
        let (code, said) = match error {
            RequestError::SessionLost { answer, .. } => return (*answer).into(),
            RequestError::Rpc(rpc) => {
                return Self {
                    code: CallErrorCode::Rpc,
                    next: ask_back_hint(&rpc.message),
                    message: rpc.message,
                    said: None,
                    rpc_code: Some(rpc.code),
                    data: rpc.data,
                    evidence: None,
                    status: rpc.status,
                    retry_after: None,
                    scopes: Vec::new(),
                };
            }
            RequestError::Timeout { .. } => {
                next = Some(say!(
                    "If the server needs longer, allow it more time in its settings, or every server in Settings under Limits."
                ));
                (CallErrorCode::Timeout, message)
            }
            RequestError::Closed(_) => (CallErrorCode::Closed, message),
            RequestError::StreamEnded => {
                next = Some(say!(
                    "The tool may have run or may still be running. Check what it did before you call it again."
                ));
                (CallErrorCode::Closed, message)
            }
            RequestError::TooLarge { .. } => (CallErrorCode::TooLarge, message),
            RequestError::Malformed { .. } => (CallErrorCode::Malformed, message),
            RequestError::Refused { .. } => (CallErrorCode::Refused, message),
            RequestError::Rounds { .. } => (CallErrorCode::Rounds, message),
            RequestError::Unsendable { .. } => (CallErrorCode::Unsendable, message),
            RequestError::NotResent { .. } => (CallErrorCode::NotResent, message),
            RequestError::TaskCancelled { .. } => (CallErrorCode::Cancelled, message),
            RequestError::NotMcp { excerpt, .. } => {
                evidence = Some(excerpt);
                (CallErrorCode::NotMcp, message)
            }
            RequestError::OldTransport => {
                next = Some(say!("Choose HTTP+SSE for this server (--era sse)."));
                (CallErrorCode::NotMcp, message)
            }
            RequestError::Status { status: found, excerpt, hints } => {
                next = Some(call_hint(found, &hints));
                evidence = Some(excerpt);
                (status, retry_after) = (Some(found), hints.retry_after);
                (CallErrorCode::HttpStatus, message)
            }
            RequestError::SignIn { status: found, challenge, .. } => {
                status = Some(found);
                let wanted = requested_scopes(challenge.as_deref().unwrap_or_default());
                let message = wanted.as_deref().map_or(message, insufficient_scope_sentence);
                scopes = wanted.unwrap_or_default();
                (CallErrorCode::SignIn, message)
            }
            RequestError::Certificate { .. } => {
                next = Some(certificate_hint());
                (CallErrorCode::Unreachable, message)
            }
            RequestError::Unreachable { .. } | RequestError::Renewal { .. } => {
                (CallErrorCode::Unreachable, message)
            }
        };
        let evidence = evidence.map(|words| page_text(&words)).filter(|words| !words.trim().is_empty());
        let (message, said) = (said.to_string(), Some(said));
        Self { code, message, said, rpc_code: None, data: None, next, evidence, status, retry_after, scopes }
    }
}

/// What a page says to people: its title, or else its text without markup. Anything else as it is.
fn page_text(text: &str) -> String {
    let start = text.trim_start();
    let is_page = ["<!doctype", "<html", "<head", "<body"]
        .iter()
        .any(|mark| start.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark)));
    if !is_page {
        return text.to_owned();
    }
    let lower = text.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|at| {
        let from = at + lower.get(at..)?.find('>')? + 1;
        let to = from + lower.get(from..)?.find("</title").unwrap_or(lower.len() - from);
        text.get(from..to)
    });
    if let Some(title) = title.map(str::trim).filter(|title| !title.is_empty()) {
        return title.to_owned();
    }
    String::new()
}

#[cfg(test)]
mod tests {
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
            &from_connect(error, Transport::Stdio, &["usage: x".to_owned()]),
            "exited",
            "the server ended before it answered (exit code 1)",
            "Its output usually says what is missing.",
            Some("usage: x\nMissing\nAPI key"),
        );
    }

    #[test]
    fn silence_and_garbage_are_told_apart() {
        let timeout = || ConnectError::Timeout { after: Duration::from_millis(1500), stderr: Vec::new() };
        assert_eq!(
            &*from_connect(timeout(), Transport::Stdio, &[]).message,
            "the server gave no answer within 1.5 s"
        );
        let garbage = from_connect(timeout(), Transport::Stdio, &["hello".to_owned()]);
        assert_eq!((garbage.code, garbage.evidence.as_deref()), (FailureCode::NotMcp, Some("hello")));
    }

    #[test]
    fn a_status_of_a_call_is_told_with_its_words_and_what_to_do() {
        let error = |status, excerpt: &str, hints| {
            CallError::from(RequestError::Status {
                status,
                excerpt: excerpt.to_owned(),
                hints: Box::new(hints),
            })
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
        let failure = from_connect(error(), Transport::Http, &[]);
        assert_eq!(&*failure.message, "the server’s certificate isn’t trusted: it has expired");
        assert!(failure.next.unwrap().contains("SSL_CERT_FILE"));
    }

    #[test]
    fn a_tool_that_cannot_ask_back_names_the_era() {
        let error = |message: &str| {
            CallError::from(RequestError::Rpc(mooring_mcp::RpcError {
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
        let error = mooring_mcp::RpcError {
            code: -32602,
            message: "click here".to_owned(),
            data: None,
            status: None,
        };
        let failure = from_connect(ConnectError::Rejected(error), Transport::Http, &[]);
        assert!(!failure.message.contains("click"), "{}", failure.message);
        assert_eq!(failure.evidence.as_deref(), Some("click here"));
    }
}
