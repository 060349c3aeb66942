//! Takes the messages of a session: answers what the session itself knows, and begins what a server has to do.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::answer::Answer;
use crate::message::{self, Message, RequestId, code, error_response, response};
use crate::outbox::Outbox;
use crate::requests;
use crate::session::{BATCH_REVISION, Exchange, Session};

/// Takes a message, or a batch of them. What is to be said because of it goes to `out`.
pub(crate) async fn receive(session: &Arc<Session>, text: &str, out: &Outbox) {
    if text.trim().is_empty() {
        return;
    }
    let exchange = Exchange { session: Arc::clone(session), out: out.clone() };
    match message::batch(text) {
        Some(batch) if session.revision() == Some(BATCH_REVISION) => {
            for element in batch {
                receive_one(&exchange, element.get()).await;
            }
        }
        Some(_) => {
            let refused = "Invalid Request: batches are part of revision 2025-03-26 only";
            out.send(error_response(None, code::INVALID_REQUEST, refused, None));
        }
        None => receive_one(&exchange, text).await,
    }
}

async fn receive_one(exchange: &Exchange, text: &str) {
    let session = &exchange.session;
    match message::parse(text) {
        Ok(Message::Request { id, method, params }) => begin(exchange, id, method, params).await,
        Ok(Message::Notification { method, params }) if method == "notifications/cancelled" => {
            session.cancel(params.as_deref());
        }
        // There is nothing to do about any other.
        Ok(Message::Notification { .. }) => {}
        Ok(Message::Response { id, answer }) => session.asked.receive(&id, answer),
        Err(unreadable) => {
            exchange.out.send(error_response(None, unreadable.code, &unreadable.message, None));
        }
    }
}

/// Answers a request, or begins to.
async fn begin(exchange: &Exchange, id: RequestId, method: String, params: Option<Box<RawValue>>) {
    let Exchange { session, out } = exchange;
    match method.as_str() {
        "ping" => return out.send(response(&id, "{}")),
        "initialize" => return answer(out, &id, session.initialize(params.as_deref()).await),
        _ if session.revision().is_none() => {
            let refused = "Invalid Request: initialize comes first";
            return out.send(error_response(Some(&id), code::INVALID_REQUEST, refused, None));
        }
        "logging/setLevel" => return answer(out, &id, session.set_log_level(params.as_deref())),
        _ => {}
    }
    let working = exchange.clone();
    let work = async move { requests::run(&working, &method, params.as_deref()).await };
    let (to, of) = (out.clone(), id.clone());
    if let Err(refused) = session.run(&id, work, move |answered| answer(&to, &of, answered)) {
        answer(out, &id, Err(refused));
    }
}

fn answer(out: &Outbox, id: &RequestId, answer: Answer) {
    out.send(match answer {
        Ok(result) => response(id, &result),
        Err(error) => error_response(Some(id), error.code, &error.message, error.data.as_deref()),
    });
}
