//! The formats of apps' files, where in a file the servers are, and what each format's module takes and gives.

use mooring_words::Sentence;
use serde::{Deserialize, Serialize};

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JSON, with or without comments and trailing commas.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// The path of members to an app's servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ServersPath {
    /// Names of members, from the outermost. A dot in one is a part of its name.
    pub(crate) keys: Vec<String>,
    /// The servers are a list whose items have a `name`, instead of a map by name.
    pub(crate) list: bool,
}

/// What had to be created around an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Created {
    /// The number of maps (or the list): the innermost, and those around it up to the whole document.
    pub(crate) maps: usize,
    /// Whether the outermost of them replaces a `null`.
    pub(crate) from_null: bool,
}

/// The place of an entry.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) path: &'a ServersPath,
    pub(crate) name: &'a str,
}

impl Place<'_> {
    /// The name of the member with the servers.
    pub(crate) fn last_key(&self) -> &str {
        self.path.last_key()
    }
}

impl ServersPath {
    /// The name of the member with the servers.
    pub(crate) fn last_key(&self) -> &str {
        self.keys.last().map_or("", String::as_str)
    }
}

/// A text that its format does not allow.
#[derive(Debug)]
pub(crate) struct Broken {
    /// The line, starting at 1.
    pub(crate) line: usize,
    pub(crate) why: Sentence,
}

/// Possible texts with the new entry, the best first.
pub(crate) struct Inserted {
    pub(crate) candidates: Vec<String>,
    pub(crate) created: Created,
}
