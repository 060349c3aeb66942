//! Describes the values that an entry needs from the person: VS Code's `inputs`, and those that are made of an entry of
//! an MCP registry.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use mooring_base::credentials::looks_secret;
use mooring_base::view_serde;
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::members::{find_member, scalar_text};
use super::node::{Node, Value};

/// Maximum number of values that one entry can ask for.
pub(super) const MAX_INPUTS: usize = 64;
/// Maximum number of choices. A value with more is typed instead.
const MAX_CHOICES: usize = 200;
/// Maximum number of bytes of a default or a choice. A longer one is left out.
const MAX_OFFERED_BYTES: usize = 4 * 1024;
/// Maximum number of characters of a description, which is cut there.
const MAX_DESCRIPTION: usize = 500;
/// Maximum number of bytes of a value. Operating systems don't allow longer variables.
const MAX_VALUE_BYTES: usize = 64 * 1024;
/// Maximum number of values of an input that can have several.
const MAX_REPEATS: usize = 100;

/// How a value is entered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ImportInputKind {
    /// Any text.
    #[default]
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// The full path of a file.
    File,
    /// The full path of a folder.
    Folder,
    /// One of the choices.
    Choice,
}

/// A value that an entry needs from the person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, TS)]
pub struct ImportInput {
    /// Its name in the configuration, unique in the entry.
    pub key: String,
    /// What the person reads in place of the name.
    pub title: Option<String>,
    /// What the configuration says about it.
    pub description: Option<String>,
    /// How it is entered.
    pub kind: ImportInputKind,
    /// Whether it is hidden while it is typed, and encrypted in a variable or a header.
    pub secret: bool,
    /// Whether it is a secret in an argument or a URL, which can't be encrypted.
    pub exposed: bool,
    /// Whether the server can't be saved without it. Others are left out, or entered later.
    pub required: bool,
    /// Whether it can have several values, one a line.
    pub repeated: bool,
    /// The value if the person enters none.
    pub default: Option<String>,
    /// An example of a value.
    pub example: Option<String>,
    /// The values to choose from.
    pub choices: Vec<String>,
    /// What is wrong with the value that the person entered.
    pub problem: Option<Sentence>,
}

/// A value that the person entered.
#[derive(Clone, Deserialize, TS)]
pub struct ImportValue {
    /// The entry's name.
    pub entry: String,
    /// The input's name in the entry.
    pub key: String,
    /// The value. An empty one leaves the input without a value.
    #[serde(default, deserialize_with = "view_serde::secret")]
    #[ts(type = "string")]
    pub value: Option<SecretString>,
}

impl fmt::Debug for ImportValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entry, key, value: _ } = self;
        f.debug_struct("ImportValue").field("entry", entry).field("key", key).finish_non_exhaustive()
    }
}

impl ImportInput {
    /// The values that this text is for the input: usually one, and none if it is empty. `expand` replaces a leading
    /// `~` in a path.
    pub fn read_values(&self, text: &str, expand: impl Fn(&str) -> String) -> Result<Vec<String>, Sentence> {
        let name = self.title.as_deref().unwrap_or(&self.key);
        if text.len() > MAX_VALUE_BYTES {
            let limit = MAX_VALUE_BYTES / 1024;
            return Err(say!("the value of {name} is longer than {limit} KiB", name, limit));
        }
        let lines = if self.repeated { text.lines().map(str::trim).collect() } else { vec![text] };
        let lines: Vec<&str> = lines.into_iter().filter(|line| !line.trim().is_empty()).collect();
        if lines.len() > MAX_REPEATS {
            return Err(say!("{name} can have no more than {limit} values", name, limit = MAX_REPEATS));
        }
        lines.into_iter().map(|line| self.check(line, &expand)).collect()
    }

    /// A single value, as it is inserted.
    pub(super) fn check(&self, value: &str, expand: impl Fn(&str) -> String) -> Result<String, Sentence> {
        let name = self.title.as_deref().unwrap_or(&self.key);
        if value.contains('\0') {
            return Err(say!("the value of {name} contains a NUL character", name));
        }
        if value.contains(['\n', '\r']) {
            return Err(say!("the value of {name} contains a line break", name));
        }
        let trimmed = value.trim();
        match self.kind {
            ImportInputKind::Text => Ok(value.to_owned()),
            ImportInputKind::Number if trimmed.parse().is_ok_and(f64::is_finite) => Ok(trimmed.to_owned()),
            ImportInputKind::Number => Err(say!("the value of {name} must be a number", name)),
            ImportInputKind::Boolean if matches!(trimmed, "true" | "false") => Ok(trimmed.to_owned()),
            ImportInputKind::Boolean => Err(say!("the value of {name} must be true or false", name)),
            ImportInputKind::Choice if self.choices.iter().any(|choice| choice == value) => {
                Ok(value.to_owned())
            }
            ImportInputKind::Choice => {
                let choices = self.choices.join(", ");
                Err(say!("the value of {name} must be one of these: {choices}", name, choices))
            }
            ImportInputKind::File | ImportInputKind::Folder => {
                let path = expand(trimmed);
                // A path of the configuration can be in the server's own folder.
                if Path::new(&path).is_absolute() || self.default.as_deref() == Some(value) {
                    Ok(path)
                } else {
                    Err(say!("the value of {name} must be a full path", name))
                }
            }
        }
    }
}

impl ImportValue {
    /// The value's text.
    pub fn text(&self) -> &str {
        self.value.as_ref().map(ExposeSecret::expose_secret).unwrap_or_default()
    }
}

/// What a configuration says about a value.
#[derive(Debug, Clone, Default)]
pub(super) struct DeclaredInput {
    pub(super) input: ImportInput,
    /// Whether the server works without the value.
    pub(super) is_optional: bool,
    /// The argument before the value that is left out with it.
    pub(super) flag: Option<String>,
    /// Whether VS Code gets the value from a command of its own.
    pub(super) is_command: bool,
}

/// The values that a text describes, by their names. Of several with the same name, the first counts.
#[derive(Debug, Default)]
pub(super) struct DeclaredInputs(HashMap<String, DeclaredInput>);

impl DeclaredInputs {
    /// Reads the descriptions beside the servers of a text.
    pub(super) fn of_roots(roots: &[Node]) -> Self {
        let mut declared = Self::default();
        for root in roots {
            declared.add(root);
            // VS Code's settings.
            if let Some(mcp) = root.member("mcp") {
                declared.add(mcp);
            }
        }
        declared
    }

    fn add(&mut self, holder: &Node) {
        for input in holder.member("inputs").map(Node::items).unwrap_or_default() {
            if let Some(read) = read_declared(input) {
                self.0.entry(read.input.key.clone()).or_insert(read);
            }
        }
    }

    /// What an entry itself, or else the text, says about a value.
    pub(super) fn find(&self, key: &str, entry: &Self) -> Option<DeclaredInput> {
        entry.0.get(key).or_else(|| self.0.get(key)).cloned()
    }

    /// Reads the descriptions in an entry.
    pub(super) fn of_entry(entry: &Node) -> Self {
        let mut declared = Self::default();
        declared.add(entry);
        declared
    }
}

fn read_declared(node: &Node) -> Option<DeclaredInput> {
    let text = |name: &str| {
        let found = find_member(node, &[name])?;
        scalar_text(found, name).ok()
    };
    let is_set = |name: &str| find_member(node, &[name]).is_some_and(|it| it.value == Value::Bool(true));
    let key = text("id")?.trim().to_owned();
    let choices: Vec<String> = find_member(node, &["options"])
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .filter_map(|option| scalar_text(find_member(option, &["value"]).unwrap_or(option), "options").ok())
        .filter(|choice| choice.len() <= MAX_OFFERED_BYTES)
        .collect();
    let kind = match text("format").as_deref() {
        _ if (1..=MAX_CHOICES).contains(&choices.len()) => ImportInputKind::Choice,
        Some("number") => ImportInputKind::Number,
        Some("boolean") => ImportInputKind::Boolean,
        Some("filepath") => ImportInputKind::File,
        _ => ImportInputKind::Text,
    };
    let is_shown = matches!(kind, ImportInputKind::Choice | ImportInputKind::Boolean);
    let secret = is_set("password") || (!is_shown && looks_secret(&key));
    let mut input = ImportInput {
        description: text("description").map(|text| shorten(text.trim())).filter(|text| !text.is_empty()),
        kind,
        secret,
        repeated: is_set("repeated"),
        example: text("placeholder").filter(|text| text.len() <= MAX_OFFERED_BYTES),
        choices: if kind == ImportInputKind::Choice { choices } else { Vec::new() },
        key,
        ..ImportInput::default()
    };
    input.default = text("default").filter(|default| !secret && default.len() <= MAX_OFFERED_BYTES);
    Some(DeclaredInput {
        input,
        is_optional: is_set("optional"),
        flag: text("flag"),
        is_command: text("type").as_deref() == Some("command"),
    })
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_DESCRIPTION) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
