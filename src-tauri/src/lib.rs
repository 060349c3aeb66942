//! Mooring's desktop window: commands, the shapes they exchange, and the window itself. No logic;
//! everything is done by `mooring-host`.

// A window that takes its pages from the development server trusts whoever has that port, with every command.
#[cfg(not(any(debug_assertions, feature = "custom-protocol")))]
compile_error!(
    "a release build needs `--features custom-protocol`, without which the window trusts the development server; `cargo xtask run` and `cargo xtask package` see to it"
);

mod acceleration;
mod autostart;
mod background;
pub mod bindings;
mod call_events;
mod calls;
mod closing;
mod commands;
pub mod dto;
#[cfg(unix)]
mod instance;
mod language;
mod lifecycle;
mod log_tail;
mod notices;
mod notifier;
mod opened;
mod picker;
mod placement;
mod sink;
mod state;
#[cfg(test)]
mod test_host;
mod timings;
mod tray;
mod window;
mod zoom;

use std::time::Duration;

#[cfg(unix)]
use mooring_gateway::Gateway;
use mooring_host::Host;
use mooring_host::HostOptions;
use tauri::{App, AppHandle, Builder, Context, Manager as _, Runtime};

use crate::state::AppState;

/// Saved servers wait for the window to be drawn, but no longer than this: both at once would only make
/// the person wait for both.
const DRAW_TIMEOUT: Duration = Duration::from_secs(3);

/// Starts the application and returns when its window is gone and its servers have ended.
pub fn run() -> anyhow::Result<()> {
    timings::mark_start();
    lifecycle::log_to_stderr();
    acceleration::disable_dmabuf_without_gpu();
    lifecycle::turn_off_core_dumps();
    lifecycle::use_cli_as_guardian();
    let home = mooring_host::home_from_environment();
    let arguments = opened::arguments();
    #[cfg(unix)]
    if home.as_ref().is_ok_and(|home| instance::hand_over(home, &arguments)) {
        return Ok(());
    }
    let builder = Builder::default();
    #[cfg(windows)]
    let builder = lifecycle::one_instance(builder);
    let folder = home.as_ref().ok().cloned();
    let options = home.map(|home| HostOptions {
        home,
        supervise: true,
        has_person: true,
        journal: true,
        demo_server: None,
        client_name: "mooring",
        client_version: env!("CARGO_PKG_VERSION"),
        vault: mooring_vault::VaultOptions::default,
        browser: mooring_accounts::system_browser,
        clock: mooring_base::clock::Clock::system(),
    });
    let app = build(
        builder.setup(move |app| {
            timings::report("display", Duration::ZERO);
            window::open(app.handle(), folder.as_deref(), background::starts_hidden())?;
            timings::report("window", Duration::ZERO);
            lifecycle::exit_on_signals(app.handle());
            let handle = app.handle().clone();
            let acting = handle.clone();
            app.state::<AppState>().background.connect(move |request| lifecycle::act(&acting, request));
            tray::start(&handle);
            #[cfg(unix)]
            app.state::<AppState>().spawn(instance::open_in_one_window(handle, arguments));
            #[cfg(not(unix))]
            app.state::<AppState>().spawn(async move {
                handle.state::<AppState>().opened.add(arguments).await;
            });
            Ok(())
        }),
        context(),
        options,
        DRAW_TIMEOUT,
    )?;
    app.run(lifecycle::on_event);
    Ok(())
}

/// The configuration, the pages and the permissions, as compiled in.
#[must_use]
pub fn context<R: Runtime>() -> Context<R> {
    tauri::generate_context!()
}

/// The application without its window: what the real one and the one of the tests have in common.
/// The data folder is opened meanwhile; commands wait for it. Saved servers start when the page says that it
/// is interactive, or once `quiet` is over.
pub fn build<R: Runtime>(
    builder: Builder<R>,
    context: Context<R>,
    options: Result<HostOptions, mooring_errors::HostError>,
    quiet: Duration,
) -> tauri::Result<App<R>> {
    let app =
        builder.manage(AppState::new(options, quiet)).invoke_handler(commands::handler()).build(context)?;
    let handle = app.handle().clone();
    app.state::<AppState>().spawn(async move {
        // The window tells the person; each of its commands tries again.
        let state = handle.state::<AppState>();
        match state.host().await {
            Ok(host) => {
                #[cfg(unix)]
                instance::listen_for_later_starts(&handle);
                serve_apps(&state, host);
                state.spawn(zoom::watch(host.clone(), handle.clone()));
                state.spawn(notifier::watch_inbox(host.clone(), notifier::DesktopNotifier(handle.clone())));
            }
            Err(error) => {
                tracing::error!(
                    code = error.code.as_str(),
                    "the data folder can’t be used: {}",
                    error.message
                );
            }
        }
    });
    Ok(app)
}

/// Lets other apps use the servers over HTTP, for as long as the data folder is this application's.
#[cfg(not(unix))]
fn serve_apps(state: &AppState, host: &Host) {
    state.spawn_listener(mooring_gateway::serve_over_http(host.clone()));
}

/// Lets other apps use the servers, for as long as the data folder is this application's.
#[cfg(unix)]
fn serve_apps(state: &AppState, host: &Host) {
    match Gateway::listen(host.home()) {
        Ok(gateway) => state.spawn_listener(gateway.serve(host.clone())),
        Err(error) => tracing::warn!(%error, "other apps can't use the servers"),
    }
}

/// Cancels what runs, ends every server and writes what is left of the log; false when that took
/// longer than servers are given.
pub async fn close<R: Runtime>(app: &AppHandle<R>) -> bool {
    let state = app.state::<AppState>();
    tokio::time::timeout(lifecycle::SHUTDOWN, state.close()).await.is_ok()
}
