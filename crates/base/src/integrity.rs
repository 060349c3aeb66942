//! Encrypted copies of rules, approvals and servers' definitions as Mooring last wrote them, to detect changes by
//! other programs.
//!
//! Whoever can write the database can write its rows, but no document. While the host has its key in memory the
//! documents win over the rows: a rule that is gone from its table still counts, and an approval that is not in a
//! document is none. One document, [`INDEX_SCOPE`], names the generation of each of the others, so that an older one in its
//! place is noticed; only the whole database as it once was cannot be told from the one of today after a start.
//!
//! While the key is not in memory rows are believed. What this process changes meanwhile is remembered, and written
//! into the documents once the key is there; what another process changes is not in them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Scope of the document that lists the generation of every other one.
pub const INDEX_SCOPE: &str = "all";
/// The document of the rules, and of what the person set for apps.
pub const RULES_SCOPE: &str = "rules";
/// The document of the settings that say where secrets go.
pub const SETTINGS_SCOPE: &str = "settings";
/// What makes a document of the rules where there is none: only the person does, who has looked at them.
/// Comes before all rules in the order of entries.
pub const RULES_REVIEWED_ENTRY: &str = "!begun";
/// What a server's document has of its definition.
pub const DEFINITION_ENTRY: &str = "definition";
/// What it has of what the person saved last.
pub const SAVED_ENTRY: &str = "edit";
/// Most changes that wait for the key.
pub const MAX_PENDING: usize = 100_000;

/// An integrity document, encrypted with the host's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedDocument {
    /// The version of the encryption.
    pub version: i64,
    /// The fingerprint of the key.
    pub key: [u8; 16],
    /// Random.
    pub nonce: [u8; 24],
    /// What only the key opens.
    pub ciphertext: Vec<u8>,
}

/// The host's key for integrity documents, as far as it is in memory.
pub trait DocumentKey: fmt::Debug + Send + Sync {
    /// Its fingerprint; none: the key is not in memory.
    fn fingerprint(&self) -> Option<[u8; 16]>;
    /// Encrypts a document; `scope` is authenticated with it. None: the key is not in memory.
    fn encrypt(&self, scope: &str, text: &[u8]) -> Option<EncryptedDocument>;
    /// Decrypts it; none: it was changed, or belongs to another scope.
    fn decrypt(&self, scope: &str, document: &EncryptedDocument) -> Option<Vec<u8>>;
}

/// Encrypts the document of a scope.
pub type DocumentEncryptor<'a> = dyn Fn(&str, &[u8]) -> Option<EncryptedDocument> + Send + Sync + 'a;

/// What a database knows of its documents in this process.
#[derive(Debug, Default)]
pub struct Integrity {
    /// The key, once it is known who has it.
    pub key: OnceLock<Arc<dyn DocumentKey>>,
    /// Changes of this process that wait for the key, by document and entry.
    pending: Mutex<BTreeMap<(String, String), EntryChange>>,
    /// The newest generation that was read.
    pub newest: AtomicU64,
}

/// One document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntegrityDocument {
    /// One more with each document that is written.
    pub generation: u64,
    /// What is vouched for, by name.
    pub entries: BTreeMap<String, String>,
}

/// What becomes of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryChange {
    /// The person, or what they decided before, has it so. A document that is not there is made.
    Set(String),
    /// It was seen first, where there is no entry yet.
    Seen(String),
    /// It goes.
    Remove,
}

/// What reading a document found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentState {
    /// The key is not in memory: rows are believed.
    Unchecked,
    /// There is no document, or none that can be believed.
    Missing,
    /// It was decrypted, and its generation is the newest.
    Verified(IntegrityDocument),
}

/// The scope of a server's document.
pub fn server_scope(id: i64) -> String {
    format!("server/{id}")
}

/// What an app's entry in the document of the rules begins with.
const APP_ENTRY: &str = "app/";

/// The entry of what the person set for an app.
pub fn app_entry(name: &str) -> String {
    format!("{APP_ENTRY}{name}")
}

/// The app of an entry.
pub fn app_of_entry(entry: &str) -> Option<&str> {
    entry.strip_prefix(APP_ENTRY)
}

/// The entry of a pin.
pub fn pin_entry(kind: &str, name: &str) -> String {
    format!("pin/{kind}/{name}")
}

/// What the entry of a pin says.
pub fn pin_value(known_hash: &str, approved: bool) -> String {
    format!("{}{known_hash}", if approved { '+' } else { '-' })
}

impl Integrity {
    /// The changes that wait for the key.
    pub fn pending(&self) -> MutexGuard<'_, BTreeMap<(String, String), EntryChange>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key and its fingerprint, while it is in memory.
    pub fn key(&self) -> Option<(&Arc<dyn DocumentKey>, [u8; 16])> {
        let key = self.key.get()?;
        Some((key, key.fingerprint()?))
    }
}
