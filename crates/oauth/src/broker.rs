//! Access tokens for connections. A token is renewed once for any number of callers, and a renewal never
//! risks losing the login.
//!
//! - Each login has at most one renewal at a time. Tasks share it, and processes take turns through a file
//!   lock.
//! - Once the lock is held, the store is read again, because another process may have renewed the token
//!   meanwhile.
//! - A new token is committed before any caller gets it. A renewal that has begun continues even if its
//!   callers are dropped.
//! - Only `invalid_grant` ends a login, and only for the refresh token that is still in the store. Other
//!   failures change nothing.
//! - Nothing here opens a browser. The error says that a sign-in is needed.

mod access_token;
mod lock;
mod token_store;

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use lock::LoginLocks;
use mooring_network::Network;
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq as _;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::clock::Clock;
use crate::dpop::DpopKey;
use crate::error::Error;
use crate::grant::RequestedAccess;
use crate::http::Http;
use crate::steps::StepObserver;
use crate::token::{TokenEndpoint, TokenSet};
pub use access_token::AccessToken;
pub use token_store::{LoginId, Renewal, StoredLogin, TokenStore};

/// How long a renewal waits for another process's renewal. This is the time for three requests and some
/// overhead.
const TURN_WITHIN: Duration = Duration::from_secs(110);
/// How long before its end a token is renewed, if a tenth of its lifetime is not less.
const AHEAD: Duration = Duration::from_mins(1);
/// How often a renewal restarts because another process changed the stored login.
const MAX_ROUNDS: usize = 3;
/// How often to try to commit a new token at once.
const MAX_COMMIT_TRIES: usize = 3;

/// Why no token is available.
#[derive(Debug, Clone)]
pub enum TokenUnavailable {
    /// A person has to sign in.
    SignInRequired(SignInReason),
    /// A temporary failure. The login is kept, and a retry may help.
    Retryable(Error),
    /// The server refuses credentials for which no person signs in: those of the client itself, or a grant of
    /// an enterprise.
    CredentialsRejected(Error),
}

/// Why a person has to sign in.
#[derive(Debug, Clone)]
pub enum SignInReason {
    /// There is no login, because the person never signed in or has signed out.
    NotSignedIn,
    /// The token has expired, and there is no refresh token.
    Expired,
    /// The server has ended the login, and it was deleted here.
    Ended(Sentence),
    /// The server does not renew the token, although the login may still be valid.
    Refused(Sentence),
}

impl TokenUnavailable {
    /// The reason as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::SignInRequired(SignInReason::NotSignedIn) => say!("no one is signed in"),
            Self::SignInRequired(SignInReason::Expired) => {
                say!("the login has expired, and the server issued no refresh token")
            }
            Self::SignInRequired(SignInReason::Ended(sentence) | SignInReason::Refused(sentence)) => {
                sentence.clone()
            }
            Self::Retryable(error) | Self::CredentialsRejected(error) => error.sentence().clone(),
        }
    }
}

/// What the caller requires of a token.
#[derive(Debug, Clone)]
enum TokenRequirement {
    /// The token must be valid for at least this long.
    ValidFor(Duration),
    /// The token must differ from this one, which the server has just rejected.
    OtherThan(SecretString),
}

/// The result of a renewal. `None` while it is in progress.
type RenewalResult = Option<Result<AccessToken, TokenUnavailable>>;

/// Returns access tokens, and renews them. Dropping it aborts renewals. [`Self::close`] lets them finish.
pub struct TokenBroker<K> {
    shared: Arc<BrokerState<K>>,
    tasks: Mutex<JoinSet<()>>,
}

struct BrokerState<K> {
    store: K,
    network: Network,
    locks: LoginLocks,
    clock: Clock,
    trail: Box<dyn Fn(&LoginId) -> StepObserver + Send + Sync>,
    renewals: Mutex<HashMap<LoginId, watch::Receiver<RenewalResult>>>,
    /// Tokens that a server issued and that could not be stored, with the version that they replace.
    pending_commits: Mutex<HashMap<LoginId, (u64, TokenSet)>>,
    /// DPoP keys in use, which remember the nonces of their servers.
    keys: Mutex<HashMap<LoginId, DpopKey>>,
    /// A random number from 0 to 255 that spreads the renewals of several processes over time.
    spread: u8,
}

impl<K> fmt::Debug for TokenBroker<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Broker")
    }
}

impl<K: TokenStore> TokenBroker<K> {
    /// Creates a broker for a store. Requests go through `network`. `folder` is for lock files.
    /// All processes of a profile must use this folder. `trail` returns the observer of a login's steps.
    pub fn new(
        keep: K,
        network: &Network,
        folder: PathBuf,
        clock: Clock,
        trail: impl Fn(&LoginId) -> StepObserver + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let [spread] = crate::random::random_bytes::<1>()?;
        let shared = BrokerState {
            store: keep,
            network: network.clone(),
            locks: LoginLocks::new(folder),
            clock,
            trail: Box::new(trail),
            renewals: Mutex::default(),
            pending_commits: Mutex::default(),
            keys: Mutex::default(),
            spread,
        };
        Ok(Self { shared: Arc::new(shared), tasks: Mutex::default() })
    }

    /// A token that is valid for `time`, or for as long as its server allows.
    pub async fn access_token(
        &self,
        login: &LoginId,
        time: Duration,
    ) -> Result<AccessToken, TokenUnavailable> {
        self.obtain_token(login, TokenRequirement::ValidFor(time)).await
    }

    /// Whether a token that was returned before is still valid for `time`, if the login has not changed
    /// since.
    pub fn is_valid_for(&self, access: &AccessToken, time: Duration) -> bool {
        let (shared, ends) = (&self.shared, access.expires_at.map(|at| (access.received_at, at)));
        !shared.is_renewal_due(ends, time, shared.clock.now())
    }

    /// A new token in place of one that the server has just rejected. Call this once per request. If the
    /// server rejects the new token too, the person has to sign in.
    pub async fn replace_rejected(
        &self,
        login: &LoginId,
        refused: &SecretString,
    ) -> Result<AccessToken, TokenUnavailable> {
        self.obtain_token(login, TokenRequirement::OtherThan(refused.clone())).await
    }

    /// A new token in place of the current one, because the person requested it.
    pub async fn force_renew(&self, login: &LoginId) -> Result<AccessToken, TokenUnavailable> {
        let stored = self
            .shared
            .load_login(login)
            .await?
            .ok_or(TokenUnavailable::SignInRequired(SignInReason::NotSignedIn))?;
        self.obtain_token(login, TokenRequirement::OtherThan(stored.tokens.access)).await
    }

    /// Revokes the tokens if the server supports that, and deletes them in any case. Returns false if the
    /// server does not revoke tokens, or if there were none. An error says which token was not revoked.
    pub async fn sign_out(&self, login: &LoginId) -> Result<bool, Error> {
        let shared = &self.shared;
        let _turn = shared.locks.acquire(login, TURN_WITHIN).await?;
        let left = lock(&shared.pending_commits).remove(login);
        lock(&shared.keys).remove(login);
        let Some(mut stored) = shared.store.load(login).await? else { return Ok(false) };
        // The newest tokens are the valid ones, even if they could not be stored.
        if let Some((_, tokens)) = left.filter(|(replaces, _)| *replaces == stored.version) {
            stored.tokens = tokens;
        }
        let revoked = shared.revoke_tokens(login, &stored).await;
        shared.store.forget(login, stored.version, &say!("signed out meanwhile")).await?;
        revoked
    }

    /// Waits until running renewals have finished, and commits tokens that could not be committed before.
    pub async fn close(self) {
        self.finish_renewals().await;
    }

    /// Like `close`, for a shared broker. Does not wait for renewals that start later.
    pub async fn finish_renewals(&self) {
        // Commit pending tokens first, because the caller may not wait until a slow server has answered.
        self.shared.commit_all_pending().await;
        let mut tasks = std::mem::take(&mut *lock(&self.tasks));
        while tasks.join_next().await.is_some() {}
        self.shared.commit_all_pending().await;
    }

    async fn obtain_token(
        &self,
        login: &LoginId,
        want: TokenRequirement,
    ) -> Result<AccessToken, TokenUnavailable> {
        for _ in 0..MAX_ROUNDS {
            let Some(stored) = self.shared.load_login(login).await? else {
                return Err(TokenUnavailable::SignInRequired(SignInReason::NotSignedIn));
            };
            if self.shared.satisfies_requirement(&stored, &want) {
                return Ok(self.shared.to_access_token(login, stored));
            }
            let mut flight = self.join_or_start_renewal(login, &want);
            let landed = flight.wait_for(Option::is_some).await.map(|landed| landed.clone());
            match landed {
                Ok(Some(Ok(access))) if want.is_met_by(&access.token) => return Ok(access),
                // This renewal started before the token was rejected, or for a shorter time. Renew again.
                Ok(Some(Ok(_))) => {}
                Ok(Some(Err(needs))) => return Err(needs),
                Ok(None) | Err(_) => {
                    return Err(TokenUnavailable::Retryable(Error::Unreachable(say!(
                        "the renewal of the login was interrupted"
                    ))));
                }
            }
        }
        Err(TokenUnavailable::SignInRequired(SignInReason::Refused(say!(
            "the server rejects the token that it has just issued"
        ))))
    }

    /// Joins the current renewal of a login, or starts a new one.
    fn join_or_start_renewal(
        &self,
        login: &LoginId,
        want: &TokenRequirement,
    ) -> watch::Receiver<RenewalResult> {
        let mut flights = lock(&self.shared.renewals);
        if let Some(flight) = flights.get(login)
            && flight.has_changed().is_ok()
        {
            return flight.clone();
        }
        let (landed, flight) = watch::channel(None);
        flights.insert(login.clone(), flight.clone());
        drop(flights);
        let shared = Arc::clone(&self.shared);
        let (login, want) = (login.clone(), want.clone());
        let mut tasks = lock(&self.tasks);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let result = Box::pin(shared.renew_token(&login, &want)).await;
            lock(&shared.renewals).remove(&login);
            landed.send_replace(Some(result));
        });
        flight
    }
}

impl TokenRequirement {
    fn is_met_by(&self, token: &SecretString) -> bool {
        match self {
            Self::ValidFor(_) => true,
            Self::OtherThan(refused) => !is_same_secret(token, refused),
        }
    }
}

impl<K: TokenStore> BrokerState<K> {
    async fn load_login(&self, login: &LoginId) -> Result<Option<StoredLogin>, TokenUnavailable> {
        let mut stored = self.store.load(login).await.map_err(TokenUnavailable::Retryable)?;
        if let Some(loaded) = stored.as_mut().and_then(|stored| stored.dpop.as_mut()) {
            let mut keys = lock(&self.keys);
            match keys.get(login).filter(|known| known.thumbprint() == loaded.thumbprint()) {
                Some(known) => *loaded = known.clone(),
                None => {
                    keys.insert(login.clone(), loaded.clone());
                }
            }
        }
        Ok(stored)
    }

    /// Whether the stored token meets the requirement without a renewal.
    fn satisfies_requirement(&self, stored: &StoredLogin, want: &TokenRequirement) -> bool {
        let time = if let TokenRequirement::ValidFor(time) = want { *time } else { Duration::ZERO };
        let ends = stored.tokens.expires_at.map(|at| (stored.tokens.received_at, at));
        want.is_met_by(&stored.tokens.access) && !self.is_renewal_due(ends, time, self.clock.now())
    }

    /// Whether a token has to be renewed for a caller that needs it for `time`. A caller can't require more
    /// than half of its lifetime. Otherwise, short-lived tokens would be renewed again and again.
    fn is_renewal_due(
        &self,
        ends: Option<(SystemTime, SystemTime)>,
        time: Duration,
        now: SystemTime,
    ) -> bool {
        let Some((received_at, expires_at)) = ends else { return false };
        let life = expires_at.duration_since(received_at).unwrap_or_default();
        let ahead = AHEAD.min(life / 10);
        let ahead = ahead + ahead * u32::from(self.spread) / 1024;
        now.checked_add(ahead.max(time.min(life / 2))).is_none_or(|until| until >= expires_at)
    }

    fn to_access_token(&self, login: &LoginId, stored: StoredLogin) -> AccessToken {
        AccessToken::new(login, stored, self.clock.clone())
    }

    /// Renews a token while holding the login's lock.
    async fn renew_token(
        &self,
        login: &LoginId,
        want: &TokenRequirement,
    ) -> Result<AccessToken, TokenUnavailable> {
        let _turn = match self.locks.acquire(login, TURN_WITHIN).await {
            Ok(turn) => turn,
            Err(error) => {
                let stored = self.load_login(login).await?.filter(|stored| self.is_still_valid(stored, want));
                return stored
                    .map(|stored| self.to_access_token(login, stored))
                    .ok_or(TokenUnavailable::Retryable(error));
            }
        };
        for _ in 0..MAX_ROUNDS {
            let Some(stored) = self.load_login(login).await? else {
                return Err(TokenUnavailable::SignInRequired(SignInReason::NotSignedIn));
            };
            let Some(stored) = self.commit_pending(login, stored).await? else { continue };
            if self.satisfies_requirement(&stored, want) {
                return Ok(self.to_access_token(login, stored));
            }
            let answer = match self.request_renewal(login, &stored).await {
                Some(answer) => answer,
                None if self.is_still_valid(&stored, want) => {
                    return Ok(self.to_access_token(login, stored));
                }
                None => return Err(TokenUnavailable::SignInRequired(SignInReason::Expired)),
            };
            match answer {
                Ok(tokens) => {
                    let tokens = tokens.inheriting_from(&stored.tokens);
                    if let Some(version) = self.commit_tokens(login, &tokens, stored.version).await? {
                        return Ok(self.to_access_token(login, StoredLogin { tokens, version, ..stored }));
                    }
                    // The person signed in or out meanwhile, so use the state in the store.
                }
                Err(error) if error.is_invalid_grant() && matches!(stored.renewal, Renewal::Refresh) => {
                    if self.end_unless_changed(login, &stored, error.sentence()).await? {
                        return Err(TokenUnavailable::SignInRequired(SignInReason::Ended(
                            error.sentence().clone(),
                        )));
                    }
                }
                Err(_) if self.is_still_valid(&stored, want) => {
                    return Ok(self.to_access_token(login, stored));
                }
                Err(error) => {
                    if error.is_client_unknown() {
                        // The error is returned even if this fails, because the next sign-in checks the
                        // client.
                        let _retired = self.store.retire_client(login).await;
                    }
                    return Err(unavailable_because(error, &stored.renewal));
                }
            }
        }
        Err(TokenUnavailable::Retryable(Error::Unreachable(say!(
            "the login changes faster than it can be renewed"
        ))))
    }

    /// Whether the old token can still be used.
    fn is_still_valid(&self, stored: &StoredLogin, want: &TokenRequirement) -> bool {
        want.is_met_by(&stored.tokens.access) && stored.tokens.is_valid_for(Duration::ZERO, self.clock.now())
    }

    /// Requests new tokens. `None` if nothing can be used to renew them.
    async fn request_renewal(
        &self,
        login: &LoginId,
        stored: &StoredLogin,
    ) -> Option<Result<TokenSet, Error>> {
        let http = Http::new(&self.network, stored.reach);
        let trail = (self.trail)(login);
        let endpoint = self.token_endpoint(&http, &trail, stored);
        let wanted = RequestedAccess { resource: stored.resource.as_deref(), scopes: &stored.scopes };
        match &stored.renewal {
            Renewal::Refresh => {
                let refresh = stored.tokens.refresh.as_ref()?;
                Some(endpoint.refresh(refresh, stored.resource.as_deref()).await)
            }
            Renewal::ClientCredentials => Some(endpoint.client_credentials(wanted).await),
            Renewal::Assertion(source) => Some(match source.assertion().await {
                Ok(assertion) => endpoint.jwt_bearer(&assertion, wanted).await,
                Err(error) => Err(error),
            }),
        }
    }

    fn token_endpoint<'a>(
        &'a self,
        http: &'a Http,
        trail: &'a StepObserver,
        stored: &'a StoredLogin,
    ) -> TokenEndpoint<'a> {
        let (server, client, dpop) = (&stored.server, &stored.client, stored.dpop.as_ref());
        TokenEndpoint { http, trail, server, client, dpop, clock: &self.clock }
    }

    async fn revoke_tokens(&self, login: &LoginId, stored: &StoredLogin) -> Result<bool, Error> {
        let http = Http::new(&self.network, stored.reach);
        let trail = (self.trail)(login);
        self.token_endpoint(&http, &trail, stored).revoke(&stored.tokens).await
    }

    /// Commits a new token before it is used. If the store fails, the token is kept in memory for a later
    /// commit, because the old refresh token may already be invalid.
    async fn commit_tokens(
        &self,
        login: &LoginId,
        tokens: &TokenSet,
        replaces: u64,
    ) -> Result<Option<u64>, TokenUnavailable> {
        let mut left = MAX_COMMIT_TRIES;
        loop {
            left -= 1;
            match self.store.commit(login, tokens, replaces).await {
                Ok(version) => return Ok(version),
                Err(_) if left > 0 => tokio::time::sleep(Duration::from_millis(50)).await,
                Err(error) => {
                    lock(&self.pending_commits).insert(login.clone(), (replaces, tokens.clone()));
                    return Err(TokenUnavailable::Retryable(error));
                }
            }
        }
    }

    /// Commits the tokens of all logins that could not be committed before.
    async fn commit_all_pending(&self) {
        let left: Vec<_> =
            lock(&self.pending_commits).iter().map(|(login, left)| (login.clone(), left.clone())).collect();
        for (login, (replaces, tokens)) in left {
            // If this commit fails, the next caller tries again. There is no one to report the error to.
            if self.store.commit(&login, &tokens, replaces).await.is_ok() {
                let mut uncommitted = lock(&self.pending_commits);
                if uncommitted.get(&login).is_some_and(|(now, _)| *now == replaces) {
                    uncommitted.remove(&login);
                }
            }
        }
    }

    /// Commits tokens that an earlier renewal could not commit. `None` if the store has changed, so that it
    /// has to be read again.
    async fn commit_pending(
        &self,
        login: &LoginId,
        stored: StoredLogin,
    ) -> Result<Option<StoredLogin>, TokenUnavailable> {
        let left = lock(&self.pending_commits).remove(login);
        let Some((replaces, tokens)) = left.filter(|(replaces, _)| *replaces == stored.version) else {
            return Ok(Some(stored));
        };
        let version = self.commit_tokens(login, &tokens, replaces).await?;
        Ok(version.map(|version| StoredLogin { tokens, version, ..stored }))
    }

    /// Ends the login after `invalid_grant`, if its refresh token is still the refused one. Returns whether
    /// it did.
    async fn end_unless_changed(
        &self,
        login: &LoginId,
        refused: &StoredLogin,
        why: &Sentence,
    ) -> Result<bool, TokenUnavailable> {
        let Some(now) = self.load_login(login).await? else {
            return Err(TokenUnavailable::SignInRequired(SignInReason::NotSignedIn));
        };
        let unchanged = match (&now.tokens.refresh, &refused.tokens.refresh) {
            (Some(now), Some(refused)) => is_same_secret(now, refused),
            (None, _) | (_, None) => false,
        };
        if unchanged {
            let why = why.map(&|text| redact_tokens(&refused.tokens, text));
            self.store.forget(login, now.version, &why).await.map_err(TokenUnavailable::Retryable)?;
        }
        Ok(unchanged)
    }
}

/// Removes the tokens from a server's text.
fn redact_tokens(tokens: &TokenSet, text: &str) -> String {
    let secrets = [Some(&tokens.access), tokens.refresh.as_ref(), tokens.id_token.as_ref()];
    let secrets = secrets.into_iter().flatten().map(ExposeSecret::expose_secret);
    secrets
        .filter(|secret| !secret.is_empty())
        .fold(text.to_owned(), |text, secret| text.replace(secret, "…"))
}

/// Converts the error of a renewal for the caller.
fn unavailable_because(error: Error, renewal: &Renewal) -> TokenUnavailable {
    match (&error, renewal) {
        (Error::Unreachable(_) | Error::VaultUnavailable { .. }, _) => TokenUnavailable::Retryable(error),
        (Error::ErrorResponse { sentence, .. }, Renewal::Refresh) => {
            TokenUnavailable::SignInRequired(SignInReason::Refused(sentence.clone()))
        }
        (_, Renewal::Refresh) => TokenUnavailable::Retryable(error),
        (_, Renewal::ClientCredentials | Renewal::Assertion(_)) => {
            TokenUnavailable::CredentialsRejected(error)
        }
    }
}

fn is_same_secret(one: &SecretString, other: &SecretString) -> bool {
    one.expose_secret().as_bytes().ct_eq(other.expose_secret().as_bytes()).into()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
