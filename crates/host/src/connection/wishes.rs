//! What a connection's task is asked to do. Asking never waits, however long the task is busy: a stop takes
//! the place of all that was wished before it, and the same wish twice is one.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

use super::lists::Kind;

/// What a connection is asked to do.
#[derive(Debug)]
pub(super) enum Wish {
    /// Run.
    Start,
    /// Stop, and tell these when nothing is left of it.
    Stop(Vec<oneshot::Sender<()>>),
    /// Read a list anew.
    List(Kind),
}

/// The end of those who ask.
#[derive(Debug, Clone, Default)]
pub(super) struct Wishes(Arc<Inner>);

/// The end of the task.
#[derive(Debug)]
pub(super) struct Wished(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    pending: Mutex<Pending>,
    news: Notify,
}

/// In the order in which they are fulfilled.
#[derive(Debug, Default)]
struct Pending {
    /// As many as wait for the end.
    stop: Option<Vec<oneshot::Sender<()>>>,
    start: bool,
    lists: BTreeSet<Kind>,
    /// The task has ended.
    ended: bool,
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Pending)) {
        let mut pending = self.lock();
        if pending.ended {
            tracing::debug!("a connection that has ended was asked for something");
            return;
        }
        change(&mut pending);
        drop(pending);
        self.news.notify_one();
    }
}

impl Wishes {
    /// Both ends.
    pub(super) fn new() -> (Self, Wished) {
        let wishes = Self::default();
        let wished = Wished(Arc::clone(&wishes.0));
        (wishes, wished)
    }

    pub(super) fn start(&self) {
        self.0.change(|pending| pending.start = true);
    }

    /// `done` is dropped when the task has ended, or ends first.
    pub(super) fn stop(&self, done: Option<oneshot::Sender<()>>) {
        self.0.change(|pending| {
            pending.stop.get_or_insert_default().extend(done);
            pending.start = false;
            pending.lists.clear();
        });
    }

    pub(super) fn list(&self, kind: Kind) {
        self.0.change(|pending| {
            pending.lists.insert(kind);
        });
    }
}

impl Wished {
    /// The next wish. Nothing is lost when the future is dropped.
    pub(super) async fn next(&mut self) -> Wish {
        loop {
            if let Some(wish) = self.take() {
                return wish;
            }
            self.0.news.notified().await;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        let pending = self.0.lock();
        pending.stop.is_none() && !pending.start && pending.lists.is_empty()
    }

    fn take(&self) -> Option<Wish> {
        let mut pending = self.0.lock();
        if let Some(done) = pending.stop.take() {
            Some(Wish::Stop(done))
        } else if std::mem::take(&mut pending.start) {
            Some(Wish::Start)
        } else {
            pending.lists.pop_first().map(Wish::List)
        }
    }
}

impl Drop for Wished {
    /// Nobody waits for a task that has ended.
    fn drop(&mut self) {
        *self.0.lock() = Pending { ended: true, ..Pending::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn command_queue_is_bounded_and_the_last_start_or_stop_wins() {
        let (wishes, mut wished) = Wishes::new();
        for _ in 0..10_000 {
            wishes.start();
            wishes.list(Kind::Tools);
            wishes.stop(None);
        }
        wishes.list(Kind::Tools);
        wishes.start();
        assert!(matches!(wished.next().await, Wish::Stop(done) if done.is_empty()));
        assert!(matches!(wished.next().await, Wish::Start));
        assert!(!wished.is_empty());
        assert!(matches!(wished.next().await, Wish::List(Kind::Tools)));
        assert!(wished.is_empty());
    }

    #[tokio::test]
    async fn everyone_who_stops_is_told_even_by_a_task_that_has_ended() {
        let (wishes, mut wished) = Wishes::new();
        let ask = || {
            let (done, told) = oneshot::channel();
            wishes.stop(Some(done));
            told
        };
        let (first, second) = (ask(), ask());
        let Wish::Stop(done) = wished.next().await else { panic!("not a stop") };
        for done in done {
            done.send(()).unwrap();
        }
        first.await.unwrap();
        second.await.unwrap();
        let pending = ask();
        drop(wished);
        assert!(pending.await.is_err());
        assert!(ask().await.is_err());
    }

    #[tokio::test]
    async fn a_wish_wakes_the_task() {
        let (wishes, mut wished) = Wishes::new();
        let (wish, ()) = tokio::join!(wished.next(), async {
            tokio::task::yield_now().await;
            wishes.start();
        });
        assert!(matches!(wish, Wish::Start));
    }
}
