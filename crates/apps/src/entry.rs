//! An entry: the server that starts Mooring for an app, the form in which each app has it, and how to
//! recognize our entries.

use std::fmt;

use mooring_app_key::{PREFIX, VARIABLE};

use crate::value::Value;

/// The name of Mooring's entry in an app's file.
pub(crate) const ENTRY_NAME: &str = "mooring";

/// The argument that makes Mooring's `AppImage` start the command line (`src-tauri/linux/AppRun`).
pub(crate) const IMAGE_PROGRAM: &str = "mooring";
/// Shown in place of the key, in the diff of a change that is not made yet.
pub(crate) const KEY_TO_COME: &str = "(made when you connect)";
/// Shown in place of a key.
const HIDDEN_KEY: &str = "mooring_key_…";
/// Shown in place of the value of a variable or header. Values of fewer bytes than `SHORTEST_SECRET` are
/// shown.
const HIDDEN_VALUE: &str = "••••••";
const SHORTEST_SECRET: usize = 6;

/// A stdio server for an app's file.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// The app's name for the server.
    pub name: String,
    /// The program to start.
    pub command: String,
    /// The program's arguments.
    pub args: Vec<String>,
    /// The key that proves the app's identity, as a variable in the bridge's environment.
    pub key: Option<String>,
    /// Names of the app's own servers to remove from the file, because the app now gets them through this
    /// entry.
    pub replaces: Vec<String>,
}

impl fmt::Debug for Entry {
    /// Leaves out the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, command, args, .. } = self;
        f.debug_struct("Entry")
            .field("name", name)
            .field("command", command)
            .field("args", args)
            .finish_non_exhaustive()
    }
}

/// The form of an app's entry for a stdio server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryForm {
    /// `command` and `args`.
    Plain,
    /// `type: stdio`, then `command` and `args`.
    Stdio,
    /// `source: custom`, then `command` and `args` (Zed).
    Custom,
    /// `type: local`, then `command`, `args`, and `tools`, which allows all tools (Copilot CLI).
    Tools,
    /// `command` and `args`, with `env` and `active` (Jan).
    Active,
    /// `name`, then `command` and `args`, as an item of a list (Continue).
    Named,
    /// `cmd` and `args`, with the other members of an extension (Goose).
    Extension,
    /// `command` is the whole command line, and `enabled` is set (`OpenCode`).
    CommandArray,
    /// `command` is the whole command line (`OpenCode` 2).
    CommandArrayAlone,
}

/// The members with the command line.
const COMMAND_MEMBERS: [&str; 3] = ["command", "cmd", "args"];
/// Goose's default timeout for a response, in seconds.
const GOOSE_TIMEOUT: &str = "300";

impl EntryForm {
    /// The entry in this form.
    pub(crate) fn to_value(self, entry: &Entry) -> Value {
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
        let mut members: Vec<_> = members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        if let Some(key) = &entry.key {
            let variables = Value::Map(vec![(VARIABLE.to_owned(), Value::text(key))]);
            members.retain(|(name, _)| name != self.variables_member());
            members.push((self.variables_member().to_owned(), variables));
        }
        Value::Map(members)
    }

    /// The name of the member with a server's environment variables.
    pub(crate) fn variables_member(self) -> &'static str {
        match self {
            Self::Extension => "envs",
            Self::CommandArray | Self::CommandArrayAlone => "environment",
            Self::Plain | Self::Stdio | Self::Custom | Self::Tools | Self::Active | Self::Named => "env",
        }
    }

    /// The variables of a server with this key added, replaced or removed. `None` if nothing changes.
    pub(crate) fn variables_with_key(self, server: &Value, key: Option<&str>) -> Option<Value> {
        if self.key_of(server) == key {
            return None;
        }
        let mut variables = server.member(self.variables_member()).cloned().unwrap_or(Value::Map(Vec::new()));
        let Value::Map(members) = &mut variables else { return None };
        let at = members.iter().position(|(name, _)| name == VARIABLE);
        match (at.and_then(|at| members.get_mut(at)), key) {
            (Some((_, value)), Some(key)) => *value = Value::text(key),
            (None, Some(key)) => members.push((VARIABLE.to_owned(), Value::text(key))),
            (_, None) => members.retain(|(name, _)| name != VARIABLE),
        }
        Some(variables)
    }

    /// The key in a server's variables.
    pub(crate) fn key_of(self, server: &Value) -> Option<&str> {
        server.member(self.variables_member())?.member(VARIABLE)?.as_text()
    }
}

/// A text with all keys hidden.
pub(crate) fn hide_keys(text: &str) -> String {
    let mut parts = text.split(PREFIX);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_of_key = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        shown.push_str(HIDDEN_KEY);
        shown.push_str(part.trim_start_matches(is_of_key));
    }
    shown
}

/// A text with the values of servers' variables and headers hidden, except for values that span lines.
pub(crate) fn hide_values(text: &str, servers: &[(&str, &Value)]) -> String {
    let mut values = Vec::new();
    let members = servers.iter().flat_map(|(_, server)| server.members());
    members.for_each(|(_, value)| collect_secret_texts(value, false, &mut values));
    // Values are also searched in JSON's spelling, and longer values are hidden first.
    let spelled = values.iter().map(|value| serde_json::Value::from(value.as_str()).to_string());
    let spelled: Vec<_> = spelled.map(|value| value.trim_matches('"').to_owned()).collect();
    values.extend(spelled);
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    values.iter().fold(text.to_owned(), |text, value| text.replace(value, HIDDEN_VALUE))
}

/// Collects the strings and numbers in the maps of a server.
fn collect_secret_texts(value: &Value, is_inside: bool, found: &mut Vec<String>) {
    match value {
        Value::Text(text) | Value::Other(text) if is_inside && text.len() >= SHORTEST_SECRET => {
            found.push(text.clone());
        }
        Value::Map(members) => {
            let others = members.iter().filter(|(name, _)| name != VARIABLE);
            others.for_each(|(_, value)| collect_secret_texts(value, true, found));
        }
        _ => {}
    }
}

/// The program and arguments that a server starts. `None` for a server at a URL.
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

/// Whether a server is Mooring's: its program is `mooring` or an `AppImage` that starts `mooring`, and it is
/// started as the bridge.
pub(crate) fn is_ours(server: &Value) -> bool {
    read_command(server).is_some_and(|(command, args)| {
        if args.iter().take(3).eq([IMAGE_PROGRAM, "bridge", "--app"]) {
            return true;
        }
        let file = command.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
        file.strip_suffix(".exe").unwrap_or(&file) == "mooring" && args.iter().any(|arg| arg == "bridge")
    })
}

/// Whether a server starts the same command line as an entry.
pub(crate) fn starts_same_command(server: &Value, entry: &Entry) -> bool {
    read_command(server).is_some_and(|(command, args)| command == entry.command && args == entry.args)
}

/// The members that must change so that a server starts the command line of `wanted`.
pub(crate) fn find_command_changes(server: &Value, wanted: &Value) -> Vec<(&'static str, Value)> {
    let differs = |name: &&'static str| {
        let value = wanted.member(name)?;
        (server.member(name) != Some(value)).then(|| (*name, value.clone()))
    };
    COMMAND_MEMBERS.iter().filter_map(differs).collect()
}
