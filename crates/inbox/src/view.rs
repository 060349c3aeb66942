//! What front ends see of questions to the person, and what comes back.

use std::fmt;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_forms::Form;
use mooring_policy::{ToolClaims, ToolScopes};
use mooring_store::{InteractionKind, InteractionOutcome, Transport};
use mooring_words::{Sentence, StoredSentence};
use serde::{Deserialize, Serialize, Serializer};
use ts_rs::TS;

/// What waits for the person.
#[derive(Clone, Debug, Serialize, TS)]
pub struct InboxView {
    /// The questions, oldest first. Of each server only the first can be answered; the others wait behind it.
    pub waiting: Vec<InteractionView>,
    /// The servers and apps whose questions are put aside, because they ask too much or were dismissed too often.
    pub silenced: Vec<SilencedServer>,
}

/// A server whose questions are cancelled without being shown, or an app whose calls are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SilencedServer {
    /// The saved server; of an app, the one that it called.
    pub server: ServerId,
    /// The app whose calls are meant; none: what the server asks is.
    pub app: Option<String>,
    /// The server's or the app's name.
    pub name: String,
    /// Until when, in milliseconds of Unix time; none: until the person lifts it.
    #[serde(rename = "until")]
    pub until_ms: Option<i64>,
    /// How many questions were put aside since the application started.
    pub put_aside: u32,
    /// Why.
    pub reason: Sentence,
}

/// One question.
#[derive(Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InteractionView {
    /// Its row.
    pub id: i64,
    /// The saved server that asks.
    pub server: ServerId,
    /// The person's name for it.
    pub server_name: String,
    /// How it is reached.
    pub transport: Transport,
    /// Where it is: the origin of its address, or its program's path.
    pub place: String,
    /// The login that it is used with, as the account's label or subject.
    pub account: Option<String>,
    /// When it was asked, in milliseconds of Unix time.
    #[serde(rename = "askedAt")]
    pub asked_ms: i64,
    /// What it belongs to.
    pub occasion: InteractionOccasion,
    /// Its place in the queue of its server; 0 can be answered.
    pub position: u32,
    /// What is asked.
    pub question: InteractionQuestion,
    /// What the person has entered so far, as JSON text; secret values are not kept.
    pub draft: Option<String>,
    /// The person wants to see it later.
    pub put_off: Option<PutOff>,
    /// The rows of the questions that ask the same and can be answered together with it, itself among them; empty:
    /// there are no others.
    pub together: Vec<i64>,
}

/// Until when a question was put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct PutOff {
    /// In milliseconds of Unix time; none: until the application ends, and the question with it.
    #[serde(rename = "until")]
    pub until_ms: Option<i64>,
}

impl fmt::Debug for InteractionView {
    /// What is entered may be anything: it is not shown.
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
    /// The request of ours that waits for the answer; none: the server asks of its own accord, or does not say why.
    pub method: Option<String>,
    /// What that request is about, such as a tool's name.
    pub subject: Option<String>,
    /// Who made it: `workbench`, `command_line`, `sampling`, or `app:` and an app's name.
    pub caller: Option<String>,
    /// The front end's names of the requests that it belongs to, or may belong to.
    pub requests: Vec<String>,
    /// The protocol does not tell: it is what goes on meanwhile, which the question need not be for.
    pub is_guess: bool,
    /// In whose words it can be said.
    pub said: Sentence,
}

/// What is asked.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum InteractionQuestion {
    /// A form (`elicitation/create`, mode `form`).
    Form {
        /// The server's words.
        message: String,
        /// What it asks for.
        #[serde(flatten)]
        form: Form,
    },
    /// An address to be opened (`elicitation/create`, mode `url`).
    Url {
        /// The server's words.
        message: String,
        /// The address, looked at from all sides.
        address: AddressView,
        /// The person agreed to it: it was opened or is being opened, and that it is done is awaited.
        opened: bool,
        /// Why it could not be opened. The person may go there by themselves, try once more, or give it up.
        problem: Option<Sentence>,
    },
    /// May this tool run?
    Tool {
        /// The tool's name.
        tool: String,
        /// The server's title for it.
        title: Option<String>,
        /// The server's description of it.
        description: Option<String>,
        /// Title or description were longer, and stand here cut.
        cut: bool,
        /// The arguments that leave, as JSON text.
        arguments: String,
        /// What the server says of the tool's effects.
        hints: ToolClaims,
        /// Why it is asked: the rule, or that there is none.
        reason: Sentence,
        /// The number of the rule.
        rule: Option<i64>,
        /// Whether its definition was looked at by the person before.
        reviewed: bool,
        /// The hash of the definition that it is asked about, where one is known. Once it is another one, the call
        /// doesn't run whatever is answered.
        definition: Option<String>,
        /// The app that calls has no key: a yes counts for this call alone.
        keyless: bool,
        /// How far a yes can reach that is remembered.
        scopes: ToolScopes,
    },
    /// May a model be asked this (`sampling/createMessage`)? The first of two looks.
    Sampling(SamplingReview),
    /// May the server have this answer of the model? The second look.
    SamplingAnswer(SamplingAnswer),
    /// May the server know of these folders (`roots/list`)?
    Roots {
        /// The folders granted to every server.
        folders: Vec<InteractionFolder>,
    },
    /// May this app use the servers?
    App {
        /// What it calls itself.
        app: String,
        /// The program that it is, by its path, as far as the system tells.
        program: Option<String>,
        /// It is no app, but a terminal whose command line wants to. A yes counts until it closes, or always for the
        /// program.
        is_terminal: bool,
    },
}

impl InteractionQuestion {
    /// What is asked.
    pub fn kind(&self) -> InteractionKind {
        match self {
            Self::Form { .. } => InteractionKind::Form,
            Self::Url { .. } => InteractionKind::Url,
            Self::Tool { .. } => InteractionKind::Tool,
            Self::Sampling(_) => InteractionKind::Sampling,
            Self::SamplingAnswer(_) => InteractionKind::SamplingAnswer,
            Self::Roots { .. } => InteractionKind::Roots,
            Self::App { .. } => InteractionKind::App,
        }
    }
}

/// A folder that a server would be told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct InteractionFolder {
    /// Where it is.
    pub path: String,
    /// The name that goes with it.
    pub name: Option<String>,
    /// Why the server is not told of it now; none: it would be.
    pub problem: Option<Sentence>,
}

/// An address that a server wants opened, looked at before anything fetches it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AddressView {
    /// Exactly what would be opened.
    pub url: String,
    /// Up to the host: `https://login.`.
    pub before: String,
    /// The registrable domain, or the whole host where there is none.
    pub domain: String,
    /// What follows it.
    pub after: String,
    /// The host in Unicode, where it differs.
    pub unicode_host: Option<String>,
    /// It is not where it seems to lead.
    pub misleads: bool,
    /// Why it is never opened; none: it may be.
    pub blocked: Option<Sentence>,
    /// What to look out for.
    pub warnings: Vec<Sentence>,
    /// The host as it is, for the list of decisions.
    #[serde(skip)]
    pub(crate) host: String,
}

/// What a server asks a model, and where it would go.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingReview {
    /// The system prompt that the server wants.
    pub system: Option<String>,
    /// The conversation.
    pub messages: Vec<SamplingMessage>,
    /// The most tokens of the answer.
    pub max_tokens: u32,
    /// How free the answer may be.
    pub temperature: Option<f64>,
    /// Where the answer stops.
    pub stop_sequences: Vec<String>,
    /// The tools offered to the model, each as JSON text. They run at the server, never here.
    pub tools: Vec<String>,
    /// `auto`, `required` or `none`.
    pub tool_choice: Option<String>,
    /// The context that the server wanted and does not get: `thisServer`, `allServers`.
    pub context_refused: Option<String>,
    /// The model that the rules choose; none: there is no model that can take it.
    pub route: Option<SamplingRoute>,
    /// Every model that can take it.
    pub models: Vec<SamplingRoute>,
    /// About how many tokens it has.
    pub tokens: u32,
    /// What is left of the server's budget today.
    pub budget: Option<BudgetLeft>,
    /// Which round of a loop with tools this is, from 1.
    pub round: u32,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct SamplingMessage {
    /// `user` or `assistant`.
    pub role: String,
    /// The content blocks, each as JSON text.
    pub content: Vec<String>,
}

/// A model, and why it was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingRoute {
    /// The provider's row; none: the practice model.
    pub provider: Option<i64>,
    /// The person's name for the provider.
    pub provider_name: String,
    /// The host that the prompt goes to; none: it stays on this computer.
    pub host: Option<String>,
    /// The model.
    pub model: String,
    /// Which rule or hint led to it.
    pub reason: Sentence,
    /// At most so much, in dollars; none: not known.
    pub cost: Option<f64>,
}

/// What is left of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct BudgetLeft {
    /// Requests this minute.
    pub requests: Option<u32>,
    /// Tokens today.
    pub tokens: Option<u64>,
    /// Dollars today.
    pub cost: Option<f64>,
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingAnswer {
    /// The model that spoke, as the provider names it.
    pub model: String,
    /// Through whom.
    pub provider_name: String,
    /// It is still speaking; the texts grow.
    pub streaming: bool,
    /// The content blocks, each as JSON text.
    pub content: Vec<String>,
    /// Why it stopped, in the protocol's word.
    pub stop_reason: Option<String>,
    /// Tokens read and written, and what they cost in dollars.
    pub usage: Option<SamplingUsage>,
    /// Why there is no answer. The person may decline, or try once more.
    pub problem: Option<Sentence>,
}

/// What an answer took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingUsage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Dollars; none: not known.
    pub cost: Option<f64>,
}

/// A question that was opened: what it takes to answer it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InteractionOpening {
    /// For one answer to this question.
    pub nonce: String,
    /// An accepting answer counts after so long, to a front end in milliseconds.
    #[serde(serialize_with = "millis_up")]
    #[ts(type = "number")]
    pub armed_in: Duration,
}

/// Milliseconds, rounded up: an answer after that time counts.
fn millis_up<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    duration.as_micros().div_ceil(1_000).serialize(serializer)
}

/// An answer of the person.
#[derive(Clone, PartialEq, Deserialize, TS)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum InteractionAnswer {
    /// Yes.
    Accept {
        /// What was entered or edited, as JSON text: the values of a form; of sampling `{system, messages, maxTokens,
        /// provider, model}`; of its answer `{content}`; of a tool how far a yes reaches, as a `ToolScope`. None: as it is.
        content: Option<String>,
        /// For how long.
        remember: Remember,
    },
    /// No.
    Decline {
        /// For how long.
        remember: Remember,
    },
    /// No answer.
    Cancel,
}

impl InteractionAnswer {
    /// Whether it counts for more than this question.
    pub(crate) fn is_to_be_remembered(&self) -> bool {
        match self {
            Self::Accept { remember, .. } | Self::Decline { remember } => *remember != Remember::Once,
            Self::Cancel => false,
        }
    }
}

impl fmt::Debug for InteractionAnswer {
    /// What was entered may be anything: it is not shown.
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

/// For how long an answer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Remember {
    /// Only this time.
    Once,
    /// Until the application ends.
    Session,
    /// For an hour.
    Hour,
    /// Always; of a no: never again.
    Always,
}

/// How a question was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DecisionView {
    /// The question's row.
    pub id: i64,
    /// The saved server, if it is still there.
    pub server: Option<ServerId>,
    /// Its name at that time.
    pub server_name: String,
    /// What was asked.
    pub kind: InteractionKind,
    /// What it was about: a tool's name, an address's host, a model. Words of others.
    pub subject: Option<String>,
    /// Who made the call that it was about or that waited for it, like [`InteractionOccasion::caller`].
    pub caller: Option<String>,
    /// How it ended.
    pub outcome: InteractionOutcome,
    /// Why nobody decided, or why what was accepted could not be done.
    pub reason: Option<StoredSentence>,
    /// When it was asked, in milliseconds of Unix time.
    #[serde(rename = "askedAt")]
    pub asked_ms: i64,
    /// When it was decided.
    #[serde(rename = "decidedAt")]
    pub decided_ms: i64,
    /// What remembers it and can be taken back.
    pub remembered: Option<RememberedBy>,
}

/// What remembers an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum RememberedBy {
    /// A rule: `remove_rule`, which `restore_rule` undoes.
    Rule {
        /// Its number.
        id: i64,
    },
    /// What stands for a server and a model: `forget_sampling`.
    Model {
        /// Its number.
        id: i64,
    },
    /// What a server may know of the folders for every server: `forget_roots_answer`.
    Folders {
        /// The server.
        server: ServerId,
        /// The answer's number.
        answer: i64,
    },
}
