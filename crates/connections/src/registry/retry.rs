//! Early retries of servers that are disconnected, and restarts of those that wait for an approval.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mooring_base::server_id::ServerId;
use mooring_definitions::Transport;
use mooring_network::watch_network;
use mooring_server_state::StateName;

use super::{Registry, lock};
use crate::connection::Handle;

/// The minimum time between two retries that the person triggers by viewing servers.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);

impl Registry {
    /// Retries every disconnected server now, because the person is viewing them. Quickly switching between
    /// windows does not start programs each time.
    pub fn retry_all(&self) {
        {
            let mut last_look = lock(&self.last_look);
            if last_look.is_some_and(|look| look.elapsed() < LOOK_INTERVAL) {
                return;
            }
            *last_look = Some(Instant::now());
        }
        self.for_each_connection(|handle, _| handle.retry_now());
    }

    /// Retries disconnected servers whenever this machine joins another network. Never returns.
    pub async fn retry_on_new_network(self: Arc<Self>) {
        let act = || {
            self.for_each_connection(|handle, transport| match transport {
                Transport::Stdio => handle.retry_now(),
                Transport::Http => handle.retry_on_new_network(),
            });
        };
        watch_network(act).await;
    }

    /// Restarts a server that waits for the approval of its own definition.
    pub fn restart_if_changed(&self, id: ServerId) {
        if self.find_handle(id).is_some_and(|handle| handle.state() == StateName::Changed) {
            self.restart_if_enabled(id);
        }
    }

    fn for_each_connection(&self, act: impl Fn(&Handle, Transport)) {
        let entries = lock(&self.entries);
        for (id, entry) in entries.iter().filter(|(_, entry)| entry.server.row.enabled) {
            let transport = entry.server.config.transport;
            if let Some(connection) = &entry.connection {
                act(connection.handle(), transport);
            }
            self.instances.map(Some(*id), |_, _, connection, _| act(connection.handle(), transport));
        }
    }
}
