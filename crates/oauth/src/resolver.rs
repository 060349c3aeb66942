//! Resolves names, and checks the addresses for each connection.

use crate::reach::NetworkReach;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The most addresses of one name that are used.
const MOST_ADDRESSES: usize = 64;

/// Resolves names with the system's resolver.
pub(crate) struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let found: Addrs = Box::new(found.into_iter());
            Ok(found)
        })
    }
}

/// Returns only addresses within reach. Names are resolved for each connection. A name can't have an allowed
/// address when it is checked and another address when it is used.
pub(crate) struct FilteredResolver {
    pub(crate) reach: NetworkReach,
    pub(crate) inner: Arc<dyn Resolve>,
}

impl Resolve for FilteredResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let text = name.as_str().to_owned();
        let reach = self.reach;
        let looking = self.inner.resolve(name);
        Box::pin(async move {
            let found: Vec<SocketAddr> = looking.await?.take(MOST_ADDRESSES).collect();
            let first = found.first().map(SocketAddr::ip);
            let mut within =
                found.into_iter().filter(|found| reach.allows_resolved(&text, found.ip())).peekable();
            if let (None, Some(address)) = (within.peek(), first) {
                return Err(OutOfReach { address }.into());
            }
            let within: Addrs = Box::new(within.collect::<Vec<_>>().into_iter());
            Ok(within)
        })
    }
}

/// All addresses of a name are out of reach.
#[derive(Debug)]
pub(crate) struct OutOfReach {
    pub(crate) address: IpAddr,
}

impl fmt::Display for OutOfReach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is out of reach", self.address)
    }
}

impl std::error::Error for OutOfReach {}
