//! One sign-in, from the challenge to saved tokens.

use std::path::PathBuf;
use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_oauth::{
    AssertionFile, AssertionSource, AuthorizationCodeFlow, AuthorizationServer, Browser, Challenge, Client,
    ClientAuthentication, Discovery, DpopKey, EnterpriseManaged, Error, Http, Language, NetworkReach,
    ProtectedResource, Purpose, RedirectAddress, Renewal, RequestedAccess, StaticAssertion, Step,
    StepObserver, StoredLogin, TokenEndpoint, TokenSet, UserInfo, check_address, discover, server_metadata,
    step_up_scopes,
};
use mooring_store::LoginRow;
use mooring_words::{Sentence, say};
use secrecy::SecretString;
use url::Url;
use zeroize::Zeroizing;

use super::client::{ClientRecord, EnteredClient};
use super::{SignInService, SignInTarget, lock};
use crate::login_store::{LoginDraft, LoginReplacement, RenewalSource, store_error};

/// Maximum number of bytes of a client id and of its redirect URI.
const LONGEST_ID: usize = 4 * 1024;
/// Maximum number of bytes of a client's secret.
const LONGEST_SECRET: usize = 64 * 1024;

/// Options of a sign-in.
#[derive(Debug, Clone)]
pub struct SignInOptions {
    /// The grant to use.
    pub grant: SignInGrant,
    /// The client that the person registered. `None` if Mooring registers its own client, or reports what is
    /// missing.
    pub client: Option<Client>,
    /// The URL of our Client ID Metadata Document.
    pub document: Option<Url>,
    /// The redirect URI that the person registered the client with.
    pub redirect: Option<Url>,
    /// The port of the redirect URI. `None` for any free port. A fixed port is useful if the browser is on
    /// another computer and the port is forwarded.
    pub port: Option<u16>,
    /// The language of the page that the browser shows at the end.
    pub language: Language,
    /// Whether the tokens are bound to a key (DPoP, RFC 9449).
    pub token_binding: TokenBinding,
    /// Whether the person accepts that the authorization server does not announce PKCE. PKCE is used anyway.
    pub pkce_unannounced: bool,
    /// Whether to sign in with another account. The current login is kept then.
    pub other_account: bool,
    /// Whether the person omits the server's URL (the `resource` parameter, RFC 8707), because the
    /// authorization server refuses it. Renewals and the next sign-in keep this setting.
    pub without_resource: bool,
    /// Scopes to request in addition to those that the server names.
    pub scopes: Vec<String>,
}

/// The grant for a sign-in.
#[derive(Debug, Clone)]
pub enum SignInGrant {
    /// The authorization code grant, in a browser.
    AuthorizationCode,
    /// The client credentials grant.
    ClientCredentials,
    /// An assertion in a file that a platform keeps up to date (RFC 7523).
    AssertionFile(PathBuf),
    /// An assertion that is given once.
    Assertion(SecretString),
    /// A grant of an enterprise's identity provider.
    Enterprise(Box<EnterpriseProvider>),
}

/// The identity provider of an enterprise.
#[derive(Debug, Clone)]
pub struct EnterpriseProvider {
    /// The issuer of the identity provider.
    pub issuer: String,
    /// The token endpoint. `None` to read it from the metadata.
    pub token_endpoint: Option<Url>,
    /// Our client at the identity provider.
    pub client: Client,
    /// The ID token of the person's sign-in there.
    pub id_token: SecretString,
}

/// Whether tokens are bound to a key (DPoP, RFC 9449).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenBinding {
    /// Only if the server says that it accepts bound tokens. It is not enough that the authorization server
    /// supports them: most servers behind it only accept `Bearer`.
    IfAccepted,
    /// Never.
    Never,
}

impl Default for SignInOptions {
    fn default() -> Self {
        Self {
            grant: SignInGrant::AuthorizationCode,
            client: None,
            document: None,
            redirect: None,
            port: None,
            language: Language::English,
            token_binding: TokenBinding::IfAccepted,
            pkce_unannounced: false,
            other_account: false,
            without_resource: false,
            scopes: Vec::new(),
        }
    }
}

/// Why a client that the person entered can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidClient(pub Sentence);

impl SignInOptions {
    /// Sets a client that the person registered: its id, its secret or its private key as PEM text, and its
    /// redirect URI. Empty texts count as absent.
    pub fn with_client(
        mut self,
        id: &str,
        secret: Option<String>,
        redirect: Option<&str>,
    ) -> Result<Self, InvalidClient> {
        let secret = secret.map(Zeroizing::new);
        let id = id.trim();
        let secret = secret.as_deref().map(|secret| secret.trim()).filter(|secret| !secret.is_empty());
        let redirect = redirect.map(str::trim).filter(|redirect| !redirect.is_empty());
        let longest = [id.len(), redirect.map_or(0, str::len)].into_iter().max();
        if longest > Some(LONGEST_ID) || secret.is_some_and(|secret| secret.len() > LONGEST_SECRET) {
            return Err(InvalidClient(say!("this is too long for a client ID, secret or URL")));
        }
        if id.is_empty() && secret.is_some() {
            return Err(InvalidClient(say!("a client secret needs a client ID")));
        }
        if let Some(redirect) = redirect {
            let place = Url::parse(redirect).ok().filter(|url| RedirectAddress::from_registered(url).is_ok());
            self.redirect = Some(place.ok_or_else(|| {
                InvalidClient(say!(
                    "{address} can’t be the redirect URI: it must be http to this computer, without a query",
                    address = redirect
                ))
            })?);
        }
        if !id.is_empty() {
            // The authentication method is the one that the server supports, unless the secret is a private
            // key.
            let is_key = secret.is_some_and(|secret| secret.starts_with("-----BEGIN"));
            let authentication =
                if is_key { ClientAuthentication::PrivateKeyJwt } else { ClientAuthentication::None };
            let secret = secret.map(SecretString::from);
            self.client = Some(Client { id: id.to_owned(), secret, authentication });
        }
        Ok(self)
    }
}

/// A sign-in in progress, after discovery.
pub(super) struct SignInFlow<'a> {
    pub(super) sign_ins: &'a SignInService,
    pub(super) asking: SignInTarget,
    pub(super) wanted: &'a SignInOptions,
    pub(super) http: Http,
    pub(super) trail: StepObserver,
    pub(super) found: Discovery,
    pub(super) dpop: Option<DpopKey>,
    pub(super) scopes: Vec<String>,
    /// Whether the sign-in requests more scopes than the current login has. The client is known then.
    pub(super) steps_up: bool,
    /// The client that the person entered for this server earlier.
    pub(super) entered: Option<EnteredClient>,
}

impl SignInService {
    /// Signs in to a server because the person requested it. `browser` is only opened for
    /// [`SignInGrant::AuthorizationCode`]. Each step is reported to `trail`. Dropping the future cancels the
    /// sign-in.
    pub async fn sign_in(
        &self,
        server: Option<ServerId>,
        url: &Url,
        wanted: &SignInOptions,
        browser: &dyn Browser,
        trail: StepObserver,
    ) -> Result<LoginRow, Error> {
        let login_store = &self.inner.login_store;
        // Ensures that the result can be saved, before the person is asked for anything.
        self.inner.vault.open().await.map_err(|error| crate::login_store::vault_error(&error))?;
        let asking = SignInTarget { server, url: url.clone() };
        let challenge = self.last_challenge(&asking);
        let before = login_store.find_login(server, url, None).await?;
        let reach = NetworkReach::of_resolved(url).await;
        let http = Http::new(&login_store.network, reach);
        let remembered = before.as_ref().map(|row| row.login.issuer.as_str());
        let mut found = discover(&http, url, &challenge, remembered, &trail).await?;
        let resource = found.resource.clone().unwrap_or_else(|| url.as_str().to_owned());
        let without_resource = self.omits_resource(wanted, before.as_ref(), &found).await?;
        if without_resource {
            found.resource = None;
            let sentence = say!("the server’s URL (resource) is left out of the request, as you allowed");
            trail.record(Step::by_outcome(Purpose::Authorization, true, sentence));
        }

        let before_registration = before.as_ref().and_then(|row| row.login.registration_id);
        let steps_up = challenge.error.as_deref() == Some("insufficient_scope");
        let same = before.filter(|row| row.login.issuer == found.server.issuer);
        let mut added = wanted.scopes.clone();
        let stays = same.as_ref().filter(|_| !wanted.other_account);
        if let Some(row) = stays {
            added.extend(
                login_store.logins.requested_scopes(row.id).await.map_err(|error| store_error(&error))?,
            );
        }
        let scopes = match stays {
            Some(row) if steps_up || !added.is_empty() => {
                let mut earlier = row.tokens.scopes_granted.clone();
                earlier.extend(row.tokens.scopes_asked.iter().cloned());
                step_up_scopes(&earlier, challenge.scope.as_deref(), &found.server)
            }
            _ => found.scopes.clone(),
        };
        let scopes = if added.is_empty() {
            scopes
        } else {
            let sentence = say!("additionally requested: {scopes}", scopes = added.join(" "));
            trail.record(Step::by_outcome(Purpose::Authorization, true, sentence));
            step_up_scopes(&scopes, Some(&added.join(" ")), &found.server)
        };
        let dpop =
            if wanted.token_binding == TokenBinding::IfAccepted && takes_bound_tokens(&found, &challenge) {
                Some(DpopKey::generate()?)
            } else {
                None
            };
        let entered = self.load_entered_client(before_registration, &found.server.issuer).await?;
        let flow = SignInFlow {
            sign_ins: self,
            asking,
            wanted,
            http,
            trail,
            found,
            dpop,
            scopes,
            steps_up,
            entered,
        };
        let granted = Box::pin(flow.request_tokens(browser)).await;
        let sent = flow.found.resource.is_some();
        let (client, known, tokens, source, renewal) =
            granted.map_err(|error| if sent { error.into_resource_refused() } else { error })?;

        let profile = flow.read_user_info(&client, &tokens).await;
        let registration = flow.save_registration(&client, known).await?;
        let same = same.filter(|_| !wanted.other_account);
        let SignInFlow { found, dpop, scopes, asking, .. } = flow;
        lock(&self.inner.clients_wanted).remove(&asking);
        let draft = LoginDraft {
            resource,
            without_resource,
            login: StoredLogin {
                tokens,
                version: 0,
                server: found.server,
                client,
                resource: found.resource,
                scopes,
                dpop,
                reach,
                renewal,
            },
            url: url.clone(),
            // If the server does not name the account, it is assumed to be the same as before.
            account: profile.subject.or_else(|| same.as_ref().and_then(|row| row.login.account.clone())),
            label: profile.email.or(profile.name),
            registration,
            source,
        };
        let instead = if wanted.other_account {
            LoginReplacement::Never
        } else {
            LoginReplacement::Unnamed { server, before: same.map(|row| row.id) }
        };
        let row = login_store.save_login(&draft, instead).await?;
        let login = crate::login_store::login_id(&row);
        self.inner.token_cache.remove(&login);
        lock(&self.inner.shown_as_bearer).remove(&login);
        if let Some(server) = server {
            login_store.servers.choose(server.0, row.id).await.map_err(|error| store_error(&error))?;
        }
        Ok(row)
    }

    /// Whether the `resource` parameter is omitted, because the person wants that now, or wanted it at the
    /// previous sign-in with the same issuer.
    async fn omits_resource(
        &self,
        wanted: &SignInOptions,
        before: Option<&LoginRow>,
        found: &Discovery,
    ) -> Result<bool, Error> {
        if found.legacy || matches!(wanted.grant, SignInGrant::Enterprise(_)) {
            return Ok(false);
        }
        match before.filter(|row| row.login.issuer == found.server.issuer) {
            Some(row) if !wanted.without_resource => {
                Ok(self.inner.login_store.load_draft(row).await?.is_some_and(|draft| draft.without_resource))
            }
            _ => Ok(wanted.without_resource),
        }
    }
}

/// Whether to request bound tokens: if the server requires them, or if it accepts them, according to its
/// metadata or its challenge, and its authorization server can issue them.
fn takes_bound_tokens(found: &Discovery, challenge: &Challenge) -> bool {
    let metadata = found.resource_metadata.as_ref();
    let required = metadata.is_some_and(|resource| resource.dpop_bound_access_tokens_required);
    let taken = challenge.dpop || metadata.is_some_and(ProtectedResource::takes_bound_tokens);
    required || taken && DpopKey::is_offered_by(&found.server)
}

type GrantResult = (Client, ClientRecord, TokenSet, RenewalSource, Renewal);

impl SignInFlow<'_> {
    async fn request_tokens(&self, browser: &dyn Browser) -> Result<GrantResult, Error> {
        let clock = &self.sign_ins.inner.clock;
        let wanted = RequestedAccess { resource: self.found.resource.as_deref(), scopes: &self.scopes };
        match &self.wanted.grant {
            SignInGrant::AuthorizationCode => self.run_browser_flow(browser).await,
            SignInGrant::ClientCredentials => {
                let client = self.require_entered_client()?;
                let tokens = self.token_endpoint(&client, clock).client_credentials(wanted).await?;
                Ok((
                    client,
                    ClientRecord::ENTERED,
                    tokens,
                    RenewalSource::ClientCredentials,
                    Renewal::ClientCredentials,
                ))
            }
            SignInGrant::AssertionFile(path) => {
                let file: Arc<dyn AssertionSource> = Arc::new(AssertionFile(path.clone()));
                let (client, tokens) = self.exchange_assertion(&file, wanted).await?;
                Ok((
                    client,
                    ClientRecord::ENTERED,
                    tokens,
                    RenewalSource::File(path.clone()),
                    Renewal::Assertion(file),
                ))
            }
            SignInGrant::Assertion(assertion) => {
                let given: Arc<dyn AssertionSource> = Arc::new(StaticAssertion(assertion.clone()));
                let (client, tokens) = self.exchange_assertion(&given, wanted).await?;
                Ok((client, ClientRecord::ENTERED, tokens, RenewalSource::Given, Renewal::Refresh))
            }
            SignInGrant::Enterprise(enterprise) => {
                let provider = match &enterprise.token_endpoint {
                    Some(endpoint) => AuthorizationServer {
                        issuer: enterprise.issuer.clone(),
                        token_endpoint: Some(check_address(endpoint.as_str()).map_err(Error::Refused)?),
                        ..AuthorizationServer::default()
                    },
                    None => server_metadata(&self.http, &enterprise.issuer, &self.trail).await?,
                };
                let resource = self.found.resource.clone();
                let grant = EnterpriseManaged {
                    http: self.http.clone(),
                    trail: self.trail.clone(),
                    provider,
                    client: enterprise.client.clone(),
                    id_token: enterprise.id_token.clone(),
                    audience: self.found.server.issuer.clone(),
                    resource: resource.ok_or_else(|| {
                        Error::Refused(say!(
                            "a server without its own metadata doesn’t support enterprise-managed authorization"
                        ))
                    })?,
                    scopes: self.scopes.clone(),
                    clock: clock.clone(),
                };
                let source: Arc<dyn AssertionSource> = Arc::new(grant.clone());
                let (client, tokens) = self.exchange_assertion(&source, wanted).await?;
                Ok((
                    client,
                    ClientRecord::ENTERED,
                    tokens,
                    RenewalSource::Enterprise(Box::new(grant)),
                    Renewal::Assertion(source),
                ))
            }
        }
    }

    async fn exchange_assertion(
        &self,
        source: &Arc<dyn AssertionSource>,
        wanted: RequestedAccess<'_>,
    ) -> Result<(Client, TokenSet), Error> {
        let client = self.require_entered_client()?;
        let assertion = source.assertion().await?;
        let endpoint = self.token_endpoint(&client, &self.sign_ins.inner.clock);
        let tokens = endpoint.jwt_bearer(&assertion, wanted).await?;
        Ok((client, tokens))
    }

    fn token_endpoint<'a>(
        &'a self,
        client: &'a Client,
        clock: &'a mooring_oauth::Clock,
    ) -> TokenEndpoint<'a> {
        TokenEndpoint {
            http: &self.http,
            trail: &self.trail,
            server: &self.found.server,
            client,
            dpop: self.dpop.as_ref(),
            clock,
        }
    }

    async fn run_browser_flow(&self, browser: &dyn Browser) -> Result<GrantResult, Error> {
        // Checked before anything is registered that could not be used.
        self.found.server.check_pkce_or(self.wanted.pkce_unannounced)?;
        let (client, known, listener) = self.resolve_client().await?;
        let tokens = self.build_code_flow(&client).run(listener, browser).await?;
        Ok((client, known, tokens, RenewalSource::Refresh, Renewal::Refresh))
    }

    /// The authorization code flow of a client.
    pub(super) fn build_code_flow(&self, client: &Client) -> AuthorizationCodeFlow {
        AuthorizationCodeFlow {
            http: self.http.clone(),
            trail: self.trail.clone(),
            server: self.found.server.clone(),
            client: client.clone(),
            resource: self.found.resource.clone(),
            scopes: self.scopes.clone(),
            dpop: self.dpop.clone(),
            pkce_unannounced: self.wanted.pkce_unannounced,
            other_account: self.wanted.other_account,
            within: AuthorizationCodeFlow::WITHIN,
            clock: self.sign_ins.inner.clock.clone(),
        }
    }

    /// The person who signed in, according to the tokens or the `userinfo` endpoint. Without either, the
    /// sign-in continues without a name.
    async fn read_user_info(&self, client: &Client, tokens: &TokenSet) -> UserInfo {
        let issuer = &self.found.server.issuer;
        let sentence =
            tokens.id_token.as_ref().and_then(|token| UserInfo::from_id_token(token, issuer, &client.id));
        let granted = tokens.scopes.as_ref().unwrap_or(&self.scopes);
        if sentence.is_some() || !granted.iter().any(|scope| scope == "openid") {
            return sentence.unwrap_or_default();
        }
        let endpoint = self.token_endpoint(client, &self.sign_ins.inner.clock);
        match UserInfo::fetch(&endpoint, tokens, None).await {
            Ok(profile) => profile.unwrap_or_default(),
            Err(error) => {
                tracing::info!(%error, "who signed in is not known");
                UserInfo::default()
            }
        }
    }
}
