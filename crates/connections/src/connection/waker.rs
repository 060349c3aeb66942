//! Who woke a server that slept, and what it does when it wakes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mooring_apps::display_name;
use mooring_policy::Caller;
use mooring_words::{Sentence, say};

use super::Handle;

/// The sentence about the caller whose request starts the connection next.
#[derive(Debug, Default)]
pub(crate) struct Waker(Mutex<Option<Sentence>>);

impl Waker {
    fn note(&self, sentence: Sentence) {
        // The first of several callers woke it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(sentence);
    }

    /// The sentence for the start that begins now. Nothing is left of it.
    pub(super) fn take(&self) -> Option<Sentence> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Whether a server asks for the folders at its start. `None` if that is not known.
#[derive(Debug, Default)]
pub(crate) struct RootsHabit(Mutex<Option<bool>>);

impl RootsHabit {
    fn lock(&self) -> MutexGuard<'_, Option<bool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server has asked for the folders.
    pub(crate) fn note_question(&self) {
        *self.lock() = Some(true);
    }

    /// Says whether an earlier connection of the server asked for the folders, unless this is known.
    pub(crate) fn note_earlier(&self, has_asked: bool) {
        self.lock().get_or_insert(has_asked);
    }

    /// Whether the first requests wait, because the server may ask for the folders first.
    pub(crate) fn may_ask(&self) -> bool {
        self.lock().unwrap_or(true)
    }
}

impl Handle {
    /// Notes which app's request is about to wake the server. Has no effect if it does not sleep.
    pub fn note_waking_app(&self, app: &str) {
        if self.is_asleep() {
            self.shared.waker.note(say!("{app} woke this server", app = display_name(app)));
        }
    }

    /// Notes whose request is about to wake the server. Has no effect if it does not sleep.
    pub(crate) fn note_waker(&self, caller: &Caller) {
        match caller.app_name() {
            Some(app) => self.note_waking_app(app),
            None if caller.is_person() && self.is_asleep() => {
                self.shared.waker.note(say!("you woke this server"));
            }
            None => {}
        }
    }
}
