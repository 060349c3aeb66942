//! The metadata of a server as a protected resource (RFC 9728).

use crate::address::check_address_in_reach;
use crate::dpop::accepts_own_algorithm;
use crate::error::Error;
use crate::http::{Http, Request};
use crate::json_fields::{quote_excerpt, read_flag, read_text, read_texts};
use crate::steps::{PendingStep, Purpose, Step, StepObserver};
use crate::well_known::{MetadataLookup, fetch_metadata, well_known_url};
use bytes::Bytes;
use http::{HeaderMap, Method};
use mooring_words::{Sentence, say};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

const WELL_KNOWN: &str = "oauth-protected-resource";
/// The most authorization servers of one resource that are read.
const MOST_SERVERS: usize = 16;

/// A server's challenge in `WWW-Authenticate`, with the scheme `Bearer` or `DPoP`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Challenge {
    /// The URLs of the metadata, in the order of the header.
    pub resource_metadata: Vec<String>,
    /// The scopes that the request needed, separated by spaces.
    pub scope: Option<String>,
    /// The error code, such as `invalid_token` or `insufficient_scope`.
    pub error: Option<String>,
    /// Whether the server accepts DPoP tokens with a supported algorithm (RFC 9449 §7.1).
    pub dpop: bool,
}

/// The parts of a protected resource's metadata that are used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProtectedResource {
    /// The identifier of the resource, for `resource` parameters and audiences.
    pub resource: String,
    /// The issuers of tokens for the resource, exactly as in the document. There is at least one.
    pub authorization_servers: Vec<String>,
    /// The supported scopes. `None` if the document does not say.
    pub scopes_supported: Option<Vec<String>>,
    /// The server's own name.
    pub resource_name: Option<String>,
    /// Whether the resource accepts only tokens that are bound to a key (RFC 9449).
    pub dpop_bound_access_tokens_required: bool,
    /// The algorithms of DPoP proofs that the resource accepts.
    pub dpop_signing_alg_values_supported: Option<Vec<String>>,
}

impl ProtectedResource {
    /// Whether the metadata says that the resource accepts tokens that are bound to a key with a supported
    /// algorithm (RFC 9728 §2).
    pub fn takes_bound_tokens(&self) -> bool {
        self.dpop_bound_access_tokens_required
            || accepts_own_algorithm(self.dpop_signing_alg_values_supported.as_deref())
    }
}

/// The result of searching for a server's metadata.
#[derive(Debug)]
pub(crate) enum ResourceLookup {
    /// The metadata.
    Metadata(ProtectedResource),
    /// There is no metadata, as with servers of revision 2025-03-26. The error says why this is uncertain: a
    /// URL failed, or a URL in the challenge has no metadata.
    Missing(Option<Error>),
}

/// Finds the metadata of a server at the URL in its challenge, or else at the well-known URL for its path, or
/// else at the well-known URL for its origin. A document for another resource, or without a resource, only
/// ends the sign-in if no other URL has the right document.
pub(crate) async fn find_protected_resource(
    http: &Http,
    server: &Url,
    challenge: &Challenge,
    trail: &StepObserver,
) -> Result<ResourceLookup, Error> {
    let (mut wrong, mut unclear) = (None, None);
    let mut places_named = Vec::new();
    for named in &challenge.resource_metadata {
        match check_address_in_reach(named, http.reach()) {
            Ok(place) if places_named.contains(&place) => {}
            Ok(place) => places_named.push(place),
            Err(why) => {
                let why = say!(
                    "the server names {address} for its metadata, which isn’t fetched: {why}",
                    address = quote_excerpt(named),
                    why = why
                );
                trail.record(Step::by_outcome(Purpose::ResourceMetadata, false, why.clone()));
                unclear.get_or_insert(resource_error(why));
            }
        }
    }
    let named = places_named.len();
    let mut places = places_named;
    for place in well_known_urls(server) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    for (at, place) in places.into_iter().enumerate() {
        let request = Request {
            purpose: Purpose::ResourceMetadata,
            method: Method::GET,
            url: place.clone(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
        };
        let mut asked = PendingStep::new(request.purpose, &request.url);
        match fetch_metadata(http, request, &mut asked).await {
            Ok(MetadataLookup::Document(document)) => match read_resource(&document, server, &place) {
                Ok((resource, found)) => {
                    asked.finish(trail, true, found);
                    return Ok(ResourceLookup::Metadata(resource));
                }
                Err(error) => {
                    asked.finish(trail, false, error.sentence().clone());
                    wrong.get_or_insert(error);
                }
            },
            Ok(MetadataLookup::Absent(found)) if at < named => {
                asked.finish(trail, false, found);
                unclear.get_or_insert(resource_error(say!(
                    "the server names {address} for its metadata, but there is none",
                    address = quote_excerpt(place.as_str())
                )));
            }
            Ok(MetadataLookup::Absent(found)) => asked.finish(trail, true, found),
            Ok(MetadataLookup::Unusable(why)) => {
                asked.finish(trail, false, why.clone());
                wrong.get_or_insert(resource_error(say!(
                    "the server’s metadata can’t be used: {why}",
                    why = why
                )));
            }
            Err(error) => {
                asked.finish(trail, false, error.sentence().clone());
                unclear.get_or_insert(error);
            }
        }
    }
    match wrong {
        Some(error) => Err(error),
        None => Ok(ResourceLookup::Missing(unclear)),
    }
}

fn resource_error(sentence: Sentence) -> Error {
    Error::Refused(sentence)
}

/// The well-known URLs of a server's metadata (RFC 9728 §3.1), the most specific first.
fn well_known_urls(server: &Url) -> Vec<Url> {
    let mut places = vec![well_known_url(server, WELL_KNOWN)];
    let mut origin = server.clone();
    origin.set_path("");
    origin.set_query(None);
    let root = well_known_url(&origin, WELL_KNOWN);
    if !places.contains(&root) {
        places.push(root);
    }
    places
}

fn read_resource(
    document: &Map<String, Value>,
    server: &Url,
    place: &Url,
) -> Result<(ProtectedResource, Sentence), Error> {
    let Some(named) = read_text(document, "resource") else {
        return Err(resource_error(say!("the metadata doesn’t say which resource it is about")));
    };
    let resource = match_resource(named, server, place).map_err(|why| {
        resource_error(say!(
            "the metadata is about another resource, {resource}, than {server}: {why}",
            resource = quote_excerpt(named),
            server = without_query(server),
            why = why
        ))
    })?;
    let mut servers = read_texts(document, "authorization_servers").unwrap_or_default();
    servers.truncate(MOST_SERVERS);
    if servers.is_empty() {
        return Err(resource_error(say!("the metadata names no authorization server")));
    }
    let found = say!(
        "metadata of {resource}, which names {servers}",
        resource = resource.clone(),
        servers = quote_excerpt(&servers.join(", "))
    );
    let resource = ProtectedResource {
        resource,
        authorization_servers: servers,
        scopes_supported: read_texts(document, "scopes_supported"),
        resource_name: read_text(document, "resource_name").map(quote_excerpt),
        dpop_bound_access_tokens_required: read_flag(document, "dpop_bound_access_tokens_required"),
        dpop_signing_alg_values_supported: read_texts(document, "dpop_signing_alg_values_supported"),
    };
    Ok((resource, found))
}

/// Checks that a document from the URL `place` is about the server. Returns the resource that the document
/// names.
///
/// RFC 9728 §3.3 requires that the resource is the requested one. Differences that have no meaning in a URL
/// are ignored, and so is a trailing slash, since frameworks add and remove it. A resource above the server's
/// path (`https://host` for `https://host/mcp`) is only accepted from a well-known URL of the same origin,
/// which only the origin's owner can write. Otherwise one tenant of a host could collect tokens for all of
/// them.
fn match_resource(named: &str, server: &Url, place: &Url) -> Result<String, Sentence> {
    let resource = crate::address::check_address(named)?;
    if resource.origin() != server.origin() {
        return Err(say!("it is on another origin"));
    }
    if resource.query().is_some() && resource.query() != server.query() {
        return Err(say!("it has another query"));
    }
    let trimmed = |url: &Url| url.path().strip_suffix('/').unwrap_or(url.path()).to_owned();
    let (mine, theirs) = (trimmed(server), trimmed(&resource));
    if mine != theirs {
        let above = mine.strip_prefix(&theirs).is_some_and(|rest| rest.starts_with('/'));
        let well_known = format!("/.well-known/{WELL_KNOWN}");
        let under = place.path().strip_prefix(&well_known);
        let by_owner = place.origin() == server.origin()
            && under.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if !above {
            return Err(say!("it has another path"));
        }
        if !by_owner {
            return Err(say!(
                "it is a parent of the server’s URL, which only the origin’s well-known metadata may name"
            ));
        }
    }
    Ok(canonical_resource(named, &resource))
}

/// The `resource` parameter (RFC 8707 §2), with scheme and host in lower case, no default port, and a
/// trailing slash only if the resource itself has one.
fn canonical_resource(named: &str, resource: &Url) -> String {
    let written = resource.as_str();
    if resource.path() == "/" && resource.query().is_none() && !named.ends_with('/') {
        return written.strip_suffix('/').unwrap_or(written).to_owned();
    }
    written.to_owned()
}

fn without_query(server: &Url) -> String {
    let mut server = server.clone();
    server.set_query(None);
    server.set_fragment(None);
    server.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(named: &str, server: &str, place: &str) -> Option<String> {
        match_resource(named, &Url::parse(server).unwrap(), &Url::parse(place).unwrap()).ok()
    }

    // Requirements: AUTH-10, AUTH-25
    #[test]
    fn resource_is_the_server_or_a_parent_confirmed_by_the_origin() {
        const AT_PATH: &str = "https://h.example/.well-known/oauth-protected-resource/a/mcp";
        const AT_ROOT: &str = "https://h.example/.well-known/oauth-protected-resource";
        const ELSEWHERE: &str = "https://h.example/a/metadata.json";
        const SERVER: &str = "https://h.example/a/mcp";
        for (named, server, place, expected) in [
            (SERVER, SERVER, AT_PATH, Some(SERVER)),
            (SERVER, SERVER, ELSEWHERE, Some(SERVER)),
            (SERVER, SERVER, "https://other.example/m", Some(SERVER)),
            ("HTTPS://H.Example:443/a/mcp", SERVER, AT_PATH, Some(SERVER)),
            ("https://h.example/a/mcp/", SERVER, AT_PATH, Some("https://h.example/a/mcp/")),
            (SERVER, "https://h.example/a/mcp/", AT_PATH, Some(SERVER)),
            (SERVER, "https://h.example/a/mcp?key=secret", AT_PATH, Some(SERVER)),
            (
                "https://h.example/a/mcp?t=1",
                "https://h.example/a/mcp?t=1",
                AT_PATH,
                Some("https://h.example/a/mcp?t=1"),
            ),
            ("https://h.example/a/mcp?t=2", "https://h.example/a/mcp?t=1", AT_PATH, None),
            ("https://h.example/a/mcp?t=2", SERVER, AT_PATH, None),
            // The origin, with and without its slash.
            ("https://h.example", "https://h.example/", AT_ROOT, Some("https://h.example")),
            ("https://h.example/", "https://h.example", AT_ROOT, Some("https://h.example/")),
            ("https://h.example", SERVER, AT_ROOT, Some("https://h.example")),
            ("https://h.example/", SERVER, AT_PATH, Some("https://h.example/")),
            ("https://h.example/a", SERVER, AT_PATH, Some("https://h.example/a")),
            // Above the server's path, but in a document of a tenant or of another origin.
            ("https://h.example", SERVER, ELSEWHERE, None),
            ("https://h.example/a", SERVER, ELSEWHERE, None),
            ("https://h.example", SERVER, "https://other.example/.well-known/oauth-protected-resource", None),
            ("https://h.example", SERVER, "https://h.example/.well-known/oauth-protected-resource-x", None),
            ("https://h.example", SERVER, "https://h.example/t/.well-known/oauth-protected-resource", None),
            // Next to the server's path, below it, and on another origin.
            ("https://h.example/a/mcp2", SERVER, AT_PATH, None),
            ("https://h.example/a/mc", SERVER, AT_ROOT, None),
            ("https://h.example/a/mcp/b", SERVER, AT_PATH, None),
            ("https://h.example/b/mcp", SERVER, AT_ROOT, None),
            ("https://h.example/A/mcp", SERVER, AT_PATH, None),
            ("https://h.example/a/m%63p", SERVER, AT_PATH, None),
            ("https://h.example/a/mcp//", SERVER, AT_PATH, None),
            ("https://evil.example/a/mcp", SERVER, AT_PATH, None),
            ("https://h.example:8443/a/mcp", SERVER, AT_PATH, None),
            ("https://h.example.evil.example/a/mcp", SERVER, AT_PATH, None),
            ("http://h.example/a/mcp", SERVER, AT_PATH, None),
            ("https://h.example/a/mcp#f", SERVER, AT_PATH, None),
            ("https://u@h.example/a/mcp", SERVER, AT_PATH, None),
            ("h.example/a/mcp", SERVER, AT_PATH, None),
            ("urn:mcp", SERVER, AT_PATH, None),
        ] {
            assert_eq!(matched(named, server, place).as_deref(), expected, "{named} for {server} at {place}");
        }
    }

    // Requirements: AUTH-09
    #[test]
    fn well_known_addresses_stand_between_host_and_path() {
        for (server, expected) in [
            ("https://h.example", &["https://h.example/.well-known/oauth-protected-resource"][..]),
            ("https://h.example/", &["https://h.example/.well-known/oauth-protected-resource"]),
            (
                "https://h.example:8443/public/mcp",
                &[
                    "https://h.example:8443/.well-known/oauth-protected-resource/public/mcp",
                    "https://h.example:8443/.well-known/oauth-protected-resource",
                ],
            ),
            (
                "https://h.example/mcp/?t=1",
                &[
                    "https://h.example/.well-known/oauth-protected-resource/mcp?t=1",
                    "https://h.example/.well-known/oauth-protected-resource",
                ],
            ),
        ] {
            let places = well_known_urls(&Url::parse(server).unwrap());
            assert_eq!(places.iter().map(Url::as_str).collect::<Vec<_>>(), expected);
        }
    }
}
