//! The HTTP client for all requests of a sign-in.
//!
//! - It connects only to addresses within its [`NetworkReach`]. Names are checked when they are resolved for
//!   a connection, and IP addresses in URLs before that. It uses https, and http only to this machine.
//! - It follows no redirects, except for metadata within its origin.
//! - The size of bodies is limited, and they are never decompressed. Each exchange has a deadline.
//! - If a proxy is set, all requests except those to this machine go through it. The proxy resolves names. It
//!   belongs to the person, and decides itself which requests it allows. IP addresses in URLs are still
//!   checked, and so are names that this machine can resolve. The proxy itself may have any address.

use crate::error::Error;
use crate::json_fields::{quote_excerpt, read_error_description, sanitize};
use crate::reach::{NetworkReach, is_loopback};
use crate::resolver::{FilteredResolver, OutOfReach, SystemResolver};
use crate::steps::{PendingStep, Purpose, StepObserver};
use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderValue, Method};
use mooring_network::{Network, NetworkClient, Proxy, certificate_problem};
use mooring_words::{Sentence, say};
use reqwest::dns::Resolve;
use serde_json::{Map, Value};
use std::error::Error as _;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};

/// A request.
#[derive(Debug)]
pub struct Request {
    /// The purpose.
    pub purpose: Purpose,
    /// The method.
    pub method: Method,
    /// The URL.
    pub url: Url,
    /// Headers besides those that every request has. Secret values are marked as sensitive.
    pub headers: HeaderMap,
    /// The body. Empty for none.
    pub body: Bytes,
}

/// A response with any status.
#[derive(Debug)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, at most [`Http::MOST_BYTES`].
    pub body: Bytes,
}

impl Response {
    /// Whether the body is a web page, according to its content type or to its first characters.
    pub fn is_html(&self) -> bool {
        let kind = self.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let begin = self.body.trim_ascii_start().get(..14).unwrap_or_default().to_ascii_lowercase();
        kind.trim_start().to_ascii_lowercase().starts_with("text/html")
            || begin.starts_with(b"<!doctype html")
            || begin.starts_with(b"<html")
    }

    /// Whether the server is temporarily unable to answer any request.
    pub(crate) fn is_temporary_failure(&self) -> bool {
        matches!(self.status, 408 | 425 | 429 | 500..)
    }

    /// The shortened message of an error response. This is the reason in a JSON body, or else the body
    /// itself, unless it is a web page.
    pub(crate) fn error_text(&self) -> Option<String> {
        if self.is_html() {
            return None;
        }
        let read = serde_json::from_slice(&self.body);
        let words = match &read {
            Ok(Value::Object(document)) => read_error_description(document)?,
            Ok(Value::String(words)) => words,
            Ok(_) => return None,
            Err(_) => std::str::from_utf8(&self.body).ok()?,
        };
        // Join lines, and remove characters that are not text.
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(words)
            .filter(|words| !words.is_empty() && !words.contains('\0'))
            .map(|text| sanitize(&text, 300))
    }

    /// The error for a temporary failure of the server.
    pub(crate) fn temporary_failure_error(&self, host: &str) -> Error {
        let (host, status) = (quote_excerpt(host), self.status.to_string());
        Error::Unreachable(match self.error_text() {
            Some(words) => {
                say!("{host} failed with HTTP status {status}: “{words}”", host, status, words)
            }
            None => say!("{host} failed with HTTP status {status}", host, status),
        })
    }

    /// The body as a JSON object, or why it isn't one.
    pub fn json_object(&self) -> Result<Map<String, Value>, Sentence> {
        if self.is_html() {
            return Err(say!("it is a web page, not JSON"));
        }
        match serde_json::from_slice(&self.body) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(_) => Err(say!("it is JSON, but not an object")),
            Err(error) => Err(say!("it isn’t JSON: {error}", error = error.to_string())),
        }
    }
}

/// The client. Cheap to clone.
#[derive(Clone)]
pub struct Http {
    reach: NetworkReach,
    resolver: Arc<dyn Resolve>,
    direct: NetworkClient,
    deadline: Duration,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("reach", &self.reach).finish_non_exhaustive()
    }
}

impl Http {
    /// The most bytes of a body.
    pub const MOST_BYTES: usize = 1024 * 1024;
    /// The deadline of one exchange, including redirects.
    pub const DEADLINE: Duration = Duration::from_secs(30);
    /// The deadline for connecting.
    const CONNECT: Duration = Duration::from_secs(10);
    /// The deadline for resolving a name that a proxy will resolve again.
    const LOOK_UP: Duration = Duration::from_secs(2);
    /// The most redirects that are followed, all within one origin.
    const MOST_REDIRECTS: usize = 3;

    /// A client that may reach the networks of `reach`.
    pub fn new(network: &Network, reach: NetworkReach) -> Self {
        Self::with_resolver(network, reach, Arc::new(SystemResolver))
    }

    /// A client that resolves names with `names`. The addresses are checked anyway.
    pub fn with_resolver(network: &Network, reach: NetworkReach, names: Arc<dyn Resolve>) -> Self {
        let filtered = Arc::new(FilteredResolver { reach, inner: Arc::clone(&names) });
        let direct = NetworkClient::without_proxy(network, move |builder| {
            configure_client(builder).dns_resolver(Arc::clone(&filtered))
        });
        Self { reach, resolver: names, direct, deadline: Self::DEADLINE }
    }

    /// The networks that the client may reach.
    pub fn reach(&self) -> NetworkReach {
        self.reach
    }

    /// Sends a request and reads its response. Reports to the trail what was found, or why the response can't
    /// be used.
    pub async fn ask<T>(
        &self,
        trail: &StepObserver,
        request: Request,
        read: impl FnOnce(Response) -> Result<(T, Sentence), Error>,
    ) -> Result<T, Error> {
        let mut asked = PendingStep::new(request.purpose, &request.url);
        let read = match self.send(request).await {
            Ok(response) => {
                asked.set_status(response.status);
                read(response)
            }
            Err(error) => Err(error),
        };
        match read {
            Ok((value, found)) => {
                asked.finish(trail, true, found);
                Ok(value)
            }
            Err(error) => {
                asked.finish(trail, false, error.sentence().clone());
                Err(error)
            }
        }
    }

    /// Sends a request and reads the whole response. A redirect is a response like any other.
    pub async fn send(&self, request: Request) -> Result<Response, Error> {
        let host = host_of(&request.url);
        let exchange = tokio::time::timeout(self.deadline, self.exchange_messages(&host, request)).await;
        exchange.unwrap_or_else(|_| Err(timeout_error(&host)))
    }

    /// Gets a metadata document. Follows redirects within its origin.
    pub async fn get(&self, purpose: Purpose, url: Url, headers: HeaderMap) -> Result<Response, Error> {
        let host = host_of(&url);
        let following =
            tokio::time::timeout(self.deadline, self.follow_redirects(&host, purpose, url, headers)).await;
        following.unwrap_or_else(|_| Err(timeout_error(&host)))
    }

    async fn follow_redirects(
        &self,
        host: &str,
        purpose: Purpose,
        mut url: Url,
        headers: HeaderMap,
    ) -> Result<Response, Error> {
        for _ in 0..=Self::MOST_REDIRECTS {
            let request = Request {
                purpose,
                method: Method::GET,
                url: url.clone(),
                headers: headers.clone(),
                body: Bytes::new(),
            };
            let response = self.exchange_messages(host, request).await?;
            if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
                return Ok(response);
            }
            let to = response.headers.get(LOCATION).and_then(|to| to.to_str().ok());
            let Some(to) = to.and_then(|to| url.join(to).ok()) else {
                return Err(Error::Refused(say!("{host} redirects to nowhere", host = host)));
            };
            if to.origin() != url.origin() {
                return Err(Error::Refused(say!(
                    "{host} redirects to another origin, {other}, and that isn’t followed",
                    host = host,
                    other = to.origin().ascii_serialization()
                )));
            }
            url = to;
        }
        Err(Error::Refused(say!("{host} redirects again and again", host = host)))
    }

    async fn exchange_messages(&self, host: &str, request: Request) -> Result<Response, Error> {
        self.check_url(host, &request.url)?;
        let client = match self.direct.network().proxy(&request.url) {
            Some(proxy) => {
                self.check_name(host, &request.url).await?;
                self.build_proxy_client(&proxy)
            }
            None => self.direct.get(),
        };
        let client = client.map_err(to_client_error)?;
        let mut asking = client.request(request.method, request.url).headers(request.headers);
        if !request.body.is_empty() {
            asking = asking.body(request.body);
        }
        let mut answer = asking.send().await.map_err(|error| to_request_error(host, &error))?;
        let mut body = BytesMut::new();
        while let Some(piece) = answer.chunk().await.map_err(|error| to_request_error(host, &error))? {
            if body.len() + piece.len() > Self::MOST_BYTES {
                return Err(Error::Refused(say!("the answer of {host} is longer than 1 MiB", host = host)));
            }
            body.extend_from_slice(&piece);
        }
        Ok(Response {
            status: answer.status().as_u16(),
            headers: answer.headers().clone(),
            body: body.freeze(),
        })
    }

    /// Checks the URL itself. Names are checked when they are resolved.
    fn check_url(&self, host: &str, url: &Url) -> Result<(), Error> {
        let secure = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(url));
        if !secure {
            return Err(Error::Refused(say!("{host} is contacted over https only", host = host)));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::Refused(say!("the URL at {host} contains a user name", host = host)));
        }
        if !self.reach.allows_host(url) {
            return Err(out_of_reach_error(host));
        }
        Ok(())
    }

    /// A client that sends every request through a proxy.
    fn build_proxy_client(&self, proxy: &Proxy) -> reqwest::Result<reqwest::Client> {
        self.direct.network().client_through(proxy, configure_client(reqwest::Client::builder()))
    }

    /// Checks a name that a proxy will resolve. Succeeds if this machine can't resolve it.
    async fn check_name(&self, host: &str, url: &Url) -> Result<(), Error> {
        let Some(Host::Domain(domain)) = url.host() else { return Ok(()) };
        let Ok(name) = domain.parse() else { return Ok(()) };
        let filtered = FilteredResolver { reach: self.reach, inner: Arc::clone(&self.resolver) };
        match tokio::time::timeout(Self::LOOK_UP, filtered.resolve(name)).await {
            Ok(Err(error)) if error.is::<OutOfReach>() => Err(out_of_reach_error(host)),
            _ => Ok(()),
        }
    }
}

fn configure_client(builder: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
    let accept = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]);
    builder
        .user_agent(concat!("Mooring/", env!("CARGO_PKG_VERSION")))
        .default_headers(accept)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(Http::CONNECT)
}

fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

#[expect(clippy::needless_pass_by_value, reason = "as map_err gives it")]
fn to_client_error(error: reqwest::Error) -> Error {
    Error::Unreachable(say!("the HTTP client can’t be created: {reason}", reason = error.to_string()))
}

fn timeout_error(host: &str) -> Error {
    Error::Unreachable(say!(
        "{host} took longer than {seconds} s",
        host = host,
        seconds = Http::DEADLINE.as_secs().to_string()
    ))
}

fn out_of_reach_error(host: &str) -> Error {
    Error::Refused(say!(
        "{host} has a private or special IP address, which this server may not refer to",
        host = host
    ))
}

/// Converts the error of a failed exchange. Uses the innermost cause, because the outer causes contain the
/// URL.
fn to_request_error(host: &str, error: &reqwest::Error) -> Error {
    let mut cause: &(dyn std::error::Error + 'static) = error;
    while let Some(inner) = cause.source() {
        cause = inner;
        if cause.is::<OutOfReach>() {
            return out_of_reach_error(host);
        }
    }
    if let Some(reason) = certificate_problem(&cause.to_string()) {
        return Error::Unreachable(say!(
            "the certificate of {host} isn’t accepted: {reason}",
            host = host,
            reason
        ));
    }
    let reason = if error.source().is_none() { String::from("no answer") } else { cause.to_string() };
    Error::Unreachable(say!("{host} couldn’t be reached: {reason}", host = host, reason = reason))
}

#[cfg(test)]
mod tests;
