//! Why a command failed, and its exit code.

use std::borrow::Cow;

use mooring_accounts::SignInProblemCode;
use mooring_calls::{CallError, CallErrorCode};
use mooring_errors::{ErrorCode, Failure, FailureCode, HostError};
use mooring_typed::nearest;
use mooring_vault::VaultError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::hint;

/// The exit codes of the command line contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum Exit {
    /// Success.
    Ok = 0,
    /// The tool itself reported an error, or a check of `doctor` failed.
    ToolError = 1,
    /// The arguments are invalid. Also used for failures of the system or of the output.
    Usage = 2,
    /// The connection failed. Also used for the host's errors without their own code: data of a newer
    /// version, a read-only folder, a full disk.
    Connect = 3,
    /// The server answered with an error. Also an answer that cannot be used: too large, malformed, another HTTP
    /// status.
    ServerError = 4,
    /// There was no response in time.
    TimedOut = 5,
    /// A sign-in is needed.
    SignIn = 6,
    /// Refused: by a rule, or because an approved definition has changed. Also by the vault, for commands
    /// about itself.
    Refused = 7,
    /// Ended by Ctrl-C, as a shell reports it.
    Interrupted = 130,
}

impl Exit {
    /// Keeps the exit code if the reader of the output is gone.
    pub fn after_printing(self, printed: Result<(), Fault>) -> Result<Self, Fault> {
        match printed {
            Err(fault) if !fault.is_closed_pipe() => Err(fault),
            _ => Ok(self),
        }
    }
}

/// What happened, why, and what to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Fault {
    /// The exit code.
    pub exit: Exit,
    /// A stable word.
    pub kind: Cow<'static, str>,
    /// What happened, and why.
    pub message: String,
    /// Further details.
    pub details: Box<FaultDetails>,
}

/// Optional details of a fault.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct FaultDetails {
    /// The server's error message, if it is the server's error.
    pub server_message: Option<String>,
    /// The next step.
    pub next: Option<String>,
    /// The evidence for this diagnosis.
    pub evidence: Option<String>,
    /// The JSON-RPC code.
    pub code: Option<i64>,
    /// The JSON-RPC error's data, as sent.
    pub data: Option<Box<RawValue>>,
    /// The HTTP status.
    pub status: Option<u16>,
    /// How long the server asks us to wait, in seconds.
    pub retry_after: Option<u64>,
    /// The scopes that a sign-in has to ask for in addition.
    pub scopes: Vec<String>,
}

/// The fault in JSON.
#[derive(Serialize)]
pub struct FaultJson<'a> {
    kind: &'a str,
    message: &'a str,
    code: Option<i64>,
    data: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    http_status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    scopes: &'a [String],
}

impl Fault {
    /// One of a kind.
    pub fn new(exit: Exit, kind: &'static str, message: impl Into<String>) -> Self {
        Self { exit, kind: Cow::Borrowed(kind), message: message.into(), details: Box::default() }
    }

    /// The arguments are invalid.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    /// The person ended it.
    pub fn interrupted() -> Self {
        Self::new(Exit::Interrupted, "interrupted", "interrupted")
    }

    /// The tool itself says that it failed.
    pub fn tool_error() -> Self {
        Self::new(Exit::ToolError, "tool_error", "the tool reported an error")
    }

    /// Sets the next step for the person.
    #[must_use]
    pub fn next(mut self, next: impl Into<String>) -> Self {
        self.details.next = Some(next.into());
        self
    }

    /// Adds another next step.
    #[must_use]
    pub fn and_next(mut self, next: &str) -> Self {
        let before = self.details.next.take();
        self.details.next = Some(before.map_or_else(|| next.to_owned(), |before| format!("{before} {next}")));
        self
    }

    /// Replaces the sign-in hint when an `Authorization` header was configured: then the server rejected that header.
    #[must_use]
    pub fn with_own_authorization(mut self, by_hand: bool) -> Self {
        if by_hand && self.exit == Exit::SignIn {
            self.details.next = Some(
                "The server rejected the Authorization header: check its token, or leave the header out and sign in."
                    .to_owned(),
            );
        }
        self
    }

    /// Names the very server in a next step that signs in.
    #[must_use]
    pub fn at(mut self, server: &str) -> Self {
        if let Some(next) = &mut self.details.next {
            *next = next.replace("mooring login SERVER", &format!("mooring login {server}"));
        }
        self
    }

    /// Whether the reader of the output has gone away.
    pub fn is_closed_pipe(&self) -> bool {
        self.kind == CLOSED_PIPE
    }

    /// The fault as JSON.
    pub fn to_json(&self) -> FaultJson<'_> {
        let FaultDetails {
            server_message: server_words,
            next,
            evidence,
            code,
            data,
            status,
            retry_after,
            scopes,
        } = &*self.details;
        FaultJson {
            kind: &self.kind,
            message: server_words.as_deref().unwrap_or(&self.message),
            code: *code,
            data: data.as_deref(),
            next: next.as_deref(),
            evidence: evidence.as_deref(),
            http_status: *status,
            retry_after_seconds: *retry_after,
            scopes,
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        let exit = match failure.code {
            FailureCode::Timeout => Exit::TimedOut,
            FailureCode::SignIn => Exit::SignIn,
            FailureCode::DefinitionChanged => Exit::Refused,
            _ => Exit::Connect,
        };
        let mut fault = Self::new(exit, failure.code.as_str(), failure.message);
        fault.details.next = match failure.code {
            FailureCode::SignIn => Some(
                "Sign in: mooring login SERVER. Or pass a token: --header 'Authorization: Bearer TOKEN'."
                    .to_owned(),
            ),
            FailureCode::Timeout => {
                Some("Check that it is an MCP server; allow more time with --timeout SECONDS.".to_owned())
            }
            FailureCode::VaultLocked => Some("Unlock the vault: mooring vault unlock".to_owned()),
            _ => failure.next.map(Into::into),
        };
        fault.details.evidence = failure.evidence;
        fault
    }
}

impl From<CallError> for Fault {
    fn from(error: CallError) -> Self {
        use CallErrorCode as Code;
        let (exit, next) = match error.code {
            Code::Timeout => (Exit::TimedOut, Some("Allow more with --timeout SECONDS.")),
            Code::SignIn if !error.scopes.is_empty() => {
                (Exit::SignIn, Some("Sign in again to also allow that: mooring login SERVER."))
            }
            Code::SignIn => (Exit::SignIn, Some("Sign in: mooring login SERVER.")),
            Code::NotResent => (Exit::Refused, Some("Review the change in the window, under Trust.")),
            Code::Closed | Code::Unreachable => (Exit::Connect, Some("See its last messages: mooring logs")),
            Code::TooLarge => (
                Exit::ServerError,
                Some(
                    "Request less, or allow more with --max-message SIZE, or for all servers in the window’s settings.",
                ),
            ),
            Code::Rpc
            | Code::Malformed
            | Code::Refused
            | Code::Rounds
            | Code::Unsendable
            | Code::Cancelled
            | Code::NotMcp
            | Code::HttpStatus => (Exit::ServerError, None),
        };
        let hint = hint::for_error(error.rpc_code, &error.message, error.data.as_deref());
        let mut fault = Self::new(exit, error.code.as_str(), error.message);
        if let Some(code) = error.rpc_code {
            let ours = match code {
                0 => "the server answered with an error".to_owned(),
                code => format!("the server answered with error {code}"),
            };
            let words = std::mem::replace(&mut fault.message, ours);
            fault.details.server_message = Some(words);
        }
        fault.details.next = error.next.map(Into::into).or_else(|| next.map(str::to_owned)).or(hint);
        fault.details.code = error.rpc_code;
        fault.details.data = error.data;
        fault.details.evidence = error.evidence;
        fault.details.status = error.status;
        fault.details.retry_after = error.retry_after.map(|wait| wait.as_secs());
        fault.details.scopes = error.scopes;
        fault
    }
}

impl From<HostError> for Fault {
    fn from(error: HostError) -> Self {
        let next = next_step(&error);
        let kind = error.code();
        let exit = match error {
            HostError::Connect(failure) => return (*failure).into(),
            HostError::Request(error) => return (*error).into(),
            HostError::Denied { .. } | HostError::DefinitionChanged { .. } => Exit::Refused,
            HostError::Vault(
                VaultError::WrongPassphrase | VaultError::InvalidPassphrase | VaultError::NotEmpty,
            ) => Exit::Usage,
            HostError::Vault(_) => Exit::Refused,
            HostError::SignIn(ref problem) if problem.code == SignInProblemCode::Vault => Exit::Refused,
            HostError::NameNotFound { .. }
            | HostError::ServerNotFound(_)
            | HostError::Root(_)
            | HostError::NoSuchRoot(_)
            | HostError::NoSuchApp(_)
            | HostError::Profile(_)
            | HostError::AppNotConnected(_)
            | HostError::AppFile(_)
            | HostError::Bundle(_)
            | HostError::NoEarlierBundle(_)
            | HostError::InvalidSetting { .. }
            | HostError::NoSuchLogin(_)
            | HostError::LoginInForce(_)
            | HostError::NameTaken(_)
            | HostError::InvalidServer { .. }
            | HostError::InvalidArguments(_)
            | HostError::InvalidText { .. } => Exit::Usage,
            _ => Exit::Connect,
        };
        let mut fault = Self::new(exit, kind.as_str(), error.to_string());
        fault.details.next = match kind {
            ErrorCode::NoSuchLogin => Some("List them: mooring accounts".to_owned()),
            ErrorCode::AppFile => Some("Copy the entry yourself: mooring apps show APP".to_owned()),
            ErrorCode::AppFileChanged => Some("Review the change again, with --dry-run.".to_owned()),
            ErrorCode::Denied => Some("Change rules in the window, under Policies.".to_owned()),
            _ => next,
        };
        fault
    }
}

/// The next step, where the command line has its own advice.
fn next_step(error: &HostError) -> Option<String> {
    let next = error.next_step().map(String::from);
    let passphrase =
        || Some("Start a keychain, or use a passphrase: mooring vault rekey --to passphrase".to_owned());
    match error {
        HostError::NoSuchApp(typed) => like(typed).or(next),
        HostError::Vault(VaultError::Unavailable(why)) if why.as_str() == "no_keychain" => passphrase(),
        HostError::SignIn(problem) => match (problem.code, &problem.redirect) {
            (SignInProblemCode::Vault, _) if problem.no_keychain => passphrase(),
            (SignInProblemCode::PkceUnannounced, _) => Some(
                "If you trust this server, add --allow-silent-pkce. PKCE is used anyway."
                    .to_owned(),
            ),
            (SignInProblemCode::ResourceRefused, _) => Some(
                "If you trust this server, sign in without its URL: add --without-resource. Its tokens may then work for other servers too."
                    .to_owned(),
            ),
            (SignInProblemCode::ClientNeeded, Some(redirect)) => Some(format!(
                "Register a client for Mooring there with the redirect URI {redirect}, and add --client-id ID; for a client with another redirect URI, also --redirect URI."
            )),
            (SignInProblemCode::ClientNeeded, None) => Some(
                "Register a client for Mooring there, and add --client-id ID and --client-secret-file FILE.".to_owned(),
            ),
            _ => next,
        },
        _ => next,
    }
}

/// The apps that may have been meant.
fn like(typed: &str) -> Option<String> {
    let typed = typed.to_lowercase();
    let is_like = |app: &&mooring_apps::App| {
        let name = app.name.to_lowercase();
        app.id.contains(&typed) || name.contains(&typed) || typed.contains(app.id)
    };
    let like: Vec<&str> = mooring_apps::apps().iter().filter(is_like).map(|app| app.id).collect();
    let meant = nearest(&typed, mooring_apps::apps().iter().map(|app| app.id));
    match (&*like, meant) {
        ([], Some(meant)) => Some(format!("Did you mean {meant}?")),
        ([], None) => None,
        (like, _) => Some(format!("Did you mean {}?", like.join(" or "))),
    }
}

impl From<anyhow::Error> for Fault {
    fn from(error: anyhow::Error) -> Self {
        Self::new(Exit::Usage, "system", format!("{error:#}"))
    }
}

/// The kind of a fault that only says that the output was closed.
const CLOSED_PIPE: &str = "closed_pipe";

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        let kind = if error.kind() == std::io::ErrorKind::BrokenPipe { CLOSED_PIPE } else { "system" };
        Self::new(Exit::Usage, kind, format!("the output couldn’t be written: {error}"))
    }
}
