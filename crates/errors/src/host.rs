//! Errors of the host's methods, and the reasons why a server is not connected.

mod code;
mod conversions;

use std::error::Error;
use std::fmt;
use std::path::Path;

use mooring_accounts::SignInProblem;
use mooring_base::server_id::ServerId;
use mooring_bundles::{BundleError, BundleErrorCode};
use mooring_disk::StoreError;
use mooring_inbox::AnswerError;
use mooring_process::{HomeError, OpenError};
use mooring_profiles::ProfileError;
use mooring_registry::RegistryErrorCode;
use mooring_roots::RootError;
use mooring_vault::VaultError;
use mooring_words::{Sentence, say};
use serde_json::{Value, json};

pub use self::code::ErrorCode;
use crate::failure::Failure;

/// Why a method of the host failed.
#[derive(Debug)]
pub enum HostError {
    /// No saved server has this id.
    ServerNotFound(ServerId),
    /// No saved server has this name.
    NameNotFound {
        /// The name that was asked for.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// Another saved server has this name.
    NameTaken(String),
    /// A setting of a server is missing or wrong.
    InvalidServer {
        /// The field, named as in the form: `name`, `command`, `args`, `env`, `cwd`, `url`, `headers`,
        /// `secrets`.
        field: &'static str,
        /// What is wrong with it.
        message: Sentence,
    },
    /// A setting is out of range.
    InvalidSetting {
        /// The setting.
        field: &'static str,
        /// What is wrong with it.
        message: Sentence,
    },
    /// The text to import is not a valid configuration.
    ImportSyntax {
        /// What is wrong.
        message: Sentence,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, counted in characters.
        column: usize,
    },
    /// A call's arguments are not a JSON object.
    InvalidArguments(Sentence),
    /// An argument that has to be a string is not one.
    InvalidText {
        /// The argument.
        name: String,
        /// How its value begins.
        value: String,
    },
    /// A URI template cannot be read.
    InvalidTemplate(Sentence),
    /// The server does not offer what was asked for.
    NotOffered {
        /// The missing feature or item.
        what: Sentence,
    },
    /// The server has no task with this id.
    NoSuchTask(String),
    /// The limit on watched resources is reached.
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// The server is not connected.
    NotConnected {
        /// The server.
        name: String,
        /// Why it is not connected, if it failed.
        why: Option<Sentence>,
    },
    /// The connection could not be established.
    Connect(Box<Failure>),
    /// A request other than a tool call failed.
    Request(Box<mooring_calls::CallError>),
    /// A sign-in, or one step of it, failed.
    SignIn(Box<SignInProblem>),
    /// No account has this id, or the server may not use it.
    NoSuchLogin(i64),
    /// The account is still signed in.
    LoginInForce(i64),
    /// A folder cannot be granted as a root.
    Root(RootError),
    /// No granted folder has this id.
    NoSuchRoot(i64),
    /// The vault could not do what was requested.
    Vault(VaultError),
    /// An answer to a question was rejected.
    Answer(AnswerError),
    /// A rule refused the call.
    Denied {
        /// The rule.
        rule: Sentence,
    },
    /// A definition changed since it was approved. It is blocked until the person approves it again.
    DefinitionChanged {
        /// The changed item, such as a tool's name.
        what: String,
    },
    /// No rule has this id.
    NoSuchRule(i64),
    /// No app has this id.
    NoSuchApp(String),
    /// A profile could not be found, saved or used.
    Profile(ProfileError),
    /// The file of an app could not be read or changed.
    AppFile(mooring_apps::Error),
    /// Mooring has no record that it connected this app.
    AppNotConnected(String),
    /// The backup does not exist.
    NoSuchBackup,
    /// A rule can never match, or there are too many.
    InvalidRule {
        /// The field, named as in the form.
        field: &'static str,
        /// What is wrong with it.
        message: Sentence,
    },
    /// A bundle could not be read, unpacked or set up.
    Bundle(BundleError),
    /// The server doesn't come from a bundle, or has no earlier version of it.
    NoEarlierBundle(String),
    /// The registry could not be used, or its entry can't be installed.
    Catalog {
        /// The kind of error, if the registry is the reason.
        code: Option<RegistryErrorCode>,
        /// What happened.
        sentence: Sentence,
    },
    /// The demo server's program is missing.
    DemoMissing(Sentence),
    /// Another window has opened the data folder.
    AlreadyOpen(String),
    /// The disk that holds the data folder is full.
    NoRoom(String),
    /// No location for the data folder is known.
    NoHome,
    /// The chosen data folder cannot be used.
    Home(HomeError),
    /// This host does not write the log.
    JournalOff,
    /// The file manager could not show the data folder.
    Reveal(OpenError),
    /// A link was blocked or could not be opened, with the reason.
    Link(Sentence),
    /// The database could not be opened, read or written.
    Store(mooring_disk::StoreError),
    /// Something inside Mooring could not be set up.
    Internal(Sentence),
}

impl HostError {
    /// The error code that front ends receive over IPC.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::ServerNotFound(_) | Self::NameNotFound { .. } => ErrorCode::ServerNotFound,
            Self::NameTaken(_) => ErrorCode::NameTaken,
            Self::InvalidServer { .. } => ErrorCode::InvalidServer,
            Self::InvalidSetting { .. } => ErrorCode::InvalidSetting,
            Self::ImportSyntax { .. } => ErrorCode::ImportSyntax,
            Self::InvalidArguments(_) | Self::InvalidText { .. } => ErrorCode::InvalidArguments,
            Self::InvalidTemplate(_) => ErrorCode::InvalidTemplate,
            Self::NotOffered { .. } => ErrorCode::NotOffered,
            Self::NoSuchTask(_) => ErrorCode::NoSuchTask,
            Self::TooMany { .. } => ErrorCode::TooMany,
            Self::NotConnected { .. } => ErrorCode::NotConnected,
            Self::Connect(_) => ErrorCode::Connect,
            Self::Request(_) => ErrorCode::Request,
            Self::SignIn(_) => ErrorCode::SignIn,
            Self::Vault(error) => vault_code(error),
            Self::NoSuchLogin(_) => ErrorCode::NoSuchLogin,
            Self::LoginInForce(_) => ErrorCode::LoginInForce,
            Self::Answer(error) => answer_code(error),
            Self::Root(RootError::TooWide(_)) => ErrorCode::RootTooWide,
            Self::Root(_) => ErrorCode::RootUnusable,
            Self::NoSuchRoot(_) => ErrorCode::NoSuchRoot,
            Self::Denied { .. } => ErrorCode::Denied,
            Self::DefinitionChanged { .. } => ErrorCode::DefinitionChanged,
            Self::NoSuchRule(_) => ErrorCode::NoSuchRule,
            Self::NoSuchApp(_) => ErrorCode::NoSuchApp,
            Self::Profile(ProfileError::NotFound(_)) => ErrorCode::NoSuchProfile,
            Self::Profile(_) => ErrorCode::InvalidProfile,
            Self::AppFile(mooring_apps::Error::Changed(_)) => ErrorCode::AppFileChanged,
            Self::AppFile(_) => ErrorCode::AppFile,
            Self::AppNotConnected(_) => ErrorCode::AppNotConnected,
            Self::NoSuchBackup => ErrorCode::NoSuchBackup,
            Self::InvalidRule { .. } => ErrorCode::InvalidRule,
            Self::Bundle(error) if error.code() == BundleErrorCode::DiskFull => ErrorCode::DiskFull,
            Self::Bundle(_) => ErrorCode::Bundle,
            Self::Catalog { .. } => ErrorCode::Catalog,
            Self::NoEarlierBundle(_) => ErrorCode::NoEarlierBundle,
            Self::DemoMissing(_) => ErrorCode::DemoMissing,
            Self::AlreadyOpen(_) => ErrorCode::AlreadyOpen,
            Self::NoRoom(_) => ErrorCode::DiskFull,
            Self::Home(HomeError::OfOthers { .. }) => ErrorCode::FolderOfOthers,
            Self::NoHome | Self::Home(_) => ErrorCode::NoHome,
            Self::JournalOff => ErrorCode::JournalOff,
            Self::Reveal(_) => ErrorCode::Reveal,
            Self::Link(_) => ErrorCode::Link,
            Self::Internal(_) => ErrorCode::Internal,
            Self::Store(error) => match error {
                StoreError::NewerDatabase { .. } => ErrorCode::DatabaseNewer,
                StoreError::ReadOnly { .. } => ErrorCode::ReadOnly,
                StoreError::WritableByOthers { .. } => ErrorCode::FolderOfOthers,
                StoreError::DiskFull => ErrorCode::DiskFull,
                StoreError::NotADatabase { .. } | StoreError::ForeignMigration { .. } => {
                    ErrorCode::NotADatabase
                }
                StoreError::Damaged { .. } => ErrorCode::DatabaseDamaged,
                StoreError::Missing { .. } => ErrorCode::DatabaseMissing,
                StoreError::Replaced { .. } => ErrorCode::DatabaseReplaced,
                StoreError::Locked => ErrorCode::DatabaseLocked,
                _ => ErrorCode::Store,
            },
        }
    }

    /// What happened, in our own words. A server's error message appears only as a quoted value.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::ServerNotFound(id) => say!("no saved server has the number {id}", id = id.0),
            Self::NameNotFound { name, .. } => say!("no saved server is called: {name}", name),
            Self::NameTaken(name) => say!("another server is already called: {name}", name),
            Self::InvalidServer { message, .. }
            | Self::InvalidSetting { message, .. }
            | Self::InvalidRule { message, .. } => message.clone(),
            Self::ImportSyntax { message, line, column } => {
                say!("{message} at line {line}, column {column}", message, line = *line, column = *column)
            }
            Self::InvalidArguments(reason) => say!("the arguments aren’t a JSON object: {reason}", reason),
            Self::InvalidText { name, value } => {
                say!("the argument {name} isn’t a string: {value}", name, value)
            }
            Self::InvalidTemplate(problem) => problem.clone(),
            Self::NotOffered { what } => say!("the server doesn’t offer {what}", what),
            Self::NoSuchTask(task) => say!("the server has no such task: {task}", task),
            Self::TooMany { limit } => {
                say!("no more than {limit} resources of one server can be subscribed to", limit = *limit)
            }
            Self::NotConnected { name, why: Some(why) } => {
                say!("{name} isn’t connected: {why}", name, why)
            }
            Self::NotConnected { name, why: None } => say!("{name} isn’t connected", name),
            Self::Connect(failure) => failure.message.clone(),
            Self::Request(error) => error.sentence(),
            Self::Vault(error) => error.sentence(),
            Self::SignIn(problem) => problem.message.clone(),
            Self::Root(error) => error.sentence(),
            Self::NoSuchRoot(id) => say!("no shared folder has the number {id}", id = *id),
            Self::NoSuchLogin(id) => say!("no login has the number {id}", id = *id),
            Self::LoginInForce(id) => say!("the login {id} is active", id = *id),
            Self::Answer(error) => error.sentence(),
            Self::Denied { rule } => say!("the call was denied: {rule}", rule),
            Self::DefinitionChanged { what } if what.is_empty() => {
                say!("the server’s definition has changed")
            }
            Self::DefinitionChanged { what } => {
                say!("the definition has changed: {what}", what)
            }
            Self::NoSuchRule(id) => say!("no rule has the number {id}", id = *id),
            Self::NoSuchApp(id) => say!("no app has this id: {id}", id),
            Self::Profile(error) => error.sentence(),
            Self::AppFile(error) => error.sentence().clone(),
            Self::AppNotConnected(name) => say!("“{name}” wasn’t connected by Mooring", name),
            Self::NoSuchBackup => say!("there is no such backup"),
            Self::Bundle(error) => error.sentence().clone(),
            Self::Catalog { sentence, .. } => sentence.clone(),
            Self::NoEarlierBundle(name) => {
                say!("“{name}” has no earlier version of a bundle that it could go back to", name)
            }
            Self::DemoMissing(what) => {
                say!("the demo server isn’t installed beside the application: {what}", what)
            }
            Self::AlreadyOpen(home) => say!("another Mooring window uses this data folder: {home}", home),
            Self::NoRoom(home) => say!("no room is left on the disk that holds {home}", home),
            Self::NoHome => say!("this account has no home folder to store data in"),
            Self::Home(error) => error.sentence(),
            Self::JournalOff => say!("the log isn’t saved in this session"),
            Self::Reveal(error) => error.sentence(),
            Self::Link(why) => say!("the link wasn’t opened: {reason}", reason = why),
            Self::Store(error) => error.sentence(),
            Self::Internal(what) => what.clone(),
        }
    }

    /// What the person can do, in plain words.
    pub fn next_step(&self) -> Option<Sentence> {
        Some(match self {
            Self::Connect(failure) => return failure.next.clone(),
            Self::Vault(error) => return error.next_step(),
            Self::SignIn(problem) => return problem.next.clone(),
            Self::NameNotFound { known, .. } if known.is_empty() => {
                say!("No server is saved yet. Add one first.")
            }
            Self::NameNotFound { known, .. } => say!("Saved servers: {names}.", names = known.join(", ")),
            Self::LoginInForce(_) => say!("Sign out first."),
            Self::NameTaken(_) | Self::Profile(ProfileError::NameTaken(_) | ProfileError::BadName(_)) => {
                say!("Choose another name.")
            }
            Self::AppFile(mooring_apps::Error::Changed(_)) => say!("Review the change again."),
            Self::AppFile(mooring_apps::Error::NotEditable(_) | mooring_apps::Error::Unreadable(_)) => {
                say!("Add the entry yourself: copy it from below.")
            }
            Self::AppNotConnected(_) => say!("Remove the entry “mooring” from the app’s file yourself."),
            Self::DefinitionChanged { .. } => {
                say!("Review the change under Trust, and approve it if you made it.")
            }
            Self::AlreadyOpen(_) => say!("Continue in that window, or close it first."),
            Self::NoRoom(_) => say!("Free up disk space."),
            Self::Bundle(error) => match error.code() {
                BundleErrorCode::DiskFull => say!("Free up disk space."),
                BundleErrorCode::Changed => say!("Open the bundle again, and review it."),
                BundleErrorCode::BrokenSignature => say!("Download the bundle again."),
                BundleErrorCode::NewerManifest => say!("Install the newest Mooring. Nothing was changed."),
                _ => return None,
            },
            Self::Catalog { code, .. } => match code {
                Some(RegistryErrorCode::Unreachable) => {
                    say!(
                        "Check your connection, and the proxy under Settings, Network. The copy stays as it is."
                    )
                }
                Some(RegistryErrorCode::Refused) => say!("Try again later. The copy stays as it is."),
                Some(RegistryErrorCode::NotARegistry) => {
                    say!("Check the registry’s URL in the settings. The copy stays as it is.")
                }
                _ => return None,
            },
            Self::NoHome => say!("Set MOORING_HOME to a folder."),
            Self::Home(HomeError::OfOthers { .. }) => return Some(folder_of_others()),
            Self::Home(_) => say!("Name the folder by its whole path."),
            Self::DemoMissing(_) => say!("Install Mooring again: the demo server comes with it."),
            Self::Store(error) => match error {
                StoreError::NewerDatabase { .. } => say!("Install the newest Mooring. Nothing was changed."),
                StoreError::ReadOnly { .. } => {
                    say!("Make the data folder writable, or set MOORING_HOME to one that is.")
                }
                StoreError::DiskFull => say!("Free up disk space."),
                StoreError::NotADatabase { backup_us: None, .. } | StoreError::ForeignMigration { .. } => {
                    say!("Run `mooring restore` to list the backups, or set MOORING_HOME to another folder.")
                }
                StoreError::Damaged { backup_us, .. }
                | StoreError::Missing { backup_us, .. }
                | StoreError::NotADatabase { backup_us, .. } => match backup_us {
                    Some(_) => {
                        say!("Run `mooring restore` to list the backups, then `mooring restore NUMBER`.")
                    }
                    None => say!("There is no backup. `mooring restore --empty` starts with empty data."),
                },
                StoreError::Replaced { .. } => {
                    say!(
                        "Close the Mooring window, which makes a backup as it closes. Then run `mooring restore`."
                    )
                }
                StoreError::WritableByOthers { .. } => return Some(folder_of_others()),
                StoreError::Locked => say!("Wait a moment, or close the other program."),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Additional data for front ends, as JSON.
    pub fn details(&self) -> Option<Value> {
        match self {
            Self::InvalidServer { field, .. }
            | Self::InvalidSetting { field, .. }
            | Self::InvalidRule { field, .. } => Some(json!({ "field": field })),
            Self::ImportSyntax { line, column, .. } => Some(json!({ "line": line, "column": column })),
            Self::Connect(failure) => Some(json!({
                "code": failure.code.as_str(),
                "next": failure.next,
                "evidence": failure.evidence,
            })),
            Self::SignIn(problem) => Some(json!({
                "code": problem.code,
                "next": problem.next,
                "redirect": problem.redirect,
            })),
            Self::Store(
                StoreError::Damaged { backup_us, .. }
                | StoreError::Missing { backup_us, .. }
                | StoreError::NotADatabase { backup_us, .. },
            ) => Some(json!({ "next": self.next_step(), "backup": backup_us })),
            Self::Store(_)
            | Self::Vault(_)
            | Self::DemoMissing(_)
            | Self::NameTaken(_)
            | Self::Profile(_)
            | Self::AppFile(_)
            | Self::AppNotConnected(_)
            | Self::Bundle(_)
            | Self::Catalog { .. }
            | Self::DefinitionChanged { .. }
            | Self::AlreadyOpen(_)
            | Self::NoRoom(_) => self.next_step().map(|next| json!({ "next": next })),
            Self::Request(error) => Some(json!({ "code": error.code, "rpcCode": error.rpc_code })),
            Self::Answer(error) => error.details(),
            _ => None,
        }
    }

    /// Adds the data folder to errors about opening it, so that the person knows where to free space.
    #[must_use]
    pub fn with_data_folder(self, home: &Path) -> Self {
        match self {
            Self::Store(StoreError::DiskFull) => Self::NoRoom(home.display().to_string()),
            error => error,
        }
    }
}

fn folder_of_others() -> Sentence {
    say!(
        "Make yourself its owner and remove other users’ write permission (chown, chmod go-w), or set MOORING_HOME to another folder."
    )
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl Error for HostError {}

/// The error code for a vault error.
fn vault_code(error: &VaultError) -> ErrorCode {
    match error {
        VaultError::WrongPassphrase => ErrorCode::WrongPassphrase,
        VaultError::InvalidPassphrase => ErrorCode::UnfitPassphrase,
        VaultError::NotEmpty => ErrorCode::NotEmpty,
        VaultError::Waiting => ErrorCode::VaultWaiting,
        VaultError::Closed | VaultError::Locked(_) | VaultError::InvalidHeader => ErrorCode::VaultLocked,
        VaultError::Unavailable(_) => ErrorCode::VaultUnavailable,
        VaultError::CannotReencrypt { .. } => ErrorCode::CannotReseal,
        VaultError::Busy | VaultError::OtherKey => ErrorCode::VaultBusy,
        VaultError::TooLong
        | VaultError::Tampered
        | VaultError::UnknownVersion(_)
        | VaultError::NoRandomness
        | VaultError::Records(_) => ErrorCode::Vault,
    }
}

fn answer_code(error: &AnswerError) -> ErrorCode {
    match error {
        AnswerError::NotWaiting => ErrorCode::NotWaiting,
        AnswerError::TooEarly => ErrorCode::TooEarly,
        AnswerError::WrongNonce => ErrorCode::WrongNonce,
        AnswerError::Invalid { .. } => ErrorCode::InvalidAnswer,
    }
}
