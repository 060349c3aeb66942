//! The authorization code grant with PKCE (OAuth 2.1 §4.1), from the address that the browser opens to the tokens.

mod response;

use crate::client::Client;
use crate::clock::Clock;
use crate::dpop::DpopKey;
use crate::error::Error;
use crate::http::Http;
use crate::listener::{CallbackListener, CallbackVerdict, Parameters};
use crate::random::{random, unique};
use crate::scopes::OFFLINE_ACCESS;
use crate::server::AuthorizationServer;
use crate::steps::{Purpose, without_query};
use crate::steps::{Step, StepObserver};
use crate::token::{Form, TokenEndpoint, TokenSet};
use crate::user_info;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mooring_words::{Sentence, say};
use oauth2::{
    AuthUrl, ClientId, CsrfToken, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope, basic::BasicClient,
};
use response::ExpectedResponse;
use secrecy::ExposeSecret as _;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};
use url::{Host, Url};

/// The future of opening a URL.
pub type BrowserFuture<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

/// The person's browser. Only a gesture of the person may lead here.
pub trait Browser: Send + Sync {
    /// Opens the address.
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a>;

    /// Opens an address that is not about signing in here. A browser that is made for signing in opens none.
    fn visit<'a>(&'a self, _url: &'a Url) -> BrowserFuture<'a> {
        Box::pin(std::future::ready(Err(Error::Aborted(say!("there is no browser to open it")))))
    }
}

/// The options of an authorization code flow that has not begun.
#[derive(Debug, Clone)]
pub struct AuthorizationCodeFlow {
    /// What carries the requests.
    pub http: Http,
    /// Receives the steps.
    pub trail: StepObserver,
    /// Where the person signs in: the issuer that has been found and checked.
    pub server: AuthorizationServer,
    /// Who we are there.
    pub client: Client,
    /// The server it is for (`resource`, RFC 8707), in its canonical form. Nothing only at an identity provider.
    pub resource: Option<String>,
    /// What is asked for; empty leaves it to the server.
    pub scopes: Vec<String>,
    /// The key that the tokens are to be bound to.
    pub dpop: Option<DpopKey>,
    /// The person has allowed this server not to say whether it knows PKCE. It is used all the same.
    pub pkce_unannounced: bool,
    /// The person wants to be somebody else than the server takes them for: its page is to ask anew who they are.
    pub other_account: bool,
    /// How long the person has: [`AuthorizationCodeFlow::WITHIN`], if nothing is to be tried out.
    pub within: Duration,
    /// When it is.
    pub clock: Clock,
}

/// The address that the browser opens. Holds the state of the sign-in, so that it is shown to nobody else.
#[derive(Clone, PartialEq, Eq)]
pub struct AuthorizationUrl(Url);

impl AuthorizationUrl {
    /// The address.
    pub fn as_url(&self) -> &Url {
        &self.0
    }

    /// The host that the person is about to see.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }
}

impl fmt::Debug for AuthorizationUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_query(&self.0))
    }
}

/// A sign-in that waits for the person. Dropping it cancels it, and closes its address.
pub struct PendingAuthorization {
    flow: AuthorizationCodeFlow,
    listener: CallbackListener,
    expected: ExpectedResponse,
    verifier: PkceCodeVerifier,
    /// `nonce` of OpenID Connect, where an ID token was asked for.
    nonce: Option<String>,
}

impl fmt::Debug for PendingAuthorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingAuthorization")
            .field("server", &self.flow.server.issuer)
            .finish_non_exhaustive()
    }
}

impl AuthorizationCodeFlow {
    /// How long a person has to sign in.
    pub const WITHIN: Duration = Duration::from_mins(10);

    /// Prepares the authorization URL and what the response is checked against: issuer, state and code verifier.
    pub fn begin(
        self,
        listener: CallbackListener,
    ) -> Result<(AuthorizationUrl, PendingAuthorization), Error> {
        let issuer = self.server.issuer.clone();
        let endpoint = self.endpoint()?;
        self.server.check_pkce_or(self.pkce_unannounced)?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256_len(32);
        let state = URL_SAFE_NO_PAD.encode(random::<32>()?);
        let openid = self.scopes.iter().any(|scope| scope == "openid");
        let nonce = if openid { Some(unique()?) } else { None };

        let client = BasicClient::new(ClientId::new(self.client.id.clone()))
            .set_auth_uri(AuthUrl::from_url(without_request_parameters(endpoint)))
            .set_redirect_uri(RedirectUrl::from_url(listener.redirect_uri().clone()));
        let mut request = client
            .authorize_url(|| CsrfToken::new(state.clone()))
            .set_pkce_challenge(challenge)
            .add_scopes(self.scopes.iter().cloned().map(Scope::new));
        if let Some(resource) = &self.resource {
            request = request.add_extra_param("resource", resource.as_str());
        }
        if let Some(prompt) = self.prompt() {
            request = request.add_extra_param("prompt", prompt);
        }
        if let Some(nonce) = &nonce {
            request = request.add_extra_param("nonce", nonce.as_str());
        }
        if let Some(dpop) = &self.dpop {
            request = request.add_extra_param("dpop_jkt", dpop.thumbprint());
        }
        let (url, _) = request.url();

        self.trail.record(Step {
            purpose: Purpose::Authorization,
            url: Some(without_query(&url)),
            status: None,
            ok: true,
            found: say!("The browser opens {host}.", host = url.host_str().unwrap_or_default()),
            took: Duration::ZERO,
        });
        let iss = self.server.authorization_response_iss_parameter_supported;
        let expected = ExpectedResponse { state: state.into(), issuer, iss };
        Ok((AuthorizationUrl(url), PendingAuthorization { flow: self, listener, expected, verifier, nonce }))
    }

    /// Begins, opens the browser and waits for the tokens.
    pub async fn run(self, listener: CallbackListener, browser: &dyn Browser) -> Result<TokenSet, Error> {
        let (url, pending) = self.begin(listener)?;
        let mut finish = std::pin::pin!(pending.finish());
        tokio::select! {
            biased;
            opened = browser.open(&url) => opened?,
            finished = &mut finish => return finished,
        }
        finish.await
    }

    /// The `prompt` parameter (OpenID Connect Core §3.1.2.1): one list, because no parameter may stand twice.
    fn prompt(&self) -> Option<String> {
        // Without it providers of OpenID Connect pass over `offline_access` (Core §11), and give no refresh token.
        let consent = self.scopes.iter().any(|scope| scope == OFFLINE_ACCESS).then_some("consent");
        let values: Vec<_> = self.prompt_for_other_account().into_iter().chain(consent).collect();
        (!values.is_empty()).then(|| values.join(" "))
    }

    /// The `prompt` value for signing in with another account, where the server supports OpenID Connect. Every
    /// provider knows `login` (§15.1).
    fn prompt_for_other_account(&self) -> Option<&'static str> {
        let AuthorizationServer { userinfo_endpoint, prompt_values_supported, .. } = &self.server;
        let openid = userinfo_endpoint.is_some()
            || prompt_values_supported.is_some()
            || self.scopes.iter().any(|scope| scope == "openid");
        let knows = |value| prompt_values_supported.iter().flatten().any(|known| known == value);
        let prompt = if knows("select_account") { "select_account" } else { "login" };
        (self.other_account && openid).then_some(prompt)
    }

    /// The authorization endpoint, which goes to the system's browser: https, or http on this machine.
    fn endpoint(&self) -> Result<&Url, Error> {
        let issuer = &self.server.issuer;
        let Some(url) = &self.server.authorization_endpoint else {
            return Err(Error::Refused(say!("{issuer} names no authorization endpoint", issuer)));
        };
        let local = match url.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        let safe = url.scheme() == "https" || (url.scheme() == "http" && local);
        let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        if safe && plain && url.host().is_some() {
            Ok(url)
        } else {
            Err(Error::Refused(say!("the authorization endpoint isn’t a URL that a browser can safely open")))
        }
    }
}

/// The endpoint's own query without what a request says itself: no parameter may stand twice (RFC 6749 §3.1).
fn without_request_parameters(endpoint: &Url) -> Url {
    const OURS: [&str; 10] = [
        "response_type",
        "client_id",
        "redirect_uri",
        "scope",
        "state",
        "code_challenge",
        "code_challenge_method",
        "prompt",
        "nonce",
        "dpop_jkt",
    ];
    let is_ours = |name: &str| OURS.contains(&name);
    let mut url = endpoint.clone();
    if endpoint.query_pairs().any(|(name, _)| is_ours(&name)) {
        let rest = endpoint.query_pairs().filter(|(name, _)| !is_ours(name));
        url.query_pairs_mut().clear().extend_pairs(rest);
    }
    url
}

impl PendingAuthorization {
    /// Waits for the answer, for as long as the person has, checks it and exchanges its code.
    pub async fn finish(self) -> Result<TokenSet, Error> {
        let Self { flow, listener, expected, verifier, nonce } = self;
        let redirect = listener.redirect_uri().clone();
        let began = Instant::now();
        let judge = move |parameters: Parameters| match expected.check(&parameters) {
            None => CallbackVerdict::Ignored,
            Some(Ok(code)) => {
                let issuer_told = parameters.iter().any(|(name, _)| name == "iss");
                CallbackVerdict::Accepted(Ok((code, issuer_told)))
            }
            Some(Err(error)) => CallbackVerdict::Rejected(Err(error)),
        };
        let answered = tokio::time::timeout(flow.within, listener.wait_for_response(judge)).await;
        let answered = answered.unwrap_or_else(|_| {
            let seconds = flow.within.as_secs().to_string();
            Err(Error::Aborted(say!("no one signed in within {seconds} s", seconds)))
        });
        let (ok, found) = match &answered {
            Ok((_, true)) => (
                true,
                say!("The browser returned an authorization code with this sign-in’s state and issuer."),
            ),
            Ok((_, false)) => {
                (true, say!("The browser returned an authorization code with this sign-in’s state."))
            }
            Err(error) => (false, error.sentence().clone()),
        };
        flow.record_step(ok, found, began);
        let (code, _) = answered?;

        let endpoint = TokenEndpoint {
            http: &flow.http,
            trail: &flow.trail,
            server: &flow.server,
            client: &flow.client,
            dpop: flow.dpop.as_ref(),
            clock: &flow.clock,
        };
        let mut form: Form<'_> = vec![
            ("grant_type", "authorization_code"),
            ("code", code.expose_secret()),
            ("redirect_uri", redirect.as_str()),
            ("code_verifier", verifier.secret()),
        ];
        form.extend(flow.resource.as_deref().map(|resource| ("resource", resource)));
        let tokens = endpoint.request_token(form).await?;
        if let (Some(nonce), Some(id_token)) = (&nonce, &tokens.id_token) {
            user_info::check_nonce(id_token, nonce)?;
        }
        Ok(tokens)
    }
}

impl AuthorizationCodeFlow {
    fn record_step(&self, ok: bool, found: Sentence, began: Instant) {
        let took = began.elapsed();
        self.trail.record(Step { purpose: Purpose::Authorization, url: None, status: None, ok, found, took });
    }
}
