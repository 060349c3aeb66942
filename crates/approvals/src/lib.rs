//! The person's decisions: saved rules, and approvals of servers and their items.
//!
//! [`RuleStore`] has the rules. [`simulate`] tries a rule on the calls in the log. [`Trust`] compares servers
//! and their items with what was approved. [`AppStore`] has the settings of apps. [`NetworkStore`] has the
//! settings that decide where secrets are sent. The crate `mooring-policy` decides about calls.

mod apps;
mod asking;
mod error;
mod network;
mod refusal;
mod rules;
mod simulator;
mod trust;

pub use apps::{
    AppAccess, AppIdentity, AppOff, AppStanding, AppStore, AppToolList, DefaultAppLevel, OnAppsChange,
    PinnedTool, revoked,
};
pub use asking::{who_asks, why_asked};
pub use error::{NetworkError, RuleError, TrustError};
pub use network::{NetworkDoubt, NetworkProblem, NetworkSettings, NetworkStore, OnNetworkChange};
pub use refusal::refusal;
pub use rules::{AnswerDuration, OnRulesChange, RememberedAnswer, RuleStore, RuleView, ToolAnswer};
pub use simulator::{CallFacts, SimulatedCall, Simulation, simulate};
pub use trust::{
    IsSupervisedElsewhere, ListedIn, ListedItem, ListedOffers, OnTrustChange, RememberedServer, ReviewCounts,
    ServerReview, Trust, settings_hash,
};
