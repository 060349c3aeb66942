//! Apps that use the connected servers: what each app may do and see, and how it was connected.
//!
//! The person's settings are also in the integrity document of the rules, because they decide about consent
//! as rules do.

use super::{app_key, integrity};
use crate::database::Database;
use crate::table::app_key::AppKeyRow;
use crate::table::secret::begin;
use mooring_base::clock::now_us;
use mooring_base::integrity::{
    DocumentState, EntryChange, IntegrityDocument, RULES_REVIEWED_ENTRY, RULES_SCOPE, app_entry, app_of_entry,
};
use mooring_disk::StoreError;
use serde::{Deserialize, Serialize};
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The person's settings for an app.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredAppSettings {
    /// `ask_here`, `app_asks` or `read_only`. `None` if the app's default applies.
    pub level: Option<String>,
    /// What the app can't see: a tool of a server, or the whole server if the tool is `None`.
    pub off: BTreeSet<(i64, Option<String>)>,
    /// Whether the app sees no prompts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prompts_off: bool,
    /// Whether the app sees no resources.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resources_off: bool,
}

/// An app that was set up, connected or used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppRow {
    /// The app's name, as the bridge uses it.
    pub name: String,
    /// The app's name, as people know it.
    pub title: Option<String>,
    /// The settings in the table.
    pub settings: StoredAppSettings,
    /// The settings that Mooring last wrote. `None` if there are none or they are unknown.
    pub written: Option<StoredAppSettings>,
    /// `whole`, `search` or `auto`. `None` means whole.
    pub tool_list: Option<String>,
    /// The longest tool name that the app accepts, in characters. `None` if the known limit of the app
    /// applies.
    pub longest_name: Option<u8>,
    /// The tools that the app gets in addition to the search tool, by server.
    pub pinned: BTreeSet<(i64, String)>,
    /// JSON: what was added to the app's file, and how to undo that. `None` if Mooring did not connect the
    /// app.
    pub connection: Option<String>,
    /// When the app was connected, in microseconds since the Unix epoch.
    pub connected_at_us: Option<i64>,
    /// When the app last called something, in microseconds since the Unix epoch.
    pub used_at_us: Option<i64>,
    /// Whether the app was known before apps had keys, and the person has not decided about it since.
    pub predates_keys: bool,
}

/// All apps, and how far the table can be trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppRows {
    /// The apps, by name.
    pub rows: Vec<AppRow>,
    /// The keys of apps.
    pub keys: Vec<AppKeyRow>,
    /// Whether [`AppRow::written`] is known, because the key is in memory.
    pub is_checked: bool,
    /// Whether there is a key that is not in memory.
    pub is_sealed: bool,
    /// Whether settings may be missing, so that an app without settings may have had stricter ones.
    pub is_incomplete: bool,
}

/// The tables of apps. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct Apps(pub(crate) Arc<Database>);

impl Apps {
    /// Lists all apps.
    pub async fn list(&self) -> Result<AppRows, StoreError> {
        let fault = |error| self.0.store_error(error);
        let mut tx = self.0.lookups.begin().await.map_err(fault)?;
        let rows = list_rows(&mut tx).await.map_err(fault)?;
        let document = match integrity::read_document(&self.0, &mut tx, RULES_SCOPE).await? {
            DocumentState::Unchecked => {
                let is_sealed = integrity::read_active_key(&self.0, &mut tx).await?.is_some();
                let keys = app_key::list_rows(&mut tx, !is_sealed).await.map_err(fault)?;
                let rows = rows.into_values().collect();
                return Ok(AppRows { rows, keys, is_sealed, ..AppRows::default() });
            }
            DocumentState::Missing => None,
            DocumentState::Verified(document) => Some(document),
        };
        let mut keys = app_key::list_rows(&mut tx, false).await.map_err(fault)?;
        let servers: Vec<i64> =
            sqlx::query_scalar("SELECT id FROM server").fetch_all(&mut *tx).await.map_err(fault)?;
        let is_incomplete = document.as_ref().is_none_or(|it| it.entries.contains_key(RULES_REVIEWED_ENTRY));
        let document = document.unwrap_or_default();
        app_key::apply_document(&mut keys, &document);
        let rows = add_written_settings(rows, &document, &servers.into_iter().collect());
        Ok(AppRows { rows, keys, is_checked: true, is_sealed: false, is_incomplete })
    }

    /// Saves the person's settings for an app. Removed servers are left out.
    pub async fn set(&self, name: &str, settings: &StoredAppSettings) -> Result<(), StoreError> {
        const APP: &str = "INSERT INTO app (name, level, prompts_off, resources_off) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET level = excluded.level, prompts_off = excluded.prompts_off,
            resources_off = excluded.resources_off";
        const OFF: &str =
            "INSERT INTO app_off (app, server_id, tool) SELECT ?, id, ? FROM server WHERE id = ?";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        let app = sqlx::query(APP).bind(name).bind(&settings.level);
        let app = app.bind(settings.prompts_off).bind(settings.resources_off);
        app.execute(&mut *tx).await.map_err(fault)?;
        let cleared = sqlx::query("DELETE FROM app_off WHERE app = ?").bind(name);
        cleared.execute(&mut *tx).await.map_err(fault)?;
        for (server, tool) in &settings.off {
            let off = sqlx::query(OFF).bind(name).bind(tool).bind(server);
            off.execute(&mut *tx).await.map_err(fault)?;
        }
        let change = (app_entry(name), EntryChange::Set(to_document_entry(settings)));
        integrity::record_changes(&self.0, &mut tx, RULES_SCOPE, vec![change]).await?;
        tx.commit().await.map_err(fault)
    }

    /// Saves how an app gets the list of tools: `whole`, `search` or `auto`.
    pub async fn set_tool_list(&self, name: &str, tool_list: &str) -> Result<(), StoreError> {
        const SET: &str = "INSERT INTO app (name, tool_list) VALUES (?, ?)
            ON CONFLICT DO UPDATE SET tool_list = excluded.tool_list";
        self.0.execute(sqlx::query(SET).bind(name).bind(tool_list)).await.map(drop)
    }

    /// Saves the longest tool name that an app accepts, in characters.
    pub async fn set_longest_name(&self, name: &str, longest: Option<u8>) -> Result<(), StoreError> {
        const SET: &str = "INSERT INTO app (name, longest_name) VALUES (?, ?)
            ON CONFLICT DO UPDATE SET longest_name = excluded.longest_name";
        self.0.execute(sqlx::query(SET).bind(name).bind(longest)).await.map(drop)
    }

    /// Saves which tools an app gets in addition to the search tool. Removed servers are left out.
    pub async fn set_pinned(&self, name: &str, pinned: &BTreeSet<(i64, String)>) -> Result<(), StoreError> {
        const PIN: &str =
            "INSERT INTO app_pinned (app, server_id, tool) SELECT ?, id, ? FROM server WHERE id = ?";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        let app = sqlx::query("INSERT INTO app (name) VALUES (?) ON CONFLICT DO NOTHING").bind(name);
        app.execute(&mut *tx).await.map_err(fault)?;
        let cleared = sqlx::query("DELETE FROM app_pinned WHERE app = ?").bind(name);
        cleared.execute(&mut *tx).await.map_err(fault)?;
        for (server, tool) in pinned {
            let pin = sqlx::query(PIN).bind(name).bind(tool).bind(server);
            pin.execute(&mut *tx).await.map_err(fault)?;
        }
        tx.commit().await.map_err(fault)
    }

    /// Saves how an app was connected, as JSON; `None` if it was disconnected.
    pub async fn set_connection(
        &self,
        name: &str,
        title: &str,
        connection: Option<&str>,
    ) -> Result<(), StoreError> {
        const SET: &str = "INSERT INTO app (name, title, connection, connected_at_us) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET title = excluded.title, connection = excluded.connection,
            connected_at_us = excluded.connected_at_us";
        let set = sqlx::query(SET).bind(name).bind(title).bind(connection);
        self.0.execute(set.bind(connection.map(|_| now_us()))).await.map(drop)
    }

    /// Saves when an app last called something.
    pub async fn set_used(&self, name: &str, at_us: i64) -> Result<(), StoreError> {
        const USED: &str = "INSERT INTO app (name, used_at_us) VALUES (?, ?)
            ON CONFLICT DO UPDATE SET used_at_us = excluded.used_at_us";
        self.0.execute(sqlx::query(USED).bind(name).bind(at_us)).await.map(drop)
    }
}

async fn list_rows(tx: &mut SqliteConnection) -> Result<BTreeMap<String, AppRow>, sqlx::Error> {
    let apps = sqlx::query("SELECT * FROM app").fetch_all(&mut *tx).await?;
    let mut rows = BTreeMap::new();
    for app in &apps {
        let row = from_row(app)?;
        rows.insert(row.name.clone(), row);
    }
    let off: Vec<(String, i64, Option<String>)> =
        sqlx::query_as("SELECT app, server_id, tool FROM app_off").fetch_all(&mut *tx).await?;
    for (app, server, tool) in off {
        if let Some(row) = rows.get_mut(&app) {
            row.settings.off.insert((server, tool));
        }
    }
    let pinned: Vec<(String, i64, String)> =
        sqlx::query_as("SELECT app, server_id, tool FROM app_pinned").fetch_all(tx).await?;
    for (app, server, tool) in pinned {
        if let Some(row) = rows.get_mut(&app) {
            row.pinned.insert((server, tool));
        }
    }
    Ok(rows)
}

/// The settings of each app, for the integrity document.
pub(crate) async fn read_document_entries(
    tx: &mut SqliteConnection,
) -> Result<BTreeMap<String, String>, sqlx::Error> {
    let rows = list_rows(tx).await?.into_values();
    let set = rows.filter(|row| row.settings != StoredAppSettings::default());
    Ok(set.map(|row| (app_entry(&row.name), to_document_entry(&row.settings))).collect())
}

fn to_document_entry(settings: &StoredAppSettings) -> String {
    serde_json::json!(settings).to_string()
}

/// Adds the settings in the document. Settings for removed servers are left out.
fn add_written_settings(
    mut rows: BTreeMap<String, AppRow>,
    document: &IntegrityDocument,
    servers: &BTreeSet<i64>,
) -> Vec<AppRow> {
    for (entry, text) in &document.entries {
        let Some(name) = app_of_entry(entry) else { continue };
        // Entries that Mooring wrote are always valid.
        let Ok(mut written) = serde_json::from_str::<StoredAppSettings>(text) else { continue };
        written.off.retain(|(server, _)| servers.contains(server));
        let row = rows
            .entry(name.to_owned())
            .or_insert_with(|| AppRow { name: name.to_owned(), ..AppRow::default() });
        row.written = Some(written);
    }
    rows.into_values().collect()
}

fn from_row(row: &SqliteRow) -> Result<AppRow, sqlx::Error> {
    Ok(AppRow {
        name: row.try_get("name")?,
        title: row.try_get("title")?,
        settings: StoredAppSettings {
            level: row.try_get("level")?,
            off: BTreeSet::new(),
            prompts_off: row.try_get("prompts_off")?,
            resources_off: row.try_get("resources_off")?,
        },
        written: None,
        tool_list: row.try_get("tool_list")?,
        longest_name: row.try_get("longest_name")?,
        pinned: BTreeSet::new(),
        connection: row.try_get("connection")?,
        connected_at_us: row.try_get("connected_at_us")?,
        used_at_us: row.try_get("used_at_us")?,
        predates_keys: row.try_get("predates_keys")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn app_is_set_connected_used_and_disconnected() {
        let home = tempfile::tempdir().unwrap();
        let store = crate::Store::open(home.path()).await.unwrap();
        let apps = store.apps();
        let one = async || apps.list().await.unwrap().rows.remove(0);
        apps.set_used("cursor", 7).await.unwrap();
        assert_eq!((one().await.used_at_us, one().await.settings), (Some(7), StoredAppSettings::default()));
        let off = [(99, None)].into();
        let settings = StoredAppSettings {
            level: Some("read_only".to_owned()),
            off,
            prompts_off: true,
            ..StoredAppSettings::default()
        };
        apps.set("cursor", &settings).await.unwrap();
        // A server that does not exist can't be off.
        let known = StoredAppSettings { off: BTreeSet::new(), ..settings };
        assert_eq!(one().await.settings, known);
        apps.set_connection("cursor", "Cursor", Some("{}")).await.unwrap();
        let connected = one().await;
        assert_eq!((connected.connection.as_deref(), connected.settings), (Some("{}"), known));
        assert!(connected.connected_at_us.is_some() && connected.used_at_us == Some(7));
        apps.set_connection("cursor", "Cursor", None).await.unwrap();
        assert_eq!((one().await.connection, one().await.connected_at_us), (None, None));
        apps.set_tool_list("cursor", "search").await.unwrap();
        assert_eq!(one().await.tool_list.as_deref(), Some("search"));
        assert!(apps.set_tool_list("cursor", "some").await.is_err());
        apps.set_longest_name("cursor", Some(40)).await.unwrap();
        assert_eq!(one().await.longest_name, Some(40));
        assert!(apps.set_longest_name("cursor", Some(65)).await.is_err());
        // A tool of such a server can't be pinned.
        apps.set_pinned("cursor", &[(99, "a".to_owned())].into()).await.unwrap();
        assert_eq!(one().await.pinned, BTreeSet::new());
        let wrong = StoredAppSettings { level: Some("all".to_owned()), ..StoredAppSettings::default() };
        assert!(apps.set("cursor", &wrong).await.is_err());
    }
}
