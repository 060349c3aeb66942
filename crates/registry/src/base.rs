//! The URL of a registry.

use std::fmt;

use mooring_words::{Sentence, say};
use url::{Host, Url};

/// The official registry.
pub const DEFAULT_REGISTRY: &str = "https://registry.modelcontextprotocol.io";

/// The URL of a registry, below which the API is: https, or http to this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryBase(Url);

impl RegistryBase {
    /// Reads a URL. Without a text, the official registry is meant.
    pub fn parse(text: &str) -> Result<Self, Sentence> {
        let text = text.trim();
        let text = if text.is_empty() { DEFAULT_REGISTRY } else { text };
        let mut url = Url::parse(text).map_err(|_| say!("this isn’t a URL"))?;
        match url.scheme() {
            "https" => {}
            "http" if is_this_computer(&url) => {}
            "http" => return Err(say!("use https: only a registry on this computer can use http")),
            _ => return Err(say!("a registry’s URL begins with https://")),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(say!("a registry’s URL can’t have a user name or a password"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(say!("a registry’s URL can’t have a query or a fragment"));
        }
        // People paste the URL with the version of the API.
        let path = url.path().trim_end_matches('/');
        let path =
            path.strip_suffix("/v0.1/servers").or(path.strip_suffix("/v0.1")).unwrap_or(path).to_owned();
        url.set_path(&path);
        Ok(Self(url))
    }

    /// The URL as a text without a slash at its end.
    pub fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    /// The host that is contacted.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// The URL of the list of servers with these parts of a path behind it.
    pub(crate) fn servers(&self, parts: &[&str]) -> Url {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["v0.1", "servers"]).extend(parts);
        }
        url
    }
}

impl fmt::Display for RegistryBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn is_this_computer(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_https_or_this_computer() {
        for (text, expect) in [
            ("", Some(DEFAULT_REGISTRY)),
            (" https://api.example.com/mcp/ ", Some("https://api.example.com/mcp")),
            ("https://example.com/v0.1/servers", Some("https://example.com")),
            ("http://127.0.0.1:8080/reg/v0.1", Some("http://127.0.0.1:8080/reg")),
            ("http://[::1]:80", Some("http://[::1]")),
            ("http://example.com", None),
            ("http://127.0.0.1.example.com", None),
            ("https://me:secret@example.com", None),
            ("https://example.com/?token=1", None),
            ("file:///etc/passwd", None),
            ("example.com", None),
        ] {
            let read = RegistryBase::parse(text);
            assert_eq!(read.as_ref().ok().map(RegistryBase::as_str), expect, "{text}");
        }
    }

    #[test]
    fn a_name_is_one_part_of_the_path() {
        let base = RegistryBase::parse("https://example.com/a").unwrap();
        let url = base.servers(&["io.github.me/x", "versions"]);
        assert_eq!(url.as_str(), "https://example.com/a/v0.1/servers/io.github.me%2Fx/versions");
        let url = base.servers(&["a/../..", "versions", "1.0?x#y"]);
        assert_eq!(url.as_str(), "https://example.com/a/v0.1/servers/a%2F..%2F../versions/1.0%3Fx%23y");
    }
}
