//! May this run? Rules, verdicts and approvals, without effects: what is decided here is decided from its arguments alone.
//!
//! [`decide`](fn@decide) says whether a call may leave, by the person's [`Rule`]s. What a server is and offers is known by the
//! hash of its canonical form ([`Item`], `canonical`); [`PinChange`]s are what differs from what was approved. `untrusted`
//! finds characters that mislead, `command` what is dangerous about a program that is started.

mod abridged;
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
mod untrusted;
mod verdict;

pub use abridged::{Shown, shown};
pub use caller::Caller;
pub use command::{dangers, review_command};
pub use decide::decide;
pub use diff::{DiffOp, DiffPiece, PinChange, changes};
pub use items::{Item, by_name};
pub use pin::{PinApproval, PinKind, PinState, PinView, TrustView};
pub use rules::{ArgumentCondition, ArgumentTest, InvalidRule, NewRule, RULES, Rule, RuleBook};
pub use untrusted::{HiddenCharacter, deceptive};
pub use verdict::{Decision, Reason, Request, Standing, ToolClaims, ToolHints, Verdict};
