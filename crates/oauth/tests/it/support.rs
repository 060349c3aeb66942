//! A sign-in at a scripted server, and a browser that needs no person.

use mooring_network::Network;
use mooring_oauth::{
    AuthorizationCodeFlow, AuthorizationServer, AuthorizationUrl, Browser, BrowserFuture, CallbackListener,
    Client, ClientAuthentication, Clock, Error, Http, Language, NetworkReach, RedirectAddress, Step,
    StepObserver, TokenEndpoint,
};
use mooring_testkit::oauth::{OAuthServer, Page, follow_redirects};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

pub(crate) fn server_of(running: &OAuthServer) -> AuthorizationServer {
    serde_json::from_value(running.metadata()).unwrap()
}

pub(crate) fn public() -> Client {
    Client { id: "mooring".to_owned(), secret: None, authentication: ClientAuthentication::None }
}

pub(crate) fn http() -> Http {
    Http::new(&Network::direct(), NetworkReach::Loopback)
}

/// The steps that were reported.
#[derive(Clone, Default)]
pub(crate) struct RecordedSteps(Arc<Mutex<Vec<Step>>>);

impl RecordedSteps {
    pub(crate) fn trail(&self) -> StepObserver {
        let steps = Arc::clone(&self.0);
        StepObserver::new(move |step| steps.lock().unwrap().push(step))
    }

    pub(crate) fn text(&self) -> String {
        format!("{:?}", self.0.lock().unwrap())
    }
}

pub(crate) fn nobody() -> StepObserver {
    StepObserver::new(drop)
}

pub(crate) fn flow(running: &OAuthServer) -> AuthorizationCodeFlow {
    AuthorizationCodeFlow {
        http: http(),
        trail: nobody(),
        server: server_of(running),
        client: public(),
        resource: Some(running.resource()),
        scopes: vec!["read".to_owned(), "write".to_owned()],
        dpop: None,
        pkce_unannounced: false,
        other_account: false,
        within: AuthorizationCodeFlow::WITHIN,
        clock: Clock::system(),
    }
}

pub(crate) fn listener(issuer: &str) -> CallbackListener {
    CallbackListener::bind(&[RedirectAddress::for_issuer(issuer)], Language::English).unwrap()
}

/// Follows the address, and keeps where it led.
#[derive(Default)]
pub(crate) struct FakeBrowser {
    pub(crate) pages: Mutex<Vec<Page>>,
}

impl FakeBrowser {
    pub(crate) fn opened(&self) -> usize {
        self.pages.lock().unwrap().len()
    }
}

impl Browser for FakeBrowser {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        Box::pin(async {
            if let Ok(page) = follow_redirects(url.as_url().as_str()).await {
                self.pages.lock().unwrap().push(page);
            }
            Ok(())
        })
    }
}

/// A clock that a test moves.
#[derive(Clone)]
pub(crate) struct TestClock(Arc<Mutex<SystemTime>>);

impl TestClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(SystemTime::now())))
    }

    pub(crate) fn clock(&self) -> Clock {
        let now = Arc::clone(&self.0);
        Clock::new(move || *now.lock().unwrap())
    }

    pub(crate) fn forward(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

/// All that a token endpoint is asked with.
pub(crate) struct EndpointParts {
    pub(crate) http: Http,
    pub(crate) trail: StepObserver,
    pub(crate) server: AuthorizationServer,
    pub(crate) client: Client,
    pub(crate) dpop: Option<mooring_oauth::DpopKey>,
    pub(crate) clock: Clock,
}

impl EndpointParts {
    pub(crate) fn new(running: &OAuthServer) -> Self {
        Self {
            http: http(),
            trail: nobody(),
            server: server_of(running),
            client: public(),
            dpop: None,
            clock: Clock::system(),
        }
    }

    pub(crate) fn endpoint(&self) -> TokenEndpoint<'_> {
        TokenEndpoint {
            http: &self.http,
            trail: &self.trail,
            server: &self.server,
            client: &self.client,
            dpop: self.dpop.as_ref(),
            clock: &self.clock,
        }
    }
}

/// What kind of error it is, for tables.
pub(crate) fn kind(error: &Error) -> &'static str {
    match error {
        Error::Unreachable(_) => "unreachable",
        Error::ErrorResponse { .. } => "answered",
        Error::ClientNeeded { .. } => "client needed",
        Error::PkceUnannounced(_) => "pkce unannounced",
        Error::ResourceRefused { .. } => "resource refused",
        Error::VaultUnavailable { .. } => "sealed",
        Error::Refused(_) => "refused",
        Error::Aborted(_) => "ended",
    }
}

/// Something that goes on beside the test, and ends with it.
pub(crate) struct BackgroundTask<T>(tokio::task::JoinSet<T>, tokio::task::AbortHandle);

impl<T: Send + 'static> BackgroundTask<T> {
    pub(crate) fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        let mut set = tokio::task::JoinSet::new();
        let handle = set.spawn(future);
        Self(set, handle)
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.1.is_finished()
    }

    pub(crate) async fn end(mut self) -> T {
        let limit = Duration::from_secs(30);
        tokio::time::timeout(limit, self.0.join_next()).await.expect("it ends in time").unwrap().unwrap()
    }

    pub(crate) async fn stop(mut self) {
        self.0.shutdown().await;
    }
}
