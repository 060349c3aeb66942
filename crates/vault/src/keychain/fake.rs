//! A keychain in memory whose failures and delays tests control.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use secrecy::{ExposeSecret, SecretString};

use super::{ConnectKeychain, Keychain};
use crate::error::KeychainError;

/// A keychain in memory. Clones share its entries and its state.
#[derive(Clone, Default, Debug)]
pub struct FakeKeychain(Arc<Shared>);

#[derive(Default, Debug)]
struct Shared {
    inside: Mutex<FakeState>,
    changed: Condvar,
}

#[derive(Default, Debug)]
struct FakeState {
    entries: BTreeMap<String, String>,
    fault: Option<KeychainError>,
    next: Option<(&'static str, KeychainError)>,
    stalled: bool,
    waiting: usize,
    calls: Vec<String>,
}

impl FakeKeychain {
    /// The function that connects a vault to this keychain.
    pub fn connect(&self) -> ConnectKeychain {
        let shared = Self::clone(self);
        Arc::new(move || {
            drop(shared.begin_call("connect", "")?);
            Ok(Box::new(shared.clone()) as Box<dyn Keychain>)
        })
    }

    /// Makes all requests fail with this error. With `None`, they succeed again.
    pub fn fail(&self, fault: Option<KeychainError>) {
        self.state().fault = fault;
    }

    /// Makes the next call of `connect`, `read`, `write`, `remove` or `accounts` fail with this error, once.
    pub fn fail_next(&self, call: &'static str, fault: KeychainError) {
        self.state().next = Some((call, fault));
    }

    /// Sets whether requests wait, as if the person was asked for a password.
    pub fn stall(&self, stalled: bool) {
        self.state().stalled = stalled;
        self.0.changed.notify_all();
    }

    /// Waits until `count` requests are waiting.
    pub fn until_waiting(&self, count: usize) {
        let inside = self.state();
        let reached = self.0.changed.wait_while(inside, |inside| inside.waiting < count);
        drop(reached.unwrap_or_else(PoisonError::into_inner));
    }

    /// The names of all entries.
    pub fn accounts(&self) -> Vec<String> {
        self.state().entries.keys().cloned().collect()
    }

    /// The entry with a name.
    pub fn text(&self, account: &str) -> Option<String> {
        self.state().entries.get(account).cloned()
    }

    /// Sets or removes an entry without the vault.
    pub fn set_entry(&self, account: &str, text: Option<&str>) {
        let mut inside = self.state();
        inside.entries.remove(account);
        if let Some(text) = text {
            inside.entries.insert(account.to_owned(), text.to_owned());
        }
    }

    /// The calls since the last time, by their names.
    pub fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.state().calls)
    }

    fn state(&self) -> MutexGuard<'_, FakeState> {
        self.0.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin_call(
        &self,
        call: &'static str,
        account: &str,
    ) -> Result<MutexGuard<'_, FakeState>, KeychainError> {
        let mut inside = self.state();
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
        let inside = self.begin_call("read", account)?;
        match inside.entries.get(account) {
            Some(text) => Ok(vec![SecretString::from(text.as_str())]),
            None => Err(KeychainError::NotFound),
        }
    }

    fn write(&mut self, account: &str, text: &SecretString) -> Result<(), KeychainError> {
        let mut inside = self.begin_call("write", account)?;
        inside.entries.insert(account.to_owned(), text.expose_secret().to_owned());
        Ok(())
    }

    fn remove(&mut self, account: &str) -> Result<(), KeychainError> {
        self.begin_call("remove", account)?.entries.remove(account);
        Ok(())
    }

    fn accounts(&mut self) -> Result<Vec<String>, KeychainError> {
        Ok(self.begin_call("accounts", "")?.entries.keys().cloned().collect())
    }
}
