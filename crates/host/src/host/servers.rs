//! Saved servers: the list, changes to it, starting and stopping.

use std::path::PathBuf;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_instances::InstanceId;
use mooring_process::{join_search_path, path_name};
use mooring_store::{Servers, Transport};
use mooring_words::{Sentence, io_error_sentence};

use super::{Host, REMOVED_SERVER_GRACE};
use crate::connection::state::RestartPolicy;
use crate::connection::{ConnectionRole, ConnectionSpec};
use crate::error::HostError;
use crate::options::CommandCheck;
use crate::server::{ConnectionView, ServerView, StateName};
use crate::{era_cache, failure};

/// The demo server's program.
const DEMO_SERVER: &str = "mooring-demo-server";
/// Its name among the saved servers.
const DEMO_NAME: &str = "Demo";

impl Host {
    /// Every saved server, by name.
    pub fn servers(&self) -> Vec<ServerView> {
        self.inner.registry.views()
    }

    /// One saved server.
    pub fn server(&self, id: ServerId) -> Result<ServerView, HostError> {
        self.inner.registry.view(id)
    }

    /// The name and the state of a saved server, or of an instance of it, at less cost than [`Self::server`].
    pub fn server_name_and_state(&self, at: impl Into<InstanceId>) -> Option<(String, StateName)> {
        self.inner.registry.name_and_state(at.into())
    }

    /// Someone waits for a saved server to be connected: others that start are behind it.
    pub fn need_server(&self, id: ServerId) {
        if let Some(handle) = self.inner.registry.find_handle(id) {
            handle.shared.set_needed(true);
        }
    }

    /// Has servers that are away, and are waited for, tried now: a person looks.
    pub fn retry_servers(&self) {
        self.inner.registry.retry_all();
    }

    /// Saves a server and, when supervising, starts it.
    pub async fn add_server(&self, server: NewServer) -> Result<ServerView, HostError> {
        let id = self.inner.registry.add(server).await?;
        self.need_server(id);
        self.server(id)
    }

    /// Saves the demo server under a free name and, when supervising, starts it.
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

    /// Changes a server. A running connection is made anew when what it was started with changed.
    pub async fn update_server(&self, id: ServerId, server: NewServer) -> Result<ServerView, HostError> {
        let before = self.server(id)?.config.url;
        let moves = before != server.url;
        self.inner.registry.save_changed(id, server).await?;
        self.need_server(id);
        if moves {
            // A login is for an address, and for no other (AUTH-41).
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

    /// Brings a removed server back, running if it was enabled.
    pub async fn restore_server(&self, id: ServerId) -> Result<ServerView, HostError> {
        self.inner.registry.restore(id).await?;
        self.server(id)
    }

    /// Starts a server, and with every later start of the window.
    pub async fn start(&self, id: ServerId) -> Result<(), HostError> {
        self.inner.registry.start(id).await
    }

    /// Stops a server until the person starts it again. Returns when its processes are gone.
    pub async fn stop(&self, id: ServerId) -> Result<(), HostError> {
        self.inner.registry.stop(id).await
    }

    /// Stops a server and starts it anew.
    pub async fn restart(&self, id: ServerId) -> Result<(), HostError> {
        self.inner.registry.restart(id).await
    }

    /// Connects to a server as it is entered and disconnects again, without saving anything; what it looked like
    /// while connected, or why it could not be. For a saved server `id` its saved secrets and login are used.
    /// Dropping the future ends the attempt.
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
            era: era_cache::choice(config.era),
            config,
            // No server has the number 0.
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
            // It counts what it can: not every server has tools.
            tracing::debug!(%error, "a server that was tried didn’t list its tools");
        }
        let view = connection.view();
        connection.close().await;
        Ok(view)
    }

    /// Looks a command up on the search path of saved servers, behind the `PATH` that is declared for it.
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

    /// The demo server's program.
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

/// Forgets removed servers, with the variables and headers that are in the clear, once nobody takes that back any more.
/// Never returns.
pub(super) async fn purge_removed(servers: Servers) {
    const CHECK_INTERVAL: Duration = Duration::from_mins(10);
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        if let Err(error) = servers.purge_removed(REMOVED_SERVER_GRACE).await {
            tracing::warn!(%error, "removed servers could not be forgotten");
        }
    }
}
