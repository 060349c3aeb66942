//! The views of questions for front ends, and the person's answers.

use std::fmt;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_definitions::Transport;
use mooring_store::InteractionOutcome;
use mooring_words::{Sentence, StoredSentence};
use serde::{Deserialize, Serialize, Serializer};
use ts_rs::TS;

use crate::question::{InteractionKind, InteractionQuestion, RememberedBy};

/// The content of the Inbox.
#[derive(Clone, Debug, Serialize, TS)]
pub struct InboxView {
    /// The questions, oldest first. Only the first one of each server can be answered; its others wait.
    pub waiting: Vec<InteractionView>,
    /// The servers and apps whose questions are suppressed, because they ask too much or were dismissed too
    /// often.
    pub silenced: Vec<SilencedServer>,
}

/// A server whose questions are cancelled without being shown, or an app whose calls are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SilencedServer {
    /// The saved server. For an app, the server that it called.
    pub server: ServerId,
    /// The app whose calls are suppressed. `None` if the server's questions are.
    pub app: Option<String>,
    /// The server's or the app's name.
    pub name: String,
    /// When it ends, in milliseconds since the Unix epoch. `None` if only the person can end it.
    #[serde(rename = "until")]
    pub until_ms: Option<i64>,
    /// How many questions were suppressed since the application started.
    pub put_aside: u32,
    /// Why they are suppressed.
    pub reason: Sentence,
}

/// One question.
#[derive(Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InteractionView {
    /// The question's row.
    pub id: i64,
    /// The saved server that asks.
    pub server: ServerId,
    /// The person's name for the server.
    pub server_name: String,
    /// How the server is reached.
    pub transport: Transport,
    /// The origin of the server's URL, or its program's path.
    pub place: String,
    /// The account that is used with the server, by its label or subject.
    pub account: Option<String>,
    /// When it was asked, in milliseconds since the Unix epoch.
    #[serde(rename = "askedAt")]
    pub asked_ms: i64,
    /// What the question belongs to.
    pub occasion: InteractionOccasion,
    /// The question's position in its server's queue. Only 0 can be answered.
    pub position: u32,
    /// The question itself.
    pub question: InteractionQuestion,
    /// What the person has entered so far, as JSON text without secrets.
    pub draft: Option<String>,
    /// Set if the person put the question off.
    pub put_off: Option<PutOff>,
    /// The rows of the questions that ask the same and can be answered together, including this one. Empty if
    /// there are no others.
    pub together: Vec<i64>,
}

/// How long a question is put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct PutOff {
    /// When it comes back, in milliseconds since the Unix epoch. `None` if it is put off until the
    /// application ends.
    #[serde(rename = "until")]
    pub until_ms: Option<i64>,
}

impl fmt::Debug for InteractionView {
    /// Omits the draft: it may contain anything.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, server, question, position, .. } = self;
        f.debug_struct("InteractionView")
            .field("id", id)
            .field("server", server)
            .field("position", position)
            .field("question", question)
            .finish_non_exhaustive()
    }
}

/// What a question belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InteractionOccasion {
    /// The request that waits for the answer. `None` if the server's question is unprompted or names no
    /// request.
    pub method: Option<String>,
    /// What that request is about, such as a tool's name.
    pub subject: Option<String>,
    /// Who made the request: `workbench`, `command_line`, `sampling`, or `app:` and an app's name.
    pub caller: Option<String>,
    /// The front end's names of the requests to which the question belongs, or may belong.
    pub requests: Vec<String>,
    /// Whether the protocol doesn't name the request. The question may be unrelated to the one that is
    /// running.
    pub is_guess: bool,
    /// A sentence that describes it for the person.
    pub said: Sentence,
}

/// What is needed to answer an open question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InteractionOpening {
    /// The nonce for one answer to this question.
    pub nonce: String,
    /// An accepting answer counts after this time. Front ends get it in milliseconds.
    #[serde(serialize_with = "millis_up")]
    #[ts(type = "number")]
    pub armed_in: Duration,
}

/// Milliseconds, rounded up, so that an answer after that time counts.
fn millis_up<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    duration.as_micros().div_ceil(1_000).serialize(serializer)
}

/// An answer of the person.
#[derive(Clone, PartialEq, Deserialize, TS)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum InteractionAnswer {
    /// Yes.
    Accept {
        /// The entered or edited content as JSON text: the values of a form; for sampling `{system, messages,
        /// maxTokens, provider, model}`; for its answer `{content}`; for a tool a `ToolScope`. `None` if
        /// nothing was changed.
        content: Option<String>,
        /// How long the answer counts.
        remember: Remember,
    },
    /// No.
    Decline {
        /// How long the answer counts.
        remember: Remember,
    },
    /// The person does not decide.
    Cancel,
}

impl InteractionAnswer {
    /// Whether the answer counts for more than this question.
    pub(crate) fn is_to_be_remembered(&self) -> bool {
        match self {
            Self::Accept { remember, .. } | Self::Decline { remember } => *remember != Remember::Once,
            Self::Cancel => false,
        }
    }
}

impl fmt::Debug for InteractionAnswer {
    /// Omits the content: it may be anything.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accept { remember, .. } => {
                f.debug_struct("Accept").field("remember", remember).finish_non_exhaustive()
            }
            Self::Decline { remember } => f.debug_struct("Decline").field("remember", remember).finish(),
            Self::Cancel => f.write_str("Cancel"),
        }
    }
}

/// How long an answer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Remember {
    /// Only this time.
    Once,
    /// Until the application ends.
    Session,
    /// For an hour.
    Hour,
    /// Always. A no means never again.
    Always,
}

/// A past decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DecisionView {
    /// The question's row.
    pub id: i64,
    /// The saved server, if it is still there.
    pub server: Option<ServerId>,
    /// The server's name at that time.
    pub server_name: String,
    /// The kind of the question.
    pub kind: InteractionKind,
    /// What it was about: a tool's name, a URL's host, or a model. Not Mooring's own words.
    pub subject: Option<String>,
    /// Who made the call, like [`InteractionOccasion::caller`].
    pub caller: Option<String>,
    /// How the question ended.
    pub outcome: InteractionOutcome,
    /// Why the question was not decided, or why an accepted one could not be carried out.
    pub reason: Option<StoredSentence>,
    /// When it was asked, in milliseconds since the Unix epoch.
    #[serde(rename = "askedAt")]
    pub asked_ms: i64,
    /// When it was decided, in milliseconds since the Unix epoch.
    #[serde(rename = "decidedAt")]
    pub decided_ms: i64,
    /// What remembers the decision and can be undone.
    pub remembered: Option<RememberedBy>,
}
