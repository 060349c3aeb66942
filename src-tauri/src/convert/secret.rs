//! Sealed values and the vault. No value goes out.

use mooring_host as host;

use crate::dto::{IpcError, SecretView, VaultChoice, VaultMode, VaultState, VaultView};

impl From<host::SecretView> for SecretView {
    fn from(view: host::SecretView) -> Self {
        Self {
            server: view.server.0,
            server_name: view.server_name,
            place: view.place,
            name: view.name,
            entered: view.sealed_ms.is_some(),
            sealed_at: view.sealed_ms,
        }
    }
}

impl From<host::VaultView> for VaultView {
    fn from(view: host::VaultView) -> Self {
        Self {
            reason: view.reason().map(str::to_owned),
            message: view.message().map(Into::into),
            next: view.next_step().map(Into::into),
            mode: view.mode.map(|mode| match mode {
                host::VaultMode::Keychain => VaultMode::Keychain,
                host::VaultMode::Passphrase => VaultMode::Passphrase,
                host::VaultMode::Memory => VaultMode::Memory,
            }),
            sealed: super::whole(view.sealed),
            state: match view.state {
                host::VaultState::Closed => VaultState::Closed,
                host::VaultState::Opening => VaultState::Opening,
                host::VaultState::Waiting => VaultState::Waiting,
                host::VaultState::Open { .. } => VaultState::Open,
                host::VaultState::Locked { .. } => VaultState::Locked,
                host::VaultState::Unavailable { .. } => VaultState::Unavailable,
            },
        }
    }
}

impl TryFrom<VaultChoice> for host::VaultChoice {
    type Error = IpcError;

    fn try_from(choice: VaultChoice) -> Result<Self, IpcError> {
        match (choice.mode, choice.passphrase) {
            (VaultMode::Keychain, _) => Ok(Self::Keychain),
            (VaultMode::Memory, _) => Ok(Self::Memory),
            (VaultMode::Passphrase, Some(passphrase)) => Ok(Self::Passphrase(passphrase.into())),
            (VaultMode::Passphrase, None) => {
                Err(host::HostError::Vault(host::VaultError::UnfitPassphrase).into())
            }
        }
    }
}
