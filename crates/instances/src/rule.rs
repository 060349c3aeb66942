//! The rule for which apps get an instance of their own.

use mooring_base::codes;
use serde::Deserialize;

codes! {
    /// Which apps get an instance of their own.
    #[derive(Deserialize)]
    pub enum InstanceRule {
        /// All apps share an instance at first. Once the server has asked for roots, there is one for each
        /// set of roots. Once the server has asked a question during a call without saying for which call,
        /// each app but the first gets its own.
        Automatic = "automatic",
        /// All apps share an instance, even with different folders.
        Shared = "shared",
        /// Each app has an instance.
        PerApp = "per_app",
        /// Each set of roots has an instance.
        PerRoots = "per_roots",
    }
}

/// How the calls at a server are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Separation {
    /// Calls of different apps are separated.
    pub by_app: bool,
    /// Calls with different folders are separated.
    pub by_roots: bool,
    /// Apps may share an instance if there is no room for more, because the person didn't choose to separate
    /// them.
    pub may_share: bool,
    /// Whether apps of the session era get an instance with a session, next to the shared connection.
    pub in_session: bool,
}

impl InstanceRule {
    /// How the calls at a server are separated, depending on whether the server has asked for roots or asked
    /// apps questions.
    ///
    /// A server that asks for roots needs the roots of the calling app, even if each app has its own
    /// instance. Its questions are for the calling app. Which app that is, is only certain if a single app
    /// calls there.
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
