//! A request to call a tool, and the decision about it.

use std::borrow::Cow;

use mooring_base::codes;
use mooring_base::server_id::ServerId;
use mooring_words::{Sentence, say};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use ts_rs::TS;

use crate::caller::Caller;

codes! {
    /// The outcome of a decision.
    #[derive(Deserialize)]
    #[ts(rename = "RuleEffect")]
    pub enum Decision {
        /// The call runs.
        Allow = "allow",
        /// The person is asked first.
        Ask = "ask",
        /// The call does not run.
        Deny = "deny",
    }
}

codes! {
    /// How an app's calls are allowed if no rule of the person matches.
    #[derive(Deserialize)]
    pub enum AppLevel {
        /// The person is asked here.
        AskHere = "ask_here",
        /// The app asks its own person, so calls of approved tools run.
        AppAsks = "app_asks",
        /// Only approved tools whose definition says that they are read-only run.
        ReadOnly = "read_only",
    }
}

impl AppLevel {
    /// The level that lets fewer calls run without a question. Between `AskHere` and `ReadOnly`, `self` wins.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        if self == Self::AppAsks { other } else { self }
    }
}

/// A decision with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The decision.
    pub decision: Decision,
    /// The caller.
    pub caller: Caller,
    /// The reason for the decision.
    pub reason: Reason,
}

/// Why a verdict was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The person started the call, which is consent to this call with these arguments.
    PersonStarted,
    /// The definition changed.
    Changed,
    /// The definition is not approved, and only the person may call tools that are not approved.
    NotApproved,
    /// No rule matches, so the person is asked.
    NoRule,
    /// The app has no key to prove its name, so the person is asked about all of its calls.
    NoKey,
    /// The app's key can't be checked while the vault is locked, so the person is asked about all of its
    /// calls.
    KeySealed,
    /// No rule matches, and the app asks its own person.
    AppAsks,
    /// No rule matches. The app may call read-only tools, and the approved definition says that this tool is
    /// read-only.
    ReadOnly,
    /// No rule matches. The app may only call read-only tools, and this tool doesn't say that it is
    /// read-only.
    NotReadOnly,
    /// The person's answer to a question.
    Answer,
    /// The person cancelled the question.
    Cancelled,
    /// The question was dismissed without being shown, because the server asks too often.
    Dismissed,
    /// No person was there to answer.
    NobodyToAsk,
    /// A repetition of the same call, in the session that replaced a lost one.
    NewSession,
    /// The person's rule with this number. A negative number means that the rule only lasts until the
    /// application ends.
    Rule(i64),
}

impl Reason {
    /// The reason's name in the log.
    pub fn name(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::PersonStarted => "gesture",
            Self::Changed => "definition_changed",
            Self::NotApproved => "not_approved",
            Self::NoRule => "no_rule",
            Self::NoKey => "no_key",
            Self::KeySealed => "key_sealed",
            Self::AppAsks => "app_asks",
            Self::ReadOnly => "read_only",
            Self::NotReadOnly => "not_read_only",
            Self::Answer => "answer",
            Self::Cancelled => "cancelled",
            Self::Dismissed => "put_aside",
            Self::NobodyToAsk => "nobody_to_ask",
            Self::NewSession => "new_session",
            Self::Rule(id) if id < 0 => return Cow::Owned(format!("session rule {}", -id)),
            Self::Rule(id) => return Cow::Owned(format!("rule {id}")),
        })
    }

    /// The person's rule that decided, if one did.
    pub fn rule(self) -> Option<i64> {
        match self {
            Self::Rule(id) => Some(id),
            _ => None,
        }
    }

    /// The reason as a sentence for the person.
    pub fn sentence(self) -> Sentence {
        match self {
            Self::Rule(_) => say!("one of your rules says so"),
            Self::PersonStarted => say!("you started it"),
            Self::Changed => say!("its definition has changed"),
            Self::NotApproved => say!("its definition wasn’t approved"),
            Self::Answer => say!("you decided so"),
            Self::NoRule | Self::NewSession => say!("no rule allows it"),
            Self::NoKey => say!("this app has no key, and any program could use its name"),
            Self::KeySealed => say!("this app’s key can’t be checked while the vault is locked"),
            Self::AppAsks => say!("you let this app ask by itself"),
            Self::ReadOnly => say!("this app may use read-only tools, and this is one"),
            Self::NotReadOnly => {
                say!(
                    "this app may use read-only tools only, and this one doesn’t say that it is: use another tool, or ask the user to change the app’s level in Mooring"
                )
            }
            Self::Cancelled => say!("the question was ignored"),
            Self::Dismissed => say!("the server asks too often"),
            Self::NobodyToAsk => say!("a rule asks first, and no one can answer here"),
        }
    }
}

/// The approval state of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Approval {
    /// There is nothing to approve, because the server is not saved or has not listed the tool.
    Unknown,
    /// Never reviewed.
    New,
    /// Approved by the person in its current form.
    Approved,
    /// Changed since it was first seen or approved.
    Changed,
}

/// What a server says about a tool's effects. Hints that the server leaves out have the protocol's defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolHints {
    /// The tool changes nothing.
    pub read_only: bool,
    /// The tool may destroy something.
    pub destructive: bool,
    /// A repeated call changes nothing more.
    pub idempotent: bool,
    /// The tool reaches beyond its own domain.
    pub open_world: bool,
}

/// What a server explicitly says about a tool's effects. `None` if the server doesn't say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "ToolHints")]
pub struct ToolClaims {
    /// The tool changes nothing.
    pub read_only: Option<bool>,
    /// The tool may destroy something.
    pub destructive: Option<bool>,
    /// A repeated call changes nothing more.
    pub idempotent: Option<bool>,
    /// The tool reaches beyond its own domain.
    pub open_world: Option<bool>,
}

impl Default for ToolHints {
    /// The protocol's defaults (TOOL-07).
    fn default() -> Self {
        Self { read_only: false, destructive: true, idempotent: false, open_world: true }
    }
}

impl ToolHints {
    /// Parses `annotations`.
    pub fn read(annotations: Option<&RawValue>) -> Self {
        let (claims, defaults) = (ToolClaims::read(annotations), Self::default());
        Self {
            read_only: claims.read_only.unwrap_or(defaults.read_only),
            destructive: claims.destructive.unwrap_or(defaults.destructive),
            idempotent: claims.idempotent.unwrap_or(defaults.idempotent),
            open_world: claims.open_world.unwrap_or(defaults.open_world),
        }
    }

    /// Whether the tool may destroy something, according to the server. A read-only tool destroys nothing.
    pub fn may_destroy(self) -> bool {
        self.destructive && !self.read_only
    }
}

impl ToolClaims {
    /// Parses `annotations`. Values other than booleans are ignored.
    pub fn read(annotations: Option<&RawValue>) -> Self {
        let claims: Value =
            annotations.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        let hint = |name: &str| claims.get(name).and_then(Value::as_bool);
        Self {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        }
    }
}

/// A request to call a tool.
#[derive(Debug, Clone, Copy)]
pub struct CallRequest<'a> {
    /// The saved server. `None` if the server is not saved.
    pub server: Option<ServerId>,
    /// The tool's name.
    pub tool: &'a str,
    /// Hash of the tool's definition, if it is known.
    pub definition: Option<&'a str>,
    /// State of its approval.
    pub approval: Approval,
    /// The tool's effects according to the server.
    pub hints: ToolHints,
    /// The arguments, if they are known. Otherwise conditions on them hold only in rules that deny or ask.
    pub arguments: Option<&'a Value>,
    /// The caller.
    pub caller: &'a Caller,
    /// How the caller's calls are allowed, if it is an app.
    pub level: AppLevel,
    /// The current time in milliseconds since the Unix epoch.
    pub now_ms: i64,
}
