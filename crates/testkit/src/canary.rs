//! Searches for secrets where they must not be, in every encoding in which they may be written.
//!
//! ```
//! use mooring_testkit::canary::{Encoding, Scanner};
//!
//! let scanner = Scanner::new([("password", "canary-5e0d/71+9b")]);
//! assert!(scanner.scan("stdout", b"nothing here").is_empty());
//! let planted = Encoding::Hex.write("canary-5e0d/71+9b");
//! assert_eq!(scanner.scan("stdout", &planted)[0].encoding, Encoding::Hex);
//! ```
//!
//! [`Scanner::self_test`] plants every secret in every encoding and says what was found: a scan that finds
//! nothing means something only if that one finds everything.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// A way to write a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// Unchanged, and also half of it.
    Raw,
    /// Base64, wherever in a longer text it begins.
    Base64,
    /// Base64 with the URL-safe alphabet.
    Base64Url,
    /// Hexadecimal digits.
    Hex,
    /// Like in the query of a URL.
    Percent,
    /// Like in a JSON text, and in a JSON text within another one.
    Json,
    /// UTF-16, little end first.
    Utf16,
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Self; 7] =
        [Self::Raw, Self::Base64, Self::Base64Url, Self::Hex, Self::Percent, Self::Json, Self::Utf16];

    /// The text in this encoding, as somebody would write it who does not know that he is watched.
    pub fn write(self, text: &str) -> Vec<u8> {
        match self {
            Self::Raw => text.as_bytes().to_vec(),
            Self::Base64 => STANDARD.encode(format!("user:{text}")).into_bytes(),
            Self::Base64Url => URL_SAFE_NO_PAD.encode(format!("{{\"a\":\"{text}\"}}")).into_bytes(),
            Self::Hex => hex(text).into_bytes(),
            Self::Percent => percent(text, false).into_bytes(),
            Self::Json => serde_json::json!({ "text": text }).to_string().into_bytes(),
            Self::Utf16 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        }
    }

    /// The byte sequences to search for.
    fn needles(self, text: &str) -> Vec<Vec<u8>> {
        let json = |text: &str| {
            let quoted = serde_json::Value::from(text).to_string();
            quoted[1..quoted.len() - 1].to_owned()
        };
        match self {
            Self::Raw => {
                let half = text.len() / 2;
                let halves = [text.get(..half), text.get(half..)].into_iter().flatten();
                let halves = halves.filter(|half| half.len() >= 12).map(|half| half.as_bytes().to_vec());
                std::iter::once(self.write(text)).chain(halves).collect()
            }
            Self::Base64 => base64(&STANDARD_NO_PAD, text),
            Self::Base64Url => base64(&URL_SAFE_NO_PAD, text),
            Self::Hex => vec![hex(text).into_bytes(), hex(text).to_uppercase().into_bytes()],
            Self::Percent => {
                let digits = hex(text).to_uppercase();
                let pairs = digits.as_bytes().chunks(2).map(String::from_utf8_lossy);
                let every = pairs.fold(String::new(), |all, pair| all + "%" + &pair);
                let some = percent(text, false);
                [every.to_lowercase(), every, lower_percent(&some), percent(text, true), some]
                    .map(String::into_bytes)
                    .into()
            }
            Self::Json => {
                let once = json(text);
                [once.replace('/', r"\/"), json(&once), once].map(String::into_bytes).into()
            }
            Self::Utf16 => vec![self.write(text), text.encode_utf16().flat_map(u16::to_be_bytes).collect()],
        }
    }
}

fn hex(text: &str) -> String {
    text.bytes()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

fn percent(text: &str, plus: bool) -> String {
    let written: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    if plus { written } else { written.replace('+', "%20") }
}

/// Converts the digits after `%` to lower case.
fn lower_percent(percent: &str) -> String {
    let mut parts = percent.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let (digits, rest) = part.split_at(part.len().min(2));
        format!("{all}%{}{rest}", digits.to_lowercase())
    })
}

/// The part of the encoded text that does not depend on the bytes before or after it, for each offset in a
/// group at which it may begin.
fn base64(engine: &impl Engine, text: &str) -> Vec<Vec<u8>> {
    let inner = |before: usize| {
        let padded = [vec![0; before], text.as_bytes().to_vec()].concat();
        let whole = engine.encode(&padded);
        let start = (before * 8).div_ceil(6);
        whole.as_bytes()[start..padded.len() * 8 / 6].to_vec()
    };
    (0..3).map(inner).collect()
}

/// A secret that was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// The secret's name.
    pub secret: String,
    /// How it was encoded.
    pub encoding: Encoding,
    /// Where it was found.
    pub place: String,
}

impl fmt::Display for Hit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} as {:?} in {}", self.secret, self.encoding, self.place)
    }
}

/// A search for secrets in all encodings.
pub struct Scanner {
    secrets: Vec<(String, String)>,
    search: AhoCorasick,
    /// For each pattern of the search, the secret's number and the encoding.
    patterns: Vec<(usize, Encoding)>,
}

impl Scanner {
    /// Makes a scanner for these secrets, each with a name for reports.
    ///
    /// # Panics
    ///
    /// If a secret is too short to be distinguished from other text.
    pub fn new<N: Into<String>, V: Into<String>>(secrets: impl IntoIterator<Item = (N, V)>) -> Self {
        let secrets: Vec<(String, String)> =
            secrets.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let mut patterns = Vec::new();
        let mut needles = Vec::new();
        for (number, (name, value)) in secrets.iter().enumerate() {
            assert!(value.len() >= 8, "too short to be looked for: {name}");
            for encoding in Encoding::ALL {
                for needle in encoding.needles(value) {
                    patterns.push((number, encoding));
                    needles.push(needle);
                }
            }
        }
        let search = AhoCorasick::builder().match_kind(MatchKind::Standard).build(needles);
        Self { secrets, search: search.expect("a few short patterns"), patterns }
    }

    /// The number of secrets to search for.
    pub fn len(&self) -> usize {
        self.secrets.len()
    }

    /// Whether it has no secrets.
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Searches these bytes. Each secret is found at most once per encoding.
    pub fn scan(&self, place: &str, bytes: &[u8]) -> Vec<Hit> {
        let mut hits = BTreeSet::new();
        for found in self.search.find_overlapping_iter(bytes) {
            let (number, encoding) = self.patterns[found.pattern().as_usize()];
            hits.insert((number, encoding));
        }
        let hit = |(number, encoding): (usize, Encoding)| Hit {
            secret: self.secrets[number].0.clone(),
            encoding,
            place: place.to_owned(),
        };
        hits.into_iter().map(hit).collect()
    }

    /// Searches every file below a folder, and the files' names. Also returns the number of files.
    ///
    /// # Panics
    ///
    /// If the folder can't be read. A file that is removed in the meantime is skipped.
    pub fn scan_folder(&self, place: &str, folder: &Path) -> (Vec<Hit>, usize) {
        let (mut hits, mut count) = (Vec::new(), 0);
        let mut waiting = vec![folder.to_owned()];
        while let Some(path) = waiting.pop() {
            let name = format!("{place}: {}", path.strip_prefix(folder).unwrap_or(&path).display());
            hits.extend(self.scan(&name, name.as_bytes()));
            let Ok(metadata) = std::fs::symlink_metadata(&path) else { continue };
            if metadata.is_dir() {
                let entries = std::fs::read_dir(&path).expect("a folder can be read");
                waiting.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
            } else if metadata.is_file()
                && let Ok(bytes) = std::fs::read(&path)
            {
                count += 1;
                hits.extend(self.scan(&name, &bytes));
            }
        }
        (hits, count)
    }

    /// Searches the command lines of processes, and their environments if these are readable.
    pub fn scan_processes(&self, pids: &[u32], environments: bool) -> Vec<Hit> {
        let mut hits = Vec::new();
        for pid in pids {
            let file = |name: &str| std::fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            hits.extend(self.scan(&format!("/proc/{pid}/cmdline"), &file("cmdline")));
            if environments {
                hits.extend(self.scan(&format!("/proc/{pid}/environ"), &file("environ")));
            }
        }
        hits
    }

    /// Plants every secret in every encoding in text, between other bytes and at every place of a group: how many were
    /// planted, and which of them were not found.
    pub fn self_test(&self) -> (usize, Vec<String>) {
        let (mut planted, mut missed) = (0, Vec::new());
        for (name, value) in &self.secrets {
            for encoding in Encoding::ALL {
                for before in ["", "\0", "x=", "log: ", "{\"key\":\""] {
                    let bytes = [before.as_bytes(), &encoding.write(value), b"\" end\n\0"].concat();
                    planted += 1;
                    let found = self.scan("control", &bytes);
                    let is_it =
                        |hit: &Hit| hit.secret == *name && is_equivalent(hit.encoding, encoding, value);
                    if !found.iter().any(is_it) {
                        missed.push(format!("{name} as {encoding:?} behind {before:?}"));
                    }
                }
            }
        }
        (planted, missed)
    }
}

/// Whether finding one encoding is finding the other: some write a text of few characters in the same way.
fn is_equivalent(found: Encoding, planted: Encoding, value: &str) -> bool {
    found == planted || found.needles(value).iter().any(|needle| planted.needles(value).contains(needle))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: &str = "canary-b8f1/d5+c2e6\"~ ü{9}";
    const PLAIN: &str = "canary0123456789abcdef";

    #[test]
    fn whatever_is_planted_is_found() {
        let scanner = Scanner::new([("odd", ODD), ("plain", PLAIN)]);
        let (planted, missed) = scanner.self_test();
        assert_eq!((planted, missed), (2 * 7 * 5, Vec::new()));
    }

    #[test]
    fn value_encoded_inside_longer_text_is_found_at_any_offset() {
        let scanner = Scanner::new([("odd", ODD)]);
        for before in 0..6 {
            let text = format!("{}{ODD} and more", "x".repeat(before));
            for (encoding, written) in [
                (Encoding::Base64, STANDARD.encode(&text)),
                (Encoding::Base64Url, URL_SAFE_NO_PAD.encode(&text)),
                (Encoding::Hex, hex(&text)),
                (Encoding::Percent, percent(&text, true)),
                (Encoding::Percent, lower_percent(&percent(&text, false))),
                (Encoding::Json, serde_json::json!(serde_json::json!([text]).to_string()).to_string()),
            ] {
                let found = scanner.scan("x", written.as_bytes());
                assert!(found.iter().any(|hit| hit.encoding == encoding), "{before} {encoding:?}: {found:?}");
            }
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        let scanner = Scanner::new([("odd", ODD), ("plain", PLAIN)]);
        for text in ["", "canary", "b8f1", "canary-b8f1", &STANDARD.encode("canary"), &hex("canary")] {
            assert_eq!(scanner.scan("x", text.as_bytes()), [], "{text}");
        }
    }

    #[test]
    fn a_half_is_found_too() {
        let scanner = Scanner::new([("plain", "0123456789abcdef0123456789ABCDEF")]);
        assert_eq!(scanner.scan("x", b"cut off: 0123456789abcdef").len(), 1);
    }
}
