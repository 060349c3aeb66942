//! The keychain of this system, through the `keyring` crate.
//!
//! The crate initializes itself once per process and remembers the result, even a failure. Therefore this
//! module opens the platform's store itself for each request, and only uses the crate's entries.

use std::collections::HashMap;
use std::sync::Arc;

use keyring::Entry;
use keyring_core::{CredentialStore, Error};
use secrecy::{ExposeSecret, SecretString};
use zeroize::Zeroizing;

use super::{ConnectKeychain, Keychain};
use crate::error::KeychainError;
use crate::key::to_secret_string;

/// The service name of all entries. It has no dot, because Windows splits names at dots.
const SERVICE: &str = "Mooring";
/// How many entries with the same name are read at most.
const MOST_ENTRIES: usize = 16;

/// Connects to the current user's keychain on this system.
pub fn system_keychain() -> ConnectKeychain {
    Arc::new(|| Ok(Box::new(SystemKeychain(platform::open_store()?)) as Box<dyn Keychain>))
}

struct SystemKeychain(Arc<CredentialStore>);

impl SystemKeychain {
    fn build_entry(&self, account: &str) -> Result<Entry, KeychainError> {
        let label = platform::LABEL.map(|label| HashMap::from([("label", label)]));
        let inner = self.0.build(SERVICE, account, label.as_ref()).map_err(to_keychain_error)?;
        Ok(Entry { inner })
    }
}

impl Keychain for SystemKeychain {
    fn read(&mut self, account: &str) -> Result<Vec<SecretString>, KeychainError> {
        match read_text(&self.build_entry(account)?) {
            Ok(text) => Ok(text.into_iter().collect()),
            Err(Error::Ambiguous(entries)) => {
                let entries = entries.into_iter().take(MOST_ENTRIES).map(|inner| read_text(&Entry { inner }));
                Ok(entries
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(to_keychain_error)?
                    .into_iter()
                    .flatten()
                    .collect())
            }
            Err(error) => Err(to_keychain_error(error)),
        }
    }

    fn write(&mut self, account: &str, text: &SecretString) -> Result<(), KeychainError> {
        self.build_entry(account)?.set_secret(text.expose_secret().as_bytes()).map_err(to_keychain_error)
    }

    fn remove(&mut self, account: &str) -> Result<(), KeychainError> {
        let remove = |entry: &Entry| match entry.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(error),
        };
        match remove(&self.build_entry(account)?) {
            Err(Error::Ambiguous(entries)) => {
                entries.into_iter().try_for_each(|inner| remove(&Entry { inner })).map_err(to_keychain_error)
            }
            done => done.map_err(to_keychain_error),
        }
    }

    fn accounts(&mut self) -> Result<Vec<String>, KeychainError> {
        let found = self.0.search(&HashMap::from([platform::OURS])).map_err(to_keychain_error)?;
        let ours = found.into_iter().filter_map(|entry| entry.get_specifiers());
        Ok(ours.filter(|(service, _)| service == SERVICE).map(|(_, account)| account).collect())
    }
}

/// The text of an entry. `None` if it is not text, and therefore not ours.
fn read_text(entry: &Entry) -> Result<Option<SecretString>, Error> {
    let bytes = Zeroizing::new(entry.get_secret()?);
    Ok(std::str::from_utf8(&bytes).ok().map(to_secret_string))
}

fn to_keychain_error(error: Error) -> KeychainError {
    match error {
        Error::NoEntry => KeychainError::NotFound,
        error => platform::to_keychain_error(&error)
            .unwrap_or_else(|| KeychainError::Failed { detail: safe_detail(&error) }),
    }
}

/// The system's error as text, without any bytes of an entry.
fn safe_detail(error: &Error) -> String {
    match error {
        Error::BadEncoding(_) | Error::BadDataFormat(..) | Error::Ambiguous(_) => {
            "unreadable entry".to_owned()
        }
        error => error.to_string(),
    }
}

#[cfg(all(unix, not(target_os = "macos")))]
mod platform {
    use std::sync::Arc;

    use keyring_core::{CredentialStore, Error};
    use secret_service::Error as ServiceError;
    use zbus::fdo;

    use super::{KeychainError, to_keychain_error as general};

    /// The entry's label in programs that show the keychain.
    pub(super) const LABEL: Option<&str> = Some("Mooring");
    pub(super) const OURS: (&str, &str) = ("service", super::SERVICE);

    pub(super) fn open_store() -> Result<Arc<CredentialStore>, KeychainError> {
        match zbus_secret_service_keyring_store::Store::new() {
            Ok(store) => Ok(store),
            Err(error) => Err(general(error)),
        }
    }

    pub(super) fn to_keychain_error(error: &Error) -> Option<KeychainError> {
        let (Error::PlatformFailure(source) | Error::NoStorageAccess(source)) = error else { return None };
        match source.downcast_ref()? {
            ServiceError::Unavailable => Some(KeychainError::NoBus { detail: source.to_string() }),
            ServiceError::Locked | ServiceError::Prompt | ServiceError::PromptDisconnected => {
                Some(KeychainError::Locked)
            }
            ServiceError::NoResult => Some(KeychainError::NoCollection),
            ServiceError::Zbus(error) => from_zbus(error),
            ServiceError::ZbusFdo(error) => from_fdo(error),
            _ => None,
        }
    }

    fn from_zbus(error: &zbus::Error) -> Option<KeychainError> {
        match error {
            zbus::Error::Connection(..)
            | zbus::Error::InputOutput(_)
            | zbus::Error::Address(_)
            | zbus::Error::Handshake(_) => Some(KeychainError::NoBus { detail: error.to_string() }),
            zbus::Error::MethodError(name, ..) => from_error_name(name.as_str()),
            zbus::Error::FDO(error) => from_fdo(error),
            _ => None,
        }
    }

    fn from_fdo(error: &fdo::Error) -> Option<KeychainError> {
        match error {
            fdo::Error::ServiceUnknown(_) | fdo::Error::NameHasNoOwner(_) => Some(KeychainError::NoProvider),
            fdo::Error::ZBus(error) => from_zbus(error),
            _ => None,
        }
    }

    /// Converts error names of the D-Bus and Secret Service specifications.
    fn from_error_name(name: &str) -> Option<KeychainError> {
        match name {
            "org.freedesktop.DBus.Error.ServiceUnknown"
            | "org.freedesktop.DBus.Error.NameHasNoOwner"
            | "org.freedesktop.DBus.Error.Spawn.ServiceNotFound" => Some(KeychainError::NoProvider),
            "org.freedesktop.Secret.Error.IsLocked" => Some(KeychainError::Locked),
            _ => None,
        }
    }
}

#[cfg(target_os = "macos")]
mod platform {
    use std::sync::Arc;

    use keyring_core::{CredentialStore, Error};

    use super::{KeychainError, to_keychain_error as general};

    pub(super) const LABEL: Option<&str> = None;
    pub(super) const OURS: (&str, &str) = ("service", super::SERVICE);

    pub(super) fn open_store() -> Result<Arc<CredentialStore>, KeychainError> {
        match apple_native_keyring_store::keychain::Store::new() {
            Ok(store) => Ok(store),
            Err(error) => Err(general(error)),
        }
    }

    /// The store reports an unusable keychain with a separate error.
    pub(super) fn to_keychain_error(error: &Error) -> Option<KeychainError> {
        matches!(error, Error::NoStorageAccess(_)).then_some(KeychainError::Locked)
    }
}

#[cfg(windows)]
mod platform {
    use std::sync::Arc;

    use keyring_core::{CredentialStore, Error};

    use super::{KeychainError, to_keychain_error as general};

    pub(super) const LABEL: Option<&str> = None;
    /// In this store, the names of entries end with the service name.
    pub(super) const OURS: (&str, &str) = ("pattern", r"\.Mooring$");

    pub(super) fn open_store() -> Result<Arc<CredentialStore>, KeychainError> {
        match windows_native_keyring_store::Store::new() {
            Ok(store) => Ok(store),
            Err(error) => Err(general(error)),
        }
    }

    /// Windows reports this error if the process has no logon session for credentials.
    pub(super) fn to_keychain_error(error: &Error) -> Option<KeychainError> {
        matches!(error, Error::NoStorageAccess(_)).then_some(KeychainError::NoCollection)
    }
}
