//! Finds the values of names that are themselves values, as in `{"name":"DB_PASSWORD","value":"…"}`.
//! Containers and builds have such lists of variables, in JSON and YAML.

use std::ops::Range;

use mooring_base::credentials::scan_cost::count_bytes;

use super::lines;
use super::members::{self, ValueRanges};
use crate::scan::{Scanner, ValueFilter};

/// The labels of a name.
const LABELS: [&[u8]; 5] = [b"name", b"key", b"variable", b"field", b"header"];
/// The labels of its value.
const VALUES: [&[u8]; 3] = [b"value", b"val", b"secret_value"];
/// The most members between the name and its value.
const MAX_MEMBERS: usize = 6;
/// The most bytes of a member between the name and its value, and of a value before its name.
const MAX_BYTES: (usize, usize) = (256, 4 << 10);
/// The most bytes of a label, and of white space.
const MAX_LABEL_BYTES: usize = 32;

fn is_one_of(list: &[&[u8]], label: Option<&[u8]>) -> bool {
    label.is_some_and(|label| list.iter().any(|one| one.eq_ignore_ascii_case(label)))
}

/// Whether the name that begins at `start` is the value of a label such as `name` or `key`. `quote` is the
/// quote before the name in JSON.
pub(super) fn is_label_before(bytes: &[u8], start: usize, quote: Option<(usize, u8)>) -> bool {
    find_name_label(bytes, start, quote).is_some()
}

/// Finds the beginning of the label of the name.
fn find_name_label(bytes: &[u8], start: usize, quote: Option<(usize, u8)>) -> Option<usize> {
    let mut back = ReverseScanner { bytes, at: start };
    if let Some(quote) = quote {
        back.skip_quote(quote)?;
    }
    back.skip_blank();
    back.skip_byte(b':')?;
    back.skip_blank();
    let label = match quote {
        Some(quote) if matches!(back.last_byte(), Some(b'"' | b'\'')) => {
            back.read_text(quote, MAX_LABEL_BYTES)?
        }
        _ => back.read_word(),
    };
    is_one_of(&LABELS, bytes.get(label)).then_some(back.at)
}

/// Finds the value of the name that begins at `start`. Both must be labelled members of the same object, as
/// in `{"name": "token", "value": "…"}`, or labelled lines of YAML. `closing` is the name's closing quote.
pub(super) fn find_value_beside<'a>(
    scan: &mut Scanner<'a>,
    start: usize,
    closing: &Range<usize>,
    quote: Option<(usize, u8)>,
    text: &str,
    wanted: ValueFilter,
) -> ValueRanges<'a> {
    let bytes = scan.bytes;
    let Some(label) = find_name_label(bytes, start, quote) else { return ValueRanges::default() };
    scan.at = closing.end;
    scan.skip_spaces();
    if lines::skip_line_break(scan) {
        let value = bytes.get(scan.at..bytes.len().min(scan.at + MAX_LABEL_BYTES)).unwrap_or_default();
        let indent = value.iter().take_while(|byte| **byte == b' ').count();
        let word = value.get(indent..).unwrap_or_default();
        let word = word.get(..word.iter().position(|byte| *byte == b':').unwrap_or(0));
        if is_one_of(&VALUES, word) {
            let name_start = scan.at + indent;
            scan.at = name_start + word.map_or(0, <[u8]>::len) + 1;
            return lines::read_line_value(scan, name_start, wanted).into();
        }
    }
    let Some(quote) = quote else { return ValueRanges::default() };
    scan.at = closing.end;
    scan.skip_whitespace();
    if find_value_after(scan, quote) {
        return members::read_member_values(
            scan,
            text,
            wanted,
            bytes.get(closing.clone()).unwrap_or_default(),
        );
    }
    let value = find_value_before(bytes, label, quote);
    value.filter(|value| bytes.get(value.clone()).is_some_and(|value| wanted.matches(value))).into()
}

/// Moves to the value, if it is among the members after the name.
fn find_value_after(scan: &mut Scanner<'_>, quote: (usize, u8)) -> bool {
    for _ in 0..MAX_MEMBERS {
        if scan.current_byte() != Some(b',') {
            return false;
        }
        scan.at += 1;
        scan.skip_whitespace();
        if scan.read_quote() != Some(quote) {
            return false;
        }
        let start = scan.at;
        let near = |at: usize, reach: usize| reach_end(scan.bytes, at, reach);
        let end = near(start, MAX_LABEL_BYTES);
        let Some(end) = scan.find_closing_quote(quote.0, quote.1, end) else { return false };
        let label = scan.bytes.get(start..end);
        scan.skip_whitespace();
        if scan.current_byte() != Some(b':') {
            return false;
        }
        scan.at += 1;
        scan.skip_whitespace();
        if is_one_of(&VALUES, label) {
            return true;
        }
        if let Some((slashes, quote)) = scan.read_quote() {
            let end = reach_end(scan.bytes, scan.at, MAX_BYTES.0);
            if scan.find_closing_quote(slashes, quote, end).is_none() {
                return false;
            }
        } else {
            let is_plain = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+');
            let length = scan.rest().iter().take(MAX_LABEL_BYTES).take_while(is_plain).count();
            count_bytes(length);
            scan.at += length;
        }
        scan.skip_whitespace();
    }
    false
}

fn reach_end(bytes: &[u8], at: usize, reach: usize) -> usize {
    bytes.len().min(at + reach)
}

/// Finds the value, if it is among the members before the label that begins here.
fn find_value_before(bytes: &[u8], label: usize, quote: (usize, u8)) -> Option<Range<usize>> {
    let mut back = ReverseScanner { bytes, at: label };
    for _ in 0..MAX_MEMBERS {
        back.skip_blank();
        back.skip_byte(b',')?;
        back.skip_blank();
        let value = match back.last_byte() {
            Some(b'"' | b'\'') => back.read_text(quote, MAX_BYTES.1)?,
            _ => back.read_word(),
        };
        back.skip_blank();
        back.skip_byte(b':')?;
        back.skip_blank();
        let label = back.read_text(quote, MAX_LABEL_BYTES)?;
        if is_one_of(&VALUES, bytes.get(label)) {
            return Some(value);
        }
    }
    None
}

/// Reads backwards. `at` is the end of the text that is read next.
struct ReverseScanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl ReverseScanner<'_> {
    fn preceding_bytes(&self, reach: usize) -> &[u8] {
        self.bytes.get(self.at.saturating_sub(reach)..self.at).unwrap_or_default()
    }

    fn last_byte(&self) -> Option<u8> {
        self.preceding_bytes(1).first().copied()
    }

    fn skip_blank(&mut self) {
        let blank = self
            .preceding_bytes(MAX_LABEL_BYTES)
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        count_bytes(blank + 1);
        self.at -= blank;
    }

    fn skip_byte(&mut self, byte: u8) -> Option<()> {
        (self.last_byte() == Some(byte)).then(|| self.at -= 1)
    }

    /// Moves to before this quote and its backslashes.
    fn skip_quote(&mut self, (slashes, quote): (usize, u8)) -> Option<()> {
        self.skip_byte(quote)?;
        let before = self.preceding_bytes(slashes);
        count_bytes(slashes);
        let is_whole = before.len() == slashes && before.iter().all(|byte| *byte == b'\\');
        is_whole.then(|| self.at -= slashes)
    }

    /// Reads the text between two of these quotes backwards, at most `reach` bytes.
    fn read_text(&mut self, quote: (usize, u8), reach: usize) -> Option<Range<usize>> {
        self.skip_quote(quote)?;
        let end = self.at;
        let first = end.saturating_sub(reach);
        loop {
            let before = self.bytes.get(first..self.at)?;
            let found = memchr::memrchr(quote.1, before);
            count_bytes(before.len() - found.unwrap_or(0));
            let found = found?;
            let run = before.get(..found)?.iter().rev();
            let run = run.take(quote.0 + 1).take_while(|byte| **byte == b'\\').count();
            count_bytes(run);
            self.at = first + found - run;
            if run == quote.0 {
                return Some(first + found + 1..end);
            }
        }
    }

    fn read_word(&mut self) -> Range<usize> {
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        let length = self.preceding_bytes(MAX_LABEL_BYTES).iter().rev().take_while(is_word).count();
        count_bytes(length);
        let end = self.at;
        self.at -= length;
        self.at..end
    }
}
