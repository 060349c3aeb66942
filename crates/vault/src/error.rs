//! Errors of the vault.

use std::error::Error;
use std::fmt;

use mooring_words::{Sentence, say};

/// Longest secret, in bytes.
pub(crate) const LONGEST_SECRET: usize = 1 << 20;
/// Fewest characters of a passphrase.
pub(crate) const SHORTEST_PASSPHRASE: usize = 8;
/// Longest passphrase, in bytes.
pub(crate) const LONGEST_PASSPHRASE: usize = 1024;

/// An error of the vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VaultError {
    /// The vault is not open.
    Closed,
    /// The keychain has not responded yet. The request to it continues.
    Waiting,
    /// The key is missing.
    Locked(LockReason),
    /// The keychain cannot be used.
    Unavailable(KeychainError),
    /// The secret is encrypted with a key that is not in memory, because another process has changed the key.
    /// Open the vault again.
    OtherKey,
    /// The secret was changed, or moved to another row.
    Tampered,
    /// A newer version of Mooring encrypted the secret. Contains the version of its encryption.
    UnknownVersion(u8),
    /// The secret, its id or its purpose is too long to be encrypted.
    TooLong,
    /// The passphrase is not the one that wrapped the key.
    WrongPassphrase,
    /// The passphrase is too short or too long.
    InvalidPassphrase,
    /// The key's header requires more memory or time than is allowed.
    InvalidHeader,
    /// There is already a key, or an encrypted secret.
    NotEmpty,
    /// The secret can't be decrypted with the current key. Therefore the key was not replaced.
    CannotReencrypt {
        /// The row's id.
        id: String,
    },
    /// Another process is working on the key.
    Busy,
    /// The system did not provide random numbers.
    NoRandomness,
    /// The profile could not be read or written.
    Records(Sentence),
}

impl VaultError {
    /// The error as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Closed => say!("the vault isn’t open"),
            Self::Waiting => say!("the system keychain hasn’t answered yet"),
            Self::Locked(why) => why.sentence(),
            Self::Unavailable(why) => why.sentence(),
            Self::OtherKey => say!("the secret was encrypted with a key that is no longer used"),
            Self::Tampered => say!("this secret was changed or moved and can’t be decrypted"),
            Self::UnknownVersion(version) => {
                say!(
                    "this secret was encrypted by a newer version of Mooring: {version}",
                    version = u16::from(*version)
                )
            }
            Self::TooLong => say!("a secret can have at most {bytes} bytes", bytes = LONGEST_SECRET),
            Self::WrongPassphrase => say!("wrong passphrase"),
            Self::InvalidPassphrase => say!(
                "a passphrase has at least {least} characters and at most {most} bytes",
                least = SHORTEST_PASSPHRASE,
                most = LONGEST_PASSPHRASE
            ),
            Self::InvalidHeader => LockReason::InvalidHeader.sentence(),
            Self::NotEmpty => say!("there is already a key, or there are encrypted secrets"),
            Self::CannotReencrypt { id } => {
                say!("this secret can’t be decrypted, so the key stays as it is: {id}", id)
            }
            Self::Busy => say!("another Mooring process is changing the key"),
            Self::NoRandomness => say!("the system provides no random numbers"),
            Self::Records(why) => why.clone(),
        }
    }

    /// What the person can do, if anything.
    pub fn next_step(&self) -> Option<Sentence> {
        Some(match self {
            Self::Waiting => say!("Look for your keychain’s password prompt."),
            Self::Locked(why) => why.next_step(),
            Self::Unavailable(why) => why.next_step(),
            Self::WrongPassphrase => say!("Enter the passphrase."),
            Self::InvalidHeader => LockReason::InvalidHeader.next_step(),
            Self::UnknownVersion(_) => say!("Install the newest Mooring. Nothing was changed."),
            Self::Busy => say!("Try again."),
            _ => return None,
        })
    }
}

impl fmt::Display for VaultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl Error for VaultError {}

impl From<KeychainError> for VaultError {
    fn from(error: KeychainError) -> Self {
        match error {
            KeychainError::Locked => Self::Locked(LockReason::Keychain),
            KeychainError::NotFound => Self::Locked(LockReason::KeyMissing),
            other => Self::Unavailable(other),
        }
    }
}

/// Why the key is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockReason {
    /// The key is wrapped with a passphrase, and none was entered yet.
    Passphrase,
    /// The entered passphrase is not the one that wraps the key.
    WrongPassphrase,
    /// The system's keychain is locked, or its prompt was dismissed.
    Keychain,
    /// The keychain works, but does not have the key.
    KeyMissing,
    /// The keychain has another key under the same name.
    OtherKey,
    /// The key was in the memory of a process that has ended, or of another one that is still running.
    Memory,
    /// There are encrypted secrets, but no key is recorded.
    Unknown,
    /// The key's header is invalid: it requires more memory or time than is allowed.
    InvalidHeader,
    /// The profile could not be read.
    Records(Sentence),
}

impl LockReason {
    /// A stable identifier.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Passphrase | Self::WrongPassphrase => "passphrase",
            Self::Keychain => KeychainError::Locked.as_str(),
            Self::KeyMissing => "key_missing",
            Self::OtherKey => "other_key",
            Self::Memory => "memory",
            Self::Unknown => "unknown",
            Self::InvalidHeader => "unfit_header",
            Self::Records(_) => "records",
        }
    }

    /// The reason as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Passphrase => say!("your secrets are locked until you enter the passphrase"),
            Self::WrongPassphrase => say!("wrong passphrase"),
            Self::Keychain => KeychainError::Locked.sentence(),
            Self::KeyMissing => {
                say!("the system keychain no longer has the key that encrypts your secrets")
            }
            Self::OtherKey => {
                say!("the system keychain has a different key than the one that encrypts your secrets")
            }
            Self::Memory => say!(
                "your secrets were encrypted for one session only, which has ended or is still running elsewhere"
            ),
            Self::Unknown => say!("there are encrypted secrets, but their key is unknown"),
            Self::InvalidHeader => say!("the information about your vault key is damaged"),
            Self::Records(why) => why.clone(),
        }
    }

    /// What the person can do. Encrypted data is never changed without them.
    pub fn next_step(&self) -> Sentence {
        match self {
            Self::Passphrase | Self::WrongPassphrase => say!("Enter the passphrase."),
            Self::Keychain => KeychainError::Locked.next_step(),
            Self::KeyMissing | Self::OtherKey => say!(
                "Restore the keychain from a backup or from the account that you signed in with, and try again; or start over, which signs you out everywhere on this computer. Nothing was changed."
            ),
            Self::Memory => {
                say!("Start over and sign in again, or continue in the window that is still open.")
            }
            Self::Unknown | Self::InvalidHeader => say!(
                "Restore the data folder from a backup, or start over, which signs you out everywhere on this computer. Nothing was changed."
            ),
            Self::Records(_) => say!("Try again."),
        }
    }
}

/// An error of the keychain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeychainError {
    /// There is no session bus, or it does not respond.
    NoBus {
        /// The system's error.
        detail: String,
    },
    /// No service on the session bus stores secrets.
    NoProvider,
    /// The service has no default collection.
    NoCollection,
    /// The keychain is locked, and the person did not unlock it.
    Locked,
    /// The entry does not exist, although the keychain works.
    NotFound,
    /// Too many requests are unanswered.
    Unanswered,
    /// Any other error.
    Failed {
        /// The system's error.
        detail: String,
    },
}

impl KeychainError {
    /// The error as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::NoBus { detail } => {
                say!("the keychain can’t be reached because there is no desktop session: {detail}", detail)
            }
            Self::NoProvider => say!("no system keychain was found"),
            Self::NoCollection => say!("the system keychain has no default keyring to store passwords in"),
            Self::Locked => say!("the system keychain is locked"),
            Self::NotFound => say!("the system keychain has no such entry"),
            Self::Unanswered => say!("the system keychain doesn’t answer"),
            Self::Failed { detail } => say!("the system keychain failed: {detail}", detail),
        }
    }

    /// A stable code: `no_keychain` if there is no usable keychain, `keychain_locked`, or `keychain_failed`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::NoBus { .. } | Self::NoProvider | Self::NoCollection => "no_keychain",
            Self::Locked => "keychain_locked",
            Self::NotFound | Self::Unanswered | Self::Failed { .. } => "keychain_failed",
        }
    }

    /// What the person can do.
    pub fn next_step(&self) -> Sentence {
        match self {
            Self::NoBus { .. } => say!(
                "Start Mooring from within your desktop session and try again, or choose a passphrase or this session only."
            ),
            Self::NoProvider => say!(
                "Start a keychain such as GNOME Keyring, KWallet or KeePassXC and try again, or choose a passphrase or this session only."
            ),
            Self::NoCollection => say!(
                "Create a default keyring in your keychain app and try again, or choose a passphrase or this session only."
            ),
            Self::Locked => say!("Unlock your keychain and try again."),
            Self::NotFound | Self::Unanswered | Self::Failed { .. } => say!("Try again."),
        }
    }
}

impl fmt::Display for KeychainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl Error for KeychainError {}
