//! Logins in the database. Only the data that identifies a login is in columns. Everything else is encrypted
//! in one secret.

mod lookup;
mod tokens;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mooring_base::server_id::ServerId;
use mooring_disk::StoreError;
use mooring_network::Network;
use mooring_oauth::{
    AssertionFile, AssertionSource, AuthorizationServer, Client, ClientAuthentication, DpopKey,
    EnterpriseManaged, Error, LoginId, NetworkReach, Renewal, StoredLogin, TokenSet, TokenType,
};
use mooring_store::{
    LoginRow, LoginState, LoginUpdate, Logins, NewLogin, RegistrationRow, Registrations, SecretRow, Secrets,
    ServerLogins, Store,
};
use mooring_vault::{Vault, VaultError, random_id};
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use url::Url;
use zeroize::Zeroizing;

use self::tokens::{token_facts, version_of};
use crate::purpose;
use crate::row::{encrypted_blob, secret_row};

/// How often an operation is retried because another process changed the login.
const MAX_RETRIES: usize = 8;

/// Loads and saves logins, using the store and the vault.
#[derive(Debug, Clone)]
pub(super) struct LoginStore {
    pub(super) logins: Logins,
    pub(super) registrations: Registrations,
    pub(super) servers: ServerLogins,
    secrets: Secrets,
    vault: Vault,
    pub(super) network: Network,
}

/// Why a login or a client was not saved.
#[derive(Debug)]
pub(super) enum SaveError {
    Store(StoreError),
    Vault(Error),
}

impl From<StoreError> for SaveError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Error> for SaveError {
    fn from(error: Error) -> Self {
        Self::Vault(error)
    }
}

/// A login to save, with everything that a renewal needs.
#[derive(Debug, Clone)]
pub(super) struct LoginDraft {
    pub(super) login: StoredLogin,
    /// The server's URL.
    pub(super) url: Url,
    /// The login's `resource` column: the `resource` of the server's protected resource metadata, or else the
    /// server's URL.
    pub(super) resource: String,
    /// Whether the person chose to omit the `resource` parameter.
    pub(super) without_resource: bool,
    pub(super) account: Option<String>,
    pub(super) label: Option<String>,
    pub(super) registration: Option<i64>,
    /// Where renewals get the next token or assertion.
    pub(super) source: RenewalSource,
}

/// Which login a new one replaces if the token does not name the account.
#[derive(Debug, Clone, Copy)]
pub(super) enum LoginReplacement {
    /// No login, because the person signs in with another account.
    Never,
    /// The login that the server uses, if it names no account either. Otherwise, another login that names no
    /// account and that only this server uses.
    Unnamed { server: Option<ServerId>, before: Option<i64> },
}

/// Where a renewal gets the next token from.
#[derive(Debug, Clone, Default)]
pub(super) enum RenewalSource {
    #[default]
    Refresh,
    ClientCredentials,
    /// An assertion in a file that a platform keeps up to date.
    File(PathBuf),
    /// An assertion that was given once. There will be no other.
    Given,
    /// A grant of an enterprise's identity provider.
    Enterprise(Box<EnterpriseManaged>),
}

/// The login as JSON, before it is encrypted. Its texts are zeroized on drop.
#[derive(Serialize, Deserialize)]
struct SerializedLogin {
    access: Zeroizing<String>,
    dpop_bound: bool,
    refresh: Option<Zeroizing<String>>,
    id_token: Option<Zeroizing<String>>,
    scopes: Option<Vec<String>>,
    expires_ms: Option<u64>,
    received_ms: u64,
    server: AuthorizationServer,
    client: SerializedClient,
    url: Url,
    resource: Option<String>,
    /// Whether the person omits the `resource` parameter, although the server has a resource.
    #[serde(default)]
    without_resource: bool,
    asked: Vec<String>,
    dpop_key: Option<Zeroizing<String>>,
    reach: SerializedReach,
    source: SerializedSource,
}

#[derive(Serialize, Deserialize)]
struct SerializedClient {
    id: String,
    secret: Option<Zeroizing<String>>,
    authentication: SerializedAuthentication,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum SerializedAuthentication {
    None,
    Basic,
    Post,
    PrivateKeyJwt,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum SerializedReach {
    Public,
    Private,
    Loopback,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SerializedSource {
    Refresh,
    ClientCredentials,
    Given,
    File(PathBuf),
    Enterprise {
        provider: Box<AuthorizationServer>,
        client: SerializedClient,
        id_token: Zeroizing<String>,
        audience: String,
        resource: String,
        scopes: Vec<String>,
    },
}

impl LoginStore {
    pub(super) fn new(store: &Store, vault: Vault, network: &Network) -> Self {
        Self {
            logins: store.logins(),
            registrations: store.registrations(),
            servers: store.server_logins(),
            secrets: store.secrets(),
            vault,
            network: network.clone(),
        }
    }

    /// Saves an encrypted value. Retries once if another process changed the vault's key in the meantime.
    pub(super) async fn save_with_retry<T, F>(&self, keep: impl Fn() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, SaveError>>,
    {
        let result = match keep().await {
            Err(SaveError::Store(StoreError::WrongKey)) => {
                self.vault.refresh().await.map_err(|error| vault_error(&error))?;
                keep().await
            }
            kept => kept,
        };
        result.map_err(|unkept| match unkept {
            SaveError::Store(error) => store_error(&error),
            SaveError::Vault(error) => error,
        })
    }

    /// Encrypts a client's secret for this issuer. `None` if the client has no secret.
    pub(super) async fn encrypt_client_secret(
        &self,
        issuer: &str,
        client: &Client,
    ) -> Result<Option<SecretRow>, Error> {
        match &client.secret {
            Some(secret) => {
                let purpose = purpose::of_client(issuer, &client.id);
                self.encrypt_row(purpose::CLIENT, purpose, secret).await.map(Some)
            }
            None => Ok(None),
        }
    }

    /// Encrypts a text into a new row.
    async fn encrypt_row(
        &self,
        kind: &str,
        purpose: String,
        text: &SecretString,
    ) -> Result<SecretRow, Error> {
        self.vault.open().await.map_err(|error| vault_error(&error))?;
        let id = random_id().map_err(|error| vault_error(&error))?;
        let sealed = self.vault.encrypt(&id, &purpose, text).map_err(|error| vault_error(&error))?;
        Ok(secret_row(id, kind, purpose, sealed))
    }

    /// Decrypts a row that was encrypted for this purpose.
    async fn decrypt_row(&self, id: &str, purpose: &str) -> Result<Option<SecretString>, Error> {
        self.vault.open().await.map_err(|error| vault_error(&error))?;
        let Some(row) = self.secrets.get(id).await.map_err(|error| store_error(&error))? else {
            return Ok(None);
        };
        let opened =
            match encrypted_blob(&row).and_then(|sealed| self.vault.decrypt(&row.id, purpose, &sealed)) {
                Err(VaultError::OtherKey) => {
                    // Another process has changed the key.
                    self.vault.refresh().await.map_err(|error| vault_error(&error))?;
                    encrypted_blob(&row).and_then(|sealed| self.vault.decrypt(&row.id, purpose, &sealed))
                }
                opened => opened,
            };
        opened.map(Some).map_err(|error| vault_error(&error))
    }

    /// The client of a registration, with its secret.
    pub(super) async fn load_registered_client(&self, row: &RegistrationRow) -> Result<Client, Error> {
        let secret = match &row.secret_id {
            Some(id) => {
                let known = &row.registration;
                self.decrypt_row(id, &purpose::of_client(&known.issuer, &known.client_id)).await?
            }
            None => None,
        };
        let known = &row.registration;
        Ok(Client {
            id: known.client_id.clone(),
            secret,
            authentication: parse_authentication(&known.method),
        })
    }

    /// Saves a login, or replaces the one of the same account. Retries if another process changes it at the
    /// same time: the newest sign-in replaces the others.
    pub(super) async fn save_login(
        &self,
        draft: &LoginDraft,
        instead: LoginReplacement,
    ) -> Result<LoginRow, Error> {
        let login = NewLogin {
            issuer: draft.login.server.issuer.clone(),
            resource: draft.resource.clone(),
            account: draft.account.clone(),
            label: draft.label.clone(),
            registration_id: draft.registration,
        };
        let (login, text, facts) =
            (&login, &serialize_draft(draft)?, &token_facts(draft, &draft.login.tokens));
        for _ in 0..MAX_RETRIES {
            let same = &self.find_replaced(draft, instead).await?;
            let put = self.save_with_retry(move || async move {
                let purpose = purpose::of_login(&login.issuer, &login.resource);
                let secret = self.encrypt_row(purpose::LOGIN, purpose, text).await?;
                match same {
                    Some(row) => {
                        let swapped =
                            self.logins.replace_after_sign_in(row.id, row.version, login, facts, &secret);
                        Ok(match swapped.await? {
                            LoginUpdate::Applied(row) => Some(row),
                            LoginUpdate::Conflict(_) => None,
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

    /// Finds the login that a new one replaces.
    async fn find_replaced(
        &self,
        draft: &LoginDraft,
        instead: LoginReplacement,
    ) -> Result<Option<LoginRow>, Error> {
        let issuer = &draft.login.server.issuer;
        let rows = self.logins.find(issuer, &draft.resource).await.map_err(|error| store_error(&error))?;
        let of_account = |row: &&LoginRow| row.login.account == draft.account;
        Ok(match (&draft.account, instead) {
            (Some(_), _) => rows.iter().find(of_account).cloned(),
            // The account is unknown, so it may differ from that of every saved login.
            (None, LoginReplacement::Never) => None,
            (None, LoginReplacement::Unnamed { server, before }) => {
                let uses = self.servers.list().await.map_err(|error| store_error(&error))?;
                // A login that another server uses may belong to someone else.
                let is_own = |row: &&LoginRow| {
                    let mut users = uses.iter().filter(|(_, login, _)| *login == row.id);
                    users.all(|(user, ..)| server.is_some_and(|server| server.0 == *user))
                };
                let before = rows.iter().filter(of_account).find(|row| Some(row.id) == before);
                before.or_else(|| rows.iter().filter(of_account).find(is_own)).cloned()
            }
        })
    }

    /// Decrypts a login. Returns it with the row that it was read from, because another process may renew the
    /// login meanwhile, which deletes the secret of the row that we have.
    async fn decrypt_login(&self, row: &LoginRow) -> Result<Option<(SerializedLogin, LoginRow)>, Error> {
        let mut row = row.clone();
        for _ in 0..MAX_RETRIES {
            let Some(id) = &row.secret_id else { return Ok(None) };
            let purpose = purpose::of_login(&row.login.issuer, &row.login.resource);
            if let Some(text) = self.decrypt_row(id, &purpose).await? {
                let written = serde_json::from_str(text.expose_secret());
                let written = written.map_err(|_| Error::Refused(say!("the saved login can’t be read")))?;
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

    /// The version of a login. `None` if it has ended.
    pub(super) async fn current_version(&self, login: &LoginId) -> Result<Option<u64>, Error> {
        let Ok(id) = login.account.parse() else { return Ok(None) };
        let version = self.logins.version(id).await.map_err(|error| store_error(&error))?;
        Ok(version.and_then(|version| u64::try_from(version).ok()))
    }

    /// The login as a draft, which can be changed and saved again.
    pub(super) async fn load_draft(&self, row: &LoginRow) -> Result<Option<LoginDraft>, Error> {
        let Some((written, row)) = self.decrypt_login(row).await? else { return Ok(None) };
        deserialize_draft(written, &row, &self.network).map(Some)
    }

    async fn find_active_row(&self, login: &LoginId) -> Result<Option<LoginRow>, Error> {
        let Ok(id) = login.account.parse() else { return Ok(None) };
        let row = self.logins.get(id).await.map_err(|error| store_error(&error))?;
        Ok(row.filter(|row| row.state == LoginState::Active))
    }
}

/// The broker's id of the login in a row.
pub(super) fn login_id(row: &LoginRow) -> LoginId {
    LoginId {
        issuer: row.login.issuer.clone(),
        resource: row.login.resource.clone(),
        account: row.id.to_string(),
    }
}

fn to_millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    u64::try_from(since).unwrap_or(u64::MAX)
}

fn from_millis(millis: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(millis)
}

fn to_plaintext(secret: &SecretString) -> Zeroizing<String> {
    Zeroizing::new(secret.expose_secret().to_owned())
}

fn to_secret(text: &Zeroizing<String>) -> SecretString {
    SecretString::from(text.as_str())
}

fn serialize_client(client: &Client) -> SerializedClient {
    SerializedClient {
        id: client.id.clone(),
        secret: client.secret.as_ref().map(to_plaintext),
        authentication: match client.authentication {
            ClientAuthentication::None => SerializedAuthentication::None,
            ClientAuthentication::Basic => SerializedAuthentication::Basic,
            ClientAuthentication::Post => SerializedAuthentication::Post,
            ClientAuthentication::PrivateKeyJwt => SerializedAuthentication::PrivateKeyJwt,
        },
    }
}

fn deserialize_client(written: &SerializedClient) -> Client {
    Client {
        id: written.id.clone(),
        secret: written.secret.as_ref().map(to_secret),
        authentication: match written.authentication {
            SerializedAuthentication::None => ClientAuthentication::None,
            SerializedAuthentication::Basic => ClientAuthentication::Basic,
            SerializedAuthentication::Post => ClientAuthentication::Post,
            SerializedAuthentication::PrivateKeyJwt => ClientAuthentication::PrivateKeyJwt,
        },
    }
}

fn serialize_draft(draft: &LoginDraft) -> Result<SecretString, Error> {
    let StoredLogin { tokens, server, client, resource, scopes, dpop, reach, .. } = &draft.login;
    let source = match &draft.source {
        RenewalSource::Refresh => SerializedSource::Refresh,
        RenewalSource::ClientCredentials => SerializedSource::ClientCredentials,
        RenewalSource::Given => SerializedSource::Given,
        RenewalSource::File(path) => SerializedSource::File(path.clone()),
        RenewalSource::Enterprise(grant) => SerializedSource::Enterprise {
            provider: Box::new(grant.provider.clone()),
            client: serialize_client(&grant.client),
            id_token: to_plaintext(&grant.id_token),
            audience: grant.audience.clone(),
            resource: grant.resource.clone(),
            scopes: grant.scopes.clone(),
        },
    };
    let dpop_key = dpop.as_ref().map(|dpop| dpop.to_pem().map(|pem| to_plaintext(&pem))).transpose()?;
    let written = SerializedLogin {
        access: to_plaintext(&tokens.access),
        dpop_bound: tokens.token_type == TokenType::Dpop,
        refresh: tokens.refresh.as_ref().map(to_plaintext),
        id_token: tokens.id_token.as_ref().map(to_plaintext),
        scopes: tokens.scopes.clone(),
        expires_ms: tokens.expires_at.map(to_millis),
        received_ms: to_millis(tokens.received_at),
        server: server.clone(),
        client: serialize_client(client),
        url: draft.url.clone(),
        resource: resource.clone(),
        without_resource: draft.without_resource,
        asked: scopes.clone(),
        dpop_key,
        reach: match reach {
            NetworkReach::Public => SerializedReach::Public,
            NetworkReach::Private => SerializedReach::Private,
            NetworkReach::Loopback => SerializedReach::Loopback,
        },
        source,
    };
    let text = serde_json::to_string(&written).map(Zeroizing::new);
    let text = text.map_err(|error| Error::Refused(Sentence::quoted(error.to_string())))?;
    Ok(to_secret(&text))
}

fn deserialize_draft(
    written: SerializedLogin,
    row: &LoginRow,
    network: &Network,
) -> Result<LoginDraft, Error> {
    let tokens = TokenSet {
        access: to_secret(&written.access),
        token_type: if written.dpop_bound { TokenType::Dpop } else { TokenType::Bearer },
        refresh: written.refresh.as_ref().map(to_secret),
        id_token: written.id_token.as_ref().map(to_secret),
        scopes: written.scopes,
        expires_at: written.expires_ms.map(from_millis),
        received_at: from_millis(written.received_ms),
    };
    let reach = match written.reach {
        SerializedReach::Public => NetworkReach::Public,
        SerializedReach::Private => NetworkReach::Private,
        SerializedReach::Loopback => NetworkReach::Loopback,
    };
    let (source, renewal) = match written.source {
        SerializedSource::Refresh => (RenewalSource::Refresh, Renewal::Refresh),
        // A given assertion can't be used again. Its token remains valid until it expires.
        SerializedSource::Given => (RenewalSource::Given, Renewal::Refresh),
        SerializedSource::ClientCredentials => (RenewalSource::ClientCredentials, Renewal::ClientCredentials),
        SerializedSource::File(path) => {
            let file: Arc<dyn AssertionSource> = Arc::new(AssertionFile(path.clone()));
            (RenewalSource::File(path), Renewal::Assertion(file))
        }
        SerializedSource::Enterprise { provider, client, id_token, audience, resource, scopes } => {
            let grant = EnterpriseManaged {
                http: mooring_oauth::Http::new(network, reach),
                trail: mooring_oauth::StepObserver::new(|_| {}),
                provider: *provider,
                client: deserialize_client(&client),
                id_token: to_secret(&id_token),
                audience,
                resource,
                scopes,
                clock: mooring_oauth::Clock::system(),
            };
            (RenewalSource::Enterprise(Box::new(grant.clone())), Renewal::Assertion(Arc::new(grant)))
        }
    };
    let dpop = written.dpop_key.as_ref().map(|pem| DpopKey::from_pem(&to_secret(pem))).transpose()?;
    let stored = StoredLogin {
        tokens,
        version: version_of(row),
        server: written.server,
        client: deserialize_client(&written.client),
        resource: written.resource,
        scopes: written.asked,
        dpop,
        reach,
        renewal,
    };
    Ok(LoginDraft {
        login: stored,
        url: written.url,
        without_resource: written.without_resource,
        resource: row.login.resource.clone(),
        account: row.login.account.clone(),
        label: row.login.label.clone(),
        registration: row.login.registration_id,
        source,
    })
}

fn parse_authentication(method: &str) -> ClientAuthentication {
    match method {
        "client_secret_basic" => ClientAuthentication::Basic,
        "client_secret_post" => ClientAuthentication::Post,
        "private_key_jwt" => ClientAuthentication::PrivateKeyJwt,
        _ => ClientAuthentication::None,
    }
}

/// Converts an error of the store to a temporary error, because the login itself is not affected.
pub(super) fn store_error(error: &StoreError) -> Error {
    Error::Unreachable(Sentence::quoted(error.to_string()))
}

/// Converts a vault error. The login is kept, and can be used once the vault is open.
pub(super) fn vault_error(error: &VaultError) -> Error {
    let no_keychain = matches!(error, VaultError::Unavailable(why) if why.as_str() == "no_keychain");
    Error::VaultUnavailable { sentence: error.sentence(), next: error.next_step(), no_keychain }
}
