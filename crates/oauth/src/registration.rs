//! Registering as a client by ourselves (RFC 7591).

use crate::address::check_within;
use crate::client::{Client, ClientAuthentication};
use crate::error::Error;
use crate::http::{Http, Purpose, Request, Response};
use crate::identity::authentication_for;
use crate::lists::{quoted, text, texts};
use crate::server::AuthorizationServer;
use crate::trail::Trail;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method};
use mooring_words::{Sentence, say};
use secrecy::SecretString;
use serde_json::{Map, Value, json};
use std::time::{Duration, SystemTime};
use url::Url;

/// Longest id, secret or token taken, in bytes.
const LONGEST: usize = 4096;

/// A client that an issuer has registered.
#[derive(Debug, Clone)]
pub struct Registration {
    /// Who knows it. Nobody else is told of it.
    pub issuer: String,
    /// The client.
    pub client: Client,
    /// When its secret ends; nothing for never.
    pub secret_expires: Option<SystemTime>,
    /// Where answers may be sent.
    pub redirect_uris: Vec<String>,
    /// Where the registration can be ended (RFC 7592), and the token for it.
    pub configuration: Option<(Url, SecretString)>,
}

impl Registration {
    /// Whether its secret has ended.
    pub fn has_ended(&self, now: SystemTime) -> bool {
        self.secret_expires.is_some_and(|expires| expires <= now)
    }

    /// Whether an answer may be sent to an address: to one that is registered, whose port is left open on this machine
    /// when it names none (RFC 8252 §7.3).
    pub fn covers(&self, redirect: &Url) -> bool {
        let mut portless = redirect.clone();
        let portless = portless.set_port(None).ok().map(|()| portless);
        self.redirect_uris.iter().filter_map(|uri| Url::parse(uri).ok()).any(|uri| {
            uri == *redirect || (uri.port().is_none() && portless.as_ref().is_some_and(|url| uri == *url))
        })
    }
}

/// Registers at an authorization server. Its rules for redirect addresses may say no, which its own words explain.
pub async fn register(
    http: &Http,
    server: &AuthorizationServer,
    redirects: &[Url],
    scopes: &[String],
    trail: &Trail,
) -> Result<Registration, Error> {
    let Some(endpoint) = &server.registration_endpoint else {
        return Err(Error::Refused(say!(
            "{issuer} does not let clients register by themselves: register one there, and enter its id",
            issuer = quoted(&server.issuer)
        )));
    };
    let method = asked_method(server)?;
    let uris: Vec<_> = redirects.iter().map(Url::as_str).collect();
    let body = json!({
        "client_name": "Mooring",
        "application_type": "native",
        "redirect_uris": uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
    });
    let ask = |body: Value| {
        let request = Request {
            purpose: Purpose::Registration,
            method: Method::POST,
            url: endpoint.clone(),
            headers: HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]),
            body: Bytes::from(body.to_string()),
        };
        http.ask(trail, request, |response| read(http, server, &uris, method, &response))
    };
    if !scopes.is_empty() {
        let mut scoped = body.clone();
        scoped["scope"] = scopes.join(" ").into();
        match ask(scoped).await {
            // Some know the scopes of their resources only when they are asked for, and none of them here.
            Err(Error::Answered { code, .. }) if code == "invalid_client_metadata" => {}
            registered => return registered,
        }
    }
    ask(body).await
}

/// The best of what the server supports: a client on a person's machine keeps no secret from them, and needs none.
fn asked_method(server: &AuthorizationServer) -> Result<&'static str, Error> {
    let Some(supported) = &server.token_endpoint_auth_methods_supported else {
        return Ok("client_secret_basic");
    };
    let method = ["none", "client_secret_basic", "client_secret_post"]
        .into_iter()
        .find(|method| supported.iter().any(|known| known == method));
    method.ok_or_else(|| {
        Error::Refused(say!(
            "{issuer} wants clients to authenticate in ways that a registration by ourselves cannot offer: register one there, and enter its id",
            issuer = quoted(&server.issuer)
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
    let issuer = || quoted(&server.issuer);
    match response.status {
        200 | 201 => {}
        408 | 425 | 429 | 500.. => {
            return Err(Error::Unreachable(say!(
                "{host} is in trouble: it answered with HTTP status {status}",
                host = issuer(),
                status = response.status.to_string()
            )));
        }
        _ => return Err(rejected(server, redirects, response)),
    }
    let unusable = |why: Sentence| {
        Error::Refused(say!(
            "the registration with {issuer} cannot be used: {why}",
            issuer = issuer(),
            why = why
        ))
    };
    let document = response.object().map_err(unusable)?;
    let bounded = |field| text(&document, field).filter(|text| text.len() <= LONGEST);
    let id = match document.get("client_id") {
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => bounded("client_id").map(str::to_owned),
    };
    let Some(id) = id.filter(|id| !id.chars().any(char::is_control)) else {
        return Err(unusable(say!("it gives no client id")));
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
    let address =
        text(&document, "registration_client_uri").and_then(|uri| check_within(uri, http.reach()).ok());
    let token = bounded("registration_access_token").map(SecretString::from);
    let registration = Registration {
        issuer: server.issuer.clone(),
        client: Client { id, secret, authentication },
        secret_expires: secret_expires(&document),
        redirect_uris,
        configuration: address.zip(token),
    };
    let found =
        say!("registered with {issuer} as {id}", issuer = issuer(), id = quoted(&registration.client.id));
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

/// What a server's refusal means (RFC 7591 §3.2.2).
fn rejected(server: &AuthorizationServer, redirects: &[&str], response: &Response) -> Error {
    let issuer = quoted(&server.issuer);
    let document = response.object().unwrap_or_default();
    let words = match text(&document, "error_description") {
        Some(words) => quoted(words),
        None => format!("HTTP {}", response.status),
    };
    let code = text(&document, "error").map(quoted).unwrap_or_default();
    let sentence = match code.as_str() {
        "invalid_redirect_uri" => say!(
            "{issuer} does not accept the redirect address {redirect}: register a client there by hand, and enter its id ({words})",
            issuer = issuer,
            redirect = quoted(&redirects.join(", ")),
            words = words
        ),
        "" => match response.status {
            401 | 403 => say!(
                "{issuer} does not let everyone register a client: register one there by hand, and enter its id ({words})",
                issuer = issuer,
                words = words
            ),
            status => say!(
                "{issuer} did not register us: HTTP status {status}",
                issuer = issuer,
                status = status.to_string()
            ),
        },
        code => say!(
            "{issuer} did not register us: {code} ({words})",
            issuer = issuer,
            code = code.to_owned(),
            words = words
        ),
    };
    if code.is_empty() { Error::Refused(sentence) } else { Error::Answered { code, sentence } }
}
