//! The answer to `initialize`.

use std::time::Duration;

use serde_json::value::RawValue;

use crate::frame::object_members;
use crate::limits::Limits;
use crate::model::diagnostic::{Code, Diagnostic};
use crate::model::{cut, raw, string};
use crate::revision::{Era, Revision};

/// What was agreed with a server, and why.
#[derive(Debug, Clone)]
pub struct Handshake {
    /// The server's own name for itself (`serverInfo.name`).
    pub server_name: Option<String>,
    /// Its name for people.
    pub server_title: Option<String>,
    /// Its version.
    pub server_version: Option<String>,
    /// What it says about its use; the server's words.
    pub instructions: Option<String>,
    /// The revision that both sides speak from here on.
    pub revision: Revision,
    /// The family of revisions it belongs to.
    pub era: Era,
    /// Why this revision and era, in one sentence.
    pub reason: String,
    /// What the server says that it can do, as it came (`{}` where it said nothing usable).
    pub capabilities: Box<RawValue>,
    /// What was odd about the handshake.
    pub diagnostics: Vec<Diagnostic>,
    /// From the start of the connection to the answer.
    pub elapsed: Duration,
}

/// The members of an `InitializeResult`, before the revision is judged.
#[derive(Debug, Default)]
pub(crate) struct InitializeResult {
    pub(crate) revision: Option<String>,
    pub(crate) server_name: Option<String>,
    pub(crate) server_title: Option<String>,
    pub(crate) server_version: Option<String>,
    pub(crate) instructions: Option<String>,
    pub(crate) capabilities: Option<Box<RawValue>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl InitializeResult {
    /// Reads a result that is valid JSON.
    pub(crate) fn read(text: &str, limits: &Limits) -> Self {
        let mut read = Self::default();
        for (key, value) in object_members(text) {
            match key {
                "protocolVersion" => read.revision = string(value),
                "instructions" if value != "null" => match string(value) {
                    Some(text) => read.instructions = Some(cut(&text, limits.description_bytes).to_owned()),
                    None => read.odd(Code::WrongType, key, "is not a string"),
                },
                "capabilities" if value.starts_with('{') => read.capabilities = raw(value),
                "capabilities" => read.odd(Code::WrongType, key, "is not an object"),
                "serverInfo" => read.server_info(value),
                _ => {}
            }
        }
        if read.capabilities.is_none() && read.diagnostics.iter().all(|odd| odd.path != "capabilities") {
            read.odd(Code::Missing, "capabilities", "is missing");
        }
        if read.server_name.is_none() {
            read.odd(Code::Missing, "serverInfo.name", "is missing");
        }
        read
    }

    fn server_info(&mut self, value: &str) {
        for (key, value) in object_members(value) {
            match key {
                "name" => self.server_name = string(value),
                "title" => self.server_title = string(value),
                "version" => self.server_version = string(value),
                _ => {}
            }
        }
        if self.server_version.is_none() {
            self.odd(Code::Missing, "serverInfo.version", "is missing");
        }
    }

    fn odd(&mut self, code: Code, path: &str, message: &str) {
        self.diagnostics.push(Diagnostic::new(code, path, message));
    }
}

impl Handshake {
    /// Whether the server declares the capability `name` as an object or as anything but false and null.
    pub fn offers(&self, name: &str) -> bool {
        object_members(self.capabilities.get())
            .into_iter()
            .any(|(key, value)| key == name && value != "false" && value != "null")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odd(text: &str) -> Vec<String> {
        InitializeResult::read(text, &Limits::default()).diagnostics.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_complete_answer_is_read_without_remarks() {
        let text = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}"#;
        let read = InitializeResult::read(text, &Limits::default());
        assert_eq!(read.revision.as_deref(), Some("2025-11-25"));
        assert!(read.diagnostics.is_empty());
    }

    #[test]
    fn what_is_missing_or_of_another_type_is_a_diagnostic() {
        assert_eq!(odd("{}"), ["capabilities: is missing", "serverInfo.name: is missing"]);
        assert_eq!(
            odd(r#"{"capabilities":true,"serverInfo":{"name":"n"}}"#),
            ["capabilities: is not an object", "serverInfo.version: is missing"]
        );
    }
}
