//! The thread that makes requests to the keychain, each of which may take as long as a person needs to
//! answer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::oneshot;

use super::{ConnectKeychain, Keychain};
use crate::error::KeychainError;

/// How many requests may wait behind the running one.
const QUEUE: usize = 8;
/// How many threads may exist, counting those that wait for a keychain that no longer responds.
const MOST_THREADS: usize = 4;

type Job = Box<dyn FnOnce(&ConnectKeychain) + Send>;

/// Sends requests to the thread. When this is dropped, the thread ends after its running request.
pub(crate) struct KeychainThread {
    connect: ConnectKeychain,
    jobs: Mutex<Option<SyncSender<Job>>>,
    alive: Arc<AtomicUsize>,
}

impl KeychainThread {
    pub(crate) fn new(connect: ConnectKeychain) -> Self {
        Self { connect, jobs: Mutex::new(None), alive: Arc::default() }
    }

    /// Runs `job` on the thread. Dropping the receiver cancels a job that has not begun.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut dyn Keychain) -> Result<T, KeychainError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, KeychainError>> {
        let (reply, answer) = oneshot::channel();
        let run: Job = Box::new(move |connect| {
            if !reply.is_closed() {
                let result = connect().and_then(|mut keychain| job(&mut *keychain));
                // The caller may have stopped waiting.
                let _unwanted = reply.send(result);
            }
        });
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        if jobs.is_none() {
            *jobs = start_thread(Arc::clone(&self.connect), &self.alive);
        }
        // If the queue is full or there is no thread, the job is dropped together with the sender of its
        // reply. The receiver notices that.
        if let Some(sender) = &*jobs {
            let _full = sender.try_send(run);
        }
        answer
    }

    /// Abandons a thread that may wait forever. The next request starts a new one.
    pub(crate) fn replace(&self) {
        if self.alive.load(Ordering::SeqCst) < MOST_THREADS {
            *self.jobs.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

fn start_thread(connect: ConnectKeychain, alive: &Arc<AtomicUsize>) -> Option<SyncSender<Job>> {
    let (sender, jobs) = sync_channel(QUEUE);
    alive.fetch_add(1, Ordering::SeqCst);
    let counted = ThreadCountGuard(Arc::clone(alive));
    let started =
        thread::Builder::new().name("keychain".to_owned()).spawn(move || run_jobs(&jobs, &connect, counted));
    started.ok().map(|_| sender)
}

/// Counts a thread while it exists, even if a library panics.
struct ThreadCountGuard(Arc<AtomicUsize>);

impl Drop for ThreadCountGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn run_jobs(jobs: &Receiver<Job>, connect: &ConnectKeychain, _counted: ThreadCountGuard) {
    while let Ok(job) = jobs.recv() {
        job(connect);
    }
}
