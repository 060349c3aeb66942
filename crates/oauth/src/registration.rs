//! Registering as a client by ourselves (RFC 7591).

use crate::address::check_address_in_reach;
use crate::client::{Client, ClientAuthentication, authentication_for};
use crate::error::Error;
use crate::http::{Http, Request, Response};
use crate::json_fields::{quote_excerpt, text, texts};
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

/// Longest id, secret or token in bytes.
const LONGEST: usize = 4096;

/// A client that an issuer has registered.
#[derive(Debug, Clone)]
pub struct Registration {
    /// The issuer that knows the client. It is used with no other issuer.
    pub issuer: String,
    /// The client.
    pub client: Client,
    /// When its secret ends; nothing for never.
    pub secret_expires: Option<SystemTime>,
    /// The redirect URIs.
    pub redirect_uris: Vec<String>,
    /// Where the registration can be deleted (RFC 7592), with the token for it.
    pub configuration: Option<(Url, SecretString)>,
}

impl Registration {
    /// Whether its secret has ended.
    pub fn is_secret_expired(&self, now: SystemTime) -> bool {
        self.secret_expires.is_some_and(|expires| expires <= now)
    }

    /// Whether an answer may be sent to an address: to one that is registered, whose port is left open on this machine
    /// when it names none (RFC 8252 §7.3).
    pub fn allows_redirect(&self, redirect: &Url) -> bool {
        let mut portless = redirect.clone();
        let portless = portless.set_port(None).ok().map(|()| portless);
        self.redirect_uris.iter().filter_map(|uri| Url::parse(uri).ok()).any(|uri| {
            uri == *redirect || (uri.port().is_none() && portless.as_ref().is_some_and(|url| uri == *url))
        })
    }
}

/// Registers at an authorization server. Its rules for redirect addresses may say no, which its own words explain. One
/// that refuses what we say of ourselves is asked again with less: without scopes, then with the least that is needed.
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
    // Some know the scopes of their resources only when they are asked for, and none of them here.
    let mut scoped = body.clone();
    scoped["scope"] = scopes.join(" ").into();
    // Some refuse members that they do not know, or grants beside the first (RFC 7591 §2 lets them).
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

/// A registration that did not come about.
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
            of_metadata = refuses_metadata(&response);
            read(self.http, self.server, self.redirects, self.method, &response)
        };
        let registered = self.http.ask(self.trail, request, read).await;
        registered.map_err(|error| RegistrationRefusal { error, of_metadata })
    }
}

/// Whether an error is about the client's metadata: by its code (RFC 7591 §3.2.2), or by its status if it has
/// none.
fn refuses_metadata(response: &Response) -> bool {
    let document = response.json_object().unwrap_or_default();
    let code = text(&document, "error");
    matches!(response.status, 400 | 422)
        && code.is_none_or(|code| {
            !matches!(code, "invalid_redirect_uri" | "access_denied" | "unauthorized_client")
        })
}

/// The best authentication method that the server supports: a client on a person's machine can't keep a
/// secret from them, and needs none. Of the two methods with a secret, the one that the server lists first:
/// disadvantages of the other one, such as missing revocation in the Python SDK, only show later.
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

fn read(
    http: &Http,
    server: &AuthorizationServer,
    redirects: &[&str],
    method: &str,
    response: &Response,
) -> Result<(Registration, Sentence), Error> {
    let issuer = || quote_excerpt(&server.issuer);
    match response.status {
        200 | 201 => {}
        _ if response.is_temporary_failure() => return Err(response.temporary_failure(&server.issuer)),
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
    let bounded = |field| text(&document, field).filter(|text| text.len() <= LONGEST);
    let id = match document.get("client_id") {
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => bounded("client_id").map(str::to_owned),
    };
    let Some(id) = id.filter(|id| !id.chars().any(char::is_control)) else {
        return Err(unusable(say!("it has no client ID")));
    };
    let secret = bounded("client_secret").map(str::to_owned);
    let authentication = match text(&document, "token_endpoint_auth_method").unwrap_or(method) {
        _ if secret.is_none() => ClientAuthentication::None,
        "none" => ClientAuthentication::None,
        "client_secret_post" => ClientAuthentication::Post,
        "client_secret_basic" => ClientAuthentication::Basic,
        _ => authentication_for(server, true),
    };
    let secret = secret.filter(|_| authentication != ClientAuthentication::None).map(SecretString::from);
    let redirect_uris = texts(&document, "redirect_uris")
        .filter(|uris| !uris.is_empty())
        .unwrap_or_else(|| redirects.iter().map(|&uri| uri.to_owned()).collect());
    let address = text(&document, "registration_client_uri")
        .and_then(|uri| check_address_in_reach(uri, http.reach()).ok());
    let token = bounded("registration_access_token").map(SecretString::from);
    let registration = Registration {
        issuer: server.issuer.clone(),
        client: Client { id, secret, authentication },
        secret_expires: secret_expires(&document),
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

/// Seconds since 1970, with 0 for never.
fn secret_expires(document: &Map<String, Value>) -> Option<SystemTime> {
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
    let code = text(&document, "error").map(quote_excerpt).unwrap_or_default();
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
