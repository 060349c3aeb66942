//! What running servers are told of Mooring: what they may ask, and that folders changed.

use mooring_base::server_id::ServerId;
use mooring_mcp::Era;

use super::{Registry, lock};
use crate::connection::lists::ListKind;

impl Registry {
    /// Has a running server learn of what is declared to it from now on. One of the stateless era learns of it with
    /// each request: only what it offers is read anew, and its calls go on. Any other is started anew, which ends
    /// them.
    pub(crate) fn redeclare_capabilities(&self, id: ServerId) {
        let Some(handle) = self.find_handle(id) else { return };
        let link = handle.link().ok().filter(|link| link.client.handshake().era == Era::Modern);
        let Some(link) = link else { return self.restart_if_enabled(id) };
        // A session of it is begun anew.
        self.end_sessions(id);
        for kind in ListKind::ALL {
            if kind == ListKind::Tools || kind.is_offered(link.client.handshake()) {
                handle.shared.lists.note_change(kind);
            }
        }
    }

    /// Tells servers that the folders changed: the one that it is about, or every one. Instances that were told of an
    /// app's folders have them still.
    pub(crate) fn notify_roots_changed(&self, server: Option<ServerId>) {
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
