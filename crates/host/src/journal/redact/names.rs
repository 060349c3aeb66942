//! What stands behind a name that looks secret.

use std::ops::Range;

use aho_corasick::packed;
use aho_corasick::{AhoCorasick, BuildError, Input, Span};

use super::scan::Scan;
use super::{REDACTED, Replaced};
use crate::credentials::{NamedFor, looks_generated, named_for};

/// Parts of names that look secret, in the ways they are written. Where the first letter may be a capital it is left
/// out, so that `token`, `Token` and `accessToken` are one pattern. What they are found in is judged by
/// [`named_for`].
const PARTS: [&str; 49] = [
    "oken",
    "OKEN",
    "ecret",
    "ECRET",
    "pass",
    "Pass",
    "PASS",
    "redential",
    "REDENTIAL",
    "reds",
    "REDS",
    "key",
    "Key",
    "KEY",
    "ookie",
    "OOKIE",
    "earer",
    "EARER",
    "auth",
    "Auth",
    "AUTH",
    "jwt",
    "Jwt",
    "JWT",
    "pwd",
    "Pwd",
    "PWD",
    "dsn",
    "DSN",
    "psk",
    "PSK",
    "otp",
    "OTP",
    "sig",
    "Sig",
    "SIG",
    "mac",
    "MAC",
    "sess",
    "Sess",
    "SESS",
    "rivate",
    "RIVATE",
    "erifier",
    "_pat",
    "PAT",
    "\"pat",
    "\"code\"",
    "code=",
];
/// The two last of [`PARTS`] count only beside one of these: a `code` is usually no secret.
const OAUTH_CONTEXT: [&str; 5] = ["grant_type", "redirect_uri", "code_verifier", "\"state\"", "state="];
/// How far a name may reach from the part of it that was found, in bytes.
const NAME_REACH: usize = 64;
/// How far the members of an object behind a name are looked through, in bytes.
const OBJECT_REACH: usize = 4 << 10;
/// Numbers from so many digits on may be secrets: behind the name of a password, and behind any other.
const DIGITS: (usize, usize) = (4, 6);

/// The search for names.
pub(super) struct Names {
    search: Search,
    context: AhoCorasick,
}

/// A search for any of a few patterns, vectorised where the processor can.
enum Search {
    Packed(packed::Searcher),
    Automaton(AhoCorasick),
}

impl Search {
    fn find(&self, bytes: &[u8], from: usize) -> Option<Range<usize>> {
        match self {
            Self::Packed(packed) => {
                packed.find_in(bytes, Span::from(from..bytes.len())).map(|found| found.range())
            }
            Self::Automaton(automaton) => {
                automaton.find(Input::new(bytes).range(from..)).map(|found| found.range())
            }
        }
    }
}

impl Names {
    /// Builds the search.
    pub(super) fn new() -> Result<Self, BuildError> {
        let search = match packed::Config::new().builder().extend(PARTS).build() {
            Some(packed) => Search::Packed(packed),
            None => Search::Automaton(AhoCorasick::new(PARTS)?),
        };
        Ok(Self { search, context: AhoCorasick::new(OAUTH_CONTEXT)? })
    }

    /// Replaces what stands behind names that look secret.
    pub(super) fn replace(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut redacted = Replaced::new(bytes);
        let mut at = 0;
        let mut is_oauth = None;
        while let Some(found) = self.search.find(bytes, at) {
            at = found.end;
            let oauth = || *is_oauth.get_or_insert_with(|| self.context.is_match(bytes));
            let Values { quote, places } = values_behind(bytes, &found, oauth);
            for place in places {
                at = at.max(place.end);
                redacted.replace(place, quote);
            }
        }
        redacted.finish()
    }
}

/// Where the values of a name stand.
#[derive(Default)]
struct Values<'a> {
    /// What is to be put around what takes their place.
    quote: &'a [u8],
    places: Vec<Range<usize>>,
}

impl From<Option<Range<usize>>> for Values<'_> {
    fn from(place: Option<Range<usize>>) -> Self {
        Self { quote: b"", places: place.into_iter().collect() }
    }
}

/// The values that the name around `part` gives away.
fn values_behind<'a>(bytes: &'a [u8], part: &Range<usize>, is_oauth: impl FnOnce() -> bool) -> Values<'a> {
    let matched = bytes.get(part.clone()).unwrap_or_default();
    if matched.eq_ignore_ascii_case(b"earer") {
        if let Some(place) = bearer(bytes, part.end) {
            return Some(place).into();
        }
    }
    let mut name = name_around(bytes, part);
    let is_code = matches!(matched, b"\"code\"" | b"code=");
    let mut scan = Scan { bytes, at: name.end };
    let quoted = scan.quote().or_else(|| {
        let whole = quoted_around(bytes, &name)?;
        let mut behind = Scan { bytes, at: whole.end };
        let quote = behind.quote()?;
        (name, scan.at) = (whole, behind.at);
        Some(quote)
    });
    let start = name.end..scan.at;
    let spaced = if quoted.is_some() { scan.blank() } else { scan.spaces() };
    let sign = scan.byte();
    if !matches!(sign, Some(b':' | b'=')) && (quoted.is_some() || !spaced) {
        return Values::default();
    }
    let text = String::from_utf8_lossy(bytes.get(name.clone()).unwrap_or_default());
    let named = match named_for(&text) {
        NamedFor::Other if is_code && text == "code" && is_oauth() => NamedFor::Secret,
        NamedFor::Other => return Values::default(),
        named => named,
    };
    let fits = |place: &Range<usize>| {
        let value = bytes.get(place.clone()).unwrap_or_default();
        value != REDACTED.as_bytes() && (named == NamedFor::Secret || looks_generated(value))
    };
    match (quoted, sign) {
        (Some(_), Some(b':')) => {
            scan.at += 1;
            scan.blank();
            let mut values = member_values(&mut scan, &text, named, bytes.get(start).unwrap_or_default());
            values.places.retain(fits);
            values
        }
        (_, Some(b'=')) => {
            scan.at += 1;
            // `=>` in Ruby and PHP.
            if scan.byte() == Some(b'>') {
                scan.at += 1;
            }
            scan.spaces();
            scan.word().filter(fits).into()
        }
        (None, Some(b':')) => {
            scan.at += 1;
            if is_header(text.as_bytes()) {
                return scan.header_value().filter(fits).into();
            }
            line_value(&mut scan, begins_line(bytes, name.start)).filter(fits).into()
        }
        (None, _) => {
            let is_flag = bytes.get(..name.start).is_some_and(|before| before.ends_with(b"-"))
                || text.starts_with('-')
                || follows_login(bytes, name.start);
            let value = scan.word().filter(|place| is_flag && bytes.get(place.start) != Some(&b'-'));
            value.filter(fits).into()
        }
        (Some(_), _) => Values::default(),
    }
}

/// The values of a JSON member: its text, the texts of its list or object, or its number.
fn member_values<'a>(scan: &mut Scan<'a>, name: &str, named: NamedFor, quote: &'a [u8]) -> Values<'a> {
    match scan.byte() {
        Some(b'{') if named == NamedFor::Secret => Values { quote: b"", places: object_values(scan) },
        Some(b'0'..=b'9') if named == NamedFor::Secret => {
            let start = scan.at;
            let digits = scan
                .bytes
                .iter()
                .skip(start)
                .take_while(|byte| byte.is_ascii_digit() || **byte == b'.')
                .count();
            let lower = name.to_ascii_lowercase();
            let is_password =
                ["pass", "word", "pwd", "code", "secret", "otp"].iter().any(|end| lower.ends_with(end));
            let least = if is_password { DIGITS.0 } else { DIGITS.1 };
            let counts = lower.ends_with('s') && !is_password;
            let number = start..start + digits;
            let places = Some(number).filter(|_| digits >= least && !counts).into_iter().collect();
            Values { quote, places }
        }
        _ => Values { quote: b"", places: scan.quoted_values() },
    }
}

/// The texts of the members of the object here. The schema of a value is none.
fn object_values(scan: &mut Scan<'_>) -> Vec<Range<usize>> {
    const SCHEMA: [&[u8]; 8] =
        [b"$ref", b"anyOf", b"oneOf", b"allOf", b"enum", b"properties", b"description", b"title"];
    const TYPES: [&[u8]; 7] = [b"string", b"object", b"number", b"integer", b"boolean", b"array", b"null"];
    let end = scan.bytes.len().min(scan.at + OBJECT_REACH);
    let mut depth = 0_usize;
    let mut values = Vec::new();
    let mut name: Option<Range<usize>> = None;
    while scan.at < end {
        if let Some((slashes, quote)) = scan.quote() {
            let start = scan.at;
            let text = start..scan.closing(slashes, quote).unwrap_or(scan.bytes.len());
            scan.blank();
            if scan.byte() == Some(b':') {
                name = Some(text);
            } else if let Some(name) = &name {
                let (name, value) = (scan.bytes.get(name.clone()), scan.bytes.get(text.clone()));
                let is_type = name == Some(b"type") && value.is_some_and(|value| TYPES.contains(&value));
                if is_type {
                    return Vec::new();
                }
                values.push(text);
            }
            if name
                .as_ref()
                .and_then(|name| scan.bytes.get(name.clone()))
                .is_some_and(|name| SCHEMA.contains(&name))
            {
                return Vec::new();
            }
            continue;
        }
        match scan.byte() {
            Some(b'{' | b'[') => depth += 1,
            Some(b'}' | b']') if depth <= 1 => break,
            Some(b'}' | b']') => depth -= 1,
            _ => {}
        }
        scan.at += 1;
    }
    values.retain(|value| !value.is_empty());
    values
}

/// The value behind `name:` in a line that is no JSON, such as one of YAML. In the middle of a line, or with words
/// behind it, it may be a sentence: then it must look like a credential.
fn line_value(scan: &mut Scan<'_>, begins: bool) -> Option<Range<usize>> {
    scan.spaces();
    if scan.bytes.get(scan.at..).is_some_and(|rest| rest.starts_with(b"\\t")) {
        scan.at += 2;
    }
    let is_quoted = matches!(scan.byte(), Some(b'"' | b'\''));
    let value = scan.word()?;
    scan.spaces();
    let ends =
        matches!(scan.byte(), None | Some(b'\r' | b'\n' | b'"' | b'\'' | b'\\' | b'#' | b',' | b'}' | b')'));
    let looks = || scan.bytes.get(value.clone()).is_some_and(looks_generated);
    let is_value = begins && (ends || is_quoted);
    (is_value || looks()).then_some(value)
}

/// Whether a name at this place is the first word of its line, text or object.
fn begins_line(bytes: &[u8], start: usize) -> bool {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let trimmed = |text: &[u8]| text.len() - text.iter().rev().take_while(|byte| is_space(byte)).count();
    let before = bytes.get(..start).unwrap_or_default();
    let before = before.get(..trimmed(before)).unwrap_or_default();
    // An item of a list in YAML.
    let before = before.strip_suffix(b"-").unwrap_or(before);
    let before = before.get(..trimmed(before)).unwrap_or_default();
    let mark = |last: &u8| matches!(last, b'\n' | b'"' | b'\'' | b'{' | b',' | b'(' | b'[' | b'>' | b'|');
    before.last().is_none_or(mark) || before.ends_with(b"\\n") || before.ends_with(b"\\t")
}

/// Whether a machine and its login stand shortly before, as in `.netrc`.
fn follows_login(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(start.saturating_sub(200)..start).unwrap_or_default();
    [b"login ".as_slice(), b"machine "].iter().all(|word| memchr::memmem::find(before, word).is_some())
}

/// The characters around a part that belong to the same name. The letter of an escaped line break does not.
fn name_around(bytes: &[u8], part: &Range<usize>) -> Range<usize> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$');
    // The parts that bring their own quotes or sign have the name between them.
    let text = bytes.get(part.clone()).unwrap_or_default();
    let inner_start = part.start + usize::from(text.starts_with(b"\""));
    let inner_end = part.end - usize::from(text.ends_with(b"\"") || text.ends_with(b"="));
    let before = bytes.get(..inner_start).unwrap_or_default();
    let mut start =
        inner_start - before.iter().rev().take(NAME_REACH).take_while(|byte| is_name(byte)).count();
    let escapes = start.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b'\\');
    if escapes && matches!(bytes.get(start), Some(b'n' | b'r' | b't')) && start < inner_start {
        start += 1;
    }
    let after = bytes.get(inner_end..).unwrap_or_default();
    let end = inner_end + after.iter().take(NAME_REACH).take_while(|byte| is_name(byte)).count();
    start..end
}

/// The name with the words around it, where quotes stand around all of them: `"Access Token"`.
fn quoted_around(bytes: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let is_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$' | b' ');
    let before = bytes.get(..name.start)?;
    let start = name.start - before.iter().rev().take(NAME_REACH).take_while(|byte| is_name(byte)).count();
    let after = bytes.get(name.end..)?;
    let end = name.end + after.iter().take(NAME_REACH).take_while(|byte| is_name(byte)).count();
    let opens =
        start.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(|byte| matches!(byte, b'"' | b'\''));
    (opens && (start, end) != (name.start, name.end)).then_some(start..end)
}

/// Whether `Name: value` with this name is a header that carries a credential to the end of its line, as opposed to a
/// sentence.
fn is_header(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(&*name, b"authorization" | b"proxy-authorization" | b"cookie" | b"set-cookie")
        || (name.starts_with(b"x-") && name.len() > 2)
}

/// The credential behind `Bearer`, which must look like one.
fn bearer(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let rest = bytes.get(from..)?;
    let blank = rest.iter().take_while(|byte| **byte == b' ').count();
    if blank == 0 {
        return None;
    }
    let start = from + blank;
    let is_special =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'~' | b'+' | b'/' | b'-');
    let token = bytes.get(start..)?;
    let length = token
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'=' || is_special(byte))
        .count();
    let token = token.get(..length)?;
    // `Bearer realm="x"` asks for a credential: this is the name of a parameter.
    if token.ends_with(b"=") && bytes.get(start + length) == Some(&b'"') {
        return None;
    }
    let looks_real = length >= 20 || (length >= 8 && token.iter().any(is_special));
    looks_real.then_some(start..start + length)
}
