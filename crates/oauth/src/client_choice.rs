//! Chooses the client for an authorization server, with the reason.

use crate::client::{Client, ClientAuthentication};
use crate::document::{REDIRECT_PATHS, REDIRECT_PORTS, check_document_url};
use crate::error::Error;
use crate::json_fields::quote_excerpt;
use crate::registration::Registration;
use crate::server::AuthorizationServer;
use crate::steps::Purpose;
use crate::steps::{Step, StepObserver};
use mooring_words::{Sentence, say};
use sha2::{Digest as _, Sha256};
use std::time::SystemTime;
use url::Url;

/// A client that someone registered by hand.
#[derive(Debug, Clone)]
pub struct PreRegistered {
    /// The issuer. `None` if the client has not been used yet.
    pub issuer: Option<String>,
    /// The client.
    pub client: Client,
}

/// The clients to choose from.
#[derive(Debug, Clone, Default)]
pub struct ClientCandidates {
    /// A client that was registered by hand.
    pub pre_registered: Option<PreRegistered>,
    /// The URL of this client's document, if one is published.
    pub document: Option<Url>,
    /// An earlier dynamic registration, at any issuer.
    pub earlier: Option<Registration>,
}

/// The chosen client.
#[derive(Debug, Clone)]
pub enum ClientChoice {
    /// The client that was registered by hand.
    PreRegistered(Client),
    /// The client that its metadata document describes. Responses have to be received at one of
    /// [`document_redirects`].
    Document(Client),
    /// The client that was registered dynamically before.
    Earlier(Client),
    /// A client that has to be registered first with [`register`](crate::register).
    Register,
    /// The person has to enter a client.
    Ask,
}

/// A choice and its reason.
#[derive(Debug, Clone)]
pub struct ChosenClient {
    /// The chosen client.
    pub choice: ClientChoice,
    /// The reason.
    pub reason: Sentence,
}

/// Chooses the client for an authorization server, in the specification's order: a client registered by hand,
/// the client's metadata document, an earlier registration or a new one, or else one that the person enters.
///
/// A client is only valid for the issuer that knows it. A client that was registered by hand for another
/// issuer ends the sign-in, because only the person can decide what to do.
pub fn choose_client(
    server: &AuthorizationServer,
    candidates: &ClientCandidates,
    redirect: Option<&Url>,
    now: SystemTime,
    trail: &StepObserver,
) -> Result<ChosenClient, Error> {
    let identity = choose_by_priority(server, candidates, redirect, now);
    let (ok, found) = match &identity {
        Ok(identity) => (!matches!(identity.choice, ClientChoice::Ask), identity.reason.clone()),
        Err(error) => (false, error.sentence().clone()),
    };
    trail.record(Step::by_outcome(Purpose::ClientIdentity, ok, found));
    identity
}

fn choose_by_priority(
    server: &AuthorizationServer,
    candidates: &ClientCandidates,
    redirect: Option<&Url>,
    now: SystemTime,
) -> Result<ChosenClient, Error> {
    let chosen = |choice, reason| Ok(ChosenClient { choice, reason });
    let issuer = || quote_excerpt(&server.issuer);
    if let Some(known) = &candidates.pre_registered {
        if let Some(other) = known.issuer.as_ref().filter(|other| **other != server.issuer) {
            return Err(Error::ClientNeeded {
                sentence: say!(
                    "the client ID entered belongs to {other}, but the server now asks to sign in at {issuer}: enter one for it",
                    other = quote_excerpt(other),
                    issuer = issuer()
                ),
                redirect: None,
            });
        }
        return chosen(
            ClientChoice::PreRegistered(known.client.clone()),
            say!("the client ID entered for {issuer}", issuer = issuer()),
        );
    }
    if let Some(document) = &candidates.document {
        // The document lists the redirect addresses of all issuers, so only `iss` identifies the issuer of a
        // response. Without `iss`, an issuer that relays the request to another issuer would get the other
        // one's code.
        let tells_issuer = server.authorization_response_iss_parameter_supported;
        let reads = server.client_id_metadata_document_supported && tells_issuer;
        if reads && check_document_url(document.as_str()).is_ok() {
            let client = Client {
                id: document.as_str().to_owned(),
                secret: None,
                authentication: ClientAuthentication::None,
            };
            return chosen(
                ClientChoice::Document(client),
                say!(
                    "{issuer} reads Mooring’s client metadata at {document}",
                    issuer = issuer(),
                    document = quote_excerpt(document.as_str())
                ),
            );
        }
    }
    let mut reason = say!("{issuer} supports dynamic registration", issuer = issuer());
    if let Some(earlier) = &candidates.earlier {
        if earlier.issuer != server.issuer {
            reason = say!(
                "the registration with {other} isn’t for {issuer}: a new one is needed",
                other = quote_excerpt(&earlier.issuer),
                issuer = issuer()
            );
        } else if earlier.is_secret_expired(now) {
            reason =
                say!("the registration with {issuer} has expired: a new one is needed", issuer = issuer());
        } else if !redirect.is_none_or(|redirect| earlier.allows_redirect(redirect)) {
            reason = say!(
                "the registration with {issuer} is for another redirect URI: a new one is needed",
                issuer = issuer()
            );
        } else {
            return chosen(
                ClientChoice::Earlier(earlier.client.clone()),
                say!("registered with {issuer} earlier", issuer = issuer()),
            );
        }
    }
    if server.registration_endpoint.is_some() {
        return chosen(ClientChoice::Register, reason);
    }
    // Without `iss` (RFC 9207), a response from another authorization server could not be detected.
    if server.client_id_metadata_document_supported && server.authorization_response_iss_parameter_supported {
        let reason = say!(
            "{issuer} doesn’t support dynamic registration: register a client there and enter its ID, or enter the URL of a published client metadata document as the ID",
            issuer = issuer()
        );
        return chosen(ClientChoice::Ask, reason);
    }
    chosen(
        ClientChoice::Ask,
        say!(
            "{issuer} doesn’t support dynamic registration: register a client there, and enter its ID",
            issuer = issuer()
        ),
    )
}

/// The redirect URLs of the metadata document's client, the best first. They are specific to the issuer, so
/// that another issuer's responses don't arrive there. URLs with the document's ports come first, then one
/// with any port.
pub fn document_redirects(issuer: &str) -> Vec<Url> {
    let slot = usize::from(Sha256::digest(issuer.as_bytes())[0]) % REDIRECT_PATHS.len();
    let path = REDIRECT_PATHS[slot];
    let with_port = REDIRECT_PORTS.iter().map(|port| format!("http://127.0.0.1:{port}{path}"));
    with_port.chain([format!("http://127.0.0.1{path}")]).filter_map(|uri| Url::parse(&uri).ok()).collect()
}
