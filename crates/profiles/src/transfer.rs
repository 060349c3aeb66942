//! A profile as a file. It names servers and folders of this machine, but has no variables, headers, arguments or
//! other settings, so that no secret can be in it. What is read from one only takes effect once the person has seen it.

use std::path::{Path, PathBuf};

use mooring_policy::deceptive_characters;
use mooring_words::say;
use serde::{Deserialize, Serialize};

use crate::profile::ProfileError;

/// Maximum size of a file, in bytes.
const MAX_BYTES: usize = 256 << 10;
/// The version of the format.
const VERSION: u32 = 1;
/// Means the home folder at the beginning of a path.
const HOME: &str = "~";

/// A profile in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileFile {
    /// The version of the format.
    pub mooring_profile: u32,
    /// The profile's name.
    pub name: String,
    /// Its servers.
    pub servers: Vec<FileServer>,
    /// What apps don't see of them.
    #[serde(default)]
    pub hidden: Vec<FileItem>,
    /// The shared folders that servers may see. `None` for all.
    #[serde(default)]
    pub folders: Option<Vec<String>>,
    /// The project folder.
    #[serde(default)]
    pub project: Option<String>,
}

/// A server in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileServer {
    /// Its name.
    pub name: String,
    /// The file name of its program, or the origin of its URL.
    #[serde(default)]
    pub runs: String,
}

/// Something that apps don't see, in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileItem {
    /// The app. `None` for all apps.
    #[serde(default)]
    pub app: Option<String>,
    /// The server's name.
    pub server: String,
    /// The tool. `None` for the whole server.
    #[serde(default)]
    pub tool: Option<String>,
}

impl ProfileFile {
    /// A file in the current format.
    pub fn new(name: String, servers: Vec<FileServer>) -> Self {
        Self { mooring_profile: VERSION, name, servers, hidden: Vec::new(), folders: None, project: None }
    }

    /// Reads a file. Refuses another format, and texts with characters that can't be seen.
    pub fn read(text: &str) -> Result<Self, ProfileError> {
        let no_profile =
            |why: String| ProfileError::Invalid(say!("this isn’t a profile of Mooring: {why}", why));
        if text.len() > MAX_BYTES {
            let limit = MAX_BYTES / 1024;
            return Err(ProfileError::Invalid(say!("a profile’s file can have at most {limit} KB", limit)));
        }
        let file: Self = serde_json::from_str(text).map_err(|error| no_profile(error.to_string()))?;
        if file.mooring_profile != VERSION {
            return Err(ProfileError::Invalid(say!("a newer version of Mooring wrote this profile")));
        }
        let is_hidden =
            |text: &&str| deceptive_characters(text).next().is_some() || text.chars().any(char::is_control);
        if let Some(text) = file.texts().find(is_hidden) {
            let text = text.escape_debug().to_string();
            return Err(ProfileError::Invalid(say!("the profile has invisible characters: {text}", text)));
        }
        Ok(file)
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let servers = self.servers.iter().flat_map(|server| [server.name.as_str(), server.runs.as_str()]);
        let hidden = self.hidden.iter().flat_map(|item| {
            [Some(item.server.as_str()), item.app.as_deref(), item.tool.as_deref()].into_iter().flatten()
        });
        let folders = self.folders.iter().flatten().chain(&self.project).map(String::as_str);
        std::iter::once(self.name.as_str()).chain(servers).chain(hidden).chain(folders)
    }
}

/// A path for a file, without the name of the person's home folder.
pub fn path_to_text(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) => Path::new(HOME).join(below).to_string_lossy().into_owned(),
        None => path.to_string_lossy().into_owned(),
    }
}

/// The path that a file names, on this machine.
pub fn path_from_text(text: &str, home: Option<&Path>) -> PathBuf {
    let path = Path::new(text);
    match (path.strip_prefix(HOME), home) {
        (Ok(below), Some(home)) => home.join(below),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strangers_file_is_read_or_refused() {
        let read = |text: &str| ProfileFile::read(text).map_err(|error| error.sentence().to_string());
        let least = r#"{"mooring_profile":1,"name":"Work","servers":[{"name":"a"}]}"#;
        let server = FileServer { name: "a".to_owned(), runs: String::new() };
        assert_eq!(read(least).unwrap(), ProfileFile::new("Work".to_owned(), vec![server]));
        for (text, why) in [
            ("", "isn’t a profile"),
            ("[]", "isn’t a profile"),
            (r#"{"mooring_profile":1,"name":7,"servers":[]}"#, "isn’t a profile"),
            (r#"{"mooring_profile":2,"name":"a","servers":[]}"#, "a newer version"),
            ("{\"mooring_profile\":1,\"name\":\"a\",\"servers\":[{\"name\":\"b\u{200b}\"}]}", "\\u{200b}"),
            (
                "{\"mooring_profile\":1,\"name\":\"a\",\"servers\":[],\"hidden\":[{\"server\":\"a\",\"tool\":\"\u{202e}\"}]}",
                "invisible characters",
            ),
            (&" ".repeat(MAX_BYTES + 1), "at most 256 KB"),
        ] {
            let refused = read(text).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn paths_leave_the_home_folder_out() {
        let home = Some(Path::new("/home/ada"));
        for (path, text) in [("/home/ada/code", "~/code"), ("/home/adam", "/home/adam"), ("/srv", "/srv")] {
            assert_eq!(path_to_text(Path::new(path), home), text);
            assert_eq!(path_from_text(text, home), Path::new(path));
        }
        assert_eq!(path_from_text("~/code", None), Path::new("~/code"));
    }
}
