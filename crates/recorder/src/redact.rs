//! Removes secrets from records before they are logged.
//!
//! There are three rules. The secrets that this server was given (values of variables and headers whose names
//! look secret) are replaced wherever they appear, also in the usual encodings. The value after a name that
//! looks secret is replaced: as a JSON member at any depth of quoting, as `NAME=value`, as a line of YAML or
//! a header, after a flag, and after `Bearer` ([`names`]). A text with the form of a credential is replaced
//! wherever it occurs ([`TokenFinder`]). Two fast searches decide whether there is anything to replace. Most
//! frames are neither changed nor copied.

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

/// How many bytes after an excerpt are read, because a secret that begins in the excerpt may end there.
const EXCERPT_MARGIN: usize = 4 << 10;

/// The most tokens of a connection that are redacted: the current token, and earlier ones that may still
/// appear.
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

/// The search could not be built. This happens only if secrets are extremely long.
#[derive(Debug, thiserror::Error)]
#[error("the search for secrets could not be built: {0}")]
pub struct RedactError(#[from] BuildError);

impl SecretPatterns {
    /// Builds the searches.
    pub(crate) fn new() -> Result<Self, RedactError> {
        Ok(Self { names: NameSearch::new()?, tokens: TokenFinder::new()? })
    }

    /// Replaces the values of names that look secret, and texts with the form of a credential.
    fn replace_matches(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let named = self.names.replace_values(bytes);
        self.replace_tokens(named.as_deref().unwrap_or(bytes)).or(named)
    }

    fn replace_tokens(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut redacted = RedactedCopy::new(bytes);
        for token in self.tokens.find(bytes) {
            redacted.replace_range(token, b"");
        }
        redacted.finish()
    }
}

/// A copy in which some ranges are [`REDACTED`]. Nothing is copied before the first redaction.
struct RedactedCopy<'a> {
    bytes: &'a [u8],
    out: Vec<u8>,
    done: usize,
}

impl<'a> RedactedCopy<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, out: Vec::new(), done: 0 }
    }

    /// Replaces a range, unless it was replaced already. Ranges have to be in order. `quote` is put around
    /// the replacement of a value without quotes, such as a number in JSON.
    fn replace_range(&mut self, place: Range<usize>, quote: &[u8]) {
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
/// Removes the secrets of one server from its log.
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
    /// A redactor that knows `secrets` besides the general rules. While it exists, all other redactors of
    /// this host search for these secrets as well. What one server sends may reach an app, whose messages are
    /// also logged.
    pub(crate) fn new(patterns: Arc<SecretPatterns>, live: Arc<LiveSecrets>, secrets: KnownSecrets) -> Self {
        let values = live.lease_forms(secrets.0).into_iter().collect();
        let leases = Mutex::new(ConnectionLeases { values, ..ConnectionLeases::default() });
        Self { patterns, live, leases, short_secrets: ShortSecrets::default() }
    }

    /// A redactor without this server's secrets, for the time when no process of the server runs.
    pub(crate) fn without_server_secrets(&self) -> Self {
        let (patterns, live) = (Arc::clone(&self.patterns), Arc::clone(&self.live));
        Self { patterns, live, leases: Mutex::default(), short_secrets: ShortSecrets::default() }
    }

    /// Redacts these values from now on, wherever they appear.
    pub(crate) fn add_secrets<'a>(&self, values: impl IntoIterator<Item = &'a str>) {
        if let Some(holding) = self.live.lease_values(values) {
            self.leases.lock().unwrap_or_else(PoisonError::into_inner).values.push(holding);
        }
    }

    /// Redacts the values that were entered into these fields from now on. A value that is too short to be
    /// distinguished from other text is only redacted after the name of its field.
    pub(crate) fn add_field_secrets<'a>(&self, fields: impl IntoIterator<Item = (&'a str, &'a str)>) {
        let (short, long): (Vec<_>, Vec<_>) =
            fields.into_iter().partition(|(_, value)| value.trim().len() < MIN_VALUE_BYTES);
        self.add_secrets(long.into_iter().map(|(_, value)| value));
        for (name, value) in short {
            self.short_secrets.add_field(name, value);
        }
    }

    /// Redacts an access token from now on.
    pub(crate) fn add_token(&self, token: &str) {
        let mut leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        if leases.tokens.iter().any(|(known, _)| known.as_str() == token) {
            return;
        }
        let Some(holding) = self.live.lease_values([token]) else { return };
        leases.tokens.push_back((Zeroizing::new(token.to_owned()), holding));
        if leases.tokens.len() > MAX_TOKENS {
            leases.tokens.pop_front();
        }
    }

    /// The body without secrets. A body that has none is returned without a copy.
    pub(crate) fn redact_bytes(&self, body: &Bytes) -> Bytes {
        let known = self.replace_secrets(body);
        match (self.patterns.replace_matches(known.as_deref().unwrap_or(body)), known) {
            (Some(redacted), _) | (None, Some(redacted)) => Bytes::from(redacted),
            (None, None) => body.clone(),
        }
    }

    /// The text without secrets.
    pub(crate) fn redact_text(&self, text: &str) -> String {
        let redacted = self.redact_bytes(&Bytes::copy_from_slice(text.as_bytes()));
        String::from_utf8_lossy(&redacted).into_owned()
    }

    /// The first `most` bytes of `text` without secrets. The cost does not grow with the length of `text`,
    /// because only [`EXCERPT_MARGIN`] further bytes are read. Those bytes are left out of the result,
    /// because they may end with a part of a secret.
    pub(crate) fn redact_start(&self, text: &[u8], most: usize) -> String {
        let near = text.get(..text.len().min(most + EXCERPT_MARGIN)).unwrap_or_default();
        let redacted = self.redact_bytes(&Bytes::copy_from_slice(near));
        let unsure = if near.len() < text.len() { EXCERPT_MARGIN } else { 0 };
        let start = redacted.get(..redacted.len().saturating_sub(unsure).min(most)).unwrap_or_default();
        String::from_utf8_lossy(start).into_owned()
    }

    /// The last `most` bytes of `text` without secrets, starting at the beginning of a line.
    pub(crate) fn redact_end(&self, text: &str, most: usize) -> String {
        if text.len() <= most {
            return self.redact_text(text);
        }
        let near =
            text.as_bytes().get(text.len().saturating_sub(most + EXCERPT_MARGIN)..).unwrap_or_default();
        let redacted = self.redact_bytes(&Bytes::copy_from_slice(near));
        let unsure = EXCERPT_MARGIN.min(near.len() - most).min(redacted.len());
        let sure = redacted.get(unsure..).unwrap_or_default();
        let line = memchr::memchr(b'\n', sure).map_or(0, |end| end + 1);
        String::from_utf8_lossy(sure.get(line..).unwrap_or_default()).into_owned()
    }

    /// Redacts every text in `value`. The names of members don't matter.
    pub(crate) fn redact_texts(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.redact_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_texts(item)),
            Value::Object(members) => members.values_mut().for_each(|member| self.redact_texts(member)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Removes secrets from a method, an id, a tool's name or a URI, because a server may name things after a
    /// value that it received. `None` if there are none.
    pub(crate) fn redact_name(&self, name: &str) -> Option<String> {
        let known = self.replace_secrets(name.as_bytes());
        if is_plain_name(name.as_bytes()) {
            return known.map(|known| String::from_utf8_lossy(&known).into_owned());
        }
        let redacted =
            self.patterns.replace_matches(known.as_deref().unwrap_or(name.as_bytes())).or(known)?;
        Some(String::from_utf8_lossy(&redacted).into_owned())
    }

    fn replace_secrets(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let known = self.live.current_search().and_then(|live| live.replace_values(bytes));
        self.short_secrets.replace_values(known.as_deref().unwrap_or(bytes)).or(known)
    }
}

/// Whether a name is too short for a credential, and has no sign after which a value could follow. This is
/// true for most methods and ids.
fn is_plain_name(name: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./".contains(byte);
    name.len() < SHORTEST_TOKEN && name.iter().all(is_plain)
}

/// The secrets of one server, in all encodings in which they may appear. `Debug` and `Clone` are left out
/// deliberately.
#[derive(Default)]
pub struct KnownSecrets(pub(crate) Vec<Zeroizing<Vec<u8>>>);

impl KnownSecrets {
    /// Adds the value of the variable or header `name` if the name looks secret. Also adds the password of a
    /// URL in the value.
    pub fn add_if_secret(&mut self, name: &str, value: &str) {
        if looks_secret(name) {
            self.add_value(value);
            // In `Bearer x` or `Basic x`, the credential alone is a secret too.
            if let Some((_, credential)) = value.trim().split_once(' ') {
                self.add_value(credential.trim());
            }
        }
        self.add_from_url(value);
    }

    /// Adds the password and the secret parameters of a URL.
    pub fn add_from_url(&mut self, address: &str) {
        let Ok(url) = Url::parse(address) else { return };
        if let Some(password) = url.password() {
            self.add_value(password);
        }
        for (name, value) in url.query_pairs() {
            if looks_secret(&name) {
                self.add_value(&value);
            }
        }
    }

    /// Adds the secrets of another server.
    pub fn add_all(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    fn add_value(&mut self, value: &str) {
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
