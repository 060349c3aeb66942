//! One key in the system's keychain, and what is sealed under it.
//!
//! A [`Vault`] seals secrets with a random key of 32 bytes, so that they can stand in a database. The key itself is
//! in the system's keychain, wrapped by a passphrase, or in the memory of one run; where there is no keychain the
//! person chooses, and nothing is ever kept in the clear. The keychain is reached through a thread of its own, since
//! it may ask the person something and take as long as they do: see [`VaultState::Waiting`].
//!
//! This crate knows no database. What has to be kept passes through [`Records`], which the host implements: the
//! [`Header`] that names the key in force, and the [`Sealed`] rows. A key that is missing, or is another one, leaves
//! the vault [`VaultState::Locked`] and everything as it is: a new key is never made over what an old one sealed.

mod error;
mod header;
mod key;
mod keychain;
mod passphrase;
mod records;
mod seal;
mod state;
mod vault;

pub use error::{KeychainError, LockReason, VaultError};
pub use header::{Custody, Header, Kdf, KeyHeader, Wrapped};
pub use key::{Fingerprint, ProfileId};
pub use keychain::{Connect, Keychain, system::system_keychain};
pub use records::{Answer, Bind, Found, Guard, Records, Rekey, Reseal, Row, SealDocument, Upgrade};
pub use seal::{Sealed, random_id};
pub use state::{Mode, VaultState};
pub use vault::{Choice, Options, Passphrase, Vault, WeakVault};
