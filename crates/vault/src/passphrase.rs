//! Wraps a key with a passphrase: Argon2id derives a wrapping key from the passphrase, which encrypts the
//! key.

use argon2::{Algorithm, Argon2, Params, Version};
use secrecy::{ExposeSecret, SecretString};
use zeroize::Zeroizing;

use crate::encryption::{decrypt_bytes, encrypt_bytes};
use crate::error::{LONGEST_PASSPHRASE, SHORTEST_PASSPHRASE, VaultError};
use crate::header::{KdfParams, WrappedVaultKey};
use crate::key::{Fingerprint, KEY_BYTES, Key, KeyVersion, ProfileId};

const SALT_BYTES: usize = 16;
/// Start of the associated data that the current version writes.
const DOMAIN: &[u8] = b"mooring vault passphrase 3";
/// Starts of the associated data by version, the current one first.
const DOMAINS: [(&[u8], KeyVersion); 3] = [
    (DOMAIN, KeyVersion::Current),
    (b"mooring vault passphrase 2", KeyVersion::Bound),
    (b"mooring vault passphrase 1", KeyVersion::Unbound),
];

/// A key that was unwrapped.
pub(crate) struct UnwrappedKey {
    pub(crate) key: Key,
    pub(crate) version: KeyVersion,
    /// The key wrapped again by the current version, if an earlier version wrapped it.
    pub(crate) again: Option<WrappedVaultKey>,
}

/// Refuses a passphrase that is too short or too long.
pub(crate) fn check_length(passphrase: &SecretString) -> Result<(), VaultError> {
    let passphrase = passphrase.expose_secret();
    if passphrase.chars().count() < SHORTEST_PASSPHRASE || passphrase.len() > LONGEST_PASSPHRASE {
        return Err(VaultError::InvalidPassphrase);
    }
    Ok(())
}

/// Wraps a key. This takes as long as `kdf` demands, so call it on a thread for slow work.
pub(crate) fn wrap_key(
    key: &Key,
    passphrase: &SecretString,
    profile: ProfileId,
    kdf: KdfParams,
) -> Result<WrappedVaultKey, VaultError> {
    check_length(passphrase)?;
    let mut salt = vec![0; SALT_BYTES];
    getrandom::fill(&mut salt).map_err(|_| VaultError::NoRandomness)?;
    let wrapping = derive_key(passphrase, &salt, kdf)?;
    wrap_key_with(&wrapping, key, profile, kdf, salt)
}

fn wrap_key_with(
    wrapping: &Key,
    key: &Key,
    profile: ProfileId,
    kdf: KdfParams,
    salt: Vec<u8>,
) -> Result<WrappedVaultKey, VaultError> {
    let data = associated_data(DOMAIN, profile, key.fingerprint(), kdf, &salt);
    let (nonce, ciphertext) = encrypt_bytes(wrapping, &data, key.expose())?;
    Ok(WrappedVaultKey { kdf, salt, nonce, ciphertext })
}

/// Unwraps a key that [`wrap_key`] wrapped. A changed header gives the same error as a wrong passphrase.
pub(crate) fn unwrap_key(
    wrapped: &WrappedVaultKey,
    passphrase: &SecretString,
    profile: ProfileId,
    fingerprint: Fingerprint,
) -> Result<UnwrappedKey, VaultError> {
    if passphrase.expose_secret().len() > LONGEST_PASSPHRASE {
        return Err(VaultError::WrongPassphrase);
    }
    let wrapping = derive_key(passphrase, &wrapped.salt, wrapped.kdf)?;
    let open = |(domain, version): (&[u8], KeyVersion)| {
        let data = associated_data(domain, profile, fingerprint, wrapped.kdf, &wrapped.salt);
        Some((decrypt_bytes(&wrapping, &data, &wrapped.nonce, &wrapped.ciphertext)?, version))
    };
    let (opened, version) = DOMAINS.into_iter().find_map(open).ok_or(VaultError::WrongPassphrase)?;
    let key = Key::fill_with(|bytes| {
        let opened = opened.expose_secret();
        if opened.len() != KEY_BYTES {
            return Err(VaultError::WrongPassphrase);
        }
        bytes.copy_from_slice(opened);
        Ok(())
    })?;
    if key.fingerprint() != fingerprint {
        return Err(VaultError::WrongPassphrase);
    }
    let again = (version != KeyVersion::Current)
        .then(|| wrap_key_with(&wrapping, &key, profile, wrapped.kdf, wrapped.salt.clone()));
    Ok(UnwrappedKey { key, version, again: again.transpose()? })
}

fn derive_key(passphrase: &SecretString, salt: &[u8], kdf: KdfParams) -> Result<Key, VaultError> {
    let refused = |_| VaultError::InvalidHeader;
    if !kdf.is_within_limits() {
        return Err(VaultError::InvalidHeader);
    }
    let params = Params::new(kdf.memory_kib, kdf.passes, kdf.lanes, Some(KEY_BYTES)).map_err(refused)?;
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    Key::fill_with(|bytes| {
        argon2.hash_password_into(passphrase.expose_secret().as_bytes(), salt, bytes).map_err(refused)
    })
}

fn associated_data(
    domain: &[u8],
    profile: ProfileId,
    fingerprint: Fingerprint,
    kdf: KdfParams,
    salt: &[u8],
) -> Zeroizing<Vec<u8>> {
    let mut data = Zeroizing::new(domain.to_vec());
    data.extend_from_slice(&profile.0);
    data.extend_from_slice(&fingerprint.0);
    for number in [kdf.memory_kib, kdf.passes, kdf.lanes] {
        data.extend_from_slice(&number.to_le_bytes());
    }
    data.extend_from_slice(salt);
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: KdfParams = KdfParams { memory_kib: 64, passes: 1, lanes: 1 };

    fn passphrase(text: &str) -> SecretString {
        SecretString::from(text)
    }

    #[test]
    fn only_the_passphrase_unwraps_the_key() {
        let (key, profile) = (Key::random().unwrap(), ProfileId::random().unwrap());
        let wrapped = wrap_key(&key, &passphrase("correct horse"), profile, QUICK).unwrap();
        let open = |wrapped: &WrappedVaultKey, word: &str, profile| {
            unwrap_key(wrapped, &passphrase(word), profile, key.fingerprint())
        };
        let opened = open(&wrapped, "correct horse", profile).unwrap();
        assert!(opened.key.expose() == key.expose() && opened.again.is_none());
        for wrong in
            ["", "correct horsf", "Correct horse", "correct horse ", &"x".repeat(LONGEST_PASSPHRASE + 1)]
        {
            assert!(matches!(open(&wrapped, wrong, profile), Err(VaultError::WrongPassphrase)), "{wrong}");
        }
        let elsewhere = ProfileId::random().unwrap();
        assert!(matches!(open(&wrapped, "correct horse", elsewhere), Err(VaultError::WrongPassphrase)));
        for at in 0..wrapped.ciphertext.len() {
            let mut changed = wrapped.clone();
            changed.ciphertext[at] ^= 1;
            assert!(matches!(open(&changed, "correct horse", profile), Err(VaultError::WrongPassphrase)));
        }
        let mut changed = wrapped.clone();
        changed.kdf.passes = 2;
        assert!(matches!(open(&changed, "correct horse", profile), Err(VaultError::WrongPassphrase)));
        let again = wrap_key(&key, &passphrase("correct horse"), profile, QUICK).unwrap();
        assert!(again.salt != wrapped.salt && again.ciphertext != wrapped.ciphertext);
    }

    #[test]
    fn a_header_cannot_ask_for_any_amount_of_memory_or_time() {
        let (key, profile) = (Key::random().unwrap(), ProfileId::random().unwrap());
        let wrapped = wrap_key(&key, &passphrase("correct horse"), profile, QUICK).unwrap();
        for kdf in [
            KdfParams { memory_kib: KdfParams::MOST.memory_kib + 1, ..QUICK },
            KdfParams { passes: KdfParams::MOST.passes + 1, ..QUICK },
            KdfParams { lanes: KdfParams::MOST.lanes + 1, ..QUICK },
            KdfParams { memory_kib: 256 << 10, passes: 4, lanes: 1 },
            KdfParams { memory_kib: 0, ..QUICK },
            KdfParams { passes: 0, ..QUICK },
            KdfParams { lanes: 0, ..QUICK },
        ] {
            let greedy = WrappedVaultKey { kdf, ..wrapped.clone() };
            let error = unwrap_key(&greedy, &passphrase("correct horse"), profile, key.fingerprint()).err();
            assert!(matches!(error, Some(VaultError::InvalidHeader)), "{kdf:?}: {error:?}");
        }
        assert!(KdfParams::RECOMMENDED.is_within_limits());
    }

    #[test]
    fn a_key_that_an_earlier_version_wrapped_is_wrapped_again_once() {
        let (key, profile) = (Key::random().unwrap(), ProfileId::random().unwrap());
        let words = passphrase("correct horse");
        let salt = vec![7; SALT_BYTES];
        let wrapping = derive_key(&words, &salt, QUICK).unwrap();
        for (domain, version) in DOMAINS.into_iter().skip(1) {
            let data = associated_data(domain, profile, key.fingerprint(), QUICK, &salt);
            let (nonce, ciphertext) = encrypt_bytes(&wrapping, &data, key.expose()).unwrap();
            let earlier = WrappedVaultKey { kdf: QUICK, salt: salt.clone(), nonce, ciphertext };
            let opened = unwrap_key(&earlier, &words, profile, key.fingerprint()).unwrap();
            assert!(opened.key.expose() == key.expose() && opened.version == version);
            let opened = unwrap_key(&opened.again.unwrap(), &words, profile, key.fingerprint()).unwrap();
            assert!(opened.key.expose() == key.expose() && opened.again.is_none());
            assert!(opened.version == KeyVersion::Current);
        }
    }

    #[test]
    fn a_passphrase_has_a_shortest_and_a_longest_length() {
        for (fits, text) in [
            (false, "1234567"),
            (true, "12345678"),
            (true, "一二三四五六七八"),
            (true, &"x".repeat(LONGEST_PASSPHRASE)),
            (false, &"x".repeat(LONGEST_PASSPHRASE + 1)),
        ] {
            assert_eq!(check_length(&passphrase(text)).is_ok(), fits, "{}", text.len());
        }
    }
}
