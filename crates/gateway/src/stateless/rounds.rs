//! Requests that take several rounds (basic/patterns/mrtr). What a server asks because of a call becomes the
//! result of the app's request, and the app sends the request again with the answers. The call itself keeps
//! running meanwhile, whichever era its server uses.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use mooring_base::app_call::AppCall;
use mooring_base::digest::sha256;
use mooring_inbox::{AppResponder, ResponseToServer};
use mooring_jsonrpc::{JsonObject, Members, Params, canonical, code, raw, string};
use mooring_mcp::{CallerAdditions, ClientCapabilities, QuestionKind};
use mooring_vault::random_id;
use serde_json::value::RawValue;
use tokio::sync::Notify;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use super::{NamedCall, RequestMeta, Stateless};
use crate::answer::{Answer, Failed, invalid};
use crate::exchange::{Exchange, Reports};
use crate::locked::locked;
use crate::pending_questions::PendingQuestions;
use crate::recorded::AppLog;
use crate::requests;

/// How long a call waits for the app to come back with answers. The user may have to find them.
const HOLD_TIMEOUT: Duration = Duration::from_mins(15);
/// How long to wait for further questions: those of one round arrive together.
const GATHER_TIME: Duration = Duration::from_millis(20);
/// The most calls of one connection that wait for the app.
const MAX_HELD: usize = 64;
/// The most questions of session-era servers among them. One server may have more open questions, so an app
/// that never comes back leaves room for others.
const MAX_SESSION_QUESTIONS: usize = 6;

/// The members of a request that differ in each round.
const OF_THE_ROUND: [&str; 3] = ["_meta", "inputResponses", "requestState"];

/// A call that keeps running while the app is asked.
struct HeldCall {
    /// The hash of the request. `None` until the call is held for the first time.
    subject: Option<String>,
    call: JoinSet<Answer>,
    name: AppCall,
    asked: Arc<RoundQuestions>,
    reports: Arc<Reports>,
}

/// A call that waits for the app.
struct WaitingCall {
    call: HeldCall,
    since: Instant,
    /// Ends the call when it has waited too long.
    timer: AbortHandle,
}

/// The calls of one connection that wait for the app, by `requestState`.
#[derive(Default)]
pub(super) struct HeldCalls {
    by_state: Mutex<HashMap<String, WaitingCall>>,
    /// The timers that end calls.
    timers: Mutex<JoinSet<()>>,
}

/// The questions of one call.
struct RoundQuestions {
    able: Mutex<ClientCapabilities>,
    /// What the last round added to the request.
    additions: Mutex<CallerAdditions>,
    /// Open questions by key: the server's own, or a number.
    open: PendingQuestions<String, OpenQuestion>,
    /// Answers of this round without an open question. An app may answer under a server's own key before the
    /// server asks.
    early: Mutex<HashMap<String, Box<RawValue>>>,
    next: Mutex<u64>,
    changed: Notify,
    /// Whether the app waits for this round.
    is_listening: AtomicBool,
    /// Whether the app sees only one server.
    is_of_one: bool,
}

struct OpenQuestion {
    kind: QuestionKind,
    /// Whether the server asked with a request, as in the session era.
    is_request: bool,
    params: Box<RawValue>,
}

impl HeldCalls {
    pub(super) fn is_empty(&self) -> bool {
        locked(&self.by_state).is_empty()
    }

    /// The call that a request of a further round belongs to. Keeps secrets in its answers out of the log.
    pub(super) fn call(&self, params: &Params, state: &str, log: &AppLog) -> Option<AppCall> {
        let by_state = locked(&self.by_state);
        let held = &by_state.get(state)?.call;
        held.asked.keep_out(&responses(params).unwrap_or_default(), log);
        Some(held.name.clone())
    }

    /// Holds a call, and returns its `requestState`, which no one can guess.
    fn hold_call(self: &Arc<Self>, call: HeldCall) -> Result<String, Failed> {
        let state = random_id().map_err(|error| Failed::new(code::INTERNAL_ERROR, error.to_string()))?;
        // Declared first, so that these calls are cancelled after the locks are released.
        let _given_up = self.give_up_oldest(call.asked.session_questions());
        let mut by_state = locked(&self.by_state);
        if by_state.len() >= MAX_HELD {
            let refused = format!("{MAX_HELD} calls of this app wait for its answers: answer one of them");
            return Err(Failed::new(code::TOO_MANY, refused));
        }
        let (held, of) = (Arc::downgrade(self), state.clone());
        let mut timers = locked(&self.timers);
        while timers.try_join_next().is_some() {}
        let timer = timers.spawn(async move {
            tokio::time::sleep(HOLD_TIMEOUT).await;
            if let Some(held) = held.upgrade() {
                // This cancels the call.
                let late = locked(&held.by_state).remove(&of);
                drop(late);
            }
        });
        by_state.insert(state.clone(), WaitingCall { call, since: Instant::now(), timer });
        Ok(state)
    }

    /// Removes the calls that have waited longest, until there is room for `more` questions of session-era
    /// servers.
    fn give_up_oldest(&self, more: usize) -> Vec<HeldCall> {
        let mut given_up = Vec::new();
        let mut by_state = locked(&self.by_state);
        loop {
            let questions = by_state
                .iter()
                .map(|(state, waiting)| (state, waiting, waiting.call.asked.session_questions()));
            let asking: Vec<_> = questions.filter(|(.., count)| *count > 0).collect();
            let open: usize = asking.iter().map(|(.., count)| count).sum();
            let oldest = asking.into_iter().min_by_key(|(_, waiting, _)| waiting.since);
            let Some((state, ..)) = oldest.filter(|_| open + more > MAX_SESSION_QUESTIONS) else {
                return given_up;
            };
            let state = state.clone();
            if let Some(WaitingCall { call, timer, .. }) = by_state.remove(&state) {
                timer.abort();
                given_up.push(call);
            }
        }
    }

    /// Takes the call with this state for one round. The request has to be the same as in the round before.
    fn take_call(&self, state: &str, subject: &str) -> Option<HeldCall> {
        let mut by_state = locked(&self.by_state);
        if by_state.get(state).is_none_or(|waiting| waiting.call.subject.as_deref() != Some(subject)) {
            return None;
        }
        let WaitingCall { call, timer, .. } = by_state.remove(state)?;
        timer.abort();
        Some(call)
    }
}

impl RoundQuestions {
    /// Passes the app's answers to the questions.
    fn receive(&self, responses: &Members<'_>) {
        let mut early = locked(&self.early);
        early.clear();
        for (key, response) in responses {
            let Some(response) = raw(response) else { continue };
            if let Err(Ok(response)) = self.open.answer(&key.to_owned(), Ok(response)) {
                early.insert(key.to_owned(), response);
            }
        }
    }

    /// Keeps secrets in the app's answers to forms out of the log.
    fn keep_out(&self, responses: &Members<'_>, log: &AppLog) {
        let form_of = |question: &OpenQuestion| {
            (question.kind == QuestionKind::Elicitation).then(|| question.params.clone())
        };
        for (key, response) in responses {
            if let Some(Some(form)) = self.open.read(&key.to_owned(), form_of)
                && let Some(response) = raw(response)
            {
                log.keep_out(&form, &response);
            }
        }
    }

    /// How many questions are requests of a server. A server may have only a few open at once.
    fn session_questions(&self) -> usize {
        self.open.read_all(|_, question| question.is_request).into_iter().filter(|is| *is).count()
    }

    /// The key for a question to the app. Servers of the session era have none of their own.
    fn key(&self, own: Option<&str>) -> String {
        let is_free = |key: &String| self.open.read(key, |_| ()).is_none();
        if let Some(own) = own.map(str::to_owned).filter(is_free) {
            return own;
        }
        let mut next = locked(&self.next);
        loop {
            *next += 1;
            let key = next.to_string();
            if is_free(&key) {
                return key;
            }
        }
    }

    /// Waits until a question is open.
    async fn wait_for_question(&self) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Changes are noticed from here on.
            changed.as_mut().enable();
            if !self.open.is_empty() {
                return;
            }
            changed.await;
        }
    }

    /// The open questions, as the member `inputRequests`. `None` if there are none.
    fn input_requests(&self) -> Option<JsonObject> {
        let requests = self.open.read_all(|key, question| {
            let request = JsonObject::new().text("method", question.kind.method());
            (key.clone(), request.json("params", question.params.get()))
        });
        let all = requests.iter().fold(JsonObject::new(), |all, (key, request)| all.object(key, request));
        (!all.is_empty()).then_some(all)
    }
}

impl AppResponder for RoundQuestions {
    fn capabilities(&self) -> ClientCapabilities {
        *locked(&self.able)
    }

    fn additions(&self) -> CallerAdditions {
        locked(&self.additions).clone()
    }

    fn sees_one_server(&self) -> bool {
        self.is_of_one
    }

    fn is_listening(&self) -> bool {
        self.is_listening.load(Ordering::Relaxed)
    }

    fn answer(
        &self,
        kind: QuestionKind,
        params: &RawValue,
        key: Option<&str>,
    ) -> Option<BoxFuture<'static, ResponseToServer>> {
        if !self.capabilities().can_answer(kind, params) {
            return None;
        }
        if let Some(early) = key.and_then(|key| locked(&self.early).remove(key)) {
            return Some(std::future::ready(Ok(early)).boxed());
        }
        let is_request = key.is_none();
        let key = self.key(key);
        let question = OpenQuestion { kind, is_request, params: params.to_owned() };
        let answered = self.open.add(key, question, || ());
        self.changed.notify_waiters();
        Some(answered)
    }
}

impl Stateless {
    /// Runs a request that asks the app nothing.
    pub(super) async fn once(
        &self,
        method: &str,
        params: Params,
        meta: RequestMeta,
        call: NamedCall,
    ) -> Answer {
        let (exchange, _) = self.exchange(meta, call);
        requests::run(&exchange, method, params).await
    }

    /// Runs one round of a request. The first one begins the call, and further ones bring answers.
    pub(super) async fn round(
        &self,
        method: &str,
        params: Params,
        meta: RequestMeta,
        call: NamedCall,
    ) -> Answer {
        let responses = responses(&params).ok_or_else(|| invalid("inputResponses has to be an object"))?;
        let state = match params.get("requestState").filter(|state| state.get() != "null") {
            Some(state) => Some(string(state.get()).ok_or_else(|| invalid("requestState has to be a text"))?),
            None => None,
        };
        let mut held = match state {
            Some(state) => {
                let held = self.held.take_call(&state, &subject(method, &params));
                let held = held.ok_or_else(|| invalid("requestState is unknown or too old"))?;
                *locked(&held.asked.able) = meta.able;
                *locked(&held.asked.additions) = meta.additions;
                held.reports.send_to(Some(meta.reports));
                held.asked.is_listening.store(true, Ordering::Relaxed);
                held.asked.receive(&responses);
                held
            }
            None => self.begin(method, params.clone(), (meta, call), &responses),
        };
        let ended = tokio::select! {
            ended = held.call.join_next() => Some(ended),
            () = held.asked.wait_for_question() => {
                tokio::time::timeout(GATHER_TIME, held.call.join_next()).await.ok()
            }
        };
        if let Some(ended) = ended {
            let failed = || Failed::new(code::INTERNAL_ERROR, "the call has ended without a result");
            return ended.and_then(Result::ok).unwrap_or_else(|| Err(failed()));
        }
        held.reports.send_to(None);
        held.asked.is_listening.store(false, Ordering::Relaxed);
        held.subject.get_or_insert_with(|| subject(method, &params));
        let mut result = JsonObject::new().text("resultType", "input_required");
        if let Some(requests) = held.asked.input_requests() {
            result = result.object("inputRequests", &requests);
        }
        Ok(result.text("requestState", &self.held.hold_call(held)?).whole())
    }

    fn begin(
        &self,
        method: &str,
        params: Params,
        (meta, call): (RequestMeta, NamedCall),
        responses: &Members<'_>,
    ) -> HeldCall {
        let name = call.0.clone();
        let (exchange, asked) = self.exchange(meta, call);
        asked.receive(responses);
        let reports = Arc::clone(&exchange.reports);
        let method = method.to_owned();
        let mut call = JoinSet::new();
        call.spawn(async move { requests::run(&exchange, &method, params).await });
        HeldCall { subject: None, call, name, asked, reports }
    }

    fn exchange(&self, meta: RequestMeta, (call, number): NamedCall) -> (Exchange, Arc<RoundQuestions>) {
        let asked = Arc::new(RoundQuestions {
            able: Mutex::new(meta.able),
            additions: Mutex::new(meta.additions),
            open: PendingQuestions::default(),
            early: Mutex::default(),
            next: Mutex::new(0),
            changed: Notify::new(),
            is_listening: AtomicBool::new(true),
            is_of_one: self.view.is_of_one(),
        });
        let exchange = Exchange {
            view: Arc::clone(&self.view),
            call,
            reports: Reports::new(meta.reports, number),
            responder: Arc::clone(&asked) as Arc<dyn AppResponder>,
        };
        (exchange, asked)
    }
}

/// The app's answers by key. `None` if they aren't an object.
fn responses(params: &Params) -> Option<Members<'_>> {
    match params.get("inputResponses").map(RawValue::get) {
        None | Some("null") => Some(Members::default()),
        Some(responses) => responses.starts_with('{').then(|| Members::of(responses)),
    }
}

/// A hash of what is the same in every round of a request. The order of members doesn't matter.
fn subject(method: &str, params: &Params) -> String {
    let same = params.iter().filter(|(name, _)| !OF_THE_ROUND.contains(name));
    let same = same.fold(JsonObject::new(), |same, (name, value)| same.raw(name, value.get()));
    sha256(
        &JsonObject::new()
            .text("method", method)
            .raw("params", &canonical::parse(&same.whole()).to_string())
            .whole(),
    )
}
