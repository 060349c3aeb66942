//! Errors of the host's verbs, and the reasons why a connection is not there.

use mooring_store::StoreError;
use serde_json::{Value, json};

use crate::server::ServerId;

/// Why a connection could not be made or was lost: what happened, the next step, and the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure this is.
    pub code: FailureCode,
    /// What happened and why we think so, in plain words.
    pub message: String,
    /// What the person can do.
    pub next: Option<String>,
    /// What it is concluded from: standard error, the start of an answer, the folders searched.
    pub evidence: Option<String>,
}

/// The kinds of failure a front end tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureCode {
    /// The program was not found.
    CommandNotFound,
    /// The program is there but may not be run.
    NotExecutable,
    /// The process ended by itself.
    Exited,
    /// No answer in time.
    Timeout,
    /// Nothing listens at the address.
    Refused,
    /// Something answered, but it does not speak MCP.
    NotMcp,
    /// The server answered with an HTTP error.
    HttpStatus,
    /// The server wants a login.
    SignIn,
    /// The handshake failed.
    Handshake,
    /// A message was over the limit.
    TooLarge,
    /// Anything else.
    Internal,
}

impl FailureCode {
    /// The code at the IPC boundary and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CommandNotFound => "command_not_found",
            Self::NotExecutable => "not_executable",
            Self::Exited => "exited",
            Self::Timeout => "timeout",
            Self::Refused => "refused",
            Self::NotMcp => "not_mcp",
            Self::HttpStatus => "http_status",
            Self::SignIn => "sign_in",
            Self::Handshake => "handshake",
            Self::TooLarge => "too_large",
            Self::Internal => "internal",
        }
    }
}

/// Why a verb of the host failed.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// No saved server has this number.
    #[error("no saved server has the number {}", .0.0)]
    ServerNotFound(ServerId),
    /// No saved server has this name.
    #[error("no saved server is called: {name}")]
    NameNotFound {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Another saved server has this name.
    #[error("another server is already called: {0}")]
    NameTaken(String),
    /// A setting of a server is missing or wrong.
    #[error("{message}")]
    InvalidServer {
        /// The field, named as in the form: `name`, `command`, `args`, `env`, `cwd`, `url`, `headers`.
        field: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// A setting is out of range.
    #[error("{message}")]
    InvalidSetting {
        /// The setting.
        field: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// The text to import is not JSON.
    #[error("{message} at line {line}, column {column}")]
    ImportSyntax {
        /// What is wrong.
        message: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, counted in characters.
        column: usize,
    },
    /// A call's arguments are not a JSON object.
    #[error("the arguments are not a JSON object: {0}")]
    InvalidArguments(String),
    /// An argument that has to be a text is none.
    #[error("the argument {name} is not a text: {value}")]
    InvalidText {
        /// The argument.
        name: String,
        /// How its value begins.
        value: String,
    },
    /// A URI template cannot be read.
    #[error("{0}")]
    InvalidTemplate(String),
    /// The server does not have what is asked for.
    #[error("the server does not offer {what}")]
    NotOffered {
        /// What.
        what: &'static str,
    },
    /// The server has no task of this name.
    #[error("the server works on no such task: {0}")]
    NoSuchTask(String),
    /// No more can be watched.
    #[error("no more than {limit} resources of one server can be watched")]
    TooMany {
        /// How many can.
        limit: usize,
    },
    /// The server is not connected.
    #[error("{name} is not connected: {why}")]
    NotConnected {
        /// The server.
        name: String,
        /// Its state or failure.
        why: String,
    },
    /// The connection could not be made.
    #[error("{}", .0.message)]
    Connect(Box<Failure>),
    /// A request other than a tool call failed.
    #[error("{}", .0.message)]
    Request(Box<crate::CallError>),
    /// A rule refused the call.
    #[error("the call was refused by a rule: {rule}")]
    Denied {
        /// The rule.
        rule: String,
    },
    /// The demo server's program is not there.
    #[error("the demo server is not installed beside the application: {0}")]
    DemoMissing(String),
    /// Another window has the data folder open.
    #[error("another window of Mooring uses this data folder: {0}")]
    AlreadyOpen(String),
    /// There is no place for the data folder.
    #[error("this account has no home directory to keep data in")]
    NoHome,
    /// The log is not written here.
    #[error("the log is not written in this run")]
    JournalOff,
    /// The data folder could not be shown.
    #[error(transparent)]
    Reveal(#[from] mooring_process::OpenError),
    /// The database could not be opened, read or written.
    #[error(transparent)]
    Store(mooring_store::StoreError),
    /// Something inside Mooring could not be set up.
    #[error("{0}")]
    Internal(String),
}

impl HostError {
    /// The code at the IPC boundary, for a front end to act on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ServerNotFound(_) | Self::NameNotFound { .. } => "server_not_found",
            Self::NameTaken(_) => "name_taken",
            Self::InvalidServer { .. } => "invalid_server",
            Self::InvalidSetting { .. } => "invalid_setting",
            Self::ImportSyntax { .. } => "import_syntax",
            Self::InvalidArguments(_) | Self::InvalidText { .. } => "invalid_arguments",
            Self::InvalidTemplate(_) => "invalid_template",
            Self::NotOffered { .. } => "not_offered",
            Self::NoSuchTask(_) => "no_such_task",
            Self::TooMany { .. } => "too_many",
            Self::NotConnected { .. } => "not_connected",
            Self::Connect(_) => "connect",
            Self::Request(_) => "request",
            Self::Denied { .. } => "denied",
            Self::DemoMissing(_) => "demo_missing",
            Self::AlreadyOpen(_) => "already_open",
            Self::NoHome => "no_home",
            Self::JournalOff => "journal_off",
            Self::Reveal(_) => "reveal",
            Self::Internal(_) => "internal",
            Self::Store(error) => match error {
                StoreError::NewerDatabase { .. } => "database_newer",
                StoreError::ReadOnly { .. } => "read_only",
                StoreError::DiskFull => "disk_full",
                StoreError::NotADatabase { .. } | StoreError::ForeignMigration { .. } => "not_a_database",
                StoreError::Damaged { .. } => "database_damaged",
                StoreError::Locked => "database_locked",
                _ => "store",
            },
        }
    }

    /// What the person can do, in plain words.
    pub fn next_step(&self) -> Option<String> {
        let next = match self {
            Self::Connect(failure) => return failure.next.clone(),
            Self::NameNotFound { known, .. } if known.is_empty() => "No server is saved yet. Add one first.",
            Self::NameNotFound { known, .. } => return Some(format!("Saved are: {}.", known.join(", "))),
            Self::NameTaken(_) => "Choose another name.",
            Self::AlreadyOpen(_) => "Go on in that window, or close it first.",
            Self::NoHome => "Set MOORING_HOME to a folder.",
            Self::DemoMissing(_) => "Install Mooring again: the demo server comes with it.",
            Self::Store(error) => match error {
                StoreError::NewerDatabase { .. } => "Install the newest Mooring. Nothing was changed.",
                StoreError::ReadOnly { .. } => {
                    "Make the data folder writable, or set MOORING_HOME to one that is."
                }
                StoreError::DiskFull => "Make room on the disk.",
                StoreError::NotADatabase { .. } | StoreError::ForeignMigration { .. } => {
                    "Move that file away, or set MOORING_HOME to another folder."
                }
                StoreError::Damaged { backup: Some(backup), .. } => {
                    return Some(format!("Put the backup in its place: {}", backup.display()));
                }
                StoreError::Damaged { backup: None, .. } => {
                    "Move that file away to begin with empty data; there is no backup of it."
                }
                StoreError::Locked => "Wait a moment, or end the other program.",
                _ => return None,
            },
            _ => return None,
        };
        Some(next.to_owned())
    }

    /// What a front end needs beside the message, as JSON.
    pub fn details(&self) -> Option<Value> {
        match self {
            Self::InvalidServer { field, .. } | Self::InvalidSetting { field, .. } => {
                Some(json!({ "field": field }))
            }
            Self::ImportSyntax { line, column, .. } => Some(json!({ "line": line, "column": column })),
            Self::Connect(failure) => Some(json!({
                "code": failure.code.as_str(),
                "next": failure.next,
                "evidence": failure.evidence,
            })),
            Self::Store(_) | Self::DemoMissing(_) | Self::NameTaken(_) | Self::AlreadyOpen(_) => {
                self.next_step().map(|next| json!({ "next": next }))
            }
            Self::Request(error) => Some(json!({ "code": error.code, "rpcCode": error.rpc_code })),
            _ => None,
        }
    }
}

impl From<StoreError> for HostError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NameTaken { name } => Self::NameTaken(name),
            StoreError::NoSuchServer { id } => Self::ServerNotFound(ServerId(id)),
            error => Self::Store(error),
        }
    }
}
