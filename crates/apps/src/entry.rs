//! One entry: the server that an app gets, how each app writes it, and which entries are ours.

use crate::value::Value;

/// A stdio server for an app's file. It has neither variables nor secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What the app calls the server.
    pub name: String,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// How an app writes the entry of a stdio server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryForm {
    /// `command` and `args`.
    Plain,
    /// The same after `type: stdio`.
    Stdio,
    /// The same after `source: custom` (Zed).
    Custom,
    /// The same, with which `tools` may be used: all (Copilot CLI).
    Tools,
    /// The same, with `env` and `active` (Jan).
    Active,
    /// The same after `name`, as an item of a list (Continue).
    Named,
    /// `cmd` and `args` with what else an extension has (Goose).
    Extension,
    /// `command` is the whole line (`OpenCode`), and `enabled` is said.
    CommandArray,
    /// `command` is the whole line (`OpenCode` 2).
    CommandArrayAlone,
}

/// The members that hold what is started.
const COMMAND_MEMBERS: [&str; 3] = ["command", "cmd", "args"];
/// How long Goose waits for an answer, in seconds: its own default.
const GOOSE_TIMEOUT: &str = "300";

impl EntryForm {
    /// The entry as this app has it.
    pub(crate) fn value(self, entry: &Entry) -> Value {
        let list = |words: &[String]| Value::List(words.iter().map(Value::text).collect());
        let command = ("command", Value::text(&entry.command));
        let args = ("args", list(&entry.args));
        let line: Vec<String> = [&entry.command].into_iter().chain(&entry.args).cloned().collect();
        let members = match self {
            Self::Plain => vec![command, args],
            Self::Stdio => vec![("type", Value::text("stdio")), command, args],
            Self::Custom => vec![("source", Value::text("custom")), command, args],
            Self::Tools => {
                vec![("type", Value::text("local")), command, args, ("tools", list(&["*".to_owned()]))]
            }
            Self::Active => {
                vec![command, args, ("env", Value::Map(Vec::new())), ("active", Value::Bool(true))]
            }
            Self::Named => vec![("name", Value::text(&entry.name)), command, args],
            Self::Extension => vec![
                ("enabled", Value::Bool(true)),
                ("type", Value::text("stdio")),
                ("name", Value::text(&entry.name)),
                ("description", Value::text("MCP servers of Mooring")),
                ("cmd", Value::text(&entry.command)),
                args,
                ("timeout", Value::Other(GOOSE_TIMEOUT.to_owned())),
            ],
            Self::CommandArray => {
                vec![("type", Value::text("local")), ("command", list(&line)), ("enabled", Value::Bool(true))]
            }
            Self::CommandArrayAlone => vec![("type", Value::text("local")), ("command", list(&line))],
        };
        Value::Map(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

/// What a server starts: its program and arguments; none for a server at a URL.
pub(crate) fn read_command(server: &Value) -> Option<(String, Vec<String>)> {
    let texts = |value: &Value| -> Vec<String> {
        let Value::List(items) = value else { return Vec::new() };
        items.iter().filter_map(|item| item.as_text().map(str::to_owned)).collect()
    };
    let command = server.member("command").or_else(|| server.member("cmd"))?;
    if let Some(program) = command.as_text() {
        return Some((program.to_owned(), server.member("args").map(texts).unwrap_or_default()));
    }
    let mut line = texts(command).into_iter();
    Some((line.next()?, line.collect()))
}

/// Whether a server is Mooring's: its program is `mooring`, and it is started as a bridge.
pub(crate) fn is_ours(server: &Value) -> bool {
    read_command(server).is_some_and(|(command, args)| {
        let file = command.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
        file.strip_suffix(".exe").unwrap_or(&file) == "mooring" && args.iter().any(|arg| arg == "bridge")
    })
}

/// Whether a server starts what an entry starts.
pub(crate) fn starts_same(server: &Value, entry: &Entry) -> bool {
    read_command(server).is_some_and(|(command, args)| command == entry.command && args == entry.args)
}

/// The members in which a server has to change to start what `wanted` starts.
pub(crate) fn command_changes(server: &Value, wanted: &Value) -> Vec<(&'static str, Value)> {
    let differs = |name: &&'static str| {
        let value = wanted.member(name)?;
        (server.member(name) != Some(value)).then(|| (*name, value.clone()))
    };
    COMMAND_MEMBERS.iter().filter_map(differs).collect()
}
