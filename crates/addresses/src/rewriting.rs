//! Rewrites resource URIs in messages of servers and apps. Each one is replaced in place, and everything else
//! keeps its bytes.

use std::ops::Range;

use mooring_jsonrpc::{is_text, pairs, quoted, string};
use serde_json::value::RawValue;

/// Maximum number of levels of nested blocks.
const MAX_DEPTH: usize = 16;
/// The members of `_meta` that are addresses themselves (MCP Apps before 2026, and an app's own of that time).
const FLAT: [&str; 2] = ["ui/resourceUri", "openai/outputTemplate"];

/// The kind of the JSON text that contains the URIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// The definition of a tool or prompt.
    Definition,
    /// The definition of a resource, or its contents in a result.
    Resource,
    /// The definition of a template, without its own address.
    Template,
    /// The result of a call.
    Result,
    /// A prompt, filled in.
    Prompt,
    /// The contents of a resource that was read.
    Contents,
    /// The data of an error.
    ErrorData,
}

/// Replaces every URI by what `expose` returns for it, unless that is `None`.
pub fn with_addresses(text: String, holder: Holder, expose: impl FnMut(&str) -> Option<String>) -> String {
    // Most have none, which is seen without reading all. A name may be written with escapes.
    if !["uri\"", "Uri\"", "Template\"", "\\u"].iter().any(|part| text.contains(part)) {
        return text;
    }
    let mut rewriting = Rewriting { whole: &text, edits: Vec::new(), expose };
    rewriting.visit_members(&text, |rewriting, name, value| match (holder, name) {
        (Holder::Resource | Holder::ErrorData, "uri") => rewriting.replace_text(value),
        (_, "_meta") => rewriting.rewrite_meta(value),
        (Holder::Result, "content") => rewriting.rewrite_blocks(value, 0),
        (Holder::Prompt, "messages") => {
            rewriting.visit_elements(value, |rewriting, message| rewriting.rewrite_block(message, 0));
        }
        (Holder::Contents, "contents") => rewriting.visit_elements(value, Rewriting::rewrite_resource),
        _ => {}
    });
    let edits = std::mem::take(&mut rewriting.edits);
    apply_edits(text, edits)
}

/// Replaces every string in a value that is a URI with a prefix by what `restore` returns for it, unless that
/// is `None`.
pub fn with_texts(value: String, restore: impl FnMut(&str) -> Option<String>) -> String {
    if !value.contains("ooring") && !value.contains("\\u") {
        return value;
    }
    let mut rewriting = Rewriting { whole: &value, edits: Vec::new(), expose: restore };
    rewriting.replace_texts(&value, 0);
    let edits = std::mem::take(&mut rewriting.edits);
    apply_edits(value, edits)
}

/// A range of the text, and what replaces it.
type Edit = (Range<usize>, String);

/// A text with these places replaced.
fn apply_edits(text: String, mut edits: Vec<Edit>) -> String {
    if edits.is_empty() {
        return text;
    }
    edits.sort_by_key(|(place, _)| place.start);
    let mut written = String::with_capacity(text.len() + 32 * edits.len());
    let mut end = 0;
    for (place, new) in edits {
        written.push_str(text.get(end..place.start).unwrap_or_default());
        written.push_str(&new);
        end = place.end;
    }
    written.push_str(text.get(end..).unwrap_or_default());
    written
}

struct Rewriting<'a, F> {
    whole: &'a str,
    edits: Vec<Edit>,
    expose: F,
}

impl<'a, F: FnMut(&str) -> Option<String>> Rewriting<'a, F> {
    /// Replaces a value that is a text.
    fn replace_text(&mut self, value: &'a str) {
        let Some(own) = string(value) else { return };
        let Some(exposed) = (self.expose)(&own).filter(|exposed| *exposed != own) else { return };
        // The value is a part of the whole.
        let Some(start) = value.as_ptr().addr().checked_sub(self.whole.as_ptr().addr()) else { return };
        self.edits.push((start..start + value.len(), quoted(&exposed)));
    }

    /// Visits all members of an object, including repeated ones: a parser may use the first or the last.
    fn visit_members(&mut self, object: &'a str, visit: impl Fn(&mut Self, &str, &'a str)) {
        for (name, value) in pairs(object) {
            visit(self, &name, value);
        }
    }

    /// Visits the elements of an array.
    fn visit_elements(&mut self, array: &'a str, visit: impl Fn(&mut Self, &'a str)) {
        for element in elements(array) {
            visit(self, element);
        }
    }

    fn rewrite_meta(&mut self, meta: &'a str) {
        self.visit_members(meta, |rewriting, name, value| {
            if FLAT.contains(&name) {
                rewriting.replace_text(value);
            } else if name == "ui" {
                rewriting.visit_members(value, |rewriting, name, value| {
                    if name == "resourceUri" {
                        rewriting.replace_text(value);
                    }
                });
            }
        });
    }

    /// Visits a resource.
    fn rewrite_resource(&mut self, resource: &'a str) {
        self.visit_members(resource, |rewriting, name, value| match name {
            "uri" => rewriting.replace_text(value),
            "_meta" => rewriting.rewrite_meta(value),
            _ => {}
        });
    }

    /// One block, or a list of them.
    fn rewrite_blocks(&mut self, content: &'a str, depth: usize) {
        if content.starts_with('{') {
            self.rewrite_block(content, depth);
        }
        self.visit_elements(content, |rewriting, block| rewriting.rewrite_block(block, depth));
    }

    /// Visits a block, or a message with blocks.
    fn rewrite_block(&mut self, block: &'a str, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let is_link = pairs(block).any(|(name, kind)| name == "type" && is_text(kind, "resource_link"));
        self.visit_members(block, |rewriting, name, value| match name {
            "uri" if is_link => rewriting.replace_text(value),
            "resource" => rewriting.rewrite_resource(value),
            "content" => rewriting.rewrite_blocks(value, depth + 1),
            "_meta" => rewriting.rewrite_meta(value),
            _ => {}
        });
    }

    /// Every text in a value.
    fn replace_texts(&mut self, value: &'a str, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for value in pairs(value).map(|(_, value)| value).chain(elements(value)) {
            if value.starts_with('"') {
                self.replace_text(value);
            } else {
                self.replace_texts(value, depth + 1);
            }
        }
    }
}

/// The elements of an array. Empty if it is not an array.
fn elements(array: &str) -> impl Iterator<Item = &str> {
    let elements = array.starts_with('[').then(|| mooring_jsonrpc::elements(array)).flatten();
    elements.into_iter().flatten().map(RawValue::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exposed(uri: &str) -> Option<String> {
        uri.starts_with("acct:").then(|| format!("p+1:{uri}"))
    }

    #[test]
    fn each_address_is_replaced_and_the_rest_stays_to_the_byte() {
        for (holder, text) in [
            (
                Holder::Result,
                r#"{ "content" : [{"type":"text","text":"acct://me \u0041","uri":"acct://me"}, {"type":"resource_link","\u0075ri" : "acct:\/\/me", "n":1.0e1},{"type":"resource","resource":{"uri":"acct://me","text":"acct://me","uri":"acct://you"}},{"type":"tool_result","content":[{"type":"resource_link","uri":"acct://me"}]}], "_meta":{"ui":{"resourceUri":"acct://me"},"ui/resourceUri":"acct://me","x":{"resourceUri":"acct://me"}},"structuredContent":{"uri":"acct://me"} }"#,
            ),
            (
                Holder::Prompt,
                r#"{"messages":[{"role":"user","content":{"type":"resource_link","uri":"acct://me"}},{"content":[{"type":"resource","resource":{"uri":"acct://me"}}]}]}"#,
            ),
            (
                Holder::Contents,
                r#"{"contents":[{"uri":"acct://me"},{"uri":"other:x","_meta":{"ui":{"resourceUri":"acct://me"}}}]}"#,
            ),
            (
                Holder::Definition,
                r#"{"name":"acct://me","_meta":{"openai/outputTemplate":"acct://me","ui":{"resourceUri":7}}}"#,
            ),
            (Holder::Resource, r#"{"uri":"acct://me","name":"acct://me"}"#),
            (Holder::ErrorData, r#"{"uri":"acct://me"}"#),
        ] {
            let text = text.to_owned();
            let mut seen = Vec::new();
            let same = with_addresses(text.clone(), holder, |uri| {
                seen.push(uri.to_owned());
                None
            });
            assert_eq!(same, text);
            assert!(!seen.is_empty());
            let changed = with_addresses(text.clone(), holder, exposed);
            let count = seen.iter().filter(|uri| uri.starts_with("acct:")).count();
            assert_eq!(changed.matches("p+1:").count(), count, "{changed}");
            let unescaped = |text: &str| text.replace(r"acct:\/\/", "acct://");
            assert_eq!(unescaped(&changed.replace("p+1:", "")), unescaped(&text));
        }
        for text in ["7", "[]", r#"{"content":7}"#, r#"{"contents":{"uri":"acct://me"}}"#, r#"no json uri""#]
        {
            assert_eq!(with_addresses(text.to_owned(), Holder::Result, exposed), text);
        }
    }

    #[test]
    fn texts_of_arguments_are_replaced_wherever_they_stand() {
        let text = r#"{"a":["mooring+1:x",{"b":"mooring+1:x"},"of mooring+1:x"],"mooring+1:x":1.0}"#;
        let restored = with_texts(text.to_owned(), |text| text.strip_prefix("mooring+1:").map(str::to_owned));
        assert_eq!(restored, r#"{"a":["x",{"b":"x"},"of mooring+1:x"],"mooring+1:x":1.0}"#);
    }
}
