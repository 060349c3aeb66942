//! Which client we are, and registering.

use std::time::{Duration, SystemTime};

use mooring_oauth::{
    AuthorizationServer, Client, ClientAuthentication, ClientCandidates, ClientChoice, Error, PreRegistered,
    Registration, authentication_for, choose_client, document_redirects, redirect_uris, register,
};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::site::{MockServer, ScriptedResponse, here, trail, untold};
use crate::support::server_of;
use mooring_testkit::oauth::{OAuthReply, OAuthScript, serve};

const ISSUER: &str = "https://as.example";
const REDIRECT: &str = "http://127.0.0.1:23817/callback/1";

fn client(id: &str) -> Client {
    Client { id: id.to_owned(), secret: None, authentication: ClientAuthentication::None }
}

fn earlier(issuer: &str) -> Registration {
    Registration {
        issuer: issuer.to_owned(),
        client: client("earlier"),
        secret_expires: None,
        redirect_uris: vec![REDIRECT.to_owned()],
        configuration: None,
    }
}

fn server(registers: bool, documents: bool) -> AuthorizationServer {
    AuthorizationServer {
        issuer: ISSUER.to_owned(),
        registration_endpoint: registers.then(|| Url::parse("https://as.example/register").unwrap()),
        client_id_metadata_document_supported: documents,
        authorization_response_iss_parameter_supported: documents,
        ..AuthorizationServer::default()
    }
}

/// What is chosen, and the reason, or why nothing can be.
fn chosen(server: &AuthorizationServer, candidates: &ClientCandidates) -> Result<(String, String), String> {
    let (trail, steps) = trail();
    let redirect = Url::parse(REDIRECT).unwrap();
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
    let identity = choose_client(server, candidates, Some(&redirect), now, &trail);
    let told = steps.lock().unwrap()[0].found.to_string();
    match identity {
        Ok(identity) => {
            assert_eq!(told, identity.reason.to_string());
            let choice = match identity.choice {
                ClientChoice::PreRegistered(client)
                | ClientChoice::Document(client)
                | ClientChoice::Earlier(client) => client.id,
                ClientChoice::Register => "register".to_owned(),
                ClientChoice::Ask => "ask".to_owned(),
            };
            Ok((choice, told))
        }
        Err(error) => {
            assert_eq!(told, error.to_string());
            Err(told)
        }
    }
}

// Requirements: AUTH-15, AUTH-16, AUTH-17, AUTH-20, AUTH-21
#[test]
fn client_is_chosen_in_the_specified_order_for_its_issuer_only() {
    let by_hand = |issuer: Option<&str>| {
        Some(PreRegistered { issuer: issuer.map(str::to_owned), client: client("by-hand") })
    };
    let document = || Some(Url::parse("https://mooring.example/client.json").unwrap());
    let bad = || Some(Url::parse("https://mooring.example/").unwrap());
    let all = || ClientCandidates {
        pre_registered: by_hand(Some(ISSUER)),
        document: document(),
        earlier: Some(earlier(ISSUER)),
    };
    let choice =
        |server: &AuthorizationServer, candidates: ClientCandidates| chosen(server, &candidates).unwrap().0;
    assert_eq!(choice(&server(true, true), all()), "by-hand");
    assert_eq!(choice(&server(false, false), all()), "by-hand");
    let fresh = ClientCandidates { pre_registered: by_hand(None), ..ClientCandidates::default() };
    assert_eq!(choice(&server(true, true), fresh), "by-hand");
    let without = || ClientCandidates { pre_registered: None, ..all() };
    assert_eq!(choice(&server(true, true), without()), "https://mooring.example/client.json");
    assert_eq!(choice(&server(false, true), without()), "https://mooring.example/client.json");
    assert_eq!(choice(&server(true, false), without()), "earlier");
    assert_eq!(choice(&server(true, true), ClientCandidates { document: bad(), ..without() }), "earlier");
    // An issuer whose answers do not say that they are its own could be given those of another with one document.
    let silent = |registers| AuthorizationServer {
        authorization_response_iss_parameter_supported: false,
        ..server(registers, true)
    };
    let fresh = || ClientCandidates { document: document(), ..ClientCandidates::default() };
    assert_eq!(choice(&silent(true), without()), "earlier");
    assert_eq!(choice(&silent(true), fresh()), "register");
    assert_eq!(choice(&silent(false), fresh()), "ask");
    let nothing = ClientCandidates::default;
    assert_eq!(choice(&server(true, true), nothing()), "register");
    assert_eq!(choice(&server(false, true), nothing()), "ask");
    assert_eq!(choice(&server(false, false), nothing()), "ask");
    // An earlier registration that is no good here, or no more.
    let registered = |earlier| ClientCandidates { earlier: Some(earlier), ..ClientCandidates::default() };
    for other in
        ["https://as.example/", "https://AS.example", "https://as.example/tenant", "https://other.example"]
    {
        let (choice, reason) = chosen(&server(true, false), &registered(earlier(other))).unwrap();
        assert_eq!(choice, "register");
        assert!(reason.contains(other), "{reason}");
        assert_eq!(chosen(&server(false, false), &registered(earlier(other))).unwrap().0, "ask");
    }
    for (seconds, expected) in [(999, "register"), (1_000, "register"), (1_001, "earlier")] {
        let secret_expires = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        let ending = Registration { secret_expires, ..earlier(ISSUER) };
        assert_eq!(choice(&server(true, false), registered(ending)), expected, "{seconds}");
    }
    for (uri, expected) in [
        ("http://127.0.0.1/callback/1", "earlier"),
        ("http://127.0.0.1:1/callback/1", "register"),
        ("http://127.0.0.1/callback/2", "register"),
        ("http://localhost/callback/1", "register"),
    ] {
        let elsewhere = Registration { redirect_uris: vec![uri.to_owned()], ..earlier(ISSUER) };
        assert_eq!(choice(&server(true, false), registered(elsewhere)), expected, "{uri}");
    }
    // One entered for another issuer ends the sign-in, whatever else there is.
    let moved = ClientCandidates { pre_registered: by_hand(Some("https://other.example")), ..all() };
    let why = chosen(&server(true, true), &moved).unwrap_err();
    assert!(why.contains("https://other.example") && why.contains(ISSUER), "{why}");
}

// Requirements: AUTH-32
#[test]
fn authentication_follows_what_the_server_supports() {
    use ClientAuthentication::{Basic, None as Nothing, Post};
    for (supported, expected) in [
        (None, Basic),
        (Some(vec!["client_secret_basic"]), Basic),
        (Some(vec!["client_secret_post"]), Post),
        (Some(vec!["client_secret_post", "client_secret_basic"]), Basic),
        (Some(vec!["none"]), Nothing),
        (Some(vec!["none", "client_secret_post"]), Post),
    ] {
        let supported = supported.map(|methods| methods.into_iter().map(str::to_owned).collect());
        let server =
            AuthorizationServer { token_endpoint_auth_methods_supported: supported, ..server(true, true) };
        assert_eq!(authentication_for(&server, true), expected);
        assert_eq!(authentication_for(&server, false), Nothing);
    }
}

// Requirements: AUTH-17, AUTH-30
#[test]
fn each_issuer_has_its_own_redirect_uris_of_the_document() {
    let mut paths = std::collections::BTreeSet::new();
    for number in 0..50 {
        let redirects = document_redirects(&format!("https://as{number}.example"));
        assert_eq!(redirects, document_redirects(&format!("https://as{number}.example")));
        assert_eq!(redirects.len(), 4);
        assert_eq!(redirects[3].port(), None);
        for redirect in &redirects {
            assert!(redirect_uris().contains(&redirect.to_string()), "{redirect}");
            assert_eq!(redirect.path(), redirects[0].path());
        }
        paths.insert(redirects[0].path().to_owned());
    }
    assert_eq!(paths.len(), 4);
}

async fn at(site: &MockServer, supported: Option<&[&str]>) -> Result<Registration, Error> {
    let server = AuthorizationServer {
        issuer: site.origin().to_owned(),
        registration_endpoint: Some(site.url("/register")),
        token_endpoint_auth_methods_supported: supported
            .map(|methods| methods.iter().map(|&method| method.to_owned()).collect()),
        ..AuthorizationServer::default()
    };
    let scopes = ["a".to_owned(), "b".to_owned()];
    register(&here(), &server, &[Url::parse(REDIRECT).unwrap()], &scopes, &untold()).await
}

// Requirements: AUTH-18, AUTH-19, AUTH-32, AUTH-40
#[tokio::test]
async fn a_registration_says_what_we_are() {
    for (supported, method) in [
        (None, "client_secret_basic"),
        (Some(&["none", "client_secret_post", "client_secret_basic"][..]), "none"),
        (Some(&["client_secret_post", "client_secret_basic"]), "client_secret_post"),
        (Some(&["private_key_jwt", "client_secret_basic", "client_secret_post"]), "client_secret_basic"),
        (Some(&["private_key_jwt", "client_secret_post"]), "client_secret_post"),
    ] {
        let site = MockServer::start().await;
        site.put("/register", &ScriptedResponse::json(r#"{"client_id":"c"}"#).answering(201), "");
        let registration = at(&site, supported).await.unwrap();
        assert_eq!(registration.client.id, "c");
        assert_eq!(registration.issuer, site.origin());
        assert_eq!(registration.redirect_uris, [REDIRECT]);
        assert_eq!(site.asked(), ["POST /register"]);
        assert_eq!(
            site.heard()[0].json(),
            serde_json::json!({
                "client_name": "Mooring",
                "application_type": "native",
                "redirect_uris": [REDIRECT],
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
                "token_endpoint_auth_method": method,
                "scope": "a b",
            })
        );
    }
    let site = MockServer::start().await;
    let refused = at(&site, Some(&["private_key_jwt"])).await;
    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
    assert_eq!(site.asked(), [""; 0]);
}

// Requirements: AUTH-18
#[tokio::test]
async fn server_not_knowing_the_scopes_is_asked_without_them() {
    let running = serve(OAuthScript::default()).await;
    let server = server_of(&running);
    let redirects = [Url::parse(REDIRECT).unwrap()];
    let refusal =
        || OAuthReply::json(400, r#"{"error":"invalid_client_metadata","error_description":"scope"}"#);
    running.reply_once("/register", refusal());
    let scopes = ["tools".to_owned()];
    let registration = register(&here(), &server, &redirects, &scopes, &untold()).await.unwrap();
    assert_eq!(registration.redirect_uris, [REDIRECT]);
    let [first, second] = &running.requests_to("/register")[..] else { panic!("not asked twice") };
    assert_eq!((&first.json["scope"], &second.json["scope"]), (&"tools".into(), &serde_json::Value::Null));
    let mut rest = first.json.clone();
    rest.as_object_mut().unwrap().remove("scope");
    assert_eq!(rest, second.json);

    // Then with the least that is needed, and that is all.
    for _ in 0..3 {
        running.reply_once("/register", refusal());
    }
    let refused = register(&here(), &server, &redirects, &scopes, &untold()).await;
    assert!(matches!(&refused, Err(Error::ErrorResponse { code, .. }) if code == "invalid_client_metadata"));
    assert_eq!(running.requests_to("/register").len(), 5);
}

// Requirements: AUTH-18
#[tokio::test]
async fn a_server_that_refuses_members_is_asked_with_the_least() {
    let running = serve(OAuthScript::default()).await;
    let server = server_of(&running);
    let redirects = [Url::parse(REDIRECT).unwrap()];
    for refusal in [
        OAuthReply::with_content_type(400, "text/plain", "unknown field application_type"),
        OAuthReply::json(422, r#"{"detail":"grant_types"}"#),
        OAuthReply::json(400, r#"{"error":"invalid_request"}"#),
    ] {
        let before = running.requests_to("/register").len();
        running.reply_once("/register", refusal);
        register(&here(), &server, &redirects, &[], &untold()).await.unwrap();
        let asked = &running.requests_to("/register")[before..];
        assert_eq!(asked.len(), 2);
        let least = serde_json::json!({
            "client_name": "Mooring", "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none",
        });
        assert_eq!(asked[1].json, least);
    }
    // What no other words would change is not asked twice.
    for refusal in [
        OAuthReply::json(400, r#"{"error":"invalid_redirect_uri"}"#),
        OAuthReply::json(403, r#"{"error":"invalid_client_metadata"}"#),
        OAuthReply::with_content_type(404, "text/plain", "no such page"),
    ] {
        let before = running.requests_to("/register").len();
        running.reply_once("/register", refusal);
        assert!(register(&here(), &server, &redirects, &[], &untold()).await.is_err());
        assert_eq!(running.requests_to("/register").len(), before + 1);
    }
}

// Requirements: AUTH-18, AUTH-32
#[tokio::test]
async fn an_answer_to_a_registration_is_read_leniently() {
    use ClientAuthentication::{Basic, None as Nothing, Post};
    let none: Option<&[&str]> = Some(&["none"]);
    let post: Option<&[&str]> = Some(&["client_secret_post"]);
    for (supported, body, id, secret, authentication) in [
        (none, r#"{"client_id":"c"}"#, "c", None, Nothing),
        (none, r#"{"client_id":"c","client_secret":"s"}"#, "c", None, Nothing),
        (none, r#"{"client_id":7,"client_secret":null}"#, "7", None, Nothing),
        (None, r#"{"client_id":"c","client_secret":"s"}"#, "c", Some("s"), Basic),
        (None, r#"{"client_id":"c"}"#, "c", None, Nothing),
        (
            None,
            r#"{"client_id":"c","client_secret":"s","token_endpoint_auth_method":"client_secret_post"}"#,
            "c",
            Some("s"),
            Post,
        ),
        (post, r#"{"client_id":"c","client_secret":"s"}"#, "c", Some("s"), Post),
        (
            post,
            r#"{"client_id":"c","client_secret":"s","token_endpoint_auth_method":"unheard_of"}"#,
            "c",
            Some("s"),
            Post,
        ),
        (
            post,
            r#"{"client_id":"c","client_secret":"s","token_endpoint_auth_method":"none"}"#,
            "c",
            None,
            Nothing,
        ),
        (post, r#"{"client_id":"c","client_secret":7}"#, "c", None, Nothing),
    ] {
        let site = MockServer::start().await;
        site.put("/register", &ScriptedResponse::json(body).answering(201), "");
        let registration = at(&site, supported).await.unwrap();
        assert_eq!(registration.client.id, id, "{body}");
        assert_eq!(registration.client.secret.as_ref().map(SecretString::expose_secret), secret, "{body}");
        assert_eq!(registration.client.authentication, authentication, "{body}");
    }
    for (ends, expected) in
        [("0", None), ("1000", Some(1000)), ("\"1000\"", Some(1000)), ("-1", None), ("\"x\"", None)]
    {
        let site = MockServer::start().await;
        let body = format!(
            r#"{{"client_id":"c","client_secret":"s","client_secret_expires_at":{ends},"redirect_uris":["http://127.0.0.1/callback/1"],
               "registration_access_token":"t","registration_client_uri":"{{o}}/register/c"}}"#
        );
        site.put("/register", &ScriptedResponse::json(body), "");
        let registration = at(&site, None).await.unwrap();
        let expected = expected.map(|seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(registration.secret_expires, expected);
        assert_eq!(registration.redirect_uris, ["http://127.0.0.1/callback/1"]);
        let (address, token) = registration.configuration.as_ref().unwrap();
        assert_eq!((address, token.expose_secret()), (&site.url("/register/c"), "t"));
        let shown = format!("{registration:?}");
        assert!(!shown.contains("\"s\"") && !shown.contains("\"t\""), "{shown}");
    }
}

// Requirements: AUTH-19
#[tokio::test]
async fn a_refused_registration_says_what_to_do() {
    let error = |code: &str| {
        ScriptedResponse::json(format!(r#"{{"error":"{code}","error_description":"no <b>loopback</b>"}}"#))
    };
    const BY_HAND: Option<&str> = Some("client needed");
    for (page, code, words) in [
        (
            error("invalid_redirect_uri").answering(400),
            BY_HAND,
            "doesn’t accept the redirect URI http://127.0.0.1:23817/callback/1: register a client there",
        ),
        (
            error("invalid_client_metadata").answering(400),
            Some("invalid_client_metadata"),
            "didn’t register Mooring: invalid_client_metadata (no <b>loopback</b>)",
        ),
        (ScriptedResponse::status(401), BY_HAND, "doesn’t let anyone register a client"),
        (ScriptedResponse::status(403), BY_HAND, "doesn’t let anyone register a client"),
        // As Keycloak refuses a host that it doesn’t trust.
        (error("insufficient_scope").answering(403), BY_HAND, "doesn’t let anyone register a client"),
        (error("access_denied").answering(400), BY_HAND, "(no <b>loopback</b>)"),
        (ScriptedResponse::status(404), None, "didn’t register Mooring: HTTP status 404"),
        (
            ScriptedResponse::status(400).saying("unknown\n field"),
            None,
            "didn’t register Mooring: HTTP status 400: “unknown field”",
        ),
        (
            ScriptedResponse::json(r#"{"detail":"not here"}"#).answering(405),
            None,
            "HTTP status 405: “not here”",
        ),
        (ScriptedResponse::to(307, "{x}/register"), None, "didn’t register Mooring: HTTP status 307"),
        (ScriptedResponse::json("{}").answering(201), None, "it has no client ID"),
        (ScriptedResponse::json(r#"{"client_id":""}"#).answering(201), None, "it has no client ID"),
        (ScriptedResponse::json(r#"{"client_id":"a\nb"}"#).answering(201), None, "it has no client ID"),
        (ScriptedResponse::json(r#"{"client_id":["c"]}"#).answering(201), None, "it has no client ID"),
        (
            ScriptedResponse::json(format!(r#"{{"client_id":"{}"}}"#, "x".repeat(5000))),
            None,
            "it has no client ID",
        ),
        (
            ScriptedResponse::status(201).with("content-type", "text/html").saying("<html>"),
            None,
            "it is a web page",
        ),
        (ScriptedResponse::json("[]"), None, "not an object"),
    ] {
        let (site, other) = (MockServer::start().await, MockServer::start().await);
        site.put("/register", &page, other.origin());
        match at(&site, None).await.unwrap_err() {
            Error::ErrorResponse { code: found, sentence, .. } => {
                assert_eq!(Some(found.as_str()), code);
                assert!(sentence.as_str().contains(words), "{}", sentence.as_str());
            }
            Error::Refused(sentence) => {
                assert_eq!(code, None);
                assert!(sentence.as_str().contains(words), "{}", sentence.as_str());
            }
            Error::ClientNeeded { sentence, .. } => {
                assert_eq!(code, BY_HAND);
                assert!(sentence.as_str().contains(words), "{}", sentence.as_str());
            }
            error => panic!("{page:?}: {error:?}"),
        }
        assert_eq!(other.asked(), [""; 0]);
    }
    for status in [429, 500, 503] {
        let site = MockServer::start().await;
        site.put("/register", &ScriptedResponse::status(status), "");
        assert!(matches!(at(&site, None).await, Err(Error::Unreachable(_))));
    }
}
