//! The questions that are held, in the order in which they were asked.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use mooring_base::server_id::ServerId;
use tokio::sync::{oneshot, watch};

use crate::asking::{Asker, Check, Decided};
use crate::limits::{Allowance, Moment};
use crate::nonce::Nonce;
use crate::view::{InboxView, InteractionOccasion, InteractionQuestion, InteractionView, SilencedServer};
use crate::visit::Visit;

/// Opened addresses of a server that stay shown after they were answered.
const LINGERING: usize = 4;
/// How long they do.
const LINGERS: Duration = Duration::from_hours(1);

/// How far a question is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It is being written down.
    Entering,
    /// It waits for the person.
    Waiting,
    /// Its answer is being written down.
    Deciding,
    /// The person agreed to its address, and that is on the disk: it is being opened, or was.
    Opened,
}

/// One question.
pub(crate) struct Entry {
    pub(crate) id: i64,
    pub(crate) asker: Asker,
    pub(crate) account: Option<String>,
    pub(crate) asked_ms: i64,
    pub(crate) occasion: InteractionOccasion,
    pub(crate) question: InteractionQuestion,
    pub(crate) counts: bool,
    pub(crate) phase: Phase,
    pub(crate) nonce: Option<Nonce>,
    pub(crate) draft: Option<String>,
    pub(crate) check: Option<Check>,
    /// The server's name for what is done at an address, where it will tell when it is done.
    pub(crate) elicitation: Option<String>,
    /// Its yes is that it is done, not that it is opened.
    pub(crate) awaits_done: bool,
    /// Who waits; none: it is answered, and only stays shown.
    pub(crate) answer: Option<oneshot::Sender<Decided>>,
    pub(crate) retries: watch::Sender<u64>,
    /// How often its address was given to the browser.
    pub(crate) visits: u64,
    /// What opens it; given up with this.
    pub(crate) visit: Option<Visit>,
    pub(crate) since: Instant,
}

/// Everything that is held.
#[derive(Default)]
pub(crate) struct Queue {
    next: u64,
    pub(crate) entries: BTreeMap<u64, Entry>,
    pub(crate) allowances: HashMap<ServerId, Allowance>,
    /// The names of the servers that asked.
    pub(crate) names: HashMap<ServerId, String>,
    pub(crate) closed: bool,
}

impl Queue {
    pub(crate) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// How many questions of a server are held that count, or that do not.
    pub(crate) fn held(&self, server: ServerId, counts: bool) -> usize {
        let of_it = |entry: &&Entry| {
            entry.asker.server == server && entry.counts == counts && entry.phase != Phase::Opened
        };
        self.entries.values().filter(of_it).count()
    }

    /// How many questions of a server wait for the person.
    pub(crate) fn waiting(&self, server: ServerId) -> usize {
        let of_it = |entry: &&Entry| {
            entry.asker.server == server && entry.phase != Phase::Entering && entry.answer.is_some()
        };
        self.entries.values().filter(of_it).count()
    }

    /// The number of the question with this row, once it was written down.
    pub(crate) fn find(&self, id: i64) -> Option<u64> {
        let found = self.entries.iter().find(|(_, entry)| entry.id == id && entry.phase != Phase::Entering);
        found.map(|(key, _)| *key)
    }

    /// The place of a question among those of its server.
    pub(crate) fn position(&self, key: u64) -> Option<usize> {
        let entry = self.entries.get(&key)?;
        if entry.phase == Phase::Opened {
            return Some(0);
        }
        let before = self.entries.range(..key).filter(|(_, earlier)| {
            earlier.asker.server == entry.asker.server
                && matches!(earlier.phase, Phase::Waiting | Phase::Deciding)
        });
        Some(before.count())
    }

    /// Ends what only stays shown: beyond what is kept of a server, and what is too old.
    pub(crate) fn tidy(&mut self, now: Instant) -> bool {
        let mut seen: HashMap<ServerId, usize> = HashMap::new();
        let mut gone = Vec::new();
        for (key, entry) in self.entries.iter().rev() {
            if entry.answer.is_some() || entry.phase != Phase::Opened {
                continue;
            }
            let count = seen.entry(entry.asker.server).or_default();
            *count += 1;
            if *count > LINGERING || now.duration_since(entry.since) >= LINGERS {
                gone.push(*key);
            }
        }
        for key in &gone {
            self.entries.remove(key);
        }
        !gone.is_empty()
    }

    pub(crate) fn view(&mut self, now: Moment) -> InboxView {
        self.tidy(now.instant);
        let shown = self.entries.iter().filter(|(_, entry)| entry.phase != Phase::Entering);
        let waiting = shown.filter_map(|(key, entry)| {
            let position = u32::try_from(self.position(*key)?).unwrap_or(u32::MAX);
            Some(entry.view(position))
        });
        let waiting = waiting.collect();
        let mut silenced = Vec::new();
        for (server, allowance) in &mut self.allowances {
            if let Some((until_ms, reason)) = allowance.silenced(now) {
                silenced.push(SilencedServer {
                    server: *server,
                    name: self.names.get(server).cloned().unwrap_or_default(),
                    until_ms,
                    put_aside: allowance.put_aside(),
                    reason,
                });
            }
        }
        silenced.sort_by_key(|silenced| silenced.server.0);
        InboxView { waiting, silenced }
    }
}

impl Entry {
    fn view(&self, position: u32) -> InteractionView {
        let mut question = self.question.clone();
        if let InteractionQuestion::Url { opened, .. } = &mut question {
            *opened = self.phase == Phase::Opened;
        }
        InteractionView {
            id: self.id,
            server: self.asker.server,
            server_name: self.asker.name.clone(),
            transport: self.asker.transport,
            place: self.asker.place.clone(),
            account: self.account.clone(),
            asked_ms: self.asked_ms,
            occasion: self.occasion.clone(),
            position,
            question,
            draft: self.draft.clone(),
        }
    }
}
