//! A folder that can be a root of servers, and its root.

use std::path::{Path, PathBuf};

use mooring_words::{Sentence, io_error_sentence, say};
use serde::{Serialize, Serializer};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use url::Url;

/// A folder shared as an MCP root: its canonical path, without symlinks or `..`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    path: PathBuf,
    name: Option<String>,
}

/// Whether a folder with all files of a person, or of a machine, is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootBreadth {
    /// Refuse a broad folder.
    Narrow,
    /// Allow it: the person confirmed it.
    Wide,
}

/// Why a folder can't be a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootError {
    /// It does not exist, can't be read, or is not a folder.
    Unusable(Sentence),
    /// It contains all files of the person or of the machine.
    TooWide(PathBuf),
    /// Its path is not Unicode, so it can't be saved exactly.
    NotUnicode(PathBuf),
    /// A relative path has no meaning when it is saved.
    Relative(PathBuf),
    /// The name is longer than this many characters, or has some that cannot be shown.
    BadName(usize),
    /// Too many folders are already granted.
    TooMany(usize),
}

/// Serializes the error as its sentence.
impl Serialize for RootError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.sentence().serialize(serializer)
    }
}

impl RootError {
    /// The error as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Unusable(why) => why.clone(),
            Self::TooWide(path) => {
                say!("this folder contains far more than one project: {path}", path = path.to_string_lossy())
            }
            Self::NotUnicode(path) => {
                say!("this path isn’t valid text: {path}", path = path.to_string_lossy())
            }
            Self::Relative(path) => {
                say!("enter the full path: {path}", path = path.to_string_lossy())
            }
            Self::BadName(limit) => {
                say!("a folder name can have at most {limit} characters, all of them visible", limit = *limit)
            }
            Self::TooMany(limit) => say!("no more than {limit} folders can be shared", limit = *limit),
        }
    }
}

impl Root {
    /// Grants a folder, under a name that servers may show.
    pub fn grant(path: &Path, name: Option<String>, breadth: RootBreadth) -> Result<Self, RootError> {
        let real = real(path)?;
        let wide = real.parent().is_none()
            || std::env::home_dir()
                .and_then(|home| home.canonicalize().ok())
                .is_some_and(|home| home.starts_with(&real));
        if wide && breadth == RootBreadth::Narrow {
            return Err(RootError::TooWide(real));
        }
        Ok(Self { path: real, name })
    }

    /// A folder that was granted earlier. Does not check it; [`Self::uri`] does.
    pub fn from_grant(path: PathBuf, name: Option<String>) -> Self {
        Self { path, name }
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder's address, if it is still the folder that was granted.
    pub fn uri(&self) -> Result<Url, RootError> {
        let real = real(&self.path)?;
        if real != self.path {
            return Err(RootError::Unusable(say!(
                "a different folder is there now: {path}",
                path = self.path.to_string_lossy()
            )));
        }
        Url::from_file_path(&real).map_err(|()| {
            RootError::Unusable(say!(
                "its path can’t be written as a URI: {path}",
                path = real.to_string_lossy()
            ))
        })
    }
}

/// A folder as it really is.
fn real(path: &Path) -> Result<PathBuf, RootError> {
    let unusable = |why: Sentence| {
        RootError::Unusable(say!("{path} can’t be used: {why}", path = path.to_string_lossy(), why))
    };
    let real = path.canonicalize().map_err(|error| unusable(io_error_sentence(&error)))?;
    // Opened, because an unreadable folder is of no use to a server.
    std::fs::read_dir(&real).map_err(|error| unusable(io_error_sentence(&error)))?;
    Ok(real)
}

/// Builds the result of `roots/list`; returns it with the folders that were left out and why. Reads the disk: call it
/// on a blocking thread.
pub fn build_roots_list(roots: &[Root]) -> (Box<RawValue>, Vec<RootError>) {
    let (mut listed, mut left_out) = (Vec::new(), Vec::new());
    for root in roots {
        match root.uri() {
            Ok(uri) => {
                let last = root.path.file_name().map(|name| name.to_string_lossy().into_owned());
                listed.push(match root.name.clone().or(last) {
                    Some(name) => json!({ "uri": uri.as_str(), "name": name }),
                    None => json!({ "uri": uri.as_str() }),
                });
            }
            Err(error) => left_out.push(error),
        }
    }
    (to_raw_value(&json!({ "roots": listed })).unwrap_or_default(), left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn roots_result(roots: &[Root]) -> Value {
        serde_json::from_str(build_roots_list(roots).0.get()).unwrap()
    }

    // Requirements: ROOT-03, ROOT-06.
    #[cfg(unix)]
    #[test]
    fn a_folder_is_told_of_as_it_really_is() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("a b/inner")).unwrap();
        std::os::unix::fs::symlink(real.join("a b"), real.join("link")).unwrap();
        std::fs::write(real.join("file"), "").unwrap();
        for path in ["a b", "link", "a b/inner/..", "./a b/.", "link/inner/../../a b"] {
            let root = Root::grant(&real.join(path), None, RootBreadth::Narrow).unwrap();
            assert_eq!(root.path(), real.join("a b"), "{path}");
            let uri = format!("file://{}/a%20b", real.display());
            assert_eq!(roots_result(&[root]), json!({ "roots": [{ "uri": uri, "name": "a b" }] }), "{path}");
        }
        let named = Root::grant(&real.join("a b"), Some("Mine".to_owned()), RootBreadth::Narrow).unwrap();
        assert_eq!(roots_result(&[named])["roots"][0]["name"], "Mine");
        for path in ["file", "absent", "", "a b/\0", "file/..", "a b/inner/../../absent"] {
            let refused = Root::grant(&real.join(path), None, RootBreadth::Narrow);
            if path.is_empty() {
                assert!(refused.is_ok());
            } else {
                assert!(matches!(refused, Err(RootError::Unusable(_))), "{path:?} {refused:?}");
            }
        }
    }

    // Requirements: ROOT-06.
    #[test]
    fn what_holds_everything_takes_a_second_yes() {
        let home = std::env::home_dir().unwrap();
        let mut wide = vec![PathBuf::from("/"), PathBuf::from("/.."), home.clone(), home.join(".")];
        wide.extend(home.parent().map(Path::to_owned));
        for path in wide {
            let refused = Root::grant(&path, None, RootBreadth::Narrow);
            assert!(matches!(refused, Err(RootError::TooWide(_))), "{} {refused:?}", path.display());
            assert!(Root::grant(&path, None, RootBreadth::Wide).is_ok(), "{}", path.display());
        }
    }

    // Requirements: ROOT-06, ROOT-07.
    #[cfg(unix)]
    #[test]
    fn missing_or_replaced_folder_is_left_out_and_others_stay() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().canonicalize().unwrap();
        let grant = |name: &str| {
            std::fs::create_dir(path.join(name)).unwrap();
            Root::grant(&path.join(name), None, RootBreadth::Narrow).unwrap()
        };
        let roots = [grant("stays"), grant("goes"), grant("changes")];
        assert_eq!(roots_result(&roots)["roots"].as_array().unwrap().len(), 3);
        std::fs::remove_dir(path.join("goes")).unwrap();
        std::fs::remove_dir(path.join("changes")).unwrap();
        std::os::unix::fs::symlink("/", path.join("changes")).unwrap();
        let (_, left_out) = build_roots_list(&roots);
        assert_eq!(left_out.len(), 2, "{left_out:?}");
        let told = roots_result(&roots);
        assert_eq!(told["roots"].as_array().unwrap().len(), 1);
        assert_eq!(told["roots"][0]["name"], "stays");
    }
}
