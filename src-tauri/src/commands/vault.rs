//! The vault: where its key is, and what the person does about it.

use mooring_host::Sentence;

use crate::dto::{IpcError, VaultChoice, VaultView};
use crate::state::AppState;

fn later() -> IpcError {
    IpcError::new("internal", Sentence::quoted("later"))
}

pub(super) async fn get_vault(_state: &AppState) -> Result<VaultView, IpcError> {
    Err(later())
}

pub(super) async fn open_vault(_state: &AppState) -> Result<VaultView, IpcError> {
    Err(later())
}

pub(super) async fn unlock_vault(_state: &AppState, _passphrase: String) -> Result<VaultView, IpcError> {
    Err(later())
}

pub(super) async fn create_vault(_state: &AppState, _choice: VaultChoice) -> Result<VaultView, IpcError> {
    Err(later())
}

pub(super) async fn rekey_vault(_state: &AppState, _choice: VaultChoice) -> Result<VaultView, IpcError> {
    Err(later())
}

pub(super) async fn start_over_vault(_state: &AppState) -> Result<VaultView, IpcError> {
    Err(later())
}
