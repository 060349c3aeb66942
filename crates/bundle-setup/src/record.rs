//! What is saved of the bundle that a server came from.

use std::collections::BTreeMap;

use mooring_bundles::{Bundle, BundleSignature, TargetSystem};
use mooring_definitions::{NewServer, ServerSecret};
use mooring_errors::HostError;
use mooring_store::{SecretPlace, ServerBundleRow};
use mooring_words::Sentence;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::view::SignatureState;

/// What is shown in place of an argument with a secret.
const HIDDEN: &str = "…";
/// Values by the names of the inputs.
pub type BundleValues = BTreeMap<String, Vec<String>>;

/// How a manifest writes the folder of the version.
const OWN_FOLDER: &str = "${__dirname}";

/// What makes two bundles versions of the same one. Names are not unique: a bundle by another author or signer never
/// takes the place of this one, with its values and secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleIdentity {
    /// The name for machines.
    pub name: String,
    /// The author, whom anyone can name.
    pub author: String,
    /// The fingerprint of the signer's certificate.
    signer: Option<String>,
}

/// A bundle of a server, beside what the columns of its row hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleFacts {
    /// What makes it a version of a bundle.
    pub identity: BundleIdentity,
    /// What its author calls it.
    pub title: String,
    /// Its version.
    pub version: String,
    /// The word of its [`SignatureState`].
    #[serde(default)]
    signature: String,
    /// The name in the signer's certificate.
    #[serde(default)]
    pub signer: Option<String>,
    /// What the person entered, without secrets.
    #[serde(default)]
    pub values: BundleValues,
    /// The variables as its manifest has them, with places for values.
    #[serde(default)]
    variables: BTreeMap<String, String>,
    /// The arguments without a secret, if there are others.
    #[serde(default)]
    plain_args: Option<Vec<String>>,
    /// The server's definition when another version took the place of this one.
    #[serde(default)]
    definition: Option<Map<String, Value>>,
    /// The variables of that definition with encrypted values.
    #[serde(default)]
    secrets: Vec<String>,
}

/// The bundles of a server.
#[derive(Debug, Clone, Default)]
pub struct ServerBundleRecord {
    /// The one in use.
    pub current: Option<BundleRecord>,
    /// The one that the server can go back to.
    pub previous: Option<BundleRecord>,
}

/// A bundle of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleRecord {
    /// The folder, below the folder of bundles.
    pub folder: String,
    /// The hash of its file, in hexadecimal.
    pub sha256: String,
    /// What else is remembered of it.
    pub facts: BundleFacts,
}

impl BundleIdentity {
    /// What makes this bundle a version of another.
    pub fn of(bundle: &Bundle) -> Self {
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
    /// What is remembered of a bundle with these values.
    pub fn of(bundle: &Bundle, values: BundleValues) -> Self {
        let manifest = bundle.manifest();
        let signer = match bundle.signature() {
            BundleSignature::SelfSigned(signer) | BundleSignature::Signed(signer) => {
                Some(signer.name.clone())
            }
            BundleSignature::Unsigned | BundleSignature::Unverified(_) => None,
        };
        let launch = manifest.server.launch_config(TargetSystem::THIS);
        Self {
            identity: BundleIdentity::of(bundle),
            title: manifest.title().to_owned(),
            version: manifest.version.clone(),
            signature: SignatureState::from(bundle.signature()).as_str().to_owned(),
            signer,
            values,
            variables: launch.map(|launch| launch.env.into_iter().collect()).unwrap_or_default(),
            plain_args: None,
            definition: None,
            secrets: Vec::new(),
        }
    }

    /// Whether it was signed. What an older Mooring saved doesn't say so.
    pub fn signature(&self) -> SignatureState {
        SignatureState::from_name(&self.signature).unwrap_or(SignatureState::Unsigned)
    }

    /// Remembers which arguments can be shown, if some can't.
    #[must_use]
    pub fn with_plain_args(self, plain_args: Option<Vec<String>>) -> Self {
        Self { plain_args, ..self }
    }

    /// The server of this version, without secrets in its arguments.
    pub fn redact(&self, server: &NewServer) -> NewServer {
        let Some(plain) = &self.plain_args else { return server.clone() };
        let shown = |arg: &String| if plain.contains(arg) { arg.clone() } else { HIDDEN.to_owned() };
        NewServer { args: server.args.iter().map(shown).collect(), ..server.clone() }
    }

    /// Remembers the server as it is now, so that it can become this again.
    pub fn keep_definition(&mut self, server: &NewServer) -> Result<(), HostError> {
        self.definition = Some(server.to_members().map_err(|error| to_internal(&error))?);
        let variables = server.secrets.iter().filter(|secret| secret.place == SecretPlace::Env);
        self.secrets = variables.map(|secret| secret.name.clone()).collect();
        Ok(())
    }

    /// Forgets what is remembered, because the server is this again.
    pub fn forget_definition(&mut self) {
        (self.definition, self.secrets) = (None, Vec::new());
    }
}

impl BundleRecord {
    /// The remembered server. What doesn't come from the bundle is as the server has it now: its name, its time limit
    /// and when it starts. `current` is the version in use: a secret stays only if its variable has the same meaning
    /// in both.
    pub fn remembered(&self, now: &NewServer, current: &Self) -> Result<Option<NewServer>, HostError> {
        let Some(members) = self.facts.definition.clone() else { return Ok(None) };
        let server = NewServer::new(&now.name, now.transport)
            .with_members(members)
            .map_err(|error| to_internal(&error))?;
        let stays = |name: &str| {
            let has_value = now.secrets.iter().any(|secret| secret.name == name && secret.entered);
            has_value && self.has_same_variable(current, name)
        };
        let secrets = self.facts.secrets.iter().map(|name| ServerSecret {
            entered: stays(name),
            place: SecretPlace::Env,
            name: name.clone(),
            value: None,
        });
        Ok(Some(NewServer { timeout: now.timeout, start: now.start, secrets: secrets.collect(), ..server }))
    }

    /// Whether a variable would be the same in both versions, apart from secrets in it.
    pub fn has_same_variable(&self, other: &Self, name: &str) -> bool {
        let (Some(text), Some(others)) = (self.facts.variables.get(name), other.facts.variables.get(name))
        else {
            return false;
        };
        let is_same_value = |key: &str| self.facts.values.get(key) == other.facts.values.get(key);
        let is_same_folder = self.folder == other.folder || !text.contains(OWN_FOLDER);
        text == others && is_same_folder && value_keys(text).into_iter().all(is_same_value)
    }
}

/// The keys of the values that a text of a manifest has places for.
pub fn value_keys(text: &str) -> Vec<&str> {
    let parts = text.split("${user_config.").skip(1);
    parts.filter_map(|part| Some(part.split_once('}')?.0)).collect()
}

impl ServerBundleRecord {
    /// Reads the rows of all servers. A row that another program made unreadable doesn't count.
    pub fn from_rows(rows: Vec<ServerBundleRow>) -> BTreeMap<i64, Self> {
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
    pub fn to_rows(&self, server_id: i64) -> Result<Vec<ServerBundleRow>, HostError> {
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

/// An error of reading or writing what is remembered.
pub fn to_internal(error: &serde_json::Error) -> HostError {
    HostError::Internal(Sentence::quoted(error.to_string()))
}
