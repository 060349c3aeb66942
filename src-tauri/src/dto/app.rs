//! The application itself, and the window's reports about its start.

use mooring_host::HostInfo;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The application and where it saves its data.
#[derive(Clone, Debug, Serialize, TS)]
pub struct AppInfo {
    /// The application's version.
    pub version: &'static str,
    /// The operating system and the processor.
    pub platform: String,
    /// The data and limits of the host.
    #[serde(flatten)]
    pub host: HostInfo,
}

impl From<HostInfo> for AppInfo {
    fn from(host: HostInfo) -> Self {
        let platform = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        Self { version: env!("CARGO_PKG_VERSION"), platform, host }
    }
}

/// A step of the window's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PaintPhase {
    /// The first frame is visible.
    Paint,
    /// The first screen is interactive.
    Interactive,
}
