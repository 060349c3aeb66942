//! Which calls a remembered approval covers. The person can choose more than calls of this tool by this
//! caller.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::place::is_local_path;
use crate::rules::{ArgumentCondition, ArgumentTest, has_path};

/// The choices that the person has for a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, TS)]
pub struct ToolScopes {
    /// The server's tools whose approved definitions say that they are read-only. Includes this tool. Empty
    /// if this tool doesn't say so, or if it is the only one.
    pub reading: Vec<String>,
    /// The hashes of the definitions of these tools. The approval is bound to them.
    #[serde(skip)]
    pub definitions: Vec<String>,
    /// The folders that the arguments name, each argument by its JSON pointer. Empty if there are none.
    pub folders: Vec<ArgumentFolder>,
}

/// An argument with a path, and the folder of that path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ArgumentFolder {
    /// The argument's JSON pointer (RFC 6901).
    pub pointer: String,
    /// The folder's absolute path.
    pub folder: String,
}

/// The person's choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolScope {
    /// The calls that the approval covers.
    pub reach: ToolReach,
    /// The approval covers all callers instead of only this one.
    pub every_caller: bool,
}

/// Which calls an approval covers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolReach {
    /// All calls of this tool.
    #[default]
    Tool,
    /// Calls of this tool whose arguments stay in the same folders.
    Folder,
    /// All of the server's tools that say that they are read-only, in their current form.
    Reading,
}

impl ToolScopes {
    /// Whether the person was offered this choice.
    pub fn offers(&self, scope: ToolScope) -> bool {
        match scope.reach {
            ToolReach::Tool => true,
            ToolReach::Folder => !self.folders.is_empty(),
            ToolReach::Reading => !self.reading.is_empty(),
        }
    }

    /// The conditions that keep a call in the folders.
    pub fn conditions(&self) -> Vec<ArgumentCondition> {
        let within = |of: &ArgumentFolder| ArgumentCondition {
            pointer: of.pointer.clone(),
            test: ArgumentTest::Within,
            value: of.folder.clone(),
        };
        self.folders.iter().map(within).collect()
    }

    /// The folders that arguments name. Empty if another argument also looks like a path, because the rule
    /// would not restrict that argument. `is_folder` says whether a path leads to a folder.
    pub fn folders_in(arguments: &str, is_folder: impl Fn(&Path) -> bool) -> Vec<ArgumentFolder> {
        let Ok(Value::Object(members)) = serde_json::from_str(arguments) else { return Vec::new() };
        let mut folders = Vec::new();
        for (name, value) in members {
            if !has_path(&value) {
                continue;
            }
            let Some(folder) = value.as_str().and_then(|text| folder_of(text, &is_folder)) else {
                return Vec::new();
            };
            let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
            folders.push(ArgumentFolder { pointer, folder });
        }
        if folders.len() > MAX_FOLDERS { Vec::new() } else { folders }
    }
}

/// If there are more folders than a rule can have conditions, the choice is not offered.
const MAX_FOLDERS: usize = 16;

/// The folder that a path names or is in. `None` for the root, because everything is in it.
fn folder_of(text: &str, is_folder: impl Fn(&Path) -> bool) -> Option<String> {
    let path = Some(text).filter(|text| is_local_path(text)).map(Path::new)?;
    let folder = if is_folder(path) { path } else { path.parent()? };
    folder.parent()?;
    folder.to_str().map(str::to_owned)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_folders_of_a_call_are_those_of_its_places() {
        let folders = |arguments: &str| -> Vec<(String, String)> {
            let found = ToolScopes::folders_in(arguments, |path| path == Path::new("/a/notes"));
            found.into_iter().map(|of| (of.pointer, of.folder)).collect()
        };
        let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(pointer, folder)| ((*pointer).to_owned(), (*folder).to_owned())).collect()
        };
        assert_eq!(folders(r#"{"path":"/a/notes/x.md","n":1}"#), pairs(&[("/path", "/a/notes")]));
        assert_eq!(folders(r#"{"path":"/a/notes"}"#), pairs(&[("/path", "/a/notes")]));
        assert_eq!(
            folders(r#"{"from/x":"/a/b","to~":"/c/d/e"}"#),
            pairs(&[("/from~1x", "/a"), ("/to~0", "/c/d")])
        );
        for none in [
            r#"{"path":"x.md"}"#,
            r#"{"path":"/x.md"}"#,
            r#"{"path":"/"}"#,
            r#"{"path":"/a/../b"}"#,
            r#"{"paths":["/a/b"]}"#,
            r#"{"path":"/a/b","more":[{"x":"/c/d"}]}"#,
            r#"{"path":"/a/b","other":"../c"}"#,
            r#"{"path":"/a/b","other":"~/c"}"#,
            r#"{"path":"/a/b","other":"c/d"}"#,
            r#"{"path":"/a/b","other":"/x.md"}"#,
            r#"{"path":"/a/b","other":"file:///c/d"}"#,
            "[]",
            "",
        ] {
            assert_eq!(folders(none), [], "{none}");
        }
    }
}
