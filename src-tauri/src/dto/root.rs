//! Folders that servers may be told of.

use mooring_host::KeptSentence as Sentence;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A folder that is granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RootView {
    /// Its row.
    pub id: i64,
    /// The server that it is granted to; none: every server that the person lets know.
    pub server: Option<i64>,
    /// Where it really is.
    pub path: String,
    /// The name that goes with it; none: the folder's own.
    pub name: Option<String>,
    /// It holds far more than one project, and the person said yes a second time.
    pub wide: bool,
    /// Why servers are not told of it now; none: they are.
    pub problem: Option<Sentence>,
}

/// The folders of one server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerRoots {
    /// Those of its own, and those for every server.
    pub roots: Vec<RootView>,
    /// Whether it is told of those for every server: decided by the person when it first asked; none: it has not.
    pub shared: Option<bool>,
    /// When it last asked, in milliseconds of Unix time.
    pub asked_at: Option<i64>,
}
