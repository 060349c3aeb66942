//! SHA-256 hashes, and their form in hexadecimal digits.

use sha2::{Digest, Sha256};

/// The SHA-256 of a text in hexadecimal digits.
pub fn sha256(text: &str) -> String {
    hex(&digest(text))
}

/// The SHA-256 of a text.
pub fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// Writes bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(if value < 10 { b'0' + value } else { b'a' + value - 10 });
    let mut hex = String::with_capacity(2 * bytes.len());
    hex.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]));
    hex
}
