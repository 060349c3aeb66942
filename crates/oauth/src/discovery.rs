//! Finds the authorization server for a challenge. The result depends on what is found, not on the protocol
//! version, which is still unknown.

use crate::error::Error;
use crate::http::Http;
use crate::json_fields::quote_excerpt;
use crate::metadata::{is_same_issuer, legacy_server_metadata, server_metadata};
use crate::resource::{Challenge, ProtectedResource, ResourceLookup, find_protected_resource};
use crate::scopes::initial_scopes;
use crate::server::AuthorizationServer;
use crate::steps::{Purpose, Step, StepObserver};
use mooring_words::{Sentence, say};
use std::time::Duration;
use url::Url;

/// What a client needs to sign in to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery {
    /// The `resource` parameter (RFC 8707). `None` in legacy discovery, which doesn't have it.
    pub resource: Option<String>,
    /// The server's own metadata. `None` in legacy discovery.
    pub resource_metadata: Option<ProtectedResource>,
    /// The issuers that the resource metadata names.
    pub servers: Vec<String>,
    /// The issuer that was chosen.
    pub server: AuthorizationServer,
    /// The scopes for a first sign-in. Empty to request none by name.
    pub scopes: Vec<String>,
    /// Whether the server was found by the rules of revision 2025-03-26, in which it is its own authorization
    /// server.
    pub legacy: bool,
}

/// The deadline for the whole discovery, for any number of issuers.
const DEADLINE: Duration = Duration::from_mins(2);

/// Finds out how to sign in to a server that requires a sign-in.
///
/// If there are several authorization servers, the first one with usable metadata is chosen. `remembered` is
/// the one that was chosen before. It is chosen again as long as the server names it.
pub async fn discover(
    http: &Http,
    server: &Url,
    challenge: &Challenge,
    remembered: Option<&str>,
    trail: &StepObserver,
) -> Result<Discovery, Error> {
    trail.record(Step::by_outcome(Purpose::Challenge, true, challenge_sentence(challenge)));
    let found = Box::pin(discover_server(http, server, challenge, remembered, trail));
    with_deadline(DEADLINE, trail, found).await
}

async fn with_deadline<T>(
    deadline: Duration,
    trail: &StepObserver,
    finding: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    tokio::time::timeout(deadline, finding).await.unwrap_or_else(|_| {
        let late = say!(
            "finding out how to sign in took longer than {seconds} s",
            seconds = deadline.as_secs().to_string()
        );
        trail.record(Step::by_outcome(Purpose::ServerMetadata, false, late.clone()));
        Err(Error::Unreachable(late))
    })
}

async fn discover_server(
    http: &Http,
    server: &Url,
    challenge: &Challenge,
    remembered: Option<&str>,
    trail: &StepObserver,
) -> Result<Discovery, Error> {
    let resource = match find_protected_resource(http, server, challenge, trail).await? {
        ResourceLookup::Metadata(resource) => resource,
        ResourceLookup::Missing(otherwise) => {
            let server = legacy_server_metadata(http, server, otherwise, trail).await?;
            let scopes = initial_scopes(challenge.scope.as_deref(), None, &server);
            let servers = vec![server.issuer.clone()];
            return Ok(Discovery {
                resource: None,
                resource_metadata: None,
                servers,
                server,
                scopes,
                legacy: true,
            });
        }
    };
    let servers = resource.authorization_servers.clone();
    let server = choose_server(http, &servers, remembered, trail).await?;
    let scopes = initial_scopes(challenge.scope.as_deref(), resource.scopes_supported.as_deref(), &server);
    Ok(Discovery {
        resource: Some(resource.resource.clone()),
        resource_metadata: Some(resource),
        servers,
        server,
        scopes,
        legacy: false,
    })
}

fn challenge_sentence(challenge: &Challenge) -> Sentence {
    let named = challenge.resource_metadata.iter().filter_map(|named| named.split('?').next());
    let named = named.collect::<Vec<_>>().join(", ");
    match (Some(named.as_str()).filter(|named| !named.is_empty()), &challenge.scope) {
        (Some(metadata), Some(scope)) => say!(
            "the server asks for a sign-in with {scope}, and names its metadata: {metadata}",
            scope = quote_excerpt(scope),
            metadata = quote_excerpt(metadata)
        ),
        (Some(metadata), None) => {
            say!(
                "the server asks for a sign-in, and names its metadata: {metadata}",
                metadata = quote_excerpt(metadata)
            )
        }
        (None, Some(scope)) => {
            say!("the server asks for a sign-in with {scope}", scope = quote_excerpt(scope))
        }
        (None, None) if challenge.error.is_some() => say!("the server asks for a sign-in"),
        (None, None) => say!("looking for the server’s sign-in metadata"),
    }
}

async fn choose_server(
    http: &Http,
    servers: &[String],
    remembered: Option<&str>,
    trail: &StepObserver,
) -> Result<AuthorizationServer, Error> {
    let decided = |sentence| trail.record(Step::by_outcome(Purpose::ServerMetadata, true, sentence));
    if let Some(remembered) = remembered {
        if servers.iter().any(|server| is_same_issuer(server, remembered)) {
            decided(say!("{issuer} was chosen, as before", issuer = quote_excerpt(remembered)));
            return server_metadata(http, remembered, trail).await;
        }
        decided(say!("the server no longer names {issuer}", issuer = quote_excerpt(remembered)));
    }
    let mut first = None;
    for issuer in servers {
        match server_metadata(http, issuer, trail).await {
            Ok(server) => {
                if servers.len() > 1 {
                    decided(say!(
                        "{issuer} was chosen from {count} that the server names: the first usable one",
                        issuer = quote_excerpt(issuer),
                        count = servers.len().to_string()
                    ));
                }
                return Ok(server);
            }
            Err(error) => {
                first.get_or_insert(error);
            }
        }
    }
    Err(first.unwrap_or_else(|| Error::Refused(say!("the metadata names no authorization server"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[tokio::test]
    async fn it_ends_however_many_slow_servers_are_named() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let steps = Arc::clone(&told);
        let trail = StepObserver::new(move |step| steps.lock().unwrap().push(step));
        let never = std::future::pending::<Result<(), Error>>();
        let late = with_deadline(Duration::from_millis(10), &trail, never).await;
        assert!(matches!(late, Err(Error::Unreachable(_))), "{late:?}");
        assert!(!told.lock().unwrap()[0].ok);
        assert!(with_deadline(Duration::from_mins(1), &trail, async { Ok(()) }).await.is_ok());
    }
}
