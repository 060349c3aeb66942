//! What the host keeps for the vault.
//!
//! The order in which a key is changed is the vault's business, and each step that has to be all or nothing is one
//! method here: the host makes it one transaction.

use std::any::Any;
use std::pin::Pin;

use mooring_words::Sentence;

use crate::error::VaultError;
use crate::header::{Header, KeyHeader, Wrapped};
use crate::key::{Fingerprint, ProfileId};
use crate::seal::Sealed;

/// What one of [`Records`] will answer, or why it could not.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Sentence>> + Send + 'a>>;

/// A row of the host's that is sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row<'a> {
    /// A secret.
    Secret {
        /// Its id.
        id: &'a str,
        /// What it is for.
        purpose: &'a str,
    },
    /// A document of the host's about this.
    Document(&'a str),
}

/// Seals a row under the key that comes into force.
pub type Reseal<'a> = dyn Fn(Row<'_>, &Sealed) -> Result<Sealed, VaultError> + Send + Sync + 'a;

/// Seals a document of the host's about something under the key that comes into force.
pub type SealDocument<'a> = dyn Fn(&str, &[u8]) -> Result<Sealed, VaultError> + Send + Sync + 'a;

/// Opens the secret of this id and kind, which an earlier version sealed, and seals it for this purpose.
pub type Bind<'a> = dyn Fn(&str, &str, &str, &Sealed) -> Result<Sealed, VaultError> + Send + Sync + 'a;

/// What is to be done once with what an earlier version sealed.
pub struct Upgrade<'a> {
    /// The key that it is sealed under.
    pub key: Fingerprint,
    /// How the key is wrapped from now on, where a passphrase wraps it.
    pub wrapped: Option<&'a Wrapped>,
    /// Binds a secret to its purpose.
    pub bind: &'a Bind<'a>,
    /// Seals a document.
    pub document: &'a SealDocument<'a>,
}

/// As long as it is held, no other process works on a key of this profile. It ends with its process.
pub type Guard = Box<dyn Any + Send>;

/// The header, and whether something is sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The header.
    pub header: Header,
    /// How many rows are sealed.
    pub sealed: u64,
}

/// How a change of the key ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rekey {
    /// So many rows are sealed under the new key.
    Done(u64),
    /// Another key than the expected one is in force. Nothing changed.
    OtherKey,
    /// This row could not be sealed anew. Nothing changed.
    Refused {
        /// The row.
        id: String,
    },
}

/// What the host keeps: one header and the sealed rows. What a method has answered is on the disk.
pub trait Records: Send + Sync + 'static {
    /// The header as it is on the disk now. A profile without one gets it, with this id.
    fn find(&self, profile: ProfileId) -> Answer<'_, Found>;

    /// Waits until no other process works on a key of this profile, a while at most; none: one still does.
    fn exclusive(&self) -> Answer<'_, Option<Guard>>;

    /// Puts the first key in force; whether it did. It must not where a key is in force, or anything is sealed.
    /// The host's documents are sealed with it, in the same step.
    fn adopt<'a>(&'a self, key: &'a KeyHeader, document: &'a SealDocument<'a>) -> Answer<'a, bool>;

    /// Binds every secret that an earlier version sealed to its purpose, all at once or not at all; false: another key is in
    /// force. What cannot be bound stays, and does not open. A host whose secrets were always bound has nothing to do.
    fn upgrade<'a>(&'a self, _upgrade: &'a Upgrade<'a>) -> Answer<'a, bool> {
        Box::pin(async { Ok(true) })
    }

    /// The key is in memory, and nobody has been told yet.
    fn opened(&self) -> Answer<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Puts the key `to` in force in the place of `from`, with every row sealed anew, all at once or not at all.
    fn rekey<'a>(&'a self, from: Fingerprint, to: &'a KeyHeader, reseal: &'a Reseal<'a>)
    -> Answer<'a, Rekey>;

    /// Gives up the key in force and everything sealed.
    fn discard(&self) -> Answer<'_, ()>;
}
