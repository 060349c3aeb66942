//! The keys in memory: the current key, and the next one while the key is being changed.

use std::sync::Arc;

use crate::key::{Fingerprint, Key};
use crate::state::VaultMode;

/// A key with its fingerprint and its location.
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
    /// The current key, which encrypts.
    pub(crate) fn current(&self) -> Option<LoadedKey> {
        self.current.clone()
    }

    /// The key with this fingerprint. `None` if it is not in memory.
    pub(crate) fn get(&self, fingerprint: Fingerprint) -> Option<LoadedKey> {
        self.current.iter().chain(&self.next).find(|loaded| loaded.fingerprint == fingerprint).cloned()
    }

    /// Stores a key that may become the current one.
    pub(crate) fn set_next(&mut self, loaded: LoadedKey) {
        self.next = Some(loaded);
    }

    /// Makes this key the current one, and drops the other. `None` if it is not in memory.
    pub(crate) fn promote(&mut self, fingerprint: Fingerprint) -> Option<VaultMode> {
        let loaded = self.get(fingerprint)?;
        let mode = loaded.mode;
        *self = Self { current: Some(loaded), next: None };
        Some(mode)
    }

    /// Drops a key that did not become the current one.
    pub(crate) fn drop_next(&mut self, fingerprint: Fingerprint) {
        self.next.take_if(|loaded| loaded.fingerprint == fingerprint);
    }
}
