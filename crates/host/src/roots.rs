//! Folders that servers see through `roots/list`. They are only advice: a local server can still read other
//! folders.

mod grants;
mod list_request;

pub(crate) use grants::{RootGrants, RootsChange, expand_home};
pub use grants::{RootView, ServerRoots};
pub(crate) use list_request::answer;
