//! The address of a redirect, which is a `redirect_uri` without a fixed port.

use crate::error::Error;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mooring_words::say;
use sha2::{Digest as _, Sha256};
use url::{Host, Url};

/// The name of this machine in the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopbackHost {
    V4,
    V6,
    Name,
}

impl LoopbackHost {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::V4 => "127.0.0.1",
            Self::V6 => "[::1]",
            Self::Name => "localhost",
        }
    }
}

/// An address on this machine for the response of an authorization server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectAddress {
    pub(super) host: LoopbackHost,
    /// The port. `None` for a random one, which servers have to accept (RFC 8252 §7.3).
    pub(super) port: Option<u16>,
    pub(super) path: String,
}

impl RedirectAddress {
    /// An address for one issuer, `http://127.0.0.1:<random>/callback/<hash>`. A response for another
    /// issuer's client does not arrive there, with or without `iss`. This prevents mix-up attacks.
    pub fn for_issuer(issuer: &str) -> Self {
        Self { host: LoopbackHost::V4, port: None, path: Self::path_for_issuer(issuer) }
    }

    /// The path of [`RedirectAddress::for_issuer`].
    pub fn path_for_issuer(issuer: &str) -> String {
        let hash = Sha256::digest(issuer.as_bytes());
        format!("/callback/{}", URL_SAFE_NO_PAD.encode(&hash[..12]))
    }

    /// The address of a registered client. It must be `http` to a loopback address or `localhost`, with or
    /// without a port.
    pub fn from_registered(redirect: &Url) -> Result<Self, Error> {
        let host = match redirect.host() {
            Some(Host::Ipv4(address)) if address == std::net::Ipv4Addr::LOCALHOST => Some(LoopbackHost::V4),
            Some(Host::Ipv6(address)) if address == std::net::Ipv6Addr::LOCALHOST => Some(LoopbackHost::V6),
            Some(Host::Domain("localhost")) => Some(LoopbackHost::Name),
            _ => None,
        };
        let plain = redirect.scheme() == "http"
            && redirect.username().is_empty()
            && redirect.password().is_none()
            && redirect.query().is_none()
            && redirect.fragment().is_none();
        match host {
            Some(host) if plain => Ok(Self { host, port: redirect.port(), path: redirect.path().to_owned() }),
            _ => Err(Error::Refused(say!(
                "{address} can’t be the redirect URI: it must be http to this computer, without a query",
                address = redirect.as_str()
            ))),
        }
    }

    /// The redirect URL, without a port if any port is allowed.
    pub fn url(&self) -> Result<Url, Error> {
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        let address = format!("http://{}{port}{}", self.host.as_str(), self.path);
        Url::parse(&address).map_err(|_| Error::Refused(say!("the redirect URI isn’t a URL")))
    }

    /// Sets the port.
    #[must_use]
    pub fn with_port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// The address with this port. `None` if the address has another fixed port.
    pub fn at_port(&self, port: u16) -> Option<Self> {
        self.port.is_none_or(|own| own == port).then(|| self.clone().with_port(port))
    }
}
