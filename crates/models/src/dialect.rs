//! The shared parts of the providers' APIs: base URLs, and decoding of streams.

use mooring_words::{Sentence, say};
use serde_json::Value;
use url::{Host, Url};

use crate::error::ModelError;
use crate::reply::Reply;

/// Decodes a provider's streamed answer, event by event or line by line.
pub trait StreamDecoder: Send {
    /// Decodes one event or line. Returns true if it was the last one.
    fn decode(&mut self, reply: &mut Reply, piece: &Value) -> Result<bool, ModelError>;

    /// Called when the stream has ended, for providers that don't mark its last event.
    fn finish(&mut self, _reply: &mut Reply) -> Result<(), ModelError> {
        Ok(())
    }
}

/// Parses the URL of a provider that the person typed. It must be https, or http to this machine or to a
/// private address.
pub fn base_url(text: &str) -> Result<Url, Sentence> {
    let url = Url::parse(text.trim()).map_err(|_| say!("not a URL: {address}", address = text))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(say!("a URL can’t contain a user name or password"));
    }
    if url.fragment().is_some() || url.query().is_some_and(|query| !is_api_version(query)) {
        return Err(say!("a provider’s URL can’t have a query or fragment: {address}", address = text));
    }
    let near = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        Some(Host::Ipv6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        None => false,
    };
    match url.scheme() {
        "https" if url.has_host() => Ok(url),
        "http" if near => Ok(url),
        _ => Err(say!(
            "the URL must be https, or http to this computer or a private IP address: {address}",
            address = text
        )),
    }
}

/// Whether this is the only query that a base URL may have: Azure's API version, which is not a secret.
fn is_api_version(query: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    query.strip_prefix("api-version=").is_some_and(|version| version.bytes().all(plain))
}

/// Whether the provider is Azure, which has other header names and limits.
pub fn is_azure(base: &Url) -> bool {
    const HOSTS: [&str; 5] = [".azure.com", ".azure.us", ".azure.cn", ".azure-api.net", ".azure-api.us"];
    base.host_str().is_some_and(|host| HOSTS.iter().any(|end| host.ends_with(end)))
}

/// Appends a path to the base URL.
pub fn join_path(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let before = base.path().trim_end_matches('/');
    // The version is part of `path`. Don't add it again if the person typed it at the end of the base URL.
    let version = path.split('/').next().unwrap_or_default();
    let before = before.strip_suffix(version).filter(|rest| rest.ends_with('/')).unwrap_or(before);
    let joined = format!("{}/{path}", before.trim_end_matches('/'));
    url.set_path(&joined);
    url
}
