//! Encryption with XChaCha20-Poly1305 and random nonces.
//!
//! A secret can only be decrypted for its own row and purpose: the row's id, the secret's purpose and the
//! version of the encryption are associated data.

use std::fmt;

use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use secrecy::{ExposeSecret, SecretBox, SecretString};
use zeroize::{Zeroize, Zeroizing};

use crate::error::{LONGEST_SECRET, VaultError};
use crate::key::{Fingerprint, Key, to_secret_string};

/// The version of the encryption that is written.
pub(crate) const VERSION: u8 = 2;
/// The previous version, which bound a secret only to its row and kind. Such a secret is decrypted once, and
/// encrypted again for its purpose.
const UNBOUND: u8 = 1;
/// Bytes of a nonce.
pub(crate) const NONCE_BYTES: usize = 24;
/// Bytes that encryption adds.
pub(crate) const TAG_BYTES: usize = 16;
/// Maximum number of bytes of a document.
const LONGEST_DOCUMENT: usize = 16 << 20;
/// Maximum number of bytes of a row's id.
const LONGEST_ID: usize = 256;
/// Maximum number of bytes of a purpose, which may contain one or two URLs.
const LONGEST_PURPOSE: usize = 32 << 10;
/// Start of a row's associated data.
const ROW_DOMAIN: &[u8] = b"mooring vault row";
/// Start of a document's associated data.
const DOCUMENT_DOMAIN: &[u8] = b"mooring vault document";

/// A secret or document, encrypted with the vault's key for its own row.
#[derive(Clone, PartialEq, Eq)]
pub struct EncryptedBlob {
    /// The version of the encryption.
    pub version: u8,
    /// The fingerprint of the key that encrypts it.
    pub key: Fingerprint,
    /// A random nonce.
    pub nonce: [u8; NONCE_BYTES],
    /// The encrypted secret.
    pub ciphertext: Vec<u8>,
}

impl fmt::Debug for EncryptedBlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncryptedBlob")
            .field("version", &self.version)
            .field("key", &self.key)
            .field("bytes", &self.ciphertext.len())
            .finish_non_exhaustive()
    }
}

/// A random id for a new row: 32 hexadecimal digits.
pub fn random_id() -> Result<String, VaultError> {
    crate::key::ProfileId::random().map(|id| id.to_string())
}

pub(crate) fn encrypt_secret(
    key: &Key,
    fingerprint: Fingerprint,
    id: &str,
    purpose: &str,
    plaintext: &[u8],
) -> Result<EncryptedBlob, VaultError> {
    if plaintext.len() > LONGEST_SECRET {
        return Err(VaultError::TooLong);
    }
    let (nonce, ciphertext) = encrypt_bytes(key, &row_associated_data(id, purpose, VERSION)?, plaintext)?;
    Ok(EncryptedBlob { version: VERSION, key: fingerprint, nonce, ciphertext })
}

pub(crate) fn decrypt_secret(
    key: &Key,
    id: &str,
    purpose: &str,
    sealed: &EncryptedBlob,
) -> Result<SecretBox<Vec<u8>>, VaultError> {
    match sealed.version {
        VERSION => decrypt_bounded(key, &row_associated_data(id, purpose, VERSION)?, sealed, LONGEST_SECRET),
        UNBOUND => Err(VaultError::Tampered),
        later => Err(VaultError::UnknownVersion(later)),
    }
}

#[cfg(debug_assertions)]
pub(crate) fn encrypt_unbound(
    key: &Key,
    fingerprint: Fingerprint,
    id: &str,
    kind: &str,
    plaintext: &[u8],
) -> Result<EncryptedBlob, VaultError> {
    let (nonce, ciphertext) = encrypt_bytes(key, &row_associated_data(id, kind, UNBOUND)?, plaintext)?;
    Ok(EncryptedBlob { version: UNBOUND, key: fingerprint, nonce, ciphertext })
}

/// Decrypts a secret of an earlier version, which was bound to the row's id and kind, and encrypts it for its
/// purpose.
pub(crate) fn bind_to_purpose(
    key: &Key,
    fingerprint: Fingerprint,
    id: &str,
    (kind, purpose): (&str, &str),
    sealed: &EncryptedBlob,
) -> Result<EncryptedBlob, VaultError> {
    if sealed.version != UNBOUND {
        return Err(VaultError::Tampered);
    }
    let opened = decrypt_bounded(key, &row_associated_data(id, kind, UNBOUND)?, sealed, LONGEST_SECRET)?;
    encrypt_secret(key, fingerprint, id, purpose, opened.expose_secret())
}

/// Encrypts a document of the host for one scope.
pub(crate) fn encrypt_document(
    key: &Key,
    fingerprint: Fingerprint,
    scope: &str,
    text: &[u8],
) -> Result<EncryptedBlob, VaultError> {
    if text.len() > LONGEST_DOCUMENT {
        return Err(VaultError::TooLong);
    }
    let (nonce, ciphertext) =
        encrypt_bytes(key, &associated_data(DOCUMENT_DOMAIN, VERSION, &[scope])?, text)?;
    Ok(EncryptedBlob { version: VERSION, key: fingerprint, nonce, ciphertext })
}

pub(crate) fn decrypt_document(
    key: &Key,
    scope: &str,
    sealed: &EncryptedBlob,
) -> Result<SecretBox<Vec<u8>>, VaultError> {
    match sealed.version {
        VERSION => decrypt_bounded(
            key,
            &associated_data(DOCUMENT_DOMAIN, VERSION, &[scope])?,
            sealed,
            LONGEST_DOCUMENT,
        ),
        _ => Err(VaultError::Tampered),
    }
}

fn decrypt_bounded(
    key: &Key,
    data: &[u8],
    sealed: &EncryptedBlob,
    most: usize,
) -> Result<SecretBox<Vec<u8>>, VaultError> {
    if sealed.ciphertext.len() > most + TAG_BYTES {
        return Err(VaultError::Tampered);
    }
    decrypt_bytes(key, data, &sealed.nonce, &sealed.ciphertext).ok_or(VaultError::Tampered)
}

/// Converts decrypted bytes to text.
pub(crate) fn into_text(opened: &[u8]) -> Result<SecretString, VaultError> {
    std::str::from_utf8(opened).map(to_secret_string).map_err(|_| VaultError::Tampered)
}

pub(crate) fn encrypt_bytes(
    key: &Key,
    associated: &[u8],
    plaintext: &[u8],
) -> Result<([u8; NONCE_BYTES], Vec<u8>), VaultError> {
    let mut nonce = [0; NONCE_BYTES];
    getrandom::fill(&mut nonce).map_err(|_| VaultError::NoRandomness)?;
    // The buffer has its final size from the start. If it grew, the freed memory would still contain the
    // secret.
    let mut buffer = Zeroizing::new(Vec::with_capacity(plaintext.len() + TAG_BYTES));
    buffer.extend_from_slice(plaintext);
    XChaCha20Poly1305::new(key.expose().into())
        .encrypt_in_place(&XNonce::from(nonce), associated, &mut *buffer)
        .map_err(|_| VaultError::TooLong)?;
    Ok((nonce, std::mem::take(&mut *buffer)))
}

pub(crate) fn decrypt_bytes(
    key: &Key,
    associated: &[u8],
    nonce: &[u8; NONCE_BYTES],
    ciphertext: &[u8],
) -> Option<SecretBox<Vec<u8>>> {
    let mut buffer = ciphertext.to_vec();
    let cipher = XChaCha20Poly1305::new(key.expose().into());
    if cipher.decrypt_in_place(&XNonce::from(*nonce), associated, &mut buffer).is_ok() {
        return Some(SecretBox::new(Box::new(buffer)));
    }
    buffer.zeroize();
    None
}

fn row_associated_data(id: &str, purpose: &str, version: u8) -> Result<Vec<u8>, VaultError> {
    if id.len() > LONGEST_ID {
        return Err(VaultError::TooLong);
    }
    associated_data(ROW_DOMAIN, version, &[id, purpose])
}

/// Joins the parts, each with its length before it, so that different parts never give the same data.
fn associated_data(domain: &[u8], version: u8, parts: &[&str]) -> Result<Vec<u8>, VaultError> {
    let mut data = domain.to_vec();
    data.push(version);
    for part in parts {
        if part.is_empty() || part.len() > LONGEST_PURPOSE {
            return Err(VaultError::TooLong);
        }
        let length = u32::try_from(part.len()).map_err(|_| VaultError::TooLong)?;
        data.extend_from_slice(&length.to_le_bytes());
        data.extend_from_slice(part.as_bytes());
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(key: &Key) -> EncryptedBlob {
        encrypt_secret(key, key.fingerprint(), "row", "token", b"the secret").unwrap()
    }

    #[test]
    fn what_was_sealed_opens_in_its_own_row() {
        let key = Key::random().unwrap();
        let longest = vec![0xff; LONGEST_SECRET];
        for secret in [b"".as_slice(), b"x", &[0; 4096], "日本".as_bytes(), &longest] {
            let sealed = encrypt_secret(&key, key.fingerprint(), "row", "token", secret).unwrap();
            assert_eq!(sealed.ciphertext.len(), secret.len() + TAG_BYTES);
            assert_eq!(decrypt_secret(&key, "row", "token", &sealed).unwrap().expose_secret(), secret);
        }
        let long = encrypt_secret(&key, key.fingerprint(), "row", "token", &vec![0; LONGEST_SECRET + 1])
            .unwrap_err();
        assert!(matches!(long, VaultError::TooLong));
    }

    #[test]
    fn the_same_secret_never_looks_the_same() {
        let key = Key::random().unwrap();
        let (one, other) = (sealed(&key), sealed(&key));
        assert_ne!(one.nonce, other.nonce);
        assert_ne!(one.ciphertext, other.ciphertext);
    }

    #[test]
    fn not_one_bit_can_be_changed() {
        let key = Key::random().unwrap();
        let whole = sealed(&key);
        let refuses = |changed: &EncryptedBlob, what: &str| {
            let error = decrypt_secret(&key, "row", "token", changed).unwrap_err();
            assert!(matches!(error, VaultError::Tampered | VaultError::UnknownVersion(_)), "{what}: {error}");
        };
        for bit in 0..8 {
            for at in 0..whole.nonce.len() {
                let mut changed = whole.clone();
                changed.nonce[at] ^= 1 << bit;
                refuses(&changed, "nonce");
            }
            for at in 0..whole.ciphertext.len() {
                let mut changed = whole.clone();
                changed.ciphertext[at] ^= 1 << bit;
                refuses(&changed, "ciphertext");
            }
            refuses(&EncryptedBlob { version: whole.version ^ (1 << bit), ..whole.clone() }, "version");
        }
        for length in 0..whole.ciphertext.len() {
            refuses(
                &EncryptedBlob { ciphertext: whole.ciphertext[..length].to_vec(), ..whole.clone() },
                "length",
            );
        }
        let mut longer = whole.clone();
        longer.ciphertext.push(0);
        refuses(&longer, "longer");
        assert!(decrypt_secret(&key, "row", "token", &whole).is_ok(), "the whole one opens");
    }

    #[test]
    fn every_byte_of_the_associated_data_counts() {
        let key = Key::random().unwrap();
        let data = row_associated_data("row", "token", VERSION).unwrap();
        let (nonce, ciphertext) = encrypt_bytes(&key, &data, b"the secret").unwrap();
        assert!(decrypt_bytes(&key, &data, &nonce, &ciphertext).is_some());
        for at in 0..data.len() {
            for bit in 0..8 {
                let mut changed = data.clone();
                changed[at] ^= 1 << bit;
                assert!(decrypt_bytes(&key, &changed, &nonce, &ciphertext).is_none(), "byte {at}");
            }
        }
    }

    #[test]
    fn no_other_row_purpose_or_key_opens_it() {
        let key = Key::random().unwrap();
        let whole = sealed(&key);
        for (id, kind) in [
            ("row2", "token"),
            ("ro", "wtoken"),
            ("rowt", "oken"),
            ("row", "env"),
            ("token", "row"),
            ("ROW", "token"),
        ] {
            let error = decrypt_secret(&key, id, kind, &whole).unwrap_err();
            assert!(matches!(error, VaultError::Tampered), "{id} {kind}: {error}");
        }
        let (long, longest) = ("r".repeat(LONGEST_ID + 1), "p".repeat(LONGEST_PURPOSE + 1));
        for (id, kind) in [("", "token"), ("row", ""), (&long as &str, "token"), ("row", &longest)] {
            assert!(matches!(decrypt_secret(&key, id, kind, &whole), Err(VaultError::TooLong)));
        }
        let other = Key::random().unwrap();
        assert!(matches!(decrypt_secret(&other, "row", "token", &whole), Err(VaultError::Tampered)));
        // A later version is reported. A row does not count as older just because its version says so.
        let later = decrypt_secret(&key, "row", "token", &EncryptedBlob { version: 3, ..whole }).unwrap_err();
        assert!(matches!(later, VaultError::UnknownVersion(3)));
    }

    #[test]
    fn what_an_earlier_version_sealed_opens_only_to_be_bound() {
        let key = Key::random().unwrap();
        let fingerprint = key.fingerprint();
        let old = encrypt_unbound(&key, fingerprint, "row", "login", b"the secret").unwrap();
        assert!(matches!(decrypt_secret(&key, "row", "login", &old), Err(VaultError::Tampered)));
        let wrong = bind_to_purpose(&key, fingerprint, "row", ("server", "for a server"), &old);
        assert!(matches!(wrong, Err(VaultError::Tampered)));
        let bound = bind_to_purpose(&key, fingerprint, "row", ("login", "for an issuer"), &old).unwrap();
        assert_eq!(
            decrypt_secret(&key, "row", "for an issuer", &bound).unwrap().expose_secret(),
            b"the secret"
        );
        assert!(matches!(decrypt_secret(&key, "row", "login", &bound), Err(VaultError::Tampered)));
        // A bound secret does not count as unbound just because its version says so.
        let back = EncryptedBlob { version: UNBOUND, ..bound };
        let again = bind_to_purpose(&key, fingerprint, "row", ("for an issuer", "another"), &back);
        assert!(matches!(again, Err(VaultError::Tampered)));
    }

    #[test]
    fn a_document_opens_for_its_own_scope_and_is_no_secret() {
        let key = Key::random().unwrap();
        let sealed = encrypt_document(&key, key.fingerprint(), "rules", b"text").unwrap();
        assert_eq!(decrypt_document(&key, "rules", &sealed).unwrap().expose_secret(), b"text");
        assert!(matches!(decrypt_document(&key, "server/1", &sealed), Err(VaultError::Tampered)));
        assert!(matches!(decrypt_secret(&key, "rules", "rules", &sealed), Err(VaultError::Tampered)));
        let secret = encrypt_secret(&key, key.fingerprint(), "rules", "rules", b"text").unwrap();
        assert!(matches!(decrypt_document(&key, "rules", &secret), Err(VaultError::Tampered)));
    }
}
