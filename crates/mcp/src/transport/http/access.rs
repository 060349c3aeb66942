//! What lets requests in: the login that the host keeps for a server, and is asked about when the server refuses it.

use std::sync::atomic::Ordering;

use futures_util::future::BoxFuture;
use mooring_words::Sentence;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Method, Request, RequestBuilder, Response, StatusCode};
use url::Url;

use crate::error::RequestError;
use crate::transport::http::HttpTransport;
use crate::transport::http::body::unreachable;

/// How often one request is sent at most while the login changes under it: once as it is, once with the token shown in
/// another way, once with a login that was made anew, once with that shown in the first way again, once with a nonce
/// that the server asks for.
const MOST_TRIES: u32 = 5;

/// Lets requests in at one server. The host has the logins; the engine only carries them.
///
/// Asked for every request, the streams and the farewell among them (AUTH-03). Never opens a browser.
pub trait Authorize: Send + Sync {
    /// The headers that let a request in; none where nothing is known of a login. Marked as sensitive.
    fn headers<'a>(
        &'a self,
        asked: AccessRequest<'a>,
    ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, Sentence>>;

    /// The server refused a request. Returns whether the login was renewed, so that the request is worth another try.
    fn on_refusal<'a>(&'a self, refusal: AccessRefusal<'a>) -> BoxFuture<'a, AccessRetry>;

    /// An answer that is no refusal. Its headers may hold something for the next request (RFC 9449 §8.2).
    fn on_response(&self, response: AccessResponse<'_>);
}

/// A request that is to be let in.
#[derive(Debug, Clone, Copy)]
pub struct AccessRequest<'a> {
    /// Its method.
    pub method: &'a Method,
    /// Where it goes.
    pub url: &'a Url,
}

/// A refusal: 401, or 403 with a challenge.
#[derive(Debug, Clone, Copy)]
pub struct AccessRefusal<'a> {
    /// What was refused.
    pub request: AccessRequest<'a>,
    /// 401 or 403.
    pub status: u16,
    /// `WWW-Authenticate`; several headers are one list.
    pub challenge: Option<&'a str>,
    /// All headers of the answer.
    pub headers: &'a HeaderMap,
    /// The value of `Authorization` that was refused; none where none was sent.
    pub authorization: Option<&'a HeaderValue>,
}

/// An answer that is no refusal, whatever became of the request.
#[derive(Debug, Clone, Copy)]
pub struct AccessResponse<'a> {
    /// What was answered.
    pub request: AccessRequest<'a>,
    /// The status.
    pub status: StatusCode,
    /// All headers of the answer.
    pub headers: &'a HeaderMap,
    /// The value of `Authorization` that was sent; none where none was.
    pub authorization: Option<&'a HeaderValue>,
}

/// Whether the login was renewed after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessRetry {
    /// There is: the request is sent again.
    Yes,
    /// There is not: the person has to sign in.
    No,
}

impl HttpTransport {
    /// Sends a request, with what lets it in, and again while that is renewed. One that `may_repeat` is sent once more
    /// where the connection that it took was closed before an answer began.
    pub(crate) async fn send(
        &self,
        request: RequestBuilder,
        may_repeat: bool,
    ) -> Result<Response, RequestError> {
        let request = request.build().map_err(|error| unreachable(&error, None))?;
        let Some(access) = &self.access else { return self.execute(request, may_repeat).await };
        let mut tries = 0;
        loop {
            tries += 1;
            // Bodies are bytes, which can be sent again.
            let Some(mut sent) = request.try_clone() else {
                return self.execute(request, may_repeat).await;
            };
            let asked = AccessRequest { method: request.method(), url: request.url() };
            let headers = access.headers(asked).await;
            for (name, value) in headers.map_err(|reason| RequestError::Renewal { reason })? {
                sent.headers_mut().insert(name, value);
            }
            let shown = sent.headers().get(reqwest::header::AUTHORIZATION).cloned();
            let response = self.execute(sent, may_repeat).await?;
            let status = response.status().as_u16();
            let challenge = challenge_of(&response);
            if !wants_sign_in(status, challenge.as_deref()) {
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

    async fn execute(&self, request: Request, may_repeat: bool) -> Result<Response, RequestError> {
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

/// `WWW-Authenticate` of an answer; several headers are as good as one with a list.
fn challenge_of(response: &Response) -> Option<String> {
    let challenges: Vec<_> = response
        .headers()
        .get_all(WWW_AUTHENTICATE)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    (!challenges.is_empty()).then(|| challenges.join(", "))
}

/// The error of an answer that says that somebody has to sign in; of any other, none.
pub(crate) fn sign_in(response: &Response) -> Option<RequestError> {
    let (status, challenge) = (response.status().as_u16(), challenge_of(response));
    wants_sign_in(status, challenge.as_deref()).then_some(RequestError::SignIn { status, challenge })
}

/// Whether an answer says that somebody has to sign in.
fn wants_sign_in(status: u16, challenge: Option<&str>) -> bool {
    status == StatusCode::UNAUTHORIZED || (status == StatusCode::FORBIDDEN && challenge.is_some())
}
