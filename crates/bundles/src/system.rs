//! The system that a server runs on, and the person's folders there.

use std::path::PathBuf;

/// An operating system, by the names that Node.js and Python have for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TargetSystem {
    /// `linux`, and similar systems.
    Linux,
    /// `darwin`.
    Macos,
    /// `win32`.
    Windows,
}

impl TargetSystem {
    /// The system that this program was built for.
    pub const THIS: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::Macos
    } else {
        Self::Linux
    };

    /// The name in a manifest: `linux`, `darwin` or `win32`.
    pub const fn manifest_name(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::Macos => "darwin",
            Self::Windows => "win32",
        }
    }

    /// The name that a person knows.
    pub const fn display_name(self) -> &'static str {
        match self {
            Self::Linux => "Linux",
            Self::Macos => "macOS",
            Self::Windows => "Windows",
        }
    }

    /// What separates the parts of a path: `${/}`, and `${pathSeparator}`.
    pub(crate) const fn separator(self) -> &'static str {
        match self {
            Self::Linux | Self::Macos => "/",
            Self::Windows => "\\",
        }
    }

    /// The system with this name in a manifest. Names that people use are read too.
    pub(crate) fn from_manifest_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "linux" => Some(Self::Linux),
            "darwin" | "macos" => Some(Self::Macos),
            "win32" | "windows" => Some(Self::Windows),
            _ => None,
        }
    }
}

/// The person's folders, for `${HOME}`, `${DESKTOP}`, `${DOCUMENTS}` and `${DOWNLOADS}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserFolders {
    /// The home folder.
    pub home: PathBuf,
    /// The desktop's folder.
    pub desktop: PathBuf,
    /// The folder for documents.
    pub documents: PathBuf,
    /// The folder for downloads.
    pub downloads: PathBuf,
}
