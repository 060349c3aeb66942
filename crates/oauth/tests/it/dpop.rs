//! Tokens that are bound to a key.

use crate::support::{EndpointParts, FakeBrowser, flow, listener};
use http::{HeaderMap, HeaderValue, Method};
use mooring_oauth::{AuthorizationCodeFlow, Clock, DpopKey, Error, TokenType, UserInfo};
use mooring_testkit::oauth::{OAuthReply, OAuthScript, OAuthServer, serve};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

fn script(nonce: bool) -> OAuthScript {
    OAuthScript { dpop: true, nonce, rotates: true, ..OAuthScript::default() }
}

async fn sign_in(running: &OAuthServer, dpop: &DpopKey) -> mooring_oauth::TokenSet {
    let flow = AuthorizationCodeFlow { dpop: Some(dpop.clone()), ..flow(running) };
    flow.run(listener(&running.issuer()), &FakeBrowser::default()).await.unwrap()
}

// Requirements: AUTH-39
#[tokio::test]
async fn a_login_is_bound_to_its_key_from_the_code_to_the_refresh() {
    for nonce in [false, true] {
        let running = serve(script(nonce)).await;
        let dpop = DpopKey::generate().unwrap();
        assert!(DpopKey::is_offered_by(&crate::support::server_of(&running)));
        let tokens = sign_in(&running, &dpop).await;
        assert_eq!(tokens.token_type, TokenType::Dpop);
        assert_eq!(
            running.requests_to("/authorize")[0].parameter("dpop_jkt"),
            Some(dpop.thumbprint().as_str())
        );
        // With a nonce the first request is asked for once more; the second login step knows it.
        assert_eq!(running.requests_to("/token").len(), 1 + usize::from(nonce));

        let mut parts = EndpointParts::new(&running);
        parts.dpop = Some(dpop.clone());
        let renewed = parts
            .endpoint()
            .refresh(tokens.refresh.as_ref().unwrap(), Some(&running.resource()))
            .await
            .unwrap();
        assert_eq!(running.requests_to("/token").len(), 2 + usize::from(nonce));
        let proofs: std::collections::HashSet<_> = running
            .requests_to("/token")
            .iter()
            .map(|request| request.header("dpop").unwrap().to_owned())
            .collect();
        assert_eq!(proofs.len(), running.requests_to("/token").len(), "no proof is used twice");

        // Another key gets nothing.
        parts.dpop = Some(DpopKey::generate().unwrap());
        let stolen = parts.endpoint().refresh(renewed.refresh.as_ref().unwrap(), None).await;
        assert!(stolen.is_err_and(|error| error.is_invalid_grant()));
        parts.dpop = None;
        let stolen = parts.endpoint().refresh(renewed.refresh.as_ref().unwrap(), None).await;
        assert!(stolen.is_err_and(|error| error.is_invalid_grant()));
    }
}

#[tokio::test]
async fn a_nonce_is_asked_for_at_most_once() {
    let running = serve(script(true)).await;
    let mut parts = EndpointParts::new(&running);
    parts.dpop = Some(DpopKey::generate().unwrap());
    let again = |nonce: &str| OAuthReply::Raw {
        status: 400,
        headers: vec![("dpop-nonce".to_owned(), nonce.to_owned())],
        body: r#"{"error":"use_dpop_nonce"}"#.to_owned(),
    };
    for nonce in ["one", "two", "three"] {
        running.reply_once("/token", again(nonce));
    }
    let ended = parts.endpoint().refresh(&SecretString::from("r"), None).await.unwrap_err();
    assert!(matches!(&ended, Error::ErrorResponse { code, .. } if code == "use_dpop_nonce"), "{ended:?}");
    assert_eq!(running.requests_to("/token").len(), 2);
    // The same nonce once more is no reason to ask again.
    running.reply_once("/token", again("four"));
    let before = running.requests_to("/token").len();
    let _ = parts.endpoint().refresh(&SecretString::from("r"), None).await;
    assert!(running.requests_to("/token").len() <= before + 2);
}

#[tokio::test]
async fn a_key_survives_being_kept() {
    let dpop = DpopKey::generate().unwrap();
    let pem = dpop.to_pem().unwrap();
    assert!(pem.expose_secret().starts_with("-----BEGIN PRIVATE KEY-----"));
    assert_eq!(DpopKey::from_pem(&pem).unwrap().thumbprint(), dpop.thumbprint());
    assert_ne!(DpopKey::generate().unwrap().thumbprint(), dpop.thumbprint());
    for broken in ["", "x", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
        assert!(DpopKey::from_pem(&SecretString::from(broken)).is_err());
    }
    assert_eq!(format!("{dpop:?}"), "Dpop");
}

fn claims(proof: &HeaderValue) -> serde_json::Value {
    use base64::Engine as _;
    let payload = proof.to_str().unwrap().split('.').nth(1).unwrap();
    serde_json::from_slice(&base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(payload).unwrap())
        .unwrap()
}

#[tokio::test]
async fn a_proof_says_what_is_asked_and_nothing_more() {
    let dpop = DpopKey::generate().unwrap();
    let url = Url::parse("https://mcp.example:8443/a/mcp?token=secret#part").unwrap();
    let access = SecretString::from("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU");
    let proof = dpop.proof(&Method::POST, &url, Some(&access), &Clock::system()).unwrap();
    let said = claims(&proof);
    assert_eq!(said["htm"], "POST");
    assert_eq!(said["htu"], "https://mcp.example:8443/a/mcp");
    // The example of RFC 9449, section 7.1.
    assert_eq!(said["ath"], "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo");
    assert!(said.get("nonce").is_none());
    let bare = claims(&dpop.proof(&Method::GET, &url, None, &Clock::system()).unwrap());
    assert!(bare.get("ath").is_none());
    assert_ne!(bare["jti"], said["jti"]);
}

#[tokio::test]
async fn a_nonce_stays_with_the_origin_that_gave_it() {
    let dpop = DpopKey::generate().unwrap();
    let [one, other] =
        ["https://a.example/token", "https://b.example/token"].map(|url| Url::parse(url).unwrap());
    let with = |nonce: &[u8]| {
        let mut headers = HeaderMap::new();
        headers.insert("dpop-nonce", HeaderValue::from_bytes(nonce).unwrap());
        headers
    };
    assert!(dpop.store_nonce(&one, &with(b"n-1")));
    assert!(!dpop.store_nonce(&one, &with(b"n-1")), "it is known");
    assert!(dpop.store_nonce(&one, &with(b"n-2")));
    let nonce = |url: &Url| {
        claims(&dpop.proof(&Method::GET, url, None, &Clock::system()).unwrap()).get("nonce").cloned()
    };
    assert_eq!(nonce(&one), Some("n-2".into()));
    assert_eq!(nonce(&other), None);
    // What is no nonce changes nothing.
    let long = "x".repeat(1025);
    for bad in ["", "a b", "a\"b", "a\\b", "\u{e9}", &long] {
        assert!(!dpop.store_nonce(&one, &with(bad.as_bytes())), "{bad}");
    }
    let mut two = with(b"n-3");
    two.append("dpop-nonce", HeaderValue::from_static("n-4"));
    assert!(!dpop.store_nonce(&one, &two));
    assert_eq!(nonce(&one), Some("n-2".into()));
    // A challenge needs its status, its words and a new nonce.
    let mut challenge = with(b"n-5");
    challenge.insert(
        "www-authenticate",
        HeaderValue::from_static("DPoP error=\"use_dpop_nonce\", algs=\"ES256\""),
    );
    assert!(dpop.needs_retry_with_nonce(&one, 401, &challenge));
    assert!(!dpop.needs_retry_with_nonce(&one, 401, &challenge), "not for the same nonce");
    assert!(!dpop.needs_retry_with_nonce(&one, 200, &with(b"n-6")));
    assert!(!dpop.needs_retry_with_nonce(&one, 401, &with(b"n-7")));
    assert_eq!(nonce(&one), Some("n-7".into()), "a nonce of any answer is the next one");
}

#[tokio::test]
async fn a_server_that_binds_nothing_gives_a_plain_token() {
    let running = serve(OAuthScript::default()).await;
    assert!(!DpopKey::is_offered_by(&crate::support::server_of(&running)));
    let flow = AuthorizationCodeFlow { dpop: Some(DpopKey::generate().unwrap()), ..flow(&running) };
    // The server does not know what a proof is.
    let tokens = flow.run(listener(&running.issuer()), &FakeBrowser::default()).await.unwrap();
    assert_eq!(tokens.token_type, TokenType::Bearer);
}

#[tokio::test]
async fn who_signed_in_is_asked_with_the_bound_token() {
    let running = serve(script(false)).await;
    let dpop = DpopKey::generate().unwrap();
    let tokens = sign_in(&running, &dpop).await;
    let mut parts = EndpointParts::new(&running);
    parts.dpop = Some(dpop);
    let profile = UserInfo::fetch(&parts.endpoint(), &tokens, None).await.unwrap().unwrap();
    assert_eq!(profile.email.as_deref(), Some("ada@example.org"));
    let other = UserInfo { subject: Some("u-2".to_owned()), ..UserInfo::default() };
    assert_eq!(
        UserInfo::fetch(&parts.endpoint(), &tokens, Some(&other)).await.unwrap(),
        None,
        "another person is nobody"
    );
    running.reply_once("/userinfo", OAuthReply::json(503, ""));
    assert!(matches!(UserInfo::fetch(&parts.endpoint(), &tokens, None).await, Err(Error::Unreachable(_))));
}
