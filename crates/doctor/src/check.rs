//! A check, its result, and what fixes it.

use std::time::Duration;

use mooring_base::{codes, view_serde};
use mooring_errors::Failure;
use mooring_words::{Sentence, say};
use serde::Serialize;
use ts_rs::TS;

codes! {
    /// What is checked.
    pub enum CheckCode {
        /// The saved settings of the server can be used.
        ServerSettings = "server_settings",
        /// The program and its folder exist.
        Program = "program",
        /// The secrets of the server can be decrypted.
        Secrets = "secrets",
        /// The definition is the one that the person approved.
        Approval = "approval",
        /// The program starts and keeps running.
        Start = "start",
        /// The program prints nothing but messages to its standard output.
        Output = "output",
        /// The proxy that requests go through.
        Proxy = "proxy",
        /// The host name has an IP address.
        NameLookup = "name_lookup",
        /// Something listens at the address.
        Connection = "connection",
        /// The certificate is trusted.
        Tls = "tls",
        /// The URL answers as an MCP server does.
        Answer = "answer",
        /// The server publishes how to sign in (RFC 9728).
        ResourceMetadata = "resource_metadata",
        /// The authorization server publishes its metadata (RFC 8414).
        AuthorizationServer = "authorization_server",
        /// Mooring has a client at the authorization server, or can register one.
        Client = "client",
        /// The browser can return to this computer.
        RedirectAddress = "redirect_address",
        /// The clock of this computer agrees with the server.
        Clock = "clock",
        /// An account is signed in, if the server requires one.
        Account = "account",
        /// Client and server agree on a protocol version.
        Protocol = "protocol",
        /// The tools can be listed.
        Tools = "tools",
        /// Mooring can write to its data folder.
        DataFolder = "data_folder",
        /// The disk has space left.
        DiskSpace = "disk_space",
        /// The database can be read.
        Database = "database",
        /// The log can be written.
        Log = "log",
        /// The key of the vault is available.
        Keychain = "keychain",
        /// The login shell names the folders with programs.
        LoginShell = "login_shell",
        /// The network settings are in force.
        NetworkSettings = "network_settings",
        /// The entry in the file of an app starts Mooring.
        AppEntry = "app_entry",
        /// A saved server works.
        SavedServer = "saved_server",
    }
}

impl CheckCode {
    /// What is checked, in a few words.
    pub fn title(self) -> Sentence {
        match self {
            Self::ServerSettings => say!("Settings"),
            Self::Program => say!("Program and folder"),
            Self::Secrets => say!("Secrets"),
            Self::Approval => say!("Approval"),
            Self::Start => say!("Start"),
            Self::Output => say!("Standard output"),
            Self::Proxy => say!("Proxy"),
            Self::NameLookup => say!("Host name (DNS)"),
            Self::Connection => say!("Connection (TCP)"),
            Self::Tls => say!("Certificate (TLS)"),
            Self::Answer => say!("Answer"),
            Self::ResourceMetadata => say!("Protected resource metadata"),
            Self::AuthorizationServer => say!("Authorization server"),
            Self::Client => say!("Client registration"),
            Self::RedirectAddress => say!("Redirect URI"),
            Self::Clock => say!("Clock"),
            Self::Account => say!("Account"),
            Self::Protocol => say!("Protocol version"),
            Self::Tools => say!("List of tools"),
            Self::DataFolder => say!("Data folder"),
            Self::DiskSpace => say!("Disk space"),
            Self::Database => say!("Database"),
            Self::Log => say!("Log"),
            Self::Keychain => say!("Vault key"),
            Self::LoginShell => say!("Login shell"),
            Self::NetworkSettings => say!("Network settings"),
            Self::AppEntry => say!("App"),
            Self::SavedServer => say!("Server"),
        }
    }
}

codes! {
    /// The result of a check.
    pub enum CheckOutcome {
        /// Nothing is wrong.
        Passed = "passed",
        /// Something is wrong.
        Failed = "failed",
        /// It could not be checked, or doesn't apply.
        Skipped = "skipped",
    }
}

/// What a button can do about a failed check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fix {
    /// Edit the settings of the server.
    EditServer,
    /// Review the changed definition of the server.
    ReviewServer,
    /// Sign in to the server.
    SignIn,
    /// Restart the server.
    RestartServer,
    /// Open another server.
    OpenServer {
        /// Its id.
        #[ts(type = "number")]
        server: i64,
    },
    /// Install the missing program.
    InstallProgram {
        /// What is installed, such as `Node.js`.
        package: String,
        /// The official page about it.
        page: String,
        /// A command for a terminal, if one is known.
        command: Option<String>,
    },
    /// Unlock or set up the vault.
    OpenVault,
    /// Show the data folder in the file manager.
    OpenDataFolder,
    /// Open the network settings.
    OpenNetworkSettings,
    /// Open the settings of the log.
    OpenLogSettings,
    /// Open the page of an app, where its entry can be written again.
    OpenApp {
        /// The app's id.
        app: String,
    },
}

/// One check and its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// What was checked.
    pub code: CheckCode,
    /// What was checked, in a few words.
    pub title: Sentence,
    /// The app or server that was checked, where there are several.
    pub subject: Option<String>,
    /// The result.
    pub outcome: CheckOutcome,
    /// What was found.
    pub evidence: Vec<Sentence>,
    /// The server's own words.
    pub quoted: Option<String>,
    /// The code of the failure, if it has its own. `docs/errors.md` has an anchor for it.
    pub error: Option<String>,
    /// What the person can do.
    pub next: Option<Sentence>,
    /// What a button can do.
    pub fix: Option<Fix>,
    /// How long it took.
    #[serde(rename = "tookMs", serialize_with = "view_serde::millis")]
    #[ts(type = "number")]
    pub took: Duration,
}

impl Check {
    fn new(code: CheckCode, outcome: CheckOutcome, evidence: Vec<Sentence>) -> Self {
        Self {
            code,
            title: code.title(),
            subject: None,
            outcome,
            evidence,
            quoted: None,
            error: None,
            next: None,
            fix: None,
            took: Duration::ZERO,
        }
    }

    pub(crate) fn passed(code: CheckCode, evidence: impl IntoIterator<Item = Sentence>) -> Self {
        Self::new(code, CheckOutcome::Passed, evidence.into_iter().collect())
    }

    pub(crate) fn failed(code: CheckCode, evidence: impl IntoIterator<Item = Sentence>) -> Self {
        Self::new(code, CheckOutcome::Failed, evidence.into_iter().collect())
    }

    pub(crate) fn skipped(code: CheckCode, reason: Sentence) -> Self {
        Self::new(code, CheckOutcome::Skipped, vec![reason])
    }

    /// A check that failed for the reason of a connection.
    pub(crate) fn from_failure(code: CheckCode, failure: Failure) -> Self {
        let Failure { code: error, message, next, evidence, .. } = failure;
        Self {
            quoted: evidence,
            error: Some(error.as_str().to_owned()),
            next,
            ..Self::failed(code, [message])
        }
    }

    #[must_use]
    pub(crate) fn next(self, next: impl Into<Option<Sentence>>) -> Self {
        Self { next: next.into(), ..self }
    }

    #[must_use]
    pub(crate) fn fix(self, fix: impl Into<Option<Fix>>) -> Self {
        Self { fix: fix.into(), ..self }
    }

    #[must_use]
    pub(crate) fn subject(self, subject: impl Into<String>) -> Self {
        Self { subject: Some(subject.into()), ..self }
    }

    /// Its anchor in `docs/errors.md`.
    pub fn anchor(&self) -> &str {
        self.error.as_deref().unwrap_or_else(|| self.code.as_str())
    }
}
