//! Where questions of the session era wait for the host's answers.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use crate::inbound::{Asked, Inbound, Origin, Question, Refusal};
use crate::limits::Bound;
use crate::link::Link;
use crate::link::asked::with_related_task;
use crate::model::raw;
use crate::questions::receiver::Receiver;
use crate::questions::{AsTask, Asking};

/// Whom an answer is for.
enum For {
    /// The request with this id, as JSON text, that asked for this.
    Request(Arc<str>, Asked),
    /// The task of ours with this id.
    Task(Arc<str>),
}

struct Desk {
    link: Arc<Link>,
    inbound: Arc<dyn Inbound>,
    waiting: JoinSet<(For, Result<Box<RawValue>, Refusal>)>,
    handles: HashMap<Arc<str>, AbortHandle>,
    receiver: Receiver,
}

/// Carries questions to the host and their answers back, until nobody can ask any more.
pub(crate) async fn run(link: Arc<Link>, inbound: Arc<dyn Inbound>, mut asked: mpsc::Receiver<Asking>) {
    let mut closed = link.closed();
    let (waiting, handles) = (JoinSet::new(), HashMap::new());
    let receiver = Receiver::new(Arc::clone(&link));
    let mut desk = Desk { link, inbound, waiting, handles, receiver };
    loop {
        tokio::select! {
            _ = closed.wait_for(Option::is_some) => return,
            asking = asked.recv() => match asking {
                None => return,
                Some(Asking::Withdraw(id)) => if let Some(handle) = desk.handles.remove(&id) {
                    handle.abort();
                },
                Some(Asking::About(about)) => desk.receiver.about(&about),
                Some(Asking::Ask { question, as_task }) => desk.ask(question, as_task),
            },
            Some(done) = desk.waiting.join_next() => match done {
                Ok((For::Request(id, kind), answer)) => {
                    desk.handles.remove(&id);
                    desk.link.answer(&id, kind.method(), answer);
                }
                Ok((For::Task(id), answer)) => desk.receiver.done(&id, answer),
                // An aborted question was withdrawn and gets no answer (CANC-04).
                Err(_) => {}
            },
        }
    }
}

impl Desk {
    fn ask(&mut self, question: Question, as_task: Option<AsTask>) {
        let Origin::Request { id, task } = &question.origin else { return };
        let (id, kind, related) = (Arc::clone(id), question.asked, task.clone());
        if self.waiting.len() >= self.link.limits.questions {
            self.link.reached(Bound::Questions);
            let message = "too many questions wait for an answer".to_owned();
            self.link.answer(&id, kind.method(), Err(Refusal { code: -32603, message }));
            return;
        }
        let answer = self.inbound.ask(question);
        if let Some(AsTask { ttl }) = as_task {
            let task = self.receiver.create(&id, kind, ttl);
            let whom = For::Task(Arc::clone(&task));
            let handle = self.waiting.spawn(async move { (whom, answer.await) });
            self.receiver.runs(&task, handle);
            return;
        }
        let whom = For::Request(Arc::clone(&id), kind);
        let handle = self.waiting.spawn(async move {
            let answer = answer.await;
            (whom, answer.map(|answer| named(answer, related.as_deref())))
        });
        self.handles.insert(id, handle);
    }
}

/// The answer to a question of a task names that task.
pub(super) fn named(answer: Box<RawValue>, task: Option<&str>) -> Box<RawValue> {
    let named = task.and_then(|task| raw(&with_related_task(answer.get(), task)));
    named.unwrap_or(answer)
}
