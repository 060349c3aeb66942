//! The requests of one connection that are being worked on: bounded, and cancelled by their ids.

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

/// A request that is being worked on.
struct RunningTask {
    task: AbortHandle,
    /// The number of the call that it is.
    call: Option<i64>,
}

pub(crate) struct Running {
    /// The app's, over all its connections.
    share: Arc<Share>,
    by_id: Mutex<HashMap<RequestId, RunningTask>>,
    tasks: Mutex<JoinSet<()>>,
    /// Nothing more begins.
    has_ended: AtomicBool,
    /// The connection's, which each of them uses.
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

    /// While one runs, the connection is in use.
    pub(crate) fn use_place(&self, place: &Arc<Place>) {
        self.place.get_or_init(|| Arc::downgrade(place));
    }

    /// Runs the work on a request, unless so many are running, or one with this id. One that is cancelled has no answer.
    /// `is_awaited`: see [`Share::begin_request`].
    pub(crate) fn run(
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
        // Those that have ended.
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

    /// The number of the call that a request is, if it is running.
    pub(crate) fn call(&self, id: &RequestId) -> Option<i64> {
        locked(&self.by_id).get(id)?.call
    }

    /// The app wants an answer no longer. One that has ended, or never was, is none of its concern any more.
    pub(crate) fn cancel(&self, id: &RequestId) {
        let running = locked(&self.by_id).remove(id);
        if let Some(running) = running {
            running.task.abort();
        }
    }

    /// Cancels all, for good. Each holds what it works with, so nothing else would.
    pub(crate) fn cancel_all(&self) {
        let mut tasks = locked(&self.tasks);
        self.has_ended.store(true, Ordering::Relaxed);
        tasks.abort_all();
    }

    /// Cancels all, and waits until they are gone.
    pub(crate) async fn end(&self) {
        self.cancel_all();
        let mut tasks = std::mem::take(&mut *locked(&self.tasks));
        tasks.shutdown().await;
    }
}
