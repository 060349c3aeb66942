//! Finds the values of members of JSON, and of text that looks like JSON.

use std::ops::Range;

use mooring_base::credentials::scan_cost::count_bytes;

use crate::scan::{Scanner, ValueFilter};

/// The most bytes after a name in which the members of an object are searched, and the most bytes of a string
/// among these members.
const OBJECT_REACH: (usize, usize) = (4 << 10, 64 << 10);
/// The fewest digits of a number that may be a secret, after the name of a password and after any other name.
const MIN_DIGITS: (usize, usize) = (4, 6);

/// The ranges of the values of a name.
#[derive(Default)]
pub(super) struct ValueRanges<'a> {
    /// The quotes to put around the replacement of each value.
    pub(super) quote: &'a [u8],
    pub(super) ranges: Vec<Range<usize>>,
}

impl From<Option<Range<usize>>> for ValueRanges<'_> {
    fn from(place: Option<Range<usize>>) -> Self {
        Self { quote: b"", ranges: place.into_iter().collect() }
    }
}

/// Reads the values of a JSON member: its text, the texts of its list or object, or its number. `quote` is
/// for the replacement of a number.
pub(super) fn read_member_values<'a>(
    scan: &mut Scanner<'a>,
    name: &str,
    wanted: ValueFilter,
    quote: &'a [u8],
) -> ValueRanges<'a> {
    match scan.current_byte() {
        Some(b'{') if wanted == ValueFilter::Any => {
            ValueRanges { quote: b"", ranges: read_object_values(scan) }
        }
        Some(b'0'..=b'9') if wanted == ValueFilter::Any => {
            let start = scan.at;
            let is_digit = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
            let digits = scan.rest().iter().take_while(is_digit).count();
            count_bytes(digits);
            let lower = name.to_ascii_lowercase();
            let is_password =
                ["pass", "word", "pwd", "code", "secret", "otp"].iter().any(|end| lower.ends_with(end));
            let least = if is_password { MIN_DIGITS.0 } else { MIN_DIGITS.1 };
            let counts = lower.ends_with('s') && !is_password;
            let number = start..start + digits;
            let places = Some(number).filter(|_| digits >= least && !counts).into_iter().collect();
            ValueRanges { quote, ranges: places }
        }
        _ => ValueRanges { quote: b"", ranges: scan.read_quoted_values(wanted) },
    }
}

/// Reads the texts of the members of the object here. If the object is a JSON schema, it has no values.
fn read_object_values(scan: &mut Scanner<'_>) -> Vec<Range<usize>> {
    const SCHEMA: [&[u8]; 8] =
        [b"$ref", b"anyOf", b"oneOf", b"allOf", b"enum", b"properties", b"description", b"title"];
    const TYPES: [&[u8]; 7] = [b"string", b"object", b"number", b"integer", b"boolean", b"array", b"null"];
    // An object around this one was read already, with this result.
    if scan.without_values.contains(&scan.at) || scan.schemas.binary_search(&scan.at).is_ok() {
        return Vec::new();
    }
    let first = scan.at;
    let end = scan.bytes.len().min(first + OBJECT_REACH.0);
    let mut open = Vec::new();
    let mut values = Vec::new();
    let mut name: Option<&[u8]> = None;
    while scan.at < end {
        if let Some((slashes, quote)) = scan.read_quote() {
            let start = scan.at;
            let near = scan.bytes.len().min(start + OBJECT_REACH.1);
            let text = start..scan.find_closing_quote(slashes, quote, near).unwrap_or(near);
            let bytes = scan.bytes.get(text.clone());
            scan.skip_whitespace();
            if scan.current_byte() == Some(b':') {
                name = bytes;
            } else if name.is_some() {
                if name == Some(b"type") && bytes.is_some_and(|value| TYPES.contains(&value)) {
                    scan.schemas = open;
                    return Vec::new();
                }
                values.push(text);
            }
            if name.is_some_and(|name| SCHEMA.contains(&name)) {
                scan.schemas = open;
                return Vec::new();
            }
            continue;
        }
        count_bytes(1);
        match scan.current_byte() {
            Some(b'{' | b'[') => open.push(scan.at),
            Some(b'}' | b']') if open.len() <= 1 => break,
            Some(b'}' | b']') => drop(open.pop()),
            Some(b'\\') => {
                // Skip backslashes that belong to no quote at once, so that they aren't read again and again.
                let slashes = scan.rest().iter().take_while(|byte| **byte == b'\\').count();
                count_bytes(slashes);
                scan.at += slashes - 1;
            }
            _ => {}
        }
        scan.at += 1;
    }
    values.retain(|value| !value.is_empty());
    if values.is_empty() {
        scan.without_values = first..scan.at;
    }
    values
}
