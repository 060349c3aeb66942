//! The server's questions that are under way, by their ids, and which of them it has taken back. A withdrawal always
//! has room here: it is only kept for a question that is there, and those are bounded.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

#[derive(Debug, Default)]
struct QuestionState {
    next: u64,
    /// The number of the question with this id, as JSON text.
    numbers: HashMap<Arc<str>, u64>,
    /// Those that were taken back, and have not ended yet. Their ids are free.
    withdrawn: HashSet<u64>,
}

/// The questions of one server that are under way.
#[derive(Debug, Default)]
pub(crate) struct QuestionRegistry {
    state: Mutex<QuestionState>,
    more: Notify,
}

impl QuestionRegistry {
    fn state(&self) -> MutexGuard<'_, QuestionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A question begins; its number. None: another with this id is under way.
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

    /// The server takes a question back, if it is under way.
    pub(crate) fn withdraw(&self, id: &str) {
        let mut state = self.state();
        if let Some(number) = state.numbers.remove(id) {
            state.withdrawn.insert(number);
            drop(state);
            self.more.notify_one();
        }
    }

    /// A question ends; whether the server still wants its answer.
    pub(crate) fn end(&self, id: &str, number: u64) -> bool {
        let mut state = self.state();
        if state.withdrawn.remove(&number) {
            return false;
        }
        state.numbers.remove(id);
        true
    }

    /// Whether the server has taken a question back.
    pub(crate) fn is_withdrawn(&self, number: u64) -> bool {
        self.state().withdrawn.contains(&number)
    }

    /// Waits until more questions were taken back.
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
        // The end of the one is not that of the other.
        assert!(!pending.end(&id, first));
        assert_eq!(pending.begin(&id), None);
        assert!(pending.end(&id, second));
        assert!(pending.begin(&id).is_some());
        let state = pending.state();
        assert_eq!((state.numbers.len(), state.withdrawn.len()), (1, 0));
    }
}
