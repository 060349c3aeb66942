//! Running without a window: closing the window, and bringing it back.

use std::time::Duration;

use tauri::{AppHandle, Manager as _, Runtime};
use tokio::time::timeout;

use crate::closing::{CloseAction, HIDDEN};
use crate::opened::Opened;
use crate::state::AppState;
use crate::window;

/// How long a hidden start waits for a tray: the desktop's panel may start at the same time.
const TRAY_TIMEOUT: Duration = Duration::from_secs(15);

/// Whether this start keeps the window hidden.
pub(crate) fn starts_hidden() -> bool {
    std::env::args_os().skip(1).any(|argument| argument == HIDDEN)
}

/// Handles a press on the close button. Returns true if the window stays open or is only hidden.
pub(crate) fn keep_open<R: Runtime>(app: &AppHandle<R>) -> bool {
    let state = app.state::<AppState>();
    let when = state.settings().map(|settings| settings.when_closed);
    match state.background.close_action(when, state.opened.has_reader()) {
        CloseAction::Quit => return false,
        CloseAction::PutAway => put_away(app),
        CloseAction::Ask => {
            state.opened.push(Opened::CloseQuestion { tray: *state.background.tray().borrow() });
        }
    }
    true
}

/// Hides the window if a tray can bring it back, and minimises it otherwise.
pub(crate) fn put_away<R: Runtime>(app: &AppHandle<R>) {
    let background = &app.state::<AppState>().background;
    let has_tray = *background.tray().borrow();
    let Some(window) = app.get_webview_window(window::LABEL) else { return };
    let away = if has_tray { window.hide() } else { window.minimize() };
    match away {
        Ok(()) => background.set_hidden(has_tray),
        Err(error) => tracing::warn!(%error, "the window could not be put away"),
    }
}

/// Minimises a hidden window if no tray appears after the start, or if the tray disappears later. Otherwise
/// the person could not reach it.
pub(crate) async fn stay_reachable<R: Runtime>(app: AppHandle<R>) {
    let background = &app.state::<AppState>().background;
    let (mut tray, mut hidden) = (background.tray().subscribe(), background.hidden());
    loop {
        if hidden.wait_for(|hidden| *hidden).await.is_err() {
            return;
        }
        // A panel's tray disappears for a moment when the panel restarts.
        if timeout(TRAY_TIMEOUT, tray.wait_for(|tray| *tray)).await.is_err() {
            if *hidden.borrow() {
                show_minimized(&app);
            }
            continue;
        }
        tokio::select! {
            gone = tray.wait_for(|tray| !*tray) => if gone.is_err() { return },
            shown = hidden.wait_for(|hidden| !*hidden) => if shown.is_err() { return },
        }
    }
}

fn show_minimized<R: Runtime>(app: &AppHandle<R>) {
    app.state::<AppState>().background.set_hidden(false);
    if let Some(window) = app.get_webview_window(window::LABEL)
        && let Err(error) = window.minimize().and_then(|()| window.show())
    {
        tracing::warn!(%error, "the window could not be minimised");
    }
}
