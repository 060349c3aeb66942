//! The authorization code grant with PKCE (OAuth 2.1 §4.1), from the URL that the browser opens to the
//! tokens.

mod response;

use crate::client::Client;
use crate::clock::Clock;
use crate::dpop::DpopKey;
use crate::error::{Error, is_unknown_client};
use crate::http::{Http, Request, Response};
use crate::json_fields::read_text;
use crate::listener::{CallbackListener, CallbackVerdict, Parameters};
use crate::random::{random_bytes, unique_text};
use crate::scopes::OFFLINE_ACCESS;
use crate::server::AuthorizationServer;
use crate::steps::{Purpose, without_query};
use crate::steps::{Step, StepObserver};
use crate::token::{Form, TokenEndpoint, TokenSet, read_error};
use crate::user_info;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::{ACCEPT, LOCATION};
use http::{HeaderMap, HeaderValue, Method};
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
use url::{Host, Url, form_urlencoded};

/// A future that opens a URL.
pub type BrowserFuture<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

/// The person's browser. It may only be used if the person has asked for it.
pub trait Browser: Send + Sync {
    /// Opens the authorization URL.
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a>;

    /// Opens a URL that is not for a sign-in of this application. A browser that is only for signing in
    /// refuses it.
    fn visit<'a>(&'a self, _url: &'a Url) -> BrowserFuture<'a> {
        Box::pin(std::future::ready(Err(Error::Aborted(say!("there is no browser to open it")))))
    }
}

/// The options of an authorization code flow that has not begun.
#[derive(Debug, Clone)]
pub struct AuthorizationCodeFlow {
    /// Sends the requests.
    pub http: Http,
    /// Receives the steps.
    pub trail: StepObserver,
    /// The validated metadata of the authorization server.
    pub server: AuthorizationServer,
    /// The client at the authorization server.
    pub client: Client,
    /// The server that the tokens are for (`resource`, RFC 8707), in its canonical form. `None` only at an
    /// identity provider.
    pub resource: Option<String>,
    /// The requested scopes. If it is empty, the server chooses.
    pub scopes: Vec<String>,
    /// The key to bind the tokens to.
    pub dpop: Option<DpopKey>,
    /// Whether the person accepts that the server doesn't announce PKCE. PKCE is used anyway.
    pub pkce_unannounced: bool,
    /// Whether the person wants to choose another account on the server's page (`prompt`).
    pub other_account: bool,
    /// How long the person may take. This is [`AuthorizationCodeFlow::WITHIN`], except in tests.
    pub within: Duration,
    /// The clock.
    pub clock: Clock,
}

/// The URL that the browser opens. It contains the `state` of the sign-in, so show it only to the person who
/// signs in.
#[derive(Clone, PartialEq, Eq)]
pub struct AuthorizationUrl(Url);

impl AuthorizationUrl {
    /// The URL.
    pub fn as_url(&self) -> &Url {
        &self.0
    }

    /// The host that the person will see.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }
}

impl fmt::Debug for AuthorizationUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_query(&self.0))
    }
}

/// An authorization URL, and the values that its response is checked against.
struct RequestUrl {
    url: Url,
    state: String,
    verifier: PkceCodeVerifier,
    /// `nonce` of OpenID Connect, if an ID token is requested.
    nonce: Option<String>,
}

/// Whether an authorization endpoint rejects the client itself. The endpoint then must not redirect the
/// browser (RFC 6749 §4.1.2.1), so it responds with an error or shows its own page.
fn is_client_rejected(answer: &Response) -> bool {
    let document = answer.json_object().unwrap_or_default();
    match (answer.status, read_text(&document, "error")) {
        // Many servers respond with `invalid_request` if they don't know a client.
        (400 | 401 | 404 | 422, Some(code)) => return is_unknown_client(code) || code == "invalid_request",
        (400 | 404 | 422, None) => return true,
        _ => {}
    }
    let location =
        answer.headers.get(LOCATION).and_then(|location| location.to_str().ok()).unwrap_or_default();
    let (_, query) = location.split_once('?').unwrap_or_default();
    let query = query.split('#').next().unwrap_or_default();
    (300..400).contains(&answer.status)
        && form_urlencoded::parse(query.as_bytes())
            .any(|(name, value)| name == "error" && is_unknown_client(&value))
}

/// A sign-in that waits for the person. Dropping this cancels the sign-in and closes its redirect address.
pub struct PendingAuthorization {
    flow: AuthorizationCodeFlow,
    listener: CallbackListener,
    expected: ExpectedResponse,
    verifier: PkceCodeVerifier,
    /// `nonce` of OpenID Connect, if an ID token was requested.
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
    /// How long a person may take to sign in.
    pub const WITHIN: Duration = Duration::from_mins(10);

    /// Prepares the authorization URL and the values that the response is checked against: issuer, state and
    /// code verifier.
    pub fn begin(
        self,
        listener: CallbackListener,
    ) -> Result<(AuthorizationUrl, PendingAuthorization), Error> {
        let issuer = self.server.issuer.clone();
        self.server.check_pkce_or(self.pkce_unannounced)?;
        let RequestUrl { url, state, verifier, nonce } = self.new_request_url(listener.redirect_uri())?;
        let iss = self.server.authorization_response_iss_parameter_supported;
        let expected = ExpectedResponse { state: state.into(), issuer, iss };
        Ok((AuthorizationUrl(url), PendingAuthorization { flow: self, listener, expected, verifier, nonce }))
    }

    /// Creates an authorization URL with new secrets.
    fn new_request_url(&self, redirect: &Url) -> Result<RequestUrl, Error> {
        let endpoint = self.authorization_endpoint()?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256_len(32);
        let state = URL_SAFE_NO_PAD.encode(random_bytes::<32>()?);
        let openid = self.scopes.iter().any(|scope| scope == "openid");
        let nonce = if openid { Some(unique_text()?) } else { None };

        let client = BasicClient::new(ClientId::new(self.client.id.clone()))
            .set_auth_uri(AuthUrl::from_url(without_request_parameters(endpoint)))
            .set_redirect_uri(RedirectUrl::from_url(redirect.clone()));
        let mut request = client
            .authorize_url(|| CsrfToken::new(state.clone()))
            .set_pkce_challenge(challenge)
            .add_scopes(self.scopes.iter().cloned().map(Scope::new));
        if let Some(resource) = &self.resource {
            request = request.add_extra_param("resource", resource.as_str());
        }
        if let Some(prompt) = self.prompt_parameter() {
            request = request.add_extra_param("prompt", prompt);
        }
        if let Some(nonce) = &nonce {
            request = request.add_extra_param("nonce", nonce.as_str());
        }
        if let Some(dpop) = &self.dpop {
            request = request.add_extra_param("dpop_jkt", dpop.thumbprint());
        }
        let (url, _) = request.url();
        Ok(RequestUrl { url, state, verifier, nonce })
    }

    /// Begins, opens the browser and waits for the tokens.
    pub async fn run(self, listener: CallbackListener, browser: &dyn Browser) -> Result<TokenSet, Error> {
        let (url, pending) = self.begin(listener)?;
        let url = if pending.flow.server.require_pushed_authorization_requests {
            AuthorizationUrl(pending.flow.push_request(&url.0).await?)
        } else {
            url
        };
        pending.flow.trail.record(Step {
            purpose: Purpose::Authorization,
            url: Some(without_query(&url.0)),
            status: None,
            ok: true,
            found: say!("The browser opens {host}.", host = url.host()),
            took: Duration::ZERO,
        });
        let mut finish = std::pin::pin!(pending.finish());
        tokio::select! {
            biased;
            opened = browser.open(&url) => opened?,
            finished = &mut finish => return finished,
        }
        finish.await
    }

    /// Pushes the request to the authorization server, and returns the URL that refers to it (RFC 9126 §2,
    /// §4).
    async fn push_request(&self, url: &Url) -> Result<Url, Error> {
        let issuer = &self.server.issuer;
        let Some(endpoint) = &self.server.pushed_authorization_request_endpoint else {
            return Err(Error::Refused(say!(
                "{issuer} takes only pushed authorization requests, and names no endpoint for them",
                issuer
            )));
        };
        let parameters: Vec<_> = url.query_pairs().filter(|(name, _)| name != "client_id").collect();
        let form: Form<'_> = parameters.iter().map(|(name, value)| (&**name, &**value)).collect();
        let host = endpoint.host_str().unwrap_or(issuer).to_owned();
        let request = self.token_endpoint().new_request(endpoint, &form, Purpose::Authorization)?;
        let read = |answer: Response| {
            if !matches!(answer.status, 200 | 201) {
                return Err(read_error(&host, &answer));
            }
            let document = answer.json_object().ok();
            let left =
                document.as_ref().and_then(|document| read_text(document, "request_uri")).map(str::to_owned);
            let left = left.ok_or_else(|| {
                Error::Refused(say!("{host} accepted the request and didn’t say where it is", host = &host))
            })?;
            Ok((left, say!("{host} took the request in advance", host = &host)))
        };
        let left = self.http.ask(&self.trail, request, read).await?;
        let mut url = without_request_parameters(self.authorization_endpoint()?);
        url.query_pairs_mut().append_pair("client_id", &self.client.id).append_pair("request_uri", &left);
        Ok(url)
    }

    /// Whether the authorization server still knows a client that was registered earlier. A server that
    /// doesn't know the client only says so in the browser and never redirects back. Therefore this asks in
    /// advance, with secrets that are not used otherwise. Any other response, or none, counts as yes, because
    /// it is no reason to discard the client.
    pub async fn is_client_known(&self, redirect: &Url) -> bool {
        let Ok(RequestUrl { url, .. }) = self.new_request_url(redirect) else { return true };
        let known = if self.server.require_pushed_authorization_requests {
            !matches!(self.push_request(&url).await, Err(error) if error.is_client_unknown())
        } else {
            let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("text/html"))]);
            let request = Request {
                purpose: Purpose::ClientIdentity,
                method: Method::GET,
                url,
                headers,
                body: Bytes::new(),
            };
            let answer = self.http.send(request).await;
            !answer.is_ok_and(|answer| is_client_rejected(&answer))
        };
        if !known {
            self.trail.record(Step::by_outcome(
                Purpose::ClientIdentity,
                true,
                say!("{issuer} doesn’t know this client any more", issuer = &self.server.issuer),
            ));
        }
        known
    }

    fn token_endpoint(&self) -> TokenEndpoint<'_> {
        TokenEndpoint {
            http: &self.http,
            trail: &self.trail,
            server: &self.server,
            client: &self.client,
            dpop: self.dpop.as_ref(),
            clock: &self.clock,
        }
    }

    /// The `prompt` parameter (OpenID Connect Core §3.1.2.1). It is one list, because a parameter must not
    /// occur twice.
    fn prompt_parameter(&self) -> Option<String> {
        // Without `consent`, providers of OpenID Connect ignore `offline_access` (Core §11), and issue no
        // refresh token.
        let consent = self.scopes.iter().any(|scope| scope == OFFLINE_ACCESS).then_some("consent");
        let values: Vec<_> = self.prompt_for_other_account().into_iter().chain(consent).collect();
        (!values.is_empty()).then(|| values.join(" "))
    }

    /// The `prompt` value for signing in with another account, if the server supports OpenID Connect. Every
    /// provider supports `login` (§15.1).
    fn prompt_for_other_account(&self) -> Option<&'static str> {
        let AuthorizationServer { userinfo_endpoint, prompt_values_supported, .. } = &self.server;
        let openid = userinfo_endpoint.is_some()
            || prompt_values_supported.is_some()
            || self.scopes.iter().any(|scope| scope == "openid");
        let knows = |value| prompt_values_supported.iter().flatten().any(|known| known == value);
        let prompt = if knows("select_account") { "select_account" } else { "login" };
        (self.other_account && openid).then_some(prompt)
    }

    /// The authorization endpoint, which the system's browser opens. It must be https, or http to this
    /// machine.
    fn authorization_endpoint(&self) -> Result<&Url, Error> {
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

/// The endpoint without those parameters of its query that a request sets itself, because no parameter may
/// occur twice (RFC 6749 §3.1).
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
    /// Waits for the authorization response, checks it and exchanges its code. Fails if the person takes too
    /// long.
    pub async fn finish(self) -> Result<TokenSet, Error> {
        let Self { flow, listener, expected, verifier, nonce } = self;
        let redirect = listener.redirect_uri().clone();
        let began = Instant::now();
        let judge = move |parameters: Parameters| match expected.check_response(&parameters) {
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

        let endpoint = flow.token_endpoint();
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
