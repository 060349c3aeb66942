//! Folders that servers may be told of.

use crate::dto::{IpcError, RootView, ServerRoots};
use crate::state::AppState;

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn list_roots(_state: &AppState) -> Result<Vec<RootView>, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn server_roots(_state: &AppState, _server: i64) -> Result<ServerRoots, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn add_root(
    _state: &AppState,
    _server: Option<i64>,
    _path: String,
    _name: Option<String>,
    _wide: bool,
) -> Result<RootView, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn rename_root(
    _state: &AppState,
    _id: i64,
    _name: Option<String>,
) -> Result<RootView, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn remove_root(_state: &AppState, _id: i64) -> Result<(), IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn restore_root(_state: &AppState, _id: i64) -> Result<RootView, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn share_roots(_state: &AppState, _server: i64, _shared: bool) -> Result<(), IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn pick_folder(_state: &AppState) -> Result<Option<String>, IpcError> {
    Err(later())
}

fn later() -> IpcError {
    IpcError::new("later", mooring_host::say!("later"))
}
