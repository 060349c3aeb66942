//! The revisions of the protocol and the eras they belong to.

use std::fmt;

/// A revision that this engine speaks with a session (`initialize`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// 2024-11-05.
    R2024_11_05,
    /// 2025-03-26.
    R2025_03_26,
    /// 2025-06-18.
    R2025_06_18,
    /// 2025-11-25.
    R2025_11_25,
}

impl Revision {
    /// All of them, oldest first.
    pub const ALL: [Self; 4] = [Self::R2024_11_05, Self::R2025_03_26, Self::R2025_06_18, Self::R2025_11_25];
    /// The one that we offer.
    pub const NEWEST: Self = Self::R2025_11_25;

    /// The revision's name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::R2024_11_05 => "2024-11-05",
            Self::R2025_03_26 => "2025-03-26",
            Self::R2025_06_18 => "2025-06-18",
            Self::R2025_11_25 => "2025-11-25",
        }
    }

    /// The revision with this name, if we speak it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == name)
    }

    /// Whether HTTP requests carry `MCP-Protocol-Version` (from 2025-06-18 on).
    pub(crate) fn has_version_header(self) -> bool {
        self >= Self::R2025_06_18
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A family of revisions that share their life cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// `initialize` opens a session: 2024-11-05 to 2025-11-25.
    Session,
}

impl Era {
    /// The era's name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
        }
    }
}
