//! Authorizes the requests of a connection with its server's login, and renews the login when the server
//! rejects the token. Never opens a browser.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use http::{HeaderName, HeaderValue};
use mooring_base::auth_challenge::AuthChallenge;
use mooring_mcp::{AccessRefusal, AccessRequest, AccessResponse, AccessRetry, Authorize};
use mooring_oauth::{AccessToken, Error, LoginId, SignInReason, TokenType, TokenUnavailable};
use mooring_recorder::Recorder;
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::watch;

use super::{SignInService, SignInTarget};
use crate::login_store::login_id;

/// How long a token must remain valid to be sent.
const GOOD_FOR: Duration = Duration::from_secs(10);

/// Authorizes the requests of one connection.
pub(super) struct LoginAuthorizer {
    pub(super) sign_ins: SignInService,
    pub(super) asking: SignInTarget,
    /// The only login that may be used, if an account was named.
    pub(super) account: Option<i64>,
    /// The login in use. `None` without a login. It is looked up again when the server rejects it, because
    /// the person may have signed in since.
    pub(super) login: Mutex<Option<LoginId>>,
    /// The access token that was last sent. It has the DPoP state of its server.
    pub(super) last_token: Mutex<Option<Arc<AccessToken>>>,
    /// A renewed token that the server has not accepted yet.
    pub(super) unconfirmed: Mutex<Option<SecretString>>,
    /// The scheme with which the server last accepted a bound token.
    pub(super) accepted_scheme: Mutex<Option<TokenType>>,
    /// Reports that the connection needs a sign-in.
    pub(super) reporter: Option<SignInReporter>,
}

/// Reports that a connection needs a sign-in.
#[derive(Clone)]
pub struct SignInReporter {
    /// Receives the reason for the sign-in.
    pub sender: watch::Sender<Option<SignInRequired>>,
    /// Logs events of the login while the connection exists.
    pub recorder: Arc<Recorder>,
}

/// Why a connection can't continue until the person signs in.
#[derive(Debug, Clone)]
pub enum SignInRequired {
    /// The server requires signing in, and there is no login.
    Unauthorized {
        /// The HTTP status.
        status: u16,
        /// The challenge of the response (`WWW-Authenticate`), if it has one.
        challenge: Option<String>,
    },
    /// The login is no longer valid.
    Login {
        /// The reason.
        reason: SignInReason,
        /// The challenge of the response. Empty if there is none.
        challenge: String,
    },
    /// The credentials are rejected.
    Credentials {
        /// The reason.
        error: Error,
        /// The challenge of the response. Empty if there is none.
        challenge: String,
    },
    /// The request needs more scopes. The person can grant them by signing in again.
    StepUp {
        /// The additional scopes, if the server names them.
        scopes: Vec<String>,
        /// The challenge of the response.
        challenge: String,
    },
}

impl SignInRequired {
    /// The sign-in that the person has to make. `None` if the problem may be temporary.
    fn from_unavailable(needs: &TokenUnavailable, challenge: &str) -> Option<Self> {
        let challenge = challenge.to_owned();
        match needs {
            TokenUnavailable::SignInRequired(reason) => {
                Some(Self::Login { reason: reason.clone(), challenge })
            }
            TokenUnavailable::CredentialsRejected(error) => {
                Some(Self::Credentials { error: error.clone(), challenge })
            }
            TokenUnavailable::Retryable(_) => None,
        }
    }
}

impl LoginAuthorizer {
    async fn get_access_token(&self, login: &LoginId) -> Result<Arc<AccessToken>, TokenUnavailable> {
        let access = self.sign_ins.access_token(login, GOOD_FOR).await?;
        *lock(&self.last_token) = Some(Arc::clone(&access));
        Ok(access)
    }

    /// Reports that the connection can't continue until the person signs in.
    fn require_sign_in(&self, why: SignInRequired) {
        if let Some(reporter) = &self.reporter {
            reporter.sender.send_replace(Some(why));
        }
    }

    fn last_access_token(&self) -> Option<Arc<AccessToken>> {
        lock(&self.last_token).clone()
    }

    fn current_login(&self) -> Option<LoginId> {
        lock(&self.login).clone()
    }

    /// Looks up the login again. Returns whether it is another one.
    async fn reload_login(&self) -> bool {
        let SignInTarget { server, url } = &self.asking;
        let row = match self.sign_ins.inner.login_store.find_login(*server, url, self.account).await {
            Ok(row) => row,
            Err(error) => {
                tracing::warn!(%error, "the login of a server could not be looked up");
                return false;
            }
        };
        let found = row.as_ref().map(login_id);
        let mut login = lock(&self.login);
        let another = found.is_some() && *login != found;
        *login = found;
        drop(login);
        self.sign_ins.remember_recorder(self.reporter.as_ref(), self.current_login().as_ref());
        another
    }

    /// The scheme to send a token with: `Bearer` if the server only accepts that, or else the token's own
    /// scheme.
    fn scheme_to_send(&self, access: &AccessToken) -> TokenType {
        let bearer = self
            .current_login()
            .is_some_and(|login| lock(&self.sign_ins.inner.shown_as_bearer).contains(&login));
        if bearer { TokenType::Bearer } else { access.token_type }
    }

    /// Switches the scheme of a bound token, if the server asks for the other one. A server that only knows
    /// `Bearer` treats a bound token like any other (RFC 9449 §7.1). Returns whether the request should be
    /// retried.
    fn switch_scheme(&self, refusal: &AccessRefusal<'_>) -> bool {
        let bound = self.last_access_token().is_some_and(|access| access.token_type == TokenType::Dpop);
        let (true, 401, Some(login)) = (bound, refusal.status, self.current_login()) else { return false };
        let asked = AuthChallenge::read_all(refusal.challenge.unwrap_or_default());
        let asks_for = |scheme: TokenType| {
            asked.iter().any(|challenge| challenge.scheme.eq_ignore_ascii_case(scheme.scheme()))
        };
        let was_dpop = refusal.authorization.is_some_and(has_dpop_scheme);
        let mut shown_as_bearer = lock(&self.sign_ins.inner.shown_as_bearer);
        if asks_for(TokenType::Dpop) {
            shown_as_bearer.remove(&login);
            return !was_dpop;
        }
        match (was_dpop, *lock(&self.accepted_scheme)) {
            // The server has accepted this scheme before, so the token is the problem.
            (true, Some(TokenType::Dpop)) | (false, Some(TokenType::Bearer)) => false,
            // Another request may have switched the scheme already.
            (true, _) if asks_for(TokenType::Bearer) => {
                shown_as_bearer.insert(login);
                true
            }
            (true, _) => false,
            // The other scheme failed, too. The next token uses its own scheme.
            (false, _) => {
                shown_as_bearer.remove(&login);
                false
            }
        }
    }

    async fn renew_after_refusal(&self, refusal: &AccessRefusal<'_>) -> AccessRetry {
        self.sign_ins.remember_challenge(&self.asking, refusal.challenge);
        let AccessRefusal { request: asked, status, headers, authorization: shown, .. } = *refusal;
        if self
            .last_access_token()
            .is_some_and(|access| access.needs_retry_with_nonce(asked.url, status, headers))
        {
            return AccessRetry::Yes;
        }
        if self.switch_scheme(refusal) {
            return AccessRetry::Yes;
        }
        if self.reload_login().await {
            return AccessRetry::Yes;
        }
        let challenge = refusal.challenge.unwrap_or_default();
        if status != 401 {
            // If a valid token lacks permissions, the person decides (AUTH-35).
            if let Some(scopes) = self.sign_ins.step_up_scopes(&self.asking, self.current_login()).await {
                self.sign_ins.record_wanted_scopes(self.current_login().as_ref(), scopes.clone());
                self.require_sign_in(SignInRequired::StepUp { scopes, challenge: challenge.to_owned() });
            }
            return AccessRetry::No;
        }
        let Some(login) = self.current_login() else {
            let challenge = refusal.challenge.map(str::to_owned);
            self.require_sign_in(SignInRequired::Unauthorized { status, challenge });
            return AccessRetry::No;
        };
        let token = shown.and_then(extract_token);
        let again = |token: &SecretString| {
            lock(&self.unconfirmed).as_ref().is_some_and(|untried| is_same_secret(untried, token))
        };
        let renewed = match &token {
            // The token has just replaced another one. Another renewed token would be rejected, too
            // (AUTH-38).
            Some(token) if again(token) => {
                let why = say!("the server rejects the token that it has just issued");
                Err(TokenUnavailable::SignInRequired(SignInReason::Refused(why)))
            }
            Some(token) => {
                self.sign_ins.inner.token_cache.remove(&login);
                self.sign_ins.inner.broker.replace_rejected(&login, token).await
            }
            // No token was sent, because there was none.
            None => self.sign_ins.inner.broker.access_token(&login, GOOD_FOR).await,
        };
        match renewed {
            Ok(access) => {
                *lock(&self.unconfirmed) = Some(access.token);
                AccessRetry::Yes
            }
            Err(needs) => {
                tracing::info!(reason = %needs.sentence(), "the login was not renewed");
                if let Some(why) = SignInRequired::from_unavailable(&needs, challenge) {
                    self.require_sign_in(why);
                }
                AccessRetry::No
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_same_secret(one: &SecretString, other: &SecretString) -> bool {
    // Both tokens are ours, so the time of this comparison reveals nothing to others.
    one.expose_secret() == other.expose_secret()
}

/// Whether an `Authorization` header sends a token with the scheme `DPoP`.
fn has_dpop_scheme(header: &HeaderValue) -> bool {
    header.as_bytes().starts_with(b"DPoP ")
}

/// The token in an `Authorization` header.
fn extract_token(header: &HeaderValue) -> Option<SecretString> {
    let (_, token) = header.to_str().ok()?.split_once(' ')?;
    Some(SecretString::from(token))
}

impl Authorize for LoginAuthorizer {
    fn headers<'a>(
        &'a self,
        asked: AccessRequest<'a>,
    ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, Sentence>> {
        Box::pin(async move {
            let Some(login) = self.current_login() else { return Ok(Vec::new()) };
            let access = match self.get_access_token(&login).await {
                Ok(access) => access,
                // Without a token, the server responds with a challenge, and the person signs in.
                Err(TokenUnavailable::SignInRequired(_)) => return Ok(Vec::new()),
                Err(needs) => {
                    if let Some(why) = SignInRequired::from_unavailable(&needs, "") {
                        self.require_sign_in(why);
                    }
                    return Err(needs.sentence());
                }
            };
            let headers = access.headers(asked.method, asked.url, self.scheme_to_send(&access));
            let headers = headers.map_err(|error| error.sentence().clone())?;
            Ok(headers.into_iter().filter_map(|(name, value)| Some((name?, value))).collect())
        })
    }

    fn on_refusal<'a>(&'a self, refusal: AccessRefusal<'a>) -> BoxFuture<'a, AccessRetry> {
        Box::pin(async move { self.renew_after_refusal(&refusal).await })
    }

    fn on_response(&self, response: AccessResponse<'_>) {
        *lock(&self.unconfirmed) = None;
        let AccessResponse { request, status, headers, authorization } = response;
        if let Some(shown) = authorization.filter(|_| status.is_success()) {
            let accepted_scheme = if has_dpop_scheme(shown) { TokenType::Dpop } else { TokenType::Bearer };
            *lock(&self.accepted_scheme) = Some(accepted_scheme);
        }
        if let Some(access) = self.last_access_token() {
            // Each response may contain the next nonce.
            let _no_refusal = access.needs_retry_with_nonce(request.url, 200, headers);
        }
    }
}
