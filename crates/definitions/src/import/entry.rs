//! Converts an entry of a configuration into a server.

use std::collections::BTreeMap;
use std::time::Duration;

use mooring_base::command_line::ParsedCommand;
use mooring_base::credentials::looks_secret;
use mooring_words::{Sentence, say};

use super::folders::Folders;
use super::members::{
    ARGS, BEARER, BEARER_VARIABLE, COMMAND, CWD, DISABLED, ENABLED, ENV, ENV_HEADERS, ENV_NAMES, HEADERS,
    NAME, REQUEST_OPTIONS, TIMEOUT, TYPE, URL, canonical, find_member, has_member, scalar_text, texts,
};
use super::node::{Node, Value};
use super::placeholder::find_placeholder;
use super::sections::Candidate;
use super::template::{TemplateValue, find_unknown, has_values, sample_url};
use super::{EntryError, entry_error, missing_member};
use crate::Transport;
use crate::server::NewServer;
use mooring_store::SecretPlace;

/// A server with notes on its entry.
pub(super) struct ImportedServer {
    /// The server. Its arguments, URL and folder can have placeholders.
    pub(super) server: NewServer,
    /// Its variables and headers whose values are entered.
    pub(super) values: Vec<TemplateValue>,
    pub(super) notes: Vec<Sentence>,
    /// Whether the server lacks something that it needs to start.
    pub(super) incomplete: bool,
}

impl ImportedServer {
    fn new(name: &str, transport: Transport) -> Self {
        let server = NewServer::new(name, transport);
        Self { server, values: Vec::new(), notes: Vec::new(), incomplete: false }
    }

    fn mark_incomplete(&mut self, what: Sentence) {
        self.notes.push(what);
        self.incomplete = true;
    }

    /// Adds a variable or header whose value the person enters, unless there is one.
    fn require_value(&mut self, place: SecretPlace, name: String, text: Option<String>) {
        if !self.plain(place).contains_key(&name) && self.values.iter().all(|value| value.name != name) {
            self.values.push(TemplateValue { place, name, text });
        }
    }

    /// Adds a variable or header with its value. One that may be a secret and is empty, or whose placeholders can't
    /// be filled, is entered as a whole.
    fn add_value(&mut self, place: SecretPlace, name: String, text: String) {
        if find_unknown(&text).is_some() {
            self.require_value(place, name, None);
        } else if has_values(&text) {
            self.require_value(place, name, Some(text));
        } else {
            if text.trim().is_empty() && looks_secret(&name) {
                self.require_value(place, name.clone(), None);
            }
            self.plain(place).insert(name, text);
        }
    }

    fn plain(&mut self, place: SecretPlace) -> &mut BTreeMap<String, String> {
        match place {
            SecretPlace::Env => &mut self.server.env,
            SecretPlace::Header => &mut self.server.headers,
        }
    }
}

/// The server in an entry. A leading `~` is replaced by the home folder.
pub(super) fn read_server(
    candidate: &Candidate<'_>,
    folders: &Folders,
) -> Result<ImportedServer, EntryError> {
    let node = candidate.node;
    if node.members().is_none() {
        return Err(entry_error(
            node.start,
            say!("a server must be an object, but this is {kind}", kind = node.kind()),
        ));
    }
    let name = candidate.name.trim();
    if name.is_empty() {
        return Err(entry_error(candidate.start, say!("the name is empty")));
    }
    let (command, url) = (find_member(node, &COMMAND), find_member(node, &URL));
    let mut entry = match (command, url, declared_http(node)?) {
        (Some(command), _, Some(false) | None) => stdio(name, node, command, folders)?,
        (_, Some(url), Some(true)) | (None, Some(url), None) => http(name, node, url, folders)?,
        (_, _, Some(true)) => return Err(entry_error(node.start, missing_member("url"))),
        (_, _, Some(false)) => return Err(entry_error(node.start, missing_member("command"))),
        (None, None, None) => return Err(entry_error(node.start, why_no_server(node))),
    };
    entry.server.timeout = read_timeout(node);
    Ok(entry)
}

/// Why an entry with neither a command nor a URL is not a server.
fn why_no_server(node: &Node) -> Sentence {
    let member = |name: &str| node.member(name);
    let is_switch = |name: &str| {
        let name = canonical(name);
        DISABLED.contains(&name.as_str())
            || ENABLED.contains(&name.as_str())
            || TIMEOUT.contains(&name.as_str())
    };
    let members = node.members().unwrap_or_default();
    if member("source").and_then(Node::text) == Some("extension") || member("settings").is_some() {
        say!("an extension of Zed starts this server: the text doesn’t say how")
    } else if !members.is_empty() && members.iter().all(|member| is_switch(&member.name)) {
        say!("this only turns a server on or off that is described elsewhere")
    } else if has_member(node, &COMMAND) && !has_member(node, &URL) {
        say!("the command is empty")
    } else {
        say!("command and url are both missing")
    }
}

/// Whether the entry is disabled.
pub(super) fn is_disabled(node: &Node) -> bool {
    let says =
        |names: &[&str], off| find_member(node, names).is_some_and(|node| node.value == Value::Bool(off));
    says(&DISABLED, true) || says(&ENABLED, false)
}

/// Whether `type` or `transport` says that the server uses HTTP, if there is such a member.
fn declared_http(node: &Node) -> Result<Option<bool>, EntryError> {
    let named = |name: &&str| find_member(node, &[*name]).filter(|found| found.members().is_none());
    let Some(found) = TYPE.iter().find_map(named) else { return Ok(None) };
    match canonical(required_text(found, "type")?).as_str() {
        "stdio" | "local" | "command" | "process" => Ok(Some(false)),
        "http" | "https" | "streamable" | "streamablehttp" | "httpstream" | "sse" | "remote" | "url"
        | "mcp" => Ok(Some(true)),
        "builtin" | "platform" | "frontend" => {
            Err(entry_error(found.start, say!("this is built into the other application and can’t run here")))
        }
        _ => {
            Err(entry_error(found.start, say!("unknown type: {kind}", kind = required_text(found, "type")?)))
        }
    }
}

fn required_text<'a>(node: &'a Node, name: &str) -> Result<&'a str, EntryError> {
    node.text().ok_or_else(|| {
        entry_error(node.start, say!("{name} must be a string, but this is {kind}", name, kind = node.kind()))
    })
}

/// Fails if the text contains a placeholder that can't be filled, such as `$NAME`.
fn reject_placeholder(node: &Node, name: &str, text: &str) -> Result<(), EntryError> {
    match find_unknown(text) {
        None => Ok(()),
        Some(placeholder) => Err(entry_error(
            node.start,
            say!("{name} contains {placeholder}: replace it with its value", name, placeholder),
        )),
    }
}

fn stdio(name: &str, node: &Node, command: &Node, folders: &Folders) -> Result<ImportedServer, EntryError> {
    let mut entry = ImportedServer::new(name, Transport::Stdio);
    // Zed used to put path, args and env into `command`. In OpenCode it is a list.
    let (program, mut args, holder) = match &command.value {
        Value::Object(_) => {
            let path = find_member(command, &["path"])
                .or_else(|| find_member(command, &COMMAND))
                .ok_or_else(|| entry_error(command.start, missing_member("command.path")))?;
            (required_text(path, "path")?.to_owned(), Vec::new(), command)
        }
        Value::Array(_) => {
            let mut words = texts(command, "command")?.into_iter();
            let program =
                words.next().ok_or_else(|| entry_error(command.start, say!("the command is empty")))?;
            (program, words.collect(), node)
        }
        _ => (required_text(command, "command")?.to_owned(), Vec::new(), node),
    };
    if let Some(more) = find_member(holder, &ARGS) {
        args.extend(texts(more, "args")?);
    }
    let mut program = program.trim().to_owned();
    match ParsedCommand::read(&program, &args, None) {
        ParsedCommand::Program => {}
        ParsedCommand::Line(first, rest) => {
            entry.notes.push(say!("the command line is split into its program and its arguments"));
            (program, args) = (first, rest);
        }
        ParsedCommand::Unclear => {
            entry.mark_incomplete(say!(
                "the program’s name contains spaces: its arguments belong in args: {command}",
                command = program.as_str()
            ));
        }
    }
    if program.is_empty() {
        return Err(entry_error(command.start, say!("the command is empty")));
    }
    program = folders.replace_in(&program);
    if let Some(placeholder) = find_placeholder(&program) {
        return Err(entry_error(
            command.start,
            say!(
                "the value of {placeholder} would decide which program runs: replace it with the program’s path",
                placeholder
            ),
        ));
    }
    for (index, argument) in args.iter_mut().enumerate() {
        *argument = folders.replace_in(argument);
        if let Some(path) = expand_home(argument, folders) {
            entry.notes.push(say!(
                "argument {number} becomes the full path {path}",
                number = index + 1,
                path = path.as_str()
            ));
            *argument = path;
        }
    }
    for (name, value) in
        find_member(holder, &ENV).map(|env| read_pairs(env, "env")).transpose()?.unwrap_or_default()
    {
        let Some(value) = value.map(|value| folders.replace_in(&value)) else {
            entry.require_value(SecretPlace::Env, name, None);
            continue;
        };
        let path = expand_home(&value, folders);
        if let Some(path) = &path {
            entry.notes.push(say!(
                "{name} becomes the full path {path}",
                name = name.as_str(),
                path = path.as_str()
            ));
        }
        entry.add_value(SecretPlace::Env, name, path.unwrap_or(value));
    }
    if let Some(Value::Array(names)) = find_member(holder, &ENV_NAMES).map(|names| &names.value) {
        // Codex has objects with a name and a source here, too.
        let named = names.iter().map(|name| find_member(name, &NAME).unwrap_or(name));
        for name in named.filter_map(Node::text).filter(|name| !name.contains('=')) {
            entry.require_value(SecretPlace::Env, name.to_owned(), None);
        }
    }
    if let Some(cwd) = find_member(node, &CWD) {
        let text = folders.replace_in(required_text(cwd, "cwd")?.trim());
        reject_placeholder(cwd, "cwd", &text)?;
        entry.server.cwd = Some(folders.expand_home(&text)).filter(|cwd| !cwd.is_empty());
    }
    entry.server.command = Some(folders.program(folders.expand_home(&program)));
    entry.server.cwd = folders.working_folder(entry.server.cwd);
    entry.server.args = args;
    Ok(entry)
}

/// Expands a leading `~`. `None` if there is nothing to expand.
fn expand_home(text: &str, folders: &Folders) -> Option<String> {
    let path = folders.expand_home(text);
    (path != text).then_some(path)
}

fn http(name: &str, node: &Node, url: &Node, folders: &Folders) -> Result<ImportedServer, EntryError> {
    let mut entry = ImportedServer::new(name, Transport::Http);
    let text = required_text(url, "url")?.trim();
    reject_placeholder(url, "url", text)?;
    crate::server::check_url(&sample_url(text)).map_err(|message| entry_error(url.start, message))?;
    entry.server.url = Some(text.to_owned());
    let options = find_member(node, &[REQUEST_OPTIONS]);
    for (name, value) in find_member(node, &HEADERS)
        .or_else(|| find_member(options?, &HEADERS))
        .map(|headers| read_pairs(headers, "headers"))
        .transpose()?
        .unwrap_or_default()
    {
        match value {
            Some(value) => entry.add_value(SecretPlace::Header, name, folders.replace_in(&value)),
            None => entry.require_value(SecretPlace::Header, name, None),
        }
    }
    if let Some(Value::Object(headers)) = find_member(node, &ENV_HEADERS).map(|headers| &headers.value) {
        for header in headers {
            let variable = header.node.text().map(|variable| format!("${{env:{variable}}}"));
            let text = variable.filter(|text| has_values(text));
            entry.require_value(SecretPlace::Header, header.name.clone(), text);
        }
    }
    let names = entry.server.headers.keys().chain(entry.values.iter().map(|value| &value.name));
    if names.map(String::as_str).all(|name| !name.eq_ignore_ascii_case("authorization")) {
        let name = || "Authorization".to_owned();
        let token = find_member(node, &BEARER).and_then(Node::text).map(str::trim);
        if let Some(token) = token {
            entry.add_value(SecretPlace::Header, name(), format!("Bearer {token}"));
        } else if let Some(variable) = find_member(node, &BEARER_VARIABLE).and_then(Node::text) {
            let text = format!("Bearer ${{env:{variable}}}");
            entry.require_value(SecretPlace::Header, name(), Some(text).filter(|text| has_values(text)));
        }
    }
    Ok(entry)
}

/// How long a request may be silent. Some applications use seconds, others milliseconds.
fn read_timeout(node: &Node) -> Option<Duration> {
    let (name, found) = TIMEOUT.iter().find_map(|name| Some((name, find_member(node, &[*name])?)))?;
    let number: f64 = match &found.value {
        Value::Number(text) | Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    // Cline offers up to an hour in seconds. Gemini, OpenCode and others write thousands of milliseconds.
    let is_thousands = number >= 1_000.0 && number % 1_000.0 == 0.0;
    let seconds = match *name {
        name if name.ends_with("ms") => number / 1_000.0,
        name if name.ends_with("sec") => number,
        _ if number > 3_600.0 || is_thousands => number / 1_000.0,
        _ => number,
    };
    (1.0..=86_400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// Names and values: an object, or a list of `NAME=VALUE`, of names, or of objects with `name` and `value`.
/// Numbers and booleans become strings as they are written, null is skipped, and a name alone has no value.
fn read_pairs(node: &Node, name: &str) -> Result<Vec<(String, Option<String>)>, EntryError> {
    if let Value::Array(items) = &node.value {
        return items.iter().map(read_pair).collect();
    }
    let members = node.members().ok_or_else(|| {
        entry_error(
            node.start,
            say!("{name} must be an object, but this is {kind}", name, kind = node.kind()),
        )
    })?;
    members
        .iter()
        .filter(|member| member.node.value != Value::Null)
        .map(|member| Ok((member.name.clone(), Some(scalar_text(&member.node, &member.name)?))))
        .collect()
}

fn read_pair(item: &Node) -> Result<(String, Option<String>), EntryError> {
    if let Some(text) = item.text() {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        return Ok((name.trim().to_owned(), value.map(str::to_owned)));
    }
    let name =
        find_member(item, &["name", "key"]).ok_or_else(|| entry_error(item.start, missing_member("name")))?;
    let value = find_member(item, &["value"]).map(|value| scalar_text(value, "value")).transpose()?;
    Ok((required_text(name, "name")?.to_owned(), value))
}
