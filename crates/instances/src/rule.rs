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

/// What keeps calls apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Separation {
    /// The app that calls.
    pub by_app: bool,
    /// The folders that it has.
    pub by_roots: bool,
    /// Apps may share if there is no room for an instance of each, because the person did not choose to
    /// separate them.
    pub may_share: bool,
    /// Those of the session era run in a session beside the shared connection.
    pub in_session: bool,
}

impl InstanceRule {
    /// What keeps calls apart at a server that has asked for roots, or apps, or has not. Where it needs folders, those of
    /// the app that calls are the right ones, also where each app has an instance. What it asks is for the app that calls:
    /// where only one does, that is certain.
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
