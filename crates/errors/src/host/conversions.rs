//! Errors of other crates as errors of the host.

use mooring_accounts::InvalidClient;
use mooring_app_access::AdmissionError;
use mooring_bundles::BundleError;
use mooring_registry::RegistryError;

use super::HostError;

impl From<AdmissionError> for HostError {
    fn from(error: AdmissionError) -> Self {
        match error {
            AdmissionError::Refused(rule) => Self::Denied { rule },
            AdmissionError::Store(error) => error.into(),
        }
    }
}

impl From<mooring_apps::Error> for HostError {
    fn from(error: mooring_apps::Error) -> Self {
        Self::AppFile(error)
    }
}

impl From<BundleError> for HostError {
    fn from(error: BundleError) -> Self {
        Self::Bundle(error)
    }
}

impl From<RegistryError> for HostError {
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::Store(error) => error.into(),
            RegistryError::Registry { code, sentence } => Self::Catalog { code: Some(code), sentence },
        }
    }
}

impl From<InvalidClient> for HostError {
    fn from(InvalidClient(message): InvalidClient) -> Self {
        Self::InvalidArguments(message)
    }
}
