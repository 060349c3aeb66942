//! The queue of questions, in the order in which they were asked.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use mooring_base::clock::Moment;
use mooring_base::server_id::ServerId;
use tokio::sync::{oneshot, watch};

use crate::limits::{Asker, QuestionLimiter};
use crate::nonce::Nonce;
use crate::question::InteractionQuestion;
use crate::request::{EditValidator, InteractionDecision, RequestingServer};
use crate::url_opening::UrlOpening;
use crate::view::{InboxView, InteractionOccasion, InteractionView, PutOff, SilencedServer};

/// Maximum number of answered URL questions of a server that are still shown.
const MAX_OPENED_SHOWN: usize = 4;
/// How long an answered URL question is still shown.
const OPENED_SHOWN_FOR: Duration = Duration::from_hours(1);

/// Progress of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Its row is being written.
    Saving,
    /// It waits for the person.
    Waiting,
    /// Its answer is being written.
    Deciding,
    /// The person accepted its URL, and that is on disk. The URL is open or being opened.
    Opened,
}

/// One question in the queue.
pub(crate) struct QueuedQuestion {
    pub(crate) id: i64,
    pub(crate) asker: RequestingServer,
    pub(crate) account: Option<String>,
    pub(crate) asked_ms: i64,
    pub(crate) occasion: InteractionOccasion,
    pub(crate) question: InteractionQuestion,
    pub(crate) counts: bool,
    /// Whose limits it counts against.
    pub(crate) counted_for: Asker,
    pub(crate) phase: Phase,
    pub(crate) nonce: Option<Nonce>,
    pub(crate) draft: Option<String>,
    pub(crate) check: Option<EditValidator>,
    /// The `elicitationId`, if the server will report completion.
    pub(crate) elicitation_id: Option<String>,
    /// Set if the person put it off.
    pub(crate) put_off: Option<PutOff>,
    /// Accept means that the task at the URL is done, not that the URL was opened.
    pub(crate) awaits_completion: bool,
    /// Sends the decision to the asker. `None` once the question is answered and only still shown.
    pub(crate) answer: Option<oneshot::Sender<InteractionDecision>>,
    /// Receives the number of what remembers the answer. Closed if nothing does.
    pub(crate) remembered_by: oneshot::Receiver<i64>,
    pub(crate) retries: watch::Sender<u64>,
    /// Number of attempts to open its URL.
    pub(crate) open_attempts: u64,
    /// Running attempt to open its URL. Dropping it aborts the attempt.
    pub(crate) opening: Option<UrlOpening>,
    pub(crate) since: Instant,
}

/// All questions in the queue.
#[derive(Default)]
pub(crate) struct Queue {
    next: u64,
    pub(crate) entries: BTreeMap<u64, QueuedQuestion>,
    pub(crate) limiters: HashMap<Asker, QuestionLimiter>,
    /// Names of the servers that asked.
    pub(crate) names: HashMap<ServerId, String>,
    /// The server that each app called when it was last asked about.
    pub(crate) called: HashMap<String, ServerId>,
    pub(crate) closed: bool,
}

impl Queue {
    pub(crate) fn next_key(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The number of questions of a server or an app that count against its limits, or that don't.
    pub(crate) fn count_held(&self, asker: &Asker, counts: bool) -> usize {
        let of_it = |entry: &&QueuedQuestion| {
            entry.counted_for == *asker && entry.counts == counts && entry.phase != Phase::Opened
        };
        self.entries.values().filter(of_it).count()
    }

    /// The number of questions for calls of apps.
    pub(crate) fn count_of_apps(&self) -> usize {
        self.entries.values().filter(|entry| entry.counts && entry.counted_for.app().is_some()).count()
    }

    /// The limiter of a server or an app. Unused limiters of apps are removed, because apps can choose any
    /// name.
    pub(crate) fn limiter(&mut self, asker: &Asker, server: ServerId, now: Moment) -> &mut QuestionLimiter {
        if let Some(app) = asker.app()
            && !self.limiters.contains_key(asker)
        {
            self.limiters.retain(|other, limiter| other.app().is_none() || !limiter.is_at_rest(now));
            let limiters = &self.limiters;
            self.called.retain(|app, _| limiters.contains_key(&Asker::App(app.clone())));
            self.called.insert(app.to_owned(), server);
        }
        self.limiters.entry(asker.clone()).or_default()
    }

    /// The number of questions of a server that wait for the person.
    pub(crate) fn count_waiting(&self, server: ServerId) -> usize {
        let of_it = |entry: &&QueuedQuestion| {
            entry.asker.server == server && entry.phase != Phase::Saving && entry.answer.is_some()
        };
        self.entries.values().filter(of_it).count()
    }

    /// Whether a question that belongs to this request waits for the person.
    pub(crate) fn has_waiting_because_of(&self, request: &str) -> bool {
        let is_of_it = |entry: &QueuedQuestion| {
            entry.answer.is_some() && entry.occasion.requests.iter().any(|one| one == request)
        };
        self.entries.values().any(is_of_it)
    }

    /// The key of the question with this row, once its row is written.
    pub(crate) fn find(&self, id: i64) -> Option<u64> {
        let found = self.entries.iter().find(|(_, entry)| entry.id == id && entry.phase != Phase::Saving);
        found.map(|(key, _)| *key)
    }

    /// The position of a question among those of its server or app, without those that were put off.
    fn position(&self, key: u64) -> Option<usize> {
        Some(self.before(key, self.entries.get(&key)?).count())
    }

    /// Whether a question can be answered now: it is its server's first, or asks the same as all before it.
    pub(crate) fn is_answerable(&self, key: u64) -> bool {
        let entry = self.entries.get(&key);
        entry.is_some_and(|entry| self.before(key, entry).all(|earlier| earlier.asks_the_same_as(entry)))
    }

    /// The questions that must be answered before this one.
    fn before<'a>(&'a self, key: u64, entry: &'a QueuedQuestion) -> impl Iterator<Item = &'a QueuedQuestion> {
        let (asker, is_behind) =
            (&entry.counted_for, entry.phase != Phase::Opened && entry.put_off.is_none());
        self.entries.range(..key).map(|(_, earlier)| earlier).filter(move |earlier| {
            is_behind
                && earlier.counted_for == *asker
                && earlier.put_off.is_none()
                && matches!(earlier.phase, Phase::Waiting | Phase::Deciding)
        })
    }

    /// The rows of the questions that ask the same as this one and can be answered with it, including itself.
    /// Empty if there are no others.
    fn together(&self, key: u64, entry: &QueuedQuestion) -> Vec<i64> {
        let same = self.entries.iter().filter(|(other_key, other)| {
            other.phase == Phase::Waiting
                && (other.put_off.is_none() || **other_key == key)
                && other.asks_the_same_as(entry)
                && self.is_answerable(**other_key)
        });
        let rows: Vec<i64> = same.map(|(_, other)| other.id).collect();
        if rows.len() > 1 && rows.contains(&entry.id) { rows } else { Vec::new() }
    }

    /// Removes answered URL questions that are too many or too old to be shown.
    pub(crate) fn remove_stale(&mut self, now: Instant) -> bool {
        let mut seen: HashMap<ServerId, usize> = HashMap::new();
        let mut gone = Vec::new();
        for (key, entry) in self.entries.iter().rev() {
            if entry.answer.is_some() || entry.phase != Phase::Opened {
                continue;
            }
            let count = seen.entry(entry.asker.server).or_default();
            *count += 1;
            if *count > MAX_OPENED_SHOWN || now.duration_since(entry.since) >= OPENED_SHOWN_FOR {
                gone.push(*key);
            }
        }
        for key in &gone {
            self.entries.remove(key);
        }
        !gone.is_empty()
    }

    pub(crate) fn view(&mut self, now: Moment) -> InboxView {
        self.remove_stale(now.instant);
        let shown = self.entries.iter().filter(|(_, entry)| entry.phase != Phase::Saving);
        let waiting = shown.filter_map(|(key, entry)| {
            let position = u32::try_from(self.position(*key)?).unwrap_or(u32::MAX);
            Some(entry.view(position, self.together(*key, entry)))
        });
        let waiting = waiting.collect();
        let mut silenced = Vec::new();
        for (asker, allowance) in &mut self.limiters {
            let Some((until_ms, why)) = allowance.silenced_until(now) else { continue };
            let (server, name) = match asker {
                Asker::Server(server) => (Some(*server), self.names.get(server).cloned()),
                Asker::App(app) => (self.called.get(app).copied(), Some(app.clone())),
            };
            let Some(server) = server else { continue };
            silenced.push(SilencedServer {
                server,
                app: asker.app().map(str::to_owned),
                name: name.unwrap_or_default(),
                until_ms,
                put_aside: allowance.suppressed_count(),
                reason: why.sentence(asker),
            });
        }
        silenced.sort_by(|one, other| (one.server.0, &one.app).cmp(&(other.server.0, &other.app)));
        InboxView { waiting, silenced }
    }
}

impl QueuedQuestion {
    /// Whether one answer can count for both questions: the same folders, or the same call. A form is filled
    /// in for its server, and URLs and model texts are checked one by one. So are dangerous calls, and calls
    /// of tools that are not reviewed.
    fn asks_the_same_as(&self, other: &Self) -> bool {
        match (&self.question, &other.question) {
            (InteractionQuestion::Roots { folders }, InteractionQuestion::Roots { folders: others }) => {
                !folders.is_empty() && folders == others
            }
            (
                InteractionQuestion::Tool {
                    tool,
                    arguments,
                    hints,
                    reviewed: true,
                    definition,
                    keyless: false,
                    ..
                },
                InteractionQuestion::Tool {
                    tool: other_tool,
                    arguments: other_arguments,
                    reviewed: true,
                    definition: other_definition,
                    keyless: false,
                    ..
                },
            ) => {
                self.asker.server == other.asker.server
                    && self.occasion.caller == other.occasion.caller
                    && !(hints.destructive == Some(true) && hints.read_only != Some(true))
                    && (tool, arguments, definition) == (other_tool, other_arguments, other_definition)
            }
            _ => false,
        }
    }

    fn view(&self, position: u32, together: Vec<i64>) -> InteractionView {
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
            put_off: self.put_off,
            together,
        }
    }
}
