//! Tests whether a server of the stateless era also supports sessions. If so, apps of the session era get a
//! session, because some servers can only ask questions there, or list other items there.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_definitions::EraOverride;
use mooring_errors::{Failure, FailureCode, HostError};
use mooring_mcp::Era;
use mooring_server_state::HostEvent;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;

use super::{Registry, lock};
use crate::connection::lists::ListKind;
use crate::connection::{ConnectionRole, Handle};

/// How long to wait after an inconclusive trial.
const PAUSE: Duration = Duration::from_mins(1);

impl Registry {
    /// Tests servers after they have listed their items, and again after a change. Never returns.
    pub async fn try_sessions(self: Arc<Self>, mut events: broadcast::Receiver<HostEvent>) {
        let mut trials = JoinSet::new();
        // The servers under trial, and whether they have listed something since the trial began.
        let mut tried: HashMap<ServerId, bool> = HashMap::new();
        loop {
            let listed = tokio::select! {
                event = events.recv() => match event {
                    Ok(
                        HostEvent::ToolsChanged { id }
                        | HostEvent::ResourcesChanged { id }
                        | HostEvent::PromptsChanged { id },
                    ) => vec![id],
                    Ok(_) => continue,
                    Err(RecvError::Lagged(_)) => lock(&self.entries).keys().copied().collect(),
                    Err(RecvError::Closed) => return,
                },
                Some(Ok(id)) = trials.join_next(), if !trials.is_empty() => {
                    if tried.remove(&id) == Some(true) { vec![id] } else { continue }
                }
            };
            for id in listed {
                if let Some(has_listed) = tried.get_mut(&id) {
                    *has_listed = true;
                    continue;
                }
                let Some(handle) = self.find_handle(id) else { continue };
                if !Self::is_ready_for_trial(&handle) {
                    continue;
                }
                tried.insert(id, false);
                let registry = Arc::clone(&self);
                trials.spawn(async move {
                    if let Err(error) = registry.try_session(id, &handle).await {
                        tracing::debug!(%error, "whether a server speaks a session is not known yet");
                        tokio::time::sleep(PAUSE).await;
                    }
                    id
                });
            }
        }
    }

    /// Whether the shared connection has listed everything, so that a trial can start.
    fn is_ready_for_trial(handle: &Handle) -> bool {
        let Ok(link) = handle.link() else { return false };
        let handshake = link.client.handshake();
        let is_listed = |kind: ListKind| !kind.is_offered(handshake) || handle.shared.lists.is_current(kind);
        ListKind::ALL.into_iter().all(is_listed)
    }

    /// Tests whether a server also supports sessions and what it lists there, unless that is known. `shared`
    /// is its shared connection.
    pub async fn try_session(&self, id: ServerId, shared: &Handle) -> Result<(), HostError> {
        let known = self.trust.remembered(id).await?;
        if !Self::is_ready_for_trial(shared) {
            return Ok(());
        }
        let is_automatic =
            lock(&self.entries).get(&id).is_some_and(|entry| entry.server.config.era == EraOverride::Auto);
        let may_speak_both = is_automatic && shared.link()?.client.handshake().era == Era::Modern;
        let is_known = if may_speak_both { !known.needs_session_trial() } else { !known.speaks_session() };
        if is_known {
            return Ok(());
        }
        let speaks = may_speak_both && self.try_listing_in_session(id).await?;
        self.trust.remember_session_trial(id, speaks).await?;
        if !speaks && known.speaks_session() {
            // The existing approvals also cover the session's definitions. Reading the lists again records
            // them without those.
            for kind in ListKind::ALL {
                shared.shared.lists.note_change(kind);
            }
        }
        Ok(())
    }

    /// Lists what a server offers in a session. Returns `false` if it supports no sessions.
    async fn try_listing_in_session(&self, id: ServerId) -> Result<bool, HostError> {
        let connection = {
            let entries = lock(&self.entries);
            let server = &entries.get(&id).ok_or(HostError::ServerNotFound(id))?.server;
            self.make_connection(server, None, ConnectionRole::TRIAL, None)
        };
        let handle = connection.handle();
        handle.start_in_turn();
        let listed = match handle.wait_until_settled().await {
            Ok(()) => read_all_lists(handle).await.map(|()| true),
            Err(HostError::Connect(failure)) if shows_no_session_support(&failure) => Ok(false),
            Err(error) => Err(error),
        };
        connection.close().await;
        listed
    }
}

/// Reads all lists, which also records them.
pub async fn read_all_lists(handle: &Handle) -> Result<(), HostError> {
    handle.tools(false).await?;
    handle.prompts(false).await?;
    handle.resources(false).await.map(drop)
}

/// Whether the failure shows that the server is reachable and supports no sessions. Other failures are
/// inconclusive.
fn shows_no_session_support(failure: &Failure) -> bool {
    match failure.code {
        FailureCode::Handshake | FailureCode::NotMcp | FailureCode::Exited | FailureCode::Timeout => true,
        FailureCode::HttpStatus => !failure.is_transient,
        _ => false,
    }
}
