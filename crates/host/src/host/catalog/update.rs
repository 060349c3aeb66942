//! Brings a server to another version of its entry: a change of its definition that the person reviews first.

use std::collections::{BTreeMap, BTreeSet};

use mooring_base::server_id::ServerId;
use mooring_definitions::import::{ImportEntry, ImportInput, ImportInputKind, ImportValue};
use mooring_definitions::{NewServer, ServerSecret};
use mooring_errors::HostError;
use mooring_server_state::ServerView;
use mooring_store::{SecretPlace, ServerCatalogRow};
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Host;

/// Takes the place of a secret that is saved already, while the new version's definition is made.
const SAVED: &str = "value-saved-before";

/// What is remembered of a server from the catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CatalogFacts {
    /// The name of the package or remote among those of the entry.
    way: String,
    /// What the person entered, without secrets.
    #[serde(default)]
    values: BTreeMap<String, String>,
    /// The variables and headers of the entry. Others are the person's own.
    #[serde(default)]
    variables: BTreeSet<String>,
}

/// A version to which a server can be brought.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(rename = "CatalogUpdate")]
pub struct CatalogUpdateReview {
    /// The entry's name.
    pub name: String,
    /// The version that the server was saved from.
    pub from: String,
    /// The version that it would have.
    pub version: String,
    /// The server as it is.
    pub before: NewServer,
    /// The server as it would be, without secrets.
    pub after: NewServer,
    /// The values that the version asks for. Secrets that are saved are not required again.
    pub inputs: Vec<ImportInput>,
    /// What is left out of the entry, and warnings.
    pub notes: Vec<Sentence>,
}

impl CatalogFacts {
    pub(super) fn of(entry: &ImportEntry, values: &[ImportValue], server: &NewServer) -> Self {
        let shown = |key: &str| entry.inputs.iter().any(|input| input.key == key && !input.secret);
        let own = values.iter().filter(|value| value.entry == entry.name && shown(&value.key));
        Self {
            way: entry.name.clone(),
            values: own.map(|value| (value.key.clone(), value.text().to_owned())).collect(),
            variables: variables_of(server).map(str::to_owned).collect(),
        }
    }

    pub(super) fn to_json(&self) -> Result<String, HostError> {
        serde_json::to_string(self).map_err(|error| to_internal(&error))
    }
}

/// The parts of an update.
struct PreparedUpdate {
    row: ServerCatalogRow,
    facts: CatalogFacts,
    entry: ImportEntry,
    before: NewServer,
    version: String,
    /// The person's values, those of the saved version, and places for saved secrets.
    values: Vec<ImportValue>,
}

impl Host {
    /// What a version would change about a server from the catalog: the newest one, or the one with this name.
    pub async fn review_catalog_update(
        &self,
        id: ServerId,
        version: Option<&str>,
        values: &[ImportValue],
    ) -> Result<CatalogUpdateReview, HostError> {
        let prepared = self.prepare_update(id, version, values).await?;
        let after = prepared.preview()?;
        let PreparedUpdate { row, entry, before, version, .. } = prepared;
        Ok(CatalogUpdateReview {
            name: row.name,
            from: row.version,
            version,
            before,
            after,
            inputs: entry.inputs,
            notes: entry.notes,
        })
    }

    /// Brings a server to a version. `shown` is the definition that the person reviewed.
    pub async fn update_from_catalog(
        &self,
        id: ServerId,
        version: &str,
        values: &[ImportValue],
        shown: &NewServer,
    ) -> Result<ServerView, HostError> {
        let prepared = self.prepare_update(id, Some(version), values).await?;
        if prepared.preview()? != *shown {
            return Err(HostError::DefinitionChanged { what: prepared.row.name });
        }
        let encrypts = self.encryption_problem().await.is_none();
        let server = prepared.server(encrypts)?.validated()?;
        let mut facts = CatalogFacts::of(&prepared.entry, &prepared.values, &server);
        facts.variables.retain(|name| prepared.is_of_entry(name));
        let row = ServerCatalogRow {
            version: prepared.version.clone(),
            facts: facts.to_json()?,
            ..prepared.row.clone()
        };
        let view = self.update_server(id, server).await?;
        self.inner.store.server_catalog().set(&row).await?;
        Ok(view)
    }

    async fn prepare_update(
        &self,
        id: ServerId,
        version: Option<&str>,
        values: &[ImportValue],
    ) -> Result<PreparedUpdate, HostError> {
        let before = self.server(id)?.config;
        let row = self.inner.store.server_catalog().get(id.0).await?;
        let base = self.registry_base()?;
        let Some(row) = row.filter(|row| row.base == base.as_str()) else {
            let name = before.name;
            let sentence = say!("“{name}” didn’t come from the catalog", name);
            return Err(HostError::Catalog { code: None, sentence });
        };
        let facts: CatalogFacts = serde_json::from_str(&row.facts).map_err(|error| to_internal(&error))?;
        let detail = self.catalog_detail(&row.name, version).await?;
        let report = self.check_import(&detail.server_json).await;
        if let Some(sentence) = super::install_problem(&detail, &report) {
            return Err(HostError::Catalog { code: None, sentence });
        }
        let entry = find_way(report.entries, &facts.way, &before).ok_or_else(|| HostError::Catalog {
            code: None,
            sentence: say!("this version can’t be run or reached in the way of the saved server"),
        })?;
        let version = detail.entry.version;
        let mut prepared = PreparedUpdate { row, facts, entry, before, version, values: Vec::new() };
        prepared.fill_values(values);
        Ok(prepared)
    }
}

impl PreparedUpdate {
    /// Adds values of the saved version to those that the person entered.
    fn fill_values(&mut self, given: &[ImportValue]) {
        let saved = self.before.secrets.iter().any(|secret| secret.entered);
        let name = self.entry.name.clone();
        for (index, input) in self.entry.inputs.iter_mut().enumerate() {
            let own = given.iter().rfind(|value| value.key == input.key);
            let can_keep = input.secret && !input.exposed && input.kind == ImportInputKind::Text;
            let text = match (own, self.facts.values.get(&input.key)) {
                (Some(value), _) if !(input.secret && value.text().is_empty()) => value.text().to_owned(),
                (_, Some(text)) if !input.secret => {
                    input.default = Some(text.clone()).filter(|text| !text.is_empty());
                    text.clone()
                }
                _ if can_keep
                    && (saved || !self.before.env.is_empty() || !self.before.headers.is_empty()) =>
                {
                    input.required = false;
                    place_of(index)
                }
                _ => continue,
            };
            let value = Some(SecretString::from(text));
            self.values.push(ImportValue { entry: name.clone(), key: input.key.clone(), value });
        }
    }

    /// The server without secrets, as a review shows it.
    fn preview(&self) -> Result<NewServer, HostError> {
        let report = mooring_definitions::import::ImportReport {
            entries: vec![self.entry.clone()],
            ..mooring_definitions::import::ImportReport::default()
        };
        let entry = report.with_values(&self.values).entries.into_iter().next();
        let server = entry.and_then(|entry| entry.server.ok());
        let server = server.ok_or_else(|| HostError::Internal(say!("the entry can’t be understood")))?;
        Ok(self.with_own_settings(server))
    }

    /// The server with all values.
    fn server(&self, encrypts: bool) -> Result<NewServer, HostError> {
        let filled = self.entry.fill(&self.values, encrypts).transpose()?;
        let mut server = filled.ok_or_else(|| HostError::Internal(say!("the entry can’t be understood")))?;
        let before = &self.before;
        for (place, plain, saved) in [
            (SecretPlace::Env, &mut server.env, &before.env),
            (SecretPlace::Header, &mut server.headers, &before.headers),
        ] {
            let names: Vec<String> =
                plain.iter().filter(|(_, text)| text.contains(SAVED)).map(|(name, _)| name.clone()).collect();
            for name in names {
                plain.remove(&name);
                match saved.get(&name) {
                    Some(text) => {
                        plain.insert(name, text.clone());
                    }
                    None => server.secrets.push(ServerSecret { place, name, value: None, entered: false }),
                }
            }
        }
        let is_place = |secret: &ServerSecret| {
            secret.value.as_ref().is_some_and(|value| value.expose_secret().contains(SAVED))
        };
        for secret in &mut server.secrets {
            if is_place(secret) {
                secret.value = None;
            }
            if secret.value.is_none() {
                let is_same = |it: &&ServerSecret| it.place == secret.place && it.name == secret.name;
                secret.entered = before.secrets.iter().find(is_same).is_some_and(|it| it.entered);
            }
        }
        Ok(self.with_own_settings(server))
    }

    /// Whether a variable or header is of the entry, in the new version or the saved one.
    fn is_of_entry(&self, name: &str) -> bool {
        let new = self.entry.server.as_ref().is_ok_and(|server| variables_of(server).any(|it| it == name));
        new || self.facts.variables.contains(name)
    }

    /// Keeps what the person has set for the saved server.
    fn with_own_settings(&self, mut server: NewServer) -> NewServer {
        let before = &self.before;
        let own = |(name, _): &(&String, &String)| !self.is_of_entry(name);
        let pairs = |from: &BTreeMap<String, String>| {
            from.iter().filter(own).map(|(name, text)| (name.clone(), text.clone())).collect::<Vec<_>>()
        };
        server.env.extend(pairs(&before.env));
        server.headers.extend(pairs(&before.headers));
        let secrets = before.secrets.iter().filter(|secret| !self.is_of_entry(&secret.name));
        server.secrets.extend(secrets.cloned());
        NewServer {
            name: before.name.clone(),
            timeout: before.timeout,
            start: before.start,
            era: before.era,
            cwd: server.cwd.clone().or_else(|| before.cwd.clone()),
            ..server
        }
    }
}

/// The package or remote of a version that the saved server is of: the one of its name, or else the only one with its
/// program.
fn find_way(entries: Vec<ImportEntry>, way: &str, saved: &NewServer) -> Option<ImportEntry> {
    let is_same = |entry: &ImportEntry| {
        entry
            .server
            .as_ref()
            .is_ok_and(|server| server.transport == saved.transport && server.command == saved.command)
    };
    let mut same: Vec<ImportEntry> = entries.into_iter().filter(is_same).collect();
    if let Some(at) = same.iter().position(|entry| entry.name == way) {
        return Some(same.swap_remove(at));
    }
    if same.len() == 1 { same.pop() } else { None }
}

fn place_of(index: usize) -> String {
    format!("{SAVED}-{index}")
}

/// The names of a server's variables and headers.
fn variables_of(server: &NewServer) -> impl Iterator<Item = &str> {
    let plain = server.env.keys().chain(server.headers.keys());
    plain.chain(server.secrets.iter().map(|secret| &secret.name)).map(String::as_str)
}

fn to_internal(error: &serde_json::Error) -> HostError {
    HostError::Internal(Sentence::quoted(error.to_string()))
}
