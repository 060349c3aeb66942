//! Takes the messages of a connection: answers what the session itself knows, and begins what a server has to do.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::answer::Answer;
use crate::message::{self, Message, RequestId, code, error_response, response};
use crate::outbox::Outbox;
use crate::requests;
use crate::revisions::{BATCH_REVISION, fit};
use crate::session::Session;
use crate::stateless;

/// Takes a message, or a batch of them. What is to be said because of it goes to `out`.
pub(crate) async fn receive(session: &Arc<Session>, text: &str, out: &Outbox) {
    if text.trim().is_empty() {
        return;
    }
    match message::batch(text) {
        Some(batch) if batch.is_empty() => {
            let refused = "Invalid Request: an empty batch";
            out.send(error_response(None, code::INVALID_REQUEST, refused, None));
        }
        Some(batch) if session.revision() == Some(BATCH_REVISION) => {
            for element in batch {
                receive_one(session, element.get(), out).await;
            }
        }
        Some(_) => {
            let refused = "Invalid Request: batches are part of revision 2025-03-26 only";
            out.send(error_response(None, code::INVALID_REQUEST, refused, None));
        }
        None => receive_one(session, text, out).await,
    }
}

async fn receive_one(session: &Arc<Session>, text: &str, out: &Outbox) {
    match message::parse(text) {
        Ok(Message::Request { id, method, params }) if stateless::names_version(params.as_deref()) => {
            begin_stateless(session, &id, &id, method, params, out);
        }
        Ok(Message::Request { id, method, params }) => begin(session, id, method, params, out).await,
        Ok(Message::Notification { method, params }) if method == "notifications/cancelled" => {
            if let Some(id) = message::cancelled(params.as_deref()) {
                session.running.cancel(&id);
            }
        }
        // There is nothing to do about any other.
        Ok(Message::Notification { .. }) => {}
        Ok(Message::Response { id, answer }) => session.asked.receive(&id, answer),
        Err(unreadable) => {
            out.send(error_response(None, unreadable.code, &unreadable.message, None));
        }
    }
}

/// Answers a request of the session era, or begins to.
async fn begin(
    session: &Arc<Session>,
    id: RequestId,
    method: String,
    params: Option<Box<RawValue>>,
    out: &Outbox,
) {
    match method.as_str() {
        "ping" => return out.send(response(&id, "{}")),
        "initialize" => return answer(out, &id, session.initialize(params.as_deref()).await),
        _ => {}
    }
    let Some(revision) = session.revision() else {
        let refused = "Invalid Request: initialize comes first";
        return out.send(error_response(Some(&id), code::INVALID_REQUEST, refused, None));
    };
    if method == "logging/setLevel" {
        return answer(out, &id, session.set_log_level(params.as_deref()));
    }
    let (working, exchange) = (Arc::clone(session), session.exchange(params.as_deref(), out));
    let work = async move {
        let params = params.as_deref();
        match method.as_str() {
            "resources/subscribe" => working.subscribe(params).await,
            "resources/unsubscribe" => working.unsubscribe(params).await,
            _ => requests::run(&exchange, &method, params).await.map(|result| fit(revision, &method, result)),
        }
    };
    let (to, of) = (out.clone(), id.clone());
    if let Err(refused) = session.running.run(&id, work, move |answered| answer(&to, &of, answered)) {
        answer(out, &id, Err(refused));
    }
}

/// Begins to answer a request that stands alone. `key`: by which it is cancelled.
pub(crate) fn begin_stateless(
    session: &Arc<Session>,
    key: &RequestId,
    id: &RequestId,
    method: String,
    params: Option<Box<RawValue>>,
    out: &Outbox,
) {
    let (stateless, working_out, of) = (Arc::clone(&session.stateless), out.clone(), id.clone());
    let work = async move { stateless.answer(&of, &method, params.as_deref(), &working_out).await };
    let (to, of) = (out.clone(), id.clone());
    let begun = session.running.run(key, work, move |answered| answer(&to, &of, answered));
    if let Err(refused) = begun {
        answer(out, id, Err(stateless::error(refused)));
    }
}

fn answer(out: &Outbox, id: &RequestId, answer: Answer) {
    out.send(match answer {
        Ok(result) => response(id, &result),
        Err(error) => error_response(Some(id), error.code, &error.message, error.data.as_deref()),
    });
}
