//! The life of one request: it takes a slot, is sent, and ends. Dropping its future cancels it.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use mooring_jsonrpc::JsonObject;
use mooring_words::{Sentence, say};
use reqwest::header::{HeaderName, HeaderValue};
use tokio::sync::SemaphorePermit;
use tokio::sync::mpsc::Permit;
use tokio::sync::mpsc::error::TrySendError;

use crate::additions::read_caller_meta;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::error::{CloseReason, Deadline, RequestError, RpcError};
use crate::headers;
use crate::inbound::{CallerAdditions, RequestCaller};
use crate::limits::{Deadlines, LimitKind};
use crate::link::MessageLink;
use crate::message::{ResponseBody, write};
use crate::outgoing::{ModernHeaders, OutgoingMessage, can_repeat};
use crate::raw_json::RawJson;
use crate::request::{CallOptions, Request, ResendReason, ResultKind, Success};
use crate::table::{NewEntry, ResponseReceiver, RpcResponse};
use crate::transport::http::HttpTransport;
use crate::transport::http::session_loss::{SessionLoss, is_unclear, loss_by_error};
use crate::wire::RequestSender;

/// Cancels a request at the server when its caller no longer waits.
struct CancelOnDrop<'a> {
    link: &'a MessageLink,
    id: u64,
    method: &'static str,
    augmented: bool,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        // A request for a task is not cancelled. The task is, once the response names it.
        if self.augmented {
            return;
        }
        if let Some(entry) = self.link.table.take_entry(self.id) {
            notify_cancelled(self.link, self.id, self.method, entry.caller, "the caller no longer waits");
        }
    }
}

/// Sends `notifications/cancelled` for a request, unless closing the exchange cancels it (CANC-06).
/// `initialize` is never cancelled (CANC-02).
pub(crate) fn notify_cancelled(
    link: &MessageLink,
    id: u64,
    method: &'static str,
    caller: Option<RequestCaller>,
    reason: &str,
) {
    if method == "initialize" || link.cancels_by_closing() {
        return;
    }
    let params = JsonObject::new().number("requestId", id).text("reason", reason);
    let cancelled = OutgoingMessage::notification("notifications/cancelled", Some(&params));
    link.post_message(OutgoingMessage { caller, ..cancelled });
}

/// The deadline of the ping that checks whether a session still exists.
const SESSION_PING_TIMEOUT: Duration = Duration::from_secs(5);

impl RequestSender {
    /// Sends one request and waits for its outcome. If the server has lost the session, opens a new session
    /// and repeats the request, provided that the request is safe to repeat or can't have run.
    pub(crate) async fn request(&self, request: &Request<'_>) -> Result<Success, RequestError> {
        self.wait_for_roots().await;
        if self.http.is_some() {
            let renewals = self.renewals();
            self.wait_for_renewal().await;
            if renewals != self.renewals() {
                request.options.check_may_resend(ResendReason::NewSession).await?;
            }
        }
        let Some(http) = &self.http else { return Box::pin(self.request_once(request)).await };
        let session = http.session();
        let outcome = Box::pin(self.request_once(request)).await;
        let acts = !can_repeat(request.method);
        let (error, loss) = match outcome {
            Err(RequestError::SessionLost { answer, is_certain, may_have_run }) => {
                (*answer, SessionLoss { is_certain, may_have_run })
            }
            Err(error) if session.id.is_some() => {
                let loss = match &error {
                    RequestError::Rpc(error) => loss_by_error(error, true, acts),
                    _ => None,
                };
                let unclear =
                    is_unclear(&error).then_some(SessionLoss { is_certain: false, may_have_run: true });
                match loss.or(unclear) {
                    Some(loss) => (error, loss),
                    None => return Err(error),
                }
            }
            outcome => return outcome,
        };
        let is_refused = if loss.is_certain { Some(true) } else { self.check_session(&error).await };
        let Some(is_whole) = is_refused else { return Err(error) };
        Box::pin(self.renew_session(http, session.generation)).await?;
        if acts && (loss.may_have_run || !is_whole) {
            let message = say!("a new session was opened; the call wasn’t repeated because it may have run");
            self.link.diagnose(Diagnostic::new(DiagnosticCode::Http, request.method, message));
            return Err(error);
        }
        request.options.check_may_resend(ResendReason::NewSession).await?;
        match Box::pin(self.request_once(request)).await {
            // A second loss is not retried.
            Err(RequestError::SessionLost { answer, .. }) => Err(*answer),
            outcome => outcome,
        }
    }

    /// Checks with a ping whether the session is gone, after the server refused a request without a clear
    /// reason. Returns `None` if the session still exists. Otherwise returns whether the request certainly
    /// did not run. A server that answers everything with an error may have started the request.
    async fn check_session(&self, error: &RequestError) -> Option<bool> {
        let wait = SESSION_PING_TIMEOUT.min(self.deadlines.idle);
        let options = CallOptions { idle: Some(wait), total: Some(wait), ..CallOptions::default() };
        match Box::pin(self.request_once(&Request { options, ..Request::new("ping", None) })).await {
            Err(RequestError::SessionLost { .. }) => Some(true),
            Err(RequestError::Rpc(ping)) if loss_by_error(&ping, true, false).is_some() => Some(true),
            Err(ping) if is_unclear(&ping) => {
                let (before, now) = (error.http_status(), ping.http_status());
                Some(before == now && before.is_some_and(|status| status < 500))
            }
            _ => None,
        }
    }

    pub(crate) async fn request_once(&self, request: &Request<'_>) -> Result<Success, RequestError> {
        let &Request {
            method,
            ref subject,
            params,
            ref options,
            ran_before,
            ref mirrored,
            probe,
            is_long_lived: standing,
            ref name,
            ref stream,
            augmented,
        } = request;
        let Deadlines { idle, total, .. } = self.deadlines;
        let (idle, total) = if standing {
            (Duration::MAX, Duration::MAX)
        } else {
            (options.idle.unwrap_or(idle), options.total.unwrap_or(total))
        };
        let place = if standing { None } else { Some(self.acquire_slot(total).await?) };
        let modern = probe || self.is_modern();
        let about = name.as_deref().or(subject.as_deref());
        let dressed = if modern { Some(build_modern_headers(about, mirrored)?) } else { None };
        let room = if self.http.is_none() { self.reserve_outbox(idle, total).await? } else { None };
        let entry = NewEntry {
            method,
            subject: subject.clone(),
            idle,
            total,
            progress: options.on_progress.clone(),
            log: options.on_log.clone(),
            stream: stream.clone(),
            augmented,
            caller: options.caller.clone(),
            trace: options.trace.clone(),
            ran_before,
        };
        let (id, waiting) = self.link.table.add_entry(entry)?;
        if let Some(trace) = &options.trace {
            trace.set_request(id);
        }
        let cancel = CancelOnDrop { link: &self.link, id, method, augmented };
        let additions = self.inbound.additions(options.caller.as_ref());
        let meta = if modern {
            self.build_meta(options.caller.as_ref(), &additions)
        } else {
            read_caller_meta(&additions)
        };
        let token = options.on_progress.is_some().then_some(id);
        let outgoing = OutgoingMessage {
            bytes: write::write_request(id, method, params, Some(&meta), token),
            method: Some(Cow::Borrowed(method)),
            id: Some(id.to_string().into()),
            subject: subject.clone(),
            outcome: None,
            caller: options.caller.clone(),
            modern: dressed,
        };
        let answer = match &self.http {
            Some(http)
                if augmented && self.detach_exchange(http, id, &outgoing, total.saturating_add(idle)) =>
            {
                to_response_result(waiting.await)
            }
            Some(http) => self.exchange_over_http(http, id, outgoing, waiting).await,
            None => {
                if let Some(room) = room {
                    room.send(Box::new(outgoing));
                }
                to_response_result(waiting.await)
            }
        };
        drop(cancel);
        drop(place);
        to_success(answer?)
    }

    /// Waits at most `longest` for a slot among the requests in flight, which may wait for a person.
    async fn acquire_slot(&self, longest: Duration) -> Result<SemaphorePermit<'_>, RequestError> {
        if let Ok(place) = self.in_flight.try_acquire() {
            return Ok(place);
        }
        self.link.note_limit(LimitKind::InFlight);
        let place = tokio::time::timeout(longest, self.in_flight.acquire()).await;
        let place = place.map_err(|_| RequestError::timeout(Deadline::Total, longest))?;
        place.map_err(|_| RequestError::Closed(CloseReason::Stopped))
    }

    /// Reserves room in the outbox before the request has a number. A request that is dropped here was never
    /// sent, so it is not cancelled (CANC-01). If the server reads nothing, this fails after the idle
    /// timeout. Returns `None` if the connection is over. The table then has the reason.
    async fn reserve_outbox(
        &self,
        idle: Duration,
        total: Duration,
    ) -> Result<Option<Permit<'_, Box<OutgoingMessage>>>, RequestError> {
        let outbox = self.link.outbox();
        match outbox.try_reserve() {
            Ok(room) => return Ok(Some(room)),
            Err(TrySendError::Closed(())) => return Ok(None),
            Err(TrySendError::Full(())) => {}
        }
        let (after, deadline) = if idle < total { (idle, Deadline::Idle) } else { (total, Deadline::Total) };
        let room = tokio::time::timeout(after, outbox.reserve()).await;
        Ok(room.map_err(|_| RequestError::timeout(deadline, after))?.ok())
    }

    /// Starts an exchange that continues without its caller, because its response names the task to cancel
    /// (CANC-08). Returns false if too many are running. The caller must then run it itself.
    fn detach_exchange(
        &self,
        http: &Arc<HttpTransport>,
        id: u64,
        outgoing: &OutgoingMessage,
        longest: Duration,
    ) -> bool {
        let mut outliving = self.detached_exchanges.lock().unwrap_or_else(PoisonError::into_inner);
        while outliving.try_join_next().is_some() {}
        if outliving.len() >= self.link.limits.in_flight {
            return false;
        }
        let (http, link, outgoing) = (Arc::clone(http), Arc::clone(&self.link), outgoing.clone());
        let mut closed = link.closed();
        outliving.spawn(async move {
            let exchange = tokio::time::timeout(longest, http.exchange(&link, outgoing, Some(id)));
            tokio::select! {
                outcome = exchange => if let Ok(Err(error)) = outcome {
                    link.table.fail(id, error);
                },
                _ = closed.wait_for(Option::is_some) => {}
            }
        });
        true
    }

    /// Sends a request whose response is ignored. `about` goes into its headers.
    pub(crate) fn send_unawaited(&self, method: &'static str, params: &JsonObject, about: &str) {
        let modern = if self.is_modern() { build_modern_headers(Some(about), &[]).ok() } else { None };
        let meta = modern.is_some().then(|| self.build_meta(None, &CallerAdditions::default()));
        self.link.send_unawaited(method, params, meta.as_ref(), modern);
    }

    async fn exchange_over_http(
        &self,
        http: &Arc<HttpTransport>,
        id: u64,
        outgoing: OutgoingMessage,
        mut waiting: ResponseReceiver,
    ) -> Result<RpcResponse, RequestError> {
        let exchange = async {
            // Boxed, because this is the largest part of the future, and calls over stdio don't need it.
            if let Err(error) = Box::pin(http.exchange(&self.link, outgoing, Some(id))).await {
                self.link.table.fail(id, error);
            }
        };
        tokio::select! {
            biased;
            outcome = &mut waiting => to_response_result(outcome),
            () = exchange => to_response_result(waiting.await),
        }
    }
}

fn to_response_result(
    outcome: Result<Result<RpcResponse, RequestError>, tokio::sync::oneshot::error::RecvError>,
) -> Result<RpcResponse, RequestError> {
    outcome.unwrap_or(Err(RequestError::Closed(CloseReason::Stopped)))
}

fn build_modern_headers(
    subject: Option<&str>,
    mirrored: &[(HeaderName, HeaderValue)],
) -> Result<ModernHeaders, RequestError> {
    let name = subject.map(headers::encode_header_value).transpose();
    let name = name.map_err(|reason| RequestError::Unsendable { reason })?;
    Ok(ModernHeaders { name, mirrored: mirrored.to_vec() })
}

fn to_success(answer: RpcResponse) -> Result<Success, RequestError> {
    let malformed = |reason: Sentence| RequestError::Malformed { reason };
    match answer.body {
        ResponseBody::Error(ref error) => {
            Err(RequestError::Rpc(RpcError::read(&String::from_utf8_lossy(error))))
        }
        ResponseBody::Result(result) => {
            let raw = RawJson::new(&result).map_err(malformed)?;
            let RpcResponse { id, diagnostics, elapsed, .. } = answer;
            Ok(Success { id, raw, diagnostics, elapsed, kind: ResultKind::Plain })
        }
    }
}
