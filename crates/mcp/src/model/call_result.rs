//! The result of `tools/call`.

use std::time::Duration;

use mooring_jsonrpc::{Members, member};
use mooring_words::{Sentence, say};

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::fields::means_true;
use crate::model::shape;
use crate::raw_json::RawJson;

/// A tool's result.
#[derive(Debug, Clone)]
pub struct CallResult {
    /// The result as the server sent it.
    pub raw: RawJson,
    /// Whether the tool reports that it failed (`isError`).
    pub is_error: bool,
    /// Problems of the result.
    pub diagnostics: Vec<Diagnostic>,
    /// The time from the request to its response, without the time in which questions waited for answers.
    pub elapsed: Duration,
}

impl CallResult {
    /// Whether a result says that its tool failed.
    pub(crate) fn is_error(result: &str) -> bool {
        member(result, "isError").is_some_and(means_true)
    }

    /// Parses a result that is valid JSON.
    pub(crate) fn read(raw: RawJson, mut diagnostics: Vec<Diagnostic>, elapsed: Duration) -> Self {
        let mut odd =
            |code, path: &str, message: Sentence| diagnostics.push(Diagnostic::new(code, path, message));
        let mut is_error = false;
        let (mut content, mut structured) = (None, false);
        if raw.get().starts_with('{') {
            let members = Members::of(raw.get());
            if let Some(flag) = members.get("isError") {
                is_error = means_true(flag);
                if !matches!(flag, "true" | "false" | "null") {
                    odd(DiagnosticCode::WrongType, "isError", say!("isn’t a boolean"));
                }
            }
            content = members.get("content");
            structured = members.get("structuredContent").is_some();
        } else {
            odd(DiagnosticCode::WrongType, "result", say!("isn’t an object"));
        }
        match content {
            Some(value) if !value.starts_with('[') => {
                odd(DiagnosticCode::WrongType, "content", say!("isn’t an array"));
            }
            None if !structured => odd(DiagnosticCode::Missing, "content", say!("is missing")),
            _ => {}
        }
        shape::check_answer("tools/call", &raw, &mut diagnostics);
        Self { raw, is_error, diagnostics, elapsed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mooring_jsonrpc::raw;

    fn check(text: &str, is_error: bool, odd: &[&str]) {
        let result = CallResult::read(raw(text).unwrap().into(), Vec::new(), Duration::ZERO);
        assert_eq!(result.is_error, is_error, "{text}");
        assert_eq!(result.diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>(), odd, "{text}");
        assert_eq!(result.raw.get(), text);
    }

    // Requirements: TOOL-11, TOOL-16, TOOL-09.
    #[test]
    fn a_result_is_read_leniently_and_kept_to_the_byte() {
        check(r#"{"content":[]}"#, false, &[]);
        check(r#"{"content":[],"isError":true}"#, true, &[]);
        check(r#"{"content":[],"isError":"true"}"#, true, &["isError: isn’t a boolean"]);
        check(r#"{"content":"text"}"#, false, &["content: isn’t an array"]);
        check(r#"{"structuredContent":{"isError":true}}"#, false, &[]);
        check("{}", false, &["content: is missing"]);
        check("[1]", false, &["result: isn’t an object", "content: is missing"]);
    }
}
