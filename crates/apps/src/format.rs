//! The formats of apps' files, where a file has the servers, and the types that the modules of the formats
//! share.

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

/// The path to an app's servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ServersPath {
    /// The names of members, from the outermost. A name may contain dots.
    pub(crate) keys: Vec<String>,
    /// Whether the servers are a list of items with a `name`, instead of a map by name.
    pub(crate) list: bool,
}

/// What had to be created around an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Created {
    /// The number of maps that were created, including the list, from the innermost outwards.
    pub(crate) maps: usize,
    /// Whether the outermost of them replaced a `null`.
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

/// A syntax error.
#[derive(Debug)]
pub(crate) struct Broken {
    /// The line, starting at 1.
    pub(crate) line: usize,
    pub(crate) why: Sentence,
}

/// Texts that may have the new entry, the best one first.
pub(crate) struct Inserted {
    pub(crate) candidates: Vec<String>,
    pub(crate) created: Created,
}
