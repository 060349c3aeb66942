//! Takes the messages of a connection: answers what the session itself knows, and begins what a server has to do.

use std::sync::Arc;

use bytes::Bytes;
use mooring_bridge::BATCH_REVISION;
use mooring_revisions::fit;
use mooring_shares::{SESSION_COST, SMALL_MESSAGE};
use serde_json::value::RawValue;

use crate::answer::{Answer, Failed};
use crate::message::{self, Message, RequestId, Unreadable, code, error_response, response};
use crate::outbox::Outbox;
use crate::recorded::{AskedFor, Note, Outgoing};
use crate::requests;
use crate::session::Session;
use crate::stateless;

/// What came.
enum Received {
    /// Nothing but spaces.
    Blank,
    Batch(Vec<Box<RawValue>>),
    One(ReadMessage),
}

/// One message, as far as it can be read.
struct ReadMessage {
    message: Result<Message, Unreadable>,
    /// It is a request that stands alone.
    is_alone: bool,
    /// The request that it takes back.
    cancelled: Option<RequestId>,
}

impl ReadMessage {
    fn new(text: &str) -> Self {
        let message = message::parse(text);
        let (is_alone, cancelled) = match &message {
            Ok(Message::Request { params, .. }) => (stateless::names_version(params.as_deref()), None),
            Ok(Message::Notification { method, params }) if method == "notifications/cancelled" => {
                (false, message::cancelled(params.as_deref()))
            }
            Ok(_) | Err(_) => (false, None),
        };
        Self { message, is_alone, cancelled }
    }
}

/// Reads on this thread what is small; other apps wait meanwhile, so that what is large is read on one of its own.
pub(crate) async fn read<T: Send + 'static>(
    bytes: &Bytes,
    read: impl FnOnce(&str) -> T + Send + 'static,
) -> Option<T> {
    let text = |bytes: &Bytes| std::str::from_utf8(bytes).map(read).ok();
    if bytes.len() <= SMALL_MESSAGE {
        return text(bytes);
    }
    let bytes = bytes.clone();
    // It is never aborted, and reading ends in an error rather than in a panic.
    tokio::task::spawn_blocking(move || text(&bytes)).await.ok().flatten()
}

/// Takes a message, or a batch of them. What is to be said because of it goes to `out`.
pub(crate) async fn receive(session: &Arc<Session>, bytes: Bytes, out: &Outbox) {
    let log = &session.view.log;
    let received = read(&bytes, |text| match message::elements(text) {
        _ if text.trim().is_empty() => Received::Blank,
        Some(batch) => Received::Batch(batch),
        None => Received::One(ReadMessage::new(text)),
    });
    match received.await {
        None => {
            log.received_unreadable(bytes, true).await;
            out.send(error_response(None, code::PARSE_ERROR, "Parse error: not UTF-8", None));
        }
        Some(Received::Blank) => {}
        Some(Received::One(message)) => receive_one(session, message, bytes, out).await,
        Some(Received::Batch(batch)) if batch.is_empty() => {
            log.received(bytes, Note::default()).await;
            let refused = "Invalid Request: an empty batch";
            out.send(error_response(None, code::INVALID_REQUEST, refused, None));
        }
        Some(Received::Batch(batch)) if session.revision() == Some(BATCH_REVISION) => {
            for element in batch {
                let bytes = Bytes::from(String::from(Box::<str>::from(element)));
                // Each counts as if it had come by itself.
                session.view.share.until_paid().await;
                session.view.share.charge(1, 0);
                let Some(message) = read(&bytes, ReadMessage::new).await else { continue };
                receive_one(session, message, bytes, out).await;
                tokio::task::yield_now().await;
            }
        }
        Some(Received::Batch(_)) => {
            log.received(bytes, Note::default()).await;
            let refused = "Invalid Request: batches are part of revision 2025-03-26 only";
            out.send(error_response(None, code::INVALID_REQUEST, refused, None));
        }
    }
}

/// Takes one message.
async fn receive_one(session: &Arc<Session>, read: ReadMessage, bytes: Bytes, out: &Outbox) {
    let log = &session.view.log;
    let ReadMessage { message, is_alone, cancelled } = read;
    match message {
        Ok(Message::Request { id, method, params }) if is_alone => {
            begin_stateless(session, &id, Request { id: id.clone(), method, params, bytes }, out).await;
        }
        Ok(Message::Request { id, method, params }) => {
            begin(session, Request { id, method, params, bytes }, out).await;
        }
        Ok(Message::Notification { method, .. }) => {
            let call = cancelled.as_ref().and_then(|id| session.running.call(id));
            if method == "notifications/roots/list_changed" {
                session.view.instances.forget_roots();
            }
            log.received(bytes, Note { method: Some(method.into()), call, ..Note::default() }).await;
            // There is nothing to do about any other.
            if let Some(id) = cancelled {
                session.running.cancel(&id);
            }
        }
        Ok(Message::Response { id, answer }) => {
            log.received(bytes, session.asked.note(&id, &answer, log)).await;
            session.asked.receive(&id, answer);
        }
        Err(unreadable) => {
            log.received_unreadable(bytes, unreadable.code == code::PARSE_ERROR).await;
            out.send(error_response(None, unreadable.code, &unreadable.message, None));
        }
    }
}

/// A request as it came.
pub(crate) struct Request {
    pub(crate) id: RequestId,
    pub(crate) method: String,
    pub(crate) params: Option<Box<RawValue>>,
    pub(crate) bytes: Bytes,
}

/// Answers a request of the session era, or begins to.
async fn begin(session: &Arc<Session>, request: Request, out: &Outbox) {
    let Request { id, method, params, bytes } = request;
    let call = session.view.name_call();
    let asked_for = AskedFor::new(id.get(), &method, params.as_deref(), &call);
    session.view.log.received(bytes, asked_for.note()).await;
    let reply = |answer| out.send(asked_for.answered(outgoing(&id, answer)));
    match method.as_str() {
        "ping" => return reply(Ok("{}".to_owned())),
        "initialize" => {
            session.view.share.charge(SESSION_COST, 0);
            return reply(session.initialize(params.as_deref()).await);
        }
        _ => {}
    }
    let Some(revision) = session.revision() else {
        let refused = "Invalid Request: initialize comes first";
        return reply(Err(Failed::new(code::INVALID_REQUEST, refused)));
    };
    if method == "logging/setLevel" {
        return reply(session.set_log_level(params.as_deref()).await);
    }
    let exchange = session.exchange(params.as_deref(), out, call, &asked_for);
    let working = Arc::clone(session);
    let work = async move {
        let params = params.as_deref();
        match method.as_str() {
            "resources/subscribe" => working.subscribe(&exchange, params).await,
            "resources/unsubscribe" => working.unsubscribe(params).await,
            _ => requests::run(&exchange, &method, params).await.map(|result| fit(revision, &method, result)),
        }
    };
    let (to, of, answers) = (out.clone(), id.clone(), asked_for.clone());
    let answered = move |answer| to.send(answers.answered(outgoing(&of, answer)));
    if let Err(refused) = session.running.run(&id, true, asked_for.call(), work, answered) {
        reply(Err(refused));
    }
}

/// Begins to answer a request that stands alone. `key`: by which it is cancelled.
pub(crate) async fn begin_stateless(session: &Arc<Session>, key: &RequestId, request: Request, out: &Outbox) {
    let Request { id, method, params, bytes } = request;
    // All rounds of a call are one call.
    let held = session.stateless.held_call(params.as_deref(), &session.view.log);
    let call = held.unwrap_or_else(|| session.view.name_call());
    let asked_for = AskedFor::new(id.get(), &method, params.as_deref(), &call);
    session.view.log.received(bytes, asked_for.note()).await;
    let number = asked_for.call();
    let is_awaited = method != stateless::LISTEN;
    let (stateless, working_out, of) = (Arc::clone(&session.stateless), out.clone(), id.clone());
    let work =
        async move { stateless.answer(&of, &method, params.as_deref(), &working_out, (call, number)).await };
    let (to, of, answers) = (out.clone(), id.clone(), asked_for.clone());
    let answered = move |answer| to.send(answers.answered(outgoing(&of, answer)));
    let begun = session.running.run(key, is_awaited, number, work, answered);
    if let Err(refused) = begun {
        out.send(asked_for.answered(outgoing(&id, Err(stateless::error(refused)))));
    }
}

fn outgoing(id: &RequestId, answer: Answer) -> Outgoing {
    match answer {
        Ok(result) => response(id, &result),
        Err(error) => error_response(Some(id), error.code, &error.message, error.data.as_deref()),
    }
}
