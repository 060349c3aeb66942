//! Mooring's desktop window: the commands, their data types, and the window itself. It has no logic of its
//! own: `mooring-host` does everything.

// A window that loads its pages from the development server would let any process on that port run every
// command.
#[cfg(not(any(debug_assertions, feature = "custom-protocol")))]
compile_error!(
    "a release build needs `--features custom-protocol`, without which the window trusts the development server; `cargo xtask run` and `cargo xtask package` see to it"
);

mod acceleration;
mod autostart;
mod background;
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

pub use crate::commands::invoked::camel_case;
pub use crate::commands::topic::Topic;
use crate::state::AppState;

/// The longest that saved servers wait for the window to be drawn. Doing both at once would make both
/// slower.
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

/// Builds the application without its window, for the real start and for tests. The data folder opens in
/// the background, and commands wait for it. Saved servers start when the page is interactive, or after
/// `quiet`.
pub fn build<R: Runtime>(
    builder: Builder<R>,
    context: Context<R>,
    options: Result<HostOptions, mooring_errors::HostError>,
    quiet: Duration,
) -> tauri::Result<App<R>> {
    let app =
        builder.manage(AppState::new(options, quiet)).invoke_handler(commands::handle).build(context)?;
    let handle = app.handle().clone();
    app.state::<AppState>().spawn(async move {
        // The window shows the error, because each of its commands tries to open the data again.
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

/// Lets other apps use the servers over HTTP while this application has the data folder.
#[cfg(not(unix))]
fn serve_apps(state: &AppState, host: &Host) {
    state.spawn_listener(mooring_gateway::serve_over_http(host.clone()));
}

/// Lets other apps use the servers while this application has the data folder.
#[cfg(unix)]
fn serve_apps(state: &AppState, host: &Host) {
    match Gateway::listen(host.home()) {
        Ok(gateway) => state.spawn_listener(gateway.serve(host.clone())),
        Err(error) => tracing::warn!(%error, "other apps can't use the servers"),
    }
}

/// Cancels running calls, ends every server and writes the rest of the log. Returns false if that takes
/// longer than the shutdown timeout.
pub async fn close<R: Runtime>(app: &AppHandle<R>) -> bool {
    let state = app.state::<AppState>();
    tokio::time::timeout(lifecycle::SHUTDOWN, state.close()).await.is_ok()
}
