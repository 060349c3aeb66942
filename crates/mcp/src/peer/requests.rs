//! Handles requests of the server: answers them at once, refuses them, or queues them for the host.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mooring_jsonrpc::canonical::parse as parse_canonical;
use mooring_jsonrpc::{JsonObject, Members, member, raw, string};
use mooring_words::say;
use serde_json::value::RawValue;

use crate::client_capabilities::{ClientCapabilities, QuestionKind, Refusal, check_declared};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::error::RequestError;
use crate::inbound::{PendingRequest, Question, QuestionContext, QuestionOrigin};
use crate::link::MessageLink;
use crate::model::notification::Notification;
use crate::peer::queued::{QueuedRequest, TaskMetadata, TaskMethod, TaskRequest};
use crate::peer::{Peer, elicitations};
use crate::revision::Revision;
use crate::transport::sink::FrameSource;

impl Peer {
    pub(super) fn take_request(
        &self,
        link: &MessageLink,
        id: &str,
        method: &str,
        params: Option<&Bytes>,
        on: FrameSource,
    ) {
        // All spellings of an id are equal, both for duplicates and for cancellation (BASE-03, CANC-04).
        let id: Arc<str> = parse_canonical(id).to_string().into();
        if link.is_modern() {
            let message = say!("a request from the server, which this protocol version doesn’t allow");
            link.diagnose(Diagnostic::new(DiagnosticCode::Unmatched, method, message));
            // Some servers close the connection if their ping gets no response. Other requests get no
            // response (BASE-14).
            if method != "ping" {
                return;
            }
        }
        if method == "ping" {
            link.send_answer(
                &id,
                method,
                RawValue::from_string("{}".to_owned()).map_err(|_| internal_error()),
            );
            return;
        }
        if let Err(refusal) = self.take_question(link, &id, method, params, on) {
            link.send_answer(&id, method, Err(refusal));
        }
    }

    /// Queues a question, or a request about this client's tasks (2025-11-25), if there is room.
    fn take_question(
        &self,
        link: &MessageLink,
        id: &Arc<str>,
        method: &str,
        params: Option<&Bytes>,
        on: FrameSource,
    ) -> Result<(), Refusal> {
        let has_tasks = self.declared_capabilities(link).tasks;
        if has_tasks && let Some(about) = TaskMethod::from_method(method) {
            let text = params.and_then(|params| std::str::from_utf8(params).ok()).unwrap_or("{}");
            let task = member(text, "taskId").and_then(string);
            let asking = QueuedRequest::Task(TaskRequest { id: Arc::clone(id), method: about, task });
            return self.questions.try_send(Box::new(asking)).map_err(|_| internal_error());
        }
        let question = self.read_question(link, id, method, params, on)?;
        // Without declared tasks, the request for a task is ignored and answered normally (TSKX-17).
        let as_task =
            if has_tasks && question.kind != QuestionKind::Roots { task_metadata(&question) } else { None };
        // If two questions had the same id, responses and cancellations would be ambiguous (BASE-03).
        let number = self.pending.begin_question(id).ok_or_else(|| Refusal {
            code: -32600,
            message: "a request with this id is under way".to_owned(),
        })?;
        let Ok(place) = self.questions.try_reserve() else {
            if self.pending.end_question(id, number) {
                self.over_limit.add(id, question.kind.method());
            }
            return Ok(());
        };
        place.send(Box::new(QueuedRequest::Question { question, number, as_task, on }));
        Ok(())
    }

    /// This client's capabilities that exist in the negotiated revision.
    fn declared_capabilities(&self, link: &MessageLink) -> ClientCapabilities {
        self.capabilities.supported_by(link.revision().unwrap_or(Revision::SESSION))
    }

    fn read_question(
        &self,
        link: &MessageLink,
        id: &Arc<str>,
        method: &str,
        params: Option<&Bytes>,
        on: FrameSource,
    ) -> Result<Question, Refusal> {
        let refuse = |code, message: &str| Refusal { code, message: message.to_owned() };
        let asked = QuestionKind::from_method(method).ok_or_else(|| refuse(-32601, "Method not found"))?;
        let params = match params {
            Some(params) => std::str::from_utf8(params).ok().and_then(raw),
            None => raw("{}"),
        };
        let params = params.ok_or_else(|| refuse(-32602, "Invalid params"))?;
        let task = read_related_task(params.get());
        let occasion = self.find_context(link, on, task.as_deref());
        let origin = QuestionOrigin::Request { id: Arc::clone(id), task, occasion };
        let question = Question { kind: asked, params, origin };
        check_declared(question.kind, question.params.get(), self.declared_capabilities(link))?;
        self.remember_elicitation(&question);
        Ok(question)
    }

    /// Finds the request to which a question belongs. The question arrived on `on`, and may name a task.
    fn find_context(&self, link: &MessageLink, on: FrameSource, task: Option<&str>) -> QuestionContext {
        if let Some(task) = task.and_then(|id| self.tasks.get(id)).filter(|task| !task.tool.is_empty()) {
            let subject = Some(task.tool.as_str().into());
            return QuestionContext::Request(PendingRequest { method: "tools/call", subject, caller: None });
        }
        match on {
            FrameSource::Shared => {
                let mut causes = link.table.pending_requests();
                match causes.pop() {
                    None => QuestionContext::Unknown,
                    Some(cause) if causes.is_empty() => QuestionContext::OnlyPending(cause),
                    Some(cause) => {
                        causes.push(cause);
                        QuestionContext::AnyPending(causes)
                    }
                }
            }
            FrameSource::ServerStream => QuestionContext::Unprompted,
            FrameSource::Exchange(id) => match link.table.find_call(id) {
                Some(call) => QuestionContext::Request(call.cause),
                None => QuestionContext::Unprompted,
            },
        }
    }

    /// Remembers the URL elicitation of a question, to recognize its completion.
    pub(crate) fn remember_elicitation(&self, question: &Question) {
        if question.kind == QuestionKind::Elicitation
            && let Some(id) = elicitations::read_elicitation_id(question.params.get())
        {
            self.elicitations.remember(&id);
        }
    }

    /// Handles a cancelled question (CANC-04) or subscription stream (SUB-09). Nothing else can be cancelled.
    pub(super) fn handle_cancelled(&self, link: &MessageLink, notification: &Notification) {
        let params = notification.params.as_deref().map_or("{}", RawValue::get);
        if let Some(id) = member(params, "requestId") {
            if link.is_modern() {
                if let Some(id) = id.parse().ok().filter(|id| link.table.find_stream(*id).is_some()) {
                    link.table.fail(id, RequestError::StreamEnded);
                }
                return;
            }
            self.pending.withdraw_question(&parse_canonical(id).to_string());
        }
    }
}

fn internal_error() -> Refusal {
    Refusal { code: -32603, message: "Internal error".to_owned() }
}

/// The task parameters of a question, if it should become a task.
pub(crate) fn task_metadata(question: &Question) -> Option<TaskMetadata> {
    let task = member(question.params.get(), "task").filter(|task| task.starts_with('{'))?;
    let ttl = member(task, "ttl").and_then(|ttl| ttl.parse().ok());
    Some(TaskMetadata { ttl: ttl.map(Duration::from_millis) })
}

/// The `_meta` member that connects a message to a task (2025-11-25).
const RELATED: &str = "io.modelcontextprotocol/related-task";

/// Reads the task to which a request says that it belongs (TSKX-07).
pub(crate) fn read_related_task(params: &str) -> Option<Arc<str>> {
    let related = member(member(params, "_meta")?, RELATED)?;
    string(member(related, "taskId")?).map(Into::into)
}

/// Adds the related task to a result's `_meta` (TSKX-08).
pub(crate) fn insert_related_task(answer: &str, task: &str) -> String {
    let related = JsonObject::new().text("taskId", task);
    let mut named = JsonObject::new();
    let members = Members::of(answer);
    let own_meta = members.inside("_meta");
    let own_meta =
        own_meta.iter().filter(|member| member.name() != RELATED).fold(JsonObject::new(), JsonObject::member);
    let meta = own_meta.object(RELATED, &related);
    for member in members.iter() {
        named = if member.name() == "_meta" { named.object("_meta", &meta) } else { named.member(member) };
    }
    if members.get("_meta").is_none() {
        named = named.object("_meta", &meta);
    }
    named.whole()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: TSKX-07, TSKX-08.
    #[test]
    fn the_task_of_a_question_is_named_in_its_answer() {
        let asked = r#"{"message":"?","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}}"#;
        assert_eq!(read_related_task(asked).as_deref(), Some("t1"));
        assert_eq!(read_related_task(r#"{"_meta":{}}"#), None);
        assert_eq!(
            insert_related_task(r#"{"action":"decline"}"#, "t1"),
            r#"{"action":"decline","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}}"#
        );
        assert_eq!(
            insert_related_task(r#"{"_meta":{"a":1},"x":2}"#, "t"),
            r#"{"_meta":{"a":1,"io.modelcontextprotocol/related-task":{"taskId":"t"}},"x":2}"#
        );
    }
}
