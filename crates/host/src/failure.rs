//! From what the engine and the process layer report to what a person can act on: what happened, the next
//! step, the evidence. Our words and the server's never share a sentence: the server's go into the evidence.

use std::time::Duration;

use mooring_mcp::{Challenge, CloseReason, ConnectError, RequestError};
use mooring_process::ResolveError;

use crate::error::{Failure, FailureCode};
use crate::server::Transport;
use crate::tools::CallError;

impl Failure {
    pub(crate) fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), next: None, evidence: None }
    }

    fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    fn evidence(mut self, evidence: impl Into<String>) -> Self {
        let evidence = evidence.into();
        self.evidence = Some(evidence).filter(|evidence| !evidence.trim().is_empty());
        self
    }

    /// The working directory is not there.
    pub(crate) fn no_folder(path: &str) -> Self {
        Self::new(FailureCode::Internal, format!("the working directory does not exist: {path}"))
            .next("Make the folder, or choose another one in the server's settings.")
    }

    /// The private directory could not be made.
    pub(crate) fn private_folder(path: &str, error: &std::io::Error) -> Self {
        Self::new(FailureCode::Internal, format!("the server's private directory could not be made: {path}"))
            .next("Make Mooring's data folder writable, or give the server a directory in its settings.")
            .evidence(error.to_string())
    }

    /// The task of the connection ended by a defect of ours.
    pub(crate) fn defect() -> Self {
        Self::new(FailureCode::Internal, "this connection ended by a defect in Mooring")
            .next("Start it again. If it happens again, report it with the log of this server.")
    }
}

/// Why a command has no program. `whose` names the search path: `your login shell's PATH`, `your PATH`.
pub(crate) fn from_resolve(error: ResolveError, whose: &str) -> Failure {
    match error {
        ResolveError::Empty => Failure::new(FailureCode::CommandNotFound, "the command is empty")
            .next("Give the program to start, such as npx or uvx."),
        ResolveError::NotFound { name, searched } => {
            let is_path = name.contains(['/', '\\']);
            let message = match searched.len() {
                _ if is_path => format!("{name} does not exist"),
                1 => format!("{name} was not found in the only folder of {whose}"),
                count => format!("{name} was not found in the {count} folders of {whose}"),
            };
            let folders: Vec<_> = searched.iter().map(|folder| folder.display().to_string()).collect();
            let failure =
                Failure::new(FailureCode::CommandNotFound, message).next(install_hint(&name, is_path));
            if is_path { failure } else { failure.evidence(folders.join("\n")) }
        }
        ResolveError::NotExecutable { path } => {
            let path = path.display();
            Failure::new(FailureCode::NotExecutable, format!("{path} is there but may not be run"))
                .next(format!("Make it executable: chmod +x {path}"))
        }
        ResolveError::IsDirectory { path } => {
            let message = format!("{} is a folder, not a program", path.display());
            Failure::new(FailureCode::NotExecutable, message).next("Give the path of the program inside it.")
        }
        ResolveError::WorldWritable { path } => {
            let message = format!("{} was not run, because every user may replace it", path.display());
            Failure::new(FailureCode::NotExecutable, message)
                .next("Move it to a folder that only you can write to, or take write permission from others.")
        }
    }
}

/// What to do about a command that is not there.
fn install_hint(name: &str, is_path: bool) -> String {
    if name.trim().contains(char::is_whitespace) && !is_path {
        return "Give only the program as the command, and what follows it as arguments.".to_owned();
    }
    let package = match name {
        "npx" | "npm" | "node" => "Node.js",
        "uvx" | "uv" => "uv",
        "python" | "python3" | "pip" | "pipx" => "Python",
        "bunx" | "bun" => "Bun",
        "deno" => "Deno",
        "docker" => "Docker",
        _ if is_path => return "Check the path.".to_owned(),
        _ => return "Check the spelling, install the program, or give its full path.".to_owned(),
    };
    format!("Install {package}, or give the full path.")
}

fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds.fract() == 0.0 { format!("{seconds:.0} s") } else { format!("{seconds:.1} s") }
}

/// Why a connection could not be made. `noise` is what it printed that is not a message.
pub(crate) fn from_connect(error: ConnectError, transport: Transport, noise: &[String]) -> Failure {
    use FailureCode as Code;
    match error {
        ConnectError::Spawn { reason, .. } => Failure::new(Code::NotExecutable, reason)
            .next("Check the command: it must be a program, or a script with a first line like #!/bin/sh."),
        ConnectError::Exited { exit, stderr } => {
            let failure = Failure::new(Code::Exited, format!("the server ended before it answered ({exit})"));
            let output = [noise, &stderr[..]].concat().join("\n");
            if output.trim().is_empty() {
                failure.next("It printed nothing. Run the command in a terminal to see what it needs.")
            } else {
                failure.next("What it printed usually names what is missing.").evidence(output)
            }
        }
        ConnectError::Timeout { after, stderr } if noise.is_empty() => Failure::new(
            Code::Timeout,
            format!("the server gave no answer within {}", seconds(after)),
        )
        .next("Check that it is an MCP server; for one that starts slowly, allow more time in the settings.")
        .evidence(stderr.join("\n")),
        ConnectError::Timeout { after, .. } => {
            let message =
                format!("the server printed text that is not MCP, and no answer within {}", seconds(after));
            Failure::new(Code::NotMcp, message).next(not_mcp_hint(transport)).evidence(noise.join("\n"))
        }
        ConnectError::NotMcp { what, excerpt } => {
            Failure::new(Code::NotMcp, format!("something answered, but not an MCP server: {what}"))
                .next(not_mcp_hint(transport))
                .evidence(excerpt)
        }
        ConnectError::Unreachable { reason } => {
            Failure::new(Code::Refused, format!("the server could not be reached: {reason}"))
                .next("Check that the server runs, and the address with its port.")
        }
        ConnectError::Status { status, excerpt } => from_status(status).evidence(excerpt),
        ConnectError::SignIn { status, challenge } => from_sign_in(status, challenge),
        ConnectError::Rejected(error) => {
            let message = format!("the server refused to initialize (error {})", error.code);
            Failure::new(Code::Handshake, message)
                .next("The server's own words are below; its documentation may tell more.")
                .evidence(error.message)
        }
        error @ ConnectError::Revision { .. } => Failure::new(Code::Handshake, error.to_string())
            .next("Look for a version of the server that speaks 2026-07-28 or an earlier revision."),
        error @ ConnectError::Handshake { .. } => Failure::new(Code::Handshake, error.to_string())
            .next("The exact messages are in the log of this server."),
    }
}

fn not_mcp_hint(transport: Transport) -> &'static str {
    match transport {
        Transport::Stdio => "Check that the command starts an MCP server on its standard input and output.",
        Transport::Http => "Check the address; that of an MCP server often ends in /mcp.",
    }
}

fn from_status(status: u16) -> Failure {
    let next = match status {
        404 | 405 => "Check the path of the address; that of an MCP server often ends in /mcp.",
        500..=599 => "The server itself failed. Try again later, or look at its own log.",
        _ => "Check the address and the headers.",
    };
    Failure::new(FailureCode::HttpStatus, format!("the server answered with HTTP status {status}")).next(next)
}

fn from_sign_in(status: u16, challenge: Option<String>) -> Failure {
    Failure::new(FailureCode::SignIn, format!("the server asks for a login (HTTP status {status})"))
        .next("Give it an Authorization header in the server's settings.")
        .evidence(challenge.map(|header| shown(&header)).unwrap_or_default())
}

/// What a server takes for a login, a scheme a line; the header itself where it names none.
fn shown(header: &str) -> String {
    let challenges: Vec<String> = Challenge::read_all(header).iter().map(Challenge::to_string).collect();
    if challenges.is_empty() { header.to_owned() } else { challenges.join("\n") }
}

/// Why a connection ended by itself.
pub(crate) fn from_close(reason: &CloseReason) -> Failure {
    match reason {
        CloseReason::Exited { stderr, .. } => {
            Failure::new(FailureCode::Exited, reason.to_string()).evidence(stderr.join("\n"))
        }
        CloseReason::OutputClosed | CloseReason::InputClosed { .. } => {
            Failure::new(FailureCode::Exited, reason.to_string())
        }
        CloseReason::StreamLost { .. } => Failure::new(FailureCode::Refused, reason.to_string()),
        CloseReason::SessionLost => Failure::new(FailureCode::HttpStatus, reason.to_string()),
        CloseReason::Stopped => Failure::new(FailureCode::Internal, reason.to_string()),
    }
}

/// Why the tools of a connection could not be listed.
pub(crate) fn from_list(what: &str, error: &CallError) -> Failure {
    let code = match error.code {
        "timeout" => FailureCode::Timeout,
        "too_large" => FailureCode::TooLarge,
        "http_status" => FailureCode::HttpStatus,
        "sign_in" => FailureCode::SignIn,
        "unreachable" => FailureCode::Refused,
        _ => FailureCode::Handshake,
    };
    let failure = match error.rpc_code {
        Some(rpc_code) => {
            Failure::new(code, format!("the server did not list its {what} (error {rpc_code})"))
                .evidence(error.message.clone())
        }
        None => Failure::new(code, format!("the {what} could not be listed: {}", error.message)),
    };
    failure.next(format!("The server is connected. Refresh its {what} to try again."))
}

fn too_large(limit: usize) -> String {
    const MIB: usize = 1024 * 1024;
    if limit >= MIB && limit.is_multiple_of(MIB) {
        return format!("the answer is larger than the limit of {} MiB", limit / MIB);
    }
    format!("the answer is larger than the limit of {limit} bytes")
}

impl From<RequestError> for CallError {
    fn from(error: RequestError) -> Self {
        let message = error.to_string();
        let (code, message) = match error {
            RequestError::Rpc(rpc) => {
                return Self { code: "rpc", message: rpc.message, rpc_code: Some(rpc.code), data: rpc.data };
            }
            RequestError::Timeout { .. } => ("timeout", message),
            RequestError::Closed(_) | RequestError::StreamEnded => ("closed", message),
            RequestError::TooLarge { limit } => ("too_large", too_large(limit)),
            RequestError::Malformed { .. } => ("malformed", message),
            RequestError::Refused { .. } => ("refused", message),
            RequestError::Rounds { .. } => ("rounds", message),
            RequestError::Unsendable { .. } => ("unsendable", message),
            RequestError::TaskCancelled { .. } => ("cancelled", message),
            RequestError::NotMcp { .. } => ("not_mcp", message),
            RequestError::Status { .. } => ("http_status", message),
            RequestError::SignIn { .. } => ("sign_in", message),
            RequestError::Unreachable { .. } => ("unreachable", message),
        };
        Self { code, message, rpc_code: None, data: None }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn check(failure: &Failure, code: &str, message: &str, next: &str, evidence: Option<&str>) {
        assert_eq!(
            (
                failure.code.as_str(),
                failure.message.as_str(),
                failure.next.as_deref(),
                failure.evidence.as_deref()
            ),
            (code, message, Some(next), evidence)
        );
    }

    #[test]
    fn a_missing_command_says_where_it_was_looked_for_and_what_to_install() {
        let not_found = |name: &str| ResolveError::NotFound {
            name: name.to_owned(),
            searched: vec![PathBuf::from("/a"), PathBuf::from("/b")],
        };
        check(
            &from_resolve(not_found("npx"), "your login shell's PATH"),
            "command_not_found",
            "npx was not found in the 2 folders of your login shell's PATH",
            "Install Node.js, or give the full path.",
            Some("/a\n/b"),
        );
        check(
            &from_resolve(not_found("npx -y x"), "your PATH"),
            "command_not_found",
            "npx -y x was not found in the 2 folders of your PATH",
            "Give only the program as the command, and what follows it as arguments.",
            Some("/a\n/b"),
        );
        check(
            &from_resolve(not_found("./x"), "your PATH"),
            "command_not_found",
            "./x does not exist",
            "Check the path.",
            None,
        );
    }

    #[test]
    fn a_server_that_ends_at_once_shows_what_it_printed() {
        let error = ConnectError::Exited {
            exit: "exit code 1".to_owned(),
            stderr: vec!["Missing".to_owned(), "API key".to_owned()],
        };
        check(
            &from_connect(error, Transport::Stdio, &["usage: x".to_owned()]),
            "exited",
            "the server ended before it answered (exit code 1)",
            "What it printed usually names what is missing.",
            Some("usage: x\nMissing\nAPI key"),
        );
    }

    #[test]
    fn silence_and_garbage_are_told_apart() {
        let timeout = || ConnectError::Timeout { after: Duration::from_millis(1500), stderr: Vec::new() };
        assert_eq!(
            from_connect(timeout(), Transport::Stdio, &[]).message,
            "the server gave no answer within 1.5 s"
        );
        let garbage = from_connect(timeout(), Transport::Stdio, &["hello".to_owned()]);
        assert_eq!((garbage.code, garbage.evidence.as_deref()), (FailureCode::NotMcp, Some("hello")));
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
