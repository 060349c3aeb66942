//! What the application holds while it runs: the host, the running calls and the streams.

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

/// The errors of opening the data folder that the window explains itself.
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

/// Where a window listens for later starts, in the data folder.
#[cfg(unix)]
pub(crate) const WINDOW_SOCKET: &str = "window.sock";
/// How long a Mooring without a window may take until it can be asked to give up the data folder, and how often it is.
const TAKE_OVER_TIMEOUT: Duration = Duration::from_secs(10);
const TAKE_OVER_INTERVAL: Duration = Duration::from_millis(100);
/// How long cancelled calls may take to tell their servers.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);

/// Has a Mooring without a window (`mooring serve`) give up the data folder. False where there is none.
async fn take_over(home: &Path) -> bool {
    #[cfg(unix)]
    return mooring_gateway::take_over(home).await;
    #[cfg(not(unix))]
    return false;
}

/// Whether a window has the data folder.
fn has_window(home: &Path) -> bool {
    #[cfg(unix)]
    return std::os::unix::net::UnixStream::connect(home.join(WINDOW_SOCKET)).is_ok();
    #[cfg(not(unix))]
    {
        let _only_windows_have_it = home;
        true
    }
}

/// The one state that commands see.
pub(crate) struct AppState {
    options: Result<HostOptions, IpcError>,
    /// How long saved servers wait for the window to be drawn, at most.
    draw_timeout: Duration,
    drawn: watch::Sender<bool>,
    host: OnceCell<Host>,
    /// Calls of tools under way.
    pub(crate) calls: RunningCalls,
    /// Live tails of the journal.
    pub(crate) log_tails: LogTails,
    /// Counts what apps pay.
    #[cfg(unix)]
    pub(crate) cost_meter: mooring_catalogue::CostMeter,
    /// What goes on without the window.
    pub(crate) background: Background,
    /// What the page is to open.
    pub(crate) opened: Arc<OpenedQueue>,
    /// Answers later starts.
    #[cfg(unix)]
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
            #[cfg(unix)]
            cost_meter: mooring_catalogue::CostMeter::default(),
            background: Background::default(),
            opened: Arc::default(),
            #[cfg(unix)]
            listener: Mutex::default(),
            tasks: Mutex::default(),
            page_tasks: Mutex::default(),
        }
    }

    /// The host. The first to ask opens it; when that fails the next one tries again, so that a
    /// person who made room on the disk need not start anew.
    pub(crate) async fn host(&self) -> Result<&Host, IpcError> {
        let open = async || {
            let options = self.options.clone()?;
            let quiet = || {
                let (mut drawn, limit) = (self.drawn.subscribe(), self.draw_timeout);
                async move {
                    // Whether it is drawn, or is not within the limit: the servers start.
                    let _ = timeout(limit, drawn.wait_for(|drawn| *drawn)).await;
                }
            };
            let deadline = Instant::now() + TAKE_OVER_TIMEOUT;
            let opened = loop {
                let _nobody_had_it = take_over(&options.home).await;
                match Host::open_deferred(options.clone(), quiet()).await {
                    // One without a window, which an app has just started: it is asked as soon as it listens. A window
                    // is not asked to give anything up.
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

    /// Puts a backup, or empty data, in the place of data that could not be opened.
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

    /// What the person has set, once that is known.
    pub(crate) fn settings(&self) -> Option<Settings> {
        self.host.get().map(Host::settings)
    }

    /// The person looks: servers that are away are tried now.
    pub(crate) fn retry_servers(&self) {
        if let Some(host) = self.host.get() {
            host.retry_servers();
        }
    }

    /// The first screen is there; what waited for that goes on.
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

    /// Runs what answers later starts, for as long as the data folder is this one's.
    #[cfg(unix)]
    pub(crate) fn spawn_listener(&self, task: impl Future<Output = ()> + Send + 'static) {
        spawn_in(&self.listener, task);
    }

    /// Whether the data folder is open, and so its lock this application's.
    #[cfg(unix)]
    pub(crate) fn holds_home(&self) -> bool {
        self.host.get().is_some()
    }

    /// Called when the application is about to end: an instance started from now on waits for that.
    pub(crate) fn allow_next_instance(&self) {
        #[cfg(unix)]
        self.listener.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
        if let Some(host) = self.host.get() {
            host.announce_shutdown();
        }
    }

    /// Ends everything in good order: calls first, so that servers hear of it, then the servers.
    pub(crate) async fn close(&self) {
        self.end_page();
        if timeout(CANCEL_TIMEOUT, self.calls.all_ended()).await.is_err() {
            tracing::warn!("a call did not end in time");
        }
        // One that is still being opened has nothing to end yet.
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

/// Turns an error of opening into one for the window. Codes the window doesn't know become `open_failed`, with the
/// code in the details.
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
