//! The addresses that results of servers carried to one app: it may read them although no list has them. Bounded, and
//! the oldest are forgotten.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mooring_base::server_id::ServerId;

use crate::claims::ServerTemplate;

/// Maximum number of URIs that are stored for an app, by number and by bytes.
const MAX_LINKS: usize = 4_096;
const MAX_BYTES: usize = 1 << 20;
/// Longest stored URI in bytes.
const MAX_LINK: usize = 8 << 10;

/// URIs in results that one app received, over all its connections.
#[derive(Debug, Default)]
pub struct AppLinks(Mutex<Links>);

#[derive(Debug, Default)]
struct Links {
    by_uri: HashMap<Arc<str>, Vec<Link>>,
    by_time: BTreeMap<u64, (Arc<str>, ServerId)>,
    next: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Link {
    server: ServerId,
    /// Whether the app knows the URI without a prefix.
    is_bare: bool,
    time: u64,
}

fn locked(links: &Mutex<Links>) -> MutexGuard<'_, Links> {
    links.lock().unwrap_or_else(PoisonError::into_inner)
}

impl AppLinks {
    /// Stores a URI of a server's result. Returns whether the app gets it without a prefix. `may_be_bare`: no
    /// other server had it first.
    pub fn add(&self, server: ServerId, own: &str, may_be_bare: bool) -> bool {
        let mut links = locked(&self.0);
        let is_bare = links.holder(own).map_or(may_be_bare, |holder| holder == server);
        if own.len() <= MAX_LINK {
            links.add(server, own, is_bare);
        }
        is_bare
    }

    /// The server whose address the app got as this.
    pub fn holder(&self, uri: &str) -> Option<ServerId> {
        locked(&self.0).holder(uri)
    }

    /// Whether a result of a server carried this to the app.
    pub fn has(&self, server: ServerId, own: &str) -> bool {
        locked(&self.0).by_uri.get(own).is_some_and(|links| links.iter().any(|link| link.server == server))
    }

    /// Whether no result carried any.
    pub fn is_empty(&self) -> bool {
        locked(&self.0).by_uri.is_empty()
    }

    /// Whether a template of a server may lead to what the app got from another.
    pub fn are_met_by(&self, server: ServerId, template: &str) -> bool {
        let template = ServerTemplate::new(template);
        let links = locked(&self.0);
        let is_others = |link: &Link| link.is_bare && link.server != server;
        links.by_uri.iter().any(|(uri, links)| links.iter().any(is_others) && template.matches(uri))
    }

    /// The matching URIs that the app knows without a prefix.
    pub fn find(&self, is_meant: impl Fn(&str) -> bool) -> Option<ServerId> {
        let links = locked(&self.0);
        let bare = |(uri, links): (&Arc<str>, &Vec<Link>)| {
            links.iter().find(|link| link.is_bare).filter(|_| is_meant(uri)).map(|link| link.server)
        };
        links.by_uri.iter().find_map(bare)
    }
}

impl Links {
    fn holder(&self, uri: &str) -> Option<ServerId> {
        let links = self.by_uri.get(uri)?;
        links.iter().find(|link| link.is_bare).map(|link| link.server)
    }

    fn add(&mut self, server: ServerId, own: &str, is_bare: bool) {
        let time = self.next;
        self.next += 1;
        let uri = self.by_uri.get_key_value(own).map_or_else(|| own.into(), |(uri, _)| Arc::clone(uri));
        let links = self.by_uri.entry(Arc::clone(&uri)).or_default();
        if let Some(link) = links.iter_mut().find(|link| link.server == server) {
            self.by_time.remove(&link.time);
            link.time = time;
            link.is_bare |= is_bare;
        } else {
            links.push(Link { server, is_bare, time });
            self.bytes += uri.len();
        }
        self.by_time.insert(time, (uri, server));
        while self.by_time.len() > MAX_LINKS || self.bytes > MAX_BYTES {
            let Some((_, (uri, server))) = self.by_time.pop_first() else { break };
            self.bytes -= uri.len();
            if let Some(links) = self.by_uri.get_mut(&uri) {
                links.retain(|link| link.server != server);
                if links.is_empty() {
                    self.by_uri.remove(&uri);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: ServerId = ServerId(1);
    const B: ServerId = ServerId(2);

    #[test]
    fn who_carried_it_first_keeps_it_and_both_are_known() {
        let links = AppLinks::default();
        assert!(links.add(B, "report:1", true));
        assert!(!links.add(A, "report:1", true) && links.add(B, "report:1", false));
        assert_eq!((links.holder("report:1"), links.holder("report:2")), (Some(B), None));
        assert!(links.has(A, "report:1") && !links.has(A, "report:2"));
        assert!(links.are_met_by(A, "report:{id}") && !links.are_met_by(B, "report:{id}"));
    }

    #[test]
    fn what_is_held_is_bounded_in_number_and_bytes() {
        let links = AppLinks::default();
        for number in 0..3 * MAX_LINKS {
            links.add(A, &format!("report:{number}"), true);
            links.add(A, "kept:x", true);
        }
        assert!(links.has(A, "kept:x") && !links.has(A, "report:0"));
        let counts = |links: &AppLinks| {
            let links = locked(&links.0);
            (links.by_time.len(), links.by_uri.len(), links.bytes)
        };
        let (by_time, by_uri, _) = counts(&links);
        assert_eq!((by_time, by_uri), (MAX_LINKS, MAX_LINKS));
        for number in 0..1_000 {
            links.add(A, &format!("{number:0>8000}"), true);
        }
        let (_, by_uri, bytes) = counts(&links);
        assert!(bytes <= MAX_BYTES && by_uri < 200, "{by_uri}, {bytes}");
        links.add(A, &"x".repeat(MAX_LINK + 1), true);
        assert!(!links.has(A, &"x".repeat(MAX_LINK + 1)));
    }
}
