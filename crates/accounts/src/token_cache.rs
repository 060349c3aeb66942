//! A cache of access tokens, so that not every request decrypts one. A cached token is checked again when its
//! login may have changed: immediately after a change in this process, within a second after a change in
//! another process, and when the server rejects the token.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mooring_oauth::{AccessToken, LoginId};

/// How long a cached token is used without checking the store.
const FRESH_FOR: Duration = Duration::from_millis(750);
/// How often the use of a login is saved at most.
const RECORD_USE_EVERY: Duration = Duration::from_mins(1);
/// Maximum number of tokens in the cache.
const MAX_TOKENS: usize = 1024;

/// Access tokens by login. Cleared when it is full.
#[derive(Default)]
pub(super) struct TokenCache {
    tokens: Mutex<HashMap<LoginId, CachedToken>>,
    use_recorded: Mutex<HashMap<LoginId, Instant>>,
}

#[derive(Clone)]
struct CachedToken {
    access: Arc<AccessToken>,
    /// When the login was last checked.
    checked: Instant,
}

/// The result of looking up the cached token of a login.
pub(super) enum CacheLookup {
    /// No token is cached.
    Missing,
    /// A token that may be used.
    Fresh(Arc<AccessToken>),
    /// A token that may be used if the login still has the same version.
    Stale(Arc<AccessToken>),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TokenCache {
    pub(super) fn get(&self, login: &LoginId) -> CacheLookup {
        match lock(&self.tokens).get(login).cloned() {
            None => CacheLookup::Missing,
            Some(entry) if entry.checked.elapsed() < FRESH_FOR => CacheLookup::Fresh(entry.access),
            Some(entry) => CacheLookup::Stale(entry.access),
        }
    }

    /// Caches a token whose login was checked at `seen`.
    pub(super) fn insert(&self, login: &LoginId, access: &Arc<AccessToken>, seen: Instant) {
        let mut tokens = lock(&self.tokens);
        if tokens.len() >= MAX_TOKENS && !tokens.contains_key(login) {
            tokens.clear();
        }
        tokens.insert(login.clone(), CachedToken { access: Arc::clone(access), checked: seen });
    }

    pub(super) fn remove(&self, login: &LoginId) {
        lock(&self.tokens).remove(login);
    }

    /// Whether the use of a login should be saved now.
    pub(super) fn should_record_use(&self, login: &LoginId) -> bool {
        let mut noted = lock(&self.use_recorded);
        if noted.get(login).is_some_and(|at| at.elapsed() < RECORD_USE_EVERY) {
            return false;
        }
        if noted.len() >= MAX_TOKENS {
            noted.clear();
        }
        noted.insert(login.clone(), Instant::now());
        true
    }
}
