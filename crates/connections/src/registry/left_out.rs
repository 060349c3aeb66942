//! Servers that the profiles in use leave out: they sleep, and nothing but a use starts them.

use std::collections::BTreeSet;

use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;

use super::{Change, Connection, Registry, lock};
use crate::connection::shared::CallDefaults;

impl Registry {
    /// Sets the servers that are needed. `None` means all. The others sleep once no call uses them.
    pub fn set_needed_servers(&self, needed: Option<BTreeSet<ServerId>>) {
        *lock(&self.needed) = needed;
        for (id, entry) in lock(&self.entries).iter() {
            let defaults = self.call_defaults(*id, &entry.server.config);
            let Some(handle) = entry.connection.as_ref().map(Connection::handle) else { continue };
            if handle.shared.call_defaults() == defaults {
                continue;
            }
            self.instances.map(Some(*id), |_, _, own, _| {
                own.handle().shared.set_call_defaults(defaults.clone());
                own.handle().sleep_when_unused();
            });
            handle.shared.set_call_defaults(defaults.clone());
            if entry.server.row.enabled {
                if defaults.is_left { handle.sleep_when_unused() } else { handle.start_in_turn() }
            }
        }
    }

    /// How calls are made to a server now.
    pub(super) fn call_defaults(&self, id: ServerId, config: &NewServer) -> CallDefaults {
        CallDefaults::of(config).left_out(self.is_left(id))
    }

    fn is_left(&self, id: ServerId) -> bool {
        lock(&self.needed).as_ref().is_some_and(|needed| !needed.contains(&id))
    }

    /// What a connection has to do to run a server. `may_sleep`: the server may wait for a use.
    pub(super) fn run_change(&self, id: ServerId, may_sleep: bool) -> Change {
        if may_sleep || self.is_left(id) { Change::Sleep } else { Change::Start }
    }
}
