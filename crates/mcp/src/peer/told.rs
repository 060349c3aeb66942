//! What a server tells: sorted into what the engine heeds itself, what the host hears, and what nobody asked for.

use std::sync::atomic::Ordering;

use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::diagnostic::{Code, Diagnostic};
use crate::filter::{
    ACKNOWLEDGED, Filter, PROMPTS_CHANGED, RESOURCE_UPDATED, RESOURCES_CHANGED, TASK, TOOLS_CHANGED,
};
use crate::link::Link;
use crate::members::{Members, member};
use crate::message::Body;
use crate::model::notification::Notification;
use crate::params::Params;
use crate::peer::Peer;
use crate::table::{Answer, Entry};
use crate::task::{Form, STATUS};
use crate::transport::sink::On;

/// What ties a notification to the stream of changes that it is part of.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

impl Peer {
    /// Takes a notification.
    pub(super) fn take_notification(&self, link: &Link, notification: Notification, on: On) {
        let is_modern = link.is_modern();
        match notification.method.as_str() {
            "notifications/cancelled" => self.withdrawn(link, &notification),
            ACKNOWLEDGED | TOOLS_CHANGED | PROMPTS_CHANGED | RESOURCES_CHANGED | RESOURCE_UPDATED | TASK
                if is_modern =>
            {
                if let Err(message) = told_of_change(link, &notification) {
                    link.diagnose(Diagnostic::new(Code::Unmatched, notification.method, message));
                    return;
                }
                match notification.method.as_str() {
                    ACKNOWLEDGED => {}
                    TASK => {
                        self.heed_task(link, &notification, Form::Extension);
                        self.tell(link, notification);
                    }
                    _ => self.heard(link, notification),
                }
            }
            "notifications/message" => self.logged(link, notification, on, is_modern),
            STATUS if !is_modern => {
                self.heed_task(link, &notification, Form::Core);
                self.tell(link, notification);
            }
            "notifications/elicitation/complete" => {
                // What is not known, or came before, is nobody's (ELIC-28).
                if self.elicitations.complete(notification.params.as_deref()) {
                    self.tell(link, notification);
                }
            }
            _ => self.heard(link, notification),
        }
    }

    /// Takes a log message. One that comes on the exchange of a call is that call's; in the stateless era it can come
    /// on nothing else over HTTP, and only where it was asked for (LOG-03, LOG-04).
    fn logged(&self, link: &Link, notification: Notification, on: On, is_modern: bool) {
        let call = if let On::Exchange(id) = on { link.table.call(id) } else { None };
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
            link.diagnose(Diagnostic::new(Code::Unmatched, notification.method, message));
            return;
        }
        match call.and_then(|call| call.log) {
            Some(log) => log(notification),
            None => self.tell(link, notification),
        }
    }

    /// A change, for the engine itself and for the host.
    fn heard(&self, link: &Link, notification: Notification) {
        self.subscriptions.note(&notification);
        self.tell(link, notification);
    }

    /// Tells the host something, in order.
    fn tell(&self, link: &Link, notification: Notification) {
        self.cache.heed(&notification);
        link.notify(notification);
    }

    /// Tells the host that all of this may have changed without a word.
    pub(crate) fn tell_of_all(&self, link: &Link, covered: &Filter) {
        for (method, params) in covered.everything() {
            let params = params.and_then(|params| RawValue::from_string(params).ok());
            self.tell(link, Notification { method: method.to_owned(), params });
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

    /// Takes the answer to a request that asked for a task. What is told of the task right after it must find it
    /// known (TSKX-12); one that nobody waits for any more is cancelled as soon as its id is known (CANC-08).
    pub(super) fn take_task(&self, link: &Link, entry: Entry, answer: Answer) {
        let created = created_task(&answer).map(str::to_owned);
        if let Some(task) = &created {
            self.begin_task(link, task, entry.subject.as_deref().unwrap_or_default());
            link.table.begin_progress(&entry, answer.id);
        }
        let id = answer.id;
        if entry.end(Ok(answer)).is_some() {
            link.table.end_progress(id);
            if let Some(task) = created.and_then(|created| Members::of(&created).text("taskId")) {
                link.fire("tasks/cancel", &Params::new().text("taskId", &task), None, None);
            }
        }
    }
}

/// Checks that a change belongs to a stream of ours that asked for it (SUB-05, SUB-12).
fn told_of_change(link: &Link, notification: &Notification) -> Result<(), Sentence> {
    let params = notification.params.as_deref().map_or("{}", RawValue::get);
    let members = Members::of(params);
    let id = members.inside("_meta").get(SUBSCRIPTION);
    // Our ids are numbers: the same digits as text are another id.
    let id = id.ok_or_else(|| say!("names no subscription"))?.parse::<u64>();
    let stream = id
        .ok()
        .and_then(|id| link.table.stream(id))
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

/// The task that an answer tells of, where it does (`CreateTaskResult` of 2025-11-25).
pub(crate) fn created_task(answer: &Answer) -> Option<&str> {
    let Body::Result(result) = &answer.body else { return None };
    let text = std::str::from_utf8(result).ok()?;
    member(text, "task").filter(|task| task.starts_with('{'))
}
