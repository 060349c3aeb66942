//! The state of the vault as the window sees it, and where the person wants its key.

use std::fmt;

use mooring_errors::HostError;
use mooring_vault::{self as vault, VaultError};
use mooring_words::Sentence;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{IpcError, RedactedDebug};

/// The state of the vault as the window sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct VaultView {
    /// What the vault is doing.
    pub state: VaultState,
    /// Where the key is saved. `None` if there is no key yet.
    pub mode: Option<VaultMode>,
    /// Why the vault is locked or unavailable, as a stable code: `passphrase`, `keychain_locked`,
    /// `key_missing`, `other_key`, `memory`, `unknown`, `unfit_header`, `records`, `no_keychain`,
    /// `keychain_failed`.
    pub reason: Option<&'static str>,
    /// The reason as a text for the person.
    pub message: Option<Sentence>,
    /// What the person can do about it.
    pub next: Option<Sentence>,
    /// How many secrets are encrypted.
    pub sealed: u64,
}

/// What the vault is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VaultState {
    /// Not opened yet, or closed again.
    Closed,
    /// Fetching the key.
    Opening,
    /// The keychain has not answered in time. It may be asking the person something.
    Waiting,
    /// The key is available.
    Open,
    /// Encrypted data can't be read until the key is available. The data stays unchanged.
    Locked,
    /// There is no keychain to use.
    Unavailable,
}

/// Where the vault's key is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VaultMode {
    /// In the system's keychain.
    Keychain,
    /// Encrypted with a passphrase.
    Passphrase,
    /// In memory, until the application quits.
    Memory,
}

/// Where the person wants to save the vault's key.
#[derive(Clone, PartialEq, Eq, Deserialize, TS)]
pub struct VaultChoice {
    /// Where to save the key.
    pub mode: VaultMode,
    /// The passphrase, if the mode is `passphrase`.
    pub passphrase: Option<String>,
}

impl fmt::Debug for VaultChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VaultChoice")
            .field("mode", &self.mode)
            .field("passphrase", &RedactedDebug(&self.passphrase))
            .finish()
    }
}

impl From<mooring_host::VaultView> for VaultView {
    fn from(view: mooring_host::VaultView) -> Self {
        Self {
            reason: view.reason(),
            message: view.message(),
            next: view.next_step(),
            mode: view.mode.map(|mode| match mode {
                vault::VaultMode::Keychain => VaultMode::Keychain,
                vault::VaultMode::Passphrase => VaultMode::Passphrase,
                vault::VaultMode::Memory => VaultMode::Memory,
            }),
            sealed: view.secret_count,
            state: match view.state {
                vault::VaultState::Closed => VaultState::Closed,
                vault::VaultState::Opening => VaultState::Opening,
                vault::VaultState::Waiting => VaultState::Waiting,
                vault::VaultState::Open { .. } => VaultState::Open,
                vault::VaultState::Locked { .. } => VaultState::Locked,
                vault::VaultState::Unavailable { .. } => VaultState::Unavailable,
            },
        }
    }
}

impl TryFrom<VaultChoice> for vault::KeyPlacement {
    type Error = IpcError;

    fn try_from(choice: VaultChoice) -> Result<Self, IpcError> {
        match (choice.mode, choice.passphrase) {
            (VaultMode::Keychain, _) => Ok(Self::Keychain),
            (VaultMode::Memory, _) => Ok(Self::Memory),
            (VaultMode::Passphrase, Some(passphrase)) => Ok(Self::Passphrase(passphrase.into())),
            (VaultMode::Passphrase, None) => Err(HostError::Vault(VaultError::InvalidPassphrase).into()),
        }
    }
}
