//! The catalogues of all apps: each is read once after a change, however often it is used.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mooring_host::{Host, HostError, HostEvent, ServerId, StateName};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

use crate::catalogue::Catalogue;
use crate::followed::LeftResources;

/// The most catalogues that are held: of more apps than are connected at once.
const MAX_HELD: usize = 128;

/// Which app, and the server that it sees where it sees one alone.
type View = (Arc<str>, Option<Arc<str>>);

pub(crate) struct Catalogues {
    host: Host,
    /// Counts the changes of what apps may see.
    changes: watch::Sender<u64>,
    held: Mutex<HashMap<View, (u64, Arc<Catalogue>)>>,
    pub(crate) left_resources: Arc<LeftResources>,
}

impl Catalogues {
    pub(crate) fn new(host: Host) -> Self {
        Self { host, changes: watch::Sender::new(0), held: Mutex::default(), left_resources: Arc::default() }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<View, (u64, Arc<Catalogue>)>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows what changes, until the host ends.
    pub(crate) async fn follow(&self, mut events: broadcast::Receiver<HostEvent>) {
        // Each call that ends changes its server's figures as well.
        let mut states: HashMap<ServerId, (String, StateName)> = HashMap::new();
        loop {
            match events.recv().await {
                Ok(HostEvent::ServerChanged { id }) => {
                    let now = self.host.server_name_and_state(id);
                    if states.get(&id) != now.as_ref() || now.is_none() {
                        now.map(|now| states.insert(id, now));
                        self.changes.send_modify(|count| *count += 1);
                    }
                }
                Ok(event) if !changes_lists(&event) => {}
                Ok(_) | Err(RecvError::Lagged(_)) => self.changes.send_modify(|count| *count += 1),
                Err(RecvError::Closed) => return,
            }
        }
    }

    /// Told of each change.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// What an app sees now.
    pub(crate) async fn of(
        &self,
        app: &Arc<str>,
        only: Option<&Arc<str>>,
    ) -> Result<Arc<Catalogue>, HostError> {
        // Before it is read: what changes meanwhile makes it old.
        let now = *self.changes.borrow();
        let view = (Arc::clone(app), only.map(Arc::clone));
        if let Some((_, catalogue)) = self.held().get(&view).filter(|(read_at, _)| *read_at == now) {
            return Ok(Arc::clone(catalogue));
        }
        let catalogue = Arc::new(Catalogue::read(&self.host, app, only.map(|only| &**only)).await?);
        let mut held = self.held();
        if held.len() >= MAX_HELD {
            held.clear();
        }
        held.insert(view, (now, Arc::clone(&catalogue)));
        Ok(catalogue)
    }
}

/// Whether what apps see may have changed.
fn changes_lists(event: &HostEvent) -> bool {
    matches!(
        event,
        HostEvent::ServersChanged
            | HostEvent::ServerAddedElsewhere { .. }
            | HostEvent::ToolsChanged { .. }
            | HostEvent::ResourcesChanged { .. }
            | HostEvent::PromptsChanged { .. }
            | HostEvent::TrustChanged { .. }
            | HostEvent::AppsChanged
    )
}
