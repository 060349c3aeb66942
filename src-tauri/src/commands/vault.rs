//! The vault: where its key is saved, and the actions on it.

use crate::dto::{IpcError, VaultChoice, VaultView};
use crate::state::AppState;

pub(super) async fn get_vault(state: &AppState) -> Result<VaultView, IpcError> {
    Ok(state.host().await?.vault_view().await?.into())
}

pub(super) async fn open_vault(state: &AppState) -> Result<VaultView, IpcError> {
    Ok(state.host().await?.open_vault().await?.into())
}

pub(super) async fn unlock_vault(state: &AppState, passphrase: String) -> Result<VaultView, IpcError> {
    Ok(state.host().await?.unlock_vault(passphrase.into()).await?.into())
}

pub(super) async fn create_vault(state: &AppState, choice: VaultChoice) -> Result<VaultView, IpcError> {
    Ok(state.host().await?.create_vault(choice.try_into()?).await?.into())
}

pub(super) async fn rekey_vault(state: &AppState, choice: VaultChoice) -> Result<VaultView, IpcError> {
    Ok(state.host().await?.rekey_vault(choice.try_into()?).await?.into())
}

pub(super) async fn start_over_vault(state: &AppState) -> Result<VaultView, IpcError> {
    Ok(state.host().await?.start_over_vault().await?.into())
}
