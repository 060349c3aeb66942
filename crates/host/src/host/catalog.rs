//! The catalog: the entries of an MCP registry, servers that are installed from them, and their updates.

mod update;
mod view;

use std::collections::BTreeMap;

use mooring_definitions::import::ImportReport;
use mooring_errors::HostError;
use mooring_registry::{
    CatalogDetail, CatalogState, CatalogVersion, EntryKind, EntryStatus, RefreshReason, RegistryBase,
    SyncProgress, is_newer_version,
};
use mooring_server_state::ServerView;
use mooring_store::ServerCatalogRow;
use mooring_words::{Sentence, say};

use self::update::CatalogFacts;
use super::{Host, ImportChoice};

pub use self::update::CatalogUpdateReview;
pub use self::view::{
    CatalogEntryView, CatalogFoundView, CatalogInstalled, CatalogRowView, CatalogServerView, CatalogSource,
};

impl Host {
    /// The registry that the settings name.
    pub fn registry_base(&self) -> Result<RegistryBase, HostError> {
        let url = self.settings().catalog_url;
        let invalid = |message| HostError::InvalidSetting { field: "catalogUrl", message };
        RegistryBase::parse(&url).map_err(invalid)
    }

    /// The state of the copy of the registry.
    pub async fn catalog_state(&self) -> Result<CatalogState, HostError> {
        Ok(self.inner.catalog.state(&self.registry_base()?).await?)
    }

    /// Brings the copy up to date. `None` if it is fresh enough. Dropping the future ends the fetch.
    pub async fn refresh_catalog(
        &self,
        reason: RefreshReason,
        on_progress: &(dyn Fn(SyncProgress) + Send + Sync),
    ) -> Result<Option<SyncProgress>, HostError> {
        let (base, now_us) = (self.registry_base()?, mooring_base::clock::now_us());
        Ok(self.inner.catalog.refresh(&base, reason, now_us, on_progress).await?)
    }

    /// Searches the copy for entries with all words of a text, best matches first.
    pub async fn search_catalog(
        &self,
        text: &str,
        offset: u32,
        limit: u32,
    ) -> Result<CatalogFoundView, HostError> {
        let found = self.inner.catalog.search(text, offset, limit).await?;
        let mut installed = self.installed_by_entry().await?;
        let entries = found.entries.into_iter().map(|entry| {
            let installed = installed.remove(&entry.name).unwrap_or_default();
            CatalogRowView { entry, installed }
        });
        Ok(CatalogFoundView { total: found.total, entries: entries.collect() })
    }

    /// An entry of the copy, or the version of it that the registry is asked for.
    pub async fn catalog_entry(
        &self,
        name: &str,
        version: Option<&str>,
    ) -> Result<CatalogEntryView, HostError> {
        let detail = self.catalog_detail(name, version).await?;
        let installed = self.installed_by_entry().await?.remove(name).unwrap_or_default();
        let report = self.check_import(&detail.server_json).await;
        let problem = install_problem(&detail, &report);
        Ok(CatalogEntryView {
            entry: detail.entry,
            installed,
            status_message: detail.status_message,
            repository: detail.repository,
            website: detail.website,
            server_json: detail.server_json,
            problem,
        })
    }

    /// Asks the registry for all versions of an entry, newest first.
    pub async fn catalog_versions(&self, name: &str) -> Result<Vec<CatalogVersion>, HostError> {
        Ok(self.inner.catalog.versions(&self.registry_base()?, name).await?)
    }

    /// Saves the servers that the person chose from an entry, as [`Self::import_as`] does. `text` is its `server.json`
    /// that the person reviewed.
    pub async fn add_from_catalog(
        &self,
        source: &CatalogSource,
        text: &str,
        choice: ImportChoice<'_>,
    ) -> Result<Vec<ServerView>, HostError> {
        let report = self.check_import(text).await;
        let detail = self.catalog_detail(&source.name, Some(&source.version)).await?;
        if detail.server_json != text {
            return Err(HostError::DefinitionChanged { what: source.name.clone() });
        }
        if let Some(problem) = install_problem(&detail, &report) {
            return Err(HostError::Catalog { code: None, sentence: problem });
        }
        let base = self.registry_base()?;
        let views = self.import_as(&[text], choice).await?;
        for view in &views {
            let entry = report.entries.iter().find(|entry| match choice.new_name {
                Some(_) => choice.names.contains(&entry.name),
                None => entry.name.trim() == view.config.name,
            });
            let Some(entry) = entry else { continue };
            let facts = CatalogFacts::of(entry, choice.values, &view.config).to_json()?;
            let row = ServerCatalogRow {
                server_id: view.id.0,
                base: base.as_str().to_owned(),
                name: source.name.clone(),
                version: source.version.clone(),
                facts,
            };
            self.inner.store.server_catalog().set(&row).await?;
        }
        Ok(views)
    }

    /// The servers that came from the catalog, and whether the copy has a newer version of them.
    pub async fn catalog_servers(&self) -> Result<Vec<CatalogServerView>, HostError> {
        let rows = self.catalog_rows().await?;
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let entries = self.inner.catalog.entries(&names).await?;
        let entries: BTreeMap<_, _> = entries.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
        let views = rows.into_iter().filter_map(|row| {
            let server = self.server(mooring_base::server_id::ServerId(row.server_id)).ok()?;
            let entry = entries.get(&row.name);
            let update = entry.filter(|entry| {
                entry.status != EntryStatus::Deleted && is_newer_version(&row.version, &entry.version)
            });
            Some(CatalogServerView {
                id: server.id,
                server: server.config.name,
                update: update.map(|entry| entry.version.clone()),
                status: entry.map(|entry| entry.status),
                name: row.name,
                version: row.version,
            })
        });
        Ok(views.collect())
    }

    /// A version of an entry: the newest one from the copy, others from the registry.
    async fn catalog_detail(&self, name: &str, version: Option<&str>) -> Result<CatalogDetail, HostError> {
        let catalog = &self.inner.catalog;
        let newest = catalog.detail(name).await;
        match (newest, version) {
            (Ok(newest), None) => Ok(newest),
            (Ok(newest), Some(version)) if newest.entry.version == version => Ok(newest),
            (_, Some(version)) => Ok(catalog.version(&self.registry_base()?, name, version).await?),
            (Err(error), None) => Err(error.into()),
        }
    }

    /// The servers from the registry that the settings name.
    async fn catalog_rows(&self) -> Result<Vec<ServerCatalogRow>, HostError> {
        let base = self.registry_base()?;
        let mut rows = self.inner.store.server_catalog().list().await?;
        rows.retain(|row| row.base == base.as_str());
        Ok(rows)
    }

    async fn installed_by_entry(&self) -> Result<BTreeMap<String, Vec<CatalogInstalled>>, HostError> {
        let mut installed: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for server in self.catalog_servers().await? {
            let CatalogServerView { id, server, name, version, update, status: _ } = server;
            installed.entry(name).or_default().push(CatalogInstalled { id, name: server, version, update });
        }
        Ok(installed)
    }
}

/// Why nothing of an entry can be installed.
fn install_problem(detail: &CatalogDetail, report: &ImportReport) -> Option<Sentence> {
    if detail.entry.status == EntryStatus::Deleted {
        return Some(say!("the registry has withdrawn this version"));
    }
    if report.entries.iter().any(|entry| entry.server.is_ok()) {
        return None;
    }
    Some(match (report.entries.first(), detail.entry.kinds.as_slice()) {
        (Some(entry), _) => match &entry.server {
            Ok(_) => return None,
            Err(problem) => problem.message.clone(),
        },
        (None, []) => say!("it has no package and no URL"),
        (None, kinds) if kinds.contains(&EntryKind::Mcpb) => {
            say!("bundles can’t be installed from the catalog yet: download the file, and open it in Mooring")
        }
        (None, _) => say!("Mooring can’t run packages of this kind"),
    })
}
