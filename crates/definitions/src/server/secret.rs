//! Variables and headers of a server whose values are encrypted.

use std::fmt;

use crate::Transport;
use mooring_base::view_serde;
use mooring_store::{SecretPlace, ServerSecretRow};
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use ts_rs::TS;
use url::Url;

use super::{InvalidServer, NewServer};

/// Maximum number of encrypted values of one server.
const MAX_SECRETS: usize = 64;
/// Maximum number of bytes of a value. Operating systems don't allow longer variables.
const MAX_VALUE_BYTES: usize = 64 * 1024;

/// A variable or header of a server whose value is encrypted.
#[derive(Clone, Serialize, Deserialize, TS)]
pub struct ServerSecret {
    /// Whether it is a variable or a header.
    pub place: SecretPlace,
    /// The variable's or the header's name.
    pub name: String,
    /// The value as input. `None` keeps the saved one. Never part of the output.
    #[serde(default, serialize_with = "view_serde::nothing", deserialize_with = "view_serde::secret")]
    #[ts(type = "string | null")]
    pub value: Option<SecretString>,
    /// In the output: whether a value is saved. Otherwise the person has to enter it.
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

impl From<&ServerSecretRow> for ServerSecret {
    fn from(row: &ServerSecretRow) -> Self {
        Self { place: row.place, name: row.name.clone(), value: None, entered: row.secret_id.is_some() }
    }
}

fn invalid<T>(message: Sentence) -> Result<T, InvalidServer> {
    Err(InvalidServer { field: "secrets", message })
}

/// Validates the secrets of a server, and removes those of the other transport.
pub(super) fn validated_secrets(server: &NewServer) -> Result<Vec<ServerSecret>, InvalidServer> {
    let place = match server.transport {
        Transport::Stdio => SecretPlace::Env,
        Transport::Http => SecretPlace::Header,
    };
    let mut secrets: Vec<ServerSecret> = Vec::new();
    for secret in server.secrets.iter().filter(|secret| secret.place == place) {
        let name = &secret.name;
        let plain = if place == SecretPlace::Env { &server.env } else { &server.headers };
        if plain.keys().any(|plain| place.is_same(plain, name)) {
            return invalid(say!("{name} also has an unencrypted value: remove one of the two", name));
        }
        if secrets.iter().any(|secret| place.is_same(&secret.name, name)) {
            return invalid(say!("{name} appears twice", name));
        }
        check_name(place, name)?;
        if let Some(value) = &secret.value {
            check_value(place, name, value.expose_secret())?;
        }
        secrets.push(secret.clone());
    }
    if secrets.len() > MAX_SECRETS {
        return invalid(say!(
            "no more than {limit} values of one server can be encrypted",
            limit = MAX_SECRETS
        ));
    }
    Ok(secrets)
}

/// Fails if the URL's origin changes while a header keeps its saved value. A header is only sent to the
/// origin for which it was entered.
pub fn check_header_origins(before: &NewServer, after: &NewServer) -> Result<(), InvalidServer> {
    let origin = |server: &NewServer| {
        server.url.as_deref().and_then(|url| Url::parse(url).ok()).map(|url| url.origin())
    };
    let (Some(from), Some(to)) = (origin(before), origin(after)) else { return Ok(()) };
    if from == to {
        return Ok(());
    }
    let is_saved_header =
        |secret: &&ServerSecret| secret.place == SecretPlace::Header && secret.value.is_none();
    match after.secrets.iter().find(is_saved_header) {
        None => Ok(()),
        Some(secret) => invalid(say!(
            "the value of {name} was saved for {from}: enter it again to send it to {to}",
            name = &secret.name,
            from = from.ascii_serialization(),
            to = to.ascii_serialization()
        )),
    }
}

fn check_name(place: SecretPlace, name: &str) -> Result<(), InvalidServer> {
    let shown = || format!("{name:?}");
    match place {
        SecretPlace::Env if name.is_empty() || name.contains(['=', '\0']) => {
            invalid(say!("not a variable name: {name}", name = shown()))
        }
        SecretPlace::Header if http::HeaderName::from_bytes(name.as_bytes()).is_err() => {
            invalid(say!("not a header name: {name}", name = shown()))
        }
        _ => Ok(()),
    }
}

fn check_value(place: SecretPlace, name: &str, value: &str) -> Result<(), InvalidServer> {
    if value.is_empty() {
        return invalid(say!("a value is required: {name}", name));
    }
    if value.len() > MAX_VALUE_BYTES {
        return invalid(say!(
            "the value is longer than {limit} KiB: {name}",
            limit = MAX_VALUE_BYTES / 1024,
            name
        ));
    }
    match place {
        SecretPlace::Env if value.contains('\0') => {
            invalid(say!("the value contains a NUL character: {name}", name))
        }
        SecretPlace::Header if http::HeaderValue::from_str(value).is_err() => {
            invalid(say!("the value can’t be sent in a header: {name}", name))
        }
        _ => Ok(()),
    }
}
