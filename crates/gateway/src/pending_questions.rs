//! Questions that wait for an app's answer.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use mooring_inbox::ResponseToServer;
use mooring_jsonrpc::code;
use mooring_mcp::Refusal;
use tokio::sync::oneshot;

use crate::locked::locked;

/// Questions that wait for an app's answer, by a key that the answer names.
pub(crate) struct PendingQuestions<K, Q>(Arc<Mutex<Waiting<K, Q>>>);

type Waiting<K, Q> = BTreeMap<K, (Q, oneshot::Sender<ResponseToServer>)>;

/// Withdraws a question when it is dropped. The reference is weak, so that all questions end with their owner.
struct Withdraw<K: Ord, Q, F: FnOnce()> {
    key: K,
    waiting: Weak<Mutex<Waiting<K, Q>>>,
    on_withdrawn: Option<F>,
}

impl<K: Ord, Q, F: FnOnce()> Drop for Withdraw<K, Q, F> {
    fn drop(&mut self) {
        let Some(waiting) = self.waiting.upgrade() else { return };
        let was_waiting = locked(&waiting).remove(&self.key).is_some();
        if let Some(on_withdrawn) = self.on_withdrawn.take().filter(|_| was_waiting) {
            on_withdrawn();
        }
    }
}

impl<K, Q> Default for PendingQuestions<K, Q> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Ord + Clone + Send + 'static, Q: Send + 'static> PendingQuestions<K, Q> {
    /// Adds a question. The future ends with the answer. If it is dropped before, the question is withdrawn and
    /// `on_withdrawn` is called.
    pub(crate) fn add(
        &self,
        key: K,
        question: Q,
        on_withdrawn: impl FnOnce() + Send + 'static,
    ) -> BoxFuture<'static, ResponseToServer> {
        let (answer, answered) = oneshot::channel();
        locked(&self.0).insert(key.clone(), (question, answer));
        let waiting = Arc::downgrade(&self.0);
        let withdraw = Withdraw { key, waiting, on_withdrawn: Some(on_withdrawn) };
        async move {
            let answer = answered.await;
            drop(withdraw);
            answer.unwrap_or_else(|_| {
                Err(Refusal { code: code::INTERNAL_ERROR, message: "the app has gone".to_owned() })
            })
        }
        .boxed()
    }

    /// Delivers the answer to the question with this key. Returns the answer if there is no such question.
    pub(crate) fn answer(&self, key: &K, answer: ResponseToServer) -> Result<(), ResponseToServer> {
        let Some((_, receiver)) = locked(&self.0).remove(key) else { return Err(answer) };
        // The receiver may be gone.
        let _gone = receiver.send(answer);
        Ok(())
    }

    /// Reads the question with this key.
    pub(crate) fn read<R>(&self, key: &K, read: impl FnOnce(&Q) -> R) -> Option<R> {
        locked(&self.0).get(key).map(|(question, _)| read(question))
    }

    /// Reads all questions in the order of their keys.
    pub(crate) fn read_all<R>(&self, mut read: impl FnMut(&K, &Q) -> R) -> Vec<R> {
        locked(&self.0).iter().map(|(key, (question, _))| read(key, question)).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        locked(&self.0).is_empty()
    }
}
