//! Which tokens callers get, and what happens to a login when something goes wrong.

use crate::support::{BackgroundTask, TestClock, nobody};
use crate::token_stores::{MemoryTokenStore, granted, login};
use http::{HeaderMap, Method};
use mooring_network::Network;
use mooring_oauth::{
    DpopKey, LoginId, Renewal, SignInReason, StaticAssertion, StoredLogin, TokenBroker, TokenSet, TokenType,
    TokenUnavailable,
};
use mooring_testkit::eventually;
use mooring_testkit::http::Gate;
use mooring_testkit::oauth::{OAuthReply, OAuthScript, OAuthServer, serve};
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;
use url::Url;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

/// A server, a login there that has expired, and a broker over it.
struct BrokerFixture {
    running: OAuthServer,
    token_store: MemoryTokenStore,
    login: LoginId,
    hands: TestClock,
    folder: TempDir,
    broker: Arc<TokenBroker<MemoryTokenStore>>,
}

impl BrokerFixture {
    async fn new(script: OAuthScript) -> Self {
        let running = serve(script).await;
        let (token_store, hands) = (MemoryTokenStore::default(), TestClock::new());
        let folder = tempfile::tempdir().unwrap();
        let login = login(&running);
        token_store.put(&login, granted(&running, hands.clock().now() - SECOND));
        let broker = Arc::new(broker(&token_store, &folder, &hands));
        Self { running, token_store, login, hands, folder, broker }
    }

    async fn expired() -> Self {
        let scene = Self::new(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
        scene.running.expire_access_tokens();
        scene
    }

    /// The login is good for that much longer.
    fn lives(&self, time: Duration) {
        self.change(|kept| kept.tokens.expires_at = Some(self.hands.clock().now() + time));
    }

    fn change(&self, change: impl FnOnce(&mut StoredLogin)) {
        let mut kept = self.token_store.get(&self.login).unwrap();
        change(&mut kept);
        self.token_store.put(&self.login, kept);
    }

    fn token(&self) -> String {
        self.token_store.get(&self.login).unwrap().tokens.access.expose_secret().to_owned()
    }

    async fn access(&self) -> Result<String, TokenUnavailable> {
        self.broker
            .access_token(&self.login, SECOND)
            .await
            .map(|access| access.token.expose_secret().to_owned())
    }
}

pub(crate) fn broker(
    token_store: &MemoryTokenStore,
    folder: &TempDir,
    hands: &TestClock,
) -> TokenBroker<MemoryTokenStore> {
    TokenBroker::new(
        token_store.clone(),
        &Network::direct(),
        folder.path().join("locks"),
        hands.clock(),
        |_| nobody(),
    )
    .unwrap()
}

/// What is needed, in short.
pub(crate) fn short(needs: &TokenUnavailable) -> &'static str {
    match needs {
        TokenUnavailable::SignInRequired(SignInReason::NotSignedIn) => "not signed in",
        TokenUnavailable::SignInRequired(SignInReason::Expired) => "expired",
        TokenUnavailable::SignInRequired(SignInReason::Ended(_)) => "ended",
        TokenUnavailable::SignInRequired(SignInReason::Refused(_)) => "refused",
        TokenUnavailable::Retryable(_) => "again",
        TokenUnavailable::CredentialsRejected(_) => "policy",
    }
}

// Requirements: AUTH-38, AUTH-39
#[tokio::test(flavor = "multi_thread")]
async fn fifty_who_find_the_token_expired_cause_one_refresh() {
    let scene = BrokerFixture::expired().await;
    let other = Arc::new(broker(&scene.token_store, &scene.folder, &scene.hands));
    let asking: Vec<_> = (0..50)
        .map(|place| {
            // As two processes would, half of them with another broker over the same store and locks.
            let broker = Arc::clone(if place % 2 == 0 { &scene.broker } else { &other });
            let (login, token_store) = (scene.login.clone(), scene.token_store.clone());
            BackgroundTask::new(async move {
                let access = broker.access_token(&login, SECOND).await.unwrap();
                let token = access.token.expose_secret().to_owned();
                assert!(token_store.committed().contains(&token), "committed before it is handed out");
                token
            })
        })
        .collect();
    for asked in asking {
        let token = asked.end().await;
        assert!(scene.running.accepts_token(&token));
    }
    assert_eq!((scene.running.refresh_count(), scene.running.reused_count()), (1, 0));
    assert_eq!(scene.running.requests_to("/token").len(), 1);
}

// Requirements: AUTH-38
#[tokio::test(flavor = "multi_thread")]
async fn twenty_whose_token_the_server_refused_cause_one_refresh() {
    let scene = BrokerFixture::expired().await;
    // As far as we know it is still good: only the server says that it is not.
    scene.lives(60 * MINUTE);
    let refused = SecretString::from(scene.access().await.unwrap());
    assert_eq!(scene.running.refresh_count(), 0);
    let asking: Vec<_> = (0..20)
        .map(|_| {
            let (broker, login, refused) = (Arc::clone(&scene.broker), scene.login.clone(), refused.clone());
            BackgroundTask::new(async move { broker.replace_rejected(&login, &refused).await.unwrap().token })
        })
        .collect();
    for asked in asking {
        assert!(scene.running.accepts_token(asked.end().await.expose_secret()));
    }
    assert_eq!(scene.running.refresh_count(), 1);
    // A forced renewal returns another token, even if the old one was valid.
    let before = scene.token();
    assert_ne!(scene.broker.force_renew(&scene.login).await.unwrap().token.expose_secret(), before);
    assert_eq!(scene.running.refresh_count(), 2);
    // A caller that still holds the rejected token gets the new one without another renewal.
    let late = scene.broker.replace_rejected(&scene.login, &refused).await.unwrap();
    assert_eq!(late.token.expose_secret(), scene.token());
    assert_eq!(scene.running.refresh_count(), 2);
}

// Requirements: AUTH-38
#[tokio::test]
async fn fifty_who_ask_a_server_in_trouble_ask_it_together() {
    let scene = BrokerFixture::expired().await;
    let gate = Gate::new();
    scene
        .running
        .reply_once("/token", OAuthReply::Delayed(gate.clone(), Box::new(OAuthReply::json(503, ""))));
    scene.running.reply_once("/token", OAuthReply::json(503, ""));
    let asking: Vec<_> = (0..50)
        .map(|_| {
            let (broker, login) = (Arc::clone(&scene.broker), scene.login.clone());
            BackgroundTask::new(async move { broker.access_token(&login, SECOND).await.map(drop) })
        })
        .collect();
    // By the time that one of them has reached the server, all have asked: there is one thread for them.
    scene.running.wait_for("/token", 1).await;
    gate.open();
    for asked in asking {
        assert_eq!(short(&asked.end().await.unwrap_err()), "again");
    }
    // And once more after a moment.
    assert_eq!(scene.running.requests_to("/token").len(), 2);
    assert!(scene.running.accepts_token(&scene.access().await.unwrap()));
}

#[tokio::test]
async fn a_server_in_trouble_for_a_moment_is_asked_once_more() {
    for status in [500, 502, 503] {
        let scene = BrokerFixture::expired().await;
        scene.running.reply_once("/token", OAuthReply::json(status, "<html>busy</html>"));
        assert!(scene.running.accepts_token(&scene.access().await.unwrap()), "{status}");
        assert_eq!(scene.running.requests_to("/token").len(), 2);
    }
}

/// What the token endpoint says, what is needed with a token that has expired, and whether the login is kept.
pub(crate) const ANSWERS: [(u16, &str, &str, bool); 18] = [
    (400, r#"{"error":"invalid_grant"}"#, "ended", false),
    (401, r#"{"error":"invalid_grant"}"#, "ended", false),
    (200, r#"{"error":"invalid_grant"}"#, "ended", false),
    (400, r#"{"error":"invalid_client"}"#, "refused", true),
    (401, r#"{"error":"invalid_client"}"#, "refused", true),
    (400, r#"{"error":"invalid_scope"}"#, "refused", true),
    (400, r#"{"error":"unauthorized_client"}"#, "refused", true),
    (400, r#"{"error":"unsupported_grant_type"}"#, "refused", true),
    (500, r#"{"error":"invalid_grant"}"#, "again", true),
    (503, "", "again", true),
    (429, "", "again", true),
    (400, r#"{"error":"temporarily_unavailable"}"#, "again", true),
    (400, "<html>invalid_grant</html>", "again", true),
    (404, "", "again", true),
    (302, "", "again", true),
    (200, "", "again", true),
    (200, r#"{"access_token":""}"#, "again", true),
    (200, r#"{"access_token":"t","token_type":"mac"}"#, "again", true),
];

// Requirements: AUTH-38, AUTH-39
#[tokio::test]
async fn only_a_grant_that_the_server_calls_invalid_ends_a_login() {
    for (status, body, expected, stays) in ANSWERS {
        let scene = BrokerFixture::expired().await;
        scene.running.reply_once("/token", OAuthReply::json(status, body));
        if status >= 500 {
            // It is asked once more.
            scene.running.reply_once("/token", OAuthReply::json(status, body));
        }
        let needs = scene.access().await.unwrap_err();
        assert_eq!(short(&needs), expected, "{status} {body}: {needs:?}");
        assert_eq!(scene.token_store.get(&scene.login).is_some(), stays, "{status} {body}");
        assert!(!needs.sentence().as_str().is_empty());
        if stays {
            // Nothing was lost: when the server is itself again, so is the login.
            let token = scene.access().await.unwrap();
            assert!(scene.running.accepts_token(&token), "{status} {body}");
        } else {
            assert_eq!(short(&scene.access().await.unwrap_err()), "not signed in");
        }

        // While the token is still valid, callers notice nothing, except when the login has ended.
        let scene = BrokerFixture::expired().await;
        scene.lives(5 * SECOND);
        scene.running.reply_once("/token", OAuthReply::json(status, body));
        assert_eq!(scene.access().await.is_ok(), stays, "{status} {body}");
    }
}

// Requirements: AUTH-39
#[tokio::test]
async fn a_server_that_cannot_be_reached_costs_no_login() {
    let mut scene = BrokerFixture::expired().await;
    scene.running = serve(OAuthScript::default()).await;
    assert_eq!(short(&scene.access().await.unwrap_err()), "again");
    assert!(scene.token_store.get(&scene.login).unwrap().tokens.refresh.is_some());
    scene.lives(5 * SECOND);
    assert_eq!(scene.access().await.unwrap(), scene.token());
}

#[tokio::test]
async fn a_refusal_of_a_token_that_another_has_replaced_ends_nothing() {
    let scene = BrokerFixture::expired().await;
    let gate = Gate::new();
    scene.change(|kept| kept.tokens.refresh = Some(SecretString::from("from-before")));
    scene.running.reply_once("/token", OAuthReply::After(gate.clone()));
    let (broker, login) = (Arc::clone(&scene.broker), scene.login.clone());
    let asked = BackgroundTask::new(async move { broker.access_token(&login, SECOND).await });
    scene.running.wait_for("/token", 1).await;
    // Another process, which takes no lock, signs in again.
    let mut anew = granted(&scene.running, scene.hands.clock().now() + 60 * MINUTE);
    anew.version = 9;
    scene.token_store.put(&scene.login, anew);
    gate.open();
    let access = asked.end().await.unwrap();
    assert!(scene.running.accepts_token(access.token.expose_secret()));
    assert_eq!(scene.token_store.get(&scene.login).unwrap().version, 9);
    assert_eq!(scene.running.requests_to("/token").len(), 1);
}

#[tokio::test]
async fn who_signs_out_while_a_token_is_renewed_is_signed_out() {
    let scene = BrokerFixture::expired().await;
    let gate = Gate::new();
    scene.running.reply_once("/token", OAuthReply::AfterDoing(gate.clone()));
    let (broker, login) = (Arc::clone(&scene.broker), scene.login.clone());
    let asked = BackgroundTask::new(async move { broker.access_token(&login, SECOND).await });
    scene.running.wait_for("/token", 1).await;
    let kept = scene.token_store.get(&scene.login).unwrap();
    let why = mooring_words::say!("signed out meanwhile");
    mooring_oauth::TokenStore::forget(&scene.token_store, &scene.login, kept.version, &why).await.unwrap();
    gate.open();
    assert_eq!(short(&asked.end().await.unwrap_err()), "not signed in");
    assert!(scene.token_store.get(&scene.login).is_none());
}

// Requirements: AUTH-39
#[tokio::test]
async fn uncommitted_token_is_withheld_but_not_lost() {
    let scene = BrokerFixture::expired().await;
    scene.token_store.refuse(3);
    let needs = scene.access().await.unwrap_err();
    assert!(
        matches!(&needs, TokenUnavailable::Retryable(error) if error.to_string().contains("disk is full")),
        "{needs:?}"
    );
    assert_eq!(scene.running.refresh_count(), 1);
    // The refresh token in the store is used up. What replaces it is committed as soon as that works.
    let token = scene.access().await.unwrap();
    assert!(scene.running.accepts_token(&token));
    assert_eq!((scene.running.refresh_count(), scene.running.reused_count()), (1, 0));
    assert_eq!(scene.token_store.committed(), [token]);
    // A hiccup is not even noticed.
    scene.running.expire_access_tokens();
    scene.hands.forward(120 * MINUTE);
    scene.token_store.refuse(2);
    assert!(scene.running.accepts_token(&scene.access().await.unwrap()));
}

// Requirements: AUTH-39
#[tokio::test]
async fn what_could_not_be_committed_is_committed_at_the_end() {
    let scene = BrokerFixture::expired().await;
    scene.token_store.refuse(3);
    scene.access().await.unwrap_err();
    Arc::into_inner(scene.broker).unwrap().close().await;
    assert!(scene.running.accepts_token(&scene.token_store.committed()[0]));
}

// Requirements: AUTH-39
#[tokio::test]
async fn pending_commit_does_not_wait_for_a_slow_server_at_shutdown() {
    let scene = BrokerFixture::expired().await;
    scene.token_store.refuse(3);
    scene.access().await.unwrap_err();
    let slow = LoginId { account: "slow".to_owned(), ..scene.login.clone() };
    scene.token_store.put(&slow, granted(&scene.running, scene.hands.clock().now() - SECOND));
    let gate = Gate::new();
    scene.running.reply_once("/token", OAuthReply::AfterDoing(gate.clone()));
    let broker = Arc::clone(&scene.broker);
    let asked = BackgroundTask::new(async move { broker.access_token(&slow, SECOND).await });
    scene.running.wait_for("/token", 2).await;
    let broker = Arc::clone(&scene.broker);
    let settled = BackgroundTask::new(async move { broker.finish_renewals().await });
    eventually("what was in hand is committed", Duration::from_secs(10), || {
        scene.token_store.committed().len() == 1
    })
    .await;
    assert!(!settled.is_finished());
    gate.open();
    settled.end().await;
    asked.stop().await;
}

// Requirements: AUTH-39
#[tokio::test]
async fn a_renewal_goes_on_when_all_who_wait_for_it_have_gone() {
    let scene = BrokerFixture::expired().await;
    let gate = Gate::new();
    scene.token_store.hold(gate.clone());
    let (broker, login) = (Arc::clone(&scene.broker), scene.login.clone());
    let asked = BackgroundTask::new(async move { broker.access_token(&login, SECOND).await });
    scene.running.wait_for("/token", 1).await;
    asked.stop().await;
    gate.open();
    eventually("the token is committed", Duration::from_secs(10), || {
        scene.token_store.committed().len() == 1
    })
    .await;
    assert!(scene.running.accepts_token(&scene.access().await.unwrap()));
    assert_eq!((scene.running.refresh_count(), scene.running.reused_count()), (1, 0));
}

// Requirements: AUTH-40
#[tokio::test]
async fn without_a_refresh_token_a_login_lasts_as_long_as_its_token() {
    let scene = BrokerFixture::expired().await;
    scene.change(|kept| kept.tokens.refresh = None);
    assert_eq!(short(&scene.access().await.unwrap_err()), "expired");
    scene.lives(5 * SECOND);
    assert_eq!(scene.access().await.unwrap(), scene.token());
    let refused = SecretString::from(scene.token());
    assert_eq!(short(&scene.broker.replace_rejected(&scene.login, &refused).await.unwrap_err()), "expired");
    assert!(scene.running.requests_to("/token").is_empty());
    assert!(scene.token_store.get(&scene.login).is_some());
}

#[tokio::test]
async fn token_is_renewed_shortly_before_expiry_and_not_per_call() {
    // How long a token lives, how much is left, for how long it is needed, and whether it is renewed.
    let cases = [
        (3600, 3600, 1, false),
        (3600, 80, 1, false),
        (3600, 50, 1, true),
        (3600, 200, 300, true),
        (3600, 400, 300, false),
        (100, 20, 1, false),
        (100, 9, 1, true),
        (10, 10, 30, false),
        (10, 4, 30, true),
        (0, 0, 1, true),
    ];
    for (life, left, needed, renewed) in cases {
        let scene = BrokerFixture::new(OAuthScript::default()).await;
        let now = scene.hands.clock().now();
        scene.change(|kept| {
            kept.tokens.received_at = now + Duration::from_secs(left) - Duration::from_secs(life);
            kept.tokens.expires_at = Some(now + Duration::from_secs(left));
        });
        scene.broker.access_token(&scene.login, Duration::from_secs(needed)).await.unwrap();
        assert_eq!(scene.running.refresh_count(), usize::from(renewed), "{life} {left} {needed}");
    }
    // One that has no end is good until the server says otherwise.
    let scene = BrokerFixture::new(OAuthScript::default()).await;
    scene.change(|kept| kept.tokens.expires_at = None);
    scene.hands.forward(Duration::from_hours(24 * 365));
    scene.access().await.unwrap();
    assert_eq!(scene.running.refresh_count(), 0);
}

// Requirements: OCC-08
#[tokio::test]
async fn a_client_of_its_own_gets_another_token_without_a_person() {
    let scene = BrokerFixture::expired().await;
    scene.change(|kept| {
        kept.renewal = Renewal::ClientCredentials;
        kept.tokens.refresh = None;
    });
    assert!(scene.running.accepts_token(&scene.access().await.unwrap()));
    let request = &scene.running.requests_to("/token")[0];
    assert_eq!(request.parameter("grant_type"), Some("client_credentials"));
    assert_eq!(request.parameter("scope"), Some("read"));
    assert_eq!(request.parameter("resource"), Some(scene.running.resource().as_str()));
    scene.hands.forward(120 * MINUTE);
    for error in ["invalid_client", "invalid_grant", "access_denied"] {
        scene.running.reply_once("/token", OAuthReply::json(400, &format!(r#"{{"error":"{error}"}}"#)));
        assert_eq!(short(&scene.access().await.unwrap_err()), "policy", "{error}");
        assert!(scene.token_store.get(&scene.login).is_some());
    }
    assert!(scene.running.requests_to("/authorize").is_empty());
}

// Requirements: EMA-09
#[tokio::test]
async fn enterprise_denial_does_not_fall_back_to_the_browser() {
    let scene = BrokerFixture::expired().await;
    scene.change(|kept| {
        kept.renewal = Renewal::Assertion(Arc::new(StaticAssertion(SecretString::from("jwt-1"))));
    });
    assert!(scene.running.accepts_token(&scene.access().await.unwrap()));
    scene.hands.forward(120 * MINUTE);
    // The server takes an assertion once.
    assert_eq!(short(&scene.access().await.unwrap_err()), "policy");
    assert!(scene.running.requests_to("/authorize").is_empty());
    assert!(
        scene
            .running
            .requests_to("/token")
            .iter()
            .all(|request| request.parameter("refresh_token").is_none())
    );
}

// Requirements: AUTH-43
#[tokio::test]
async fn sign_out_forgets_tokens_even_when_revocation_fails() {
    let scene = BrokerFixture::expired().await;
    let refresh = scene.token_store.get(&scene.login).unwrap().tokens.refresh.unwrap();
    scene.broker.sign_out(&scene.login).await.unwrap();
    assert_eq!(scene.running.revoked_tokens()[0], refresh.expose_secret());
    assert!(scene.token_store.get(&scene.login).is_none());
    assert_eq!(short(&scene.access().await.unwrap_err()), "not signed in");
    scene.broker.sign_out(&scene.login).await.unwrap();

    let scene = BrokerFixture::expired().await;
    scene.running.reply_once("/revoke", OAuthReply::json(503, ""));
    assert!(scene.broker.sign_out(&scene.login).await.is_err());
    assert!(scene.token_store.get(&scene.login).is_none());
}

// Requirements: AUTH-43
#[tokio::test]
async fn sign_out_revokes_the_newest_tokens_even_when_uncommitted() {
    let scene = BrokerFixture::expired().await;
    let kept = scene.token_store.get(&scene.login).unwrap().tokens.refresh.unwrap();
    scene.token_store.refuse(3);
    scene.access().await.unwrap_err();
    assert!(scene.broker.sign_out(&scene.login).await.unwrap());
    let revoked = scene.running.revoked_tokens();
    assert!(!revoked.is_empty() && !revoked.iter().any(|token| token == kept.expose_secret()), "{revoked:?}");
}

// Requirements: AUTH-41
#[tokio::test]
async fn a_token_goes_to_its_own_server_and_to_no_other() {
    let scene = BrokerFixture::new(OAuthScript::default()).await;
    let access = scene.broker.access_token(&scene.login, SECOND).await.unwrap();
    let own = Url::parse(&scene.running.resource()).unwrap();
    let headers = access.headers(&Method::GET, &own, access.token_type).unwrap();
    assert!(headers["authorization"].is_sensitive());
    assert!(!format!("{access:?} {headers:?}").contains(access.token.expose_secret()));
    let port = own.port().unwrap();
    for other in [
        "https://evil.example/mcp".to_owned(),
        format!("https://127.0.0.1:{port}/mcp"),
        format!("http://127.0.0.1:{}/mcp", port ^ 1),
        format!("http://localhost:{port}/mcp"),
        format!("http://127.0.0.1.evil.example:{port}/mcp"),
        format!("http://127.0.0.1:{port}@evil.example/mcp"),
        "http://127.0.0.1/mcp".to_owned(),
    ] {
        assert!(
            access.headers(&Method::GET, &Url::parse(&other).unwrap(), access.token_type).is_err(),
            "{other}"
        );
    }
}

// Requirements: AUTH-41
#[tokio::test]
async fn logins_are_told_apart_by_issuer_resource_and_account() {
    let scene = BrokerFixture::expired().await;
    let others = [
        LoginId { issuer: "https://other.example".to_owned(), ..scene.login.clone() },
        LoginId { resource: format!("{}2", scene.login.resource), ..scene.login.clone() },
        LoginId { account: "bob".to_owned(), ..scene.login.clone() },
        LoginId { account: String::new(), ..scene.login.clone() },
    ];
    for other in &others {
        assert_eq!(short(&scene.broker.access_token(other, SECOND).await.unwrap_err()), "not signed in");
    }
    scene.access().await.unwrap();
    // A lock for each, whose names tell nothing and whose files hold nothing.
    for other in &others {
        scene.broker.sign_out(other).await.unwrap();
    }
    let files: Vec<_> =
        std::fs::read_dir(scene.folder.path().join("locks")).unwrap().map(Result::unwrap).collect();
    assert_eq!(files.len(), 1 + others.len());
    for file in files {
        assert_eq!(file.metadata().unwrap().len(), 0);
        assert!(file.file_name().to_str().unwrap().len() == 37);
    }
}

#[tokio::test]
async fn who_stops_waiting_for_the_lock_leaves_it_to_others() {
    let scene = BrokerFixture::expired().await;
    scene.broker.sign_out(&LoginId { account: "x".to_owned(), ..scene.login.clone() }).await.unwrap();
    // Another process has the login in hand.
    let elsewhere = broker(&scene.token_store, &scene.folder, &scene.hands);
    let gate = Gate::new();
    scene.running.reply_once("/token", OAuthReply::After(gate.clone()));
    let login = scene.login.clone();
    let holding = BackgroundTask::new(async move { elsewhere.access_token(&login, SECOND).await.map(drop) });
    scene.running.wait_for("/token", 1).await;
    for _ in 0..3 {
        let waiting = broker(&scene.token_store, &scene.folder, &scene.hands);
        let waited =
            tokio::time::timeout(Duration::from_millis(60), waiting.access_token(&scene.login, SECOND)).await;
        assert!(waited.is_err(), "the lock is held");
    }
    gate.open();
    holding.end().await.unwrap();
    assert!(scene.running.accepts_token(&scene.access().await.unwrap()));
    assert_eq!(scene.running.refresh_count(), 1);
}

#[tokio::test]
async fn bound_token_is_sent_with_fresh_dpop_proofs_and_nonce() {
    let running =
        serve(OAuthScript { dpop: true, nonce: true, rotates: true, ..OAuthScript::default() }).await;
    let dpop = DpopKey::generate().unwrap();
    let flow =
        mooring_oauth::AuthorizationCodeFlow { dpop: Some(dpop.clone()), ..crate::support::flow(&running) };
    let browser = crate::support::FakeBrowser::default();
    let tokens: TokenSet = flow.run(crate::support::listener(&running.issuer()), &browser).await.unwrap();
    let (token_store, hands, folder) =
        (MemoryTokenStore::default(), TestClock::new(), tempfile::tempdir().unwrap());
    let login = login(&running);
    // Read the key from its PEM again each time, as a real store does.
    let key = DpopKey::from_pem(&dpop.to_pem().unwrap()).unwrap();
    token_store.put(&login, StoredLogin { tokens, dpop: Some(key), ..granted(&running, SystemTime::now()) });
    let broker = broker(&token_store, &folder, &hands);
    let url = Url::parse(&running.resource()).unwrap();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let access = broker.access_token(&login, SECOND).await.unwrap();
        assert_eq!(access.token_type, TokenType::Dpop);
        for again in [true, false] {
            let headers: HeaderMap = access.headers(&Method::POST, &url, access.token_type).unwrap();
            let answer = client.post(url.clone()).headers(headers).send().await.unwrap();
            let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
            statuses.push(status);
            if !(again && access.needs_retry_with_nonce(&url, status, &headers)) {
                break;
            }
        }
    }
    assert_eq!(statuses, [401, 200, 200, 200]);
    running.expire_access_tokens();
    let mut kept = token_store.get(&login).unwrap();
    kept.tokens.expires_at = Some(hands.clock().now());
    token_store.put(&login, kept);
    let renewed = broker.access_token(&login, SECOND).await.unwrap();
    assert!(running.accepts_token(renewed.token.expose_secret()) && renewed.token_type == TokenType::Dpop);
}
