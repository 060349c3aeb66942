//! The keys that are in memory: the one in force, and for the moment of a change the one that follows it.

use std::sync::Arc;

use crate::key::{Fingerprint, Key};
use crate::state::VaultMode;

/// A key with what it is known by.
#[derive(Clone)]
pub(crate) struct LoadedKey {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) mode: VaultMode,
    pub(crate) key: Arc<Key>,
}

/// The keys in memory.
#[derive(Default)]
pub(crate) struct Keyring {
    current: Option<LoadedKey>,
    next: Option<LoadedKey>,
}

impl Keyring {
    /// The key for encrypting.
    pub(crate) fn current(&self) -> Option<LoadedKey> {
        self.current.clone()
    }

    /// The key of this fingerprint.
    pub(crate) fn get(&self, fingerprint: Fingerprint) -> Option<LoadedKey> {
        self.current.iter().chain(&self.next).find(|loaded| loaded.fingerprint == fingerprint).cloned()
    }

    /// Stores a key that may be activated.
    pub(crate) fn set_next(&mut self, loaded: LoadedKey) {
        self.next = Some(loaded);
    }

    /// Seals with this key from now on; others go. Whether it was there.
    pub(crate) fn promote(&mut self, fingerprint: Fingerprint) -> Option<VaultMode> {
        let loaded = self.get(fingerprint)?;
        let mode = loaded.mode;
        *self = Self { current: Some(loaded), next: None };
        Some(mode)
    }

    /// Lets a key go that did not come into force.
    pub(crate) fn drop_next(&mut self, fingerprint: Fingerprint) {
        self.next.take_if(|loaded| loaded.fingerprint == fingerprint);
    }
}
