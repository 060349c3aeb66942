//! Logins: who is signed in, signing in and out, and the sealed values of servers.

use mooring_host::Sentence;

use crate::dto::{AccountView, IpcError, SecretView, SignInInput, SignInView, SignOutView};
use crate::state::AppState;

fn later() -> IpcError {
    IpcError::new("internal", Sentence::quoted("later"))
}

pub(super) async fn list_accounts(_state: &AppState) -> Result<Vec<AccountView>, IpcError> {
    Err(later())
}

pub(super) async fn refresh_account(_state: &AppState, _id: i64) -> Result<AccountView, IpcError> {
    Err(later())
}

pub(super) async fn sign_out(_state: &AppState, _id: i64) -> Result<SignOutView, IpcError> {
    Err(later())
}

pub(super) async fn sign_out_all(_state: &AppState) -> Result<Vec<SignOutView>, IpcError> {
    Err(later())
}

pub(super) async fn forget_account(_state: &AppState, _id: i64) -> Result<(), IpcError> {
    Err(later())
}

pub(super) async fn choose_account(
    _state: &AppState,
    _server: i64,
    _account: Option<i64>,
) -> Result<(), IpcError> {
    Err(later())
}

pub(super) async fn begin_sign_in(
    _state: &AppState,
    _id: i64,
    _input: SignInInput,
) -> Result<SignInView, IpcError> {
    Err(later())
}

pub(super) async fn cancel_sign_in(_state: &AppState, _id: i64) -> Result<bool, IpcError> {
    Err(later())
}

pub(super) async fn get_sign_in(_state: &AppState, _id: i64) -> Result<Option<SignInView>, IpcError> {
    Err(later())
}

pub(super) async fn reopen_browser(_state: &AppState, _id: i64) -> Result<(), IpcError> {
    Err(later())
}

pub(super) async fn list_secrets(state: &AppState) -> Result<Vec<SecretView>, IpcError> {
    Ok(state.host().await?.secrets().await?.into_iter().map(Into::into).collect())
}
