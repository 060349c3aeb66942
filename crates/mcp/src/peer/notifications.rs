//! Handles notifications of the server, for the engine or for the host. Reports unsolicited notifications.

use std::sync::atomic::Ordering;

use mooring_jsonrpc::{JsonObject, Members, member};
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::filter::{
    ACKNOWLEDGED, PROMPTS_CHANGED, RESOURCE_UPDATED, RESOURCES_CHANGED, SubscriptionFilter, TASK,
    TOOLS_CHANGED,
};
use crate::link::MessageLink;
use crate::message::ResponseBody;
use crate::model::notification::Notification;
use crate::peer::Peer;
use crate::table::{Entry, RpcResponse};
use crate::task::{STATUS, TaskForm};
use crate::transport::sink::FrameSource;

/// The `_meta` member that connects a notification to its subscription stream.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

impl Peer {
    pub(super) fn dispatch_notification(
        &self,
        link: &MessageLink,
        notification: Notification,
        on: FrameSource,
    ) {
        let is_modern = link.is_modern();
        match notification.method.as_str() {
            "notifications/cancelled" => self.handle_cancelled(link, &notification),
            ACKNOWLEDGED | TOOLS_CHANGED | PROMPTS_CHANGED | RESOURCES_CHANGED | RESOURCE_UPDATED | TASK
                if is_modern =>
            {
                if let Err(message) = check_change(link, &notification) {
                    link.diagnose(Diagnostic::new(DiagnosticCode::Unmatched, notification.method, message));
                    return;
                }
                match notification.method.as_str() {
                    ACKNOWLEDGED => {}
                    TASK => {
                        self.apply_task_status(link, &notification, TaskForm::Extension);
                        self.notify_host(link, notification);
                    }
                    _ => self.handle_change(link, notification),
                }
            }
            "notifications/message" => self.handle_log_message(link, notification, on, is_modern),
            STATUS if !is_modern => {
                self.apply_task_status(link, &notification, TaskForm::Core);
                self.notify_host(link, notification);
            }
            "notifications/elicitation/complete" => {
                // An unknown or already completed id is ignored (ELIC-28).
                if self.elicitations.complete(notification.params.as_deref()) {
                    self.notify_host(link, notification);
                }
            }
            _ => self.handle_change(link, notification),
        }
    }

    /// Handles a log message, which belongs to the call on whose exchange it came. In the stateless era over
    /// HTTP, log messages only come on an exchange, and only if requested (LOG-03, LOG-04).
    fn handle_log_message(
        &self,
        link: &MessageLink,
        notification: Notification,
        on: FrameSource,
        is_modern: bool,
    ) {
        let call = if let FrameSource::Exchange(id) = on { link.table.find_call(id) } else { None };
        let wrong = match &call {
            _ if !is_modern => None,
            _ if !self.wants_logs.load(Ordering::Relaxed) => {
                Some(say!("a log message that wasn’t requested"))
            }
            Some(call) if call.is_stream => Some(say!("a log message on the notification stream")),
            None if on != FrameSource::Shared => Some(say!("a log message for a call that has ended")),
            _ => None,
        };
        if let Some(message) = wrong {
            link.diagnose(Diagnostic::new(DiagnosticCode::Unmatched, notification.method, message));
            return;
        }
        match call.and_then(|call| call.log) {
            Some(log) => log(notification),
            None => self.notify_host(link, notification),
        }
    }

    /// Handles a change notification, for the engine and the host.
    fn handle_change(&self, link: &MessageLink, notification: Notification) {
        self.subscriptions.count_update(&notification);
        self.notify_host(link, notification);
    }

    /// Delivers a notification to the host, in order.
    fn notify_host(&self, link: &MessageLink, notification: Notification) {
        self.cache.invalidate_changed(&notification);
        link.notify(notification);
    }

    /// Notifies the host that everything in `covered` may have changed.
    pub(crate) fn notify_all_changed(&self, link: &MessageLink, covered: &SubscriptionFilter) {
        for (method, params) in covered.change_notifications() {
            let params = params.and_then(|params| RawValue::from_string(params).ok());
            self.notify_host(link, Notification { method: method.to_owned(), params });
        }
    }

    pub(crate) fn tasks_changed(&self) {
        self.inbound.tasks_changed();
    }

    pub(crate) fn enable_logs(&self) {
        self.wants_logs.store(true, Ordering::Relaxed);
    }

    /// Handles the response to a request for a task. Registers the task first, because status notifications
    /// may follow at once (TSKX-12). Cancels a task whose caller is gone (CANC-08).
    pub(super) fn handle_task_answer(&self, link: &MessageLink, entry: Entry, answer: RpcResponse) {
        let created = read_created_task(&answer).map(str::to_owned);
        if let Some(task) = &created {
            self.begin_task(link, task, entry.subject.as_deref().unwrap_or_default());
            link.table.begin_progress(&entry, answer.id);
        }
        let id = answer.id;
        if entry.end_with(Ok(answer)).is_some() {
            link.table.end_progress(id);
            if let Some(task) = created.and_then(|created| Members::of(&created).text("taskId")) {
                link.send_unawaited("tasks/cancel", &JsonObject::new().text("taskId", &task), None, None);
            }
        }
    }
}

/// Checks that a change notification belongs to a stream that requested it (SUB-05, SUB-12).
fn check_change(link: &MessageLink, notification: &Notification) -> Result<(), Sentence> {
    let params = notification.params.as_deref().map_or("{}", RawValue::get);
    let members = Members::of(params);
    let id = members.inside("_meta").get(SUBSCRIPTION);
    // Ids of this client's requests are numbers. A string with the same digits is another id.
    let id = id.ok_or_else(|| say!("names no subscription"))?.parse::<u64>();
    let stream = id
        .ok()
        .and_then(|id| link.table.find_stream(id))
        .ok_or_else(|| say!("names a subscription that isn’t ours"))?;
    if notification.method == ACKNOWLEDGED {
        let agreed = stream.requested.intersect_agreed(members.get("notifications").unwrap_or("{}"));
        stream.acknowledged.send_if_modified(|before| {
            let is_first = before.is_none();
            before.get_or_insert(agreed);
            is_first
        });
        return Ok(());
    }
    match &*stream.acknowledged.borrow() {
        None => Err(say!("came before its subscription was acknowledged")),
        Some(agreed) if agreed.covers(&notification.method, params) => Ok(()),
        Some(_) => Err(say!("isn’t part of its subscription")),
    }
}

/// Reads the task in a response. `None` if the response created no task (`CreateTaskResult` of 2025-11-25).
pub(crate) fn read_created_task(answer: &RpcResponse) -> Option<&str> {
    let ResponseBody::Result(result) = &answer.body else { return None };
    let text = std::str::from_utf8(result).ok()?;
    member(text, "task").filter(|task| task.starts_with('{'))
}
