//! Folders that servers see through `roots/list`. They are only advice: a local server can still read other
//! folders.
//!
//! [`Folders`] is what front ends use. [`RootGrants`] is what it shares with [`answer`], which answers servers.

mod folders;
mod grants;
mod list_request;

pub use folders::{Folders, FoldersChange, OnFoldersChange};
pub use grants::{RootGrants, RootView, ServerRoots};
pub use list_request::answer;
