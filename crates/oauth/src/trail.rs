//! The steps of a sign-in with what was found at each, so that one that fails explains itself.

use crate::http::Purpose;
use mooring_words::Sentence;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// One step. Holds no secret: no code, token, key, state or verifier, and no address with one in its query.
#[derive(Debug, Clone)]
pub struct Step {
    /// What it was for.
    pub purpose: Purpose,
    /// What was asked, without query; nothing for a decision of ours.
    pub url: Option<String>,
    /// The HTTP status of the answer.
    pub status: Option<u16>,
    /// Whether the sign-in can go on from here.
    pub ok: bool,
    /// What was found or decided, and why.
    pub found: Sentence,
    /// How long it took.
    pub took: Duration,
}

/// Who is told of each step as it happens.
#[derive(Clone)]
pub struct Trail(Arc<dyn Fn(Step) + Send + Sync>);

impl Trail {
    /// A trail that hands each step to a function, which must not block.
    pub fn new(tell: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Tells of a step.
    pub fn tell(&self, step: Step) {
        (self.0)(step);
    }
}

impl fmt::Debug for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trail")
    }
}
