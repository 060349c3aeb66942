//! Where a person's files are: the folders of the system, and the variables by which apps are pointed elsewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use directories::BaseDirs;

/// An operating system, as far as places differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux and its like.
    Linux,
    /// macOS.
    Macos,
    /// Windows.
    Windows,
}

impl Platform {
    /// The system that this program was built for.
    pub const THIS: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::Macos
    } else {
        Self::Linux
    };
}

/// The folders in which apps keep their files.
#[derive(Clone, Debug)]
pub struct Places {
    /// Whose rules apply.
    pub platform: Platform,
    /// The home folder.
    pub home: PathBuf,
    /// `~/.config`, `~/Library/Application Support` or `%APPDATA%`.
    pub config: PathBuf,
    /// `~/.local/share`, `~/Library/Application Support` or `%APPDATA%`.
    pub data: PathBuf,
    /// Environment variables by their names.
    pub env: BTreeMap<String, PathBuf>,
}

impl Places {
    /// Those of the person who runs this process; none where the system knows no home folder.
    pub fn here() -> Option<Self> {
        let dirs = BaseDirs::new()?;
        let env =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into())));
        Some(Self {
            platform: Platform::THIS,
            home: dirs.home_dir().to_owned(),
            config: dirs.config_dir().to_owned(),
            data: dirs.data_dir().to_owned(),
            env: env.collect(),
        })
    }

    /// The path in a variable. A relative one counts as none: it would depend on where the app is started.
    pub(crate) fn variable(&self, name: &str) -> Option<&Path> {
        self.env.get(name).map(PathBuf::as_path).filter(|path| path.is_absolute())
    }
}
