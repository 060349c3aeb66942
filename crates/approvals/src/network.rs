//! Settings that decide where secrets are sent: the proxy, additional certificate authorities, our Client ID
//! Metadata Document for authorization servers, and the port for apps.
//!
//! The settings only apply if the vault's key authenticates them. Otherwise, because the vault isn't open or
//! the document is missing, the system's proxy and authorities are used. If there is no key, nothing is
//! encrypted, and the table is trusted.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use mooring_base::codes;
use mooring_base::digest::sha256;
use mooring_disk::StoreError;
use mooring_network::{Certificate, Network, ProxyChoice};
use mooring_store::{Settings, TableChanges, VouchedSettings};
use mooring_words::{Sentence, say};
use serde::Serialize;
use serde_json::{Map, Value, json};
use ts_rs::TS;

use crate::error::NetworkError;

/// The keys of their rows in the table. The first row has a JSON object, the second a list of texts.
const SETTINGS: &str = "settings";
const CERTIFICATES: &str = "certificates";
/// The members of the object.
const PROXY: &str = "proxy";
const CLIENT_DOCUMENT: &str = "clientDocument";
const APPS_PORT: &str = "appsPort";
const MEMBERS: [&str; 3] = [PROXY, CLIENT_DOCUMENT, APPS_PORT];
/// Maximum number of certificates that are trusted in addition to the system's.
const MAX_CERTIFICATES: usize = 100;

/// The settings as JSON, by their names.
type Values = BTreeMap<&'static str, Value>;

/// The settings that decide where secrets are sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NetworkSettings {
    /// The proxy.
    pub proxy: ProxyChoice,
    /// The URL of our Client ID Metadata Document. Empty if there is none.
    pub client_document: String,
    /// The port at which apps may connect over HTTP. 0 if they may not.
    pub apps_port: u32,
    /// The authorities that are trusted in addition to the system's.
    pub certificates: Vec<Certificate>,
}

codes! {
    /// Why the network settings in the table do not apply.
    pub enum NetworkDoubt {
        /// The vault is not open.
        Locked = "locked",
        /// Nothing proves that the person saved the settings.
        Unverified = "unverified",
        /// Another program changed the settings.
        Changed = "changed",
    }
}

/// A difference between the settings in the table and those in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct NetworkProblem {
    /// Why the settings in the table do not apply.
    pub doubt: NetworkDoubt,
    /// A sentence about the problem.
    pub message: Sentence,
    /// Descriptions of the settings in the table.
    pub stored: Vec<Sentence>,
    /// Identifies the problem, so that the person can only accept what was shown.
    pub hash: String,
}

/// Called when the settings in force or those in the table have changed.
pub type OnNetworkChange = Arc<dyn Fn(&NetworkSettings) + Send + Sync>;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct NetworkState {
    /// The settings in the table.
    stored: Values,
    /// The settings in force.
    in_force: Values,
    doubt: Option<NetworkDoubt>,
}

/// Saves the network settings, and applies those in force to HTTP requests.
pub struct NetworkStore {
    table: Settings,
    network: Network,
    /// Serializes changes.
    change_lock: tokio::sync::Mutex<()>,
    state: RwLock<NetworkState>,
    on_change: OnNetworkChange,
}

impl fmt::Debug for NetworkStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkStore").field("state", &self.current_state()).finish_non_exhaustive()
    }
}

fn default_values() -> Values {
    [(PROXY, json!("system")), (CLIENT_DOCUMENT, json!("")), (APPS_PORT, json!(0)), (CERTIFICATES, json!([]))]
        .into()
}

/// Decides which of the stored settings are in force, and why the others are not.
fn decide_in_force(stored: Values, vouched: &VouchedSettings) -> NetworkState {
    let (mut in_force, nothing) = (default_values(), BTreeMap::new());
    let (written, doubt) = match vouched {
        VouchedSettings::NoKey => return NetworkState { in_force: stored.clone(), stored, doubt: None },
        VouchedSettings::Locked(written) => {
            // The stored port applies without the key: another program could listen on the port first anyway,
            // and waiting would only lock apps out.
            in_force.extend(stored.get_key_value(APPS_PORT).map(|(name, port)| (*name, port.clone())));
            (written, NetworkDoubt::Locked)
        }
        VouchedSettings::Missing => (&nothing, NetworkDoubt::Unverified),
        VouchedSettings::Written(written) => (written, NetworkDoubt::Changed),
    };
    for (name, value) in &mut in_force {
        if let Some(Ok(written)) = written.get(*name).map(|text| serde_json::from_str(text)) {
            *value = written;
        }
    }
    let doubt = (in_force != stored).then_some(doubt);
    NetworkState { stored, in_force, doubt }
}

impl NetworkSettings {
    /// Parses settings. An invalid setting counts as not set.
    fn from_values(values: &Values) -> Self {
        let value = |name| values.get(name).cloned().unwrap_or_default();
        let texts: Vec<String> = serde_json::from_value(value(CERTIFICATES)).unwrap_or_else(|error| {
            tracing::warn!(%error, "the certificates of authorities can’t be read: only the system’s are trusted");
            Vec::new()
        });
        let certificates = texts.iter().filter_map(|text| {
            let read = Certificate::decode(text);
            read.inspect_err(
                |error| tracing::warn!(%error, "a saved certificate of an authority is left out"),
            )
            .ok()
        });
        let proxy = serde_json::from_value(value(PROXY)).ok();
        Self {
            proxy: proxy.filter(|proxy: &ProxyChoice| proxy.check().is_ok()).unwrap_or(ProxyChoice::System),
            client_document: value(CLIENT_DOCUMENT).as_str().unwrap_or("").to_owned(),
            apps_port: value(APPS_PORT).as_u64().and_then(|port| u32::try_from(port).ok()).unwrap_or(0),
            certificates: certificates.collect(),
        }
    }

    /// Describes these settings where they differ from others.
    fn describe_differences(&self, other: &Self) -> Vec<Sentence> {
        let mut said = Vec::new();
        if self.proxy != other.proxy {
            said.push(match &self.proxy {
                ProxyChoice::System => say!("the system’s proxy"),
                ProxyChoice::Direct => say!("no proxy"),
                ProxyChoice::Custom { url, except } if except.is_empty() => say!("the proxy {url}", url),
                ProxyChoice::Custom { url, except } => {
                    say!("the proxy {url}, but not for {except}", url, except)
                }
            });
        }
        if self.certificates != other.certificates {
            let of = |certificate: &Certificate| {
                let (name, fingerprint) = (certificate.name(), certificate.fingerprint());
                say!("the certificate of “{name}” with the SHA-256 {fingerprint}", name, fingerprint)
            };
            said.extend(self.certificates.iter().map(of));
            if self.certificates.is_empty() {
                said.push(say!("no additional certificates"));
            }
        }
        if self.client_document != other.client_document {
            said.push(match self.client_document.as_str() {
                "" => say!("no client metadata URL"),
                address => say!("the client metadata URL {address}", address),
            });
        }
        if self.apps_port != other.apps_port {
            said.push(match self.apps_port {
                0 => say!("no port for apps"),
                port => say!("port {port} for apps", port),
            });
        }
        said
    }
}

/// The key and the value of a row, and the settings to authenticate with it, as JSON under their names.
type VouchedRow<'r> = (&'r str, Value, Vec<(String, String)>);

impl NetworkStore {
    /// Reads the settings, and applies those in force.
    pub async fn open(
        table: Settings,
        network: Network,
        on_change: OnNetworkChange,
    ) -> Result<Self, NetworkError> {
        let (change_lock, state) = (tokio::sync::Mutex::default(), RwLock::default());
        let store = Self { table, network, change_lock, state, on_change };
        store.apply_stored_settings().await?;
        Ok(store)
    }

    fn current_state(&self) -> NetworkState {
        self.state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The settings in force.
    pub fn in_force(&self) -> NetworkSettings {
        NetworkSettings::from_values(&self.current_state().in_force)
    }

    /// Whether settings in the table may apply once the vault is open.
    pub fn is_waiting(&self) -> bool {
        self.current_state().doubt == Some(NetworkDoubt::Locked)
    }

    /// The difference between the table and the settings in force, if there is one.
    pub fn problem(&self) -> Option<NetworkProblem> {
        let NetworkState { stored, in_force, doubt } = self.current_state();
        let doubt = doubt?;
        let message = match doubt {
            NetworkDoubt::Locked => {
                say!("The saved network settings apply once the vault is open. Until then the system’s do.")
            }
            NetworkDoubt::Unverified => {
                say!("Mooring can’t verify that you saved these network settings. It uses the system’s.")
            }
            NetworkDoubt::Changed => {
                say!("Another program changed the network settings. What you saved counts.")
            }
        };
        let said = NetworkSettings::from_values(&stored)
            .describe_differences(&NetworkSettings::from_values(&in_force));
        Some(NetworkProblem { doubt, message, stored: said, hash: sha256(&json!(stored).to_string()) })
    }

    /// Reads the settings again, after the vault was opened or another process changed them.
    pub async fn reload(&self) -> Result<(), NetworkError> {
        let _turn = self.change_lock.lock().await;
        self.apply_stored_settings().await
    }

    /// Reads the settings again soon after another process has changed them. Never returns.
    pub async fn watch(&self, mut changes: TableChanges) {
        loop {
            changes.changed_after(self.reload().await, "the network settings could not be read again").await;
        }
    }

    async fn apply_stored_settings(&self) -> Result<(), NetworkError> {
        let (stored, _) = self.read_stored_values().await?;
        let vouched = match self.table.vouched().await {
            // The settings are read again once the current key is available.
            Err(StoreError::WrongKey) => VouchedSettings::Locked(BTreeMap::new()),
            vouched => vouched?,
        };
        let (before, now) = (self.current_state(), decide_in_force(stored, &vouched));
        if now == before {
            return Ok(());
        }
        let settings = NetworkSettings::from_values(&now.in_force);
        if now.in_force != before.in_force {
            self.apply_to_network(&settings)?;
        }
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = now;
        (self.on_change)(&settings);
        Ok(())
    }

    /// The settings in the table, and all members of the object.
    async fn read_stored_values(&self) -> Result<(Values, Map<String, Value>), StoreError> {
        let text = async |key| Ok::<_, StoreError>(self.table.get(key).await?.unwrap_or_default());
        // Settings that can't be parsed count as not set. The reader of the other settings reports the
        // problem.
        let members = serde_json::from_str(&text(SETTINGS).await?).unwrap_or_else(|_| Map::new());
        let mut values = default_values();
        values.extend(MEMBERS.into_iter().filter_map(|name| Some((name, members.get(name)?.clone()))));
        if let Ok(list @ Value::Array(_)) = serde_json::from_str(&text(CERTIFICATES).await?) {
            values.insert(CERTIFICATES, list);
        }
        Ok((values, members))
    }

    fn apply_to_network(&self, settings: &NetworkSettings) -> Result<(), NetworkError> {
        let set = self.network.set(&settings.proxy, &settings.certificates);
        set.map_err(|error| NetworkError::Invalid(Sentence::quoted(error.to_string())))
    }

    /// Saves all settings of the application, by their names. If the table differs from the settings in force
    /// because these can't be verified, a setting that the caller left unchanged is not accepted: its value
    /// in the table remains.
    pub async fn save(&self, mut members: Map<String, Value>) -> Result<(), NetworkError> {
        let _turn = self.change_lock.lock().await;
        let NetworkState { stored, in_force: mut wanted, doubt } = self.current_state();
        let mut vouched = Vec::new();
        for name in MEMBERS {
            let Some(value) = members.get(name).cloned() else { continue };
            let is_left = wanted.get(name) == Some(&value);
            match stored.get(name) {
                Some(stored) if is_left && doubt.is_some_and(|doubt| doubt != NetworkDoubt::Changed) => {
                    members.insert(name.to_owned(), stored.clone());
                }
                _ => {
                    vouched.push((name.to_owned(), value.to_string()));
                    wanted.insert(name, value);
                }
            }
        }
        self.write_rows(&wanted, &[(SETTINGS, Value::Object(members), vouched)]).await
    }

    /// Changes the list of trusted authorities. `change` edits the list.
    pub async fn change_certificates(
        &self,
        change: impl FnOnce(&mut Vec<Certificate>) + Send,
    ) -> Result<(), NetworkError> {
        let _turn = self.change_lock.lock().await;
        let before = self.in_force().certificates;
        let mut certificates = before.clone();
        change(&mut certificates);
        if certificates == before {
            return Ok(());
        }
        if certificates.len() > MAX_CERTIFICATES {
            let message = say!("there can be at most {most} certificates", most = MAX_CERTIFICATES);
            return Err(NetworkError::Invalid(message));
        }
        let list = json!(certificates.iter().map(Certificate::encode).collect::<Vec<_>>());
        let vouched = vec![(CERTIFICATES.to_owned(), list.to_string())];
        let mut wanted = self.current_state().in_force;
        wanted.insert(CERTIFICATES, list.clone());
        self.write_rows(&wanted, &[(CERTIFICATES, list, vouched)]).await
    }

    /// Resolves the problem with this `hash`. With `take`, the person accepts the settings in the table.
    /// Otherwise the settings in force are written into the table.
    pub async fn settle(&self, hash: &str, take: bool) -> Result<(), NetworkError> {
        let _turn = self.change_lock.lock().await;
        self.apply_stored_settings().await?;
        let Some(problem) = self.problem() else { return Ok(()) };
        if problem.hash != hash {
            return Err(NetworkError::Changed);
        }
        let NetworkState { stored, in_force, .. } = self.current_state();
        let wanted = if take { stored } else { in_force };
        let (_, mut members) = self.read_stored_values().await?;
        let mut vouched: Vec<_> =
            wanted.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect();
        let list = wanted.get(CERTIFICATES).cloned().unwrap_or_default();
        members
            .extend(MEMBERS.iter().filter_map(|name| Some(((*name).to_owned(), wanted.get(name)?.clone()))));
        let of_list = vouched.extract_if(.., |(name, _)| name == CERTIFICATES).collect();
        let rows = [(SETTINGS, Value::Object(members), vouched), (CERTIFICATES, list, of_list)];
        self.write_rows(&wanted, &rows).await
    }

    /// Writes rows and authenticates their settings, and applies `wanted` to requests. If that fails, nothing
    /// changes.
    async fn write_rows(&self, wanted: &Values, rows: &[VouchedRow<'_>]) -> Result<(), NetworkError> {
        self.apply_to_network(&NetworkSettings::from_values(wanted))?;
        for (key, value, vouched) in rows {
            if let Err(error) = self.table.set_vouched(key, &value.to_string(), vouched.clone()).await {
                self.apply_to_network(&self.in_force())?;
                return Err(error.into());
            }
        }
        self.apply_stored_settings().await
    }
}

#[cfg(test)]
mod tests;
