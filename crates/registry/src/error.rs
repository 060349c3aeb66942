//! Errors of fetching and reading a registry.

use std::fmt;

use mooring_disk::StoreError;
use mooring_words::{Sentence, say};

/// What went wrong, as far as a front end acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RegistryErrorCode {
    /// The registry's URL can't be used.
    InvalidUrl,
    /// The registry can't be reached, or doesn't answer in time.
    Unreachable,
    /// The registry answers with an error.
    Refused,
    /// What answers isn't a registry, or breaks the rules of one.
    NotARegistry,
    /// The registry has no such entry or version.
    NotFound,
    /// A limit on what is fetched was reached.
    TooLarge,
    /// The fetch was cancelled.
    Cancelled,
}

/// Why a registry could not be used.
#[derive(Debug)]
pub enum RegistryError {
    /// The registry, with a sentence for the person.
    Registry {
        /// The kind of error.
        code: RegistryErrorCode,
        /// What happened.
        sentence: Sentence,
    },
    /// The copy could not be read or written.
    Store(StoreError),
}

impl RegistryError {
    pub(crate) fn new(code: RegistryErrorCode, sentence: Sentence) -> Self {
        Self::Registry { code, sentence }
    }

    pub(crate) fn unreachable(reason: Sentence) -> Self {
        let sentence = say!("the registry can’t be reached: {reason}", reason);
        Self::new(RegistryErrorCode::Unreachable, sentence)
    }

    pub(crate) fn not_a_registry(reason: Sentence) -> Self {
        let sentence = say!("this isn’t an answer of an MCP registry: {reason}", reason);
        Self::new(RegistryErrorCode::NotARegistry, sentence)
    }

    pub(crate) fn status(status: u16) -> Self {
        let sentence = say!("the registry answered with HTTP status {status}", status = status);
        Self::new(RegistryErrorCode::Refused, sentence)
    }

    pub(crate) fn too_large(sentence: Sentence) -> Self {
        Self::new(RegistryErrorCode::TooLarge, sentence)
    }

    pub(crate) fn not_found(name: &str) -> Self {
        Self::new(RegistryErrorCode::NotFound, say!("the registry has no such entry: {name}", name))
    }

    pub(crate) fn cancelled() -> Self {
        Self::new(RegistryErrorCode::Cancelled, say!("the update of the catalog was cancelled"))
    }

    /// The kind of error. `None` for one of the database.
    pub fn code(&self) -> Option<RegistryErrorCode> {
        match self {
            Self::Registry { code, .. } => Some(*code),
            Self::Store(_) => None,
        }
    }

    /// The error as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Registry { sentence, .. } => sentence.clone(),
            Self::Store(error) => error.sentence(),
        }
    }
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl std::error::Error for RegistryError {}

impl From<StoreError> for RegistryError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
