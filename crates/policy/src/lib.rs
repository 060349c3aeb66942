//! May this run? Rules, verdicts and approvals, without effects: what is decided here is decided from its arguments
//! alone.
//!
//! [`decide`](fn@decide) says whether a call may leave, by the person's [`Rule`]s. What a server is and offers is
//! known by the hash of its canonical form ([`PinItem`], `canonical`); [`PinChange`]s are what differs from what was
//! approved. `untrusted` finds characters that mislead, `command` what is dangerous about a program that is started.

pub mod arguments;
mod caller;
pub mod canonical;
mod command;
mod decide;
pub mod definition;
mod diff;
mod items;
pub mod pattern;
mod pin;
mod rules;
#[cfg(test)]
mod tests;
mod truncation;
mod untrusted;
mod verdict;

pub use caller::Caller;
pub use command::{danger_warnings, review_command};
pub use decide::decide;
pub use diff::{DiffOp, DiffPiece, PinChange, diff_forms};
pub use items::{PinItem, items_by_name};
pub use pin::{PinApproval, PinKind, PinState, PinView, TrustView};
pub use rules::{ArgumentCondition, ArgumentTest, InvalidRule, MAX_RULES, NewRule, Rule, RuleBook};
pub use truncation::{DisplayForm, display_form};
pub use untrusted::{HiddenCharacter, deceptive_characters};
pub use verdict::{Approval, CallRequest, Decision, Reason, ToolClaims, ToolHints, Verdict};
