//! Texts that take as long as possible to redact, as a hostile server would choose them. The tests count the
//! bytes that are read instead of the time, so that a busy machine doesn't matter.

use mooring_base::credentials::{PREFIXES, is_token, scan_cost};

use super::*;

/// How often each byte may be read, on average.
const EFFORT: u64 = 100;
/// The most growth of the effort for a text of twice the length, in tenths.
const GROWTH: u64 = 25;
/// Lengths of the texts.
const LENGTH: usize = 4 << 10;

/// Pieces that names, values and the text between them begin, end and continue with.
const PIECES: [&str; 60] = [
    "key=",
    "key:",
    "key",
    "password",
    "password=",
    "password:",
    "token ",
    "code=",
    "bearer ",
    "Bearer ",
    "Basic ",
    "x-key: ",
    "Authorization: ",
    "--token ",
    "-u a:b ",
    "curl -u a:",
    "machine login password ",
    "name: key\\n",
    "{",
    "[",
    "\"",
    "'",
    "\\",
    "\\\"",
    ",",
    ":",
    "=",
    "|",
    "<",
    ">",
    "<key>",
    "<password>",
    "</password>",
    "://",
    "@",
    "eyJ",
    "eyJa.",
    ".",
    "sk-",
    "sk-.",
    "-----BEGIN PRIVATE KEY-----",
    "-----END ",
    "{\"password\":",
    "\"key\":\"",
    "\"keys\":[\"",
    "\",\"",
    "{\"token\":{\"a\":\"",
    "\"$ref\":1",
    "\"key\":'",
    "{\"name\":\"token\",",
    "\"value\":\"",
    "\\\"key\\\":\\\"",
    "\"pin\":\"",
    " ",
    "\n",
    "password: |\\n  ",
    "a",
    "0",
    "A",
    "\u{e9}",
];

/// Repeats `unit` up to this length.
fn repeat_unit(before: &str, unit: &str, length: usize) -> String {
    let mut text = before.to_owned();
    while text.len() < length {
        text.push_str(unit);
    }
    text
}

/// Nests JSON in JSON. Every name has one backslash more before its quotes than the name before it.
fn nest(name: &str, after: &str, length: usize) -> String {
    let mut text = String::new();
    for depth in 0.. {
        let slashes = "\\".repeat(depth);
        let level = format!("{slashes}\"{name}{slashes}\"{after}{slashes}\"");
        if text.len() + level.len() > length / 2 {
            break;
        }
        text.push_str(&level);
    }
    repeat_unit(&text, "a", length)
}

/// The number of bytes that all searches together read for this text. They are also used for names and
/// displayed texts.
fn effort_of(redactor: &Redactor, text: &str) -> u64 {
    scan_cost::take_count();
    redactor.redact_bytes(&Bytes::copy_from_slice(text.as_bytes()));
    is_token(text);
    scan_cost::take_count()
}

/// Creates a text of the given length.
type TextGenerator = Box<dyn Fn(usize) -> String>;

/// The texts, each with a description of its parts.
fn texts() -> Vec<(String, TextGenerator)> {
    let mut texts: Vec<(String, TextGenerator)> = Vec::new();
    let mut add = |before: &str, unit: String| {
        let (name, before) = (format!("{before:?} {unit:?}"), before.to_owned());
        texts.push((name, Box::new(move |length| repeat_unit(&before, &unit, length))));
    };
    for (prefix, _) in PREFIXES {
        add("", format!("{prefix}."));
    }
    for part in names::PARTS {
        add("x ", format!("{part}="));
    }
    for piece in PIECES {
        add("", piece.to_owned());
        add("x \"", format!("{piece}{piece}:"));
    }
    // Random combinations, the same in every run.
    let mut random = 1_u32;
    let mut piece = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        PIECES[(random >> 16) as usize % PIECES.len()]
    };
    for _ in 0..120 {
        let unit = [piece(), piece(), piece(), piece()].concat();
        add(piece(), unit);
    }
    for (name, after) in [("key", ":"), ("keys", ":["), ("password", ":{"), ("token", ",")] {
        texts.push((format!("nested {name}"), Box::new(move |length| nest(name, after, length))));
    }
    texts
}

#[test]
fn hostile_text_costs_no_more_than_its_length() {
    let mut known = KnownSecrets::default();
    known.add_if_secret("TOKEN", "aaaaaaaaaaaaaaaa0");
    let redactor = Redactor::new(Arc::new(SecretPatterns::new().unwrap()), Arc::default(), known);
    redactor.add_secrets(["sk-.sk-.sk-.0", "aaaaaaaa-bbbbbbbb-cccccccc-dddddddd-e"]);
    redactor.add_field_secrets([("pin", "0a0a"), ("\"\"\"", "a\\")]);
    let mut slow = Vec::new();
    for (name, text) in texts() {
        let (half, whole) = (text(LENGTH), text(2 * LENGTH));
        let (less, more) = (effort_of(&redactor, &half), effort_of(&redactor, &whole));
        let is_bounded = more <= EFFORT * whole.len() as u64;
        if !is_bounded || more * 10 > less * GROWTH + 10 * LENGTH as u64 {
            slow.push((name, less / half.len() as u64, more / whole.len() as u64));
        }
    }
    assert!(slow.is_empty(), "what is looked at of each byte, at both lengths: {slow:#?}");
}
