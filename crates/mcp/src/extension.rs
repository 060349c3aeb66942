//! The extensions that the client declares. An extension is only declared if the host enables it (EXT-04).

use mooring_jsonrpc::{JsonObject, raw};
use serde_json::value::RawValue;

use crate::revision::Revision;
use crate::task::EXTENSION as TASKS;

/// The extension for servers with user interface pages.
const PAGES: &str = "io.modelcontextprotocol/ui";

/// An extension of the protocol, with its settings.
#[derive(Debug, Clone)]
pub struct Extension {
    id: String,
    settings: Box<RawValue>,
}

impl Extension {
    /// An extension with an id such as `com.example/feature` and its settings. `None` if the settings are not
    /// a JSON object, or the id has no prefix (EXT-01).
    pub fn new(id: &str, settings: Box<RawValue>) -> Option<Self> {
        let is_label = |text: &str| {
            !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        };
        let (prefix, name) = id.split_once('/')?;
        let is_good = is_label(prefix) && is_label(name) && settings.get().starts_with('{');
        is_good.then(|| Self { id: id.to_owned(), settings })
    }

    /// MCP Apps (2026-01-26): user interface pages of servers, for hosts that can show them.
    pub fn pages() -> Self {
        let settings = r#"{"mimeTypes":["text/html;profile=mcp-app"]}"#;
        Self { id: PAGES.to_owned(), settings: raw(settings).unwrap_or_default() }
    }

    /// Tasks (`io.modelcontextprotocol/tasks`): a call may return a task whose result is fetched later.
    pub fn tasks() -> Self {
        Self { id: TASKS.to_owned(), settings: raw("{}").unwrap_or_default() }
    }

    pub(crate) fn is_tasks(&self) -> bool {
        self.id == TASKS
    }

    /// Adds this extension to `extensions`.
    pub(crate) fn with_extensions(&self, extensions: JsonObject) -> JsonObject {
        extensions.json(&self.id, self.settings.get())
    }
}

/// The extensions to declare in `revision`. Tasks only exist in the stateless era (TSKE-02).
pub(crate) fn declared(revision: Revision, extensions: &[Extension]) -> JsonObject {
    let known = extensions.iter().filter(|extension| revision > Revision::SESSION || !extension.is_tasks());
    known.fold(JsonObject::new(), |known, extension| extension.with_extensions(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: EXT-01.
    #[test]
    fn an_extension_has_a_prefix_and_an_object_of_settings() {
        let new = |id, settings| Extension::new(id, raw(settings).unwrap()).is_some();
        assert!(new("com.example/x", "{}"));
        for (id, settings) in [("bare", "{}"), ("/x", "{}"), ("a/", "{}"), ("a/b\"c", "{}"), ("a/b", "[]")] {
            assert!(!new(id, settings), "{id} {settings}");
        }
    }
}
