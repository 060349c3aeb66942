//! Writes to the database that a question was asked and how it ended, but not its details or its answer.

use std::sync::Arc;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_disk::StoreError;
use mooring_store::{InteractionOutcome, InteractionRow, Interactions, NewInteraction};
use mooring_words::Sentence;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinSet;

use crate::question::InteractionQuestion;
use crate::request::RequestingServer;
use crate::view::InteractionOccasion;

/// What changed in the Inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InboxChange {
    /// The questions that wait, or the decisions.
    Inbox,
    /// Whether a question of this server waits.
    Server(ServerId),
}

/// Callback for changes.
pub type OnInboxChange = Arc<dyn Fn(InboxChange) + Send + Sync>;

/// Capacity of the write queue. Ends of questions that don't fit are written at the next start.
const QUEUE_CAPACITY: usize = 1_024;
/// How long changes are collected before they are reported.
const NOTIFY_INTERVAL: Duration = Duration::from_millis(50);

/// A write to the database. Writes are done in order.
enum WriteCommand {
    /// A question begins to wait, unless its asker is gone by then.
    Ask(NewInteraction, oneshot::Sender<Result<InteractionRow, StoreError>>),
    /// A question ends without a decision.
    End(i64, InteractionOutcome),
    /// Why a decision could not be carried out, as JSON. `None` clears it.
    Problem(i64, Option<String>),
    /// Signals that all earlier writes are done.
    Flush(oneshot::Sender<()>),
}

/// A row that is being written. If this is dropped first, the question is withdrawn once its row exists.
struct PendingRow<'a> {
    records: &'a InteractionWriter,
    row: oneshot::Receiver<Result<InteractionRow, StoreError>>,
}

impl Drop for PendingRow<'_> {
    fn drop(&mut self) {
        // After this, the writer can't deliver the row, unless it already has.
        self.row.close();
        if let Ok(Ok(row)) = self.row.try_recv() {
            self.records.save_end(row.id, InteractionOutcome::Withdrawn);
        }
    }
}

/// Writes questions to the database and reports changes.
pub(crate) struct InteractionWriter {
    store: Interactions,
    entries: mpsc::Sender<WriteCommand>,
    changes: Arc<Notify>,
    /// Owns the tasks.
    _tasks: JoinSet<()>,
}

impl InteractionWriter {
    pub(crate) fn new(store: Interactions, on_change: OnInboxChange) -> Self {
        let (entries, entered) = mpsc::channel(QUEUE_CAPACITY);
        let changes = Arc::new(Notify::new());
        let mut tasks = JoinSet::new();
        tasks.spawn(write(store.clone(), entered, Arc::clone(&changes)));
        tasks.spawn(notify_changes(Arc::clone(&changes), on_change));
        Self { store, entries, changes, _tasks: tasks }
    }

    pub(crate) fn store(&self) -> &Interactions {
        &self.store
    }

    /// Reports a change soon.
    pub(crate) fn notify_change(&self) {
        self.changes.notify_one();
    }

    /// Saves a question that waits from now on. If the future is dropped, at any moment, the question is
    /// withdrawn.
    pub(crate) async fn save_waiting(&self, row: NewInteraction) -> Result<InteractionRow, StoreError> {
        let (written, waiting) = oneshot::channel();
        self.entries.send(WriteCommand::Ask(row, written)).await.map_err(|_| StoreError::Closed)?;
        let mut asked = PendingRow { records: self, row: waiting };
        (&mut asked.row).await.unwrap_or(Err(StoreError::Closed))
    }

    /// Queues the end of a question that was not decided.
    pub(crate) fn save_end(&self, id: i64, outcome: InteractionOutcome) {
        if self.entries.try_send(WriteCommand::End(id, outcome)).is_err() {
            tracing::debug!("the end of a question is written with the next start");
        }
    }

    /// Queues the reason why a decision could not be carried out. `None` clears it.
    pub(crate) fn save_problem(&self, id: i64, problem: Option<&Sentence>) {
        let problem = problem.map(|why| serde_json::to_string(&why.stored()).unwrap_or_default());
        if self.entries.try_send(WriteCommand::Problem(id, problem)).is_err() {
            tracing::warn!("what came of a decision could not be written down");
        }
    }

    /// Saves that a question was not shown.
    pub(crate) async fn save_suppressed(&self, row: &NewInteraction, reason: Sentence) {
        let reason = serde_json::to_string(&reason.stored()).unwrap_or_default();
        if let Err(error) = self.store.insert_suppressed(row, &reason).await {
            tracing::warn!(%error, "a question that was put aside could not be written down");
        }
    }

    /// Waits until all queued writes are done.
    pub(crate) async fn flush(&self) {
        let (written, waiting) = oneshot::channel();
        if self.entries.send(WriteCommand::Flush(written)).await.is_ok() {
            // An error means that the writer is gone.
            let _gone = waiting.await;
        }
    }
}

async fn write(store: Interactions, mut entries: mpsc::Receiver<WriteCommand>, changes: Arc<Notify>) {
    while let Some(entry) = entries.recv().await {
        match entry {
            WriteCommand::Ask(row, written) => {
                if written.is_closed() {
                    continue;
                }
                if let Err(Ok(row)) = written.send(store.ask(&row).await) {
                    end(&store, row.id, InteractionOutcome::Withdrawn).await;
                    changes.notify_one();
                }
            }
            WriteCommand::End(id, outcome) => {
                end(&store, id, outcome).await;
                changes.notify_one();
            }
            WriteCommand::Problem(id, problem) => {
                if let Err(error) = store.set_problem(id, problem.as_deref()).await {
                    tracing::warn!(%error, "what came of a decision could not be written down");
                }
                changes.notify_one();
            }
            WriteCommand::Flush(done) => {
                // The receiver may be gone.
                let _gone = done.send(());
            }
        }
    }
}

async fn end(store: &Interactions, id: i64, outcome: InteractionOutcome) {
    if let Err(error) = store.decide(id, outcome, None).await {
        tracing::warn!(%error, "the end of a question could not be written down");
    }
}

async fn notify_changes(changes: Arc<Notify>, on_change: OnInboxChange) {
    loop {
        changes.notified().await;
        on_change(InboxChange::Inbox);
        tokio::time::sleep(NOTIFY_INTERVAL).await;
    }
}

/// The parts of a question that are saved.
pub(crate) fn new_row(
    asker: &RequestingServer,
    occasion: &InteractionOccasion,
    question: &InteractionQuestion,
) -> NewInteraction {
    NewInteraction {
        server_id: asker.server.0,
        server_name: asker.name.clone(),
        kind: question.kind().as_str(),
        subject: question.subject(),
        caller: occasion.caller.clone(),
    }
}
