//! All questions to the person, from asking to answering.

mod answers;
mod open_urls;
mod put_off;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mooring_base::clock::Clock;
use mooring_base::server_id::ServerId;
use mooring_oauth::Browser;
use mooring_store::{InteractionOutcome, ServerLogins, Store};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use crate::error::InboxError;
use crate::limits::{Asker, MAX_OF_APPS, QuestionLimiter, SILENCE_MS, Silence, SuppressReason};
use crate::question::InteractionQuestion;
use crate::queue::{Phase, Queue, QueuedQuestion};
use crate::record::{InboxChange, InteractionWriter, OnInboxChange, new_row as row_of};
use crate::request::{InteractionDecision, InteractionRequest};
use crate::url_opening::UrlOpenings;
use crate::view::Remember;

/// The questions that wait for the person, with their askers.
pub struct Interactions {
    queue: Mutex<Queue>,
    records: InteractionWriter,
    logins: ServerLogins,
    on_change: OnInboxChange,
    browser: fn() -> Arc<dyn Browser>,
    openings: UrlOpenings,
    /// Tasks that bring back questions that were put off.
    returns: Mutex<JoinSet<()>>,
    clock: Clock,
}

impl fmt::Debug for Interactions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interactions").finish_non_exhaustive()
    }
}

/// A question that is being asked. Dropping it withdraws the question.
pub struct Interaction {
    interactions: Arc<Interactions>,
    key: u64,
    id: Option<i64>,
    answer: oneshot::Receiver<InteractionDecision>,
    /// Sends the number of what remembers the answer to the caller of [`Interactions::answer`].
    remembered_by: Option<oneshot::Sender<i64>>,
    retries: watch::Receiver<u64>,
}

impl Interactions {
    /// Starts without questions.
    pub fn new(
        store: &Store,
        on_change: OnInboxChange,
        browser: fn() -> Arc<dyn Browser>,
        clock: Clock,
    ) -> Self {
        Self {
            queue: Mutex::default(),
            records: InteractionWriter::new(store.interactions(), Arc::clone(&on_change)),
            logins: store.server_logins(),
            on_change,
            browser,
            openings: UrlOpenings::default(),
            returns: Mutex::default(),
            clock,
        }
    }

    /// Cancels every question from now on, because no person is there.
    pub fn set_nobody(&self) {
        self.queue().closed = true;
    }

    /// Ends the questions that an earlier run left open, removes what was only remembered for that run, and
    /// restores its silences.
    pub async fn begin_run(&self) -> Result<(), InboxError> {
        self.records.store().expire().await?;
        self.records.store().clear_session_references().await?;
        let silences = self.records.store().silences().await?;
        let mut queue = self.queue();
        // A silence can't last longer than this, unless the clock was set back since it was saved.
        let latest = self.clock.now().wall_ms.saturating_add(SILENCE_MS).saturating_mul(1_000);
        for row in silences.into_iter().filter(|row| row.until_us.is_none_or(|until| until <= latest)) {
            let silence = row.until_us.map_or(Silence::UntilLifted, |until| Silence::Until(until / 1_000));
            let server = Asker::Server(ServerId(row.server_id));
            queue.limiters.insert(server, QuestionLimiter::with_silence(silence));
        }
        Ok(())
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the person and waits for the decision. Dropping the future withdraws the question.
    pub(crate) async fn ask(self: &Arc<Self>, asking: InteractionRequest) -> InteractionDecision {
        self.begin(asking).await.decision().await
    }

    /// Asks the person. Returns a handle that waits for the decision and can update the question.
    pub async fn begin(self: &Arc<Self>, asking: InteractionRequest) -> Interaction {
        let (answer, waiting) = oneshot::channel();
        let (remembered_by, remembered_by_receiver) = oneshot::channel();
        let (retries, retried) = watch::channel(0);
        let now = self.clock.now();
        let row = row_of(&asking.asker, &asking.occasion, &asking.question);
        let server = asking.asker.server;
        let counted_for = Asker::of(server, &asking.occasion, &asking.question);
        let (key, refused) = {
            let mut queue = self.queue();
            let held_count = queue.count_held(&counted_for, asking.counts_against_limits);
            let (closed, of_apps) = (queue.closed, queue.count_of_apps());
            let allowance = queue.limiter(&counted_for, server, now);
            let admitted = if counted_for.app().is_some() && of_apps >= MAX_OF_APPS {
                Err(SuppressReason::Queue)
            } else {
                allowance.admit(held_count, asking.counts_against_limits, now)
            };
            let first = admitted.err().map(|aside| (aside, allowance.is_first_suppressed(aside, now)));
            if queue.names.get(&server).is_none_or(|name| *name != asking.asker.name) {
                queue.names.insert(server, asking.asker.name.clone());
            }
            let key = queue.next_key();
            if !closed && first.is_none() {
                let entry = QueuedQuestion {
                    id: 0,
                    asker: asking.asker,
                    account: None,
                    asked_ms: now.wall_ms,
                    occasion: asking.occasion,
                    question: asking.question,
                    counts: asking.counts_against_limits,
                    counted_for: counted_for.clone(),
                    phase: Phase::Saving,
                    nonce: None,
                    draft: None,
                    check: asking.check,
                    elicitation_id: asking.elicitation_id,
                    awaits_completion: asking.awaits_completion,
                    put_off: None,
                    answer: None,
                    remembered_by: remembered_by_receiver,
                    retries,
                    open_attempts: 0,
                    opening: None,
                    since: now.instant,
                };
                queue.entries.insert(key, entry);
                (key, None)
            } else {
                (key, Some(first.filter(|_| !closed)))
            }
        };
        // From here on, dropping the future withdraws the question.
        let mut interaction = Interaction {
            interactions: Arc::clone(self),
            key,
            id: None,
            answer: waiting,
            remembered_by: Some(remembered_by),
            retries: retried,
        };
        if let Some(aside) = refused {
            let decided = match aside {
                Some((aside, _)) => InteractionDecision::Suppressed(aside.sentence(&counted_for)),
                None => InteractionDecision::Cancelled,
            };
            // We hold the receiver.
            let _held = answer.send(decided);
            if let Some((aside, true)) = aside {
                self.records.save_suppressed(&row, aside.sentence(&counted_for)).await;
                self.notify_changed(None);
            }
            return interaction;
        }
        let account = match self.logins.chosen(server.0).await {
            Ok(login) => login.and_then(|row| row.login.label.or(row.login.account)),
            Err(error) => {
                tracing::debug!(%error, "the login of a server that asks could not be read");
                None
            }
        };
        match self.records.save_waiting(row).await {
            Ok(row) => {
                interaction.id = Some(row.id);
                let mut queue = self.queue();
                let is_shown = if let Some(entry) = queue.entries.get_mut(&key) {
                    entry.id = row.id;
                    entry.account = account;
                    entry.answer = Some(answer);
                    entry.phase = Phase::Waiting;
                    true
                } else {
                    false
                };
                drop(queue);
                if !is_shown {
                    // The run ended in the meantime.
                    self.records.save_end(row.id, InteractionOutcome::Expired);
                }
                self.notify_changed(Some(server));
            }
            Err(error) => {
                tracing::warn!(%error, "a question could not be written down: it is cancelled");
                self.queue().entries.remove(&key);
                // We hold the receiver.
                let _held = answer.send(InteractionDecision::Cancelled);
            }
        }
        interaction
    }

    /// Whether questions of a server wait for the person.
    pub fn has_waiting(&self, server: ServerId) -> bool {
        self.queue().count_waiting(server) > 0
    }

    /// Whether a question that belongs to this request waits for the person.
    pub fn has_waiting_because_of(&self, request: &str) -> bool {
        self.queue().has_waiting_because_of(request)
    }

    /// Handles a server's `notifications/elicitation/complete` for a URL that was opened. If accept only
    /// means that the URL was opened, this is no answer, and the question is just no longer shown.
    pub fn complete_elicitation(&self, server: ServerId, elicitation: &str) {
        let done: Vec<QueuedQuestion> = {
            let mut queue = self.queue();
            let is_done = |entry: &mut QueuedQuestion| {
                let is_meant = entry.phase == Phase::Opened
                    && entry.asker.server == server
                    && entry.elicitation_id.as_deref() == Some(elicitation);
                let waits_for_browser = !entry.awaits_completion && entry.answer.is_some();
                if is_meant && waits_for_browser {
                    entry.elicitation_id = None;
                }
                is_meant && !waits_for_browser
            };
            queue.entries.extract_if(.., |_, entry| is_done(entry)).map(|(_, entry)| entry).collect()
        };
        if done.is_empty() {
            return;
        }
        for answer in done.into_iter().filter_map(|entry| entry.answer) {
            // The asker may be gone.
            let _gone =
                answer.send(InteractionDecision::Accepted { content: None, remember: Remember::Once });
        }
        self.notify_changed(Some(server));
    }

    /// Stops showing the URLs that a server asked to open, because its connection ended.
    pub fn forget_opened(&self, server: ServerId) {
        let mut queue = self.queue();
        let before = queue.entries.len();
        queue.entries.retain(|_, entry| {
            entry.answer.is_some() || entry.phase != Phase::Opened || entry.asker.server != server
        });
        let gone = queue.entries.len() != before;
        drop(queue);
        if gone {
            self.notify_changed(None);
        }
    }

    /// Ends the run: cancels the questions that wait, and every later one.
    pub async fn close(&self) {
        let entries = {
            let mut queue = self.queue();
            queue.closed = true;
            std::mem::take(&mut queue.entries)
        };
        self.openings.abort_all();
        self.returns.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
        for entry in entries.into_values() {
            if let Some(answer) = entry.answer {
                // The asker may be gone.
                let _gone = answer.send(InteractionDecision::Cancelled);
            }
        }
        self.records.flush().await;
        if let Err(error) = self.records.store().expire().await {
            tracing::warn!(%error, "questions that were open are ended with the next start");
        }
    }

    /// Notifies the front ends, also of a possible change of this server's state.
    fn notify_changed(&self, server: Option<ServerId>) {
        self.records.notify_change();
        if let Some(server) = server {
            (self.on_change)(InboxChange::Server(server));
        }
    }
}

impl Interaction {
    /// Waits for the person's decision.
    pub async fn decision(&mut self) -> InteractionDecision {
        (&mut self.answer).await.unwrap_or(InteractionDecision::Cancelled)
    }

    /// Replaces the question that is shown, for instance while a model's answer grows.
    pub fn update(&self, question: InteractionQuestion) {
        let mut queue = self.interactions.queue();
        if let Some(entry) = queue.entries.get_mut(&self.key) {
            entry.question = question;
            drop(queue);
            self.interactions.records.notify_change();
        }
    }

    /// Counts the person's requests to retry.
    pub fn retries(&self) -> watch::Receiver<u64> {
        self.retries.clone()
    }

    /// Saves the number of what remembers the decision. The caller of [`Interactions::answer`] waits for
    /// this, or until the interaction is dropped.
    pub async fn set_remembered_by(&mut self, by: i64) {
        if let Some(id) = self.id
            && let Err(error) = self.interactions.records.store().set_remembered_by(id, by).await
        {
            tracing::warn!(%error, "what remembers a decision could not be named");
        }
        if let Some(sender) = self.remembered_by.take() {
            // The receiver may be gone.
            let _gone = sender.send(by);
        }
        self.interactions.records.notify_change();
    }
}

impl Drop for Interaction {
    fn drop(&mut self) {
        let removed = {
            let mut queue = self.interactions.queue();
            // A question that is answered but still shown outlives its asker.
            let lingers = queue
                .entries
                .get(&self.key)
                .is_some_and(|entry| entry.answer.is_none() && entry.phase == Phase::Opened);
            if lingers { None } else { queue.entries.remove(&self.key) }
        };
        if let Some(entry) = removed {
            if let Some(id) = self.id {
                self.interactions.records.save_end(id, InteractionOutcome::Withdrawn);
            }
            self.interactions.notify_changed(Some(entry.asker.server));
        }
    }
}
