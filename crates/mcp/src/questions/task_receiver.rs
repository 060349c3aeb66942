//! This client's own tasks (2025-11-25): questions whose answers the server fetches later (TSKX-18).

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use mooring_jsonrpc::{JsonObject, raw};
use serde_json::value::RawValue;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::client_capabilities::{QuestionKind, Refusal};
use crate::link::MessageLink;
use crate::model::time;
use crate::peer::queued::{TaskMethod, TaskRequest};
use crate::questions::pending::add_related_task;
use crate::task::TaskStatus;

/// The default and maximum time that an answer is kept.
const DEFAULT_TTL: Duration = Duration::from_mins(10);
const MAX_TTL: Duration = Duration::from_hours(1);
/// The poll interval for the server, in milliseconds.
const POLL: u32 = 1000;

struct QuestionTask {
    status: TaskStatus,
    created: SystemTime,
    updated: SystemTime,
    ttl: Duration,
    until: Instant,
    handle: Option<AbortHandle>,
    outcome: Option<Result<Box<RawValue>, Refusal>>,
    /// Requests that wait for the outcome.
    waiters: Vec<Arc<str>>,
}

impl QuestionTask {
    fn to_json(&self, id: &str) -> JsonObject {
        JsonObject::new()
            .text("taskId", id)
            .text("status", self.status.as_str())
            .text("createdAt", &time::format_timestamp(self.created))
            .text("lastUpdatedAt", &time::format_timestamp(self.updated))
            .number("ttl", u64::try_from(self.ttl.as_millis()).unwrap_or(u64::MAX))
            .number("pollInterval", POLL)
    }

    fn set_status(&mut self, status: TaskStatus) {
        self.status = status;
        self.updated = SystemTime::now();
    }
}

/// The tasks that one server created for its questions.
pub(super) struct TaskReceiver {
    link: Arc<MessageLink>,
    tasks: HashMap<Arc<str>, QuestionTask>,
    made: u64,
    /// Randomly keyed, so that ids can't be guessed.
    names: (RandomState, RandomState),
}

fn unknown_task() -> Refusal {
    Refusal { code: -32602, message: "Unknown or expired task".to_owned() }
}

impl TaskReceiver {
    pub(super) fn new(link: Arc<MessageLink>) -> Self {
        let names = (RandomState::new(), RandomState::new());
        Self { link, tasks: HashMap::new(), made: 0, names }
    }

    /// Creates a task for the question of request `id`, and responds with it.
    pub(super) fn create_task(
        &mut self,
        id: &Arc<str>,
        asked: QuestionKind,
        ttl: Option<Duration>,
    ) -> Arc<str> {
        self.forget_old();
        self.made += 1;
        let name =
            format!("{:016x}{:016x}", self.names.0.hash_one(self.made), self.names.1.hash_one(self.made));
        let name: Arc<str> = name.into();
        let (now, ttl) = (SystemTime::now(), ttl.unwrap_or(DEFAULT_TTL).min(MAX_TTL));
        let ours = QuestionTask {
            status: TaskStatus::Working,
            created: now,
            updated: now,
            ttl,
            until: Instant::now() + ttl,
            handle: None,
            outcome: None,
            waiters: Vec::new(),
        };
        self.send_result(id, asked.method(), JsonObject::new().object("task", &ours.to_json(&name)));
        self.tasks.insert(Arc::clone(&name), ours);
        name
    }

    /// Sets the handle that aborts the task's question.
    pub(super) fn set_handle(&mut self, task: &str, handle: AbortHandle) {
        match self.tasks.get_mut(task) {
            Some(ours) => ours.handle = Some(handle),
            None => handle.abort(),
        }
    }

    /// Sets the answer to the task's question.
    pub(super) fn set_outcome(&mut self, task: &str, outcome: Result<Box<RawValue>, Refusal>) {
        let Some(ours) = self.tasks.get_mut(task) else { return };
        ours.set_status(if outcome.is_ok() { TaskStatus::Completed } else { TaskStatus::Failed });
        let outcome = outcome.map(|answer| add_related_task(answer, Some(task)));
        for waiter in std::mem::take(&mut ours.waiters) {
            self.link.send_answer(&waiter, TaskMethod::Result.method(), outcome.clone());
        }
        ours.outcome = Some(outcome);
    }

    /// Responds to a request about a task.
    pub(super) fn handle_task_request(&mut self, TaskRequest { id, method: about, task }: &TaskRequest) {
        self.forget_old();
        let method = about.method();
        if *about == TaskMethod::List {
            let all = self.tasks.iter().map(|(name, ours)| ours.to_json(name).whole());
            self.send_result(id, method, JsonObject::new().list("tasks", all));
            return;
        }
        let found = task.as_deref().and_then(|task| self.tasks.get_key_value(task));
        let Some(name) = found.map(|(name, _)| Arc::clone(name)) else {
            self.link.send_answer(id, method, Err(unknown_task()));
            return;
        };
        let Some(ours) = self.tasks.get_mut(&name) else { return };
        match about {
            TaskMethod::Result => match &ours.outcome {
                Some(outcome) => self.link.send_answer(id, method, outcome.clone()),
                None => ours.waiters.push(Arc::clone(id)),
            },
            TaskMethod::Cancel if ours.status.is_over() => {
                let message = "The task has ended already".to_owned();
                self.link.send_answer(id, method, Err(Refusal { code: -32602, message }));
            }
            TaskMethod::Cancel => {
                ours.set_status(TaskStatus::Cancelled);
                if let Some(handle) = ours.handle.take() {
                    handle.abort();
                }
                let refusal = Refusal { code: -32603, message: "The task was cancelled".to_owned() };
                let waiters = std::mem::take(&mut ours.waiters);
                ours.outcome = Some(Err(refusal.clone()));
                let text = ours.to_json(&name);
                for waiter in waiters {
                    self.link.send_answer(&waiter, TaskMethod::Result.method(), Err(refusal.clone()));
                }
                self.send_result(id, method, text);
            }
            TaskMethod::Get | TaskMethod::List => {
                let text = ours.to_json(&name);
                self.send_result(id, method, text);
            }
        }
    }

    fn send_result(&self, id: &Arc<str>, method: &str, result: JsonObject) {
        self.link.send_answer(id, method, raw(&result.whole()).ok_or_else(unknown_task));
    }

    /// Removes expired tasks. Requests that wait for an expired task get an error.
    fn forget_old(&mut self) {
        let now = Instant::now();
        for (_, ours) in self.tasks.extract_if(|_, ours| ours.until <= now) {
            if let Some(handle) = ours.handle {
                handle.abort();
            }
            for waiter in ours.waiters {
                self.link.send_answer(&waiter, TaskMethod::Result.method(), Err(unknown_task()));
            }
        }
    }
}
