//! The commands, one module for each.

pub(crate) mod accounts;
pub(crate) mod apps;
#[cfg(unix)]
pub(crate) mod bridge;
pub(crate) mod bundle;
pub(crate) mod catalog;
pub(crate) mod change;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod help;
pub(crate) mod import;
mod import_values;
pub(crate) mod logs;
pub(crate) mod profile;
pub(crate) mod restore;
mod reviews;
pub(crate) mod roots;
pub(crate) mod search;
#[cfg(unix)]
pub(crate) mod serve;
pub(crate) mod servers;
pub(crate) mod shell;
pub(crate) mod trust;
pub(crate) mod vault;
