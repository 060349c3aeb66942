//! The one thread that talks to the keychain, which may keep it waiting for as long as a person does.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::oneshot;

use super::{ConnectKeychain, Keychain};
use crate::error::KeychainError;

/// Requests that wait behind the one that the keychain is busy with.
const QUEUE: usize = 8;
/// Threads that may be waiting for a keychain that no longer answers, the present one among them.
const MOST_THREADS: usize = 4;

type Job = Box<dyn FnOnce(&ConnectKeychain) + Send>;

/// Hands requests to the thread; when this is dropped, the thread ends after the one it is busy with.
pub(crate) struct KeychainThread {
    connect: ConnectKeychain,
    jobs: Mutex<Option<SyncSender<Job>>>,
    alive: Arc<AtomicUsize>,
}

impl KeychainThread {
    pub(crate) fn new(connect: ConnectKeychain) -> Self {
        Self { connect, jobs: Mutex::new(None), alive: Arc::default() }
    }

    /// Runs this on the thread. Dropping the receiver cancels a request that has not begun.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut dyn Keychain) -> Result<T, KeychainError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, KeychainError>> {
        let (reply, answer) = oneshot::channel();
        let run: Job = Box::new(move |connect| {
            if !reply.is_closed() {
                let result = connect().and_then(|mut keychain| job(&mut *keychain));
                // The caller may be gone.
                let _unwanted = reply.send(result);
            }
        });
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        if jobs.is_none() {
            *jobs = start(Arc::clone(&self.connect), &self.alive);
        }
        // If the queue is full or there is no thread, the reply is dropped with the job, which the receiver
        // notices.
        if let Some(sender) = &*jobs {
            let _full = sender.try_send(run);
        }
        answer
    }

    /// Abandons a thread that may wait forever, so that the next request gets a new one.
    pub(crate) fn replace(&self) {
        if self.alive.load(Ordering::SeqCst) < MOST_THREADS {
            *self.jobs.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

fn start(connect: ConnectKeychain, alive: &Arc<AtomicUsize>) -> Option<SyncSender<Job>> {
    let (sender, jobs) = sync_channel(QUEUE);
    alive.fetch_add(1, Ordering::SeqCst);
    let counted = ThreadCountGuard(Arc::clone(alive));
    let started =
        thread::Builder::new().name("keychain".to_owned()).spawn(move || run_jobs(&jobs, &connect, counted));
    started.ok().map(|_| sender)
}

/// Counts a thread until it is dropped, also by a panic in a library.
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
