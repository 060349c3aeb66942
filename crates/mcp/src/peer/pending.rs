//! The server's questions in progress, by id, and those that it has cancelled. There is always room for a
//! cancellation, because it is only stored for a question in progress, and their number is limited.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

#[derive(Debug, Default)]
struct QuestionState {
    next: u64,
    /// The number of the question with each id, which is JSON text.
    numbers: HashMap<Arc<str>, u64>,
    /// Cancelled questions that have not ended yet. Their ids can be used again.
    withdrawn: HashSet<u64>,
}

/// One server's questions in progress.
#[derive(Debug, Default)]
pub(crate) struct QuestionRegistry {
    state: Mutex<QuestionState>,
    more: Notify,
}

impl QuestionRegistry {
    fn state(&self) -> MutexGuard<'_, QuestionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a question and returns its number. `None` if another one with this id is in progress.
    pub(crate) fn begin(&self, id: &Arc<str>) -> Option<u64> {
        let mut state = self.state();
        if state.numbers.contains_key(id) {
            return None;
        }
        state.next += 1;
        let number = state.next;
        state.numbers.insert(Arc::clone(id), number);
        Some(number)
    }

    /// Cancels a question for the server, if it is in progress.
    pub(crate) fn withdraw(&self, id: &str) {
        let mut state = self.state();
        if let Some(number) = state.numbers.remove(id) {
            state.withdrawn.insert(number);
            drop(state);
            self.more.notify_one();
        }
    }

    /// Ends a question. Returns whether the server still wants the answer.
    pub(crate) fn end(&self, id: &str, number: u64) -> bool {
        let mut state = self.state();
        if state.withdrawn.remove(&number) {
            return false;
        }
        state.numbers.remove(id);
        true
    }

    /// Whether the server has cancelled a question.
    pub(crate) fn is_withdrawn(&self, number: u64) -> bool {
        self.state().withdrawn.contains(&number)
    }

    /// Waits until more questions are cancelled.
    pub(crate) async fn more_withdrawn(&self) {
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
        let first = pending.begin(&id).unwrap();
        assert_eq!(pending.begin(&id), None);
        pending.withdraw("8");
        pending.withdraw(&id);
        assert!(pending.is_withdrawn(first));
        let second = pending.begin(&id).unwrap();
        assert!(!pending.is_withdrawn(second));
        // Ending the first question does not end the second one.
        assert!(!pending.end(&id, first));
        assert_eq!(pending.begin(&id), None);
        assert!(pending.end(&id, second));
        assert!(pending.begin(&id).is_some());
        let state = pending.state();
        assert_eq!((state.numbers.len(), state.withdrawn.len()), (1, 0));
    }
}
