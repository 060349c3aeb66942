//! Running without a window: closing it, starting at login, pausing every server.

use mooring_errors::HostError;
use mooring_settings::{Settings, WhenClosed};
use mooring_words::Sentence;

use crate::autostart;
use crate::closing::WindowRequest;
use crate::dto::{BackgroundView, CloseAnswer, IpcError};
use crate::state::AppState;

pub(super) async fn get_background(state: &AppState) -> Result<BackgroundView, IpcError> {
    let paused = !state.host().await?.paused_servers().await?.is_empty();
    let starts_at_login = tokio::task::spawn_blocking(autostart::is_enabled).await;
    let starts_at_login =
        starts_at_login.map_err(std::io::Error::other).flatten().map_err(|error| to_ipc_error(&error))?;
    Ok(BackgroundView { tray: *state.background.tray().borrow(), starts_at_login, paused })
}

pub(super) async fn set_start_at_login(state: &AppState, on: bool) -> Result<BackgroundView, IpcError> {
    let set = tokio::task::spawn_blocking(move || autostart::set_enabled(on)).await;
    set.map_err(std::io::Error::other).flatten().map_err(|error| to_ipc_error(&error))?;
    get_background(state).await
}

/// Turns a system error into one that the window can show.
fn to_ipc_error(error: &std::io::Error) -> IpcError {
    HostError::Internal(Sentence::quoted(error.to_string())).into()
}

pub(super) async fn answer_close(state: &AppState, answer: CloseAnswer) -> Result<(), IpcError> {
    state.background.end_question();
    let (when_closed, request) = match answer {
        CloseAnswer::Cancel => return Ok(()),
        CloseAnswer::KeepRunning => (WhenClosed::KeepRunning, WindowRequest::PutAway),
        CloseAnswer::Quit => (WhenClosed::Quit, WindowRequest::Quit),
    };
    let host = state.host().await?;
    host.set_settings(Settings { when_closed, ..host.settings() }).await?;
    state.background.request(request);
    Ok(())
}

pub(super) async fn quit(state: &AppState) -> Result<(), IpcError> {
    state.background.request(WindowRequest::Quit);
    Ok(())
}

pub(super) async fn pause_servers(state: &AppState) -> Result<(), IpcError> {
    Ok(state.host().await?.pause_servers().await?)
}

pub(super) async fn resume_servers(state: &AppState) -> Result<(), IpcError> {
    Ok(state.host().await?.resume_servers().await?)
}
