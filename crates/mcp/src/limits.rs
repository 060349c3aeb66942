//! All limits of the engine, from the project's security rules. Exceeding one only fails its message or call.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use mooring_base::rate::{EmptyBucket, Rate, RateLimiter};

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// The limits of one connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The largest message, event or HTTP body, in bytes.
    pub message_bytes: usize,
    /// The most JSON values in one message, containers included.
    pub nodes: usize,
    /// The deepest nesting of arrays and objects in one message.
    pub depth: usize,
    /// The most requests of this client that wait for a response at once.
    pub in_flight: usize,
    /// The most questions of a server that wait for an answer at once.
    pub questions: usize,
    /// The most items of one list, over all its pages.
    pub items: usize,
    /// The most pages of one list.
    pub pages: usize,
    /// The longest tool name, in bytes.
    pub name_bytes: usize,
    /// The longest URI or URI template, in bytes.
    pub uri_bytes: usize,
    /// The longest description, in bytes. Longer descriptions are cut.
    pub description_bytes: usize,
    /// The largest list of a server's own icons, in bytes. A larger list is left out.
    pub icons_bytes: usize,
    /// The largest schema, in bytes.
    pub schema_bytes: usize,
    /// The most JSON values of one schema, after expanding all local references.
    pub schema_nodes: usize,
    /// The most unsolicited messages of a server per second.
    pub unasked_per_second: usize,
    /// The most unsolicited messages at once.
    pub unasked_burst: usize,
    /// The most unsolicited bytes of a server per second.
    pub unasked_bytes_per_second: usize,
    /// The most rounds of questions for one call.
    pub rounds: usize,
    /// The most questions of one round or of one task. [`Self::questions`] of them are asked at once.
    pub round_questions: usize,
    /// The most resource subscriptions at once.
    pub subscriptions: usize,
    /// The most tasks that are remembered. The oldest finished tasks are forgotten first.
    pub tasks: usize,
    /// The longest time of a task, in seconds.
    pub task_seconds: usize,
    /// The most cached results.
    pub kept_results: usize,
    /// The most bytes of cached results.
    pub kept_bytes: usize,
    /// The longest time that a result is cached, in seconds.
    pub kept_seconds: usize,
    /// The longest line of stderr, in bytes. Longer lines are cut.
    pub stderr_line_bytes: usize,
    /// Bytes of stderr that are remembered for error messages.
    pub stderr_tail_bytes: usize,
}

impl Limits {
    /// The default of [`Self::message_bytes`], and the smallest value that a person can set for all servers.
    pub const MESSAGE_BYTES_DEFAULT: usize = 16 * MIB;
    /// The largest value that a person can set for all servers.
    pub const MESSAGE_BYTES_MAX: usize = 64 * MIB;
}

impl Default for Limits {
    fn default() -> Self {
        let unasked = Rate::default();
        Self {
            message_bytes: Self::MESSAGE_BYTES_DEFAULT,
            nodes: 200_000,
            depth: 256,
            in_flight: 64,
            questions: 8,
            items: 1_000,
            pages: 50,
            name_bytes: 128,
            uri_bytes: 8 * KIB,
            description_bytes: 16 * KIB,
            icons_bytes: 64 * KIB,
            schema_bytes: 256 * KIB,
            schema_nodes: 10_000,
            unasked_per_second: unasked.messages,
            unasked_burst: unasked.burst,
            unasked_bytes_per_second: unasked.bytes,
            rounds: 10,
            round_questions: 256,
            subscriptions: 256,
            tasks: 256,
            task_seconds: 24 * 60 * 60,
            kept_results: 256,
            kept_bytes: 16 * MIB,
            kept_seconds: 24 * 60 * 60,
            stderr_line_bytes: 64 * KIB,
            stderr_tail_bytes: MIB,
        }
    }
}

/// A limit that a peer can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LimitKind {
    Message,
    Nodes,
    Depth,
    InFlight,
    Questions,
    Items,
    Pages,
    Name,
    Uri,
    Description,
    Schema,
    SchemaNodes,
    Unasked,
    UnaskedBytes,
    Rounds,
    RoundQuestions,
    Subscriptions,
    Tasks,
    TaskSeconds,
    StderrLine,
}

impl LimitKind {
    /// The limit's name and unit. Names never change, because front ends translate them.
    fn name_and_unit(self) -> (&'static str, &'static str) {
        match self {
            Self::Message => ("message", "bytes"),
            Self::Nodes => ("values", "values"),
            Self::Depth => ("depth", "levels"),
            Self::InFlight => ("requests_in_flight", "requests"),
            Self::Questions => ("questions_in_flight", "questions"),
            Self::Items => ("items", "items"),
            Self::Pages => ("pages", "pages"),
            Self::Name => ("name", "bytes"),
            Self::Uri => ("uri", "bytes"),
            Self::Description => ("description", "bytes"),
            Self::Schema => ("schema", "bytes"),
            Self::SchemaNodes => ("schema_values", "values"),
            Self::Unasked => ("unasked_messages", "messages/s"),
            Self::UnaskedBytes => ("unasked_bytes", "bytes/s"),
            Self::Rounds => ("rounds", "rounds"),
            Self::RoundQuestions => ("questions_in_round", "questions"),
            Self::Subscriptions => ("subscriptions", "resources"),
            Self::Tasks => ("tasks", "tasks"),
            Self::TaskSeconds => ("task_time", "seconds"),
            Self::StderrLine => ("stderr_line", "bytes"),
        }
    }
}

impl Limits {
    /// Counts unsolicited messages. Responses don't count, because the number of requests in flight limits
    /// them. If a limit is exceeded, returns how long the reader has to wait, and the limit.
    pub(crate) fn count_unasked(
        &self,
        limiter: &Mutex<RateLimiter>,
        messages: usize,
        bytes: usize,
    ) -> Option<(Duration, LimitKind)> {
        let (per_second, burst) = (self.unasked_per_second, self.unasked_burst);
        let rate = Rate { messages: per_second, burst, bytes: self.unasked_bytes_per_second };
        let now = tokio::time::Instant::now().into_std();
        let taken = limiter.lock().unwrap_or_else(PoisonError::into_inner).take(messages, bytes, &rate, now);
        taken.map(|(wait, bucket)| match bucket {
            EmptyBucket::Messages => (wait, LimitKind::Unasked),
            EmptyBucket::Bytes => (wait, LimitKind::UnaskedBytes),
        })
    }

    pub(crate) fn value_of(&self, bound: LimitKind) -> usize {
        match bound {
            LimitKind::Message => self.message_bytes,
            LimitKind::Nodes => self.nodes,
            LimitKind::Depth => self.depth,
            LimitKind::InFlight => self.in_flight,
            LimitKind::Questions => self.questions,
            LimitKind::Items => self.items,
            LimitKind::Pages => self.pages,
            LimitKind::Name => self.name_bytes,
            LimitKind::Uri => self.uri_bytes,
            LimitKind::Description => self.description_bytes,
            LimitKind::Schema => self.schema_bytes,
            LimitKind::SchemaNodes => self.schema_nodes,
            LimitKind::Unasked => self.unasked_per_second,
            LimitKind::UnaskedBytes => self.unasked_bytes_per_second,
            LimitKind::Rounds => self.rounds,
            LimitKind::RoundQuestions => self.round_questions,
            LimitKind::Subscriptions => self.subscriptions,
            LimitKind::Tasks => self.tasks,
            LimitKind::TaskSeconds => self.task_seconds,
            LimitKind::StderrLine => self.stderr_line_bytes,
        }
    }
}

/// A limit that was reached on a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitReached {
    /// The limit's code: `message`, `items`, `unasked_messages` and so on.
    pub name: &'static str,
    /// The limit's value.
    pub limit: u64,
    /// The unit: `bytes`, `items` and so on.
    pub unit: &'static str,
    /// How often the limit was reached.
    pub times: u64,
    /// When the limit was last reached.
    pub last: SystemTime,
}

/// The limits of one connection, with counts of how often they were reached.
#[derive(Debug, Default)]
pub(crate) struct LimitTracker {
    limits: Limits,
    reached: Mutex<BTreeMap<LimitKind, (u64, SystemTime)>>,
}

impl From<Limits> for LimitTracker {
    fn from(limits: Limits) -> Self {
        Self { limits, reached: Mutex::default() }
    }
}

impl Deref for LimitTracker {
    type Target = Limits;

    fn deref(&self) -> &Limits {
        &self.limits
    }
}

impl LimitTracker {
    /// Records that a limit was reached. Returns true the first time.
    pub(crate) fn note_reached(&self, bound: LimitKind) -> bool {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        let (times, last) = reached.entry(bound).or_insert((0, SystemTime::UNIX_EPOCH));
        *times += 1;
        *last = SystemTime::now();
        *times == 1
    }

    pub(crate) fn limits_reached(&self) -> Vec<LimitReached> {
        let reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |(bound, (times, last)): (&LimitKind, &(u64, SystemTime))| {
            let (name, unit) = bound.name_and_unit();
            let limit = u64::try_from(self.limits.value_of(*bound)).unwrap_or(u64::MAX);
            LimitReached { name, limit, unit, times: *times, last: *last }
        };
        reached.iter().map(read).collect()
    }
}

/// How long to wait for a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// From the start of a connection to the response to `initialize`.
    pub connect: Duration,
    /// The longest silence while a request waits. Progress of that request restarts it.
    pub idle: Duration,
    /// The longest time of one request, regardless of its progress.
    pub total: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self { connect: Duration::from_mins(2), idle: Duration::from_mins(1), total: Duration::from_mins(10) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reached_limit_is_counted_with_value_and_time() {
        let bounds = LimitTracker::from(Limits { items: 7, ..Limits::default() });
        assert_eq!(bounds.limits_reached(), []);
        assert!(bounds.note_reached(LimitKind::Items));
        assert!(!bounds.note_reached(LimitKind::Items));
        let reached = bounds.limits_reached();
        let [LimitReached { name: "items", limit: 7, unit: "items", times: 2, last }] = reached.as_slice()
        else {
            panic!("{reached:?}")
        };
        assert!(*last > SystemTime::UNIX_EPOCH);
    }
}
