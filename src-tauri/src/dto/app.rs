//! The application itself, and what the window reports of its start.

use mooring_host::HostInfo;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The application and where it keeps its data.
#[derive(Clone, Debug, Serialize, TS)]
pub struct AppInfo {
    /// Its version.
    pub version: &'static str,
    /// The operating system and processor.
    pub platform: String,
    /// Its data and its limits.
    #[serde(flatten)]
    pub host: HostInfo,
}

impl From<HostInfo> for AppInfo {
    fn from(host: HostInfo) -> Self {
        let platform = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        Self { version: env!("CARGO_PKG_VERSION"), platform, host }
    }
}

/// What the window reports about its own start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PaintPhase {
    /// The first frame is on the screen.
    Paint,
    /// The first screen answers.
    Interactive,
}
