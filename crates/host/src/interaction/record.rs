//! What is on the disk of each question: that it was asked, and how it ended. Neither its details nor its answer.

use std::sync::Arc;
use std::time::Duration;

use mooring_store::{InteractionKind, InteractionOutcome, Interactions, NewInteraction};
use mooring_words::Sentence;
use tokio::sync::{Notify, broadcast, mpsc, oneshot};
use tokio::task::JoinSet;

use super::Asker;
use super::view::InteractionQuestion;
use crate::event::HostEvent;

/// Ends that wait to be written; what is beyond that ends with the next start.
const ENDS: usize = 1_024;
/// How long changes are collected before they are told.
const PACE: Duration = Duration::from_millis(50);

enum End {
    Of(i64, InteractionOutcome),
    Flush(oneshot::Sender<()>),
}

/// Writes, and tells of changes.
pub(super) struct Records {
    store: Interactions,
    ends: mpsc::Sender<End>,
    changes: Arc<Notify>,
    /// Owns the tasks.
    _tasks: JoinSet<()>,
}

impl Records {
    pub(super) fn new(store: Interactions, events: broadcast::Sender<HostEvent>) -> Self {
        let (ends, ended) = mpsc::channel(ENDS);
        let changes = Arc::new(Notify::new());
        let mut tasks = JoinSet::new();
        tasks.spawn(write(store.clone(), ended, Arc::clone(&changes)));
        tasks.spawn(tell(Arc::clone(&changes), events));
        Self { store, ends, changes, _tasks: tasks }
    }

    pub(super) fn store(&self) -> &Interactions {
        &self.store
    }

    /// Something changed; it is told soon.
    pub(super) fn changed(&self) {
        self.changes.notify_one();
    }

    /// Has the end of a question written that nobody decided.
    pub(super) fn end(&self, id: i64, outcome: InteractionOutcome) {
        if self.ends.try_send(End::Of(id, outcome)).is_err() {
            tracing::debug!("the end of a question is written with the next start");
        }
    }

    /// Keeps that a question was not shown.
    pub(super) async fn put_aside(&self, row: &NewInteraction, reason: Sentence) {
        let reason = serde_json::to_string(&reason).unwrap_or_default();
        if let Err(error) = self.store.put_aside(row, &reason).await {
            tracing::warn!(%error, "a question that was put aside could not be written down");
        }
    }

    /// Waits until every end is written.
    pub(super) async fn flush(&self) {
        let (written, waiting) = oneshot::channel();
        if self.ends.send(End::Flush(written)).await.is_ok() {
            // An error means that the writer is gone.
            let _gone = waiting.await;
        }
    }
}

async fn write(store: Interactions, mut ends: mpsc::Receiver<End>, changes: Arc<Notify>) {
    while let Some(end) = ends.recv().await {
        match end {
            End::Of(id, outcome) => {
                if let Err(error) = store.decide(id, outcome, None).await {
                    tracing::warn!(%error, "the end of a question could not be written down");
                }
                changes.notify_one();
            }
            End::Flush(done) => {
                // Whoever asked may have gone.
                let _gone = done.send(());
            }
        }
    }
}

async fn tell(changes: Arc<Notify>, events: broadcast::Sender<HostEvent>) {
    loop {
        changes.notified().await;
        // Without a receiver nobody looks.
        let _nobody_looks = events.send(HostEvent::InboxChanged);
        tokio::time::sleep(PACE).await;
    }
}

/// What is kept of a question.
pub(super) fn row(asker: &Asker, question: &InteractionQuestion) -> NewInteraction {
    let (kind, subject) = match question {
        InteractionQuestion::Form { .. } => (InteractionKind::Form, None),
        InteractionQuestion::Url { address, .. } => (InteractionKind::Url, Some(address.host.clone())),
        InteractionQuestion::Tool { tool, .. } => (InteractionKind::Tool, Some(tool.clone())),
        InteractionQuestion::Sampling(review) => {
            (InteractionKind::Sampling, review.route.as_ref().map(|route| route.model.clone()))
        }
        InteractionQuestion::SamplingAnswer(answer) => {
            (InteractionKind::SamplingAnswer, Some(answer.model.clone()))
        }
        InteractionQuestion::Roots { .. } => (InteractionKind::Roots, None),
    };
    NewInteraction { server_id: asker.server.0, server_name: asker.name.clone(), kind, subject }
}
