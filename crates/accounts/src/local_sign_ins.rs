//! Sign-ins that this process runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mooring_base::server_id::ServerId;
use mooring_store::LoginRow;

/// The sign-ins of this process, running or finished. Clones share everything.
#[derive(Debug, Clone, Default)]
pub struct LocalSignIns(Arc<Mutex<BTreeMap<ServerId, LocalSignIn>>>);

/// A sign-in of this process. When it is done, the server is restarted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalSignIn {
    /// It is running.
    Running,
    /// The server was restarted with this account. Contains the account's id and its creation time in
    /// microseconds since the Unix epoch.
    Started(i64, i64),
}

/// A running sign-in. If this is dropped before `started`, the sign-in is forgotten.
#[derive(Debug)]
pub struct LocalSignInGuard {
    all: LocalSignIns,
    /// The server.
    pub server: ServerId,
}

impl LocalSignIns {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<ServerId, LocalSignIn>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This process's sign-in to a server, if there was one.
    pub fn get(&self, id: ServerId) -> Option<LocalSignIn> {
        self.lock().get(&id).copied()
    }

    /// Begins a sign-in to a server.
    pub fn begin(&self, server: ServerId) -> LocalSignInGuard {
        self.lock().insert(server, LocalSignIn::Running);
        LocalSignInGuard { all: self.clone(), server }
    }
}

impl LocalSignInGuard {
    /// Records that the server was restarted with the new account.
    pub fn started(self, login: &LoginRow) {
        let started = LocalSignIn::Started(login.id, login.created_at_us);
        self.all.lock().insert(self.server, started);
    }
}

impl Drop for LocalSignInGuard {
    fn drop(&mut self) {
        let mut signing_in = self.all.lock();
        if signing_in.get(&self.server) == Some(&LocalSignIn::Running) {
            signing_in.remove(&self.server);
        }
    }
}
