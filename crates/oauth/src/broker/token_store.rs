//! The storage that the broker needs.

use crate::assertion::AssertionSource;
use crate::client::Client;
use crate::dpop::DpopKey;
use crate::error::Error;
use crate::reach::NetworkReach;
use crate::server::AuthorizationServer;
use crate::token::TokenSet;
use mooring_words::Sentence;
use std::future::Future;
use std::sync::Arc;

/// Identifies a login. Tokens of one login are never used for another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoginId {
    /// Who gave the tokens.
    pub issuer: String,
    /// The server that they are for, in its canonical form.
    pub resource: String,
    /// Which of several accounts there.
    pub account: String,
}

/// A login as it is stored.
#[derive(Debug, Clone)]
pub struct StoredLogin {
    /// Its tokens.
    pub tokens: TokenSet,
    /// Another one after each change.
    pub version: u64,
    /// Who gave them.
    pub server: AuthorizationServer,
    /// Who we are there.
    pub client: Client,
    /// What was sent as `resource`, and is with every renewal.
    pub resource: Option<String>,
    /// The scopes that were asked for. A renewal without a refresh token asks for them again.
    pub scopes: Vec<String>,
    /// The key that the tokens are bound to.
    pub dpop: Option<DpopKey>,
    /// How far requests may go.
    pub reach: NetworkReach,
    /// Where the next token comes from.
    pub renewal: Renewal,
}

/// Where the next token of a login comes from.
#[derive(Debug, Clone)]
pub enum Renewal {
    /// The refresh token, if there is one.
    Refresh,
    /// The client's own credentials.
    ClientCredentials,
    /// A fresh assertion each time: a workload's identity, or an enterprise's grant.
    Assertion(Arc<dyn AssertionSource>),
}

/// The storage of logins. Several processes may use it at once.
pub trait TokenStore: Send + Sync + 'static {
    /// The login as it is now, committed by whichever process.
    fn load(&self, login: &LoginId) -> impl Future<Output = Result<Option<StoredLogin>, Error>> + Send;

    /// Replaces the tokens if the version is still `replaces`, durably, before it returns. The new version, or nothing
    /// if the login has changed or gone.
    fn commit(
        &self,
        login: &LoginId,
        tokens: &TokenSet,
        replaces: u64,
    ) -> impl Future<Output = Result<Option<u64>, Error>> + Send;

    /// Deletes the tokens if the version is still this one: the login is over, and [`TokenStore::load`] finds nothing.
    fn forget(
        &self,
        login: &LoginId,
        version: u64,
        why: &Sentence,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// The authorization server does not know the client of this login any more: what was registered there is not to
    /// be used for another sign-in. Nothing to do for a store that keeps no clients.
    fn retire_client(&self, _login: &LoginId) -> impl Future<Output = Result<(), Error>> + Send {
        async { Ok(()) }
    }
}
