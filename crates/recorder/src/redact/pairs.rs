//! Names that are values themselves, with their own value beside them: `{"name":"DB_PASSWORD","value":"…"}`, as lists of
//! variables are written for containers and builds, in JSON and YAML.

use std::ops::Range;

use mooring_base::credentials::effort::spend;

use super::lines;
use super::members::{self, Values};
use crate::scan::{Scan, Wanted};

/// What stands before the name.
const LABELS: [&[u8]; 5] = [b"name", b"key", b"variable", b"field", b"header"];
/// What stands before its value.
const VALUES: [&[u8]; 3] = [b"value", b"val", b"secret_value"];
/// The most members that stand between the two.
const MEMBERS: usize = 6;
/// The most bytes of a member between them, and of a value that stands before its name.
const REACH: (usize, usize) = (256, 4 << 10);
/// The most bytes of a label, and of white space.
const LABEL: usize = 32;

fn is_one_of(list: &[&[u8]], label: Option<&[u8]>) -> bool {
    label.is_some_and(|label| list.iter().any(|one| one.eq_ignore_ascii_case(label)))
}

/// Whether the name that begins at `start` is the value of a `name` or `key`; with its quote, in JSON.
pub(super) fn is_label_before(bytes: &[u8], start: usize, quote: Option<(usize, u8)>) -> bool {
    name_label(bytes, start, quote).is_some()
}

/// Where the label of the name begins.
fn name_label(bytes: &[u8], start: usize, quote: Option<(usize, u8)>) -> Option<usize> {
    let mut back = Back { bytes, at: start };
    if let Some(quote) = quote {
        back.quote(quote)?;
    }
    back.blank();
    back.byte(b':')?;
    back.blank();
    let label = match quote {
        Some(quote) if matches!(back.last(), Some(b'"' | b'\'')) => back.text(quote, LABEL)?,
        _ => back.word(),
    };
    is_one_of(&LABELS, bytes.get(label)).then_some(back.at)
}

/// The value of the name that begins at `start`, from what stands beside it. `closing` is its closing quote.
pub(super) fn value_beside<'a>(
    scan: &mut Scan<'a>,
    start: usize,
    closing: &Range<usize>,
    quote: Option<(usize, u8)>,
    text: &str,
    wanted: Wanted,
) -> Values<'a> {
    let bytes = scan.bytes;
    let Some(label) = name_label(bytes, start, quote) else { return Values::default() };
    scan.at = closing.end;
    scan.spaces();
    if lines::pass_line_break(scan) {
        let value = bytes.get(scan.at..bytes.len().min(scan.at + LABEL)).unwrap_or_default();
        let indent = value.iter().take_while(|byte| **byte == b' ').count();
        let word = value.get(indent..).unwrap_or_default();
        let word = word.get(..word.iter().position(|byte| *byte == b':').unwrap_or(0));
        if is_one_of(&VALUES, word) {
            let name_start = scan.at + indent;
            scan.at = name_start + word.map_or(0, <[u8]>::len) + 1;
            return lines::line_value(scan, name_start, wanted).into();
        }
    }
    let Some(quote) = quote else { return Values::default() };
    scan.at = closing.end;
    scan.blank();
    if find_behind(scan, quote) {
        return members::member_values(scan, text, wanted, bytes.get(closing.clone()).unwrap_or_default());
    }
    let value = value_before(bytes, label, quote);
    value.filter(|value| bytes.get(value.clone()).is_some_and(|value| wanted.is_met(value))).into()
}

/// Moves to the value among the members behind the name.
fn find_behind(scan: &mut Scan<'_>, quote: (usize, u8)) -> bool {
    for _ in 0..MEMBERS {
        if scan.byte() != Some(b',') {
            return false;
        }
        scan.at += 1;
        scan.blank();
        if scan.quote() != Some(quote) {
            return false;
        }
        let start = scan.at;
        let near = |at: usize, reach: usize| scan_end(scan.bytes, at, reach);
        let end = near(start, LABEL);
        let Some(end) = scan.closing(quote.0, quote.1, end) else { return false };
        let label = scan.bytes.get(start..end);
        scan.blank();
        if scan.byte() != Some(b':') {
            return false;
        }
        scan.at += 1;
        scan.blank();
        if is_one_of(&VALUES, label) {
            return true;
        }
        if let Some((slashes, quote)) = scan.quote() {
            let end = scan_end(scan.bytes, scan.at, REACH.0);
            if scan.closing(slashes, quote, end).is_none() {
                return false;
            }
        } else {
            let is_plain = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+');
            let length = scan.rest().iter().take(LABEL).take_while(is_plain).count();
            spend(length);
            scan.at += length;
        }
        scan.blank();
    }
    false
}

fn scan_end(bytes: &[u8], at: usize, reach: usize) -> usize {
    bytes.len().min(at + reach)
}

/// The value among the members before the label that begins here.
fn value_before(bytes: &[u8], label: usize, quote: (usize, u8)) -> Option<Range<usize>> {
    let mut back = Back { bytes, at: label };
    for _ in 0..MEMBERS {
        back.blank();
        back.byte(b',')?;
        back.blank();
        let value = match back.last() {
            Some(b'"' | b'\'') => back.text(quote, REACH.1)?,
            _ => back.word(),
        };
        back.blank();
        back.byte(b':')?;
        back.blank();
        let label = back.text(quote, LABEL)?;
        if is_one_of(&VALUES, bytes.get(label)) {
            return Some(value);
        }
    }
    None
}

/// Reads backwards; `at` is behind what is to be read next.
struct Back<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Back<'_> {
    fn before(&self, reach: usize) -> &[u8] {
        self.bytes.get(self.at.saturating_sub(reach)..self.at).unwrap_or_default()
    }

    fn last(&self) -> Option<u8> {
        self.before(1).first().copied()
    }

    fn blank(&mut self) {
        let blank = self.before(LABEL).iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
        spend(blank + 1);
        self.at -= blank;
    }

    fn byte(&mut self, byte: u8) -> Option<()> {
        (self.last() == Some(byte)).then(|| self.at -= 1)
    }

    /// Moves before this quote and its backslashes.
    fn quote(&mut self, (slashes, quote): (usize, u8)) -> Option<()> {
        self.byte(quote)?;
        let before = self.before(slashes);
        spend(slashes);
        let is_whole = before.len() == slashes && before.iter().all(|byte| *byte == b'\\');
        is_whole.then(|| self.at -= slashes)
    }

    /// What stands between two of these quotes.
    fn text(&mut self, quote: (usize, u8), reach: usize) -> Option<Range<usize>> {
        self.quote(quote)?;
        let end = self.at;
        let first = end.saturating_sub(reach);
        loop {
            let before = self.bytes.get(first..self.at)?;
            let found = memchr::memrchr(quote.1, before);
            spend(before.len() - found.unwrap_or(0));
            let found = found?;
            let run = before.get(..found)?.iter().rev();
            let run = run.take(quote.0 + 1).take_while(|byte| **byte == b'\\').count();
            spend(run);
            self.at = first + found - run;
            if run == quote.0 {
                return Some(first + found + 1..end);
            }
        }
    }

    fn word(&mut self) -> Range<usize> {
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        let length = self.before(LABEL).iter().rev().take_while(is_word).count();
        spend(length);
        let end = self.at;
        self.at -= length;
        self.at..end
    }
}
