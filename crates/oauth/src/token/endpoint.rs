//! Requests to a token endpoint: client authentication, proof of possession, and handling of the response.
//!
//! The `oauth2` crate is not used here. It supports neither `private_key_jwt` nor token exchange nor
//! assertion grants, and accepts no response with small mistakes.

use super::response::{self, TokenResponse};
use super::{TokenSet, TokenType};
use crate::assertion;
use crate::client::{Client, ClientAuthentication};
use crate::clock::Clock;
use crate::dpop::DpopKey;
use crate::error::Error;
use crate::http::{Http, Request, Response};
use crate::server::AuthorizationServer;
use crate::steps::{Purpose, StepObserver};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::Method;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use mooring_words::say;
use secrecy::{ExposeSecret, SecretString};
use std::time::Duration;
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

/// The delay before a request to a failing server is repeated.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The token endpoint of an authorization server, and the client that uses it.
#[derive(Debug, Clone, Copy)]
pub struct TokenEndpoint<'a> {
    /// Sends the requests.
    pub http: &'a Http,
    /// Receives the steps.
    pub trail: &'a StepObserver,
    /// The authorization server.
    pub server: &'a AuthorizationServer,
    /// The client.
    pub client: &'a Client,
    /// The key to bind tokens to.
    pub dpop: Option<&'a DpopKey>,
    /// The clock.
    pub clock: &'a Clock,
}

/// The parameters of a request.
pub(crate) type Form<'a> = Vec<(&'a str, &'a str)>;

impl TokenEndpoint<'_> {
    /// Sends a grant, and returns the access token of the response.
    pub(crate) async fn request_token(&self, form: Form<'_>) -> Result<TokenSet, Error> {
        let answer = self.send_grant(form).await?;
        let host = self.host();
        if let Some(kind) = answer.other_type {
            return Err(Error::Refused(say!(
                "{host} issued a token of an unsupported type: {kind}",
                host,
                kind
            )));
        }
        if answer.tokens.token_type == TokenType::Dpop && self.dpop.is_none() {
            return Err(Error::Refused(say!("{host} bound the token to a key that wasn’t requested", host)));
        }
        Ok(answer.tokens)
    }

    /// Sends a grant. Requests for new tokens are repeated once if the server fails temporarily. They are
    /// also repeated once with another nonce in the proof (RFC 9449 §8), and once without the client id if
    /// the server mistakes the id for a second authentication besides Basic.
    pub(crate) async fn send_grant(&self, form: Form<'_>) -> Result<TokenResponse, Error> {
        let Some(url) = &self.server.token_endpoint else {
            return Err(Error::Refused(say!(
                "{issuer} names no token endpoint",
                issuer = &self.server.issuer
            )));
        };
        let host = self.host();
        let mut again = true;
        let mut may_repeat = form.contains(&("grant_type", "refresh_token"));
        let mut id = ClientIdInBody::Yes;
        loop {
            let request = self.new_request_with(url, &form, Purpose::Token, id)?;
            let mut repeats = false;
            let read = |answer: Response| {
                let nonce = self.dpop.is_some_and(|dpop| dpop.store_nonce(url, &answer.headers));
                if again && nonce && answer.status == 400 && needs_nonce(&answer) {
                    again = false;
                    return Ok((None, say!("{host} requires its nonce in the DPoP proof", host = &host)));
                }
                if id == ClientIdInBody::Yes
                    && self.uses_basic_auth()
                    && is_double_authentication_rejected(&answer)
                {
                    id = ClientIdInBody::No;
                    return Ok((None, say!("{host} accepts the client ID in one place only", host = &host)));
                }
                if answer.status >= 500 && std::mem::take(&mut may_repeat) {
                    repeats = true;
                    return Ok((None, answer.temporary_failure_error(&host).sentence().clone()));
                }
                let read = response::parse_response(&host, &answer, self.clock.now());
                let read = read.map_err(|error| self.redact_secrets(error, &form))?;
                Ok((Some(read), say!("{host} issued a token", host = &host)))
            };
            if let Some(read) = self.http.ask(self.trail, request, read).await? {
                return Ok(read);
            }
            if repeats {
                tokio::time::sleep(RETRY_DELAY).await;
            }
        }
    }

    /// Removes the secrets of the request from an error, because a server may repeat them in its text.
    pub(crate) fn redact_secrets(&self, error: Error, form: &Form<'_>) -> Error {
        let shown = form.iter().filter(|(name, _)| SECRETS.contains(name)).map(|(_, value)| *value);
        let own = self.client.secret.iter().map(ExposeSecret::expose_secret);
        let secrets: Vec<&str> = shown.chain(own).filter(|secret| !secret.is_empty()).collect();
        error.map(&|text| secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "…")))
    }

    /// Creates a request with the client's authentication.
    pub(crate) fn new_request(&self, url: &Url, form: &Form<'_>, purpose: Purpose) -> Result<Request, Error> {
        self.new_request_with(url, form, purpose, ClientIdInBody::Yes)
    }

    fn new_request_with(
        &self,
        url: &Url,
        form: &Form<'_>,
        purpose: Purpose,
        id: ClientIdInBody,
    ) -> Result<Request, Error> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        let body = self.authenticate_form(form, &mut headers, id)?;
        if purpose == Purpose::Token
            && let Some(dpop) = self.dpop
        {
            headers
                .insert(HeaderName::from_static("dpop"), dpop.proof(&Method::POST, url, None, self.clock)?);
        }
        Ok(Request { purpose, method: Method::POST, url: url.clone(), headers, body })
    }

    /// Whether the client authenticates only in the header.
    fn uses_basic_auth(&self) -> bool {
        self.client.authentication == ClientAuthentication::Basic
    }

    /// Authenticates the client with the method that it is registered with.
    ///
    /// The body has `client_id` with every method. RFC 6749 §3.2.1 and RFC 7521 §4.2 allow this, and many
    /// servers find the client by this id before they check its authentication.
    fn authenticate_form(
        &self,
        form: &Form<'_>,
        headers: &mut HeaderMap,
        in_body: ClientIdInBody,
    ) -> Result<Bytes, Error> {
        let mut body = Serializer::new(String::new());
        body.extend_pairs(form);
        let id = self.client.id.as_str();
        if in_body == ClientIdInBody::Yes {
            body.append_pair("client_id", id);
        }
        match self.client.authentication {
            ClientAuthentication::None => {}
            ClientAuthentication::Post => {
                body.append_pair("client_secret", self.client_secret()?.expose_secret());
            }
            ClientAuthentication::Basic => {
                let id: String = byte_serialize(id.as_bytes()).collect();
                let secret: String =
                    byte_serialize(self.client_secret()?.expose_secret().as_bytes()).collect();
                let value = format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")));
                let value = HeaderValue::try_from(value).map(|mut value| {
                    value.set_sensitive(true);
                    value
                });
                let value = value.map_err(|_| Error::Refused(say!("the client secret is too long")))?;
                headers.insert(AUTHORIZATION, value);
            }
            ClientAuthentication::PrivateKeyJwt => {
                let jwt = assertion::client_assertion(id, self.server, self.client_secret()?, self.clock)?;
                body.append_pair("client_assertion_type", assertion::JWT_BEARER);
                body.append_pair("client_assertion", jwt.expose_secret());
            }
        }
        Ok(Bytes::from(body.finish()))
    }

    fn client_secret(&self) -> Result<&SecretString, Error> {
        let secret = self.client.secret.as_ref();
        secret.ok_or_else(|| {
            Error::Refused(say!(
                "{issuer} requires a client secret, and there is none",
                issuer = &self.server.issuer
            ))
        })
    }

    pub(crate) fn host(&self) -> String {
        let url = self.server.token_endpoint.as_ref();
        url.and_then(Url::host_str).unwrap_or(&self.server.issuer).to_owned()
    }
}

/// Whether the body names the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClientIdInBody {
    Yes,
    /// For servers that mistake the id for a second authentication besides Basic.
    No,
}

/// Whether a server rejects the client because it authenticates in more than one way. Servers check this
/// before the grant, which can therefore be sent again.
fn is_double_authentication_rejected(answer: &Response) -> bool {
    let body: Option<serde_json::Value> = serde_json::from_slice(&answer.body).ok();
    let text = |name: &str| body.as_ref()?.get(name)?.as_str().map(str::to_ascii_lowercase);
    let refused = matches!(answer.status, 400 | 401)
        && text("error").is_some_and(|code| matches!(code.as_str(), "invalid_request" | "invalid_client"));
    let words = text("error_description").unwrap_or_default();
    refused && ["multiple", "more than one", "both"].iter().any(|word| words.contains(word))
}

/// The parameters with secret values.
const SECRETS: [&str; 6] = ["code", "code_verifier", "refresh_token", "token", "assertion", "subject_token"];

/// Whether a response has the error `use_dpop_nonce` (RFC 9449 §8).
fn needs_nonce(answer: &Response) -> bool {
    let body: Option<serde_json::Value> = serde_json::from_slice(&answer.body).ok();
    body.and_then(|body| Some(body.get("error")?.as_str()? == "use_dpop_nonce")).unwrap_or(false)
}
