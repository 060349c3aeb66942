//! The locations of the person's files: the system's folders, and the variables that change an app's folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use directories::BaseDirs;

/// An operating system, as far as its folders differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux and similar systems.
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

/// The variables that change where apps have their files. No others are read.
pub(crate) const VARIABLES: [&str; 14] = [
    "AMP_SETTINGS_FILE",
    "CLAUDE_CONFIG_DIR",
    "CLINE_DATA_DIR",
    "CLINE_MCP_SETTINGS_PATH",
    "CODEX_HOME",
    "COPILOT_HOME",
    "CRUSH_GLOBAL_CONFIG",
    "GEMINI_CLI_HOME",
    "GOOSE_PATH_ROOT",
    "JAN_DATA_FOLDER",
    "KIMI_CODE_HOME",
    "LOCALAPPDATA",
    "OPENCODE_CONFIG",
    "XDG_CONFIG_HOME",
];

/// The folders in which apps have their files.
#[derive(Clone, Debug)]
pub struct Places {
    /// The operating system.
    pub platform: Platform,
    /// The home folder.
    pub home: PathBuf,
    /// `~/.config`, `~/Library/Application Support` or `%APPDATA%`.
    pub config: PathBuf,
    /// `~/.local/share`, `~/Library/Application Support` or `%APPDATA%`.
    pub data: PathBuf,
    /// The environment variables that apps read, by their names.
    pub env: BTreeMap<String, PathBuf>,
}

impl Places {
    /// The folders of the user that runs this process. `None` if the system knows no home folder.
    pub fn here() -> Option<Self> {
        let dirs = BaseDirs::new()?;
        let env =
            VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?.into())));
        Some(Self {
            platform: Platform::THIS,
            home: dirs.home_dir().to_owned(),
            config: dirs.config_dir().to_owned(),
            data: dirs.data_dir().to_owned(),
            env: env.collect(),
        })
    }

    /// The path in a variable. `None` for a relative path, because it depends on where the app is started.
    pub(crate) fn variable(&self, name: &str) -> Option<&Path> {
        self.env.get(name).map(PathBuf::as_path).filter(|path| path.is_absolute())
    }
}
