//! Tokens that are bound to a key (DPoP, RFC 9449): the key of a login, its proofs, and the nonces of
//! servers.

use crate::clock::Clock;
use crate::error::Error;
use crate::random::{random_bytes, unique_text};
use crate::server::AuthorizationServer;
use crate::steps::without_query;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderValue, Method};
use mooring_words::say;
use p256::SecretKey;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use p256::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, LineEnding};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use url::Url;

/// The most origins whose nonces are stored.
const MOST_NONCES: usize = 64;
/// The longest nonce, in bytes.
const LONGEST_NONCE: usize = 1024;

/// The key of one login, with the nonces of its servers. Cheap to clone.
#[derive(Clone)]
pub struct DpopKey(Arc<DpopState>);

struct DpopState {
    key: SigningKey,
    /// The last nonce of each origin.
    nonces: Mutex<HashMap<String, String>>,
}

impl fmt::Debug for DpopKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dpop")
    }
}

/// Whether a server accepts the algorithm of the proofs that are created here.
pub(crate) fn accepts_own_algorithm(algorithms: Option<&[String]>) -> bool {
    algorithms.unwrap_or_default().iter().any(|algorithm| algorithm == DpopKey::ALGORITHM)
}

impl DpopKey {
    /// The algorithm of the proofs (RFC 7518 §3.1).
    pub const ALGORITHM: &str = "ES256";

    /// Generates a new key.
    pub fn generate() -> Result<Self, Error> {
        loop {
            // Nearly every number is a valid key of this curve.
            if let Ok(key) = SigningKey::from_slice(&random_bytes::<32>()?) {
                return Ok(Self::of(key));
            }
        }
    }

    /// Reads the key that [`DpopKey::to_pem`] wrote.
    pub fn from_pem(pem: &SecretString) -> Result<Self, Error> {
        let key = SecretKey::from_pkcs8_pem(pem.expose_secret());
        let key =
            key.map_err(|_| Error::Refused(say!("the key that the login is bound to can’t be read")))?;
        Ok(Self::of(SigningKey::from(key)))
    }

    fn of(key: SigningKey) -> Self {
        Self(Arc::new(DpopState { key, nonces: Mutex::default() }))
    }

    /// The key as PKCS #8, to be stored with the tokens.
    pub fn to_pem(&self) -> Result<SecretString, Error> {
        let key = SecretKey::from(&self.0.key);
        let pem = key.to_pkcs8_pem(LineEnding::LF);
        let pem =
            pem.map_err(|_| Error::Refused(say!("the key that the login is bound to can’t be written")))?;
        Ok(SecretString::from(pem.as_str()))
    }

    /// Whether an authorization server binds tokens to such keys (RFC 9449 §5.1).
    pub fn is_offered_by(server: &AuthorizationServer) -> bool {
        accepts_own_algorithm(server.dpop_signing_alg_values_supported.as_deref())
    }

    /// The name of the public key (`jkt`, RFC 7638).
    pub fn thumbprint(&self) -> String {
        let (x, y) = self.public_coordinates();
        let canonical = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        URL_SAFE_NO_PAD.encode(Sha256::digest(canonical.as_bytes()))
    }

    /// The value of a `DPoP` header for one request, with the last nonce of its origin. `access` is the
    /// access token that is sent along. `None` at a token endpoint.
    pub fn proof(
        &self,
        method: &Method,
        url: &Url,
        access: Option<&SecretString>,
        clock: &Clock,
    ) -> Result<HeaderValue, Error> {
        let (x, y) = self.public_coordinates();
        let header = json!({
            "typ": "dpop+jwt", "alg": Self::ALGORITHM, "jwk": { "kty": "EC", "crv": "P-256", "x": x, "y": y },
        });
        let mut claims = Map::new();
        claims.insert("jti".to_owned(), unique_text()?.into());
        claims.insert("htm".to_owned(), method.as_str().into());
        claims.insert("htu".to_owned(), without_query(url).into());
        claims.insert("iat".to_owned(), clock.seconds_since_epoch().into());
        if let Some(access) = access {
            let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(access.expose_secret().as_bytes()));
            claims.insert("ath".to_owned(), hash.into());
        }
        let nonces = self.0.nonces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(nonce) = nonces.get(&url.origin().ascii_serialization()) {
            claims.insert("nonce".to_owned(), nonce.as_str().into());
        }
        drop(nonces);
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let mut proof = format!("{}.{}", encode(&header), encode(&Value::Object(claims)));
        let signature: Signature = self.0.key.sign(proof.as_bytes());
        proof.push('.');
        URL_SAFE_NO_PAD.encode_string(signature.to_bytes(), &mut proof);
        HeaderValue::try_from(proof).map_err(|_| Error::Refused(say!("the URL is too long for a DPoP proof")))
    }

    /// Stores the nonce of a response. Returns whether it is a new one.
    pub fn store_nonce(&self, url: &Url, headers: &HeaderMap) -> bool {
        let mut given = headers.get_all("dpop-nonce").iter();
        let (Some(nonce), None) = (given.next(), given.next()) else { return false };
        // RFC 9449 §8.1 allows the characters of a scope.
        let plain = |b: u8| matches!(b, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
        let Some(nonce) = nonce
            .to_str()
            .ok()
            .filter(|nonce| !nonce.is_empty() && nonce.len() <= LONGEST_NONCE && nonce.bytes().all(plain))
        else {
            return false;
        };
        let origin = url.origin().ascii_serialization();
        let mut nonces = self.0.nonces.lock().unwrap_or_else(PoisonError::into_inner);
        if nonces.len() >= MOST_NONCES && !nonces.contains_key(&origin) {
            nonces.clear();
        }
        nonces.insert(origin, nonce.to_owned()).as_deref() != Some(nonce)
    }

    /// Stores the nonce of a response to a request with a token. Returns whether the server wants the same
    /// request again with the new nonce (RFC 9449 §9). Retry a request at most once.
    pub fn needs_retry_with_nonce(&self, url: &Url, status: u16, headers: &HeaderMap) -> bool {
        let fresh = self.store_nonce(url, headers);
        let challenged = headers.get_all(http::header::WWW_AUTHENTICATE).iter().any(|challenge| {
            let challenge = String::from_utf8_lossy(challenge.as_bytes()).to_ascii_lowercase();
            challenge.contains("dpop") && challenge.contains("use_dpop_nonce")
        });
        status == 401 && fresh && challenged
    }

    /// The coordinates of the public key.
    fn public_coordinates(&self) -> (String, String) {
        let point = self.0.key.verifying_key().to_sec1_point(false);
        let coordinate = |bytes: Option<&[u8]>| URL_SAFE_NO_PAD.encode(bytes.unwrap_or_default());
        (coordinate(point.x().map(|x| &x[..])), coordinate(point.y().map(|y| &y[..])))
    }
}
