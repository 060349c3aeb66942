//! Every question to the person, from its being asked to its being answered.

mod person;
#[cfg(test)]
mod tests;
mod visiting;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use mooring_base::clock::forward_ms;
use mooring_base::server_id::ServerId;
use mooring_oauth::Browser;
use mooring_store::{InteractionOutcome, ServerLogins, Store};
use tokio::sync::{oneshot, watch};

use crate::asking::{Asking, Decided};
use crate::error::InboxError;
use crate::limits::{Allowance, Moment, SILENCE_MS, Silence};
use crate::queue::{Entry, Phase, Queue};
use crate::record::{Changed, OnInboxChange, Records, row as row_of};
use crate::view::{InteractionQuestion, Remember};
use crate::visit::Visits;

/// The questions that wait for the person, with whoever asked them.
pub struct Interactions {
    queue: Mutex<Queue>,
    records: Records,
    logins: ServerLogins,
    told: OnInboxChange,
    browser: fn() -> Arc<dyn Browser>,
    visits: Visits,
}

impl fmt::Debug for Interactions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interactions").finish_non_exhaustive()
    }
}

/// A question that is being asked. Dropping it takes it back.
pub struct Interaction {
    interactions: Arc<Interactions>,
    key: u64,
    id: Option<i64>,
    answer: oneshot::Receiver<Decided>,
    retries: watch::Receiver<u64>,
}

impl Interactions {
    /// Nothing is asked yet.
    pub fn new(store: &Store, told: OnInboxChange, browser: fn() -> Arc<dyn Browser>) -> Self {
        Self {
            queue: Mutex::default(),
            records: Records::new(store.interactions(), Arc::clone(&told)),
            logins: store.server_logins(),
            told,
            browser,
            visits: Visits::default(),
        }
    }

    /// Ends what an earlier run left open, forgets what counted until it ended, and takes over whom it had silenced.
    pub async fn begin_run(&self) -> Result<(), InboxError> {
        self.records.store().expire().await?;
        self.records.store().forget_passing().await?;
        let silences = self.records.store().silences().await?;
        let mut queue = self.queue();
        // One that would last longer than any does was kept by a clock that was set back since.
        let latest = moment().wall_ms.saturating_add(SILENCE_MS).saturating_mul(1_000);
        for row in silences.into_iter().filter(|row| row.until_us.is_none_or(|until| until <= latest)) {
            let silence = row.until_us.map_or(Silence::Lifted, |until| Silence::Until(until / 1_000));
            queue.allowances.insert(ServerId(row.server_id), Allowance::kept(silence));
        }
        Ok(())
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the person. Dropping the future takes the question back.
    pub(crate) async fn ask(self: &Arc<Self>, asking: Asking) -> Decided {
        self.begin(asking).await.decided().await
    }

    /// Begins to ask: what comes back tells how it was decided, and can change what is shown meanwhile.
    pub async fn begin(self: &Arc<Self>, asking: Asking) -> Interaction {
        let (answer, waiting) = oneshot::channel();
        let (retries, retried) = watch::channel(0);
        let now = moment();
        let row = row_of(&asking.asker, &asking.question);
        let server = asking.asker.server;
        let (key, refused) = {
            let mut queue = self.queue();
            let held = queue.held(server, asking.counts_against_limits);
            let closed = queue.closed;
            let allowance = queue.allowances.entry(server).or_default();
            let admitted = allowance.admit(held, asking.counts_against_limits, now);
            let first = admitted.err().map(|aside| (aside, allowance.is_first_aside(aside, now)));
            if queue.names.get(&server).is_none_or(|name| *name != asking.asker.name) {
                queue.names.insert(server, asking.asker.name.clone());
            }
            let key = queue.number();
            if !closed && first.is_none() {
                let entry = Entry {
                    id: 0,
                    asker: asking.asker,
                    account: None,
                    asked_ms: now.wall_ms,
                    occasion: asking.occasion,
                    question: asking.question,
                    counts: asking.counts_against_limits,
                    phase: Phase::Entering,
                    nonce: None,
                    draft: None,
                    check: asking.check,
                    elicitation: asking.elicitation,
                    awaits_done: asking.awaits_done,
                    answer: None,
                    retries,
                    visits: 0,
                    visit: None,
                    since: now.instant,
                };
                queue.entries.insert(key, entry);
                (key, None)
            } else {
                (key, Some(first.filter(|_| !closed)))
            }
        };
        // From here on a dropped future takes the question back.
        let mut interaction =
            Interaction { interactions: Arc::clone(self), key, id: None, answer: waiting, retries: retried };
        if let Some(aside) = refused {
            let decided = if aside.is_some() { Decided::PutAside } else { Decided::Cancelled };
            // Its receiver is in our hand.
            let _held = answer.send(decided);
            if let Some((aside, true)) = aside {
                self.records.put_aside(&row, aside.sentence()).await;
                self.changed(None);
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
        match self.records.ask(row).await {
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
                    // The run has ended meanwhile.
                    self.records.end(row.id, InteractionOutcome::Expired);
                }
                self.changed(Some(server));
            }
            Err(error) => {
                tracing::warn!(%error, "a question could not be written down: it is cancelled");
                self.queue().entries.remove(&key);
                // Its receiver is in our hand.
                let _held = answer.send(Decided::Cancelled);
            }
        }
        interaction
    }

    /// Whether questions of a server wait for the person.
    pub fn waits(&self, server: ServerId) -> bool {
        self.queue().waiting(server) > 0
    }

    /// A server tells that what is done at an address that was opened is done. Where its yes is that the address is open,
    /// the server cannot give it: it only is not shown any longer than until then.
    pub fn completed(&self, server: ServerId, elicitation: &str) {
        let done: Vec<Entry> = {
            let mut queue = self.queue();
            let is_done = |entry: &mut Entry| {
                let is_meant = entry.phase == Phase::Opened
                    && entry.asker.server == server
                    && entry.elicitation.as_deref() == Some(elicitation);
                let waits_for_browser = !entry.awaits_done && entry.answer.is_some();
                if is_meant && waits_for_browser {
                    entry.elicitation = None;
                }
                is_meant && !waits_for_browser
            };
            queue.entries.extract_if(.., |_, entry| is_done(entry)).map(|(_, entry)| entry).collect()
        };
        if done.is_empty() {
            return;
        }
        for answer in done.into_iter().filter_map(|entry| entry.answer) {
            // Whoever asked may have gone.
            let _gone = answer.send(Decided::Accepted { content: None, remember: Remember::Once });
        }
        self.changed(Some(server));
    }

    /// The connection of a server is over: what it asked to be opened is no longer shown.
    pub fn forget_opened(&self, server: ServerId) {
        let mut queue = self.queue();
        let before = queue.entries.len();
        queue.entries.retain(|_, entry| {
            entry.answer.is_some() || entry.phase != Phase::Opened || entry.asker.server != server
        });
        let gone = queue.entries.len() != before;
        drop(queue);
        if gone {
            self.changed(None);
        }
    }

    /// The run ends: nobody is asked any more, and what waits is cancelled.
    pub async fn close(&self) {
        let entries = {
            let mut queue = self.queue();
            queue.closed = true;
            std::mem::take(&mut queue.entries)
        };
        self.visits.give_up();
        for entry in entries.into_values() {
            if let Some(answer) = entry.answer {
                // Whoever asked may have gone.
                let _gone = answer.send(Decided::Cancelled);
            }
        }
        self.records.flush().await;
        if let Err(error) = self.records.store().expire().await {
            tracing::warn!(%error, "questions that were open are ended with the next start");
        }
    }

    /// Tells the front ends, also that the state of this server may be another one.
    fn changed(&self, server: Option<ServerId>) {
        self.records.changed();
        if let Some(server) = server {
            (self.told)(Changed::Server(server));
        }
    }
}

impl Interaction {
    /// Waits for the person.
    pub async fn decided(&mut self) -> Decided {
        (&mut self.answer).await.unwrap_or(Decided::Cancelled)
    }

    /// Shows this from now on, such as an answer that grows.
    pub fn update(&self, question: InteractionQuestion) {
        let mut queue = self.interactions.queue();
        if let Some(entry) = queue.entries.get_mut(&self.key) {
            entry.question = question;
            drop(queue);
            self.interactions.records.changed();
        }
    }

    /// How often the person wanted another try.
    pub fn retries(&self) -> watch::Receiver<u64> {
        self.retries.clone()
    }

    /// Names what remembers the decision, by its number.
    pub async fn remembered(&self, by: i64) {
        if let Some(id) = self.id
            && let Err(error) = self.interactions.records.store().remember(id, by).await
        {
            tracing::warn!(%error, "what remembers a decision could not be named");
        }
        self.interactions.records.changed();
    }
}

impl Drop for Interaction {
    fn drop(&mut self) {
        let removed = {
            let mut queue = self.interactions.queue();
            // What was answered at once and only stays shown is not taken back with its asker.
            let lingers = queue
                .entries
                .get(&self.key)
                .is_some_and(|entry| entry.answer.is_none() && entry.phase == Phase::Opened);
            if lingers { None } else { queue.entries.remove(&self.key) }
        };
        if let Some(entry) = removed {
            if let Some(id) = self.id {
                self.interactions.records.end(id, InteractionOutcome::Withdrawn);
            }
            self.interactions.changed(Some(entry.asker.server));
        }
    }
}

/// Now.
fn moment() -> Moment {
    Moment { instant: Instant::now(), wall_ms: forward_ms() }
}
