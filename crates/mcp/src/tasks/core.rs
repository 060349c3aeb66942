//! Tasks of 2025-11-25. `tasks/get` polls the status, and `tasks/result` waits for the result.

use std::future::pending;

use futures_util::future::BoxFuture;
use tokio::time::Instant;

use crate::error::RequestError;
use crate::model::call_result::CallResult;
use crate::request::{CallOptions, Request, Success};
use crate::task::TaskStatus;
use crate::tasks::{PollOutcome, task_params};
use crate::wire::RequestSender;

impl RequestSender {
    pub(super) async fn follow_core(
        &self,
        id: &str,
        tool: &str,
        options: &CallOptions,
    ) -> Result<Success, RequestError> {
        let since = Instant::now();
        let poke = self.peer.tasks.find_wakeup(id);
        let params = task_params(id);
        let mut result: Option<BoxFuture<'_, Result<Success, RequestError>>> = None;
        let mut failures = 0;
        // Set when waiting for a result fails, until the next status. Retrying at once would be a busy loop.
        let mut torn = false;
        loop {
            let Some(task) = self.peer.tasks.get(id) else { return Err(self.cancelled_error(id)) };
            if task.status == TaskStatus::Cancelled {
                return Err(self.cancelled_error(id));
            }
            // The server asks the task's questions while the result is requested (TSKX-06).
            let is_due = task.status.is_over() || task.status == TaskStatus::InputRequired;
            if result.is_none() && !torn && is_due {
                let request = Request {
                    subject: Some(tool.into()),
                    options: CallOptions { trace: options.trace.clone(), ..CallOptions::default() },
                    is_long_lived: !task.status.is_over(),
                    ..Request::new("tasks/result", Some(&params))
                };
                result = Some(Box::pin(async move { self.request(&request).await }));
            }
            let (wait, until) = self.poll_schedule(&task, since);
            if Instant::now() >= until {
                return Err(self.end_overdue_task(id, since));
            }
            let is_over = task.status.is_over();
            tokio::select! {
                outcome = fetch_result(&mut result) => match outcome {
                    // The exchange broke. Retry after the next status of the task.
                    Err(RequestError::StreamEnded | RequestError::Unreachable { .. } | RequestError::Renewal { .. }) if !is_over => {
                        result = None;
                        torn = true;
                    }
                    outcome => return self.to_outcome(id, outcome),
                },
                () = poke.notified(), if !is_over => torn = false,
                () = tokio::time::sleep(wait), if !is_over => {
                    torn = false;
                    if let PollOutcome::Answered(answer) = self.poll_task(id, tool, &mut failures).await? {
                        self.record_task(answer.raw.get(), tool);
                    }
                }
            }
        }
    }

    /// The outcome of a task, according to its result (TSKX-05, TSKX-13).
    fn to_outcome(&self, id: &str, outcome: Result<Success, RequestError>) -> Result<Success, RequestError> {
        match outcome {
            Ok(success) => {
                let is_error = CallResult::is_error(success.raw.get());
                let status = if is_error { TaskStatus::Failed } else { TaskStatus::Completed };
                self.end_task(id, status, None);
                Ok(success)
            }
            Err(error) => {
                if let RequestError::Rpc(error) = &error {
                    self.end_task(id, TaskStatus::Failed, Some(error.message.clone()));
                }
                Err(error)
            }
        }
    }
}

async fn fetch_result(
    result: &mut Option<BoxFuture<'_, Result<Success, RequestError>>>,
) -> Result<Success, RequestError> {
    match result {
        Some(result) => result.await,
        None => pending().await,
    }
}
