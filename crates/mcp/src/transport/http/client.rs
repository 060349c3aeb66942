//! The HTTP client of all connections. It decides on the network route, and on repeating requests.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mooring_network::{Network, NetworkClient};
use mooring_words::say;
use reqwest::header::HeaderMap;
use reqwest::{ClientBuilder, Method, Request, RequestBuilder, Response, redirect};
use url::Url;

use crate::error::RequestError;
use crate::transport::http::body::unreachable_error;
use crate::transport::http::certificate::find_issuer;
use crate::transport::http::encoding::decode_response;

/// The HTTP client of all MCP connections. Follows at most three redirects, and only 307 or 308 to the same
/// origin. Proxies and trusted certificates come from the client's [`Network`]. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct HttpClient {
    pooled: NetworkClient,
    /// Opens a new connection for each request.
    single: NetworkClient,
    /// The origins that close an idle connection sooner than [`IDLE_LIMIT`] allows for.
    hasty: Arc<Mutex<HashSet<String>>>,
    /// The origins that have responded. Their connections may be kept open, for any transport.
    answered: Arc<Mutex<HashSet<String>>>,
}

/// How long a connection may be idle and still be used. Many servers close it after 5 s (Node, uvicorn). A
/// request that is on its way at that moment is lost, and it is unknown whether the server has taken it.
const IDLE_LIMIT: Duration = Duration::from_secs(3);
/// How much sooner than the server Mooring gives up an idle connection. The server's time begins earlier than
/// Mooring's, and the request has to arrive before it ends.
const IDLE_MARGIN: Duration = Duration::from_secs(1);

/// The most remembered origins, which is more than any person has servers.
const MOST_ORIGINS: usize = 1_024;

/// The HTTP client for all MCP connections.
pub fn http_client(user_agent: &str, network: &Network) -> HttpClient {
    let (pooled, single) = (user_agent.to_owned(), user_agent.to_owned());
    HttpClient {
        pooled: NetworkClient::new(network, move |builder| configure_client(builder, &pooled)),
        single: NetworkClient::new(network, move |builder| {
            configure_client(builder, &single).pool_max_idle_per_host(0)
        }),
        hasty: Arc::default(),
        answered: Arc::default(),
    }
}

fn configure_client(builder: ClientBuilder, user_agent: &str) -> ClientBuilder {
    let same_origin = redirect::Policy::custom(|attempt| {
        let allowed = attempt.previous().len() <= 3
            && matches!(attempt.status().as_u16(), 307 | 308)
            && attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
        if allowed { attempt.follow() } else { attempt.stop() }
    });
    builder
        .user_agent(user_agent)
        .redirect(same_origin)
        .connect_timeout(Duration::from_secs(10))
        .pool_idle_timeout(IDLE_LIMIT)
        .tcp_nodelay(true)
}

impl HttpClient {
    pub(crate) fn request(&self, method: Method, url: Url) -> Result<RequestBuilder, RequestError> {
        Ok(self.pooled.get().map_err(|error| unreachable_error(&error, None))?.request(method, url))
    }

    /// Sends a request. With `may_repeat`, the request is repeated once on a new connection if the connection
    /// was closed before a response. A server may close an idle connection while a request is on its way.
    pub(crate) async fn execute(&self, request: Request, may_repeat: bool) -> Result<Response, RequestError> {
        let url = request.url().clone();
        let again = if may_repeat { request.try_clone() } else { None };
        let client = if self.is_hasty(&url) { &self.single } else { &self.pooled };
        let response = match (execute(client, request).await, again) {
            (Err(error), Some(again)) if is_truncated(&error) => {
                tracing::debug!(%error, "the connection was closed before an answer; asked once more");
                execute(&self.single, again).await
            }
            (outcome, _) => outcome,
        };
        match response {
            Ok(response) => {
                self.note_idle_limit(&response);
                decode_response(response)
            }
            Err(error) => Err(self.to_request_error(&error, &url).await),
        }
    }

    /// Whether this origin closes an idle connection so soon that none is used twice.
    fn is_hasty(&self, url: &Url) -> bool {
        lock(&self.hasty).contains(&url.origin().ascii_serialization())
    }

    /// Notes how long the origin of a response keeps an idle connection, if the response says so.
    fn note_idle_limit(&self, response: &Response) {
        let Some(limit) = read_idle_limit(response.headers()) else { return };
        let origin = response.url().origin().ascii_serialization();
        let mut hasty = lock(&self.hasty);
        if limit >= IDLE_LIMIT + IDLE_MARGIN {
            hasty.remove(&origin);
        } else if hasty.len() < MOST_ORIGINS {
            hasty.insert(origin);
        }
    }

    /// Whether a connection to this origin may stay open: before the first response, there is no old one.
    pub(crate) fn may_keep_connection(&self, url: &Url) -> bool {
        lock(&self.answered).contains(&url.origin().ascii_serialization())
    }

    /// Records that an origin has responded.
    pub(crate) fn note_answer(&self, url: &Url) {
        let mut answered = lock(&self.answered);
        if answered.len() >= MOST_ORIGINS {
            answered.clear();
        }
        answered.insert(url.origin().ascii_serialization());
    }

    /// The error for a request without a response.
    async fn to_request_error(&self, error: &reqwest::Error, url: &Url) -> RequestError {
        let proxy = self.proxy_url(url);
        let is_direct = proxy.is_none();
        match unreachable_error(error, proxy) {
            RequestError::Certificate { reason } if is_direct => {
                let reason = match Box::pin(find_issuer(url)).await {
                    Some(issuer) => say!("{reason}; it was issued by {issuer}", reason, issuer),
                    None => reason,
                };
                RequestError::Certificate { reason }
            }
            failure => failure,
        }
    }

    /// The proxy for requests to `url`, without credentials.
    pub(crate) fn proxy_url(&self, url: &Url) -> Option<String> {
        self.pooled.network().proxy(url)?.shown_url()
    }
}

fn lock(origins: &Mutex<HashSet<String>>) -> MutexGuard<'_, HashSet<String>> {
    origins.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long a server keeps an idle connection, from a header such as `Keep-Alive: timeout=5, max=100`.
fn read_idle_limit(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("keep-alive")?.to_str().ok()?;
    let mut parameters = text.split(',').filter_map(|parameter| parameter.split_once('='));
    let (_, seconds) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("timeout"))?;
    seconds.trim().trim_matches('"').parse().ok().map(Duration::from_secs)
}

async fn execute(client: &NetworkClient, request: Request) -> reqwest::Result<Response> {
    client.get()?.execute(request).await
}

/// Whether a connection was closed before a response.
fn is_truncated(error: &reqwest::Error) -> bool {
    error.is_request() && !error.is_connect() && !error.is_timeout()
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    #[test]
    fn idle_limit_is_read_from_the_keep_alive_header() {
        let read = |text: &'static str| {
            read_idle_limit(&HeaderMap::from_iter([(
                reqwest::header::HeaderName::from_static("keep-alive"),
                HeaderValue::from_static(text),
            )]))
        };
        assert_eq!(read("timeout=5"), Some(Duration::from_secs(5)));
        assert_eq!(read("max=1000, Timeout = 72"), Some(Duration::from_secs(72)));
        assert_eq!(read("timeout=\"2\""), Some(Duration::from_secs(2)));
        for text in ["", "max=5", "timeout=soon", "timeout=-1"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
