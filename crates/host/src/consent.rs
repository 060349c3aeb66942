//! May this call run? A pure decision: who asks, what for, and by which rule.
//!
//! In this order:
//! 1. A definition that is not what it was is refused, whoever asks and whatever the rules say.
//! 2. Of the rules that match, one that denies decides; of several the most specific is named.
//! 3. Otherwise the most specific decides, and of two that are equally so the one that asks.
//! 4. Without a rule, a gesture of the person is consent for exactly that call; any other caller asks, and for
//!    a definition that nobody approved is refused.
//!
//! A rule is more specific than another if it is for one server; then by its tools (one definition, one name, a
//! pattern with more letters, a pattern with fewer, all); then if it is for one caller; then by the number of its
//! conditions on arguments; then if it is only for tools that may destroy something. What a server says of its
//! tools (annotations) can only make a `destructive_only` rule match, and such a rule never allows. That a tool does
//! not destroy is believed once the person approved the definition that says so.

pub(crate) mod arguments;
mod book;
pub(crate) mod memory;
mod pattern;
pub(crate) mod simulator;

use std::borrow::Cow;

use mooring_words::{Sentence, say};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use ts_rs::TS;

pub(crate) use self::book::RuleBook;
pub use self::book::{ArgumentCondition, ArgumentTest, NewRule, Rule};
pub use self::simulator::{SimulatedCall, Simulation};
use crate::caller::Caller;
use mooring_base::server_id::ServerId;

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "RuleEffect")]
pub enum Decision {
    /// The call runs.
    Allow,
    /// The person is asked first.
    Ask,
    /// The call does not run.
    Deny,
}

impl Decision {
    /// Each of them.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    /// The word in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// The decision of this word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.as_str() == name)
    }
}

/// A decision with the rule it follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What was decided.
    pub decision: Decision,
    /// Who asked.
    pub caller: Caller,
    /// The rule's name in the log.
    pub rule: Cow<'static, str>,
    /// The person's rule that decided.
    pub rule_id: Option<i64>,
}

impl Verdict {
    /// Why, in words for the person.
    pub fn reason(&self) -> Sentence {
        match (&*self.rule, self.rule_id) {
            (_, Some(_)) => say!("a rule of yours says so"),
            (RULE_GESTURE, _) => say!("you started it"),
            (RULE_CHANGED, _) => say!("its definition changed since it was seen"),
            (RULE_UNREVIEWED, _) => say!("nobody has approved its definition"),
            (RULE_ANSWER, _) => say!("you answered so"),
            _ => say!("no rule allows it"),
        }
    }
}

/// The rule that a gesture of the person is consent for that call with those arguments.
pub(crate) const RULE_GESTURE: &str = "gesture";
/// The rule that what changed is blocked.
pub(crate) const RULE_CHANGED: &str = "definition_changed";
/// The rule that nobody but the person calls what was not approved.
pub(crate) const RULE_UNREVIEWED: &str = "not_approved";
/// The rule that the person is asked where there is no rule.
pub(crate) const RULE_NONE: &str = "no_rule";
/// The person's answer to a question.
pub(crate) const RULE_ANSWER: &str = "answer";
/// The same call once more, in the session that took the place of a forgotten one.
pub(crate) const RULE_NEW_SESSION: &str = "new_session";

/// Where the approval of a definition stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Standing {
    /// There is nothing to approve: the server is not saved, or has not listed it.
    Unknown,
    /// Nobody has looked at it.
    New,
    /// The person approved it as it is.
    Approved,
    /// It is not what it was.
    Changed,
}

/// What a server says of a tool's effects, with the protocol's defaults where it says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ToolHints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy something.
    pub destructive: bool,
    /// A second call changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond its own world.
    pub open_world: bool,
}

/// What a server says of a tool's effects in so many words; none: it says nothing of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "ToolHints")]
pub struct ToolClaims {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// A second call changes nothing more.
    pub idempotent: Option<bool>,
    /// It reaches beyond its own world.
    pub open_world: Option<bool>,
}

impl Default for ToolHints {
    /// The protocol's defaults (TOOL-07).
    fn default() -> Self {
        Self { read_only: false, destructive: true, idempotent: false, open_world: true }
    }
}

impl ToolHints {
    /// Reads `annotations`.
    pub(crate) fn read(annotations: Option<&RawValue>) -> Self {
        let (said, defaults) = (ToolClaims::read(annotations), Self::default());
        Self {
            read_only: said.read_only.unwrap_or(defaults.read_only),
            destructive: said.destructive.unwrap_or(defaults.destructive),
            idempotent: said.idempotent.unwrap_or(defaults.idempotent),
            open_world: said.open_world.unwrap_or(defaults.open_world),
        }
    }

    /// Whether it may destroy something, as far as the server says. One that only reads destroys nothing.
    pub(crate) fn may_destroy(self) -> bool {
        self.destructive && !self.read_only
    }
}

impl ToolClaims {
    /// Reads `annotations`. What is not a boolean says nothing.
    pub fn read(annotations: Option<&RawValue>) -> Self {
        let said: Value =
            annotations.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        let hint = |name: &str| said.get(name).and_then(Value::as_bool);
        Self {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        }
    }
}

/// A call that somebody wants made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The saved server; none: one that is not saved.
    pub server: Option<ServerId>,
    /// The tool's name.
    pub tool: &'a str,
    /// The hash of its definition; none: it is not known.
    pub definition: Option<&'a str>,
    /// Where its approval stands.
    pub standing: Standing,
    /// What the server says of its effects.
    pub hints: ToolHints,
    /// The arguments; none: they are not known, and a condition on them holds only where it denies or asks.
    pub arguments: Option<&'a Value>,
    /// Who asks.
    pub caller: Caller,
    /// Now, in milliseconds since the Unix epoch.
    pub now_ms: i64,
}

/// Decides on a call. `rules` may be in any order.
pub(crate) fn decide(request: &Request<'_>, rules: &[Rule]) -> Verdict {
    let verdict = |decision, rule: &'static str| Verdict {
        decision,
        caller: request.caller,
        rule: Cow::Borrowed(rule),
        rule_id: None,
    };
    if request.standing == Standing::Changed {
        return verdict(Decision::Deny, RULE_CHANGED);
    }
    // Of the equally specific the one that asks, then the older one: its number stays its name.
    let weight = |rule: &&Rule| {
        (
            rule.specificity(),
            rule.rule.effect == Decision::Ask,
            std::cmp::Reverse((rule.id < 0, rule.id.abs())),
        )
    };
    let of = |effects: &[Decision]| {
        let found = rules.iter().filter(|rule| effects.contains(&rule.rule.effect) && rule.matches(request));
        found.max_by_key(weight)
    };
    let rule = of(&[Decision::Deny]).or_else(|| of(&[Decision::Ask, Decision::Allow]));
    let is_reviewed = request.caller.is_gesture() || request.standing == Standing::Approved;
    match rule {
        Some(rule) if rule.rule.effect != Decision::Deny && !is_reviewed => {
            verdict(Decision::Deny, RULE_UNREVIEWED)
        }
        Some(rule) => Verdict {
            decision: rule.rule.effect,
            caller: request.caller,
            rule: Cow::Owned(rule.name()),
            rule_id: Some(rule.id),
        },
        None if request.caller.is_gesture() => verdict(Decision::Allow, RULE_GESTURE),
        None if is_reviewed => verdict(Decision::Ask, RULE_NONE),
        None => verdict(Decision::Deny, RULE_UNREVIEWED),
    }
}

#[cfg(test)]
mod tests;
