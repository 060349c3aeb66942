//! Redacts short secrets that a user entered into a form, such as a PIN. They are too short to search for
//! everywhere, so they are redacted only after the name of their field, in JSON at any depth of quoting and
//! with any escapes. In running text, they aren't redacted.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use mooring_base::credentials::scan_cost::count_bytes;
use zeroize::Zeroizing;

use crate::scan::{REDACTED, Scanner};

/// The most secrets of a connection. The oldest are forgotten first.
const MAX_FIELDS: usize = 64;
/// The longest name that is searched for, in bytes. Servers choose the names and also the text that the names
/// are compared with.
const MAX_NAME_BYTES: usize = 256;

/// Short secrets of one connection, each with the name of its field.
#[derive(Default)]
pub(super) struct ShortSecrets {
    /// Whether there is anything to search for.
    has_some: AtomicBool,
    fields: Mutex<VecDeque<SecretField>>,
}

struct SecretField {
    name: String,
    value: Zeroizing<String>,
}

/// The index after the character at `at`, if it is `wanted`. The character may be written directly, or as a
/// JSON escape with any number of backslashes.
fn match_char(bytes: &[u8], at: usize, wanted: char) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let slashes = rest.iter().take_while(|byte| **byte == b'\\').count();
    count_bytes(slashes + 1);
    let (rest, at) = (rest.get(slashes..)?, at + slashes);
    if wanted == '\\' && slashes > 0 && rest.first() != Some(&b'u') {
        // Any number of backslashes may mean one backslash, because the depth of quoting isn't known.
        return Some(at);
    }
    let mut utf8 = [0; 4];
    let itself = wanted.encode_utf8(&mut utf8).as_bytes();
    if rest.starts_with(itself) && wanted != '\\' {
        return Some(at + itself.len());
    }
    if slashes == 0 {
        return None;
    }
    let short = match wanted {
        '\n' => Some(b'n'),
        '\r' => Some(b'r'),
        '\t' => Some(b't'),
        '\u{8}' => Some(b'b'),
        '\u{c}' => Some(b'f'),
        _ => None,
    };
    if short.is_some() && rest.first().copied() == short {
        return Some(at + 1);
    }
    let mut units = [0; 2];
    let mut at = at;
    for (index, unit) in wanted.encode_utf16(&mut units).iter().enumerate() {
        if index > 0 {
            let rest = bytes.get(at..)?;
            at += rest.iter().take_while(|byte| **byte == b'\\').count();
        }
        let digits = bytes.get(at..)?.strip_prefix(b"u")?.get(..4)?;
        let digits = std::str::from_utf8(digits).ok()?;
        if u16::from_str_radix(digits, 16) != Ok(*unit) {
            return None;
        }
        at += 5;
    }
    Some(at)
}

/// The index after `text`, if it is at `at`.
fn match_text(bytes: &[u8], at: usize, text: &str) -> Option<usize> {
    let mut at = at;
    let mut before = None;
    for wanted in text.chars() {
        // Several backslashes were already passed with the first of them.
        if wanted != '\\' || before != Some('\\') {
            at = match_char(bytes, at, wanted)?;
        }
        before = Some(wanted);
    }
    Some(at)
}

impl ShortSecrets {
    /// Redacts this value after this field name from now on.
    pub(super) fn add_field(&self, name: &str, value: &str) {
        if name.is_empty() || name.len() > MAX_NAME_BYTES || value.is_empty() {
            return;
        }
        let field = SecretField { name: name.to_owned(), value: Zeroizing::new(value.to_owned()) };
        let mut fields = self.fields.lock().unwrap_or_else(PoisonError::into_inner);
        if fields.iter().any(|known| known.name == field.name && known.value == field.value) {
            return;
        }
        fields.push_back(field);
        if fields.len() > MAX_FIELDS {
            fields.pop_front();
        }
        self.has_some.store(true, Ordering::Release);
    }

    /// `bytes` with the values redacted. `None` if they contain none.
    pub(super) fn replace_values(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if !self.has_some.load(Ordering::Acquire) {
            return None;
        }
        let fields = self.fields.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = None::<Vec<u8>>;
        for field in &*fields {
            let next = field.replace_values(out.as_deref().unwrap_or(bytes));
            out = next.or(out);
        }
        out
    }
}

impl SecretField {
    fn replace_values(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut out = None::<Vec<u8>>;
        let mut done = 0;
        for at in memchr::memchr_iter(b'"', bytes) {
            let Some((range, quote)) =
                self.find_value(bytes, at + 1).filter(|(range, _)| range.start >= done)
            else {
                continue;
            };
            let out = out.get_or_insert_with(|| Vec::with_capacity(bytes.len() + 16));
            out.extend_from_slice(bytes.get(done..range.start)?);
            out.extend_from_slice(quote);
            out.extend_from_slice(REDACTED.as_bytes());
            out.extend_from_slice(quote);
            done = range.end;
        }
        let mut out = out?;
        out.extend_from_slice(bytes.get(done..)?);
        Some(out)
    }

    /// Finds the range of the value after the name at `at`, and the quotes for its replacement if the value,
    /// such as a number, has none.
    fn find_value<'a>(&self, bytes: &'a [u8], at: usize) -> Option<(std::ops::Range<usize>, &'a [u8])> {
        let mut scan = Scanner::new(bytes, match_text(bytes, at, &self.name)?);
        let start = scan.at;
        scan.read_quote()?;
        let quote = bytes.get(start..scan.at)?;
        scan.skip_whitespace();
        if scan.current_byte() != Some(b':') {
            return None;
        }
        scan.at += 1;
        scan.skip_whitespace();
        let before = scan.at;
        let opening = scan.read_quote();
        let around: &[u8] = if opening.is_some() { &[] } else { quote };
        let from = if around.is_empty() { scan.at } else { before };
        let to = match_text(bytes, from, &self.value)?;
        // The backslashes of the quote after the value don't belong to the value.
        let own = if self.value.ends_with('\\') { opening.map_or(0, |(slashes, _)| slashes) } else { 0 };
        let to = to.saturating_sub(own).max(from);
        let ends = match bytes.get(to) {
            None => true,
            Some(_) if around.is_empty() => Scanner::new(bytes, to).read_quote().is_some(),
            Some(byte) => byte.is_ascii_whitespace() || matches!(byte, b',' | b'}'),
        };
        ends.then_some((from..to, around))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_value_is_replaced_behind_its_name_and_nowhere_else() {
        let entered = ShortSecrets::default();
        let redacted = |text: &str| {
            let replaced = entered.replace_values(text.as_bytes());
            replaced.map_or_else(|| text.to_owned(), |bytes| String::from_utf8(bytes).unwrap())
        };
        assert_eq!(redacted(r#"{"pin":"1234"}"#), r#"{"pin":"1234"}"#);
        entered.add_field("pin", "1234");
        entered.add_field("\u{53e3}\u{4ee4}", "\"9");
        entered.add_field("", "1");
        let check = |text: &str, expected: &str| assert_eq!(redacted(text), expected);
        check(r#"{"content":{"pin":"1234","n":"1234"}}"#, r#"{"content":{"pin":"[redacted]","n":"1234"}}"#);
        check(r#"{ "pin" : "1234" } "pin": "1234""#, r#"{ "pin" : "[redacted]" } "pin": "[redacted]""#);
        check(r#"{"pin":1234}"#, r#"{"pin":"[redacted]"}"#);
        check(r#"{"text":"{\"pin\": 1234, \"a\":1}"}"#, r#"{"text":"{\"pin\": \"[redacted]\", \"a\":1}"}"#);
        check(r#"{"text":"{\"pin\":\"1234\"}"}"#, r#"{"text":"{\"pin\":\"[redacted]\"}"}"#);
        check("{\"口令\":\"\\\"9\"}", "{\"口令\":\"[redacted]\"}");
        // The name with Unicode escapes, and quoted once more.
        check(
            r#"{"\u53e3\u4EE4": "\"9", "x": "{\"\\u53e3\\u4ee4\":\"\\\"9\"}"}"#,
            r#"{"\u53e3\u4EE4": "[redacted]", "x": "{\"\\u53e3\\u4ee4\":\"[redacted]\"}"}"#,
        );
        entered.add_field("a\"b\\c\n", "é\u{1f511}\\");
        check(r#"{"a\"b\\c\n":"é🔑\\"}"#, r#"{"a\"b\\c\n":"[redacted]"}"#);
        check(
            r#"{"text":"{\"a\\u0022b\\\\c\\n\": \"\\u00e9\\ud83d\\udd11\\\\\"}"}"#,
            r#"{"text":"{\"a\\u0022b\\\\c\\n\": \"[redacted]\"}"}"#,
        );
        // Another value, another name, the field's description and text about the field don't change.
        for text in [
            r#"{"pin":"12345","pin":"123","pin":12345,"pins":"1234","spin":"1234"}"#,
            r#"{"properties":{"pin":{"type":"string"}},"required":["pin"]}"#,
            "your pin is 1234",
            r#""pin"#,
            r#""pin":"12"#,
        ] {
            check(text, text);
        }
    }

    #[test]
    fn values_are_remembered_up_to_the_limit() {
        let entered = ShortSecrets::default();
        for number in 0..=MAX_FIELDS {
            entered.add_field("pin", &number.to_string());
            entered.add_field("pin", &number.to_string());
        }
        assert_eq!(entered.fields.lock().unwrap().len(), MAX_FIELDS);
        assert!(entered.replace_values(br#"{"pin":"0"}"#).is_none());
        assert!(entered.replace_values(br#"{"pin":"64"}"#).is_some());
    }
}
