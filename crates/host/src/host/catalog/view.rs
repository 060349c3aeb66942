//! What front ends see of the catalog.

use mooring_base::server_id::ServerId;
use mooring_registry::{CatalogEntry, EntryStatus};
use mooring_words::Sentence;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The version of an entry that a server is installed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CatalogSource {
    /// The entry's name.
    pub name: String,
    /// The version.
    pub version: String,
}

/// A server that came from an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct CatalogInstalled {
    /// The server.
    pub id: ServerId,
    /// Its name.
    pub name: String,
    /// The version that it was saved from.
    pub version: String,
    /// The newer version that the copy has.
    pub update: Option<String>,
}

/// An entry in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct CatalogRowView {
    /// The entry.
    #[serde(flatten)]
    pub entry: CatalogEntry,
    /// The servers that came from it.
    pub installed: Vec<CatalogInstalled>,
}

/// A part of the entries that match a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "CatalogFound")]
pub struct CatalogFoundView {
    /// How many entries match.
    #[ts(as = "u32")]
    pub total: i64,
    /// The requested part.
    pub entries: Vec<CatalogRowView>,
}

/// An entry with everything that is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CatalogEntryView {
    /// The entry, with the version that is shown.
    pub entry: CatalogEntry,
    /// The servers that came from it.
    pub installed: Vec<CatalogInstalled>,
    /// Why it was deprecated or withdrawn, in the publisher's words.
    pub status_message: Option<String>,
    /// The URL of the source code.
    pub repository: Option<String>,
    /// The URL of the website.
    pub website: Option<String>,
    /// Its `server.json`, which is read as an import is.
    pub server_json: String,
    /// Why nothing of it can be installed.
    pub problem: Option<Sentence>,
}

/// A server that came from the catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "CatalogServer")]
pub struct CatalogServerView {
    /// The server.
    pub id: ServerId,
    /// Its name.
    pub server: String,
    /// The entry's name.
    pub name: String,
    /// The version that it was saved from.
    pub version: String,
    /// The newer version that the copy has.
    pub update: Option<String>,
    /// What the registry says of the entry. `None` if the copy doesn't have it.
    pub status: Option<EntryStatus>,
}
