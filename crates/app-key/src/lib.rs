//! The key with which an app identifies itself at the local socket: a P-256 key (FIPS 186-5) in the app's own
//! entry. It never leaves the bridge, which signs the gateway's challenges with it. Mooring only saves a hash
//! of the public key.
//!
//! The signature covers the listening process, according to the bridge's system. A program that replaces
//! Mooring's socket by its own, and forwards Mooring's challenge, gets a signature that Mooring rejects.

use std::fmt::{self, Write as _};

use mooring_base::digest::sha256;
use p256::ecdsa::signature::{Signer as _, Verifier as _};
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};

/// The environment variable with an app's key.
pub const VARIABLE: &str = "MOORING_APP_KEY";
/// Start of a key. 64 hexadecimal digits follow.
pub const PREFIX: &str = "mooring_key_";

/// The key of one app.
#[derive(Clone)]
pub struct AppKey(SigningKey);

impl fmt::Debug for AppKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AppKey")
    }
}

/// The challenge that a gateway asks a bridge to sign.
#[derive(Debug, Clone, Copy)]
pub struct Challenge<'a> {
    /// Chosen by the gateway, for one connection.
    pub nonce: &'a str,
    /// The process that listens, as the bridge's system tells; 0: it doesn't, as in another process namespace.
    pub listener: u32,
}

impl Challenge<'_> {
    fn message(self) -> Vec<u8> {
        format!("Mooring app key\n{}\n{}", self.listener, self.nonce).into_bytes()
    }
}

impl AppKey {
    /// A new random key. `None` if the system has no random numbers.
    pub fn random() -> Option<Self> {
        let mut bytes = [0; 32];
        // One of 2^32 numbers is no key.
        (0..8)
            .find_map(|_| {
                getrandom::fill(&mut bytes).ok()?;
                SigningKey::from_slice(&bytes).ok()
            })
            .map(Self)
    }

    /// Parses a key. `None` if it is malformed.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 32] = from_hex(text.strip_prefix(PREFIX)?)?.try_into().ok()?;
        SigningKey::from_slice(&bytes).ok().map(Self)
    }

    /// The key's text for the app's entry.
    pub fn to_text(&self) -> String {
        format!("{PREFIX}{}", to_hex(&self.0.to_bytes()))
    }

    /// The public key, in hexadecimal digits.
    pub fn public(&self) -> String {
        to_hex(self.0.verifying_key().to_sec1_point(true).as_bytes())
    }

    /// Signs what a gateway asks for; the signature in hexadecimal digits.
    pub fn sign(&self, challenge: Challenge<'_>) -> String {
        let signature: Signature = self.0.sign(&challenge.message());
        to_hex(&signature.to_bytes())
    }
}

/// What Mooring saves of a key: the SHA-256 of its public key, in hexadecimal digits.
pub fn proof_of(public: &str) -> String {
    sha256(public)
}

/// Whether the owner of this public key signed the challenge.
pub fn is_signed(public: &str, challenge: Challenge<'_>, signature: &str) -> bool {
    let key = from_hex(public).and_then(|bytes| VerifyingKey::from_sec1_bytes(&bytes).ok());
    let signature = from_hex(signature).and_then(|bytes| Signature::from_slice(&bytes).ok());
    key.zip(signature).is_some_and(|(key, signature)| key.verify(&challenge.message(), &signature).is_ok())
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string never fails.
        let _written = write!(text, "{byte:02x}");
        text
    })
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_signs_for_this_listener_and_nonce() {
        let (key, other) = (AppKey::random().unwrap(), AppKey::random().unwrap());
        let asked = Challenge { nonce: "n1", listener: 7 };
        let signature = key.sign(asked);
        assert!(is_signed(&key.public(), asked, &signature));
        assert!(!is_signed(&other.public(), asked, &signature));
        assert!(!is_signed(&key.public(), Challenge { nonce: "n2", ..asked }, &signature));
        assert!(!is_signed(&key.public(), Challenge { listener: 8, ..asked }, &signature));
        for broken in ["", "00", "zz", "é", &signature[2..], &other.public()] {
            assert!(!is_signed(&key.public(), asked, broken) && !is_signed(broken, asked, &signature));
        }
    }

    #[test]
    fn a_key_is_read_from_its_text_and_from_no_other() {
        let key = AppKey::random().unwrap();
        let text = key.to_text();
        assert_eq!(AppKey::parse(&text).unwrap().public(), key.public());
        assert!(!format!("{key:?}").contains(&text[PREFIX.len()..]));
        for broken in ["", PREFIX, &text[1..], &text[..text.len() - 2], &text.replace(PREFIX, "")] {
            assert!(AppKey::parse(broken).is_none(), "{broken}");
        }
        assert!(AppKey::parse(&format!("{PREFIX}{}", "0".repeat(64))).is_none());
    }
}
