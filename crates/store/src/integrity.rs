//! What rules, approvals and servers' definitions were when Mooring last wrote them, in documents that the host's key seals.
//!
//! Whoever can write the database can write its rows, but no document. While the host has its key in memory the documents
//! win over the rows: a rule that is gone from its table still counts, and an approval that is not in a document is none.
//! One document, [`ALL`], names the generation of each of the others, so that an older one in its place is noticed; only
//! the whole database as it once was cannot be told from the one of today after a start.
//!
//! While the key is not in memory rows are believed. What this process changes meanwhile is remembered, and written into
//! the documents once the key is there; what another process changes is not in them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The document about all others.
pub(crate) const ALL: &str = "all";
/// The document of the rules.
pub(crate) const RULES: &str = "rules";
/// What makes a document of the rules where there is none: only the person does, who has looked at them.
/// Comes before all rules in the order of entries.
pub(crate) const RULES_REVIEWED: &str = "!begun";
/// What a server's document has of its definition, and of what the person saved last.
pub(crate) const DEFINITION: &str = "definition";
pub(crate) const EDIT: &str = "edit";
/// Most changes that wait for the key.
pub(crate) const MOST_PENDING: usize = 100_000;

/// A document as the host's key sealed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedDocument {
    /// The version of the sealing.
    pub version: i64,
    /// The fingerprint of the key.
    pub key: [u8; 16],
    /// Random.
    pub nonce: [u8; 24],
    /// What only the key opens.
    pub ciphertext: Vec<u8>,
}

/// The host's key, as far as it is in memory.
pub trait DocumentKey: fmt::Debug + Send + Sync {
    /// Its fingerprint; none: it is not there.
    fn fingerprint(&self) -> Option<[u8; 16]>;
    /// Seals a document about something.
    fn seal(&self, scope: &str, text: &[u8]) -> Option<SealedDocument>;
    /// Opens it; none: it was changed, or is about something else.
    fn open(&self, scope: &str, document: &SealedDocument) -> Option<Vec<u8>>;
}

/// Seals a document about something.
pub type SealWith<'a> = dyn Fn(&str, &[u8]) -> Option<SealedDocument> + Send + Sync + 'a;

/// What a database knows of its documents in this process.
#[derive(Debug, Default)]
pub(crate) struct Integrity {
    pub(crate) key: OnceLock<Arc<dyn DocumentKey>>,
    /// Changes of this process that wait for the key, by document and entry.
    pending: Mutex<BTreeMap<(String, String), Change>>,
    /// The newest generation that was read.
    pub(crate) newest: AtomicU64,
}

/// One document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Document {
    pub(crate) generation: u64,
    pub(crate) entries: BTreeMap<String, String>,
}

/// What becomes of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// The person, or what they decided before, has it so. A document that is not there is made.
    Set(String),
    /// It was seen first, where there is no entry yet.
    Seen(String),
    /// It goes.
    Remove,
}

/// What is known of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Known {
    /// The key is not in memory: rows are believed.
    Unchecked,
    /// There is no document, or none that can be believed.
    Missing,
    /// This.
    So(Document),
}

/// The document of a server.
pub(crate) fn of_server(id: i64) -> String {
    format!("server/{id}")
}

/// The entry of a pin, and what it says.
pub(crate) fn pin_entry(kind: &str, name: &str) -> String {
    format!("pin/{kind}/{name}")
}

pub(crate) fn pin_value(known_hash: &str, approved: bool) -> String {
    format!("{}{known_hash}", if approved { '+' } else { '-' })
}

impl Integrity {
    pub(crate) fn pending(&self) -> MutexGuard<'_, BTreeMap<(String, String), Change>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn key(&self) -> Option<(&Arc<dyn DocumentKey>, [u8; 16])> {
        let key = self.key.get()?;
        Some((key, key.fingerprint()?))
    }
}
