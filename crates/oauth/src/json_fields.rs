//! Reading fields of other people's JSON, leniently and within bounds.

use serde_json::{Map, Value};

/// Entries of a list that are read at most.
const MOST_ENTRIES: usize = 256;
/// Longest text of an entry, in bytes.
const LONGEST_ENTRY: usize = 2048;

/// The texts of a list. Nothing when there is no list; what is no text, empty or endless is left out.
pub(crate) fn texts(document: &Map<String, Value>, field: &str) -> Option<Vec<String>> {
    let entries = document.get(field)?.as_array()?.iter().take(MOST_ENTRIES);
    let mut texts = Vec::new();
    for text in entries.filter_map(Value::as_str) {
        if !text.is_empty() && text.len() <= LONGEST_ENTRY && !texts.iter().any(|known| known == text) {
            texts.push(text.to_owned());
        }
    }
    Some(texts)
}

/// A text that is not empty.
pub(crate) fn text<'a>(document: &'a Map<String, Value>, field: &str) -> Option<&'a str> {
    document.get(field)?.as_str().filter(|text| !text.is_empty())
}

/// The message of an error: OAuth's `error_description`, or similar members.
pub(crate) fn error_description(document: &Map<String, Value>) -> Option<&str> {
    let inner = document.get("error").and_then(Value::as_object);
    ["error_description", "message", "detail", "title"]
        .iter()
        .find_map(|name| text(document, name))
        .or_else(|| inner.and_then(|inner| text(inner, "message")))
        .or_else(|| text(document, "error"))
}

/// A yes or no, which is no unless it says yes.
pub(crate) fn flag(document: &Map<String, Value>, field: &str) -> bool {
    document.get(field).and_then(Value::as_bool).unwrap_or_default()
}

/// A text of another's for our sentences, shortened.
pub(crate) fn quote_excerpt(text: &str) -> String {
    const LONGEST: usize = 300;
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let mut shown: String = text.chars().take(LONGEST).collect();
    shown.push('…');
    shown
}

/// Words of others as a value of a sentence: shortened, without characters that act on text instead of showing.
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
