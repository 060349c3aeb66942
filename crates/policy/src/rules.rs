//! Rules that a person enters, and when they match.

use std::sync::Arc;

use mooring_base::clock::now_ms;
use mooring_base::server_id::ServerId;
use mooring_jsonrpc::is_equal;
use mooring_words::{Sentence, say};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use ts_rs::TS;

use crate::caller::Caller;
use crate::pattern;
use crate::place::{is_local_path, is_within, looks_like_path};
use crate::verdict::{Approval, CallRequest, Decision, Reason};

/// Maximum number of conditions of a rule, and maximum bytes of each of its texts.
const CONDITIONS: usize = 16;
const TEXT: usize = 4 << 10;
/// Maximum number of rules.
pub const MAX_RULES: usize = 1_000;

/// A rule as the person enters it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "RuleInput")]
pub struct NewRule {
    /// What happens to matching calls.
    pub effect: Decision,
    /// The saved server. `None` matches all servers.
    pub server: Option<ServerId>,
    /// A tool's name, or a pattern with `*` for any characters and `\*` for a star. `None` matches all tools.
    pub tool: Option<String>,
    /// The caller. `None` matches all callers.
    pub caller: Option<Caller>,
    /// Only match tools that may destroy something.
    pub destructive_only: bool,
    /// Conditions on the arguments. All of them must hold.
    pub arguments: Vec<ArgumentCondition>,
    /// When the rule expires, in milliseconds since the Unix epoch.
    #[serde(rename = "expiresAt")]
    pub expires_ms: Option<i64>,
}

/// Why a rule is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidRule {
    /// The field's name in the form.
    pub field: &'static str,
    /// What is wrong with the field.
    pub message: Sentence,
}

/// A condition on an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ArgumentCondition {
    /// The value's place, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// How the value is compared.
    pub test: ArgumentTest,
    /// The value to compare with: JSON text for `equals`, otherwise plain text.
    pub value: String,
}

/// How an argument is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentTest {
    /// The value equals the other one.
    Equals,
    /// The value is a string that begins with the text.
    StartsWith,
    /// The value is a string that contains the text.
    Contains,
    /// The value is the absolute path of this folder or of something in it, compared as text. The condition
    /// fails if another argument looks like a path, so it is only for rules that allow.
    Within,
    /// The value exists.
    Present,
}

impl ArgumentCondition {
    fn is_met(&self, arguments: &Value) -> bool {
        let Some(value) = arguments.pointer(&self.pointer) else { return false };
        match self.test {
            ArgumentTest::Present => true,
            ArgumentTest::Equals => {
                serde_json::from_str(&self.value).is_ok_and(|expected| is_equal(value, &expected))
            }
            ArgumentTest::StartsWith => value.as_str().is_some_and(|text| text.starts_with(&self.value)),
            ArgumentTest::Within => value.as_str().is_some_and(|text| is_within(text, &self.value)),
            ArgumentTest::Contains => value.as_str().is_some_and(|text| text.contains(&self.value)),
        }
    }
}

/// Whether a string in a value may be a path.
pub(crate) fn has_path(value: &Value) -> bool {
    match value {
        Value::String(text) => looks_like_path(text),
        Value::Array(items) => items.iter().any(has_path),
        Value::Object(members) => members.values().any(has_path),
        _ => false,
    }
}

impl NewRule {
    /// Whether conditions on folders cover every argument that may be a path.
    fn covers_every_path(&self, arguments: &Value) -> bool {
        let folders: Vec<_> =
            self.arguments.iter().filter(|condition| condition.test == ArgumentTest::Within).collect();
        if folders.is_empty() {
            return true;
        }
        let mut rest = arguments.clone();
        for condition in folders {
            if let Some(value) = rest.pointer_mut(&condition.pointer) {
                *value = Value::Null;
            }
        }
        !has_path(&rest)
    }

    /// Normalizes a rule before it is saved. Refuses a rule that can never match, with the name of the field.
    pub fn checked(mut self) -> Result<Self, InvalidRule> {
        let invalid = |field, message: Sentence| Err(InvalidRule { field, message });
        // Only a lone star is removed, because a server may give its tools any name.
        self.tool = self.tool.filter(|tool| tool != "*");
        if self.tool.as_ref().is_some_and(|tool| tool.len() > TEXT) {
            return invalid("tool", say!("the name is longer than {limit} characters", limit = TEXT));
        }
        if self.destructive_only && self.effect == Decision::Allow {
            let reason =
                say!("a server’s claims about its tools can make them ask or be denied, never be allowed");
            return invalid("destructiveOnly", reason);
        }
        if self.arguments.len() > CONDITIONS {
            return invalid("arguments", say!("a rule has at most {limit} conditions", limit = CONDITIONS));
        }
        for condition in &self.arguments {
            let pointer = &condition.pointer;
            if !(pointer.is_empty() || pointer.starts_with('/')) || pointer.len() > TEXT {
                return invalid("arguments", say!("not a JSON pointer: {pointer}", pointer));
            }
            if condition.value.len() > TEXT {
                return invalid("arguments", say!("the value is longer than {limit} bytes", limit = TEXT));
            }
            if condition.test == ArgumentTest::Within && self.effect != Decision::Allow {
                let reason = say!("a folder can only allow: there are other ways to write a path in it");
                return invalid("arguments", reason);
            }
            if condition.test == ArgumentTest::Within && !is_local_path(&condition.value) {
                return invalid("arguments", say!("not an absolute path: {path}", path = &condition.value));
            }
            let is_json = || serde_json::from_str::<Value>(&condition.value).is_ok();
            if condition.test == ArgumentTest::Equals && !is_json() {
                return invalid("arguments", say!("not JSON: {text}", text = &condition.value));
            }
        }
        Ok(self)
    }
}

/// A saved rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// The rule's number. A negative number means that the rule only lasts until the application ends.
    pub id: i64,
    /// The rule as it was entered.
    pub rule: NewRule,
    /// The hashes of the definitions that the rule is bound to, separated by spaces.
    #[serde(rename = "pinned", serialize_with = "serialize_pin_count")]
    #[ts(type = "number")]
    pub pin: Option<String>,
    /// Whether the rule was made from an answer.
    pub from_answer: bool,
    /// When the rule was made, in milliseconds since the Unix epoch.
    #[serde(rename = "createdAt")]
    pub created_ms: i64,
}

/// Serializes how many definitions a rule is bound to, or 0.
#[expect(clippy::ref_option, reason = "serde gives the field as it is")]
fn serialize_pin_count<S: Serializer>(pin: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    pin.as_ref().map_or(0, |pin| pin.split(' ').count()).serialize(serializer)
}

/// How specific a rule is. [`decide`](crate::decide) explains the order.
pub(crate) type Specificity = (bool, u8, usize, bool, usize, bool);

impl Rule {
    /// Creates a rule from a draft, or replaces `before`. The rule stays bound to its definitions in two
    /// cases: it names no tool, or it allows and is still for the same tool of the same server.
    pub fn from_draft(id: i64, before: Option<&Self>, rule: NewRule) -> Self {
        // Without a tool's name, only the definitions say which tools the rule is for. The rule must never
        // lose them.
        let is_wide =
            |before: &&Self| before.pin.is_some() && before.rule.tool.is_none() && rule.tool.is_none();
        let stays = |before: &&Self| {
            is_wide(before)
                || rule.effect == Decision::Allow
                    && before.rule.tool == rule.tool
                    && before.rule.server == rule.server
        };
        Self {
            id,
            pin: before.filter(stays).and_then(|before| before.pin.clone()),
            from_answer: before.is_some_and(|before| before.from_answer),
            created_ms: before.map_or_else(now_ms, |before| before.created_ms),
            rule,
        }
    }

    /// The rule's name in the log.
    pub fn name(&self) -> String {
        Reason::Rule(self.id).name().into_owned()
    }

    /// How specific the rule is.
    pub(crate) fn specificity(&self) -> Specificity {
        let rule = &self.rule;
        let (class, letters) = match &rule.tool {
            // The most specific rule: bound to one definition. The pin of several definitions has spaces.
            _ if self.pin.as_ref().is_some_and(|pin| !pin.contains(' ')) => (3, 0),
            None => (u8::from(self.pin.is_some()), 0),
            Some(tool) => pattern::literal_len(tool).map_or((2, 0), |letters| (1, letters)),
        };
        let arguments = rule.arguments.len();
        (rule.server.is_some(), class, letters, rule.caller.is_some(), arguments, rule.destructive_only)
    }

    /// Whether the rule has not expired at `now_ms`, in milliseconds since the Unix epoch.
    pub fn is_in_force(&self, now_ms: i64) -> bool {
        // If the time is before the rule was made, the clock was set back by an unknown amount.
        self.rule.expires_ms.is_none_or(|expires| self.created_ms <= now_ms && now_ms < expires)
    }

    /// Whether the rule matches a request. If the arguments are unknown, a rule with conditions on them never
    /// allows.
    pub fn matches(&self, request: &CallRequest<'_>) -> bool {
        let rule = &self.rule;
        self.applies_to(request.server, request.tool, request.caller)
            && self.is_in_force(request.now_ms)
            && self.pin.as_ref().is_none_or(|pin| pin.split(' ').any(|pin| request.definition == Some(pin)))
            && (!rule.destructive_only || rule.effect != Decision::Allow && may_destroy(request))
            && match request.arguments {
                Some(arguments) => {
                    rule.arguments.iter().all(|condition| condition.is_met(arguments))
                        && rule.covers_every_path(arguments)
                }
                None => rule.arguments.is_empty() || rule.effect != Decision::Allow,
            }
    }

    /// Whether the rule is for this tool and caller.
    pub fn applies_to(&self, server: Option<ServerId>, tool: &str, caller: &Caller) -> bool {
        self.rule.caller.as_ref().is_none_or(|wanted| wanted == caller) && self.is_about(server, tool)
    }

    /// Whether the rule is for this tool, with any caller.
    pub fn is_about(&self, server: Option<ServerId>, tool: &str) -> bool {
        let rule = &self.rule;
        rule.server.is_none_or(|wanted| server == Some(wanted))
            && rule.tool.as_ref().is_none_or(|wanted| pattern::matches_pattern(wanted, tool))
    }
}

/// Whether a tool may destroy something. The server's claim that the tool doesn't counts only once the person
/// has approved the definition with the claim.
fn may_destroy(request: &CallRequest<'_>) -> bool {
    request.approval != Approval::Approved || request.hints.may_destroy()
}

/// All rules in force, the most specific first. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct RuleBook(Arc<[Rule]>);

impl RuleBook {
    /// Sorts the rules.
    pub fn new(mut rules: Vec<Rule>) -> Self {
        rules.sort_by_cached_key(|rule| std::cmp::Reverse((rule.specificity(), rule.created_ms, rule.id)));
        Self(rules.into())
    }

    /// The rules, the most specific first.
    pub fn rules(&self) -> &[Rule] {
        &self.0
    }

    /// Whether a rule for this call has conditions on the arguments.
    pub fn needs_arguments(&self, server: Option<ServerId>, tool: &str, caller: &Caller) -> bool {
        self.0.iter().any(|rule| !rule.rule.arguments.is_empty() && rule.applies_to(server, tool, caller))
    }
}
