//! Checks DPoP proofs (RFC 9449 §4.3) and client authentication, assertions included (RFC 7523 §3).

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::jwk::{Jwk, ThumbprintHash};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::script::ClientAuthMethod;
use super::{OAuthServerState, ReceivedRequest};

/// The thumbprint of the key of a DPoP proof, or `None` without a proof. `Err` says what is wrong, such as
/// `use_dpop_nonce`.
pub(super) fn check_dpop_proof(
    shared: &OAuthServerState,
    received: &ReceivedRequest,
    token: Option<&str>,
    place: &str,
) -> Result<Option<String>, String> {
    let proofs: Vec<_> = received.headers.iter().filter(|(name, _)| name == "dpop").collect();
    let [(_, proof)] = proofs.as_slice() else {
        return if proofs.is_empty() { Ok(None) } else { Err("several proofs".to_owned()) };
    };
    let header = jsonwebtoken::decode_header(proof).map_err(|error| error.to_string())?;
    if header.typ.as_deref() != Some("dpop+jwt") || header.alg != Algorithm::ES256 {
        return Err("typ or alg".to_owned());
    }
    let raw_header = URL_SAFE_NO_PAD.decode(proof.split('.').next().unwrap_or_default()).unwrap_or_default();
    if serde_json::from_slice::<Value>(&raw_header).is_ok_and(|header| header["jwk"].get("d").is_some()) {
        return Err("the private key is shown".to_owned());
    }
    let jwk: Jwk = header.jwk.ok_or("jwk")?;
    let key = DecodingKey::from_jwk(&jwk).map_err(|error| error.to_string())?;
    let mut validation = Validation::new(Algorithm::ES256);
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    let claims = jsonwebtoken::decode::<Map<String, Value>>(proof, &key, &validation);
    let claims = claims.map_err(|error| error.to_string())?.claims;
    let claim = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    if claim("htm") != received.method || claim("htu") != format!("{}{}", shared.origin, received.path) {
        return Err("htm or htu".to_owned());
    }
    let iat = claims.get("iat").and_then(Value::as_u64).unwrap_or_default();
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    if iat.abs_diff(now) > 300 {
        return Err("iat".to_owned());
    }
    let hash =
        token.map(|token| URL_SAFE_NO_PAD.encode(Sha256::digest(token.as_bytes()))).unwrap_or_default();
    if claim("ath") != hash {
        return Err("ath".to_owned());
    }
    let mut grants = shared.grants();
    let identifier = claim("jti");
    if identifier.is_empty() || !grants.proofs.insert(identifier) {
        return Err("jti".to_owned());
    }
    if shared.script.nonce && claim("nonce") != grants.nonce(place) {
        return Err("use_dpop_nonce".to_owned());
    }
    jwk.thumbprint(ThumbprintHash::SHA256).map(Some).map_err(|error| error.to_string())
}

/// Whether the client authenticated by the script's method, and by no other.
pub(super) fn authenticates_client(shared: &OAuthServerState, received: &ReceivedRequest) -> bool {
    let basic = received.header("authorization");
    let (id, secret) = (received.parameter("client_id"), received.parameter("client_secret"));
    let assertion = received.parameter("client_assertion");
    match &shared.script.method {
        ClientAuthMethod::None => basic.is_none() && secret.is_none() && assertion.is_none() && id.is_some(),
        ClientAuthMethod::Post(known, word) => basic.is_none() && id == Some(known) && secret == Some(word),
        ClientAuthMethod::Basic(known, word) => {
            let shown =
                basic.and_then(|value| value.strip_prefix("Basic ")).and_then(|it| STANDARD.decode(it).ok());
            let shown = shown.and_then(|shown| String::from_utf8(shown).ok()).unwrap_or_default();
            let parts = shown.split_once(':').map(|(id, secret)| (form_decoded(id), form_decoded(secret)));
            // Like the SDK for Python, which looks up the client by the form.
            let known_in_form = id == Some(known);
            known_in_form && secret.is_none() && parts == Some((known.clone(), word.clone()))
        }
        ClientAuthMethod::PrivateKeyJwt(known, key, elliptic) => {
            let kind = received.parameter("client_assertion_type");
            let right = kind == Some("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
            right
                && basic.is_none()
                && secret.is_none()
                && id.is_none_or(|id| id == known)
                && assertion
                    .is_some_and(|assertion| verify_assertion(shared, assertion, known, key, *elliptic))
        }
    }
}

/// Undoes what RFC 6749 §2.3.1 does to both halves.
fn form_decoded(half: &str) -> String {
    let form = format!("x={half}");
    url::form_urlencoded::parse(form.as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

fn verify_assertion(shared: &OAuthServerState, assertion: &str, id: &str, key: &str, elliptic: bool) -> bool {
    let (algorithm, key) = if elliptic {
        (Algorithm::ES256, DecodingKey::from_ec_pem(key.as_bytes()))
    } else {
        (Algorithm::RS256, DecodingKey::from_rsa_pem(key.as_bytes()))
    };
    let mut validation = Validation::new(algorithm);
    validation.set_audience(&[shared.issuer()]);
    validation.set_issuer(&[id]);
    validation.set_required_spec_claims(&["exp", "aud", "iss", "sub"]);
    let claims =
        jsonwebtoken::decode::<Map<String, Value>>(assertion, &key.expect("the script's key"), &validation);
    let Ok(claims) = claims.map(|token| token.claims) else { return false };
    let identifier = claims.get("jti").and_then(Value::as_str).unwrap_or_default().to_owned();
    let short =
        claims["exp"].as_u64().zip(claims["iat"].as_u64()).is_some_and(|(end, start)| end - start <= 300);
    claims["sub"] == id && short && !identifier.is_empty() && shared.grants().assertions.insert(identifier)
}
