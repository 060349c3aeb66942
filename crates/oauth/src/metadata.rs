//! Metadata of authorization servers (RFC 8414, OpenID Connect Discovery 1.0).

use crate::address::check_address_in_reach;
use crate::error::Error;
use crate::http::{Http, Request};
use crate::json_fields::{quote_excerpt, read_flag, read_text, read_texts};
use crate::reach::NetworkReach;
use crate::server::AuthorizationServer;
use crate::steps::{PendingStep, Purpose, Step, StepObserver};
use crate::well_known::{MetadataLookup, fetch_metadata, well_known_url};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method};
use mooring_words::{Sentence, say};
use serde_json::{Map, Value};
use url::Url;

const OAUTH: &str = "oauth-authorization-server";
const OPENID: &str = "openid-configuration";

/// Gets the metadata of an authorization server by its issuer. Tries the well-known addresses of RFC 8414,
/// then those of OpenID Connect. The first document that belongs to the issuer counts.
pub async fn server_metadata(
    http: &Http,
    issuer: &str,
    trail: &StepObserver,
) -> Result<AuthorizationServer, Error> {
    let url = match check_issuer(issuer, http.reach()) {
        Ok(url) => url,
        Err(error) => {
            trail.record(Step::by_outcome(Purpose::ServerMetadata, false, error.sentence().clone()));
            return Err(error);
        }
    };
    let (mut in_trouble, mut unusable) = (None, None);
    for place in metadata_urls(&url) {
        let request = metadata_request(place);
        let mut asked = PendingStep::new(request.purpose, &request.url);
        let host = request.url.host_str().unwrap_or_default().to_owned();
        let fetched = fetch_metadata(http, request, &mut asked).await;
        let why = match fetched {
            Ok(MetadataLookup::Document(document)) => match read_metadata(&document, issuer, http.reach()) {
                Ok(server) => {
                    let (ok, found) = describe_server(&server);
                    asked.finish(trail, ok, found);
                    return Ok(server);
                }
                Err(why) => why,
            },
            Ok(MetadataLookup::Absent(why)) => {
                asked.finish(trail, true, why);
                continue;
            }
            Ok(MetadataLookup::Unusable(why)) => why,
            Err(error) => {
                // A server may fail temporarily for one of the addresses only.
                asked.finish(trail, false, error.sentence().clone());
                in_trouble.get_or_insert(error);
                continue;
            }
        };
        asked.finish(trail, false, why.clone());
        unusable.get_or_insert(say!("the metadata of {host} can’t be used: {why}", host = host, why = why));
    }
    let none = || say!("{issuer} publishes no metadata", issuer = quote_excerpt(issuer));
    Err(in_trouble.unwrap_or_else(|| Error::Refused(unusable.unwrap_or_else(none))))
}

/// Fetches the metadata of a server of revision 2025-03-26, which is its own authorization server. The
/// metadata is at its origin. If there is none, the defaults of that revision are used. This is only for a
/// server without protected resource metadata. If it is uncertain whether there is any, the error `otherwise`
/// is returned instead of the defaults.
pub(crate) async fn legacy_server_metadata(
    http: &Http,
    server: &Url,
    otherwise: Option<Error>,
    trail: &StepObserver,
) -> Result<AuthorizationServer, Error> {
    let origin = server.origin().ascii_serialization();
    let mut root = server.clone();
    root.set_path("/");
    root.set_query(None);
    root.set_fragment(None);
    let mut request = metadata_request(well_known_url(&root, OAUTH));
    request.headers.insert("mcp-protocol-version", HeaderValue::from_static("2025-03-26"));
    let mut asked = PendingStep::new(request.purpose, &request.url);
    let why = match fetch_metadata(http, request, &mut asked).await {
        Ok(MetadataLookup::Document(document)) => match read_metadata(&document, &origin, http.reach()) {
            Ok(server) => {
                let (ok, found) = describe_server(&server);
                asked.finish(trail, ok, found);
                return Ok(server);
            }
            Err(why) => why,
        },
        Ok(MetadataLookup::Absent(why)) => {
            asked.finish(trail, true, why);
            if let Some(error) = otherwise {
                return Err(error);
            }
            let endpoint = |path: &str| root.join(path).ok();
            trail.record(Step::by_outcome(
                Purpose::ServerMetadata,
                true,
                say!(
                    "legacy discovery: {origin} publishes no metadata, so /authorize, /token and /register are assumed",
                    origin = origin.clone()
                ),
            ));
            return Ok(AuthorizationServer {
                issuer: origin,
                authorization_endpoint: endpoint("/authorize"),
                token_endpoint: endpoint("/token"),
                registration_endpoint: endpoint("/register"),
                assumed: true,
                ..AuthorizationServer::default()
            });
        }
        Ok(MetadataLookup::Unusable(why)) => why,
        Err(error) => {
            asked.finish(trail, false, error.sentence().clone());
            return Err(otherwise.unwrap_or(error));
        }
    };
    asked.finish(trail, false, why.clone());
    let unusable =
        || Error::Refused(say!("the metadata of {host} can’t be used: {why}", host = origin, why = why));
    Err(otherwise.unwrap_or_else(unusable))
}

fn metadata_request(url: Url) -> Request {
    let (headers, body) = (HeaderMap::new(), Bytes::new());
    Request { purpose: Purpose::ServerMetadata, method: Method::GET, url, headers, body }
}

/// Checks that an issuer is a URL without query and fragment (RFC 8414 §2).
fn check_issuer(issuer: &str, reach: NetworkReach) -> Result<Url, Error> {
    let url = check_address_in_reach(issuer, reach).and_then(|url| match url.query() {
        Some(_) => Err(say!("it has a query")),
        None => Ok(url),
    });
    url.map_err(|why| {
        Error::Refused(say!(
            "{issuer} can’t be an authorization server: {why}",
            issuer = quote_excerpt(issuer),
            why = why
        ))
    })
}

/// Whether two texts name the same issuer. They are compared letter by letter (RFC 8414 §3.3). Only the slash
/// of an empty path is ignored, because it makes no difference in a URL (RFC 3986 §6.2.3) and libraries add
/// it.
pub(crate) fn is_same_issuer(one: &str, other: &str) -> bool {
    let bare = |issuer: &str| {
        let is_bare = Url::parse(issuer).is_ok_and(|url| url.path() == "/" && url.query().is_none());
        issuer.strip_suffix('/').filter(|_| is_bare).unwrap_or(issuer).to_owned()
    };
    bare(one) == bare(other)
}

/// The possible URLs of an issuer's metadata, in the specification's order. The last URL is not specified,
/// but frameworks that are mounted at a path use it.
fn metadata_urls(issuer: &Url) -> Vec<Url> {
    let mut places = vec![well_known_url(issuer, OAUTH), well_known_url(issuer, OPENID)];
    let path = issuer.path().trim_end_matches('/');
    if !path.is_empty() {
        places.extend([OPENID, OAUTH].map(|name| {
            let mut appended = issuer.clone();
            appended.set_path(&format!("{path}/.well-known/{name}"));
            appended
        }));
    }
    places
}

/// Reads a metadata document, which must be from the issuer `asked`. The issuer is used as the document
/// spells it. A document with one unsafe URL is refused as a whole, because its author can't be trusted.
fn read_metadata(
    document: &Map<String, Value>,
    asked: &str,
    reach: NetworkReach,
) -> Result<AuthorizationServer, Sentence> {
    let Some(issuer) = read_text(document, "issuer") else {
        return Err(say!("its issuer is missing"));
    };
    if !is_same_issuer(issuer, asked) {
        return Err(say!(
            "it is from {issuer}, but {asked} was asked",
            issuer = quote_excerpt(issuer),
            asked = quote_excerpt(asked)
        ));
    }
    let endpoint = |field: &str| match document.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(written)) if written.is_empty() => Ok(None),
        Some(Value::String(written)) => check_address_in_reach(written, reach).map(Some).map_err(|why| {
            say!(
                "its {field} {address} isn’t safe: {why}",
                field = field,
                address = quote_excerpt(written),
                why = why
            )
        }),
        Some(_) => Err(say!("its {field} isn’t a string", field = field)),
    };
    Ok(AuthorizationServer {
        issuer: issuer.to_owned(),
        authorization_endpoint: endpoint("authorization_endpoint")?,
        pushed_authorization_request_endpoint: endpoint("pushed_authorization_request_endpoint")?,
        require_pushed_authorization_requests: read_flag(document, "require_pushed_authorization_requests"),
        token_endpoint: endpoint("token_endpoint")?,
        registration_endpoint: endpoint("registration_endpoint")?,
        revocation_endpoint: endpoint("revocation_endpoint")?,
        userinfo_endpoint: endpoint("userinfo_endpoint")?,
        scopes_supported: read_texts(document, "scopes_supported"),
        grant_types_supported: read_texts(document, "grant_types_supported"),
        token_endpoint_auth_methods_supported: read_texts(document, "token_endpoint_auth_methods_supported"),
        token_endpoint_auth_signing_alg_values_supported: read_texts(
            document,
            "token_endpoint_auth_signing_alg_values_supported",
        ),
        code_challenge_methods_supported: read_texts(document, "code_challenge_methods_supported"),
        prompt_values_supported: read_texts(document, "prompt_values_supported"),
        authorization_response_iss_parameter_supported: read_flag(
            document,
            "authorization_response_iss_parameter_supported",
        ),
        client_id_metadata_document_supported: read_flag(document, "client_id_metadata_document_supported"),
        dpop_signing_alg_values_supported: read_texts(document, "dpop_signing_alg_values_supported"),
        assumed: false,
    })
}

/// Describes the metadata that decides whether signing in is possible.
fn describe_server(server: &AuthorizationServer) -> (bool, Sentence) {
    match server.check_pkce() {
        Ok(()) => {
            (true, say!("metadata of {issuer}, which offers PKCE with S256", issuer = server.issuer.clone()))
        }
        // Grants without a browser don't need PKCE.
        Err(why) => (server.authorization_endpoint.is_none(), why.sentence().clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: AUTH-13
    #[test]
    fn issuers_differ_but_by_the_slash_of_an_empty_path() {
        for (one, other, same) in [
            ("https://as.example", "https://as.example", true),
            ("https://as.example", "https://as.example/", true),
            ("https://as.example:8443/", "https://as.example:8443", true),
            ("https://as.example", "https://as.example//", false),
            ("https://as.example/", "https://as.example//", false),
            ("https://as.example", "https://as.example/?", false),
            ("https://as.example", "https://AS.example/", false),
            ("https://as.example", "https://as.example:443/", false),
            // In a path, the slash is significant, because tenants may differ by it.
            ("https://as.example/one", "https://as.example/one/", false),
            ("https://as.example", "http://as.example/", false),
            ("", "/", false),
        ] {
            assert_eq!(is_same_issuer(one, other), same, "{one} {other}");
            assert_eq!(is_same_issuer(other, one), same, "{other} {one}");
        }
    }

    // Requirements: AUTH-12
    #[test]
    fn metadata_is_looked_for_in_the_order_of_the_specification() {
        for (issuer, expected) in [
            (
                "https://auth.example",
                &[
                    "https://auth.example/.well-known/oauth-authorization-server",
                    "https://auth.example/.well-known/openid-configuration",
                ][..],
            ),
            (
                "https://auth.example/",
                &[
                    "https://auth.example/.well-known/oauth-authorization-server",
                    "https://auth.example/.well-known/openid-configuration",
                ],
            ),
            (
                "https://auth.example:8443/realms/one",
                &[
                    "https://auth.example:8443/.well-known/oauth-authorization-server/realms/one",
                    "https://auth.example:8443/.well-known/openid-configuration/realms/one",
                    "https://auth.example:8443/realms/one/.well-known/openid-configuration",
                    "https://auth.example:8443/realms/one/.well-known/oauth-authorization-server",
                ],
            ),
            (
                "https://auth.example/tenant1/",
                &[
                    "https://auth.example/.well-known/oauth-authorization-server/tenant1",
                    "https://auth.example/.well-known/openid-configuration/tenant1",
                    "https://auth.example/tenant1/.well-known/openid-configuration",
                    "https://auth.example/tenant1/.well-known/oauth-authorization-server",
                ],
            ),
        ] {
            let places = metadata_urls(&Url::parse(issuer).unwrap());
            assert_eq!(places.iter().map(Url::as_str).collect::<Vec<_>>(), expected);
        }
    }
}
