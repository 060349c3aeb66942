//! Finds, reads and edits the files of other apps (MCP clients), so that these apps use Mooring. Can restore
//! the files exactly.
//!
//! A table ([`apps`]) says where each app has its MCP servers, and the form of an entry. A change is first
//! planned ([`App::plan`]), so that it can be shown as a diff. It is only written if the file is unchanged
//! since then ([`Change::write`]). Text is edited in place and never serialized again: comments, order,
//! indentation, line ends and unknown parts are kept. Every edit is verified by parsing the text before and
//! after. A [`UndoRecord`] is needed to disconnect the app later ([`UndoRecord::plan`]).
//!
//! This crate does not ask the person, create keys or store records. An entry has a name, a command,
//! arguments, and a variable with the app's key, which diffs and records don't show.

mod app;
mod connect;
mod document;
mod entry;
mod error;
mod file;
mod format;
mod found;
mod json;
mod places;
mod plan;
mod project;
mod refusal;
mod snippet;
mod splice;
mod toml;
mod undo;
mod value;
mod yaml;

pub use app::{App, app, apps, check_new_name, display_name, longest_name};
pub use connect::{AppEnvironment, AppPlan, AppSnippetFormat, AppUndo, AppUndone, NewConnection};
pub use entry::Entry;
pub use error::Error;
pub use format::Format;
pub use found::{FoundApp, State, find_apps};
pub use places::{Places, Platform};
pub use plan::{Change, Plan};
pub use project::{ProjectFile, project_file_names, read_project};
pub use snippet::{command_line, json_snippet, toml_snippet, yaml_snippet};
pub use undo::{Added, Undo, UndoRecord, Undone};

#[cfg(test)]
mod tests;
