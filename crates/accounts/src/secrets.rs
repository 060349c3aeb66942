//! Variables and headers of servers with encrypted values: saves them, and decrypts them for a connection.

use mooring_base::server_id::ServerId;
use mooring_definitions::ServerSecret;
use mooring_disk::StoreError;
use mooring_store::{NewServerSecret, SecretPlace, Secrets, ServerLogins, ServerSecrets, Store};
use mooring_vault::{Vault, VaultError, random_id};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use ts_rs::TS;

use crate::purpose;
use crate::row::{encrypted_blob, secret_row};

/// An encrypted value, in the list of all values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SecretView {
    /// The server that the value is for.
    pub server: ServerId,
    /// The server's name.
    pub server_name: String,
    /// Whether it is a variable or a header.
    pub place: SecretPlace,
    /// The variable's or the header's name.
    pub name: String,
    /// Whether a value is saved. Otherwise the person has to enter it.
    pub entered: bool,
    /// When the value was encrypted, in milliseconds since the Unix epoch. `None` if it has to be entered.
    #[serde(rename = "sealedAt")]
    pub sealed_ms: Option<i64>,
}

/// The encrypted values of servers, and the vault that decrypts them.
#[derive(Debug, Clone)]
pub struct ServerSecretValues {
    rows: ServerSecrets,
    secrets: Secrets,
    logins: ServerLogins,
    vault: Vault,
}

/// A decrypted value. It goes into a process's environment or a request's headers, and is then dropped.
pub struct DecryptedSecret {
    /// Whether it is a variable or a header.
    pub place: SecretPlace,
    /// The variable's or the header's name.
    pub name: String,
    /// The decrypted value.
    pub value: SecretString,
}

impl DecryptedSecret {
    /// The texts to redact in the log: the value, and for a header such as `Bearer x` also the credential
    /// alone.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let value = self.value.expose_secret();
        let credential = value.trim().split_once(' ').filter(|_| self.place == SecretPlace::Header);
        std::iter::once(value).chain(credential.map(|(_, credential)| credential.trim()))
    }
}

/// Why a server's encrypted values are unavailable.
#[derive(Debug)]
pub enum SecretUnavailable {
    /// The database could not be read.
    Database(StoreError),
    /// There is no value for this name.
    Missing {
        /// The variable's or the header's name.
        name: String,
    },
    /// The value can't be decrypted.
    Undecryptable {
        /// The variable's or the header's name.
        name: String,
        /// Why.
        why: VaultError,
    },
    /// The vault is not open.
    Locked(VaultError),
}

impl From<StoreError> for SecretUnavailable {
    fn from(error: StoreError) -> Self {
        Self::Database(error)
    }
}

impl ServerSecretValues {
    /// The encrypted values in a store. `vault` decrypts them.
    pub fn new(store: &Store, vault: Vault) -> Self {
        Self { rows: store.server_secrets(), secrets: store.secrets(), logins: store.server_logins(), vault }
    }

    /// Opens the vault if one of the secrets has a new value. Otherwise the vault is not needed.
    pub async fn open_vault_if_needed(&self, secrets: &[ServerSecret]) -> Result<(), VaultError> {
        if secrets.iter().any(|secret| secret.value.is_some()) {
            self.vault.open().await?;
        }
        Ok(())
    }

    /// Encrypts the secrets that have a new value, for the server with this id and this URL only.
    pub fn encrypt(
        &self,
        server: i64,
        url: Option<&str>,
        secrets: &[ServerSecret],
    ) -> Result<Vec<NewServerSecret>, VaultError> {
        let seal = |secret: &ServerSecret| {
            let value = secret.value.as_ref().map(|value| {
                let (id, purpose) =
                    (random_id()?, purpose::of_value(server, secret.place, &secret.name, url));
                let sealed = self.vault.encrypt(&id, &purpose, value)?;
                Ok::<_, VaultError>(secret_row(id, purpose::SERVER, purpose, sealed))
            });
            Ok(NewServerSecret { place: secret.place, name: secret.name.clone(), value: value.transpose()? })
        };
        secrets.iter().map(seal).collect()
    }

    /// Makes the vault load the current key again, after the store rejected a row that was encrypted with
    /// another key.
    pub async fn refresh(&self) -> Result<(), VaultError> {
        self.vault.refresh().await?;
        Ok(())
    }

    /// The values of `secrets` for a server with this URL. Values that were just entered are returned
    /// unchanged. Other values are decrypted.
    pub async fn values(
        &self,
        server: Option<ServerId>,
        url: Option<&str>,
        secrets: &[ServerSecret],
    ) -> Result<Vec<DecryptedSecret>, SecretUnavailable> {
        let mut rows = Vec::new();
        if let Some(server) = server
            && secrets.iter().any(|secret| secret.value.is_none())
        {
            rows = self.rows.list_for_server(server.0).await?;
        }
        let mut values = Vec::with_capacity(secrets.len());
        for ServerSecret { place, name, value, .. } in secrets {
            let (place, name) = (*place, name.clone());
            if let Some(value) = value.clone() {
                values.push(DecryptedSecret { place, name, value });
                continue;
            }
            let row = rows.iter().find(|row| row.place == place && row.name == name);
            let id = row.and_then(|row| row.secret_id.as_ref());
            let (Some(server), Some(id)) = (server, id) else {
                return Err(SecretUnavailable::Missing { name });
            };
            self.vault.open().await.map_err(SecretUnavailable::Locked)?;
            let purpose = purpose::of_value(server.0, place, &name, url);
            let value = match self.decrypt_value(id, &purpose, &name).await {
                Err(SecretUnavailable::Undecryptable { why: VaultError::OtherKey, .. }) => {
                    // Another process has changed the key, and has encrypted the row again.
                    self.vault.refresh().await.map_err(SecretUnavailable::Locked)?;
                    self.decrypt_value(id, &purpose, &name).await?
                }
                value => value?,
            };
            values.push(DecryptedSecret { place, name, value });
        }
        Ok(values)
    }

    async fn decrypt_value(
        &self,
        id: &str,
        purpose: &str,
        name: &str,
    ) -> Result<SecretString, SecretUnavailable> {
        let row = self.secrets.get(id).await?;
        let row = row.ok_or_else(|| SecretUnavailable::Missing { name: name.to_owned() })?;
        let value = encrypted_blob(&row).and_then(|sealed| self.vault.decrypt(&row.id, purpose, &sealed));
        value.map_err(|why| SecretUnavailable::Undecryptable { name: name.to_owned(), why })
    }

    /// Why a server that uses a login can't connect until the vault is unlocked. `None` if the server can
    /// connect or uses no login.
    pub async fn login_lock_reason(&self, server: ServerId) -> Option<VaultError> {
        // If the login can't be read, the server's requests fail and report the reason.
        self.logins.chosen(server.0).await.ok().flatten().filter(|row| row.secret_id.is_some())?;
        self.vault.open().await.err()
    }

    /// All encrypted values of these servers, and when they were saved.
    pub async fn list(&self, servers: Vec<(ServerId, String)>) -> Result<Vec<SecretView>, StoreError> {
        let uses = self.secrets.list().await?;
        let mut views = Vec::new();
        for (server, server_name) in servers {
            for row in self.rows.list_for_server(server.0).await? {
                let sealed = uses.iter().find(|known| Some(&known.id) == row.secret_id.as_ref());
                views.push(SecretView {
                    server,
                    server_name: server_name.clone(),
                    place: row.place,
                    name: row.name,
                    entered: sealed.is_some(),
                    sealed_ms: sealed.map(|known| known.at_us / 1_000),
                });
            }
        }
        Ok(views)
    }
}
