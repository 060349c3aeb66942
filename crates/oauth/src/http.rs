//! The one HTTP client of everything about signing in.
//!
//! - It connects only to addresses within its [`NetworkReach`]: names are checked when they are resolved for
//!   a connection, addresses in URLs before. https only, and http to this machine.
//! - It follows no redirect; metadata may move within its origin.
//! - Bodies are bounded as they come and never decompressed; an exchange has a deadline.
//! - Where a proxy is set, everything but this machine is asked through it, and the proxy resolves names: it
//!   is the person's own and decides itself what it lets through. Addresses in URLs are still checked, and so
//!   are names that this machine can resolve too. The proxy itself may be anywhere.

use crate::error::Error;
use crate::json_fields::{error_description, quote_excerpt, sanitize};
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
    /// Beside those that every request has. Secret values are marked as sensitive.
    pub headers: HeaderMap,
    /// Empty for none.
    pub body: Bytes,
}

/// An answer, whatever its status.
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
    /// Whether the body is a web page: by its type, or by how it begins, whatever its type says.
    pub fn is_html(&self) -> bool {
        let kind = self.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let begin = self.body.trim_ascii_start().get(..14).unwrap_or_default().to_ascii_lowercase();
        kind.trim_start().to_ascii_lowercase().starts_with("text/html")
            || begin.starts_with(b"<!doctype html")
            || begin.starts_with(b"<html")
    }

    /// Whether its server could not deal with the request now, whatever it was.
    pub(crate) fn is_temporary_failure(&self) -> bool {
        matches!(self.status, 408 | 425 | 429 | 500..)
    }

    /// The message of an error response, shortened: the reason in JSON, or else the text itself unless it is
    /// a web page.
    pub(crate) fn error_text(&self) -> Option<String> {
        if self.is_html() {
            return None;
        }
        let read = serde_json::from_slice(&self.body);
        let words = match &read {
            Ok(Value::Object(document)) => error_description(document)?,
            Ok(Value::String(words)) => words,
            Ok(_) => return None,
            Err(_) => std::str::from_utf8(&self.body).ok()?,
        };
        // Lines are joined, and characters that are not text are removed.
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(words)
            .filter(|words| !words.is_empty() && !words.contains('\0'))
            .map(|text| sanitize(&text, 300))
    }

    /// Why a server in trouble did not answer.
    pub(crate) fn temporary_failure(&self, host: &str) -> Error {
        let (host, status) = (quote_excerpt(host), self.status.to_string());
        Error::Unreachable(match self.error_text() {
            Some(words) => {
                say!("{host} failed with HTTP status {status}: “{words}”", host, status, words)
            }
            None => say!("{host} failed with HTTP status {status}", host, status),
        })
    }

    /// The body as a JSON object, or why it is none.
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
    /// Most bytes of a body.
    pub const MOST_BYTES: usize = 1024 * 1024;
    /// Deadline of one exchange, including redirects.
    pub const DEADLINE: Duration = Duration::from_secs(30);
    /// Deadline for connecting.
    const CONNECT: Duration = Duration::from_secs(10);
    /// Deadline for resolving a name that a proxy will resolve again.
    const LOOK_UP: Duration = Duration::from_secs(2);
    /// Most redirects that are followed, all within one origin.
    const MOST_REDIRECTS: usize = 3;

    /// A client that goes as far as it may for one server.
    pub fn new(network: &Network, reach: NetworkReach) -> Self {
        Self::with_resolver(network, reach, Arc::new(SystemResolver))
    }

    /// A client that resolves names with `resolver`. The addresses are checked anyway.
    pub fn with_resolver(network: &Network, reach: NetworkReach, names: Arc<dyn Resolve>) -> Self {
        let filtered = Arc::new(FilteredResolver { reach, inner: Arc::clone(&names) });
        let direct = NetworkClient::without_proxy(network, move |builder| {
            configure(builder).dns_resolver(Arc::clone(&filtered))
        });
        Self { reach, resolver: names, direct, deadline: Self::DEADLINE }
    }

    /// The networks that it may reach.
    pub fn reach(&self) -> NetworkReach {
        self.reach
    }

    /// Sends a request, reads its answer, and tells the trail of both: of what was found, or of why it is no use.
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

    /// Sends a request and reads the whole answer. A redirect is an answer like any other.
    pub async fn send(&self, request: Request) -> Result<Response, Error> {
        let host = host_of(&request.url);
        let exchange = tokio::time::timeout(self.deadline, self.exchange(&host, request)).await;
        exchange.unwrap_or_else(|_| Err(timeout_error(&host)))
    }

    /// Gets a document of metadata, which may have moved within its origin.
    pub async fn get(&self, purpose: Purpose, url: Url, headers: HeaderMap) -> Result<Response, Error> {
        let host = host_of(&url);
        let following = tokio::time::timeout(self.deadline, self.follow(&host, purpose, url, headers)).await;
        following.unwrap_or_else(|_| Err(timeout_error(&host)))
    }

    async fn follow(
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
            let response = self.exchange(host, request).await?;
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

    async fn exchange(&self, host: &str, request: Request) -> Result<Response, Error> {
        self.check(host, &request.url)?;
        let client = match self.direct.network().proxy(&request.url) {
            Some(proxy) => {
                self.check_name(host, &request.url).await?;
                self.client_through(&proxy)
            }
            None => self.direct.get(),
        };
        let client = client.map_err(client_error)?;
        let mut asking = client.request(request.method, request.url).headers(request.headers);
        if !request.body.is_empty() {
            asking = asking.body(request.body);
        }
        let mut answer = asking.send().await.map_err(|error| request_error(host, &error))?;
        let mut body = BytesMut::new();
        while let Some(piece) = answer.chunk().await.map_err(|error| request_error(host, &error))? {
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
    fn check(&self, host: &str, url: &Url) -> Result<(), Error> {
        let secure = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(url));
        if !secure {
            return Err(Error::Refused(say!("{host} is contacted over https only", host = host)));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::Refused(say!("the URL at {host} contains a user name", host = host)));
        }
        if !self.reach.allows_host(url) {
            return Err(out_of_reach(host));
        }
        Ok(())
    }

    /// A client that sends every request through a proxy.
    fn client_through(&self, proxy: &Proxy) -> reqwest::Result<reqwest::Client> {
        self.direct.network().client_through(proxy, configure(reqwest::Client::builder()))
    }

    /// Checks a name that a proxy will resolve. Succeeds if this machine can't resolve it.
    async fn check_name(&self, host: &str, url: &Url) -> Result<(), Error> {
        let Some(Host::Domain(domain)) = url.host() else { return Ok(()) };
        let Ok(name) = domain.parse() else { return Ok(()) };
        let filtered = FilteredResolver { reach: self.reach, inner: Arc::clone(&self.resolver) };
        match tokio::time::timeout(Self::LOOK_UP, filtered.resolve(name)).await {
            Ok(Err(error)) if error.is::<OutOfReach>() => Err(out_of_reach(host)),
            _ => Ok(()),
        }
    }
}

fn configure(builder: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
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
fn client_error(error: reqwest::Error) -> Error {
    Error::Unreachable(say!("the HTTP client can’t be created: {reason}", reason = error.to_string()))
}

fn timeout_error(host: &str) -> Error {
    Error::Unreachable(say!(
        "{host} took longer than {seconds} s",
        host = host,
        seconds = Http::DEADLINE.as_secs().to_string()
    ))
}

fn out_of_reach(host: &str) -> Error {
    Error::Refused(say!(
        "{host} has a private or special IP address, which this server may not refer to",
        host = host
    ))
}

/// Why an exchange failed, by its innermost cause: the outer ones tell the URL.
fn request_error(host: &str, error: &reqwest::Error) -> Error {
    let mut cause: &(dyn std::error::Error + 'static) = error;
    while let Some(inner) = cause.source() {
        cause = inner;
        if cause.is::<OutOfReach>() {
            return out_of_reach(host);
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
