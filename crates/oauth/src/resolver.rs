//! Looking up names, with what is found checked at each connection.

use crate::reach::NetworkReach;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Addresses of one name that are used at most.
const MOST_ADDRESSES: usize = 64;

/// The system's own way of looking names up.
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

/// Lets addresses within reach pass. It resolves again for each connection, so that a name that led to an
/// allowed address when it was checked cannot lead to another when it is used.
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
