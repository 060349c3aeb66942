//! The token endpoint, revocation, `userinfo`, and the protected server.

use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::client_auth;
use super::{OAuthServerState, ReceivedRequest, answer, raw};
use crate::answers;

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";

fn error_response(status: u16, code: &str) -> Response {
    answer(status, &json!({ "error": code, "error_description": "as the script has it" }))
}

pub(super) fn token(shared: &OAuthServerState, received: &ReceivedRequest) -> Response {
    if received.method != "POST" {
        return error_response(405, "invalid_request");
    }
    if !client_auth::authenticates_client(shared, received) {
        return error_response(401, "invalid_client");
    }
    let key = match client_auth::check_dpop_proof(shared, received, None, "as") {
        Ok(key) => key,
        Err(problem) if problem == "use_dpop_nonce" => {
            return with_nonce(shared, "as", 400, &json!({ "error": problem }));
        }
        Err(problem) => {
            return answer(400, &json!({ "error": "invalid_dpop_proof", "error_description": problem }));
        }
    };
    let key = key.filter(|_| shared.script.dpop);
    match received.parameter("grant_type") {
        Some("authorization_code") => exchange_code(shared, received, key.as_deref()),
        Some("refresh_token") => exchange_refresh_token(shared, received, key.as_deref()),
        Some("client_credentials") => {
            let scope = received.parameter("scope").unwrap_or_default();
            let (access, _) = shared.grants().issue(None, scope, key.as_deref());
            answer(200, &token_response(shared, &access, None, scope, key.is_some()))
        }
        Some(JWT_BEARER) => match received.parameter("assertion") {
            Some(assertion) if shared.grants().assertions.insert(assertion.to_owned()) => {
                let scope = received.parameter("scope").unwrap_or_default();
                let (access, _) = shared.grants().issue(None, scope, key.as_deref());
                answer(200, &token_response(shared, &access, None, scope, key.is_some()))
            }
            _ => error_response(400, "invalid_grant"),
        },
        Some(TOKEN_EXCHANGE) => {
            let whole = ["audience", "subject_token", "subject_token_type", "resource"];
            let id_jag = "urn:ietf:params:oauth:token-type:id-jag";
            if whole.iter().any(|name| received.parameter(name).is_none())
                || received.parameter("requested_token_type") != Some(id_jag)
            {
                return error_response(400, "invalid_request");
            }
            let grant = shared.grants().new_token("id-jag");
            answer(200, &json!({ "access_token": grant, "issued_token_type": id_jag, "token_type": "N_A" }))
        }
        _ => error_response(400, "unsupported_grant_type"),
    }
}

fn exchange_code(shared: &OAuthServerState, received: &ReceivedRequest, key: Option<&str>) -> Response {
    let mut grants = shared.grants();
    let Some(code) = received.parameter("code").and_then(|code| grants.codes.remove(code)) else {
        return error_response(400, "invalid_grant");
    };
    let verifier = received.parameter("code_verifier").unwrap_or_default();
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
    let right = challenge == code.challenge
        && received.parameter("redirect_uri") == Some(code.redirect.as_str())
        && received.parameter("client_id").is_none_or(|client| client == code.client)
        && received.parameter("resource") == code.resource.as_deref()
        && (code.thumbprint.is_none() || code.thumbprint.as_deref() == key);
    if !right {
        return error_response(400, "invalid_grant");
    }
    let (access, refresh) = grants.issue(None, &code.scope, key);
    drop(grants);
    let mut body = token_response(shared, &access, Some(&refresh), &code.scope, key.is_some());
    if let Some(id_token) = &shared.script.id_token {
        // `$NONCE` is replaced by the nonce of the authorization request.
        let nonce = code.nonce.unwrap_or_default();
        let payload = id_token.replace("$NONCE", &nonce).replace("$ISSUER", &shared.issuer());
        body["id_token"] = json!(format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(payload)));
    }
    answer(200, &body)
}

fn exchange_refresh_token(
    shared: &OAuthServerState,
    received: &ReceivedRequest,
    key: Option<&str>,
) -> Response {
    let shown = received.parameter("refresh_token").unwrap_or_default().to_owned();
    let mut grants = shared.grants();
    let Some(token) = grants.refresh.get(&shown).cloned() else {
        return error_response(400, "invalid_grant");
    };
    if token.used {
        grants.reused += 1;
        grants.revoke_family(token.family);
        return error_response(400, "invalid_grant");
    }
    if token.thumbprint.as_deref() != key {
        return error_response(400, "invalid_grant");
    }
    grants.refreshed += 1;
    if !shared.script.rotates {
        let (access, more) = grants.issue(Some(token.family), &token.scope, key);
        grants.refresh.remove(&more);
        drop(grants);
        return answer(200, &token_response(shared, &access, None, &token.scope, key.is_some()));
    }
    if let Some(token) = grants.refresh.get_mut(&shown) {
        token.used = true;
    }
    let (access, refresh) = grants.issue(Some(token.family), &token.scope, key);
    drop(grants);
    answer(200, &token_response(shared, &access, Some(&refresh), &token.scope, key.is_some()))
}

fn token_response(
    shared: &OAuthServerState,
    access: &str,
    refresh: Option<&str>,
    scope: &str,
    bound: bool,
) -> Value {
    let mut body = json!({ "access_token": access, "token_type": if bound { "DPoP" } else { "Bearer" } });
    if let Some(refresh) = refresh {
        body["refresh_token"] = json!(refresh);
    }
    if let Some(seconds) = shared.script.expires_in {
        body["expires_in"] = json!(seconds);
    }
    for (name, value) in &shared.script.vendor {
        body[name] = json!(value);
    }
    let scope = shared.script.scope.as_deref().unwrap_or(scope);
    if !scope.is_empty() {
        body["scope"] = json!(scope);
    }
    body
}

fn with_nonce(shared: &OAuthServerState, place: &str, status: u16, body: &Value) -> Response {
    let headers = [
        ("content-type".to_owned(), "application/json".to_owned()),
        ("dpop-nonce".to_owned(), shared.grants().nonce(place)),
        ("www-authenticate".to_owned(), "DPoP error=\"use_dpop_nonce\"".to_owned()),
    ];
    raw(status, &headers, body.to_string())
}

pub(super) fn revoke(shared: &OAuthServerState, received: &ReceivedRequest) -> Response {
    if !client_auth::authenticates_client(shared, received) {
        return error_response(401, "invalid_client");
    }
    let token = received.parameter("token").unwrap_or_default().to_owned();
    let mut grants = shared.grants();
    let family = grants.refresh.get(&token).map(|refresh| refresh.family);
    if let Some(family) = family {
        grants.revoke_family(family);
    }
    grants.access.remove(&token);
    grants.revoked.push(token);
    answer(200, &json!({}))
}

/// The response to a request without a valid token; `None` when the token is valid.
fn check_access_token(shared: &OAuthServerState, received: &ReceivedRequest) -> Option<Response> {
    let value = received.header("authorization").unwrap_or_default().to_owned();
    let (scheme, token) = value.split_once(' ').unwrap_or_default();
    let challenge = |text: String| raw(401, &[("www-authenticate".to_owned(), text)], String::new());
    let metadata =
        format!("resource_metadata=\"{}/.well-known/oauth-protected-resource/mcp\"", shared.origin);
    if token.is_empty() {
        return Some(challenge(format!("Bearer {metadata}")));
    }
    let key = match client_auth::check_dpop_proof(shared, received, Some(token), "rs") {
        Ok(key) => key,
        Err(problem) if problem == "use_dpop_nonce" => {
            return Some(with_nonce(shared, "rs", 401, &json!({ "error": problem })));
        }
        Err(problem) => return Some(answer(401, &json!({ "error": problem }))),
    };
    let grants = shared.grants();
    let good = grants.access.get(token).filter(|access| !access.expired);
    let bound = good.and_then(|access| access.thumbprint.clone());
    let right =
        good.is_some() && if bound.is_some() { scheme == "DPoP" && bound == key } else { scheme == "Bearer" };
    (!right).then(|| challenge(format!("Bearer error=\"invalid_token\", {metadata}")))
}

pub(super) fn userinfo(shared: &OAuthServerState, received: &ReceivedRequest) -> Response {
    check_access_token(shared, received)
        .unwrap_or_else(|| answer(200, &json!({ "sub": "u-1", "name": "Ada", "email": "ada@example.org" })))
}

/// A server of the session era without sessions, behind the tokens.
pub(super) fn resource(shared: &OAuthServerState, received: &ReceivedRequest) -> Response {
    if let Some(refused) = check_access_token(shared, received) {
        return refused;
    }
    let Some(method) = received.json["method"].as_str() else {
        let listens = received.header("accept").is_some_and(|accept| accept.contains("text/event-stream"));
        return answer(if listens { 405 } else { 200 }, &json!({}));
    };
    match &received.json["id"] {
        Value::Null => raw(202, &[], String::new()),
        id => answer(200, &answers::response(id, answers::answer(method, &received.json["params"]))),
    }
}
