//! Signing in to servers: what a server asked for, the flow with its steps, and the tokens that calls are let in with.
//!
//! Everything of OAuth is in `crates/oauth`, everything sealed in `crates/vault`. What is decided here is when: a
//! browser is opened by a gesture of the person alone, and calls take the tokens that there are.

mod access;
mod account;
mod attempts;
mod browser;
mod flow;
mod problem;
pub(crate) mod records;
mod shelf;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use mooring_mcp::{Authorize, Challenge as HttpChallenge};
use mooring_oauth::{Broker, Challenge, Clock, Error, Trail};
use mooring_store::{LoginRow, LoginState, Store};
use mooring_vault::{Options, Vault};
use mooring_words::say;
use url::Url;

pub use account::{Account, AccountClient, AccountServer, SignedOut};
pub(crate) use attempts::{Attempt, Attempts, Awaited};
pub use attempts::{AttemptStep, SignInAttempt, SignInStatus};
pub use browser::{SystemBrowser, system_browser};
pub use flow::{Enterprise, SignIn, SignInWay, Tie};
pub use problem::SignInProblem;

use crate::server::ServerId;
use access::Way;
use records::StoredRecords;
use shelf::{Shelf, login_of};

/// Servers whose last challenge is remembered.
const MOST_CHALLENGES: usize = 1024;

/// The logins of a profile. Clones share them.
#[derive(Debug, Clone)]
pub struct SignIns {
    inner: Arc<Inner>,
}

struct Inner {
    broker: Broker<Shelf>,
    shelf: Shelf,
    vault: Vault,
    clock: Clock,
    /// What servers asked for last.
    heard: Mutex<HashMap<Asking, Challenge>>,
}

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
        let vault = Vault::new(Arc::new(StoredRecords::new(store)), vault);
        let shelf = Shelf::new(store, vault.clone());
        let clock = Clock::system();
        let broker = Broker::new(shelf.clone(), home.join("locks"), clock.clone(), |_| Trail::new(|_| {}))?;
        let heard = Mutex::default();
        Ok(Self { inner: Arc::new(Inner { broker, shelf, vault, clock, heard }) })
    }

    /// The vault that the logins are sealed in.
    pub fn vault(&self) -> &Vault {
        &self.inner.vault
    }

    /// What lets a connection in. Asks the store which login its server uses; where that cannot be said, nothing is
    /// shown, and the server says what it wants.
    pub async fn access(&self, server: Option<ServerId>, url: &Url) -> Arc<dyn Authorize> {
        let login = self.inner.shelf.login_of(server, url).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the login of a server could not be looked up");
            None
        });
        Arc::new(Way {
            sign_ins: self.clone(),
            asking: Asking { server, url: url.clone() },
            login: Mutex::new(login.as_ref().map(login_of)),
            last: Mutex::default(),
        })
    }

    /// Every login.
    pub async fn logins(&self) -> Result<Vec<LoginRow>, Error> {
        self.inner.shelf.logins.list().await.map_err(|error| shelf::store_error(&error))
    }

    /// Who we are to the authorization server of a login, where that is still known.
    pub(crate) async fn client_of(&self, row: &LoginRow) -> Result<Option<AccountClient>, Error> {
        let Some(id) = row.login.registration_id else { return Ok(None) };
        let known = self.inner.shelf.registrations.get(id).await;
        let known = known.map_err(|error| shelf::store_error(&error))?.map(|row| row.registration);
        Ok(known.map(|known| AccountClient { id: known.client_id, origin: known.origin }))
    }

    /// Renews a login's token now, because the person wants it.
    pub(crate) async fn renew(&self, row: &LoginRow) -> Result<(), SignInProblem> {
        if row.state == LoginState::Active && !row.tokens.refreshable {
            return Err(SignInProblem::new(
                "refused",
                say!("the server gave nothing to renew this login with"),
                say!("Sign in again when it ends."),
            ));
        }
        let renewed = self.inner.broker.renew(&login_of(row)).await;
        renewed.map(drop).map_err(|needs| SignInProblem::of_needs(&needs))
    }

    /// Gives the tokens of a login back to their server and forgets it here, in any case.
    pub(crate) async fn sign_out(&self, row: &LoginRow) -> Result<SignedOut, Error> {
        let revoked = self.inner.broker.sign_out(&login_of(row)).await;
        self.forget(row).await?;
        let nothing = |message| {
            let next = say!("To be sure, end the session in your account on the server's site.");
            Some(SignInProblem::new("refused", message, next))
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

    /// Removes a login, and who we were to its server where no other login needs that (AUTH-43).
    pub(crate) async fn forget(&self, row: &LoginRow) -> Result<(), Error> {
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
        forgotten.await.map_err(|error| shelf::store_error(&error))
    }

    /// Remembers what a server asked for.
    fn heard(&self, asking: &Asking, header: Option<&str>) {
        let Some(challenge) = header.and_then(challenge) else { return };
        let mut heard = self.inner.heard.lock().unwrap_or_else(PoisonError::into_inner);
        if heard.len() >= MOST_CHALLENGES && !heard.contains_key(asking) {
            heard.clear();
        }
        heard.insert(asking.clone(), challenge);
    }

    /// Whether a server has asked for a sign-in in this run.
    pub(crate) fn has_asked(&self, server: Option<ServerId>, url: &Url) -> bool {
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
        Challenge { resource_metadata: text("resource_metadata"), scope: text("scope"), error: text("error") }
    };
    // The last of equals wins `max_by_key`, so they are looked at from behind.
    let told = |challenge: &&HttpChallenge| {
        [challenge.parameter("resource_metadata"), challenge.parameter("scope")].iter().flatten().count()
    };
    ours.rev().max_by_key(told).map(of)
}
