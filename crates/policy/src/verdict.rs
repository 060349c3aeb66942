//! A call that somebody wants made, and what is decided on it.

use std::borrow::Cow;

use mooring_base::server_id::ServerId;
use mooring_words::{Sentence, say};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use ts_rs::TS;

use crate::caller::Caller;

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
pub const RULE_GESTURE: &str = "gesture";
/// The rule that what changed is blocked.
pub const RULE_CHANGED: &str = "definition_changed";
/// The rule that nobody but the person calls what was not approved.
pub const RULE_UNREVIEWED: &str = "not_approved";
/// The rule that the person is asked where there is no rule.
pub const RULE_NONE: &str = "no_rule";
/// The person's answer to a question.
pub const RULE_ANSWER: &str = "answer";
/// The same call once more, in the session that took the place of a forgotten one.
pub const RULE_NEW_SESSION: &str = "new_session";

/// Where the approval of a definition stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
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
pub struct ToolHints {
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
    pub fn read(annotations: Option<&RawValue>) -> Self {
        let (said, defaults) = (ToolClaims::read(annotations), Self::default());
        Self {
            read_only: said.read_only.unwrap_or(defaults.read_only),
            destructive: said.destructive.unwrap_or(defaults.destructive),
            idempotent: said.idempotent.unwrap_or(defaults.idempotent),
            open_world: said.open_world.unwrap_or(defaults.open_world),
        }
    }

    /// Whether it may destroy something, as far as the server says. One that only reads destroys nothing.
    pub fn may_destroy(self) -> bool {
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
pub struct Request<'a> {
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
