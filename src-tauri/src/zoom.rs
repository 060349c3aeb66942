//! How large the page is drawn: as the settings say, and from the first frame on as at the last start.

use mooring_connections::HostEvent;
use mooring_host::Host;
use tauri::{AppHandle, Runtime};
use tokio::sync::broadcast::error::RecvError;

use crate::window;

/// Follows the settings until it is dropped.
pub(crate) async fn watch<R: Runtime>(host: Host, app: AppHandle<R>) {
    let mut events = host.events();
    let mut shown = None;
    loop {
        let percent = host.settings().zoom_percent;
        if shown.replace(percent) != Some(percent) {
            window::zoom(&app, percent);
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
