//! The steps of a sign-in and their results, so that a failed sign-in can be explained.

use mooring_words::Sentence;
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use ts_rs::TS;
use url::Url;

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "SignInPurpose")]
pub enum Purpose {
    /// The server that asks for a sign-in.
    Challenge,
    /// Metadata of the protected resource (RFC 9728).
    ResourceMetadata,
    /// Metadata of the authorization server (RFC 8414, OpenID Connect Discovery).
    ServerMetadata,
    /// The choice of the client.
    ClientIdentity,
    /// Dynamic registration (RFC 7591).
    Registration,
    /// The person's browser.
    Authorization,
    /// A token endpoint.
    Token,
    /// Information about the user who signed in.
    Profile,
    /// Revoking tokens (RFC 7009).
    Revocation,
    /// An icon that the server names. This is not a step of a sign-in.
    #[serde(skip)]
    #[ts(skip)]
    Icon,
}

/// One step. Contains no secrets: no code, token, key, state or verifier, and no URL with a query.
#[derive(Debug, Clone, Serialize, TS)]
pub struct Step {
    /// The purpose.
    pub purpose: Purpose,
    /// The requested URL without query. `None` for a decision without a request.
    pub url: Option<String>,
    /// The HTTP status of the response.
    pub status: Option<u16>,
    /// Whether the sign-in can continue.
    pub ok: bool,
    /// What was found or decided, and why.
    pub found: Sentence,
    /// How long the step took.
    #[serde(rename = "tookMs", serialize_with = "serialize_millis")]
    #[ts(type = "number")]
    pub took: Duration,
}

/// Serializes a duration as milliseconds, with a fraction.
fn serialize_millis<S: Serializer>(took: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(took.as_secs_f64() * 1_000.0)
}

impl Step {
    /// A decision without a request.
    pub fn by_outcome(purpose: Purpose, ok: bool, found: Sentence) -> Self {
        Self { purpose, url: None, status: None, ok, found, took: Duration::ZERO }
    }
}

/// A request in progress, which becomes a [`Step`] once its response is understood.
#[derive(Debug)]
pub struct PendingStep {
    purpose: Purpose,
    url: String,
    status: Option<u16>,
    began: Instant,
}

impl PendingStep {
    /// Begins a step now.
    pub fn new(purpose: Purpose, url: &Url) -> Self {
        Self { purpose, url: without_query(url), status: None, began: Instant::now() }
    }

    /// Notes the status of the response.
    pub fn set_status(&mut self, status: u16) {
        self.status = Some(status);
    }

    /// Reports the step.
    pub fn finish(self, trail: &StepObserver, ok: bool, found: Sentence) {
        trail.record(Step {
            purpose: self.purpose,
            url: Some(self.url),
            status: self.status,
            ok,
            found,
            took: self.began.elapsed(),
        });
    }
}

/// A URL that may be shown. The query is removed, because queries contain codes and keys.
pub(crate) fn without_query(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.into()
}

/// Receives each step as it happens.
#[derive(Clone)]
pub struct StepObserver(Arc<dyn Fn(Step) + Send + Sync>);

impl StepObserver {
    /// An observer that passes each step to a function, which must not block.
    pub fn new(tell: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Reports a step.
    pub fn record(&self, step: Step) {
        (self.0)(step);
    }
}

impl fmt::Debug for StepObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trail")
    }
}
