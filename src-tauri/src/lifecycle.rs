//! The application's beginning and end.

use std::time::Duration;

use tauri::{AppHandle, Manager as _, RunEvent, Runtime};

use crate::state::AppState;

/// A server gets 5 s to end by itself and 2 s after it was asked to; then it is killed.
const SHUTDOWN: Duration = Duration::from_secs(10);

/// A memory image of this process would hold what servers were told and what they answered, so none
/// is written when it crashes.
pub(crate) fn harden_process() {
    crate::timings::mark_start();
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Core).maximum;
        if let Err(error) = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum }) {
            tracing::warn!(%error, "core dumps could not be turned off");
        }
    }
}

/// When the last window is gone, servers are ended first and the application after them.
pub(crate) fn on_event<R: Runtime>(app: &AppHandle<R>, event: RunEvent) {
    if let RunEvent::ExitRequested { code: None, api, .. } = event {
        api.prevent_exit();
        end(app);
    }
}

/// Ends servers, then the application.
fn end<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    app.clone().state::<AppState>().spawn(async move {
        let state = app.state::<AppState>();
        if tokio::time::timeout(SHUTDOWN, state.close()).await.is_err() {
            tracing::warn!("servers did not end in time");
        }
        app.exit(0);
    });
}

/// A request of the system to end is as good as a closed window.
pub(crate) fn exit_on_signals<R: Runtime>(app: &AppHandle<R>) {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
            let app = app.clone();
            app.clone().state::<AppState>().spawn(async move {
                match signal(kind) {
                    Ok(mut signals) => {
                        if signals.recv().await.is_some() {
                            end(&app);
                        }
                    }
                    Err(error) => tracing::warn!(%error, "cannot listen for signals"),
                }
            });
        }
    }
    #[cfg(not(unix))]
    let _ = app;
}
