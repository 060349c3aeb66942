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
    /// The issuer of the tokens.
    pub issuer: String,
    /// The server that the tokens are for, in its canonical form.
    pub resource: String,
    /// The account, if there are several at the server.
    pub account: String,
}

/// A stored login.
#[derive(Debug, Clone)]
pub struct StoredLogin {
    /// The tokens.
    pub tokens: TokenSet,
    /// The version, which changes with each commit.
    pub version: u64,
    /// The authorization server that issued the tokens.
    pub server: AuthorizationServer,
    /// The client at the authorization server.
    pub client: Client,
    /// The `resource` parameter, which every renewal repeats.
    pub resource: Option<String>,
    /// The scopes that were requested. A renewal without a refresh token requests them again.
    pub scopes: Vec<String>,
    /// The key that the tokens are bound to.
    pub dpop: Option<DpopKey>,
    /// The networks that requests may reach.
    pub reach: NetworkReach,
    /// How the next token is requested.
    pub renewal: Renewal,
}

/// How the next token of a login is requested.
#[derive(Debug, Clone)]
pub enum Renewal {
    /// With the refresh token, if there is one.
    Refresh,
    /// With the client's own credentials.
    ClientCredentials,
    /// With a new assertion each time: the identity of a workload, or the grant of an enterprise.
    Assertion(Arc<dyn AssertionSource>),
}

/// The storage of logins. Several processes may use it at the same time.
pub trait TokenStore: Send + Sync + 'static {
    /// The current login, including commits of other processes.
    fn load(&self, login: &LoginId) -> impl Future<Output = Result<Option<StoredLogin>, Error>> + Send;

    /// Durably replaces the tokens if the version is still `replaces`. Returns the new version, or `None` if
    /// the login has changed or is gone.
    fn commit(
        &self,
        login: &LoginId,
        tokens: &TokenSet,
        replaces: u64,
    ) -> impl Future<Output = Result<Option<u64>, Error>> + Send;

    /// Deletes the tokens if the version is still this one. The login is over, and [`TokenStore::load`]
    /// returns `None`.
    fn forget(
        &self,
        login: &LoginId,
        version: u64,
        why: &Sentence,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// Marks that the authorization server no longer knows the login's client, so that its registration is
    /// not used again. Does nothing in a store without clients.
    fn retire_client(&self, _login: &LoginId) -> impl Future<Output = Result<(), Error>> + Send {
        async { Ok(()) }
    }
}
