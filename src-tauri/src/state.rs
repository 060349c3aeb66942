//! The application's state while it runs: the host, the running calls and the streams.

use std::future::Future;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mooring_errors::HostError;
use mooring_host::{Host, HostOptions};
use mooring_settings::Settings;
use serde_json::json;
#[cfg(unix)]
use tokio::sync::{OnceCell, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::calls::RunningCalls;
use crate::closing::Background;
use crate::dto::{IpcError, WindowCode};
use crate::log_tail::LogTails;
use crate::opened::OpenedQueue;
use mooring_errors::ErrorCode;

/// The errors of opening the data folder that the window has its own text for.
const OPEN_ERRORS: [ErrorCode; 9] = [
    ErrorCode::DatabaseNewer,
    ErrorCode::ReadOnly,
    ErrorCode::FolderOfOthers,
    ErrorCode::DiskFull,
    ErrorCode::NotADatabase,
    ErrorCode::AlreadyOpen,
    ErrorCode::DatabaseDamaged,
    ErrorCode::DatabaseMissing,
    ErrorCode::DatabaseLocked,
];

/// The socket in the data folder where a window listens for later starts.
#[cfg(unix)]
pub(crate) const WINDOW_SOCKET: &str = "window.sock";
/// How long, and how often, to try to take over the data folder from a Mooring without a window.
const TAKE_OVER_TIMEOUT: Duration = Duration::from_secs(10);
const TAKE_OVER_INTERVAL: Duration = Duration::from_millis(100);
/// How long cancelled calls may take to notify their servers.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);

/// Asks a Mooring without a window (`mooring serve`) to give up the data folder. Returns false if there is
/// none.
async fn take_over(home: &Path) -> bool {
    #[cfg(unix)]
    return mooring_gateway::take_over(home).await;
    #[cfg(not(unix))]
    return false;
}

/// Whether a window has this data folder open.
fn has_window(home: &Path) -> bool {
    #[cfg(unix)]
    return std::os::unix::net::UnixStream::connect(home.join(WINDOW_SOCKET)).is_ok();
    #[cfg(not(unix))]
    {
        let _only_windows_have_it = home;
        true
    }
}

/// The state that all commands share.
pub(crate) struct AppState {
    options: Result<HostOptions, IpcError>,
    /// The longest that saved servers wait for the window to be drawn.
    draw_timeout: Duration,
    drawn: watch::Sender<bool>,
    host: OnceCell<Host>,
    /// Running calls.
    pub(crate) calls: RunningCalls,
    /// Live tails of the log.
    pub(crate) log_tails: LogTails,
    /// Counts the tokens that apps need.
    pub(crate) cost_meter: mooring_catalogue::CostMeter,
    /// The tray and the hidden window.
    pub(crate) background: Background,
    /// The items that the page should open.
    pub(crate) opened: Arc<OpenedQueue>,
    /// The tasks that answer later starts and apps.
    listener: Mutex<JoinSet<()>>,
    tasks: Mutex<JoinSet<()>>,
    page_tasks: Mutex<JoinSet<()>>,
}

impl AppState {
    pub(crate) fn new(options: Result<HostOptions, HostError>, quiet: Duration) -> Self {
        Self {
            options: options.map_err(open_error),
            draw_timeout: quiet,
            drawn: watch::Sender::new(false),
            host: OnceCell::new(),
            calls: RunningCalls::default(),
            log_tails: LogTails::default(),
            cost_meter: mooring_catalogue::CostMeter::default(),
            background: Background::default(),
            opened: Arc::default(),
            listener: Mutex::default(),
            tasks: Mutex::default(),
            page_tasks: Mutex::default(),
        }
    }

    /// The host. The first caller opens it. If that fails, the next caller tries again, so the person
    /// doesn't have to restart after freeing disk space, for example.
    pub(crate) async fn host(&self) -> Result<&Host, IpcError> {
        let open = async || {
            let options = self.options.clone()?;
            let quiet = || {
                let (mut drawn, limit) = (self.drawn.subscribe(), self.draw_timeout);
                async move {
                    // The servers start even if the window isn't drawn in time.
                    let _ = timeout(limit, drawn.wait_for(|drawn| *drawn)).await;
                }
            };
            let deadline = Instant::now() + TAKE_OVER_TIMEOUT;
            let opened = loop {
                let _nobody_had_it = take_over(&options.home).await;
                match Host::open_deferred(options.clone(), quiet()).await {
                    // An app may have just started a Mooring without a window: retry until it listens. A
                    // window is never asked to give up the data folder.
                    Err(HostError::AlreadyOpen(_))
                        if !has_window(&options.home) && Instant::now() < deadline =>
                    {
                        sleep(TAKE_OVER_INTERVAL).await;
                    }
                    opened => break opened,
                }
            };
            opened.map_err(open_error)
        };
        self.host.get_or_try_init(open).await
    }

    /// Replaces data that could not be opened with a backup, or with empty data.
    pub(crate) async fn restore(&self, backup_us: Option<i64>) -> Result<(), IpcError> {
        let home = self.options.clone()?.home;
        match Host::restore(&home, backup_us).await {
            Ok(Some(kept)) => tracing::info!(folder = %kept.display(), "what was there is kept"),
            Ok(None) => {}
            Err(error) => return Err(open_error(error)),
        }
        Ok(())
    }

    /// The data folder, if there is one.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.options.as_ref().ok().map(|options| options.home.as_path())
    }

    /// The person's settings, once the host is open.
    pub(crate) fn settings(&self) -> Option<Settings> {
        self.host.get().map(Host::settings)
    }

    /// Retries disconnected servers now, because the person looks at the window.
    pub(crate) fn retry_servers(&self) {
        if let Some(host) = self.host.get() {
            host.retry_servers();
        }
    }

    /// Tells waiting tasks that the first screen is drawn.
    pub(crate) fn set_drawn(&self) {
        self.drawn.send_replace(true);
    }

    /// Runs `task` until it ends or the application does.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        spawn_in(&self.tasks, task);
    }

    /// Runs `task` until it ends or the page is gone.
    pub(crate) fn spawn_for_page(&self, task: impl Future<Output = ()> + Send + 'static) {
        spawn_in(&self.page_tasks, task);
    }

    /// Ends the calls and streams of a page that is gone or reloading.
    pub(crate) fn end_page(&self) {
        self.calls.cancel_all();
        self.log_tails.stop_all();
        self.background.end_question();
        self.page_tasks.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }

    /// Runs a task that answers later starts or apps, while this process has the data folder.
    pub(crate) fn spawn_listener(&self, task: impl Future<Output = ()> + Send + 'static) {
        spawn_in(&self.listener, task);
    }

    /// Whether this process has opened the data folder and has its lock.
    #[cfg(unix)]
    pub(crate) fn holds_home(&self) -> bool {
        self.host.get().is_some()
    }

    /// Stops answering later starts before the application ends, so that a new instance waits instead.
    pub(crate) fn allow_next_instance(&self) {
        self.listener.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
        if let Some(host) = self.host.get() {
            host.announce_shutdown();
        }
    }

    /// Ends everything in order: first the calls, so that servers are notified, then the servers.
    pub(crate) async fn close(&self) {
        self.end_page();
        if timeout(CANCEL_TIMEOUT, self.calls.all_ended()).await.is_err() {
            tracing::warn!("a call did not end in time");
        }
        // A host that is still being opened has nothing to end.
        if let Some(host) = self.host.get() {
            host.shutdown().await;
        }
    }
}

fn spawn_in(tasks: &Mutex<JoinSet<()>>, task: impl Future<Output = ()> + Send + 'static) {
    let mut tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
    while tasks.try_join_next().is_some() {}
    tasks.spawn_on(task, tauri::async_runtime::handle().inner());
}

/// Converts an error of opening the data. Codes that the window doesn't know become `open_failed`, with the
/// original code in the details.
fn open_error(error: HostError) -> IpcError {
    let code = error.code();
    let error = IpcError::from(error);
    if OPEN_ERRORS.contains(&code) {
        return error;
    }
    let details = match error.details {
        Some(details) => json!({ "code": code, "details": details }),
        None => json!({ "code": code }),
    };
    IpcError { details: Some(details), ..IpcError::new(WindowCode::OpenFailed, error.message) }
}
