//! Commands about accounts at servers.

use std::path::PathBuf;

use clap::Args;

/// `mooring login`
#[derive(Debug, Args)]
pub struct Login {
    #[command(flatten)]
    pub target: RemoteTarget,
    /// Print the sign-in URL instead of opening a browser. On another computer, paste the last URL of its browser here
    #[arg(long, visible_alias = "print-url")]
    pub no_browser: bool,
    /// The port of this computer at which the browser ends, to forward it from another computer: ssh -L PORT:127.0.0.1:PORT
    #[arg(long, conflicts_with = "redirect", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// The ID of a client that you registered with the server's authorization server
    // Issuers may begin an id with any character.
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub client_id: Option<String>,
    /// A file with that client's secret
    #[arg(long, value_name = "FILE", requires = "client_id")]
    pub client_secret_file: Option<PathBuf>,
    /// Sign in as the client itself (client credentials)
    #[arg(long, requires = "client_secret_file")]
    pub client_credentials: bool,
    /// The redirect URI registered for this client: http to this computer
    #[arg(long, value_name = "URI", requires = "client_id")]
    pub redirect: Option<String>,
    /// Sign in with another account; the current login stays
    #[arg(long)]
    pub another: bool,
    /// A scope to request in addition to those that the server names; may be repeated
    #[arg(long, value_name = "SCOPE")]
    pub scope: Vec<String>,
    /// Accept an authorization server that doesn't announce PKCE; PKCE is used anyway
    #[arg(long)]
    pub allow_silent_pkce: bool,
    /// Leave the server's URL (resource) out of the request, for an authorization server that rejects it. The tokens
    /// may then work for other servers too. Remembered with the login
    #[arg(long)]
    pub without_resource: bool,
}

/// `mooring logout`
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Logout {
    /// The server that is signed in to: its name or URL; or the login’s number in `mooring accounts`
    #[arg(value_name = "SERVER | URL | LOGIN")]
    pub of: Option<String>,
    /// Sign out everywhere
    #[arg(long)]
    pub all: bool,
}

/// `mooring accounts`
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct Accounts {
    /// Renew this login's token now
    #[arg(long, value_name = "LOGIN")]
    pub refresh: Option<i64>,
    /// Remove this ended login from the list
    #[arg(long, value_name = "LOGIN")]
    pub forget: Option<i64>,
}

/// A server behind a URL.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct RemoteTarget {
    /// A saved server, or a URL
    #[arg(value_name = "SERVER | URL")]
    pub word: Option<String>,
    /// A saved server
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
    /// A URL (Streamable HTTP)
    #[arg(long)]
    pub url: Option<String>,
}
