//! How large the page is drawn: as the settings say, and from the first frame on as at the last start.

use mooring_host::{Host, HostEvent};
use tauri::{AppHandle, Manager as _, Runtime};
use tokio::sync::broadcast::error::RecvError;

use crate::window;

/// Draws the page so large, in percent.
pub(crate) fn apply<R: Runtime>(app: &AppHandle<R>, percent: u32) {
    if let Some(window) = app.get_webview_window(window::LABEL)
        && let Err(error) = window.set_zoom(f64::from(percent) / 100.0)
    {
        tracing::warn!(%error, percent, "the page could not be zoomed");
    }
}

/// Follows the settings until it is dropped.
pub(crate) async fn watch<R: Runtime>(host: Host, app: AppHandle<R>) {
    let mut events = host.events();
    let mut shown = None;
    loop {
        let percent = host.settings().zoom_percent;
        if shown.replace(percent) != Some(percent) {
            apply(&app, percent);
        }
        loop {
            match events.recv().await {
                Ok(HostEvent::SettingsChanged) | Err(RecvError::Lagged(_)) => break,
                Ok(_) => {}
                Err(RecvError::Closed) => return,
            }
        }
    }
}
