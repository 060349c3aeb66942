//! Roots of servers (client/roots): the folders that the person granted, and those of an app.

mod app_roots;
mod folder;

pub use app_roots::AppRoots;
pub use folder::{Root, RootBreadth, RootError, build_roots_list};
