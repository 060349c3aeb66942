//! Edits of a text that replace ranges and keep everything else.

use std::ops::Range;

/// A range of a text, and the text that replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

impl Splice {
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { range: at..at, text: text.into() }
    }

    pub(crate) fn remove(range: Range<usize>) -> Self {
        Self { range, text: String::new() }
    }

    pub(crate) fn replace(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }
}

/// Applies the splices to the text. They must not overlap. `None` if one is outside of the text.
pub(crate) fn apply_splices(text: &str, mut splices: Vec<Splice>) -> Option<String> {
    splices.sort_by_key(|splice| splice.range.start);
    let mut result =
        String::with_capacity(text.len() + splices.iter().map(|splice| splice.text.len()).sum::<usize>());
    let mut at = 0;
    for splice in splices {
        result.push_str(text.get(at..splice.range.start)?);
        result.push_str(&splice.text);
        at = splice.range.end;
    }
    result.push_str(text.get(at..)?);
    Some(result)
}

/// The line end of a text's first line.
pub(crate) fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The start of the line that contains an offset.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    let before = text.as_bytes().iter().take(at).rev().position(|byte| *byte == b'\n');
    before.map_or(0, |back| at.min(text.len()) - back)
}

/// The start of the line after an offset, or the end of the text.
pub(crate) fn next_line(text: &str, at: usize) -> usize {
    let newline = text.as_bytes().iter().skip(at).position(|byte| *byte == b'\n');
    newline.map_or(text.len(), |ahead| at + ahead + 1)
}

/// The spaces and tabs at the beginning of a text.
pub(crate) fn indentation(text: &str) -> &str {
    let end = text.find(|letter| letter != ' ' && letter != '\t').unwrap_or(text.len());
    &text[..end]
}

/// The number of the line that contains an offset, starting at 1.
pub(crate) fn line_number(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    text[..at].matches('\n').count() + 1
}

/// Whether there is only white space between an offset and the end of its line.
pub(crate) fn is_blank_until_line_end(text: &str, at: usize) -> bool {
    text[at..next_line(text, at)].trim().is_empty()
}
