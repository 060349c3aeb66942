//! Commands about other apps (MCP clients) that use the servers of Mooring.

use clap::{Args, Subcommand, ValueEnum};

use crate::Start;

/// `mooring apps`
#[derive(Debug, Args)]
pub struct Apps {
    #[command(subcommand)]
    pub command: Option<AppsCommand>,
    /// Also list apps that don’t seem to be installed
    #[arg(long)]
    pub all: bool,
}

/// What is to be done about apps.
#[derive(Debug, Subcommand)]
pub enum AppsCommand {
    /// Show one app: its file, its level, its own servers, the entry to copy, and what it pays in tokens
    Show {
        /// The app, as `mooring apps` shows it
        app: String,
    },
    /// Change what an app may do and sees; what isn’t named stays as it is
    Set {
        /// The app, as `mooring apps` shows it
        app: String,
        #[command(flatten)]
        settings: AppSettings,
    },
    /// Make an entry with a new key for an app that isn’t listed; it replaces an earlier key and is shown once
    Add {
        /// What to call the app
        app: String,
    },
    /// Remove an app’s key, or the permission that you gave it in the Inbox
    Remove {
        /// The app, as `mooring apps` shows it
        app: String,
    },
    /// Make a token with which an app connects over HTTP, instead of the one it had; it is shown once
    Token {
        /// The app’s name, as Mooring shows it
        app: String,
        /// Revoke the token instead
        #[arg(long)]
        revoke: bool,
    },
}

/// What is changed about an app.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct AppSettings {
    /// How its calls are allowed
    #[arg(long, value_enum)]
    pub level: Option<LevelChoice>,
    /// How it gets the tools
    #[arg(long, value_enum)]
    pub tool_list: Option<ToolListChoice>,
    /// The longest name of a tool that it gets, 32 to 64 characters; 0: what the app is known to take
    #[arg(long, value_name = "LENGTH")]
    pub longest_name: Option<u8>,
    /// Hide a server, or one of its tools, from the app; may be repeated
    #[arg(long, value_name = "SERVER[:TOOL]")]
    pub off: Vec<String>,
    /// Undo `--off`; may be repeated
    #[arg(long, value_name = "SERVER[:TOOL]")]
    pub on: Vec<String>,
    /// List a tool beside the search; may be repeated
    #[arg(long, value_name = "SERVER:TOOL")]
    pub pin: Vec<String>,
    /// Undo `--pin`; may be repeated
    #[arg(long, value_name = "SERVER:TOOL")]
    pub unpin: Vec<String>,
    /// Whether the app sees prompts
    #[arg(long, value_enum)]
    pub prompts: Option<Switch>,
    /// Whether the app sees resources
    #[arg(long, value_enum)]
    pub resources: Option<Switch>,
}

impl AppSettings {
    /// Whether this changes what the app may do or see. Such settings are authenticated with the vault's key.
    pub fn is_decision(&self) -> bool {
        let Self { level, off, on, prompts, resources, .. } = self;
        level.is_some() || !off.is_empty() || !on.is_empty() || prompts.is_some() || resources.is_some()
    }
}

/// How an app's calls are allowed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum LevelChoice {
    /// Mooring’s Inbox asks for each call
    AskHere,
    /// Approved tools run unless a rule says otherwise; for apps that ask you themselves
    AppAsks,
    /// Only tools that say they are read-only
    ReadOnly,
    /// What is usual for this app
    Default,
}

/// Whether something is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

/// How an app gets the tools.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ToolListChoice {
    /// All tools
    Whole,
    /// A search in their place
    Search,
    /// A search where there are many, unless the app has one of its own
    Auto,
}

/// `mooring connect`
#[derive(Debug, Args)]
pub struct Connect {
    /// The app, as `mooring apps` shows it
    pub app: String,
    /// Make a new key for its entry even if the current one is valid
    #[arg(long)]
    pub renew: bool,
    #[command(flatten)]
    pub consent: Consent,
}

/// `mooring disconnect`
#[derive(Debug, Args)]
pub struct Disconnect {
    /// The app, as `mooring apps` shows it
    pub app: String,
    #[command(flatten)]
    pub consent: Consent,
}

/// Whether another app's file may be changed.
#[derive(Debug, Args)]
pub struct Consent {
    /// Change the app's file without asking
    #[arg(long)]
    pub yes: bool,
    /// Only show what would change
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
}

/// `mooring import`
#[derive(Debug, Args)]
pub struct Import {
    /// The app, as `mooring apps` shows it, a file such as mcp.json or server.mcpb, a project’s folder, or an install
    /// link; without it the servers of all apps are listed
    #[arg(value_name = "APP | FILE | FOLDER | LINK")]
    pub app: Option<String>,
    /// Servers to save in Mooring; without any they are listed
    #[arg(value_name = "SERVER")]
    pub servers: Vec<String>,
    /// Save all that aren’t saved yet
    #[arg(long, requires = "app", conflicts_with = "servers")]
    pub all: bool,
    /// Save the one server under this name
    #[arg(long = "as", value_name = "NAME", requires = "servers", conflicts_with = "all")]
    pub new_name: Option<String>,
    /// A value that the servers ask for; repeat it for several
    #[arg(long = "value", value_name = "NAME=VALUE", requires = "app")]
    pub values: Vec<String>,
    /// A secret that the servers ask for: NAME to be asked, NAME=@FILE, or NAME=- for standard input
    #[arg(long = "secret-value", value_name = "NAME", requires = "app")]
    pub secret_values: Vec<String>,
    /// Give the secrets of the server that a bundle updates to the new version, although no signature shows that it is
    /// by the same author
    #[arg(long, requires = "app")]
    pub keep_secrets: bool,
    /// When they start. Servers of an app or a project: on-use; others: with-mooring
    #[arg(long, value_enum, requires = "app")]
    pub start: Option<Start>,
}
