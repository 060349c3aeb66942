//! Servers from the configuration files of other applications: the good entries, and for every bad one
//! the reason and the place.
//!
//! Read are `mcpServers` (Claude Desktop, Cursor, Windsurf and most others), `servers` and `mcp.servers`
//! (VS Code), `context_servers` (Zed), a bare `{name: {…}}`, and a single server. A pasted text is only
//! ever copied: no file of another application is read or watched.

mod jsonc;

use std::collections::{BTreeMap, HashMap};

use mooring_words::{Sentence, say};
use secrecy::SecretString;

use self::jsonc::{Member, Mistake, Node, Places, Value};
use crate::credentials::looks_secret;
use crate::secrets::{SecretPlace, ServerSecret};
use crate::server::{EraOverride, NewServer, Transport};

/// The largest text that is read, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// What a pasted configuration contains.
#[derive(Debug, Clone, Default)]
pub struct ImportReport {
    /// Every entry, good or bad, in the order of the text.
    pub entries: Vec<ImportEntry>,
    /// The first place where the text is not JSON. Entries that could still be read are kept.
    pub error: Option<Problem>,
    /// Why nothing can be sealed, where something should be: it stays as it is in the text.
    pub stays_plain: Option<Sentence>,
}

/// One entry of a configuration.
#[derive(Debug, Clone)]
pub struct ImportEntry {
    /// Its name in the text.
    pub name: String,
    /// The server it describes, or why it describes none.
    pub server: Result<NewServer, Problem>,
    /// Whether a server of this name is saved already.
    pub exists: bool,
    /// Whether the text turns it off.
    pub off: bool,
    /// What the text leaves to the application it is from, and what becomes of it here. Variables and headers that stand
    /// for something are among the server's sealed values instead, to be entered.
    pub notes: Vec<Sentence>,
    /// The variables and headers whose names look secret: their values are sealed, unless
    /// [`ImportReport::stays_plain`] says why they are not.
    pub secrets: Vec<String>,
}

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, in plain words.
    pub message: Sentence,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, counted in characters.
    pub column: usize,
}

/// A reason and the byte it stands at.
type Bad = Mistake;

/// Reads a configuration. `exists` tells whether a name is taken.
pub(crate) fn read(text: &str, exists: impl Fn(&str) -> bool) -> ImportReport {
    let mut places = Places::new(text);
    if text.len() > MAX_BYTES {
        let message = say!("the text is larger than {limit} MiB", limit = MAX_BYTES / (1024 * 1024));
        let error = Some(Problem { message, line: 1, column: 1 });
        return ImportReport { error, ..ImportReport::default() };
    }
    let (root, mut mistakes) = jsonc::parse(text);
    mistakes.sort_by_key(|mistake| mistake.at);

    let mut entries: Vec<ImportEntry> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for candidate in candidates(&root) {
        let inside = mistakes.partition_point(|mistake| mistake.at < candidate.start);
        let inside = mistakes.get(inside).filter(|mistake| mistake.at < candidate.end);
        let first_line = seen.get(&candidate.name).copied();
        let line = places.of(candidate.start).0;
        let server = match (inside, first_line) {
            (Some(mistake), _) => Err(mistake.clone()),
            (None, Some(line)) => Err(bad(
                candidate.start,
                say!("this name stands twice; it was first used on line {line}", line),
            )),
            (None, None) => server(&candidate),
        };
        let notes = match &server {
            Ok(server) => notes(candidate.node, server),
            Err(_) => Vec::new(),
        };
        seen.entry(candidate.name.clone()).or_insert(line);
        let exists = exists(&candidate.name);
        let server = server.map_err(|bad| problem(bad, &mut places));
        let secrets = server.as_ref().map(secret_names).unwrap_or_default();
        let off = is_off(candidate.node);
        entries.push(ImportEntry { name: candidate.name, server, exists, off, notes, secrets });
    }

    let mut error = mistakes.into_iter().next();
    if error.is_none() && entries.is_empty() {
        error = Some(bad(
            root.start,
            say!("no servers here: expected an object with mcpServers, servers or context_servers"),
        ));
    }
    ImportReport { entries, error: error.map(|bad| problem(bad, &mut places)), stays_plain: None }
}

fn problem(bad: Bad, places: &mut Places<'_>) -> Problem {
    let (line, column) = places.of(bad.at);
    Problem { message: bad.message, line, column }
}

/// The names of a server's plain values that look secret.
fn secret_names(server: &NewServer) -> Vec<String> {
    let secret = |(name, value): &(&String, &String)| looks_secret(name) && !value.trim().is_empty();
    server.env.iter().chain(&server.headers).filter(secret).map(|(name, _)| name.clone()).collect()
}

/// The server with its plain values that look secret among those to be sealed.
pub(crate) fn with_secrets(mut server: NewServer) -> NewServer {
    let names = secret_names(&server);
    let mut take = |place, plain: &mut BTreeMap<String, String>| {
        for name in &names {
            if let Some(value) = plain.remove(name) {
                let value = Some(SecretString::from(value));
                server.secrets.push(ServerSecret { place, name: name.clone(), value, entered: false });
            }
        }
    };
    take(SecretPlace::Env, &mut server.env);
    take(SecretPlace::Header, &mut server.headers);
    server
}

fn bad(at: usize, message: Sentence) -> Bad {
    Bad { at, message }
}

fn missing(name: &str) -> Sentence {
    say!("{name} is missing", name)
}

/// Something that stands where a server should.
struct Candidate<'a> {
    name: String,
    node: &'a Node,
    /// From its name to its end.
    start: usize,
    end: usize,
}

impl<'a> Candidate<'a> {
    fn of_member(member: &'a Member) -> Self {
        let name = member.name.trim().to_owned();
        Self { name, node: &member.node, start: member.name_at, end: member.node.end }
    }

    fn unnamed(node: &'a Node) -> Self {
        Self { name: own_name(node), node, start: node.start, end: node.end }
    }
}

/// The entries of whichever known form the configuration has.
fn candidates(root: &Node) -> Vec<Candidate<'_>> {
    let places: [&[&str]; 5] =
        [&["mcpServers"], &["servers"], &["context_servers"], &["mcp", "servers"], &["mcp"]];
    for place in places {
        let found = place.iter().try_fold(root, |node, name| node.member(name));
        match found.map(|node| &node.value) {
            Some(Value::Object(members)) if place != ["mcp"] || members.iter().all(looks_like_server) => {
                return members.iter().map(Candidate::of_member).collect();
            }
            Some(Value::Array(items)) => return items.iter().map(Candidate::unnamed).collect(),
            _ => {}
        }
    }
    match &root.value {
        Value::Object(_) if is_server(root) => vec![Candidate::unnamed(root)],
        Value::Object(members) if members.iter().any(looks_like_server) => {
            members.iter().map(Candidate::of_member).collect()
        }
        Value::Array(items) if items.iter().any(is_server) => items.iter().map(Candidate::unnamed).collect(),
        _ => Vec::new(),
    }
}

const URL_NAMES: [&str; 3] = ["url", "serverUrl", "httpUrl"];

fn is_server(node: &Node) -> bool {
    node.member("command").is_some() || URL_NAMES.iter().any(|name| node.member(name).is_some())
}

fn looks_like_server(member: &Member) -> bool {
    is_server(&member.node)
}

/// A short name for a command: of a program that runs packages or scripts, the package's or script's.
pub(crate) fn command_name(command: &str, args: &[String]) -> String {
    let runners = ["npx", "uvx", "bunx", "pnpx", "node", "python", "python3", "docker", "uv", "deno"];
    let program = last_part(command).trim_end_matches(".exe").trim_end_matches(".cmd");
    let package = args.iter().find(|argument| !argument.starts_with('-'));
    let package = package.filter(|_| runners.contains(&program)).map(|package| last_part(package));
    package.filter(|package| !package.is_empty()).unwrap_or(program).to_owned()
}

/// A name for a server that stands without one: its `name`, its program's or package's, or its host's.
fn own_name(node: &Node) -> String {
    let text = |name: &str| node.member(name).and_then(Node::text).filter(|text| !text.trim().is_empty());
    if let Some(name) = text("name") {
        return name.trim().to_owned();
    }
    if let Some(command) = text("command") {
        let args = node.member("args").and_then(|args| texts(args, "args").ok()).unwrap_or_default();
        return command_name(command, &args);
    }
    let host = URL_NAMES.iter().find_map(|name| text(name)).and_then(|url| url::Url::parse(url).ok());
    host.as_ref().and_then(url::Url::host_str).unwrap_or("server").to_owned()
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The server an entry describes.
fn server(candidate: &Candidate<'_>) -> Result<NewServer, Bad> {
    let node = candidate.node;
    if node.members().is_none() {
        return Err(bad(
            node.start,
            say!("a server must be an object, but this is {kind}", kind = node.kind()),
        ));
    }
    if candidate.name.trim().is_empty() {
        return Err(bad(candidate.start, say!("the name is empty")));
    }
    let name = candidate.name.trim().to_owned();
    let address = URL_NAMES.iter().find_map(|name| present(node, name));
    let command = present(node, "command");
    let server = match (command, address, wants_http(node)?) {
        (Some(command), _, Some(false) | None) => stdio(name, node, command)?,
        (_, Some(address), Some(true)) | (None, Some(address), None) => http(name, node, address)?,
        (_, _, Some(true)) => return Err(bad(node.start, missing("url"))),
        (_, _, Some(false)) => return Err(bad(node.start, missing("command"))),
        (None, None, None) => return Err(bad(node.start, say!("neither command nor url is there"))),
    };
    let server = leave_open(server).checked().map_err(|error| bad(node.start, error.sentence()))?;
    // What can be saved as it is may still be what cannot be sealed.
    with_secrets(server.clone()).checked().map_err(|error| bad(node.start, error.sentence()))?;
    Ok(server)
}

/// Whether an entry is turned off, as Cline and Windsurf say it, or Zed.
fn is_off(node: &Node) -> bool {
    let says = |name, off| node.member(name).is_some_and(|node| node.value == Value::Bool(off));
    says("disabled", true) || says("enabled", false)
}

/// What stands for something that the other application knows: `${input:key}`, `${env:X}`, `${X:-y}`, `{env:X}`.
fn placeholder(text: &str) -> Option<&str> {
    ["${", "{env:", "{file:"].iter().find_map(|opening| {
        let found = &text[text.find(opening)?..];
        Some(&found[..=found.find('}')?])
    })
}

/// The server with the variables and headers that only stand for a value among those that are to be entered: what they
/// stand for is not in the text.
fn leave_open(mut server: NewServer) -> NewServer {
    let mut open = |place, plain: &mut BTreeMap<String, String>| {
        for (name, _) in plain.extract_if(.., |_, value| placeholder(value).is_some()) {
            server.secrets.push(ServerSecret { place, name, value: None, entered: false });
        }
    };
    open(SecretPlace::Env, &mut server.env);
    open(SecretPlace::Header, &mut server.headers);
    server
}

/// What else of an entry is not filled in.
fn notes(node: &Node, server: &NewServer) -> Vec<Sentence> {
    let args = server.args.iter().enumerate().filter_map(|(index, text)| {
        let placeholder = placeholder(text)?;
        Some(say!(
            "argument {number} is passed on with {placeholder} as it stands",
            number = index + 1,
            placeholder
        ))
    });
    let file = node.member("envFile").and_then(Node::text).filter(|_| server.transport == Transport::Stdio);
    let file =
        file.map(|file| say!("the variables in {file} are not read: enter them in its settings", file));
    args.chain(file).collect()
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

/// A member that is there and not null.
fn present<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    node.member(name).filter(|node| node.value != Value::Null)
}

/// What `type` or `transport` says, if one is there.
fn wants_http(node: &Node) -> Result<Option<bool>, Bad> {
    let Some(node) = present(node, "type").or_else(|| present(node, "transport")) else { return Ok(None) };
    let word: String = text_of(node, "type")?
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|character| character.to_ascii_lowercase())
        .collect();
    match word.as_str() {
        "stdio" | "local" | "command" => Ok(Some(false)),
        "http" | "https" | "streamablehttp" | "sse" | "remote" => Ok(Some(true)),
        _ => Err(bad(node.start, say!("unknown type: {kind}", kind = text_of(node, "type")?))),
    }
}

fn text_of<'a>(node: &'a Node, name: &str) -> Result<&'a str, Bad> {
    node.text().ok_or_else(|| {
        bad(node.start, say!("{name} must be a text, but this is {kind}", name, kind = node.kind()))
    })
}

fn stdio(name: String, node: &Node, command: &Node) -> Result<NewServer, Bad> {
    // Zed used to put path, args and env into `command`; OpenCode makes it a list.
    let (program, mut args, holder) = match &command.value {
        Value::Object(_) => {
            let path = present(command, "path")
                .or_else(|| present(command, "command"))
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
    if program.trim().is_empty() {
        return Err(bad(command.start, say!("the command is empty")));
    }
    written_out(command, "command", &program)?;
    if let Some(more) = present(holder, "args") {
        args.extend(texts(more, "args")?);
    }
    let env = present(holder, "env").or_else(|| present(holder, "environment"));
    let cwd = present(node, "cwd").map(|cwd| written_out(cwd, "cwd", text_of(cwd, "cwd")?)).transpose()?;
    Ok(NewServer {
        name,
        transport: Transport::Stdio,
        command: Some(program.trim().to_owned()),
        args,
        env: env.map(|env| pairs(env, "env")).transpose()?.unwrap_or_default(),
        cwd: cwd.filter(|cwd| !cwd.trim().is_empty()).map(str::to_owned),
        url: None,
        headers: BTreeMap::new(),
        timeout: None,
        era: EraOverride::Auto,
        secrets: Vec::new(),
    })
}

fn http(name: String, node: &Node, address: &Node) -> Result<NewServer, Bad> {
    let url = written_out(address, "url", text_of(address, "url")?)?.trim();
    crate::server::check_url(url).map_err(|message| bad(address.start, message))?;
    let headers = present(node, "headers").map(|headers| pairs(headers, "headers")).transpose()?;
    Ok(NewServer {
        name,
        transport: Transport::Http,
        command: None,
        args: Vec::new(),
        env: BTreeMap::new(),
        cwd: None,
        url: Some(url.to_owned()),
        headers: headers.unwrap_or_default(),
        timeout: None,
        era: EraOverride::Auto,
        secrets: Vec::new(),
    })
}

/// A list of texts; numbers and booleans are taken as they are written.
fn texts(node: &Node, name: &str) -> Result<Vec<String>, Bad> {
    let Value::Array(items) = &node.value else {
        return Err(bad(
            node.start,
            say!("{name} must be a list, but this is {kind}", name, kind = node.kind()),
        ));
    };
    items.iter().map(|item| scalar(item, name)).collect()
}

/// An object of texts; numbers and booleans are taken as they are written, null is left out.
fn pairs(node: &Node, name: &str) -> Result<BTreeMap<String, String>, Bad> {
    let members = node.members().ok_or_else(|| {
        bad(node.start, say!("{name} must be an object, but this is {kind}", name, kind = node.kind()))
    })?;
    members
        .iter()
        .filter(|member| member.node.value != Value::Null)
        .map(|member| Ok((member.name.clone(), scalar(&member.node, &member.name)?)))
        .collect()
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

#[cfg(test)]
mod tests;
