//! Dynamic client registration (RFC 7591).

use crate::address::check_address_in_reach;
use crate::client::{Client, ClientAuthentication, authentication_for};
use crate::error::Error;
use crate::http::{Http, Request, Response};
use crate::json_fields::{quote_excerpt, read_text, read_texts};
use crate::server::AuthorizationServer;
use crate::steps::{Purpose, StepObserver};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method};
use mooring_words::{Sentence, say};
use secrecy::SecretString;
use serde_json::{Map, Value, json};
use std::time::{Duration, SystemTime};
use url::Url;

/// The longest id, secret or token, in bytes.
const LONGEST: usize = 4096;

/// A client that an issuer has registered.
#[derive(Debug, Clone)]
pub struct Registration {
    /// The issuer that knows the client. The client is used with no other issuer.
    pub issuer: String,
    /// The client.
    pub client: Client,
    /// When the client secret expires. `None` if it never does.
    pub secret_expires: Option<SystemTime>,
    /// The redirect URIs.
    pub redirect_uris: Vec<String>,
    /// The URL for deleting the registration (RFC 7592), and the token for that.
    pub configuration: Option<(Url, SecretString)>,
}

impl Registration {
    /// Whether the client secret has expired.
    pub fn is_secret_expired(&self, now: SystemTime) -> bool {
        self.secret_expires.is_some_and(|expires| expires <= now)
    }

    /// Whether a response may be sent to an address. The address must be registered. If a registered loopback
    /// address has no port, any port is allowed (RFC 8252 §7.3).
    pub fn allows_redirect(&self, redirect: &Url) -> bool {
        let mut portless = redirect.clone();
        let portless = portless.set_port(None).ok().map(|()| portless);
        self.redirect_uris.iter().filter_map(|uri| Url::parse(uri).ok()).any(|uri| {
            uri == *redirect || (uri.port().is_none() && portless.as_ref().is_some_and(|url| uri == *url))
        })
    }
}

/// Registers a client at an authorization server. If the server refuses the redirect URIs, the error has the
/// server's explanation. If the server refuses the client's metadata, the request is repeated with less:
/// first without scopes, then with only the necessary members.
pub async fn register(
    http: &Http,
    server: &AuthorizationServer,
    redirects: &[Url],
    scopes: &[String],
    trail: &StepObserver,
) -> Result<Registration, Error> {
    let Some(endpoint) = &server.registration_endpoint else {
        return Err(Error::Refused(say!(
            "{issuer} doesn’t support dynamic registration: register a client there, and enter its ID",
            issuer = quote_excerpt(&server.issuer)
        )));
    };
    let method = choose_auth_method(server)?;
    let uris: Vec<_> = redirects.iter().map(Url::as_str).collect();
    let body = json!({
        "client_name": "Mooring",
        "application_type": "native",
        "redirect_uris": uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
    });
    // Some servers know the scopes of their resources only in authorization requests, and refuse them here.
    let mut scoped = body.clone();
    scoped["scope"] = scopes.join(" ").into();
    // Some servers refuse members that they do not know, or more than one grant type (RFC 7591 §2 allows
    // that).
    let least = json!({
        "client_name": "Mooring",
        "redirect_uris": uris,
        "token_endpoint_auth_method": method,
    });
    let registering = RegistrationRequest { http, server, endpoint, redirects: &uris, method, trail };
    for body in [(!scopes.is_empty()).then_some(scoped), Some(body)].into_iter().flatten() {
        match registering.send_registration(&body).await {
            Err(RegistrationRefusal { of_metadata: true, .. }) => {}
            registered => return registered.map_err(|refusal| refusal.error),
        }
    }
    registering.send_registration(&least).await.map_err(|refusal| refusal.error)
}

/// A registration that was refused.
struct RegistrationRefusal {
    error: Error,
    /// Whether the server refuses part of the client's metadata, so that a request with less may succeed.
    of_metadata: bool,
}

struct RegistrationRequest<'a> {
    http: &'a Http,
    server: &'a AuthorizationServer,
    endpoint: &'a Url,
    redirects: &'a [&'a str],
    method: &'static str,
    trail: &'a StepObserver,
}

impl RegistrationRequest<'_> {
    async fn send_registration(&self, body: &Value) -> Result<Registration, RegistrationRefusal> {
        let request = Request {
            purpose: Purpose::Registration,
            method: Method::POST,
            url: self.endpoint.clone(),
            headers: HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]),
            body: Bytes::from(body.to_string()),
        };
        let mut of_metadata = false;
        let read = |response: Response| {
            of_metadata = is_metadata_refused(&response);
            read_registration(self.http, self.server, self.redirects, self.method, &response)
        };
        let registered = self.http.ask(self.trail, request, read).await;
        registered.map_err(|error| RegistrationRefusal { error, of_metadata })
    }
}

/// Whether an error is about the client's metadata, according to its code (RFC 7591 §3.2.2), or to its status
/// if there is no code.
fn is_metadata_refused(response: &Response) -> bool {
    let document = response.json_object().unwrap_or_default();
    let code = read_text(&document, "error");
    matches!(response.status, 400 | 422)
        && code.is_none_or(|code| {
            !matches!(code, "invalid_redirect_uri" | "access_denied" | "unauthorized_client")
        })
}

/// Chooses the best authentication method that the server supports. `none` is preferred, because a client on
/// a person's machine can't hide a secret from the person. Of the two methods with a secret, the one that the
/// server lists first is chosen. Disadvantages of the other one, such as missing revocation in the Python
/// SDK, only show later.
fn choose_auth_method(server: &AuthorizationServer) -> Result<&'static str, Error> {
    let Some(supported) = &server.token_endpoint_auth_methods_supported else {
        return Ok("client_secret_basic");
    };
    let first_of = |methods: &[&'static str]| {
        supported.iter().find_map(|known| methods.iter().find(|method| *method == known).copied())
    };
    let method = first_of(&["none"]).or_else(|| first_of(&["client_secret_basic", "client_secret_post"]));
    method.ok_or_else(|| {
        Error::Refused(say!(
            "{issuer} requires a client authentication that dynamic registration can’t offer: register a client there, and enter its ID",
            issuer = quote_excerpt(&server.issuer)
        ))
    })
}

fn read_registration(
    http: &Http,
    server: &AuthorizationServer,
    redirects: &[&str],
    method: &str,
    response: &Response,
) -> Result<(Registration, Sentence), Error> {
    let issuer = || quote_excerpt(&server.issuer);
    match response.status {
        200 | 201 => {}
        _ if response.is_temporary_failure() => return Err(response.temporary_failure_error(&server.issuer)),
        _ => return Err(refusal_error(server, redirects, response)),
    }
    let unusable = |why: Sentence| {
        Error::Refused(say!(
            "the registration with {issuer} can’t be used: {why}",
            issuer = issuer(),
            why = why
        ))
    };
    let document = response.json_object().map_err(unusable)?;
    let bounded = |field| read_text(&document, field).filter(|text| text.len() <= LONGEST);
    let id = match document.get("client_id") {
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => bounded("client_id").map(str::to_owned),
    };
    let Some(id) = id.filter(|id| !id.chars().any(char::is_control)) else {
        return Err(unusable(say!("it has no client ID")));
    };
    let secret = bounded("client_secret").map(str::to_owned);
    let authentication = match read_text(&document, "token_endpoint_auth_method").unwrap_or(method) {
        _ if secret.is_none() => ClientAuthentication::None,
        "none" => ClientAuthentication::None,
        "client_secret_post" => ClientAuthentication::Post,
        "client_secret_basic" => ClientAuthentication::Basic,
        _ => authentication_for(server, true),
    };
    let secret = secret.filter(|_| authentication != ClientAuthentication::None).map(SecretString::from);
    let redirect_uris = read_texts(&document, "redirect_uris")
        .filter(|uris| !uris.is_empty())
        .unwrap_or_else(|| redirects.iter().map(|&uri| uri.to_owned()).collect());
    let address = read_text(&document, "registration_client_uri")
        .and_then(|uri| check_address_in_reach(uri, http.reach()).ok());
    let token = bounded("registration_access_token").map(SecretString::from);
    let registration = Registration {
        issuer: server.issuer.clone(),
        client: Client { id, secret, authentication },
        secret_expires: read_secret_expiry(&document),
        redirect_uris,
        configuration: address.zip(token),
    };
    let found = say!(
        "registered with {issuer} as {id}",
        issuer = issuer(),
        id = quote_excerpt(&registration.client.id)
    );
    Ok((registration, found))
}

/// Reads when the secret expires, in seconds since 1970. 0 means never.
fn read_secret_expiry(document: &Map<String, Value>) -> Option<SystemTime> {
    let seconds = match document.get("client_secret_expires_at")? {
        Value::String(text) => text.parse().ok()?,
        value => value.as_u64()?,
    };
    if seconds == 0 { None } else { SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)) }
}

/// Converts a server's refusal (RFC 7591 §3.2.2).
fn refusal_error(server: &AuthorizationServer, redirects: &[&str], response: &Response) -> Error {
    let issuer = quote_excerpt(&server.issuer);
    let document = response.json_object().unwrap_or_default();
    let error_text = response.error_text();
    let words = error_text.clone().unwrap_or_else(|| format!("HTTP {}", response.status));
    let code = read_text(&document, "error").map(quote_excerpt).unwrap_or_default();
    let not_anyone = |words: String| {
        say!(
            "{issuer} doesn’t let anyone register a client: register one there, and enter its ID ({words})",
            issuer = &issuer,
            words
        )
    };
    let sentence = match code.as_str() {
        "invalid_redirect_uri" => say!(
            "{issuer} doesn’t accept the redirect URI {redirect}: register a client there, and enter its ID ({words})",
            issuer = &issuer,
            redirect = quote_excerpt(&redirects.join(", ")),
            words = words
        ),
        "" => match response.status {
            401 | 403 => not_anyone(words),
            status => match error_text {
                Some(words) => say!(
                    "{issuer} didn’t register Mooring: HTTP status {status}: “{words}”",
                    issuer = &issuer,
                    status = status.to_string(),
                    words = words
                ),
                None => say!(
                    "{issuer} didn’t register Mooring: HTTP status {status}",
                    issuer = &issuer,
                    status = status.to_string()
                ),
            },
        },
        "access_denied" | "unauthorized_client" => not_anyone(words),
        _ if matches!(response.status, 401 | 403) => not_anyone(words),
        code => say!(
            "{issuer} didn’t register Mooring: {code} ({words})",
            issuer = &issuer,
            code = code.to_owned(),
            words = words
        ),
    };
    if matches!(response.status, 401 | 403)
        || matches!(code.as_str(), "access_denied" | "unauthorized_client" | "invalid_redirect_uri")
    {
        Error::ClientNeeded { sentence, redirect: None }
    } else if code.is_empty() {
        Error::Refused(sentence)
    } else {
        Error::ErrorResponse { code, sentence, server_message: None }
    }
}
