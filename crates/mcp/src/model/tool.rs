//! Tools, read leniently: one bad tool never hides its neighbours.

use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::frame::object_members;
use crate::limits::Limits;
use crate::model::diagnostic::{Code, Diagnostic};
use crate::model::{cut, raw, string};

/// A tool as a server describes it (`Tool` in the schema of each revision).
#[derive(Debug, Clone)]
pub struct Tool {
    /// The name by which it is called.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What the server says about it.
    pub description: Option<String>,
    /// The JSON Schema of its arguments; absent where the server sent none that is an object.
    pub input_schema: Option<Box<RawValue>>,
    /// The JSON Schema of its structured result.
    pub output_schema: Option<Box<RawValue>>,
    /// The server's hints about its behaviour; never a basis for consent.
    pub annotations: Option<Box<RawValue>>,
    /// All of it, as it came.
    pub raw: Box<RawValue>,
    /// What was odd about it, with paths inside the tool.
    pub diagnostics: Vec<Diagnostic>,
}

impl Tool {
    /// Reads one element of `tools`. `path` is where it stands. Without a name there is nothing to call: then
    /// the reason comes back in place of the tool.
    pub(crate) fn read(text: &str, path: &str, limits: &Limits) -> Result<Self, Diagnostic> {
        if !text.starts_with('{') {
            return Err(Diagnostic::new(Code::WrongType, path, "is not an object"));
        }
        let mut tool = Self {
            name: String::new(),
            title: None,
            description: None,
            input_schema: None,
            output_schema: None,
            annotations: None,
            raw: raw(text).ok_or_else(|| Diagnostic::new(Code::WrongType, path, "is not valid JSON"))?,
            diagnostics: Vec::new(),
        };
        let mut name = None;
        let mut has_schema = false;
        for (key, value) in object_members(text) {
            match key {
                "name" => name = Some(value),
                "title" => tool.title = tool.text(value, path, key, limits.description_bytes),
                "description" => tool.description = tool.text(value, path, key, limits.description_bytes),
                "inputSchema" => {
                    has_schema = true;
                    tool.input_schema = tool.object(value, path, key, limits.schema_bytes);
                }
                "outputSchema" => tool.output_schema = tool.object(value, path, key, limits.schema_bytes),
                "annotations" => tool.annotations = tool.object(value, path, key, limits.schema_bytes),
                _ => {}
            }
        }
        if !has_schema {
            tool.odd(Code::Missing, path, "inputSchema", "is missing");
        }
        let name_path = format!("{path}.name");
        let name = name.ok_or_else(|| Diagnostic::new(Code::Missing, &name_path, "is missing"))?;
        tool.name =
            string(name).ok_or_else(|| Diagnostic::new(Code::WrongType, &name_path, "is not a string"))?;
        if tool.name.is_empty() {
            return Err(Diagnostic::new(Code::WrongType, name_path, "is empty"));
        }
        if tool.name.len() > limits.name_bytes {
            let message = format!("is longer than {} bytes", limits.name_bytes);
            return Err(Diagnostic::new(Code::Limit, name_path, message));
        }
        Ok(tool)
    }

    /// Notes tools that bear the name of an earlier one.
    pub(crate) fn note_namesakes(tools: &mut [Self]) {
        let mut seen = HashSet::new();
        for tool in tools {
            if !seen.insert(tool.name.clone()) {
                let message = "is the name of an earlier tool too; calls reach only one of them";
                tool.diagnostics.push(Diagnostic::new(
                    Code::Unmatched,
                    format!("tools.{}", tool.name),
                    message,
                ));
            }
        }
    }

    fn odd(&mut self, code: Code, path: &str, key: &str, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(code, format!("{path}.{key}"), message));
    }

    fn text(&mut self, value: &str, path: &str, key: &str, limit: usize) -> Option<String> {
        if value == "null" {
            return None;
        }
        let Some(text) = string(value) else {
            self.odd(Code::WrongType, path, key, "is not a string; its JSON is shown");
            return Some(cut(value, limit).to_owned());
        };
        if text.len() <= limit {
            return Some(text);
        }
        self.odd(Code::Limit, path, key, format!("is longer than {limit} bytes; shown cut"));
        Some(cut(&text, limit).to_owned())
    }

    fn object(&mut self, value: &str, path: &str, key: &str, limit: usize) -> Option<Box<RawValue>> {
        if !value.starts_with('{') {
            self.odd(Code::WrongType, path, key, "is not an object");
            return None;
        }
        if value.len() > limit {
            self.odd(Code::Limit, path, key, format!("is larger than {limit} bytes"));
            return None;
        }
        raw(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Tool, String> {
        Tool::read(text, "tools[3]", &Limits::default()).map_err(|odd| odd.to_string())
    }

    fn odd(text: &str) -> Vec<String> {
        read(text).unwrap().diagnostics.iter().map(ToString::to_string).collect()
    }

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

    #[test]
    fn a_tool_without_a_usable_schema_stays_usable() {
        assert_eq!(odd(r#"{"name":"a"}"#), ["tools[3].inputSchema: is missing"]);
        assert_eq!(odd(r#"{"name":"a","inputSchema":true}"#), ["tools[3].inputSchema: is not an object"]);
        assert_eq!(odd(r#"{"name":"a","inputSchema":null}"#), ["tools[3].inputSchema: is not an object"]);
    }

    #[test]
    fn a_description_of_another_type_is_shown_as_json() {
        let tool = read(r#"{"name":"a","description":42,"inputSchema":{}}"#).unwrap();
        assert_eq!(tool.description.as_deref(), Some("42"));
    }

    #[test]
    fn a_tool_that_cannot_be_called_says_why() {
        assert_eq!(read(r#"{"inputSchema":{}}"#).unwrap_err(), "tools[3].name: is missing");
        assert_eq!(read(r#"{"name":7}"#).unwrap_err(), "tools[3].name: is not a string");
        assert_eq!(read("17").unwrap_err(), "tools[3]: is not an object");
    }

    #[test]
    fn a_name_is_allowed_up_to_the_limit_and_refused_one_above() {
        let tool = |n: usize| read(&format!(r#"{{"name":"{}","inputSchema":{{}}}}"#, "n".repeat(n)));
        assert!(tool(128).is_ok());
        assert_eq!(tool(129).unwrap_err(), "tools[3].name: is longer than 128 bytes");
    }

    #[test]
    fn a_description_is_cut_above_the_limit_at_the_end_of_a_character() {
        let limits = Limits { description_bytes: 4, ..Limits::default() };
        let tool = Tool::read(r#"{"name":"a","description":"é漢x","inputSchema":{}}"#, "t", &limits).unwrap();
        assert_eq!(tool.description.as_deref(), Some("é"));
        assert_eq!(tool.diagnostics.len(), 1);
    }
}
