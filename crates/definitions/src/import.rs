//! Servers from the configuration files of other applications: the good entries, and for every bad one
//! the reason and the place.
//!
//! Read are `mcpServers` (Claude Desktop, Cursor, Windsurf and most others), `servers` and `mcp.servers`
//! (VS Code), `context_servers` (Zed), `mcp` (`OpenCode`), `mcp_servers` (Codex), `extensions` (Goose), projects of
//! Claude Code, a bare `{name: {…}}`, a single server, and commands such as `claude mcp add …`. JSON, TOML and YAML
//! become the same values with their places; what follows is one for all. A pasted text is only ever copied: no file
//! of another application is read or watched.

mod add_command;
mod entry;
mod foreign;
mod jsonc;
mod members;
mod notes;
mod placeholder;
mod sections;
mod text;
mod toml;
mod yaml;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use mooring_base::credentials::looks_secret;
use mooring_words::{Sentence, say};
use secrecy::SecretString;
use serde::Serialize;
use ts_rs::TS;

use self::jsonc::{LineIndex, Mistake, ParsedText};
use self::sections::{Candidate, candidates};
use crate::server::{NewServer, ServerSecret};
use mooring_store::SecretPlace;

/// The largest text that is read, in bytes.
pub const MAX_IMPORT_BYTES: usize = 4 * 1024 * 1024;

/// What a pasted configuration contains.
#[derive(Debug, Clone, Default)]
pub struct ImportReport {
    /// Every entry, good or bad, in the order of the text.
    pub entries: Vec<ImportEntry>,
    /// The first place where the text is not what its format allows. Entries that could still be read are kept.
    pub error: Option<Problem>,
    /// Why nothing can be encrypted, where something should be: it stays in plain text.
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
    /// Remarks: what was read differently from how it is written, what is ignored, and what to watch for. Variables
    /// and headers with placeholders are among the server's secrets instead, to be entered.
    pub notes: Vec<Sentence>,
    /// A note is about something that the server needs to start.
    pub incomplete: bool,
    /// Names of variables and headers that look secret: their values are encrypted, unless
    /// [`ImportReport::stays_plain`] says why not.
    pub secrets: Vec<String>,
}

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "ImportError")]
pub struct Problem {
    /// A message and the byte it is about.
    pub message: Sentence,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, counted in characters.
    pub column: usize,
}

/// A reason and the byte it stands at.
type EntryError = Mistake;

/// Reads a configuration. `exists` tells whether a name is taken.
pub fn read_config(text: &str, exists: impl Fn(&str) -> bool) -> ImportReport {
    read_config_with_home(text, std::env::home_dir().as_deref(), exists)
}

fn read_config_with_home(text: &str, home: Option<&Path>, exists: impl Fn(&str) -> bool) -> ImportReport {
    let mut places = LineIndex::new(text);
    if text.len() > MAX_IMPORT_BYTES {
        let message = say!("the text is larger than {limit} MiB", limit = MAX_IMPORT_BYTES / (1024 * 1024));
        let error = Some(Problem { message, line: 1, column: 1 });
        return ImportReport { error, ..ImportReport::default() };
    }
    let ParsedText { roots, mistakes, remarks } = text::parse(text);
    if let Some((at, message)) = foreign::describe_foreign(&roots) {
        let error = Some(to_problem(entry_error(at, message), &mut places));
        return ImportReport { error, ..ImportReport::default() };
    }

    let mut entries: Vec<ImportEntry> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for mut candidate in candidates(&roots) {
        let inside = mistakes.partition_point(|mistake| mistake.at < candidate.start);
        let inside = mistakes.get(inside).filter(|mistake| mistake.at < candidate.end);
        if let (true, Some(within)) = (seen.contains_key(&candidate.name), candidate.parent) {
            candidate.name = format!("{} ({within})", candidate.name);
        }
        let first_line = seen.get(&candidate.name).copied();
        let line = places.line_column(candidate.start).0;
        let read = match (inside, first_line) {
            (Some(mistake), _) => Err(mistake.clone()),
            (None, Some(line)) => Err(entry_error(
                candidate.start,
                say!("this name appears twice; it was first used on line {line}", line),
            )),
            (None, None) => entry::read_server(&candidate, home),
        };
        seen.entry(candidate.name.clone()).or_insert(line);
        let exists = exists(&candidate.name);
        let off = entry::is_disabled(candidate.node);
        let entry = match read {
            Ok(entry::ImportedServer { server, notes, incomplete }) => {
                let secrets = secret_names(&server);
                let notes = remarks_within(&remarks, &candidate).chain(notes).collect();
                ImportEntry {
                    name: candidate.name,
                    server: Ok(server),
                    exists,
                    off,
                    notes,
                    incomplete,
                    secrets,
                }
            }
            Err(bad) => {
                let server = Err(to_problem(bad, &mut places));
                let (notes, secrets) = (Vec::new(), Vec::new());
                ImportEntry { name: candidate.name, server, exists, off, notes, incomplete: false, secrets }
            }
        };
        entries.push(entry);
    }

    if entries.is_empty()
        && let Some(message) = text::describe_other_format(text)
    {
        let error = Some(Problem { message, line: 1, column: 1 });
        return ImportReport { error, ..ImportReport::default() };
    }
    let mut error = mistakes.into_iter().next();
    if error.is_none() && entries.is_empty() {
        error = Some(entry_error(
            roots.first().map_or(0, |root| root.start),
            say!("no servers here: expected an object with mcpServers, servers or context_servers"),
        ));
    }
    ImportReport { entries, error: error.map(|bad| to_problem(bad, &mut places)), stays_plain: None }
}

/// What was said of the text between a candidate's start and end.
fn remarks_within(remarks: &[Mistake], candidate: &Candidate<'_>) -> impl Iterator<Item = Sentence> {
    let range = candidate.start..candidate.end;
    remarks.iter().filter(move |remark| range.contains(&remark.at)).map(|remark| remark.message.clone())
}

fn to_problem(bad: EntryError, places: &mut LineIndex<'_>) -> Problem {
    let (line, column) = places.line_column(bad.at);
    Problem { message: bad.message, line, column }
}

/// The names of a server's plain values that look secret.
fn secret_names(server: &NewServer) -> Vec<String> {
    let secret = |(name, value): &(&String, &String)| looks_secret(name) && !value.trim().is_empty();
    server.env.iter().chain(&server.headers).filter(secret).map(|(name, _)| name.clone()).collect()
}

/// The server with its plain values that look secret among those to be sealed.
pub fn move_secrets(mut server: NewServer) -> NewServer {
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

fn entry_error(at: usize, message: Sentence) -> EntryError {
    EntryError { at, message }
}

fn missing_member(name: &str) -> Sentence {
    say!("{name} is missing", name)
}

/// A short name for a command: of a program that runs packages or scripts, the package's or script's.
pub fn command_name(command: &str, args: &[String]) -> String {
    let runners = ["npx", "uvx", "bunx", "pnpx", "node", "python", "python3", "docker", "uv", "deno"];
    let program = last_part(command).trim_end_matches(".exe").trim_end_matches(".cmd");
    let package = args.iter().find(|argument| !argument.starts_with('-'));
    let package = package.filter(|_| runners.contains(&program)).map(|package| last_part(package));
    package.filter(|package| !package.is_empty()).unwrap_or(program).to_owned()
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests;
