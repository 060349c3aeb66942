//! Variables and headers of servers whose values are sealed: what the person enters, what is written, and what a
//! connection gets.

pub(crate) mod purpose;

use std::fmt;

use mooring_store::{NewServerSecret, Secrets, ServerLogins, ServerSecrets, Store};
use mooring_vault::{Vault, VaultError, random_id};
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use ts_rs::TS;
use url::Url;

pub use mooring_store::SecretPlace;

use crate::error::{Failure, FailureCode, HostError};
use crate::server::{NewServer, ServerId, Transport};
use crate::shown;
use crate::sign_in::records::{sealed, secret_row};

/// Most sealed values of one server.
const MOST: usize = 64;
/// Most bytes of a value: what the systems let a variable have.
const LONGEST: usize = 64 * 1024;

/// A variable or header of a server whose value is sealed.
#[derive(Clone, Serialize, Deserialize, TS)]
pub struct ServerSecret {
    /// Where the value goes.
    pub place: SecretPlace,
    /// The variable's or the header's name.
    pub name: String,
    /// On the way in: the value; none keeps the one that is sealed. Never on the way out.
    #[serde(default, serialize_with = "shown::nothing", deserialize_with = "shown::secret")]
    #[ts(type = "string | null")]
    pub value: Option<SecretString>,
    /// On the way out: a value is sealed; otherwise it is to be entered.
    pub entered: bool,
}

impl fmt::Debug for ServerSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerSecret")
            .field("place", &self.place)
            .field("name", &self.name)
            .field("entered", &self.entered)
            .finish_non_exhaustive()
    }
}

impl PartialEq for ServerSecret {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.value, &other.value) {
            (Some(one), Some(other)) => {
                one.expose_secret().as_bytes().ct_eq(other.expose_secret().as_bytes()).into()
            }
            (None, None) => true,
            _ => false,
        };
        same && (self.place, &self.name, self.entered) == (other.place, &other.name, other.entered)
    }
}

impl Eq for ServerSecret {}

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

fn invalid<T>(message: Sentence) -> Result<T, HostError> {
    Err(HostError::InvalidServer { field: "secrets", message })
}

/// The sealed values of a server as they are saved, without those of the other transport. Refuses what cannot work.
pub(crate) fn checked(server: &NewServer) -> Result<Vec<ServerSecret>, HostError> {
    let place = match server.transport {
        Transport::Stdio => SecretPlace::Env,
        Transport::Http => SecretPlace::Header,
    };
    let mut kept: Vec<ServerSecret> = Vec::new();
    for secret in server.secrets.iter().filter(|secret| secret.place == place) {
        let name = &secret.name;
        let plain = if place == SecretPlace::Env { &server.env } else { &server.headers };
        if plain.keys().any(|plain| place.is_same(plain, name)) {
            return invalid(say!("{name} has a plain value as well: take one of the two away", name));
        }
        if kept.iter().any(|kept| place.is_same(&kept.name, name)) {
            return invalid(say!("{name} stands twice", name));
        }
        check_name(place, name)?;
        if let Some(value) = &secret.value {
            check_value(place, name, value.expose_secret())?;
        }
        kept.push(secret.clone());
    }
    if kept.len() > MOST {
        return invalid(say!("no more than {limit} values of one server can be sealed", limit = MOST));
    }
    Ok(kept)
}

/// A header that was sealed for one origin is not sent to another: whoever changes the address has to know the value.
pub(crate) fn stay_with_their_origin(before: &NewServer, after: &NewServer) -> Result<(), HostError> {
    let origin = |server: &NewServer| {
        server.url.as_deref().and_then(|url| Url::parse(url).ok()).map(|url| url.origin())
    };
    let (Some(from), Some(to)) = (origin(before), origin(after)) else { return Ok(()) };
    if from == to {
        return Ok(());
    }
    let kept = |secret: &&ServerSecret| secret.place == SecretPlace::Header && secret.value.is_none();
    match after.secrets.iter().find(kept) {
        None => Ok(()),
        Some(secret) => invalid(say!(
            "the value of {name} was sealed for {from}: enter it again if {to} shall get it",
            name = &secret.name,
            from = from.ascii_serialization(),
            to = to.ascii_serialization()
        )),
    }
}

fn check_name(place: SecretPlace, name: &str) -> Result<(), HostError> {
    let shown = || format!("{name:?}");
    match place {
        SecretPlace::Env if name.is_empty() || name.contains(['=', '\0']) => {
            invalid(say!("not a name of a variable: {name}", name = shown()))
        }
        SecretPlace::Header if http::HeaderName::from_bytes(name.as_bytes()).is_err() => {
            invalid(say!("not a name of a header: {name}", name = shown()))
        }
        _ => Ok(()),
    }
}

fn check_value(place: SecretPlace, name: &str, value: &str) -> Result<(), HostError> {
    if value.is_empty() {
        return invalid(say!("a value is needed: {name}", name));
    }
    if value.len() > LONGEST {
        return invalid(say!("the value is longer than {limit} KiB: {name}", limit = LONGEST / 1024, name));
    }
    match place {
        SecretPlace::Env if value.contains('\0') => {
            invalid(say!("the value contains a NUL character: {name}", name))
        }
        SecretPlace::Header if http::HeaderValue::from_str(value).is_err() => {
            invalid(say!("the value cannot be sent in a header: {name}", name))
        }
        _ => Ok(()),
    }
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
    pub(crate) async fn ready(&self, secrets: &[ServerSecret]) -> Result<(), HostError> {
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
    pub(crate) async fn refresh(&self) -> Result<(), HostError> {
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
    pub(crate) async fn list(&self, servers: Vec<(ServerId, String)>) -> Result<Vec<SecretView>, HostError> {
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
fn unread(error: &mooring_store::StoreError) -> Failure {
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
