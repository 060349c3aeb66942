//! Reads the members of one listed item, with a diagnostic for each problem.

use mooring_jsonrpc::{is_text, raw, string};
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::limits::{LimitKind, LimitTracker};
use crate::model::schema;
use crate::text::cut_text;

/// Reads the members of one item, and collects the item's problems.
#[derive(Debug)]
pub(crate) struct FieldReader<'a> {
    path: &'a str,
    bounds: &'a LimitTracker,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl<'a> FieldReader<'a> {
    /// A reader for the item at `path`.
    pub(crate) fn new(path: &'a str, bounds: &'a LimitTracker) -> Self {
        Self { path, bounds, diagnostics: Vec::new() }
    }

    /// Records that a limit was reached, and returns its value.
    fn note_limit(&self, bound: LimitKind) -> usize {
        self.bounds.note_reached(bound);
        self.bounds.value_of(bound)
    }

    fn diagnostic(&self, code: DiagnosticCode, key: &str, message: Sentence) -> Diagnostic {
        Diagnostic::new(code, format!("{}.{key}", self.path), message)
    }

    /// Adds a diagnostic for the member `key`.
    pub(crate) fn diagnose(&mut self, code: DiagnosticCode, key: &str, message: Sentence) {
        self.diagnostics.push(self.diagnostic(code, key, message));
    }

    /// Reads the item's original JSON, which must be an object.
    pub(crate) fn read_whole(&self, text: &str) -> Result<Box<RawValue>, Diagnostic> {
        let odd = |message| Diagnostic::new(DiagnosticCode::WrongType, self.path, message);
        if !text.starts_with('{') {
            return Err(odd(say!("isn’t an object")));
        }
        raw(text).ok_or_else(|| odd(say!("isn’t valid JSON")))
    }

    /// Reads a required string within a limit.
    pub(crate) fn read_required(
        &self,
        value: Option<&str>,
        key: &str,
        bound: LimitKind,
    ) -> Result<String, Diagnostic> {
        let value = value.ok_or_else(|| self.diagnostic(DiagnosticCode::Missing, key, say!("is missing")))?;
        let text = string(value)
            .ok_or_else(|| self.diagnostic(DiagnosticCode::WrongType, key, say!("isn’t a string")))?;
        if text.is_empty() {
            return Err(self.diagnostic(DiagnosticCode::WrongType, key, say!("is empty")));
        }
        if text.len() > self.bounds.value_of(bound) {
            let limit = self.note_limit(bound);
            return Err(self.diagnostic(
                DiagnosticCode::Limit,
                key,
                say!("is longer than {limit} bytes", limit),
            ));
        }
        Ok(text)
    }

    /// Reads a string for people, and cuts it to a limit.
    pub(crate) fn read_text(&mut self, value: &str, key: &str, bound: LimitKind) -> Option<String> {
        let limit = self.bounds.value_of(bound);
        if value == "null" {
            return None;
        }
        let Some(text) = string(value) else {
            self.diagnose(DiagnosticCode::WrongType, key, say!("isn’t a string; its JSON is shown"));
            return Some(cut_text(value, limit).to_owned());
        };
        if text.len() <= limit {
            return Some(text);
        }
        self.note_limit(bound);
        self.diagnose(DiagnosticCode::Limit, key, say!("is longer than {limit} bytes; shortened", limit));
        Some(cut_text(&text, limit).to_owned())
    }

    /// Reads a schema, or another object of similar size, in its original form.
    pub(crate) fn read_object(&mut self, value: &str, key: &str) -> Option<Box<RawValue>> {
        if !value.starts_with('{') {
            self.diagnose(DiagnosticCode::WrongType, key, say!("isn’t an object"));
            return None;
        }
        if value.len() > self.bounds.schema_bytes {
            let limit = self.note_limit(LimitKind::Schema);
            self.diagnose(DiagnosticCode::Limit, key, say!("is larger than {limit} bytes", limit));
            return None;
        }
        if !schema::is_size_within(value, self.bounds.schema_nodes) {
            let limit = self.note_limit(LimitKind::SchemaNodes);
            self.diagnose(
                DiagnosticCode::Limit,
                key,
                say!("contains more than {limit} values, references followed", limit),
            );
            return None;
        }
        raw(value)
    }

    /// Reads a boolean. Strings and numbers that clearly mean true or false are accepted.
    pub(crate) fn read_flag(&mut self, value: &str, key: &str) -> bool {
        if !matches!(value, "true" | "false") {
            self.diagnose(DiagnosticCode::WrongType, key, say!("isn’t a boolean"));
        }
        means_true(value)
    }
}

/// Whether valid JSON clearly means true. Some servers write a string or a number instead of the boolean.
pub(crate) fn means_true(json: &str) -> bool {
    matches!(json, "true" | "1") || is_text(json, "true")
}
