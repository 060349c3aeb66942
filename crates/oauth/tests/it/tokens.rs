//! What token endpoints answer, and how we show them who we are.

use crate::support::{EndpointParts, TestClock, kind, public};
use mooring_oauth::{
    Client, ClientAuthentication, Error, RequestedAccess, ServerMessage, TokenSet, TokenType,
};
use mooring_testkit::oauth::{ClientAuthMethod, OAuthReply, OAuthScript, serve};
use secrecy::{ExposeSecret as _, SecretString};
use std::time::Duration;

/// What an answer comes to, in short.
fn told(answer: &Result<TokenSet, Error>, hands: &TestClock) -> String {
    match answer {
        Ok(tokens) => {
            let life = tokens
                .expires_at
                .map(|end| end.duration_since(hands.clock().now()).unwrap_or_default().as_secs());
            let life = life.map_or_else(|| "-".to_owned(), |life| life.to_string());
            let scopes = tokens.scopes.as_ref().map_or_else(|| "-".to_owned(), |scopes| scopes.join("+"));
            let refresh = tokens.refresh.as_ref().map_or("-", |refresh| refresh.expose_secret());
            let kind = if tokens.token_type == TokenType::Bearer { "" } else { "bound " };
            format!("{kind}{} {refresh} {life} {scopes}", tokens.access.expose_secret())
        }
        Err(Error::ErrorResponse { code, .. }) => format!("answered {code}"),
        Err(error) => kind(error).to_owned(),
    }
}

// Requirements: AUTH-37, AUTH-39
#[tokio::test]
async fn answers_of_token_endpoints_are_read_for_what_they_say() {
    const JSON: &str = "application/json";
    const FORM: &str = "application/x-www-form-urlencoded";
    let long = "t".repeat(16 * 1024);
    let at_limit = format!(r#"{{"access_token":"{long}"}}"#);
    let above = format!(r#"{{"access_token":"{long}t"}}"#);
    let huge = format!(r#"{{"access_token":"t","x":"{}"}}"#, "x".repeat(1100 * 1024));
    let at_limit_told = format!("{long} - - -");
    // Status, content type, body, and what it comes to: access token, refresh token, seconds, scopes.
    let cases: &[(u16, &str, &str, &str)] = &[
        (
            200,
            JSON,
            r#"{"access_token":"t","token_type":"Bearer","expires_in":3600,"refresh_token":"r","scope":"a b"}"#,
            "t r 3600 a+b",
        ),
        (200, JSON, r#"{"access_token":"t","token_type":"bearer"}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","token_type":"BEARER"}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t"}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","token_type":null}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","token_type":"mac"}"#, "refused"),
        (200, JSON, r#"{"access_token":"t","token_type":"N_A"}"#, "refused"),
        (200, JSON, r#"{"access_token":"t","token_type":""}"#, "refused"),
        (200, JSON, r#"{"access_token":"t","token_type":7}"#, "refused"),
        (200, JSON, r#"{"access_token":"t","token_type":"DPoP"}"#, "refused"),
        (200, JSON, r#"{"access_token":"t","expires_in":"3600"}"#, "t - 3600 -"),
        (200, JSON, r#"{"access_token":"t","expires_in":" 60 "}"#, "t - 60 -"),
        (200, JSON, r#"{"access_token":"t","expires_in":60.9}"#, "t - 60 -"),
        (200, JSON, r#"{"access_token":"t","expires_in":0}"#, "t - 0 -"),
        (200, JSON, r#"{"access_token":"t","expires_in":-5}"#, "t - 0 -"),
        (200, JSON, r#"{"access_token":"t","expires_in":"soon"}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","expires_in":"NaN"}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","expires_in":"inf"}"#, "t - 315360000 -"),
        (200, JSON, r#"{"access_token":"t","expires_in":null}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","expires_in":[60]}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","expires_in":1e300}"#, "t - 315360000 -"),
        (200, JSON, r#"{"access_token":"t","expires_in":18446744073709551615}"#, "t - 315360000 -"),
        (200, JSON, r#"{"access_token":"t","scope":""}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","scope":null}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","scope":"  a   b  a "}"#, "t - - a+b"),
        (200, JSON, r#"{"access_token":"t","scope":"a,b,a"}"#, "t - - a+b"),
        (200, JSON, r#"{"access_token":"t","scope":"a:1,2 b"}"#, "t - - a:1,2+b"),
        (200, JSON, r#"{"access_token":"t","scope":["a","b"]}"#, "t - - a+b"),
        (200, JSON, r#"{"access_token":"t","scope":["a",7]}"#, "t - - a"),
        (200, JSON, r#"{"access_token":"t","scope":7}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","scope":"a \u0007 \"b\""}"#, "t - - a"),
        (200, JSON, r#"{"access_token":"t","refresh_token":""}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","refresh_token":null}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","refresh_token":7}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","refresh_token":"r\n"}"#, "t - - -"),
        (200, JSON, r#"{"access_token":"t","vendor":{"deep":[1,2,{}]},"id_token":7}"#, "t - - -"),
        (200, JSON, "\u{feff}{\"access_token\":\"t\"}", "t - - -"),
        (200, JSON, "  \n{\"access_token\":\"t\"}\n\n", "t - - -"),
        (200, JSON, r#"{"access_token":"a","access_token":"t"}"#, "t - - -"),
        (201, JSON, r#"{"access_token":"t"}"#, "t - - -"),
        (200, "text/plain", r#"{"access_token":"t"}"#, "t - - -"),
        (200, "text/html; charset=utf-8", r#"{"access_token":"t"}"#, "t - - -"),
        (200, "", r#"{"access_token":"t"}"#, "t - - -"),
        (200, FORM, "access_token=t&token_type=bearer&scope=a%20b&expires_in=60", "t - 60 a+b"),
        (200, "Application/X-WWW-Form-URLencoded; charset=utf-8", "access_token=t", "t - - -"),
        (200, FORM, "error=bad_verification_code&error_description=x", "answered bad_verification_code"),
        (200, JSON, "access_token=t", "refused"),
        (200, JSON, &at_limit, &at_limit_told),
        (200, JSON, &above, "refused"),
        (200, JSON, &huge, "refused"),
        (200, JSON, r#"{"access_token":""}"#, "refused"),
        (200, JSON, r#"{"access_token":null}"#, "refused"),
        (200, JSON, r#"{"access_token":7}"#, "refused"),
        (200, JSON, r#"{"access_token":["t"]}"#, "refused"),
        (200, JSON, r#"{"access_token":"t\r\nX-Evil: 1"}"#, "refused"),
        (200, JSON, r#"{"access_token":"t t"}"#, "refused"),
        (200, JSON, r#"{"access_token":"té"}"#, "refused"),
        (200, JSON, r#"{"access_token":"t\u0000"}"#, "refused"),
        (200, JSON, "{}", "refused"),
        (200, JSON, "", "refused"),
        (200, JSON, "null", "refused"),
        (200, JSON, r#"["access_token"]"#, "refused"),
        (200, JSON, r#"{"access_token":"t""#, "refused"),
        (200, "text/html", "<html>welcome</html>", "refused"),
        (200, JSON, r#"{"error":"invalid_grant"}"#, "answered invalid_grant"),
        (200, JSON, r#"{"error":"invalid_grant","access_token":"t"}"#, "answered invalid_grant"),
        (200, JSON, r#"{"error":null,"access_token":"t"}"#, "t - - -"),
        (200, JSON, r#"{"error":"","access_token":"t"}"#, "t - - -"),
        (400, JSON, r#"{"error":"invalid_grant","error_description":"old"}"#, "answered invalid_grant"),
        (401, JSON, r#"{"error":"invalid_client"}"#, "answered invalid_client"),
        (403, JSON, r#"{"error":"access_denied"}"#, "answered access_denied"),
        (400, "text/html", r#"{"error":"invalid_scope"}"#, "answered invalid_scope"),
        (400, JSON, r#"{"error":{"code":"x"}}"#, "answered invalid_answer"),
        (400, JSON, r#"{"error":"<b>"}"#, "answered invalid_answer"),
        (400, JSON, r#"{"error":"temporarily_unavailable"}"#, "unreachable"),
        (400, JSON, r#"{"error":"server_error"}"#, "unreachable"),
        (400, JSON, "", "refused"),
        (400, "text/html", "<html>invalid_grant</html>", "refused"),
        (400, JSON, r#"{"access_token":"t"}"#, "refused"),
        (404, "text/html", "not here", "refused"),
        (302, JSON, r#"{"access_token":"t"}"#, "refused"),
        (307, JSON, r#"{"access_token":"t"}"#, "refused"),
        (408, JSON, "", "unreachable"),
        (429, JSON, r#"{"error":"invalid_grant"}"#, "unreachable"),
        (500, JSON, "", "unreachable"),
        (500, JSON, r#"{"error":"invalid_grant"}"#, "unreachable"),
        (502, "text/html", "<html>bad gateway</html>", "unreachable"),
        (503, JSON, r#"{"access_token":"t"}"#, "unreachable"),
        (599, JSON, "", "unreachable"),
    ];
    assert!(cases.len() >= 60, "{}", cases.len());
    let running = serve(OAuthScript::default()).await;
    let hands = TestClock::new();
    let mut parts = EndpointParts::new(&running);
    parts.clock = hands.clock();
    for (status, kind, body, expected) in cases {
        running.reply_once("/token", OAuthReply::with_content_type(*status, kind, body));
        let answer = parts.endpoint().client_credentials(RequestedAccess::default()).await;
        assert_eq!(&told(&answer, &hands), expected, "{status} {kind} {}", &body[..body.len().min(200)]);
    }
}

#[tokio::test]
async fn a_redirect_of_a_token_endpoint_is_not_followed() {
    let (running, evil) = (serve(OAuthScript::default()).await, serve(OAuthScript::default()).await);
    for status in [301, 302, 303, 307, 308] {
        let headers = vec![("location".to_owned(), format!("{}/token", evil.origin()))];
        running.reply_once("/token", OAuthReply::Raw { status, headers, body: String::new() });
        let parts = EndpointParts::new(&running);
        let answer = parts.endpoint().refresh(&SecretString::from("r"), None).await;
        assert_eq!(kind(&answer.unwrap_err()), "refused");
    }
    assert!(evil.requests_to("/token").is_empty());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    let running = serve(OAuthScript::default()).await;
    let parts = EndpointParts::new(&running);
    drop(running);
    let answer = parts.endpoint().refresh(&SecretString::from("r"), None).await;
    assert_eq!(kind(&answer.unwrap_err()), "unreachable");
}

/// A private key on P-256 and its public half, as PEM.
fn elliptic_keys() -> (String, String) {
    use p256::pkcs8::{DecodePrivateKey as _, EncodePublicKey as _, LineEnding};
    let key = mooring_oauth::DpopKey::generate().unwrap().to_pem().unwrap();
    let key = key.expose_secret().to_owned();
    let public = p256::SecretKey::from_pkcs8_pem(&key).unwrap().public_key();
    (key, public.to_public_key_pem(LineEnding::LF).unwrap())
}

/// Of a client that exists only here; making one takes seconds.
const RSA_KEY: &str = include_str!("keys/rsa.pem");
const RSA_PUBLIC: &str = include_str!("keys/rsa.pub.pem");

// Requirements: AUTH-32, OCC-03, OCC-04, OCC-05
#[tokio::test]
async fn client_authenticates_only_by_its_registered_method() {
    let (ec_key, ec_public) = elliptic_keys();
    let odd = ("id:with %&=+ ü", "se:cret %&=+/\"ü\u{1f511}");
    let basic = || ClientAuthMethod::Basic(odd.0.to_owned(), odd.1.to_owned());
    let post = || ClientAuthMethod::Post(odd.0.to_owned(), odd.1.to_owned());
    let elliptic = || ClientAuthMethod::PrivateKeyJwt("job".to_owned(), ec_public.clone(), true);
    let rsa = || ClientAuthMethod::PrivateKeyJwt("job".to_owned(), RSA_PUBLIC.to_owned(), false);
    let client = |id: &str, secret: Option<&str>, authentication| Client {
        id: id.to_owned(),
        secret: secret.map(SecretString::from),
        authentication,
    };
    use ClientAuthentication::{Basic, None, Post, PrivateKeyJwt};
    // What the server wants, who comes, and what it comes to.
    let cases = [
        (ClientAuthMethod::None, public(), "granted"),
        (basic(), client(odd.0, Some(odd.1), Basic), "granted"),
        (post(), client(odd.0, Some(odd.1), Post), "granted"),
        (elliptic(), client("job", Some(&ec_key), PrivateKeyJwt), "granted"),
        (rsa(), client("job", Some(RSA_KEY), PrivateKeyJwt), "granted"),
        (basic(), client(odd.0, Some(odd.1), Post), "answered"),
        (post(), client(odd.0, Some(odd.1), Basic), "answered"),
        (basic(), client(odd.0, Some("other"), Basic), "answered"),
        (post(), client(odd.0, Some("other"), Post), "answered"),
        (basic(), client(odd.0, Some(odd.1), None), "answered"),
        (elliptic(), client("job", Some(RSA_KEY), PrivateKeyJwt), "answered"),
        (elliptic(), client("other", Some(&ec_key), PrivateKeyJwt), "answered"),
        (basic(), client(odd.0, Option::None, Basic), "refused"),
        (post(), client(odd.0, Option::None, Post), "refused"),
        (elliptic(), client("job", Option::None, PrivateKeyJwt), "refused"),
        (elliptic(), client("job", Some("not a key"), PrivateKeyJwt), "refused"),
        (elliptic(), client("job", Some(&ec_public), PrivateKeyJwt), "refused"),
    ];
    for (place, (method, client, expected)) in cases.into_iter().enumerate() {
        let running = serve(OAuthScript { method, ..OAuthScript::default() }).await;
        let mut parts = EndpointParts::new(&running);
        parts.client = client;
        let resource = running.resource();
        let scopes = ["read".to_owned()];
        for _ in 0..2 {
            let wanted = RequestedAccess { resource: Some(&resource), scopes: &scopes };
            let answer = parts.endpoint().client_credentials(wanted).await;
            let found = answer.as_ref().map_or_else(kind, |_| "granted");
            assert_eq!(found, expected, "case {place}: {answer:?}");
        }
        for request in running.requests_to("/token") {
            assert_eq!(request.parameter("grant_type"), Some("client_credentials"));
            assert_eq!(request.parameter("resource"), Some(resource.as_str()));
            assert_eq!(request.parameter("scope"), Some("read"));
        }
        assert!(running.requests_to("/authorize").is_empty() && running.requests_to("/register").is_empty());
    }
}

// Requirements: AUTH-32
#[tokio::test]
async fn a_server_that_wants_the_id_in_one_place_gets_it_there() {
    let running = serve(OAuthScript { method: ClientAuthMethod::None, ..OAuthScript::default() }).await;
    let mut parts = EndpointParts::new(&running);
    parts.client = Client {
        id: "mine".to_owned(),
        secret: Some(SecretString::from("word")),
        authentication: ClientAuthentication::Basic,
    };
    let refusal =
        r#"{"error":"invalid_request","error_description":"Cannot supply multiple client credentials."}"#;
    running.reply_once("/token", OAuthReply::json(400, refusal));
    running.reply_once("/token", OAuthReply::json(200, r#"{"access_token":"t"}"#));
    parts.endpoint().client_credentials(RequestedAccess::default()).await.unwrap();
    let ids: Vec<_> =
        running.requests_to("/token").iter().map(|it| it.parameter("client_id").is_some()).collect();
    assert_eq!(ids, [true, false]);
    // Once is all.
    running.reply_once("/token", OAuthReply::json(400, refusal));
    running.reply_once("/token", OAuthReply::json(400, refusal));
    assert!(parts.endpoint().client_credentials(RequestedAccess::default()).await.is_err());
    assert_eq!(running.requests_to("/token").len(), 4);
}

// Requirements: AUTH-37
#[tokio::test]
async fn the_words_of_a_refusal_are_quoted_whatever_their_form() {
    for (status, kind, body, expected) in [
        (400, "text/plain", "no\n such grant", "HTTP status 400: “no such grant”"),
        (503, "text/plain", "back at noon", "HTTP status 503: “back at noon”"),
        (400, "application/json", r#"{"message":"tenant is closed"}"#, "HTTP status 400: “tenant is closed”"),
        (400, "application/json", r#"{"error":{"message":"closed"}}"#, "invalid_answer: “closed”"),
        (400, "application/json", r#"{"error":"invalid_client"}"#, "the error invalid_client"),
        (400, "text/html", "<html>sorry</html>", "HTTP status 400 and nothing that can be read"),
    ] {
        let running = serve(OAuthScript::default()).await;
        running.reply_once("/token", OAuthReply::with_content_type(status, kind, body));
        let error = EndpointParts::new(&running)
            .endpoint()
            .client_credentials(RequestedAccess::default())
            .await
            .unwrap_err();
        assert!(error.to_string().ends_with(expected), "{error}");
    }
}

// Requirements: AUTH-26
#[test]
fn a_refusal_of_the_resource_is_told_by_code_or_words() {
    let answered = |code: &str, theirs: &str| {
        let sentence = mooring_words::Sentence::quoted(format!("the sign-in ended with the error {code}"));
        let server_message = Some(ServerMessage { ours: sentence.clone(), theirs: theirs.to_owned() });
        Error::ErrorResponse { code: code.to_owned(), sentence, server_message }
    };
    for (code, server_message, refused) in [
        ("invalid_target", "", true),
        ("invalid_resource", "", true),
        ("invalid_request", "The Resource parameter is not supported", true),
        ("invalid_request", "code_verifier is missing", false),
        ("invalid_scope", "AADSTS9010010: they do not belong together", true),
        ("access_denied", "the resource owner said no", false),
    ] {
        let found =
            matches!(answered(code, server_message).into_resource_refused(), Error::ResourceRefused { .. });
        assert_eq!(found, refused, "{code} {server_message}");
    }
}

// Requirements: OCC-04
#[tokio::test]
async fn a_statement_is_signed_as_the_server_says_or_not_sent() {
    let (ec_key, ec_public) = elliptic_keys();
    let method = ClientAuthMethod::PrivateKeyJwt("job".to_owned(), ec_public, true);
    let running = serve(OAuthScript { method, ..OAuthScript::default() }).await;
    let mut parts = EndpointParts::new(&running);
    parts.client = Client {
        id: "job".to_owned(),
        secret: Some(SecretString::from(ec_key)),
        authentication: ClientAuthentication::PrivateKeyJwt,
    };
    parts.server.token_endpoint_auth_signing_alg_values_supported = Some(vec!["RS256".to_owned()]);
    let answer = parts.endpoint().client_credentials(RequestedAccess::default()).await.unwrap_err();
    assert!(answer.to_string().contains("ES256"), "{answer}");
    assert!(running.requests_to("/token").is_empty());
    parts.server.token_endpoint_auth_signing_alg_values_supported = Some(vec!["ES256".to_owned()]);
    parts.endpoint().client_credentials(RequestedAccess::default()).await.unwrap();
}

#[tokio::test]
async fn a_token_is_good_until_its_end_and_not_a_moment_longer() {
    let running = serve(OAuthScript { expires_in: Some(100), ..OAuthScript::default() }).await;
    let hands = TestClock::new();
    let mut parts = EndpointParts::new(&running);
    parts.clock = hands.clock();
    let tokens = parts.endpoint().client_credentials(RequestedAccess::default()).await.unwrap();
    let now = || hands.clock().now();
    assert!(tokens.is_valid_for(Duration::from_secs(99), now()));
    assert!(!tokens.is_valid_for(Duration::from_secs(100), now()));
    hands.forward(Duration::from_secs(100));
    assert!(!tokens.is_valid_for(Duration::ZERO, now()));
    assert!(!tokens.is_valid_for(Duration::MAX, now()));
}
