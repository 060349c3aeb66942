//! Who wants something of a server.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Who wants a tool called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// The person pressed Run.
    Workbench,
    /// The person named the tool on the command line.
    CommandLine,
    /// A model that a server asked wants its tool called.
    Sampling,
}

impl Caller {
    /// Each of them.
    pub const ALL: [Self; 3] = [Self::Workbench, Self::CommandLine, Self::Sampling];

    /// The word in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Workbench => "workbench",
            Self::CommandLine => "command_line",
            Self::Sampling => "sampling",
        }
    }

    /// The caller of this word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|caller| caller.as_str() == name)
    }

    /// Whether a call is the person's own doing.
    pub fn is_gesture(self) -> bool {
        matches!(self, Self::Workbench | Self::CommandLine)
    }
}
