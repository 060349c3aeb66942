//! Finds values in lines of text, such as settings files, source code, command lines and XML.

use std::ops::Range;

use mooring_base::credentials::looks_generated;
use mooring_base::credentials::scan_cost::count_bytes;

use crate::scan::{Scanner, ValueFilter};

/// The most bytes before a name that are searched for the start of its line.
const COLUMN_REACH: usize = 256;
/// The most bytes of an XML element's attributes.
const TAG_REACH: usize = 128;
/// The most bytes of the type of a variable.
const TYPE_REACH: usize = 32;

/// Reads the value after `=`, `:=`, or `=>` as in Ruby and PHP.
pub(super) fn read_assigned_value(scan: &mut Scanner<'_>, wanted: ValueFilter) -> Option<Range<usize>> {
    scan.at += 1;
    if scan.current_byte() == Some(b'>') {
        scan.at += 1;
    }
    scan.skip_spaces();
    scan.read_value(wanted)
}

/// Moves from the colon to the `=` in a declaration such as `const token: string = "…"`. Returns false if
/// there is no such declaration of a quoted value.
pub(super) fn skip_type(scan: &mut Scanner<'_>) -> bool {
    let near = scan.rest().iter().take(TYPE_REACH);
    let is_type = |byte: &&u8| byte.is_ascii_alphanumeric() || b" _&'<>[]|.?".contains(*byte);
    let length = near.take_while(is_type).count();
    count_bytes(length);
    let (kind, rest) = scan.rest().split_at(length);
    let kind = kind.trim_ascii();
    let value = rest.strip_prefix(b"=").map(<[u8]>::trim_ascii_start).unwrap_or_default();
    let is_typed = kind.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'&')
        // Several words would be a sentence.
        && (!kind.contains(&b' ') || kind.starts_with(b"&") || kind.contains(&b'|'))
        && !looks_generated(kind)
        && matches!(value.first(), Some(b'"' | b'\'' | b'\\'));
    if is_typed {
        scan.at += length;
    }
    is_typed
}

/// Reads the value after `name:` in a line that isn't JSON, such as a line of YAML. In the middle of a line,
/// or with words after the value, the line may be a sentence. The value must then look like a credential.
pub(super) fn read_line_value(
    scan: &mut Scanner<'_>,
    name_start: usize,
    wanted: ValueFilter,
) -> Option<Range<usize>> {
    scan.skip_spaces();
    if scan.rest().starts_with(b"\\t") {
        scan.at += 2;
    }
    if !begins_line(scan.bytes, name_start) {
        return scan.read_value(ValueFilter::Generated);
    }
    if matches!(scan.current_byte(), Some(b'"' | b'\'')) {
        return scan.read_value(wanted);
    }
    if let Some((lines, escaped)) = find_block_start(scan) {
        return read_block_value(lines, escaped, indent_of(scan.bytes, name_start))
            .filter(|_| wanted == ValueFilter::Any);
    }
    let word_end = scan.find_word_end();
    let behind = scan.gaps.end(scan.bytes, word_end);
    let ends = matches!(
        scan.bytes.get(behind),
        None | Some(b'\r' | b'\n' | b'"' | b'\'' | b'\\' | b'#' | b',' | b'}' | b')')
    );
    scan.read_value(if ends { wanted } else { ValueFilter::Generated })
}

/// If a YAML block scalar starts here (`|` or `>-` after `name:`), returns its lines, and how many
/// backslashes escape their line breaks.
fn find_block_start<'a>(scan: &Scanner<'a>) -> Option<(LineCursor<'a>, usize)> {
    if !matches!(scan.current_byte(), Some(b'|' | b'>')) {
        return None;
    }
    let mut ahead = LineCursor { bytes: scan.bytes, at: scan.at + 1 };
    ahead.at += ahead.count_while(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9'));
    ahead.at += ahead.count_while(|byte| byte == b' ');
    let escaped = ahead.skip_break()?;
    Some((ahead, escaped))
}

/// The indentation of a name.
fn indent_of(bytes: &[u8], name_start: usize) -> usize {
    let before = bytes.get(name_start.saturating_sub(COLUMN_REACH)..name_start).unwrap_or_default();
    let column = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'-' | b'\t')).count();
    count_bytes(column);
    column
}

/// Reads the first lines that are indented by more than `column`. In JSON, their line breaks are escaped by
/// `escaped` backslashes.
fn read_block_value(mut ahead: LineCursor<'_>, escaped: usize, column: usize) -> Option<Range<usize>> {
    let mut block: Option<Range<usize>> = None;
    while ahead.at < ahead.bytes.len() {
        let indent = ahead.count_while(|byte| matches!(byte, b' ' | b'\t'));
        let start = ahead.at + indent;
        ahead.at = start;
        if ahead.skip_break().is_some() {
            continue;
        }
        if indent <= column {
            break;
        }
        let end = ahead.skip_to_line_end(escaped);
        block = Some(block.map_or(start, |block| block.start)..end);
        if ahead.skip_break().is_none() {
            break;
        }
    }
    block.filter(|block| !block.is_empty())
}

/// A position in lines of text. The line breaks may be escaped as in JSON.
struct LineCursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl LineCursor<'_> {
    fn count_while(&self, is_one: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|byte| is_one(**byte)).count();
        count_bytes(count + 1);
        count
    }

    /// Moves past a line break, if there is one here. Returns how many backslashes escape it.
    fn skip_break(&mut self) -> Option<usize> {
        let mut at = self.at;
        let mut escaped = 0;
        for (raw, letter) in [(b'\r', b'r'), (b'\n', b'n')] {
            let rest = self.bytes.get(at..)?;
            let slashes = rest.iter().take(128).take_while(|byte| **byte == b'\\').count();
            count_bytes(slashes + 1);
            let wanted = if slashes > 0 { letter } else { raw };
            let is_there = rest.get(slashes) == Some(&wanted);
            if is_there {
                at += slashes + 1;
                escaped = slashes;
            } else if raw == b'\n' {
                return None;
            }
        }
        self.at = at;
        Some(escaped)
    }

    /// Moves to the end of the line. This is the line break. If line breaks are escaped, it may also be the
    /// closing quote of the text around the line.
    fn skip_to_line_end(&mut self, escaped: usize) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if escaped == 0 {
            let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            count_bytes(length);
            self.at += length;
            return self.at;
        }
        let mut slashes = 0;
        for (index, byte) in rest.iter().enumerate() {
            let ends = match byte {
                b'n' | b'r' => slashes == escaped,
                b'"' => slashes < escaped,
                _ => false,
            };
            if ends {
                count_bytes(index);
                self.at += index - slashes;
                return self.at;
            }
            slashes = if *byte == b'\\' { slashes + 1 } else { 0 };
        }
        count_bytes(rest.len());
        self.at = self.bytes.len();
        self.at
    }
}

/// Moves past a line break. Returns whether there was one.
pub(super) fn skip_line_break(scan: &mut Scanner<'_>) -> bool {
    let mut ahead = LineCursor { bytes: scan.bytes, at: scan.at };
    let is_there = ahead.skip_break().is_some();
    scan.at = ahead.at;
    is_there
}

/// Reads the content of an XML element with this name.
pub(super) fn read_element_value(
    scan: &mut Scanner<'_>,
    name: Range<usize>,
    wanted: ValueFilter,
) -> Option<Range<usize>> {
    let bytes = scan.bytes;
    let near = bytes.get(name.end..bytes.len().min(name.end + TAG_REACH))?;
    let tag = memchr::memchr2(b'>', b'<', near)?;
    count_bytes(tag);
    if near.get(tag) != Some(&b'>') || !(tag == 0 || near.first() == Some(&b' ')) {
        return None;
    }
    let start = name.end + tag + 1;
    let text = bytes.get(start..)?;
    let text = text.get(..memchr::memchr(b'<', text)?)?;
    let end = start + text.len();
    count_bytes(2 * text.len());
    let closing = bytes.get(end + 1..)?;
    let closing = closing.strip_prefix(b"\\").unwrap_or(closing).strip_prefix(b"/")?;
    if !closing.starts_with(bytes.get(name)?) {
        return None;
    }
    let start = end - text.trim_ascii_start().len();
    let value = start..start + text.trim_ascii().len();
    wanted.matches(bytes.get(value.clone())?).then_some(value)
}

/// Whether a name at this place is the first word of its line, text or object.
fn begins_line(bytes: &[u8], start: usize) -> bool {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let trimmed = |text: &[u8]| {
        let spaces = text.iter().rev().take_while(|byte| is_space(byte)).count();
        count_bytes(spaces + 1);
        text.len() - spaces
    };
    let before = bytes.get(..start).unwrap_or_default();
    let before = before.get(..trimmed(before)).unwrap_or_default();
    // The name may begin an item of a YAML list.
    let before = before.strip_suffix(b"-").unwrap_or(before);
    let before = before.get(..trimmed(before)).unwrap_or_default();
    let mark = |last: &u8| matches!(last, b'\n' | b'"' | b'\'' | b'{' | b',' | b'(' | b'[' | b'>' | b'|');
    before.last().is_none_or(mark) || before.ends_with(b"\\n") || before.ends_with(b"\\t")
}

/// Whether the words `machine` and `login` are shortly before this place, as in `.netrc`.
pub(super) fn follows_login(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(start.saturating_sub(200)..start).unwrap_or_default();
    count_bytes(before.len());
    [b"login ".as_slice(), b"machine "].iter().all(|word| memchr::memmem::find(before, word).is_some())
}
