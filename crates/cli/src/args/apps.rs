//! Commands about other apps (MCP clients) that use the servers of Mooring.

use clap::{Args, Subcommand, ValueEnum};

/// `mooring apps`
#[derive(Debug, Args)]
pub(crate) struct Apps {
    #[command(subcommand)]
    pub(crate) command: Option<AppsCommand>,
    /// Also list apps that don’t seem to be installed
    #[arg(long)]
    pub(crate) all: bool,
}

/// What is to be done about apps.
#[derive(Debug, Subcommand)]
pub(crate) enum AppsCommand {
    /// Show one app: its file, its level, its own servers, the entry to copy, and what it pays in tokens
    Show {
        /// The app, as `mooring apps` shows it
        app: String,
    },
    /// Change how an app gets the tools
    Set {
        /// The app’s name, as Mooring shows it
        app: String,
        /// All of them, a search in their place, or a search where there are many
        #[arg(long, value_enum)]
        tool_list: ToolListChoice,
    },
    /// Make a token with which an app connects over HTTP, instead of the one it had; it is shown once
    Token {
        /// The app’s name, as Mooring shows it
        app: String,
        /// Take the token away instead
        #[arg(long)]
        revoke: bool,
    },
}

/// How an app gets the tools.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ToolListChoice {
    /// All tools
    Whole,
    /// A search in their place
    Search,
    /// A search where there are many, unless the app has one of its own
    Auto,
}

/// `mooring connect`
#[derive(Debug, Args)]
pub(crate) struct Connect {
    /// The app, as `mooring apps` shows it
    pub(crate) app: String,
    #[command(flatten)]
    pub(crate) consent: Consent,
}

/// `mooring disconnect`
#[derive(Debug, Args)]
pub(crate) struct Disconnect {
    /// The app, as `mooring apps` shows it
    pub(crate) app: String,
    #[command(flatten)]
    pub(crate) consent: Consent,
}

/// Whether another app's file may be changed.
#[derive(Debug, Args)]
pub(crate) struct Consent {
    /// Change the app's file without asking
    #[arg(long)]
    pub(crate) yes: bool,
    /// Only show what would change
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
}

/// `mooring import`
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The app, as `mooring apps` shows it; without it the servers of all apps are listed
    pub(crate) app: Option<String>,
    /// Servers of the app to save in Mooring; without any the app's servers are listed
    #[arg(value_name = "SERVER")]
    pub(crate) servers: Vec<String>,
    /// Save all that aren’t saved yet
    #[arg(long, requires = "app", conflicts_with = "servers")]
    pub(crate) all: bool,
}
