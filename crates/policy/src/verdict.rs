//! A call that somebody wants made, and what is decided on it.

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
    /// What was decided.
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
    /// How an app's calls are allowed where no rule of the person's matches.
    #[derive(Deserialize)]
    pub enum AppLevel {
        /// The person is asked here.
        AskHere = "ask_here",
        /// The app asks its own person: what is approved runs.
        AppAsks = "app_asks",
        /// What an approved definition says to be read-only runs, and nothing else.
        ReadOnly = "read_only",
    }
}

impl AppLevel {
    /// The one under which less runs unasked. Of asking and reading only neither is more: then it is this one.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        if self == Self::AppAsks { other } else { self }
    }
}

/// A decision with the rule it follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What was decided.
    pub decision: Decision,
    /// Who asked.
    pub caller: Caller,
    /// What it follows from.
    pub reason: Reason,
}

/// What a verdict follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The person started the call, which is consent to this call with these arguments.
    PersonStarted,
    /// The definition is not what it was.
    Changed,
    /// Nobody approved the definition, and nobody but the person calls what was not approved.
    NotApproved,
    /// No rule: then the person is asked.
    NoRule,
    /// The app has no key, so that its name proves nothing: nothing of its runs unasked.
    NoKey,
    /// The app's key can't be checked while the vault is locked, so that nothing of it runs unasked.
    KeySealed,
    /// No rule, and the app asks its own person.
    AppAsks,
    /// No rule, and the app may call what is read-only, as this tool is by its approved definition.
    ReadOnly,
    /// No rule, and the app may call only what is read-only, which this tool does not say of itself.
    NotReadOnly,
    /// The person's answer to a question.
    Answer,
    /// The person cancelled the question.
    Cancelled,
    /// The question was dismissed without being shown, because the server asks too often.
    Dismissed,
    /// Nobody was there to be asked.
    NobodyToAsk,
    /// The same call once more, in the session that took the place of a forgotten one.
    NewSession,
    /// The person's rule of this number; below zero: one that counts until the application ends.
    Rule(i64),
}

impl Reason {
    /// Its name in the log.
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

    /// The person's rule that decided.
    pub fn rule(self) -> Option<i64> {
        match self {
            Self::Rule(id) => Some(id),
            _ => None,
        }
    }

    /// Why, in words for the person.
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
        let (claims, defaults) = (ToolClaims::read(annotations), Self::default());
        Self {
            read_only: claims.read_only.unwrap_or(defaults.read_only),
            destructive: claims.destructive.unwrap_or(defaults.destructive),
            idempotent: claims.idempotent.unwrap_or(defaults.idempotent),
            open_world: claims.open_world.unwrap_or(defaults.open_world),
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

/// A tool call to decide on.
#[derive(Debug, Clone, Copy)]
pub struct CallRequest<'a> {
    /// The saved server; none: one that is not saved.
    pub server: Option<ServerId>,
    /// The tool's name.
    pub tool: &'a str,
    /// The hash of its definition; none: it is not known.
    pub definition: Option<&'a str>,
    /// Where its approval stands.
    pub approval: Approval,
    /// What the server says of its effects.
    pub hints: ToolHints,
    /// The arguments; none: they are not known, and a condition on them holds only where it denies or asks.
    pub arguments: Option<&'a Value>,
    /// Who asks.
    pub caller: &'a Caller,
    /// How its calls are allowed, if it is an app.
    pub level: AppLevel,
    /// Now, in milliseconds since the Unix epoch.
    pub now_ms: i64,
}
