//! Authorization of requests, with the sign-in that the host manages for a server.

use std::sync::atomic::Ordering;

use futures_util::future::BoxFuture;
use mooring_words::Sentence;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Method, Request, RequestBuilder, Response, StatusCode};
use url::Url;

use crate::error::RequestError;
use crate::transport::http::HttpTransport;
use crate::transport::http::body::unreachable_error;

/// The most attempts to send one request: unchanged, with the token in another scheme, with a renewed token,
/// with the renewed token in the first scheme, and with a nonce that the server requires.
const MOST_TRIES: u32 = 5;

/// Authorizes requests to one server. The host manages the sign-ins.
///
/// Called for every request, including streams and the deletion of the session (AUTH-03). Implementations
/// never open a browser.
pub trait Authorize: Send + Sync {
    /// The headers that authorize a request, marked as sensitive. Empty if there is no sign-in.
    fn headers<'a>(
        &'a self,
        asked: AccessRequest<'a>,
    ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, Sentence>>;

    /// Called when a request is refused. Returns whether the authorization has changed, to send it again.
    fn on_refusal<'a>(&'a self, refusal: AccessRefusal<'a>) -> BoxFuture<'a, AccessRetry>;

    /// Called for every other response. Its headers may be needed for the next request (RFC 9449 §8.2).
    fn on_response(&self, response: AccessResponse<'_>);
}

/// A request to authorize.
#[derive(Debug, Clone, Copy)]
pub struct AccessRequest<'a> {
    /// The request's method.
    pub method: &'a Method,
    /// The request's URL.
    pub url: &'a Url,
}

/// A refusal: 401, or 403 with a challenge.
#[derive(Debug, Clone, Copy)]
pub struct AccessRefusal<'a> {
    /// The refused request.
    pub request: AccessRequest<'a>,
    /// 401 or 403.
    pub status: u16,
    /// The value of `WWW-Authenticate`. Several headers are joined to one list.
    pub challenge: Option<&'a str>,
    /// All headers of the response.
    pub headers: &'a HeaderMap,
    /// The refused value of `Authorization`. `None` if the request had no such header.
    pub authorization: Option<&'a HeaderValue>,
}

/// A response that does not refuse authorization, whether the request succeeded or not.
#[derive(Debug, Clone, Copy)]
pub struct AccessResponse<'a> {
    /// The request.
    pub request: AccessRequest<'a>,
    /// The status.
    pub status: StatusCode,
    /// All headers of the response.
    pub headers: &'a HeaderMap,
    /// The value of `Authorization` in the request. `None` if the request had no such header.
    pub authorization: Option<&'a HeaderValue>,
}

/// Whether the authorization has changed after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessRetry {
    /// Send the request again.
    Yes,
    /// Don't send the request again, because the person has to sign in.
    No,
}

impl HttpTransport {
    /// Sends an authorized request, and sends it again when its authorization changes. With `may_repeat`, the
    /// request is also repeated once if the connection was closed before a response.
    pub(crate) async fn send(
        &self,
        request: RequestBuilder,
        may_repeat: bool,
    ) -> Result<Response, RequestError> {
        let request = request.build().map_err(|error| unreachable_error(&error, None))?;
        let Some(access) = &self.access else { return self.execute_request(request, may_repeat).await };
        let mut tries = 0;
        loop {
            tries += 1;
            // Bodies are in memory, so they can be sent again.
            let Some(mut sent) = request.try_clone() else {
                return self.execute_request(request, may_repeat).await;
            };
            let asked = AccessRequest { method: request.method(), url: request.url() };
            let headers = access.headers(asked).await;
            for (name, value) in headers.map_err(|reason| RequestError::Renewal { reason })? {
                sent.headers_mut().insert(name, value);
            }
            let shown = sent.headers().get(reqwest::header::AUTHORIZATION).cloned();
            let response = self.execute_request(sent, may_repeat).await?;
            let status = response.status().as_u16();
            let challenge = read_challenge(&response);
            if !needs_sign_in(status, challenge.as_deref()) {
                access.on_response(AccessResponse {
                    request: asked,
                    status: response.status(),
                    headers: response.headers(),
                    authorization: shown.as_ref(),
                });
                return Ok(response);
            }
            if tries >= MOST_TRIES {
                return Ok(response);
            }
            let refusal = AccessRefusal {
                request: asked,
                status,
                challenge: challenge.as_deref(),
                headers: response.headers(),
                authorization: shown.as_ref(),
            };
            if access.on_refusal(refusal).await == AccessRetry::No {
                return Ok(response);
            }
        }
    }

    async fn execute_request(&self, request: Request, may_repeat: bool) -> Result<Response, RequestError> {
        let has_answered = self.has_answered.load(Ordering::Relaxed);
        let may_repeat = may_repeat && (has_answered || self.client.may_keep_connection(request.url()));
        let url = (!has_answered).then(|| request.url().clone());
        let response = self.client.execute(request, may_repeat).await?;
        if let Some(url) = url {
            self.client.note_answer(&url);
            self.has_answered.store(true, Ordering::Relaxed);
        }
        Ok(response)
    }
}

/// Reads `WWW-Authenticate` of a response. Several headers are joined to an equivalent list.
fn read_challenge(response: &Response) -> Option<String> {
    let challenges: Vec<_> = response
        .headers()
        .get_all(WWW_AUTHENTICATE)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    (!challenges.is_empty()).then(|| challenges.join(", "))
}

/// The error for a response that requires signing in. `None` for other responses.
pub(crate) fn sign_in_error(response: &Response) -> Option<RequestError> {
    let (status, challenge) = (response.status().as_u16(), read_challenge(response));
    needs_sign_in(status, challenge.as_deref()).then_some(RequestError::SignIn { status, challenge })
}

/// Whether a response requires signing in.
fn needs_sign_in(status: u16, challenge: Option<&str>) -> bool {
    status == StatusCode::UNAUTHORIZED || (status == StatusCode::FORBIDDEN && challenge.is_some())
}
