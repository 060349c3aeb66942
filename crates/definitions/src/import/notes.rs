//! Notes on an entry: placeholders, ignored members, and warnings.

use mooring_base::command_line::relative_path_warnings;
use mooring_base::credentials::looks_secret;
use mooring_policy::{danger_warnings, secret_argument_warning};
use mooring_words::{Sentence, say};

use super::entry::ImportedServer;
use super::members::{
    ARGS, BEARER, BEARER_VARIABLE, COMMAND, CWD, DESCRIPTIVE, DISABLED, ENABLED, ENV, ENV_HEADERS, ENV_NAMES,
    HEADERS, NAME, OAUTH, PERMISSIONS, REQUEST_OPTIONS, TIMEOUT, TYPE, URL, canonical, find_member, is_empty,
};
use super::node::{Member, Node, Value};
use super::placeholder_parts::split_parts;
use super::template::ServerTemplate;
use crate::Transport;

/// Maximum number of members of an entry that are mentioned.
const MAX_NOTES: usize = 16;

/// Adds the notes on an entry.
pub(super) fn add_notes(node: &Node, entry: &mut ImportedServer, template: &ServerTemplate) {
    for (number, placeholder) in template.unfilled_arguments() {
        entry.notes.push(say!(
            "argument {number} contains {placeholder}, which is passed on unchanged",
            number,
            placeholder
        ));
        entry.incomplete = true;
    }
    let members = node.members().unwrap_or_default().iter();
    let notes: Vec<(Sentence, bool)> = members
        .flat_map(|member| match member.node.members() {
            Some(options) if canonical(&member.name) == REQUEST_OPTIONS => options.iter(),
            _ => std::slice::from_ref(member).iter(),
        })
        .filter(|member| !is_negligible(&member.node))
        .filter_map(|member| ignored_note(member, entry))
        .take(MAX_NOTES)
        .collect();
    for (note, is_needed) in notes {
        entry.notes.push(note);
        entry.incomplete |= is_needed;
    }
    let before = entry.notes.len();
    let server = &entry.server;
    if let Some(timeout) = server.timeout {
        entry.notes.push(say!("idle timeout: {seconds} s", seconds = timeout.as_secs_f64()));
    }
    if let Some(command) = &server.command {
        let secrets = server.secrets.iter().map(|secret| &secret.name);
        let env: Vec<String> = server.env.keys().chain(secrets).cloned().collect();
        let elsewhere = relative_path_warnings(command, &server.args, server.cwd.as_deref(), None);
        entry.notes.extend(elsewhere.into_iter().chain(danger_warnings(command, &server.args, &env)));
    }
    let url = server.url.as_deref().and_then(|url| url::Url::parse(url).ok());
    if let Some((name, _)) =
        url.as_ref().and_then(|url| url.query_pairs().find(|(name, _)| looks_secret(name)))
    {
        entry.notes.push(secret_url_warning(&name));
    }
    let notes = template.notes(&entry.notes[before..]);
    entry.notes.extend(notes);
}

/// The warning about a secret in a URL.
fn secret_url_warning(name: &str) -> Sentence {
    say!(
        "{name} in the URL looks like a secret, and the URL isn’t encrypted: use a header if the server takes one",
        name
    )
}

/// Whether ignoring a member changes nothing.
fn is_negligible(node: &Node) -> bool {
    is_empty(node) || node.value == Value::Bool(false)
}

/// The note about an ignored member, and whether the server needs the member.
fn ignored_note(member: &Member, entry: &ImportedServer) -> Option<(Sentence, bool)> {
    let (name, key) = (member.name.as_str(), canonical(&member.name));
    let is = |names: &[&str]| names.contains(&key.as_str());
    let is_stdio = entry.server.transport == Transport::Stdio;
    let whole = is(&NAME) || is(&TYPE) || is(&DISABLED) || is(&ENABLED) || is(&DESCRIPTIVE);
    let taken = if is_stdio {
        is(&COMMAND) || is(&ARGS) || is(&ENV) || is(&ENV_NAMES) || is(&CWD)
    } else {
        is(&URL) || is(&HEADERS) || is(&BEARER) || is(&BEARER_VARIABLE) || is(&ENV_HEADERS)
    };
    if whole || taken || (is(&TIMEOUT) && entry.server.timeout.is_some()) {
        return None;
    }
    if key == "envfile" && is_stdio {
        let file = member.node.text()?;
        return Some((say!("the variables in {file} aren’t read: enter them in its settings", file), true));
    }
    let note = if is(&OAUTH) {
        oauth_note(member)
    } else if is(&PERMISSIONS) {
        say!("{name} isn’t imported: rules under Policies decide which tools run or ask first", name)
    } else if is_stdio && is(&URL) {
        say!("{name} isn’t imported: the entry also has a command", name)
    } else if !is_stdio && (is(&ENV) || is(&ENV_NAMES)) {
        say!("{name} isn’t imported: nothing is started for a URL", name)
    } else {
        say!("{name} isn’t imported", name)
    };
    Some((note, false))
}

fn oauth_note(member: &Member) -> Sentence {
    let name = member.name.as_str();
    let text = |names: &[&str]| {
        find_member(&member.node, names).and_then(|found| match &found.value {
            Value::String(text) | Value::Number(text) => Some(text.as_str()),
            _ => None,
        })
    };
    match (
        text(&["clientid"]),
        text(&["callbackport", "redirectport"]).or_else(|| text(&["redirecturi", "callbackurl"])),
    ) {
        (Some(id), Some(redirect)) => say!(
            "{name} isn’t imported: sign in with its client ID {id} and redirect {redirect}",
            name,
            id,
            redirect
        ),
        (Some(id), None) => say!("{name} isn’t imported: sign in with its client ID {id}", name, id),
        (None, _) => say!("{name} isn’t imported: sign in here once the server is added", name),
    }
}

impl ServerTemplate {
    /// Notes on the values: secrets that can't be encrypted, and what VS Code would find by itself. `shown` is what
    /// the preview's arguments and URL are warned about already.
    pub(super) fn notes(&self, shown: &[Sentence]) -> Vec<Sentence> {
        let exposed = |text: &str| {
            let keys: Vec<&str> = split_parts(text).iter().filter_map(|part| part.kind.key()).collect();
            let mut inputs = self.inputs.iter().map(|known| &known.input);
            inputs.find(|input| input.exposed && keys.contains(&input.key.as_str()))
        };
        let args = self.server.args.iter().enumerate().filter(|_| !self.runs_shell());
        let args = args.filter(|(_, argument)| exposed(argument).is_some());
        let mut notes: Vec<Sentence> = args.map(|(index, _)| secret_argument_warning(index)).collect();
        notes.retain(|note| !shown.contains(note));
        let url = self.server.url.as_deref().and_then(exposed).map(|input| secret_url_warning(&input.key));
        notes.extend(url.filter(|note| shown.iter().all(|other| other.code() != note.code())));
        let commands = self.inputs.iter().filter(|known| known.is_command);
        notes.extend(commands.map(|known| {
            let name = known.input.key.as_str();
            say!("a command of VS Code, which can’t run here, would find the value of {name}: enter it", name)
        }));
        notes
    }
}
