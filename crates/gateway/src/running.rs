//! The running requests of one connection. Their number is limited, and each is cancelled by its id.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use mooring_jsonrpc::{RequestId, code};
use mooring_shares::{Place, REQUESTS_OF_APP, Share};
use tokio::task::{AbortHandle, JoinSet};

use crate::answer::{Answer, Failed};
use crate::locked::locked;

/// The most requests of a connection that run at once.
const MAX_RUNNING: usize = 64;

/// A request that is running.
struct RunningTask {
    task: AbortHandle,
    /// The number of the call, if the request is one.
    call: Option<i64>,
}

pub(crate) struct Running {
    /// The share of the app, over all its connections.
    share: Arc<Share>,
    by_id: Mutex<HashMap<RequestId, RunningTask>>,
    tasks: Mutex<JoinSet<()>>,
    /// Set when no more requests may begin.
    has_ended: AtomicBool,
    /// The place of the connection. Each running request keeps it in use.
    place: OnceLock<Weak<Place>>,
}

impl Running {
    pub(crate) fn new(share: &Arc<Share>) -> Arc<Self> {
        Arc::new(Self {
            share: Arc::clone(share),
            by_id: Mutex::default(),
            tasks: Mutex::default(),
            has_ended: AtomicBool::default(),
            place: OnceLock::default(),
        })
    }

    /// Keeps the place of the connection in use while a request runs.
    pub(crate) fn use_place(&self, place: &Arc<Place>) {
        self.place.get_or_init(|| Arc::downgrade(place));
    }

    /// Starts a request. Fails if too many requests are running, or if one with the same id is. A cancelled
    /// request gets no answer. `is_awaited` is for [`Share::begin_request`].
    pub(crate) fn start_request(
        self: &Arc<Self>,
        id: &RequestId,
        is_awaited: bool,
        call: Option<i64>,
        work: impl Future<Output = Answer> + Send + 'static,
        answered: impl FnOnce(Answer) + Send + 'static,
    ) -> Result<(), Failed> {
        let mut by_id = locked(&self.by_id);
        if by_id.contains_key(id) {
            return Err(Failed::new(
                code::INVALID_REQUEST,
                "Invalid Request: a request with this id is running",
            ));
        }
        let too_many = |most: usize, of: &str| {
            let refused = format!("{most} requests of this {of} are running: wait for one of them");
            Err(Failed::new(code::TOO_MANY, refused))
        };
        if by_id.len() >= MAX_RUNNING {
            return too_many(MAX_RUNNING, "connection");
        }
        let Some(request) = self.share.begin_request(is_awaited) else {
            return too_many(REQUESTS_OF_APP, "app");
        };
        let (running, of) = (Arc::clone(self), id.clone());
        let mut tasks = locked(&self.tasks);
        if self.has_ended.load(Ordering::Relaxed) {
            return Err(Failed::new(code::INTERNAL_ERROR, "the connection has ended"));
        }
        // Remove the tasks that have ended.
        while tasks.try_join_next().is_some() {}
        let using = self.place.get().and_then(Weak::upgrade).map(|place| place.begin_use());
        let task = tasks.spawn(async move {
            let _held = (using, request);
            let answer = work.await;
            if locked(&running.by_id).remove(&of).is_some() {
                answered(answer);
            }
        });
        by_id.insert(id.clone(), RunningTask { task, call });
        Ok(())
    }

    /// The number of the call, if the running request with this id is one.
    pub(crate) fn call_number(&self, id: &RequestId) -> Option<i64> {
        locked(&self.by_id).get(id)?.call
    }

    /// Cancels a request. Does nothing if no request with this id is running.
    pub(crate) fn cancel_request(&self, id: &RequestId) {
        let running = locked(&self.by_id).remove(id);
        if let Some(running) = running {
            running.task.abort();
        }
    }

    /// Cancels all requests and lets no more begin. Requests hold the session, so dropping the session
    /// wouldn't end them.
    pub(crate) fn cancel_all(&self) {
        let mut tasks = locked(&self.tasks);
        self.has_ended.store(true, Ordering::Relaxed);
        tasks.abort_all();
    }

    /// Cancels all requests, and waits until they have ended.
    pub(crate) async fn end_all(&self) {
        self.cancel_all();
        let mut tasks = std::mem::take(&mut *locked(&self.tasks));
        tasks.shutdown().await;
    }
}
