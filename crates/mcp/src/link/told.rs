//! What a server tells: sorted into what the engine heeds itself, what the host hears, and what nobody asked for.

use std::borrow::Cow;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::diagnostic::{Code, Diagnostic};
use crate::filter::{
    ACKNOWLEDGED, Filter, PROMPTS_CHANGED, RESOURCE_UPDATED, RESOURCES_CHANGED, TASK, TOOLS_CHANGED,
};
use crate::link::{Link, On};
use crate::members::{Members, member};
use crate::message::{Body, write};
use crate::model::notification::Notification;
use crate::model::shape;
use crate::outgoing::{ModernHeaders, Outgoing};
use crate::params::Params;
use crate::table::{Answer, Entry};
use crate::task::{Form, STATUS};

/// What ties a notification to the stream of changes that it is part of.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

impl Link {
    /// Takes a notification.
    pub(super) fn told(&self, notification: Notification, on: On) {
        let is_modern = self.modern.load(Ordering::Relaxed);
        match notification.method.as_str() {
            "notifications/cancelled" => self.withdrawn(&notification),
            ACKNOWLEDGED | TOOLS_CHANGED | PROMPTS_CHANGED | RESOURCES_CHANGED | RESOURCE_UPDATED | TASK
                if is_modern =>
            {
                if let Err(message) = self.told_of_change(&notification) {
                    self.diagnose(Diagnostic::new(Code::Unmatched, notification.method, message));
                    return;
                }
                match notification.method.as_str() {
                    ACKNOWLEDGED => {}
                    TASK => {
                        self.heed_task(&notification, Form::Extension);
                        self.tell(notification);
                    }
                    _ => self.heard(notification),
                }
            }
            "notifications/message" => self.logged(notification, on, is_modern),
            STATUS if !is_modern => {
                self.heed_task(&notification, Form::Core);
                self.tell(notification);
            }
            "notifications/elicitation/complete" => {
                // What is not known, or came before, is nobody's (ELIC-28).
                if self.elicitations.complete(notification.params.as_deref()) {
                    self.tell(notification);
                }
            }
            _ => self.heard(notification),
        }
    }

    /// Takes a log message. One that comes on the exchange of a call is that call's; in the stateless era it can come
    /// on nothing else over HTTP, and only where it was asked for (LOG-03, LOG-04).
    fn logged(&self, notification: Notification, on: On, is_modern: bool) {
        let call = if let On::Exchange(id) = on { self.table.call(id) } else { None };
        let wrong = match &call {
            _ if !is_modern => None,
            _ if !self.wants_logs.load(Ordering::Relaxed) => {
                Some(say!("a log message, though none were asked for"))
            }
            Some(call) if call.is_stream => Some(say!("a log message on the stream that tells of changes")),
            None if on != On::Shared => Some(say!("a log message of a call that is over")),
            _ => None,
        };
        if let Some(message) = wrong {
            self.diagnose(Diagnostic::new(Code::Unmatched, notification.method, message));
            return;
        }
        match call.and_then(|call| call.log) {
            Some(log) => log(notification),
            None => self.tell(notification),
        }
    }

    /// Reports what is odd about a notification; the host gets it all the same.
    pub(super) fn look_at(&self, notification: &Notification) {
        let mut odd = Vec::new();
        let params = notification.params.as_deref().map(RawValue::get);
        shape::check_told(&notification.method, params, &mut odd);
        self.report(odd);
    }

    /// A change, for the engine itself and for the host.
    fn heard(&self, notification: Notification) {
        self.subscriptions.note(&notification);
        self.tell(notification);
    }

    /// Tells the host something, in order.
    pub(crate) fn tell(&self, notification: Notification) {
        self.cache.heed(&notification);
        let _order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        self.inbound.notify(notification);
    }

    /// Tells the host that all of this may have changed without a word.
    pub(crate) fn tell_of_all(&self, covered: &Filter) {
        for (method, params) in covered.everything() {
            let params = params.and_then(|params| RawValue::from_string(params).ok());
            self.tell(Notification { method: method.to_owned(), params });
        }
    }

    /// Tells the host that the tasks are not what they were.
    pub(crate) fn tasks_changed(&self) {
        self.inbound.tasks_changed();
    }

    /// From here on log messages are wanted.
    pub(crate) fn want_logs(&self) {
        self.wants_logs.store(true, Ordering::Relaxed);
    }

    /// Checks that a change belongs to a stream of ours that asked for it (SUB-05, SUB-12).
    fn told_of_change(&self, notification: &Notification) -> Result<(), Sentence> {
        let params = notification.params.as_deref().map_or("{}", RawValue::get);
        let members = Members::of(params);
        let id = members.inside("_meta").get(SUBSCRIPTION);
        // Our ids are numbers: the same digits as text are another id.
        let id = id.ok_or_else(|| say!("names no subscription"))?.parse::<u64>();
        let stream = id
            .ok()
            .and_then(|id| self.table.stream(id))
            .ok_or_else(|| say!("names a subscription that is not ours"))?;
        if notification.method == ACKNOWLEDGED {
            let agreed = stream.asked.agreed(members.get("notifications").unwrap_or("{}"));
            stream.agreed.send_if_modified(|before| {
                let is_first = before.is_none();
                before.get_or_insert(agreed);
                is_first
            });
            return Ok(());
        }
        match &*stream.agreed.borrow() {
            None => Err(say!("came before its subscription was acknowledged")),
            Some(agreed) if agreed.covers(&notification.method, params) => Ok(()),
            Some(_) => Err(say!("is not part of its subscription")),
        }
    }

    /// Takes the answer to a request that asked for a task. What is told of the task right after it must find it
    /// known (TSKX-12); one that nobody waits for any more is cancelled as soon as its id is known (CANC-08).
    pub(super) fn answered_with_task(&self, entry: Entry, answer: Answer) {
        let created = created_task(&answer).map(str::to_owned);
        if let Some(task) = &created {
            self.begin_task(task, entry.subject.as_deref().unwrap_or_default());
            self.table.begin_progress(&entry, answer.id);
        }
        let id = answer.id;
        if entry.end(Ok(answer)).is_some() {
            self.table.end_progress(id);
            if let Some(task) = created.and_then(|created| Members::of(&created).text("taskId")) {
                self.fire("tasks/cancel", &Params::new().text("taskId", &task), None, None);
            }
        }
    }

    /// Sends a request whose answer nobody waits for.
    pub(crate) fn fire(
        &self,
        method: &'static str,
        params: &Params,
        meta: Option<&Params>,
        modern: Option<ModernHeaders>,
    ) {
        let id = self.table.number();
        self.post(Outgoing {
            bytes: write::request(id, method, Some(params), meta, None),
            method: Some(Cow::Borrowed(method)),
            id: Some(id.to_string().into()),
            subject: None,
            outcome: None,
            modern,
        });
    }
}

/// The task that an answer tells of, where it does (`CreateTaskResult` of 2025-11-25).
pub(crate) fn created_task(answer: &Answer) -> Option<&str> {
    let Body::Result(result) = &answer.body else { return None };
    let text = std::str::from_utf8(result).ok()?;
    member(text, "task").filter(|task| task.starts_with('{'))
}
