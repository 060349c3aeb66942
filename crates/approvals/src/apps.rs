//! The person's settings for each app: its level, and what the app can't see.

mod identity;
mod keys;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

pub use identity::{AppIdentity, AppStanding, revoked};
use mooring_base::clock::now_us;
use mooring_base::codes;
use mooring_base::server_id::ServerId;
use mooring_disk::StoreError;
use mooring_policy::AppLevel;
use mooring_store::{AppKeys, AppRow, AppRows, Apps, StoredAppSettings, TableChanges};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use ts_rs::TS;

/// Minimum interval between two saves of an app's last use, in microseconds.
const USE_INTERVAL_US: i64 = 60 * 1_000_000;

/// Something that an app can't see: a server, or one of its tools.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
pub struct AppOff {
    /// The server.
    pub server: ServerId,
    /// The tool. `None` for the whole server.
    pub tool: Option<String>,
}

/// A tool that an app gets in addition to the search tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
pub struct PinnedTool {
    /// The tool's server.
    pub server: ServerId,
    /// The server's name for the tool.
    pub tool: String,
}

codes! {
    /// How an app gets the list of tools.
    #[derive(Deserialize)]
    pub enum AppToolList {
        /// All tools.
        Whole = "whole",
        /// A tool that searches for tools.
        Search = "search",
        /// The search tool if there are many tools, unless the app has its own search.
        Auto = "auto",
    }
}

/// An app's settings, and what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppAccess {
    /// How its calls are allowed.
    pub level: AppLevel,
    /// The level that the person chose. `None` if the app's default applies.
    pub chosen: Option<AppLevel>,
    /// The level that applies while none is chosen.
    pub default: AppLevel,
    /// What the app can't see.
    pub off: BTreeSet<AppOff>,
    /// The servers that the profile in use has. `None` if no profile is in use.
    pub only_servers: Option<Arc<BTreeSet<ServerId>>>,
    /// Whether the app sees no prompts.
    pub prompts_off: bool,
    /// Whether the app sees no resources.
    pub resources_off: bool,
    /// Whether another program changed the settings. The stricter ones apply until the person saves the
    /// settings.
    pub changed: bool,
    /// How the app gets the list of tools.
    pub tool_list: AppToolList,
    /// The longest tool name that the app accepts, in characters. `None` if the known limit of the app
    /// applies.
    pub longest_name: Option<u8>,
    /// The tools that the app gets in addition to the search tool.
    pub pinned: BTreeSet<PinnedTool>,
    /// The app's name for people, if it was connected here.
    pub title: Option<String>,
    /// JSON: what was added to the app's file, and how to undo that. `None` if Mooring did not connect the
    /// app.
    pub connection: Option<String>,
    /// When the app was connected, in microseconds since the Unix epoch.
    pub connected_at_us: Option<i64>,
    /// When the app last called something, in microseconds since the Unix epoch, to within a minute.
    pub used_at_us: Option<i64>,
}

impl AppAccess {
    /// Whether the app sees a server.
    pub fn sees_server(&self, server: ServerId) -> bool {
        let is_on = self.only_servers.as_ref().is_none_or(|only| only.contains(&server));
        is_on && !self.off.contains(&AppOff { server, tool: None })
    }

    /// Whether the app sees a tool.
    pub fn sees_tool(&self, server: ServerId, tool: &str) -> bool {
        self.sees_server(server) && !self.off.contains(&AppOff { server, tool: Some(tool.to_owned()) })
    }

    fn of(row: &AppRow, rows: &AppRows, default: AppLevel) -> Self {
        // Settings may be missing, so the default must not let anything run without a question.
        let default = if rows.is_incomplete { AppLevel::AskHere } else { default };
        let chosen = |settings: &StoredAppSettings| settings.level.as_deref().and_then(AppLevel::from_name);
        let off = |settings: &StoredAppSettings| {
            let off = settings.off.iter().map(|(server, tool)| (ServerId(*server), tool.clone()));
            off.map(|(server, tool)| AppOff { server, tool }).collect::<BTreeSet<_>>()
        };
        let (mut level, mut hidden) = (chosen(&row.settings).unwrap_or(default), off(&row.settings));
        let mut chosen_here = chosen(&row.settings);
        let (mut prompts_off, mut resources_off) = (row.settings.prompts_off, row.settings.resources_off);
        let mut changed = false;
        if rows.is_checked {
            let nothing = StoredAppSettings::default();
            let written = row.written.as_ref().unwrap_or(&nothing);
            changed = *written != row.settings;
            level = chosen(written).unwrap_or(default).stricter(level);
            chosen_here = chosen(written).or(chosen_here);
            hidden.extend(off(written));
            prompts_off |= written.prompts_off;
            resources_off |= written.resources_off;
        }
        Self {
            level,
            chosen: chosen_here.map(|_| level),
            default,
            off: hidden,
            only_servers: None,
            prompts_off,
            resources_off,
            changed,
            tool_list: row
                .tool_list
                .as_deref()
                .and_then(AppToolList::from_name)
                .unwrap_or(AppToolList::Whole),
            longest_name: row.longest_name,
            pinned: {
                let pinned = row.pinned.iter().cloned();
                pinned.map(|(server, tool)| PinnedTool { server: ServerId(server), tool }).collect()
            },
            title: row.title.clone(),
            connection: row.connection.clone(),
            connected_at_us: row.connected_at_us,
            used_at_us: row.used_at_us,
        }
    }
}

/// Called when the settings of apps have changed.
pub type OnAppsChange = Arc<dyn Fn() + Send + Sync>;

/// The level of an app with this name, if the person has not chosen one.
pub type DefaultAppLevel = fn(&str) -> AppLevel;

/// The apps' settings and proofs, as the database has them. Everything that decides on calls shares them.
pub struct AppStore {
    table: Apps,
    keys: AppKeys,
    /// When the database was last searched for an unknown key.
    looked_at: tokio::sync::Mutex<Option<Instant>>,
    default_level: DefaultAppLevel,
    /// Serializes changes.
    change_lock: tokio::sync::Mutex<()>,
    /// Read for every call. Never locked while waiting for the disk.
    rows: RwLock<AppRows>,
    on_change: OnAppsChange,
}

impl fmt::Debug for AppStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppStore").finish_non_exhaustive()
    }
}

impl AppStore {
    /// Loads the apps.
    pub async fn open(
        (table, keys): (Apps, AppKeys),
        default_level: DefaultAppLevel,
        on_change: OnAppsChange,
    ) -> Result<Self, StoreError> {
        let rows = match table.list().await {
            // The rows are read again once the current key is available. Until then, nothing runs without a
            // question.
            Err(StoreError::WrongKey) => AppRows { is_incomplete: true, ..AppRows::default() },
            rows => rows?,
        };
        let (change_lock, rows) = (tokio::sync::Mutex::default(), RwLock::new(rows));
        let looked_at = tokio::sync::Mutex::default();
        Ok(Self { table, keys, looked_at, default_level, change_lock, rows, on_change })
    }

    /// Reads the apps again, after the vault was opened or another process changed them.
    pub async fn reload(&self) -> Result<(), StoreError> {
        let _turn = self.change_lock.lock().await;
        self.read_rows().await
    }

    /// Reads the apps again soon after other processes, such as the command line, have changed them. Never
    /// returns.
    pub async fn watch(&self, mut changes: TableChanges) {
        loop {
            changes.changed_after(self.reload().await, "what apps may do could not be read again").await;
        }
    }

    async fn read_rows(&self) -> Result<(), StoreError> {
        let rows = self.table.list().await?;
        let is_new = *self.rows.read().unwrap_or_else(PoisonError::into_inner) != rows;
        if is_new {
            *self.rows.write().unwrap_or_else(PoisonError::into_inner) = rows;
            (self.on_change)();
        }
        Ok(())
    }

    /// The settings of an app, even if the app is unknown.
    pub fn access(&self, name: &str) -> AppAccess {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        let unknown = AppRow { name: name.to_owned(), ..AppRow::default() };
        let row = rows.rows.iter().find(|row| row.name == name).unwrap_or(&unknown);
        AppAccess::of(row, &rows, (self.default_level)(name))
    }

    /// Every app that was set up, connected or used, by name.
    pub fn all(&self) -> BTreeMap<String, AppAccess> {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        let access = |row: &AppRow| AppAccess::of(row, &rows, (self.default_level)(&row.name));
        rows.rows.iter().map(|row| (row.name.clone(), access(row))).collect()
    }

    /// Saves the level of an app. `None` means the app's default. The change is on the disk when this
    /// returns.
    pub async fn set_level(&self, name: &str, level: Option<AppLevel>) -> Result<(), StoreError> {
        let _turn = self.change_lock.lock().await;
        self.save_settings(name, &AppAccess { chosen: level, ..self.access(name) }).await
    }

    /// Saves what an app can't see. The change is on the disk when this returns.
    pub async fn set_off(&self, name: &str, off: BTreeSet<AppOff>) -> Result<(), StoreError> {
        let _turn = self.change_lock.lock().await;
        self.save_settings(name, &AppAccess { off, ..self.access(name) }).await
    }

    /// Saves whether an app sees prompts and resources.
    pub async fn set_offers(&self, name: &str, prompts: bool, resources: bool) -> Result<(), StoreError> {
        let _turn = self.change_lock.lock().await;
        let access = self.access(name);
        self.save_settings(name, &AppAccess { prompts_off: !prompts, resources_off: !resources, ..access })
            .await
    }

    async fn save_settings(&self, name: &str, access: &AppAccess) -> Result<(), StoreError> {
        let off = access.off.iter().map(|off| (off.server.0, off.tool.clone())).collect();
        let level = access.chosen.map(|level| level.as_str().to_owned());
        let AppAccess { prompts_off, resources_off, .. } = *access;
        self.table.set(name, &StoredAppSettings { level, off, prompts_off, resources_off }).await?;
        self.read_rows().await
    }

    /// Saves how an app gets the list of tools.
    pub async fn set_tool_list(&self, name: &str, tool_list: AppToolList) -> Result<(), StoreError> {
        let _turn = self.change_lock.lock().await;
        self.table.set_tool_list(name, tool_list.as_str()).await?;
        self.read_rows().await
    }

    /// Saves the longest tool name that an app accepts, in characters.
    pub async fn set_longest_name(&self, name: &str, longest: Option<u8>) -> Result<(), StoreError> {
        let _turn = self.change_lock.lock().await;
        self.table.set_longest_name(name, longest).await?;
        self.read_rows().await
    }

    /// Saves which tools an app gets in addition to the search tool.
    pub async fn set_pinned(&self, name: &str, pinned: BTreeSet<PinnedTool>) -> Result<(), StoreError> {
        let _turn = self.change_lock.lock().await;
        let pinned = pinned.into_iter().map(|pinned| (pinned.server.0, pinned.tool)).collect();
        self.table.set_pinned(name, &pinned).await?;
        self.read_rows().await
    }

    /// Saves how an app was connected, as JSON. `None` if it was disconnected.
    pub async fn set_connection(
        &self,
        name: &str,
        title: &str,
        connection: Option<&str>,
    ) -> Result<(), StoreError> {
        let _turn = self.change_lock.lock().await;
        self.table.set_connection(name, title, connection).await?;
        self.read_rows().await
    }

    /// Records that an app has called something. The time is saved at most once a minute.
    pub async fn record_use(&self, name: &str) {
        let now = now_us();
        if self.access(name).used_at_us.is_some_and(|at| (0..USE_INTERVAL_US).contains(&(now - at))) {
            return;
        }
        let _turn = self.change_lock.lock().await;
        let saved = async {
            self.table.set_used(name, now).await?;
            self.read_rows().await
        };
        if let Err(error) = saved.await {
            tracing::warn!(%error, "when an app last called something could not be saved");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(level: Option<&str>, off: &[i64]) -> StoredAppSettings {
        let off = off.iter().map(|server| (*server, None)).collect();
        StoredAppSettings { level: level.map(str::to_owned), off, ..StoredAppSettings::default() }
    }

    #[test]
    fn stricter_of_row_and_document_counts() {
        use AppLevel::{AppAsks, AskHere, ReadOnly};
        let of = |row: Option<&str>, written: Option<Option<&str>>, default, is_incomplete| {
            let written = written.map(|level| settings(level, &[1]));
            let row = AppRow { settings: settings(row, &[2]), written, ..AppRow::default() };
            let rows = AppRows { is_checked: true, is_incomplete, ..AppRows::default() };
            let access = AppAccess::of(&row, &rows, default);
            assert!(access.changed && !access.sees_server(ServerId(2)) && access.sees_server(ServerId(3)));
            assert_eq!(access.sees_server(ServerId(1)), row.written.is_none());
            access.level
        };
        // Another program raises, resets or adds a level.
        assert_eq!(of(Some("app_asks"), Some(Some("ask_here")), AskHere, false), AskHere);
        assert_eq!(of(None, Some(Some("read_only")), AppAsks, false), ReadOnly);
        assert_eq!(of(Some("app_asks"), None, AskHere, false), AskHere);
        assert_eq!(of(Some("read_only"), Some(Some("ask_here")), AskHere, false), AskHere);
        // The person made the level stricter before the key was in memory.
        assert_eq!(of(Some("read_only"), Some(Some("app_asks")), AppAsks, false), ReadOnly);
        // The settings are lost.
        assert_eq!(of(None, None, AppAsks, false), AppAsks);
        assert_eq!(of(None, None, AppAsks, true), AskHere);
    }

    #[tokio::test]
    async fn app_has_its_default_until_it_is_set() {
        let home = tempfile::tempdir().unwrap();
        let store = mooring_store::Store::open(home.path()).await.unwrap();
        let default: DefaultAppLevel =
            |name| if name == "asks" { AppLevel::AppAsks } else { AppLevel::AskHere };
        let apps = AppStore::open((store.apps(), store.app_keys()), default, Arc::new(|| ())).await.unwrap();
        assert_eq!(apps.access("asks").level, AppLevel::AppAsks);
        assert!(apps.all().is_empty());
        apps.record_use("asks").await;
        let used = apps.access("asks").used_at_us;
        apps.record_use("asks").await;
        assert!(used.is_some() && apps.access("asks").used_at_us == used);
        apps.set_level("asks", Some(AppLevel::ReadOnly)).await.unwrap();
        let access = apps.access("asks");
        assert_eq!(
            (access.level, access.chosen, access.changed),
            (AppLevel::ReadOnly, Some(AppLevel::ReadOnly), false)
        );
        assert!(access.sees_tool(ServerId(1), "echo"));
    }
}
