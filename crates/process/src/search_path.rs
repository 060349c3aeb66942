//! The ordered list of directories in which commands are searched.

use crate::environment::own_variables;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The ordered absolute directories in which a command is searched. None of them is relative, such as `.`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchPath(Vec<PathBuf>);

impl SearchPath {
    /// The `PATH` of this process, without relative and empty parts.
    pub fn from_environment() -> Self {
        let mut variables = own_variables();
        variables
            .find(|(name, _)| is_path_variable(name))
            .map_or_else(Self::default, |(_, value)| Self::from_value(&value))
    }

    /// Parses a `PATH` value. Relative and empty parts are dropped, because with them the program would
    /// depend on the current directory. A repeated directory keeps its first position.
    pub fn from_value(value: &OsStr) -> Self {
        let mut path = Self::default();
        path.extend(env::split_paths(value));
        path
    }

    /// Appends directories that are absolute and not in the list yet.
    pub fn extend(&mut self, directories: impl IntoIterator<Item = PathBuf>) {
        for directory in directories {
            if directory.is_absolute() && !self.0.contains(&directory) {
                self.0.push(directory);
            }
        }
    }

    /// The directories in the order in which they are searched.
    pub fn directories(&self) -> &[PathBuf] {
        &self.0
    }

    /// The value for a child's `PATH`. A directory whose name contains the separator can't be expressed and
    /// is left out.
    pub fn to_env(&self) -> OsString {
        let expressible = self.0.iter().filter(|directory| env::join_paths([directory]).is_ok());
        env::join_paths(expressible).unwrap_or_default()
    }
}

/// Whether this is the search path's variable. On Windows, its name may be `Path`.
fn is_path_variable(name: &OsStr) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case("PATH") } else { name == "PATH" }
}

/// The directories where installers usually put programs, whether or not the `PATH` has them.
pub fn usual_search_path() -> SearchPath {
    let home = env::home_dir();
    let mut path = SearchPath::default();
    path.extend(usual_directories(home.as_deref()));
    // On macOS, `pip install --user` puts programs here, in one folder for each version of Python.
    let pythons = home.and_then(|home| home.join("Library/Python").read_dir().ok());
    path.extend(pythons.into_iter().flatten().flatten().map(|version| version.path().join("bin")));
    path
}

/// The existing directories where tools usually are, in case the shell can't be asked.
pub(crate) fn usual_directories(home: Option<&Path>) -> Vec<PathBuf> {
    const IN_HOME: [&str; 11] = [
        ".local/bin",
        "bin",
        ".cargo/bin",
        ".volta/bin",
        ".local/share/mise/shims",
        ".asdf/shims",
        ".pyenv/shims",
        ".bun/bin",
        ".deno/bin",
        ".local/share/pnpm",
        "go/bin",
    ];
    const SYSTEM: [&str; 8] = [
        "/usr/local/bin",
        "/opt/homebrew/bin",
        "/usr/local/sbin",
        "/usr/bin",
        "/bin",
        "/usr/sbin",
        "/sbin",
        "/snap/bin",
    ];
    let mut found = Vec::new();
    if let Some(home) = home {
        found.extend(IN_HOME.iter().map(|name| home.join(name)));
        found.extend(find_newest_nvm_node(home));
    }
    found.extend(SYSTEM.iter().map(PathBuf::from));
    found.retain(|directory| directory.is_dir());
    found
}

/// nvm has no shims, so each version of Node has its own directory. The newest version is used, like nvm's
/// default.
fn find_newest_nvm_node(home: &Path) -> Option<PathBuf> {
    let versions = home.join(".nvm/versions/node").read_dir().ok()?;
    versions
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let number = parse_version(entry.file_name().to_str()?)?;
            Some((number, entry.path().join("bin")))
        })
        .max()
        .map(|(_, directory)| directory)
}

/// Parses `v22.3.1` as `[22, 3, 1]`.
fn parse_version(name: &str) -> Option<Vec<u32>> {
    name.strip_prefix('v')?.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn relative_and_empty_parts_are_left_out_and_order_is_kept() {
        let path = SearchPath::from_value(OsStr::new(".:/b::bin:/a:/b:../x"));
        assert_eq!(path.directories(), [PathBuf::from("/b"), PathBuf::from("/a")]);
        assert_eq!(path.to_env(), "/b:/a");
    }

    #[test]
    fn directory_containing_the_separator_spoils_no_other() {
        let mut path = SearchPath::default();
        path.extend([PathBuf::from("/a:b"), PathBuf::from("/c")]);
        assert_eq!(path.to_env(), "/c");
    }

    #[test]
    fn usual_directories_must_exist_and_use_the_newest_nvm_node() {
        let home = tempfile::tempdir().unwrap();
        for name in [
            ".local/bin",
            ".nvm/versions/node/v9.11.2/bin",
            ".nvm/versions/node/v22.3.1/bin",
            ".nvm/versions/node/system/bin",
        ] {
            fs::create_dir_all(home.path().join(name)).unwrap();
        }
        let found = usual_directories(Some(home.path()));
        assert_eq!(found[0], home.path().join(".local/bin"));
        assert_eq!(found[1], home.path().join(".nvm/versions/node/v22.3.1/bin"));
        assert!(found.iter().all(|directory| directory.is_dir()));
        assert!(!found.contains(&home.path().join(".cargo/bin")));
    }
}
