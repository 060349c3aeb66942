//! Redacts values after names that look secret.

use std::ops::Range;

use aho_corasick::{AhoCorasick, BuildError, Input, Span, packed};
use mooring_base::credentials::scan_cost::count_bytes;
use mooring_base::credentials::{NameSensitivity, name_sensitivity};

use super::members::{self, ValueRanges};
use super::{RedactedCopy, lines, pairs};
use crate::scan::{Scanner, ValueFilter, is_name_byte};

/// Parts of names that look secret, in the ways that they are written. If the first letter may be a capital
/// letter, it is left out, so that one pattern finds `token`, `Token` and `accessToken`. [`name_sensitivity`]
/// decides about the whole name.
pub(super) const PARTS: [&str; 49] = [
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
/// The last two of [`PARTS`] count only in a message with one of these texts, because a `code` is usually not
/// a secret.
const OAUTH_CONTEXT: [&str; 5] = ["grant_type", "redirect_uri", "code_verifier", "\"state\"", "state="];
/// The most bytes of a name beyond the part that was found.
const NAME_REACH: usize = 64;
/// The most bytes between a quoted name of several words and its colon.
const COLON_REACH: usize = 64;

/// The search for names.
pub(super) struct NameSearch {
    search: PatternSearch,
    context: AhoCorasick,
}

/// A search for any of a few patterns, vectorized if the processor supports it.
enum PatternSearch {
    Packed(packed::Searcher),
    Automaton(AhoCorasick),
}

impl PatternSearch {
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

impl NameSearch {
    /// Builds the search.
    pub(super) fn new() -> Result<Self, BuildError> {
        let search = match packed::Config::new().builder().extend(PARTS).build() {
            Some(packed) => PatternSearch::Packed(packed),
            None => PatternSearch::Automaton(AhoCorasick::new(PARTS)?),
        };
        Ok(Self { search, context: AhoCorasick::new(OAUTH_CONTEXT)? })
    }

    /// Replaces the values of names that look secret.
    pub(super) fn replace_values(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut redacted = RedactedCopy::new(bytes);
        let mut scan = Scanner::new(bytes, 0);
        let mut at = 0;
        let mut is_oauth = None;
        while let Some(found) = self.search.find(bytes, at) {
            count_bytes(found.end - at);
            at = found.end;
            let oauth = || *is_oauth.get_or_insert_with(|| self.context.is_match(bytes));
            let Some(mut name) = find_name_around(&mut scan, &found) else { continue };
            let ValueRanges { quote, ranges: places } = find_values_after(&mut scan, &mut name, oauth);
            // Skip other parts of the same name, because they would lead to the same values.
            at = at.max(name.end);
            for place in places {
                at = at.max(place.end);
                redacted.replace_range(place, quote);
            }
        }
        redacted.finish()
    }
}

/// Finds the ranges of the secret values after this name. If more words belong to the name, `name` is
/// extended.
fn find_values_after<'a>(
    scan: &mut Scanner<'a>,
    name: &mut Range<usize>,
    is_oauth: impl FnOnce() -> bool,
) -> ValueRanges<'a> {
    let bytes = scan.bytes;
    let text = bytes.get(name.clone()).unwrap_or_default();
    let tail = text.get(text.len().saturating_sub(5)..).unwrap_or_default();
    if tail.eq_ignore_ascii_case(b"earer")
        && let Some(place) = find_bearer_token(bytes, name.end)
    {
        return Some(place).into();
    }
    scan.at = name.end;
    let quoted = scan.read_quote().or_else(|| {
        let (whole, behind, quote) = expand_to_quotes(bytes, name)?;
        (*name, scan.at) = (whole, behind);
        Some(quote)
    });
    let closing = name.end..scan.at;
    let spaced = if quoted.is_some() { scan.skip_whitespace() } else { scan.skip_spaces() };
    let sign = scan.current_byte();
    let is_element = quoted.is_none() && bytes.get(..name.start).is_some_and(|before| before.ends_with(b"<"));
    let is_item = match quoted {
        Some(_) => !matches!(sign, Some(b':' | b'=')) && pairs::is_label_before(bytes, name.start, quoted),
        None => {
            matches!(sign, Some(b'\r' | b'\n' | b'\\')) && pairs::is_label_before(bytes, name.start, None)
        }
    };
    if !(is_element || is_item || matches!(sign, Some(b':' | b'=')) || (quoted.is_none() && spaced)) {
        return ValueRanges::default();
    }
    let text = String::from_utf8_lossy(bytes.get(name.clone()).unwrap_or_default());
    let wanted = match name_sensitivity(&text) {
        NameSensitivity::Secret => ValueFilter::Any,
        NameSensitivity::Ambiguous => ValueFilter::Generated,
        NameSensitivity::Other if text == "code" && is_oauth() => ValueFilter::Any,
        NameSensitivity::Other => return ValueRanges::default(),
    };
    match (quoted, sign) {
        _ if is_item => pairs::find_value_beside(scan, name.start, &closing, quoted, &text, wanted),
        _ if is_element => lines::read_element_value(scan, name.clone(), wanted).into(),
        (Some(_), Some(b':')) => {
            scan.at += 1;
            scan.skip_whitespace();
            members::read_member_values(scan, &text, wanted, bytes.get(closing).unwrap_or_default())
        }
        (_, Some(b'=')) => lines::read_assigned_value(scan, wanted).into(),
        (None, Some(b':')) => {
            scan.at += 1;
            if scan.current_byte() == Some(b'=') || lines::skip_type(scan) {
                return lines::read_assigned_value(scan, wanted).into();
            }
            if is_header_name(text.as_bytes()) {
                return scan.read_header_value(wanted).into();
            }
            lines::read_line_value(scan, name.start, wanted).into()
        }
        (None, _) => {
            let is_flag = bytes.get(..name.start).is_some_and(|before| before.ends_with(b"-"))
                || text.starts_with('-')
                || lines::follows_login(bytes, name.start);
            let value = if is_flag && sign != Some(b'-') { scan.read_value(wanted) } else { None };
            value.into()
        }
        (Some(_), _) => ValueRanges::default(),
    }
}

/// Finds the whole name around a part. `None` if the name continues for too long after the part. The letter
/// of an escaped line break does not belong to the name.
fn find_name_around(scan: &mut Scanner<'_>, part: &Range<usize>) -> Option<Range<usize>> {
    let bytes = scan.bytes;
    // A part that includes quotes or a sign contains the whole name.
    let text = bytes.get(part.clone()).unwrap_or_default();
    let inner_start = part.start + usize::from(text.starts_with(b"\""));
    let inner_end = part.end - usize::from(text.ends_with(b"\"") || text.ends_with(b"="));
    let end = scan.names.end(bytes, inner_end);
    if end - inner_end > NAME_REACH {
        return None;
    }
    let before = bytes.get(..inner_start).unwrap_or_default();
    let length = before.iter().rev().take(NAME_REACH).take_while(|byte| is_name_byte(**byte)).count();
    count_bytes(length);
    let mut start = inner_start - length;
    let escapes = start.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b'\\');
    if escapes && matches!(bytes.get(start), Some(b'n' | b'r' | b't')) && start < inner_start {
        start += 1;
    }
    Some(start..end)
}

/// Extends a name to all words between the quotes around it, if a colon follows them: `"Access Token":`.
/// Returns the range of the words, the position after the closing quote, and that quote.
fn expand_to_quotes(bytes: &[u8], name: &Range<usize>) -> Option<(Range<usize>, usize, (usize, u8))> {
    let is_word = |byte: &u8| is_name_byte(*byte) || *byte == b' ';
    let before = bytes.get(..name.start)?;
    let after = bytes.get(name.end..)?;
    if before.last() != Some(&b' ') && after.first() != Some(&b' ') {
        return None;
    }
    let start = name.start - before.iter().rev().take(NAME_REACH).take_while(|byte| is_word(byte)).count();
    let opening = start.checked_sub(1).and_then(|at| bytes.get(at));
    count_bytes(name.start - start);
    if !matches!(opening, Some(b'"' | b'\'')) {
        return None;
    }
    let end = name.end + after.iter().take(NAME_REACH).take_while(|byte| is_word(byte)).count();
    let mut behind = Scanner::new(bytes, end);
    let quote = behind.read_quote()?;
    let rest = behind.rest().iter().take(COLON_REACH);
    let blank = rest.take_while(|byte| byte.is_ascii_whitespace()).count();
    count_bytes(end - name.end + blank);
    (behind.rest().get(blank) == Some(&b':')).then_some((start..end, behind.at, quote))
}

/// Whether a line `Name: value` with this name is a header with a credential up to the end of the line, and
/// not a sentence.
fn is_header_name(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(&*name, b"authorization" | b"proxy-authorization" | b"cookie" | b"set-cookie")
        || (name.starts_with(b"x-") && name.len() > 2)
}

/// Finds the credential after `Bearer`. `None` if the text doesn't look like a credential.
fn find_bearer_token(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let rest = bytes.get(from..)?;
    let blank = rest.iter().take_while(|byte| **byte == b' ').count();
    count_bytes(blank);
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
    count_bytes(2 * length);
    let token = token.get(..length)?;
    // In `Bearer realm="x"`, which asks for a credential, this is the name of a parameter.
    if token.ends_with(b"=") && bytes.get(start + length) == Some(&b'"') {
        return None;
    }
    let looks_real = length >= 20 || (length >= 8 && token.iter().any(is_special));
    looks_real.then_some(start..start + length)
}
