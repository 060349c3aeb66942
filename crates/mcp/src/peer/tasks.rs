//! The known tasks of a server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use serde_json::value::RawValue;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::limits::LimitKind;
use crate::link::MessageLink;
use crate::model::notification::Notification;
use crate::peer::Peer;
use crate::task::{Task, TaskForm, TaskStatus};

struct TrackedTask {
    task: Task,
    /// When the task was first reported.
    since: Instant,
    /// Wakes everything that waits for the task.
    wakeup: Arc<Notify>,
}

/// The known tasks of one connection.
#[derive(Default)]
pub(crate) struct Tasks(Mutex<HashMap<Arc<str>, TrackedTask>>);

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, TrackedTask>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All tasks, newest first.
    pub(crate) fn list(&self) -> Vec<Task> {
        let mut tasks: Vec<_> = self.lock().values().map(|known| (known.since, known.task.clone())).collect();
        tasks.sort_by(|(one, a), (other, b)| other.cmp(one).then_with(|| a.id.cmp(&b.id)));
        tasks.into_iter().map(|(_, task)| task).collect()
    }

    /// Updates a task. Ignores an outdated unsolicited status (TSKX-09). Returns whether anything changed,
    /// and whether another task had to be forgotten.
    pub(super) fn update(&self, task: Task, unasked: bool, most: usize) -> (bool, bool) {
        let mut known = self.lock();
        if let Some(known) = known.get_mut(&task.id) {
            let is_older = unasked && task.updated_at < known.task.updated_at;
            let is_late = is_older || known.task.status.is_over();
            if is_late {
                return (false, false);
            }
            let tool = std::mem::take(&mut known.task.tool);
            let changed =
                known.task.status != task.status || known.task.status_message != task.status_message;
            known.task = Task { tool: if tool.is_empty() { task.tool.clone() } else { tool }, ..task };
            return (changed, false);
        }
        let is_full = known.len() >= most;
        if is_full {
            // Forget finished tasks first, then the oldest tasks.
            let goes = known.values().min_by_key(|known| (!known.task.status.is_over(), known.since));
            if let Some(id) = goes.map(|known| Arc::clone(&known.task.id)) {
                known.remove(&id);
            }
        }
        let new = TrackedTask { since: Instant::now(), wakeup: Arc::default(), task };
        known.insert(Arc::clone(&new.task.id), new);
        (true, is_full)
    }

    /// Forgets all tasks, and wakes everything that waits for a task.
    pub(crate) fn clear(&self) {
        for known in std::mem::take(&mut *self.lock()).into_values() {
            known.wakeup.notify_one();
        }
    }

    pub(crate) fn get(&self, id: &str) -> Option<Task> {
        self.lock().get(id).map(|known| known.task.clone())
    }

    pub(crate) fn find_wakeup(&self, id: &str) -> Arc<Notify> {
        self.lock().get(id).map(|known| Arc::clone(&known.wakeup)).unwrap_or_default()
    }

    /// Records how a task ended. Returns false if the end is already known.
    pub(crate) fn end(&self, id: &str, status: TaskStatus, message: Option<String>) -> bool {
        let mut known = self.lock();
        let Some(known) = known.get_mut(id).filter(|known| !known.task.status.is_over()) else {
            return false;
        };
        known.task.status = status;
        known.task.status_message = message;
        known.task.updated_at = SystemTime::now();
        true
    }
}

impl Peer {
    pub(crate) fn update_task(&self, link: &MessageLink, task: Task, unasked: bool) {
        let (changed, forgot) = self.tasks.update(task, unasked, link.limits.tasks);
        if forgot {
            link.note_limit(LimitKind::Tasks);
        }
        if changed {
            self.tasks_changed();
        }
    }

    /// Registers the task that a call has created.
    pub(super) fn begin_task(&self, link: &MessageLink, text: &str, tool: &str) {
        if let Some(task) = Task::read(text, TaskForm::Core, tool, &link.limits) {
            self.update_task(link, task, true);
        }
    }

    /// Updates the status of a known task. Unknown tasks are ignored (TSKX-09).
    pub(super) fn apply_task_status(&self, link: &MessageLink, notification: &Notification, form: TaskForm) {
        let params = notification.params.as_deref().map_or("{}", RawValue::get);
        if let Some(task) = Task::read(params, form, "", &link.limits)
            && self.tasks.get(&task.id).is_some()
        {
            let poke = self.tasks.find_wakeup(&task.id);
            self.update_task(link, task, true);
            poke.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn task(id: &str, status: &str, updated: &str) -> Task {
        let text = format!(r#"{{"taskId":"{id}","status":"{status}","lastUpdatedAt":"{updated}"}}"#);
        Task::read(&text, TaskForm::Core, "tool", &Limits::default()).unwrap()
    }

    // Requirements: TSKX-09.
    #[test]
    fn outdated_status_is_ignored_and_finished_tasks_stay_so() {
        let tasks = Tasks::default();
        assert_eq!(tasks.update(task("a", "working", "2026-01-01T00:00:10Z"), true, 9), (true, false));
        assert_eq!(
            tasks.update(task("a", "input_required", "2026-01-01T00:00:05Z"), true, 9),
            (false, false)
        );
        assert_eq!(tasks.update(task("a", "completed", "2026-01-01T00:00:20Z"), true, 9), (true, false));
        assert_eq!(tasks.update(task("a", "working", "2026-01-01T00:00:30Z"), true, 9), (false, false));
        assert_eq!(tasks.get("a").unwrap().status, TaskStatus::Completed);
    }

    #[test]
    fn tasks_are_bounded_and_finished_ones_are_evicted_first() {
        let tasks = Tasks::default();
        tasks.update(task("a", "working", "2026-01-01T00:00:00Z"), true, 2);
        assert_eq!(tasks.update(task("b", "completed", "2026-01-01T00:00:00Z"), true, 2), (true, false));
        assert_eq!(tasks.update(task("c", "working", "2026-01-01T00:00:00Z"), true, 2), (true, true));
        let mut ids: Vec<_> = tasks.list().into_iter().map(|task| task.id.to_string()).collect();
        ids.sort();
        assert_eq!(ids, ["a", "c"]);
    }
}
