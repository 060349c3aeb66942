//! Folders that a server is told of (`roots/list`). They are advice: nothing keeps a local server from the rest.

mod grants;
mod list_request;

pub(crate) use grants::{RootGrants, RootsChange, expand_home};
pub use grants::{RootView, ServerRoots};
pub(crate) use list_request::answer;
