//! What the window gets while a bundle is added, and afterwards.

use mooring_bundle_setup::BundleOutcome;
use mooring_bundles::UnpackProgress;
use serde::Serialize;
use ts_rs::TS;

use super::ServerView;

/// How far the unpacking of a bundle is.
#[derive(Debug, Clone, Copy, Serialize, TS)]
pub struct BundleProgress {
    /// How many files and folders are there.
    pub done: u64,
    /// How many there will be.
    pub total: u64,
}

/// What came of adding a bundle.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(tag = "kind", content = "server", rename_all = "snake_case")]
pub enum BundleAdded {
    /// A server was added.
    Added(Box<ServerView>),
    /// A server has another version now, or other values.
    Updated(Box<ServerView>),
    /// This server came from the same file. Nothing was done.
    AlreadyInstalled(Box<ServerView>),
}

impl From<UnpackProgress> for BundleProgress {
    fn from(UnpackProgress { done, total }: UnpackProgress) -> Self {
        Self { done, total }
    }
}

impl From<BundleOutcome> for BundleAdded {
    fn from(outcome: BundleOutcome) -> Self {
        let view = |view: Box<mooring_server_state::ServerView>| Box::new((*view).into());
        match outcome {
            BundleOutcome::Added(server) => Self::Added(view(server)),
            BundleOutcome::Updated(server) => Self::Updated(view(server)),
            BundleOutcome::AlreadyInstalled(server) => Self::AlreadyInstalled(view(server)),
        }
    }
}
