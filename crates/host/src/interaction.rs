//! Every question to the person goes through here, whoever asks it and however it reached us: it is counted, written
//! down, shown, and answered once. Nothing but an answer of the person makes a yes.

pub(crate) mod address;
mod desk;
pub(crate) mod elicit;
mod limits;
mod nonce;
mod person;
mod queue;
mod record;
#[cfg(test)]
mod tests;
pub(crate) mod view;
mod visit;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use mooring_oauth::Browser;
use mooring_store::{InteractionOutcome, ServerLogins, Store};
use mooring_words::Sentence;
use serde_json::value::RawValue;
use tokio::sync::{broadcast, oneshot, watch};

pub(crate) use self::address::look_at;
pub(crate) use self::desk::{Answer, Desk, occasion};
use self::limits::{Allowance, Moment, Silence};
use self::queue::{Entry, Phase, Queue};
use self::record::Records;
use self::view::{InteractionOccasion, InteractionQuestion, Remember};
use self::visit::Visits;
use crate::error::HostError;
use crate::event::HostEvent;
use mooring_base::clock::forward_ms;
use mooring_base::server_id::ServerId;
use mooring_definitions::Transport;

/// The saved server that asks, in the person's words.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    pub(crate) server: ServerId,
    pub(crate) name: String,
    pub(crate) transport: Transport,
    /// The origin of its address, or its program's path.
    pub(crate) place: String,
}

/// Says why what the person has made of a question, as JSON text, cannot be taken.
pub(crate) type Check = Arc<dyn Fn(&str) -> Result<(), Sentence> + Send + Sync>;

/// A question to be asked.
pub(crate) struct Asking {
    pub(crate) asker: Asker,
    pub(crate) occasion: InteractionOccasion,
    pub(crate) question: InteractionQuestion,
    /// Whether it is one of those of which a server may ask only a few. Consent for what the person started is not.
    pub(crate) counts_against_limits: bool,
    /// Whether what the person has made of it can be taken.
    check: Option<Check>,
    elicitation: Option<String>,
    awaits_done: bool,
}

impl Asking {
    /// A question that counts against the limits of its server.
    pub(crate) fn new(asker: Asker, occasion: InteractionOccasion, question: InteractionQuestion) -> Self {
        let (check, elicitation) = (None, None);
        Self {
            asker,
            occasion,
            question,
            counts_against_limits: true,
            check,
            elicitation,
            awaits_done: false,
        }
    }

    /// The same, with a look at what the person makes of it before it counts as an answer.
    pub(crate) fn checked(self, check: Check) -> Self {
        Self { check: Some(check), ..self }
    }

    /// The same, for what the person started.
    pub(crate) fn uncounted(self) -> Self {
        Self { counts_against_limits: false, ..self }
    }
}

/// How a question was decided. It is on the disk already.
pub(crate) enum Decided {
    /// Yes.
    Accepted {
        /// What was entered or edited, as JSON; none: as it was shown. Of a form it is an answer to that form.
        content: Option<Box<RawValue>>,
        remember: Remember,
    },
    /// No.
    Declined { remember: Remember },
    /// The person does not want to decide, or the application ends.
    Cancelled,
    /// It was not shown: the server asks too much.
    PutAside,
}

/// See the module.
pub(crate) struct Interactions {
    queue: Mutex<Queue>,
    records: Records,
    logins: ServerLogins,
    events: broadcast::Sender<HostEvent>,
    browser: fn() -> Arc<dyn Browser>,
    visits: Visits,
}

impl fmt::Debug for Interactions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interactions").finish_non_exhaustive()
    }
}

/// A question that is being asked. Dropping it takes it back.
pub(crate) struct Interaction {
    interactions: Arc<Interactions>,
    key: u64,
    id: Option<i64>,
    answer: oneshot::Receiver<Decided>,
    retries: watch::Receiver<u64>,
}

impl Interactions {
    /// Nothing is asked yet.
    pub(crate) fn new(
        store: &Store,
        events: broadcast::Sender<HostEvent>,
        browser: fn() -> Arc<dyn Browser>,
    ) -> Self {
        Self {
            queue: Mutex::default(),
            records: Records::new(store.interactions(), events.clone()),
            logins: store.server_logins(),
            events,
            browser,
            visits: Visits::default(),
        }
    }

    /// Ends what an earlier run left open, forgets what counted until it ended, and takes over whom it had silenced.
    pub(crate) async fn begin_run(&self) -> Result<(), HostError> {
        self.records.store().expire().await?;
        self.records.store().forget_passing().await?;
        let silences = self.records.store().silences().await?;
        let mut queue = self.queue();
        // One that would last longer than any does was kept by a clock that was set back since.
        let latest = moment().wall_ms.saturating_add(limits::SILENCE_MS).saturating_mul(1_000);
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
    pub(crate) async fn begin(self: &Arc<Self>, asking: Asking) -> Interaction {
        let (answer, waiting) = oneshot::channel();
        let (retries, retried) = watch::channel(0);
        let now = moment();
        let row = record::row(&asking.asker, &asking.question);
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
    pub(crate) fn waits(&self, server: ServerId) -> bool {
        self.queue().waiting(server) > 0
    }

    /// A server tells that what is done at an address that was opened is done. Where its yes is that the address is open,
    /// the server cannot give it: it only is not shown any longer than until then.
    pub(crate) fn completed(&self, server: ServerId, elicitation: &str) {
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
    pub(crate) fn forget_opened(&self, server: ServerId) {
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
    pub(crate) async fn close(&self) {
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
            // Without a receiver nobody looks.
            let _nobody_looks = self.events.send(HostEvent::ServerChanged { id: server });
        }
    }
}

impl Interaction {
    /// Waits for the person.
    pub(crate) async fn decided(&mut self) -> Decided {
        (&mut self.answer).await.unwrap_or(Decided::Cancelled)
    }

    /// Shows this from now on, such as an answer that grows.
    pub(crate) fn update(&self, question: InteractionQuestion) {
        let mut queue = self.interactions.queue();
        if let Some(entry) = queue.entries.get_mut(&self.key) {
            entry.question = question;
            drop(queue);
            self.interactions.records.changed();
        }
    }

    /// How often the person wanted another try.
    pub(crate) fn retries(&self) -> watch::Receiver<u64> {
        self.retries.clone()
    }

    /// Names what remembers the decision, by its number.
    pub(crate) async fn remembered(&self, by: i64) {
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
