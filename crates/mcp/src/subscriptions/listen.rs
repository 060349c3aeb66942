//! Keeps the subscription stream open. Opens, replaces and reopens the stream, with increasing delays.

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;
use mooring_jsonrpc::JsonObject;
use mooring_words::{Sentence, say};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::error::RequestError;
use crate::filter::{ListenStream, SubscriptionFilter};
use crate::peer::subscriptions::{ListenState, ListenStatus};
use crate::request::{Request, Success};
use crate::transport::backoff::Backoff;
use crate::wire::RequestSender;

/// A stream that lived this long counts as a success and resets the delays.
const STABLE_AFTER: Duration = Duration::from_mins(1);

/// A requested stream.
struct OpenStream {
    stream: Arc<ListenStream>,
    /// Resolves when the stream ends. Dropping it cancels the stream (SUB-07).
    ended: BoxFuture<'static, Result<Success, RequestError>>,
    acknowledged: watch::Receiver<Option<SubscriptionFilter>>,
    opened: Instant,
}

impl OpenStream {
    fn new(wire: &Arc<RequestSender>, asked: SubscriptionFilter) -> Self {
        let (wire, agreed) = (Arc::clone(wire), watch::Sender::new(None));
        let receiver = agreed.subscribe();
        let params = JsonObject::new().object("notifications", &asked.to_json());
        let stream = Arc::new(ListenStream { requested: asked, acknowledged: agreed });
        let shared = Arc::clone(&stream);
        let ended = Box::pin(async move {
            let request = Request {
                is_long_lived: true,
                stream: Some(shared),
                ..Request::new("subscriptions/listen", Some(&params))
            };
            wire.request_once(&request).await
        });
        Self { stream, ended, acknowledged: receiver, opened: Instant::now() }
    }
}

/// An event of a stream.
enum StreamEvent {
    /// The server acknowledged this filter.
    Acknowledged(SubscriptionFilter),
    Ended(Result<Success, RequestError>),
}

/// The next event of a stream that waits to be acknowledged.
async fn next_event(open: &mut Option<OpenStream>) -> StreamEvent {
    let Some(open) = open else { return pending().await };
    let agreed = async {
        let agreed = open.acknowledged.wait_for(Option::is_some).await.map(|agreed| agreed.clone());
        match agreed {
            Ok(agreed) => agreed.unwrap_or_default(),
            // The stream is over. `ended` says how.
            Err(_) => pending().await,
        }
    };
    tokio::select! {
        biased;
        agreed = agreed => StreamEvent::Acknowledged(agreed),
        outcome = &mut open.ended => StreamEvent::Ended(outcome),
    }
}

async fn wait_for_end(open: &mut Option<OpenStream>) -> Result<Success, RequestError> {
    match open {
        Some(open) => (&mut open.ended).await,
        None => pending().await,
    }
}

async fn sleep_until_some(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => pending().await,
    }
}

/// Keeps the wanted subscriptions open until the connection ends.
pub(crate) async fn keep_listening(wire: Arc<RequestSender>) {
    let (mut over, mut closed) = (wire.peer.subscriptions.stopping.subscribe(), wire.link.closed());
    tokio::select! {
        biased;
        _ = over.wait_for(|over| *over) => {}
        _ = closed.wait_for(Option::is_some) => {}
        () = ListenLoop::new(Arc::clone(&wire)).run_loop() => {}
    }
    // The streams are closed now, and the server is notified.
    wire.peer.subscriptions.ended.send_replace(true);
}

struct ListenLoop {
    wire: Arc<RequestSender>,
    /// The active stream.
    current: Option<OpenStream>,
    /// The stream that will replace the active stream.
    next: Option<OpenStream>,
    retry: Option<Instant>,
    backoff: Backoff,
    /// Set if changes may have been missed, because the active stream was lost.
    gap: bool,
}

impl ListenLoop {
    fn new(wire: Arc<RequestSender>) -> Self {
        Self { wire, current: None, next: None, retry: None, backoff: Backoff::default(), gap: false }
    }

    async fn run_loop(mut self) {
        let mut wanted = self.wire.peer.subscriptions.wanted.subscribe();
        wanted.mark_changed();
        loop {
            let patience = self.next.as_ref().map(|next| next.opened + self.wire.deadlines.idle);
            tokio::select! {
                biased;
                changed = wanted.changed() => match changed {
                    Ok(()) => {
                        let filter = wanted.borrow_and_update().clone();
                        self.apply_filter(filter);
                    }
                    Err(_) => return,
                },
                turn = next_event(&mut self.next) => match turn {
                    StreamEvent::Acknowledged(agreed) => self.promote_next(&agreed),
                    StreamEvent::Ended(outcome) => if self.handle_next_failed(&outcome) { return },
                },
                outcome = wait_for_end(&mut self.current) => if self.handle_current_lost(&outcome) { return },
                () = sleep_until_some(patience) => {
                    let next = self.next.take();
                    if next.is_some_and(|next| self.drop_tasks(&next.stream.requested)) {
                        continue;
                    }
                    self.give_up(say!("the server didn’t acknowledge it in time"));
                }
                () = sleep_until_some(self.retry) => {
                    let filter = wanted.borrow().clone();
                    self.open_stream(filter);
                }
            }
        }
    }

    fn set_status(&self, listening: ListenState, asked: SubscriptionFilter, agreed: SubscriptionFilter) {
        self.wire.peer.subscriptions.status.send_replace(ListenStatus {
            listening,
            requested: asked,
            acknowledged: agreed,
        });
    }

    fn apply_filter(&mut self, filter: SubscriptionFilter) {
        if filter.is_empty() {
            (self.current, self.next, self.retry) = (None, None, None);
            self.set_status(ListenState::Off, SubscriptionFilter::default(), SubscriptionFilter::default());
        } else {
            self.open_stream(filter);
        }
    }

    fn open_stream(&mut self, filter: SubscriptionFilter) {
        self.retry = None;
        if self.current.is_none() {
            self.set_status(ListenState::Connecting, filter.clone(), SubscriptionFilter::default());
        }
        self.next = Some(OpenStream::new(&self.wire, filter));
    }

    /// Stops subscribing to tasks after a stream with tasks failed. Returns true if `asked` had tasks.
    fn drop_tasks(&self, asked: &SubscriptionFilter) -> bool {
        let subscriptions = &self.wire.peer.subscriptions;
        if !asked.tasks.is_empty() {
            subscriptions.stop_watching_tasks();
        }
        !asked.tasks.is_empty()
    }

    /// Activates the next stream after its acknowledgement, which closes the previous stream.
    fn promote_next(&mut self, agreed: &SubscriptionFilter) {
        let Some(next) = self.next.take() else { return };
        let missing = next.stream.requested.missing_names(agreed);
        if !missing.is_empty() {
            let message = say!("no change notifications for: {names}", names = missing.join(", "));
            self.wire.link.diagnose(Diagnostic::new(
                DiagnosticCode::Missing,
                "subscriptions/listen",
                message,
            ));
        }
        self.set_status(ListenState::Live, next.stream.requested.clone(), agreed.clone());
        self.current = Some(next);
        if std::mem::take(&mut self.gap) {
            // Changes in between were not reported (SUB-10).
            self.wire.peer.notify_all_changed(&self.wire.link, agreed);
        }
    }

    /// Handles the end of a stream that was never acknowledged. Returns true if the connection is over.
    fn handle_next_failed(&mut self, outcome: &Result<Success, RequestError>) -> bool {
        let asked = self.next.take().map(|next| next.stream.requested.clone()).unwrap_or_default();
        if !matches!(outcome, Err(RequestError::Closed(_))) && self.drop_tasks(&asked) {
            return false;
        }
        if self.current.is_some() && !matches!(outcome, Err(RequestError::Closed(_))) {
            // The old stream stays open, but doesn't cover the new filter.
            let reason = end_reason(outcome);
            let agreed = self.wire.peer.subscriptions.status.borrow().acknowledged.clone();
            self.set_status(ListenState::Failed { reason }, asked, agreed);
            return false;
        }
        self.schedule_retry(outcome, asked)
    }

    /// Handles the end of the active stream. Returns true if the connection is over.
    fn handle_current_lost(&mut self, outcome: &Result<Success, RequestError>) -> bool {
        let Some(current) = self.current.take() else { return false };
        if current.opened.elapsed() >= STABLE_AFTER {
            self.backoff.reset();
        }
        self.gap = true;
        if self.next.is_some() {
            return matches!(outcome, Err(RequestError::Closed(_)));
        }
        self.schedule_retry(outcome, current.stream.requested.clone())
    }

    /// Decides what to do after the end of a stream. Returns true if the connection is over.
    fn schedule_retry(&mut self, outcome: &Result<Success, RequestError>, asked: SubscriptionFilter) -> bool {
        let again = match outcome {
            Err(RequestError::Closed(_)) => return true,
            // The server has no such stream (SUB-14).
            Err(RequestError::Rpc(error)) if error.code == -32601 => {
                self.set_status(ListenState::Unsupported, asked, SubscriptionFilter::default());
                return false;
            }
            Err(RequestError::Status { status: 404 | 405, .. }) => {
                self.set_status(ListenState::Unsupported, asked, SubscriptionFilter::default());
                return false;
            }
            // The stream was closed or lost. In both cases it can be reopened after a delay (SUB-08, SUB-10).
            Ok(_)
            | Err(
                RequestError::StreamEnded | RequestError::Unreachable { .. } | RequestError::Renewal { .. },
            ) => true,
            Err(RequestError::Status { status, .. }) => *status >= 500,
            Err(_) => false,
        };
        let wait = if again { self.backoff.next_scattered_delay() } else { None };
        if let Some(wait) = wait {
            self.retry = Some(Instant::now() + wait);
            self.set_status(
                ListenState::Waiting { until: SystemTime::now() + wait },
                asked,
                SubscriptionFilter::default(),
            );
        } else {
            self.set_status(
                ListenState::Failed { reason: end_reason(outcome) },
                asked,
                SubscriptionFilter::default(),
            );
            let message = say!("change notifications have ended; lists are read again only on request");
            self.wire.link.diagnose(Diagnostic::new(DiagnosticCode::Http, "subscriptions/listen", message));
        }
        false
    }

    fn give_up(&self, reason: Sentence) {
        let asked = self.wire.peer.subscriptions.wanted.borrow().clone();
        let agreed = self.wire.peer.subscriptions.status.borrow().acknowledged.clone();
        self.wire.link.diagnose(Diagnostic::new(
            DiagnosticCode::Missing,
            "subscriptions/listen",
            reason.clone(),
        ));
        self.set_status(ListenState::Failed { reason }, asked, agreed);
    }
}

fn end_reason(outcome: &Result<Success, RequestError>) -> Sentence {
    match outcome {
        Ok(_) => say!("the server ended it"),
        Err(error) => error.sentence(),
    }
}
