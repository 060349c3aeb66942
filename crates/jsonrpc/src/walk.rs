//! Finds the members of a JSON text in one pass without parsing values: no allocation, no validation. Code
//! that parses a value validates it.

use std::cell::Cell;
use std::ops::Range;

use memchr::{memchr, memchr2};

/// A half-open range of bytes inside a text.
pub type Span = Range<usize>;

/// Why a container could not be walked to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContainerError {
    /// There are more values than allowed.
    TooManyNodes,
    /// There are more levels than allowed.
    TooDeep,
    /// The text is not JSON.
    Broken(Broken),
}

/// Why a text is not a JSON container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// A string does not end.
    OpenString,
    /// There is more text after its end.
    TextBehind,
    /// It closes more containers than it opens.
    TooManyClosed,
    /// The text ends before the container is closed.
    CutShort,
}

thread_local! {
    static SCANNED: Cell<u64> = const { Cell::new(0) };
}

/// Counts scanned bytes of JSON text, in builds with debug assertions.
pub(crate) fn count(bytes: usize) {
    if cfg!(debug_assertions) {
        SCANNED.with(|scanned| scanned.set(scanned.get() + bytes as u64));
    }
}

/// Returns how many bytes of JSON text this thread scanned since the last call, for tests that a peer's text
/// is not read again and again. Zero in builds without debug assertions.
pub fn take_scanned() -> u64 {
    SCANNED.take()
}

/// Decodes a key that contains escapes. `None` if it has none or is not valid.
pub fn decode_key(key: &[u8]) -> Option<String> {
    memchr(b'\\', key)?;
    let mut quoted = Vec::with_capacity(key.len() + 2);
    quoted.push(b'"');
    quoted.extend_from_slice(key);
    quoted.push(b'"');
    serde_json::from_slice(&quoted).ok()
}

/// Words for numbers that JSON does not have, in lower case. Longer words precede their prefixes.
const WORDS: [&[u8]; 3] = [b"infinity", b"inf", b"nan"];
/// The length of a number that JSON does not have (`NaN`, `Infinity`, `inf`) at the start of `text`, without
/// its sign.
pub fn odd_number_len(text: &[u8]) -> Option<usize> {
    let begins = |word: &&&[u8]| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let length = WORDS.iter().find(begins)?.len();
    let ends = text.get(length).is_none_or(|next| next.is_ascii_whitespace() || b",]}".contains(next));
    ends.then_some(length)
}

/// Classes of the bytes outside strings.
const PLAIN: u8 = 0;
const QUOTE: u8 = 1;
const OPEN: u8 = 2;
const CLOSE: u8 = 3;
const COMMA: u8 = 4;
const COLON: u8 = 5;
/// First bytes of `null`, and of numbers that JSON does not have.
const WORD: u8 = 6;

const CLASS: [u8; 256] = {
    let mut class = [PLAIN; 256];
    class[b'"' as usize] = QUOTE;
    class[b'{' as usize] = OPEN;
    class[b'[' as usize] = OPEN;
    class[b'}' as usize] = CLOSE;
    class[b']' as usize] = CLOSE;
    class[b',' as usize] = COMMA;
    class[b':' as usize] = COLON;
    class[b'n' as usize] = WORD;
    class[b'N' as usize] = WORD;
    class[b'i' as usize] = WORD;
    class[b'I' as usize] = WORD;
    class
};

/// Walks one JSON container. Reports each member of the top-level object as the ranges of its key (without
/// quotes) and its value (without white space). Returns whether there are numbers that JSON does not have.
#[expect(
    clippy::indexing_slicing,
    reason = "`at` is below the length by the loop's condition, CLASS has an entry for each byte"
)]
pub fn walk(
    bytes: &[u8],
    max_nodes: usize,
    max_depth: usize,
    mut member: impl FnMut(Span, Span),
) -> Result<bool, ContainerError> {
    count(bytes.len());
    let is_object = bytes.first() == Some(&b'{');
    let mut at = 0;
    let mut depth = 0_usize;
    // An opened container counts its first element as one value. If it turns out to be empty, that is undone.
    let mut nodes = 1_usize;
    let mut just_opened = false;
    let mut odd_numbers = false;
    let mut key: Option<Span> = None;
    let mut value_start: Option<usize> = None;
    while at < bytes.len() {
        let class = CLASS[usize::from(bytes[at])];
        if class == PLAIN {
            just_opened &= bytes[at].is_ascii_whitespace();
            at += 1;
            continue;
        }
        match class {
            QUOTE => {
                just_opened = false;
                let end = string_end(bytes, at + 1).ok_or(ContainerError::Broken(Broken::OpenString))?;
                if depth == 1 && is_object && key.is_none() {
                    key = Some(at + 1..end);
                }
                at = end;
            }
            OPEN => {
                depth += 1;
                nodes += 1;
                just_opened = true;
                if depth > max_depth {
                    return Err(ContainerError::TooDeep);
                }
            }
            CLOSE => {
                if just_opened {
                    nodes -= 1;
                    just_opened = false;
                }
                if depth == 1 {
                    if let (Some(key), Some(start)) = (key.take(), value_start.take()) {
                        member(key, trim_span(bytes, start, at));
                    }
                    if bytes[at + 1..].iter().all(u8::is_ascii_whitespace) {
                        return if nodes > max_nodes {
                            Err(ContainerError::TooManyNodes)
                        } else {
                            Ok(odd_numbers)
                        };
                    }
                    return Err(ContainerError::Broken(Broken::TextBehind));
                }
                depth = depth.checked_sub(1).ok_or(ContainerError::Broken(Broken::TooManyClosed))?;
            }
            COMMA => {
                nodes += 1;
                if nodes > max_nodes {
                    return Err(ContainerError::TooManyNodes);
                }
                if depth == 1 {
                    if let (Some(key), Some(start)) = (key.take(), value_start.take()) {
                        member(key, trim_span(bytes, start, at));
                    }
                }
            }
            WORD => {
                just_opened = false;
                let word = &bytes[at..];
                if word.starts_with(b"null") {
                    at += 3;
                } else if let Some(length) = odd_number_len(word) {
                    odd_numbers = true;
                    at += length - 1;
                }
            }
            _ => {
                if depth == 1 && value_start.is_none() && key.is_some() {
                    value_start = Some(at + 1);
                }
            }
        }
        at += 1;
    }
    Err(ContainerError::Broken(Broken::CutShort))
}

/// The index of the quote that ends the string whose content starts at `from`.
pub fn string_end(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let found = from + memchr2(b'"', b'\\', bytes.get(from..)?)?;
        if bytes.get(found) == Some(&b'"') {
            return Some(found);
        }
        from = found + 2;
    }
}

fn trim_span(bytes: &[u8], mut start: usize, mut end: usize) -> Span {
    while start < end && bytes.get(start).is_some_and(u8::is_ascii_whitespace) {
        start += 1;
    }
    while end > start && bytes.get(end - 1).is_some_and(u8::is_ascii_whitespace) {
        end -= 1;
    }
    start..end
}
