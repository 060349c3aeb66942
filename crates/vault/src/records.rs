//! What the host keeps for the vault.
//!
//! The order in which a key is changed is the vault's business, and each step that has to be all or nothing is one
//! method here: the host makes it one transaction.

use std::any::Any;
use std::pin::Pin;

use mooring_words::Sentence;

use crate::error::VaultError;
use crate::header::{Header, KeyHeader};
use crate::key::{Fingerprint, ProfileId};
use crate::seal::Sealed;

/// What one of [`Records`] will answer, or why it could not.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Sentence>> + Send + 'a>>;

/// Seals anew what is in a row of this id and kind.
pub type Reseal<'a> = dyn Fn(&str, &str, &Sealed) -> Result<Sealed, VaultError> + Send + Sync + 'a;

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
    fn adopt<'a>(&'a self, key: &'a KeyHeader) -> Answer<'a, bool>;

    /// Puts the key `to` in force in the place of `from`, with every row sealed anew, all at once or not at all.
    fn rekey<'a>(&'a self, from: Fingerprint, to: &'a KeyHeader, reseal: &'a Reseal<'a>)
    -> Answer<'a, Rekey>;

    /// Gives up the key in force and everything sealed.
    fn discard(&self) -> Answer<'_, ()>;
}
