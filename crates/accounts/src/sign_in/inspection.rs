//! Finds out how a server could be signed in to. Opens no browser, and registers and saves nothing.

use std::time::SystemTime;

use http::HeaderMap;
use http::header::DATE;
use mooring_base::server_id::ServerId;
use mooring_oauth::{
    ChosenClient, ClientChoice, Discovery, Error, Http, NetworkReach, Purpose, StepObserver, discover,
};
use url::Url;

use super::flow::{SignInFlow, SignInOptions};
use super::{SignInService, SignInTarget};

/// How a server could be signed in to.
#[derive(Debug)]
pub struct SignInInspection {
    /// The authorization server, and the metadata that leads to it.
    pub discovery: Result<Discovery, Error>,
    /// Our client there. `None` without an authorization server.
    pub client: Option<Result<ChosenClient, Error>>,
    /// The redirect URI that a browser would return to. `None` without a client.
    pub redirect: Option<Result<Url, Error>>,
    /// The time that the server sent with an answer (RFC 9110 §6.6.1).
    pub server_time: Option<SystemTime>,
}

impl SignInService {
    /// Finds out how to sign in to a server, as [`Self::sign_in`] does before it opens the browser. Each step
    /// is reported to `trail`.
    pub async fn inspect(
        &self,
        server: Option<ServerId>,
        url: &Url,
        wanted: &SignInOptions,
        trail: StepObserver,
    ) -> SignInInspection {
        let asking = SignInTarget { server, url: url.clone() };
        let challenge = self.last_challenge(&asking);
        let http = Http::new(&self.inner.login_store.network, NetworkReach::of_resolved(url).await);
        let server_time = read_server_time(&http, url).await;
        let discovered = Box::pin(discover(&http, url, &challenge, None, &trail)).await;
        let found = match discovered {
            Ok(found) => found,
            Err(error) => {
                return SignInInspection { discovery: Err(error), client: None, redirect: None, server_time };
            }
        };
        let entered = match self.load_entered_client(None, &found.server.issuer).await {
            Ok(entered) => entered,
            Err(error) => {
                let client = Some(Err(error));
                return SignInInspection { discovery: Ok(found), client, redirect: None, server_time };
            }
        };
        let scopes = found.scopes.clone();
        let flow = SignInFlow {
            sign_ins: self,
            asking,
            wanted,
            http,
            trail,
            found,
            dpop: None,
            scopes,
            steps_up: false,
            entered,
        };
        let (client, redirect) = match flow.choose_client().await {
            Ok(decision) if matches!(decision.chosen.choice, ClientChoice::Ask) => {
                let sentence = decision.chosen.reason;
                (Err(Error::ClientNeeded { sentence, redirect: None }), None)
            }
            Ok(decision) => {
                let places = flow.redirects_of(&decision);
                let listener = places.and_then(|places| flow.listen_for_redirect(&places));
                (Ok(decision.chosen), Some(listener.map(|listener| listener.redirect_uri().clone())))
            }
            Err(error) => (Err(error), None),
        };
        SignInInspection { discovery: Ok(flow.found), client: Some(client), redirect, server_time }
    }
}

/// The time that the server's origin sends with an answer, whatever the answer is.
async fn read_server_time(http: &Http, url: &Url) -> Option<SystemTime> {
    let origin = url.join("/").ok()?;
    let answer = http.get(Purpose::ResourceMetadata, origin, HeaderMap::new()).await.ok()?;
    httpdate::parse_http_date(answer.headers.get(DATE)?.to_str().ok()?).ok()
}
