//! Resolves a command to the absolute path of its program before anything runs.

use crate::search_path::SearchPath;
use crate::tree::platform;
use std::env;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a command has no program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResolveError {
    /// The command is empty.
    #[error("the command is empty")]
    Empty,
    /// No directory contains a program with this name.
    #[error("command not found: {name}")]
    NotFound {
        /// The given command.
        name: String,
        /// The directories that were searched, in order.
        searched: Vec<PathBuf>,
    },
    /// There is a file with this name, but it has no execute permission.
    #[error("the file is not executable: {}", path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
    /// There is a directory with this name.
    #[error("this is a directory, not a program: {}", path.display())]
    IsDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// The only program with this name is in a folder where every user of this computer can replace it.
    #[error("not run, because every user may replace programs in its directory: {}", path.display())]
    WorldWritable {
        /// The program.
        path: PathBuf,
    },
}

/// Finds the program for the command `name`.
///
/// A name with a directory is relative to `base` (`~/` is the home directory). Any other name is searched in
/// `search` and never in `base`. Directories that every user can write to are skipped. Symbolic links are not
/// resolved, because the shims of version managers depend on the name under which they are called.
pub fn resolve(name: &str, search: &SearchPath, base: &Path) -> Result<PathBuf, ResolveError> {
    if name.is_empty() {
        return Err(ResolveError::Empty);
    }
    if let Some(path) = explicit_path(name, base) {
        return match find_candidate(&path) {
            Candidate::Program(program) => Ok(program),
            Candidate::NotExecutable => Err(ResolveError::NotExecutable { path }),
            Candidate::Directory => Err(ResolveError::IsDirectory { path }),
            Candidate::Missing => Err(ResolveError::NotFound {
                name: name.to_owned(),
                searched: path.parent().map(Path::to_owned).into_iter().collect(),
            }),
        };
    }
    let mut unusable = None;
    for directory in search.directories() {
        let path = directory.join(name);
        let problem = match find_candidate(&path) {
            Candidate::Program(program) if platform::is_world_writable(directory) => {
                ResolveError::WorldWritable { path: program }
            }
            Candidate::Program(program) => return Ok(program),
            Candidate::NotExecutable => ResolveError::NotExecutable { path },
            Candidate::Directory => ResolveError::IsDirectory { path },
            Candidate::Missing => continue,
        };
        unusable.get_or_insert(problem);
    }
    Err(unusable.unwrap_or_else(|| ResolveError::NotFound {
        name: name.to_owned(),
        searched: search.directories().to_vec(),
    }))
}

/// The path that `name` gives. `None` if it is only a name.
fn explicit_path(name: &str, base: &Path) -> Option<PathBuf> {
    let path = match name.strip_prefix("~/") {
        Some(rest) => env::home_dir()?.join(rest),
        None if name.contains(std::path::is_separator) => base.join(name),
        None => return None,
    };
    Some(std::path::absolute(&path).unwrap_or(path))
}

enum Candidate {
    Program(PathBuf),
    NotExecutable,
    Directory,
    Missing,
}

/// Looks for a program at `path`, also with the system's extensions of programs.
fn find_candidate(path: &Path) -> Candidate {
    let mut found = Candidate::Missing;
    for path in platform::candidate_files(path) {
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => found = Candidate::Directory,
            Ok(_) if platform::is_executable(&path) => return Candidate::Program(path),
            Ok(_) => found = Candidate::NotExecutable,
            Err(_) => {}
        }
    }
    found
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    struct SearchFixture {
        root: tempfile::TempDir,
        search: SearchPath,
    }

    impl SearchFixture {
        /// Creates the directories `a` and `b`, which are searched in this order, and `base` next to them.
        fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            let mut search = SearchPath::default();
            for name in ["a", "b", "base"] {
                fs::create_dir(root.path().join(name)).unwrap();
                if name != "base" {
                    search.extend([root.path().join(name)]);
                }
            }
            Self { root, search }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.root.path().join(name)
        }

        fn program(&self, name: &str, mode: u32) -> PathBuf {
            let path = self.path(name);
            fs::write(&path, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        }

        fn resolve(&self, name: &str) -> Result<PathBuf, ResolveError> {
            resolve(name, &self.search, &self.path("base"))
        }
    }

    #[test]
    fn the_first_directory_with_an_executable_wins() {
        let place = SearchFixture::new();
        place.program("a/tool", 0o644);
        let second = place.program("b/tool", 0o755);
        assert_eq!(place.resolve("tool"), Ok(second));
        let first = place.program("a/tool", 0o755);
        assert_eq!(place.resolve("tool"), Ok(first));
    }

    #[test]
    fn a_bare_name_is_never_taken_from_the_base_directory() {
        let place = SearchFixture::new();
        place.program("base/tool", 0o755);
        assert_eq!(
            place.resolve("tool"),
            Err(ResolveError::NotFound {
                name: "tool".into(),
                searched: vec![place.path("a"), place.path("b")],
            })
        );
    }

    #[test]
    fn a_name_with_a_directory_is_relative_to_the_base() {
        let place = SearchFixture::new();
        let program = place.program("base/tool", 0o755);
        assert_eq!(place.resolve("./tool"), Ok(program.clone()));
        assert_eq!(place.resolve(program.to_str().unwrap()), Ok(program));
        assert!(matches!(place.resolve("./missing"), Err(ResolveError::NotFound { .. })));
    }

    #[test]
    fn files_without_permission_and_directories_are_named() {
        let place = SearchFixture::new();
        let path = place.program("a/tool", 0o644);
        assert_eq!(place.resolve("tool"), Err(ResolveError::NotExecutable { path }));
        let path = place.path("a/folder");
        fs::create_dir(&path).unwrap();
        assert_eq!(place.resolve("folder"), Err(ResolveError::IsDirectory { path }));
        assert_eq!(place.resolve(""), Err(ResolveError::Empty));
    }

    #[test]
    fn world_writable_directory_is_skipped_and_reported() {
        let place = SearchFixture::new();
        let open = place.program("a/tool", 0o755);
        fs::set_permissions(place.path("a"), fs::Permissions::from_mode(0o1777)).unwrap();
        assert_eq!(place.resolve("tool"), Err(ResolveError::WorldWritable { path: open }));
        let safe = place.program("b/tool", 0o755);
        assert_eq!(place.resolve("tool"), Ok(safe));
    }

    #[test]
    fn a_shim_keeps_the_name_under_which_it_is_called() {
        let place = SearchFixture::new();
        let target = place.program("b/shim", 0o755);
        symlink(target, place.path("a/npx")).unwrap();
        assert_eq!(place.resolve("npx"), Ok(place.path("a/npx")));
        symlink(place.path("nowhere"), place.path("a/dangling")).unwrap();
        assert!(matches!(place.resolve("dangling"), Err(ResolveError::NotFound { .. })));
    }
}
