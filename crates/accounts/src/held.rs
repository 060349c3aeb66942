//! Tokens in use, so that not every request opens what is sealed. Each is looked at again as soon as its login may have
//! changed: at once where we changed it ourselves, within a second where another process did, and when its server
//! refuses it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mooring_oauth::{Access, Login};

/// How long a token is shown without a look at the store.
const UNSEEN: Duration = Duration::from_millis(750);
/// How often it is noted that a login is used.
const NOTED: Duration = Duration::from_mins(1);
/// Most tokens in use.
const MOST: usize = 1024;

/// See the module.
#[derive(Default)]
pub(super) struct HeldTokens {
    tokens: Mutex<HashMap<Login, Held>>,
    noted: Mutex<HashMap<Login, Instant>>,
}

#[derive(Clone)]
struct Held {
    access: Arc<Access>,
    /// When its login was looked at last.
    seen: Instant,
}

/// What is held of a login.
pub(super) enum Look {
    /// Nothing.
    None,
    /// A token that may be shown.
    Good(Arc<Access>),
    /// A token that may be shown if the login is still at its version.
    Stale(Arc<Access>),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HeldTokens {
    pub(super) fn look(&self, login: &Login) -> Look {
        match lock(&self.tokens).get(login).cloned() {
            None => Look::None,
            Some(held) if held.seen.elapsed() < UNSEEN => Look::Good(held.access),
            Some(held) => Look::Stale(held.access),
        }
    }

    /// Holds a token whose login was looked at after `seen`.
    pub(super) fn hold(&self, login: &Login, access: &Arc<Access>, seen: Instant) {
        let mut tokens = lock(&self.tokens);
        if tokens.len() >= MOST && !tokens.contains_key(login) {
            tokens.clear();
        }
        tokens.insert(login.clone(), Held { access: Arc::clone(access), seen });
    }

    pub(super) fn let_go(&self, login: &Login) {
        lock(&self.tokens).remove(login);
    }

    /// Whether it is to be noted that a login is used.
    pub(super) fn is_news(&self, login: &Login) -> bool {
        let mut noted = lock(&self.noted);
        if noted.get(login).is_some_and(|at| at.elapsed() < NOTED) {
            return false;
        }
        if noted.len() >= MOST {
            noted.clear();
        }
        noted.insert(login.clone(), Instant::now());
        true
    }
}
