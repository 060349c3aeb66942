//! Errors of other crates as errors of the host.

use mooring_accounts::{InvalidClient, VariableError};
use mooring_app_access::AdmissionError;
use mooring_approvals::{NetworkError, RuleError, TrustError};
use mooring_base::server_id::ServerId;
use mooring_base::uri_template::TemplateError;
use mooring_bundles::BundleError;
use mooring_definitions::InvalidServer;
use mooring_disk::StoreError;
use mooring_inbox::InboxError;
use mooring_policy::InvalidRule;
use mooring_process::OpenError;
use mooring_profiles::ProfileError;
use mooring_registry::RegistryError;
use mooring_roots::RootError;
use mooring_sampling::SamplingError;
use mooring_settings::InvalidSetting;
use mooring_vault::VaultError;

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

impl From<ProfileError> for HostError {
    fn from(error: ProfileError) -> Self {
        match error {
            ProfileError::Store(error) => error.into(),
            error => Self::Profile(error),
        }
    }
}

impl From<TemplateError> for HostError {
    fn from(error: TemplateError) -> Self {
        Self::InvalidTemplate(error.sentence())
    }
}

impl From<InvalidClient> for HostError {
    fn from(InvalidClient(message): InvalidClient) -> Self {
        Self::InvalidArguments(message)
    }
}

impl From<InvalidRule> for HostError {
    fn from(InvalidRule { field, message }: InvalidRule) -> Self {
        Self::InvalidRule { field, message }
    }
}

impl From<InvalidServer> for HostError {
    fn from(InvalidServer { field, message }: InvalidServer) -> Self {
        Self::InvalidServer { field, message }
    }
}

impl From<RuleError> for HostError {
    fn from(error: RuleError) -> Self {
        match error {
            RuleError::Invalid(error) => error.into(),
            RuleError::NoSuch(id) => Self::NoSuchRule(id),
            RuleError::Store(error) => error.into(),
        }
    }
}

impl From<InvalidSetting> for HostError {
    fn from(InvalidSetting { field, message }: InvalidSetting) -> Self {
        Self::InvalidSetting { field, message }
    }
}

impl From<NetworkError> for HostError {
    fn from(error: NetworkError) -> Self {
        match error {
            NetworkError::Invalid(message) => Self::InvalidSetting { field: "certificates", message },
            NetworkError::Changed => Self::DefinitionChanged { what: "network".to_owned() },
            NetworkError::Store(error) => error.into(),
        }
    }
}

impl From<TrustError> for HostError {
    fn from(error: TrustError) -> Self {
        match error {
            TrustError::Changed { what } => Self::DefinitionChanged { what },
            TrustError::Vault(error) => error.into(),
            TrustError::Store(error) => error.into(),
            TrustError::Internal(message) => Self::Internal(message),
        }
    }
}

impl From<SamplingError> for HostError {
    fn from(error: SamplingError) -> Self {
        match error {
            SamplingError::Invalid { field, message } => Self::InvalidSetting { field, message },
            SamplingError::Vault(error) => error.into(),
            SamplingError::Store(error) => error.into(),
            SamplingError::Internal(message) => Self::Internal(message),
        }
    }
}

impl From<InboxError> for HostError {
    fn from(error: InboxError) -> Self {
        match error {
            InboxError::Answer(error) => Self::Answer(error),
            InboxError::Store(error) => error.into(),
            InboxError::Vault(error) => error.into(),
        }
    }
}

impl From<OpenError> for HostError {
    fn from(error: OpenError) -> Self {
        Self::Reveal(error)
    }
}

impl From<mooring_oauth::Error> for HostError {
    fn from(error: mooring_oauth::Error) -> Self {
        Self::SignIn(Box::new((&error).into()))
    }
}

impl From<VaultError> for HostError {
    fn from(error: VaultError) -> Self {
        Self::Vault(error)
    }
}

impl From<VariableError> for HostError {
    fn from(error: VariableError) -> Self {
        match error {
            VariableError::Database(error) => error.into(),
            VariableError::Vault(error) => error.into(),
            VariableError::Invalid(message) => Self::InvalidSetting { field: "variable", message },
        }
    }
}

impl From<RootError> for HostError {
    fn from(error: RootError) -> Self {
        Self::Root(error)
    }
}

impl From<StoreError> for HostError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NameTaken { name } => Self::NameTaken(name),
            StoreError::NoSuchServer { id } => Self::ServerNotFound(ServerId(id)),
            error => Self::Store(error),
        }
    }
}
