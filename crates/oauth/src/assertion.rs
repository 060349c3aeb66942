//! Signed assertions that authenticate a client (`private_key_jwt`, RFC 7523 §2.2), and sources of assertions
//! for grants.

use crate::clock::Clock;
use crate::error::Error;
use crate::random::unique_text;
use crate::server::AuthorizationServer;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use mooring_words::say;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// `client_assertion_type` of a JWT (RFC 7523 §2.2).
pub(crate) const JWT_BEARER: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// The lifetime of an assertion, in seconds.
const LIFETIME: u64 = 120;

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    sub: &'a str,
    aud: &'a str,
    iat: u64,
    exp: u64,
    jti: String,
}

/// Creates a client's assertion for one request to one issuer. It is signed with ES256 or RS256, depending on
/// the key.
pub(crate) fn client_assertion(
    id: &str,
    server: &AuthorizationServer,
    key: &SecretString,
    clock: &Clock,
) -> Result<SecretString, Error> {
    let (algorithm, key) = parse_signing_key(key)?;
    let issuer = server.issuer.as_str();
    let name = if algorithm == Algorithm::ES256 { "ES256" } else { "RS256" };
    let accepted = server.token_endpoint_auth_signing_alg_values_supported.as_ref();
    if accepted.is_some_and(|accepted| !accepted.iter().any(|known| known == name)) {
        return Err(Error::Refused(say!(
            "{issuer} doesn’t accept statements signed with {name}",
            issuer,
            name
        )));
    }
    let now = clock.seconds_since_epoch();
    let claims = Claims { iss: id, sub: id, aud: issuer, iat: now, exp: now + LIFETIME, jti: unique_text()? };
    let signed = jsonwebtoken::encode(&Header::new(algorithm), &claims, &key);
    signed
        .map(SecretString::from)
        .map_err(|_| Error::Refused(say!("the client’s private key can’t be used to sign")))
}

/// Parses the key in a PEM: an elliptic curve key (P-256, PKCS #8) or an RSA key (PKCS #1 or #8).
fn parse_signing_key(pem: &SecretString) -> Result<(Algorithm, EncodingKey), Error> {
    let pem = pem.expose_secret().as_bytes();
    let elliptic = EncodingKey::from_ec_pem(pem).map(|key| (Algorithm::ES256, key));
    elliptic.or_else(|_| EncodingKey::from_rsa_pem(pem).map(|key| (Algorithm::RS256, key))).map_err(|_| {
        Error::Refused(say!(
            "the client’s private key can’t be read: it must be PEM, P-256 in PKCS #8 or RSA"
        ))
    })
}

/// A future that returns a new assertion.
pub type AssertionFuture<'a> = Pin<Box<dyn Future<Output = Result<SecretString, Error>> + Send + 'a>>;

/// A source of assertions for the grant of RFC 7523 §2.1: a workload's platform, or an enterprise's identity
/// provider ([`EnterpriseManaged`](crate::EnterpriseManaged)). Each assertion is used once.
pub trait AssertionSource: fmt::Debug + Send + Sync {
    /// Returns a new assertion.
    fn assertion(&self) -> AssertionFuture<'_>;
}

/// An assertion that a platform writes to a file and renews there, such as a Kubernetes service account
/// token.
#[derive(Debug, Clone)]
pub struct AssertionFile(pub std::path::PathBuf);

impl AssertionSource for AssertionFile {
    fn assertion(&self) -> AssertionFuture<'_> {
        Box::pin(async {
            let path = self.0.display().to_string();
            let unread =
                |reason: String| Error::Refused(say!("{path} can’t be read: {reason}", path = &path, reason));
            let about = tokio::fs::metadata(&self.0).await.map_err(|error| unread(error.to_string()))?;
            if about.len() > 64 * 1024 {
                return Err(Error::Refused(say!("{path} is longer than 64 KiB", path = &path)));
            }
            let text = tokio::fs::read_to_string(&self.0).await.map_err(|error| unread(error.to_string()))?;
            Ok(SecretString::from(text.trim()))
        })
    }
}

/// A fixed assertion, for example from a test or the command line.
#[derive(Debug, Clone)]
pub struct StaticAssertion(pub SecretString);

impl AssertionSource for StaticAssertion {
    fn assertion(&self) -> AssertionFuture<'_> {
        Box::pin(std::future::ready(Ok(self.0.clone())))
    }
}
