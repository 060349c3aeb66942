//! Errors of models and providers.

use mooring_disk::StoreError;
use mooring_vault::VaultError;
use mooring_words::Sentence;

/// Why an operation with models or providers failed.
#[derive(Debug)]
pub enum SamplingError {
    /// The input is invalid.
    Invalid {
        /// The field, named as in the form.
        field: &'static str,
        /// What is wrong with the field.
        message: Sentence,
    },
    /// The vault can't provide its key.
    Vault(VaultError),
    /// The database failed.
    Store(StoreError),
    /// An internal error that the person can't fix.
    Internal(Sentence),
}

impl SamplingError {
    /// The error as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Invalid { message, .. } | Self::Internal(message) => message.clone(),
            Self::Vault(error) => error.sentence(),
            Self::Store(error) => error.sentence(),
        }
    }
}

impl std::fmt::Display for SamplingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.sentence())
    }
}

impl std::error::Error for SamplingError {}

impl From<VaultError> for SamplingError {
    fn from(error: VaultError) -> Self {
        Self::Vault(error)
    }
}

impl From<StoreError> for SamplingError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
