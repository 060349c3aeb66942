//! Detects credentials by their form: tokens with their issuer's prefix, JSON Web Tokens, private keys, and
//! user names with passwords in URLs.

use std::ops::Range;

use aho_corasick::{AhoCorasick, BuildError, Span, packed};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::scan_cost::count_bytes;
use super::segments::Segments;

/// Prefixes of tokens, with the least number of characters that follow.
pub const PREFIXES: [(&str, usize); 45] = [
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
    // Keys of apps that connect to the gateway over HTTP.
    ("mooring_", 20),
];

/// Length of the shortest credential, in bytes that are letters, digits or one of `_-./`.
pub const SHORTEST_TOKEN: usize = {
    let (mut shortest, mut left) = (usize::MAX, PREFIXES.as_slice());
    while let [(prefix, least), rest @ ..] = left {
        if prefix.len() + *least < shortest {
            shortest = prefix.len() + *least;
        }
        left = rest;
    }
    shortest
};
/// Texts that credentials without a token prefix contain.
const MARKERS: [&str; 6] = ["eyJ", "://", "PRIVATE KEY-----", "asic ", " -u ", "--user "];
/// Maximum number of bytes after `://` that are searched for the user information.
const URL_REACH: usize = 512;
/// Maximum bytes that are searched for the end of a private key. An RSA key with 16,384 bits has 13,000.
const KEY_REACH: usize = 64 << 10;
/// Maximum number of bytes of a user name and a password in Base64.
const BASIC_REACH: usize = 8 << 10;
/// Maximum bytes before a flag that are searched for the program's name, and maximum bytes of the flag's value.
const FLAG_REACH: (usize, usize) = (256, 256);

/// A search for credentials. Build it once and reuse it.
pub struct TokenFinder {
    packed: Option<packed::Searcher>,
    automaton: AhoCorasick,
}

impl TokenFinder {
    /// Builds the search automata.
    pub fn new() -> Result<Self, BuildError> {
        let patterns = || PREFIXES.iter().map(|(prefix, _)| *prefix).chain(MARKERS);
        let packed = packed::Config::new().builder().extend(patterns()).build();
        Ok(Self { packed, automaton: AhoCorasick::new(patterns())? })
    }

    /// The ranges of the credentials in `bytes`, in order.
    pub fn find<'a>(&'a self, bytes: &'a [u8]) -> TokenMatches<'a> {
        TokenMatches { tokens: self, text: TokenScan::new(bytes), at: 0 }
    }

    fn next_marker(&self, bytes: &[u8], from: usize) -> Option<(usize, Range<usize>)> {
        if let Some(packed) = &self.packed {
            let found = packed.find_in(bytes, Span::from(from..bytes.len()))?;
            return Some((found.pattern().as_usize(), found.range()));
        }
        let found = self.automaton.find(aho_corasick::Input::new(bytes).range(from..))?;
        Some((found.pattern().as_usize(), found.range()))
    }
}

/// Iterator over the credentials in a text.
pub struct TokenMatches<'a> {
    tokens: &'a TokenFinder,
    text: TokenScan<'a>,
    at: usize,
}

impl Iterator for TokenMatches<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.bytes;
        while let Some((pattern, found)) = self.tokens.next_marker(bytes, self.at) {
            count_bytes(found.end - self.at);
            self.at = found.end;
            let credential = match PREFIXES.get(pattern) {
                Some((_, least)) => self.text.token(&found, *least),
                None => match pattern - PREFIXES.len() {
                    0 => self.text.json_web_token(found.start),
                    1 => url_userinfo(bytes, found.end),
                    2 => self.text.private_key(found.end),
                    3 => basic(bytes, found.end),
                    _ => curl_password(bytes, &found),
                },
            };
            if let Some(credential) = credential {
                self.at = self.at.max(credential.end);
                return Some(credential);
            }
        }
        None
    }
}

/// Whether a text, or the part after its last `=`, is a token with a known form.
pub fn is_token(text: &str) -> bool {
    let value = text.rsplit('=').next().unwrap_or_default().as_bytes();
    let whole = 0..value.len();
    let mut text = TokenScan::new(value);
    let prefixed = PREFIXES.iter().any(|(prefix, least)| {
        value.starts_with(prefix.as_bytes())
            && text.token(&(0..prefix.len()), *least).as_ref() == Some(&whole)
    });
    prefixed || (value.starts_with(b"eyJ") && value.len() >= 16 && text.token_range(0) == whole)
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Whether a token can start here: no name or other token precedes. An escaped line break's letter is
/// ignored.
fn is_token_start(bytes: &[u8], at: usize) -> bool {
    let mut before = bytes.get(..at).unwrap_or_default().iter().rev();
    match before.next() {
        None => true,
        Some(b'n' | b'r' | b't') => before.next() == Some(&b'\\'),
        Some(byte) => !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'+')),
    }
}

/// A text, with what is already known about it. Without this cache, a text of nothing but prefixes would be
/// read to its end for each of them.
struct TokenScan<'a> {
    bytes: &'a [u8],
    /// Finds the ends of runs of token characters.
    runs: Segments,
    /// Where the first `-----END ` begins after the last search's start; `usize::MAX` if there is none.
    key_end: usize,
}

impl<'a> TokenScan<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, runs: Segments::new(|byte| !is_token_byte(byte)), key_end: 0 }
    }

    /// The token's characters from `start` on. A trailing point belongs to the sentence, not to the token.
    fn token_range(&mut self, start: usize) -> Range<usize> {
        start..self.runs.traits(self.bytes, start).end_before_points(start)
    }

    fn token(&mut self, prefix: &Range<usize>, least: usize) -> Option<Range<usize>> {
        if !is_token_start(self.bytes, prefix.start) {
            return None;
        }
        let token = self.token_range(prefix.start);
        let is_long = token.end.checked_sub(prefix.end).is_some_and(|length| length >= least);
        // Words joined by `-` or `_` are a name.
        let traits = self.runs.traits(self.bytes, prefix.start);
        (is_long && traits.has_digit_or_capital(prefix.end)).then_some(token)
    }

    /// Three Base64url parts separated by points. The last one may be missing or empty (RFC 7515, section 3).
    fn json_web_token(&mut self, start: usize) -> Option<Range<usize>> {
        if !is_token_start(self.bytes, start) {
            return None;
        }
        let token = self.token_range(start);
        let text = self.bytes.get(token.clone())?;
        let point = text.iter().position(|byte| *byte == b'.');
        count_bytes(point.unwrap_or(text.len()));
        let has_second = text.get(point? + 1).is_some_and(|byte| *byte != b'.');
        (has_second && text.len() >= 20).then_some(token)
    }

    /// From the end of `-----BEGIN … PRIVATE KEY-----` to `-----END`, at most [`KEY_REACH`] bytes (RFC 7468).
    fn private_key(&mut self, start: usize) -> Option<Range<usize>> {
        let before = self.bytes.get(start.saturating_sub(64)..start)?;
        count_bytes(before.len());
        memchr::memmem::rfind(before, b"-----BEGIN ")?;
        let rest = self.bytes.get(start..)?;
        if self.key_end < start {
            let found = memchr::memmem::find(rest, b"-----END ");
            count_bytes(found.unwrap_or(rest.len()));
            self.key_end = found.map_or(usize::MAX, |found| start + found);
        }
        let marked = Some(self.key_end - start).filter(|length| *length <= KEY_REACH);
        let length = marked.unwrap_or_else(|| {
            let near = rest.get(..rest.len().min(KEY_REACH)).unwrap_or_default();
            let length = memchr::memchr2(b'"', b'\'', near).unwrap_or(near.len());
            count_bytes(length);
            length
        });
        (length > 0).then_some(start..start + length)
    }
}

/// The password before the `@` of a URL, or the user name where that alone looks like a credential (RFC 3986,
/// section 3.2.1).
fn url_userinfo(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'\\' | b'<' | b'>')
    };
    let rest = bytes.get(start..)?;
    let authority = rest.iter().take(URL_REACH).take_while(|byte| !ends(byte)).count();
    count_bytes(3 * authority);
    let authority = rest.get(..authority)?;
    let at = authority.iter().rposition(|byte| *byte == b'@')?;
    let user = authority.get(..at)?;
    match user.iter().position(|byte| *byte == b':') {
        Some(colon) => (colon + 1 < at).then_some(start + colon + 1..start + at),
        None => (user.len() >= 16 && super::looks_generated(user)).then_some(start..start + at),
    }
}

/// The user name and password in Base64 after `Basic ` (RFC 7617, section 2).
fn basic(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let near = bytes.get(start..bytes.len().min(start + BASIC_REACH))?;
    let length = near.iter().take_while(|byte| is_base64(byte)).count();
    count_bytes(2 * length);
    let decoded = STANDARD.decode(near.get(..length)?).ok()?;
    let is_pair = decoded.len() >= 4 && decoded.contains(&b':') && decoded.is_ascii();
    is_pair.then_some(start..start + length)
}

/// The password in `curl -u user:password`. Other programs use that flag for other things.
fn curl_password(bytes: &[u8], flag: &Range<usize>) -> Option<Range<usize>> {
    let near = bytes.get(flag.end..bytes.len().min(flag.end + FLAG_REACH.1))?;
    let quotes = near.iter().take_while(|byte| matches!(byte, b'\\' | b'"' | b'\'')).take(4).count();
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'\\');
    let value = near.get(quotes..)?;
    let value = value.get(..value.iter().position(ends).unwrap_or(value.len()))?;
    count_bytes(quotes + 2 * value.len());
    let colon = value.iter().position(|byte| *byte == b':')?;
    let password =
        value.get(colon + 1..).filter(|password| password.first().is_some_and(|first| *first != b'$'))?;
    let before = bytes.get(flag.start.saturating_sub(FLAG_REACH.0)..flag.start)?;
    count_bytes(before.len());
    let line = before.rsplit(|byte| *byte == b'\n').next()?;
    memchr::memmem::rfind(line, b"curl")?;
    let start = flag.end + quotes + colon + 1;
    Some(start..start + password.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let tokens = TokenFinder::new().unwrap();
        tokens.find(text.as_bytes()).map(|range| &text[range]).collect()
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
