//! Reads fields of foreign JSON leniently, with limits on their size.

use serde_json::{Map, Value};

/// The most entries of a list that are read.
const MOST_ENTRIES: usize = 256;
/// The longest entry, in bytes.
const LONGEST_ENTRY: usize = 2048;

/// The texts of a list. `None` if there is no list. Entries that are not texts, empty or too long are left
/// out.
pub(crate) fn read_texts(document: &Map<String, Value>, field: &str) -> Option<Vec<String>> {
    let entries = document.get(field)?.as_array()?.iter().take(MOST_ENTRIES);
    let mut texts = Vec::new();
    for text in entries.filter_map(Value::as_str) {
        if !text.is_empty() && text.len() <= LONGEST_ENTRY && !texts.iter().any(|known| known == text) {
            texts.push(text.to_owned());
        }
    }
    Some(texts)
}

/// The text of a field. `None` if the field is missing, empty or not a text.
pub(crate) fn read_text<'a>(document: &'a Map<String, Value>, field: &str) -> Option<&'a str> {
    document.get(field)?.as_str().filter(|text| !text.is_empty())
}

/// The message of an error: `error_description` of OAuth, or similar members.
pub(crate) fn read_error_description(document: &Map<String, Value>) -> Option<&str> {
    let inner = document.get("error").and_then(Value::as_object);
    ["error_description", "message", "detail", "title"]
        .iter()
        .find_map(|name| read_text(document, name))
        .or_else(|| inner.and_then(|inner| read_text(inner, "message")))
        .or_else(|| read_text(document, "error"))
}

/// The value of a boolean field. False if the field isn't `true`.
pub(crate) fn read_flag(document: &Map<String, Value>, field: &str) -> bool {
    document.get(field).and_then(Value::as_bool).unwrap_or_default()
}

/// Shortens a foreign text for use in a sentence of Mooring.
pub(crate) fn quote_excerpt(text: &str) -> String {
    const LONGEST: usize = 300;
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let mut shown: String = text.chars().take(LONGEST).collect();
    shown.push('…');
    shown
}

/// Prepares a foreign text as a value of a sentence. Shortens the text, and removes characters that control
/// text instead of being visible.
pub(crate) fn sanitize(text: &str, most: usize) -> String {
    let acts = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}')
    };
    let mut shown = text.chars().filter(|c| !acts(*c));
    let mut excerpt: String = shown.by_ref().take(most).collect();
    if shown.next().is_some() {
        excerpt.push('…');
    }
    excerpt
}
