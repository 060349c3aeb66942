//! Signing in to servers: what a server asked for, the flow with its steps, and the tokens that calls are let in with.
//!
//! Everything of OAuth is in `crates/oauth`, everything sealed in `crates/vault`. What is decided here is when: a
//! browser is opened by a gesture of the person alone, and calls take the tokens that there are.

mod access;
mod browser;
mod flow;
pub(crate) mod records;
mod shelf;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use mooring_mcp::{Authorize, Challenge as HttpChallenge};
use mooring_oauth::{Broker, Challenge, Clock, Error, Trail};
use mooring_store::{LoginRow, Store};
use mooring_vault::{Options, Vault};
use url::Url;

pub use browser::SystemBrowser;
pub use flow::{Enterprise, SignIn, SignInWay, Tie};

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

    /// Gives the tokens of a login back to their server and forgets it here. The error says what the server did not take
    /// back; it is forgotten all the same.
    pub async fn sign_out(&self, row: &LoginRow) -> Result<(), Error> {
        let revoked = self.inner.broker.sign_out(&login_of(row)).await;
        let removed = self.inner.shelf.logins.remove(row.id).await;
        removed.map_err(|error| shelf::store_error(&error))?;
        revoked
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
