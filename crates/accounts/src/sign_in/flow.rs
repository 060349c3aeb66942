//! One sign-in, from what the server asked for to tokens that are kept.

use std::path::PathBuf;
use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_oauth::{
    AssertionFile, Assertions, AuthorizationServer, Browser, Client, ClientAuthentication, Discovery, Dpop,
    EnterpriseManaged, Error, Flow, For, GivenAssertion, Http, Kept, Language, Place, Profile, Purpose,
    Reach, Renewal, Step, TokenEndpoint, TokenSet, Trail, check_address, discover, more_scopes,
    server_metadata,
};
use mooring_store::LoginRow;
use mooring_words::{Sentence, say};
use secrecy::SecretString;
use url::Url;
use zeroize::Zeroizing;

use super::client::{Entered, Known};
use super::{Asking, SignIns, lock};
use crate::shelf::{Draft, Instead, Source, store_error};

/// Longest id and redirect address of a client that are taken, in bytes.
const LONGEST_ID: usize = 4 * 1024;
/// Longest secret of a client.
const LONGEST_SECRET: usize = 64 * 1024;

/// How somebody signs in.
#[derive(Debug, Clone)]
pub struct SignIn {
    /// By which grant.
    pub way: SignInWay,
    /// The client that somebody registered by hand; none: we register ourselves, or say what is missing.
    pub client: Option<Client>,
    /// Where our client's document is published.
    pub document: Option<Url>,
    /// The address for the answer that the client was registered with by hand.
    pub redirect: Option<Url>,
    /// What the page in the browser speaks.
    pub language: Language,
    /// Binds the tokens to a key where the server wants or offers that (RFC 9449).
    pub tie: Tie,
    /// The person lets this server be silent about PKCE, which is used all the same.
    pub pkce_unannounced: bool,
    /// As somebody else than the login in use, which stays.
    pub another: bool,
    /// The person lets the server's address (`resource`, RFC 8707) be left out, for an authorization server that refuses
    /// it. The login remembers it, and so do its renewals and the next sign-in.
    pub without_resource: bool,
    /// Scopes to ask for beside those that the server names.
    pub scopes: Vec<String>,
}

/// By which grant somebody signs in.
#[derive(Debug, Clone)]
pub enum SignInWay {
    /// In a browser, as oneself.
    Browser,
    /// With the client's own credentials.
    Client,
    /// With an assertion that a platform keeps in a file (RFC 7523).
    AssertionFile(PathBuf),
    /// With an assertion that is given.
    Assertion(SecretString),
    /// With a grant of an enterprise's identity provider.
    Enterprise(Box<Enterprise>),
}

/// Who gives grants for an enterprise's people.
#[derive(Debug, Clone)]
pub struct Enterprise {
    /// The identity provider.
    pub issuer: String,
    /// Its token endpoint; none: its metadata says.
    pub token_endpoint: Option<Url>,
    /// Who we are there.
    pub client: Client,
    /// The ID token of the person's sign-in there.
    pub id_token: SecretString,
}

/// When tokens are bound to a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tie {
    /// Where the server's metadata asks for it or its authorization server offers it.
    WhereOffered,
    /// Never.
    Never,
}

impl Default for SignIn {
    fn default() -> Self {
        Self {
            way: SignInWay::Browser,
            client: None,
            document: None,
            redirect: None,
            language: Language::English,
            tie: Tie::WhereOffered,
            pkce_unannounced: false,
            another: false,
            without_resource: false,
            scopes: Vec::new(),
        }
    }
}

/// Why a client that was entered by hand cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidClient(pub Sentence);

impl SignIn {
    /// The same with a client that somebody registered by hand: its id, its secret or its private key as PEM text, and
    /// the redirect address it was registered with. Of empty texts there is none.
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
            return Err(InvalidClient(say!("this is too long for a client's id, secret or address")));
        }
        if id.is_empty() && secret.is_some() {
            return Err(InvalidClient(say!("a client's secret needs the client's id")));
        }
        if let Some(redirect) = redirect {
            let place = Url::parse(redirect).ok().filter(|url| Place::registered(url).is_ok());
            self.redirect = Some(place.ok_or_else(|| {
                InvalidClient(say!(
                    "no answer can be received at {address}: it must be http to this machine, without query",
                    address = redirect
                ))
            })?);
        }
        if !id.is_empty() {
            // How it authenticates is what its server supports, unless the secret is a key.
            let is_key = secret.is_some_and(|secret| secret.starts_with("-----BEGIN"));
            let authentication =
                if is_key { ClientAuthentication::PrivateKeyJwt } else { ClientAuthentication::None };
            let secret = secret.map(SecretString::from);
            self.client = Some(Client { id: id.to_owned(), secret, authentication });
        }
        Ok(self)
    }
}

/// What a sign-in knows on its way.
pub(super) struct Under<'a> {
    pub(super) sign_ins: &'a SignIns,
    pub(super) asking: Asking,
    pub(super) wanted: &'a SignIn,
    pub(super) http: Http,
    pub(super) trail: Trail,
    pub(super) found: Discovery,
    pub(super) dpop: Option<Dpop>,
    pub(super) scopes: Vec<String>,
    /// What was entered for this server before.
    pub(super) entered: Option<Entered>,
}

impl SignIns {
    /// Signs in to a server, because the person wants it now. `browser` is opened only for [`SignInWay::Browser`]; each
    /// step is told to `trail`. Dropping the future cancels it.
    pub async fn sign_in(
        &self,
        server: Option<ServerId>,
        url: &Url,
        wanted: &SignIn,
        browser: &dyn Browser,
        trail: Trail,
    ) -> Result<LoginRow, Error> {
        let shelf = &self.inner.shelf;
        // Nothing is asked of anybody before it is certain that what they give can be kept.
        self.inner.vault.open().await.map_err(|error| crate::shelf::vault_error(&error))?;
        let asking = Asking { server, url: url.clone() };
        let challenge = self.asked(&asking);
        let before = shelf.login_of(server, url, None).await?;
        let reach = Reach::found(url).await;
        let http = Http::new(reach)?;
        let remembered = before.as_ref().map(|row| row.login.issuer.as_str());
        let mut found = discover(&http, url, &challenge, remembered, &trail).await?;
        let resource = found.resource.clone().unwrap_or_else(|| url.as_str().to_owned());
        let without_resource = self.leaves_resource_out(wanted, before.as_ref(), &found).await?;
        if without_resource {
            found.resource = None;
            let told =
                say!("the server's address (resource) is left out of what is asked for, as you allowed");
            trail.tell(Step::decided(Purpose::Authorization, true, told));
        }

        let before_registration = before.as_ref().and_then(|row| row.login.registration_id);
        let steps_up = challenge.error.as_deref() == Some("insufficient_scope");
        let same = before.filter(|row| row.login.issuer == found.server.issuer);
        let mut added = wanted.scopes.clone();
        let stays = same.as_ref().filter(|_| !wanted.another);
        if let Some(row) = stays {
            added.extend(shelf.logins.wanted(row.id).await.map_err(|error| store_error(&error))?);
        }
        let scopes = match stays {
            Some(row) if steps_up || !added.is_empty() => {
                let mut earlier = row.tokens.scopes_granted.clone();
                earlier.extend(row.tokens.scopes_asked.iter().cloned());
                more_scopes(&earlier, challenge.scope.as_deref(), &found.server)
            }
            _ => found.scopes.clone(),
        };
        let scopes = if added.is_empty() {
            scopes
        } else {
            let told = say!("asked for in addition: {scopes}", scopes = added.join(" "));
            trail.tell(Step::decided(Purpose::Authorization, true, told));
            more_scopes(&scopes, Some(&added.join(" ")), &found.server)
        };
        let bound = found.resource_metadata.as_ref().is_some_and(|it| it.dpop_bound_access_tokens_required);
        let tied = wanted.tie == Tie::WhereOffered && (bound || Dpop::is_offered_by(&found.server));
        let dpop = if tied { Some(Dpop::generate()?) } else { None };
        let entered = self.entered(before_registration, &found.server.issuer).await?;
        let under = Under { sign_ins: self, asking, wanted, http, trail, found, dpop, scopes, entered };
        let granted = Box::pin(under.tokens(browser)).await;
        let sent = under.found.resource.is_some();
        let (client, known, tokens, source, renewal) =
            granted.map_err(|error| if sent { error.to_resource() } else { error })?;

        let profile = under.profile(&client, &tokens).await;
        let registration = under.known(&client, known).await?;
        let same = same.filter(|_| !wanted.another);
        let Under { found, dpop, scopes, asking, .. } = under;
        lock(&self.inner.clients_wanted).remove(&asking);
        let draft = Draft {
            resource,
            without_resource,
            kept: Kept {
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
            // Where nobody says who it is, it is who it was.
            account: profile.subject.or_else(|| same.as_ref().and_then(|row| row.login.account.clone())),
            label: profile.email.or(profile.name),
            registration,
            source,
        };
        let instead = if wanted.another {
            Instead::Nothing
        } else {
            Instead::Of { server, before: same.map(|row| row.id) }
        };
        let row = shelf.put(&draft, instead).await?;
        self.inner.held.let_go(&crate::shelf::login_of(&row));
        if let Some(server) = server {
            shelf.servers.choose(server.0, row.id).await.map_err(|error| store_error(&error))?;
        }
        Ok(row)
    }

    /// Whether the server's address is left out: the person wants it so, or did at the sign-in before, at the same issuer.
    async fn leaves_resource_out(
        &self,
        wanted: &SignIn,
        before: Option<&LoginRow>,
        found: &Discovery,
    ) -> Result<bool, Error> {
        if found.legacy || matches!(wanted.way, SignInWay::Enterprise(_)) {
            return Ok(false);
        }
        match before.filter(|row| row.login.issuer == found.server.issuer) {
            Some(row) if !wanted.without_resource => {
                Ok(self.inner.shelf.draft(row).await?.is_some_and(|draft| draft.without_resource))
            }
            _ => Ok(wanted.without_resource),
        }
    }
}

type Granted = (Client, Known, TokenSet, Source, Renewal);

impl Under<'_> {
    async fn tokens(&self, browser: &dyn Browser) -> Result<Granted, Error> {
        let clock = &self.sign_ins.inner.clock;
        let wanted = For { resource: self.found.resource.as_deref(), scopes: &self.scopes };
        match &self.wanted.way {
            SignInWay::Browser => self.in_browser(browser).await,
            SignInWay::Client => {
                let client = self.entered()?;
                let tokens = self.endpoint(&client, clock).client_credentials(wanted).await?;
                Ok((client, Known::BY_HAND, tokens, Source::ClientCredentials, Renewal::ClientCredentials))
            }
            SignInWay::AssertionFile(path) => {
                let file: Arc<dyn Assertions> = Arc::new(AssertionFile(path.clone()));
                let (client, tokens) = self.by_assertion(&file, wanted).await?;
                Ok((client, Known::BY_HAND, tokens, Source::File(path.clone()), Renewal::Assertion(file)))
            }
            SignInWay::Assertion(assertion) => {
                let given: Arc<dyn Assertions> = Arc::new(GivenAssertion(assertion.clone()));
                let (client, tokens) = self.by_assertion(&given, wanted).await?;
                Ok((client, Known::BY_HAND, tokens, Source::Given, Renewal::Refresh))
            }
            SignInWay::Enterprise(enterprise) => {
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
                            "a server without metadata of its own takes no grants of an enterprise"
                        ))
                    })?,
                    scopes: self.scopes.clone(),
                    clock: clock.clone(),
                };
                let source: Arc<dyn Assertions> = Arc::new(grant.clone());
                let (client, tokens) = self.by_assertion(&source, wanted).await?;
                Ok((
                    client,
                    Known::BY_HAND,
                    tokens,
                    Source::Enterprise(Box::new(grant)),
                    Renewal::Assertion(source),
                ))
            }
        }
    }

    async fn by_assertion(
        &self,
        source: &Arc<dyn Assertions>,
        wanted: For<'_>,
    ) -> Result<(Client, TokenSet), Error> {
        let client = self.entered()?;
        let assertion = source.assertion().await?;
        let endpoint = self.endpoint(&client, &self.sign_ins.inner.clock);
        let tokens = endpoint.jwt_bearer(&assertion, wanted).await?;
        Ok((client, tokens))
    }

    fn endpoint<'a>(&'a self, client: &'a Client, clock: &'a mooring_oauth::Clock) -> TokenEndpoint<'a> {
        TokenEndpoint {
            http: &self.http,
            trail: &self.trail,
            server: &self.found.server,
            client,
            dpop: self.dpop.as_ref(),
            clock,
        }
    }

    async fn in_browser(&self, browser: &dyn Browser) -> Result<Granted, Error> {
        // Before anything is registered that could not be used.
        self.found.server.check_pkce_or(self.wanted.pkce_unannounced)?;
        let (client, known, listener) = self.client().await?;
        let flow = Flow {
            http: self.http.clone(),
            trail: self.trail.clone(),
            server: self.found.server.clone(),
            client: client.clone(),
            resource: self.found.resource.clone(),
            scopes: self.scopes.clone(),
            dpop: self.dpop.clone(),
            pkce_unannounced: self.wanted.pkce_unannounced,
            another: self.wanted.another,
            within: Flow::WITHIN,
            clock: self.sign_ins.inner.clock.clone(),
        };
        let tokens = flow.run(listener, browser).await?;
        Ok((client, known, tokens, Source::Refresh, Renewal::Refresh))
    }

    /// Who signed in, where the tokens say so or their server is to be asked. Nobody is kept from a login because its server
    /// does not say.
    async fn profile(&self, client: &Client, tokens: &TokenSet) -> Profile {
        let issuer = &self.found.server.issuer;
        let told = tokens.id_token.as_ref().and_then(|token| Profile::of_id_token(token, issuer, &client.id));
        let granted = tokens.scopes.as_ref().unwrap_or(&self.scopes);
        if told.is_some() || !granted.iter().any(|scope| scope == "openid") {
            return told.unwrap_or_default();
        }
        let endpoint = self.endpoint(client, &self.sign_ins.inner.clock);
        match Profile::ask(&endpoint, tokens, None).await {
            Ok(profile) => profile.unwrap_or_default(),
            Err(error) => {
                tracing::info!(%error, "who signed in is not known");
                Profile::default()
            }
        }
    }
}
