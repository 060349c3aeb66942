//! Commands about what is kept on this computer: the vault, approvals, folders, the log and backups.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// `mooring vault`
#[derive(Debug, Args)]
pub struct Vault {
    #[command(subcommand)]
    pub command: Option<VaultCommand>,
}

/// What is to be done about the vault.
#[derive(Debug, Subcommand)]
pub enum VaultCommand {
    /// Show where the key is; never asks for anything
    Status,
    /// Fetch the key, to check that it works
    Unlock {
        /// A file with the passphrase; otherwise you are asked
        #[arg(long, value_name = "FILE")]
        passphrase_file: Option<PathBuf>,
    },
    /// Create a key and encrypt everything with it, replacing the current key
    Rekey {
        /// Where to store the new key
        #[arg(long, value_enum, default_value_t = KeyLocation::Keychain)]
        to: KeyLocation,
        /// A file with the new passphrase; otherwise you are asked
        #[arg(long, value_name = "FILE")]
        passphrase_file: Option<PathBuf>,
    },
    /// Delete the key and all encrypted secrets: you are signed out everywhere and have to enter secrets again
    StartOver {
        /// Confirm
        #[arg(long)]
        yes: bool,
    },
}

/// Where the vault's key can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KeyLocation {
    /// In the system's keychain
    Keychain,
    /// In the data folder, encrypted with a passphrase
    Passphrase,
}

/// `mooring trust`
#[derive(Debug, Args)]
pub struct Trust {
    /// The saved server
    pub server: String,
    /// What to show in full or to approve: a tool, prompt or template by its name, `instructions`, or `server` for how
    /// the server is started or reached. Where several have one name: `tool:NAME`, `prompt:NAME`, `template:NAME`
    #[arg(value_name = "ITEM")]
    pub items: Vec<String>,
    /// Approve these items, after showing them; without any, all that are new and need no review of their own
    #[arg(long)]
    pub approve: bool,
    /// Approve without asking
    #[arg(long, requires = "approve")]
    pub yes: bool,
}

/// `mooring roots`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Roots {
    #[command(subcommand)]
    pub command: Option<RootsCommand>,
    #[command(flatten)]
    pub of: RootsScope,
}

/// Whose folders.
#[derive(Debug, Args)]
pub struct RootsScope {
    /// Only this saved server
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
}

/// What is to be done about folders.
#[derive(Debug, Subcommand)]
pub enum RootsCommand {
    /// Share a folder with one server, or without --server with all servers that may see shared folders
    Add {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The name to share with it
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        of: RootsScope,
        /// Share it even if it is your home folder or the whole disk
        #[arg(long)]
        wide_root: bool,
    },
    /// Stop sharing a folder
    Remove {
        /// Its number, as shown by `mooring roots`
        id: i64,
    },
    /// Also share the folders for all servers with one server
    Share {
        /// The saved server
        server: String,
        /// Stop sharing them
        #[arg(long)]
        withhold: bool,
    },
}

/// `mooring logs`
#[derive(Debug, Args)]
pub struct Logs {
    /// Only this server
    #[arg(value_name = "SERVER", conflicts_with = "server")]
    pub of: Option<String>,
    /// Only this server
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
    /// Only messages of this app, such as cursor, and what its calls caused at servers
    #[arg(long, value_name = "NAME")]
    pub app: Option<String>,
    /// Only this method, such as tools/call
    #[arg(long)]
    pub method: Option<String>,
    /// Only messages in this direction
    #[arg(long, value_enum)]
    pub direction: Option<MessageDirection>,
    /// Only rows that contain this text
    #[arg(long)]
    pub text: Option<String>,
    /// How many of the newest rows
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub limit: u32,
    /// Keep printing new rows until interrupted; with --json one object per line
    #[arg(long, short)]
    pub follow: bool,
    /// Delete the whole log
    #[arg(long, conflicts_with_all = ["of", "server", "app", "method", "direction", "text", "follow"])]
    pub delete: bool,
    /// Confirm --delete
    #[arg(long, requires = "delete")]
    pub yes: bool,
}

/// `mooring restore`
#[derive(Debug, Args)]
pub struct Restore {
    /// The backup's number, as listed by `mooring restore`. Current data is moved aside
    #[arg(value_name = "NUMBER")]
    pub backup: Option<usize>,
    /// Start with empty data. Current data is moved aside
    #[arg(long, conflicts_with = "backup")]
    pub empty: bool,
}

/// Which way a message went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MessageDirection {
    /// To the server
    Out,
    /// From the server
    In,
    /// From an app to Mooring
    FromApp,
    /// From Mooring to an app
    ToApp,
}
