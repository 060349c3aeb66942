//! The vault's key, and identifiers that don't reveal it.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use secrecy::{ExposeSecret, ExposeSecretMut, SecretBox, SecretString};
use sha2::{Digest, Sha256};
use zeroize::Zeroize;

use crate::error::VaultError;

/// Bytes of a key.
pub(crate) const KEY_BYTES: usize = 32;
/// Start of the fingerprint's input. It ensures that no other hash has the same input.
const FINGERPRINT_DOMAIN: &[u8] = b"mooring vault key fingerprint 1\0";
/// Start of a key's text in the keychain, if the current version wrote it.
const TEXT_PREFIX: &str = "mooring-key-3:";
/// Starts of the texts that earlier versions wrote.
const EARLIER_TEXT_PREFIXES: [(&str, KeyVersion); 2] =
    [("mooring-key-2:", KeyVersion::Bound), ("mooring-key-1:", KeyVersion::Unbound)];

/// The key. It is never moved in memory, and its memory is overwritten on drop.
pub(crate) struct Key(SecretBox<[u8; KEY_BYTES]>);

impl Key {
    /// Creates a key from the system's random numbers.
    pub(crate) fn random() -> Result<Self, VaultError> {
        Self::fill_with(|bytes| getrandom::fill(bytes).map_err(|_| VaultError::NoRandomness))
    }

    /// Creates a key in place. `fill` writes its bytes.
    pub(crate) fn fill_with<E>(fill: impl FnOnce(&mut [u8; KEY_BYTES]) -> Result<(), E>) -> Result<Self, E> {
        let mut key = SecretBox::new(Box::new([0; KEY_BYTES]));
        fill(key.expose_secret_mut())?;
        Ok(Self(key))
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let mut hash = Sha256::new();
        hash.update(FINGERPRINT_DOMAIN);
        hash.update(self.expose());
        let mut fingerprint = [0; 16];
        fingerprint.copy_from_slice(&hash.finalize()[..16]);
        Fingerprint(fingerprint)
    }

    pub(crate) fn expose(&self) -> &[u8; KEY_BYTES] {
        self.0.expose_secret()
    }

    /// The key as text, because some keychains only store text.
    pub(crate) fn to_text(&self) -> SecretString {
        let mut text = String::with_capacity(TEXT_PREFIX.len() + KEY_BYTES.div_ceil(3) * 4);
        text.push_str(TEXT_PREFIX);
        STANDARD_NO_PAD.encode_string(self.expose(), &mut text);
        let exact = to_secret_string(&text);
        text.zeroize();
        exact
    }

    /// Parses a key's text. Also returns the version that wrote it. `None` if the text is not a key's.
    pub(crate) fn from_text(text: &SecretString) -> Option<(Self, KeyVersion)> {
        let text = text.expose_secret();
        let (encoded, age) = match text.strip_prefix(TEXT_PREFIX) {
            Some(encoded) => (encoded, KeyVersion::Current),
            None => EARLIER_TEXT_PREFIXES
                .iter()
                .find_map(|(prefix, version)| Some((text.strip_prefix(prefix)?, *version)))?,
        };
        // If the decoded key has another length, decoding in place fails.
        let key = Self::fill_with(|bytes| match STANDARD_NO_PAD.decode_slice(encoded, bytes) {
            Ok(KEY_BYTES) => Ok(()),
            _ => Err(()),
        });
        Some((key.ok()?, age))
    }
}

/// The version of Mooring that wrote a key. It is part of the key's text, so that it can't be changed without
/// the key. Data of an earlier version is upgraded once. Under a key of the current version it is never
/// upgraded again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyVersion {
    /// A version that bound no secret to its purpose.
    Unbound,
    /// A version that bound secrets to their purposes, but authenticated no settings.
    Bound,
    /// The current version. Also after the upgrade of an earlier version.
    Current,
}

/// Copies a text into memory of exactly its size, because shrinking a larger buffer would leave a copy.
pub(crate) fn to_secret_string(text: &str) -> SecretString {
    let mut exact = String::with_capacity(text.len());
    exact.push_str(text);
    SecretString::from(exact)
}

/// Identifies a key without revealing anything about it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 16]);

/// The random id of a profile. It ensures that two profiles never share an entry of the keychain.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProfileId(pub [u8; 16]);

impl ProfileId {
    /// Creates a random id.
    pub fn random() -> Result<Self, VaultError> {
        let mut id = [0; 16];
        getrandom::fill(&mut id).map_err(|_| VaultError::NoRandomness)?;
        Ok(Self(id))
    }

    /// The name of the keychain entry for a key of this profile.
    pub(crate) fn account_name(self, key: Fingerprint) -> String {
        format!("{self}-{key}")
    }

    /// The name of a temporary entry, which is written, read and removed to check that the keychain works.
    pub(crate) fn probe_name(self, random: Fingerprint) -> String {
        format!("{self}-probe-{random}")
    }

    /// Whether a keychain entry with this name belongs to this profile.
    pub(crate) fn owns_account(self, account: &str) -> bool {
        account.strip_prefix(&self.to_string()).is_some_and(|rest| rest.starts_with('-'))
    }
}

/// Bytes as hexadecimal digits.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

macro_rules! shown {
    ($($name:ident)*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Hex(&self.0).fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}

shown!(Fingerprint ProfileId);

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> Key {
        Key::fill_with(|bytes| {
            bytes.fill(byte);
            Ok::<_, ()>(())
        })
        .unwrap()
    }

    #[test]
    fn a_fingerprint_stays_the_same_for_ever() {
        assert_eq!(key(1).fingerprint().to_string(), "a4bbc7db74647fd9ec8037209df2eb0c");
        assert_ne!(key(1).fingerprint(), key(2).fingerprint());
    }

    #[test]
    fn a_key_comes_back_out_of_its_text_and_nothing_else_does() {
        let random = Key::random().unwrap();
        let text = random.to_text();
        assert_eq!(Key::from_text(&text).unwrap().0.expose(), random.expose());
        let text = text.expose_secret();
        for other in [
            "",
            "mooring-key-3:",
            &text[TEXT_PREFIX.len()..],
            &text[..text.len() - 1],
            &format!("{text}A"),
            &format!("{text}AAAA"),
            &format!("{text}="),
            &text.replace("key-3", "key-4"),
            "mooring-key-3:!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!",
        ] {
            assert!(Key::from_text(&to_secret_string(other)).is_none(), "{other}");
        }
        // Keys of earlier versions are accepted, with their version.
        for (prefix, version) in EARLIER_TEXT_PREFIXES {
            let earlier = to_secret_string(&text.replace(TEXT_PREFIX, prefix));
            let (earlier, age) = Key::from_text(&earlier).unwrap();
            assert!(earlier.expose() == random.expose() && age == version);
        }
    }

    #[test]
    fn two_keys_and_two_profiles_are_never_the_same() {
        let (one, other) = (ProfileId::random().unwrap(), ProfileId::random().unwrap());
        assert_ne!(one, other);
        assert_ne!(Key::random().unwrap().fingerprint(), Key::random().unwrap().fingerprint());
        let account = one.account_name(key(1).fingerprint());
        assert!(one.owns_account(&account) && !other.owns_account(&account));
        assert!(one.owns_account(&one.probe_name(key(1).fingerprint())));
        assert!(!one.owns_account(&one.to_string()) && !one.owns_account(&format!("{one}0-1")));
    }

    /// How often these bytes occur in the writable memory of this process. The argument has every bit
    /// inverted, so that the search does not find the argument.
    #[cfg(target_os = "linux")]
    fn in_memory(turned: &[u8]) -> usize {
        use std::os::unix::fs::FileExt;
        const PIECE: usize = 1 << 20;
        let memory = std::fs::File::open("/proc/self/mem").unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let mut found = 0;
        let mut piece = vec![0; PIECE];
        for line in maps.lines().filter(|line| line.contains(" rw")) {
            let range = line.split(' ').next().unwrap().split_once('-').unwrap();
            let [start, end] = [range.0, range.1].map(|at| u64::from_str_radix(at, 16).unwrap());
            let mut at = start;
            while at < end {
                let wanted = usize::try_from(end - at).unwrap().min(PIECE);
                // The memory of another thread may have been freed.
                let Ok(read) = memory.read_at(&mut piece[..wanted], at) else { break };
                let same = |window: &&[u8]| window.iter().zip(turned).all(|(byte, turned)| *byte == !*turned);
                found += piece[..read].windows(turned.len()).filter(same).count();
                // Clears the buffer, so that the search does not find it later.
                piece[..read].fill(0);
                at += read.saturating_sub(if at + (read as u64) < end { turned.len() - 1 } else { 0 }).max(1)
                    as u64;
            }
        }
        found
    }

    // This is one test, because another test that reads memory at the same time would have copies of it.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_key_that_goes_leaves_nothing_of_itself_in_memory() {
        for used in [false, true] {
            let key = Key::random().unwrap();
            let turned: Vec<u8> = key.expose().iter().map(|byte| !byte).collect();
            assert!(in_memory(&turned) > 0, "a key that is held is found");
            if used {
                let sealed =
                    crate::encryption::encrypt_secret(&key, key.fingerprint(), "row", "token", b"secret")
                        .unwrap();
                let opened = crate::encryption::decrypt_secret(&key, "row", "token", &sealed).unwrap();
                let (again, _) = Key::from_text(&key.to_text()).unwrap();
                assert!(in_memory(&turned) > 1, "both are found");
                drop((again, opened));
            }
            drop(key);
            assert_eq!(in_memory(&turned), 0, "used: {used}");
        }
    }
}
