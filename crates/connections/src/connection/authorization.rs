//! Authorizes the requests of a connection, and keeps the tokens out of the log.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue};
use mooring_accounts::{SignInReporter, SignInRequired};
use mooring_mcp::{AccessRefusal, AccessRequest, AccessResponse, AccessRetry, Authorize};
use mooring_recorder::Recorder;
use mooring_store::SecretPlace;
use mooring_words::Sentence;
use tokio::sync::watch;
use url::Url;

use super::{ConnectionSpec, Dialer};

/// Creates the authorizer for a URL. `None` if the person entered an authorization header.
pub(super) async fn build_authorizer(
    spec: &ConnectionSpec,
    dialer: &Dialer,
    recorder: &Arc<Recorder>,
    out: watch::Sender<Option<SignInRequired>>,
) -> Option<Arc<dyn Authorize>> {
    let url = login_url(spec)?;
    let reporter = SignInReporter { sender: out, recorder: Arc::clone(recorder) };
    let inner = dialer.sign_ins.authorizer_with(spec.secrets_of, &url, spec.account, Some(reporter)).await;
    Some(Arc::new(RedactingAuthorizer { inner, recorder: Arc::clone(recorder) }))
}

/// The URL that an account may be used at. `None` if the person entered an authorization header.
pub(super) fn login_url(spec: &ConnectionSpec) -> Option<Url> {
    let is_authorization = |name: &str| name.eq_ignore_ascii_case("authorization");
    let sealed = spec.config.secrets.iter().filter(|secret| secret.place == SecretPlace::Header);
    let by_hand = spec.config.headers.keys().any(|name| is_authorization(name))
        || sealed.into_iter().any(|secret| is_authorization(&secret.name));
    Url::parse(spec.config.url.as_deref().filter(|_| !by_hand)?).ok()
}

/// Registers each token with the recorder before it is sent, so that the log never shows it.
struct RedactingAuthorizer {
    inner: Arc<dyn Authorize>,
    recorder: Arc<Recorder>,
}

impl Authorize for RedactingAuthorizer {
    fn headers<'a>(
        &'a self,
        asked: AccessRequest<'a>,
    ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, Sentence>> {
        Box::pin(async move {
            let headers = self.inner.headers(asked).await?;
            for (_, value) in headers.iter().filter(|(name, _)| name == AUTHORIZATION) {
                let token = value.to_str().ok().and_then(|value| value.split_once(' '));
                if let Some((_, token)) = token {
                    self.recorder.add_token(token);
                }
            }
            Ok(headers)
        })
    }

    fn on_refusal<'a>(&'a self, refusal: AccessRefusal<'a>) -> BoxFuture<'a, AccessRetry> {
        self.inner.on_refusal(refusal)
    }

    fn on_response(&self, response: AccessResponse<'_>) {
        self.inner.on_response(response);
    }
}
