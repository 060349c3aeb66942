//! Secrets in use, which are redacted wherever they appear. These are access tokens and the decrypted values
//! of servers. Every connection of a host searches for all of them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use mooring_base::credentials::scan_cost::count_bytes;
use zeroize::Zeroizing;

use crate::scan::REDACTED;

/// Shorter values are not searched for, because they would be found everywhere.
pub(super) const MIN_VALUE_BYTES: usize = 6;
/// The shortest line of a multi-line value that is also searched alone, because programs print keys line by
/// line.
const MIN_LINE_BYTES: usize = 16;
/// How many bytes of an encoded form the search looks for. The following bytes are compared, so that a
/// truncated value is found as well, and a long value costs no more than a short one.
const PREFIX_BYTES: usize = 32;

/// Secrets in use by any connection, and the search for them.
#[derive(Default)]
pub(crate) struct LiveSecrets {
    leased: Mutex<LeasedForms>,
    /// Whether anything is leased, so that a search is needed.
    has_some: AtomicBool,
    search: RwLock<Option<Arc<SecretSearch>>>,
}

#[derive(Default)]
struct LeasedForms {
    next: u64,
    forms: BTreeMap<u64, Vec<EncodedForm>>,
}

/// One encoding of a value, such as Base64.
type EncodedForm = Zeroizing<Vec<u8>>;

/// Redacts values in all logs until the lease is dropped.
pub struct SecretLease {
    live: Arc<LiveSecrets>,
    number: u64,
}

/// Redacts one value in texts that are shown or sent.
pub struct Mask(Option<Arc<SecretSearch>>);

impl Mask {
    /// A mask for this value. It redacts nothing if the value is too short.
    pub fn for_value(value: &str) -> Self {
        let live = Arc::new(LiveSecrets::default());
        let _holding = live.lease_values([value]);
        Self(live.current_search())
    }

    /// The text with the value redacted, in any encoding.
    pub fn redact(&self, text: String) -> String {
        let replaced = self.0.as_ref().and_then(|search| search.replace_values(text.as_bytes()));
        replaced.map_or(text, |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Drop for SecretLease {
    fn drop(&mut self) {
        let mut forms = lock(&self.live.leased);
        forms.forms.remove(&self.number);
        self.live.rebuild_search(&forms);
    }
}

/// Finds the prefixes of encoded forms, and compares the bytes after them.
pub(crate) struct SecretSearch {
    prefixes: AhoCorasick,
    /// All forms that begin with a prefix, by the prefix's number.
    forms: Vec<Vec<EncodedForm>>,
}

impl fmt::Debug for LiveSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveSecrets").finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LiveSecrets {
    /// Searches for these values until the lease is dropped. `None` if all of them are too short.
    pub(crate) fn lease_values<'a>(
        self: &Arc<Self>,
        values: impl IntoIterator<Item = &'a str>,
    ) -> Option<SecretLease> {
        self.lease_forms(values.into_iter().flat_map(encoded_forms).collect())
    }

    /// Searches for values whose encoded forms are given, until the lease is dropped. `None` if there are
    /// none.
    pub(crate) fn lease_forms(self: &Arc<Self>, forms: Vec<Zeroizing<Vec<u8>>>) -> Option<SecretLease> {
        if forms.is_empty() {
            return None;
        }
        let number = self.insert_forms(&mut lock(&self.leased), forms);
        Some(SecretLease { live: Arc::clone(self), number })
    }

    /// Searches for this value from now on, and never stops.
    pub(crate) fn add_value(&self, value: &str) {
        let forms = encoded_forms(value);
        let mut leased = lock(&self.leased);
        if !forms.is_empty() && leased.forms.values().all(|known| *known != forms) {
            self.insert_forms(&mut leased, forms);
        }
    }

    fn insert_forms(&self, leased: &mut LeasedForms, forms: Vec<EncodedForm>) -> u64 {
        let number = leased.next;
        leased.next += 1;
        leased.forms.insert(number, forms);
        self.rebuild_search(leased);
        number
    }

    fn rebuild_search(&self, forms: &LeasedForms) {
        let mut by_head: BTreeMap<Vec<u8>, Vec<EncodedForm>> = BTreeMap::new();
        for form in forms.forms.values().flatten() {
            let head = form.get(..form.len().min(PREFIX_BYTES)).unwrap_or_default().to_vec();
            by_head.entry(head).or_default().push(form.clone());
        }
        by_head.values_mut().for_each(deduplicate);
        let search = if by_head.is_empty() { None } else { SecretSearch::new(by_head) };
        self.has_some.store(search.is_some(), Ordering::Release);
        *self.search.write().unwrap_or_else(PoisonError::into_inner) = search.map(Arc::new);
    }

    /// The current search. `None` if nothing is leased.
    pub(super) fn current_search(&self) -> Option<Arc<SecretSearch>> {
        if !self.has_some.load(Ordering::Acquire) {
            return None;
        }
        self.search.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl SecretSearch {
    fn new(by_head: BTreeMap<Vec<u8>, Vec<EncodedForm>>) -> Option<Self> {
        let heads = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(by_head.keys());
        // The search can be built for far more than a few thousand prefixes of 32 bytes.
        let heads = heads.inspect_err(|error| tracing::error!(%error, "no search for live secrets")).ok()?;
        Some(Self { prefixes: heads, forms: by_head.into_values().collect() })
    }

    /// `bytes` without the values. `None` if they contain none of them.
    pub(super) fn replace_values(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut out = None::<Vec<u8>>;
        let mut done = 0;
        while let Some(found) = self.prefixes.find(aho_corasick::Input::new(bytes).range(done..)) {
            let here = bytes.get(found.start()..).unwrap_or_default();
            count_bytes(found.end() - done);
            let common = |form: &EncodedForm| {
                let common = here.iter().zip(form.iter()).take_while(|(a, b)| a == b).count();
                count_bytes(common);
                common
            };
            let same = self.forms.get(found.pattern().as_usize()).into_iter().flatten();
            let length = same.map(common).max().unwrap_or_default().max(found.len());
            let out = out.get_or_insert_with(|| Vec::with_capacity(bytes.len()));
            out.extend_from_slice(bytes.get(done..found.start())?);
            out.extend_from_slice(REDACTED.as_bytes());
            done = found.start() + length;
        }
        let mut out = out?;
        out.extend_from_slice(bytes.get(done..)?);
        Some(out)
    }
}

/// The encodings in which a value may appear, itself included.
pub(super) fn encoded_forms(value: &str) -> Vec<EncodedForm> {
    let value = value.trim();
    let mut all = Vec::new();
    let lines = value.lines().map(str::trim).filter(|line| line.len() >= MIN_LINE_BYTES && *line != value);
    for part in std::iter::once(value).chain(lines).filter(|part| part.len() >= MIN_VALUE_BYTES) {
        all.extend(encode_value(part).into_iter().filter(|form| form.len() >= MIN_VALUE_BYTES));
    }
    deduplicate(&mut all);
    all
}

fn deduplicate(forms: &mut Vec<EncodedForm>) {
    forms.sort_by(|one, other| one.as_slice().cmp(other.as_slice()));
    forms.dedup();
}

fn encode_value(value: &str) -> Vec<EncodedForm> {
    let bytes = |text: String| Zeroizing::new(text.into_bytes());
    let quoted = serde_json::Value::from(value).to_string();
    let quoted = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    let hex: String = value.bytes().flat_map(|byte| [byte >> 4, byte & 15]).filter_map(hex_digit).collect();
    let percent: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let mut all = vec![
        bytes(value.to_owned()),
        bytes(quoted.to_owned()),
        bytes(quoted.replace('\\', r"\\").replace('"', r#"\""#)),
        bytes(STANDARD.encode(value)),
        bytes(STANDARD_NO_PAD.encode(value)),
        bytes(URL_SAFE_NO_PAD.encode(value)),
        bytes(hex.to_ascii_uppercase()),
        bytes(hex),
        bytes(percent.replace('+', "%20")),
        bytes(percent.clone()),
        bytes(lower_percent_digits(&percent)),
        Zeroizing::new(value.encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ];
    // Inside a longer text that is encoded, such as `name:secret` for Basic authentication, the value may
    // begin in the middle of a group.
    for before in 1..3_usize {
        let mut shifted = Zeroizing::new(vec![0; before]);
        shifted.extend_from_slice(value.as_bytes());
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            let whole = Zeroizing::new(engine.encode(&*shifted));
            // Leave out the characters that also encode bits of the unknown bytes before or after the value.
            let end = shifted.len() * 8 / 6;
            let inner = whole.get(before + 1..end).unwrap_or_default();
            all.push(Zeroizing::new(inner.as_bytes().to_vec()));
        }
    }
    all
}

/// Converts the digits of percent-encoded bytes, such as `%2F`, to lower case.
fn lower_percent_digits(percent: &str) -> String {
    let mut digits = 0_u8;
    let lower = percent.chars().map(|character| {
        if character == '%' {
            digits = 2;
            return character;
        }
        let is_digit = digits > 0;
        digits = digits.saturating_sub(1);
        if is_digit { character.to_ascii_lowercase() } else { character }
    });
    lower.collect()
}

fn hex_digit(value: u8) -> Option<char> {
    char::from_digit(value.into(), 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "b8f1/d5+c2e6\"ü";

    fn redacted(live: &LiveSecrets, text: &str) -> String {
        let bytes = live.current_search().and_then(|search| search.replace_values(text.as_bytes()));
        bytes.map_or_else(|| text.to_owned(), |bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn value_is_found_in_every_form_only_while_held() {
        let live = Arc::new(LiveSecrets::default());
        assert_eq!(redacted(&live, SECRET), SECRET);
        let holding = live.lease_values([SECRET]).unwrap();
        let other = live.lease_values([SECRET, "another-value"]).unwrap();
        assert_eq!(redacted(&live, &format!("a {SECRET} another-value b")), "a [redacted] [redacted] b");
        drop(other);
        assert_eq!(redacted(&live, &format!("a {SECRET} another-value b")), "a [redacted] another-value b");
        for form in encoded_forms(SECRET) {
            let found = live
                .current_search()
                .unwrap()
                .replace_values(&[b"<", form.as_slice(), b">"].concat())
                .unwrap();
            assert_eq!(found, b"<[redacted]>", "{form:?}");
        }
        let json = serde_json::json!({ "a": { "b": SECRET } }).to_string();
        let twice = serde_json::json!({ "text": json }).to_string();
        assert!(!redacted(&live, &twice).contains("d5+c2e6"), "{}", redacted(&live, &twice));
        drop(holding);
        assert_eq!(redacted(&live, SECRET), SECRET);
        assert!(live.current_search().is_none());
    }

    #[test]
    fn value_inside_encoded_text_is_found_at_any_offset() {
        let live = Arc::new(LiveSecrets::default());
        let _holding = live.lease_values(["correct-horse-battery"]).unwrap();
        for before in ["", "u:", "me:", "ada:", "somebody:"] {
            for engine in [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
                let text = engine.encode(format!("{before}correct-horse-battery~"));
                let left = redacted(&live, &format!("Basic {text}"));
                let rest = left.strip_prefix("Basic ").unwrap();
                assert!(
                    rest.contains(REDACTED) && rest.len() < REDACTED.len() + before.len() * 2 + 8,
                    "{left}"
                );
            }
        }
    }

    #[test]
    fn long_value_is_found_truncated_and_by_single_lines() {
        let live = Arc::new(LiveSecrets::default());
        let token = "0123456789abcdef".repeat(100);
        let key = format!("-----BEGIN KEY-----\n{}\n{}\n-----END KEY-----", "A1".repeat(32), "B2".repeat(32));
        let _holding = live.lease_values([token.as_str(), key.as_str()]).unwrap();
        assert_eq!(redacted(&live, &format!("<{token}>")), "<[redacted]>");
        assert_eq!(redacted(&live, &format!("<{}>", &token[..700])), "<[redacted]>");
        assert_eq!(redacted(&live, &format!("it reads {}", "B2".repeat(32))), "it reads [redacted]");
    }

    #[test]
    fn a_value_that_could_be_any_word_is_not_looked_for() {
        assert!(Arc::new(LiveSecrets::default()).lease_values(["true", "", " "]).is_none());
    }
}
