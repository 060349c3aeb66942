//! Pauses all servers at once, and resumes them.

use futures_util::future::join_all;
use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_server_state::{HostEvent, ServerView, send_event};
use mooring_words::Sentence;

use super::Host;

/// The database key of the paused servers.
const PAUSED: &str = "paused-servers";

impl Host {
    /// Stops all enabled servers and saves their ids, so that [`Self::resume_servers`] can start them again,
    /// even after the application restarts. Returns when their processes are gone.
    pub async fn pause_servers(&self) -> Result<(), HostError> {
        let running: Vec<ServerId> =
            self.servers().into_iter().filter(|server| server.enabled).map(|server| server.id).collect();
        if running.is_empty() {
            return Ok(());
        }
        let mut paused = self.paused_servers().await?;
        paused.extend(&running);
        self.save_paused(&paused).await?;
        let stopped = join_all(running.into_iter().map(|id| self.stop(id))).await;
        stopped.into_iter().collect()
    }

    /// Starts the paused servers, unless they were removed or started in the meantime. Those that start on
    /// first use wait for it.
    pub async fn resume_servers(&self) -> Result<(), HostError> {
        let paused = self.paused_servers().await?;
        let started = join_all(paused.into_iter().map(|id| self.inner.registry.enable(id))).await;
        started.into_iter().collect::<Result<(), _>>()?;
        self.save_paused(&[]).await
    }

    /// The servers that [`Self::resume_servers`] would start. A server that the person has started is no
    /// longer paused.
    pub async fn paused_servers(&self) -> Result<Vec<ServerId>, HostError> {
        let Some(text) = self.inner.store.settings().get(PAUSED).await? else { return Ok(Vec::new()) };
        let saved: Vec<ServerId> = serde_json::from_str(&text).map_err(|error| internal(&error))?;
        let is_stopped = |server: &ServerView| !server.enabled && saved.contains(&server.id);
        Ok(self.servers().into_iter().filter(is_stopped).map(|server| server.id).collect())
    }

    async fn save_paused(&self, servers: &[ServerId]) -> Result<(), HostError> {
        let text = serde_json::to_string(servers).map_err(|error| internal(&error))?;
        self.inner.store.settings().set(PAUSED, &text).await?;
        send_event(&self.inner.events, HostEvent::AppChanged);
        Ok(())
    }
}

fn internal(error: &serde_json::Error) -> HostError {
    HostError::Internal(Sentence::quoted(error.to_string()))
}
