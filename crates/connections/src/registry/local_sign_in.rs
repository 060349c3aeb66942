//! Sign-ins that this process runs.

use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_store::LoginRow;

use super::{Registry, lock};

impl Registry {
    /// This process's sign-in to a server, if there was one.
    pub fn local_sign_in(&self, id: ServerId) -> Option<LocalSignIn> {
        lock(&self.signing_in).get(&id).copied()
    }
}

/// A sign-in of this process. When it is done, the server is restarted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LocalSignIn {
    /// It is running.
    Running,
    /// The server was restarted with this account. Contains the account's id and its creation time in
    /// microseconds since the Unix epoch.
    Started(i64, i64),
}

/// A running sign-in. If this is dropped before `started`, the sign-in is forgotten.
pub struct LocalSignInGuard {
    registry: Arc<Registry>,
    /// The server.
    pub server: ServerId,
}

impl LocalSignInGuard {
    /// Begins a sign-in to a server.
    pub fn begin(registry: &Arc<Registry>, server: ServerId) -> Self {
        lock(&registry.signing_in).insert(server, LocalSignIn::Running);
        Self { registry: Arc::clone(registry), server }
    }

    /// Records that the server was restarted with the new account.
    pub fn started(self, login: &LoginRow) {
        let started = LocalSignIn::Started(login.id, login.created_at_us);
        lock(&self.registry.signing_in).insert(self.server, started);
    }
}

impl Drop for LocalSignInGuard {
    fn drop(&mut self) {
        let mut signing_in = lock(&self.registry.signing_in);
        if signing_in.get(&self.server) == Some(&LocalSignIn::Running) {
            signing_in.remove(&self.server);
        }
    }
}
