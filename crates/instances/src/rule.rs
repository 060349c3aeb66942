//! For whom a server gets an instance.

use mooring_base::codes;
use serde::Deserialize;

codes! {
    /// For whom a server gets an instance.
    #[derive(Deserialize)]
    pub enum InstanceRule {
        /// One for all apps; one for each set of roots once it has asked for roots, and one for each app but the first
        /// once it has asked something during a call without saying of which.
        Automatic = "automatic",
        /// One for all apps, whatever folders they have.
        Shared = "shared",
        /// One for each app.
        PerApp = "per_app",
        /// One for each set of roots.
        PerRoots = "per_roots",
    }
}

/// How calls are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Separation {
    /// The app that calls.
    pub by_app: bool,
    /// The folders that it has.
    pub by_roots: bool,
    /// Apps may share if there is no room for an instance of each, because the person did not choose to
    /// separate them.
    pub may_share: bool,
    /// Whether apps of the session era get an instance with a session, next to the shared connection.
    pub in_session: bool,
}

impl InstanceRule {
    /// How calls are separated at a server, depending on whether it has asked for roots or asked apps
    /// questions. If it needs roots, those of the calling app are the right ones, even if each app has its
    /// own instance. Its questions are for the calling app, which is only certain if a single app calls
    /// there.
    pub fn separation(self, asks_for_roots: bool, asks_apps: bool) -> Separation {
        Separation {
            by_app: self == Self::PerApp || self == Self::Automatic && asks_apps,
            by_roots: match self {
                Self::Automatic | Self::PerApp => asks_for_roots,
                Self::PerRoots => true,
                Self::Shared => false,
            },
            may_share: self == Self::Automatic,
            in_session: false,
        }
    }
}
