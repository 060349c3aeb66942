//! One entry of a configuration as a server.

use std::path::Path;
use std::time::Duration;

use mooring_base::command_line::{CommandText, expanded_in};
use mooring_words::{Sentence, say};

use super::jsonc::{Node, Value};
use super::members::{
    ARGS, BEARER, BEARER_VARIABLE, COMMAND, CWD, ENV, ENV_HEADERS, ENV_NAMES, HEADERS, TIMEOUT, TURNED_OFF,
    TURNED_ON, TYPE, URL, canonical, find, has,
};
use super::sections::Candidate;
use super::stands_for::placeholder;
use super::{Bad, bad, missing, with_secrets};
use crate::server::{NewServer, SecretPlace, ServerSecret, Transport};

/// A server, and what of its entry is to be said.
pub(super) struct Entry {
    pub(super) server: NewServer,
    pub(super) notes: Vec<Sentence>,
    /// It would start without all it needs.
    pub(super) incomplete: bool,
}

impl Entry {
    fn new(name: &str, transport: Transport) -> Self {
        let server = NewServer::new(name, transport);
        Self { server, notes: Vec::new(), incomplete: false }
    }

    fn lacks(&mut self, what: Sentence) {
        self.notes.push(what);
        self.incomplete = true;
    }

    /// Leaves a value to be entered.
    fn leave_open(&mut self, place: SecretPlace, name: String) {
        let server = &self.server;
        let there = match place {
            SecretPlace::Env => &server.env,
            SecretPlace::Header => &server.headers,
        };
        if !there.contains_key(&name) && server.secrets.iter().all(|secret| secret.name != name) {
            self.server.secrets.push(ServerSecret { place, name, value: None, entered: false });
        }
    }
}

/// The server an entry describes. `home` is what a leading `~` stands for.
pub(super) fn read(candidate: &Candidate<'_>, home: Option<&Path>) -> Result<Entry, Bad> {
    let node = candidate.node;
    if node.members().is_none() {
        return Err(bad(
            node.start,
            say!("a server must be an object, but this is {kind}", kind = node.kind()),
        ));
    }
    let name = candidate.name.trim();
    if name.is_empty() {
        return Err(bad(candidate.start, say!("the name is empty")));
    }
    let (command, url) = (find(node, &COMMAND), find(node, &URL));
    let mut entry = match (command, url, wants_http(node)?) {
        (Some(command), _, Some(false) | None) => stdio(name, node, command, home)?,
        (_, Some(url), Some(true)) | (None, Some(url), None) => http(name, node, url)?,
        (_, _, Some(true)) => return Err(bad(node.start, missing("url"))),
        (_, _, Some(false)) => return Err(bad(node.start, missing("command"))),
        (None, None, None) => return Err(bad(node.start, describes_none(node))),
    };
    entry.server.timeout = timeout(node);
    super::notes::add(node, &mut entry);
    entry.server = entry.server.checked().map_err(|error| bad(node.start, error.message))?;
    // What can be saved as it is may still be what cannot be sealed.
    with_secrets(entry.server.clone()).checked().map_err(|error| bad(node.start, error.message))?;
    Ok(entry)
}

/// Why an entry with neither a command nor a URL describes no server.
fn describes_none(node: &Node) -> Sentence {
    let member = |name: &str| node.member(name);
    let is_switch = |name: &str| {
        let name = canonical(name);
        TURNED_OFF.contains(&name.as_str())
            || TURNED_ON.contains(&name.as_str())
            || TIMEOUT.contains(&name.as_str())
    };
    let members = node.members().unwrap_or_default();
    if member("source").and_then(Node::text) == Some("extension") || member("settings").is_some() {
        say!("an extension of Zed starts this server: the text does not say how")
    } else if !members.is_empty() && members.iter().all(|member| is_switch(&member.name)) {
        say!("this only turns a server on or off that is described elsewhere")
    } else if has(node, &COMMAND) && !has(node, &URL) {
        say!("the command is empty")
    } else {
        say!("neither command nor url is there")
    }
}

/// Whether an entry is turned off.
pub(super) fn is_off(node: &Node) -> bool {
    let says = |names: &[&str], off| find(node, names).is_some_and(|node| node.value == Value::Bool(off));
    says(&TURNED_OFF, true) || says(&TURNED_ON, false)
}

/// What `type` or `transport` says, if one is there.
fn wants_http(node: &Node) -> Result<Option<bool>, Bad> {
    let named = |name: &&str| find(node, &[*name]).filter(|found| found.members().is_none());
    let Some(found) = TYPE.iter().find_map(named) else { return Ok(None) };
    match canonical(text_of(found, "type")?).as_str() {
        "stdio" | "local" | "command" | "process" => Ok(Some(false)),
        "http" | "https" | "streamable" | "streamablehttp" | "httpstream" | "sse" | "remote" | "url"
        | "mcp" => Ok(Some(true)),
        _ => Err(bad(found.start, say!("unknown type: {kind}", kind = text_of(found, "type")?))),
    }
}

fn text_of<'a>(node: &'a Node, name: &str) -> Result<&'a str, Bad> {
    node.text().ok_or_else(|| {
        bad(node.start, say!("{name} must be a text, but this is {kind}", name, kind = node.kind()))
    })
}

/// Refuses what would be looked for under a name that only stands for another.
fn written_out<'a>(node: &Node, name: &str, text: &'a str) -> Result<&'a str, Bad> {
    match placeholder(text) {
        None => Ok(text),
        Some(placeholder) => Err(bad(
            node.start,
            say!("{name} holds {placeholder}: write what it stands for in its place", name, placeholder),
        )),
    }
}

fn stdio(name: &str, node: &Node, command: &Node, home: Option<&Path>) -> Result<Entry, Bad> {
    let mut entry = Entry::new(name, Transport::Stdio);
    // Zed used to put path, args and env into `command`; OpenCode makes it a list.
    let (program, mut args, holder) = match &command.value {
        Value::Object(_) => {
            let path = find(command, &["path"])
                .or_else(|| find(command, &COMMAND))
                .ok_or_else(|| bad(command.start, missing("command.path")))?;
            (text_of(path, "path")?.to_owned(), Vec::new(), command)
        }
        Value::Array(_) => {
            let mut words = texts(command, "command")?.into_iter();
            let program = words.next().ok_or_else(|| bad(command.start, say!("the command is empty")))?;
            (program, words.collect(), node)
        }
        _ => (text_of(command, "command")?.to_owned(), Vec::new(), node),
    };
    if let Some(more) = find(holder, &ARGS) {
        args.extend(texts(more, "args")?);
    }
    let mut program = program.trim().to_owned();
    match CommandText::read(&program, &args, None) {
        CommandText::Program => {}
        CommandText::Line(first, rest) => {
            entry.notes.push(say!("the command line is split into its program and its arguments"));
            (program, args) = (first, rest);
        }
        CommandText::Unclear => {
            entry.lacks(say!(
                "the program's name holds spaces: its arguments belong into args: {command}",
                command = program.as_str()
            ));
        }
    }
    if program.is_empty() {
        return Err(bad(command.start, say!("the command is empty")));
    }
    written_out(command, "command", &program)?;
    for (index, argument) in args.iter_mut().enumerate() {
        if let Some(path) = at_home(argument, home) {
            entry.notes.push(say!(
                "argument {number} is written out: {path}",
                number = index + 1,
                path = path.as_str()
            ));
            *argument = path;
        }
    }
    for (name, value) in find(holder, &ENV).map(|env| pairs(env, "env")).transpose()?.unwrap_or_default() {
        match value {
            Some(value) if placeholder(&value).is_none() => {
                let path = at_home(&value, home);
                if let Some(path) = &path {
                    entry.notes.push(say!(
                        "{name} is written out: {path}",
                        name = name.as_str(),
                        path = path.as_str()
                    ));
                }
                entry.server.env.insert(name, path.unwrap_or(value));
            }
            _ => entry.leave_open(SecretPlace::Env, name),
        }
    }
    if let Some(Value::Array(names)) = find(holder, &ENV_NAMES).map(|names| &names.value) {
        for name in names.iter().filter_map(Node::text).filter(|name| !name.contains('=')) {
            entry.leave_open(SecretPlace::Env, name.to_owned());
        }
    }
    let cwd = find(node, &CWD).map(|cwd| written_out(cwd, "cwd", text_of(cwd, "cwd")?)).transpose()?;
    entry.server.command = Some(expanded_in(&program, home));
    entry.server.args = args;
    entry.server.cwd = cwd.map(|cwd| expanded_in(cwd.trim(), home));
    Ok(entry)
}

/// A path that begins with `~`, in full.
fn at_home(text: &str, home: Option<&Path>) -> Option<String> {
    let path = expanded_in(text, home);
    (path != text).then_some(path)
}

fn http(name: &str, node: &Node, url: &Node) -> Result<Entry, Bad> {
    let mut entry = Entry::new(name, Transport::Http);
    let text = written_out(url, "url", text_of(url, "url")?)?.trim();
    crate::server::check_url(text).map_err(|message| bad(url.start, message))?;
    entry.server.url = Some(text.to_owned());
    for (name, value) in
        find(node, &HEADERS).map(|headers| pairs(headers, "headers")).transpose()?.unwrap_or_default()
    {
        match value.filter(|value| placeholder(value).is_none()) {
            Some(value) => {
                entry.server.headers.insert(name, value);
            }
            None => entry.leave_open(SecretPlace::Header, name),
        }
    }
    if let Some(Value::Object(headers)) = find(node, &ENV_HEADERS).map(|headers| &headers.value) {
        for header in headers {
            entry.leave_open(SecretPlace::Header, header.name.clone());
        }
    }
    let has_authorization = |server: &NewServer| {
        let mut names = server.headers.keys().chain(server.secrets.iter().map(|secret| &secret.name));
        names.any(|name| name.eq_ignore_ascii_case("authorization"))
    };
    if !has_authorization(&entry.server) {
        let name = || "Authorization".to_owned();
        let token = find(node, &BEARER).and_then(Node::text).map(str::trim);
        if let Some(token) = token.filter(|token| placeholder(token).is_none()) {
            entry.server.headers.insert(name(), format!("Bearer {token}"));
        } else if let Some(variable) = find(node, &BEARER_VARIABLE).and_then(Node::text).or(token) {
            entry.notes.push(say!(
                "enter Authorization as Bearer, a space and what {variable} stands for",
                variable
            ));
            entry.leave_open(SecretPlace::Header, name());
        }
    }
    Ok(entry)
}

/// How long a request may be silent. Some applications count in seconds, others in milliseconds.
fn timeout(node: &Node) -> Option<Duration> {
    let (name, found) = TIMEOUT.iter().find_map(|name| Some((name, find(node, &[*name])?)))?;
    let number: f64 = match &found.value {
        Value::Number(text) | Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    // Cline offers up to an hour in seconds; Gemini, OpenCode and others write thousands of milliseconds.
    let is_thousands = number >= 1_000.0 && number % 1_000.0 == 0.0;
    let seconds = match *name {
        name if name.ends_with("ms") => number / 1_000.0,
        name if name.ends_with("sec") => number,
        _ if number > 3_600.0 || is_thousands => number / 1_000.0,
        _ => number,
    };
    (1.0..=86_400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// A list of texts; numbers and booleans are taken as they are written.
pub(super) fn texts(node: &Node, name: &str) -> Result<Vec<String>, Bad> {
    let Value::Array(items) = &node.value else {
        return Err(bad(
            node.start,
            say!("{name} must be a list, but this is {kind}", name, kind = node.kind()),
        ));
    };
    items.iter().map(|item| scalar(item, name)).collect()
}

/// Names and values: an object, or a list of `NAME=VALUE`, of names, or of objects with `name` and `value`. Numbers and
/// booleans are taken as they are written, null is left out, and a name alone has no value.
fn pairs(node: &Node, name: &str) -> Result<Vec<(String, Option<String>)>, Bad> {
    if let Value::Array(items) = &node.value {
        return items.iter().map(pair).collect();
    }
    let members = node.members().ok_or_else(|| {
        bad(node.start, say!("{name} must be an object, but this is {kind}", name, kind = node.kind()))
    })?;
    members
        .iter()
        .filter(|member| member.node.value != Value::Null)
        .map(|member| Ok((member.name.clone(), Some(scalar(&member.node, &member.name)?))))
        .collect()
}

fn pair(item: &Node) -> Result<(String, Option<String>), Bad> {
    if let Some(text) = item.text() {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        return Ok((name.trim().to_owned(), value.map(str::to_owned)));
    }
    let name = find(item, &["name", "key"]).ok_or_else(|| bad(item.start, missing("name")))?;
    let value = find(item, &["value"]).map(|value| scalar(value, "value")).transpose()?;
    Ok((text_of(name, "name")?.to_owned(), value))
}

fn scalar(node: &Node, name: &str) -> Result<String, Bad> {
    match &node.value {
        Value::String(text) | Value::Number(text) => Ok(text.clone()),
        Value::Bool(value) => Ok(value.to_string()),
        _ => Err(bad(
            node.start,
            say!("a text is needed in {name}, but this is {kind}", name, kind = node.kind()),
        )),
    }
}
