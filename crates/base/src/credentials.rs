//! Detects credentials by their name or by the form that their issuer gives them.
//!
//! Saving a server (what is encrypted), warnings about commands and the log's redaction share these rules.

pub mod scan_cost;
mod segments;
mod tokens;

pub use self::segments::{SegmentTraits, Segments};
pub use self::tokens::PREFIXES;
pub use self::tokens::{SHORTEST_TOKEN, TokenFinder, is_token};

/// How likely it is that a value with this name is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameSensitivity {
    /// Not a secret.
    Other,
    /// Perhaps a secret: `key`, `auth`, `session_id`. The value decides.
    Ambiguous,
    /// A secret, whatever its value.
    Secret,
}

/// Substrings of the names of secrets. They are searched in the name's letters and digits.
const INSIDE: [&str; 16] = [
    "token",
    "secret",
    "password",
    "passphrase",
    "passwd",
    "passcode",
    "apikey",
    "accesskey",
    "accountkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "authorization",
    "credential",
    "codeverifier",
    "cookie",
];
/// Whole words in the names of secrets.
const WORDS: [&str; 9] = ["pass", "pwd", "pat", "jwt", "bearer", "dsn", "psk", "creds", "otp"];
/// Whole words in names whose value decides.
const AMBIGUOUS: [&str; 7] = ["key", "keys", "auth", "private", "sig", "signature", "hmac"];
/// Names of session ids, reduced to letters and digits. Their value decides.
const SESSIONS: [&str; 3] = ["sessionid", "sessid", "sessionkey"];
/// Names of the protocol, or counts of a model's tokens, that contain a secret's word.
const HARMLESS: [&str; 4] = ["progresstoken", "maxtokens", "tokentype", "tokencount"];

/// How likely a variable, header, parameter or member with this name contains a secret.
pub fn name_sensitivity(name: &str) -> NameSensitivity {
    scan_cost::count_bytes(name.len());
    let joined: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect();
    if HARMLESS.contains(&joined.as_str()) || joined.ends_with("endpoint") || joined.ends_with("supported") {
        return NameSensitivity::Other;
    }
    let words = split_words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if INSIDE.iter().any(|inside| joined.contains(inside)) || has(&WORDS) {
        NameSensitivity::Secret
    } else if has(&AMBIGUOUS) || SESSIONS.iter().any(|session| joined.contains(session)) {
        NameSensitivity::Ambiguous
    } else {
        NameSensitivity::Other
    }
}

/// Whether a variable, header or parameter with this name usually contains a secret.
pub fn looks_secret(name: &str) -> bool {
    name_sensitivity(name) != NameSensitivity::Other
}

/// Whether a value looks generated rather than typed: one word with letters and digits, or a long one.
pub fn looks_generated(value: &[u8]) -> bool {
    SegmentTraits::of(value, 0..value.len()).look_generated(value, 0..value.len())
}

/// Splits a name into words in lower case. A capital after a small letter starts a word, as in `dbPass`.
fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for character in name.chars() {
        let breaks =
            !character.is_alphanumeric() || (character.is_ascii_uppercase() && before.is_ascii_lowercase());
        if breaks {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.push(character.to_ascii_lowercase());
        }
        before = character;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_from_others() {
        for name in [
            "GITHUB_TOKEN",
            "GITHUB_PAT",
            "DB_PASS",
            "dbPass",
            "MYSQL_PWD",
            "Authorization",
            "SENTRY_DSN",
            "client_secret",
            "credentials",
            "AccountKey",
            "Set-Cookie",
        ] {
            assert_eq!(name_sensitivity(name), NameSensitivity::Secret, "{name}");
        }
        for name in ["key", "auth", "sessionId", "PHPSESSID", "sig", "X-Amz-Signature", "PRIVATE"] {
            assert_eq!(name_sensitivity(name), NameSensitivity::Ambiguous, "{name}");
        }
        for name in [
            "PATH",
            "PORT",
            "NODE_ENV",
            "KEYBOARD",
            "COMPASS",
            "DEBUG",
            "X-Request-Id",
            "maxTokens",
            "progressToken",
            "token_endpoint",
            "token_endpoint_auth_methods_supported",
            "passed",
        ] {
            assert_eq!(name_sensitivity(name), NameSensitivity::Other, "{name}");
        }
    }

    #[test]
    fn generated_values_are_told_from_words() {
        for value in ["a1b2c3d4", "hunter2hunter2", "s3cr3t-v4lue", "AbCdEfGhIjKlMnOpQrStUv", "Zz9+/a=="] {
            assert!(looks_generated(value.as_bytes()), "{value}");
        }
        for value in
            ["name", "created_at", "20260101", "two words 12345", "/home/me/file1", "a1", "docs/file1.md"]
        {
            assert!(!looks_generated(value.as_bytes()), "{value}");
        }
    }
}
