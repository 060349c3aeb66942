//! Saved servers: listing, changing, starting and stopping them.

use std::path::PathBuf;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_connections::{ConnectionRole, ConnectionSpec, Registry, era_choice};
use mooring_definitions::{NewServer, Transport};
use mooring_errors::{HostError, failure};
use mooring_instances::InstanceId;
use mooring_load::{LoadPoint, ServerLoad};
use mooring_process::{join_search_path, path_name};
use mooring_server_state::{ConnectionView, RestartPolicy, ServerView, StateName};
use mooring_store::Store;
use mooring_words::{Sentence, io_error_sentence};

use super::bundles::clean_in_background;
use super::{Host, REMOVED_SERVER_GRACE};
use crate::options::CommandCheck;

/// The file name of the demo server's program.
const DEMO_SERVER: &str = "mooring-demo-server";
/// The demo server's name in the list of servers.
const DEMO_NAME: &str = "Demo";

impl Host {
    /// All saved servers, sorted by name.
    pub fn servers(&self) -> Vec<ServerView> {
        self.inner.registry.views()
    }

    /// The view of one saved server.
    pub fn server(&self, id: ServerId) -> Result<ServerView, HostError> {
        self.inner.registry.view(id)
    }

    /// The name and state of a saved server or instance. Cheaper than [`Self::server`].
    pub fn server_name_and_state(&self, at: impl Into<InstanceId>) -> Option<(String, StateName)> {
        self.inner.registry.name_and_state(at.into())
    }

    /// What each local server that runs costs. Measures more often for the next seconds.
    pub fn server_loads(&self) -> Vec<ServerLoad> {
        self.inner.loads.servers()
    }

    /// What a local server cost in the last hour, oldest first.
    pub fn server_load_hour(&self, id: ServerId) -> Vec<LoadPoint> {
        self.inner.loads.hour(id)
    }

    /// Gives a saved server priority over others that start, because someone waits for it.
    pub fn need_server(&self, id: ServerId) {
        if let Some(handle) = self.inner.registry.find_handle(id) {
            handle.set_needed();
        }
    }

    /// Retries servers that are disconnected now, because a person is viewing them.
    pub fn retry_servers(&self) {
        self.inner.registry.retry_all();
    }

    /// Saves a server and, when supervising, starts it.
    pub async fn add_server(&self, server: NewServer) -> Result<ServerView, HostError> {
        let id = self.inner.registry.add(server).await?;
        self.need_server(id);
        self.server(id)
    }

    /// Saves the demo server under an unused name and, when supervising, starts it.
    pub async fn add_demo_server(&self) -> Result<ServerView, HostError> {
        let program = self.demo_server()?;
        let mut name = DEMO_NAME.to_owned();
        let mut number = 1;
        while self.inner.registry.has_name(&name) {
            number += 1;
            name = format!("{DEMO_NAME} {number}");
        }
        let command = Some(program.display().to_string());
        self.add_server(NewServer { command, ..NewServer::new(&name, Transport::Stdio) }).await
    }

    /// Changes a server. Reconnects it if the change affects how it was started.
    pub async fn update_server(&self, id: ServerId, server: NewServer) -> Result<ServerView, HostError> {
        let before = self.server(id)?.config.url;
        let moves = before != server.url;
        self.inner.registry.save_changed(id, server).await?;
        self.need_server(id);
        if moves {
            // An account is bound to a URL and must not be used at another (AUTH-41).
            self.inner.attempts.cancel(id);
            self.inner.icons.forget(id);
        }
        self.inner.registry.reconcile().await?;
        self.server(id)
    }

    /// Stops and removes a server. [`Self::restore_server`] undoes it.
    pub async fn remove_server(&self, id: ServerId) -> Result<(), HostError> {
        self.inner.attempts.cancel(id);
        self.inner.icons.forget(id);
        self.inner.registry.remove(id).await
    }

    /// Restores a removed server, and starts it if it was enabled.
    pub async fn restore_server(&self, id: ServerId) -> Result<ServerView, HostError> {
        self.inner.registry.restore(id).await?;
        self.server(id)
    }

    /// Starts a server, now and whenever the window starts.
    pub async fn start(&self, id: ServerId) -> Result<(), HostError> {
        self.inner.registry.start(id).await
    }

    /// Stops a server until the person starts it again. Returns when its processes are gone.
    pub async fn stop(&self, id: ServerId) -> Result<(), HostError> {
        self.inner.registry.stop(id).await
    }

    /// Lets a server that starts on first use sleep now, with all its instances. Returns false if one of them
    /// is used, or if the server does not start on first use.
    pub fn let_sleep(&self, id: ServerId) -> Result<bool, HostError> {
        self.inner.registry.let_sleep(id)
    }

    /// Restarts a server.
    pub async fn restart(&self, id: ServerId) -> Result<(), HostError> {
        self.inner.registry.restart(id).await
    }

    /// Tests the entered settings of a server: connects and disconnects without saving anything. Returns the
    /// view while connected, or why the connection failed. For a saved server `id`, its saved secrets and
    /// account are used. Dropping the future ends the attempt.
    pub async fn try_server(
        &self,
        id: Option<ServerId>,
        server: NewServer,
    ) -> Result<ConnectionView, HostError> {
        let config = server.validated()?;
        if let Some(id) = id {
            self.server(id)?;
        }
        let spec = ConnectionSpec {
            server: None,
            secrets_of: id,
            era: era_choice(config.era),
            config,
            // No server has the id 0.
            launch_context: self.inner.registry.launch_context(id.map_or(0, |id| id.0)),
            restart_policy: RestartPolicy::Never,
            start_timeout: None,
            max_message: None,
            redetect_era: false,
            account: None,
            role: ConnectionRole::SHARED,
            roots: None,
        };
        let connection = self.inner.connections.make(spec, None);
        connection.handle().start();
        if connection.handle().wait_until_settled().await.is_ok()
            && let Err(error) = connection.tools(false).await
        {
            // Counts as far as possible: not every server has tools.
            tracing::debug!(%error, "a server that was tried didn’t list its tools");
        }
        let view = connection.view();
        connection.close().await;
        Ok(view)
    }

    /// Resolves a command on the declared `PATH`, if any, and then on the search path of saved servers.
    pub async fn check_command(&self, command: &str, declared: Option<&str>) -> CommandCheck {
        let found = self.inner.login.find(command.trim(), declared, self.home()).await;
        let searched = join_search_path(declared, &found.login.path).directories().to_vec();
        match found.program {
            Ok(path) => CommandCheck { path: Some(path), problem: None, searched },
            Err(error) => {
                let problem = failure::from_resolve(error, &path_name(&found.login, declared));
                CommandCheck { path: None, problem: Some(problem), searched }
            }
        }
    }

    /// The path of the demo server's program.
    pub(super) fn demo_server(&self) -> Result<PathBuf, HostError> {
        let program = if let Some(program) = &self.inner.options.demo_server {
            program.clone()
        } else {
            let this =
                std::env::current_exe().map_err(|error| HostError::DemoMissing(io_error_sentence(&error)))?;
            this.with_file_name(format!("{DEMO_SERVER}{}", std::env::consts::EXE_SUFFIX))
        };
        if program.is_file() {
            Ok(program)
        } else {
            Err(HostError::DemoMissing(Sentence::quoted(program.to_string_lossy())))
        }
    }
}

/// Deletes removed servers, with their plain variables and headers, after the time for restoring them. Removes the
/// folders of bundles that no server uses any more, now and then. Never returns.
pub(super) async fn purge_removed(store: Store, bundles: PathBuf) {
    const CHECK_INTERVAL: Duration = Duration::from_mins(10);
    loop {
        clean_in_background(store.clone(), bundles.clone()).await;
        tokio::time::sleep(CHECK_INTERVAL).await;
        if let Err(error) = store.servers().purge_removed(REMOVED_SERVER_GRACE).await {
            tracing::warn!(%error, "removed servers could not be forgotten");
        }
    }
}

/// The process ids of the saved servers that run, and of their instances.
pub(super) fn running_programs(registry: &Registry) -> Vec<(ServerId, u32)> {
    let of_server = |view: ServerView| {
        let pids = view.connection.pid.into_iter().chain(view.instances.iter().filter_map(|one| one.pid));
        pids.map(|pid| (view.id, pid)).collect::<Vec<_>>()
    };
    registry.views().into_iter().flat_map(of_server).collect()
}
