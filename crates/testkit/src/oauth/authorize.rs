//! The authorization endpoint, and registration.

use axum::response::Response;
use serde_json::json;
use url::Url;

use super::script::IssParameter;
use super::state::PendingCode;
use super::{OAuthServerState, ReceivedRequest, answer, raw};

/// Signs in without asking, and redirects the browser back.
pub(super) fn authorize(shared: &OAuthServerState, received: &ReceivedRequest) -> Response {
    let parameter = |name: &str| received.parameter(name).map(str::to_owned);
    let problem = |what: &str| answer(400, &json!({ "error": "invalid_request", "error_description": what }));
    let Some(mut redirect) = received.parameter("redirect_uri").and_then(|text| Url::parse(text).ok()) else {
        return problem("redirect_uri");
    };
    let (Some(challenge), Some("S256")) =
        (parameter("code_challenge"), received.parameter("code_challenge_method"))
    else {
        return problem("code_challenge");
    };
    if received.parameter("response_type") != Some("code") {
        return problem("response_type");
    }
    let script = &shared.script;
    let mut grants = shared.grants();
    let registered = received.parameter("client_id").and_then(|client| grants.clients.get(client));
    if registered
        .is_some_and(|uris| !uris.iter().any(|uri| Some(uri.as_str()) == received.parameter("redirect_uri")))
    {
        return problem("redirect_uri");
    }
    let code = grants.new_token("code");
    let pending = PendingCode {
        challenge,
        redirect: redirect.to_string(),
        client: parameter("client_id").unwrap_or_default(),
        scope: parameter("scope").unwrap_or_default(),
        resource: parameter("resource"),
        nonce: parameter("nonce"),
        thumbprint: parameter("dpop_jkt").filter(|_| script.dpop),
    };
    grants.codes.insert(code.clone(), pending);
    drop(grants);
    {
        let mut query = redirect.query_pairs_mut();
        if !script.answers.iter().any(|(name, _)| name == "error") {
            query.append_pair("code", &code);
        }
        query.extend_pairs(&script.answers);
        if let Some(state) = script.state.clone().or_else(|| parameter("state")) {
            query.append_pair("state", &state);
        }
        match &script.iss {
            IssParameter::Right => query.append_pair("iss", &shared.issuer()),
            IssParameter::Absent => &mut query,
            IssParameter::Other(iss) => query.append_pair("iss", iss),
            IssParameter::WithSuffix(more) => query.append_pair("iss", &format!("{}{more}", shared.issuer())),
        };
    }
    raw(302, &[("location".to_owned(), redirect.to_string())], String::new())
}

/// Registers any client, with the redirect addresses that it names (RFC 7591).
pub(super) fn register(shared: &OAuthServerState, received: &ReceivedRequest) -> Response {
    let uris = received.json["redirect_uris"].as_array().into_iter().flatten();
    let uris: Vec<_> = uris.filter_map(|uri| uri.as_str().map(str::to_owned)).collect();
    if uris.is_empty() {
        return answer(400, &json!({ "error": "invalid_redirect_uri" }));
    }
    let mut grants = shared.grants();
    let id = grants.new_token("client");
    grants.clients.insert(id.clone(), uris.clone());
    answer(201, &json!({ "client_id": id, "redirect_uris": uris, "token_endpoint_auth_method": "none" }))
}
