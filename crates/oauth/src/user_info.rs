//! The person who has signed in, according to the authorization server.
//!
//! The name and the email address are only for display; `sub` tells logins apart. The ID token comes directly
//! from the token endpoint over TLS, so its signature doesn't have to be verified (OpenID Connect Core
//! §3.1.3.7). Issuer, audience and nonce are checked.

use crate::error::Error;
use crate::http::{Request, Response};
use crate::json_fields::sanitize;
use crate::steps::Purpose;
use crate::token::{TokenEndpoint, TokenSet, authorization_headers};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::{HeaderValue, Method, header};
use mooring_words::say;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};
use subtle::ConstantTimeEq as _;

/// The longest text, in characters.
const LONGEST: usize = 200;

/// A person, as an authorization server describes them. The texts are foreign, shortened and without
/// invisible characters, and must be shown as foreign.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserInfo {
    /// `sub`, the issuer's identifier for the person.
    pub subject: Option<String>,
    /// `name`, or else `preferred_username`.
    pub name: Option<String>,
    /// `email`, whether or not it has been verified.
    pub email: Option<String>,
}

impl UserInfo {
    /// The user in an ID token. `None` if it is from another issuer, for another client, or unreadable.
    pub fn from_id_token(id_token: &SecretString, issuer: &str, client_id: &str) -> Option<Self> {
        let claims = read_claims(id_token)?;
        let audience = match claims.get("aud")? {
            Value::String(audience) => audience == client_id,
            Value::Array(audiences) => audiences.iter().any(|audience| audience == client_id),
            _ => false,
        };
        (claims.get("iss")? == issuer && audience).then(|| Self::from_claims(&claims))
    }

    fn from_claims(claims: &Map<String, Value>) -> Self {
        let text = |name: &str| {
            let text = claims.get(name).and_then(Value::as_str).map(|text| sanitize(text.trim(), LONGEST));
            text.filter(|text| !text.is_empty())
        };
        Self {
            subject: text("sub"),
            name: text("name").or_else(|| text("preferred_username")),
            email: text("email"),
        }
    }

    /// Asks the server for the user (OpenID Connect Core §5.3). If an ID token named the person, the subject
    /// must be the same (§5.3.2).
    pub async fn fetch(
        endpoint: &TokenEndpoint<'_>,
        tokens: &TokenSet,
        known: Option<&Self>,
    ) -> Result<Option<Self>, Error> {
        let Some(url) = &endpoint.server.userinfo_endpoint else { return Ok(None) };
        let TokenEndpoint { http, trail, dpop, clock, .. } = *endpoint;
        let mut headers =
            authorization_headers(&tokens.access, tokens.token_type, dpop, &Method::GET, url, clock)?;
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        let request = Request {
            purpose: Purpose::Profile,
            method: Method::GET,
            url: url.clone(),
            headers,
            body: Bytes::new(),
        };
        let host = url.host_str().unwrap_or_default();
        let read = |answer: Response| {
            let claims = serde_json::from_slice::<Map<String, Value>>(&answer.body).ok();
            match claims.filter(|_| answer.status == 200) {
                Some(claims) => Ok((Self::from_claims(&claims), say!("{host} says who signed in", host))),
                None if answer.status >= 500 => Err(Error::Unreachable(say!(
                    "{host} answered with HTTP status {status}",
                    host,
                    status = answer.status.to_string()
                ))),
                None => Err(Error::Refused(say!(
                    "{host} doesn’t say who signed in: HTTP status {status}",
                    host,
                    status = answer.status.to_string()
                ))),
            }
        };
        let profile = http.ask(trail, request, read).await?;
        let same = known
            .and_then(|known| known.subject.as_ref())
            .is_none_or(|known| Some(known) == profile.subject.as_ref());
        Ok(same.then_some(profile))
    }
}

/// Reads the payload of a JWT.
fn read_claims(token: &SecretString) -> Option<Map<String, Value>> {
    let mut parts = token.expose_secret().split('.');
    let (_, payload) = (parts.next()?, parts.next()?);
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?).ok()
}

/// Checks that an ID token belongs to the sign-in that requested it (OpenID Connect Core §3.1.3.7).
pub(crate) fn check_nonce(id_token: &SecretString, nonce: &str) -> Result<(), Error> {
    let claims = read_claims(id_token).unwrap_or_default();
    let claim = claims.get("nonce").and_then(Value::as_str).unwrap_or_default();
    if bool::from(claim.as_bytes().ct_eq(nonce.as_bytes())) {
        Ok(())
    } else {
        Err(Error::Refused(say!("the ID token belongs to another sign-in")))
    }
}
