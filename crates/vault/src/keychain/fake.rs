//! A keychain in memory that fails, waits and forgets as a test says.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use secrecy::{ExposeSecret, SecretString};

use super::{Connect, Keychain};
use crate::error::KeychainError;

/// The keychain, and the test's hold on it. Clones are the same keychain.
#[derive(Clone, Default)]
pub(crate) struct FakeKeychain(Arc<Shared>);

#[derive(Default)]
struct Shared {
    inside: Mutex<Inside>,
    changed: Condvar,
}

#[derive(Default)]
struct Inside {
    entries: BTreeMap<String, String>,
    fault: Option<KeychainError>,
    next: Option<(&'static str, KeychainError)>,
    stalled: bool,
    waiting: usize,
    calls: Vec<String>,
}

impl FakeKeychain {
    /// What a vault connects to.
    pub(crate) fn connect(&self) -> Connect {
        let shared = Self::clone(self);
        Arc::new(move || {
            drop(shared.enter("connect", "")?);
            Ok(Box::new(shared.clone()) as Box<dyn Keychain>)
        })
    }

    /// Every request fails like this from now on; none: they succeed again.
    pub(crate) fn fail(&self, fault: Option<KeychainError>) {
        self.inside().fault = fault;
    }

    /// The next `connect`, `read`, `write`, `remove` or `accounts` fails like this, once.
    pub(crate) fn fail_next(&self, call: &'static str, fault: KeychainError) {
        self.inside().next = Some((call, fault));
    }

    /// Whether requests wait, as one does for a person who is asked for a password.
    pub(crate) fn stall(&self, stalled: bool) {
        self.inside().stalled = stalled;
        self.0.changed.notify_all();
    }

    /// Waits until so many requests wait.
    pub(crate) fn until_waiting(&self, count: usize) {
        let inside = self.inside();
        let reached = self.0.changed.wait_while(inside, |inside| inside.waiting < count);
        drop(reached.unwrap_or_else(PoisonError::into_inner));
    }

    /// The names of all entries.
    pub(crate) fn accounts(&self) -> Vec<String> {
        self.inside().entries.keys().cloned().collect()
    }

    /// What is kept under a name.
    pub(crate) fn text(&self, account: &str) -> Option<String> {
        self.inside().entries.get(account).cloned()
    }

    /// Puts something there behind the vault's back; none: takes it away.
    pub(crate) fn put(&self, account: &str, text: Option<&str>) {
        let mut inside = self.inside();
        inside.entries.remove(account);
        if let Some(text) = text {
            inside.entries.insert(account.to_owned(), text.to_owned());
        }
    }

    /// What was asked since the last time, each with its name.
    pub(crate) fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.inside().calls)
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, call: &'static str, account: &str) -> Result<MutexGuard<'_, Inside>, KeychainError> {
        let mut inside = self.inside();
        inside.calls.push(format!("{call} {account}").trim_end().to_owned());
        inside.waiting += 1;
        self.0.changed.notify_all();
        let mut inside = self
            .0
            .changed
            .wait_while(inside, |inside| inside.stalled)
            .unwrap_or_else(PoisonError::into_inner);
        inside.waiting -= 1;
        if let Some((_, fault)) = inside.next.take_if(|(next, _)| *next == call) {
            return Err(fault);
        }
        match &inside.fault {
            Some(fault) => Err(fault.clone()),
            None => Ok(inside),
        }
    }
}

impl Keychain for FakeKeychain {
    fn read(&mut self, account: &str) -> Result<Vec<SecretString>, KeychainError> {
        let inside = self.enter("read", account)?;
        match inside.entries.get(account) {
            Some(text) => Ok(vec![SecretString::from(text.as_str())]),
            None => Err(KeychainError::NotFound),
        }
    }

    fn write(&mut self, account: &str, text: &SecretString) -> Result<(), KeychainError> {
        let mut inside = self.enter("write", account)?;
        inside.entries.insert(account.to_owned(), text.expose_secret().to_owned());
        Ok(())
    }

    fn remove(&mut self, account: &str) -> Result<(), KeychainError> {
        self.enter("remove", account)?.entries.remove(account);
        Ok(())
    }

    fn accounts(&mut self) -> Result<Vec<String>, KeychainError> {
        Ok(self.enter("accounts", "")?.entries.keys().cloned().collect())
    }
}
