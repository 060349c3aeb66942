//! The grants beside the code, and giving tokens back.

use crate::support::{
    EndpointParts, FakeBrowser, RecordedSteps, flow, http, kind, listener, nobody, public, server_of,
};
use mooring_oauth::{
    AssertionFile, AssertionSource as _, Clock, EnterpriseManaged, Error, RequestedAccess, SubjectToken,
};
use mooring_testkit::oauth::{OAuthReply, OAuthScript, serve};
use secrecy::{ExposeSecret as _, SecretString};

// Requirements: AUTH-25, AUTH-39, AUTH-40
#[tokio::test]
async fn a_refresh_names_the_resource_and_replaces_the_refresh_token() {
    for rotates in [true, false] {
        let running = serve(OAuthScript { rotates, ..OAuthScript::default() }).await;
        let (_, refresh) = running.issue_tokens("read");
        let parts = EndpointParts::new(&running);
        let before = parts
            .endpoint()
            .refresh(&SecretString::from(refresh.as_str()), Some(&running.resource()))
            .await
            .unwrap();
        let request = &running.requests_to("/token")[0];
        assert_eq!(request.parameter("resource"), Some(running.resource().as_str()));
        assert_eq!(request.parameter("scope"), None);
        assert_eq!(before.refresh.is_some(), rotates);
        let kept =
            mooring_oauth::TokenSet { refresh: Some(SecretString::from(refresh.as_str())), ..before.clone() };
        let merged = before.inheriting_from(&kept);
        let same = merged.refresh.unwrap().expose_secret() == refresh;
        assert_eq!(same, !rotates, "an answer without one leaves the old one");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_mention_the_scopes_leaves_them() {
    let running = serve(OAuthScript::default()).await;
    let parts = EndpointParts::new(&running);
    running.reply_once(
        "/token",
        OAuthReply::json(200, r#"{"access_token":"one","scope":"read","id_token":"i"}"#),
    );
    running.reply_once("/token", OAuthReply::json(200, r#"{"access_token":"two"}"#));
    running.reply_once("/token", OAuthReply::json(200, r#"{"access_token":"three","scope":"read write"}"#));
    let one = parts.endpoint().client_credentials(RequestedAccess::default()).await.unwrap();
    let two =
        parts.endpoint().client_credentials(RequestedAccess::default()).await.unwrap().inheriting_from(&one);
    assert_eq!(two.scopes, Some(vec!["read".to_owned()]));
    assert!(two.id_token.is_some());
    let three =
        parts.endpoint().client_credentials(RequestedAccess::default()).await.unwrap().inheriting_from(&two);
    assert_eq!(three.scopes, Some(vec!["read".to_owned(), "write".to_owned()]));
}

// Requirements: EMA-04, EMA-05, EMA-07
#[tokio::test]
async fn an_enterprises_grant_is_fetched_anew_for_each_token() {
    let (provider, server) = (serve(OAuthScript::default()).await, serve(OAuthScript::default()).await);
    let managed = EnterpriseManaged {
        http: http(),
        trail: nobody(),
        provider: server_of(&provider),
        client: public(),
        id_token: SecretString::from("id-token"),
        audience: server.issuer(),
        resource: server.resource(),
        scopes: vec!["read".to_owned()],
        clock: Clock::system(),
    };
    let parts = EndpointParts::new(&server);
    let resource = server.resource();
    let mut grants = Vec::new();
    for _ in 0..2 {
        let assertion = managed.assertion().await.unwrap();
        let wanted = RequestedAccess { resource: Some(&resource), scopes: &[] };
        let tokens = parts.endpoint().jwt_bearer(&assertion, wanted).await.unwrap();
        assert!(server.accepts_token(tokens.access.expose_secret()));
        grants.push(assertion.expose_secret().to_owned());
    }
    assert_ne!(grants[0], grants[1]);
    let exchange = &provider.requests_to("/token")[0];
    for (name, value) in [
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
        ("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"),
        ("subject_token", "id-token"),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
        ("audience", &server.issuer()),
        ("resource", &resource),
        ("scope", "read"),
        ("client_id", "mooring"),
    ] {
        assert_eq!(exchange.parameter(name), Some(value), "{name}");
    }
    let redeemed = &server.requests_to("/token")[0];
    assert_eq!(redeemed.parameter("grant_type"), Some("urn:ietf:params:oauth:grant-type:jwt-bearer"));
    assert_eq!(redeemed.parameter("resource"), Some(resource.as_str()));
    // Used again it is refused, and the browser never had a part in it.
    let again = parts
        .endpoint()
        .jwt_bearer(&SecretString::from(grants[0].as_str()), RequestedAccess::default())
        .await;
    assert!(again.unwrap_err().is_invalid_grant());
    assert!(server.requests_to("/authorize").is_empty() && provider.requests_to("/authorize").is_empty());
}

// Requirements: EMA-09
#[tokio::test]
async fn unexpected_token_type_of_an_identity_provider_is_not_used() {
    let provider = serve(OAuthScript::default()).await;
    let parts = EndpointParts::new(&provider);
    let token = SecretString::from("saml");
    let ask = async || {
        let subject = SubjectToken::Refresh(&token);
        parts
            .endpoint()
            .id_jag(
                subject,
                "https://as.example",
                RequestedAccess { resource: Some("https://mcp.example"), scopes: &[] },
            )
            .await
    };
    let type_of = |name: &str| {
        format!(
            r#"{{"access_token":"g","issued_token_type":"urn:ietf:params:oauth:token-type:{name}","token_type":"N_A"}}"#
        )
    };
    provider.reply_once("/token", OAuthReply::json(200, &type_of("access_token")));
    assert_eq!(kind(&ask().await.unwrap_err()), "refused");
    provider.reply_once("/token", OAuthReply::json(200, &type_of("id-jag")));
    assert_eq!(ask().await.unwrap().expose_secret(), "g");
    provider.reply_once("/token", OAuthReply::json(200, r#"{"access_token":"g","token_type":"N_A"}"#));
    assert_eq!(ask().await.unwrap().expose_secret(), "g");
    provider.reply_once(
        "/token",
        OAuthReply::json(400, r#"{"error":"access_denied","error_description":"policy"}"#),
    );
    assert!(matches!(ask().await, Err(Error::ErrorResponse { code, .. }) if code == "access_denied"));
    let shown = provider.requests_to("/token");
    assert_eq!(
        shown[0].parameter("subject_token_type"),
        Some("urn:ietf:params:oauth:token-type:refresh_token")
    );
}

#[tokio::test]
async fn rejected_assertion_is_not_retried_in_any_way() {
    let running = serve(OAuthScript::default()).await;
    let parts = EndpointParts::new(&running);
    for code in ["invalid_grant", "invalid_scope", "unauthorized_client"] {
        running.reply_once("/token", OAuthReply::json(400, &format!(r#"{{"error":"{code}"}}"#)));
        let answer =
            parts.endpoint().jwt_bearer(&SecretString::from("jwt"), RequestedAccess::default()).await;
        assert!(matches!(answer, Err(Error::ErrorResponse { code: found, .. }) if found == code));
    }
    assert_eq!(running.requests_to("/token").len(), 3);
}

#[tokio::test]
async fn a_workloads_assertion_is_read_from_its_file_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    let file = AssertionFile(path.clone());
    assert!(file.assertion().await.is_err());
    std::fs::write(&path, "one\n").unwrap();
    assert_eq!(file.assertion().await.unwrap().expose_secret(), "one");
    std::fs::write(&path, "two").unwrap();
    assert_eq!(file.assertion().await.unwrap().expose_secret(), "two");
    std::fs::write(&path, "x".repeat(64 * 1024 + 1)).unwrap();
    assert!(file.assertion().await.is_err());
}

// Requirements: AUTH-43
#[tokio::test]
async fn sign_out_revokes_the_refresh_token_then_the_access_token() {
    let running = serve(OAuthScript::default()).await;
    let tokens = flow(&running).run(listener(&running.issuer()), &FakeBrowser::default()).await.unwrap();
    let (access, refresh) = (tokens.access.expose_secret().to_owned(), tokens.refresh.clone().unwrap());
    let steps = RecordedSteps::default();
    let mut parts = EndpointParts::new(&running);
    parts.trail = steps.trail();
    assert!(parts.endpoint().revoke(&tokens).await.unwrap());
    assert_eq!(running.revoked_tokens(), [refresh.expose_secret().to_owned(), access.clone()]);
    assert!(!running.accepts_token(&access));
    let hints: Vec<_> = running
        .requests_to("/revoke")
        .iter()
        .map(|request| request.parameter("token_type_hint").unwrap().to_owned())
        .collect();
    assert_eq!(hints, ["refresh_token", "access_token"]);
    assert!(!steps.text().contains(&access) && !steps.text().contains(refresh.expose_secret()));

    parts.server.revocation_endpoint = None;
    assert!(!parts.endpoint().revoke(&tokens).await.unwrap());
}

// Requirements: AUTH-43
#[tokio::test]
async fn failed_revocation_is_reported_and_the_rest_is_tried() {
    let running = serve(OAuthScript::default()).await;
    let parts = EndpointParts::new(&running);
    let tokens = flow(&running).run(listener(&running.issuer()), &FakeBrowser::default()).await.unwrap();
    // What the refresh token gets, what the access token gets, and what it comes to.
    let cases = [
        ((503, ""), (200, ""), "unreachable"),
        ((200, ""), (503, ""), "unreachable"),
        ((400, r#"{"error":"invalid_client"}"#), (200, ""), "answered"),
        ((200, ""), (400, r#"{"error":"unsupported_token_type"}"#), "done"),
        ((400, r#"{"error":"unsupported_token_type"}"#), (200, ""), "answered"),
        ((302, ""), (200, ""), "refused"),
        ((204, ""), (200, "<html>"), "done"),
    ];
    for (place, (refresh, access, expected)) in cases.into_iter().enumerate() {
        let before = running.requests_to("/revoke").len();
        running.reply_once("/revoke", OAuthReply::json(refresh.0, refresh.1));
        running.reply_once("/revoke", OAuthReply::json(access.0, access.1));
        let found = parts.endpoint().revoke(&tokens).await.as_ref().map_or_else(kind, |_| "done");
        assert_eq!(found, expected, "case {place}");
        assert_eq!(running.requests_to("/revoke").len(), before + 2, "case {place}");
    }
}
