//! Imports servers from configurations of other applications. Invalid entries are reported with the reason
//! and the place.
//!
//! Supported are `mcpServers` (Claude Desktop, Cursor, Windsurf and most others), `servers` and `mcp.servers`
//! (VS Code), `context_servers` (Zed), `mcp` (`OpenCode`), `mcp_servers` (Codex), `extensions` (Goose),
//! projects of Claude Code, a bare `{name: {…}}`, a single server, commands such as `claude mcp add …`, the links of
//! several apps, entries of an MCP registry, and a single line with a URL or a command.
//! JSON, TOML and YAML are parsed into the same values with positions, so that all later steps are shared.
//! Only pasted text is read: no file of another application is read or watched.

mod add_command;
mod entry;
mod filling;
mod folders;
mod foreign;
mod inputs;
mod jsonc;
mod links;
mod members;
mod node;
mod notes;
mod one_line;
mod placeholder;
mod placeholder_parts;
mod sections;
mod server_json;
mod template;
mod text;
mod toml;
mod yaml;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use mooring_base::credentials::looks_secret;
use mooring_policy::downloaded_package;
use mooring_words::{Sentence, say};
use secrecy::SecretString;
use serde::Serialize;
use ts_rs::TS;

use self::entry::ImportedServer;
use self::folders::Folders;
use self::inputs::DeclaredInputs;
pub use self::inputs::{ImportInput, ImportInputKind, ImportValue};
pub use self::links::{MAX_LINK_BYTES, is_link};
use self::node::{LineIndex, Mistake, ParsedText};
use self::sections::{Candidate, candidates};
use self::template::{ServerTemplate, sample_url};
use crate::server::{InvalidServer, NewServer, ServerSecret};
use mooring_store::SecretPlace;

/// Maximum number of bytes of a text that is imported.
pub const MAX_IMPORT_BYTES: usize = 4 * 1024 * 1024;

/// The content of a pasted configuration.
#[derive(Debug, Clone, Default)]
pub struct ImportReport {
    /// All entries, valid or not, in the order of the text.
    pub entries: Vec<ImportEntry>,
    /// The first syntax error. Entries that could be read anyway are included.
    pub error: Option<Problem>,
    /// Why secrets can't be encrypted, if there are any. They then stay in plain text.
    pub stays_plain: Option<Sentence>,
    /// What the text is, such as a link for an app or a command line.
    pub read_as: Option<Sentence>,
}

/// One entry of a configuration.
#[derive(Debug, Clone)]
pub struct ImportEntry {
    /// The entry's name in the text.
    pub name: String,
    /// The server, or why the entry is invalid. It has the defaults of `inputs`, and placeholders for the rest.
    pub server: Result<NewServer, Problem>,
    /// The values that the person is asked for.
    pub inputs: Vec<ImportInput>,
    template: Option<ServerTemplate>,
    /// Whether a server with this name is already saved.
    pub exists: bool,
    /// Whether the text disables the server.
    pub off: bool,
    /// Whether it is another way to run or reach the server of the entry before it.
    pub alternative: bool,
    /// Notes: what was read differently from how it is written, what is ignored, and warnings. Variables and
    /// headers with placeholders are not notes but secrets of the server whose value is missing.
    pub notes: Vec<Sentence>,
    /// Whether a note is about something that the server needs to start.
    pub incomplete: bool,
    /// Names of variables and headers that look secret. Their values are encrypted, unless
    /// [`ImportReport::stays_plain`] says why not.
    pub secrets: Vec<String>,
}

impl ImportEntry {
    fn new(name: String, server: Result<NewServer, Problem>) -> Self {
        Self {
            name,
            secrets: server.as_ref().map(secret_names).unwrap_or_default(),
            server,
            inputs: Vec::new(),
            template: None,
            exists: false,
            off: false,
            alternative: false,
            notes: Vec::new(),
            incomplete: false,
        }
    }

    /// An entry that wasn't read from a text, such as one of a bundle.
    pub fn asking(name: String, server: Result<NewServer, Problem>, inputs: Vec<ImportInput>) -> Self {
        Self { inputs, ..Self::new(name, server) }
    }

    /// Whether the entry has or asks for values that are encrypted.
    pub fn encrypts(&self) -> bool {
        !self.secrets.is_empty() || self.template.as_ref().is_some_and(ServerTemplate::encrypts)
    }

    /// What is wrong with a value for this entry.
    pub fn check_value(&self, value: &ImportValue) -> Option<Sentence> {
        if let Some(template) = &self.template {
            return template.check_value(value);
        }
        let input = self.inputs.iter().find(|input| input.key == value.key)?;
        let folders = Folders::of_person();
        input.read_values(value.text(), |path| folders.expand_home(path)).err()
    }

    /// The server with the values that the person entered for this entry. `encrypts` says whether values that
    /// only may be secrets can be encrypted. `None` if the entry is invalid.
    pub fn fill(&self, values: &[ImportValue], encrypts: bool) -> Option<Result<NewServer, InvalidServer>> {
        let own: Vec<&ImportValue> = values.iter().filter(|value| value.entry == self.name).collect();
        let named = |problem| say!("{name}: {problem}", name = self.name.as_str(), problem);
        let filled = self.template.as_ref()?.fill(&own, encrypts).map_err(named);
        Some(filled.map_err(|message| InvalidServer { field: "values", message }))
    }
}

impl ImportReport {
    /// The report with the person's values in the servers, and with what is wrong with them. Secrets are left out.
    #[must_use]
    pub fn with_values(mut self, values: &[ImportValue]) -> Self {
        for entry in &mut self.entries {
            let own: Vec<&ImportValue> = values.iter().filter(|value| value.entry == entry.name).collect();
            let Some(template) = entry.template.as_ref().filter(|_| !own.is_empty()) else { continue };
            // Values that are too long are refused when the server is saved.
            if let Ok((server, inputs)) = template.preview_with(&own) {
                (entry.server, entry.inputs) = (Ok(server), inputs);
            }
        }
        self
    }
}

/// An error and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "ImportError")]
pub struct Problem {
    /// What is wrong.
    pub message: Sentence,
    /// The line, starting at 1.
    pub line: usize,
    /// The column in characters, starting at 1.
    pub column: usize,
}

/// A message and the offset of its byte.
type EntryError = Mistake;

/// Reads a configuration. `exists` says whether a server with a name is saved.
pub fn read_config(text: &str, exists: impl Fn(&str) -> bool) -> ImportReport {
    read_config_in(text, &Folders::of_person(), exists)
}

/// Reads a configuration in the folder of a project. Apps start its local servers there, and
/// `${workspaceFolder}` is this folder.
pub fn read_project_config(text: &str, project: &Path, exists: impl Fn(&str) -> bool) -> ImportReport {
    let project = Some(project.to_owned());
    read_config_in(text, &Folders { project, ..Folders::of_person() }, exists)
}

fn read_config_in(text: &str, folders: &Folders, exists: impl Fn(&str) -> bool) -> ImportReport {
    let mut places = LineIndex::new(text);
    if text.len() > MAX_IMPORT_BYTES {
        let message = say!("the text is larger than {limit} MiB", limit = MAX_IMPORT_BYTES / (1024 * 1024));
        let error = Some(Problem { message, line: 1, column: 1 });
        return ImportReport { error, ..ImportReport::default() };
    }
    let ParsedText { roots, mistakes, remarks, read_as, alternatives } = text::parse(text);
    if let Some((at, message)) = foreign::describe_foreign(&roots) {
        let error = Some(to_problem(entry_error(at, message), &mut places));
        return ImportReport { error, ..ImportReport::default() };
    }

    let declared = DeclaredInputs::of_roots(&roots);
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
            (None, None) => read_entry(&candidate, folders, &declared),
        };
        seen.entry(candidate.name.clone()).or_insert(line);
        let exists = exists(&candidate.name);
        let off = entry::is_disabled(candidate.node);
        let alternative = alternatives.contains(&candidate.start);
        let (server, details) = match read {
            Ok((ImportedServer { server, notes, incomplete, .. }, template)) => {
                (Ok(server), Some((notes, incomplete, template)))
            }
            Err(bad) => (Err(to_problem(bad, &mut places)), None),
        };
        let mut entry = ImportEntry::new(candidate.name.clone(), server);
        (entry.exists, entry.off, entry.alternative) = (exists, off, alternative);
        if let Some((notes, incomplete, template)) = details {
            entry.notes = remarks_within(&remarks, &candidate).chain(notes).collect();
            entry.incomplete = incomplete;
            entry.inputs = template.inputs();
            entry.template = Some(template);
        }
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
    ImportReport { entries, error: error.map(|bad| to_problem(bad, &mut places)), stays_plain: None, read_as }
}

/// The server in an entry, with its notes, and as it was before its defaults were filled in.
fn read_entry(
    candidate: &Candidate<'_>,
    folders: &Folders,
    declared: &DeclaredInputs,
) -> Result<(ImportedServer, ServerTemplate), EntryError> {
    let mut entry = entry::read_server(candidate, folders)?;
    let bad = |message: Sentence| entry_error(candidate.node.start, message);
    let invalid = |error: InvalidServer| bad(error.message);
    let own = DeclaredInputs::of_entry(candidate.node);
    let describe = |key: &str| declared.find(key, &own);
    let values = std::mem::take(&mut entry.values);
    let template = ServerTemplate::new(entry.server, values, describe, folders).map_err(bad)?;
    entry.server = template.preview().map_err(bad)?;
    notes::add_notes(candidate.node, &mut entry, &template);
    // What is still a placeholder is neither a URL nor a folder.
    let (url, cwd) = (entry.server.url.take(), entry.server.cwd.take());
    let sample = NewServer {
        url: url.as_deref().map(sample_url),
        cwd: cwd.clone().filter(|cwd| !template::has_values(cwd)),
        ..entry.server
    };
    let valid = sample.validated().map_err(invalid)?;
    // Values that are valid in plain text may be invalid as secrets.
    move_secrets(valid.clone()).validated().map_err(invalid)?;
    entry.server = NewServer { cwd, url, ..valid };
    Ok((entry, template))
}

/// The remarks about the text of a candidate.
fn remarks_within(remarks: &[Mistake], candidate: &Candidate<'_>) -> impl Iterator<Item = Sentence> {
    let range = candidate.start..candidate.end;
    remarks.iter().filter(move |remark| range.contains(&remark.at)).map(|remark| remark.message.clone())
}

fn to_problem(bad: EntryError, places: &mut LineIndex<'_>) -> Problem {
    let (line, column) = places.line_column(bad.at);
    Problem { message: bad.message, line, column }
}

/// The names of a server's unencrypted values that look secret.
fn secret_names(server: &NewServer) -> Vec<String> {
    let secret = |(name, value): &(&String, &String)| looks_secret(name) && !value.trim().is_empty();
    server.env.iter().chain(&server.headers).filter(secret).map(|(name, _)| name.clone()).collect()
}

/// Moves the server's plain values that look secret to its secrets.
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

/// A short name for a command. For programs that run packages or scripts, the package's or script's name.
pub fn command_name(command: &str, args: &[String]) -> String {
    let program = last_part(command).trim_end_matches(".exe").trim_end_matches(".cmd");
    let runs_script = ["node", "python", "python3", "deno"].contains(&program);
    let script =
        || args.iter().find(|argument| runs_script && !argument.starts_with('-')).map(String::as_str);
    let package = downloaded_package(program, args).or_else(script).map(last_part);
    let package = package.map(|package| package.split(['@', ':', '=']).next().unwrap_or(package));
    let package = package.map(|package| package.trim_end_matches(".git"));
    package.filter(|package| !package.is_empty()).unwrap_or(program).to_owned()
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests;
