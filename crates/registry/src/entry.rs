//! The entries that a registry sends. Every member may be missing, wrong or hostile: texts stay texts, and an entry
//! without a usable name, version or server is left out.

use chrono::DateTime;
use mooring_store::{CatalogEntryRow, NewCatalogEntry};
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::limits::FetchLimits;

/// The member of `_meta` with the registry's own facts.
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";
/// Maximum number of bytes of names, and of versions.
const MAX_NAME: usize = 200;
/// Maximum number of characters of a title in the list.
const MAX_TITLE: usize = 200;
/// Maximum number of characters of a description in the list.
const MAX_DESCRIPTION: usize = 1_000;
/// Maximum number of bytes of a URL.
const MAX_URL: usize = 2_048;

/// What a registry says of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "CatalogStatus")]
pub enum EntryStatus {
    /// Nothing.
    Active,
    /// Its publisher advises against it.
    Deprecated,
    /// It was withdrawn.
    Deleted,
}

/// How an entry's server is run or reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "CatalogKind")]
pub enum EntryKind {
    /// A package of npm.
    Npm,
    /// A package of `PyPI`.
    Pypi,
    /// A container image.
    Docker,
    /// A package of `NuGet`.
    Nuget,
    /// An MCPB bundle.
    Mcpb,
    /// A package of another registry.
    Other,
    /// A server at a URL.
    Remote,
}

impl EntryStatus {
    fn from_text(text: &str) -> Self {
        match text {
            "deprecated" => Self::Deprecated,
            "deleted" => Self::Deleted,
            _ => Self::Active,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Deprecated => "deprecated",
            Self::Deleted => "deleted",
        }
    }
}

impl EntryKind {
    const ALL: [Self; 7] =
        [Self::Npm, Self::Pypi, Self::Docker, Self::Nuget, Self::Mcpb, Self::Other, Self::Remote];

    fn from_registry_type(text: &str) -> Self {
        match text {
            "npm" => Self::Npm,
            "pypi" => Self::Pypi,
            "oci" | "docker" => Self::Docker,
            "nuget" => Self::Nuget,
            "mcpb" => Self::Mcpb,
            _ => Self::Other,
        }
    }

    /// The kind as a word, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pypi => "pypi",
            Self::Docker => "docker",
            Self::Nuget => "nuget",
            Self::Mcpb => "mcpb",
            Self::Other => "other",
            Self::Remote => "remote",
        }
    }
}

/// An entry as lists show it. Its texts are the publisher's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CatalogEntry {
    /// The full name, unique in the registry.
    pub name: String,
    /// The part of the name that the registry checked: who may publish below it.
    pub publisher: String,
    /// The title, or the last part of the name.
    pub title: String,
    /// The description.
    pub description: String,
    /// The newest version.
    pub version: String,
    /// How it is run or reached.
    pub kinds: Vec<EntryKind>,
    /// What the registry says of it.
    pub status: EntryStatus,
    /// When the newest version was published, in milliseconds since the Unix epoch.
    pub published_ms: Option<i64>,
    /// When the registry changed it last, in milliseconds since the Unix epoch.
    pub updated_ms: Option<i64>,
}

impl From<CatalogEntryRow> for CatalogEntry {
    fn from(row: CatalogEntryRow) -> Self {
        let (publisher, slug) = row.name.rsplit_once('/').unwrap_or(("", &row.name));
        let of_kind = |kind: &EntryKind| row.kinds.split(' ').any(|word| word == kind.as_str());
        Self {
            publisher: publisher.to_owned(),
            title: if row.title.is_empty() { slug.to_owned() } else { row.title },
            kinds: EntryKind::ALL.into_iter().filter(of_kind).collect(),
            status: EntryStatus::from_text(&row.status),
            name: row.name,
            description: row.description,
            version: row.version,
            published_ms: row.published_at_us.map(|at| at / 1_000),
            updated_ms: row.updated_at_us.map(|at| at / 1_000),
        }
    }
}

/// An entry of one version, as a registry sent it.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchedEntry {
    /// The entry as lists show it.
    pub row: CatalogEntryRow,
    /// Whether the registry says that this version is the newest. `None` if it doesn't say.
    pub is_latest: Option<bool>,
    /// Why it was deprecated or deleted, in the publisher's words.
    pub status_message: Option<String>,
    /// The URL of the source code.
    pub repository: Option<String>,
    /// The URL of the website.
    pub website: Option<String>,
    /// The `server.json` of the entry.
    pub server: Value,
}

/// What could be read of a page.
pub(crate) struct EntryPage {
    pub(crate) entries: Vec<(FetchedEntry, Vec<u8>)>,
    /// How many entries could not be understood.
    pub(crate) left_out: usize,
    pub(crate) cursor: Option<String>,
}

#[derive(Deserialize)]
struct RawPage<'a> {
    #[serde(borrow)]
    servers: Option<Vec<&'a RawValue>>,
    metadata: Option<Value>,
}

/// Reads a page of the API. Entries that can't be understood are left out.
pub(crate) fn read_page(body: &[u8], limits: &FetchLimits) -> Result<EntryPage, serde_json::Error> {
    let page: RawPage<'_> = serde_json::from_slice(body)?;
    if page.servers.is_none() && page.metadata.is_none() {
        return Err(serde_json::Error::missing_field("servers"));
    }
    let servers = page.servers.unwrap_or_default();
    let all = servers.len();
    let read = servers.into_iter().filter(|raw| raw.get().len() <= limits.entry_bytes);
    let entries: Vec<_> =
        read.filter_map(|raw| Some((read_entry(raw.get())?, raw.get().as_bytes().to_vec()))).collect();
    let cursor = page.metadata.as_ref().and_then(Value::as_object);
    let cursor = cursor.and_then(|metadata| find_text(metadata, "nextcursor")).map(str::to_owned);
    Ok(EntryPage { left_out: all - entries.len(), entries, cursor })
}

/// Reads one entry, as lists and details of the API have it. `None` if it can't be used.
pub(crate) fn read_entry(text: &str) -> Option<FetchedEntry> {
    let Value::Object(mut entry) = serde_json::from_str(text).ok()? else { return None };
    let meta = entry.get("_meta").and_then(|meta| meta.get(OFFICIAL)).and_then(Value::as_object).cloned();
    let meta = meta.unwrap_or_default();
    let server = match entry.remove("server") {
        Some(server) => server,
        None => Value::Object(entry),
    };
    let members = server.as_object()?;
    let name = members.get("name")?.as_str().filter(|name| is_name(name))?;
    let version = members.get("version")?.as_str().map(str::trim);
    let version = version.filter(|it| !it.is_empty() && it.len() <= MAX_NAME)?;
    let status = find_text(&meta, "status").or_else(|| find_text(members, "status"));
    let repository = find(members, "repository").and_then(Value::as_object);
    let row = CatalogEntryRow {
        name: name.to_owned(),
        title: cut(find_text(members, "title").unwrap_or_default(), MAX_TITLE),
        description: cut(find_text(members, "description").unwrap_or_default(), MAX_DESCRIPTION),
        version: version.to_owned(),
        kinds: kinds_of(members).iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(" "),
        status: EntryStatus::from_text(status.unwrap_or_default()).as_str().to_owned(),
        published_at_us: find_time(&meta, "publishedat"),
        updated_at_us: find_time(&meta, "updatedat"),
    };
    Some(FetchedEntry {
        row,
        is_latest: find(&meta, "islatest").and_then(Value::as_bool),
        status_message: find_text(&meta, "statusmessage").map(|text| cut(text, MAX_DESCRIPTION)),
        repository: repository.and_then(|it| find_text(it, "url")).and_then(web_url),
        website: find_text(members, "websiteurl").and_then(web_url),
        server,
    })
}

impl FetchedEntry {
    pub(crate) fn to_new(&self, body: Vec<u8>) -> NewCatalogEntry {
        NewCatalogEntry { row: self.row.clone(), body, is_latest: self.is_latest == Some(true) }
    }
}

/// Whether a text is the name of an entry: a reversed domain, a slash and a name. Other letters could pass for these.
fn is_name(name: &str) -> bool {
    let is_part = |part: &str, more: &[char]| {
        !part.is_empty() && part.chars().all(|it| it.is_ascii_alphanumeric() || more.contains(&it))
    };
    let parts = name.split_once('/');
    name.len() <= MAX_NAME
        && parts.is_some_and(|(publisher, slug)| {
            is_part(publisher, &['.', '-']) && is_part(slug, &['.', '_', '-'])
        })
}

/// The kinds of packages and remotes, each once.
fn kinds_of(server: &Map<String, Value>) -> Vec<EntryKind> {
    let items = |name| find(server, name).and_then(Value::as_array).into_iter().flatten();
    let packages = items("packages").filter_map(|package| {
        let package = package.as_object()?;
        let kind = find_text(package, "registrytype").or_else(|| find_text(package, "registryname"))?;
        Some(EntryKind::from_registry_type(kind))
    });
    let is_remote = |remote: &&Value| remote.as_object().is_some_and(|it| find_text(it, "url").is_some());
    let remotes = items("remotes").filter(is_remote).map(|_| EntryKind::Remote);
    let mut kinds: Vec<_> = packages.chain(remotes).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// The member with this name. Names in snake case, as they were until September 2025, match too.
fn find<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let is_named = |key: &str| key.replace('_', "").eq_ignore_ascii_case(name);
    members.iter().find(|(key, _)| is_named(key)).map(|(_, value)| value)
}

fn find_text<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    find(members, name)?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

/// A time, in microseconds since the Unix epoch.
fn find_time(members: &Map<String, Value>, name: &str) -> Option<i64> {
    let time = DateTime::parse_from_rfc3339(find_text(members, name)?).ok()?;
    Some(time.timestamp_micros()).filter(|at| *at >= 0)
}

fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The text, if it is the URL of a web page.
fn web_url(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok().filter(|_| text.len() <= MAX_URL)?;
    matches!(url.scheme(), "https" | "http").then(|| url.to_string())
}

#[cfg(test)]
mod tests;
