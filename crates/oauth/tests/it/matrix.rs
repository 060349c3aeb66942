//! The attacks on a sign-in as one table: row by row of the list of attacks, what is done, and what has to come of it.
//!
//! Beside each server there is another that must not learn anything: a whole authorization server too, which
//! remembers all that comes to it. Whatever secret of the first is found there is a leak, and there must be none in
//! any case.

mod after;
mod answer;
mod before;

use mooring_oauth::{AuthorizationCodeFlow, Challenge, Error, TokenSet, discover, register};
use mooring_testkit::oauth::{OAuthScript, OAuthServer, ReceivedRequest, serve};
use std::collections::BTreeMap;
use std::time::Duration;
use url::Url;

use crate::support::{FakeBrowser, flow, http, kind, listener, nobody};

/// The fewest cases that the table must have.
const AT_LEAST: usize = 150;

/// What has been tried.
#[derive(Default)]
pub(super) struct AttackMatrix {
    /// By row and what was done: what was expected, and what came.
    cases: BTreeMap<(&'static str, String), (&'static str, String)>,
    leaks: Vec<String>,
}

impl AttackMatrix {
    /// Enters a case.
    pub(super) fn tell(
        &mut self,
        row: &'static str,
        done: impl Into<String>,
        expected: &'static str,
        came: impl Into<String>,
    ) {
        let done = done.into();
        let before = self.cases.insert((row, done.clone()), (expected, came.into()));
        assert!(before.is_none(), "{row} {done} is there twice");
    }

    /// Enters a case with a server that must not have learnt anything of another's.
    pub(super) fn tell_and_look(
        &mut self,
        row: &'static str,
        done: impl Into<String>,
        expected: &'static str,
        came: impl Into<String>,
        scene: &AttackSetup,
    ) {
        let done = done.into();
        let leaks = leaks(&scene.honest, &scene.wrong);
        self.leaks.extend(leaks.into_iter().map(|leak| format!("{row} {done}: {leak}")));
        self.tell(row, done, expected, came);
    }

    fn print(&self) {
        let mut rows: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for ((row, _), (expected, came)) in &self.cases {
            let (cases, held) = rows.entry(row).or_default();
            *cases += 1;
            *held += usize::from(expected == came);
        }
        println!("row   cases   as expected");
        for (row, (cases, held)) in rows {
            println!("{row:<4}{cases:>7}{held:>14}");
        }
        println!("all {:>7}   secrets at a wrong party: {}", self.cases.len(), self.leaks.len());
    }
}

/// A server, and another that must not learn anything of it.
pub(super) struct AttackSetup {
    pub(super) honest: OAuthServer,
    pub(super) wrong: OAuthServer,
    pub(super) browser: FakeBrowser,
}

impl AttackSetup {
    pub(super) async fn new(script: OAuthScript) -> Self {
        let (honest, wrong) = (serve(script).await, serve(OAuthScript::default()).await);
        Self { honest, wrong, browser: FakeBrowser::default() }
    }

    /// The whole way in, with whatever the server says: discovery, registration, browser, exchange.
    pub(super) async fn sign_in(&self, within: Duration) -> Result<TokenSet, Error> {
        let url = Url::parse(&self.honest.resource()).unwrap();
        let found = Box::pin(discover(&http(), &url, &Challenge::default(), None, &nobody())).await?;
        let listener = listener(&found.server.issuer);
        let redirects = [listener.redirect_uri().clone()];
        let registration = Box::pin(register(&http(), &found.server, &redirects, &[], &nobody())).await?;
        let flow = AuthorizationCodeFlow {
            server: found.server,
            client: registration.client,
            resource: found.resource,
            within,
            ..flow(&self.honest)
        };
        Box::pin(flow.run(listener, &self.browser)).await
    }

    /// How often each thing was asked of the honest one that a secret goes along with.
    pub(super) fn tokens_asked(&self) -> usize {
        self.honest.requests_to("/token").len()
    }
}

/// What a sign-in came to, in a word.
pub(super) fn word<T>(came: &Result<T, Error>) -> &'static str {
    came.as_ref().map_or_else(kind, |_| "signed in")
}

/// Long enough for everything to happen, for those that end by themselves.
pub(super) const LONG: Duration = Duration::from_secs(30);
/// Long enough for a local browser to follow every redirect, for flows that never end by themselves.
pub(super) const SHORT: Duration = Duration::from_millis(700);

/// Everything about a request, as text.
fn text(request: &ReceivedRequest) -> String {
    format!(
        "{} {} {:?} {:?} {}",
        request.method, request.path, request.parameters, request.headers, request.json
    )
}

/// Secrets of the honest server that were sent to the wrong one.
fn leaks(honest: &OAuthServer, wrong: &OAuthServer) -> Vec<String> {
    let secrets = honest.secrets();
    let heard: Vec<_> = wrong.requests().iter().map(text).collect();
    let known = |secret: &&String| heard.iter().any(|heard| heard.contains(secret.as_str()));
    secrets.iter().filter(known).cloned().collect()
}

// Requirements: AUTH-10, AUTH-13, AUTH-14, AUTH-22, AUTH-23, AUTH-24, AUTH-26, AUTH-27, AUTH-28, AUTH-30, AUTH-31, AUTH-38, AUTH-39, SEC-11, SEC-12, SEC-13, SEC-24
#[tokio::test(flavor = "multi_thread")]
async fn no_listed_attack_leaks_a_code_or_token() {
    let mut matrix = AttackMatrix::default();
    before::attack(&mut matrix).await;
    answer::attack(&mut matrix).await;
    after::attack(&mut matrix).await;

    matrix.print();
    let failed: Vec<_> = matrix.cases.iter().filter(|(_, (expected, came))| expected != came).collect();
    assert!(failed.is_empty(), "not as expected: {failed:#?}");
    assert!(matrix.leaks.is_empty(), "secrets at a wrong party: {:#?}", matrix.leaks);
    let rows: std::collections::BTreeSet<_> = matrix.cases.keys().map(|(row, _)| *row).collect();
    assert_eq!(rows.len(), 16, "{rows:?}");
    assert!(matrix.cases.len() >= AT_LEAST, "{} cases", matrix.cases.len());
}

// The table above proves something only if the search for secrets finds them and this flow succeeds.
#[tokio::test]
async fn a_secret_that_a_wrong_party_is_told_is_found() {
    let scene = AttackSetup::new(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
    let tokens = scene.sign_in(LONG).await.unwrap();
    assert_eq!(scene.browser.opened(), 1);
    let secrets = scene.honest.secrets();
    // The code, both tokens, and the verifier.
    assert!(secrets.len() >= 4, "{secrets:?}");
    assert!(leaks(&scene.honest, &scene.wrong).is_empty());
    for (place, secret) in secrets.iter().enumerate() {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let wrong = scene.wrong.origin();
        let told = match place % 4 {
            0 => client.get(format!("{wrong}/x?code={secret}")),
            1 => client.get(wrong).bearer_auth(secret),
            2 => client
                .post(wrong)
                .header("content-type", "application/json")
                .body(serde_json::json!({ "deep": [secret] }).to_string()),
            _ => client.post(wrong).body(format!("refresh_token={secret}")),
        };
        told.send().await.unwrap();
        assert_eq!(leaks(&scene.honest, &scene.wrong).len(), place + 1);
    }
    drop(tokens);
}
