//! The HTTP client of all connections: which way its requests take, and which of them are sent once more.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use mooring_words::say;
use reqwest::{ClientBuilder, Method, Proxy, Request, RequestBuilder, Response, redirect};
use url::{Host, Url};

use crate::error::RequestError;
use crate::transport::http::body::unreachable;
use crate::transport::http::certificate::issuer;
use crate::transport::http::encoding::decode_response;

/// The HTTP client of all MCP connections: TLS by the system's roots, redirects only as 307 or 308 to the same
/// origin, at most three. The system's proxy is asked for everything but this machine. Cheap to clone.
#[derive(Clone)]
pub struct HttpClient {
    user_agent: Arc<str>,
    pooled: reqwest::Client,
    /// Opens a connection for each request; made when it is needed first.
    single: Arc<OnceLock<Option<reqwest::Client>>>,
    proxies: Arc<Matcher>,
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient").field("user_agent", &self.user_agent).finish_non_exhaustive()
    }
}

/// The HTTP client for all MCP connections.
pub fn http_client(user_agent: &str) -> Result<HttpClient, reqwest::Error> {
    let proxies = Arc::new(Matcher::from_system());
    let pooled = builder(user_agent, &proxies).build()?;
    Ok(HttpClient { user_agent: user_agent.into(), pooled, single: Arc::default(), proxies })
}

fn builder(user_agent: &str, proxies: &Arc<Matcher>) -> ClientBuilder {
    let same_origin = redirect::Policy::custom(|attempt| {
        let allowed = attempt.previous().len() <= 3
            && matches!(attempt.status().as_u16(), 307 | 308)
            && attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
        if allowed { attempt.follow() } else { attempt.stop() }
    });
    let proxies = Arc::clone(proxies);
    reqwest::Client::builder()
        .user_agent(user_agent)
        .redirect(same_origin)
        .connect_timeout(Duration::from_secs(10))
        .tcp_nodelay(true)
        .proxy(Proxy::custom(move |url| with_login(&proxy_for(&proxies, url)?)))
}

impl HttpClient {
    pub(crate) fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.pooled.request(method, url)
    }

    /// Sends a request. One that `may_repeat` and whose connection is closed before an answer begins is sent once
    /// more, on a connection of its own: servers close connections that wait for the next request, and that may cross
    /// it.
    pub(crate) async fn execute(&self, request: Request, may_repeat: bool) -> Result<Response, RequestError> {
        let url = request.url().clone();
        let again = if may_repeat { request.try_clone() } else { None };
        let response = match (self.pooled.execute(request).await, again) {
            (Err(error), Some(again)) if is_truncated(&error) => {
                tracing::debug!(%error, "the connection was closed before an answer; asked once more");
                self.single().execute(again).await
            }
            (outcome, _) => outcome,
        };
        match response {
            Ok(response) => decode_response(response),
            Err(error) => Err(self.failure(&error, &url).await),
        }
    }

    /// Why a request came to no answer.
    async fn failure(&self, error: &reqwest::Error, url: &Url) -> RequestError {
        let proxy = self.proxy(url);
        let is_direct = proxy.is_none();
        match unreachable(error, proxy) {
            RequestError::Certificate { reason } if is_direct => {
                let reason = match Box::pin(issuer(url)).await {
                    Some(issuer) => say!("{reason}; it was issued by {issuer}", reason, issuer),
                    None => reason,
                };
                RequestError::Certificate { reason }
            }
            failure => failure,
        }
    }

    fn single(&self) -> &reqwest::Client {
        let made = self
            .single
            .get_or_init(|| builder(&self.user_agent, &self.proxies).pool_max_idle_per_host(0).build().ok());
        made.as_ref().unwrap_or(&self.pooled)
    }

    /// The proxy that requests to `url` go through, without its credentials.
    pub(crate) fn proxy(&self, url: &Url) -> Option<String> {
        let proxy = proxy_for(&self.proxies, url)?;
        let authority = proxy.uri().authority()?.as_str();
        let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
        Some(format!("{}://{place}", proxy.uri().scheme_str().unwrap_or("http")))
    }
}

/// Whether a connection ended before an answer began.
fn is_truncated(error: &reqwest::Error) -> bool {
    error.is_request() && !error.is_connect() && !error.is_timeout()
}

/// The proxy for a URL; none for this machine, whatever the system says: no proxy reaches what listens here.
fn proxy_for(proxies: &Matcher, url: &Url) -> Option<Intercept> {
    if is_loopback(url) {
        return None;
    }
    proxies.intercept(&url.as_str().parse().ok()?)
}

/// A proxy's URL with the credentials that belong to it.
fn with_login(proxy: &Intercept) -> Option<Url> {
    let mut url = Url::parse(&proxy.uri().to_string()).ok()?;
    let login =
        proxy.basic_auth().and_then(|value| value.to_str().ok()?.strip_prefix("Basic ").map(str::to_owned));
    let login = login.and_then(|login| BASE64_STANDARD.decode(login).ok());
    if let Some((user, password)) =
        login.as_deref().and_then(|login| std::str::from_utf8(login).ok()?.split_once(':'))
    {
        // A URL of a proxy has a host, so that both can be set.
        let _set = (url.set_username(user), url.set_password(Some(password)));
    } else if let Some((user, password)) = proxy.raw_auth() {
        let _set = (url.set_username(user), url.set_password(Some(password)));
    }
    Some(url)
}

/// Whether a URL's host is this machine, by name or by address (RFC 6761 §6.3).
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let last = name.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
            last.eq_ignore_ascii_case("localhost")
        }
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => {
            address.is_loopback() || address.to_ipv4_mapped().is_some_and(|address| address.is_loopback())
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_proxy_is_asked_for_this_machine_and_none_shows_its_login() {
        let proxies = Matcher::builder().all("http://user:p%40ss@proxy.test:3128").build();
        let client = HttpClient { proxies: Arc::new(proxies), ..http_client("x/0").unwrap() };
        let proxy = |url: &str| client.proxy(&url.parse().unwrap());
        for here in [
            "http://localhost:1/mcp",
            "http://LOCALHOST./",
            "http://app.localhost/",
            "https://127.0.0.1/",
            "http://127.8.9.1:2/",
            "http://[::1]:3/",
            "http://[::ffff:127.0.0.1]/",
        ] {
            assert_eq!(proxy(here), None, "{here}");
        }
        assert_eq!(proxy("https://localhost.example.com/").as_deref(), Some("http://proxy.test:3128"));
        let there = "http://mcp.test/".parse().unwrap();
        let url = with_login(&proxy_for(&client.proxies, &there).unwrap()).unwrap();
        assert_eq!((url.username(), url.password(), url.port()), ("user", Some("p%40ss"), Some(3128)));
    }
}
