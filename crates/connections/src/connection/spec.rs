//! What a connection is made with.

use std::time::Duration;

use mooring_approvals::ListedIn;
use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_instances::InstanceKey;
use mooring_mcp::{Era, EraChoice};
use mooring_roots::AppRoots;

use super::state::RestartPolicy;
use crate::launch::LaunchContext;

/// The parameters of a connection.
pub struct ConnectionSpec {
    /// The saved server, if it is one.
    pub server: Option<ServerId>,
    /// The saved server whose secrets and account it uses: itself, or the one being tried with other
    /// settings.
    pub secrets_of: Option<ServerId>,
    /// The server's settings.
    pub config: NewServer,
    /// Where the server runs.
    pub launch_context: LaunchContext,
    /// Whether to retry a failed connection.
    pub restart_policy: RestartPolicy,
    /// Overrides the start timeout of the settings.
    pub start_timeout: Option<Duration>,
    /// Overrides the maximum message size of the settings, in bytes.
    pub max_message: Option<usize>,
    /// Which era to try.
    pub era: EraChoice,
    /// Whether to detect the era again and ignore the remembered one.
    pub redetect_era: bool,
    /// The account to use, or `None` for the server's own.
    pub account: Option<i64>,
    /// Its role among the connections to the server.
    pub role: ConnectionRole,
    /// The folders that the server sees, or `None` for those that the person granted.
    pub roots: Option<AppRoots>,
}

/// The role of one of the connections to a server.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionRole {
    /// The number of the instance, or 0 for the shared or only one.
    pub instance: u64,
    /// The era that it lists items in, for a server that speaks both.
    pub listed_in: ListedIn,
    /// Whether its lists are approved and remembered as those of the era.
    pub(crate) is_recorded: bool,
}

impl ConnectionRole {
    /// The shared or only connection.
    pub const SHARED: Self = Self { instance: 0, listed_in: ListedIn::SharedEra, is_recorded: true };
    /// A short-lived connection that tests whether the server supports sessions.
    pub const TRIAL: Self = Self { instance: u64::MAX, listed_in: ListedIn::Session, is_recorded: true };

    /// The shared connection in a session, for a server that speaks both eras.
    pub(crate) const SHARED_SESSION: Self =
        Self { instance: 0, listed_in: ListedIn::Session, is_recorded: true };

    /// The era to try. `chosen` applies unless the role requires a session.
    pub(crate) fn era(self, chosen: EraChoice) -> EraChoice {
        match self.listed_in {
            ListedIn::SharedEra => chosen,
            ListedIn::Session => EraChoice::Only(Era::Session),
        }
    }

    /// Whether the connection only tests session support.
    pub(crate) fn is_trial(self) -> bool {
        self.instance == Self::TRIAL.instance
    }

    /// The role of an instance for some apps.
    pub(crate) fn of_instance(instance: u64, key: &InstanceKey) -> Self {
        let listed_in = if key.in_session { ListedIn::Session } else { ListedIn::SharedEra };
        Self { instance, listed_in, is_recorded: key.is_shared() }
    }
}
