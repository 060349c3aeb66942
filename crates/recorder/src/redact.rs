//! Takes secrets out of what is about to be logged.
//!
//! There are three rules. What this server was given in confidence (values of variables and headers whose
//! names look secret) is replaced wherever it appears, also in the usual encodings. The value after a name
//! that looks secret is replaced: as a JSON member at any depth of quoting, as `NAME=value`, as a line of
//! YAML or a header, after a flag, and after `Bearer` ([`names`]). And anything with the form of a credential
//! is replaced wherever it occurs ([`TokenFinder`]). Two fast searches decide whether there is anything to do
//! at all; most frames pass them untouched and uncopied.

mod lines;
mod members;
mod names;
mod pairs;

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use aho_corasick::BuildError;
use bytes::Bytes;
use mooring_base::credentials::{SHORTEST_TOKEN, TokenFinder, looks_secret};
use serde_json::Value;
use url::Url;
use zeroize::Zeroizing;

use self::names::NameSearch;
use crate::live::{self, LiveSecrets, MIN_VALUE_BYTES, SecretLease};
use crate::scan::REDACTED;
use crate::short_secrets::ShortSecrets;

/// Bytes beyond an excerpt in which a secret that begins in the excerpt is searched for.
const EXCERPT_MARGIN: usize = 4 << 10;

/// Most tokens of a connection that are redacted: the one in use, and earlier ones that may still appear.
const MAX_TOKENS: usize = 4;

/// Searches for secret names and for tokens, built once for all servers.
pub(crate) struct SecretPatterns {
    names: NameSearch,
    tokens: TokenFinder,
}

impl fmt::Debug for SecretPatterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretPatterns").finish_non_exhaustive()
    }
}

/// The search could not be built; only absurdly long secrets do that.
#[derive(Debug, thiserror::Error)]
#[error("the search for secrets could not be built: {0}")]
pub struct RedactError(#[from] BuildError);

impl SecretPatterns {
    /// Builds the searches.
    pub(crate) fn new() -> Result<Self, RedactError> {
        Ok(Self { names: NameSearch::new()?, tokens: TokenFinder::new()? })
    }

    /// Replaces the values of names that look secret, and what has the form of a credential.
    fn replace(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let named = self.names.replace(bytes);
        self.replace_tokens(named.as_deref().unwrap_or(bytes)).or(named)
    }

    fn replace_tokens(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut redacted = RedactedCopy::new(bytes);
        for token in self.tokens.find(bytes) {
            redacted.replace(token, b"");
        }
        redacted.finish()
    }
}

/// A copy with some ranges [`REDACTED`]. Nothing is copied before the first redaction.
struct RedactedCopy<'a> {
    bytes: &'a [u8],
    out: Vec<u8>,
    done: usize,
}

impl<'a> RedactedCopy<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, out: Vec::new(), done: 0 }
    }

    /// Replaces a range, unless it was replaced already. Ranges come in order. A value without quotes, such
    /// as a number in JSON, gets the quotes `quote`.
    fn replace(&mut self, place: Range<usize>, quote: &[u8]) {
        let Some(value) = self.bytes.get(place.clone()) else { return };
        if place.start < self.done || value.is_empty() || value == REDACTED.as_bytes() {
            return;
        }
        self.out.extend_from_slice(self.bytes.get(self.done..place.start).unwrap_or_default());
        self.out.extend_from_slice(quote);
        self.out.extend_from_slice(REDACTED.as_bytes());
        self.out.extend_from_slice(quote);
        self.done = place.end;
    }

    /// The copy, if anything was replaced.
    fn finish(mut self) -> Option<Vec<u8>> {
        if self.done == 0 {
            return None;
        }
        self.out.extend_from_slice(self.bytes.get(self.done..).unwrap_or_default());
        Some(self.out)
    }
}
/// Takes the secrets of one server out of its log.
pub(crate) struct Redactor {
    patterns: Arc<SecretPatterns>,
    /// Secrets in use by any connection of this host.
    live: Arc<LiveSecrets>,
    /// Leases of this connection's secrets, until the last row is written.
    leases: Mutex<ConnectionLeases>,
    /// Entered values that are too short for the general search.
    short_secrets: ShortSecrets,
}

#[derive(Default)]
struct ConnectionLeases {
    values: Vec<SecretLease>,
    tokens: VecDeque<(Zeroizing<String>, SecretLease)>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}

impl Redactor {
    /// A redactor that knows `secrets` beside the general rules. While it exists, all other redactors of this
    /// host search for them as well: what one server says reaches an app, whose messages are logged too.
    pub(crate) fn new(patterns: Arc<SecretPatterns>, live: Arc<LiveSecrets>, secrets: KnownSecrets) -> Self {
        let values = live.lease_forms(secrets.0).into_iter().collect();
        let leases = Mutex::new(ConnectionLeases { values, ..ConnectionLeases::default() });
        Self { patterns, live, leases, short_secrets: ShortSecrets::default() }
    }

    /// A redactor without this server's secrets, for when nothing of it runs.
    pub(crate) fn without_server_secrets(&self) -> Self {
        let (patterns, live) = (Arc::clone(&self.patterns), Arc::clone(&self.live));
        Self { patterns, live, leases: Mutex::default(), short_secrets: ShortSecrets::default() }
    }

    /// Takes these values out of everything from now on, wherever they appear.
    pub(crate) fn add_secrets<'a>(&self, values: impl IntoIterator<Item = &'a str>) {
        if let Some(holding) = self.live.lease(values) {
            self.leases.lock().unwrap_or_else(PoisonError::into_inner).values.push(holding);
        }
    }

    /// Redacts what was entered into these fields from now on. A value too short to be distinguished from
    /// other text is only redacted after the name of its field.
    pub(crate) fn add_field_secrets<'a>(&self, fields: impl IntoIterator<Item = (&'a str, &'a str)>) {
        let (short, long): (Vec<_>, Vec<_>) =
            fields.into_iter().partition(|(_, value)| value.trim().len() < MIN_VALUE_BYTES);
        self.add_secrets(long.into_iter().map(|(_, value)| value));
        for (name, value) in short {
            self.short_secrets.add(name, value);
        }
    }

    /// Redacts an access token from now on.
    pub(crate) fn add_token(&self, token: &str) {
        let mut leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        if leases.tokens.iter().any(|(known, _)| known.as_str() == token) {
            return;
        }
        let Some(holding) = self.live.lease([token]) else { return };
        leases.tokens.push_back((Zeroizing::new(token.to_owned()), holding));
        if leases.tokens.len() > MAX_TOKENS {
            leases.tokens.pop_front();
        }
    }

    /// `body` without its secrets; the same bytes when it has none.
    pub(crate) fn redact(&self, body: &Bytes) -> Bytes {
        let known = self.replace_secrets(body);
        match (self.patterns.replace(known.as_deref().unwrap_or(body)), known) {
            (Some(redacted), _) | (None, Some(redacted)) => Bytes::from(redacted),
            (None, None) => body.clone(),
        }
    }

    /// `text` without its secrets.
    pub(crate) fn redact_text(&self, text: &str) -> String {
        let redacted = self.redact(&Bytes::copy_from_slice(text.as_bytes()));
        String::from_utf8_lossy(&redacted).into_owned()
    }

    /// The first `most` bytes of `text` without secrets. The cost does not grow with the length of `text`:
    /// only [`EXCERPT_MARGIN`] further bytes are read, and as many are left out of the result, because half a
    /// secret may be at its end.
    pub(crate) fn redact_start(&self, text: &[u8], most: usize) -> String {
        let near = text.get(..text.len().min(most + EXCERPT_MARGIN)).unwrap_or_default();
        let redacted = self.redact(&Bytes::copy_from_slice(near));
        let unsure = if near.len() < text.len() { EXCERPT_MARGIN } else { 0 };
        let start = redacted.get(..redacted.len().saturating_sub(unsure).min(most)).unwrap_or_default();
        String::from_utf8_lossy(start).into_owned()
    }

    /// The last `most` bytes of `text` without secrets, from the beginning of a line on.
    pub(crate) fn redact_end(&self, text: &str, most: usize) -> String {
        if text.len() <= most {
            return self.redact_text(text);
        }
        let near =
            text.as_bytes().get(text.len().saturating_sub(most + EXCERPT_MARGIN)..).unwrap_or_default();
        let redacted = self.redact(&Bytes::copy_from_slice(near));
        let unsure = EXCERPT_MARGIN.min(near.len() - most).min(redacted.len());
        let sure = redacted.get(unsure..).unwrap_or_default();
        let line = memchr::memchr(b'\n', sure).map_or(0, |end| end + 1);
        String::from_utf8_lossy(sure.get(line..).unwrap_or_default()).into_owned()
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

    /// Removes secrets from a method, an id, a tool's name or a URI: a server may name things after what it
    /// received. `None` if there are none.
    pub(crate) fn redact_name(&self, name: &str) -> Option<String> {
        let known = self.replace_secrets(name.as_bytes());
        if is_plain(name.as_bytes()) {
            return known.map(|known| String::from_utf8_lossy(&known).into_owned());
        }
        let redacted = self.patterns.replace(known.as_deref().unwrap_or(name.as_bytes())).or(known)?;
        Some(String::from_utf8_lossy(&redacted).into_owned())
    }

    fn replace_secrets(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let known = self.live.search().and_then(|live| live.replace(bytes));
        self.short_secrets.replace(known.as_deref().unwrap_or(bytes)).or(known)
    }
}

/// Whether a name is too short for a credential and has no sign after which a value could follow: true of
/// most methods and ids.
fn is_plain(name: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./".contains(byte);
    name.len() < SHORTEST_TOKEN && name.iter().all(is_plain)
}

/// The secrets of one server, with the encodings in which they may appear. Deliberately without `Debug` and
/// `Clone`.
#[derive(Default)]
pub struct KnownSecrets(pub(crate) Vec<Zeroizing<Vec<u8>>>);

impl KnownSecrets {
    /// Adds the variable or header `name` if it looks secret, and in any case a password in an address.
    pub fn add_if_secret(&mut self, name: &str, value: &str) {
        if looks_secret(name) {
            self.add(value);
            // `Bearer x`, `Basic x`: the credential alone is a secret too.
            if let Some((_, credential)) = value.trim().split_once(' ') {
                self.add(credential.trim());
            }
        }
        self.add_from_url(value);
    }

    /// Adds the password and the secret parameters of an address.
    pub fn add_from_url(&mut self, address: &str) {
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
        for form in live::encoded_forms(value) {
            if !self.0.contains(&form) {
                self.0.push(form);
            }
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod hostile;
#[cfg(test)]
mod tests;
