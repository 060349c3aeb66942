//! The folders that a configuration can mean without their paths.

use std::path::{MAIN_SEPARATOR, PathBuf};

use mooring_base::command_line::expand_home_in;

use super::placeholder_parts::{Part, PartKind, split_parts};

/// The folders that a configuration can mean without their paths.
#[derive(Debug, Clone, Default)]
pub(super) struct Folders {
    /// The person's home folder.
    pub(super) home: Option<PathBuf>,
    /// The folder of the project that the configuration belongs to. Apps start its servers there.
    pub(super) project: Option<PathBuf>,
}

impl Folders {
    /// The person's home folder, without a project.
    pub(super) fn of_person() -> Self {
        Self { home: std::env::home_dir(), project: None }
    }

    /// Replaces the placeholders with a fixed meaning.
    pub(super) fn replace_in(&self, text: &str) -> String {
        let replaced = |part: Part<'_>| match (part.kind, &self.home, &self.project) {
            (PartKind::Home, Some(home), _) => home.display().to_string(),
            (PartKind::Folder(_), _, Some(project)) => project.display().to_string(),
            (PartKind::FolderName(_), _, Some(project)) => {
                project.file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            (PartKind::Separator, ..) => MAIN_SEPARATOR.to_string(),
            _ => part.written.to_owned(),
        };
        split_parts(text).into_iter().map(replaced).collect()
    }

    /// Replaces a leading `~`.
    pub(super) fn expand_home(&self, path: &str) -> String {
        expand_home_in(path, self.home.as_deref())
    }

    /// A program that is written as a path in the project.
    pub(super) fn program(&self, program: String) -> String {
        let is_path = program.contains(std::path::is_separator);
        if is_path { self.in_project(program) } else { program }
    }

    /// The folder that a local server starts in.
    pub(super) fn working_folder(&self, written: Option<String>) -> Option<String> {
        match written {
            Some(folder) => Some(self.in_project(folder)),
            None => self.project.as_ref().map(|project| project.display().to_string()),
        }
    }

    fn in_project(&self, path: String) -> String {
        // A placeholder may become a full path.
        let is_known = split_parts(&path).iter().all(|part| part.kind.key().is_none());
        match &self.project {
            Some(project) if is_known => {
                // Without the "." in the middle of "/project/./server".
                project.join(&path).components().collect::<PathBuf>().display().to_string()
            }
            _ => path,
        }
    }
}
