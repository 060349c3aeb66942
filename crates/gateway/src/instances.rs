//! Chooses the instance of a server for an app's requests.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_approvals::ListedIn;
use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_host::{Host, InstanceLease};
use mooring_inbox::AppResponder;
use mooring_instances::{InstanceId, InstanceKey, Separation};
use mooring_mcp::QuestionKind;
use mooring_roots::AppRoots;
use mooring_server_state::StateName;
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::locked::locked;

/// How long a call waits for a server that is connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long an app may take to list its roots. After that, the app counts as having none.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(10);

/// The instances that an app's connection holds, and the app's roots.
#[derive(Default)]
pub(crate) struct AppInstances {
    held: Mutex<HashMap<ServerId, (InstanceKey, InstanceLease)>>,
    /// The roots that the app listed last, and the value of `changes` before it did.
    roots: tokio::sync::Mutex<Option<(u64, Option<AppRoots>)>>,
    changes: AtomicU64,
    /// How often requests moved to another instance of a server.
    moves: watch::Sender<u64>,
    /// The claims that reserve a server's shared connection (`false`) or shared session (`true`) for this
    /// app.
    claims: Mutex<HashMap<(ServerId, bool), Arc<()>>>,
}

impl AppInstances {
    /// Forgets the app's roots because they have changed. The app is asked for them again.
    pub(crate) fn forget_roots(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// The instance that the last request to a server went to.
    pub(crate) fn latest_instance(&self, server: ServerId) -> InstanceId {
        locked(&self.held).get(&server).map_or_else(|| server.into(), |(_, lease)| lease.id())
    }

    /// Watches how often requests moved to another instance of a server. That instance may still be starting.
    pub(crate) fn watch_moves(&self) -> watch::Receiver<u64> {
        self.moves.subscribe()
    }

    /// Chooses the instance of a server for the next request, and holds it from now on. `responder` asks the
    /// app for its roots. Without a responder, instances aren't separated by roots. Without an `app` name,
    /// the request uses an instance that apps share.
    pub(crate) async fn choose_instance(
        &self,
        (host, app): (&Host, Option<&Arc<str>>),
        server: ServerId,
        era: ListedIn,
        responder: Option<&dyn AppResponder>,
    ) -> Result<InstanceId, HostError> {
        let Separation { by_app, by_roots, may_share, in_session } =
            host.separation(server, era, app.map(|app| &**app)).await?;
        let roots = match responder {
            Some(responder) if by_roots && app.is_some() => self.read_roots(responder).await,
            _ => None,
        };
        let mut key = InstanceKey { server, app: app.filter(|_| by_app).map(Arc::clone), roots, in_session };
        if may_share
            && key.roots.is_none()
            && !self.has_lease(&key)
            && let Some(claim) = key.app.as_ref().and_then(|app| host.claim_shared(server, in_session, app))
        {
            // The first app uses the shared process, because that is already running.
            locked(&self.claims).insert((server, in_session), claim);
            key.app = None;
        }
        let at = match self.lease_instance(host, key.clone()) {
            // If all apps share one instance, a question may go to the user and not to the app. That is
            // better than no answer.
            Err(_) if may_share && key.app.is_some() => {
                self.lease_instance(host, InstanceKey { app: None, ..key })?
            }
            held => held?,
        };
        if at.number != 0 {
            wait_for_start(host, at, app.map(|app| &**app)).await;
        }
        // The server no longer supports sessions: use its shared connection.
        let has_given_up = || locked(&self.held).get(&server).is_some_and(|(_, lease)| !lease.is_valid());
        Ok(if in_session && has_given_up() { server.into() } else { at })
    }

    fn has_lease(&self, key: &InstanceKey) -> bool {
        locked(&self.held).get(&key.server).is_some_and(|(known, lease)| known == key && lease.is_valid())
    }

    fn lease_instance(&self, host: &Host, key: InstanceKey) -> Result<InstanceId, HostError> {
        let server = key.server;
        let mut held = locked(&self.held);
        let moved = || self.moves.send_modify(|count| *count += 1);
        if key.is_shared() && !key.in_session {
            if held.remove(&server).is_some() {
                moved();
            }
            return Ok(server.into());
        }
        if let Some((_, lease)) = held.get(&server).filter(|(known, lease)| *known == key && lease.is_valid())
        {
            return Ok(lease.id());
        }
        // Make room by dropping the old lease first.
        held.remove(&server);
        let lease = host.hold_instance(&key)?;
        let id = lease.id();
        held.insert(server, (key, lease));
        moved();
        Ok(id)
    }

    /// The app's roots. Concurrent requests wait for the same answer.
    pub(crate) async fn read_roots(&self, responder: &dyn AppResponder) -> Option<AppRoots> {
        let mut known = self.roots.lock().await;
        let changes = self.changes.load(Ordering::Relaxed);
        if let Some((_, roots)) = known.as_ref().filter(|(as_of, _)| *as_of == changes) {
            return roots.clone();
        }
        let roots = ask_for_roots(responder).await;
        *known = Some((changes, roots.clone()));
        roots
    }
}

/// Waits for a server that is about to connect, and starts one that sleeps for this app. If that fails, the
/// request itself reports the reason.
pub(crate) async fn wait_for_start(host: &Host, at: InstanceId, app: Option<&str>) {
    if let Some(app) = app {
        host.note_waking_app(at, app);
    }
    let is_starting = is_being_started(host, at);
    let starts_on_use =
        is_starting && host.server(at.server).is_ok_and(|server| server.config.starts_on_use());
    // A call that starts a server waits as long as the server may take to start.
    let limit =
        if starts_on_use { CONNECT_TIMEOUT.max(host.settings().start_timeout()) } else { CONNECT_TIMEOUT };
    let _late = tokio::time::timeout(limit, host.wait_for_attempt(at)).await;
}

/// Whether a request at this instance waits until the server has started.
pub(crate) fn is_being_started(host: &Host, at: InstanceId) -> bool {
    let state = host.server_name_and_state(at).map(|(_, state)| state);
    matches!(state, Some(StateName::Asleep | StateName::Starting))
}

async fn ask_for_roots(responder: &dyn AppResponder) -> Option<AppRoots> {
    let nothing = RawValue::from_string("{}".to_owned()).ok()?;
    let asking = responder.answer(QuestionKind::Roots, &nothing, None)?;
    let answered = tokio::time::timeout(ROOTS_TIMEOUT, asking).await;
    AppRoots::read(&answered.ok()?.ok()?)
}
