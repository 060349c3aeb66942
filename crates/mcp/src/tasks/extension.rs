//! Tasks of the extension `io.modelcontextprotocol/tasks`. `tasks/get` also returns the questions, the result
//! or the error. Questions are answered with `tasks/update`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::{AbortHandle, BoxFuture, abortable};
use futures_util::stream::FuturesUnordered;
use mooring_jsonrpc::{JsonObject, Members, raw};
use mooring_words::say;
use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::client_capabilities::Refusal;
use crate::error::{RequestError, RpcError};
use crate::inbound::{PendingRequest, QuestionOrigin};
use crate::request::{CallOptions, Request, ResendReason, Success};
use crate::task::TaskStatus;
use crate::tasks::{PollOutcome, task_params};
use crate::wire::RequestSender;

/// An answer to a task's question: its key as JSON text, the question's method, and the answer. An error
/// means that the caller doesn't want anything to be sent.
type TaskAnswer = (String, &'static str, Result<Result<Box<RawValue>, Refusal>, RequestError>);

struct TaskQuestions {
    /// Limits the number of questions that are asked at once.
    at_once: Arc<Semaphore>,
    /// The keys of the questions that were asked. No question is asked twice (TSKE-10).
    seen: HashSet<String>,
    waiting: HashMap<String, AbortHandle>,
    answers: FuturesUnordered<BoxFuture<'static, Option<TaskAnswer>>>,
}

impl TaskQuestions {
    fn new(at_once: usize) -> Self {
        Self {
            at_once: Arc::new(Semaphore::new(at_once)),
            seen: HashSet::new(),
            waiting: HashMap::new(),
            answers: FuturesUnordered::new(),
        }
    }
}

impl RequestSender {
    pub(super) async fn follow_extension(
        &self,
        id: &str,
        tool: &str,
        options: &CallOptions,
    ) -> Result<Success, RequestError> {
        let since = Instant::now();
        let poke = self.peer.tasks.find_wakeup(id);
        let mut questions = TaskQuestions::new(self.link.limits.questions);
        let mut failures = 0;
        let mut watched = None;
        loop {
            let Some(task) = self.peer.tasks.get(id) else { return Err(self.cancelled_error(id)) };
            let (wait, until) = self.poll_schedule(&task, since);
            if Instant::now() >= until {
                return Err(self.end_overdue_task(id, since));
            }
            tokio::select! {
                Some(answer) = questions.answers.next() => {
                    if let Some(answer) = answer {
                        questions.waiting.remove(&answer.0);
                        self.send_answers(id, tool, answer).await?;
                    }
                    continue;
                }
                () = poke.notified() => {}
                () = tokio::time::sleep(wait) => {}
            }
            let PollOutcome::Answered(answer) = self.poll_task(id, tool, &mut failures).await? else {
                continue;
            };
            if let Some(outcome) = self.handle_task(id, (tool, options), answer, &mut questions)? {
                return Ok(outcome);
            }
            // After one poll without a result, subscribe, so the server can report when to poll (TSKE-14).
            if watched.is_none() && self.offers().task_extension {
                watched = self.peer.subscriptions.watch_task(id);
            }
        }
    }

    /// Handles a response to `tasks/get`. `None` if the task continues.
    fn handle_task(
        &self,
        id: &str,
        (tool, options): (&str, &CallOptions),
        answer: Success,
        questions: &mut TaskQuestions,
    ) -> Result<Option<Success>, RequestError> {
        let task = self
            .record_task(answer.raw.get(), tool)
            .ok_or_else(|| RequestError::Malformed { reason: say!("its task has no ID or no status") })?;
        let members = Members::of(answer.raw.get());
        match task.status {
            TaskStatus::Completed => {
                let result = members.get("result").and_then(raw).ok_or_else(|| RequestError::Malformed {
                    reason: say!("the task is completed and has no result"),
                })?;
                Ok(Some(Success { raw: result.into(), ..answer }))
            }
            TaskStatus::Failed => {
                let error = members.get("error").map(RpcError::read).unwrap_or_else(|| RpcError {
                    code: 0,
                    message: task.status_message.clone().unwrap_or_else(|| "the task failed".to_owned()),
                    data: None,
                    status: None,
                });
                Err(RequestError::Rpc(error))
            }
            TaskStatus::Cancelled => Err(self.cancelled_error(id)),
            TaskStatus::InputRequired => {
                self.sync_questions(id, options, &members.inside("inputRequests"), questions)?;
                Ok(None)
            }
            TaskStatus::Working | TaskStatus::Other => {
                // Earlier questions are no longer relevant.
                self.sync_questions(id, options, &Members::default(), questions)?;
                Ok(None)
            }
        }
    }

    /// Asks new questions, and withdraws questions that are no longer listed (TSKE-09, TSKE-10).
    fn sync_questions(
        &self,
        id: &str,
        options: &CallOptions,
        requests: &Members<'_>,
        questions: &mut TaskQuestions,
    ) -> Result<(), RequestError> {
        self.check_round_size(requests.len())?;
        questions.waiting.retain(|key, handle| {
            let is_asked = requests.get(key).is_some();
            if !is_asked {
                handle.abort();
            }
            is_asked
        });
        for (key, request) in requests {
            if !questions.seen.insert(key.to_owned()) {
                continue;
            }
            let tool = self.peer.tasks.get(id).map(|task| task.tool).filter(|tool| !tool.is_empty());
            let call = PendingRequest { method: "tools/call", subject: tool.map(Into::into), caller: None };
            let question = self
                .read_question(request, QuestionOrigin::Task { id: id.into(), call, key: key.to_owned() })?;
            let (key, kind) = (key.to_owned(), question.kind.method());
            let (inbound, at_once) = (Arc::clone(&self.inbound), Arc::clone(&questions.at_once));
            let options = options.clone();
            // The question can be withdrawn until its answer is sent.
            let (asked, handle) = abortable(async move {
                // The semaphore is never closed.
                let _turn = at_once.acquire().await;
                let open = options.open_question();
                let answer = inbound.ask(question).await;
                drop(open);
                if answer.is_ok() {
                    options.check_may_resend(ResendReason::InputProvided).await?;
                }
                Ok(answer)
            });
            questions.waiting.insert(key.clone(), handle);
            questions.answers.push(Box::pin(async move {
                let answer = asked.await.ok()?;
                Some((key, kind, answer))
            }));
        }
        Ok(())
    }

    /// Sends one answer. A question that can't be declined explicitly ends the task.
    async fn send_answers(
        &self,
        id: &str,
        tool: &str,
        (key, kind, answer): TaskAnswer,
    ) -> Result<(), RequestError> {
        let answer = answer?
            .map_err(|refusal| RequestError::Refused { what: kind.to_owned(), reason: refusal.message })?;
        let params = task_params(id).object("inputResponses", &JsonObject::new().json(&key, answer.get()));
        let request = Request {
            subject: Some(tool.into()),
            name: Some(id.into()),
            ..Request::new("tasks/update", Some(&params))
        };
        // The acknowledgement has no status. Polling continues as before (TSKE-12).
        Box::pin(self.request(&request)).await?;
        Ok(())
    }
}
