//! State that is shared by a connection's task, its callers and the engine's reader. Each lock is only held
//! for a few instructions, and never across an await.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use mooring_base::clock::now_ms;
use mooring_base::excerpt;
use mooring_base::server_id::ServerId;
use mooring_calls::{CallEvent, OnCallEvent, Subscriptions, Usage};
use mooring_definitions::{NewServer, StartRule};
use mooring_errors::Failure;
use mooring_forms::request_oddities;
use mooring_icons::ConnectionIcons;
use mooring_log::CallCounter;
use mooring_mcp::{
    CallerAdditions, ClientCapabilities, ClientHandler, Diagnostic, DiagnosticCode, Era, Notification,
    Question, QuestionKind, Refusal, RequestCaller,
};
use mooring_policy::{Caller, PinItem, PinKind};
use mooring_recorder::Recorder;
use mooring_server_state::{HostEvent, send_event};
use mooring_words::say;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{broadcast, watch};

use super::lists::{ListKind, ListResult, Lists};
use super::waker::{RootsHabit, Waker};
use crate::connection::ConnectionRole;
use crate::connection::responder::Responder;

/// How many diagnostics of a connection are stored, and the maximum bytes of a path and a message.
const MAX_DIAGNOSTICS: usize = 100;
const MAX_DIAGNOSTIC_PATH: usize = 256;
const MAX_DIAGNOSTIC_MESSAGE: usize = 1 << 10;

/// Settings that can change without reconnecting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallDefaults {
    /// The display name, which is also in the log.
    pub(crate) name: Arc<str>,
    /// The idle timeout, if it differs from that of the settings.
    pub(crate) idle: Option<Duration>,
    /// Whether the connection is closed when it is not used.
    pub(crate) sleeps: bool,
    /// Whether the profiles in use leave the server out: it then sleeps soon.
    pub(crate) is_left: bool,
}

impl CallDefaults {
    pub(crate) fn of(config: &NewServer) -> Self {
        let NewServer { name, timeout, start, .. } = config;
        let sleeps = *start == StartRule::OnUse;
        Self { name: name.as_str().into(), idle: *timeout, sleeps, is_left: false }
    }

    /// The defaults of a server that the profiles in use may leave out.
    pub(crate) fn left_out(self, is_left: bool) -> Self {
        Self { sleeps: self.sleeps || is_left, is_left, ..self }
    }
}

/// State shared by the connection's task, its handles and the client's reader.
pub(crate) struct SharedState {
    pub(crate) server: Option<ServerId>,
    pub(crate) role: ConnectionRole,
    events: broadcast::Sender<HostEvent>,
    call_defaults: Mutex<CallDefaults>,
    pub(crate) lists: Lists,
    icons: Mutex<ConnectionIcons<ListKind>>,
    pub(crate) subscriptions: Subscriptions,
    /// Serializes changes to the followers of resources, including the request to the server.
    pub(crate) subscribing: tokio::sync::Mutex<()>,
    listeners: Mutex<Listeners>,
    /// The hashes of the definitions that an instance lists, if it has its own. Approvals refer to the
    /// definitions of the shared connection.
    definitions: Mutex<HashMap<(PinKind, String), String>>,
    calls: Mutex<CallCounter>,
    diagnostics: Mutex<Vec<Diagnostic>>,
    /// Whether a caller waits for the connection.
    needed: watch::Sender<bool>,
    pub(crate) usage: Usage,
    pub(crate) waker: Waker,
    pub(crate) roots_habit: RootsHabit,
    /// The era of the last connection.
    era: Mutex<Option<Era>>,
    /// Whether the connection is stopped only for a restart.
    restarting: AtomicBool,
    /// Answers the server's requests.
    pub(crate) responder: Arc<dyn Responder>,
}

impl fmt::Debug for SharedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedState").field("server", &self.server).finish_non_exhaustive()
    }
}

/// A running restart. If it is dropped before the server starts again, the server counts as stopped.
pub(crate) struct Restart(Option<Arc<SharedState>>);

impl Restart {
    pub(crate) fn of(shared: &Arc<SharedState>) -> Self {
        shared.set_restarting(true);
        Self(Some(Arc::clone(shared)))
    }

    /// Records that the server is starting again.
    pub(crate) fn mark_started(mut self) {
        self.0 = None;
    }
}

impl Drop for Restart {
    fn drop(&mut self) {
        if let Some(shared) = &self.0 {
            shared.set_restarting(false);
            shared.announce_change();
        }
    }
}

#[derive(Default)]
struct Listeners {
    next: u64,
    running: Vec<(u64, Caller, OnCallEvent)>,
}

impl Listeners {
    /// The listeners for a log message that names no request. If calls of several callers are running, only
    /// the person's calls receive it, because the person may see everything.
    fn for_unattributed_message(&self) -> Vec<OnCallEvent> {
        let first = self.running.first().map(|(_, caller, _)| caller);
        let is_of_one = self.running.iter().all(|(_, caller, _)| Some(caller) == first);
        let told = self.running.iter().filter(|(_, caller, _)| is_of_one || caller.is_person());
        told.map(|(_, _, listener)| Arc::clone(listener)).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedState {
    pub(crate) fn new(
        server: Option<ServerId>,
        role: ConnectionRole,
        defaults: CallDefaults,
        events: broadcast::Sender<HostEvent>,
        responder: Arc<dyn Responder>,
    ) -> Self {
        Self {
            server,
            role,
            events,
            call_defaults: Mutex::new(defaults),
            lists: Lists::default(),
            icons: Mutex::default(),
            subscriptions: Subscriptions::default(),
            subscribing: tokio::sync::Mutex::default(),
            listeners: Mutex::default(),
            definitions: Mutex::default(),
            calls: Mutex::default(),
            diagnostics: Mutex::default(),
            needed: watch::Sender::new(false),
            usage: Usage::default(),
            waker: Waker::default(),
            roots_habit: RootsHabit::default(),
            era: Mutex::default(),
            restarting: AtomicBool::new(false),
            responder,
        }
    }

    pub(crate) fn is_restarting(&self) -> bool {
        self.restarting.load(Ordering::Relaxed)
    }

    pub(crate) fn set_restarting(&self, restarting: bool) {
        self.restarting.store(restarting, Ordering::Relaxed);
    }

    /// The era of the last connection, if there was one.
    pub(crate) fn last_era(&self) -> Option<Era> {
        *lock(&self.era)
    }

    /// Remembers the era of a new connection.
    pub(crate) fn set_last_era(&self, era: Era) {
        *lock(&self.era) = Some(era);
    }

    /// Notifies front ends that the view of this connection changed.
    pub(crate) fn announce_change(&self) {
        if let Some(server) = self.server {
            self.send_event(HostEvent::ServerChanged { id: server });
        }
    }

    fn send_event(&self, event: HostEvent) {
        send_event(&self.events, event);
    }

    pub(crate) fn call_defaults(&self) -> CallDefaults {
        lock(&self.call_defaults).clone()
    }

    pub(crate) fn set_call_defaults(&self, defaults: CallDefaults) {
        let mut current = lock(&self.call_defaults);
        if *current != defaults {
            *current = defaults;
            drop(current);
            self.announce_change();
        }
    }

    /// The inline icons of the last connection, and the URLs of other icons.
    pub(crate) fn icons(&self) -> MutexGuard<'_, ConnectionIcons<ListKind>> {
        lock(&self.icons)
    }

    /// Caches a list. Returns a failure if the read failed.
    pub(crate) fn store_list(&self, read: ListResult, as_of: u64, recorder: &Recorder) -> Option<Failure> {
        let kind = read.kind();
        if let Some(definitions) = read.definitions() {
            self.icons().set_named(Some(kind), definitions);
        }
        let failure = self.lists.cache_list(read, as_of, recorder);
        self.announce_list(kind);
        self.announce_change();
        failure
    }

    /// Clears the lists of an earlier connection.
    pub(crate) fn forget_lists(&self) {
        for kind in self.lists.clear() {
            self.announce_list(kind);
        }
        self.announce_tasks();
    }

    /// Notifies front ends that the server's tasks changed.
    pub(crate) fn announce_tasks(&self) {
        if let Some(server) = self.server {
            self.send_event(HostEvent::TasksChanged { id: server });
        }
    }

    fn announce_list(&self, kind: ListKind) {
        // The lists of other instances are not shown.
        if let Some(server) = self.server.filter(|_| self.role.is_recorded) {
            self.send_event(match kind {
                ListKind::Tools => HostEvent::ToolsChanged { id: server },
                ListKind::Resources => HostEvent::ResourcesChanged { id: server },
                ListKind::Prompts => HostEvent::PromptsChanged { id: server },
            });
        }
    }

    /// Notifies front ends that a subscribed resource may have changed.
    pub(crate) fn announce_resource(&self, uri: &str) {
        if let Some(server) = self.server {
            self.send_event(HostEvent::ResourceUpdated {
                id: server,
                instance: self.role.instance,
                uri: uri.into(),
            });
        }
    }

    /// Forwards log messages to `listener` until the guard is dropped. The listener belongs to a request of
    /// this caller.
    pub(crate) fn add_listener(self: &Arc<Self>, caller: &Caller, listener: OnCallEvent) -> ListenerGuard {
        let mut listeners = lock(&self.listeners);
        let number = listeners.next;
        listeners.next += 1;
        listeners.running.push((number, caller.clone(), listener));
        ListenerGuard { shared: Arc::clone(self), number }
    }

    /// Sets whether a caller waits for the connection. If so, the connection does not wait for its turn to
    /// start.
    pub(crate) fn set_needed(&self, is_needed: bool) {
        self.needed.send_replace(is_needed);
    }

    /// Waits until a caller needs the connection.
    pub(crate) async fn wait_until_needed(&self) {
        let mut needed = self.needed.subscribe();
        // This can't fail, because `self` owns the sender.
        let _needed = needed.wait_for(|is_needed| *is_needed).await;
    }

    /// Replaces the definitions of these kinds that an instance lists.
    pub(crate) fn set_definitions(&self, kinds: &[PinKind], items: Vec<PinItem>) {
        let mut definitions = lock(&self.definitions);
        definitions.retain(|(kind, _), _| !kinds.contains(kind));
        definitions.extend(items.into_iter().map(|item| ((item.kind, item.name), item.hash)));
    }

    /// The hash of the definition that an instance lists under a name. `None` on the shared connection, whose
    /// definitions are the approved ones, and if the instance does not list the name.
    pub(crate) fn own_hash(&self, kind: PinKind, name: &str) -> Option<String> {
        lock(&self.definitions).get(&(kind, name.to_owned())).cloned()
    }

    /// The counter of calls to this server.
    pub(crate) fn calls(&self) -> MutexGuard<'_, CallCounter> {
        lock(&self.calls)
    }

    /// The diagnostics of the connection.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        lock(&self.diagnostics).clone()
    }

    /// Clears the diagnostics of an earlier connection.
    pub(crate) fn clear_diagnostics(&self) {
        lock(&self.diagnostics).clear();
    }
}

/// Registers a running call for log messages, until it is dropped.
pub(crate) struct ListenerGuard {
    shared: Arc<SharedState>,
    number: u64,
}

impl Drop for ListenerGuard {
    fn drop(&mut self) {
        lock(&self.shared.listeners).running.retain(|(number, _, _)| *number != self.number);
    }
}

/// Handles the notifications and requests that the server sends on one connection.
pub(crate) struct PeerHandler {
    pub(crate) shared: Arc<SharedState>,
    pub(crate) recorder: Arc<Recorder>,
}

/// The parameters of `notifications/message`, read leniently.
#[derive(Deserialize)]
struct LogMessageParams<'a> {
    #[serde(borrow, default)]
    level: Option<&'a RawValue>,
    #[serde(borrow, default)]
    logger: Option<&'a RawValue>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

/// The parameters of `notifications/resources/updated`.
#[derive(Deserialize)]
struct ResourceUpdatedParams {
    uri: String,
}

/// The parameters of `notifications/elicitation/complete`.
#[derive(Deserialize)]
struct ElicitationCompleteParams {
    #[serde(rename = "elicitationId")]
    elicitation: String,
}

/// Converts a log message to an event for a running call.
pub(crate) fn log_event(params: Option<&RawValue>) -> Result<CallEvent, Diagnostic> {
    let message: LogMessageParams<'_> =
        serde_json::from_str(params.map_or("{}", RawValue::get)).map_err(|_| {
            Diagnostic::new(DiagnosticCode::WrongType, "params", say!("of a log message isn’t an object"))
        })?;
    let words = |value: Option<&RawValue>| {
        value
            .filter(|value| value.get() != "null")
            .map(|value| serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned()))
            .map(|words: String| excerpt::truncate(words, excerpt::MAX_TEXT_BYTES))
    };
    Ok(CallEvent::Log {
        level: words(message.level).unwrap_or_else(|| "info".to_owned()),
        logger: words(message.logger),
        data: excerpt::truncate_json(message.data.unwrap_or(RawValue::NULL)).into(),
    })
}

impl PeerHandler {
    fn handle_log_message(&self, params: Option<&RawValue>) {
        let running = lock(&self.shared.listeners).for_unattributed_message();
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

    /// Records that a resource changed. Ignores a resource without a subscription (SUB-12).
    fn handle_resource_updated(&self, params: Option<&RawValue>) {
        let params = params.map_or("{}", RawValue::get);
        let Ok(ResourceUpdatedParams { uri }) = serde_json::from_str(params) else {
            self.diagnose(Diagnostic::new(
                DiagnosticCode::Missing,
                "notifications/resources/updated.uri",
                say!("is missing"),
            ));
            return;
        };
        if self.shared.subscriptions.record_update(&uri, now_ms()) {
            self.shared.announce_resource(&uri);
        }
    }
}

impl PeerHandler {
    /// Handles the server's message that the person has completed what was opened at a URL.
    fn handle_elicitation_complete(&self, params: Option<&RawValue>) {
        let params = params.map_or("{}", RawValue::get);
        if let Ok(ElicitationCompleteParams { elicitation }) = serde_json::from_str(params) {
            self.shared.responder.complete_elicitation(&elicitation);
        }
    }
}

impl ClientHandler for PeerHandler {
    fn notify(&self, notification: Notification) {
        match notification.method.as_str() {
            "notifications/message" => self.handle_log_message(notification.params.as_deref()),
            "notifications/tools/list_changed" => self.shared.lists.note_change(ListKind::Tools),
            "notifications/resources/list_changed" => self.shared.lists.note_change(ListKind::Resources),
            "notifications/prompts/list_changed" => self.shared.lists.note_change(ListKind::Prompts),
            "notifications/resources/updated" => self.handle_resource_updated(notification.params.as_deref()),
            "notifications/elicitation/complete" => {
                self.handle_elicitation_complete(notification.params.as_deref());
            }
            // Other notifications only appear in the log.
            _ => {}
        }
    }

    fn tasks_changed(&self) {
        self.shared.announce_tasks();
    }

    fn capabilities(&self) -> ClientCapabilities {
        self.shared.responder.capabilities()
    }

    fn capabilities_during(&self, caller: Option<&RequestCaller>) -> ClientCapabilities {
        let own = caller.map(|caller| self.shared.responder.capabilities_of(caller));
        self.capabilities().or(own.unwrap_or_default())
    }

    fn additions(&self, caller: Option<&RequestCaller>) -> CallerAdditions {
        caller.map(|caller| self.shared.responder.additions_of(caller)).unwrap_or_default()
    }

    fn ask(&self, question: Question) -> BoxFuture<'static, Result<Box<RawValue>, Refusal>> {
        if question.kind == QuestionKind::Roots {
            self.shared.roots_habit.note_question();
        }
        if question.kind == QuestionKind::Elicitation {
            for (path, what) in request_oddities(&question.params) {
                self.diagnose(Diagnostic::new(DiagnosticCode::WrongType, path, what));
            }
        }
        self.shared.responder.answer(question, &self.shared.call_defaults().name, &self.recorder)
    }

    fn limits_changed(&self) {
        self.shared.announce_change();
    }

    fn diagnose(&self, diagnostic: Diagnostic) {
        // Invalid lines are already in the log, exactly as received.
        if diagnostic.code != DiagnosticCode::Noise {
            self.recorder.log_diagnostic(&diagnostic);
        }
        if lock(&self.shared.diagnostics).len() >= MAX_DIAGNOSTICS {
            return;
        }
        let known = Diagnostic {
            code: diagnostic.code,
            path: self.recorder.redact_start(&diagnostic.path, MAX_DIAGNOSTIC_PATH),
            message: diagnostic.message.map(&|text| self.recorder.redact_start(text, MAX_DIAGNOSTIC_MESSAGE)),
        };
        let mut oddities = lock(&self.shared.diagnostics);
        if oddities.len() < MAX_DIAGNOSTICS && !oddities.contains(&known) {
            oddities.push(known);
            drop(oddities);
            self.shared.announce_change();
        }
    }
}

#[cfg(test)]
mod tests {
    use mooring_words::Sentence;

    use super::*;
    use crate::connection::responder::NoResponder;
    use mooring_recorder::Journal;
    use mooring_recorder::KnownSecrets;

    fn shared() -> Arc<SharedState> {
        let defaults = CallDefaults { name: "s".into(), idle: None, sleeps: false, is_left: false };
        Arc::new(SharedState::new(
            None,
            ConnectionRole::SHARED,
            defaults,
            broadcast::Sender::new(8),
            Arc::new(NoResponder),
        ))
    }

    fn handler() -> PeerHandler {
        let mut secrets = KnownSecrets::default();
        secrets.add_if_secret("API_KEY", "canary-b8f1d5c2e6");
        let recorder = Journal::new(None).unwrap().recorder(None, "s".into(), secrets);
        PeerHandler { shared: shared(), recorder: Arc::new(recorder) }
    }

    #[test]
    fn oddities_are_remembered_without_secrets_and_in_bounded_room() {
        let handler = handler();
        let filler = "x".repeat(MAX_DIAGNOSTIC_MESSAGE - 8);
        for number in 0..2 * MAX_DIAGNOSTICS {
            let path = format!("{number}/canary-b8f1d5c2e6/{}", "p".repeat(16 << 10));
            let message = format!("{filler}canary-b8f1d5c2e6{filler}");
            handler.diagnose(Diagnostic {
                code: DiagnosticCode::WrongType,
                path,
                message: Sentence::quoted(message),
            });
        }
        let oddities = handler.shared.diagnostics();
        assert_eq!(oddities.len(), MAX_DIAGNOSTICS);
        for Diagnostic { path, message, .. } in oddities {
            assert!(
                path.contains("/[redacted]/") && path.len() <= MAX_DIAGNOSTIC_PATH + '…'.len_utf8(),
                "{path}"
            );
            assert!(message.len() <= MAX_DIAGNOSTIC_MESSAGE + '…'.len_utf8(), "{}", message.len());
            assert!(!message.contains("canary"), "{message}");
        }
    }

    #[test]
    fn a_running_call_hears_the_start_of_a_long_log_message() {
        let handler = handler();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&heard);
        let caller = Caller::Workbench;
        let _listening = handler.shared.add_listener(&caller, Arc::new(move |event| lock(&sink).push(event)));
        let long = "x".repeat(4 << 20);
        let params = format!(r#"{{"level":"{long}","logger":"{long}","data":["{long}"]}}"#);
        handler.handle_log_message(Some(&RawValue::from_string(params).unwrap()));
        let heard = lock(&heard);
        let [CallEvent::Log { level, logger, data }] = heard.as_slice() else { panic!("{heard:?}") };
        assert!(level.len() + logger.as_ref().map_or(0, String::len) < 3 << 10);
        assert!(data.get().len() < 17 << 10 && data.get().contains("[cut: "), "{}", data.get().len());
    }

    #[test]
    fn a_message_of_nobodys_call_is_told_the_person_alone() {
        let shared = shared();
        let told = || lock(&shared.listeners).for_unattributed_message().len();
        let (one, other) = (Caller::app("One"), Caller::app("Other"));
        let _first =
            [shared.add_listener(&one, Arc::new(|_| {})), shared.add_listener(&one, Arc::new(|_| {}))];
        assert_eq!(told(), 2);
        let second = shared.add_listener(&other, Arc::new(|_| {}));
        assert_eq!(told(), 0);
        let _person = shared.add_listener(&Caller::Workbench, Arc::new(|_| {}));
        assert_eq!(told(), 1);
        drop(second);
        assert_eq!(told(), 1);
    }

    #[test]
    fn a_call_stops_listening_when_it_ends() {
        let shared = shared();
        let listening = shared.add_listener(&Caller::Workbench, Arc::new(|_| {}));
        let other = shared.add_listener(&Caller::Workbench, Arc::new(|_| {}));
        drop(listening);
        assert_eq!(lock(&shared.listeners).running.len(), 1);
        drop(other);
        assert!(lock(&shared.listeners).running.is_empty());
    }
}
