//! Rules: what a person writes, and how one matches.

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
use crate::place::{is_place, is_within, looks_like_path};
use crate::verdict::{Approval, CallRequest, Decision, Reason};

/// How many conditions a rule may have, and how long its texts may be, in bytes.
const CONDITIONS: usize = 16;
const TEXT: usize = 4 << 10;
/// How many rules there may be.
pub const MAX_RULES: usize = 1_000;

/// A rule as it is entered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "RuleInput")]
pub struct NewRule {
    /// What it says.
    pub effect: Decision,
    /// For which saved server; none: for all.
    pub server: Option<ServerId>,
    /// For which tools: a name, or one with `*` for any characters and `\*` for a star; none: for all.
    pub tool: Option<String>,
    /// For which caller; none: for all.
    pub caller: Option<Caller>,
    /// Only for tools that may destroy something.
    pub destructive_only: bool,
    /// What has to hold for the arguments, all of it.
    pub arguments: Vec<ArgumentCondition>,
    /// Until when it counts, in milliseconds since the Unix epoch.
    #[serde(rename = "expiresAt")]
    pub expires_ms: Option<i64>,
}

/// Why a rule cannot be as it is entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidRule {
    /// The field, named as in the form.
    pub field: &'static str,
    /// What is wrong with it.
    pub message: Sentence,
}

/// What has to hold for an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ArgumentCondition {
    /// Which value, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// What has to hold.
    pub test: ArgumentTest,
    /// What it is compared with: JSON text for `equals`, a text otherwise.
    pub value: String,
}

/// How an argument is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentTest {
    /// It is this value.
    Equals,
    /// It is a text that begins so.
    StartsWith,
    /// It is a text with this in it.
    Contains,
    /// It is the absolute path of this folder, or of what lies in it, by its letters. For rules that allow: they hold only
    /// where nothing else in the arguments looks like a path.
    Within,
    /// It is there at all.
    Present,
}

impl ArgumentCondition {
    fn holds(&self, arguments: &Value) -> bool {
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

/// Whether a text in a value may be meant as a path.
pub(crate) fn has_path(value: &Value) -> bool {
    match value {
        Value::String(text) => looks_like_path(text),
        Value::Array(items) => items.iter().any(has_path),
        Value::Object(members) => members.values().any(has_path),
        _ => false,
    }
}

impl NewRule {
    /// Whether a rule about folders looks at everything in the arguments that may be meant as a path.
    fn names_every_path(&self, arguments: &Value) -> bool {
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

    /// The rule as it is saved. Refuses what can never match, naming the field.
    pub fn checked(mut self) -> Result<Self, InvalidRule> {
        let invalid = |field, message: Sentence| Err(InvalidRule { field, message });
        // Otherwise it stays as it is: a server may call its tools anything.
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
            if condition.test == ArgumentTest::Within && !is_place(&condition.value) {
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

/// A rule in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// Its number; below zero: it counts until the application ends.
    pub id: i64,
    /// What it says.
    pub rule: NewRule,
    /// The hash of the one definition that it is for, or those of several with spaces between them.
    #[serde(rename = "pinned", serialize_with = "pin_count")]
    #[ts(type = "number")]
    pub pin: Option<String>,
    /// It came of an answer.
    pub from_answer: bool,
    /// When it was made, in milliseconds since the Unix epoch.
    #[serde(rename = "createdAt")]
    pub created_ms: i64,
}

/// How many definitions a rule is for; 0: it is bound to none.
#[expect(clippy::ref_option, reason = "serde gives the field as it is")]
fn pin_count<S: Serializer>(pin: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    pin.as_ref().map_or(0, |pin| pin.split(' ').count()).serialize(serializer)
}

/// How specific a rule is; see [`decide`](crate::decide).
pub(crate) type Specificity = (bool, u8, usize, bool, usize, bool);

impl Rule {
    /// What a draft becomes: a rule of its own, or one in the place of `before`. Nothing else decides whether it stays
    /// bound to a definition: a yes does, as long as it is for the same tool of the same server.
    pub fn from_draft(id: i64, before: Option<&Self>, rule: NewRule) -> Self {
        // Of one without a tool's name only the definitions say for which it is: it never loses them.
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

    /// Its name in the log.
    pub fn name(&self) -> String {
        Reason::Rule(self.id).name().into_owned()
    }

    /// How specific it is.
    pub(crate) fn specificity(&self) -> Specificity {
        let rule = &self.rule;
        let (class, letters) = match &rule.tool {
            // Bound to one definition; what is bound to several stays behind a rule that names one tool.
            _ if self.pin.as_ref().is_some_and(|pin| !pin.contains(' ')) => (3, 0),
            None => (u8::from(self.pin.is_some()), 0),
            Some(tool) => pattern::literal_len(tool).map_or((2, 0), |letters| (1, letters)),
        };
        let arguments = rule.arguments.len();
        (rule.server.is_some(), class, letters, rule.caller.is_some(), arguments, rule.destructive_only)
    }

    /// Whether its time is not over, now being so many milliseconds since the Unix epoch.
    pub fn is_in_force(&self, now_ms: i64) -> bool {
        // A clock that is before the rule was made was set back, by how much nobody knows.
        self.rule.expires_ms.is_none_or(|expires| self.created_ms <= now_ms && now_ms < expires)
    }

    /// Whether it is about a request. Conditions on arguments that are not known do not let a rule allow.
    pub fn matches(&self, request: &CallRequest<'_>) -> bool {
        let rule = &self.rule;
        self.applies_to(request.server, request.tool, request.caller)
            && self.is_in_force(request.now_ms)
            && self.pin.as_ref().is_none_or(|pin| pin.split(' ').any(|pin| request.definition == Some(pin)))
            && (!rule.destructive_only || rule.effect != Decision::Allow && may_destroy(request))
            && match request.arguments {
                Some(arguments) => {
                    rule.arguments.iter().all(|condition| condition.holds(arguments))
                        && rule.names_every_path(arguments)
                }
                None => rule.arguments.is_empty() || rule.effect != Decision::Allow,
            }
    }

    /// Whether it is about this tool and caller at all.
    pub fn applies_to(&self, server: Option<ServerId>, tool: &str, caller: &Caller) -> bool {
        self.rule.caller.as_ref().is_none_or(|wanted| wanted == caller) && self.is_about(server, tool)
    }

    /// Whether it is about this tool, whoever calls it.
    pub fn is_about(&self, server: Option<ServerId>, tool: &str) -> bool {
        let rule = &self.rule;
        rule.server.is_none_or(|wanted| server == Some(wanted))
            && rule.tool.as_ref().is_none_or(|wanted| pattern::matches(wanted, tool))
    }
}

/// Whether a tool has to be taken for one that may destroy something. That it does not is the word of its server,
/// which counts once the person approved the definition that says so.
fn may_destroy(request: &CallRequest<'_>) -> bool {
    request.approval != Approval::Approved || request.hints.may_destroy()
}

/// Every rule in force, the most specific first. Cloning it copies nothing.
#[derive(Debug, Clone, Default)]
pub struct RuleBook(Arc<[Rule]>);

impl RuleBook {
    /// The book of these rules.
    pub fn new(mut rules: Vec<Rule>) -> Self {
        rules.sort_by_cached_key(|rule| std::cmp::Reverse((rule.specificity(), rule.created_ms, rule.id)));
        Self(rules.into())
    }

    /// The rules, the most specific first.
    pub fn rules(&self) -> &[Rule] {
        &self.0
    }

    /// Whether some rule about this call looks at its arguments.
    pub fn needs_arguments(&self, server: Option<ServerId>, tool: &str, caller: &Caller) -> bool {
        self.0.iter().any(|rule| !rule.rule.arguments.is_empty() && rule.applies_to(server, tool, caller))
    }
}
