//! Calls that become tasks, of 2025-11-25 and of the extension `io.modelcontextprotocol/tasks`. The caller of
//! a tool waits for its result in any case. Meanwhile, the task can be observed and cancelled.

mod core;
mod extension;

use std::sync::Arc;
use std::time::Duration;

use mooring_jsonrpc::code::URL_REQUIRED;
use mooring_jsonrpc::{JsonObject, member};
use mooring_words::say;
use tokio::time::Instant;

use crate::error::RequestError;
use crate::limits::LimitKind;
use crate::model::listing::PageCollector;
use crate::request::{CallOptions, Request, Success};
use crate::task::{Task, TaskForm, TaskStatus};
use crate::wire::RequestSender;

/// The poll interval if the server names none, and its limits (TSKE-06).
const POLL: Duration = Duration::from_secs(1);
const POLL_SHORTEST: Duration = Duration::from_millis(250);
const POLL_LONGEST: Duration = Duration::from_mins(1);
/// After this many consecutive failed polls, a task is given up.
const POLL_FAILURES: u32 = 5;

/// A task whose caller waits. If dropped before the task ends, the server is asked to cancel it (CANC-08).
struct TaskGuard<'a> {
    wire: &'a RequestSender,
    id: Arc<str>,
    form: TaskForm,
    over: bool,
}

impl Drop for TaskGuard<'_> {
    fn drop(&mut self) {
        if !self.over {
            self.wire.post_cancel(&self.id, self.form);
            self.wire.end_task(&self.id, TaskStatus::Cancelled, None);
        }
    }
}

/// The outcome of one poll.
enum PollOutcome {
    /// The response.
    Answered(Success),
    /// A temporary failure.
    Retry,
}

impl RequestSender {
    fn task_form(&self) -> TaskForm {
        if self.is_modern() { TaskForm::Extension } else { TaskForm::Core }
    }

    /// Parses and records the status of a task.
    fn record_task(&self, text: &str, tool: &str) -> Option<Task> {
        let task = Task::read(text, self.task_form(), tool, &self.link.limits)?;
        self.peer.update_task(&self.link, task.clone(), false);
        Some(task)
    }

    fn end_task(&self, id: &str, status: TaskStatus, message: Option<String>) {
        if self.peer.tasks.end(id, status, message) {
            self.peer.tasks_changed();
        }
    }

    /// Waits for the result of a call that became the task in `created`. If the task ends because a URL has
    /// to be visited first, the call is repeated after the visit (ELIC-30).
    pub(crate) async fn follow_call(
        &self,
        created: Success,
        tool: &str,
        request: &Request<'_>,
    ) -> Result<Success, RequestError> {
        match Box::pin(self.follow_created(created, tool, &request.options)).await {
            Err(RequestError::Rpc(error)) if error.code == URL_REQUIRED => {
                let answer = Box::pin(self.retry_after_urls(request, error)).await?;
                if !is_created_task(&answer) {
                    return Ok(answer);
                }
                Box::pin(self.follow_created(answer, tool, &request.options)).await
            }
            outcome => outcome,
        }
    }

    async fn follow_created(
        &self,
        created: Success,
        tool: &str,
        options: &CallOptions,
    ) -> Result<Success, RequestError> {
        let text = match self.task_form() {
            TaskForm::Core => member(created.raw.get(), "task").unwrap_or("{}"),
            TaskForm::Extension => created.raw.get(),
        };
        let task = Task::read(text, self.task_form(), tool, &self.link.limits);
        let task = task.ok_or_else(|| RequestError::Malformed {
            reason: say!("it is a task without an id or a status"),
        })?;
        // A newer status may have arrived in the meantime.
        if self.peer.tasks.get(&task.id).is_none() {
            self.peer.update_task(&self.link, task.clone(), false);
        }
        // Progress of the call is also progress of the task (TSKX-12).
        let _progress =
            options.on_progress.clone().map(|sink| self.link.table.keep_progress(created.id, sink));
        let mut success = Box::pin(self.follow_task(&task.id, tool, options)).await?;
        success.elapsed += created.elapsed;
        success.diagnostics.splice(0..0, created.diagnostics);
        Ok(success)
    }

    /// Waits for the result of a task that was started earlier.
    pub(crate) async fn resume_task(
        &self,
        id: &str,
        tool: &str,
        options: &CallOptions,
    ) -> Result<Success, RequestError> {
        if self.peer.tasks.get(id).is_none() {
            let params = task_params(id);
            let request = Request {
                subject: Some(tool.into()),
                name: Some(id.into()),
                options: options.clone(),
                ..Request::new("tasks/get", Some(&params))
            };
            let answer = Box::pin(self.request(&request)).await?;
            if self.record_task(answer.raw.get(), tool).is_none() {
                let reason = say!("its task has no ID or no status");
                return Err(RequestError::Malformed { reason });
            }
        }
        Box::pin(self.follow_task(id, tool, options)).await
    }

    async fn follow_task(
        &self,
        id: &str,
        tool: &str,
        options: &CallOptions,
    ) -> Result<Success, RequestError> {
        let mut followed = TaskGuard { wire: self, id: id.into(), form: self.task_form(), over: false };
        let (since, waited) = (Instant::now(), options.waited_time());
        let outcome = match followed.form {
            TaskForm::Core => Box::pin(self.follow_core(id, tool, options)).await,
            TaskForm::Extension => Box::pin(self.follow_extension(id, tool, options)).await,
        };
        let outcome = outcome.map(|success| {
            let elapsed = since.elapsed().saturating_sub(options.waited_time().saturating_sub(waited));
            Success { elapsed, ..success }
        });
        // Don't cancel a task that is forgotten or has ended.
        followed.over = self.peer.tasks.get(id).is_none_or(|task| task.status.is_over());
        outcome
    }

    /// When to poll a task again, and when to give it up (TSKE-15).
    fn poll_schedule(&self, task: &Task, since: Instant) -> (Duration, Instant) {
        let wait = task.poll_interval.unwrap_or(POLL).clamp(POLL_SHORTEST, POLL_LONGEST);
        let longest = Duration::from_secs(u64::try_from(self.link.limits.task_seconds).unwrap_or(u64::MAX));
        // A server may remove a task after its time. One more poll is then allowed.
        let ttl = task.ttl.map_or(longest, |ttl| ttl.saturating_add(POLL_LONGEST));
        (wait, since + longest.min(ttl))
    }

    async fn poll_task(&self, id: &str, tool: &str, failures: &mut u32) -> Result<PollOutcome, RequestError> {
        let params = task_params(id);
        let request = Request {
            subject: Some(tool.into()),
            name: Some(id.into()),
            ..Request::new("tasks/get", Some(&params))
        };
        match Box::pin(self.request(&request)).await {
            // The task was forgotten in the meantime.
            Ok(_) if self.peer.tasks.get(id).is_none() => Err(self.cancelled_error(id)),
            Ok(answer) => {
                *failures = 0;
                Ok(PollOutcome::Answered(answer))
            }
            Err(error) => {
                let passes = match &error {
                    RequestError::Timeout { .. }
                    | RequestError::StreamEnded
                    | RequestError::Unreachable { .. }
                    | RequestError::Renewal { .. } => true,
                    RequestError::Status { status, .. } => *status >= 500,
                    _ => false,
                };
                *failures += 1;
                if passes && *failures < POLL_FAILURES {
                    return Ok(PollOutcome::Retry);
                }
                if let RequestError::Rpc(error) = &error {
                    // The server no longer knows the task (TSKX-14, TSKE-15).
                    self.end_task(id, TaskStatus::Failed, Some(error.message.clone()));
                }
                Err(error)
            }
        }
    }

    fn end_overdue_task(&self, id: &str, since: Instant) -> RequestError {
        self.link.note_limit(LimitKind::TaskSeconds);
        self.post_cancel(id, self.task_form());
        self.end_task(id, TaskStatus::Failed, Some("it took longer than it may".to_owned()));
        RequestError::timeout(crate::error::Deadline::Total, since.elapsed())
    }

    fn cancelled_error(&self, id: &str) -> RequestError {
        let message = self.peer.tasks.get(id).and_then(|task| task.status_message);
        RequestError::TaskCancelled { message }
    }

    /// Requests the cancellation of a task without waiting for the response.
    fn post_cancel(&self, id: &str, form: TaskForm) {
        if form == TaskForm::Core && !self.offers().task_cancel {
            return;
        }
        self.send_unawaited("tasks/cancel", &task_params(id), id);
    }

    /// Requests the cancellation of a task (TSKX-11, TSKE-12).
    pub(crate) async fn cancel_task(&self, id: &str) -> Result<(), RequestError> {
        if !self.is_modern() && !self.offers().task_cancel {
            let reason = say!("the server doesn’t support cancelling tasks");
            return Err(RequestError::Unsendable { reason });
        }
        let tool = self.peer.tasks.get(id).map(|task| task.tool).unwrap_or_default();
        let params = task_params(id);
        let request = Request {
            subject: Some(tool.as_str().into()),
            name: Some(id.into()),
            ..Request::new("tasks/cancel", Some(&params))
        };
        let answer = Box::pin(self.request(&request)).await;
        self.peer.tasks.find_wakeup(id).notify_one();
        match answer {
            Ok(answer) => {
                // The extension only acknowledges. In 2025-11-25 the response has the new status.
                if !self.is_modern() {
                    self.record_task(answer.raw.get(), &tool);
                }
                Ok(())
            }
            // The task has ended otherwise, which is also fine.
            Err(RequestError::Rpc(error))
                if error.code == -32602
                    && self.peer.tasks.get(id).is_some_and(|task| task.status.is_over()) =>
            {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Requests the list of the server's tasks, if the server supports it (TSKX-10).
    pub(crate) async fn refresh_tasks(&self) -> Result<(), RequestError> {
        if self.is_modern() || !self.offers().task_list {
            return Ok(());
        }
        let mut gathering = PageCollector::new("tasks", &self.link.limits, false);
        let mut cursor: Option<String> = None;
        loop {
            let params = cursor.map(|cursor| JsonObject::new().json("cursor", &cursor));
            let page = Box::pin(self.request(&Request::new("tasks/list", params.as_ref()))).await?;
            match gathering.add_page(page.raw) {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        let limits = &self.link.limits;
        let listing = gathering.finish(|text, path, _| {
            Task::read(text, TaskForm::Core, "", limits).ok_or_else(|| {
                crate::Diagnostic::new(
                    crate::DiagnosticCode::Missing,
                    path,
                    say!("is a task without an id or a status"),
                )
            })
        });
        for task in listing.items {
            self.peer.update_task(&self.link, task, false);
        }
        for diagnostic in listing.diagnostics {
            self.link.diagnose(diagnostic);
        }
        Ok(())
    }
}

/// Whether a response is a task instead of a result (2025-11-25).
pub(crate) fn is_created_task(answer: &Success) -> bool {
    member(answer.raw.get(), "task").is_some_and(|task| task.starts_with('{'))
}

fn task_params(id: &str) -> JsonObject {
    JsonObject::new().text("taskId", id)
}
