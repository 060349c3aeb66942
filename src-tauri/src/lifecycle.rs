//! Starts and ends the application.

use std::env::{self, consts::EXE_SUFFIX};
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tauri::{AppHandle, DragDropEvent, Manager as _, RunEvent, Runtime, WindowEvent};
use tracing_subscriber::filter::{FilterExt as _, LevelFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use crate::background;
use crate::closing::WindowRequest;
#[cfg(unix)]
use crate::instance;
use crate::notifier;
use crate::placement;
use crate::state::AppState;

/// A server has 5 s to end by itself and 2 s after it was asked to end. Then it is killed.
pub(crate) const SHUTDOWN: Duration = Duration::from_secs(10);

/// Logs to standard error, at the levels in `RUST_LOG`. Modules that send secrets over the network never
/// log below warnings.
pub(crate) fn log_to_stderr() {
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::WARN.into()).from_env_lossy();
    let quiet = filter_fn(|said| mooring_host::is_trace_allowed(said.target(), *said.level()));
    let layer = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .with_filter(filter.and(quiet));
    tracing_subscriber::registry().with(layer).init();
}

/// Turns off core dumps, because they would contain the messages between the application and its servers.
pub(crate) fn turn_off_core_dumps() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Core).maximum;
        if let Err(error) = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum }) {
            tracing::warn!(%error, "core dumps could not be turned off");
        }
    }
}

/// Ends the servers, and then the application, when the last window is gone.
pub(crate) fn on_event<R: Runtime>(app: &AppHandle<R>, event: RunEvent) {
    match event {
        RunEvent::WindowEvent { event: WindowEvent::CloseRequested { api, .. }, .. } => {
            placement::save(app);
            if background::keep_open(app) {
                api.prevent_close();
            }
        }
        RunEvent::WindowEvent { event: WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }), .. } => {
            // A link that is dropped is a path here too.
            open_all(app, paths.iter().map(|path| path.to_string_lossy().into_owned()).collect());
        }
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => crate::window::raise(app),
        #[cfg(target_os = "macos")]
        RunEvent::Opened { urls } => {
            let here = std::path::Path::new("/");
            open_all(app, urls.iter().map(|url| crate::opened::absolute(here, url.as_str())).collect());
        }
        RunEvent::WindowEvent { event: WindowEvent::Focused(true), .. } => {
            let state = app.state::<AppState>();
            state.background.set_hidden(false);
            state.retry_servers();
            notifier::clear_attention(app);
        }
        RunEvent::ExitRequested { code: None, api, .. } => {
            api.prevent_exit();
            shut_down(app);
        }
        _ => {}
    }
}

/// Opens links and files in the window's page.
fn open_all<R: Runtime>(app: &AppHandle<R>, arguments: Vec<String>) {
    let state = app.state::<AppState>();
    let opened = Arc::clone(&state.opened);
    state.spawn(async move { opened.add(arguments).await });
}

/// Carries out a command's request to the window.
pub(crate) fn act<R: Runtime>(app: &AppHandle<R>, request: WindowRequest) {
    placement::save(app);
    match request {
        WindowRequest::PutAway => background::put_away(app),
        WindowRequest::Quit => shut_down(app),
    }
}

/// Hides the window at once, ends the servers, and then the application.
pub(crate) fn shut_down<R: Runtime>(app: &AppHandle<R>) {
    for window in app.webview_windows().values() {
        if let Err(error) = window.hide() {
            tracing::warn!(%error, "the window could not be hidden");
        }
    }
    allow_next_instance(app);
    let app = app.clone();
    app.clone().state::<AppState>().spawn(async move {
        if !crate::close(&app).await {
            tracing::warn!("servers did not end in time");
        }
        app.exit(0);
    });
}

/// Lets the application start again while servers are still ending. The new instance waits for them instead
/// of being sent to the hidden window.
pub(crate) fn allow_next_instance<R: Runtime>(app: &AppHandle<R>) {
    let state = app.state::<AppState>();
    #[cfg(unix)]
    instance::stop_listening(&state);
    state.allow_next_instance();
    #[cfg(windows)]
    {
        let only = app.clone();
        if let Err(error) = app.run_on_main_thread(move || tauri_plugin_single_instance::destroy(&only)) {
            tracing::warn!(%error, "the application cannot be started anew before its servers have ended");
        }
    }
}

/// Makes a second start bring this window to the front and open its arguments here. Each custom data folder
/// can have a window of its own.
#[cfg(windows)]
pub(crate) fn one_instance(builder: tauri::Builder<tauri::Wry>) -> tauri::Builder<tauri::Wry> {
    if env::var_os("MOORING_HOME").is_some_and(|home| !home.is_empty()) {
        return builder;
    }
    builder.plugin(tauri_plugin_single_instance::init(|app, arguments, folder| {
        crate::window::raise(app);
        let arguments = arguments
            .iter()
            .skip(1)
            .map(|it| crate::opened::absolute(std::path::Path::new(&folder), it))
            .collect();
        let app = app.clone();
        app.clone().state::<AppState>().spawn(async move {
            app.state::<AppState>().opened.add(arguments).await;
        });
    }))
}

/// Uses the command-line program as the guardian of servers. It is smaller, because it doesn't load a
/// webview.
pub(crate) fn use_cli_as_guardian() {
    if let Ok(companion) = cli()
        && companion.is_file()
    {
        mooring_process::use_guardian(companion);
    }
}

/// The command `mooring`, which is installed beside the window's program.
pub(crate) fn cli() -> io::Result<PathBuf> {
    Ok(env::current_exe()?.with_file_name(format!("mooring{EXE_SUFFIX}")))
}

/// Handles a signal to end like closing the window.
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
                            placement::save(&app);
                            shut_down(&app);
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

#[cfg(test)]
mod tests {
    use mooring_host::Host;
    use tauri::async_runtime::block_on;
    use tauri::test::mock_builder;

    use super::*;
    use crate::test_host::{test_host, window_options};

    #[test]
    fn new_instance_waits_for_the_one_that_is_closing() {
        let home = tempfile::tempdir().unwrap();
        let options = || window_options(home.path());
        let app = crate::build(mock_builder(), crate::context(), Ok(options()), Duration::ZERO).unwrap();
        block_on(async {
            app.state::<AppState>().host().await.unwrap();
            assert_eq!(Host::open(options()).await.unwrap_err().code().as_str(), "already_open");
            allow_next_instance(app.handle());
            let (ended, next) = tokio::join!(crate::close(app.handle()), test_host(home.path(), true));
            assert!(ended);
            next.shutdown().await;
        });
    }
}
