//! Commands about what is kept on this computer: the vault, folders, the log and backups.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// `mooring vault`
#[derive(Debug, Args)]
pub(crate) struct Vault {
    #[command(subcommand)]
    pub(crate) command: Option<VaultCommand>,
}

/// What is to be done about the vault.
#[derive(Debug, Subcommand)]
pub(crate) enum VaultCommand {
    /// Show where its key is; asks nobody for anything
    Status,
    /// Fetch the key, as whatever needs it does by itself: to see whether that works
    Unlock {
        /// The file with the passphrase; without it you are asked
        #[arg(long, value_name = "FILE")]
        passphrase_file: Option<PathBuf>,
    },
    /// Make a new key and seal everything under it; where there is none yet, make the first
    Rekey {
        /// Where the new key is to be
        #[arg(long, value_enum, default_value_t = KeyLocation::Keychain)]
        to: KeyLocation,
        /// The file with the new passphrase; without it you are asked for one
        #[arg(long, value_name = "FILE")]
        passphrase_file: Option<PathBuf>,
    },
    /// Give up the key and everything sealed: every login ends, and values of servers are to be entered again
    StartOver {
        /// Do it
        #[arg(long)]
        yes: bool,
    },
}

/// Where the vault's key can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyLocation {
    /// In the system's keychain
    Keychain,
    /// In the data folder, wrapped by a passphrase
    Passphrase,
}

/// `mooring roots`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Roots {
    #[command(subcommand)]
    pub(crate) command: Option<RootsCommand>,
    #[command(flatten)]
    pub(crate) of: RootsScope,
}

/// Whose folders.
#[derive(Debug, Args)]
pub(crate) struct RootsScope {
    /// Only this saved server
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
}

/// What is to be done about folders.
#[derive(Debug, Subcommand)]
pub(crate) enum RootsCommand {
    /// Tell servers of a folder: one of them, or without --server every one that you let know
    Add {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The name that goes with it
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        of: RootsScope,
        /// Even if that is your home or the whole disk
        #[arg(long)]
        wide_root: bool,
    },
    /// Take a folder back
    Remove {
        /// Its number, as `mooring roots` shows it
        id: i64,
    },
    /// Let a server know of the folders that are for every server
    Share {
        /// The saved server
        server: String,
        /// Do not let it know
        #[arg(long)]
        withhold: bool,
    },
}

/// `mooring logs`
#[derive(Debug, Args)]
pub(crate) struct Logs {
    /// Only this server
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
    /// Only this method, such as tools/call
    #[arg(long)]
    pub(crate) method: Option<String>,
    /// Only messages that went this way
    #[arg(long, value_enum)]
    pub(crate) direction: Option<MessageDirection>,
    /// Only rows that contain this text
    #[arg(long)]
    pub(crate) text: Option<String>,
    /// How many of the latest rows
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) limit: u32,
    /// Go on with what is logged from now on, until interrupted; with --json one object per line
    #[arg(long)]
    pub(crate) follow: bool,
    /// Delete the whole log
    #[arg(long, conflicts_with_all = ["server", "method", "direction", "text", "follow"])]
    pub(crate) delete: bool,
    /// Confirm --delete
    #[arg(long, requires = "delete")]
    pub(crate) yes: bool,
}

/// `mooring restore`
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// Number of the backup, as listed by `mooring restore`. Current data is moved aside
    #[arg(value_name = "NUMBER")]
    pub(crate) backup: Option<usize>,
    /// Start with empty data. Current data is moved aside
    #[arg(long, conflicts_with = "backup")]
    pub(crate) empty: bool,
}

/// Which way a message went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageDirection {
    /// To the server
    Out,
    /// From the server
    In,
}
