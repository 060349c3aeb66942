//! What the person allowed, as it is kept: rules of consent in force, and approvals of what servers are and offer.
//!
//! [`RuleStore`] holds the rules, [`simulate`] tries one on the log, [`Trust`] compares what a server is and offers
//! with what was approved. What follows from them is decided in `mooring-policy`.

mod error;
mod rules;
mod simulator;
mod trust;

pub use error::{RuleError, TrustError};
pub use rules::{AnswerDuration, OnRulesChange, RememberedAnswer, RuleStore, RuleView, ToolAnswer};
pub use simulator::{SimulatedCall, Simulation, simulate};
pub use trust::{OnTrustChange, Trust, settings_hash};
