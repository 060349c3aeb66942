//! The commands for a connection's task. Sending never waits, even if the task is busy. A stop replaces all
//! earlier commands, and equal commands are merged.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

use super::lists::ListKind;

/// A command for a connection.
#[derive(Debug)]
pub(super) enum Command {
    /// Starts the connection.
    Start,
    /// Lets the connection sleep until its next use, and considers a changed [`CallDefaults`] from then on.
    ///
    /// [`CallDefaults`]: super::shared::CallDefaults
    Sleep,
    /// Closes a connection that is not used, until its next use.
    Rest,
    /// Stops the connection, and notifies these senders when its processes are gone.
    Stop(Vec<oneshot::Sender<()>>),
    /// Reads a list again.
    List(ListKind),
}

/// The sending end, for handles.
#[derive(Debug, Clone, Default)]
pub(super) struct CommandSender(Arc<CommandQueue>);

/// The receiving end, for the task.
#[derive(Debug)]
pub(super) struct CommandReceiver(Arc<CommandQueue>);

#[derive(Debug, Default)]
struct CommandQueue {
    pending: Mutex<PendingCommands>,
    notify: Notify,
}

/// Pending commands, in the order in which they run.
#[derive(Debug, Default)]
struct PendingCommands {
    /// The callers that wait for the stop, if one is pending.
    stop: Option<Vec<oneshot::Sender<()>>>,
    start: bool,
    sleep: bool,
    rest: bool,
    lists: BTreeSet<ListKind>,
    /// Whether the task has ended.
    ended: bool,
}

impl CommandQueue {
    fn lock_pending(&self) -> MutexGuard<'_, PendingCommands> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change_pending(&self, change: impl FnOnce(&mut PendingCommands)) {
        let mut pending = self.lock_pending();
        if pending.ended {
            tracing::debug!("a connection that has ended was asked for something");
            return;
        }
        change(&mut pending);
        drop(pending);
        self.notify.notify_one();
    }
}

impl CommandSender {
    /// Creates both ends.
    pub(crate) fn new() -> (Self, CommandReceiver) {
        let sender = Self::default();
        let receiver = CommandReceiver(Arc::clone(&sender.0));
        (sender, receiver)
    }

    pub(crate) fn start(&self) {
        self.0.change_pending(|pending| pending.start = true);
    }

    pub(super) fn sleep(&self) {
        self.0.change_pending(|pending| pending.sleep = true);
    }

    pub(super) fn rest(&self) {
        self.0.change_pending(|pending| pending.rest = true);
    }

    /// `done` is dropped without an answer if the task has ended or ends first.
    pub(super) fn stop(&self, done: Option<oneshot::Sender<()>>) {
        self.0.change_pending(|pending| {
            pending.stop.get_or_insert_default().extend(done);
            (pending.start, pending.sleep, pending.rest) = (false, false, false);
            pending.lists.clear();
        });
    }

    pub(super) fn read_list(&self, kind: ListKind) {
        self.0.change_pending(|pending| {
            pending.lists.insert(kind);
        });
    }
}

impl CommandReceiver {
    /// Waits for the next command. Cancel safe.
    pub(super) async fn next_command(&mut self) -> Command {
        loop {
            if let Some(command) = self.take_command() {
                return command;
            }
            self.0.notify.notified().await;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        let pending = self.0.lock_pending();
        pending.stop.is_none()
            && !pending.start
            && !pending.sleep
            && !pending.rest
            && pending.lists.is_empty()
    }

    fn take_command(&self) -> Option<Command> {
        let mut pending = self.0.lock_pending();
        if let Some(done) = pending.stop.take() {
            Some(Command::Stop(done))
        } else if std::mem::take(&mut pending.start) {
            Some(Command::Start)
        } else if std::mem::take(&mut pending.sleep) {
            Some(Command::Sleep)
        } else if std::mem::take(&mut pending.rest) {
            Some(Command::Rest)
        } else {
            pending.lists.pop_first().map(Command::List)
        }
    }
}

impl Drop for CommandReceiver {
    /// The task has ended. Wakes the callers that wait for a stop.
    fn drop(&mut self) {
        *self.0.lock_pending() = PendingCommands { ended: true, ..PendingCommands::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn command_queue_is_bounded_and_the_last_start_or_stop_wins() {
        let (sender, mut receiver) = CommandSender::new();
        for _ in 0..10_000 {
            sender.start();
            sender.read_list(ListKind::Tools);
            sender.stop(None);
        }
        sender.read_list(ListKind::Tools);
        sender.start();
        assert!(matches!(receiver.next_command().await, Command::Stop(done) if done.is_empty()));
        assert!(matches!(receiver.next_command().await, Command::Start));
        assert!(!receiver.is_empty());
        assert!(matches!(receiver.next_command().await, Command::List(ListKind::Tools)));
        assert!(receiver.is_empty());
    }

    #[tokio::test]
    async fn everyone_who_stops_is_told_even_by_a_task_that_has_ended() {
        let (sender, mut receiver) = CommandSender::new();
        let ask = || {
            let (done, told) = oneshot::channel();
            sender.stop(Some(done));
            told
        };
        let (first, second) = (ask(), ask());
        let Command::Stop(done) = receiver.next_command().await else { panic!("not a stop") };
        for done in done {
            done.send(()).unwrap();
        }
        first.await.unwrap();
        second.await.unwrap();
        let pending = ask();
        drop(receiver);
        assert!(pending.await.is_err());
        assert!(ask().await.is_err());
    }

    #[tokio::test]
    async fn a_wish_wakes_the_task() {
        let (sender, mut receiver) = CommandSender::new();
        let (command, ()) = tokio::join!(receiver.next_command(), async {
            tokio::task::yield_now().await;
            sender.start();
        });
        assert!(matches!(command, Command::Start));
    }
}
