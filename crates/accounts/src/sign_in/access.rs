//! What lets a connection in: the login that its server uses, renewed when the server refuses it. Opens no browser.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue};
use mooring_mcp::{AccessRefusal, AccessRequest, AccessRetry, Authorize};
use mooring_oauth::{Access, Error, Login, Needs, Reason};
use mooring_recorder::Recorder;
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::watch;

use super::{Asking, SignIns};
use crate::shelf::login_of;

/// How long a token has to be good for, to be shown.
const GOOD_FOR: Duration = Duration::from_secs(10);

/// The way in at one server.
pub(super) struct Way {
    pub(super) sign_ins: SignIns,
    pub(super) asking: Asking,
    /// The one login that may be used, if one was named.
    pub(super) account: Option<i64>,
    /// The login in use; none: nobody is signed in. Looked up anew when the server refuses it, because somebody may
    /// have signed in meanwhile.
    pub(super) login: Mutex<Option<Login>>,
    /// What was shown last, which knows how its server wants proofs.
    pub(super) last: Mutex<Option<Arc<Access>>>,
    /// A token that was given in the place of a refused one, and that the server has not taken yet.
    pub(super) untried: Mutex<Option<SecretString>>,
    /// Who is told what keeps the connection out until a person signs in.
    pub(super) told: Option<Told>,
}

/// Who is told what keeps a connection out.
#[derive(Clone)]
pub struct Told {
    /// Takes the reason.
    pub out: watch::Sender<Option<SignInRequired>>,
    /// Writes what becomes of the login while the connection lasts.
    pub recorder: Arc<Recorder>,
}

/// What keeps a connection out until a person signs in.
#[derive(Debug, Clone)]
pub enum SignInRequired {
    /// The server asks for a login, and there is none.
    Unauthorized {
        /// The HTTP status.
        status: u16,
        /// The header that asks for it.
        challenge: Option<String>,
    },
    /// The login does not serve any more.
    Login {
        /// Why.
        reason: Reason,
        /// The header that asks for one, or nothing.
        challenge: String,
    },
    /// The credentials are refused.
    Credentials {
        /// Why.
        error: Error,
        /// The header that asks for others, or nothing.
        challenge: String,
    },
    /// The login does not allow what was asked for; a person can have more allowed.
    StepUp {
        /// What is asked for in addition, where the server names it.
        scopes: Vec<String>,
        /// The header that asks for it.
        challenge: String,
    },
}

impl SignInRequired {
    /// What a login needs from the person; none where what is in the way may pass.
    fn by(needs: &Needs, challenge: &str) -> Option<Self> {
        let challenge = challenge.to_owned();
        match needs {
            Needs::SignIn(reason) => Some(Self::Login { reason: reason.clone(), challenge }),
            Needs::Refused(error) => Some(Self::Credentials { error: error.clone(), challenge }),
            Needs::Again(_) => None,
        }
    }
}

impl Way {
    async fn access(&self, login: &Login) -> Result<Arc<Access>, Needs> {
        let access = self.sign_ins.access_of(login, GOOD_FOR).await?;
        *lock(&self.last) = Some(Arc::clone(&access));
        Ok(access)
    }

    /// The connection cannot go on before a person has signed in.
    fn keep_out(&self, why: SignInRequired) {
        if let Some(told) = &self.told {
            told.out.send_replace(Some(why));
        }
    }

    fn last(&self) -> Option<Arc<Access>> {
        lock(&self.last).clone()
    }

    fn login(&self) -> Option<Login> {
        lock(&self.login).clone()
    }

    /// Whether somebody has signed in, or chosen another login, since the last look.
    async fn is_another_login(&self) -> bool {
        let Asking { server, url } = &self.asking;
        let row = match self.sign_ins.inner.shelf.login_of(*server, url, self.account).await {
            Ok(row) => row,
            Err(error) => {
                tracing::warn!(%error, "the login of a server could not be looked up");
                return false;
            }
        };
        let found = row.as_ref().map(login_of);
        let mut login = lock(&self.login);
        let another = found.is_some() && *login != found;
        *login = found;
        drop(login);
        self.sign_ins.note(self.told.as_ref(), self.login().as_ref());
        another
    }

    async fn renewed(&self, refusal: &AccessRefusal<'_>) -> AccessRetry {
        self.sign_ins.heard(&self.asking, refusal.challenge);
        let AccessRefusal { request: asked, status, headers, authorization: shown, .. } = *refusal;
        if self.last().is_some_and(|access| access.asks_again(asked.url, status, headers)) {
            return AccessRetry::Yes;
        }
        if self.is_another_login().await {
            return AccessRetry::Yes;
        }
        let challenge = refusal.challenge.unwrap_or_default();
        if status != 401 {
            // What is forbidden to a good token is for the person to decide (AUTH-35).
            if let Some(scopes) = self.sign_ins.steps_up(&self.asking, self.login()).await {
                self.sign_ins.note_wanted(self.login().as_ref(), scopes.clone());
                self.keep_out(SignInRequired::StepUp { scopes, challenge: challenge.to_owned() });
            }
            return AccessRetry::No;
        }
        let Some(login) = self.login() else {
            let challenge = refusal.challenge.map(str::to_owned);
            self.keep_out(SignInRequired::Unauthorized { status, challenge });
            return AccessRetry::No;
        };
        let token = shown.and_then(token_of);
        let again =
            |token: &SecretString| lock(&self.untried).as_ref().is_some_and(|untried| same(untried, token));
        let renewed = match &token {
            // It has just been given in the place of another: one more would be refused as well (AUTH-38).
            Some(token) if again(token) => {
                let why = say!("the server refuses the token that it has just given");
                Err(Needs::SignIn(Reason::Refused(why)))
            }
            Some(token) => {
                self.sign_ins.inner.held.let_go(&login);
                self.sign_ins.inner.broker.instead(&login, token).await
            }
            // Nothing was shown because there is nothing to show.
            None => self.sign_ins.inner.broker.access(&login, GOOD_FOR).await,
        };
        match renewed {
            Ok(access) => {
                *lock(&self.untried) = Some(access.token);
                AccessRetry::Yes
            }
            Err(needs) => {
                tracing::info!(reason = %needs.sentence(), "the login was not renewed");
                if let Some(why) = SignInRequired::by(&needs, challenge) {
                    self.keep_out(why);
                }
                AccessRetry::No
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn same(one: &SecretString, other: &SecretString) -> bool {
    // Both are ours, and nobody else learns how long this takes.
    one.expose_secret() == other.expose_secret()
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
                Err(needs) => {
                    if let Some(why) = SignInRequired::by(&needs, "") {
                        self.keep_out(why);
                    }
                    return Err(needs.sentence());
                }
            };
            let headers = access.headers(asked.method, asked.url);
            let headers = headers.map_err(|error| error.sentence().clone())?;
            Ok(headers.into_iter().filter_map(|(name, value)| Some((name?, value))).collect())
        })
    }

    fn refused<'a>(&'a self, refusal: AccessRefusal<'a>) -> BoxFuture<'a, AccessRetry> {
        Box::pin(async move { self.renewed(&refusal).await })
    }

    fn answered(&self, asked: AccessRequest<'_>, headers: &HeaderMap) {
        *lock(&self.untried) = None;
        if let Some(access) = self.last() {
            // Each answer may bring the next nonce.
            let _no_refusal = access.asks_again(asked.url, 200, headers);
        }
    }
}
