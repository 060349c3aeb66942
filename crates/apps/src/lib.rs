//! Finds, reads and edits the files of other apps (MCP clients), so that the app uses Mooring, and restores
//! them exactly.
//!
//! One table ([`apps`]) says where each app has its MCP servers, and the form of an entry. A change is first
//! planned ([`App::plan`]), so that it can be shown as a diff, and is only written if the file is unchanged
//! since then ([`Change::write`]). Text is edited in place and never serialized again: comments, order,
//! indentation, line ends and unknown parts are kept, and every edit is verified by parsing before and after.
//! [`UndoRecord`] is needed to disconnect the app again ([`UndoRecord::plan`]).
//!
//! Nothing here asks the person, creates a key or stores a record. An entry has a name, a command, arguments,
//! and the app's key as a variable, which no diff or record shows.

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
pub use snippet::{command_line, json_snippet, toml_snippet, yaml_snippet};
pub use undo::{Added, Undo, UndoRecord, Undone};

#[cfg(test)]
mod tests;
