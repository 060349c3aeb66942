//! Keeping the stream of changes open: opened, replaced, lost and opened again, with growing waits.

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;
use mooring_words::{Sentence, say};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::diagnostic::{Code, Diagnostic};
use crate::error::RequestError;
use crate::filter::{Filter, Stream};
use crate::params::Params;
use crate::peer::subscriptions::{Listening, Status};
use crate::request::{Request, Success};
use crate::transport::backoff::Backoff;
use crate::wire::Wire;

/// A stream that lived this long counts as a success: the waits before the next begin anew.
const GOOD_LIFE: Duration = Duration::from_mins(1);

/// A stream that was asked for.
struct Open {
    stream: Arc<Stream>,
    /// Ends when the stream does. Dropped, it cancels the stream (SUB-07).
    ended: BoxFuture<'static, Result<Success, RequestError>>,
    agreed: watch::Receiver<Option<Filter>>,
    opened: Instant,
}

impl Open {
    fn new(wire: &Arc<Wire>, asked: Filter) -> Self {
        let (wire, agreed) = (Arc::clone(wire), watch::Sender::new(None));
        let receiver = agreed.subscribe();
        let params = Params::new().object("notifications", &asked.encode());
        let stream = Arc::new(Stream { asked, agreed });
        let shared = Arc::clone(&stream);
        let ended = Box::pin(async move {
            let request = Request {
                standing: true,
                stream: Some(shared),
                ..Request::new("subscriptions/listen", Some(&params))
            };
            wire.request_once(&request).await
        });
        Self { stream, ended, agreed: receiver, opened: Instant::now() }
    }
}

/// What became of a stream.
enum Turn {
    /// The server agreed to tell of this much.
    Agreed(Filter),
    Ended(Result<Success, RequestError>),
}

/// The next thing that becomes of a stream that waits to be acknowledged.
async fn turn(open: &mut Option<Open>) -> Turn {
    let Some(open) = open else { return pending().await };
    let agreed = async {
        let agreed = open.agreed.wait_for(Option::is_some).await.map(|agreed| agreed.clone());
        match agreed {
            Ok(agreed) => agreed.unwrap_or_default(),
            // The stream is over; how, the other branch tells.
            Err(_) => pending().await,
        }
    };
    tokio::select! {
        biased;
        agreed = agreed => Turn::Agreed(agreed),
        outcome = &mut open.ended => Turn::Ended(outcome),
    }
}

async fn ended(open: &mut Option<Open>) -> Result<Success, RequestError> {
    match open {
        Some(open) => (&mut open.ended).await,
        None => pending().await,
    }
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => pending().await,
    }
}

/// Keeps what is wanted listened to, until the connection ends.
pub(crate) async fn run(wire: Arc<Wire>) {
    let (mut over, mut closed) = (wire.peer.subscriptions.over.subscribe(), wire.link.closed());
    tokio::select! {
        biased;
        _ = over.wait_for(|over| *over) => {}
        _ = closed.wait_for(Option::is_some) => {}
        () = Keeper::new(Arc::clone(&wire)).keep() => {}
    }
    // The streams are gone by now, and the server was told.
    wire.peer.subscriptions.ended.send_replace(true);
}

struct Keeper {
    wire: Arc<Wire>,
    /// The stream that tells of changes.
    current: Option<Open>,
    /// The one that is to take its place.
    next: Option<Open>,
    retry: Option<Instant>,
    backoff: Backoff,
    /// Changes may have been missed: a stream that told of them was lost.
    gap: bool,
}

impl Keeper {
    fn new(wire: Arc<Wire>) -> Self {
        Self { wire, current: None, next: None, retry: None, backoff: Backoff::default(), gap: false }
    }

    async fn keep(mut self) {
        let mut wanted = self.wire.peer.subscriptions.wanted.subscribe();
        wanted.mark_changed();
        loop {
            let patience = self.next.as_ref().map(|next| next.opened + self.wire.deadlines.idle);
            tokio::select! {
                biased;
                changed = wanted.changed() => match changed {
                    Ok(()) => {
                        let filter = wanted.borrow_and_update().clone();
                        self.want(filter);
                    }
                    Err(_) => return,
                },
                turn = turn(&mut self.next) => match turn {
                    Turn::Agreed(agreed) => self.take_over(&agreed),
                    Turn::Ended(outcome) => if self.failed(&outcome) { return },
                },
                outcome = ended(&mut self.current) => if self.lost(&outcome) { return },
                () = at(patience) => {
                    let next = self.next.take();
                    if next.is_some_and(|next| self.without_tasks(&next.stream.asked)) {
                        continue;
                    }
                    self.give_up(say!("the server did not acknowledge it in time"));
                }
                () = at(self.retry) => {
                    let filter = wanted.borrow().clone();
                    self.open(filter);
                }
            }
        }
    }

    fn tell(&self, listening: Listening, asked: Filter, agreed: Filter) {
        self.wire.peer.subscriptions.status.send_replace(Status { listening, asked, agreed });
    }

    fn want(&mut self, filter: Filter) {
        if filter.is_empty() {
            (self.current, self.next, self.retry) = (None, None, None);
            self.tell(Listening::Off, Filter::default(), Filter::default());
        } else {
            self.open(filter);
        }
    }

    fn open(&mut self, filter: Filter) {
        self.retry = None;
        if self.current.is_none() {
            self.tell(Listening::Connecting, filter.clone(), Filter::default());
        }
        self.next = Some(Open::new(&self.wire, filter));
    }

    /// After a stream with tasks in its filter came to nothing: the next one is without. Whether this was one.
    fn without_tasks(&self, asked: &Filter) -> bool {
        let subscriptions = &self.wire.peer.subscriptions;
        if !asked.tasks.is_empty() {
            subscriptions.give_tasks_up();
        }
        !asked.tasks.is_empty()
    }

    /// The next stream is acknowledged: it takes the place of the one before, which ends.
    fn take_over(&mut self, agreed: &Filter) {
        let Some(next) = self.next.take() else { return };
        let missing = next.stream.asked.missing(agreed);
        if !missing.is_empty() {
            let message = say!("changes of these are not told: {names}", names = missing.join(", "));
            self.wire.link.diagnose(Diagnostic::new(Code::Missing, "subscriptions/listen", message));
        }
        self.tell(Listening::Live, next.stream.asked.clone(), agreed.clone());
        self.current = Some(next);
        if std::mem::take(&mut self.gap) {
            // What happened in between nobody told (SUB-10).
            self.wire.peer.tell_of_all(&self.wire.link, agreed);
        }
    }

    /// A stream ended that was never acknowledged. True when the connection is over.
    fn failed(&mut self, outcome: &Result<Success, RequestError>) -> bool {
        let asked = self.next.take().map(|next| next.stream.asked.clone()).unwrap_or_default();
        if !matches!(outcome, Err(RequestError::Closed(_))) && self.without_tasks(&asked) {
            return false;
        }
        if self.current.is_some() && !matches!(outcome, Err(RequestError::Closed(_))) {
            // The old one goes on; what is new is not told.
            let reason = reason(outcome);
            let agreed = self.wire.peer.subscriptions.status.borrow().agreed.clone();
            self.tell(Listening::Failed { reason }, asked, agreed);
            return false;
        }
        self.after(outcome, asked)
    }

    /// The stream that told of changes ended. True when the connection is over.
    fn lost(&mut self, outcome: &Result<Success, RequestError>) -> bool {
        let Some(current) = self.current.take() else { return false };
        if current.opened.elapsed() >= GOOD_LIFE {
            self.backoff.reset();
        }
        self.gap = true;
        if self.next.is_some() {
            return matches!(outcome, Err(RequestError::Closed(_)));
        }
        self.after(outcome, current.stream.asked.clone())
    }

    /// Decides what follows the end of a stream. True when the connection is over.
    fn after(&mut self, outcome: &Result<Success, RequestError>, asked: Filter) -> bool {
        let again = match outcome {
            Err(RequestError::Closed(_)) => return true,
            // The server has no such stream (SUB-14).
            Err(RequestError::Rpc(error)) if error.code == -32601 => {
                self.tell(Listening::Unsupported, asked, Filter::default());
                return false;
            }
            Err(RequestError::Status { status: 404 | 405, .. }) => {
                self.tell(Listening::Unsupported, asked, Filter::default());
                return false;
            }
            // Ended in good order, or torn off: both may be opened again, after a wait (SUB-08, SUB-10).
            Ok(_) | Err(RequestError::StreamEnded | RequestError::Unreachable { .. }) => true,
            Err(RequestError::Status { status, .. }) => *status >= 500,
            Err(_) => false,
        };
        let wait = if again { self.backoff.next_scattered() } else { None };
        if let Some(wait) = wait {
            self.retry = Some(Instant::now() + wait);
            self.tell(Listening::Waiting { until: SystemTime::now() + wait }, asked, Filter::default());
        } else {
            self.tell(Listening::Failed { reason: reason(outcome) }, asked, Filter::default());
            let message =
                say!("changes are not told any more; lists are read anew only when they are asked for");
            self.wire.link.diagnose(Diagnostic::new(Code::Http, "subscriptions/listen", message));
        }
        false
    }

    fn give_up(&self, reason: Sentence) {
        let asked = self.wire.peer.subscriptions.wanted.borrow().clone();
        let agreed = self.wire.peer.subscriptions.status.borrow().agreed.clone();
        self.wire.link.diagnose(Diagnostic::new(Code::Missing, "subscriptions/listen", reason.clone()));
        self.tell(Listening::Failed { reason }, asked, agreed);
    }
}

fn reason(outcome: &Result<Success, RequestError>) -> Sentence {
    match outcome {
        Ok(_) => say!("the server ended it"),
        Err(error) => error.sentence(),
    }
}
