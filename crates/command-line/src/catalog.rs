//! The command about the catalog.

use clap::{Args, Subcommand};

use crate::Start;

/// `mooring catalog`
#[derive(Debug, Args)]
pub struct Catalog {
    #[command(subcommand)]
    pub command: CatalogCommand,
}

/// What is to be done with the catalog.
#[derive(Debug, Subcommand)]
pub enum CatalogCommand {
    /// Fetch the entries of the registry, or those that changed; searches then need no network
    Refresh,
    /// Search the copy of the registry for entries with all of these words
    Search {
        /// Words of the name, title or description; without any, the newest entries are listed
        words: Vec<String>,
        /// How many entries to list
        #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
        limit: u32,
    },
    /// Show an entry: its publisher, what it would run, and the values that it asks for
    Show {
        /// The entry’s full name
        name: String,
        /// Show this version, for which the registry is asked
        #[arg(long, value_name = "VERSION")]
        version: Option<String>,
        /// Also ask the registry for all versions
        #[arg(long)]
        versions: bool,
    },
    /// Save a server from an entry
    Add(CatalogAdd),
    /// List the servers that came from the catalog, with their newer versions
    Servers,
    /// Bring a server to another version of its entry, after showing what changes
    Update(CatalogUpdate),
}

/// `mooring catalog add`
#[derive(Debug, Args)]
pub struct CatalogAdd {
    /// The entry’s full name
    pub name: String,
    /// Save this version. Default: the newest of the copy
    #[arg(long, value_name = "VERSION")]
    pub version: Option<String>,
    /// Which of its packages or URLs to use, as `mooring catalog show` names them. Default: the first
    #[arg(long, value_name = "PACKAGE")]
    pub package: Option<String>,
    /// Save the server under this name
    #[arg(long = "as", value_name = "NAME")]
    pub new_name: Option<String>,
    /// A value that it asks for; repeat it for several
    #[arg(long = "value", value_name = "NAME=VALUE")]
    pub values: Vec<String>,
    /// A secret that it asks for: NAME to be asked, NAME=@FILE, or NAME=- for standard input
    #[arg(long = "secret-value", value_name = "NAME")]
    pub secret_values: Vec<String>,
    /// When it starts
    #[arg(long, value_enum)]
    pub start: Option<Start>,
}

/// `mooring catalog update`
#[derive(Debug, Args)]
pub struct CatalogUpdate {
    /// The saved server
    pub server: String,
    /// The version to bring it to. Default: the newest of the copy
    #[arg(long, value_name = "VERSION")]
    pub version: Option<String>,
    /// A value that the version asks for; repeat it for several
    #[arg(long = "value", value_name = "NAME=VALUE")]
    pub values: Vec<String>,
    /// A secret that it asks for: NAME to be asked, NAME=@FILE, or NAME=- for standard input
    #[arg(long = "secret-value", value_name = "NAME")]
    pub secret_values: Vec<String>,
    /// Update without asking
    #[arg(long)]
    pub yes: bool,
}
