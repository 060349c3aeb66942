//! Prompts, read leniently.

use mooring_jsonrpc::{Members, elements};
use mooring_words::say;
use serde::Serialize;
use serde_json::value::RawValue;
use ts_rs::TS;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::limits::{LimitKind, LimitTracker};
use crate::model::as_text;
use crate::model::fields::FieldReader;

/// A prompt as the server describes it (`Prompt` in the schema).
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "PromptView")]
pub struct Prompt {
    /// The name for requests.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// The server's description.
    pub description: Option<String>,
    /// The arguments.
    pub arguments: Vec<PromptArgument>,
    /// The whole prompt as sent.
    #[serde(serialize_with = "as_text::raw")]
    #[ts(type = "string")]
    pub raw: Box<RawValue>,
    /// Problems of the prompt.
    pub diagnostics: Vec<Diagnostic>,
}

/// A prompt's argument. Its value is a string.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct PromptArgument {
    /// The argument's name.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// The server's description.
    pub description: Option<String>,
    /// Whether the prompt requires it.
    pub required: bool,
}

impl Prompt {
    /// Parses an element of `prompts`. Fails without a name, because the prompt could not be requested.
    pub(crate) fn read(text: &str, path: &str, bounds: &LimitTracker) -> Result<Self, Diagnostic> {
        let mut fields = FieldReader::new(path, bounds);
        let raw = fields.read_whole(text)?;
        let (mut name, mut title, mut description) = (None, None, None);
        let mut arguments = Vec::new();
        for (key, value) in &Members::of(text) {
            match key {
                "name" => name = Some(value),
                "title" => title = fields.read_text(value, key, LimitKind::Description),
                "description" => description = fields.read_text(value, key, LimitKind::Description),
                "arguments" if value != "null" => match elements(value) {
                    Some(elements) => {
                        for (index, element) in elements.into_iter().enumerate() {
                            let path = format!("{path}.arguments[{index}]");
                            match PromptArgument::read(element.get(), &path, bounds, &mut fields.diagnostics)
                            {
                                Ok(argument) => arguments.push(argument),
                                Err(odd) => fields.diagnostics.push(odd),
                            }
                        }
                    }
                    None => fields.diagnose(DiagnosticCode::WrongType, key, say!("isn’t an array")),
                },
                _ => {}
            }
        }
        let name = fields.read_required(name, "name", LimitKind::Name)?;
        Ok(Self { name, title, description, arguments, raw, diagnostics: fields.diagnostics })
    }
}

impl PromptArgument {
    fn read(
        text: &str,
        path: &str,
        bounds: &LimitTracker,
        odd: &mut Vec<Diagnostic>,
    ) -> Result<Self, Diagnostic> {
        let mut fields = FieldReader::new(path, bounds);
        fields.read_whole(text)?;
        let (mut name, mut title, mut description, mut required) = (None, None, None, false);
        for (key, value) in &Members::of(text) {
            match key {
                "name" => name = Some(value),
                "title" => title = fields.read_text(value, key, LimitKind::Description),
                "description" => description = fields.read_text(value, key, LimitKind::Description),
                "required" if value != "null" => required = fields.read_flag(value, key),
                _ => {}
            }
        }
        let name = fields.read_required(name, "name", LimitKind::Name)?;
        odd.append(&mut fields.diagnostics);
        Ok(Self { name, title, description, required })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: PROM-03.
    #[test]
    fn a_bad_argument_does_not_hide_the_good_ones() {
        let text = r#"{"name":"tune","arguments":[{"name":"sql","required":"true"},7,{"description":"x"},{"name":"b"}]}"#;
        let prompt = Prompt::read(text, "prompts[1]", &LimitTracker::default()).unwrap();
        let arguments: Vec<_> =
            prompt.arguments.iter().map(|argument| (argument.name.as_str(), argument.required)).collect();
        assert_eq!(arguments, [("sql", true), ("b", false)]);
        let odd: Vec<_> = prompt.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(
            odd,
            [
                "prompts[1].arguments[0].required: isn’t a boolean",
                "prompts[1].arguments[1]: isn’t an object",
                "prompts[1].arguments[2].name: is missing"
            ]
        );
    }
}
