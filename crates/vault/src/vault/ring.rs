//! The keys that are in memory: the one in force, and for the moment of a change the one that follows it.

use std::sync::Arc;

use crate::key::{Fingerprint, Key};
use crate::state::Mode;

/// A key with what it is known by.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) mode: Mode,
    pub(crate) key: Arc<Key>,
}

/// The keys in memory.
#[derive(Default)]
pub(crate) struct Ring {
    current: Option<Held>,
    next: Option<Held>,
}

impl Ring {
    /// The key to seal with.
    pub(crate) fn current(&self) -> Option<Held> {
        self.current.clone()
    }

    /// The key of this fingerprint.
    pub(crate) fn get(&self, fingerprint: Fingerprint) -> Option<Held> {
        self.current.iter().chain(&self.next).find(|held| held.fingerprint == fingerprint).cloned()
    }

    /// Holds a key that may come into force.
    pub(crate) fn prepare(&mut self, held: Held) {
        self.next = Some(held);
    }

    /// Seals with this key from now on; others go. Whether it was there.
    pub(crate) fn promote(&mut self, fingerprint: Fingerprint) -> Option<Mode> {
        let held = self.get(fingerprint)?;
        let mode = held.mode;
        *self = Self { current: Some(held), next: None };
        Some(mode)
    }

    /// Lets a key go that did not come into force.
    pub(crate) fn abandon(&mut self, fingerprint: Fingerprint) {
        self.next.take_if(|held| held.fingerprint == fingerprint);
    }
}
