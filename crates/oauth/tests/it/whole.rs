//! All of it in a row: from a challenge to a call, a renewal and signing out.

use crate::shelf::Shelf;
use crate::support::{FakeBrowser, Steps, http, nobody};
use http::Method;
use mooring_oauth::{
    Access, Broker, Candidates, Challenge, Choice, Clock, Flow, Kept, Language, Listener, Login, Place,
    Reach, Renewal, choose_client, discover, register,
};
use mooring_testkit::oauth::{Iss, Running, Script, serve};
use secrecy::ExposeSecret as _;
use std::time::{Duration, SystemTime};
use url::Url;

async fn call(running: &Running, access: Option<&Access>) -> reqwest::Response {
    let url = Url::parse(&running.resource()).unwrap();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut request = client.post(url.clone());
    if let Some(access) = access {
        request = request.headers(access.headers(&Method::POST, &url).unwrap());
    }
    request.send().await.unwrap()
}

// Requirements: AUTH-18, AUTH-22, AUTH-25, AUTH-38, AUTH-43
#[tokio::test]
async fn sign_in_call_and_sign_out_work_end_to_end() {
    for (path, iss, announces_iss) in [("", Iss::Right, true), ("/tenant", Iss::Absent, false)] {
        let script = Script { path: path.to_owned(), iss, announces_iss, rotates: true, ..Script::default() };
        let running = serve(script).await;
        let (server, steps) = (Url::parse(&running.resource()).unwrap(), Steps::default());
        let (http, trail, clock) = (http(), steps.trail(), Clock::system());
        let refused = call(&running, None).await;
        assert_eq!(refused.status(), 401);
        let challenge = refused.headers()["www-authenticate"].to_str().unwrap();
        let metadata = challenge.split('"').nth(1).unwrap().to_owned();
        let challenge = Challenge { resource_metadata: vec![metadata], ..Challenge::default() };

        let found = discover(&http, &server, &challenge, None, &trail).await.unwrap();
        let issuer = found.server.issuer.clone();
        assert_eq!(issuer, running.issuer());
        let listener = Listener::bind(&[Place::of_issuer(&issuer)], Language::English).unwrap();
        let redirect = listener.redirect_uri().clone();
        let now = SystemTime::now();
        let identity =
            choose_client(&found.server, &Candidates::default(), Some(&redirect), now, &trail).unwrap();
        assert!(matches!(identity.choice, Choice::Register), "{identity:?}");
        let registration = register(&http, &found.server, &[redirect], &found.scopes, &trail).await.unwrap();
        let flow = Flow {
            http,
            trail,
            server: found.server.clone(),
            client: registration.client.clone(),
            resource: found.resource.clone(),
            scopes: found.scopes.clone(),
            dpop: None,
            pkce_unannounced: false,
            another: false,
            within: Flow::WITHIN,
            clock: clock.clone(),
        };
        let tokens = flow.run(listener, &FakeBrowser::default()).await.unwrap();

        let (shelf, folder) = (Shelf::default(), tempfile::tempdir().unwrap());
        let login = Login { issuer, resource: running.resource(), account: "ada".to_owned() };
        let kept = Kept {
            tokens,
            version: 1,
            server: found.server,
            client: registration.client,
            resource: found.resource,
            scopes: found.scopes,
            dpop: None,
            reach: Reach::Loopback,
            renewal: Renewal::Refresh,
        };
        shelf.put(&login, kept);
        let broker = Broker::new(shelf, folder.path().to_owned(), clock, |_| nobody()).unwrap();
        let access = broker.access(&login, Duration::from_secs(1)).await.unwrap();
        assert_eq!(call(&running, Some(&access)).await.status(), 200);
        running.expire();
        assert_eq!(call(&running, Some(&access)).await.status(), 401);
        let access = broker.instead(&login, &access.token).await.unwrap();
        assert_eq!(call(&running, Some(&access)).await.status(), 200);
        broker.sign_out(&login).await.unwrap();
        assert_eq!(running.revoked().len(), 2);
        assert_eq!(call(&running, Some(&access)).await.status(), 401);
        assert!(!steps.text().contains(access.token.expose_secret()));
    }
}
