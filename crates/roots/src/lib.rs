//! Folders that servers are told of (client/roots): those that the person granted, and those that an app has.

mod app_roots;
mod folder;

pub use app_roots::AppRoots;
pub use folder::{Root, RootBreadth, RootError, build_roots_list};
