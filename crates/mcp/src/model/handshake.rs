//! The response to `initialize`, and the result of the negotiation.

use std::time::Duration;

use mooring_jsonrpc::{Members, member, raw, string};
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::client_capabilities::ClientCapabilities;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::limits::Limits;
use crate::model::shape;
use crate::raw_json::RawJson;
use crate::revision::{Era, Revision};
use crate::text::cut_text;

/// One request of the negotiation and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandshakeStep {
    /// The request's method.
    pub request: &'static str,
    /// The outcome in a few words. May quote the server.
    pub outcome: Sentence,
    /// How long the request took.
    pub elapsed: Option<Duration>,
}

/// The server's declared capabilities that the engine uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ServerCapabilities {
    /// Whether the server declared its capabilities at all.
    pub(crate) known: bool,
    pub(crate) tool_changes: bool,
    pub(crate) prompts: bool,
    pub(crate) prompt_changes: bool,
    pub(crate) resources: bool,
    pub(crate) resource_changes: bool,
    pub(crate) subscribe: bool,
    pub(crate) completions: bool,
    pub(crate) logging: bool,
    pub(crate) task_calls: bool,
    pub(crate) task_list: bool,
    pub(crate) task_cancel: bool,
    pub(crate) task_extension: bool,
}

impl ServerCapabilities {
    /// Parses a server's capabilities. `{}` if it declared none.
    pub(crate) fn read(capabilities: &str) -> Self {
        let has = |path: &[&str]| {
            let found = path.iter().try_fold(capabilities, |object, name| member(object, name));
            found.is_some_and(is_offered)
        };
        Self {
            known: true,
            tool_changes: has(&["tools", "listChanged"]),
            prompts: has(&["prompts"]),
            prompt_changes: has(&["prompts", "listChanged"]),
            resources: has(&["resources"]),
            resource_changes: has(&["resources", "listChanged"]),
            subscribe: has(&["resources", "subscribe"]),
            completions: has(&["completions"]),
            logging: has(&["logging"]),
            task_calls: has(&["tasks", "requests", "tools", "call"]),
            task_list: has(&["tasks", "list"]),
            task_cancel: has(&["tasks", "cancel"]),
            task_extension: has(&["extensions", "io.modelcontextprotocol/tasks"]),
        }
    }
}

/// The result of the negotiation with a server, and the reasons for it.
#[derive(Debug, Clone)]
pub struct Handshake {
    /// The server's name (`serverInfo.name`).
    pub server_name: Option<String>,
    /// The server's name for people.
    pub server_title: Option<String>,
    /// The server's version.
    pub server_version: Option<String>,
    /// The server's icons (`serverInfo.icons`), an array as sent.
    pub server_icons: Option<RawJson>,
    /// The server's instructions for its use.
    pub instructions: Option<String>,
    /// The negotiated revision.
    pub revision: Revision,
    /// The era of the revision.
    pub era: Era,
    /// Why this revision and era were chosen, in one sentence.
    pub reason: Sentence,
    /// The steps of the negotiation.
    pub steps: Vec<Sentence>,
    /// The requests of the negotiation, in order.
    pub negotiation: Vec<HandshakeStep>,
    pub(crate) offers: ServerCapabilities,
    /// The server's capabilities as sent. `{}` if they are missing or unusable.
    pub capabilities: Box<RawValue>,
    /// Problems of the handshake.
    pub diagnostics: Vec<Diagnostic>,
    /// The time from the start of the connection to the response.
    pub elapsed: Duration,
}

/// What a server says about itself in the response to `initialize` or `server/discover`.
#[derive(Debug, Default)]
pub(crate) struct ServerFacts {
    pub(crate) revision: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) icons: Option<Box<RawValue>>,
    pub(crate) instructions: Option<String>,
    pub(crate) capabilities: Option<Box<RawValue>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl ServerFacts {
    /// Parses an `InitializeResult` that is valid JSON.
    pub(crate) fn from_initialize(text: &str, limits: &Limits) -> Self {
        let mut facts = Self::default();
        facts.read_common(text, limits);
        for (key, value) in &Members::of(text) {
            match key {
                "protocolVersion" => facts.revision = read_short_text(value),
                "serverInfo" => facts.read_server_info(value, limits),
                _ => {}
            }
        }
        if facts.name.is_none() {
            facts.diagnose(DiagnosticCode::Missing, "serverInfo.name", say!("is missing"));
        }
        facts
    }

    /// Parses a valid JSON `DiscoverResult`. Server info is in `_meta`, on older servers next to it (ERA-29).
    pub(crate) fn from_discover(text: &str, limits: &Limits) -> Self {
        let mut facts = Self::default();
        facts.read_common(text, limits);
        let members = Members::of(text);
        let info = members.inside("_meta").get("io.modelcontextprotocol/serverInfo");
        if let Some(info) = info.or_else(|| members.get("serverInfo")) {
            facts.read_server_info(info, limits);
        }
        for name in ["resultType", "ttlMs", "cacheScope"] {
            if members.get(name).is_none() {
                facts.diagnose(
                    DiagnosticCode::Missing,
                    &format!("server/discover.{name}"),
                    say!("is missing"),
                );
            }
        }
        facts
    }

    fn read_common(&mut self, text: &str, limits: &Limits) {
        shape::check_shape(&shape::HANDSHAKE, text, "", &mut self.diagnostics);
        for (key, value) in &Members::of(text) {
            match key {
                "instructions" if value != "null" => match string(value) {
                    Some(text) => {
                        self.instructions = Some(cut_text(&text, limits.description_bytes).to_owned());
                    }
                    None => self.diagnose(DiagnosticCode::WrongType, key, say!("isn’t a string")),
                },
                "capabilities" if value.starts_with('{') => self.capabilities = raw(value),
                "capabilities" => self.diagnose(DiagnosticCode::WrongType, key, say!("isn’t an object")),
                _ => {}
            }
        }
        if self.capabilities.is_none() && self.diagnostics.iter().all(|odd| odd.path != "capabilities") {
            self.diagnose(DiagnosticCode::Missing, "capabilities", say!("is missing"));
        }
    }

    fn read_server_info(&mut self, value: &str, limits: &Limits) {
        for (key, value) in &Members::of(value) {
            match key {
                "name" => self.name = read_short_text(value),
                "title" => self.title = read_short_text(value),
                "version" => self.version = read_short_text(value),
                "icons" if value.len() > limits.icons_bytes => self.diagnose(
                    DiagnosticCode::Limit,
                    "serverInfo.icons",
                    say!("is longer than {limit} bytes", limit = limits.icons_bytes.to_string()),
                ),
                "icons" if value.starts_with('[') => self.icons = raw(value),
                _ => {}
            }
        }
        if self.version.is_none() {
            self.diagnose(DiagnosticCode::Missing, "serverInfo.version", say!("is missing"));
        }
    }

    fn diagnose(&mut self, code: DiagnosticCode, path: &str, message: Sentence) {
        self.diagnostics.push(Diagnostic::new(code, path, message));
    }
}

/// Whether a capability's value means that it is supported.
fn is_offered(value: &str) -> bool {
    !matches!(value, "false" | "null")
}

/// Reads a string, and cuts it if it is long.
fn read_short_text(value: &str) -> Option<String> {
    string(value).map(|text| cut_text(&text, 256).to_owned())
}

impl Handshake {
    /// The deprecated features of the revision that the server offers or that this client declares (LOG-07).
    /// A deprecated transport is part of the handshake's reason instead.
    pub(crate) fn deprecated_abilities(&self, abilities: ClientCapabilities) -> Vec<Sentence> {
        let features =
            [(self.offers.logging, "logging"), (abilities.roots, "roots"), (abilities.sampling, "sampling")];
        let used = features.into_iter().filter(|(used, _)| *used && self.era == Era::Modern);
        let revision = self.revision.as_str();
        used.map(|(_, what)| say!("{what} is used, which is deprecated in {revision}", what, revision))
            .collect()
    }

    /// Whether the server declares the capability `name` with any value but false and null.
    pub fn offers(&self, name: &str) -> bool {
        member(self.capabilities.get(), name).is_some_and(is_offered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odd(text: &str) -> Vec<String> {
        ServerFacts::from_initialize(text, &Limits::default())
            .diagnostics
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn a_complete_answer_is_read_without_remarks() {
        let text = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}"#;
        let read = ServerFacts::from_initialize(text, &Limits::default());
        assert_eq!(read.revision.as_deref(), Some("2025-11-25"));
        assert!(read.diagnostics.is_empty());
    }

    // Requirements: EXT-01, EXT-05, LIFE-10.
    #[test]
    fn what_a_server_offers_is_read_with_its_flags() {
        let offers = ServerCapabilities::read(
            r#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":false},"prompts":true,"tasks":{"requests":{"tools":{"call":{}}},"cancel":{}},"extensions":{"io.modelcontextprotocol/tasks":{},"a/b":7}}"#,
        );
        let expected = ServerCapabilities {
            known: true,
            tool_changes: true,
            prompts: true,
            resources: true,
            subscribe: true,
            task_calls: true,
            task_cancel: true,
            task_extension: true,
            ..ServerCapabilities::default()
        };
        assert_eq!(offers, expected);
        assert_eq!(
            ServerCapabilities::read("{}"),
            ServerCapabilities { known: true, ..ServerCapabilities::default() }
        );
    }

    // Requirements: INFO-08.
    #[test]
    fn a_servers_own_icons_are_read_up_to_their_limit() {
        let icons = r#"[{"src":"data:,"},7]"#;
        let limits = |icons_bytes| Limits { icons_bytes, ..Limits::default() };
        let info = format!(r#"{{"name":"n","version":"1","icons":{icons}}}"#);
        let initialized = format!(r#"{{"capabilities":{{}},"serverInfo":{info}}}"#);
        let meta = format!(r#"{{"io.modelcontextprotocol/serverInfo":{info}}}"#);
        let discovered = format!(
            r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"public","capabilities":{{}},"_meta":{meta}}}"#
        );
        let read = |limits: &Limits| {
            let initialized = ServerFacts::from_initialize(&initialized, limits);
            [initialized, ServerFacts::from_discover(&discovered, limits)]
        };
        for facts in read(&limits(icons.len())) {
            assert_eq!(facts.icons.unwrap().get(), icons);
        }
        for facts in read(&limits(icons.len() - 1)) {
            assert!(facts.icons.is_none());
            let odd = facts.diagnostics.last().unwrap().to_string();
            assert_eq!(odd, format!("serverInfo.icons: is longer than {} bytes", icons.len() - 1));
            assert_eq!(facts.name.as_deref(), Some("n"));
        }
        let odd = ServerFacts::from_initialize(r#"{"serverInfo":{"icons":{}}}"#, &Limits::default());
        assert!(odd.icons.is_none());
    }

    // Requirements: LIFE-10.
    #[test]
    fn what_is_missing_or_of_another_type_is_a_diagnostic() {
        assert_eq!(odd("{}"), ["capabilities: is missing", "serverInfo.name: is missing"]);
        assert_eq!(
            odd(r#"{"capabilities":true,"serverInfo":{"name":"n"}}"#),
            ["capabilities: isn’t an object", "serverInfo.version: is missing"]
        );
    }
}
