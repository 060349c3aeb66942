//! Folders that a server is told of (`roots/list`). They are advice: nothing keeps a local server from the rest.

mod desk;
mod folders;

pub(crate) use desk::answer;
pub(crate) use folders::{Changed, Folders, typed};
pub use folders::{RootView, ServerRoots};
