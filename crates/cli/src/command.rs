//! The commands, one module for each.

pub(crate) mod accounts;
pub(crate) mod apps;
pub(crate) mod bench;
#[cfg(unix)]
pub(crate) mod bridge;
pub(crate) mod bundle;
pub(crate) mod call;
pub(crate) mod change;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod help;
pub(crate) mod import;
mod import_values;
pub(crate) mod listing;
pub(crate) mod logs;
pub(crate) mod probe;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod restore;
mod reviews;
pub(crate) mod roots;
pub(crate) mod search;
#[cfg(unix)]
pub(crate) mod serve;
pub(crate) mod servers;
pub(crate) mod shell;
pub(crate) mod subscribe;
pub(crate) mod trust;
pub(crate) mod vault;
