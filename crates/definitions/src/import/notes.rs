//! What is to be said of an entry: what only stands for something, what is not taken over, and what to look out for.

use mooring_base::command_line::leads_elsewhere;
use mooring_base::credentials::looks_secret;
use mooring_policy::dangers;
use mooring_words::{Sentence, say};

use super::entry::Entry;
use super::jsonc::{Member, Node, Value};
use super::members::{
    ARGS, BEARER, BEARER_VARIABLE, COMMAND, CWD, DESCRIPTIVE, ENV, ENV_HEADERS, ENV_NAMES, HEADERS, NAME,
    OAUTH, PERMISSIONS, TIMEOUT, TURNED_OFF, TURNED_ON, TYPE, URL, canonical, find, is_empty,
};
use super::stands_for::placeholder;
use crate::server::Transport;

/// Most members of an entry that are named.
const MOST: usize = 16;

/// Adds the notes on an entry that was read.
pub(super) fn add(node: &Node, entry: &mut Entry) {
    for (index, text) in entry.server.args.iter().enumerate() {
        if let Some(placeholder) = placeholder(text) {
            entry.notes.push(say!(
                "argument {number} is passed on with {placeholder} as it stands",
                number = index + 1,
                placeholder
            ));
            entry.incomplete = true;
        }
    }
    let members = node.members().unwrap_or_default().iter();
    let told: Vec<(Sentence, bool)> = members
        .filter(|member| !says_nothing(&member.node))
        .filter_map(|member| left_out(member, entry))
        .take(MOST)
        .collect();
    for (note, is_needed) in told {
        entry.notes.push(note);
        entry.incomplete |= is_needed;
    }
    let server = &entry.server;
    if let Some(timeout) = server.timeout {
        entry.notes.push(say!("a request may be silent for {seconds} s", seconds = timeout.as_secs_f64()));
    }
    if let Some(command) = &server.command {
        let env: Vec<String> = server.env.keys().cloned().collect();
        let elsewhere = leads_elsewhere(command, &server.args, server.cwd.as_deref(), None);
        entry.notes.extend(elsewhere.into_iter().chain(dangers(command, &server.args, &env)));
    }
    let url = server.url.as_deref().and_then(|url| url::Url::parse(url).ok());
    if let Some((name, _)) =
        url.as_ref().and_then(|url| url.query_pairs().find(|(name, _)| looks_secret(name)))
    {
        entry.notes.push(say!("{name} in the URL looks like a secret, and the URL is not encrypted: use a header if the server takes one", name = name.as_ref()));
    }
}

/// Whether a member says nothing that could be missed.
fn says_nothing(node: &Node) -> bool {
    is_empty(node) || node.value == Value::Bool(false)
}

/// What is said of a member that is not taken over, and whether the server needs it.
fn left_out(member: &Member, entry: &Entry) -> Option<(Sentence, bool)> {
    let (name, key) = (member.name.as_str(), canonical(&member.name));
    let is = |names: &[&str]| names.contains(&key.as_str());
    let is_stdio = entry.server.transport == Transport::Stdio;
    let whole = is(&NAME) || is(&TYPE) || is(&TURNED_OFF) || is(&TURNED_ON) || is(&DESCRIPTIVE);
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
        return Some((say!("the variables in {file} are not read: enter them in its settings", file), true));
    }
    let note = if is(&OAUTH) {
        oauth(member)
    } else if is(&PERMISSIONS) {
        say!("{name} is not taken over: rules under Policies say which tools run and what is asked", name)
    } else if is_stdio && is(&URL) {
        say!("{name} is not taken over: the entry has a command as well", name)
    } else if !is_stdio && (is(&ENV) || is(&ENV_NAMES)) {
        say!("{name} is not taken over: nothing is started for a URL", name)
    } else {
        say!("{name} is not taken over", name)
    };
    Some((note, false))
}

fn oauth(member: &Member) -> Sentence {
    let name = member.name.as_str();
    let text = |names: &[&str]| {
        find(&member.node, names).and_then(|found| match &found.value {
            Value::String(text) | Value::Number(text) => Some(text.as_str()),
            _ => None,
        })
    };
    match (
        text(&["clientid"]),
        text(&["callbackport", "redirectport"]).or_else(|| text(&["redirecturi", "callbackurl"])),
    ) {
        (Some(id), Some(redirect)) => say!(
            "{name} is not taken over: sign in with its client id {id}, whose redirect is {redirect}",
            name,
            id,
            redirect
        ),
        (Some(id), None) => say!("{name} is not taken over: sign in with its client id {id}", name, id),
        (None, _) => say!("{name} is not taken over: you sign in here once the server is added", name),
    }
}
