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
    AcceptedForms, Front, PROTOCOL_VERSION, Refused, TokenOwner, headers, json_response, read_first_message,
    refuse_request, send_events,
};
use crate::dispatch::{self, ReadMessage, Request};
use crate::http::sessions::HttpSession;
use crate::message::{self, error_response};
use crate::outbox::{Keep, Outbox};
use crate::recorded::AppLog;
use crate::stateless;

/// The next key of a request. The request's own id isn't used, because ids from different connections may be
/// equal.
static REQUESTS: AtomicU64 = AtomicU64::new(1);

/// Cancels a request when its connection is closed, because no one waits for the answer any more.
struct CancelRequest {
    session: Arc<HttpSession>,
    key: RequestId,
}

impl Drop for CancelRequest {
    fn drop(&mut self) {
        self.session.session.running.cancel_request(&self.key);
    }
}

/// Whether a message is stateless. Its `_meta` or its method shows that, or a header with a protocol version
/// without sessions.
pub(super) fn is_stateless(headers: &HeaderMap, read: Option<&ReadMessage>) -> bool {
    let header = headers.get(PROTOCOL_VERSION).map(|version| version.to_str().unwrap_or_default());
    let is_new = header.is_some_and(|version| !REVISIONS.contains(&version));
    is_new
        || read.is_some_and(|read| {
            read.head.version.is_some()
                || matches!(&read.message, Ok(Message::Request { method, .. }) if method == "server/discover")
        })
}

/// Answers a stateless message.
pub(super) async fn answer_stateless(
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
                .record_received(body.clone(), message::note_of(&message))
                .await;
            return Ok(StatusCode::ACCEPTED.into_response());
        }
        Ok(Message::Response { .. }) => {
            return Err(refuse_request(
                StatusCode::BAD_REQUEST,
                "Invalid Request: nobody asked for a response",
            ));
        }
        Err(unreadable) => {
            let answer = error_response(None, unreadable.code, &unreadable.message, None);
            return Err(Refused { status: StatusCode::BAD_REQUEST, answer });
        }
    };
    if let Some(refused) = front.refuse_unknown_server(only.as_ref()) {
        return Err(refused);
    }
    let (session, reading) = match front.sessions.stateless_session(&owner.app, only) {
        Ok(found) => found,
        Err(reason) => return Err(refuse_request(StatusCode::SERVICE_UNAVAILABLE, &reason)),
    };
    let view = &session.session.stateless.view;
    if let Err(error) = headers::check_headers(view, headers, &method, &params, &head).await {
        let answer = error_response(Some(&id), error.code, &error.message, error.data.as_deref());
        return Err(Refused { status: StatusCode::BAD_REQUEST, answer });
    }
    let is_known = stateless::knows_method(&method);
    let key = RequestId::from_text(&REQUESTS.fetch_add(1, Ordering::Relaxed).to_string());
    let (out, answers) = Outbox::new_recorded(Keep::Unread, &session.session.view.log);
    let request = Request { id, method, params, head, bytes: body.clone() };
    dispatch::begin_stateless_request(&session.session, &key, request, &out).await;
    drop(out);
    let held = (reading, CancelRequest { session, key });
    let mut reader = answers.replace_reader(None);
    let first = match tokio::time::timeout(forms.wait_time(), read_first_message(&mut reader, forms)).await {
        // The gateway has cancelled the request: the token was revoked, or the gateway is closing.
        Ok(None) => {
            let refused = refuse_request(StatusCode::SERVICE_UNAVAILABLE, "the request was cancelled");
            held.1.session.session.view.log.record_sent(&refused.answer).await;
            return Ok(refused.into_response());
        }
        Ok(first) => first,
        Err(_) => None,
    };
    Ok(match first {
        Some((_, answer)) if forms.json && response_id(&answer).is_some() => {
            json_response(choose_status(&answer, is_known), answer)
        }
        first => send_events(held, None, first, reader, false),
    })
}

/// The HTTP status of an answer (basic/transports/streamable-http). `is_known` says whether the gateway knows
/// the method. If only the server doesn't know it, its error is a regular answer.
fn choose_status(answer: &str, is_known: bool) -> StatusCode {
    match message::read_error_code(answer) {
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
