//! Addresses inside, servers that change, loops of refusals, and renewals (A11, A13, A15, A16).

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use mooring_oauth::{
    AuthorizationServer, Challenge, Client, ClientAuthentication, ClientCandidates, ClientChoice, LoginId,
    PreRegistered, Registration, TokenBroker, TokenUnavailable, choose_client, discover, step_up_scopes,
};
use mooring_testkit::oauth::{OAuthReply, OAuthScript};
use secrecy::ExposeSecret as _;
use serde_json::json;
use tempfile::TempDir;
use url::Url;

use super::{AttackMatrix, AttackSetup, LONG};
use crate::broker::{ANSWERS, broker, short};
use crate::reach::sixteen_times_five;
use crate::support::{BackgroundTask, TestClock, http, nobody, server_of};
use crate::token_stores::{MemoryTokenStore, granted, login};

const SECOND: Duration = Duration::from_secs(1);
const PRM: &str = "/.well-known/oauth-protected-resource";

pub(super) async fn attack(matrix: &mut AttackMatrix) {
    let inside = Box::pin(sixteen_times_five()).await;
    assert_eq!(inside.len(), 16 * 5);
    for (done, refused, hits) in inside {
        let came = if refused && hits == 0 { "refused" } else { "asked" };
        matrix.tell("A11", done, "refused", came);
    }
    Box::pin(moved(matrix)).await;
    Box::pin(refusals(matrix)).await;
    Box::pin(renewals(matrix)).await;
}

/// A login that has ended at its server, and what renews it.
struct ExpiredLogin {
    scene: AttackSetup,
    login: LoginId,
    token_store: MemoryTokenStore,
    broker: Arc<TokenBroker<MemoryTokenStore>>,
    hands: TestClock,
    folder: TempDir,
}

impl ExpiredLogin {
    async fn new() -> Self {
        let scene = AttackSetup::new(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
        let (token_store, hands, folder) =
            (MemoryTokenStore::default(), TestClock::new(), tempfile::tempdir().unwrap());
        let login = login(&scene.honest);
        token_store.put(&login, granted(&scene.honest, hands.clock().now() - SECOND));
        scene.honest.expire_access_tokens();
        let broker = Arc::new(broker(&token_store, &folder, &hands));
        Self { scene, login, token_store, broker, hands, folder }
    }

    async fn token(&self) -> Result<String, TokenUnavailable> {
        self.broker
            .access_token(&self.login, SECOND)
            .await
            .map(|access| access.token.expose_secret().to_owned())
    }
}

async fn moved(matrix: &mut AttackMatrix) {
    let scene = ExpiredLogin::new().await;
    let (honest, wrong) = (&scene.scene.honest, &scene.scene.wrong);
    // The server names another authorization server from one day to the next.
    let document = json!({ "resource": honest.resource(), "authorization_servers": [wrong.issuer()] });
    honest.reply_always(PRM, 200, &[("content-type", "application/json")], &document.to_string());
    let url = Url::parse(&honest.resource()).unwrap();
    let found =
        Box::pin(discover(&http(), &url, &Challenge::default(), Some(&honest.issuer()), &nobody())).await;
    let came = found.map_or_else(|_| "refused".to_owned(), |found| found.server.issuer);
    let came = if came == wrong.issuer() { "another, to sign in anew" } else { "taken for the same" };
    matrix.tell_and_look(
        "A13",
        "the server names another issuer",
        "another, to sign in anew",
        came,
        &scene.scene,
    );
    let renewed = scene.token().await.is_ok_and(|token| honest.accepts_token(&token));
    let came =
        if renewed && wrong.requests_to("/token").is_empty() { "where it is from" } else { "elsewhere" };
    matrix.tell_and_look("A13", "a token of before is renewed", "where it is from", came, &scene.scene);

    let access = scene.broker.access_token(&scene.login, SECOND).await.unwrap();
    let resource = honest.resource();
    for (done, address) in [
        ("to another port", wrong.resource()),
        ("to another host", resource.replace("127.0.0.1", "localhost")),
        ("with another scheme", resource.replace("http://", "https://")),
        ("to a name in public", "https://evil.example/mcp".to_owned()),
    ] {
        let headers = access.headers(&Method::POST, &Url::parse(&address).unwrap(), access.token_type);
        let came = headers.map_or("refused", |_| "shown");
        matrix.tell_and_look("A13", format!("the token is shown {done}"), "refused", came, &scene.scene);
    }

    // Who we are at one issuer is nothing to another.
    let client = Client {
        id: "ours".to_owned(),
        secret: Some("a-secret".into()),
        authentication: ClientAuthentication::Basic,
    };
    let registration = Registration {
        issuer: honest.issuer(),
        client: client.clone(),
        secret_expires: None,
        redirect_uris: vec!["http://127.0.0.1/callback".to_owned()],
        configuration: None,
    };
    let earlier = ClientCandidates { earlier: Some(registration), ..ClientCandidates::default() };
    let entered = PreRegistered { issuer: Some(honest.issuer()), client };
    let entered = ClientCandidates { pre_registered: Some(entered), ..ClientCandidates::default() };
    for (done, candidates, expected) in
        [("registered", earlier, "a new one"), ("entered by hand", entered, "refused")]
    {
        let now = scene.hands.clock().now();
        let chosen = choose_client(&server_of(wrong), &candidates, None, now, &nobody());
        let came = match chosen.map(|identity| identity.choice) {
            Ok(ClientChoice::Register) => "a new one",
            Ok(_) => "the same",
            Err(_) => "refused",
        };
        matrix.tell("A13", format!("the client that was {done} for another issuer"), expected, came);
    }
}

async fn refusals(matrix: &mut AttackMatrix) {
    // A server that refuses every token: each refusal costs one renewal, and no browser.
    let scene = ExpiredLogin::new().await;
    let mut shown = scene.token().await.unwrap();
    for time in 1..=3 {
        scene.scene.honest.expire_access_tokens();
        let before = scene.scene.tokens_asked();
        let asking: Vec<_> = (0..10)
            .map(|_| {
                let (broker, login, shown) =
                    (Arc::clone(&scene.broker), scene.login.clone(), shown.clone().into());
                BackgroundTask::new(async move {
                    broker.replace_rejected(&login, &shown).await.map(|access| access.token)
                })
            })
            .collect();
        let mut got = Vec::new();
        for asked in asking {
            got.push(asked.end().await.unwrap().expose_secret().to_owned());
        }
        let renewals = scene.scene.tokens_asked() - before;
        let came = format!("{renewals} renewal, {} opened", scene.scene.browser.opened());
        let done = format!("ten calls are refused at once, time {time}");
        matrix.tell_and_look("A15", done, "1 renewal, 0 opened", came, &scene.scene);
        shown.clone_from(&got[0]);
    }
    let late = scene.broker.replace_rejected(&scene.login, &"of-long-ago".into()).await;
    let same = late.is_ok_and(|access| access.token.expose_secret() == shown);
    let came = if same { "the one there is" } else { "renewed again" };
    matrix.tell_and_look(
        "A15",
        "a token that was replaced is refused",
        "the one there is",
        came,
        &scene.scene,
    );

    let server = AuthorizationServer::default();
    let mut scopes = vec!["read".to_owned()];
    for round in 0..1_000 {
        let asked = (0..10).map(|place| format!("more{round}x{place}")).collect::<Vec<_>>().join(" ");
        scopes = step_up_scopes(&scopes, Some(&asked), &server);
    }
    let came = if scopes.len() <= 256 && scopes[0] == "read" { "bounded" } else { "endless" };
    matrix.tell("A15", "a thousand challenges for ten more scopes each", "bounded", came);
    let more = step_up_scopes(&["read".to_owned()], Some("read read read"), &server);
    matrix.tell(
        "A15",
        "a challenge for what is there",
        "nothing more",
        if more == ["read"] { "nothing more" } else { "more" },
    );
}

async fn renewals(matrix: &mut AttackMatrix) {
    for (status, body, expected, stays) in ANSWERS {
        let scene = ExpiredLogin::new().await;
        scene.scene.honest.reply_once("/token", OAuthReply::json(status, body));
        if status >= 500 {
            // It is asked once more.
            scene.scene.honest.reply_once("/token", OAuthReply::json(status, body));
        }
        let came = scene.token().await;
        let came = came.map_or_else(|needs| short(&needs), |_| "a token");
        let kept = scene.token_store.get(&scene.login).is_some();
        let done = format!("{status} {body} for a renewal");
        let came = if kept == stays { came } else { "a login lost or kept in error" };
        matrix.tell_and_look("A16", done, expected, came, &scene.scene);
    }

    let scene = ExpiredLogin::new().await;
    let second = Arc::new(broker(&scene.token_store, &scene.folder, &scene.hands));
    let asking: Vec<_> = (0..50)
        .map(|place| {
            let broker = Arc::clone(if place % 2 == 0 { &scene.broker } else { &second });
            let login = scene.login.clone();
            BackgroundTask::new(async move {
                broker.access_token(&login, SECOND).await.map(|access| access.token)
            })
        })
        .collect();
    let mut good = 0;
    for asked in asking {
        let token = asked.end().await.unwrap();
        good += usize::from(scene.scene.honest.accepts_token(token.expose_secret()));
    }
    let honest = &scene.scene.honest;
    let came = format!("{good} tokens, {} renewal, {} reused", honest.refresh_count(), honest.reused_count());
    let expected = "50 tokens, 1 renewal, 0 reused";
    matrix.tell_and_look("A16", "fifty ask two brokers at once", expected, came, &scene.scene);

    // The store rejects the token at first: no caller gets a token that is not stored, and nothing is
    // requested twice.
    let scene = ExpiredLogin::new().await;
    scene.token_store.refuse(2);
    let token = scene.token().await;
    let kept = scene.token_store.get(&scene.login).unwrap().tokens.access.expose_secret().to_owned();
    let same = token.is_ok_and(|token| token == kept) && scene.scene.honest.refresh_count() == 1;
    let came = if same { "kept, then given" } else { "given, not kept" };
    matrix.tell_and_look("A16", "the disk is full for a moment", "kept, then given", came, &scene.scene);

    // Somebody else has renewed in the meantime: what the server calls invalid is not what is kept.
    let scene = ExpiredLogin::new().await;
    let stale = scene.token_store.get(&scene.login).unwrap();
    scene.token().await.unwrap();
    scene.scene.honest.expire_access_tokens();
    let signed_in = Box::pin(scene.scene.sign_in(LONG)).await.unwrap();
    let mut fresh = stale.clone();
    (fresh.tokens, fresh.version) = (signed_in, 9);
    let gate = mooring_testkit::http::Gate::new();
    let invalid = OAuthReply::json(400, r#"{"error":"invalid_grant"}"#);
    scene.scene.honest.reply_once("/token", OAuthReply::Delayed(gate.clone(), Box::new(invalid)));
    let before = scene.scene.tokens_asked();
    let (asker, login) = (Arc::clone(&scene.broker), scene.login.clone());
    let refused = scene.token_store.get(&scene.login).unwrap().tokens.access;
    let asked = BackgroundTask::new(async move {
        asker.replace_rejected(&login, &refused).await.map(|access| access.token)
    });
    scene.scene.honest.wait_for("/token", before + 1).await;
    scene.token_store.put(&scene.login, fresh.clone());
    gate.open();
    let got = asked.end().await;
    let same = got.is_ok_and(|token| token.expose_secret() == fresh.tokens.access.expose_secret());
    let came = if same && scene.token_store.get(&scene.login).is_some() { "the new login" } else { "ended" };
    matrix.tell_and_look(
        "A16",
        "invalid_grant for a token that was replaced meanwhile",
        "the new login",
        came,
        &scene.scene,
    );
}
