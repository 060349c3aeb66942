//! Questions to an app: what servers ask because of the app's own requests.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use futures_util::future::BoxFuture;
use mooring_inbox::{AppResponder, ResponseToServer};
use mooring_jsonrpc::{JsonObject, RequestId, code, member, raw};
use mooring_log::LogStatus;
use mooring_mcp::{CallerAdditions, ClientCapabilities, QuestionKind, Refusal};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::locked::locked;
use crate::message::{notification, request};
use crate::outbox::Outbox;
use crate::pending_questions::PendingQuestions;
use crate::recorded::{AppLog, Note};

/// A question that was sent to the app.
struct SentQuestion {
    kind: QuestionKind,
    /// The form, if the question has one.
    form: Option<Box<RawValue>>,
    /// The number of the call that caused the question.
    call: Option<i64>,
    since: Instant,
}

/// The extensions that an app declares: an object, or null.
pub(crate) fn declared_extensions(capabilities: &RawValue) -> Box<RawValue> {
    let declared = member(capabilities.get(), "extensions");
    declared.filter(|extensions| extensions.starts_with('{')).and_then(raw).unwrap_or_default()
}

/// The open questions to one app.
pub(crate) struct AppQuestions {
    capabilities: Mutex<ClientCapabilities>,
    extensions: Mutex<Box<RawValue>>,
    waiting: PendingQuestions<RequestId, SentQuestion>,
    next: Mutex<u64>,
    /// The prefix of all ids. With it, an answer to a question of an earlier connection matches nothing.
    prefix: String,
}

impl AppQuestions {
    pub(crate) fn new(prefix: String) -> Self {
        Self {
            capabilities: Mutex::default(),
            extensions: Mutex::default(),
            waiting: PendingQuestions::default(),
            next: Mutex::new(0),
            prefix,
        }
    }

    pub(crate) fn set_capabilities(&self, capabilities: &RawValue) {
        *locked(&self.capabilities) = ClientCapabilities::from_declared(capabilities);
        *locked(&self.extensions) = declared_extensions(capabilities);
    }

    /// Delivers the app's answer to a question. Does nothing if no question waits for it.
    pub(crate) fn receive(&self, id: &RequestId, answer: Result<Box<RawValue>, Box<RawValue>>) {
        #[derive(Deserialize)]
        struct Error {
            code: i64,
            message: String,
        }
        let answer = answer.map_err(|error| match serde_json::from_str::<Error>(error.get()) {
            Ok(Error { code, message }) => Refusal { code, message },
            Err(_) => {
                Refusal { code: code::INTERNAL_ERROR, message: "the app answered with an error".to_owned() }
            }
        });
        // An answer to a question that was withdrawn.
        let _late = self.waiting.answer(id, answer);
    }

    /// What the log records about an answer from the app. Keeps secrets in the answer out of the log first.
    pub(crate) fn note(
        &self,
        id: &RequestId,
        answer: &Result<Box<RawValue>, Box<RawValue>>,
        log: &AppLog,
    ) -> Note {
        let status = if answer.is_ok() { LogStatus::Ok } else { LogStatus::Error };
        let note = Note { id: Some(id.get().into()), status, ..Note::default() };
        let read = |question: &SentQuestion| {
            let note = Note {
                method: Some(question.kind.method().into()),
                elapsed: Some(question.since.elapsed()),
                call: question.call,
                ..note.clone()
            };
            (note, question.form.clone())
        };
        let Some((note, form)) = self.waiting.read(id, read) else { return note };
        if let (Some(form), Ok(result)) = (form, answer) {
            log.keep_out(&form, result);
        }
        note
    }

    fn send_question(
        &self,
        out: &Outbox,
        kind: QuestionKind,
        params: &RawValue,
        call: Option<i64>,
    ) -> BoxFuture<'static, ResponseToServer> {
        let number = {
            let mut next = locked(&self.next);
            *next += 1;
            *next
        };
        let id = RequestId::from_text(&format!("{}{number}", self.prefix));
        let form = (kind == QuestionKind::Elicitation).then(|| params.to_owned());
        let question = SentQuestion { kind, form, call, since: Instant::now() };
        let withdrawn = (id.clone(), out.clone());
        let answered = self.waiting.add(id.clone(), question, move || {
            let (id, out) = withdrawn;
            let params =
                JsonObject::new().raw("requestId", id.get()).text("reason", "it is no longer wanted").whole();
            out.send(notification("notifications/cancelled", Some(&params)).of_call(call));
        });
        out.send(request(&id, kind.method(), params.get()).of_call(call));
        answered
    }
}

/// Asks an app through the outbox of one of its requests.
pub(crate) struct RequestResponder {
    pub(crate) asked: Arc<AppQuestions>,
    pub(crate) out: Outbox,
    /// The number of the call, if the request is one.
    pub(crate) call: Option<i64>,
    /// `_meta` of the request.
    pub(crate) meta: Option<Box<RawValue>>,
    /// Whether the app sees only one server.
    pub(crate) is_of_one: bool,
}

impl AppResponder for RequestResponder {
    fn capabilities(&self) -> ClientCapabilities {
        if self.out.takes_questions() {
            *locked(&self.asked.capabilities)
        } else {
            ClientCapabilities::default()
        }
    }

    fn sees_one_server(&self) -> bool {
        self.is_of_one
    }

    fn additions(&self) -> CallerAdditions {
        CallerAdditions { meta: self.meta.clone(), extensions: Some(locked(&self.asked.extensions).clone()) }
    }

    fn answer(
        &self,
        kind: QuestionKind,
        params: &RawValue,
        _: Option<&str>,
    ) -> Option<BoxFuture<'static, ResponseToServer>> {
        self.capabilities()
            .can_answer(kind, params)
            .then(|| self.asked.send_question(&self.out, kind, params, self.call))
    }
}
