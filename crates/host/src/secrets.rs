//! Variables and headers of servers whose values are sealed: what is written, and what a connection gets.

pub(crate) mod purpose;
pub(crate) mod row;

use mooring_store::{NewServerSecret, Secrets, ServerLogins, ServerSecrets, Store, StoreError};
use mooring_vault::{Vault, VaultError, random_id};
use mooring_words::say;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use ts_rs::TS;

use crate::failure::{Failure, FailureCode};
use crate::secrets::row::{sealed, secret_row};
use mooring_base::server_id::ServerId;
use mooring_definitions::{SecretPlace, ServerSecret};

/// A sealed value, as a list of all shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SecretView {
    /// The server that uses it.
    pub server: ServerId,
    /// That server's name.
    pub server_name: String,
    /// Where the value goes.
    pub place: SecretPlace,
    /// The variable's or the header's name.
    pub name: String,
    /// A value is sealed; otherwise it is to be entered.
    pub entered: bool,
    /// When the value was sealed, in milliseconds since the Unix epoch; none: it is to be entered.
    #[serde(rename = "sealedAt")]
    pub sealed_ms: Option<i64>,
}

/// The sealed values of servers, and the vault that opens them.
#[derive(Debug, Clone)]
pub(crate) struct SealedValues {
    rows: ServerSecrets,
    secrets: Secrets,
    logins: ServerLogins,
    vault: Vault,
}

/// A value that was opened. It goes into a process's environment or a request's headers, and then goes.
pub(crate) struct Opened {
    pub(crate) place: SecretPlace,
    pub(crate) name: String,
    pub(crate) value: SecretString,
}

impl Opened {
    /// What is to be looked for in the log: the value, and of `Bearer x` the credential by itself.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let value = self.value.expose_secret();
        let credential = value.trim().split_once(' ').filter(|_| self.place == SecretPlace::Header);
        std::iter::once(value).chain(credential.map(|(_, credential)| credential.trim()))
    }
}

impl SealedValues {
    pub(crate) fn new(store: &Store, vault: Vault) -> Self {
        Self { rows: store.server_secrets(), secrets: store.secrets(), logins: store.server_logins(), vault }
    }

    /// Sees to it that what has a new value can be sealed. Where nothing has, the vault is not asked for.
    pub(crate) async fn ready(&self, secrets: &[ServerSecret]) -> Result<(), VaultError> {
        if secrets.iter().any(|secret| secret.value.is_some()) {
            self.vault.open().await?;
        }
        Ok(())
    }

    /// Seals what has a new value, for the server of this number at this URL alone.
    pub(crate) fn seal(
        &self,
        server: i64,
        url: Option<&str>,
        secrets: &[ServerSecret],
    ) -> Result<Vec<NewServerSecret>, VaultError> {
        let seal = |secret: &ServerSecret| {
            let value = secret.value.as_ref().map(|value| {
                let (id, purpose) =
                    (random_id()?, purpose::of_value(server, secret.place, &secret.name, url));
                let sealed = self.vault.seal(&id, &purpose, value)?;
                Ok::<_, VaultError>(secret_row(id, purpose::SERVER, purpose, sealed))
            });
            Ok(NewServerSecret { place: secret.place, name: secret.name.clone(), value: value.transpose()? })
        };
        secrets.iter().map(seal).collect()
    }

    /// Has the vault look which key is in force, after the store refused what was sealed.
    pub(crate) async fn refresh(&self) -> Result<(), VaultError> {
        self.vault.refresh().await?;
        Ok(())
    }

    /// The values of a server that is at this URL, as they are now.
    pub(crate) async fn open(&self, server: ServerId, url: Option<&str>) -> Result<Vec<Opened>, Failure> {
        let rows = self.rows.of_server(server.0).await.map_err(|error| unread(&error))?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let mut opened = Vec::with_capacity(rows.len());
        for row in rows {
            let Some(id) = &row.secret_id else { return Err(missing(&row.name)) };
            self.vault.open().await.map_err(|error| locked(&error))?;
            let purpose = purpose::of_value(server.0, row.place, &row.name, url);
            let value = match self.unseal(id, &purpose, &row.name).await {
                Err(Unopened::Vault(VaultError::OtherKey)) => {
                    // Another process has changed the key, and with it the row.
                    self.vault.refresh().await.map_err(|error| locked(&error))?;
                    self.unseal(id, &purpose, &row.name).await
                }
                value => value,
            };
            let value = value.map_err(|why| match why {
                Unopened::Failure(failure) => *failure,
                Unopened::Vault(error) => unopened(&row.name, &error),
            })?;
            opened.push(Opened { place: row.place, name: row.name, value });
        }
        Ok(opened)
    }

    async fn unseal(&self, id: &str, purpose: &str, name: &str) -> Result<SecretString, Unopened> {
        let row = self.secrets.get(id).await.map_err(|error| Unopened::Failure(Box::new(unread(&error))))?;
        let row = row.ok_or_else(|| Unopened::Failure(Box::new(missing(name))))?;
        sealed(&row).and_then(|sealed| self.vault.unseal(&row.id, purpose, &sealed)).map_err(Unopened::Vault)
    }

    /// Why a server that uses a login cannot be let in before somebody opens the vault; none: it can, or uses none.
    pub(crate) async fn keeps_out(&self, server: ServerId) -> Option<Failure> {
        // Where that cannot be read, the requests say so.
        self.logins.chosen(server.0).await.ok().flatten().filter(|row| row.secret_id.is_some())?;
        self.vault.open().await.err().map(|error| locked(&error))
    }

    /// Every sealed value of these servers, with its time.
    pub(crate) async fn list(&self, servers: Vec<(ServerId, String)>) -> Result<Vec<SecretView>, StoreError> {
        let uses = self.secrets.list().await?;
        let mut views = Vec::new();
        for (server, server_name) in servers {
            for row in self.rows.of_server(server.0).await? {
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

enum Unopened {
    Vault(VaultError),
    Failure(Box<Failure>),
}

/// The store could not be read.
fn unread(error: &StoreError) -> Failure {
    Failure::new(FailureCode::Internal, error.sentence())
}

/// There is no value.
fn missing(name: &str) -> Failure {
    Failure::new(FailureCode::SecretMissing, say!("the value of {name} is not there", name))
        .next(say!("Enter it in the server's settings."))
}

/// There is one that does not open.
fn unopened(name: &str, error: &VaultError) -> Failure {
    let message = say!("the value of {name} does not open: {reason}", name, reason = error.sentence());
    Failure::new(FailureCode::SecretMissing, message).next(say!("Enter it again in the server's settings."))
}

/// The vault is not open.
fn locked(error: &VaultError) -> Failure {
    let message =
        say!("the vault with this server's secrets is not open: {reason}", reason = error.sentence());
    let next = match error.next_step() {
        Some(step) => say!("{step} The server starts by itself once the vault is open.", step),
        None => say!("Open the vault. The server starts by itself then."),
    };
    Failure::new(FailureCode::VaultLocked, message).next(next)
}
