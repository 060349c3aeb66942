//! Credentials that are known by their own form: tokens with their issuer's prefix, JSON Web Tokens, private keys,
//! and user names with passwords in URLs.

use std::ops::Range;

use aho_corasick::packed;
use aho_corasick::{AhoCorasick, BuildError, Span};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A prefix of tokens, and how many characters follow it at least.
const PREFIXES: [(&str, usize); 44] = [
    ("sk-", 16),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("rk_live_", 10),
    ("rk_test_", 10),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghu_", 16),
    ("ghs_", 16),
    ("ghr_", 16),
    ("github_pat_", 16),
    ("glpat-", 12),
    ("gldt-", 12),
    ("glrt-", 12),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxe-", 10),
    ("xoxe.", 10),
    ("xoxs-", 10),
    ("xoxr-", 10),
    ("xapp-", 10),
    ("AKIA", 12),
    ("ASIA", 12),
    ("AIza", 16),
    ("ya29.", 10),
    ("GOCSPX-", 10),
    ("hf_", 16),
    ("npm_", 16),
    ("pypi-", 16),
    ("dckr_pat_", 10),
    ("whsec_", 10),
    ("shpat_", 16),
    ("lin_api_", 16),
    ("ntn_", 16),
    ("dop_v1_", 16),
    ("hvs.", 16),
    ("SG.", 16),
    ("ATATT", 16),
    ("gsk_", 16),
    ("pplx-", 16),
    ("xai-", 16),
    ("tvly-", 16),
    ("figd_", 16),
];
/// What the others are found by.
const MARKS: [&str; 4] = ["eyJ", "://", "PRIVATE KEY-----", "asic "];
/// How far the user information of a URL is looked for, in bytes.
const URL_REACH: usize = 512;

/// The search for tokens, built once.
pub(crate) struct Tokens {
    packed: Option<packed::Searcher>,
    automaton: AhoCorasick,
}

impl Tokens {
    /// Builds the search.
    pub(crate) fn new() -> Result<Self, BuildError> {
        let patterns = || PREFIXES.iter().map(|(prefix, _)| *prefix).chain(MARKS);
        let packed = packed::Config::new().builder().extend(patterns()).build();
        Ok(Self { packed, automaton: AhoCorasick::new(patterns())? })
    }

    /// The first credential that begins at or after `from`, and where to look for the next one.
    pub(crate) fn find(&self, bytes: &[u8], mut from: usize) -> Option<(Range<usize>, usize)> {
        while let Some((pattern, found)) = self.mark(bytes, from) {
            from = found.end;
            let credential = match PREFIXES.get(pattern) {
                Some((_, least)) => token(bytes, &found, *least),
                None => match pattern - PREFIXES.len() {
                    0 => json_web_token(bytes, &found),
                    1 => user_information(bytes, found.end),
                    2 => private_key(bytes, found.end),
                    _ => basic(bytes, found.end),
                },
            };
            if let Some(credential) = credential {
                let next = credential.end.max(from);
                return Some((credential, next));
            }
        }
        None
    }

    fn mark(&self, bytes: &[u8], from: usize) -> Option<(usize, Range<usize>)> {
        if let Some(packed) = &self.packed {
            let found = packed.find_in(bytes, Span::from(from..bytes.len()))?;
            return Some((found.pattern().as_usize(), found.range()));
        }
        let found = self.automaton.find(aho_corasick::Input::new(bytes).range(from..))?;
        Some((found.pattern().as_usize(), found.range()))
    }
}

/// Whether a text, or what stands behind its last `=`, is a token of a known form.
pub(crate) fn is_token(text: &str) -> bool {
    let value = text.rsplit('=').next().unwrap_or_default().as_bytes();
    let is_whole = |range: Option<Range<usize>>| range.is_some_and(|range| range == (0..value.len()));
    let prefixed = PREFIXES.iter().any(|(prefix, least)| {
        value.starts_with(prefix.as_bytes()) && is_whole(token(value, &(0..prefix.len()), *least))
    });
    prefixed || (value.starts_with(b"eyJ") && value.len() >= 16 && is_whole(Some(run(value, 0))))
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The characters of a token from `start` on.
fn run(bytes: &[u8], start: usize) -> Range<usize> {
    let rest = bytes.get(start..).unwrap_or_default();
    let length = rest.iter().take_while(|byte| is_token_byte(**byte)).count();
    // A sentence ends with a point, a token does not.
    let points =
        rest.get(..length).unwrap_or_default().iter().rev().take_while(|byte| **byte == b'.').count();
    start..start + length - points
}

/// Whether a name or another token goes on before this place. The letter of an escaped line break does not count.
fn begins(bytes: &[u8], at: usize) -> bool {
    let mut before = bytes.get(..at).unwrap_or_default().iter().rev();
    match before.next() {
        None => true,
        Some(b'n' | b'r' | b't') => before.next() == Some(&b'\\'),
        Some(byte) => !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'+')),
    }
}

fn token(bytes: &[u8], prefix: &Range<usize>, least: usize) -> Option<Range<usize>> {
    if !begins(bytes, prefix.start) {
        return None;
    }
    let token = run(bytes, prefix.start);
    let rest = bytes.get(prefix.end..token.end)?;
    // Words that are joined by `-` or `_` are a name.
    let generated = rest.iter().any(u8::is_ascii_digit) || rest.iter().any(u8::is_ascii_uppercase);
    (rest.len() >= least && generated).then_some(token)
}

/// Three parts in Base64url between points, the last of which may be missing or empty (RFC 7515, section 3).
fn json_web_token(bytes: &[u8], found: &Range<usize>) -> Option<Range<usize>> {
    if !begins(bytes, found.start) {
        return None;
    }
    let token = run(bytes, found.start);
    let text = bytes.get(token.clone())?;
    let parts = text.split(|byte| *byte == b'.').take_while(|part| !part.is_empty()).count();
    (parts >= 2 && text.len() >= 20).then_some(token)
}

/// The password before the `@` of a URL, or the user name where that alone looks like a credential (RFC 3986,
/// section 3.2.1).
fn user_information(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'\\' | b'<' | b'>')
    };
    let rest = bytes.get(start..)?;
    let authority = rest.iter().take(URL_REACH).take_while(|byte| !ends(byte)).count();
    let authority = rest.get(..authority)?;
    let at = authority.iter().rposition(|byte| *byte == b'@')?;
    let user = authority.get(..at)?;
    match user.iter().position(|byte| *byte == b':') {
        Some(colon) => (colon + 1 < at).then_some(start + colon + 1..start + at),
        None => (user.len() >= 16 && super::looks_generated(user)).then_some(start..start + at),
    }
}

/// From behind `-----BEGIN … PRIVATE KEY-----` to `-----END`, or as far as there is something (RFC 7468).
fn private_key(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let before = bytes.get(..start)?;
    let line = before.get(start.saturating_sub(64)..)?;
    memchr::memmem::rfind(line, b"-----BEGIN ")?;
    let rest = bytes.get(start..)?;
    let end = memchr::memmem::find(rest, b"-----END ")
        .unwrap_or_else(|| rest.iter().position(|byte| matches!(byte, b'"' | b'\'')).unwrap_or(rest.len()));
    (end > 0).then_some(start..start + end)
}

/// Behind `Basic `, a user name and a password in Base64 (RFC 7617, section 2).
fn basic(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let length = bytes.get(start..)?.iter().take_while(|byte| is_base64(byte)).count();
    let decoded = STANDARD.decode(bytes.get(start..start + length)?).ok()?;
    let is_pair = decoded.len() >= 4 && decoded.contains(&b':') && decoded.is_ascii();
    is_pair.then_some(start..start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let tokens = Tokens::new().unwrap();
        let mut found = Vec::new();
        let mut at = 0;
        while let Some((range, next)) = tokens.find(text.as_bytes(), at) {
            found.push(&text[range]);
            at = next;
        }
        found
    }

    #[test]
    fn tokens_are_found_by_their_issuers_prefix() {
        for (prefix, _) in PREFIXES {
            let token = format!("{prefix}A1b2C3d4E5f6G7h8I9j0");
            assert_eq!(found(&format!("use {token}, then")), [token.as_str()]);
            assert_eq!(found(&format!("line\\n{token}\\n")), [token.as_str()]);
            assert!(is_token(&token) && is_token(&format!("--key={token}")), "{token}");
        }
        for text in ["task-sk-ill", "sk-learn-and-other-words", "desk-1234567890abcdefgh", "ghp_", "AKIAB"] {
            assert!(found(text).is_empty() && !is_token(text), "{text}");
        }
    }

    #[test]
    fn tokens_in_json_and_text_are_found_whole() {
        assert_eq!(found("id eyJhbGciOi.eyJzdWIiOiI.c2ln-x_1."), ["eyJhbGciOi.eyJzdWIiOiI.c2ln-x_1"]);
        assert!(found("eyJhbGciOi alone, or xeyJhbGciOi.eyJzdWIiOiIx").is_empty());
        assert_eq!(
            found("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----"),
            ["\nMIIE\nabc=\n"]
        );
        assert_eq!(found(r#""-----BEGIN PRIVATE KEY-----\nMIIE""#), [r"\nMIIE"]);
        assert_eq!(found("Basic bWU6aHVudGVyMg== and Basic knowledge"), ["bWU6aHVudGVyMg=="]);
    }

    #[test]
    fn passwords_in_urls_are_found_and_hosts_are_not() {
        assert_eq!(found("postgres://me:p@55@db:5432/x"), ["p@55"]);
        assert_eq!(found("https://a1b2c3d4e5f6g7h8i9j0@host/x"), ["a1b2c3d4e5f6g7h8i9j0"]);
        for text in
            ["https://host:8080/a@b", "https://me@host/", "ssh://git@github.com/x", "see https://h, me@x"]
        {
            assert!(found(text).is_empty(), "{text}");
        }
    }
}
