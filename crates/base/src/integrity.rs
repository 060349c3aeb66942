//! Encrypted copies of rules, approvals and servers' definitions as Mooring last wrote them, to detect changes by
//! other programs.
//!
//! An attacker who can write the database can change its rows, but can't write a document. While the host has
//! its key in memory, documents win over rows: a rule that was deleted from its table still counts, and an
//! approval without an entry does not. The document [`INDEX_SCOPE`] has the generation of every other one, so
//! that an older one is detected. Only a rollback of the whole database goes undetected after a start.
//!
//! While the key is not in memory, rows are trusted. This process remembers its own changes and writes them
//! once the key is available. It does not write what other processes change.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Scope of the document that lists the generation of every other one.
pub const INDEX_SCOPE: &str = "all";
/// The document of the rules, and of the person's settings for apps.
pub const RULES_SCOPE: &str = "rules";
/// The document of the settings that decide where secrets are sent.
pub const SETTINGS_SCOPE: &str = "settings";
/// The entry that creates the document of the rules. Only a person who reviewed the rules may set it. It
/// sorts before all rules.
pub const RULES_REVIEWED_ENTRY: &str = "!begun";
/// The entry for a server's definition, in the server's document.
pub const DEFINITION_ENTRY: &str = "definition";
/// The entry for what the person saved last, in a server's document.
pub const SAVED_ENTRY: &str = "edit";
/// Maximum number of changes that wait for the key.
pub const MAX_PENDING: usize = 100_000;

/// An integrity document, encrypted with the host's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedDocument {
    /// Version of the encryption scheme.
    pub version: i64,
    /// Fingerprint of the key.
    pub key: [u8; 16],
    /// The random nonce.
    pub nonce: [u8; 24],
    /// The encrypted and authenticated text.
    pub ciphertext: Vec<u8>,
}

/// The host's key for integrity documents. It is not always in memory.
pub trait DocumentKey: fmt::Debug + Send + Sync {
    /// The key's fingerprint. `None` if the key is not in memory.
    fn fingerprint(&self) -> Option<[u8; 16]>;
    /// Encrypts a document and authenticates `scope` with it. `None` if the key is not in memory.
    fn encrypt(&self, scope: &str, text: &[u8]) -> Option<EncryptedDocument>;
    /// Decrypts a document. `None` if it was changed or belongs to another scope.
    fn decrypt(&self, scope: &str, document: &EncryptedDocument) -> Option<Vec<u8>>;
}

/// A function that encrypts a document for a scope.
pub type DocumentEncryptor<'a> = dyn Fn(&str, &[u8]) -> Option<EncryptedDocument> + Send + Sync + 'a;

/// State of a database's documents in this process.
#[derive(Debug, Default)]
pub struct Integrity {
    /// The key, once it is known which object has it.
    pub key: OnceLock<Arc<dyn DocumentKey>>,
    /// Changes by this process that wait for the key, by document and entry.
    pending: Mutex<BTreeMap<(String, String), EntryChange>>,
    /// The newest generation that was read.
    pub newest: AtomicU64,
}

/// A decrypted integrity document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntegrityDocument {
    /// Increases with every document that is written.
    pub generation: u64,
    /// The values of the entries, by name.
    pub entries: BTreeMap<String, String>,
}

/// A change of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryChange {
    /// Set by the person, or by an earlier decision of theirs. Creates the document if it is missing.
    Set(String),
    /// Recorded when it is first seen. Does not replace an existing entry.
    Seen(String),
    /// Removes the entry.
    Remove,
}

/// Result of reading a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentState {
    /// The key is not in memory: rows are trusted.
    Unchecked,
    /// There is no document, or none that can be trusted.
    Missing,
    /// The document was decrypted, and its generation is the newest.
    Verified(IntegrityDocument),
}

/// The scope of a server's document.
pub fn server_scope(id: i64) -> String {
    format!("server/{id}")
}

/// Prefix of an app's entry in the document of the rules.
const APP_ENTRY: &str = "app/";

/// The name of the entry for an app's settings.
pub fn app_entry(name: &str) -> String {
    format!("{APP_ENTRY}{name}")
}

/// The app that an entry belongs to. `None` if the entry is not an app's.
pub fn app_of_entry(entry: &str) -> Option<&str> {
    entry.strip_prefix(APP_ENTRY)
}

/// The name of the entry for a pin.
pub fn pin_entry(kind: &str, name: &str) -> String {
    format!("pin/{kind}/{name}")
}

/// The value of a pin's entry.
pub fn pin_value(known_hash: &str, approved: bool) -> String {
    format!("{}{known_hash}", if approved { '+' } else { '-' })
}

impl Integrity {
    /// The changes that wait for the key.
    pub fn pending(&self) -> MutexGuard<'_, BTreeMap<(String, String), EntryChange>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key and its fingerprint. `None` while the key is not in memory.
    pub fn key(&self) -> Option<(&Arc<dyn DocumentKey>, [u8; 16])> {
        let key = self.key.get()?;
        Some((key, key.fingerprint()?))
    }
}
