//! All of it in a row: from a challenge to a call, a renewal and signing out.

use crate::support::{FakeBrowser, RecordedSteps, http, nobody};
use crate::token_stores::MemoryTokenStore;
use http::Method;
use mooring_network::Network;
use mooring_oauth::{
    AccessToken, AuthorizationCodeFlow, CallbackListener, Challenge, ClientCandidates, ClientChoice, Clock,
    Language, LoginId, NetworkReach, RedirectAddress, Renewal, StoredLogin, TokenBroker, choose_client,
    discover, register,
};
use mooring_testkit::oauth::{IssParameter, OAuthScript, OAuthServer, serve};
use secrecy::ExposeSecret as _;
use std::time::{Duration, SystemTime};
use url::Url;

async fn call(running: &OAuthServer, access: Option<&AccessToken>) -> reqwest::Response {
    let url = Url::parse(&running.resource()).unwrap();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut request = client.post(url.clone());
    if let Some(access) = access {
        request = request.headers(access.headers(&Method::POST, &url, access.token_type).unwrap());
    }
    request.send().await.unwrap()
}

// Requirements: AUTH-18, AUTH-22, AUTH-25, AUTH-38, AUTH-43
#[tokio::test]
async fn sign_in_call_and_sign_out_work_end_to_end() {
    for (path, iss, announces_iss) in
        [("", IssParameter::Right, true), ("/tenant", IssParameter::Absent, false)]
    {
        let script = OAuthScript {
            path: path.to_owned(),
            iss,
            announces_iss,
            rotates: true,
            ..OAuthScript::default()
        };
        let running = serve(script).await;
        let (server, steps) = (Url::parse(&running.resource()).unwrap(), RecordedSteps::default());
        let (http, trail, clock) = (http(), steps.trail(), Clock::system());
        let refused = call(&running, None).await;
        assert_eq!(refused.status(), 401);
        let challenge = refused.headers()["www-authenticate"].to_str().unwrap();
        let metadata = challenge.split('"').nth(1).unwrap().to_owned();
        let challenge = Challenge { resource_metadata: vec![metadata], ..Challenge::default() };

        let found = discover(&http, &server, &challenge, None, &trail).await.unwrap();
        let issuer = found.server.issuer.clone();
        assert_eq!(issuer, running.issuer());
        let listener =
            CallbackListener::bind(&[RedirectAddress::for_issuer(&issuer)], Language::English).unwrap();
        let redirect = listener.redirect_uri().clone();
        let now = SystemTime::now();
        let identity =
            choose_client(&found.server, &ClientCandidates::default(), Some(&redirect), now, &trail).unwrap();
        assert!(matches!(identity.choice, ClientChoice::Register), "{identity:?}");
        let registration = register(&http, &found.server, &[redirect], &found.scopes, &trail).await.unwrap();
        let flow = AuthorizationCodeFlow {
            http,
            trail,
            server: found.server.clone(),
            client: registration.client.clone(),
            resource: found.resource.clone(),
            scopes: found.scopes.clone(),
            dpop: None,
            pkce_unannounced: false,
            other_account: false,
            within: AuthorizationCodeFlow::WITHIN,
            clock: clock.clone(),
        };
        let tokens = flow.run(listener, &FakeBrowser::default()).await.unwrap();

        let (token_store, folder) = (MemoryTokenStore::default(), tempfile::tempdir().unwrap());
        let login = LoginId { issuer, resource: running.resource(), account: "ada".to_owned() };
        let kept = StoredLogin {
            tokens,
            version: 1,
            server: found.server,
            client: registration.client,
            resource: found.resource,
            scopes: found.scopes,
            dpop: None,
            reach: NetworkReach::Loopback,
            renewal: Renewal::Refresh,
        };
        token_store.put(&login, kept);
        let broker =
            TokenBroker::new(token_store, &Network::direct(), folder.path().to_owned(), clock, |_| nobody())
                .unwrap();
        let access = broker.access_token(&login, Duration::from_secs(1)).await.unwrap();
        assert_eq!(call(&running, Some(&access)).await.status(), 200);
        running.expire_access_tokens();
        assert_eq!(call(&running, Some(&access)).await.status(), 401);
        let access = broker.replace_rejected(&login, &access.token).await.unwrap();
        assert_eq!(call(&running, Some(&access)).await.status(), 200);
        broker.sign_out(&login).await.unwrap();
        assert_eq!(running.revoked_tokens().len(), 2);
        assert_eq!(call(&running, Some(&access)).await.status(), 401);
        assert!(!steps.text().contains(access.token.expose_secret()));
    }
}
