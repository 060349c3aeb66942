//! Takes secrets out of what is about to be logged.
//!
//! Two rules. What this server was given in confidence (values of variables and headers whose names look
//! secret) is replaced wherever it appears, also in the usual encodings. And what stands behind a name that
//! looks secret is replaced whatever it is: as a JSON member at any depth of quoting, as `NAME=value`, as a
//! header line, and behind `Bearer`. One fast search decides whether there is anything to do at all; most
//! frames pass it untouched and uncopied.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use aho_corasick::packed;
use aho_corasick::{AhoCorasick, MatchKind};
use bytes::Bytes;
use serde_json::Value;
use url::Url;
use zeroize::Zeroizing;

use super::entered::Entered;
use super::live::{self, Holding, LEAST, Live};

/// What stands in the log in place of a secret.
pub(crate) const REDACTED: &str = "[redacted]";

/// The inner parts of names that look secret, in the ways they are written. Inner, so that `token`,
/// `Token` and `accessToken` are one pattern.
const WORDS: [&str; 35] = [
    "oken",
    "OKEN",
    "ecret",
    "ECRET",
    "assword",
    "ASSWORD",
    "assphrase",
    "ASSPHRASE",
    "uthorization",
    "UTHORIZATION",
    "pi_key",
    "PI_KEY",
    "pi-key",
    "PI-KEY",
    "PI-Key",
    "pi-Key",
    "piKey",
    "pikey",
    "PIKEY",
    "ccess_key",
    "CCESS_KEY",
    "ccess-key",
    "ccessKey",
    "ccesskey",
    "rivate_key",
    "RIVATE_KEY",
    "rivateKey",
    "ookie",
    "OOKIE",
    "earer",
    "EARER",
    "code_verifier",
    "codeVerifier",
    "\"code\"",
    "code=",
];
/// The two last of [`WORDS`] count only beside one of these: a `code` is usually no secret.
const OAUTH_CONTEXT: [&str; 5] = ["grant_type", "redirect_uri", "code_verifier", "\"state\"", "state="];
/// Names that contain a word but are the protocol's own.
const HARMLESS: [&str; 2] = ["progressToken", "maxTokens"];
/// How far a name may reach from the word in it, in bytes.
const NAME_REACH: usize = 64;
/// How many tokens of a connection are looked for: the one in use, and those before it that may still come back.
const TOKENS: usize = 4;

/// The search for names that look secret, built once for all servers.
pub(crate) struct Names {
    search: Search,
    context: AhoCorasick,
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Names").finish_non_exhaustive()
    }
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
                packed.find_in(bytes, aho_corasick::Span::from(from..bytes.len())).map(|found| found.range())
            }
            Self::Automaton(automaton) => {
                automaton.find(aho_corasick::Input::new(bytes).range(from..)).map(|found| found.range())
            }
        }
    }
}

/// The search could not be built; only absurdly long secrets do that.
#[derive(Debug, thiserror::Error)]
#[error("the search for secrets could not be built: {0}")]
pub(crate) struct RedactError(aho_corasick::BuildError);

impl Names {
    /// Builds the search.
    pub(crate) fn new() -> Result<Self, RedactError> {
        let search = match packed::Config::new().builder().extend(WORDS).build() {
            Some(packed) => Search::Packed(packed),
            None => Search::Automaton(AhoCorasick::new(WORDS).map_err(RedactError)?),
        };
        Ok(Self { search, context: AhoCorasick::new(OAUTH_CONTEXT).map_err(RedactError)? })
    }

    /// Replaces what stands behind names that look secret.
    fn replace(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut out = None::<Vec<u8>>;
        let mut done = 0;
        let mut at = 0;
        let mut is_oauth = None;
        while let Some(found) = self.search.find(bytes, at) {
            at = found.end;
            let oauth = || *is_oauth.get_or_insert_with(|| self.context.is_match(bytes));
            for value in values_behind(bytes, found, oauth) {
                if value.start < done || bytes.get(value.clone()) == Some(REDACTED.as_bytes()) {
                    continue;
                }
                let out = out.get_or_insert_with(|| Vec::with_capacity(bytes.len()));
                out.extend_from_slice(bytes.get(done..value.start)?);
                out.extend_from_slice(REDACTED.as_bytes());
                done = value.end;
                at = at.max(done);
            }
        }
        let mut out = out?;
        out.extend_from_slice(bytes.get(done..)?);
        Some(out)
    }
}

/// Takes the secrets of one server out of its log.
pub(crate) struct Redactor {
    names: Arc<Names>,
    /// Finds the server's own secrets, longest first.
    secrets: Option<AhoCorasick>,
    /// What is in use anywhere in this host.
    live: Arc<Live>,
    /// What this server's connection has added to that. It stays until the last row is written.
    held: Mutex<Held>,
    /// What was entered here and is too short for that.
    entered: Entered,
}

#[derive(Default)]
struct Held {
    values: Vec<Holding>,
    tokens: VecDeque<(Zeroizing<String>, Holding)>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}

impl Redactor {
    /// A redactor that knows `secrets` beside the general rules.
    pub(crate) fn new(names: Arc<Names>, live: Arc<Live>, secrets: &Secrets) -> Result<Self, RedactError> {
        let build = || AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&secrets.0);
        let secrets = if secrets.0.is_empty() { None } else { Some(build().map_err(RedactError)?) };
        Ok(Self { names, secrets, live, held: Mutex::default(), entered: Entered::default() })
    }

    /// One that knows nothing of this server, for when nothing of it runs any more.
    pub(crate) fn bare(&self) -> Self {
        let (names, live) = (Arc::clone(&self.names), Arc::clone(&self.live));
        Self { names, secrets: None, live, held: Mutex::default(), entered: Entered::default() }
    }

    /// Takes these values out of everything from now on, wherever they appear.
    pub(crate) fn hold<'a>(&self, values: impl IntoIterator<Item = &'a str>) {
        if let Some(holding) = self.live.hold(values) {
            self.held.lock().unwrap_or_else(PoisonError::into_inner).values.push(holding);
        }
    }

    /// Takes what was entered into these fields out of everything from now on; where a value is too short to be told from
    /// other text, behind the name of its field.
    pub(crate) fn hold_fields<'a>(&self, fields: impl IntoIterator<Item = (&'a str, &'a str)>) {
        let (short, long): (Vec<_>, Vec<_>) =
            fields.into_iter().partition(|(_, value)| value.trim().len() < LEAST);
        self.hold(long.into_iter().map(|(_, value)| value));
        for (name, value) in short {
            self.entered.hold(name, value);
        }
    }

    /// The same for a token that lets requests in.
    pub(crate) fn hold_token(&self, token: &str) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.tokens.iter().any(|(known, _)| known.as_str() == token) {
            return;
        }
        let Some(holding) = self.live.hold([token]) else { return };
        held.tokens.push_back((Zeroizing::new(token.to_owned()), holding));
        if held.tokens.len() > TOKENS {
            held.tokens.pop_front();
        }
    }

    /// `body` without its secrets; the same bytes when it has none.
    pub(crate) fn redact(&self, body: &Bytes) -> Bytes {
        let known = self.replace_secrets(body);
        match (self.names.replace(known.as_deref().unwrap_or(body)), known) {
            (Some(redacted), _) | (None, Some(redacted)) => Bytes::from(redacted),
            (None, None) => body.clone(),
        }
    }

    /// `text` without its secrets.
    pub(crate) fn redact_text(&self, text: &str) -> String {
        let redacted = self.redact(&Bytes::copy_from_slice(text.as_bytes()));
        String::from_utf8_lossy(&redacted).into_owned()
    }

    /// Every text in `value` without its secrets, whatever it is called.
    pub(crate) fn redact_texts(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.redact_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_texts(item)),
            Value::Object(members) => members.values_mut().for_each(|member| self.redact_texts(member)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// A method's or a tool's name without the server's own secrets, if it has any: a server may name things
    /// by what it was given.
    pub(crate) fn redact_name(&self, name: &str) -> Option<String> {
        self.replace_secrets(name.as_bytes()).map(|redacted| String::from_utf8_lossy(&redacted).into_owned())
    }

    fn replace_secrets(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let own = self.secrets.as_ref().and_then(|secrets| Self::replace_own(secrets, bytes));
        let live = self.live.search().and_then(|live| live.replace(own.as_deref().unwrap_or(bytes)));
        let known = live.or(own);
        self.entered.replace(known.as_deref().unwrap_or(bytes)).or(known)
    }

    fn replace_own(secrets: &AhoCorasick, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut out = None::<Vec<u8>>;
        let mut done = 0;
        for found in secrets.find_iter(bytes) {
            let out = out.get_or_insert_with(|| Vec::with_capacity(bytes.len()));
            out.extend_from_slice(bytes.get(done..found.start())?);
            out.extend_from_slice(REDACTED.as_bytes());
            done = found.end();
        }
        let mut out = out?;
        out.extend_from_slice(bytes.get(done..)?);
        Some(out)
    }
}

/// The values that the name around `word` gives away.
fn values_behind(bytes: &[u8], word: Range<usize>, is_oauth: impl FnOnce() -> bool) -> Vec<Range<usize>> {
    let matched = bytes.get(word.clone()).unwrap_or_default();
    if matched.eq_ignore_ascii_case(b"earer") {
        return bearer(bytes, word.end).into_iter().collect();
    }
    let name = name_around(bytes, &word);
    let text = bytes.get(name.clone()).unwrap_or_default();
    if HARMLESS.iter().any(|harmless| text == harmless.as_bytes()) {
        return Vec::new();
    }
    if matches!(matched, b"\"code\"" | b"code=") {
        let alone = text == b"code";
        if !alone || !is_oauth() {
            return Vec::new();
        }
    }
    let mut scan = Scan { bytes, at: name.end };
    match scan.quote() {
        // A JSON member, or a quoted word that is none.
        Some(_) => {
            scan.blank();
            if scan.byte() != Some(b':') {
                return Vec::new();
            }
            scan.at += 1;
            scan.blank();
            scan.quoted_values()
        }
        None => match scan.byte() {
            Some(b'=') => {
                scan.at += 1;
                scan.assigned().into_iter().collect()
            }
            Some(b':') if is_header(text) => {
                scan.at += 1;
                scan.header_value().into_iter().collect()
            }
            _ => Vec::new(),
        },
    }
}

/// The characters around a word that belong to the same name.
fn name_around(bytes: &[u8], word: &Range<usize>) -> Range<usize> {
    let is_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b' ' | b'$');
    // The words that bring their own quotes or sign have the name between them.
    let (inner_start, inner_end) = match bytes.get(word.clone()).unwrap_or_default() {
        b"\"code\"" => (word.start + 1, word.end - 1),
        b"code=" => (word.start, word.end - 1),
        _ => (word.start, word.end),
    };
    let before = bytes.get(..inner_start).unwrap_or_default();
    let start = inner_start - before.iter().rev().take(NAME_REACH).take_while(|byte| is_name(byte)).count();
    let after = bytes.get(inner_end..).unwrap_or_default();
    let end = inner_end + after.iter().take(NAME_REACH).take_while(|byte| is_name(byte)).count();
    start..end
}

/// Whether `Name: value` with this name is a header that carries a credential, as opposed to a sentence.
fn is_header(name: &[u8]) -> bool {
    let last = name.rsplit(|byte| *byte == b' ').next().unwrap_or_default().to_ascii_lowercase();
    matches!(&*last, b"authorization" | b"proxy-authorization" | b"cookie" | b"set-cookie")
        || (last.starts_with(b"x-") && last.len() > 2)
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

/// A place in the bytes.
pub(super) struct Scan<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl Scan<'_> {
    pub(super) fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn blank(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// A quote with the backslashes before it, if one stands here: JSON inside a JSON text has its quotes
    /// escaped once, and so on. Moves behind it and returns the backslashes and the quote.
    pub(super) fn quote(&mut self) -> Option<(usize, u8)> {
        let rest = self.bytes.get(self.at..)?;
        let slashes = rest.iter().take_while(|byte| **byte == b'\\').count();
        let quote = rest.get(slashes).copied().filter(|byte| matches!(byte, b'"' | b'\''))?;
        self.at += slashes + 1;
        Some((slashes, quote))
    }

    /// The text here, or the texts of the list here, without their quotes.
    fn quoted_values(&mut self) -> Vec<Range<usize>> {
        let mut values = Vec::new();
        let is_list = self.byte() == Some(b'[');
        if is_list {
            self.at += 1;
            self.blank();
        }
        while let Some((slashes, quote)) = self.quote() {
            let start = self.at;
            let Some(end) = self.closing(slashes, quote) else {
                // Cut off: everything to the end belongs to the value.
                values.push(start..self.bytes.len());
                break;
            };
            values.push(start..end);
            self.blank();
            if !is_list || self.byte() != Some(b',') {
                break;
            }
            self.at += 1;
            self.blank();
        }
        values.retain(|value| !value.is_empty());
        values
    }

    /// Moves behind the closing quote and returns where its backslashes begin.
    fn closing(&mut self, slashes: usize, quote: u8) -> Option<usize> {
        loop {
            let rest = self.bytes.get(self.at..)?;
            let skip = rest.iter().position(|byte| *byte == quote || *byte == b'\\')?;
            self.at += skip;
            let run_start = self.at;
            let run = self.bytes.get(self.at..)?.iter().take_while(|byte| **byte == b'\\').count();
            self.at += run;
            if self.byte() == Some(quote) {
                self.at += 1;
                // With fewer backslashes the text around it ends, with more it is inside the value.
                if run <= slashes {
                    return Some(run_start);
                }
                // An even number of extra backslashes at depth 0 is the value's own.
                if slashes == 0 && run.is_multiple_of(2) {
                    return Some(self.at - 1);
                }
            } else if run == 0 {
                self.at += 1;
            }
        }
    }

    /// The value behind `=`, quoted or up to the next separator.
    fn assigned(&mut self) -> Option<Range<usize>> {
        if let Some((slashes, quote)) = self.quote() {
            let start = self.at;
            let end = self.closing(slashes, quote).unwrap_or(self.bytes.len());
            return (start < end).then_some(start..end);
        }
        let ends = |byte: &u8| {
            byte.is_ascii_whitespace()
                || matches!(byte, b'&' | b'"' | b'\'' | b'\\' | b',' | b';' | b'#' | b')' | b'<')
        };
        self.until(ends)
    }

    /// The rest of the line, or of the text it stands in.
    fn header_value(&mut self) -> Option<Range<usize>> {
        while self.byte() == Some(b' ') {
            self.at += 1;
        }
        self.until(|byte| matches!(byte, b'\r' | b'\n' | b'"' | b'\'' | b'\\'))
    }

    fn until(&mut self, ends: impl Fn(&u8) -> bool) -> Option<Range<usize>> {
        let start = self.at;
        let length = self.bytes.get(start..)?.iter().position(ends).unwrap_or(self.bytes.len() - start);
        self.at += length;
        (length > 0).then_some(start..start + length)
    }
}

/// What one server was given in confidence, with the encodings it may come back in. Has no `Debug` and no
/// `Clone` on purpose.
#[derive(Default)]
pub(crate) struct Secrets(Vec<Zeroizing<Vec<u8>>>);

impl Secrets {
    /// Adds the variable or header `name` if it looks secret, and in any case a password in an address.
    pub(crate) fn learn(&mut self, name: &str, value: &str) {
        if looks_secret(name) {
            self.add(value);
            // `Bearer x`, `Basic x`: the credential alone is a secret too.
            if let Some((_, credential)) = value.trim().split_once(' ') {
                self.add(credential.trim());
            }
        }
        self.learn_address(value);
    }

    /// Adds the password and the secret parameters of an address.
    pub(crate) fn learn_address(&mut self, address: &str) {
        let Ok(url) = Url::parse(address) else { return };
        if let Some(password) = url.password() {
            self.add(password);
        }
        for (name, value) in url.query_pairs() {
            if looks_secret(&name) {
                self.add(&value);
            }
        }
    }

    fn add(&mut self, value: &str) {
        for form in live::forms(value) {
            if !self.0.contains(&form) {
                self.0.push(form);
            }
        }
    }
}

/// Whether a variable, header or parameter of this name usually holds a secret.
pub fn looks_secret(name: &str) -> bool {
    const INSIDE: [&str; 9] = [
        "token",
        "secret",
        "password",
        "passphrase",
        "passwd",
        "apikey",
        "accesskey",
        "authorization",
        "credential",
    ];
    const PARTS: [&str; 11] =
        ["key", "keys", "pass", "pwd", "auth", "cookie", "pat", "jwt", "bearer", "private", "dsn"];
    let lower = name.to_ascii_lowercase();
    let joined: String = lower.chars().filter(char::is_ascii_alphanumeric).collect();
    INSIDE.iter().any(|inside| joined.contains(inside))
        || lower.split(|character: char| !character.is_ascii_alphanumeric()).any(|part| PARTS.contains(&part))
}

#[cfg(test)]
mod tests;
