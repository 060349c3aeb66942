//! Sampling settings for servers, and their usage.

use mooring_base::server_id::ServerId;
use serde::Serialize;
use ts_rs::TS;

use crate::budget::Budget;
use crate::dollars::Dollars;
use crate::provider::{Provider, RouteRule};

/// Sampling for one server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SamplingPolicy {
    /// Whether the server may use models (SAMP-16).
    pub enabled: bool,
    /// The server's budget.
    pub budget: Budget,
}

/// Sampling for one server, with its usage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplingPolicyView {
    /// The server.
    pub server: ServerId,
    /// The server's name.
    pub server_name: String,
    /// The settings.
    pub policy: SamplingPolicy,
    /// The tokens since midnight in the user's time zone.
    pub tokens_today: u64,
    /// The dollars since midnight in the user's time zone.
    pub cost_today: Dollars,
    /// The requests since midnight in the user's time zone.
    pub requests_today: u64,
    /// Remembered decisions of the user.
    pub approvals: Vec<ApprovalView>,
}

/// One of the two reviews of a sampling request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStep {
    /// A review of the server's request.
    Request,
    /// A review of the model's answer.
    Answer,
}

impl ReviewStep {
    /// The name in the database.
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
    /// The decision's number.
    pub id: i64,
    /// The review that is skipped.
    pub look: ReviewStep,
    /// The provider's name. `None` for the practice model.
    pub provider_name: Option<String>,
    /// The model.
    pub model: String,
    /// Whether the decision allows the step.
    pub allow: bool,
    /// When the decision expires, in milliseconds since the Unix epoch. `None` if it lasts until it is
    /// removed.
    #[serde(rename = "until")]
    pub until_ms: Option<i64>,
    /// Whether the decision ends with the application.
    pub session: bool,
}

/// Everything about models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelsView {
    /// The providers. The practice model always exists and is not in the list.
    pub providers: Vec<Provider>,
    /// The routing table, in order.
    pub routes: Vec<RouteRule>,
    /// Every saved server.
    pub servers: Vec<SamplingPolicyView>,
}
