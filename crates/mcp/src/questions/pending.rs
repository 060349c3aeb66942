//! Questions of the session era that wait for the host's answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use mooring_jsonrpc::{JsonObject, member, raw};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::MissedTickBehavior;

use crate::client_capabilities::{QuestionKind, Refusal};
use crate::error::CloseReason;
use crate::inbound::{ClientHandler, Question, QuestionOrigin};
use crate::link::MessageLink;
use crate::outgoing::OutgoingMessage;
use crate::peer::Peer;
use crate::peer::queued::{QueuedRequest, TaskMetadata};
use crate::peer::requests::insert_related_task;
use crate::questions::refuse_too_many;
use crate::questions::task_receiver::TaskReceiver;
use crate::transport::sink::FrameSource;

/// Where an answer is sent.
enum AnswerRecipient {
    /// The request with this number and id, which is JSON text, and its kind of question.
    Request(u64, Arc<str>, QuestionKind),
    /// This client's task with this id.
    Task(Arc<str>),
}

struct PendingQuestions {
    link: Arc<MessageLink>,
    peer: Arc<Peer>,
    inbound: Arc<dyn ClientHandler>,
    waiting: JoinSet<(AnswerRecipient, Result<Box<RawValue>, Refusal>)>,
    /// The waiting requests, by number.
    handles: HashMap<u64, (Arc<str>, AbortHandle)>,
    /// The requests that asked for progress, with the token as JSON text and the number of reports so far.
    progress: HashMap<u64, (String, u64)>,
    receiver: TaskReceiver,
}

/// The interval of progress reports for a question. It suits a server with the same deadline as this client.
fn progress_interval(idle: Duration) -> Duration {
    (idle / 4).clamp(Duration::from_secs(1), Duration::from_secs(15))
}

/// Passes questions to the host and sends the answers, until the connection is over. `idle` is how long a
/// request may be silent.
pub(crate) async fn answer_questions(
    link: Arc<MessageLink>,
    peer: Arc<Peer>,
    inbound: Arc<dyn ClientHandler>,
    mut asked: mpsc::Receiver<Box<QueuedRequest>>,
    idle: Duration,
) {
    let mut closed = link.closed();
    let (waiting, handles, cancelled) = (JoinSet::new(), HashMap::new(), HashMap::new());
    let receiver = TaskReceiver::new(Arc::clone(&link));
    let mut pending =
        PendingQuestions { link, peer, inbound, waiting, handles, progress: cancelled, receiver };
    let mut pace = tokio::time::interval(progress_interval(idle));
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = connection_closed(&mut closed) => return,
            () = pending.peer.pending.wait_for_withdrawal() => pending.abort_withdrawn(),
            asking = asked.recv() => match asking.map(|asking| *asking) {
                None => return,
                Some(QueuedRequest::Task(about)) => pending.receiver.handle_task_request(&about),
                Some(QueuedRequest::Question { question, number, as_task, on }) => {
                    pending.ask_question(question, number, as_task, on);
                }
            },
            _ = pace.tick(), if !pending.progress.is_empty() => pending.send_progress(),
            Some(done) = pending.waiting.join_next() => match done {
                Ok((AnswerRecipient::Request(number, id, kind), answer)) => {
                    pending.handles.remove(&number);
                    pending.progress.remove(&number);
                    // A question that was just cancelled gets no response.
                    if !pending.peer.pending.end_question(&id, number) {
                        continue;
                    }
                    // This waits for room, so that a person's answer is never lost.
                    let answer = OutgoingMessage::answer(&id, kind.method(), answer);
                    if pending.link.outbox().send(Box::new(answer)).await.is_err() {
                        return;
                    }
                    if kind == QuestionKind::Roots {
                        pending.peer.roots_sent.send_modify(|count| *count += 1);
                    }
                }
                Ok((AnswerRecipient::Task(id), answer)) => pending.receiver.set_outcome(&id, answer),
                // An aborted question was cancelled and gets no response (CANC-04).
                Err(_) => {}
            },
        }
    }
}

async fn connection_closed(closed: &mut watch::Receiver<Option<CloseReason>>) {
    // A dropped sender also means that the connection is over.
    drop(closed.wait_for(Option::is_some).await);
}

impl PendingQuestions {
    /// Ends waiting questions that the server has cancelled. Those in the queue will not be asked.
    fn abort_withdrawn(&mut self) {
        let pending = &self.peer.pending;
        for (number, (id, handle)) in self.handles.extract_if(|number, _| pending.is_withdrawn(*number)) {
            handle.abort();
            self.progress.remove(&number);
            pending.end_question(&id, number);
        }
    }

    /// Reports progress for each question whose server asked for it (PROG-06).
    fn send_progress(&mut self) {
        let method = "notifications/progress";
        for (token, count) in self.progress.values_mut() {
            *count += 1;
            let params = JsonObject::new().raw("progressToken", token).number("progress", *count);
            self.link.post_message(OutgoingMessage::notification(method, Some(&params)));
        }
    }

    fn ask_question(
        &mut self,
        question: Question,
        number: u64,
        as_task: Option<TaskMetadata>,
        on: FrameSource,
    ) {
        let QuestionOrigin::Request { id, task, .. } = &question.origin else { return };
        let (id, kind, related) = (Arc::clone(id), question.kind, task.clone());
        let pending = &self.peer.pending;
        if pending.is_withdrawn(number) {
            pending.end_question(&id, number);
            return;
        }
        if self.waiting.len() >= self.link.limits.questions {
            if pending.end_question(&id, number) {
                self.peer.over_limit.add(&id, kind.method());
            }
            return;
        }
        let token = read_progress_token(question.params.get());
        // The time that a person takes doesn't count against the server.
        let still = match on {
            FrameSource::Shared => Some(self.link.table.pause_deadlines(None)),
            FrameSource::Exchange(request) => Some(self.link.table.pause_deadlines(Some(request))),
            FrameSource::ServerStream => None,
        };
        // A question of a task may outlast the call that created the task.
        let of_task = related.is_some() || as_task.is_some();
        let asked = self.inbound.ask(question);
        let answer = async move {
            let Some(mut still) = still else { return asked.await };
            if of_task {
                return asked.await;
            }
            tokio::select! {
                biased;
                answer = asked => answer,
                // The call is over, so the question is withdrawn. The server still gets a response (ELIC-10).
                () = still.calls_ended() => refuse_too_many(kind.method()),
            }
        };
        if let Some(TaskMetadata { ttl }) = as_task {
            // The request of a task is complete. The task itself is cancelled differently.
            if !self.peer.pending.end_question(&id, number) {
                return;
            }
            let task = self.receiver.create_task(&id, kind, ttl);
            let whom = AnswerRecipient::Task(Arc::clone(&task));
            let handle = self.waiting.spawn(async move { (whom, answer.await) });
            self.receiver.set_handle(&task, handle);
            return;
        }
        if let Some(token) = token {
            self.progress.insert(number, (token, 0));
        }
        let whom = AnswerRecipient::Request(number, Arc::clone(&id), kind);
        let handle = self.waiting.spawn(async move {
            let answer = answer.await;
            (whom, answer.map(|answer| add_related_task(answer, related.as_deref())))
        });
        self.handles.insert(number, (id, handle));
    }
}

/// The progress token of a request, as JSON text.
pub(crate) fn read_progress_token(params: &str) -> Option<String> {
    let token = member(member(params, "_meta")?, "progressToken")?;
    token
        .starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit())
        .then(|| token.to_owned())
}

/// Adds the related task to the answer to a task's question.
pub(super) fn add_related_task(answer: Box<RawValue>, task: Option<&str>) -> Box<RawValue> {
    let named = task.and_then(|task| raw(&insert_related_task(answer.get(), task)));
    named.unwrap_or(answer)
}
