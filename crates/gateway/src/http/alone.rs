//! Stateless requests over HTTP (protocol version 2026-07-28). There is no session, and closing the
//! connection cancels the request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use mooring_jsonrpc::{Message, Params, RequestId, code, response_id};
use mooring_revisions::REVISIONS;

use super::{
    AcceptedForms, Front, PROTOCOL_VERSION, Refused, TokenOwner, first_message, headers, json, refused,
    stream_of,
};
use crate::dispatch::{self, ReadMessage, Request};
use crate::http::sessions::HttpSession;
use crate::message::{self, error_response};
use crate::outbox::{Keep, Outbox};
use crate::recorded::AppLog;
use crate::stateless;

/// The next key of a request. Ids from different connections may be equal.
static REQUESTS: AtomicU64 = AtomicU64::new(1);

/// Cancels a request when its connection is closed, because no one waits for the answer any more.
struct CancelRequest {
    session: Arc<HttpSession>,
    key: RequestId,
}

impl Drop for CancelRequest {
    fn drop(&mut self) {
        self.session.session.running.cancel(&self.key);
    }
}

/// Whether a message is stateless: its body or method shows it, or a header with a version that has no
/// sessions.
pub(super) fn is_meant(headers: &HeaderMap, read: Option<&ReadMessage>) -> bool {
    let header = headers.get(PROTOCOL_VERSION).map(|version| version.to_str().unwrap_or_default());
    let is_new = header.is_some_and(|version| !REVISIONS.contains(&version));
    is_new
        || read.is_some_and(|read| {
            read.head.version.is_some()
                || matches!(&read.message, Ok(Message::Request { method, .. }) if method == "server/discover")
        })
}

/// Answers a stateless message.
pub(super) async fn receive(
    front: &Front,
    owner: &TokenOwner,
    only: Option<String>,
    (headers, forms): (&HeaderMap, AcceptedForms),
    ReadMessage { message, head, .. }: ReadMessage,
    body: &Bytes,
) -> Result<Response, Refused> {
    let (id, method, params) = match message {
        Ok(Message::Request { id, method, params }) => (id, method, params.unwrap_or_else(Params::empty)),
        // Nothing to do: closing the connection cancels a request.
        Ok(message @ Message::Notification { .. }) => {
            AppLog::new(&front.host, &owner.app.name, &owner.share)
                .received(body.clone(), message::note(&message))
                .await;
            return Ok(StatusCode::ACCEPTED.into_response());
        }
        Ok(Message::Response { .. }) => {
            return Err(refused(StatusCode::BAD_REQUEST, "Invalid Request: nobody asked for a response"));
        }
        Err(unreadable) => {
            let answer = error_response(None, unreadable.code, &unreadable.message, None);
            return Err(Refused { status: StatusCode::BAD_REQUEST, answer });
        }
    };
    if let Some(refused) = front.unknown_server(only.as_ref()) {
        return Err(refused);
    }
    let (session, reading) = match front.sessions.alone(&owner.app, only) {
        Ok(found) => found,
        Err(reason) => return Err(refused(StatusCode::SERVICE_UNAVAILABLE, &reason)),
    };
    let view = &session.session.stateless.view;
    if let Err(error) = headers::check(view, headers, &method, &params, &head).await {
        let answer = error_response(Some(&id), error.code, &error.message, error.data.as_deref());
        return Err(Refused { status: StatusCode::BAD_REQUEST, answer });
    }
    let is_known = stateless::knows(&method);
    let key = RequestId::from_text(&REQUESTS.fetch_add(1, Ordering::Relaxed).to_string());
    let (out, answers) = Outbox::recorded(Keep::Unread, &session.session.view.log);
    let request = Request { id, method, params, head, bytes: body.clone() };
    dispatch::begin_stateless(&session.session, &key, request, &out).await;
    drop(out);
    let held = (reading, CancelRequest { session, key });
    let mut reader = answers.reader(None);
    let first = match tokio::time::timeout(forms.wait(), first_message(&mut reader, forms)).await {
        // The gateway has cancelled it: the token was revoked, or the gateway is closing.
        Ok(None) => {
            let refused = refused(StatusCode::SERVICE_UNAVAILABLE, "the request was cancelled");
            held.1.session.session.view.log.sent(&refused.answer).await;
            return Ok(refused.into_response());
        }
        Ok(first) => first,
        Err(_) => None,
    };
    Ok(match first {
        Some((_, answer)) if forms.json && response_id(&answer).is_some() => {
            json(status(&answer, is_known), answer)
        }
        first => stream_of(held, None, first, reader, false),
    })
}

/// The HTTP status of an answer (basic/transports/streamable-http). If only the server doesn't know the
/// method, that is a regular answer.
fn status(answer: &str, is_known: bool) -> StatusCode {
    match message::error_code(answer) {
        Some(code::METHOD_NOT_FOUND) if !is_known => StatusCode::NOT_FOUND,
        Some(
            code::HEADER_MISMATCH
            | code::MISSING_CAPABILITY
            | code::UNSUPPORTED_VERSION
            | code::INVALID_PARAMS,
        ) => StatusCode::BAD_REQUEST,
        Some(_) | None => StatusCode::OK,
    }
}
