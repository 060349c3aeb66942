//! The bounded queue in front of the log's writer. Never blocks; bounded in records and bytes.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// What waits in a queue: something to be written, or a command to the writer.
pub trait Queued: Debug {
    /// How much of the queue's room it takes.
    fn bytes(&self) -> usize;

    /// Whether somebody waits for it: it always has room, and is not kept waiting for others.
    fn is_urgent(&self) -> bool;
}

/// Where records wait for the writer.
#[derive(Debug)]
pub struct Queue<T> {
    state: Mutex<QueueState<T>>,
    max_records: usize,
    max_bytes: usize,
    batch: BatchLimits,
    /// There is room again.
    room: Notify,
    /// There is something for the writer to look at.
    work: Notify,
}

/// Limits of one transaction.
#[derive(Clone, Copy, Debug)]
pub struct BatchLimits {
    /// As many are taken at once.
    pub records: usize,
    /// And of as many bytes.
    pub bytes: usize,
}

#[derive(Debug)]
struct QueueState<T> {
    items: VecDeque<T>,
    bytes: usize,
    /// What an item has that was refused and has not come again: waiting for less room than that would be
    /// trying in vain, again and again.
    needed_bytes: usize,
    urgent: usize,
    closed: bool,
}

impl<T: Queued> Queue<T> {
    /// An empty queue.
    pub fn new(max_records: usize, max_bytes: usize, batch: BatchLimits) -> Self {
        let max_records = max_records.max(1);
        // A full queue is worth a batch, however small it is: more cannot come.
        let batch =
            BatchLimits { records: batch.records.min(max_records), bytes: batch.bytes.min(max_bytes).max(1) };
        Self {
            state: Mutex::new(QueueState {
                items: VecDeque::new(),
                bytes: 0,
                needed_bytes: 0,
                urgent: 0,
                closed: false,
            }),
            max_records,
            max_bytes,
            batch,
            room: Notify::new(),
            work: Notify::new(),
        }
    }

    /// Nothing under this lock can panic half-way.
    fn state(&self) -> MutexGuard<'_, QueueState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the item, or gives it back when there is no room. A queue without records takes
    /// one of any size. A flush always has room.
    pub fn try_push(&self, item: T) -> Result<(), (T, PushError)> {
        let bytes = item.bytes();
        let wake = {
            let mut state = self.state();
            if state.closed {
                return Err((item, PushError::Closed));
            }
            if !item.is_urgent() && !self.has_room(&state, bytes) {
                state.needed_bytes = state.needed_bytes.max(bytes);
                return Err((item, PushError::Full));
            }
            if bytes >= state.needed_bytes {
                state.needed_bytes = 0;
            }
            let before = (state.items.is_empty(), self.has_batch(&state));
            state.bytes += bytes;
            state.urgent += usize::from(item.is_urgent());
            state.items.push_back(item);
            before != (false, self.has_batch(&state))
        };
        if wake {
            self.work.notify_one();
        }
        Ok(())
    }

    fn has_room(&self, state: &QueueState<T>, bytes: usize) -> bool {
        state.items.is_empty()
            || (state.items.len() < self.max_records && state.bytes.saturating_add(bytes) <= self.max_bytes)
    }

    fn has_batch(&self, state: &QueueState<T>) -> bool {
        state.closed
            || state.urgent > 0
            || state.items.len() >= self.batch.records
            || state.bytes >= self.batch.bytes
    }

    /// Waits until there is room for what was refused, or the queue is closed.
    pub async fn wait_for_room(&self) {
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            {
                let state = self.state();
                if state.closed || self.has_room(&state, state.needed_bytes.max(1)) {
                    return;
                }
            }
            room.await;
        }
    }

    /// Takes no more; the writer ends when it has written what is there.
    pub fn close(&self) {
        self.state().closed = true;
        self.room.notify_waiters();
        self.work.notify_one();
    }

    /// The writer has ended: nothing that waits will be written, and whoever waits is told.
    pub fn close_and_clear(&self) {
        {
            let mut state = self.state();
            state.closed = true;
            state.bytes = 0;
            state.urgent = 0;
            state.items.clear();
        }
        self.room.notify_waiters();
    }

    /// Waits until there is a first item, or the queue is closed. For the writer alone.
    pub async fn wait_for_item(&self) -> WaitOutcome {
        loop {
            {
                let state = self.state();
                if !state.items.is_empty() {
                    return WaitOutcome::Item;
                }
                if state.closed {
                    return WaitOutcome::Closed;
                }
            }
            self.work.notified().await;
        }
    }

    /// Waits until there is enough for a batch, or the deadline. For the writer alone.
    pub async fn wait_for_batch_until(&self, deadline: Instant) {
        loop {
            if self.has_batch(&self.state()) || timeout_at(deadline, self.work.notified()).await.is_err() {
                return;
            }
        }
    }

    /// Waits until there is enough for a batch, however long that takes. For the writer alone.
    pub async fn wait_for_batch(&self) {
        while !self.has_batch(&self.state()) {
            self.work.notified().await;
        }
    }

    /// Takes the next batch out. For the writer alone.
    pub fn take_batch(&self) -> Vec<T> {
        let mut taken = Vec::new();
        {
            let mut state = self.state();
            let mut bytes = 0;
            while taken.len() < self.batch.records && bytes < self.batch.bytes {
                let Some(item) = state.items.pop_front() else {
                    break;
                };
                bytes += item.bytes();
                state.urgent -= usize::from(item.is_urgent());
                taken.push(item);
            }
            state.bytes -= bytes;
        }
        self.room.notify_waiters();
        taken
    }
}

/// Why an item was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushError {
    /// There is no room.
    Full,
    /// Nothing is taken any more.
    Closed,
}

/// Whether the wait for an item ended with one, or with the queue closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitOutcome {
    /// There is one.
    Item,
    /// There is none and none will come.
    Closed,
}
