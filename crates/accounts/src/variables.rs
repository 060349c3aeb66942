//! Named secrets for the person's own calls. The window only knows their names. For each call, it makes a new
//! placeholder where the value is inserted. Servers can't guess such a placeholder.

use mooring_disk::StoreError;
use mooring_recorder::Journal;
use mooring_store::{SecretSummary, Secrets, Store};
use mooring_vault::{Vault, VaultError, random_id};
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use ts_rs::TS;
use zeroize::Zeroizing;

use crate::purpose;
use crate::row::{encrypted_blob, secret_row};

/// Maximum number of variables, and maximum characters of a name.
const MOST_VARIABLES: usize = 100;
const LONGEST_NAME: usize = 64;
/// Fewest and most bytes of a value. A shorter value can't be redacted in the log.
const SHORTEST_VALUE: usize = 6;
const LONGEST_VALUE: usize = 64 << 10;
/// Characters of a placeholder: 128 bits as hexadecimal digits.
const PLACE_LENGTH: usize = 32;

/// A placeholder for a value in a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SealedPlace {
    /// The placeholder in the arguments: 32 random hexadecimal digits, made for this call.
    pub place: String,
    /// The variable's name.
    pub name: String,
}

/// Why a variable can't be saved or used.
#[derive(Debug)]
pub enum VariableError {
    /// The database could not be read or written.
    Database(StoreError),
    /// The vault is not open, or the value can't be decrypted.
    Vault(VaultError),
    /// The variable does not exist, or can't be saved in this form.
    Invalid(Sentence),
}

impl From<StoreError> for VariableError {
    fn from(error: StoreError) -> Self {
        Self::Database(error)
    }
}

impl From<VaultError> for VariableError {
    fn from(error: VaultError) -> Self {
        Self::Vault(error)
    }
}

/// The secret variables of a profile, and the vault that decrypts them.
#[derive(Debug)]
pub struct SecretVariables<'a> {
    secrets: Secrets,
    vault: &'a Vault,
    journal: &'a Journal,
}

impl<'a> SecretVariables<'a> {
    /// The variables in a store. `vault` decrypts them, and `journal` redacts those that are used.
    pub fn new(store: &Store, vault: &'a Vault, journal: &'a Journal) -> Self {
        Self { secrets: store.secrets(), vault, journal }
    }

    /// The names of the secret variables, oldest first.
    pub async fn names(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.list_rows().await?.into_iter().filter_map(|row| name_of(&row).map(str::to_owned)).collect())
    }

    async fn list_rows(&self) -> Result<Vec<SecretSummary>, StoreError> {
        Ok(self.secrets.list().await?.into_iter().filter(|row| row.kind == purpose::VARIABLE).collect())
    }

    /// Encrypts and saves a value. Replaces the earlier value of the variable.
    pub async fn set(&self, name: &str, value: &SecretString) -> Result<(), VariableError> {
        check_name(name)?;
        // The log is searched for the value without surrounding white space.
        if value.expose_secret().trim().len() < SHORTEST_VALUE {
            let why = say!("a secret needs {count} characters or more", count = SHORTEST_VALUE.to_string());
            return Err(VariableError::Invalid(why));
        }
        if value.expose_secret().len() > LONGEST_VALUE {
            return Err(VaultError::TooLong.into());
        }
        self.vault.open().await?;
        let rows = self.list_rows().await?;
        let known = rows.iter().find(|row| name_of(row) == Some(name));
        if known.is_none() && rows.len() >= MOST_VARIABLES {
            let why = say!("there are {count} secret variables already", count = rows.len().to_string());
            return Err(VariableError::Invalid(why));
        }
        let id = known.map_or_else(random_id, |row| Ok(row.id.clone()))?;
        let purpose = purpose::of_variable(name);
        let sealed = self.vault.encrypt(&id, &purpose, value)?;
        let row = secret_row(id, purpose::VARIABLE, purpose, sealed);
        match known {
            Some(_) => self.secrets.replace(&row).await?,
            None => self.secrets.insert_named(&row, &label_of(name)).await?,
        }
        self.journal.redact_from_now_on(value.expose_secret());
        Ok(())
    }

    /// Removes a variable. Succeeds if it does not exist.
    pub async fn remove(&self, name: &str) -> Result<(), StoreError> {
        let rows = self.list_rows().await?;
        match rows.iter().find(|row| name_of(row) == Some(name)) {
            Some(row) => self.secrets.remove_named(&row.id).await,
            None => Ok(()),
        }
    }

    /// Replaces the placeholders inside the strings of a JSON text by the values. From then on, all logs
    /// redact the values.
    pub async fn fill(&self, mut json: String, sealed: &[SealedPlace]) -> Result<String, VariableError> {
        for SealedPlace { place, name } in sealed {
            if place.len() != PLACE_LENGTH || !place.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(VariableError::Invalid(say!("this is no place for a secret: {place}", place)));
            }
            let value = self.current_value(name).await?;
            self.journal.redact_from_now_on(value.expose_secret());
            let quoted = Zeroizing::new(serde_json::Value::from(value.expose_secret()).to_string());
            let inside = quoted.get(1..quoted.len() - 1).unwrap_or_default();
            json = json.replace(place, inside);
        }
        Ok(json)
    }

    async fn current_value(&self, name: &str) -> Result<SecretString, VariableError> {
        self.vault.open().await?;
        match self.decrypt_value(name).await {
            Err(VariableError::Vault(VaultError::OtherKey)) => {
                // Another process has changed the key, and has encrypted the row again.
                self.vault.refresh().await?;
                self.decrypt_value(name).await
            }
            value => value,
        }
    }

    async fn decrypt_value(&self, name: &str) -> Result<SecretString, VariableError> {
        let missing = || VariableError::Invalid(say!("there is no secret variable {name}", name));
        let rows = self.list_rows().await?;
        let known = rows.iter().find(|row| name_of(row) == Some(name)).ok_or_else(missing)?;
        let row = self.secrets.get(&known.id).await?.ok_or_else(missing)?;
        Ok(self.vault.decrypt(&row.id, &purpose::of_variable(name), &encrypted_blob(&row)?)?)
    }
}

/// The person's own named secrets have labels too. The prefix keeps the two kinds apart.
fn label_of(name: &str) -> String {
    format!("{}:{name}", purpose::VARIABLE)
}

fn name_of(row: &SecretSummary) -> Option<&str> {
    row.label.as_deref()?.strip_prefix(purpose::VARIABLE)?.strip_prefix(':')
}

fn check_name(name: &str) -> Result<(), VariableError> {
    let is_first = |first: char| first.is_ascii_alphabetic() || first == '_';
    let is_inner = |inner: char| inner.is_ascii_alphanumeric() || matches!(inner, '_' | '-');
    if name.len() <= LONGEST_NAME && name.starts_with(is_first) && name.chars().all(is_inner) {
        return Ok(());
    }
    Err(VariableError::Invalid(say!("a variable can’t be called {name}", name)))
}
