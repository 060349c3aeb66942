//! Turns errors of the engine and the process layer into a description for people: what happened, the next
//! step, and the evidence. A sentence never mixes our words with the server's: the server's words go into the
//! evidence.

mod access;
mod code;

use std::time::Duration;

use mooring_calls::{CallError, CallErrorCode};
use mooring_definitions::{NewServer, Transport};
use mooring_mcp::{CloseReason, ConnectError, RequestError, StatusHints, telling_line};
use mooring_process::{ResolveError, SearchPath, install_offer, package_of};
use mooring_words::{Sentence, say};
use serde::Serialize;
use ts_rs::TS;

pub use self::access::{from_locked, from_secret, from_sign_in_required, require_approved};
use self::access::{from_sign_in, insufficient_scope_sentence, requested_scopes};
pub use self::code::FailureCode;

/// The maximum number of characters of a server's output in a sentence.
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
    /// The basis for the conclusion: standard error, the start of a response, or the folders searched.
    pub evidence: Option<String>,
    /// Whether the failure may resolve itself, so that a later retry makes sense.
    #[serde(skip)]
    #[ts(skip)]
    pub is_transient: bool,
}

impl Failure {
    /// A failure of this kind without a next step.
    pub fn new(code: FailureCode, message: Sentence) -> Self {
        let is_transient = matches!(code, FailureCode::Exited | FailureCode::Timeout | FailureCode::Refused);
        Self { code, message, next: None, evidence: None, is_transient }
    }

    /// The failure with a next step.
    #[must_use]
    pub fn next(mut self, next: Sentence) -> Self {
        self.next = Some(next);
        self
    }

    fn evidence(mut self, evidence: impl Into<String>) -> Self {
        let evidence = evidence.into();
        self.evidence = Some(evidence).filter(|evidence| !evidence.trim().is_empty());
        self
    }

    /// What happened in one sentence, for callers that don't show the evidence. It includes the most
    /// informative line of the server's output.
    pub fn summary(&self) -> Sentence {
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

    /// The failure for a terminal. It names the command that installs the missing program, if one is known.
    #[must_use]
    pub fn with_install_command(self, program: &str, search: &SearchPath) -> Self {
        let offer = install_offer(program, search).filter(|_| self.code == FailureCode::CommandNotFound);
        let Some(offer) = offer else { return self };
        match offer.command.map(|command| command.line.join(" ")).or(offer.terminal.map(str::to_owned)) {
            Some(command) => {
                self.next(say!("Install {package}: {command}", package = offer.package, command))
            }
            None => self,
        }
    }

    /// The working directory does not exist.
    pub fn no_folder(path: &str) -> Self {
        Self::new(FailureCode::Internal, say!("the working directory doesn’t exist: {path}", path))
            .next(say!("Create the folder, or choose another one in the server’s settings."))
    }

    /// The saved definition could not be read.
    pub fn unreadable_definition() -> Self {
        Self::new(FailureCode::Internal, say!("the server’s saved settings can’t be read"))
            .next(say!("Enter the command or URL again in the server’s settings."))
    }

    /// The server's private directory could not be created.
    pub fn private_folder(path: &str, error: &std::io::Error) -> Self {
        Self::new(
            FailureCode::Internal,
            say!("the server’s private folder couldn’t be created: {path}", path),
        )
        .next(say!(
            "Make Mooring’s data folder writable, or choose a working folder in the server’s settings."
        ))
        .evidence(error.to_string())
    }

    /// The connection's task ended because of a bug in Mooring.
    pub fn defect() -> Self {
        Self::new(FailureCode::Internal, say!("a bug in Mooring ended this connection"))
            .next(say!("Restart it. If it happens again, report it with this server’s Activity."))
    }
}

/// Why a command could not be resolved to a program. `whose` names the search path, such as `your PATH`.
pub fn from_resolve(error: ResolveError, whose: &Sentence) -> Failure {
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

/// What the person can do about a missing command.
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

/// Why a connection could not be established. `noise` is the output of the server that is not a protocol
/// message.
pub fn from_connect(error: ConnectError, server: &NewServer, noise: &[String]) -> Failure {
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
        ConnectError::Timeout { after, is_stream_silent: true, .. } => {
            let seconds = seconds(after);
            let sentence = say!(
                "the server opened a stream for its answer, and nothing came on it within {seconds} s",
                seconds
            );
            Failure::new(Code::Timeout, sentence).next(say!(
                "What runs behind this URL may have ended: check its own output. For one that starts slowly, allow more time in the settings."
            ))
        }
        ConnectError::Timeout { after, stderr, .. } if noise.is_empty() => Failure::new(
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
            Failure::new(Code::NotMcp, message).next(not_mcp_hint(server)).evidence(noise.join("\n"))
        }
        ConnectError::NotMcp { what, excerpt } => {
            Failure::new(Code::NotMcp, say!("something answered, but not an MCP server: {what}", what))
                .next(not_mcp_hint(server))
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
            let failure = match status {
                // A plain web server doesn't support requests with a body.
                501 => Failure::new(
                    Code::NotMcp,
                    say!("something answered, but not an MCP server: {what}", what = error.sentence()),
                ),
                _ => Failure::new(Code::HttpStatus, error.sentence()),
            };
            let failure = failure
                .next(match status {
                    404 | 405 | 501 if hints.location.is_none() => not_mcp_hint(server),
                    _ => status_hint(status, hints),
                })
                .evidence(page_text(excerpt));
            Failure { is_transient: is_transient_status(status), ..failure }
        }
        ConnectError::AlsoOverSse { error, sse } => {
            let failure = from_connect(*error, server, noise);
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
            // Internal errors and server-defined errors (JSON-RPC 2.0 §5.1): something the server depends on
            // may not be ready yet.
            Failure { is_transient: matches!(error.code, -32603 | -32099..=-32000), ..failure }
        }
        error @ ConnectError::Revision { .. } => Failure::new(Code::Handshake, error.sentence())
            .next(say!("Find a version of the server that supports protocol version 2026-07-28 or earlier.")),
        error @ ConnectError::Handshake { .. } => Failure::new(Code::Handshake, error.sentence())
            .next(say!("The exact messages are in this server’s Activity.")),
    }
}

fn not_mcp_hint(server: &NewServer) -> Sentence {
    let url = server.url.as_deref().and_then(|url| url.split(['?', '#']).next());
    match (server.transport, url) {
        (Transport::Stdio, _) => {
            say!("Check that the command starts an MCP server on its standard input and output.")
        }
        (_, Some(url)) if url.trim_end_matches('/').ends_with("/mcp") => {
            say!("Check the URL in the server’s documentation.")
        }
        _ => say!("Check the URL. MCP servers’ URLs often end in /mcp."),
    }
}

/// Whether the status means that the server, or a proxy in front of it, is only temporarily unavailable.
fn is_transient_status(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502..=504 | 507 | 520..=530)
}

/// What the person can do about an HTTP status while connecting.
fn status_hint(status: u16, hints: &StatusHints) -> Sentence {
    if hints.location.is_some() {
        return say!("Use the new URL if you trust it.");
    }
    if let Some(wait) = hints.retry_after {
        return say!("Wait {seconds} s, then try again.", seconds = wait.as_secs());
    }
    match status {
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

/// What the person can do about an HTTP status in response to a call.
fn call_hint(status: u16, hints: &StatusHints) -> Sentence {
    match status {
        // A server or proxy gave up waiting, but the tool may continue.
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

/// What the person can do if a tool has to ask the client something but this connection doesn't support it.
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

/// Why an established connection ended.
pub fn from_close(reason: &CloseReason) -> Failure {
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
pub fn from_list(what: &Sentence, error: &CallError) -> Failure {
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

/// Converts a request's failure for front ends.
pub fn call_error(error: RequestError) -> CallError {
    let message = error.sentence();
    let (mut next, mut evidence, mut status, mut retry_after) = (None, None, None, None);
    let mut scopes = Vec::new();
    let (code, said) = match error {
        RequestError::SessionLost { answer, .. } => return call_error(*answer),
        RequestError::Rpc(rpc) => {
            return CallError {
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
    CallError { code, message, said, rpc_code: None, data: None, next, evidence, status, retry_after, scopes }
}

/// The readable text of an HTML page: its title, or else its text without markup. Other text is unchanged.
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
mod tests;
