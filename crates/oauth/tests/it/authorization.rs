//! The authorization code flow, and who tries to get into it.

use crate::support::{BackgroundTask, FakeBrowser, RecordedSteps, flow, kind, listener, public};
use mooring_oauth::{AuthorizationCodeFlow, AuthorizationServer, Error, UserInfo};
use mooring_testkit::eventually;
use mooring_testkit::oauth::{IssParameter, OAuthScript, OAuthServer, follow_redirects, serve};
use secrecy::ExposeSecret as _;
use std::time::Duration;

async fn sign_in(running: &OAuthServer) -> Result<mooring_oauth::TokenSet, Error> {
    let browser = FakeBrowser::default();
    flow(running).run(listener(&running.issuer()), &browser).await
}

// Requirements: AUTH-22, AUTH-25, AUTH-26, AUTH-30
#[tokio::test]
async fn sign_in_proves_its_origin_with_the_pkce_verifier() {
    let running = serve(OAuthScript::default()).await;
    let steps = RecordedSteps::default();
    let browser = FakeBrowser::default();
    let flow = AuthorizationCodeFlow { trail: steps.trail(), ..flow(&running) };
    let tokens = flow.run(listener(&running.issuer()), &browser).await.unwrap();
    assert!(running.accepts_token(tokens.access.expose_secret()));
    assert_eq!(tokens.scopes, Some(vec!["read".to_owned(), "write".to_owned()]));

    let asked = &running.requests_to("/authorize")[0];
    assert_eq!(asked.parameter("code_challenge_method"), Some("S256"));
    assert_eq!(asked.parameter("resource"), Some(running.resource().as_str()));
    assert_eq!(asked.parameter("scope"), Some("read write"));
    assert_eq!(asked.parameter("state").unwrap().len(), 43);
    let redirect = url::Url::parse(asked.parameter("redirect_uri").unwrap()).unwrap();
    assert_eq!(redirect.host_str(), Some("127.0.0.1"));
    assert!(redirect.port().is_some());
    let exchanged = &running.requests_to("/token")[0];
    assert_eq!(exchanged.parameter("resource"), Some(running.resource().as_str()));
    assert_eq!(exchanged.parameter("redirect_uri"), asked.parameter("redirect_uri"));
    assert_eq!(exchanged.parameter("code_verifier").unwrap().len(), 43);

    // The reported steps contain no secret.
    let told = steps.text();
    for secret in [
        asked.parameter("state").unwrap(),
        exchanged.parameter("code").unwrap(),
        exchanged.parameter("code_verifier").unwrap(),
        tokens.access.expose_secret(),
    ] {
        assert!(!told.contains(secret), "{told}");
    }
    assert!(told.contains("Authorization") && told.contains("Token"), "{told}");
}

// Requirements: AUTH-22
#[tokio::test]
async fn two_sign_ins_share_neither_state_nor_verifier() {
    let running = serve(OAuthScript::default()).await;
    sign_in(&running).await.unwrap();
    sign_in(&running).await.unwrap();
    let (asked, exchanged) = (running.requests_to("/authorize"), running.requests_to("/token"));
    assert_ne!(asked[0].parameter("state"), asked[1].parameter("state"));
    assert_ne!(exchanged[0].parameter("code_verifier"), exchanged[1].parameter("code_verifier"));
}

// Requirements: AUTH-27, AUTH-28
#[tokio::test]
async fn an_answer_is_of_the_issuer_that_was_asked_or_of_none() {
    let with = |more: &str| IssParameter::WithSuffix(more.to_owned());
    let other = |iss: &str| IssParameter::Other(iss.to_owned());
    // Whether the metadata announces `iss`, what comes, whether the code is exchanged.
    let cases = [
        (true, IssParameter::Right, true),
        (false, IssParameter::Right, true),
        (false, IssParameter::Absent, true),
        (true, IssParameter::Absent, false),
        (true, other("https://evil.example"), false),
        (false, other("https://evil.example"), false),
        (true, with("/"), false),
        (false, with("/"), false),
        (true, with("?"), false),
        (true, with("#"), false),
        (true, with(" "), false),
        (true, with("/."), false),
        (true, with("%2F"), false),
        (true, with("\u{0}"), false),
        (true, other(""), false),
        (false, other(""), false),
        (true, other("null"), false),
    ];
    for (place, (announces_iss, iss, good)) in cases.into_iter().enumerate() {
        let running = serve(OAuthScript { announces_iss, iss, ..OAuthScript::default() }).await;
        let signed_in = sign_in(&running).await;
        assert_eq!(signed_in.is_ok(), good, "case {place}: {signed_in:?}");
        assert_eq!(running.requests_to("/token").len(), usize::from(good), "case {place}");
        if let Err(error) = signed_in {
            assert_eq!(kind(&error), "refused", "case {place}");
        }
    }
}

// Requirements: AUTH-28
#[tokio::test]
async fn an_issuer_that_only_looks_the_same_is_another() {
    // The issuer as it is recorded, and how it comes back.
    let cases = [
        ("https://as.example/tenant", "https://AS.example/tenant"),
        ("https://as.example/tenant", "HTTPS://as.example/tenant"),
        ("https://as.example/tenant", "https://as.example:443/tenant"),
        ("https://as.example/tenant", "https://as.example/tenant/"),
        ("https://as.example/tenant", "https://as.example/Tenant"),
        ("https://as.example/tenant", "https://as.example/%74enant"),
        ("https://as.example/tenant", "https://as.example/a/../tenant"),
        ("https://as.example/tenant", "https://as.example./tenant"),
        ("https://as.example/tenant", "https://user@as.example/tenant"),
        ("https://as.example", "https://as.example/"),
        ("https://as.example/", "https://as.example"),
        ("https://as.example/%7Ea", "https://as.example/~a"),
    ];
    for (issuer, iss) in cases {
        let running =
            serve(OAuthScript { iss: IssParameter::Other(iss.to_owned()), ..OAuthScript::default() }).await;
        let mut flow = flow(&running);
        flow.server.issuer = issuer.to_owned();
        let ended = flow.run(listener(issuer), &FakeBrowser::default()).await;
        assert!(matches!(&ended, Err(Error::Refused(_))), "{iss}: {ended:?}");
        assert!(running.requests_to("/token").is_empty(), "{iss}");
    }
}

// Requirements: AUTH-29
#[tokio::test]
async fn what_another_issuer_says_went_wrong_is_not_repeated() {
    let words = "<b>call 555-0100</b>";
    for error in ["access_denied", "<script>alert(1)</script>", "invalid_scope"] {
        let answers = vec![
            ("error".to_owned(), error.to_owned()),
            ("error_description".to_owned(), words.to_owned()),
            ("error_uri".to_owned(), "https://evil.example/help".to_owned()),
        ];
        let iss = IssParameter::Other("https://evil.example".to_owned());
        let running = serve(OAuthScript { iss, answers, ..OAuthScript::default() }).await;
        let steps = RecordedSteps::default();
        let flow = AuthorizationCodeFlow { trail: steps.trail(), ..flow(&running) };
        let ended = flow.run(listener(&running.issuer()), &FakeBrowser::default()).await.unwrap_err();
        assert_eq!(kind(&ended), "refused");
        let shown = format!("{ended} {}", steps.text());
        assert!(!shown.contains("555-0100") && !shown.contains("evil") && !shown.contains(error), "{shown}");
    }
}

// Requirements: AUTH-29
#[tokio::test]
async fn an_error_of_the_right_issuer_is_quoted_and_shortened() {
    let long = "x".repeat(5000);
    // Code and description as they come, code as it is known, and what is quoted.
    let cases: [(&str, Option<&str>, &str, &str); 6] = [
        ("access_denied", Some("the person said no"), "access_denied", "“the person said no”"),
        ("access_denied", None, "access_denied", "error access_denied"),
        ("server_error", Some("a\u{202e}b\u{200b}c\n\td"), "server_error", "“abcd”"),
        ("<script>", Some(""), "invalid_answer", "error invalid_answer"),
        ("", None, "invalid_answer", "error invalid_answer"),
        ("interaction_required", Some(&long), "interaction_required", "…”"),
    ];
    for (error, description, code, quoted) in cases {
        let mut answers = vec![("error".to_owned(), error.to_owned())];
        answers.extend(description.map(|text| ("error_description".to_owned(), text.to_owned())));
        let running = serve(OAuthScript { answers, ..OAuthScript::default() }).await;
        match sign_in(&running).await {
            Err(Error::ErrorResponse { code: found, sentence, server_message }) => {
                assert_eq!(found, code);
                assert!(sentence.as_str().contains(quoted), "{sentence}");
                // Taken apart it says the same.
                let apart = server_message.map(|said| format!("{}: “{}”", said.ours, said.theirs));
                assert!(apart.is_none_or(|apart| apart == sentence.as_str()), "{sentence}");
                assert!(sentence.as_str().len() < 1000);
            }
            other => panic!("{error}: {other:?}"),
        }
        assert!(running.requests_to("/token").is_empty());
    }
}

/// Queries of answers that are not this sign-in's.
pub(crate) fn forgeries(state: &str, foreign: &str) -> Vec<String> {
    let half = &state[..21];
    let flipped = format!("{}{}", if state.starts_with('A') { 'B' } else { 'A' }, &state[1..]);
    vec![
        String::new(),
        "?".to_owned(),
        "?code=c".to_owned(),
        "?code=c&state=".to_owned(),
        format!("?code=c&state={half}"),
        format!("?code=c&state={state}x"),
        format!("?code=c&state=%20{state}"),
        format!("?code=c&state={flipped}"),
        format!("?code=c&state={foreign}"),
        format!("?code=c&state={}", state.to_uppercase()),
        format!("?code=c&State={state}"),
        format!("?code=c&state={state}&state={state}"),
        format!("?code=c&state=x&state={state}"),
        format!("?code=c&code=d&state={state}"),
        format!("?code=c&state={state}&iss=a&iss=b"),
        format!("?error=access_denied&error=x&state={state}"),
        format!("?code=c#state={state}"),
        format!("?code=c;state={state}"),
        "?error=access_denied".to_owned(),
        "?error=access_denied&state=null".to_owned(),
    ]
}

// Requirements: AUTH-24
#[tokio::test]
async fn an_answer_without_this_sign_ins_state_changes_nothing() {
    let running = serve(OAuthScript::default()).await;
    let (_, other) = flow(&running).begin(listener("https://other.example")).unwrap();
    drop(other);
    let (url, pending) = flow(&running).begin(listener(&running.issuer())).unwrap();
    let find = |url: &url::Url, name: &str| {
        url.query_pairs().find(|(known, _)| known == name).unwrap().1.into_owned()
    };
    let (redirect, state) = (find(url.as_url(), "redirect_uri"), find(url.as_url(), "state"));
    let (foreign, abandoned) = flow(&running).begin(listener("https://other.example")).unwrap();
    let foreign = find(foreign.as_url(), "state");
    drop(abandoned);
    let forgeries = forgeries(&state, &foreign);
    let finish = BackgroundTask::new(pending.finish());
    for forgery in forgeries {
        let page = follow_redirects(&format!("{redirect}{forgery}")).await.unwrap();
        assert_eq!(page.status, 400, "{forgery}");
        assert!(!finish.is_finished(), "{forgery}");
    }
    assert!(running.requests_to("/token").is_empty());
    // The real one still comes through, and it was the last.
    let page = follow_redirects(url.as_url().as_str()).await.unwrap();
    assert_eq!(page.status, 200);
    finish.end().await.unwrap();
    assert!(follow_redirects(&page.url).await.is_err(), "the address is closed after the answer");
    assert_eq!(running.requests_to("/token").len(), 1);
}

// Requirements: AUTH-24
#[tokio::test]
async fn forged_state_brings_no_code_to_the_token_endpoint() {
    for state in ["", "guess", "0000000000000000000000000000000000000000000"] {
        let running = serve(OAuthScript { state: Some(state.to_owned()), ..OAuthScript::default() }).await;
        let (url, pending) = flow(&running).begin(listener(&running.issuer())).unwrap();
        let finish = BackgroundTask::new(pending.finish());
        assert_eq!(follow_redirects(url.as_url().as_str()).await.unwrap().status, 400);
        assert!(!finish.is_finished());
        drop(finish);
        assert!(running.requests_to("/token").is_empty());
    }
}

// Requirements: AUTH-24, AUTH-26
#[tokio::test]
async fn code_from_another_issuer_is_rejected() {
    // An evil server sends the browser on to an honest one, which sends no `iss` and knows our address for it alone.
    let (evil, honest) = (
        serve(OAuthScript::default()).await,
        serve(OAuthScript { iss: IssParameter::Absent, ..OAuthScript::default() }).await,
    );
    let mut mixed = flow(&evil);
    mixed.server.authorization_response_iss_parameter_supported = false;
    let (url, pending) = mixed.begin(listener(&evil.issuer())).unwrap();
    let finish = BackgroundTask::new(pending.finish());
    let mut onward = url::Url::parse(&format!("{}/authorize", honest.issuer())).unwrap();
    for (name, value) in url.as_url().query_pairs() {
        if name == "redirect_uri" {
            let mut redirect = url::Url::parse(&value).unwrap();
            redirect.set_path(&mooring_oauth::RedirectAddress::path_for_issuer(&honest.issuer()));
            onward.query_pairs_mut().append_pair(&name, redirect.as_str());
        } else {
            onward.query_pairs_mut().append_pair(&name, &value);
        }
    }
    let page = follow_redirects(onward.as_str()).await.unwrap();
    assert_eq!(page.status, 404, "{page:?}");
    assert!(!finish.is_finished());
    assert!(evil.requests_to("/token").is_empty() && honest.requests_to("/token").is_empty());
    drop(finish);
}

// Requirements: AUTH-23
#[tokio::test]
async fn server_that_does_not_declare_pkce_is_rejected_by_name() {
    let running = serve(OAuthScript::default()).await;
    let list = |methods: &[&str]| Some(methods.iter().map(|method| (*method).to_owned()).collect::<Vec<_>>());
    // The metadata, whether there is any, whether the person lets it be silent, and whether it goes on.
    let cases = [
        (list(&["S256"]), false, false, true),
        (list(&["plain", "S256"]), false, false, true),
        (None, false, false, false),
        (list(&[]), false, false, false),
        (list(&["plain"]), false, false, false),
        (list(&["s256"]), false, false, false),
        (list(&["S256 "]), false, false, false),
        (list(&["S512"]), false, false, false),
        (None, true, false, true),
        (None, false, true, true),
        (list(&["plain"]), false, true, false),
        (list(&[]), false, true, false),
    ];
    for (methods, assumed, pkce_unannounced, good) in cases {
        let mut flow = AuthorizationCodeFlow { pkce_unannounced, ..flow(&running) };
        flow.server.code_challenge_methods_supported.clone_from(&methods);
        flow.server.assumed = assumed;
        let begun = flow.begin(listener(&running.issuer()));
        assert_eq!(begun.is_ok(), good, "{methods:?} {assumed} {pkce_unannounced}");
        match begun {
            Ok((url, _)) => assert!(url.as_url().query().unwrap().contains("code_challenge_method=S256")),
            Err(error) => assert!(error.to_string().contains("PKCE"), "{error}"),
        }
    }
    assert!(running.requests_to("/authorize").is_empty());
}

// Requirements: AUTH-30, AUTH-44
#[tokio::test]
async fn only_an_address_for_a_browser_is_given_to_one() {
    let running = serve(OAuthScript::default()).await;
    let bad = [
        "javascript:alert(1)",
        "JaVaScRiPt://as.example/%0aalert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vbscript:x",
        "smb://as.example/share",
        "ms-msdt:/id",
        "tel:112",
        "mailto:a@b.example",
        "intent://as.example/#Intent;end",
        "ws://as.example/",
        "blob:https://as.example/x",
        "about:blank",
        "ftp://as.example/",
        "http://as.example/authorize",
        "http://10.0.0.1/authorize",
        "http://169.254.169.254/authorize",
        "http://127.0.0.1.evil.example/authorize",
        "http://localhost.evil.example/authorize",
        "http://[::2]/authorize",
        "https://user@as.example/authorize",
        "https://user:word@as.example/authorize",
        "https://as.example/authorize#fragment",
        "http://user@127.0.0.1/authorize",
    ];
    for address in bad {
        let mut flow = flow(&running);
        flow.server.authorization_endpoint = Some(url::Url::parse(address).unwrap());
        let browser = FakeBrowser::default();
        let ended = flow.run(listener(&running.issuer()), &browser).await;
        assert!(matches!(&ended, Err(Error::Refused(_))), "{address}: {ended:?}");
        assert_eq!(browser.opened(), 0, "{address}");
    }
    // Text that looks like a command is only text, because the address is serialized again.
    for address in [
        "https://as.example/$(calc)",
        "https://as.example/%USERPROFILE%?a=`id`",
        "https://as.example/\"&calc&\"",
        "https://as.example/--flag\nnext",
        "https://as.example/a b|c;d",
    ] {
        let mut flow = flow(&running);
        flow.server.authorization_endpoint = Some(url::Url::parse(address).unwrap());
        let (url, _) = flow.begin(listener(&running.issuer())).unwrap();
        let text = url.as_url().as_str();
        assert!(
            text.is_ascii()
                && !text.contains(['"', ' ', '\n', '<', '>'])
                && text.starts_with("https://as.example/"),
            "{text}"
        );
        assert_eq!(url.host(), "as.example");
        assert!(!format!("{url:?}").contains("state="), "{url:?}");
    }
    let mut flow = flow(&running);
    flow.server = AuthorizationServer { authorization_endpoint: None, ..flow.server };
    assert!(matches!(flow.begin(listener(&running.issuer())), Err(Error::Refused(_))));
}

// Requirements: AUTH-40
#[tokio::test]
async fn offline_access_scope_requests_consent() {
    for (scopes, prompt) in [
        (&["read", "offline_access"][..], Some("consent")),
        (&["offline_access"], Some("consent")),
        (&["read", "offline_access_too"], None),
        (&[], None),
    ] {
        let running = serve(OAuthScript::default()).await;
        let scopes: Vec<_> = scopes.iter().map(|&scope| scope.to_owned()).collect();
        let flow = AuthorizationCodeFlow { scopes, ..flow(&running) };
        flow.run(listener(&running.issuer()), &FakeBrowser::default()).await.unwrap();
        assert_eq!(running.requests_to("/authorize")[0].parameter("prompt"), prompt);
    }
}

// RFC 6749 §3.1: request parameters must not be included more than once.
#[tokio::test]
async fn authorization_url_repeats_no_parameter() {
    let running = serve(OAuthScript::default()).await;
    let mut flow = flow(&running);
    flow.other_account = true;
    flow.scopes = vec!["openid".to_owned(), "offline_access".to_owned()];
    flow.server.prompt_values_supported = Some(vec!["select_account".to_owned()]);
    let own = "https://as.example/authorize?tenant=a%20b&prompt=none&client_id=other&state=1&audience=x";
    flow.server.authorization_endpoint = Some(url::Url::parse(own).unwrap());
    let (url, _) = flow.begin(listener(&running.issuer())).unwrap();
    let mut names: Vec<_> = url.as_url().query_pairs().map(|(name, _)| name.into_owned()).collect();
    let value = |name| {
        url.as_url().query_pairs().find(|(found, _)| found == name).map(|(_, value)| value.into_owned())
    };
    assert_eq!(value("prompt").as_deref(), Some("select_account consent"));
    assert_eq!(value("client_id").as_deref(), Some("mooring"));
    assert_eq!((value("tenant").as_deref(), value("audience").as_deref()), (Some("a b"), Some("x")));
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "{url:?} {names:?}");
}

// Requirements: AUTH-37
#[tokio::test]
async fn what_was_granted_is_what_the_server_says() {
    let running = serve(OAuthScript { scope: Some("read".to_owned()), ..OAuthScript::default() }).await;
    assert_eq!(sign_in(&running).await.unwrap().scopes, Some(vec!["read".to_owned()]));
    let running = serve(OAuthScript::default()).await;
    let silent = AuthorizationCodeFlow { scopes: Vec::new(), ..flow(&running) };
    let tokens = silent.run(listener(&running.issuer()), &FakeBrowser::default()).await.unwrap();
    assert_eq!(tokens.scopes, None);
    assert_eq!(running.requests_to("/authorize")[0].parameter("scope"), None);
}

// Requirements: AUTH-30
#[tokio::test]
async fn whoever_drops_a_sign_in_closes_its_address() {
    let running = serve(OAuthScript::default()).await;
    let (url, pending) = flow(&running).begin(listener(&running.issuer())).unwrap();
    let redirect =
        url.as_url().query_pairs().find(|(name, _)| name == "redirect_uri").unwrap().1.into_owned();
    let finish = BackgroundTask::new(pending.finish());
    assert_eq!(follow_redirects(&redirect).await.unwrap().status, 400);
    finish.stop().await;
    assert!(follow_redirects(&redirect).await.is_err());
}

// Requirements: AUTH-24, AUTH-30
#[tokio::test]
async fn an_answer_that_comes_after_the_time_is_over_finds_nobody() {
    assert_eq!(AuthorizationCodeFlow::WITHIN, Duration::from_mins(10));
    let running = serve(OAuthScript::default()).await;
    let short = AuthorizationCodeFlow { within: Duration::from_millis(100), ..flow(&running) };
    let (url, pending) = short.begin(listener(&running.issuer())).unwrap();
    let ended = pending.finish().await.unwrap_err();
    assert_eq!(kind(&ended), "ended");
    assert!(follow_redirects(url.as_url().as_str()).await.is_err());
    assert!(running.requests_to("/token").is_empty());
}

#[tokio::test]
async fn failed_code_exchange_ends_the_sign_in_with_the_server_error() {
    let running = serve(OAuthScript::default()).await;
    let reply = mooring_testkit::oauth::OAuthReply::json(
        400,
        r#"{"error":"invalid_grant","error_description":"too late"}"#,
    );
    running.reply_once("/token", reply);
    let ended = sign_in(&running).await.unwrap_err();
    assert!(ended.is_invalid_grant() && ended.to_string().contains("“too late”"), "{ended}");
}

// Requirements: EMA-02
#[tokio::test]
async fn an_id_token_must_be_of_the_sign_in_that_asked_for_it() {
    let payload = |nonce: &str| {
        Some(format!(
            r#"{{"iss":"$ISSUER","aud":"mooring","sub":"u-1","name":"Ada\u202e","email":"a@b.example","nonce":"{nonce}"}}"#
        ))
    };
    let openid =
        |running: &OAuthServer| AuthorizationCodeFlow { scopes: vec!["openid".to_owned()], ..flow(running) };
    let running = serve(OAuthScript { id_token: payload("$NONCE"), ..OAuthScript::default() }).await;
    let tokens = openid(&running).run(listener(&running.issuer()), &FakeBrowser::default()).await.unwrap();
    let id_token = tokens.id_token.unwrap();
    let profile = UserInfo::from_id_token(&id_token, &running.issuer(), &public().id).unwrap();
    assert_eq!(profile.subject.as_deref(), Some("u-1"));
    assert_eq!(profile.name.as_deref(), Some("Ada"));
    assert_eq!(UserInfo::from_id_token(&id_token, "https://other.example", "mooring"), None);
    assert_eq!(UserInfo::from_id_token(&id_token, &running.issuer(), "another"), None);

    for nonce in ["", "stolen"] {
        let running = serve(OAuthScript { id_token: payload(nonce), ..OAuthScript::default() }).await;
        let ended = openid(&running).run(listener(&running.issuer()), &FakeBrowser::default()).await;
        assert!(matches!(&ended, Err(Error::Refused(_))), "{ended:?}");
    }
}

#[tokio::test]
async fn a_browser_that_cannot_be_opened_ends_the_sign_in() {
    struct FailingBrowser;
    impl mooring_oauth::Browser for FailingBrowser {
        fn open<'a>(&'a self, _: &'a mooring_oauth::AuthorizationUrl) -> mooring_oauth::BrowserFuture<'a> {
            Box::pin(async { Err(Error::Aborted(mooring_words::say!("{quoted}", quoted = "no browser"))) })
        }
    }
    let running = serve(OAuthScript::default()).await;
    let listener = listener(&running.issuer());
    let redirect = listener.redirect_uri().to_string();
    let ended = flow(&running).run(listener, &FailingBrowser).await.unwrap_err();
    assert_eq!(ended.to_string(), "no browser");
    eventually("the address closes", Duration::from_secs(5), || {
        std::net::TcpListener::bind(redirect.split('/').nth(2).unwrap()).is_ok()
    })
    .await;
}
