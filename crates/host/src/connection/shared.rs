//! What a connection's task, its callers and the engine's reader share. Every lock here is held for a few
//! instructions and never across an await.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use mooring_base::clock::now_ms;
use mooring_base::excerpt;
use mooring_base::server_id::ServerId;
use mooring_forms::oddities;
use mooring_mcp::{
    ClientCapabilities, ClientHandler, Diagnostic, DiagnosticCode, Notification, Question, QuestionKind,
    Refusal,
};
use mooring_recorder::Recorder;
use mooring_words::say;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::broadcast;

use super::lists::{Kind, Lists, Read};
use super::subscriptions::Subscriptions;
use crate::connection::responder::Responder;
use crate::event::{HostEvent, tell};
use crate::failure::Failure;
use crate::tools::{CallEvent, OnCallEvent};

/// How many of the latest calls the percentile is taken over.
const REMEMBERED_CALLS: usize = 512;
/// How many oddities of a connection are kept, and how many bytes of each one's place and words.
const REMEMBERED_ODDITIES: usize = 100;
const ODDITY_PATH: usize = 256;
const ODDITY_MESSAGE: usize = 1 << 10;

/// What can change without a new connection.
#[derive(Debug, Clone)]
pub(crate) struct Manner {
    /// The name shown, and written into the log.
    pub(crate) name: Arc<str>,
    /// How long a request may be silent, where it differs from the settings.
    pub(crate) idle: Option<Duration>,
}

/// See the module.
pub(crate) struct Shared {
    pub(crate) server: Option<ServerId>,
    events: broadcast::Sender<HostEvent>,
    manner: Mutex<Manner>,
    pub(crate) lists: Lists,
    pub(crate) subscriptions: Subscriptions,
    listeners: Mutex<Listeners>,
    durations: Mutex<Durations>,
    oddities: Mutex<Vec<Diagnostic>>,
    /// Who answers the server.
    pub(crate) responder: Arc<dyn Responder>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("server", &self.server).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Listeners {
    next: u64,
    running: Vec<(u64, OnCallEvent)>,
}

#[derive(Default)]
struct Durations {
    ended: u64,
    latest: VecDeque<Duration>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(
        server: Option<ServerId>,
        manner: Manner,
        events: broadcast::Sender<HostEvent>,
        responder: Arc<dyn Responder>,
    ) -> Self {
        Self {
            server,
            events,
            manner: Mutex::new(manner),
            lists: Lists::default(),
            subscriptions: Subscriptions::default(),
            listeners: Mutex::default(),
            durations: Mutex::default(),
            oddities: Mutex::default(),
            responder,
        }
    }

    /// Tells the front ends that the view of this connection changed.
    pub(crate) fn announce(&self) {
        if let Some(server) = self.server {
            self.tell(HostEvent::ServerChanged { id: server });
        }
    }

    fn tell(&self, event: HostEvent) {
        tell(&self.events, event);
    }

    pub(crate) fn manner(&self) -> Manner {
        lock(&self.manner).clone()
    }

    pub(crate) fn set_manner(&self, manner: Manner) {
        *lock(&self.manner) = manner;
        self.announce();
    }

    /// Keeps a list that was read; returns why it could not be.
    pub(crate) fn keep(&self, read: Read, as_of: u64) -> Option<Failure> {
        let kind = read.kind();
        let failure = self.lists.keep(read, as_of);
        self.tell_list(kind);
        self.announce();
        failure
    }

    /// Forgets the lists of an earlier connection.
    pub(crate) fn forget_lists(&self) {
        for kind in self.lists.forget() {
            self.tell_list(kind);
        }
        self.tell_tasks();
    }

    /// The server's tasks changed.
    pub(crate) fn tell_tasks(&self) {
        if let Some(server) = self.server {
            self.tell(HostEvent::TasksChanged { id: server });
        }
    }

    fn tell_list(&self, kind: Kind) {
        if let Some(server) = self.server {
            self.tell(match kind {
                Kind::Tools => HostEvent::ToolsChanged { id: server },
                Kind::Resources => HostEvent::ResourcesChanged { id: server },
                Kind::Prompts => HostEvent::PromptsChanged { id: server },
            });
        }
    }

    /// A watched resource changed, or may have.
    pub(crate) fn tell_updated(&self, uri: &str) {
        if let Some(server) = self.server {
            self.tell(HostEvent::ResourceUpdated { id: server, uri: uri.into() });
        }
    }

    /// Passes log messages on to `listener` until the guard is dropped.
    pub(crate) fn listen(self: &Arc<Self>, listener: OnCallEvent) -> Listening {
        let mut listeners = lock(&self.listeners);
        let number = listeners.next;
        listeners.next += 1;
        listeners.running.push((number, listener));
        Listening { shared: Arc::clone(self), number }
    }

    /// Counts a call that ended.
    pub(crate) fn count(&self, elapsed: Duration) {
        let mut durations = lock(&self.durations);
        durations.ended += 1;
        if durations.latest.len() == REMEMBERED_CALLS {
            durations.latest.pop_front();
        }
        durations.latest.push_back(elapsed);
    }

    /// How many calls ended, and the 95th percentile of the latest ones' durations.
    pub(crate) fn calls(&self) -> (u64, Option<Duration>) {
        let durations = lock(&self.durations);
        let mut latest: Vec<Duration> = durations.latest.iter().copied().collect();
        let ended = durations.ended;
        drop(durations);
        latest.sort_unstable();
        (ended, latest.get((latest.len() * 95).div_ceil(100).saturating_sub(1)).copied())
    }

    /// The oddities of the connection since it was made.
    pub(crate) fn oddities(&self) -> Vec<Diagnostic> {
        lock(&self.oddities).clone()
    }

    /// Forgets the oddities of an earlier connection.
    pub(crate) fn forget_oddities(&self) {
        lock(&self.oddities).clear();
    }
}

/// A call that hears log messages while it runs.
pub(crate) struct Listening {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for Listening {
    fn drop(&mut self) {
        lock(&self.shared.listeners).running.retain(|(number, _)| *number != self.number);
    }
}

/// The host's ear on one connection.
pub(crate) struct Ear {
    pub(crate) shared: Arc<Shared>,
    pub(crate) recorder: Arc<Recorder>,
}

/// The parameters of `notifications/message`, read leniently.
#[derive(Deserialize)]
struct LogMessage<'a> {
    #[serde(borrow, default)]
    level: Option<&'a RawValue>,
    #[serde(borrow, default)]
    logger: Option<&'a RawValue>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

/// The parameters of `notifications/resources/updated`.
#[derive(Deserialize)]
struct Updated {
    uri: String,
}

/// The parameters of `notifications/elicitation/complete`.
#[derive(Deserialize)]
struct Completed {
    #[serde(rename = "elicitationId")]
    elicitation: String,
}

/// What a running call hears of a log message.
pub(crate) fn log_event(params: Option<&RawValue>) -> Result<CallEvent, Diagnostic> {
    let message: LogMessage<'_> = serde_json::from_str(params.map_or("{}", RawValue::get)).map_err(|_| {
        Diagnostic::new(DiagnosticCode::WrongType, "params", say!("of a log message is not an object"))
    })?;
    let words = |value: Option<&RawValue>| {
        value
            .filter(|value| value.get() != "null")
            .map(|value| serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned()))
            .map(|words: String| excerpt::start(words, excerpt::WORDS))
    };
    Ok(CallEvent::Log {
        level: words(message.level).unwrap_or_else(|| "info".to_owned()),
        logger: words(message.logger),
        data: excerpt::data(message.data.unwrap_or(RawValue::NULL)).into(),
    })
}

impl Ear {
    fn log_message(&self, params: Option<&RawValue>) {
        let running: Vec<OnCallEvent> =
            lock(&self.shared.listeners).running.iter().map(|(_, listener)| Arc::clone(listener)).collect();
        if running.is_empty() {
            return;
        }
        match log_event(params) {
            Ok(event) => {
                for listener in running {
                    listener(event.clone());
                }
            }
            Err(diagnostic) => self.diagnose(diagnostic),
        }
    }

    /// Takes in that a resource changed. Of one that nobody watches there is nothing to tell (SUB-12).
    fn updated(&self, params: Option<&RawValue>) {
        let params = params.map_or("{}", RawValue::get);
        let Ok(Updated { uri }) = serde_json::from_str(params) else {
            self.diagnose(Diagnostic::new(
                DiagnosticCode::Missing,
                "notifications/resources/updated.uri",
                say!("is missing"),
            ));
            return;
        };
        if self.shared.subscriptions.updated(&uri, now_ms()) {
            self.shared.tell_updated(&uri);
        }
    }
}

impl Ear {
    /// What the person did at an address is done, says the server.
    fn completed(&self, params: Option<&RawValue>) {
        let params = params.map_or("{}", RawValue::get);
        if let Ok(Completed { elicitation }) = serde_json::from_str(params) {
            self.shared.responder.completed(&elicitation);
        }
    }
}

impl ClientHandler for Ear {
    fn notify(&self, notification: Notification) {
        match notification.method.as_str() {
            "notifications/message" => self.log_message(notification.params.as_deref()),
            "notifications/tools/list_changed" => self.shared.lists.note_change(Kind::Tools),
            "notifications/resources/list_changed" => self.shared.lists.note_change(Kind::Resources),
            "notifications/prompts/list_changed" => self.shared.lists.note_change(Kind::Prompts),
            "notifications/resources/updated" => self.updated(notification.params.as_deref()),
            "notifications/elicitation/complete" => self.completed(notification.params.as_deref()),
            // Everything else is in the log.
            _ => {}
        }
    }

    fn tasks_changed(&self) {
        self.shared.tell_tasks();
    }

    fn capabilities(&self) -> ClientCapabilities {
        self.shared.responder.abilities()
    }

    fn ask(&self, question: Question) -> BoxFuture<'static, Result<Box<RawValue>, Refusal>> {
        if question.kind == QuestionKind::Elicitation {
            for (path, what) in oddities(&question.params) {
                self.diagnose(Diagnostic::new(DiagnosticCode::WrongType, path, what));
            }
        }
        self.shared.responder.answer(question, &self.shared.manner().name, &self.recorder)
    }

    fn limits_changed(&self) {
        self.shared.announce();
    }

    fn diagnose(&self, diagnostic: Diagnostic) {
        // Noise is in the log already, as it came.
        if diagnostic.code != DiagnosticCode::Noise {
            self.recorder.diagnostic(&diagnostic);
        }
        if lock(&self.shared.oddities).len() >= REMEMBERED_ODDITIES {
            return;
        }
        let known = Diagnostic {
            code: diagnostic.code,
            path: self.recorder.redact_start(&diagnostic.path, ODDITY_PATH),
            message: diagnostic.message.map(&|text| self.recorder.redact_start(text, ODDITY_MESSAGE)),
        };
        let mut oddities = lock(&self.shared.oddities);
        if oddities.len() < REMEMBERED_ODDITIES && !oddities.contains(&known) {
            oddities.push(known);
            drop(oddities);
            self.shared.announce();
        }
    }
}

#[cfg(test)]
mod tests {
    use mooring_words::Sentence;

    use super::*;
    use crate::connection::responder::Nobody;
    use mooring_recorder::Journal;
    use mooring_recorder::Secrets;

    fn shared() -> Arc<Shared> {
        let manner = Manner { name: "s".into(), idle: None };
        Arc::new(Shared::new(None, manner, broadcast::Sender::new(8), Arc::new(Nobody)))
    }

    #[test]
    fn the_percentile_is_that_of_the_latest_calls() {
        let shared = shared();
        assert_eq!(shared.calls(), (0, None));
        for millis in 1..=100 {
            shared.count(Duration::from_millis(millis));
        }
        assert_eq!(shared.calls(), (100, Some(Duration::from_millis(95))));
        for _ in 0..REMEMBERED_CALLS {
            shared.count(Duration::from_millis(7));
        }
        assert_eq!(shared.calls(), (612, Some(Duration::from_millis(7))));
    }

    fn ear() -> Ear {
        let mut secrets = Secrets::default();
        secrets.learn("API_KEY", "canary-b8f1d5c2e6");
        let recorder = Journal::new(None).unwrap().recorder(None, "s".into(), &secrets).unwrap();
        Ear { shared: shared(), recorder: Arc::new(recorder) }
    }

    #[test]
    fn oddities_are_remembered_without_secrets_and_in_bounded_room() {
        let ear = ear();
        let filler = "x".repeat(ODDITY_MESSAGE - 8);
        for number in 0..2 * REMEMBERED_ODDITIES {
            let path = format!("{number}/canary-b8f1d5c2e6/{}", "p".repeat(16 << 10));
            let message = format!("{filler}canary-b8f1d5c2e6{filler}");
            ear.diagnose(Diagnostic {
                code: DiagnosticCode::WrongType,
                path,
                message: Sentence::quoted(message),
            });
        }
        let oddities = ear.shared.oddities();
        assert_eq!(oddities.len(), REMEMBERED_ODDITIES);
        for Diagnostic { path, message, .. } in oddities {
            assert!(path.contains("/[redacted]/") && path.len() <= ODDITY_PATH + '…'.len_utf8(), "{path}");
            assert!(message.len() <= ODDITY_MESSAGE + '…'.len_utf8(), "{}", message.len());
            assert!(!message.contains("canary"), "{message}");
        }
    }

    #[test]
    fn a_running_call_hears_the_start_of_a_long_log_message() {
        let ear = ear();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&heard);
        let _listening = ear.shared.listen(Arc::new(move |event| lock(&sink).push(event)));
        let long = "x".repeat(4 << 20);
        let params = format!(r#"{{"level":"{long}","logger":"{long}","data":["{long}"]}}"#);
        ear.log_message(Some(&RawValue::from_string(params).unwrap()));
        let heard = lock(&heard);
        let [CallEvent::Log { level, logger, data }] = heard.as_slice() else { panic!("{heard:?}") };
        assert!(level.len() + logger.as_ref().map_or(0, String::len) < 3 << 10);
        assert!(data.get().len() < 17 << 10 && data.get().contains("[cut: "), "{}", data.get().len());
    }

    #[test]
    fn a_call_stops_listening_when_it_ends() {
        let shared = shared();
        let listening = shared.listen(Arc::new(|_| {}));
        let other = shared.listen(Arc::new(|_| {}));
        drop(listening);
        assert_eq!(lock(&shared.listeners).running.len(), 1);
        drop(other);
        assert!(lock(&shared.listeners).running.is_empty());
    }
}
