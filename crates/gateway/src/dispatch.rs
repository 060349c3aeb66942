//! Dispatches the messages of a connection. The session answers some requests itself, and starts a task for
//! each request that needs a server.

use std::sync::Arc;

use bytes::Bytes;
use mooring_jsonrpc::{
    BATCH_REVISION, Message, Params, RequestId, Unreadable, cancelled, code, elements, parse,
};
use mooring_revisions::fit;
use mooring_shares::{SESSION_COST, SMALL_MESSAGE};
use serde_json::value::RawValue;

use crate::answer::{Answer, Failed};
use crate::head::RequestHead;
use crate::message::{error_response, response};
use crate::outbox::Outbox;
use crate::recorded::{AskedFor, Note, Outgoing};
use crate::session::Session;
use crate::{requests, stateless};

/// A message or a batch.
pub(crate) enum Received {
    Batch(Vec<Box<RawValue>>),
    One(ReadMessage),
}

impl Received {
    pub(crate) fn parse(text: &str) -> Self {
        match text.trim_start().starts_with('[').then(|| elements(text)).flatten() {
            Some(batch) => Self::Batch(batch.into_iter().map(ToOwned::to_owned).collect()),
            None => Self::One(ReadMessage::new(text)),
        }
    }

    /// The message, unless this is a batch.
    pub(crate) fn as_message(&self) -> Option<&ReadMessage> {
        match self {
            Self::One(message) => Some(message),
            Self::Batch(_) => None,
        }
    }
}

/// One message, parsed as far as possible.
pub(crate) struct ReadMessage {
    pub(crate) message: Result<Message, Unreadable>,
    /// The head of a request. Empty for other messages.
    pub(crate) head: RequestHead,
}

impl ReadMessage {
    fn new(text: &str) -> Self {
        let message = parse(text);
        let head = match &message {
            Ok(Message::Request { params: Some(params), .. }) => RequestHead::of(params),
            Ok(_) | Err(_) => RequestHead::default(),
        };
        Self { message, head }
    }

    /// The error for a batch where only a single message is allowed.
    pub(crate) fn unexpected_batch() -> Self {
        let message = "Invalid Request: the message has to be an object".to_owned();
        Self {
            message: Err(Unreadable { code: code::INVALID_REQUEST, message }),
            head: RequestHead::default(),
        }
    }
}

/// Parses a small message on this thread. A large message is parsed on a separate thread, because other apps
/// would have to wait. `None` if the bytes aren't UTF-8.
pub(crate) async fn parse_text<T: Send + 'static>(
    bytes: &Bytes,
    read: impl FnOnce(&str) -> T + Send + 'static,
) -> Option<T> {
    let text = |bytes: &Bytes| std::str::from_utf8(bytes).map(read).ok();
    if bytes.len() <= SMALL_MESSAGE {
        return text(bytes);
    }
    let bytes = bytes.clone();
    // The task is never aborted, and text that can't be parsed is an error, not a panic.
    tokio::task::spawn_blocking(move || text(&bytes)).await.ok().flatten()
}

/// Receives a line from an app: a message, a batch, or nothing.
pub(crate) async fn receive_line(session: &Arc<Session>, bytes: Bytes, out: &Outbox) {
    if bytes.trim_ascii().is_empty() {
        return;
    }
    if let Some(received) = parse_text(&bytes, Received::parse).await {
        receive_all(session, received, bytes, out).await;
    } else {
        session.view.log.record_unreadable(bytes, true).await;
        out.send(error_response(None, code::PARSE_ERROR, "Parse error: not UTF-8", None));
    }
}

/// Receives a message or a batch. Answers go to `out`.
pub(crate) async fn receive_all(session: &Arc<Session>, received: Received, bytes: Bytes, out: &Outbox) {
    let log = &session.view.log;
    match received {
        Received::One(message) => receive_message(session, message, bytes, out).await,
        Received::Batch(batch) if batch.is_empty() => {
            log.record_received(bytes, Note::default()).await;
            let refused = "Invalid Request: an empty batch";
            out.send(error_response(None, code::INVALID_REQUEST, refused, None));
        }
        Received::Batch(batch) if session.revision() == Some(BATCH_REVISION) => {
            for element in batch {
                let bytes = Bytes::from(String::from(Box::<str>::from(element)));
                // Each element counts as a separate message.
                session.view.share.until_paid().await;
                session.view.share.charge(1, 0);
                let Some(message) = parse_text(&bytes, ReadMessage::new).await else { continue };
                receive_message(session, message, bytes, out).await;
                tokio::task::yield_now().await;
            }
        }
        Received::Batch(_) => {
            log.record_received(bytes, Note::default()).await;
            let refused = "Invalid Request: batches are part of revision 2025-03-26 only";
            out.send(error_response(None, code::INVALID_REQUEST, refused, None));
        }
    }
}

/// Receives one message.
async fn receive_message(session: &Arc<Session>, read: ReadMessage, bytes: Bytes, out: &Outbox) {
    let log = &session.view.log;
    let ReadMessage { message, head } = read;
    match message {
        Ok(Message::Request { id, method, params }) => {
            let params = params.unwrap_or_else(Params::empty);
            let request = Request { id, method, params, head, bytes };
            if request.head.version.is_some() {
                let key = request.id.clone();
                begin_stateless_request(session, &key, request, out).await;
            } else {
                begin_request(session, request, out).await;
            }
        }
        Ok(Message::Notification { method, params }) => {
            let is_cancellation = method == "notifications/cancelled";
            let cancelled =
                params.as_ref().filter(|_| is_cancellation).and_then(|params| cancelled(Some(params)));
            let call = cancelled.as_ref().and_then(|id| session.running.call_number(id));
            match method.as_str() {
                "notifications/roots/list_changed" => {
                    session.view.instances.forget_roots();
                    session.view.may_have_moved.notify_one();
                }
                "notifications/initialized" => session.view.may_have_moved.notify_one(),
                _ => {}
            }
            log.record_received(bytes, Note { method: Some(method.into()), call, ..Note::default() }).await;
            // Other notifications have no effect.
            if let Some(id) = cancelled {
                session.running.cancel_request(&id);
            }
        }
        Ok(Message::Response { id, answer }) => {
            log.record_received(bytes, session.asked.note(&id, &answer, log)).await;
            session.asked.receive(&id, answer);
        }
        Err(unreadable) => {
            log.record_unreadable(bytes, unreadable.code == code::PARSE_ERROR).await;
            out.send(error_response(None, unreadable.code, &unreadable.message, None));
        }
    }
}

/// A request, and the bytes that it was read from.
pub(crate) struct Request {
    pub(crate) id: RequestId,
    pub(crate) method: String,
    pub(crate) params: Params,
    pub(crate) head: RequestHead,
    pub(crate) bytes: Bytes,
}

/// Answers a request of the session era, or starts to work on it.
async fn begin_request(session: &Arc<Session>, request: Request, out: &Outbox) {
    let Request { id, method, params, head, bytes } = request;
    let call = session.view.name_call();
    let asked_for = AskedFor::new(id.get(), &method, head.subject.as_deref(), &call);
    session.view.log.record_received(bytes, asked_for.note()).await;
    let reply = |answer| out.send(asked_for.note_answer(to_response(&id, answer)));
    match method.as_str() {
        "ping" => return reply(Ok("{}".to_owned())),
        "initialize" => {
            session.view.share.charge(SESSION_COST, 0);
            return reply(session.initialize(&params).await);
        }
        _ => {}
    }
    let Some(revision) = session.revision() else {
        let refused = "Invalid Request: initialize comes first";
        return reply(Err(Failed::new(code::INVALID_REQUEST, refused)));
    };
    if method == "logging/setLevel" {
        return reply(session.set_log_level(&params).await);
    }
    let exchange = session.new_exchange(&head, out, call, &asked_for);
    let working = Arc::clone(session);
    let work = async move {
        match method.as_str() {
            "resources/subscribe" => working.subscribe(&exchange, &params).await,
            "resources/unsubscribe" => working.unsubscribe(&params).await,
            _ => requests::run(&exchange, &method, params).await.map(|result| fit(revision, &method, result)),
        }
    };
    let (to, of, answers) = (out.clone(), id.clone(), asked_for.clone());
    let answered = move |answer| to.send(answers.note_answer(to_response(&of, answer)));
    if let Err(refused) = session.running.start_request(&id, true, asked_for.call_number(), work, answered) {
        reply(Err(refused));
    }
}

/// Starts to work on a stateless request. `key` is the id by which the request can be cancelled.
pub(crate) async fn begin_stateless_request(
    session: &Arc<Session>,
    key: &RequestId,
    request: Request,
    out: &Outbox,
) {
    let Request { id, method, params, head, bytes } = request;
    // A further round of a request continues the call of the first round.
    let held = session.stateless.find_held_call(&params, head.state.as_deref(), &session.view.log);
    let call = held.unwrap_or_else(|| session.view.name_call());
    let asked_for = AskedFor::new(id.get(), &method, head.subject.as_deref(), &call);
    session.view.log.record_received(bytes, asked_for.note()).await;
    let number = asked_for.call_number();
    let is_awaited = method != stateless::LISTEN;
    let (stateless, working_out, of) = (Arc::clone(&session.stateless), out.clone(), id.clone());
    let work = async move {
        stateless.answer_request(&of, &method, (params, head), &working_out, (call, number)).await
    };
    let (to, of, answers) = (out.clone(), id.clone(), asked_for.clone());
    let answered = move |answer| to.send(answers.note_answer(to_response(&of, answer)));
    let begun = session.running.start_request(key, is_awaited, number, work, answered);
    if let Err(refused) = begun {
        out.send(asked_for.note_answer(to_response(&id, Err(stateless::convert_error(refused)))));
    }
}

fn to_response(id: &RequestId, answer: Answer) -> Outgoing {
    match answer {
        Ok(result) => response(id, &result),
        Err(error) => error_response(Some(id), error.code, &error.message, error.data.as_deref()),
    }
}
