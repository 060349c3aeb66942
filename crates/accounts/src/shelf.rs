//! Logins as they are kept: what has to be found without a key in columns, everything else sealed in one secret.

mod choice;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mooring_base::server_id::ServerId;
use mooring_oauth::{
    AssertionFile, Assertions, AuthorizationServer, Client, ClientAuthentication, Dpop, EnterpriseManaged,
    Error, Keep, Kept, Login, Reach, Renewal, TokenSet, TokenType,
};
use mooring_store::{
    LoginRow, LoginState, Logins, NewLogin, RegistrationRow, Registrations, SecretRow, Secrets, ServerLogins,
    Store, StoreError, Swapped, TokenFacts,
};
use mooring_vault::{Vault, VaultError, random_id};
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use url::Url;
use zeroize::Zeroizing;

use crate::purpose;
use crate::row::{sealed, secret_row};

/// How often a login is looked at again that changes while it is read.
const LOOKS: usize = 8;

/// The store and the vault, as logins need them.
#[derive(Debug, Clone)]
pub(super) struct Shelf {
    pub(super) logins: Logins,
    pub(super) registrations: Registrations,
    pub(super) servers: ServerLogins,
    secrets: Secrets,
    vault: Vault,
}

/// Why something was not kept.
#[derive(Debug)]
pub(super) enum Unkept {
    Store(StoreError),
    Unsealed(Error),
}

impl From<StoreError> for Unkept {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Error> for Unkept {
    fn from(error: Error) -> Self {
        Self::Unsealed(error)
    }
}

/// A login to be kept, with what its renewals need.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) kept: Kept,
    /// The server's own address.
    pub(super) url: Url,
    /// What it is kept under; where the server has metadata of its own, its `resource`.
    pub(super) resource: String,
    /// The person has that left out of what its authorization server is asked.
    pub(super) without_resource: bool,
    pub(super) account: Option<String>,
    pub(super) label: Option<String>,
    pub(super) registration: Option<i64>,
    /// Where renewals take an assertion from.
    pub(super) source: Source,
}

/// Which login a new one takes the place of, where nobody says who it is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Instead {
    /// None: it is somebody else's.
    Nothing,
    /// The one that the server uses, if it is nobody's in particular either, or another one of its own.
    Of { server: Option<ServerId>, before: Option<i64> },
}

/// Where the next token comes from, as it is written down.
#[derive(Debug, Clone, Default)]
pub(super) enum Source {
    #[default]
    Refresh,
    ClientCredentials,
    /// An assertion that a platform keeps fresh in a file.
    File(PathBuf),
    /// One that was given once: there is no other.
    Given,
    /// A grant of an enterprise's identity provider.
    Enterprise(Box<EnterpriseManaged>),
}

/// A login as it is written. Its texts leave no copy behind in memory.
#[derive(Serialize, Deserialize)]
struct Written {
    access: Zeroizing<String>,
    dpop_bound: bool,
    refresh: Option<Zeroizing<String>>,
    id_token: Option<Zeroizing<String>>,
    scopes: Option<Vec<String>>,
    expires_ms: Option<u64>,
    received_ms: u64,
    server: AuthorizationServer,
    client: WrittenClient,
    url: Url,
    resource: Option<String>,
    /// The server has one, and the person has it left out.
    #[serde(default)]
    without_resource: bool,
    asked: Vec<String>,
    dpop_key: Option<Zeroizing<String>>,
    reach: WrittenReach,
    source: WrittenSource,
}

#[derive(Serialize, Deserialize)]
struct WrittenClient {
    id: String,
    secret: Option<Zeroizing<String>>,
    authentication: WrittenAuthentication,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum WrittenAuthentication {
    None,
    Basic,
    Post,
    PrivateKeyJwt,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum WrittenReach {
    Public,
    Private,
    Loopback,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenSource {
    Refresh,
    ClientCredentials,
    Given,
    File(PathBuf),
    Enterprise {
        provider: Box<AuthorizationServer>,
        client: WrittenClient,
        id_token: Zeroizing<String>,
        audience: String,
        resource: String,
        scopes: Vec<String>,
    },
}

impl Shelf {
    pub(super) fn new(store: &Store, vault: Vault) -> Self {
        Self {
            logins: store.logins(),
            registrations: store.registrations(),
            servers: store.server_logins(),
            secrets: store.secrets(),
            vault,
        }
    }

    /// Has something sealed and kept, and once more where another process has changed the key in between.
    pub(super) async fn keeping<T, F>(&self, keep: impl Fn() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Unkept>>,
    {
        let kept = match keep().await {
            Err(Unkept::Store(StoreError::OtherKey)) => {
                self.vault.refresh().await.map_err(|error| vault_error(&error))?;
                keep().await
            }
            kept => kept,
        };
        kept.map_err(|unkept| match unkept {
            Unkept::Store(error) => store_error(&error),
            Unkept::Unsealed(error) => error,
        })
    }

    /// Seals a client's secret, if it has one, for this issuer.
    pub(super) async fn seal_client(
        &self,
        issuer: &str,
        client: &Client,
    ) -> Result<Option<SecretRow>, Error> {
        match &client.secret {
            Some(secret) => {
                let purpose = purpose::of_client(issuer, &client.id);
                self.seal(purpose::CLIENT, purpose, secret).await.map(Some)
            }
            None => Ok(None),
        }
    }

    /// Seals a text as a new row.
    async fn seal(&self, kind: &str, purpose: String, text: &SecretString) -> Result<SecretRow, Error> {
        self.vault.open().await.map_err(|error| vault_error(&error))?;
        let id = random_id().map_err(|error| vault_error(&error))?;
        let sealed = self.vault.seal(&id, &purpose, text).map_err(|error| vault_error(&error))?;
        Ok(secret_row(id, kind, purpose, sealed))
    }

    /// Opens a row that was sealed for this purpose.
    async fn unseal(&self, id: &str, purpose: &str) -> Result<Option<SecretString>, Error> {
        self.vault.open().await.map_err(|error| vault_error(&error))?;
        let Some(row) = self.secrets.get(id).await.map_err(|error| store_error(&error))? else {
            return Ok(None);
        };
        let opened = match sealed(&row).and_then(|sealed| self.vault.unseal(&row.id, purpose, &sealed)) {
            Err(VaultError::OtherKey) => {
                // Another process has changed the key.
                self.vault.refresh().await.map_err(|error| vault_error(&error))?;
                sealed(&row).and_then(|sealed| self.vault.unseal(&row.id, purpose, &sealed))
            }
            opened => opened,
        };
        opened.map(Some).map_err(|error| vault_error(&error))
    }

    /// The client of a registration, with its secret.
    pub(super) async fn registered_client(&self, row: &RegistrationRow) -> Result<Client, Error> {
        let secret = match &row.secret_id {
            Some(id) => {
                let known = &row.registration;
                self.unseal(id, &purpose::of_client(&known.issuer, &known.client_id)).await?
            }
            None => None,
        };
        let known = &row.registration;
        Ok(Client { id: known.client_id.clone(), secret, authentication: authentication(&known.method) })
    }

    /// Keeps a login: in the place of the one of the same account, or as a new one. One that somebody else changes in the
    /// same moment, with a renewal or a sign-in of their own, is looked at again: the newest sign-in counts.
    pub(super) async fn put(&self, draft: &Draft, instead: Instead) -> Result<LoginRow, Error> {
        let login = NewLogin {
            issuer: draft.kept.server.issuer.clone(),
            resource: draft.resource.clone(),
            account: draft.account.clone(),
            label: draft.label.clone(),
            registration_id: draft.registration,
        };
        let (login, text, facts) = (&login, &write(draft)?, &facts(draft, &draft.kept.tokens));
        for _ in 0..LOOKS {
            let same = &self.in_the_place_of(draft, instead).await?;
            let put = self.keeping(move || async move {
                let purpose = purpose::of_login(&login.issuer, &login.resource);
                let secret = self.seal(purpose::LOGIN, purpose, text).await?;
                match same {
                    Some(row) => {
                        let swapped = self.logins.commit_anew(row.id, row.version, login, facts, &secret);
                        Ok(match swapped.await? {
                            Swapped::Done(row) => Some(row),
                            Swapped::Lost(_) => None,
                        })
                    }
                    None => match self.logins.insert(login, facts, &secret).await {
                        Ok(row) => Ok(Some(row)),
                        Err(StoreError::AccountTaken { .. }) => Ok(None),
                        Err(error) => Err(error.into()),
                    },
                }
            });
            if let Some(row) = put.await? {
                return Ok(row);
            }
        }
        Err(Error::Unreachable(say!("the login was changed at the same time")))
    }

    /// The login in whose place a new one is kept, if there is one.
    async fn in_the_place_of(&self, draft: &Draft, instead: Instead) -> Result<Option<LoginRow>, Error> {
        let issuer = &draft.kept.server.issuer;
        let rows = self.logins.find(issuer, &draft.resource).await.map_err(|error| store_error(&error))?;
        let of_account = |row: &&LoginRow| row.login.account == draft.account;
        Ok(match (&draft.account, instead) {
            (Some(_), _) => rows.iter().find(of_account).cloned(),
            // Nobody says who it is, so that it may be anybody else.
            (None, Instead::Nothing) => None,
            (None, Instead::Of { server, before }) => {
                let uses = self.servers.list().await.map_err(|error| store_error(&error))?;
                // One that another server uses may be somebody else's.
                let is_own = |row: &&LoginRow| {
                    let mut users = uses.iter().filter(|(_, login, _)| *login == row.id);
                    users.all(|(user, ..)| server.is_some_and(|server| server.0 == *user))
                };
                let before = rows.iter().filter(of_account).find(|row| Some(row.id) == before);
                before.or_else(|| rows.iter().filter(of_account).find(is_own)).cloned()
            }
        })
    }

    /// What is sealed for a login, with the login as it was then: another process may give it new tokens between the two
    /// looks, and the secret of the old ones is gone.
    async fn read(&self, row: &LoginRow) -> Result<Option<(Written, LoginRow)>, Error> {
        let mut row = row.clone();
        for _ in 0..LOOKS {
            let Some(id) = &row.secret_id else { return Ok(None) };
            let purpose = purpose::of_login(&row.login.issuer, &row.login.resource);
            if let Some(text) = self.unseal(id, &purpose).await? {
                let written = serde_json::from_str(text.expose_secret());
                let written =
                    written.map_err(|_| Error::Refused(say!("the login that is kept cannot be read")))?;
                return Ok(Some((written, row)));
            }
            let now = self.logins.get(row.id).await.map_err(|error| store_error(&error))?;
            match now.filter(|now| now.secret_id != row.secret_id) {
                Some(now) => row = now,
                None => return Ok(None),
            }
        }
        Err(Error::Unreachable(say!("the login was changed at the same time")))
    }

    /// The version of a login; none where it is over.
    pub(super) async fn version(&self, login: &Login) -> Result<Option<u64>, Error> {
        let Ok(id) = login.account.parse() else { return Ok(None) };
        let version = self.logins.version(id).await.map_err(|error| store_error(&error))?;
        Ok(version.and_then(|version| u64::try_from(version).ok()))
    }

    /// The login's draft, from which a changed one can be made.
    pub(super) async fn draft(&self, row: &LoginRow) -> Result<Option<Draft>, Error> {
        let Some((written, row)) = self.read(row).await? else { return Ok(None) };
        draft_of(written, &row).map(Some)
    }

    async fn row(&self, login: &Login) -> Result<Option<LoginRow>, Error> {
        let Ok(id) = login.account.parse() else { return Ok(None) };
        let row = self.logins.get(id).await.map_err(|error| store_error(&error))?;
        Ok(row.filter(|row| row.state == LoginState::Active))
    }
}

/// How the broker calls a row.
pub(super) fn login_of(row: &LoginRow) -> Login {
    Login {
        issuer: row.login.issuer.clone(),
        resource: row.login.resource.clone(),
        account: row.id.to_string(),
    }
}

impl Keep for Shelf {
    async fn load(&self, login: &Login) -> Result<Option<Kept>, Error> {
        let Some(row) = self.row(login).await? else { return Ok(None) };
        Ok(self.draft(&row).await?.map(|draft| draft.kept))
    }

    async fn commit(&self, login: &Login, tokens: &TokenSet, replaces: u64) -> Result<Option<u64>, Error> {
        let Some(row) = self.row(login).await? else { return Ok(None) };
        let version = i64::try_from(replaces).unwrap_or(i64::MAX);
        if row.version != version {
            return Ok(None);
        }
        let Some(mut draft) = self.draft(&row).await? else { return Ok(None) };
        draft.kept.tokens = tokens.clone();
        let (id, text, facts) = (row.id, &write(&draft)?, &facts(&draft, tokens));
        let whose = &row.login;
        let committed = self.keeping(move || async move {
            let purpose = purpose::of_login(&whose.issuer, &whose.resource);
            let secret = self.seal(purpose::LOGIN, purpose, text).await?;
            Ok(self.logins.commit(id, version, facts, &secret).await?)
        });
        match committed.await? {
            Swapped::Done(row) => Ok(Some(version_of(&row))),
            Swapped::Lost(_) => Ok(None),
        }
    }

    async fn forget(&self, login: &Login, version: u64, why: &Sentence) -> Result<(), Error> {
        let Some(row) = self.row(login).await? else { return Ok(()) };
        let version = i64::try_from(version).unwrap_or(i64::MAX);
        let ended = self.logins.end(row.id, version, why).await;
        ended.map(|_| ()).map_err(|error| store_error(&error))
    }
}

fn version_of(row: &LoginRow) -> u64 {
    u64::try_from(row.version).unwrap_or_default()
}

fn facts(draft: &Draft, tokens: &TokenSet) -> TokenFacts {
    let asked = &draft.kept.scopes;
    let micros = |time: SystemTime| {
        let since = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
        i64::try_from(since).unwrap_or(i64::MAX)
    };
    TokenFacts {
        scopes_asked: asked.clone(),
        // As asked, where the server does not say (RFC 6749 §5.1).
        scopes_granted: tokens.scopes.clone().unwrap_or_else(|| asked.clone()),
        token_type: tokens.token_type.scheme().to_owned(),
        expires_at_us: tokens.expires_at.map(micros),
        refreshable: tokens.refresh.is_some() || !matches!(draft.kept.renewal, Renewal::Refresh),
    }
}

fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    u64::try_from(since).unwrap_or(u64::MAX)
}

fn time(millis: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(millis)
}

fn clear(secret: &SecretString) -> Zeroizing<String> {
    Zeroizing::new(secret.expose_secret().to_owned())
}

fn hidden(text: &Zeroizing<String>) -> SecretString {
    SecretString::from(text.as_str())
}

fn written_client(client: &Client) -> WrittenClient {
    WrittenClient {
        id: client.id.clone(),
        secret: client.secret.as_ref().map(clear),
        authentication: match client.authentication {
            ClientAuthentication::None => WrittenAuthentication::None,
            ClientAuthentication::Basic => WrittenAuthentication::Basic,
            ClientAuthentication::Post => WrittenAuthentication::Post,
            ClientAuthentication::PrivateKeyJwt => WrittenAuthentication::PrivateKeyJwt,
        },
    }
}

fn client_of(written: &WrittenClient) -> Client {
    Client {
        id: written.id.clone(),
        secret: written.secret.as_ref().map(hidden),
        authentication: match written.authentication {
            WrittenAuthentication::None => ClientAuthentication::None,
            WrittenAuthentication::Basic => ClientAuthentication::Basic,
            WrittenAuthentication::Post => ClientAuthentication::Post,
            WrittenAuthentication::PrivateKeyJwt => ClientAuthentication::PrivateKeyJwt,
        },
    }
}

fn write(draft: &Draft) -> Result<SecretString, Error> {
    let Kept { tokens, server, client, resource, scopes, dpop, reach, .. } = &draft.kept;
    let source = match &draft.source {
        Source::Refresh => WrittenSource::Refresh,
        Source::ClientCredentials => WrittenSource::ClientCredentials,
        Source::Given => WrittenSource::Given,
        Source::File(path) => WrittenSource::File(path.clone()),
        Source::Enterprise(grant) => WrittenSource::Enterprise {
            provider: Box::new(grant.provider.clone()),
            client: written_client(&grant.client),
            id_token: clear(&grant.id_token),
            audience: grant.audience.clone(),
            resource: grant.resource.clone(),
            scopes: grant.scopes.clone(),
        },
    };
    let dpop_key = dpop.as_ref().map(|dpop| dpop.to_pem().map(|pem| clear(&pem))).transpose()?;
    let written = Written {
        access: clear(&tokens.access),
        dpop_bound: tokens.token_type == TokenType::Dpop,
        refresh: tokens.refresh.as_ref().map(clear),
        id_token: tokens.id_token.as_ref().map(clear),
        scopes: tokens.scopes.clone(),
        expires_ms: tokens.expires_at.map(millis),
        received_ms: millis(tokens.received_at),
        server: server.clone(),
        client: written_client(client),
        url: draft.url.clone(),
        resource: resource.clone(),
        without_resource: draft.without_resource,
        asked: scopes.clone(),
        dpop_key,
        reach: match reach {
            Reach::Public => WrittenReach::Public,
            Reach::Private => WrittenReach::Private,
            Reach::Loopback => WrittenReach::Loopback,
        },
        source,
    };
    let text = serde_json::to_string(&written).map(Zeroizing::new);
    let text = text.map_err(|error| Error::Refused(Sentence::quoted(error.to_string())))?;
    Ok(hidden(&text))
}

fn draft_of(written: Written, row: &LoginRow) -> Result<Draft, Error> {
    let tokens = TokenSet {
        access: hidden(&written.access),
        token_type: if written.dpop_bound { TokenType::Dpop } else { TokenType::Bearer },
        refresh: written.refresh.as_ref().map(hidden),
        id_token: written.id_token.as_ref().map(hidden),
        scopes: written.scopes,
        expires_at: written.expires_ms.map(time),
        received_at: time(written.received_ms),
    };
    let reach = match written.reach {
        WrittenReach::Public => Reach::Public,
        WrittenReach::Private => Reach::Private,
        WrittenReach::Loopback => Reach::Loopback,
    };
    let (source, renewal) = match written.source {
        WrittenSource::Refresh => (Source::Refresh, Renewal::Refresh),
        // What was given once is used up; its token lives until it ends.
        WrittenSource::Given => (Source::Given, Renewal::Refresh),
        WrittenSource::ClientCredentials => (Source::ClientCredentials, Renewal::ClientCredentials),
        WrittenSource::File(path) => {
            let file: Arc<dyn Assertions> = Arc::new(AssertionFile(path.clone()));
            (Source::File(path), Renewal::Assertion(file))
        }
        WrittenSource::Enterprise { provider, client, id_token, audience, resource, scopes } => {
            let grant = EnterpriseManaged {
                http: mooring_oauth::Http::new(reach)?,
                trail: mooring_oauth::Trail::new(|_| {}),
                provider: *provider,
                client: client_of(&client),
                id_token: hidden(&id_token),
                audience,
                resource,
                scopes,
                clock: mooring_oauth::Clock::system(),
            };
            (Source::Enterprise(Box::new(grant.clone())), Renewal::Assertion(Arc::new(grant)))
        }
    };
    let dpop = written.dpop_key.as_ref().map(|pem| Dpop::from_pem(&hidden(pem))).transpose()?;
    let kept = Kept {
        tokens,
        version: version_of(row),
        server: written.server,
        client: client_of(&written.client),
        resource: written.resource,
        scopes: written.asked,
        dpop,
        reach,
        renewal,
    };
    Ok(Draft {
        kept,
        url: written.url,
        without_resource: written.without_resource,
        resource: row.login.resource.clone(),
        account: row.login.account.clone(),
        label: row.login.label.clone(),
        registration: row.login.registration_id,
        source,
    })
}

fn authentication(method: &str) -> ClientAuthentication {
    match method {
        "client_secret_basic" => ClientAuthentication::Basic,
        "client_secret_post" => ClientAuthentication::Post,
        "private_key_jwt" => ClientAuthentication::PrivateKeyJwt,
        _ => ClientAuthentication::None,
    }
}

/// The store's trouble passes, as far as a login is concerned.
pub(super) fn store_error(error: &StoreError) -> Error {
    Error::Unreachable(Sentence::quoted(error.to_string()))
}

/// So does the vault's: what is sealed waits for its key.
pub(super) fn vault_error(error: &VaultError) -> Error {
    let no_keychain = matches!(error, VaultError::Unavailable(why) if why.as_str() == "no_keychain");
    Error::Sealed { sentence: error.sentence(), next: error.next_step(), no_keychain }
}
