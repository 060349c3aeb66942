//! Records which server had a resource's URI first.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mooring_base::digest::{digest, hex};
use mooring_base::server_id::ServerId;
use mooring_base::uri_template::UriTemplate;

/// The most addresses that are remembered for a server. Further ones always get the server's prefix.
const MAX_CLAIMS: usize = 16_384;
/// The most of them that are saved.
const MAX_SAVED: usize = 2_048;
/// Added to a server's number for addresses claimed while other servers are still connecting: until an app
/// receives them, the server that was saved first wins.
const OPEN: u64 = 1 << 62;

/// The hash of an address, or of a template.
type Key = [u8; 8];

fn key(text: &str, is_template: bool) -> Key {
    let digest = digest(&format!("{}{text}", if is_template { "template " } else { "" }));
    let mut key = Key::default();
    key.iter_mut().zip(digest).for_each(|(byte, of)| *byte = of);
    key
}

/// A template as its server wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTemplate {
    /// The template.
    pub text: String,
    /// The parsed template. `None` if it is invalid, so that it matches nothing.
    pub parsed: Option<UriTemplate>,
}

impl ServerTemplate {
    /// Parses a template.
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), parsed: UriTemplate::parse(text).ok() }
    }

    /// Whether it may lead to an address. Most begin otherwise, which is seen without matching.
    pub fn matches(&self, uri: &str) -> bool {
        let is_plain = |character: char| character.is_ascii_alphanumeric() || ":/-._~".contains(character);
        let begin = self.text.split(|character| !is_plain(character)).next().unwrap_or_default();
        if !uri.starts_with(begin) {
            return false;
        }
        self.parsed.as_ref().is_some_and(|template| template.matches(uri))
    }
}

/// The addresses that a server's lists have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerAddresses {
    /// Whether the list of its resources is known and complete.
    pub is_whole: bool,
    /// Resources that it lists, and pages that its tools name.
    pub uris: BTreeSet<String>,
    /// Its approved templates.
    pub templates: Vec<ServerTemplate>,
}

/// A server that had an address, and when: the lowest was first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    rank: u64,
    server: ServerId,
}

/// The URIs that servers have sent, and which server had each of them first.
#[derive(Debug, Default)]
pub struct Claims {
    by_key: HashMap<Key, Vec<Claim>>,
    counts: HashMap<ServerId, usize>,
    /// What each server last sent. Includes servers that are gone, because an app may still know their URIs.
    now: BTreeMap<ServerId, ServerAddresses>,
    open: Vec<(ServerId, Key)>,
    next: u64,
    loaded: BTreeSet<ServerId>,
    unsaved: BTreeSet<ServerId>,
}

/// New addresses of a server that another one had first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    /// The server.
    pub server: ServerId,
    /// The number of such URIs.
    pub count: usize,
    /// One of them.
    pub uri: String,
    /// The server that had it first.
    pub of: ServerId,
}

impl Claims {
    /// Whether what was saved of a server is known.
    pub fn is_loaded(&self, server: ServerId) -> bool {
        self.loaded.contains(&server)
    }

    /// Takes what has to be saved for servers with new URIs, as JSON.
    pub fn take_unsaved(&mut self) -> Vec<(ServerId, String)> {
        let servers = std::mem::take(&mut self.unsaved);
        servers.into_iter().map(|server| (server, self.saved(server))).collect()
    }

    /// Adds the saved URIs of servers and their current ones. `is_settled`: no other server is being
    /// connected.
    pub fn take(
        &mut self,
        saved: Vec<(ServerId, Option<String>)>,
        mut servers: Vec<(ServerId, ServerAddresses)>,
        is_settled: bool,
    ) -> Vec<Clash> {
        for (server, text) in saved {
            self.load(server, text.as_deref());
        }
        // Who was saved first comes first.
        servers.sort_by_key(|(server, _)| *server);
        let mut clashes = Vec::new();
        for (server, mut addresses) in servers {
            if self.now.get(&server) == Some(&addresses) {
                continue;
            }
            let before = self.now.get(&server).cloned().unwrap_or_default();
            if !addresses.is_whole {
                addresses.uris.extend(before.uris.iter().cloned());
            }
            if before == addresses {
                continue;
            }
            self.claim(server, &addresses);
            let is_new = |uri: &&String| !before.is_whole || !before.uris.contains(*uri);
            let new: Vec<String> = addresses.uris.iter().filter(is_new).cloned().collect();
            self.now.insert(server, addresses);
            let is_others = |uri: &String| self.owner(uri).filter(|claim| claim.server != server);
            let others: Vec<_> =
                new.into_iter().filter_map(|uri| Some((is_others(&uri)?.server, uri))).collect();
            let count = others.len();
            clashes.extend(others.into_iter().next().map(|(of, uri)| Clash { server, count, uri, of }));
        }
        if is_settled {
            self.settle();
        }
        clashes
    }

    fn claim(&mut self, server: ServerId, addresses: &ServerAddresses) {
        let rank = OPEN.saturating_add(server.0.unsigned_abs());
        let uris = addresses.uris.iter().map(|uri| key(uri, false));
        let templates = addresses.templates.iter().map(|template| key(&template.text, true));
        for key in uris.chain(templates) {
            let count = self.counts.entry(server).or_default();
            let claims = self.by_key.entry(key).or_default();
            if *count < MAX_CLAIMS && !claims.iter().any(|claim| claim.server == server) {
                *count += 1;
                claims.push(Claim { rank, server });
                self.open.push((server, key));
            }
        }
    }

    /// Makes the order final: from now on, the first server of a URI doesn't change.
    pub fn settle(&mut self) {
        let mut open = std::mem::take(&mut self.open);
        open.sort_by_key(|(server, _)| *server);
        for (server, key) in open {
            let claims = self.by_key.entry(key).or_default();
            if let Some(claim) = claims.iter_mut().find(|claim| claim.server == server) {
                claim.rank = self.next;
                self.next += 1;
                self.unsaved.insert(server);
            }
        }
    }

    /// Reads what was saved of a server. What can't be read is as if nothing had been.
    fn load(&mut self, server: ServerId, text: Option<&str>) {
        if !self.loaded.insert(server) {
            return;
        }
        let saved = text.and_then(|text| serde_json::from_str::<Vec<(u64, String)>>(text).ok());
        for (rank, digits) in saved.unwrap_or_default().into_iter().take(MAX_SAVED) {
            let Ok(bytes) = u64::from_str_radix(&digits, 16) else { continue };
            let claims = self.by_key.entry(bytes.to_be_bytes()).or_default();
            if rank < OPEN && !claims.iter().any(|claim| claim.server == server) {
                claims.push(Claim { rank, server });
                *self.counts.entry(server).or_default() += 1;
                self.next = self.next.max(rank + 1);
            }
        }
    }

    /// A server's claimed URIs as JSON, for saving.
    fn saved(&self, server: ServerId) -> String {
        let of_server = self.by_key.iter().filter_map(|(key, claims)| {
            let claim = claims.iter().find(|claim| claim.server == server && claim.rank < OPEN)?;
            Some((claim.rank, hex(key)))
        });
        let mut saved: Vec<(u64, String)> = of_server.collect();
        saved.sort_unstable();
        saved.truncate(MAX_SAVED);
        let rows: Vec<String> = saved.iter().map(|(rank, key)| format!(r#"[{rank},"{key}"]"#)).collect();
        format!("[{}]", rows.join(","))
    }

    /// The server that had a URI first, according to the lists.
    pub fn first(&self, uri: &str) -> Option<ServerId> {
        self.owner(uri).map(|claim| claim.server)
    }

    fn owner(&self, uri: &str) -> Option<Claim> {
        let listed = self.by_key.get(&key(uri, false)).and_then(|claims| claims.iter().min().copied());
        let templates = self
            .now
            .iter()
            .flat_map(|(server, addresses)| addresses.templates.iter().map(|template| (*server, template)));
        let matching = templates.filter(|(_, template)| template.matches(uri));
        matching.filter_map(|(server, template)| self.template_claim(server, template)).chain(listed).min()
    }

    fn template_claim(&self, server: ServerId, template: &ServerTemplate) -> Option<Claim> {
        let claims = self.by_key.get(&key(&template.text, true))?;
        claims.iter().find(|claim| claim.server == server).copied()
    }

    /// Whether nothing that a template leads to may be what another server had before.
    pub fn has_first(&self, server: ServerId, own: &ServerTemplate) -> bool {
        let Some(claim) = self.template_claim(server, own) else { return false };
        let others = self.now.iter().filter(|(other, _)| **other != server);
        others.into_iter().all(|(other, addresses)| {
            let was_before = |other: Option<Claim>| other.is_some_and(|other| other < claim);
            let overlaps = |template: &&ServerTemplate| match (&template.parsed, &own.parsed) {
                (Some(theirs), Some(own)) => theirs.may_overlap(own),
                _ => template.text == own.text,
            };
            let mut theirs = addresses.templates.iter().filter(overlaps);
            let mut uris = addresses.uris.iter().filter(|uri| own.matches(uri));
            !theirs.any(|template| was_before(self.template_claim(*other, template)))
                && !uris.any(|uri| {
                    let claims = self.by_key.get(&key(uri, false));
                    was_before(
                        claims.and_then(|claims| claims.iter().find(|claim| claim.server == *other).copied()),
                    )
                })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: ServerId = ServerId(1);
    const B: ServerId = ServerId(2);

    fn have(uris: &[&str], templates: &[&str]) -> ServerAddresses {
        ServerAddresses {
            is_whole: true,
            uris: uris.iter().map(|uri| (*uri).to_owned()).collect(),
            templates: templates.iter().map(|text| ServerTemplate::new(text)).collect(),
        }
    }

    #[test]
    fn who_was_first_stays_it_and_is_remembered() {
        let mut claims = Claims::default();
        claims.take(vec![(B, None)], vec![(B, have(&["acct:x"], &["note:{id}"]))], true);
        let clashes =
            claims.take(vec![(A, None)], vec![(A, have(&["acct:x", "note:1"], &["note:{+any}"]))], true);
        assert_eq!(clashes, [Clash { server: A, count: 2, uri: "acct:x".to_owned(), of: B }]);
        let saved = claims.take_unsaved();
        assert_eq!(
            (claims.first("acct:x"), claims.first("note:1"), claims.first("other:x")),
            (Some(B), Some(B), None)
        );
        assert!(!claims.has_first(A, &ServerTemplate::new("note:{+any}")));
        assert!(claims.has_first(B, &ServerTemplate::new("note:{id}")));
        // After a restart another server connects first: the saved order counts.
        let mut again = Claims::default();
        let saved: Vec<_> = saved.into_iter().map(|(server, text)| (server, Some(text))).collect();
        again.take(saved, vec![(A, have(&["acct:x"], &[]))], true);
        assert_eq!(again.first("acct:x"), Some(B));
    }

    #[test]
    fn until_an_app_is_told_who_was_saved_first_counts() {
        let mut claims = Claims::default();
        claims.take(Vec::new(), vec![(B, have(&["acct:x", "acct:y"], &[]))], false);
        claims.take(Vec::new(), vec![(A, have(&["acct:x"], &[]))], false);
        assert_eq!(claims.first("acct:x"), Some(A));
        claims.settle();
        claims.take(Vec::new(), vec![(A, have(&["acct:x", "acct:y"], &[]))], false);
        assert_eq!((claims.first("acct:x"), claims.first("acct:y")), (Some(A), Some(B)));
    }

    #[test]
    fn what_is_remembered_and_saved_is_bounded() {
        let mut claims = Claims::default();
        let many: Vec<String> = (0..MAX_CLAIMS + 10).map(|number| format!("many:{number:05}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        claims.take(Vec::new(), vec![(A, have(&many, &[]))], true);
        assert_eq!((claims.first("many:00000"), claims.first(many[MAX_CLAIMS + 1])), (Some(A), None));
        let saved = claims.take_unsaved();
        assert_eq!(saved[0].1.matches('"').count(), 2 * MAX_SAVED);
    }
}
