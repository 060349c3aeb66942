//! What lets a connection in: the login that its server uses, renewed when the server refuses it. Opens no browser.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue};
use mooring_mcp::{AccessRefusal, AccessRequest, Authorize, Renewed};
use mooring_oauth::{Access, Login, Needs};
use mooring_words::Sentence;
use secrecy::SecretString;

use super::shelf::login_of;
use super::{Asking, SignIns};

/// How long a token has to be good for, to be shown.
const GOOD_FOR: Duration = Duration::from_secs(10);

/// The way in at one server.
pub(super) struct Way {
    pub(super) sign_ins: SignIns,
    pub(super) asking: Asking,
    /// The login in use; none: nobody is signed in. Looked up anew when the server refuses it, because somebody may
    /// have signed in meanwhile.
    pub(super) login: Mutex<Option<Login>>,
    /// What was shown last, which knows how its server wants proofs.
    pub(super) last: Mutex<Option<Arc<Access>>>,
}

impl Way {
    async fn access(&self, login: &Login) -> Result<Arc<Access>, Needs> {
        let access = Arc::new(self.sign_ins.inner.broker.access(login, GOOD_FOR).await?);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&access));
        Ok(access)
    }

    fn last(&self) -> Option<Arc<Access>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn login(&self) -> Option<Login> {
        self.login.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether somebody has signed in, or chosen another login, since the last look.
    async fn is_another_login(&self) -> bool {
        let Asking { server, url } = &self.asking;
        let row = match self.sign_ins.inner.shelf.login_of(*server, url).await {
            Ok(row) => row,
            Err(error) => {
                tracing::warn!(%error, "the login of a server could not be looked up");
                return false;
            }
        };
        let found = row.as_ref().map(login_of);
        let mut login = self.login.lock().unwrap_or_else(PoisonError::into_inner);
        let another = found.is_some() && *login != found;
        *login = found;
        another
    }

    async fn renewed(&self, refusal: &AccessRefusal<'_>) -> Renewed {
        self.sign_ins.heard(&self.asking, refusal.challenge);
        let AccessRefusal { asked, status, headers, shown, .. } = *refusal;
        if self.last().is_some_and(|access| access.asks_again(asked.url, status, headers)) {
            return Renewed::Yes;
        }
        if self.is_another_login().await {
            return Renewed::Yes;
        }
        let Some(login) = self.login() else { return Renewed::No };
        // What is forbidden to a good token is for the person to decide (AUTH-35).
        let Some(token) = shown.filter(|_| status == 401).and_then(token_of) else { return Renewed::No };
        match self.sign_ins.inner.broker.instead(&login, &token).await {
            Ok(_) => Renewed::Yes,
            Err(needs) => {
                tracing::info!(reason = %needs.sentence(), "the login was not renewed");
                Renewed::No
            }
        }
    }
}

/// The token of an `Authorization` header.
fn token_of(header: &HeaderValue) -> Option<SecretString> {
    let (_, token) = header.to_str().ok()?.split_once(' ')?;
    Some(SecretString::from(token))
}

impl Authorize for Way {
    fn headers<'a>(
        &'a self,
        asked: AccessRequest<'a>,
    ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, Sentence>> {
        Box::pin(async move {
            let Some(login) = self.login() else { return Ok(Vec::new()) };
            let access = match self.access(&login).await {
                Ok(access) => access,
                // The server says what it wants then, and the person signs in.
                Err(Needs::SignIn(_)) => return Ok(Vec::new()),
                Err(needs) => return Err(needs.sentence()),
            };
            let headers = access.headers(asked.method, asked.url);
            let headers = headers.map_err(|error| error.sentence().clone())?;
            Ok(headers.into_iter().filter_map(|(name, value)| Some((name?, value))).collect())
        })
    }

    fn refused<'a>(&'a self, refusal: AccessRefusal<'a>) -> BoxFuture<'a, Renewed> {
        Box::pin(async move { self.renewed(&refusal).await })
    }

    fn answered(&self, asked: AccessRequest<'_>, headers: &HeaderMap) {
        if let Some(access) = self.last() {
            // Each answer may bring the next nonce.
            let _no_refusal = access.asks_again(asked.url, 200, headers);
        }
    }
}
