//! A sign-in at a scripted server, and a browser that needs no person.

use mooring_oauth::{
    AuthorizationServer, AuthorizationUrl, Browser, BrowserFuture, Client, ClientAuthentication, Clock,
    Error, Flow, Http, Language, Listener, Place, Reach, Step, TokenEndpoint, Trail,
};
use mooring_testkit::oauth::{Page, Running, follow};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

pub(crate) fn server_of(running: &Running) -> AuthorizationServer {
    serde_json::from_value(running.metadata()).unwrap()
}

pub(crate) fn public() -> Client {
    Client { id: "mooring".to_owned(), secret: None, authentication: ClientAuthentication::None }
}

pub(crate) fn http() -> Http {
    Http::new(Reach::Loopback).unwrap()
}

/// The steps that were told.
#[derive(Clone, Default)]
pub(crate) struct Steps(Arc<Mutex<Vec<Step>>>);

impl Steps {
    pub(crate) fn trail(&self) -> Trail {
        let steps = Arc::clone(&self.0);
        Trail::new(move |step| steps.lock().unwrap().push(step))
    }

    pub(crate) fn text(&self) -> String {
        format!("{:?}", self.0.lock().unwrap())
    }
}

pub(crate) fn nobody() -> Trail {
    Trail::new(drop)
}

pub(crate) fn flow(running: &Running) -> Flow {
    Flow {
        http: http(),
        trail: nobody(),
        server: server_of(running),
        client: public(),
        resource: Some(running.resource()),
        scopes: vec!["read".to_owned(), "write".to_owned()],
        dpop: None,
        pkce_unannounced: false,
        another: false,
        within: Flow::WITHIN,
        clock: Clock::system(),
    }
}

pub(crate) fn listener(issuer: &str) -> Listener {
    Listener::bind(&[Place::of_issuer(issuer)], Language::English).unwrap()
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
            if let Ok(page) = follow(url.as_url().as_str()).await {
                self.pages.lock().unwrap().push(page);
            }
            Ok(())
        })
    }
}

/// A clock that a test moves.
#[derive(Clone)]
pub(crate) struct Hands(Arc<Mutex<SystemTime>>);

impl Hands {
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
pub(crate) struct Desk {
    pub(crate) http: Http,
    pub(crate) trail: Trail,
    pub(crate) server: AuthorizationServer,
    pub(crate) client: Client,
    pub(crate) dpop: Option<mooring_oauth::Dpop>,
    pub(crate) clock: Clock,
}

impl Desk {
    pub(crate) fn new(running: &Running) -> Self {
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
        Error::Answered { .. } => "answered",
        Error::ClientNeeded { .. } => "client needed",
        Error::PkceUnannounced(_) => "pkce unannounced",
        Error::ResourceRefused { .. } => "resource refused",
        Error::Sealed { .. } => "sealed",
        Error::Refused(_) => "refused",
        Error::Ended(_) => "ended",
    }
}

/// Something that goes on beside the test, and ends with it.
pub(crate) struct Started<T>(tokio::task::JoinSet<T>, tokio::task::AbortHandle);

impl<T: Send + 'static> Started<T> {
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
