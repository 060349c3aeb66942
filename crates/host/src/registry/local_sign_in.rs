//! Sign-ins of this process.

use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_store::LoginRow;

use super::{Registry, lock};

impl Registry {
    /// The sign-in to a server in this process, if there was one.
    pub(crate) fn local_sign_in(&self, id: ServerId) -> Option<LocalSignIn> {
        lock(&self.signing_in).get(&id).copied()
    }
}

/// A sign-in to a server in this process, which restarts the server itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LocalSignIn {
    Running,
    /// The server was restarted with this login: its id and its time of creation (µs).
    Started(i64, i64),
}

/// A running sign-in. Dropped before `started`, it is forgotten.
pub(crate) struct LocalSignInGuard {
    registry: Arc<Registry>,
    pub(crate) server: ServerId,
}

impl LocalSignInGuard {
    pub(crate) fn begin(registry: &Arc<Registry>, server: ServerId) -> Self {
        lock(&registry.signing_in).insert(server, LocalSignIn::Running);
        Self { registry: Arc::clone(registry), server }
    }

    /// The server was restarted with the new login.
    pub(crate) fn started(self, login: &LoginRow) {
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
