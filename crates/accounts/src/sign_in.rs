//! Signs in to servers: challenges, the sign-in flow with its steps, and the tokens that authorize calls.
//! OAuth itself is in `crates/oauth`, and encryption in `crates/vault`. This module decides when to use them:
//! a browser is only opened because of the person's action, and calls use stored tokens.

mod authorizer;
mod client;
mod flow;
mod inspection;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use authorizer::LoginAuthorizer;
use mooring_base::auth_challenge::AuthChallenge as HttpChallenge;
use mooring_base::server_id::ServerId;
use mooring_mcp::Authorize;
use mooring_network::Network;
use mooring_oauth::{
    AccessToken, Challenge, Clock, DpopKey, Error, LoginId, StepObserver, TokenBroker, TokenType,
    TokenUnavailable, split_scopes,
};
use mooring_recorder::Recorder;
use mooring_store::{LoginRow, LoginState, Store};
use mooring_vault::{StorageFuture, Vault, VaultOptions, VaultState};
use mooring_words::say;
use tokio::task::JoinSet;
use url::Url;

use crate::account::{AccountClient, SignOutResult};
use crate::login_store::{LoginStore, login_id};
use crate::problem::{SignInProblem, SignInProblemCode};
use crate::token_cache::{CacheLookup, TokenCache};
use crate::vault_storage::{DatabaseStorage, VaultKey, VaultOpenedHook};

pub use flow::{EnterpriseProvider, InvalidClient, SignInGrant, SignInOptions, TokenBinding};

pub use authorizer::{SignInReporter, SignInRequired};
pub use inspection::SignInInspection;

/// How many servers' last challenges are remembered.
const MOST_CHALLENGES: usize = 1024;

/// How long the shutdown waits for renewals in progress.
const SETTLE_WITHIN: Duration = Duration::from_secs(5);
/// How many metadata URLs of one challenge are read at most.
const MOST_ADDRESSES: usize = 4;
/// How many times the person is asked for the same additional scopes, at most, while this process runs.
const MOST_STEPS_UP: u32 = 3;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers a value for a sign-in target. There are at most [`MOST_CHALLENGES`] targets.
fn remember_for_target<T>(known: &Mutex<HashMap<SignInTarget, T>>, asking: &SignInTarget, what: T) {
    let mut known = lock(known);
    if known.len() >= MOST_CHALLENGES && !known.contains_key(asking) {
        known.clear();
    }
    known.insert(asking.clone(), what);
}

/// The logins of a profile. Clones share them.
#[derive(Debug, Clone)]
pub struct SignInService {
    inner: Arc<ServiceInner>,
}

struct ServiceInner {
    broker: TokenBroker<LoginStore>,
    login_store: LoginStore,
    vault: Vault,
    when_opened: VaultOpenedHook,
    clock: Clock,
    token_cache: TokenCache,
    /// Logins whose server only accepts the scheme `Bearer`, although their tokens are bound to a key.
    shown_as_bearer: Mutex<HashSet<LoginId>>,
    /// The recorder of the connection that uses a login.
    recorders: Recorders,
    /// The recorder for logins that no connection uses.
    recorder: Option<Arc<Recorder>>,
    /// The last challenge of each server.
    challenges: Mutex<HashMap<SignInTarget, Challenge>>,
    /// The issuer for which the person was asked to enter a client.
    clients_wanted: Mutex<HashMap<SignInTarget, String>>,
    /// The additional scopes that the person was asked to sign in for. For each, after how many sign-ins, and
    /// the time of the last one in microseconds since the Unix epoch.
    step_ups: Mutex<HashMap<(SignInTarget, String), (u32, i64)>>,
    /// Tasks that save when logins were used.
    notes: Mutex<JoinSet<()>>,
}

/// The recorders of connections, by the login that each uses.
type Recorders = Arc<Mutex<HashMap<LoginId, Weak<Recorder>>>>;

impl std::fmt::Debug for ServiceInner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SignIns")
    }
}

/// What a sign-in is for: a server and its URL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SignInTarget {
    /// The saved server. `None` for a URL that is not saved.
    pub(crate) server: Option<ServerId>,
    /// The server's URL.
    pub(crate) url: Url,
}

impl SignInService {
    /// Opens the logins of a store. The vault's key is loaded on first use, according to `vault`.
    pub fn open(store: &Store, home: &Path, vault: VaultOptions) -> Result<Self, Error> {
        Self::open_with(store, home, vault, &Network::default(), None)
    }

    /// Like [`Self::open`]. Requests go through `network`. Events of logins that no connection uses are
    /// logged with `recorder`.
    pub fn open_with(
        store: &Store,
        home: &Path,
        vault: VaultOptions,
        network: &Network,
        recorder: Option<Arc<Recorder>>,
    ) -> Result<Self, Error> {
        let when_opened = VaultOpenedHook::default();
        let vault = Vault::new(Arc::new(DatabaseStorage::new(store, Arc::clone(&when_opened))), vault);
        store.set_integrity_key(Arc::new(VaultKey(vault.downgrade())));
        let login_store = LoginStore::new(store, vault.clone(), network);
        let clock = Clock::system();
        let recorders = Recorders::default();
        let (known, other) = (Arc::clone(&recorders), recorder.clone());
        let trail = move |login: &LoginId| {
            let of_connection = lock(&known).get(login).and_then(Weak::upgrade);
            let recorder = of_connection.or_else(|| other.clone());
            StepObserver::new(move |step| {
                if let Some(recorder) = &recorder {
                    recorder.log_auth_step(&step);
                }
            })
        };
        let broker =
            TokenBroker::new(login_store.clone(), network, home.join("locks"), clock.clone(), trail)?;
        let inner = ServiceInner {
            broker,
            login_store,
            vault,
            when_opened,
            clock,
            token_cache: TokenCache::default(),
            shown_as_bearer: Mutex::default(),
            recorders,
            recorder,
            challenges: Mutex::default(),
            clients_wanted: Mutex::default(),
            step_ups: Mutex::default(),
            notes: Mutex::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Waits for pending writes to the database and for running renewals: a token that a server has issued
    /// has to be saved before this process ends.
    pub async fn close(&self) {
        if tokio::time::timeout(SETTLE_WITHIN, self.inner.broker.finish_renewals()).await.is_err() {
            tracing::warn!("a renewal of a login did not end in time");
        }
        let mut notes = std::mem::take(&mut *lock(&self.inner.notes));
        while notes.join_next().await.is_some() {}
    }

    /// Sets a function that runs whenever the vault's key is in memory, before the vault reports that it is
    /// open. Later calls have no effect.
    pub fn on_vault_opened(&self, act: impl Fn() -> StorageFuture<'static, ()> + Send + Sync + 'static) {
        let _an_earlier_one_counts = self.inner.when_opened.set(Box::new(act));
    }

    /// Opens a vault that has a key but was not opened yet, so that the person's decisions can be verified
    /// with the key. If the vault is locked, they are verified once it is unlocked.
    pub async fn open_existing_vault(&self) {
        let vault = &self.inner.vault;
        let closed = matches!(*vault.state().borrow(), VaultState::Closed);
        if closed
            && vault.contents().await.is_ok_and(|found| found.header.key.is_some())
            && let Err(error) = vault.open().await
        {
            tracing::debug!(%error, "what was decided is vouched for once the vault is open");
        }
        self.sync_vault_key().await;
    }

    /// Loads the current key, if another process has changed it since the vault was opened here.
    pub async fn sync_vault_key(&self) {
        let vault = &self.inner.vault;
        let Some(mine) = vault.key_fingerprint() else { return };
        let Ok(found) = vault.contents().await else { return };
        match found.header.key {
            Some(key) if key.fingerprint == mine => {}
            Some(_) => {
                if let Err(error) = vault.refresh().await {
                    tracing::debug!(%error, "another process has changed the key");
                }
            }
            // Another process has deleted the key: the person started over with an empty vault.
            None => vault.close().await,
        }
    }

    /// The vault that encrypts the logins.
    pub fn vault(&self) -> &Vault {
        &self.inner.vault
    }

    /// The authorizer of a connection. It finds the login that the server uses. If there is none, requests
    /// are sent without a token, and the server responds with a challenge.
    pub async fn authorizer(&self, server: Option<ServerId>, url: &Url) -> Arc<dyn Authorize> {
        self.authorizer_with(server, url, None, None).await
    }

    /// The authorizer of a connection. If `account` names a login, only that one is used. `reporter` is
    /// notified when the person has to sign in before the connection can continue.
    pub async fn authorizer_with(
        &self,
        server: Option<ServerId>,
        url: &Url,
        account: Option<i64>,
        reporter: Option<SignInReporter>,
    ) -> Arc<dyn Authorize> {
        let login = self.inner.login_store.find_login(server, url, account).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the login of a server could not be looked up");
            None
        });
        let login = login.as_ref().map(login_id);
        self.remember_recorder(reporter.as_ref(), login.as_ref());
        Arc::new(LoginAuthorizer {
            sign_ins: self.clone(),
            asking: SignInTarget { server, url: url.clone() },
            account,
            login: Mutex::new(login),
            last_token: Mutex::default(),
            unconfirmed: Mutex::default(),
            accepted_scheme: Mutex::default(),
            reporter,
        })
    }

    /// The access token of a login: from the cache if it is fresh, otherwise from the broker.
    async fn access_token(
        &self,
        login: &LoginId,
        good_for: Duration,
    ) -> Result<Arc<AccessToken>, TokenUnavailable> {
        let ServiceInner { broker, login_store, token_cache, .. } = &*self.inner;
        let seen = Instant::now();
        let known = match token_cache.get(login) {
            CacheLookup::Fresh(access) if broker.is_valid_for(&access, good_for) => return Ok(access),
            CacheLookup::Stale(access) if broker.is_valid_for(&access, good_for) => {
                let same = login_store.current_version(login).await.map_err(TokenUnavailable::Retryable)?
                    == Some(access.version);
                same.then_some(access)
            }
            _ => None,
        };
        let access = match known {
            Some(access) => access,
            None => Arc::new(broker.access_token(login, good_for).await?),
        };
        if token_cache.should_record_use(login) {
            self.record_use(login);
        }
        // The entry is fresh from the time of this check, so that a token in constant use is checked again,
        // too.
        token_cache.insert(login, &access, seen);
        Ok(access)
    }

    /// Saves in the background that a login was used, so that no request waits for it.
    fn record_use(&self, login: &LoginId) {
        let Ok(id) = login.account.parse() else { return };
        let logins = self.inner.login_store.logins.clone();
        let mut notes = lock(&self.inner.notes);
        while notes.try_join_next().is_some() {}
        notes.spawn(async move {
            if let Err(error) = logins.mark_used(id).await {
                tracing::debug!(%error, "that a login is used was not noted");
            }
        });
    }

    /// Saves in the background which additional scopes a server requires, for the next sign-in of any
    /// process.
    fn record_wanted_scopes(&self, login: Option<&LoginId>, scopes: Vec<String>) {
        let Some(id) = login.and_then(|login| login.account.parse().ok()) else { return };
        let logins = self.inner.login_store.logins.clone();
        let mut notes = lock(&self.inner.notes);
        while notes.try_join_next().is_some() {}
        notes.spawn(async move {
            if let Err(error) = logins.set_requested_scopes(id, &scopes).await {
                tracing::warn!(%error, "what a server asks for in addition was not noted");
            }
        });
    }

    /// Remembers the recorder of the connection that uses a login.
    fn remember_recorder(&self, reporter: Option<&SignInReporter>, login: Option<&LoginId>) {
        if let (Some(reporter), Some(login)) = (reporter, login) {
            let mut recorders = lock(&self.inner.recorders);
            recorders.retain(|_, recorder| recorder.strong_count() > 0);
            recorders.insert(login.clone(), Arc::downgrade(&reporter.recorder));
        }
    }

    /// The additional scopes that a server requires, if it responded with `insufficient_scope`. `None` if the
    /// person was already asked for the same scopes [`MOST_STEPS_UP`] times in this run, because asking again
    /// would not help.
    async fn step_up_scopes(&self, asking: &SignInTarget, login: Option<LoginId>) -> Option<Vec<String>> {
        let challenge = self.last_challenge(asking);
        if challenge.error.as_deref() != Some("insufficient_scope") {
            return None;
        }
        let row = match login.and_then(|login| login.account.parse().ok()) {
            Some(id) => self.inner.login_store.logins.get(id).await.ok()?,
            None => None,
        };
        let signed_in_at = row.as_ref().map_or(0, |row| row.created_at_us);
        let granted = row.map(|row| row.tokens.scopes_granted).unwrap_or_default();
        let wanted: Vec<String> = challenge.scope.iter().flat_map(|scope| split_scopes(scope)).collect();
        let mut added: Vec<String> =
            wanted.iter().filter(|scope| !granted.contains(*scope)).cloned().collect();
        added.sort_unstable();
        added.dedup();
        if added.is_empty() && !wanted.is_empty() {
            return None;
        }
        let mut stepped = lock(&self.inner.step_ups);
        if stepped.len() >= MOST_CHALLENGES {
            stepped.clear();
        }
        let (times, last) = stepped.entry((asking.clone(), added.join(" "))).or_default();
        if *last != signed_in_at || *times == 0 {
            *times += 1;
            *last = signed_in_at;
        }
        (*times <= MOST_STEPS_UP).then_some(added)
    }

    /// The login for a connection to a server: the named one if it may be used, or else the server's own.
    pub async fn login_for(
        &self,
        server: Option<ServerId>,
        url: &Url,
        named: Option<i64>,
    ) -> Result<Option<LoginRow>, Error> {
        self.inner.login_store.find_login(server, url, named).await
    }

    /// All logins.
    pub async fn logins(&self) -> Result<Vec<LoginRow>, Error> {
        self.inner.login_store.logins.list().await.map_err(|error| crate::login_store::store_error(&error))
    }

    /// The client of a login at its authorization server, if it is still known.
    pub async fn client_of(&self, row: &LoginRow) -> Result<Option<AccountClient>, Error> {
        let Some(id) = row.login.registration_id else { return Ok(None) };
        let known = self.inner.login_store.registrations.get(id).await;
        let known =
            known.map_err(|error| crate::login_store::store_error(&error))?.map(|row| row.registration);
        Ok(known.map(|known| AccountClient { id: known.client_id, origin: known.origin }))
    }

    /// Renews a login's token because the person requested it.
    pub async fn renew(&self, row: &LoginRow) -> Result<(), SignInProblem> {
        if row.state == LoginState::Active && !row.tokens.refreshable {
            return Err(SignInProblem::new(
                SignInProblemCode::Refused,
                say!("the server issued no refresh token for this login"),
                say!("Sign in again when it expires."),
            ));
        }
        let renewed = self.inner.broker.force_renew(&login_id(row)).await;
        self.inner.token_cache.remove(&login_id(row));
        renewed.map(drop).map_err(|needs| SignInProblem::from_unavailable(&needs))
    }

    /// Revokes the tokens of a login at its authorization server. The local login is deleted in any case.
    pub async fn sign_out(&self, row: &LoginRow) -> Result<SignOutResult, Error> {
        let revoked = self.inner.broker.sign_out(&login_id(row)).await;
        self.inner.token_cache.remove(&login_id(row));
        self.forget(row).await?;
        let nothing = |message| {
            let next = say!("To be sure, end the session in your account on the server’s site.");
            Some(SignInProblem::new(SignInProblemCode::Refused, message, next))
        };
        let (revoked, problem) = match revoked {
            Ok(true) => (true, None),
            Ok(false) if row.state != LoginState::Active => (false, None),
            Ok(false) => (
                false,
                nothing(say!("{issuer} doesn’t support token revocation", issuer = &row.login.issuer)),
            ),
            Err(error) => (false, nothing(error.sentence().clone())),
        };
        Ok(SignOutResult { login: row.id, revoked, problem })
    }

    /// Logs the result of a sign-out.
    pub fn record_sign_out(&self, row: &LoginRow, signed_out: &SignOutResult) {
        let resource = crate::vault_storage::redact_resource(&row.login.resource);
        let outcome = match &signed_out.problem {
            None => say!("signed out of {resource}", resource),
            Some(problem) => say!(
                "signed out of {resource}, but its tokens couldn’t be revoked: {reason}",
                resource,
                reason = problem.message.clone()
            ),
        };
        if let Some(recorder) = self.find_recorder(&login_id(row)) {
            recorder.log_auth_end("sign_out", signed_out.problem.is_none(), &outcome);
        }
    }

    /// The recorder for events of a login.
    fn find_recorder(&self, login: &LoginId) -> Option<Arc<Recorder>> {
        let of_connection = lock(&self.inner.recorders).get(login).and_then(Weak::upgrade);
        of_connection.or_else(|| self.inner.recorder.clone())
    }

    /// Deletes a login, and its client registration if no other login uses it (AUTH-43).
    pub async fn forget(&self, row: &LoginRow) -> Result<(), Error> {
        let login_store = &self.inner.login_store;
        let forgotten = async {
            login_store.logins.remove(row.id).await?;
            if let Some(id) = row.login.registration_id {
                let rows = login_store.logins.list().await?;
                if rows.iter().all(|other| other.login.registration_id != Some(id)) {
                    login_store.registrations.remove(id).await?;
                }
            }
            Ok(())
        };
        forgotten.await.map_err(|error| crate::login_store::store_error(&error))
    }

    /// Remembers the last challenge of a server.
    fn remember_challenge(&self, asking: &SignInTarget, header: Option<&str>) {
        let Some(challenge) = header.and_then(parse_challenge) else { return };
        remember_for_target(&self.inner.challenges, asking, challenge);
    }

    /// Whether a server has sent a challenge since the host started.
    pub fn has_challenged(&self, server: Option<ServerId>, url: &Url) -> bool {
        let asking = SignInTarget { server, url: url.clone() };
        self.inner.challenges.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&asking)
    }

    /// The last challenge of a server.
    fn last_challenge(&self, asking: &SignInTarget) -> Challenge {
        let challenges = self.inner.challenges.lock().unwrap_or_else(PoisonError::into_inner);
        challenges.get(asking).cloned().unwrap_or_default()
    }
}

/// Whether a server accepts DPoP proofs of our kind: a challenge has the scheme `DPoP`, and its list of
/// algorithms includes ours or is missing (RFC 9449 §7.1).
fn accepts_our_proofs(challenges: &[HttpChallenge]) -> bool {
    challenges.iter().filter(|challenge| challenge.scheme.eq_ignore_ascii_case(TokenType::Dpop.scheme())).any(
        |challenge| {
            let named = challenge.parameter("algs");
            named
                .is_none_or(|named| named.split_whitespace().any(|algorithm| algorithm == DpopKey::ALGORITHM))
        },
    )
}

/// Parses the OAuth challenge in `WWW-Authenticate`. Of several for `Bearer` or `DPoP`, takes the one with
/// the most parameters.
fn parse_challenge(header: &str) -> Option<Challenge> {
    let read = HttpChallenge::read_all(header);
    let ours = read.iter().filter(|challenge| {
        ["bearer", "dpop"].iter().any(|scheme| challenge.scheme.eq_ignore_ascii_case(scheme))
    });
    let of = |challenge: &HttpChallenge| {
        let text = |name| challenge.parameter(name).map(str::to_owned);
        // Another challenge may have the right URL if this one doesn't.
        let named = read.iter().flat_map(|other| other.all("resource_metadata"));
        let resource_metadata =
            challenge.all("resource_metadata").chain(named).take(MOST_ADDRESSES).map(str::to_owned).collect();
        Challenge {
            resource_metadata,
            scope: text("scope"),
            error: text("error"),
            dpop: accepts_our_proofs(&read),
        }
    };
    // `max_by_key` returns the last of equal elements, so the challenges are iterated from the end.
    let is_relevant = |challenge: &&HttpChallenge| {
        [challenge.parameter("resource_metadata"), challenge.parameter("scope")].iter().flatten().count()
    };
    ours.rev().max_by_key(is_relevant).map(of)
}
