//! Accounts: listing them, signing in and out, and the encrypted values of servers.

use mooring_accounts::{Account, SecretView, SignInAttempt, SignOutResult};
use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_words::say;

use crate::dto::{IpcError, SignInInput, WindowCode};
use crate::state::AppState;

pub(super) async fn list_accounts(state: &AppState) -> Result<Vec<Account>, IpcError> {
    Ok(state.host().await?.accounts().await?)
}

pub(super) async fn refresh_account(state: &AppState, id: i64) -> Result<Account, IpcError> {
    Ok(state.host().await?.refresh_account(id).await?)
}

pub(super) async fn sign_out(state: &AppState, id: i64) -> Result<SignOutResult, IpcError> {
    Ok(state.host().await?.sign_out(id).await?)
}

pub(super) async fn sign_out_all(state: &AppState) -> Result<Vec<SignOutResult>, IpcError> {
    Ok(state.host().await?.sign_out_all().await?)
}

pub(super) async fn forget_account(state: &AppState, id: i64) -> Result<(), IpcError> {
    Ok(state.host().await?.forget_account(id).await?)
}

pub(super) async fn choose_account(
    state: &AppState,
    server: i64,
    account: Option<i64>,
) -> Result<(), IpcError> {
    Ok(state.host().await?.choose_account(ServerId(server), account).await?)
}

pub(super) async fn begin_sign_in(
    state: &AppState,
    id: i64,
    input: SignInInput,
) -> Result<SignInAttempt, IpcError> {
    Ok(state.host().await?.begin_sign_in(ServerId(id), input.try_into()?)?)
}

pub(super) async fn cancel_sign_in(state: &AppState, id: i64) -> Result<bool, IpcError> {
    Ok(state.host().await?.cancel_sign_in(ServerId(id)))
}

pub(super) async fn get_sign_in(state: &AppState, id: i64) -> Result<Option<SignInAttempt>, IpcError> {
    Ok(state.host().await?.sign_in_attempt(ServerId(id)))
}

pub(super) async fn reopen_browser(state: &AppState, id: i64) -> Result<(), IpcError> {
    if state.host().await?.reopen_browser(ServerId(id)).await? {
        Ok(())
    } else {
        Err(IpcError::new(WindowCode::NotAwaited, say!("no sign-in waits for the browser")))
    }
}

pub(super) async fn list_secret_variables(state: &AppState) -> Result<Vec<String>, IpcError> {
    Ok(state.host().await?.secret_variables().names().await.map_err(HostError::from)?)
}

pub(super) async fn set_secret_variable(
    state: &AppState,
    name: String,
    value: String,
) -> Result<(), IpcError> {
    let host = state.host().await?;
    Ok(host.secret_variables().set(&name, &value.into()).await.map_err(HostError::from)?)
}

pub(super) async fn remove_secret_variable(state: &AppState, name: String) -> Result<(), IpcError> {
    Ok(state.host().await?.secret_variables().remove(&name).await.map_err(HostError::from)?)
}

pub(super) async fn list_secrets(state: &AppState) -> Result<Vec<SecretView>, IpcError> {
    Ok(state.host().await?.secrets().await?)
}
