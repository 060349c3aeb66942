//! Protocol revisions, their eras, and their differences.

use std::fmt;

/// A revision that the engine supports.
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
    /// 2026-07-28.
    R2026_07_28,
}

impl Revision {
    /// All revisions, oldest first.
    pub const ALL: [Self; 5] =
        [Self::R2024_11_05, Self::R2025_03_26, Self::R2025_06_18, Self::R2025_11_25, Self::R2026_07_28];
    /// The newest revision with a session. `initialize` offers it.
    pub const SESSION: Self = Self::R2025_11_25;
    /// The newest revision without a session. `server/discover` offers it.
    pub const MODERN: Self = Self::R2026_07_28;

    /// The revision's name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::R2024_11_05 => "2024-11-05",
            Self::R2025_03_26 => "2025-03-26",
            Self::R2025_06_18 => "2025-06-18",
            Self::R2025_11_25 => "2025-11-25",
            Self::R2026_07_28 => "2026-07-28",
        }
    }

    /// The revision with this name, if it is supported (LIFE-16: names are compared, never ordered).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == name)
    }

    /// The revision with this name, if `initialize` can negotiate it (ERA-20).
    pub(crate) fn with_session(name: &str) -> Option<Self> {
        Self::from_name(name).filter(|revision| *revision <= Self::SESSION)
    }

    /// Whether HTTP requests have `MCP-Protocol-Version` (since 2025-06-18, SHS-20).
    pub(crate) fn has_version_header(self) -> bool {
        self >= Self::R2025_06_18
    }

    /// Whether an array can contain several messages (2025-03-26 only, BASE-10).
    pub(crate) fn has_batches(self) -> bool {
        self == Self::R2025_03_26
    }

    /// Whether an empty cursor has a next page (since 2026-07-28, PAGE-03).
    pub(crate) fn has_empty_cursors(self) -> bool {
        self >= Self::R2026_07_28
    }

    /// Whether completion requests have the other arguments (`context`, since 2025-06-18, COMP-03).
    pub(crate) fn has_completion_context(self) -> bool {
        self >= Self::R2025_06_18
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Revisions or transports with the same life cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Stateless: every request is independent (2026-07-28).
    Modern,
    /// `initialize` opens a session: 2024-11-05 to 2025-11-25.
    Session,
    /// Like [`Era::Session`], over the deprecated HTTP+SSE transport of 2024-11-05.
    LegacySse,
}

impl Era {
    /// The era's name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::Session => "session",
            Self::LegacySse => "sse",
        }
    }

    /// The era with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Modern, Self::Session, Self::LegacySse].into_iter().find(|era| era.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: LIFE-16.
    #[test]
    fn a_revision_is_known_by_its_exact_name_only() {
        for revision in Revision::ALL {
            assert_eq!(Revision::from_name(revision.as_str()), Some(revision));
        }
        assert_eq!(Revision::from_name("2027-01-01"), None);
        assert_eq!(Revision::with_session("2026-07-28"), None);
    }
}
