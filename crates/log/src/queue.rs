//! The queue in front of the log's writer. It never blocks, and is bounded in records and bytes.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// An element of a queue: something to write, or a command for the writer.
pub trait Queued: Debug {
    /// How many bytes of the queue the element takes.
    fn bytes(&self) -> usize;

    /// Whether a caller waits for the element. If so, it is always admitted, and written without delay.
    fn is_urgent(&self) -> bool;
}

/// A queue of records for the writer.
#[derive(Debug)]
pub struct Queue<T> {
    state: Mutex<QueueState<T>>,
    max_records: usize,
    max_bytes: usize,
    batch: BatchLimits,
    /// Notified when there is room.
    room: Notify,
    /// Notified when the writer has work.
    work: Notify,
}

/// Size of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchLimits {
    /// Number of items.
    pub records: usize,
    /// Size in bytes.
    pub bytes: usize,
}

#[derive(Debug)]
struct QueueState<T> {
    items: VecDeque<T>,
    bytes: usize,
    /// Size of the largest refused item that was not retried yet. Its sender is only woken when there is room
    /// for it.
    needed_bytes: usize,
    urgent: usize,
    closed: bool,
}

impl<T: Queued> Queue<T> {
    /// An empty queue.
    pub fn new(max_records: usize, max_bytes: usize, batch: BatchLimits) -> Self {
        let max_records = max_records.max(1);
        // A full queue must count as a batch, even if it is small, because nothing more can be added.
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

    /// Locks the state. Ignores poisoning, because the code under this lock does not panic.
    fn lock_state(&self) -> MutexGuard<'_, QueueState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an item, or returns it if there is no room. An empty queue admits an item of any size, and urgent
    /// items are always admitted.
    pub fn try_push(&self, item: T) -> Result<(), (T, PushError)> {
        let bytes = item.bytes();
        let wake = {
            let mut state = self.lock_state();
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

    /// Waits until there is room for the refused item, or the queue is closed.
    pub async fn wait_for_room(&self) {
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            {
                let state = self.lock_state();
                if state.closed || self.has_room(&state, state.needed_bytes.max(1)) {
                    return;
                }
            }
            room.await;
        }
    }

    /// Refuses further items. The writer writes the queued items and then ends.
    pub fn close(&self) {
        self.lock_state().closed = true;
        self.room.notify_waiters();
        self.work.notify_one();
    }

    /// Closes the queue because the writer has ended. Drops all items, which wakes their waiting senders.
    pub fn close_and_clear(&self) {
        {
            let mut state = self.lock_state();
            state.closed = true;
            state.bytes = 0;
            state.urgent = 0;
            state.items.clear();
        }
        self.room.notify_waiters();
    }

    /// Waits for a first item, or until the queue is closed. Only for the writer.
    pub async fn wait_for_item(&self) -> WaitOutcome {
        loop {
            {
                let state = self.lock_state();
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

    /// Waits until there is a full batch, or until the deadline. Only for the writer.
    pub async fn wait_for_batch_until(&self, deadline: Instant) {
        loop {
            if self.has_batch(&self.lock_state()) || timeout_at(deadline, self.work.notified()).await.is_err()
            {
                return;
            }
        }
    }

    /// Waits until there is a full batch. Only for the writer.
    pub async fn wait_for_batch(&self) {
        while !self.has_batch(&self.lock_state()) {
            self.work.notified().await;
        }
    }

    /// Removes the next batch from the queue. Only for the writer.
    pub fn take_batch(&self) -> Vec<T> {
        let mut taken = Vec::new();
        {
            let mut state = self.lock_state();
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

/// Why an item was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushError {
    /// There is no room.
    Full,
    /// The queue is closed.
    Closed,
}

/// How waiting for an item ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitOutcome {
    /// There is an item.
    Item,
    /// The queue is closed and empty.
    Closed,
}
