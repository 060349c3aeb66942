//! What is set for servers, and what they used.

use mooring_base::server_id::ServerId;
use serde::Serialize;
use ts_rs::TS;

use crate::budget::Budget;
use crate::dollars::Dollars;
use crate::provider::{Provider, RouteRule};

/// Sampling for one server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SamplingPolicy {
    /// It may ask at all (SAMP-16).
    pub enabled: bool,
    /// What it may use.
    pub budget: Budget,
}

/// Sampling for one server, with what it has used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplingPolicyView {
    /// The server.
    pub server: ServerId,
    /// Its name.
    pub server_name: String,
    /// What is set.
    pub policy: SamplingPolicy,
    /// Tokens since midnight (UTC).
    pub tokens_today: u64,
    /// Dollars since midnight (UTC).
    pub cost_today: Dollars,
    /// Requests since midnight (UTC).
    pub requests_today: u64,
    /// Remembered decisions of the user.
    pub approvals: Vec<ApprovalView>,
}

/// One of the two reviews: of the request, and of the model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStep {
    /// Of what the server asks.
    Request,
    /// Of what the model answered.
    Answer,
}

impl ReviewStep {
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Answer => "answer",
        }
    }
}

/// A remembered decision that skips a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalView {
    /// Its number.
    pub id: i64,
    /// Which look.
    pub look: ReviewStep,
    /// The provider's name. `None` for the practice model.
    pub provider_name: Option<String>,
    /// The model.
    pub model: String,
    /// Yes, or no.
    pub allow: bool,
    /// Until when, in milliseconds since the Unix epoch. `None` if it lasts until it is removed.
    #[serde(rename = "until")]
    pub until_ms: Option<i64>,
    /// It ends with the application.
    pub session: bool,
}

/// Everything about models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelsView {
    /// The providers. The practice model is always there and not among them.
    pub providers: Vec<Provider>,
    /// The routing table, in order.
    pub routes: Vec<RouteRule>,
    /// Every saved server.
    pub servers: Vec<SamplingPolicyView>,
}
