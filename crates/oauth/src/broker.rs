//! Tokens for whoever talks to a server: kept fresh, renewed once however many ask, and never at the price of a login.
//!
//! - One renewal at a time for each login: tasks share it, processes take turns by a lock on a file.
//! - With the lock in hand the store is read again, because another may have renewed in the meantime.
//! - A new token is committed before anybody gets it. A renewal that has begun is not cancelled by whoever waits for it.
//! - Only `invalid_grant` ends a login, and only for the refresh token that is still in the store. Whatever else goes
//!   wrong leaves everything as it is.
//! - Nothing here opens a browser: it says that a sign-in is needed.

mod access;
mod keep;
mod lock;

use crate::clock::Clock;
use crate::dpop::Dpop;
use crate::error::Error;
use crate::grant::For;
use crate::http::Http;
use crate::token::{TokenEndpoint, TokenSet};
use crate::trail::Trail;
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use subtle::ConstantTimeEq as _;
use tokio::sync::watch;
use tokio::task::JoinSet;

pub use access::Access;
pub use keep::{Keep, Kept, Login, Renewal};

use lock::Locks;

/// How long a renewal waits for another process to finish its own: two requests and what surrounds them.
const TURN_WITHIN: Duration = Duration::from_secs(75);
/// A token is renewed this long before its end, or a tenth of its life, whichever is less.
const AHEAD: Duration = Duration::from_mins(1);
/// How often a renewal begins anew because the store moved on under it.
const ROUNDS: usize = 3;
/// How often a new token is tried to be committed at once.
const COMMITS: usize = 3;

/// Why there is no token.
#[derive(Debug, Clone)]
pub enum Needs {
    /// A person has to sign in.
    SignIn(Reason),
    /// Something passing is in the way. What is kept stays, and asking again may help.
    Again(Error),
    /// The server refuses credentials that no person signs in with: a client's own, or an enterprise's policy.
    Refused(Error),
}

/// Why a person has to sign in.
#[derive(Debug, Clone)]
pub enum Reason {
    /// Nobody has, or somebody signed out.
    NotSignedIn,
    /// The token has ended, and there is nothing to renew it with.
    Expired,
    /// The server has ended the login, which has been forgotten.
    Ended(Sentence),
    /// The server does not renew it, though the login may still be good.
    Refused(Sentence),
}

impl Needs {
    /// The same in words.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::SignIn(Reason::NotSignedIn) => say!("nobody is signed in"),
            Self::SignIn(Reason::Expired) => {
                say!("the login has expired, and the server gave nothing to renew it with")
            }
            Self::SignIn(Reason::Ended(sentence) | Reason::Refused(sentence)) => sentence.clone(),
            Self::Again(error) | Self::Refused(error) => error.sentence().clone(),
        }
    }
}

/// What somebody wants of a token.
#[derive(Debug, Clone)]
enum Want {
    /// That it is good for so long.
    GoodFor(Duration),
    /// That it is another one than the server has just refused.
    NotThis(SecretString),
}

/// What a renewal came to; nothing while it is under way.
type Landed = Option<Result<Access, Needs>>;

/// Hands out access tokens. Dropping it stops renewals wherever they are: [`Broker::close`] lets them end.
pub struct Broker<K> {
    shared: Arc<Shared<K>>,
    tasks: Mutex<JoinSet<()>>,
}

struct Shared<K> {
    keep: K,
    locks: Locks,
    clock: Clock,
    trail: Box<dyn Fn(&Login) -> Trail + Send + Sync>,
    flights: Mutex<HashMap<Login, watch::Receiver<Landed>>>,
    /// Tokens that a server gave and the store did not take, with the version that they replace.
    uncommitted: Mutex<HashMap<Login, (u64, TokenSet)>>,
    /// Keys in use, which know the nonces of their servers.
    keys: Mutex<HashMap<Login, Dpop>>,
    /// Spreads renewals of several processes, between 0 and 255.
    spread: u8,
}

impl<K> fmt::Debug for Broker<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Broker")
    }
}

impl<K: Keep> Broker<K> {
    /// A broker over a store. `folder` is for the files of the locks, the same for all processes of a profile; `trail`
    /// says who is told of a login's steps.
    pub fn new(
        keep: K,
        folder: PathBuf,
        clock: Clock,
        trail: impl Fn(&Login) -> Trail + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let [spread] = crate::random::random::<1>()?;
        let shared = Shared {
            keep,
            locks: Locks::new(folder),
            clock,
            trail: Box::new(trail),
            flights: Mutex::default(),
            uncommitted: Mutex::default(),
            keys: Mutex::default(),
            spread,
        };
        Ok(Self { shared: Arc::new(shared), tasks: Mutex::default() })
    }

    /// A token that is good for `time`, or for as long as its server makes them.
    pub async fn access(&self, login: &Login, time: Duration) -> Result<Access, Needs> {
        self.get(login, Want::GoodFor(time)).await
    }

    /// Whether a token that was handed out before is still good for `time`, so that [`Self::access`] would hand it out
    /// once more, unless the login has changed since.
    pub fn serves(&self, access: &Access, time: Duration) -> bool {
        let (shared, ends) = (&self.shared, access.expires_at.map(|at| (access.received_at, at)));
        !shared.is_due(ends, time, shared.clock.now())
    }

    /// Another token than the one that the server has just refused. Ask once for a request: if the server refuses that
    /// one too, the person has to sign in.
    pub async fn instead(&self, login: &Login, refused: &SecretString) -> Result<Access, Needs> {
        self.get(login, Want::NotThis(refused.clone())).await
    }

    /// Another token than the one that is kept, because the person wants it.
    pub async fn renew(&self, login: &Login) -> Result<Access, Needs> {
        let kept = self.shared.load(login).await?.ok_or(Needs::SignIn(Reason::NotSignedIn))?;
        self.get(login, Want::NotThis(kept.tokens.access)).await
    }

    /// Gives the tokens back, as far as the server takes them, and forgets them in any case. `false` when the server takes
    /// none back, or there was none; the error says what it did not take back.
    pub async fn sign_out(&self, login: &Login) -> Result<bool, Error> {
        let shared = &self.shared;
        let _turn = shared.locks.turn(login, TURN_WITHIN).await?;
        let left = lock(&shared.uncommitted).remove(login);
        lock(&shared.keys).remove(login);
        let Some(mut kept) = shared.keep.load(login).await? else { return Ok(false) };
        // The newest are the ones that let in, also where the store did not take them.
        if let Some((_, tokens)) = left.filter(|(replaces, _)| *replaces == kept.version) {
            kept.tokens = tokens;
        }
        let revoked = shared.revoke(login, &kept).await;
        shared.keep.forget(login, kept.version, &say!("somebody signed out")).await?;
        revoked
    }

    /// Lets the renewals that are under way end, and commits what could not be committed before.
    pub async fn close(self) {
        self.settle().await;
    }

    /// The same for one that is shared: what begins from here on is not waited for.
    pub async fn settle(&self) {
        // First what is in hand: whoever waits for us may not wait for a slow server.
        self.shared.commit_all_left().await;
        let mut tasks = std::mem::take(&mut *lock(&self.tasks));
        while tasks.join_next().await.is_some() {}
        self.shared.commit_all_left().await;
    }

    async fn get(&self, login: &Login, want: Want) -> Result<Access, Needs> {
        for _ in 0..ROUNDS {
            let Some(kept) = self.shared.load(login).await? else {
                return Err(Needs::SignIn(Reason::NotSignedIn));
            };
            if self.shared.satisfies(&kept, &want) {
                return Ok(self.shared.access(login, kept));
            }
            let mut flight = self.flight(login, &want);
            let landed = flight.wait_for(Option::is_some).await.map(|landed| landed.clone());
            match landed {
                Ok(Some(Ok(access))) if want.is_met_by(&access.token) => return Ok(access),
                // It began before the token was refused, or for less time: once more.
                Ok(Some(Ok(_))) => {}
                Ok(Some(Err(needs))) => return Err(needs),
                Ok(None) | Err(_) => {
                    return Err(Needs::Again(Error::Unreachable(say!("the renewal of the login broke off"))));
                }
            }
        }
        Err(Needs::SignIn(Reason::Refused(say!("the server refuses the token that it has just given"))))
    }

    /// The renewal that is under way for a login, or a new one.
    fn flight(&self, login: &Login, want: &Want) -> watch::Receiver<Landed> {
        let mut flights = lock(&self.shared.flights);
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
            let result = Box::pin(shared.renew(&login, &want)).await;
            lock(&shared.flights).remove(&login);
            landed.send_replace(Some(result));
        });
        flight
    }
}

impl Want {
    fn is_met_by(&self, token: &SecretString) -> bool {
        match self {
            Self::GoodFor(_) => true,
            Self::NotThis(refused) => !same(token, refused),
        }
    }
}

impl<K: Keep> Shared<K> {
    async fn load(&self, login: &Login) -> Result<Option<Kept>, Needs> {
        let mut kept = self.keep.load(login).await.map_err(Needs::Again)?;
        if let Some(loaded) = kept.as_mut().and_then(|kept| kept.dpop.as_mut()) {
            let mut keys = lock(&self.keys);
            match keys.get(login).filter(|known| known.thumbprint() == loaded.thumbprint()) {
                Some(known) => *loaded = known.clone(),
                None => {
                    keys.insert(login.clone(), loaded.clone());
                }
            }
        }
        Ok(kept)
    }

    /// Whether what is kept will do without asking the server.
    fn satisfies(&self, kept: &Kept, want: &Want) -> bool {
        let time = if let Want::GoodFor(time) = want { *time } else { Duration::ZERO };
        let ends = kept.tokens.expires_at.map(|at| (kept.tokens.received_at, at));
        want.is_met_by(&kept.tokens.access) && !self.is_due(ends, time, self.clock.now())
    }

    /// Whether a token is to be renewed, for somebody who needs it that long. More than half of its life is asked of
    /// none, or those of short-lived ones would be renewed without end.
    fn is_due(&self, ends: Option<(SystemTime, SystemTime)>, time: Duration, now: SystemTime) -> bool {
        let Some((received_at, expires_at)) = ends else { return false };
        let life = expires_at.duration_since(received_at).unwrap_or_default();
        let ahead = AHEAD.min(life / 10);
        let ahead = ahead + ahead * u32::from(self.spread) / 1024;
        now.checked_add(ahead.max(time.min(life / 2))).is_none_or(|until| until >= expires_at)
    }

    fn access(&self, login: &Login, kept: Kept) -> Access {
        Access::new(login, kept, self.clock.clone())
    }

    /// Renews, with the lock of the login in hand.
    async fn renew(&self, login: &Login, want: &Want) -> Result<Access, Needs> {
        let _turn = match self.locks.turn(login, TURN_WITHIN).await {
            Ok(turn) => turn,
            Err(error) => {
                let kept = self.load(login).await?.filter(|kept| self.still_good(kept, want));
                return kept.map(|kept| self.access(login, kept)).ok_or(Needs::Again(error));
            }
        };
        for _ in 0..ROUNDS {
            let Some(kept) = self.load(login).await? else { return Err(Needs::SignIn(Reason::NotSignedIn)) };
            let Some(kept) = self.commit_left(login, kept).await? else { continue };
            if self.satisfies(&kept, want) {
                return Ok(self.access(login, kept));
            }
            let answer = match self.ask(login, &kept).await {
                Some(answer) => answer,
                None if self.still_good(&kept, want) => return Ok(self.access(login, kept)),
                None => return Err(Needs::SignIn(Reason::Expired)),
            };
            match answer {
                Ok(tokens) => {
                    let tokens = tokens.after(&kept.tokens);
                    if let Some(version) = self.commit(login, &tokens, kept.version).await? {
                        return Ok(self.access(login, Kept { tokens, version, ..kept }));
                    }
                    // Somebody signed in anew, or out: what they did counts.
                }
                Err(error) if error.is_invalid_grant() && matches!(kept.renewal, Renewal::Refresh) => {
                    if self.is_over(login, &kept, error.sentence()).await? {
                        return Err(Needs::SignIn(Reason::Ended(error.sentence().clone())));
                    }
                }
                Err(_) if self.still_good(&kept, want) => return Ok(self.access(login, kept)),
                Err(error) => return Err(refused(error, &kept.renewal)),
            }
        }
        Err(Needs::Again(Error::Unreachable(say!("the login changes faster than it can be renewed"))))
    }

    /// Whether the old token can serve for now.
    fn still_good(&self, kept: &Kept, want: &Want) -> bool {
        want.is_met_by(&kept.tokens.access) && kept.tokens.is_good_for(Duration::ZERO, self.clock.now())
    }

    /// One renewal at the server; nothing where there is nothing to renew with.
    async fn ask(&self, login: &Login, kept: &Kept) -> Option<Result<TokenSet, Error>> {
        let http = match Http::new(kept.reach) {
            Ok(http) => http,
            Err(error) => return Some(Err(error)),
        };
        let trail = (self.trail)(login);
        let endpoint = self.endpoint(&http, &trail, kept);
        let wanted = For { resource: kept.resource.as_deref(), scopes: &kept.scopes };
        match &kept.renewal {
            Renewal::Refresh => {
                let refresh = kept.tokens.refresh.as_ref()?;
                Some(endpoint.refresh(refresh, kept.resource.as_deref()).await)
            }
            Renewal::ClientCredentials => Some(endpoint.client_credentials(wanted).await),
            Renewal::Assertion(source) => Some(match source.assertion().await {
                Ok(assertion) => endpoint.jwt_bearer(&assertion, wanted).await,
                Err(error) => Err(error),
            }),
        }
    }

    fn endpoint<'a>(&'a self, http: &'a Http, trail: &'a Trail, kept: &'a Kept) -> TokenEndpoint<'a> {
        let (server, client, dpop) = (&kept.server, &kept.client, kept.dpop.as_ref());
        TokenEndpoint { http, trail, server, client, dpop, clock: &self.clock }
    }

    async fn revoke(&self, login: &Login, kept: &Kept) -> Result<bool, Error> {
        let http = Http::new(kept.reach)?;
        let trail = (self.trail)(login);
        self.endpoint(&http, &trail, kept).revoke(&kept.tokens).await
    }

    /// Commits a new token, before anybody has it. One that the store does not take is held until it does: the refresh
    /// token that it replaces may be worth nothing any more.
    async fn commit(&self, login: &Login, tokens: &TokenSet, replaces: u64) -> Result<Option<u64>, Needs> {
        let mut left = COMMITS;
        loop {
            left -= 1;
            match self.keep.commit(login, tokens, replaces).await {
                Ok(version) => return Ok(version),
                Err(_) if left > 0 => tokio::time::sleep(Duration::from_millis(50)).await,
                Err(error) => {
                    lock(&self.uncommitted).insert(login.clone(), (replaces, tokens.clone()));
                    return Err(Needs::Again(error));
                }
            }
        }
    }

    /// Commits what earlier renewals could not, of every login.
    async fn commit_all_left(&self) {
        let left: Vec<_> =
            lock(&self.uncommitted).iter().map(|(login, left)| (login.clone(), left.clone())).collect();
        for (login, (replaces, tokens)) in left {
            // What the store does not take now is tried once more by whoever comes next; nobody is left to tell.
            if self.keep.commit(&login, &tokens, replaces).await.is_ok() {
                let mut uncommitted = lock(&self.uncommitted);
                if uncommitted.get(&login).is_some_and(|(now, _)| *now == replaces) {
                    uncommitted.remove(&login);
                }
            }
        }
    }

    /// Commits what an earlier renewal could not. Nothing when the store has moved on, so that it has to be read again.
    async fn commit_left(&self, login: &Login, kept: Kept) -> Result<Option<Kept>, Needs> {
        let left = lock(&self.uncommitted).remove(login);
        let Some((replaces, tokens)) = left.filter(|(replaces, _)| *replaces == kept.version) else {
            return Ok(Some(kept));
        };
        let version = self.commit(login, &tokens, replaces).await?;
        Ok(version.map(|version| Kept { tokens, version, ..kept }))
    }

    /// After `invalid_grant`: ends the login if its refresh token is still the refused one.
    async fn is_over(&self, login: &Login, refused: &Kept, why: &Sentence) -> Result<bool, Needs> {
        let Some(now) = self.load(login).await? else { return Err(Needs::SignIn(Reason::NotSignedIn)) };
        let unchanged = match (&now.tokens.refresh, &refused.tokens.refresh) {
            (Some(now), Some(refused)) => same(now, refused),
            (None, _) | (_, None) => false,
        };
        if unchanged {
            let why = why.map(&|text| without(&refused.tokens, text));
            self.keep.forget(login, now.version, &why).await.map_err(Needs::Again)?;
        }
        Ok(unchanged)
    }
}

/// A server's words without the tokens that it may have put into them.
fn without(tokens: &TokenSet, text: &str) -> String {
    let secrets = [Some(&tokens.access), tokens.refresh.as_ref(), tokens.id_token.as_ref()];
    let secrets = secrets.into_iter().flatten().map(ExposeSecret::expose_secret);
    secrets
        .filter(|secret| !secret.is_empty())
        .fold(text.to_owned(), |text, secret| text.replace(secret, "…"))
}

/// What a refusal means for whoever asked.
fn refused(error: Error, renewal: &Renewal) -> Needs {
    match (&error, renewal) {
        (Error::Unreachable(_) | Error::Sealed { .. }, _) => Needs::Again(error),
        (Error::Answered { sentence, .. }, Renewal::Refresh) => {
            Needs::SignIn(Reason::Refused(sentence.clone()))
        }
        (_, Renewal::Refresh) => Needs::Again(error),
        (_, Renewal::ClientCredentials | Renewal::Assertion(_)) => Needs::Refused(error),
    }
}

fn same(one: &SecretString, other: &SecretString) -> bool {
    one.expose_secret().as_bytes().ct_eq(other.expose_secret().as_bytes()).into()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
