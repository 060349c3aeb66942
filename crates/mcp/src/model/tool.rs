//! Tools, read leniently. An invalid tool never hides other tools.

use std::collections::HashSet;

use mooring_jsonrpc::{Members, is_text, member};
use mooring_words::say;
use serde::Serialize;
use serde_json::value::RawValue;
use ts_rs::TS;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::limits::{LimitKind, LimitTracker};
use crate::model::as_text;
use crate::model::fields::FieldReader;

/// A tool as the server describes it (`Tool` in the schema of each revision).
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "ToolView")]
pub struct Tool {
    /// The name for calls.
    pub name: String,
    /// A name for people: the title, or the title in the annotations.
    pub title: Option<String>,
    /// The server's description.
    pub description: Option<String>,
    /// The JSON Schema of the arguments. `None` if it is missing or not an object.
    #[serde(serialize_with = "as_text::some_raw")]
    #[ts(type = "string | null")]
    pub input_schema: Option<Box<RawValue>>,
    /// The JSON Schema of the structured result.
    #[serde(serialize_with = "as_text::some_raw")]
    #[ts(type = "string | null")]
    pub output_schema: Option<Box<RawValue>>,
    /// The server's hints about the tool's behaviour. They are never a basis for consent.
    #[serde(serialize_with = "as_text::some_raw")]
    #[ts(type = "string | null")]
    pub annotations: Option<Box<RawValue>>,
    /// The whole tool as sent.
    #[serde(serialize_with = "as_text::raw")]
    #[ts(type = "string")]
    pub raw: Box<RawValue>,
    /// Problems of the tool, with paths inside it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Tool {
    /// Parses an element of `tools` at `path`. Fails without a name, because it could not be called.
    pub(crate) fn read(text: &str, path: &str, bounds: &LimitTracker) -> Result<Self, Diagnostic> {
        let mut fields = FieldReader::new(path, bounds);
        let raw = fields.read_whole(text)?;
        let (mut name, mut title, mut description) = (None, None, None);
        let (mut input_schema, mut output_schema, mut annotations) = (None, None, None);
        let mut has_schema = false;
        for (key, value) in &Members::of(text) {
            match key {
                "name" => name = Some(value),
                "title" => title = fields.read_text(value, key, LimitKind::Description),
                "description" => description = fields.read_text(value, key, LimitKind::Description),
                "inputSchema" => {
                    has_schema = true;
                    input_schema = fields.read_object(value, key);
                }
                "outputSchema" => output_schema = fields.read_object(value, key),
                "annotations" => annotations = fields.read_object(value, key),
                _ => {}
            }
        }
        if title.is_none()
            && let Some(annotations) = &annotations
            && let Some(value) = member(annotations.get(), "title")
        {
            title = fields.read_text(value, "annotations.title", LimitKind::Description);
        }
        if !has_schema {
            fields.diagnose(DiagnosticCode::Missing, "inputSchema", say!("is missing"));
        }
        let name = fields.read_required(name, "name", LimitKind::Name)?;
        let diagnostics = fields.diagnostics;
        Ok(Self { name, title, description, input_schema, output_schema, annotations, raw, diagnostics })
    }

    /// Ignores an output schema that is not for an object, as required before 2026-07-28 (SCH-10).
    pub(crate) fn check_output(&mut self) {
        let kind = self.output_schema.as_deref().and_then(|schema| member(schema.get(), "type"));
        if kind.is_some_and(|kind| !is_text(kind, "object")) {
            let message = say!("isn’t for an object, as this protocol version requires, and is ignored");
            let path = format!("tools.{}.outputSchema", self.name);
            self.diagnostics.push(Diagnostic::new(DiagnosticCode::WrongType, path, message));
            self.output_schema = None;
        }
    }

    /// Reports tools with the name of an earlier one.
    pub(crate) fn note_duplicate_names(tools: &mut [Self]) {
        let mut seen = HashSet::new();
        for tool in tools {
            if !seen.insert(tool.name.clone()) {
                let message = say!("is also the name of an earlier tool; calls reach only one of them");
                tool.diagnostics.push(Diagnostic::new(
                    DiagnosticCode::Unmatched,
                    format!("tools.{}", tool.name),
                    message,
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn read(text: &str) -> Result<Tool, String> {
        Tool::read(text, "tools[3]", &LimitTracker::default()).map_err(|odd| odd.to_string())
    }

    fn odd(text: &str) -> Vec<String> {
        read(text).unwrap().diagnostics.iter().map(ToString::to_string).collect()
    }

    // Requirements: TOOL-18.
    #[test]
    fn a_complete_tool_is_read_without_remarks() {
        let tool =
            read(r#"{"name":"add","title":"Add","description":"a+b","inputSchema":{"type":"object"},"x":1}"#)
                .unwrap();
        assert_eq!((tool.name.as_str(), tool.title.as_deref()), ("add", Some("Add")));
        assert_eq!(tool.input_schema.unwrap().get(), r#"{"type":"object"}"#);
        assert!(tool.raw.get().contains("\"x\":1"));
        assert!(tool.diagnostics.is_empty());
    }

    // Requirements: TOOL-08.
    #[test]
    fn display_name_is_title_then_annotation_title_then_name() {
        for (own, annotated, expected) in [
            (Some("Own"), Some("Annotated"), Some("Own")),
            (Some("Own"), None, Some("Own")),
            (None, Some("Annotated"), Some("Annotated")),
            (None, None, None),
            // An empty title counts.
            (Some(""), Some("Annotated"), Some("")),
        ] {
            let title = own.map(|own| format!(r#""title":"{own}","#)).unwrap_or_default();
            let annotated = annotated.map(|title| format!(r#""title":"{title}","#)).unwrap_or_default();
            let text = format!(
                r#"{{"name":"n",{title}"annotations":{{{annotated}"readOnlyHint":true}},"inputSchema":{{}}}}"#
            );
            let tool = read(&text).unwrap();
            assert_eq!((tool.name.as_str(), tool.title.as_deref()), ("n", expected), "{text}");
            assert!(tool.diagnostics.is_empty(), "{text}");
        }
        let odd = odd(r#"{"name":"n","annotations":{"title":5},"inputSchema":{}}"#);
        assert!(odd[0].contains("annotations.title"), "{odd:?}");
    }

    // Requirements: TOOL-19.
    #[test]
    fn a_tool_without_a_usable_schema_stays_usable() {
        assert_eq!(odd(r#"{"name":"a"}"#), ["tools[3].inputSchema: is missing"]);
        assert_eq!(odd(r#"{"name":"a","inputSchema":true}"#), ["tools[3].inputSchema: isn’t an object"]);
        assert_eq!(odd(r#"{"name":"a","inputSchema":null}"#), ["tools[3].inputSchema: isn’t an object"]);
    }

    #[test]
    fn a_description_of_another_type_is_shown_as_json() {
        let tool = read(r#"{"name":"a","description":42,"inputSchema":{}}"#).unwrap();
        assert_eq!(tool.description.as_deref(), Some("42"));
    }

    #[test]
    fn a_tool_that_cannot_be_called_says_why() {
        assert_eq!(read(r#"{"inputSchema":{}}"#).unwrap_err(), "tools[3].name: is missing");
        assert_eq!(read(r#"{"name":7}"#).unwrap_err(), "tools[3].name: isn’t a string");
        assert_eq!(read("17").unwrap_err(), "tools[3]: isn’t an object");
    }

    // Requirements: TOOL-21.
    #[test]
    fn a_name_is_allowed_up_to_the_limit_and_refused_one_above() {
        let tool = |n: usize| read(&format!(r#"{{"name":"{}","inputSchema":{{}}}}"#, "n".repeat(n)));
        assert!(tool(128).is_ok());
        assert_eq!(tool(129).unwrap_err(), "tools[3].name: is longer than 128 bytes");
    }

    #[test]
    fn description_is_cut_at_a_character_boundary_above_the_limit() {
        let bounds = LimitTracker::from(Limits { description_bytes: 4, ..Limits::default() });
        let tool = Tool::read(r#"{"name":"a","description":"é漢x","inputSchema":{}}"#, "t", &bounds).unwrap();
        assert_eq!(tool.description.as_deref(), Some("é"));
        assert_eq!(tool.diagnostics.len(), 1);
    }
}
