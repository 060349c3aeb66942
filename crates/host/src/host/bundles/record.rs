//! What is saved of the bundle that a server came from.

use std::collections::BTreeMap;

use mooring_bundles::{Bundle, BundleSignature};
use mooring_definitions::{NewServer, ServerSecret};
use mooring_errors::HostError;
use mooring_store::{SecretPlace, ServerBundleRow};
use mooring_words::Sentence;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::values::BundleValues;

/// What makes two bundles versions of the same one. Names are not unique: a bundle by another author or signer never
/// takes the place of this one, with its values and secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BundleIdentity {
    /// The name for machines.
    pub(super) name: String,
    author: String,
    /// The fingerprint of the signer's certificate.
    signer: Option<String>,
}

/// A bundle of a server, beside what the columns of its row hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BundleFacts {
    pub(super) identity: BundleIdentity,
    pub(super) title: String,
    pub(super) version: String,
    /// What the person entered, without secrets.
    #[serde(default)]
    pub(super) values: BundleValues,
    /// The server's definition when another version took the place of this one.
    #[serde(default)]
    definition: Option<Map<String, Value>>,
    /// The variables of that definition with encrypted values.
    #[serde(default)]
    secrets: Vec<String>,
}

/// The bundles of a server.
#[derive(Debug, Clone, Default)]
pub(super) struct ServerBundleRecord {
    /// The one in use.
    pub(super) current: Option<BundleRecord>,
    /// The one that the server can go back to.
    pub(super) previous: Option<BundleRecord>,
}

/// A bundle of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BundleRecord {
    /// The folder, below the folder of bundles.
    pub(super) folder: String,
    pub(super) sha256: String,
    pub(super) facts: BundleFacts,
}

impl BundleIdentity {
    pub(super) fn of(bundle: &Bundle) -> Self {
        let manifest = bundle.manifest();
        let signer = match bundle.signature() {
            BundleSignature::SelfSigned(signer) | BundleSignature::Signed(signer) => {
                Some(signer.fingerprint.clone())
            }
            BundleSignature::Unsigned | BundleSignature::Unverified(_) => None,
        };
        Self { name: manifest.name.clone(), author: manifest.author.name.clone(), signer }
    }
}

impl BundleFacts {
    pub(super) fn of(bundle: &Bundle, values: BundleValues) -> Self {
        Self {
            identity: BundleIdentity::of(bundle),
            title: bundle.manifest().title().to_owned(),
            version: bundle.manifest().version.clone(),
            values,
            definition: None,
            secrets: Vec::new(),
        }
    }

    /// Remembers the server as it is now, so that it can become this again.
    pub(super) fn keep_definition(&mut self, server: &NewServer) -> Result<(), HostError> {
        self.definition = Some(server.to_members().map_err(|error| to_internal(&error))?);
        let variables = server.secrets.iter().filter(|secret| secret.place == SecretPlace::Env);
        self.secrets = variables.map(|secret| secret.name.clone()).collect();
        Ok(())
    }

    /// The remembered server, with the name of the server as it is now.
    pub(super) fn take_definition(&mut self, now: &NewServer) -> Result<Option<NewServer>, HostError> {
        let Some(members) = self.definition.take() else { return Ok(None) };
        let server = NewServer::new(&now.name, now.transport)
            .with_members(members)
            .map_err(|error| to_internal(&error))?;
        let names = std::mem::take(&mut self.secrets).into_iter();
        let secrets = names.map(|name| ServerSecret {
            entered: now.secrets.iter().any(|secret| secret.name == name && secret.entered),
            place: SecretPlace::Env,
            name,
            value: None,
        });
        Ok(Some(NewServer { secrets: secrets.collect(), ..server }))
    }
}

impl ServerBundleRecord {
    /// Reads the rows of all servers. A row that another program made unreadable doesn't count.
    pub(super) fn from_rows(rows: Vec<ServerBundleRow>) -> BTreeMap<i64, Self> {
        let mut records: BTreeMap<i64, Self> = BTreeMap::new();
        for row in rows {
            let facts = match serde_json::from_str(&row.facts) {
                Ok(facts) => facts,
                Err(error) => {
                    tracing::warn!(server = row.server_id, %error, "a server’s bundle could not be read");
                    continue;
                }
            };
            let record = BundleRecord { folder: row.folder, sha256: row.sha256, facts };
            let server = records.entry(row.server_id).or_default();
            *(if row.in_use { &mut server.current } else { &mut server.previous }) = Some(record);
        }
        records
    }

    /// The rows of a server.
    pub(super) fn to_rows(&self, server_id: i64) -> Result<Vec<ServerBundleRow>, HostError> {
        let records =
            self.current.iter().map(|it| (true, it)).chain(self.previous.iter().map(|it| (false, it)));
        let rows = records.map(|(in_use, record)| {
            let facts = serde_json::to_string(&record.facts).map_err(|error| to_internal(&error))?;
            let (folder, sha256) = (record.folder.clone(), record.sha256.clone());
            Ok(ServerBundleRow { server_id, in_use, folder, sha256, facts })
        });
        rows.collect()
    }
}

fn to_internal(error: &serde_json::Error) -> HostError {
    HostError::Internal(Sentence::quoted(error.to_string()))
}
