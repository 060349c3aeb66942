//! The server that a command names: with an option, behind `--`, or in its first words.

use std::collections::BTreeMap;
use std::path::Path;

use clap::CommandFactory as _;
use mooring_base::command_line::ParsedCommand;
use mooring_connections::Target;
use mooring_host::Host;
use mooring_instances::InstanceRule;
use mooring_mcp::EraChoice;
use mooring_typed::{Place, Unclear, nearest, read_place};

use crate::args::{self, Cli, Era, Instances};
use crate::fault::Fault;
use crate::output::quote;

/// A command that needs a server, and what it takes besides.
#[derive(Debug, Clone, Copy)]
pub struct Verb {
    /// The command's name as it is typed.
    pub name: &'static str,
    /// What is named after the server.
    pub item: Option<Item>,
}

/// Something of a server that a command names.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// The placeholder in help: `TOOL`.
    pub placeholder: &'static str,
    /// Whether the command requires it.
    pub needed: bool,
}

impl Verb {
    /// A command that takes no item of the server.
    pub const fn of(name: &'static str) -> Self {
        Self { name, item: None }
    }

    /// A command that takes an item of the server.
    pub const fn with(name: &'static str, placeholder: &'static str, needed: bool) -> Self {
        Self { name, item: Some(Item { placeholder, needed }) }
    }

    /// A line that uses it: `mooring call demo TOOL`.
    pub fn line(self, server: &str) -> String {
        let item = self.item.filter(|item| item.needed).map(|item| format!(" {}", item.placeholder));
        format!("mooring {} {}{}", self.name, quote(server), item.unwrap_or_default())
    }
}

/// The server that an option or the words behind `--` name.
pub fn take_named(choice: &mut args::TargetChoice) -> Option<Place> {
    let saved = choice.server.take().map(Place::Saved);
    let url = || choice.url.take().map(Place::Url);
    let command =
        |words: &mut Vec<String>| (!words.is_empty()).then(|| Place::Command(std::mem::take(words)));
    saved.or_else(url).or_else(|| command(&mut choice.command))
}

/// The program and its arguments. A single word is split, because some documentation quotes the whole command line.
pub fn split_command(words: Vec<String>, folder: &Path) -> (String, Vec<String>) {
    let mut words = words.into_iter();
    let (program, args) = (words.next().unwrap_or_default(), words.collect::<Vec<_>>());
    match ParsedCommand::read(&program, &args, Some(folder)) {
        ParsedCommand::Line(program, args) => (program, args),
        ParsedCommand::Program | ParsedCommand::Unclear => (program, args),
    }
}

/// The protocol that is asked for of one connection.
pub(crate) fn era_choice(era: Era) -> EraChoice {
    match era {
        Era::Auto => EraChoice::Auto,
        Era::Modern => EraChoice::Only(mooring_mcp::Era::Modern),
        Era::Session => EraChoice::Only(mooring_mcp::Era::Session),
        Era::Sse => EraChoice::Only(mooring_mcp::Era::LegacySse),
    }
}

/// The rule for separate instances of a server.
pub fn instance_rule(instances: Instances) -> InstanceRule {
    match instances {
        Instances::Automatic => InstanceRule::Automatic,
        Instances::Shared => InstanceRule::Shared,
        Instances::PerApp => InstanceRule::PerApp,
        Instances::PerFolders => InstanceRule::PerRoots,
    }
}

/// A line that uses a server: `mooring call demo echo`, `mooring call echo -- npx x`.
pub fn line_with(place: &Place, verb: &str, item: &str) -> String {
    let item = if item.is_empty() { String::new() } else { format!(" {item}") };
    match place {
        Place::Saved(server) | Place::Url(server) => format!("mooring {verb} {}{item}", quote(server)),
        Place::Command(command) => format!("mooring {verb}{item} -- {}", line_of(command)),
    }
}

/// The target for the host. `headers` are for a URL, `env` for a command.
pub fn host_target(
    place: Place,
    headers: Vec<(String, String)>,
    env: Vec<(String, String)>,
    account: Option<i64>,
) -> Result<Target, Fault> {
    let is_url = matches!(place, Place::Url(_));
    let is_command = matches!(place, Place::Command(_));
    let change = "Change a saved server: mooring set NAME";
    if !is_url && !headers.is_empty() {
        return Err(Fault::usage("--header is for a URL").next(format!("{change} --header NAME:VALUE")));
    }
    if !is_command && !env.is_empty() {
        return Err(Fault::usage("--env is for a command").next(format!("{change} --env NAME=VALUE")));
    }
    if is_command && account.is_some() {
        return Err(Fault::usage("--account is for a saved server or a URL"));
    }
    Ok(match place {
        Place::Saved(name) => Target::Saved { name },
        Place::Url(url) => Target::Url { url, headers: headers.into_iter().collect::<BTreeMap<_, _>>() },
        Place::Command(words) => {
            let (cwd, env) =
                (std::env::current_dir().map_err(anyhow::Error::from)?, env.into_iter().collect());
            let (program, args) = split_command(words, &cwd);
            Target::Command { program, args, env, cwd }
        }
    })
}

/// Finds out which server the first words name, and gives the words that are left.
pub async fn resolve(host: &Host, verb: Verb, words: &[String]) -> Result<(Place, Vec<String>), Fault> {
    let saved: Vec<String> = host.servers().into_iter().map(|server| server.config.name).collect();
    if let Some(option) = words.first().filter(|word| is_option(word)) {
        return Err(unknown_option(verb, option));
    }
    let found = read_place(words, saved.iter().map(String::as_str), is_program);
    // A word such as `echo` may be a tool and a program. If the command needs a tool, the tool is meant.
    if let Ok((Place::Command(_), _)) = &found
        && let Some(fault) = lacks_server(host, verb, words).await
    {
        return Err(fault);
    }
    match found {
        // Every word belongs to the command, so that none can be the item.
        Ok((Place::Command(command), _)) if verb.item.is_some_and(|item| item.needed) => {
            let item = verb.item.map_or("ITEM", |item| item.placeholder);
            let line = format!("mooring {} {item} -- {}", verb.name, line_of(&command));
            Err(Fault::usage("a command that starts a server stands behind --").next(line))
        }
        Ok(found) => Ok(found),
        Err(Unclear::Nothing) => Err(which_server(verb, &saved)),
        Err(Unclear::Both(name)) => {
            let (line, rest) = (line_of(words), line_of(&words[1..]));
            Err(Fault::usage(format!("{name} is a saved server and a program")).next(format!(
                "The saved server: mooring {verb} --server {name} {rest}. The program: mooring {verb} -- {line}",
                verb = verb.name,
                name = quote(&name),
            )))
        }
        Err(Unclear::Unknown(word)) => Err(unknown(host, verb, word, &saved, words).await),
    }
}

/// The saved server that the first words name beyond doubt, and the words that are left.
pub(crate) fn saved_in(words: &[String], saved: &[String]) -> Option<(String, Vec<String>)> {
    words.first().filter(|word| !is_option(word))?;
    match read_place(words, saved.iter().map(String::as_str), is_program) {
        Ok((Place::Saved(server), rest)) => Some((server, rest)),
        _ => None,
    }
}

fn which_server(verb: Verb, saved: &[String]) -> Fault {
    let next = match saved {
        [] => "Save one: mooring add NAME COMMAND, or name a URL or a command: mooring tools npx -y PACKAGE"
            .to_owned(),
        [first, ..] => format!("{}. Saved servers: {}.", verb.line(first), saved.join(", ")),
    };
    Fault::usage("which server?").next(next)
}

async fn unknown(host: &Host, verb: Verb, word: String, saved: &[String], words: &[String]) -> Fault {
    if let Some(near) = nearest(&word, saved.iter().map(String::as_str)) {
        let meant: Vec<String> = std::iter::once(near.to_owned()).chain(words[1..].iter().cloned()).collect();
        let line = format!("mooring {} {}", verb.name, line_of(&meant));
        return Fault::usage(format!("no saved server is called: {word}"))
            .next(format!("Did you mean {near}? {line}"));
    }
    if let Some(fault) = lacks_server(host, verb, words).await {
        return fault;
    }
    let message = format!("no saved server is called {word}, and no program of this computer");
    let Fault { details, .. } = which_server(verb, saved);
    Fault::usage(message).next(details.next.unwrap_or_default())
}

/// The error if the first word is a tool, so that the server is missing.
async fn lacks_server(host: &Host, verb: Verb, words: &[String]) -> Option<Fault> {
    let word = words.first()?;
    verb.item.filter(|item| item.needed && item.placeholder == "TOOL")?;
    let server = server_with_tool(host, word).await?;
    let line = format!("mooring {} {} {}", verb.name, quote(&server), line_of(words));
    Some(Fault::usage(format!("which server? {word} is a tool of {server}")).next(line))
}

/// The first saved server that is known to have a tool.
async fn server_with_tool(host: &Host, tool: &str) -> Option<String> {
    for server in host.servers() {
        let known = host.trust(server.id).await.ok()?;
        let is_tool =
            |item: &mooring_policy::PinView| item.kind == mooring_policy::PinKind::Tool && item.name == tool;
        if known.items.iter().any(is_tool) {
            return Some(server.config.name);
        }
    }
    None
}

/// The error for a name that the server doesn't list. `list` is the command that lists names.
pub fn not_listed<'a>(
    place: &Place,
    noun: &str,
    list: &str,
    name: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Fault {
    let fault = Fault::usage(format!("the server lists no {noun} called: {name}"));
    fault.next(nearest(name, names).map_or_else(
        || format!("List them: {}.", line_with(place, list, "")),
        |near| format!("Did you mean {near}?"),
    ))
}

/// Words that nothing takes.
pub fn take_none(verb: Verb, rest: &[String]) -> Result<(), Fault> {
    match rest.first() {
        None => Ok(()),
        Some(option) if is_option(option) => Err(unknown_option(verb, option)),
        Some(word) => Err(Fault::usage(format!("mooring {} takes nothing more: {word}", verb.name))
            .next(format!("See mooring {} --help", verb.name))),
    }
}

/// The one item that is named, and the words behind it.
pub fn take_item(verb: Verb, rest: Vec<String>) -> Result<(Option<String>, Vec<String>), Fault> {
    let mut words = rest.into_iter();
    match words.next() {
        Some(option) if is_option(&option) => Err(unknown_option(verb, &option)),
        item => Ok((item, words.collect())),
    }
}

/// The item that a command can't do without, and the words behind it; `list` is the command that lists such items.
pub fn take_needed_item(
    verb: Verb,
    place: &Place,
    noun: &str,
    list: &str,
    words: Vec<String>,
) -> Result<(String, Vec<String>), Fault> {
    match take_item(verb, words)? {
        (Some(item), rest) => Ok((item, rest)),
        (None, _) => {
            Err(Fault::usage(format!("which {noun}?"))
                .next(format!("List them: {}", line_with(place, list, ""))))
        }
    }
}

/// Whether a word looks like an option.
pub fn is_option(word: &str) -> bool {
    word.starts_with("--") && word.len() > 2
        || word
            .strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_alphabetic()))
}

/// The error for an option that a command doesn't have.
pub fn unknown_option(verb: Verb, option: &str) -> Fault {
    let typed = option.split('=').next().unwrap_or(option);
    let command = Cli::command();
    let known = command.find_subcommand(verb.name).into_iter().flat_map(clap::Command::get_arguments);
    let names: Vec<String> = known
        .chain(command.get_arguments())
        .filter_map(|argument| argument.get_long().map(|name| format!("--{name}")))
        .collect();
    let near = nearest(typed, names.iter().map(String::as_str));
    let next = near.map_or_else(
        || format!("See mooring {} --help. Options of a server’s command stand behind --.", verb.name),
        |near| format!("Did you mean {near}?"),
    );
    Fault::usage(format!("mooring {} has no option {typed}", verb.name)).next(next)
}

fn line_of(words: &[String]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// Whether a word is a program on this computer.
fn is_program(word: &str) -> bool {
    if word.contains(std::path::is_separator) {
        return std::path::Path::new(word).is_file();
    }
    let Some(path) = std::env::var_os("PATH") else { return false };
    let names = if cfg!(windows) {
        vec![format!("{word}.exe"), format!("{word}.cmd")]
    } else {
        vec![word.to_owned()]
    };
    std::env::split_paths(&path).any(|folder| names.iter().any(|name| is_executable(&folder.join(name))))
}

fn is_executable(path: &std::path::Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.is_file()
}
