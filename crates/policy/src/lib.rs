//! Rules, verdicts and approvals, which decide whether a call may run. Nothing here does I/O.
//!
//! [`decide`](fn@decide) decides by the person's [`Rule`]s whether a call may be sent. A server and what it
//! offers are identified by the hash of their canonical form ([`PinItem`], [`mooring_jsonrpc::canonical`]).
//! [`PinChange`]s are the differences from the approved form. `untrusted` finds misleading characters, and
//! `command` finds dangers in the command of a server before it is started.

pub mod arguments;
mod caller;
mod command;
mod decide;
pub mod definition;
mod diff;
mod importance;
mod items;
mod package_source;
pub mod pattern;
mod pin;
mod place;
mod rules;
mod scope;
#[cfg(test)]
mod tests;
mod tool_rules;
mod truncation;
mod untrusted;
mod verdict;

pub use caller::{AppCaller, Caller};
pub use command::{
    CommandNote, CommandNoteCode, danger_warnings, downloaded_package, is_shell, review_command,
    secret_argument_warning, secret_arguments,
};
pub use decide::decide;
pub use diff::{DiffOp, DiffPiece, PinChange, diff_forms};
pub use items::{PinItem, items_by_name};
pub use pin::{PinApproval, PinKind, PinState, PinView, TrustView};
pub use rules::{ArgumentCondition, ArgumentTest, InvalidRule, MAX_RULES, NewRule, Rule, RuleBook};
pub use scope::{ArgumentFolder, ToolReach, ToolScope, ToolScopes};
pub use tool_rules::ToolRules;
pub use truncation::{DisplayForm, display_form};
pub use untrusted::{HiddenCharacter, deceptive_characters};
pub use verdict::{AppLevel, Approval, CallRequest, Decision, Reason, ToolClaims, ToolHints, Verdict};
