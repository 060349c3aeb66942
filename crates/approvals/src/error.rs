//! Errors of rules, approvals and network settings.

use std::fmt;

use mooring_disk::StoreError;
use mooring_policy::InvalidRule;
use mooring_vault::VaultError;
use mooring_words::{Sentence, say};

/// Why a rule could not be saved, removed or restored.
#[derive(Debug)]
pub enum RuleError {
    /// The rule is invalid.
    Invalid(InvalidRule),
    /// No rule has this id.
    NoSuch(i64),
    /// The database failed.
    Store(StoreError),
}

/// Why something could not be approved or compared with what was approved.
#[derive(Debug)]
pub enum TrustError {
    /// An item is no longer what was shown to the person.
    Changed {
        /// The item's name.
        what: String,
    },
    /// The vault is not open.
    Vault(VaultError),
    /// The database failed.
    Store(StoreError),
    /// An internal error that the person can't fix.
    Internal(Sentence),
}

impl TrustError {
    /// An error for the log and for developers only.
    pub(crate) fn internal(error: impl fmt::Display) -> Self {
        Self::Internal(Sentence::quoted(error.to_string()))
    }

    /// The error as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Changed { what } => say!("the definition has changed: {what}", what),
            Self::Vault(error) => error.sentence(),
            Self::Store(error) => error.sentence(),
            Self::Internal(message) => message.clone(),
        }
    }
}

impl fmt::Display for TrustError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

impl std::error::Error for TrustError {}

impl From<InvalidRule> for RuleError {
    fn from(error: InvalidRule) -> Self {
        Self::Invalid(error)
    }
}

impl From<StoreError> for RuleError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<StoreError> for TrustError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Why network settings could not be saved.
#[derive(Debug)]
pub enum NetworkError {
    /// The settings are invalid.
    Invalid(Sentence),
    /// The settings are no longer what was shown to the person.
    Changed,
    /// The database failed.
    Store(StoreError),
}

impl NetworkError {
    /// The error as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Invalid(message) => message.clone(),
            Self::Changed => say!("the network settings changed meanwhile"),
            Self::Store(error) => error.sentence(),
        }
    }
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

impl std::error::Error for NetworkError {}

impl From<StoreError> for NetworkError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
