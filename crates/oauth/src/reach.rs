//! Limits the networks that requests for one server's sign-in may reach.
//!
//! Foreign documents name the next URL to request. Their authors could direct requests to machines that only
//! this machine can reach. Therefore a public server may only name public addresses. A server on the person's
//! own network or machine may also name addresses there.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;
use url::{Host, Url};

/// The networks that may be reached. Link-local addresses, metadata services of clouds, multicast and other
/// addresses without servers are never allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NetworkReach {
    /// Public addresses only.
    Public,
    /// Also private networks, because the server is on one.
    Private,
    /// Also this machine, because the server runs on it.
    Loopback,
}

impl NetworkReach {
    /// The reach for a server's sign-in, according to the IP address in its URL or to a name of this machine.
    /// Any other name counts as public, independent of its addresses.
    pub fn of(server: &Url) -> Self {
        match server.host() {
            Some(Host::Domain(name)) if is_localhost(name) => Self::Loopback,
            Some(Host::Ipv4(address)) => Self::of_address(address.into()),
            Some(Host::Ipv6(address)) => Self::of_address(address.into()),
            Some(Host::Domain(_)) | None => Self::Public,
        }
    }

    /// Like [`Self::of`], but a name whose addresses are all private counts as private. A name never counts
    /// as loopback, because its owner chooses its addresses.
    pub async fn of_resolved(server: &Url) -> Self {
        let by_itself = Self::of(server);
        let Some(Host::Domain(name)) = server.host() else { return by_itself };
        if by_itself != Self::Public {
            return by_itself;
        }
        let looking = tokio::time::timeout(Duration::from_secs(5), tokio::net::lookup_host((name, 0)));
        let Ok(Ok(found)) = looking.await else { return Self::Public };
        let mut found = found.peekable();
        if found.peek().is_some() && found.all(|address| classify(address.ip()) == AddressClass::Private) {
            Self::Private
        } else {
            Self::Public
        }
    }

    /// The reach for a server that responded from an address.
    pub fn of_address(address: IpAddr) -> Self {
        match classify(address) {
            AddressClass::Loopback => Self::Loopback,
            AddressClass::Private => Self::Private,
            AddressClass::Public | AddressClass::Forbidden => Self::Public,
        }
    }

    /// Whether an IP address in a URL may be connected to.
    pub(crate) fn allows(self, address: IpAddr) -> bool {
        match classify(address) {
            AddressClass::Public => true,
            AddressClass::Private => self >= Self::Private,
            AddressClass::Loopback => self >= Self::Loopback,
            AddressClass::Forbidden => false,
        }
    }

    /// Whether the resolved address of a name may be connected to. Tunnels that resolve names at the other
    /// end return addresses of 198.18.0.0/15 (RFC 2544) for all names, so these count as public.
    pub(crate) fn allows_resolved(self, name: &str, address: IpAddr) -> bool {
        if is_localhost(name) {
            return self >= Self::Loopback && classify(address) == AddressClass::Loopback;
        }
        let tunnelled =
            matches!(address, IpAddr::V4(address) if matches!(address.octets(), [198, 18 | 19, _, _]));
        tunnelled || self.allows(address)
    }

    /// Whether the host of a URL is allowed, as far as this is known before its name is resolved.
    pub(crate) fn allows_host(self, url: &Url) -> bool {
        match url.host() {
            Some(Host::Domain(name)) => self >= Self::Loopback || !is_localhost(name),
            Some(Host::Ipv4(address)) => self.allows(address.into()),
            Some(Host::Ipv6(address)) => self.allows(address.into()),
            None => false,
        }
    }
}

/// Whether a URL's host is this machine, by name or by address.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => is_localhost(name),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether this is a name of this machine, independent of the resolver (RFC 6761 §6.3).
fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let last = name.rsplit('.').next().unwrap_or_default();
    last.eq_ignore_ascii_case("localhost")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AddressClass {
    Public,
    Private,
    Loopback,
    /// Addresses without servers, or without servers that are ever needed.
    Forbidden,
}

fn classify(address: IpAddr) -> AddressClass {
    match address {
        IpAddr::V4(address) => classify_v4(address),
        IpAddr::V6(address) => classify_v6(address),
    }
}

/// Classifies by the IANA registry of special-purpose IPv4 addresses. Also knows the metadata services of
/// clouds that are not link-local.
fn classify_v4(address: Ipv4Addr) -> AddressClass {
    match address.octets() {
        [127, ..] => AddressClass::Loopback,
        // Metadata services: Alibaba Cloud, Azure.
        [100, 100, 100, 200] | [168, 63, 129, 16] => AddressClass::Forbidden,
        [10, ..] | [192, 168, ..] | [172, 16..=31, ..] | [100, 64..=127, ..] => AddressClass::Private,
        [0 | 224..=255, ..]
        | [169, 254, ..]
        | [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => AddressClass::Forbidden,
        _ => AddressClass::Public,
    }
}

/// An IPv6 address that contains an IPv4 address is classified by the IPv4 address.
fn classify_v6(address: Ipv6Addr) -> AddressClass {
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        classify_v4(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => AddressClass::Loopback,
        // Mapped (::ffff:0:0/96), and translated by a NAT64 (64:ff9b::/96).
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(high, low),
        // 6to4.
        [0x2002, high, low, ..] => v4(high, low),
        // Teredo: the server's address, and the client's address with its bits inverted.
        [0x2001, 0, high, low, _, _, client_high, client_low] => {
            match (v4(high, low), v4(!client_high, !client_low)) {
                (AddressClass::Public, client) => client,
                _ => AddressClass::Forbidden,
            }
        }
        // ISATAP.
        [.., 0 | 0x200, 0x5efe, high, low] => v4(high, low),
        // Metadata services: Amazon (fd00:ec2::254, ::23), Google (fd20:ce::254).
        [0xfd00, 0xec2, ..] | [0xfd20, 0xce, ..] => AddressClass::Forbidden,
        [0xfc00..=0xfdff, ..] => AddressClass::Private,
        // Protocol assignments, documentation.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => AddressClass::Forbidden,
        [0x2000..=0x3fff, ..] => AddressClass::Public,
        _ => AddressClass::Forbidden,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place_of(address: &str) -> AddressClass {
        classify(address.parse().unwrap())
    }

    // Requirements: SEC-12
    #[test]
    fn every_ip_address_is_classified_even_when_embedded() {
        for address in ["8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "198.17.0.1"]
        {
            assert_eq!(place_of(address), AddressClass::Public, "{address}");
        }
        for address in ["2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"] {
            assert_eq!(place_of(address), AddressClass::Public, "{address}");
        }
        for address in ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1", "fd12::1"] {
            assert_eq!(place_of(address), AddressClass::Private, "{address}");
        }
        for address in ["::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "fe00::5efe:10.0.0.1"] {
            assert_eq!(place_of(address), AddressClass::Private, "{address}");
        }
        for address in
            ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"]
        {
            assert_eq!(place_of(address), AddressClass::Loopback, "{address}");
        }
        // A Teredo address of a client at 127.0.0.1 behind a public server.
        assert_eq!(place_of("2001:0:808:808::80ff:fffe"), AddressClass::Loopback);
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "169.254.169.254",
            "169.254.0.1",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.1",
            "198.18.0.1",
            "192.88.99.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::127.0.0.1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "2001:db8::1",
            "3fff::1",
            "2001:2::1",
            "100::1",
            "64:ff9b:1::1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:a9fe:a9fe::",
            "2001:0:a00:1::",
        ] {
            assert_eq!(place_of(address), AddressClass::Forbidden, "{address}");
            assert!(!NetworkReach::Loopback.allows(address.parse().unwrap()), "{address}");
        }
    }

    // Requirements: SEC-12
    #[test]
    fn a_server_is_where_its_url_says() {
        for (url, reach) in [
            ("https://mcp.example.com/mcp", NetworkReach::Public),
            ("https://8.8.8.8/mcp", NetworkReach::Public),
            ("https://192.168.1.5/mcp", NetworkReach::Private),
            ("https://[fd12::1]/mcp", NetworkReach::Private),
            ("https://169.254.169.254/mcp", NetworkReach::Public),
            ("http://localhost:3000/mcp", NetworkReach::Loopback),
            ("http://LOCALHOST.:3000/mcp", NetworkReach::Loopback),
            ("http://app.localhost/mcp", NetworkReach::Loopback),
            ("http://2130706433/mcp", NetworkReach::Loopback),
            ("http://[::1]/mcp", NetworkReach::Loopback),
            ("https://localhost.example.com/mcp", NetworkReach::Public),
        ] {
            assert_eq!(NetworkReach::of(&Url::parse(url).unwrap()), reach, "{url}");
        }
    }

    // Requirements: SEC-12
    #[test]
    fn a_name_of_this_machine_leads_nowhere_else() {
        let here = "127.0.0.1".parse().unwrap();
        let there = "8.8.8.8".parse().unwrap();
        assert!(NetworkReach::Loopback.allows_resolved("localhost", here));
        assert!(!NetworkReach::Loopback.allows_resolved("localhost", there));
        assert!(!NetworkReach::Private.allows_resolved("localhost.", here));
        assert!(!NetworkReach::Public.allows_resolved("example.com", here));
        assert!(NetworkReach::Public.allows_resolved("example.com", there));
        assert!(NetworkReach::Public.allows_resolved("example.com", "198.18.0.7".parse().unwrap()));
    }
}
