//! Servers from the configuration files of other applications.

use crate::server::NewServer;

/// What a pasted configuration contains.
#[derive(Debug, Clone, Default)]
pub struct ImportReport {
    /// Every entry, good or bad, in the order of the text.
    pub entries: Vec<ImportEntry>,
    /// The first place where the text is not JSON. Entries that could still be read are kept.
    pub error: Option<Problem>,
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
}

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, in plain words.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, counted in characters.
    pub column: usize,
}
