//! The zoom of the page. It follows the settings. The first frame uses the zoom of the last start.

use mooring_host::Host;
use mooring_server_state::HostEvent;
use tauri::{AppHandle, Runtime};
use tokio::sync::broadcast::error::RecvError;

use crate::window;

/// Follows the settings until the future is dropped.
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
