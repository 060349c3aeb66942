//! The server's questions in progress, by id, and those that it has cancelled. There is always room for
//! cancellations: they are only stored for questions in progress, whose number is limited.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

#[derive(Debug, Default)]
struct QuestionState {
    next: u64,
    /// The number of the question with each id, which is JSON text.
    numbers: HashMap<Arc<str>, u64>,
    /// Cancelled questions that have not ended yet. The server can use their ids again.
    withdrawn: HashSet<u64>,
}

/// One server's questions in progress.
#[derive(Debug, Default)]
pub(crate) struct QuestionRegistry {
    state: Mutex<QuestionState>,
    more: Notify,
}

impl QuestionRegistry {
    fn lock_state(&self) -> MutexGuard<'_, QuestionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a question and returns its number. `None` if another question with this id is in progress.
    pub(crate) fn begin_question(&self, id: &Arc<str>) -> Option<u64> {
        let mut state = self.lock_state();
        if state.numbers.contains_key(id) {
            return None;
        }
        state.next += 1;
        let number = state.next;
        state.numbers.insert(Arc::clone(id), number);
        Some(number)
    }

    /// Cancels a question at the server's request, if the question is in progress.
    pub(crate) fn withdraw_question(&self, id: &str) {
        let mut state = self.lock_state();
        if let Some(number) = state.numbers.remove(id) {
            state.withdrawn.insert(number);
            drop(state);
            self.more.notify_one();
        }
    }

    /// Ends a question. Returns whether the server still wants the answer.
    pub(crate) fn end_question(&self, id: &str, number: u64) -> bool {
        let mut state = self.lock_state();
        if state.withdrawn.remove(&number) {
            return false;
        }
        state.numbers.remove(id);
        true
    }

    /// Whether the server has cancelled a question.
    pub(crate) fn is_withdrawn(&self, number: u64) -> bool {
        self.lock_state().withdrawn.contains(&number)
    }

    /// Waits until more questions are cancelled.
    pub(crate) async fn wait_for_withdrawal(&self) {
        self.more.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: CANC-04, BASE-03.
    #[test]
    fn an_id_is_taken_until_its_question_ends_or_is_taken_back() {
        let (pending, id) = (QuestionRegistry::default(), Arc::<str>::from("7"));
        let first = pending.begin_question(&id).unwrap();
        assert_eq!(pending.begin_question(&id), None);
        pending.withdraw_question("8");
        pending.withdraw_question(&id);
        assert!(pending.is_withdrawn(first));
        let second = pending.begin_question(&id).unwrap();
        assert!(!pending.is_withdrawn(second));
        // Ending the first question does not end the second one.
        assert!(!pending.end_question(&id, first));
        assert_eq!(pending.begin_question(&id), None);
        assert!(pending.end_question(&id, second));
        assert!(pending.begin_question(&id).is_some());
        let state = pending.lock_state();
        assert_eq!((state.numbers.len(), state.withdrawn.len()), (1, 0));
    }
}
