//! The parameters of a connection.

use std::time::Duration;

use mooring_approvals::ListedIn;
use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_instances::InstanceKey;
use mooring_mcp::{Era, EraChoice};
use mooring_roots::AppRoots;
use mooring_server_state::RestartPolicy;

use crate::launch::LaunchContext;

/// The parameters of a connection.
pub struct ConnectionSpec {
    /// The server, if it is a saved one.
    pub server: Option<ServerId>,
    /// The saved server whose secrets and account are used. A trial with other settings uses those of the
    /// server that it is for.
    pub secrets_of: Option<ServerId>,
    /// The server's settings.
    pub config: NewServer,
    /// Where the server runs.
    pub launch_context: LaunchContext,
    /// Whether a failed connection is retried.
    pub restart_policy: RestartPolicy,
    /// Overrides the start timeout of the settings.
    pub start_timeout: Option<Duration>,
    /// Overrides the maximum message size of the settings, in bytes.
    pub max_message: Option<usize>,
    /// Which era to try.
    pub era: EraChoice,
    /// Whether the era is detected again. The remembered era is then ignored.
    pub redetect_era: bool,
    /// The account to use. `None` for the server's own.
    pub account: Option<i64>,
    /// The connection's role among the connections to the server.
    pub role: ConnectionRole,
    /// The folders that the server sees. `None` for those that the person granted.
    pub roots: Option<AppRoots>,
}

/// The role of one of the connections to a server.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionRole {
    /// The number of the instance. 0 for the shared or only connection.
    pub instance: u64,
    /// The era that this connection lists items in, if the server supports both eras.
    pub listed_in: ListedIn,
    /// Whether its lists are recorded for approval as the lists of that era.
    pub(crate) is_recorded: bool,
}

impl ConnectionRole {
    /// The shared or only connection.
    pub const SHARED: Self = Self { instance: 0, listed_in: ListedIn::SharedEra, is_recorded: true };
    /// A short-lived connection that tests whether the server supports sessions.
    pub const TRIAL: Self = Self { instance: u64::MAX, listed_in: ListedIn::Session, is_recorded: true };

    /// The shared connection in a session, for a server that supports both eras.
    pub(crate) const SHARED_SESSION: Self =
        Self { instance: 0, listed_in: ListedIn::Session, is_recorded: true };

    /// The era to try. `chosen` applies unless the role requires a session.
    pub(crate) fn era_to_try(self, chosen: EraChoice) -> EraChoice {
        match self.listed_in {
            ListedIn::SharedEra => chosen,
            ListedIn::Session => EraChoice::Only(Era::Session),
        }
    }

    /// Whether the connection only tests whether the server supports sessions.
    pub(crate) fn is_trial(self) -> bool {
        self.instance == Self::TRIAL.instance
    }

    /// The role of an instance for some apps.
    pub(crate) fn of_instance(instance: u64, key: &InstanceKey) -> Self {
        let listed_in = if key.in_session { ListedIn::Session } else { ListedIn::SharedEra };
        Self { instance, listed_in, is_recorded: key.is_shared() }
    }
}
