//! Signing in to servers: what a server asked for, the flow with its steps, and the tokens that calls are let in with.
//!
//! Everything of OAuth is in `crates/oauth`, everything sealed in `crates/vault`. What is decided here is when: a
//! browser is opened by a gesture of the person alone, and calls take the tokens that there are.

mod access;
mod client;
mod flow;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use access::Way;
use mooring_base::server_id::ServerId;
use mooring_mcp::{AuthChallenge as HttpChallenge, Authorize};
use mooring_oauth::{Access, Broker, Challenge, Clock, Error, Login, Needs, Trail, split_scopes};
use mooring_recorder::Recorder;
use mooring_store::{LoginRow, LoginState, Store};
use mooring_vault::{Answer, Options, Vault, VaultState};
use mooring_words::say;
use tokio::task::JoinSet;
use url::Url;

use crate::account::{AccountClient, SignedOut};
use crate::held::{HeldTokens, Look};
use crate::problem::{SignInProblem, SignInProblemCode};
use crate::records::{StoredRecords, VaultKey, WhenOpened};
use crate::shelf::{Shelf, login_of};

pub use flow::{Enterprise, InvalidClient, SignIn, SignInWay, Tie};

pub use access::{SignInRequired, Told};

/// Servers whose last challenge is remembered.
const MOST_CHALLENGES: usize = 1024;

/// How long the end waits for renewals under way.
const SETTLE_WITHIN: Duration = Duration::from_secs(5);
/// Addresses of metadata that are looked at of one challenge.
const MOST_ADDRESSES: usize = 4;
/// How often a person is asked for the same scopes in addition, in one run.
const MOST_STEPS_UP: u32 = 3;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers something of whoever asks for a sign-in, of [`MOST_CHALLENGES`] of them at most.
fn remember<T>(known: &Mutex<HashMap<Asking, T>>, asking: &Asking, what: T) {
    let mut known = lock(known);
    if known.len() >= MOST_CHALLENGES && !known.contains_key(asking) {
        known.clear();
    }
    known.insert(asking.clone(), what);
}

/// The logins of a profile. Clones share them.
#[derive(Debug, Clone)]
pub struct SignIns {
    inner: Arc<Inner>,
}

struct Inner {
    broker: Broker<Shelf>,
    shelf: Shelf,
    vault: Vault,
    when_opened: WhenOpened,
    clock: Clock,
    held: HeldTokens,
    /// Who writes what becomes of a login: a connection that uses it.
    recorders: Recorders,
    /// Who writes of the others.
    recorder: Option<Arc<Recorder>>,
    /// What servers asked for last.
    heard: Mutex<HashMap<Asking, Challenge>>,
    /// For which issuer a person was asked to enter a client.
    clients_wanted: Mutex<HashMap<Asking, String>>,
    /// For which scopes in addition a person was asked to sign in: after how many sign-ins, and when the last of them was.
    stepped: Mutex<HashMap<(Asking, String), (u32, i64)>>,
    /// Notes of use that are being written.
    notes: Mutex<JoinSet<()>>,
}

/// The connections that use logins, as far as they write into the log.
type Recorders = Arc<Mutex<HashMap<Login, Weak<Recorder>>>>;

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SignIns")
    }
}

/// Who asks for a sign-in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Asking {
    /// The saved server; none for an address that was only named.
    pub(crate) server: Option<ServerId>,
    /// Its address.
    pub(crate) url: Url,
}

impl SignIns {
    /// The logins in a store. The key of what is sealed comes from where `vault` says, when it is needed first.
    pub fn open(store: &Store, home: &Path, vault: Options) -> Result<Self, Error> {
        Self::open_with(store, home, vault, None)
    }

    /// The same; what becomes of a login that no connection uses is written by `recorder`.
    pub fn open_with(
        store: &Store,
        home: &Path,
        vault: Options,
        recorder: Option<Arc<Recorder>>,
    ) -> Result<Self, Error> {
        let when_opened = WhenOpened::default();
        let vault = Vault::new(Arc::new(StoredRecords::new(store, Arc::clone(&when_opened))), vault);
        store.vouch_with(Arc::new(VaultKey(vault.downgrade())));
        let shelf = Shelf::new(store, vault.clone());
        let clock = Clock::system();
        let recorders = Recorders::default();
        let (known, other) = (Arc::clone(&recorders), recorder.clone());
        let trail = move |login: &Login| {
            let of_connection = lock(&known).get(login).and_then(Weak::upgrade);
            let recorder = of_connection.or_else(|| other.clone());
            Trail::new(move |step| {
                if let Some(recorder) = &recorder {
                    recorder.auth_step(&step);
                }
            })
        };
        let broker = Broker::new(shelf.clone(), home.join("locks"), clock.clone(), trail)?;
        let inner = Inner {
            broker,
            shelf,
            vault,
            when_opened,
            clock,
            held: HeldTokens::default(),
            recorders,
            recorder,
            heard: Mutex::default(),
            clients_wanted: Mutex::default(),
            stepped: Mutex::default(),
            notes: Mutex::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Waits until what is being noted is on the disk, and for renewals under way: a token that a server has given is to
    /// be kept before we end.
    pub async fn close(&self) {
        if tokio::time::timeout(SETTLE_WITHIN, self.inner.broker.settle()).await.is_err() {
            tracing::warn!("a renewal of a login did not end in time");
        }
        let mut notes = std::mem::take(&mut *lock(&self.inner.notes));
        while notes.join_next().await.is_some() {}
    }

    /// Has something done whenever the vault's key is in memory, before anybody is told. The first counts.
    pub fn when_opened(&self, act: impl Fn() -> Answer<'static, ()> + Send + Sync + 'static) {
        let _an_earlier_one_counts = self.inner.when_opened.set(Box::new(act));
    }

    /// Opens a vault that has a key and was not needed yet, so that what the person decides now is vouched for by it. Where
    /// it stays shut, that waits until it is open.
    pub async fn open_to_write(&self) {
        let vault = &self.inner.vault;
        let closed = matches!(*vault.state().borrow(), VaultState::Closed);
        if closed
            && vault.found().await.is_ok_and(|found| found.header.key.is_some())
            && let Err(error) = vault.open().await
        {
            tracing::debug!(%error, "what was decided is vouched for once the vault is open");
        }
        self.keep_up().await;
    }

    /// Takes over the key in force, where another process has changed it since the vault was opened here.
    pub async fn keep_up(&self) {
        let vault = &self.inner.vault;
        let Some(mine) = vault.key() else { return };
        let Ok(found) = vault.found().await else { return };
        match found.header.key {
            Some(key) if key.fingerprint == mine => {}
            Some(_) => {
                if let Err(error) = vault.refresh().await {
                    tracing::debug!(%error, "another process has changed the key");
                }
            }
            // Somebody started over.
            None => vault.close().await,
        }
    }

    /// The vault that the logins are sealed in.
    pub fn vault(&self) -> &Vault {
        &self.inner.vault
    }

    /// What lets a connection in. Asks the store which login its server uses; where that cannot be said, nothing is
    /// shown, and the server says what it wants.
    pub async fn access(&self, server: Option<ServerId>, url: &Url) -> Arc<dyn Authorize> {
        self.access_telling(server, url, None, None).await
    }

    /// The same, with one login if it is named, which tells when a person has to sign in before the connection can go on.
    pub async fn access_telling(
        &self,
        server: Option<ServerId>,
        url: &Url,
        account: Option<i64>,
        told: Option<Told>,
    ) -> Arc<dyn Authorize> {
        let login = self.inner.shelf.login_of(server, url, account).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the login of a server could not be looked up");
            None
        });
        let login = login.as_ref().map(login_of);
        self.note(told.as_ref(), login.as_ref());
        Arc::new(Way {
            sign_ins: self.clone(),
            asking: Asking { server, url: url.clone() },
            account,
            login: Mutex::new(login),
            last: Mutex::default(),
            untried: Mutex::default(),
            told,
        })
    }

    /// A token of a login: the one in use while nothing has changed, and else what the broker has.
    async fn access_of(&self, login: &Login, good_for: Duration) -> Result<Arc<Access>, Needs> {
        let Inner { broker, shelf, held, .. } = &*self.inner;
        let seen = Instant::now();
        let known = match held.look(login) {
            Look::Good(access) if broker.serves(&access, good_for) => return Ok(access),
            Look::Stale(access) if broker.serves(&access, good_for) => {
                let same = shelf.version(login).await.map_err(Needs::Again)? == Some(access.version);
                same.then_some(access)
            }
            _ => None,
        };
        let access = match known {
            Some(access) => access,
            None => Arc::new(broker.access(login, good_for).await?),
        };
        if held.is_news(login) {
            self.note_use(login);
        }
        // Only from this look on: a token that is in use all the time is looked at again as well.
        held.hold(login, &access, seen);
        Ok(access)
    }

    /// Notes in the background that a login is used: no request waits for that.
    fn note_use(&self, login: &Login) {
        let Ok(id) = login.account.parse() else { return };
        let logins = self.inner.shelf.logins.clone();
        let mut notes = lock(&self.inner.notes);
        while notes.try_join_next().is_some() {}
        notes.spawn(async move {
            if let Err(error) = logins.used(id).await {
                tracing::debug!(%error, "that a login is used was not noted");
            }
        });
    }

    /// Notes in the background what a server asks for beside what a login has, for the next sign-in of any process.
    fn note_wanted(&self, login: Option<&Login>, scopes: Vec<String>) {
        let Some(id) = login.and_then(|login| login.account.parse().ok()) else { return };
        let logins = self.inner.shelf.logins.clone();
        let mut notes = lock(&self.inner.notes);
        while notes.try_join_next().is_some() {}
        notes.spawn(async move {
            if let Err(error) = logins.want(id, &scopes).await {
                tracing::warn!(%error, "what a server asks for in addition was not noted");
            }
        });
    }

    /// Remembers which connection uses a login.
    fn note(&self, told: Option<&Told>, login: Option<&Login>) {
        if let (Some(told), Some(login)) = (told, login) {
            let mut recorders = lock(&self.inner.recorders);
            recorders.retain(|_, recorder| recorder.strong_count() > 0);
            recorders.insert(login.clone(), Arc::downgrade(&told.recorder));
        }
    }

    /// Which scopes a server asks for beside those that a login has, if that is what it asks for, and if a person has
    /// not been asked for the same so often in this run that once more would not help (A15).
    async fn steps_up(&self, asking: &Asking, login: Option<Login>) -> Option<Vec<String>> {
        let challenge = self.asked(asking);
        if challenge.error.as_deref() != Some("insufficient_scope") {
            return None;
        }
        let row = match login.and_then(|login| login.account.parse().ok()) {
            Some(id) => self.inner.shelf.logins.get(id).await.ok()?,
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
        let mut stepped = lock(&self.inner.stepped);
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

    /// The login that a connection to a server uses: the one that is named, where it may, or else the server's own.
    pub async fn login_for(
        &self,
        server: Option<ServerId>,
        url: &Url,
        named: Option<i64>,
    ) -> Result<Option<LoginRow>, Error> {
        self.inner.shelf.login_of(server, url, named).await
    }

    /// Every login.
    pub async fn logins(&self) -> Result<Vec<LoginRow>, Error> {
        self.inner.shelf.logins.list().await.map_err(|error| crate::shelf::store_error(&error))
    }

    /// Who we are to the authorization server of a login, where that is still known.
    pub async fn client_of(&self, row: &LoginRow) -> Result<Option<AccountClient>, Error> {
        let Some(id) = row.login.registration_id else { return Ok(None) };
        let known = self.inner.shelf.registrations.get(id).await;
        let known = known.map_err(|error| crate::shelf::store_error(&error))?.map(|row| row.registration);
        Ok(known.map(|known| AccountClient { id: known.client_id, origin: known.origin }))
    }

    /// Renews a login's token now, because the person wants it.
    pub async fn renew(&self, row: &LoginRow) -> Result<(), SignInProblem> {
        if row.state == LoginState::Active && !row.tokens.refreshable {
            return Err(SignInProblem::new(
                SignInProblemCode::Refused,
                say!("the server gave nothing to renew this login with"),
                say!("Sign in again when it ends."),
            ));
        }
        let renewed = self.inner.broker.renew(&login_of(row)).await;
        self.inner.held.let_go(&login_of(row));
        renewed.map(drop).map_err(|needs| SignInProblem::of_needs(&needs))
    }

    /// Gives the tokens of a login back to their server and forgets it here, in any case.
    pub async fn sign_out(&self, row: &LoginRow) -> Result<SignedOut, Error> {
        let revoked = self.inner.broker.sign_out(&login_of(row)).await;
        self.inner.held.let_go(&login_of(row));
        self.forget(row).await?;
        let nothing = |message| {
            let next = say!("To be sure, end the session in your account on the server's site.");
            Some(SignInProblem::new(SignInProblemCode::Refused, message, next))
        };
        let (revoked, problem) = match revoked {
            Ok(true) => (true, None),
            Ok(false) if row.state != LoginState::Active => (false, None),
            Ok(false) => {
                (false, nothing(say!("{issuer} has no way to take tokens back", issuer = &row.login.issuer)))
            }
            Err(error) => (false, nothing(error.sentence().clone())),
        };
        Ok(SignedOut { login: row.id, revoked, problem })
    }

    /// Writes into the log how a sign-out went.
    pub fn tell_signed_out(&self, row: &LoginRow, signed_out: &SignedOut) {
        let resource = crate::records::shown(&row.login.resource);
        let said = match &signed_out.problem {
            None => say!("signed out of {resource}", resource),
            Some(problem) => say!(
                "signed out of {resource}, and its tokens are not taken back: {reason}",
                resource,
                reason = problem.message.clone()
            ),
        };
        if let Some(recorder) = self.recorder_of(&login_of(row)) {
            recorder.auth_end("sign_out", signed_out.problem.is_none(), &said);
        }
    }

    /// Who writes what becomes of a login.
    fn recorder_of(&self, login: &Login) -> Option<Arc<Recorder>> {
        let of_connection = lock(&self.inner.recorders).get(login).and_then(Weak::upgrade);
        of_connection.or_else(|| self.inner.recorder.clone())
    }

    /// Removes a login, and who we were to its server where no other login needs that (AUTH-43).
    pub async fn forget(&self, row: &LoginRow) -> Result<(), Error> {
        let shelf = &self.inner.shelf;
        let forgotten = async {
            shelf.logins.remove(row.id).await?;
            if let Some(id) = row.login.registration_id {
                let rows = shelf.logins.list().await?;
                if rows.iter().all(|other| other.login.registration_id != Some(id)) {
                    shelf.registrations.remove(id).await?;
                }
            }
            Ok(())
        };
        forgotten.await.map_err(|error| crate::shelf::store_error(&error))
    }

    /// Remembers what a server asked for.
    fn heard(&self, asking: &Asking, header: Option<&str>) {
        let Some(challenge) = header.and_then(challenge) else { return };
        remember(&self.inner.heard, asking, challenge);
    }

    /// Whether a server has asked for a sign-in in this run.
    pub fn has_asked(&self, server: Option<ServerId>, url: &Url) -> bool {
        let asking = Asking { server, url: url.clone() };
        self.inner.heard.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&asking)
    }

    /// What a server asked for last.
    fn asked(&self, asking: &Asking) -> Challenge {
        let heard = self.inner.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.get(asking).cloned().unwrap_or_default()
    }
}

/// What `WWW-Authenticate` says of OAuth: of `Bearer` and `DPoP` the first that says the most.
fn challenge(header: &str) -> Option<Challenge> {
    let read = HttpChallenge::read_all(header);
    let ours = read.iter().filter(|challenge| {
        ["bearer", "dpop"].iter().any(|scheme| challenge.scheme.eq_ignore_ascii_case(scheme))
    });
    let of = |challenge: &HttpChallenge| {
        let text = |name| challenge.parameter(name).map(str::to_owned);
        // Other challenges may name the right address where this one does not.
        let named = read.iter().flat_map(|other| other.all("resource_metadata"));
        let resource_metadata =
            challenge.all("resource_metadata").chain(named).take(MOST_ADDRESSES).map(str::to_owned).collect();
        Challenge { resource_metadata, scope: text("scope"), error: text("error") }
    };
    // The last of equals wins `max_by_key`, so they are looked at from behind.
    let told = |challenge: &&HttpChallenge| {
        [challenge.parameter("resource_metadata"), challenge.parameter("scope")].iter().flatten().count()
    };
    ours.rev().max_by_key(told).map(of)
}
