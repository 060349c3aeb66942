//! `mooring profile`

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `mooring profile`
#[derive(Debug, Args)]
pub struct ProfileArgs {
    #[command(subcommand)]
    pub command: Option<ProfileCommand>,
}

/// What is to be done about profiles.
#[derive(Debug, Subcommand)]
pub enum ProfileCommand {
    /// List the profiles
    List,
    /// Show a profile
    Show {
        /// The profile
        profile: String,
    },
    /// Use a profile: apps see only what it has; `none` for everything
    Use {
        /// The profile, or `none`
        profile: String,
    },
    /// Save a profile
    Create(NewProfileArgs),
    /// Delete a profile; if it is in use, apps see everything again
    Delete {
        /// The profile
        profile: String,
    },
    /// Print a profile as a file without secrets, or save that
    Export {
        /// The profile
        profile: String,
        /// The file to write
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Overwrite the file
        #[arg(long)]
        force: bool,
    },
    /// Show what a profile’s file says, and save it after asking; it can only take away from what you allowed
    Import(ProfileImportArgs),
}

/// `mooring profile create`
#[derive(Debug, Args)]
pub struct NewProfileArgs {
    /// Its name
    pub profile: String,
    /// A server that is on; may be repeated. All others are off
    #[arg(long, value_name = "NAME")]
    pub server: Vec<String>,
    /// What no app sees of these servers; may be repeated
    #[arg(long, value_name = "SERVER[/TOOL]")]
    pub hide: Vec<String>,
    /// What one app does not see of them; may be repeated
    #[arg(long, value_name = "APP:SERVER[/TOOL]")]
    pub hide_from: Vec<String>,
    /// A shared folder that servers may see, of those that `mooring roots` shows; may be repeated. Without any, all
    #[arg(long, value_name = "DIR")]
    pub root: Vec<PathBuf>,
    /// Let servers see no shared folder
    #[arg(long, conflicts_with = "root")]
    pub no_roots: bool,
    /// The project folder: apps that work in it see this profile
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
}

/// `mooring profile import`
#[derive(Debug, Args)]
pub struct ProfileImportArgs {
    /// The file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Another name for the profile
    #[arg(long)]
    pub name: Option<String>,
    /// Also turn on servers of the same name that run something else here
    #[arg(long)]
    pub others: bool,
    /// Also bind it to its project folder
    #[arg(long)]
    pub project: bool,
    /// Save it without asking
    #[arg(long)]
    pub yes: bool,
}
