//! Notifies running servers of changes in Mooring: of their capabilities, and of the folders that they may
//! use.

use mooring_base::server_id::ServerId;
use mooring_mcp::Era;

use super::{Registry, lock};
use crate::connection::lists::ListKind;

impl Registry {
    /// Declares changed capabilities to a running server. In the stateless era, each request carries them:
    /// only the server's lists are read again, and its calls continue. In the session era the server is
    /// restarted, which ends its calls.
    pub fn redeclare_capabilities(&self, id: ServerId) {
        let Some(handle) = self.find_handle(id) else { return };
        let link = handle.link().ok().filter(|link| link.client.handshake().era == Era::Modern);
        let Some(link) = link else { return self.restart_if_enabled(id) };
        // The server's sessions have to be opened again.
        self.end_sessions(id);
        for kind in ListKind::ALL {
            if kind == ListKind::Tools || kind.is_offered(link.client.handshake()) {
                handle.shared.lists.note_change(kind);
            }
        }
    }

    /// Notifies one server, or all servers, that the folders changed. Skips instances that use an app's
    /// folders.
    pub fn notify_roots_changed(&self, server: Option<ServerId>) {
        self.instances.map(server, |_, key, connection, _| {
            if let Some(link) = connection.handle().link().ok().filter(|_| key.roots.is_none()) {
                link.client.roots_changed();
            }
        });
        for (id, entry) in lock(&self.entries).iter() {
            if let Some(connection) = &entry.connection
                && server.is_none_or(|server| server == *id)
                && let Ok(link) = connection.handle().link()
            {
                link.client.roots_changed();
            }
        }
    }
}
