//! What the application holds while it runs: the host, the running calls and the streams.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use mooring_host::{Host, HostError, HostOptions};
use tokio::sync::SetOnce;
use tokio::task::JoinSet;

use crate::calls::Calls;
use crate::dto::IpcError;
use crate::follow::Follows;

/// The one state that commands see.
#[derive(Default)]
pub(crate) struct AppState {
    host: Arc<SetOnce<Result<Host, IpcError>>>,
    /// Calls of tools under way.
    pub(crate) calls: Calls,
    /// Live tails of the journal.
    pub(crate) follows: Follows,
    tasks: Mutex<JoinSet<()>>,
}

impl AppState {
    /// Begins to open the data folder.
    pub(crate) fn open(&self, options: Result<HostOptions, HostError>) {
        let slot = Arc::clone(&self.host);
        self.spawn(async move {
            let opened = match options {
                Ok(options) => Host::open(options).await,
                Err(error) => Err(error),
            };
            if let Err(error) = &opened {
                tracing::error!(%error, "the data folder cannot be used");
            }
            // It is set here and nowhere else.
            let _ = slot.set(opened.map_err(IpcError::from));
        });
    }

    /// The host, once it is open; why there is none, if it could not be opened.
    pub(crate) async fn host(&self) -> Result<&Host, IpcError> {
        self.host.wait().await.as_ref().map_err(Clone::clone)
    }

    /// Runs `task` until it ends or the application does.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn_on(task, tauri::async_runtime::handle().inner());
    }

    /// The page is gone or is being loaded again: nobody waits for its calls and streams any more.
    pub(crate) fn forget_page(&self) {
        self.calls.cancel_all();
        self.follows.stop_all();
    }

    /// Ends everything in good order.
    pub(crate) async fn close(&self) {
        self.forget_page();
        // One that is still being opened has nothing to end yet.
        if let Some(Ok(host)) = self.host.get() {
            host.shutdown().await;
        }
    }
}
