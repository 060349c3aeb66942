//! Takes the messages of a connection: answers what the session itself knows, and begins what a server has to do.

use std::sync::Arc;

use bytes::Bytes;
use mooring_bridge::BATCH_REVISION;
use serde_json::value::RawValue;

use crate::answer::{Answer, Failed};
use crate::message::{self, Message, RequestId, code, error_response, response};
use crate::outbox::Outbox;
use crate::recorded::{AskedFor, Note, Outgoing};
use crate::requests;
use crate::revisions::fit;
use crate::session::Session;
use crate::stateless;

/// Takes a message, or a batch of them. What is to be said because of it goes to `out`.
pub(crate) async fn receive(session: &Arc<Session>, bytes: Bytes, out: &Outbox) {
    let log = &session.view.log;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        log.received_unreadable(bytes, true).await;
        return out.send(error_response(None, code::PARSE_ERROR, "Parse error: not UTF-8", None));
    };
    if text.trim().is_empty() {
        return;
    }
    match message::batch(text) {
        Some(batch) if batch.is_empty() => {
            log.received(bytes, Note::default()).await;
            let refused = "Invalid Request: an empty batch";
            out.send(error_response(None, code::INVALID_REQUEST, refused, None));
        }
        Some(batch) if session.revision() == Some(BATCH_REVISION) => {
            for element in batch {
                receive_one(session, Bytes::from(String::from(Box::<str>::from(element))), out).await;
            }
        }
        Some(_) => {
            log.received(bytes, Note::default()).await;
            let refused = "Invalid Request: batches are part of revision 2025-03-26 only";
            out.send(error_response(None, code::INVALID_REQUEST, refused, None));
        }
        None => receive_one(session, bytes, out).await,
    }
}

/// Takes one message, which is UTF-8.
async fn receive_one(session: &Arc<Session>, bytes: Bytes, out: &Outbox) {
    let log = &session.view.log;
    match message::parse(std::str::from_utf8(&bytes).unwrap_or_default()) {
        Ok(Message::Request { id, method, params }) if stateless::names_version(params.as_deref()) => {
            begin_stateless(session, &id, Request { id: id.clone(), method, params, bytes }, out).await;
        }
        Ok(Message::Request { id, method, params }) => {
            begin(session, Request { id, method, params, bytes }, out).await;
        }
        Ok(Message::Notification { method, params }) => {
            let cancelled =
                message::cancelled(params.as_deref()).filter(|_| method == "notifications/cancelled");
            let call = cancelled.as_ref().and_then(|id| session.running.call(id));
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
        "initialize" => return reply(session.initialize(params.as_deref()).await),
        _ => {}
    }
    let Some(revision) = session.revision() else {
        let refused = "Invalid Request: initialize comes first";
        return reply(Err(Failed::new(code::INVALID_REQUEST, refused)));
    };
    if method == "logging/setLevel" {
        return reply(session.set_log_level(params.as_deref()));
    }
    let exchange = session.exchange(params.as_deref(), out, call, &asked_for);
    let working = Arc::clone(session);
    let work = async move {
        let params = params.as_deref();
        match method.as_str() {
            "resources/subscribe" => working.subscribe(params).await,
            "resources/unsubscribe" => working.unsubscribe(params).await,
            _ => requests::run(&exchange, &method, params).await.map(|result| fit(revision, &method, result)),
        }
    };
    let (to, of, answers) = (out.clone(), id.clone(), asked_for.clone());
    let answered = move |answer| to.send(answers.answered(outgoing(&of, answer)));
    if let Err(refused) = session.running.run(&id, asked_for.call(), work, answered) {
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
    let (stateless, working_out, of) = (Arc::clone(&session.stateless), out.clone(), id.clone());
    let work =
        async move { stateless.answer(&of, &method, params.as_deref(), &working_out, (call, number)).await };
    let (to, of, answers) = (out.clone(), id.clone(), asked_for.clone());
    let answered = move |answer| to.send(answers.answered(outgoing(&of, answer)));
    let begun = session.running.run(key, number, work, answered);
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
