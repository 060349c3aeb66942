//! A client of MCP registries (API v0.1) with a copy of the newest entries, which is searched without the network.
//!
//! A registry is never contacted before the person asks for it. [`RegistryCopy::refresh`] fetches all entries once, and
//! later those that changed. What a registry sends is only text here: an entry that can't be understood is left out
//! and counted. The name of this crate tells it from `mooring-catalogue`, the tools that the gateway offers.

mod base;
mod body;
mod catalog;
mod client;
mod entry;
mod error;
mod limits;
mod sync;
mod version;

pub use base::{DEFAULT_REGISTRY, RegistryBase};
pub use catalog::{CatalogDetail, CatalogState, CatalogVersion, FoundEntries, RegistryCopy};
pub use entry::{CatalogEntry, EntryKind, EntryStatus, FetchedEntry};
pub use error::{RegistryError, RegistryErrorCode};
pub use limits::FetchLimits;
pub use sync::{RefreshReason, SyncProgress};
pub use version::is_newer_version;
