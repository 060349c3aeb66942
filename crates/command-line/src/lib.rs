//! The definitions of `mooring`'s commands and their arguments. Nothing here runs them, so that manuals and
//! completions can be made from the same definitions.
#![expect(
    missing_docs,
    reason = "the comments are the help of the commands; what is named in one line needs none"
)]

mod answers;
mod apps;
mod catalog;
mod completion;
mod kept;
mod line;
mod mistake;
mod profile;
mod saved;
mod shell;
mod sign_in;
mod topics;
mod values;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::Serialize;

pub use self::answers::{ANSWER_OPTIONS, AnswerArgs, AnswerOption};
pub use self::apps::{
    AppSettings, Apps, AppsCommand, Connect, Consent, Disconnect, Import, LevelChoice, Switch, ToolListChoice,
};
pub use self::catalog::{Catalog, CatalogAdd, CatalogCommand, CatalogUpdate};
pub use self::completion::{
    COMPLETE, KnownNames, Shell, Suggestion, WantedValue, candidates_for, complete, script,
};
pub use self::kept::{
    KeyLocation, Logs, MessageDirection, Restore, Roots, RootsCommand, RootsScope, Trust, Vault, VaultCommand,
};
pub use self::mistake::{Mistake, mistake};
pub use self::profile::{NewProfileArgs, ProfileArgs, ProfileCommand, ProfileImportArgs};
pub use self::saved::{
    Add, Edit, Export, ExportFormat, Instances, Named, Rename, Rollback, ServerFields, ServerPlace,
    ServerSettings, Set, SetSecret, Start,
};
pub use self::shell::{OpenShell, Subscribe};
pub use self::sign_in::{Accounts, Login, Logout, RemoteTarget};
pub use self::topics::{TOPICS, Topic, topic};
use self::values::{header, seconds, size, variable};

/// Connect to MCP servers, use their tools, resources and prompts, and see every message.
#[derive(Debug, Parser)]
#[command(name = "mooring", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "\
Topics: mooring help servers, calls, arguments, questions, sign-in, secrets, apps, running, scripts
or trouble.

Exit codes: 0 ok, 1 the tool reported an error, 2 usage or a failure of the system, 3 could not
connect or negotiate, or anything else that kept the command from its work, 4 the server answered
with an error or with what cannot be used, 5 timed out, 6 sign-in needed, 7 refused by policy or
by the vault, 130 ended by Ctrl-C.

Data is stored in the platform's data directory, or in MOORING_HOME. Secrets are encrypted with a key
in the system's keychain, or with your passphrase: that is asked for on a terminal, or read from the
file that MOORING_PASSPHRASE_FILE names.")]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub json: bool,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Connect to a server and show what was negotiated
    #[command(visible_alias = "ping")]
    Probe(Probe),
    /// List the tools of a server
    Tools(List),
    /// List the resources of a server
    Resources(List),
    /// List the resource templates of a server
    Templates(List),
    /// List the prompts of a server
    Prompts(List),
    /// List a server's skills; `read` shows one
    Skills(List),
    /// Call a tool; naming it is your consent for this call
    Call(Call),
    /// Read a resource
    Read(Read),
    /// Get a prompt
    Prompt(Prompt),
    /// Show the changes of a resource as they come, until Ctrl-C
    Subscribe(Subscribe),
    /// Type commands line by line, over one connection to a server
    Shell(OpenShell),
    /// Save a server
    Add(Add),
    /// Change a saved server: its variables, headers and secrets, whether it may use models, who shares it
    Set(Set),
    /// Change the command, URL, folder, time limit or protocol of a saved server; what is approved stays
    Edit(Edit),
    /// Rename a saved server
    Rename(Rename),
    /// Have a saved server run again
    Enable(Named),
    /// Keep a saved server from running, and from apps
    Disable(Named),
    /// Store an encrypted value of a saved server's variable or header
    SetSecret(SetSecret),
    /// List the saved servers
    #[command(visible_alias = "ls")]
    List,
    /// Remove a saved server
    #[command(visible_alias = "rm")]
    Remove(Named),
    /// Show what a server offers, what of it is approved, and what changed; approve it
    Trust(Trust),
    /// Sign in to a server, in your browser
    Login(Login),
    /// Sign out: revoke and delete the tokens
    Logout(Logout),
    /// List accounts
    Accounts(Accounts),
    /// Show or change where the vault's key is stored
    Vault(Vault),
    /// Show and change the folders shared with servers
    Roots(Roots),
    /// List the profiles: named sets of servers, tools and folders; use one, or save it as a file
    Profile(ProfileArgs),
    /// Show the log
    Logs(Logs),
    /// List backups, or restore one
    Restore(Restore),
    /// List other apps (MCP clients) on this computer, or show one
    Apps(Apps),
    /// Have an app use the servers of Mooring: adds one entry to the app's file, after showing it
    Connect(Connect),
    /// Undo `connect`: brings the app's file back to what it was
    Disconnect(Disconnect),
    /// List the servers of other apps, or save some of them; show or save the server of a bundle (.mcpb)
    Import(Import),
    /// Search an MCP registry, and save and update servers from it
    Catalog(Catalog),
    /// Bring a server back to the version of its bundle that it had before
    Rollback(Rollback),
    /// Print the saved servers as an mcp.json; encrypted values are left out
    Export(Export),
    /// Connect an app (MCP client) to the servers of Mooring; the app starts this as its MCP server
    #[cfg(unix)]
    Bridge(Bridge),
    /// Keep the saved servers running without a window, for apps; a bridge starts this by itself
    #[cfg(unix)]
    Serve(Serve),
    /// Check step by step why a server, or Mooring itself, doesn’t work
    #[command(visible_alias = "check")]
    Doctor(Doctor),
    /// Measure how fast a server answers calls
    Bench(Bench),
    /// Search what all saved servers offer
    Search(Search),
    /// Print what has a shell complete names of servers, tools and apps
    Completions(Completions),
    /// Explain a command or a topic
    Help(Help),
    /// Print the version
    Version,
}

/// What to connect to, in the first words or by exactly one of the three options.
#[derive(Debug, Clone, Args)]
pub struct Target {
    /// A saved server, a URL, or a command that starts a server; nothing is saved
    #[arg(value_name = "SERVER | URL | COMMAND")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub choice: TargetChoice,
    /// A header for every request to a URL, as NAME:VALUE; may be repeated
    #[arg(long, short = 'H', value_name = "NAME:VALUE", conflicts_with = "server", value_parser = header)]
    pub header: Vec<(String, String)>,
    /// An environment variable for the command, as NAME=VALUE; may be repeated. Only a few variables of your shell are passed on
    #[arg(long, value_name = "NAME=VALUE", conflicts_with_all = ["server", "url"], value_parser = variable)]
    pub env: Vec<(String, String)>,
    /// The protocol to use
    #[arg(long, value_enum, default_value_t = Era::Auto)]
    pub era: Era,
    /// Time limit for starting and for each answer, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// The largest message to accept, such as 64MiB. Default: 16 MiB, or what is set in the window
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_message: Option<usize>,
    /// The account to use, by its number in `mooring accounts`
    #[arg(long, value_name = "LOGIN")]
    pub account: Option<i64>,
    /// Connect to the server for this command alone, also where Mooring runs and uses it already
    #[arg(long)]
    pub alone: bool,
    #[command(flatten)]
    pub questions: AnswerArgs,
}

/// The three ways to name a target by itself.
#[derive(Debug, Clone, Args)]
#[group(multiple = false)]
pub struct TargetChoice {
    /// A saved server
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
    /// A URL (Streamable HTTP)
    #[arg(long)]
    pub url: Option<String>,
    /// A command, run in this directory with your PATH; nothing is saved
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// `mooring probe`
#[derive(Debug, Args)]
pub struct Probe {
    #[command(flatten)]
    pub target: Target,
}

/// `mooring doctor`
#[derive(Debug, Args)]
#[command(after_help = "\
The exit code is 1 if a check failed. A server that runs is not started again, and one whose
definition you have not approved is not started at all. The report has no secrets.")]
pub struct Doctor {
    /// A saved server, a URL, or a command that starts a server. Without one, Mooring itself is checked
    #[arg(value_name = "SERVER | URL | COMMAND")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub choice: TargetChoice,
    /// A header for every request to a URL, as NAME:VALUE; may be repeated
    #[arg(long, short = 'H', value_name = "NAME:VALUE", conflicts_with = "server", value_parser = header)]
    pub header: Vec<(String, String)>,
    /// An environment variable for the command, as NAME=VALUE; may be repeated
    #[arg(long, value_name = "NAME=VALUE", conflicts_with_all = ["server", "url"], value_parser = variable)]
    pub env: Vec<(String, String)>,
    /// Also write the checks to a file, for a bug report
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

/// The eras that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Era {
    /// Detected automatically
    Auto,
    /// Stateless requests: protocol version 2026-07-28
    Modern,
    /// `initialize` opens a session: protocol versions 2024-11-05 to 2025-11-25
    Session,
    /// The HTTP+SSE transport of 2024-11-05, which is deprecated
    Sse,
}

/// `mooring tools`, `resources`, `templates`, `prompts` and `skills`
#[derive(Debug, Args)]
#[command(mut_arg("words", |words| words.value_name("SERVER | URL | COMMAND").help(
    "A saved server, a URL, or a command that starts a server; behind a saved server or a URL, the name of one item to see all of it"
)), mut_arg("command", |last| last))]
pub struct List {
    #[command(flatten)]
    pub target: Target,
}

/// `mooring call`
#[derive(Debug, Args)]
#[command(
    override_usage = "mooring call [OPTIONS] SERVER TOOL [ARGUMENT]…\n       mooring call [OPTIONS] TOOL [ARGUMENT]… -- COMMAND"
)]
#[command(mut_arg("words", |words| words.value_name("SERVER TOOL ARGUMENT").help(
    "A saved server or a URL, one of its tools, and the tool’s arguments: name=value, name:=JSON, name=@FILE, a.b=1 for \
     a member of a member, the same name again for a list; or one JSON object, @FILE, or - for standard input"
)), mut_arg("command", |last| last))]
pub struct Call {
    #[command(flatten)]
    pub target: Target,
    /// Send arguments that don’t fit the tool’s schema, and call a tool that isn’t listed
    #[arg(long)]
    pub send_anyway: bool,
    /// Ask on the terminal for arguments that are missing; Tab completes them
    #[arg(long)]
    pub ask: bool,
    /// Write pictures, sound and other bytes of the result to this file, or into this folder; without any, its
    /// structured data, or its text
    #[arg(long, short, value_name = "FILE | DIR")]
    pub output: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Print the texts of the result alone, as they came
    #[arg(long, conflicts_with_all = ["json", "structured"])]
    pub text: bool,
    /// Print the structured data of the result alone, as JSON
    #[arg(long, conflicts_with = "json")]
    pub structured: bool,
    /// Print what a path (RFC 9535) finds in the result, one value a line: `$.structuredContent.total`
    #[arg(long, value_name = "PATH", conflicts_with_all = ["json", "text", "structured", "output"])]
    pub jsonpath: Option<String>,
}

/// `mooring read`
#[derive(Debug, Args)]
#[command(
    override_usage = "mooring read [OPTIONS] SERVER URI [VARIABLE]…\n       mooring read [OPTIONS] URI [VARIABLE]… -- COMMAND"
)]
#[command(mut_arg("words", |words| words.value_name("SERVER URI").help(
    "A saved server or a URL, and the URI of one of its resources; or one of its templates, with the template’s variables \
     as name=value"
)), mut_arg("command", |last| last))]
pub struct Read {
    /// Write the content to this file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Ask on the terminal for variables of a template that are missing; Tab completes them
    #[arg(long)]
    pub ask: bool,
    #[command(flatten)]
    pub target: Target,
}

/// `mooring prompt`
#[derive(Debug, Args)]
#[command(
    override_usage = "mooring prompt [OPTIONS] SERVER PROMPT [ARGUMENT]…\n       mooring prompt [OPTIONS] PROMPT [ARGUMENT]… -- COMMAND"
)]
#[command(mut_arg("words", |words| words.value_name("SERVER PROMPT ARGUMENT").help(
    "A saved server or a URL, one of its prompts, and the prompt’s arguments: name=value, name=@FILE; or one JSON object \
     of strings, @FILE, or - for standard input"
)), mut_arg("command", |last| last))]
pub struct Prompt {
    #[command(flatten)]
    pub target: Target,
    /// Send arguments that the prompt doesn’t name or that lack one it needs, and get a prompt that isn’t listed
    #[arg(long)]
    pub send_anyway: bool,
    /// Ask on the terminal for arguments that are missing; Tab completes them
    #[arg(long)]
    pub ask: bool,
}

/// `mooring bridge`
#[cfg(unix)]
#[derive(Debug, Args)]
pub struct Bridge {
    /// The app's name, as Mooring shows it
    #[arg(long, value_name = "NAME")]
    pub app: String,
    /// Offer the tools of this saved server alone, under their own names
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
    /// Use this data folder instead of the usual one or that of the environment
    #[arg(long, value_name = "FOLDER")]
    pub home: Option<PathBuf>,
}

/// `mooring serve`
#[cfg(unix)]
#[derive(Debug, Args)]
pub struct Serve {
    /// Go on in the background, until it is stopped or Mooring’s window opens
    #[arg(long, conflicts_with = "idle")]
    pub background: bool,
    /// Stop the one that runs in the background
    #[arg(long, conflicts_with_all = ["background", "idle", "port"])]
    pub stop: bool,
    /// End after so many minutes without an app or a command; 0: never. Default: 10, and never with --port, because an
    /// app that connects over HTTP can’t start it
    #[arg(long, value_name = "MINUTES")]
    pub idle: Option<u64>,
    /// Let apps connect over HTTP at this port of this computer, from now on; 0: no longer
    #[arg(long)]
    pub port: Option<u16>,
}

/// `mooring search`
#[derive(Debug, Args)]
pub struct Search {
    /// Words of names and descriptions
    #[arg(required = true, value_name = "WORDS")]
    pub query: Vec<String>,
}

/// `mooring completions`
#[derive(Debug, Args)]
#[command(after_help = "\
bash:  add this line to ~/.bashrc:  source <(mooring completions bash)
zsh:   add this line to ~/.zshrc, after compinit:  source <(mooring completions zsh)
fish:  mooring completions fish > ~/.config/fish/completions/mooring.fish
PowerShell: add this line to $PROFILE:  mooring completions powershell | Out-String | Invoke-Expression

The packages for Linux bring those for bash, zsh and fish.")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `mooring help`
#[derive(Debug, Args)]
pub struct Help {
    /// A command, or one of the topics: servers, calls, arguments, questions, sign-in, secrets, apps, running, scripts,
    /// trouble
    #[arg(value_name = "COMMAND | TOPIC")]
    pub subject: Vec<String>,
}

/// `mooring bench`
#[derive(Debug, Args)]
pub struct Bench {
    /// How many calls to make
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub calls: u64,
    /// How many calls run at the same time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub concurrency: u32,
    /// The tool to call
    #[arg(long, default_value = "echo", value_name = "NAME")]
    pub tool: String,
    /// Its arguments: a JSON object, @FILE, or - for standard input
    #[arg(long, default_value = r#"{"text":"hello","message":"hello"}"#, value_name = "JSON")]
    pub args: String,
    /// Don't write the log
    #[arg(long)]
    pub no_journal: bool,
    #[command(flatten)]
    pub target: Target,
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::CommandFactory as _;

    use super::*;

    fn parse(words: &[&str]) -> Result<Cli, clap::Error> {
        Cli::read(std::iter::once("mooring").chain(words.iter().copied()).map(OsString::from))
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_target_is_named_in_one_way() {
        assert!(parse(&["tools", "--server", "a", "--url", "http://x/"]).is_err());
        assert!(parse(&["tools", "--url", "http://x/", "--", "npx"]).is_err());
        assert!(parse(&["add", "x", "npx", "--", "npx"]).is_err());
        assert!(parse(&["list", "--", "npx"]).is_err());
        assert!(parse(&["tools", "--server", "a"]).is_ok());
    }

    #[test]
    fn words_may_be_a_command_with_options() {
        let words = |line: &str| match parse(&line.split(' ').collect::<Vec<_>>()).unwrap() {
            Cli { command: Command::Tools(list), json } => (list.target.words, json),
            other => panic!("{other:?}"),
        };
        let expect = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words("tools npx -y x --flag"), (expect("npx -y x --flag"), false));
        // Our own options are recognised at any position.
        assert_eq!(words("tools npx -y x --json"), (expect("npx -y x"), true));
        assert_eq!(words("tools --timeout 3 demo echo"), (expect("demo echo"), false));
    }

    #[test]
    fn the_id_of_a_client_may_begin_with_a_dash() {
        for id in ["-8fQ", "--"] {
            let words = ["login", "--url", "http://x/", "--client-id", id, "--client-secret-file", "file"];
            let Command::Login(login) = parse(&words).unwrap().command else { panic!("no login: {words:?}") };
            assert_eq!(login.client_id.as_deref(), Some(id));
            assert!(login.client_secret_file.is_some());
        }
        assert!(parse(&["login", "--url", "http://x/", "--client-id"]).is_err());
    }

    #[test]
    fn a_login_takes_what_its_authorization_server_needs() {
        let words = "login --url http://x/ --client-id 1 --redirect http://localhost:3118/callback --scope a --scope b \
                     --allow-silent-pkce --without-resource";
        let words: Vec<&str> = words.split_whitespace().collect();
        let Command::Login(login) = parse(&words).unwrap().command else { panic!("no login") };
        assert_eq!(login.redirect.as_deref(), Some("http://localhost:3118/callback"));
        assert_eq!(login.scope, ["a", "b"]);
        assert!(login.allow_silent_pkce && login.without_resource);
        // An address of one's own belongs to a client of one's own.
        assert!(parse(&["login", "--url", "http://x/", "--redirect", "http://localhost:1/"]).is_err());
    }

    #[test]
    fn options_after_the_dashes_belong_to_the_server_command() {
        let cli =
            parse(&["call", "echo", "{}", "--json", "--", "npx", "-y", "x", "--json", "--help"]).unwrap();
        assert!(cli.json);
        let Command::Call(call) = cli.command else { panic!("{:?}", cli.command) };
        assert_eq!(call.target.words, ["echo", "{}"]);
        assert_eq!(call.target.choice.command, ["npx", "-y", "x", "--json", "--help"]);
    }

    #[test]
    fn arguments_may_be_left_out_or_come_from_standard_input() {
        let arguments = |words: &[&str]| match parse(words).unwrap().command {
            Command::Call(call) => call.target.words.join(" "),
            other => panic!("{other:?}"),
        };
        assert_eq!(arguments(&["call", "echo", "--server", "a"]), "echo");
        assert_eq!(arguments(&["call", "echo", "-", "--server", "a"]), "echo -");
        assert_eq!(
            arguments(&["call", "demo", "add", "a=-1", "b:=-2", "--timeout", "5"]),
            "demo add a=-1 b:=-2"
        );
        assert_eq!(arguments(&["call", "echo", "@a.json", "--", "x"]), "echo @a.json");
    }
}
