//! What looks like a credential: by its name, and by the form that its issuer gives it.
//!
//! One answer for all who ask: what is encrypted when a server is saved, what a command is warned about, and what
//! the log leaves out.

pub mod scan_cost;
mod segments;
mod tokens;

pub use self::segments::{SegmentTraits, Segments};
pub use self::tokens::PREFIXES;
pub use self::tokens::{SHORTEST_TOKEN, TokenFinder, is_token};

/// How likely it is that a value with this name is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameSensitivity {
    /// Something else.
    Other,
    /// Perhaps a secret: `key`, `auth`, `session_id`. Its value decides.
    Ambiguous,
    /// A secret, whatever its value is.
    Secret,
}

/// Parts of names that are those of secrets, wherever they stand in the letters and digits of a name.
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
/// Whole words of names of secrets.
const WORDS: [&str; 9] = ["pass", "pwd", "pat", "jwt", "bearer", "dsn", "psk", "creds", "otp"];
/// Whole words of names of what may be a secret.
const AMBIGUOUS: [&str; 7] = ["key", "keys", "auth", "private", "sig", "signature", "hmac"];
/// Session ids, in their letters and digits.
const SESSIONS: [&str; 3] = ["sessionid", "sessid", "sessionkey"];
/// Names that contain a word of a secret and are the protocol's own, or count tokens of a model.
const HARMLESS: [&str; 4] = ["progresstoken", "maxtokens", "tokentype", "tokencount"];

/// What a variable, header, parameter or member of this name holds.
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

/// Whether a variable, header or parameter of this name usually holds a secret.
pub fn looks_secret(name: &str) -> bool {
    name_sensitivity(name) != NameSensitivity::Other
}

/// Whether a value is one that nobody writes by hand: one word, with letters and digits, or long.
pub fn looks_generated(value: &[u8]) -> bool {
    SegmentTraits::of(value, 0..value.len()).look_generated(value, 0..value.len())
}

/// The words of a name in lower case, also where capitals alone tell them apart, as in `dbPass`.
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
