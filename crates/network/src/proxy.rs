//! Which proxy a request goes through.

use std::net::IpAddr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use mooring_words::{Sentence, say};
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use url::{Host, Url};

/// The proxy that requests go through, as the user chose it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProxyChoice {
    /// The system's proxy: from `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, or from its network
    /// settings.
    #[default]
    System,
    /// No proxy.
    Direct,
    /// The given proxy.
    Custom {
        /// The proxy's URL: `http` or `https`, a host, and optionally a port.
        url: String,
        /// Destinations without the proxy: hosts, domains with their subdomains, IP addresses and networks,
        /// separated by commas, like `NO_PROXY`.
        except: String,
    },
}

impl ProxyChoice {
    /// Returns an error if this proxy can't be used, with the reason.
    pub fn check(&self) -> Result<(), Sentence> {
        let Self::Custom { url, .. } = self else { return Ok(()) };
        let Ok(proxy) = Url::parse(url) else {
            return Err(say!("the proxy’s URL can’t be read: {url}", url));
        };
        if !proxy.username().is_empty() || proxy.password().is_some() {
            return Err(say!("the proxy’s URL must not contain a user name or password"));
        }
        let is_bare =
            matches!(proxy.path(), "" | "/") && proxy.query().is_none() && proxy.fragment().is_none();
        if !matches!(proxy.scheme(), "http" | "https") || proxy.host_str().is_none() || !is_bare {
            return Err(say!(
                "the proxy’s URL must be http or https with a host and a port only: {url}",
                url
            ));
        }
        Ok(())
    }

    pub(crate) fn build_matcher(&self) -> Matcher {
        match self {
            Self::System => Matcher::from_system(),
            Self::Direct => Matcher::builder().build(),
            Self::Custom { url, except } => Matcher::builder().all(url.as_str()).no(except.as_str()).build(),
        }
    }
}

/// A proxy that a request goes through.
#[derive(Debug)]
pub struct Proxy(Intercept);

impl Proxy {
    /// The proxy for a URL. `None` for this machine whatever the settings are, because no proxy can reach
    /// servers that listen here.
    pub(crate) fn of(matcher: &Matcher, url: &Url) -> Option<Self> {
        if is_loopback(url) {
            return None;
        }
        matcher.intercept(&url.as_str().parse().ok()?).map(Self)
    }

    /// The proxy's URL without credentials.
    pub fn shown_url(&self) -> Option<String> {
        let uri = self.0.uri();
        let authority = uri.authority()?.as_str();
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        Some(format!("{}://{host}", uri.scheme_str().unwrap_or("http")))
    }

    /// The proxy's URL with its credentials.
    pub(crate) fn url_with_login(&self) -> Option<Url> {
        let mut url = Url::parse(&self.0.uri().to_string()).ok()?;
        let login = self
            .0
            .basic_auth()
            .and_then(|value| value.to_str().ok()?.strip_prefix("Basic ").map(str::to_owned));
        let login = login.and_then(|login| BASE64_STANDARD.decode(login).ok());
        if let Some((user, password)) =
            login.as_deref().and_then(|login| std::str::from_utf8(login).ok()?.split_once(':'))
        {
            // A proxy's URL always has a host, so both can be set.
            let _set = (url.set_username(user), url.set_password(Some(password)));
        } else if let Some((user, password)) = self.0.raw_auth() {
            let _set = (url.set_username(user), url.set_password(Some(password)));
        }
        Some(url)
    }

    /// The HTTP client's setting that sends all requests through this proxy.
    pub(crate) fn to_client_proxy(&self) -> reqwest::Result<reqwest::Proxy> {
        let all = reqwest::Proxy::all(self.0.uri().to_string())?;
        Ok(match self.0.basic_auth() {
            Some(login) => all.custom_http_auth(login.clone()),
            None => all,
        })
    }
}

/// Whether a URL's host is this machine, by name or by address (RFC 6761 §6.3).
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let last = name.trim_end_matches('.').rsplit('.').next();
            last.is_some_and(|last| last.eq_ignore_ascii_case("localhost"))
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

    fn custom(url: &str, except: &str) -> ProxyChoice {
        ProxyChoice::Custom { url: url.to_owned(), except: except.to_owned() }
    }

    fn shown_url(choice: &ProxyChoice, url: &str) -> Option<String> {
        Proxy::of(&choice.build_matcher(), &url.parse().unwrap())?.shown_url()
    }

    #[test]
    fn no_proxy_is_asked_for_this_machine_and_none_shows_its_login() {
        let proxies = Matcher::builder().all("http://user:p%40ss@proxy.test:3128").build();
        let proxy = |url: &str| Proxy::of(&proxies, &url.parse().unwrap());
        for here in [
            "http://localhost:1/mcp",
            "http://LOCALHOST./",
            "http://app.localhost/",
            "https://127.0.0.1/",
            "http://127.8.9.1:2/",
            "http://[::1]:3/",
            "http://[::ffff:127.0.0.1]/",
        ] {
            assert!(proxy(here).is_none(), "{here}");
        }
        let there = proxy("https://localhost.example.com/").unwrap();
        assert_eq!(there.shown_url().as_deref(), Some("http://proxy.test:3128"));
        let url = proxy("http://mcp.test/").unwrap().url_with_login().unwrap();
        assert_eq!((url.username(), url.password(), url.port()), ("user", Some("p%40ss"), Some(3128)));
    }

    #[test]
    fn a_chosen_proxy_is_asked_but_for_its_exceptions() {
        let chosen = custom("http://proxy.test:3128", "direct.test, .inner.test, 10.0.0.0/8");
        for through in
            ["https://mcp.test/", "http://mcp.test/", "https://notdirect.test/", "https://11.0.0.1/"]
        {
            assert_eq!(shown_url(&chosen, through).as_deref(), Some("http://proxy.test:3128"), "{through}");
        }
        for past in ["https://direct.test/", "https://a.inner.test/", "https://10.2.3.4/", "https://[::1]/"] {
            assert_eq!(shown_url(&chosen, past), None, "{past}");
        }
        assert_eq!(shown_url(&ProxyChoice::Direct, "https://mcp.test/"), None);
    }

    #[test]
    fn url_of_a_proxy_is_a_host_and_a_port() {
        for good in
            ["http://proxy.test:3128", "https://proxy.test", "http://10.0.0.1:8080/", "http://[::1]:1"]
        {
            custom(good, "").check().unwrap();
        }
        for bad in [
            "",
            "proxy.test:3128",
            "proxy.test",
            "socks5://proxy.test",
            "http://proxy.test/path",
            "http://proxy.test?q",
            "http://proxy.test#f",
            "http://someone@proxy.test",
            "http://someone:word@proxy.test",
        ] {
            custom(bad, "").check().unwrap_err();
        }
        let said = custom("http://a:hunter2@p.test", "").check().unwrap_err().to_string();
        assert!(!said.contains("hunter2"), "{said}");
    }
}
